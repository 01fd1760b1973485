/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording is read twice: for the functions, which sinks want to know before the first call, and
 * for the calls.  Memory is that of one block, of the threads and of their open calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/array.h"
#include "output/images.h"
#include "plan/costs.h"
#include "record/calls.h"

struct open_call {
	uint32_t function;
	unsigned level;
	uint64_t time;
};

struct replay_thread {
	struct rt_thread thread;
	struct open_call *v;		/* open calls, by level */
	size_t n, cap;
	struct replay_thread *next;	/* in its slot */
};

enum { SLOTS = 4096, LEVELS_MOST = 1 << 20 };

struct rt_replay {
	struct rt_blocks blocks;
	char *command;
	struct rt_functions functions;
	struct rt_call_cost *costs;	/* of the first `ncosts` functions */
	size_t ncosts, costs_cap;
	struct rt_files files;
	struct replay_thread *slots[SLOTS];
	struct replay_thread **list;	/* threads of the block, by number */
	size_t nlist, cap;
	uint64_t last;			/* time of the event before */
	bool ended;			/* the recorder came to its end */
	const struct rt_replay_to *to;
};

/* ---- the first reading: the trace and its functions ---- */

static int read_functions(struct rt_replay *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	struct rt_functions *functions = &p->functions;

	if (rt_read_number(&in) != functions->n)
		return -EBADMSG;
	while (in.at < in.end) {
		uint8_t flags = rt_read_u8(&in);
		const char *name = rt_read_text(&in);

		if (in.bad)
			return -EBADMSG;
		if (RT_ROOM(&functions->v, functions->n, &functions->cap) < 0)
			return -ENOMEM;
		functions->v[functions->n] = (struct rt_function){ .name = strdup(name),
			.hidden = flags & RT_FUNCTION_HIDDEN,
			.usdt = flags & RT_FUNCTION_USDT,
			.closes = flags & RT_FUNCTION_CLOSES };
		if (!functions->v[functions->n++].name)
			return -ENOMEM;
	}
	return 0;
}

static int read_patterns(struct rt_replay *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };

	while (in.at < in.end) {
		uint64_t function = rt_read_number(&in);
		const char *pattern = rt_read_text(&in);

		if (in.bad || function >= p->functions.n)
			return -EBADMSG;
		if (rt_function_set_pattern(&p->functions.v[function], pattern) < 0)
			return -ENOMEM;
	}
	return 0;
}

static struct rt_hit_cost read_cost(struct rt_reader *in)
{
	uint64_t before = rt_read_number(in), after = rt_read_number(in);

	if (before > UINT32_MAX || after > UINT32_MAX)
		in->bad = true;
	return (struct rt_hit_cost){ (uint32_t)before, (uint32_t)after };
}

static int read_costs(struct rt_replay *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };

	if (rt_read_number(&in) != p->ncosts)
		return -EBADMSG;
	while (in.at < in.end && p->ncosts < p->functions.n) {
		struct rt_call_cost cost = { .entry = read_cost(&in) };

		cost.end = read_cost(&in);
		if (in.bad)
			return -EBADMSG;
		if (RT_ROOM(&p->costs, p->ncosts, &p->costs_cap) < 0)
			return -ENOMEM;
		p->costs[p->ncosts++] = cost;
	}
	return 0;
}

static int read_files(struct rt_replay *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	uint64_t n = rt_read_number(&in), file;

	for (; n && !in.bad; n--) {
		const char *name = rt_read_text(&in), *build_id = rt_read_text(&in);

		if (!in.bad && rt_files_add(&p->files, NULL, name, build_id) < 0)
			return -ENOMEM;
	}
	while (!in.bad && in.at < in.end) {
		file = rt_read_number(&in);
		if (in.bad || file > p->files.n || p->files.nof == p->functions.n)
			return -EBADMSG;
		if (rt_files_add_function(&p->files, (uint32_t)file) < 0)
			return -ENOMEM;
	}
	return in.bad ? -EBADMSG : 0;
}

static int read_trace(struct rt_replay *p, const struct rt_block *block, struct rt_trace *trace)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	const char *command = rt_read_text(&in);

	trace->processes = rt_read_u8(&in);
	/* Not in recordings of earlier builds. */
	trace->first = in.at < in.end ? (pid_t)rt_read_number(&in) : 0;
	free(p->command);
	p->command = strdup(command);
	return in.bad ? -EBADMSG : p->command ? 0 : -ENOMEM;
}

