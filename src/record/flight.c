/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"

enum { HAPPENED_MOST = 16 };
static const uint64_t happened_ns = 1000000000;

struct flight_block {
	struct flight_block *next;
	uint64_t time;		/* of its newest event */
	size_t n;
	uint8_t bytes[];	/* as they stand in a file */
};

struct rt_flight {
	const struct rt_keep *keep;
	struct rt_bytes names;	/* blocks of the trace, functions and remarks */
	struct rt_bytes block;	/* the one that comes */
	struct flight_block *first, **tail;
	size_t bytes;		/* of those */
	unsigned files, happened;
	uint64_t last;		/* when it happened last */
};

struct rt_flight *rt_flight_new(const struct rt_keep *keep)
{
	struct rt_flight *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->keep = keep;
	f->tail = &f->first;
	return f;
}

static void drop_first(struct rt_flight *f)
{
	struct flight_block *block = f->first;

	f->first = block->next;
	if (!f->first)
		f->tail = &f->first;
	f->bytes -= block->n;
	free(block);
}

void rt_flight_free(struct rt_flight *f)
{
	if (!f)
		return;
	while (f->first)
		drop_first(f);
	rt_bytes_free(&f->names);
	rt_bytes_free(&f->block);
	free(f);
}

size_t rt_flight_bytes(const struct rt_flight *f)
{
	return f->bytes;
}

static bool is_old(const struct rt_flight *f, const struct flight_block *block, uint64_t time)
{
	return f->keep->ns && time > block->time && time - block->time > f->keep->ns;
}

static int add_block(struct rt_flight *f, uint64_t time)
{
	struct flight_block *block = malloc(sizeof(*block) + f->block.n);

	if (!block)
		return -ENOMEM;
	block->next = NULL;
	block->time = time;
	block->n = f->block.n;
	memcpy(block->bytes, f->block.v, f->block.n);
	*f->tail = block;
	f->tail = &block->next;
	f->bytes += block->n;
	while (f->first->next && (f->bytes > f->keep->bytes || is_old(f, f->first, time)))
		drop_first(f);
	return 0;
}

int rt_flight_put(struct rt_flight *f, enum rt_block_kind kind, const struct rt_bytes *bytes,
		  uint64_t time)
{
	int r;

	f->block.n = 0;
	r = rt_block_encode(kind, bytes, &f->block);
	if (r < 0)
		return r;
	if (kind == RT_BLOCK_CALLS)
		return add_block(f, time);
	rt_bytes_add(&f->names, f->block.v, f->block.n);
	return f->names.failed ? -ENOMEM : 0;
}

static void write_blocks(const struct rt_flight *f, FILE *file)
{
	const struct rt_bytes nothing = { .n = 0 };
	const struct flight_block *block;

	rt_blocks_begin(file);
	fwrite(f->names.v, 1, f->names.n, file);
	for (block = f->first; block; block = block->next)
		fwrite(block->bytes, 1, block->n, file);
	rt_blocks_write(file, RT_BLOCK_END, &nothing);
}

void rt_flight_save(struct rt_flight *f, struct rt_sink *sink, const char *reason)
{
	struct rt_error err = { .text = "" };
	struct rt_out_file to;
	char path[4096];

	f->files++;
	if (f->files == 1)
		snprintf(path, sizeof(path), "%s", sink->to.name);
	else
		snprintf(path, sizeof(path), "%s.%u", sink->to.name, f->files);
	rt_out_file_choose(&to, path, -1);
	if (rt_out_file_open(&to, sink->program, &err) == 0) {
		write_blocks(f, to.stream);
		rt_out_file_flush(&to, &err);
	}
	rt_out_file_close(&to);
	if (err.text[0])
		rt_say("%s", err.text);
	else
		rt_say("%s: written to %s", reason, path);
	while (f->first)
		drop_first(f);
}

void rt_flight_happened(struct rt_flight *f, struct rt_sink *sink, uint64_t time,
			const char *reason)
{
	if (f->happened == HAPPENED_MOST || (f->happened && time < f->last + happened_ns))
		return;
	f->happened++;
	f->last = time;
	rt_flight_save(f, sink, reason);
	if (f->happened == HAPPENED_MOST)
		rt_say("%d files written; from now on only SIGUSR1 writes one", HAPPENED_MOST);
}
