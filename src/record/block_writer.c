/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/block_writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct rt_block_writer {
	FILE *file;
	pthread_t thread;
	sem_t empty, full;		/* posted when `waiting` may be filled, and taken */
	/* One of each is enough: to make a block takes four times as long as to compress it. */
	struct rt_bytes waiting, written;
	enum rt_block_kind kind;	/* of the block that waits */
	bool ends;			/* no block waits, nor comes */
	int failed;			/* the thread's result */
};

static void await(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *write_blocks(void *ctx)
{
	struct rt_block_writer *w = ctx;
	enum rt_block_kind kind;
	struct rt_bytes bytes;
	int r;

	for (;;) {
		await(&w->full);
		if (w->ends)
			return NULL;
		kind = w->kind;
		bytes = w->waiting;
		w->waiting = w->written;
		w->written = bytes;
		sem_post(&w->empty);
		r = rt_blocks_write(w->file, kind, &w->written);
		w->failed = r < 0 ? r : w->failed;
	}
}

struct rt_block_writer *rt_block_writer_new(FILE *file)
{
	struct rt_block_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->file = file;
	sem_init(&w->empty, 0, 1);
	sem_init(&w->full, 0, 0);
	/* It inherits the mask of signals: the session reads all of them from its signalfd. */
	if (pthread_create(&w->thread, NULL, write_blocks, w) == 0)
		return w;
	free(w);
	return NULL;
}

void rt_block_writer_put(struct rt_block_writer *w, enum rt_block_kind kind,
			 const struct rt_bytes *bytes)
{
	await(&w->empty);
	w->waiting.n = 0;
	if (bytes->n)
		rt_bytes_add(&w->waiting, bytes->v, bytes->n);
	w->waiting.failed |= bytes->failed;
	w->kind = kind;
	sem_post(&w->full);
}

int rt_block_writer_end(struct rt_block_writer *w)
{
	int r;

	await(&w->empty);
	w->ends = true;
	sem_post(&w->full);
	pthread_join(w->thread, NULL);
	r = w->failed;
	sem_destroy(&w->empty);
	sem_destroy(&w->full);
	rt_bytes_free(&w->waiting);
	rt_bytes_free(&w->written);
	free(w);
	return r;
}