/* Damage ends the first reading; the second one reports it, after the calls before it. */
static int read_names(struct rt_replay *p, struct rt_trace *trace, struct rt_error *err)
{
	struct rt_error ignored;
	struct rt_block block;
	int r = 0;

	p->blocks.skips_calls = true;
	while (r >= 0 && rt_blocks_read(&p->blocks, &block, &ignored) > 0) {
		if (block.kind == RT_BLOCK_TRACE)
			r = read_trace(p, &block, trace);
		else if (block.kind == RT_BLOCK_FUNCTIONS)
			r = read_functions(p, &block);
		else if (block.kind == RT_BLOCK_PATTERNS)
			r = read_patterns(p, &block);
		else if (block.kind == RT_BLOCK_COSTS)
			r = read_costs(p, &block);
		else if (block.kind == RT_BLOCK_FILES)
			r = read_files(p, &block);
		else if (block.kind == RT_BLOCK_END)
			p->ended = true;
	}
	p->blocks.skips_calls = false;
	return r == -ENOMEM ? rt_nomem(err) : 0;
}

int rt_replay_open(const char *path, struct rt_trace *trace, struct rt_replay **replay,
		   struct rt_error *err)
{
	struct rt_replay *p = *replay = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return rt_nomem(err);
	r = rt_blocks_open(&p->blocks, path, err);
	if (r == 0)
		r = read_names(p, trace, err);
	if (r == 0)
		r = rt_blocks_rewind(&p->blocks, err);
	trace->functions = &p->functions;
	trace->command = p->command;
	trace->files = &p->files;
	return r;
}

const struct rt_call_cost *rt_replay_costs(const struct rt_replay *p)
{
	return p->functions.n && p->ncosts == p->functions.n ? p->costs : NULL;
}

void rt_replay_close(struct rt_replay *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < SLOTS; i++)
		while (p->slots[i]) {
			struct replay_thread *next = p->slots[i]->next;

			free(p->slots[i]->v);
			free(p->slots[i]);
			p->slots[i] = next;
		}
	for (i = 0; i < p->functions.n; i++)
		free(p->functions.v[i].name);
	free(p->functions.v);
	free(p->costs);
	rt_files_free(&p->files);
	free(p->list);
	free(p->command);
	rt_blocks_close(&p->blocks);
	free(p);
}

/* ---- threads ---- */

static struct replay_thread **slot_of(struct rt_replay *p, pid_t pid, pid_t tid, uint64_t goid)
{
	uint64_t key = ((uint64_t)pid << 32 ^ (uint64_t)tid ^ goid) * UINT64_C(0x9e3779b97f4a7c15);

	return &p->slots[key >> 52];
}

static struct replay_thread *get_thread(struct rt_replay *p, pid_t pid, pid_t tid, uint64_t goid)
{
	struct replay_thread **slot = slot_of(p, pid, tid, goid), *t;

	for (t = *slot; t; t = t->next)
		if (t->thread.pid == pid && t->thread.tid == tid && t->thread.goid == goid)
			return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->thread.pid = pid;
	t->thread.tid = tid;
	t->thread.goid = goid;
	t->next = *slot;
	*slot = t;
	return t;
}

static void drop_thread(struct rt_replay *p, struct replay_thread *thread)
{
	struct replay_thread **at = slot_of(p, thread->thread.pid, thread->thread.tid,
					    thread->thread.goid);
	size_t i;

	while (*at != thread)
		at = &(*at)->next;
	*at = thread->next;
	/* A damaged block may define a thread twice. */
	for (i = 0; i < p->nlist; i++)
		if (p->list[i] == thread)
			p->list[i] = NULL;
	free(thread->v);
	free(thread);
}

static void take_name(struct replay_thread *thread, struct rt_reader *in)
{
	const char *name = rt_read_text(in);

	snprintf(thread->thread.comm, sizeof(thread->thread.comm), "%s", name);
}

/*
 * A thread by its number in the block, which the next number defines.  NULL: damaged, or out of
 * memory.
 */
static struct replay_thread *read_thread(struct rt_replay *p, struct rt_reader *in)
{
	uint64_t number = rt_read_number(in), goid;
	struct replay_thread *thread;
	pid_t pid, tid;

	if (number < p->nlist)
		return p->list[number];
	pid = (pid_t)rt_read_signed(in);
	tid = (pid_t)rt_read_signed(in);
	goid = rt_read_number(in);
	if (in->bad || number != p->nlist || RT_ROOM(&p->list, p->nlist, &p->cap) < 0)
		return NULL;
	thread = get_thread(p, pid, tid, goid);
	if (!thread)
		return NULL;
	take_name(thread, in);
	p->list[p->nlist++] = thread;
	return thread;
}

/* ---- events ---- */

static uint64_t read_time(struct rt_replay *p, struct rt_reader *in)
{
	p->last += (uint64_t)rt_read_signed(in);
	return p->last;
}

static uint32_t read_function(const struct rt_replay *p, struct rt_reader *in)
{
	uint64_t function = rt_read_number(in);

	if (function > p->functions.n)
		in->bad = true;
	return in->bad || !function ? RT_NO_FUNCTION : (uint32_t)(function - 1);
}

static unsigned read_level(struct rt_reader *in)
{
	uint64_t level = rt_read_number(in);

	if (level > LEVELS_MOST)
		in->bad = true;
	return (unsigned)level;
}

static struct rt_values read_values(struct rt_reader *in)
{
	uint64_t n = rt_read_number(in);
	struct rt_values values = { .data = rt_read_bytes(in, n) };

	values.coded = (uint32_t)n;
	return values;
}

static int read_enter(struct rt_replay *p, struct rt_reader *in, unsigned flags)
{
	struct replay_thread *thread = read_thread(p, in);
	struct rt_frame frame = { .entry_seen = true, .returns = flags & RT_CALL_RETURNS };
	struct rt_values args;

	frame.time = read_time(p, in);
	frame.function = read_function(p, in);
	frame.level = read_level(in);
	args = read_values(in);
	if (in->bad || !thread)
		return -EBADMSG;
	if (frame.returns) {
		if (RT_ROOM(&thread->v, thread->n, &thread->cap) < 0)
			return -ENOMEM;
		thread->v[thread->n++] = (struct open_call){ frame.function, frame.level,
							     frame.time };
	}
	return p->to->ops->enter(p->to->ctx, &thread->thread, &frame, &args);
}

/*
 * A sink counts on the order of entries and ends.  An end without an entry in the file is one of
 * a call that began before it.
 */
static int read_leave(struct rt_replay *p, struct rt_reader *in, unsigned flags)
{
	struct replay_thread *thread = read_thread(p, in);
	struct rt_frame frame = { .entry_seen = flags & RT_CALL_ENTRY_SEEN,
		.unsure = flags & RT_CALL_UNSURE, .before = flags & RT_CALL_BEFORE,
		.returns = true };
	uint64_t time = read_time(p, in);
	unsigned end = rt_read_u8(in);
	struct rt_values result;

	frame.function = read_function(p, in);
	frame.level = read_level(in);
	frame.to = flags & RT_CALL_HAS_TO ? rt_read_text(in) : NULL;
	result = read_values(in);
	if (in->bad || !thread || end > RT_END_UNFINISHED)
		return -EBADMSG;
	if (frame.entry_seen && !thread->n) {
		frame.entry_seen = false;
		frame.before = true;
	}
	if (frame.entry_seen)
		frame.time = thread->v[--thread->n].time;
	return p->to->ops->leave(p->to->ctx, &thread->thread, &frame, (enum rt_end)end, time,
				 &result);
}

static int read_lost(struct rt_replay *p, struct rt_reader *in, unsigned flags)
{
	struct replay_thread *thread = flags & RT_CALL_OF_THREAD ? read_thread(p, in) : NULL;
	uint64_t time = read_time(p, in), count = rt_read_number(in);

	if (in->bad || (!thread && flags & RT_CALL_OF_THREAD))
		return -EBADMSG;
	return p->to->ops->lost(p->to->ctx, thread ? &thread->thread : NULL, time, count);
}

/* Close what is open, innermost first. */
static int close_thread(struct rt_replay *p, struct replay_thread *thread)
{
	const struct rt_values nothing = { .plan = NULL };
	int r = 0;

	while (thread->n && r == 0) {
		const struct open_call *call = &thread->v[--thread->n];
		struct rt_frame frame = { .entry_seen = true, .returns = true,
			.function = call->function, .time = call->time,
			.level = call->level };

		r = p->to->ops->leave(p->to->ctx, &thread->thread, &frame, RT_END_UNFINISHED,
				      p->last, &nothing);
	}
	return r;
}

static int read_gone(struct rt_replay *p, struct rt_reader *in)
{
	uint64_t number = rt_read_number(in);
	struct replay_thread *thread = number < p->nlist ? p->list[number] : NULL;
	int r;

	if (in->bad || !thread)
		return -EBADMSG;
	r = close_thread(p, thread);
	if (p->to->ops->gone)
		p->to->ops->gone(p->to->ctx, &thread->thread);
	/* As calls/threads.h: a thread's id comes again, a goroutine's does not. */
	p->list[number] = NULL;
	if (thread->thread.goid)
		drop_thread(p, thread);
	return r;
}

static int read_name(struct rt_replay *p, struct rt_reader *in)
{
	uint64_t number = rt_read_number(in);

	if (in->bad || number >= p->nlist || !p->list[number])
		return -EBADMSG;
	take_name(p->list[number], in);
	return 0;
}

static int read_exited(struct rt_replay *p, struct rt_reader *in)
{
	pid_t pid = (pid_t)rt_read_signed(in);
	int status = (int)rt_read_signed(in);

	return in->bad ? -EBADMSG : rt_sinks_exited(p->to->sinks, pid, status);
}

static int read_event(struct rt_replay *p, struct rt_reader *in)
{
	unsigned type = rt_read_u8(in);

	switch (type & RT_CALL_TYPE) {
	case RT_CALL_ENTER:
		return read_enter(p, in, type);
	case RT_CALL_LEAVE:
		return read_leave(p, in, type);
	case RT_CALL_LOST:
		return read_lost(p, in, type);
	case RT_CALL_GONE:
		return read_gone(p, in);
	case RT_CALL_NAME:
		return read_name(p, in);
	case RT_CALL_EXITED:
		return read_exited(p, in);
	}
	return -EBADMSG;
}

static int read_calls(struct rt_replay *p, const struct rt_block *block, struct rt_trace *trace)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	int r = 0;

	trace->start = rt_read_number(&in);
	trace->wall = rt_read_signed(&in);
	p->last = rt_read_number(&in);
	p->nlist = 0;
	while (r == 0 && !in.bad && in.at < in.end)
		r = read_event(p, &in);
	return in.bad ? -EBADMSG : r;
}

static int read_note(struct rt_replay *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	const char *text = rt_read_text(&in);

	return in.bad ? -EBADMSG : p->to->note(p->to->sinks, text);
}

static int close_all(struct rt_replay *p)
{
	struct replay_thread *thread;
	size_t i;
	int r = 0;

	for (i = 0; i < SLOTS && r == 0; i++)
		for (thread = p->slots[i]; thread && r == 0; thread = thread->next)
			r = close_thread(p, thread);
	return r;
}

/* The recorder, or its heir, has a lock on it. */
static bool is_written(const struct rt_replay *p)
{
	int fd = fileno(p->blocks.file);

	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* The file has no end, or it is damaged there: who writes it may just cut it. */
static int note_end(const struct rt_replay *p, bool whole)
{
	const struct rt_replay_to *to = p->to;

	if (is_written(p))
		return to->note(to->sinks, "the recording has no end: rawtrace still writes it");
	return whole ? to->note(to->sinks, "the recording has no end: its recorder was killed")
		     : 0;
}

int rt_replay_run(struct rt_replay *p, struct rt_trace *trace, const struct rt_replay_to *to,
		  struct rt_error *err)
{
	struct rt_block block;
	int r = 0, next = 0, end;

	p->to = to;
	while (r == 0) {
		next = rt_blocks_read(&p->blocks, &block, err);
		if (next <= 0)
			break;
		if (block.kind == RT_BLOCK_CALLS)
			r = read_calls(p, &block, trace);
		else if (block.kind == RT_BLOCK_NOTE)
			r = read_note(p, &block);
		if (r == -EBADMSG)
			rt_blocks_damaged(&p->blocks, "its events are wrong", err);
	}
	end = close_all(p);
	if (r == 0 && (next < 0 || !p->ended))
		r = note_end(p, next == 0);
	if (r < 0 && r != -EBADMSG)
		return rt_nomem(err);
	return next < 0 ? next : r < 0 ? r : end < 0 ? rt_nomem(err) : 0;
}
