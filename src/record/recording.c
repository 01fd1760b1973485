/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/array.h"
#include "plan/costs.h"

struct open_call {
	uint32_t function;
	unsigned level;
	uint64_t time;
};

struct rt_recorded_thread {
	struct rt_thread thread;
	struct open_call *v;		/* open calls, by level */
	size_t n, cap;
	struct rt_recorded_thread *next;	/* in its slot */
};

enum { LEVELS_MOST = 1 << 20 };

/* ---- the first reading: the trace and its functions ---- */

static int read_functions(struct rt_recording *p, const struct rt_block *block)
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

static int read_patterns(struct rt_recording *p, const struct rt_block *block)
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

static int read_costs(struct rt_recording *p, const struct rt_block *block)
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

static int read_files(struct rt_recording *p, const struct rt_block *block)
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

static int read_trace(struct rt_recording *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };
	const char *command = rt_read_text(&in);

	p->processes = rt_read_u8(&in);
	/* Not in recordings of earlier builds. */
	p->first = in.at < in.end ? (pid_t)rt_read_number(&in) : 0;
	free(p->command);
	p->command = strdup(command);
	return in.bad ? -EBADMSG : p->command ? 0 : -ENOMEM;
}

/* The head of a block of calls.  All blocks have one clock. */
static void read_clock(struct rt_recording *p, struct rt_reader *in)
{
	p->start = rt_read_number(in);
	p->wall = (uint64_t)rt_read_signed(in);
	p->has_calls = !in->bad;
}

static int read_names_of(struct rt_recording *p, const struct rt_block *block)
{
	struct rt_reader in = { block->bytes, block->bytes + block->n, false };

	switch (block->kind) {
	case RT_BLOCK_TRACE:
		return read_trace(p, block);
	case RT_BLOCK_FUNCTIONS:
		return read_functions(p, block);
	case RT_BLOCK_PATTERNS:
		return read_patterns(p, block);
	case RT_BLOCK_COSTS:
		return read_costs(p, block);
	case RT_BLOCK_FILES:
		return read_files(p, block);
	case RT_BLOCK_CALLS:
		if (!p->has_calls)
			read_clock(p, &in);
		return 0;
	case RT_BLOCK_END:
		p->ended = true;
		return 0;
	case RT_BLOCK_NOTE:
		break;
	}
	return 0;
}

/* Damage ends the first reading; the second one reports it, after the calls before it. */
static int read_names(struct rt_recording *p, struct rt_error *err)
{
	struct rt_error ignored;
	struct rt_block block;
	int r = 0;

	while (r >= 0 && rt_blocks_read(&p->blocks, &block, &ignored) > 0) {
		r = read_names_of(p, &block);
		p->blocks.skips_calls = p->has_calls;
	}
	p->blocks.skips_calls = false;
	return r == -ENOMEM ? rt_nomem(err) : 0;
}

int rt_recording_open(struct rt_recording *p, const char *path, struct rt_error *err)
{
	int r;

	memset(p, 0, sizeof(*p));
	r = rt_blocks_open(&p->blocks, path, err);
	if (r == 0)
		r = read_names(p, err);
	if (p->ncosts != p->functions.n) {
		free(p->costs);
		p->costs = NULL;
	}
	return r == 0 ? rt_blocks_rewind(&p->blocks, err) : r;
}

void rt_recording_free(struct rt_recording *p)
{
	size_t i;

	for (i = 0; i < RT_RECORDED_SLOTS; i++)
		while (p->slots[i]) {
			struct rt_recorded_thread *next = p->slots[i]->next;

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
}

/* ---- threads ---- */

static size_t slot_of(const struct rt_thread *t)
{
	uint64_t key = ((uint64_t)t->pid << 32 ^ (uint64_t)t->tid ^ t->goid) *
		       UINT64_C(0x9e3779b97f4a7c15);

	return key >> 52;
}

static struct rt_recorded_thread *find_thread(const struct rt_recording *p,
					      const struct rt_thread *id)
{
	struct rt_recorded_thread *t = p->slots[slot_of(id)];

	while (t && (t->thread.pid != id->pid || t->thread.tid != id->tid ||
		     t->thread.goid != id->goid))
		t = t->next;
	return t;
}

bool rt_recording_has_thread(const struct rt_recording *p, const struct rt_thread *thread)
{
	return find_thread(p, thread);
}

static struct rt_recorded_thread *get_thread(struct rt_recording *p, const struct rt_thread *id)
{
	struct rt_recorded_thread **slot = &p->slots[slot_of(id)], *t = find_thread(p, id);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->thread = *id;
	t->next = *slot;
	*slot = t;
	p->appeared = &t->thread;
	return t;
}

static void drop_thread(struct rt_recording *p, struct rt_recorded_thread *thread)
{
	struct rt_recorded_thread **at = &p->slots[slot_of(&thread->thread)];
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

static void take_name(const struct rt_recording *p, struct rt_recorded_thread *thread,
		      const char *name)
{
	snprintf(thread->thread.comm, sizeof(thread->thread.comm), "%s", *name ? name : p->comm);
}

/*
 * A thread by its number in the block, which the next number defines.  NULL: damaged, or out of
 * memory.
 */
static struct rt_recorded_thread *read_thread(struct rt_recording *p, struct rt_reader *in)
{
	uint64_t number = rt_read_number(in);
	struct rt_thread id = { .pid = 0 };
	struct rt_recorded_thread *thread;

	if (number < p->nlist)
		return p->list[number];
	id.pid = (pid_t)rt_read_signed(in);
	id.tid = (pid_t)rt_read_signed(in);
	id.goid = rt_read_number(in);
	if (in->bad || number != p->nlist || RT_ROOM(&p->list, p->nlist, &p->cap) < 0)
		return NULL;
	thread = get_thread(p, &id);
	if (!thread)
		return NULL;
	take_name(p, thread, rt_read_text(in));
	p->list[p->nlist++] = thread;
	return thread;
}

/* ---- reading an event ---- */

static uint64_t read_time(struct rt_recording *p, struct rt_reader *in)
{
	p->last += (uint64_t)rt_read_signed(in);
	return p->last + p->shift;
}

static uint32_t read_function(const struct rt_recording *p, struct rt_reader *in)
{
	uint64_t function = rt_read_number(in);

	if (function > p->functions.n)
		in->bad = true;
	if (in->bad || !function)
		return RT_NO_FUNCTION;
	return p->map ? p->map[function - 1] : (uint32_t)(function - 1);
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

/* The frame is not cleared: each event sets the same members, and 200 bytes take 10 ns. */
static void read_enter(struct rt_recording *p, struct rt_recorded_event *e, unsigned flags)
{
	e->thread = read_thread(p, &p->in);
	e->frame.entry_seen = true;
	e->frame.unsure = false;
	e->frame.before = false;
	e->frame.returns = flags & RT_CALL_RETURNS;
	e->frame.to = NULL;
	e->time = e->frame.time = read_time(p, &p->in);
	e->frame.function = read_function(p, &p->in);
	e->frame.level = read_level(&p->in);
	e->values = read_values(&p->in);
	p->in.bad |= !e->thread;
}

static void read_leave(struct rt_recording *p, struct rt_recorded_event *e, unsigned flags)
{
	unsigned end;

	e->thread = read_thread(p, &p->in);
	e->frame.entry_seen = flags & RT_CALL_ENTRY_SEEN;
	e->frame.unsure = flags & RT_CALL_UNSURE;
	e->frame.before = flags & RT_CALL_BEFORE;
	e->frame.returns = true;
	e->frame.time = 0;
	e->time = read_time(p, &p->in);
	end = rt_read_u8(&p->in);
	e->end = (enum rt_end)end;
	e->frame.function = read_function(p, &p->in);
	e->frame.level = read_level(&p->in);
	e->frame.to = flags & RT_CALL_HAS_TO ? rt_read_text(&p->in) : NULL;
	e->values = read_values(&p->in);
	p->in.bad |= !e->thread || end > RT_END_UNFINISHED;
}

static void read_lost(struct rt_recording *p, struct rt_recorded_event *e, unsigned flags)
{
	if (flags & RT_CALL_OF_THREAD)
		e->thread = read_thread(p, &p->in);
	e->time = read_time(p, &p->in);
	e->count = rt_read_number(&p->in);
	p->in.bad |= flags & RT_CALL_OF_THREAD && !e->thread;
}

/* A thread by its number, which the block has defined. */
static void read_number(struct rt_recording *p, struct rt_recorded_event *e)
{
	e->count = rt_read_number(&p->in);
	e->thread = e->count < p->nlist ? p->list[e->count] : NULL;
	p->in.bad |= !e->thread;
}

static void read_event(struct rt_recording *p, struct rt_recorded_event *e)
{
	unsigned flags = rt_read_u8(&p->in);

	e->time = p->last + p->shift;
	e->type = flags & RT_CALL_TYPE;
	e->thread = NULL;
	switch (e->type) {
	case RT_CALL_ENTER:
		read_enter(p, e, flags);
		return;
	case RT_CALL_LEAVE:
		read_leave(p, e, flags);
		return;
	case RT_CALL_LOST:
		read_lost(p, e, flags);
		return;
	case RT_CALL_GONE:
		read_number(p, e);
		return;
	case RT_CALL_NAME:
		read_number(p, e);
		e->name = rt_read_text(&p->in);
		return;
	case RT_CALL_EXITED:
		e->pid = (pid_t)rt_read_signed(&p->in);
		e->status = (int)rt_read_signed(&p->in);
		return;
	default:
		p->in.bad = true;
	}
}

/* The next block with an event.  1; 0: the file ends; or a negative errno. */
static int read_block(struct rt_recording *p, struct rt_error *err)
{
	struct rt_block block;
	int r;

	while ((r = rt_blocks_read(&p->blocks, &block, err)) > 0) {
		p->in = (struct rt_reader){ block.bytes, block.bytes + block.n, false };
		if (block.kind == RT_BLOCK_NOTE) {
			p->event.note = rt_read_text(&p->in);
			p->event.time = p->last ? p->last + p->shift : 0;
			p->in.at = p->in.end;
			return 1;
		}
		if (block.kind != RT_BLOCK_CALLS)
			continue;
		read_clock(p, &p->in);
		p->last = rt_read_number(&p->in);
		p->nlist = 0;
		if (p->in.bad || p->in.at < p->in.end)
			return 1;
	}
	p->in = (struct rt_reader){ NULL, NULL, false };
	return r;
}

int rt_recording_next(struct rt_recording *p, struct rt_error *err)
{
	int r = 1;

	p->event.note = NULL;
	p->appeared = NULL;
	if (p->in.at == p->in.end)
		r = read_block(p, err);
	if (r > 0 && !p->event.note)
		read_event(p, &p->event);
	p->has_event = r > 0 && !p->in.bad;
	return r > 0 && p->in.bad ? rt_blocks_damaged(&p->blocks, "its events are wrong", err) : r;
}

/* ---- giving it ---- */

static int give_note(const struct rt_recording *p, const char *text, const struct rt_replay_to *to)
{
	char *labelled;
	int r;

	if (!p->label)
		return to->note(to->sinks, text);
	if (asprintf(&labelled, "%s: %s", p->label, text) < 0)
		return -ENOMEM;
	r = to->note(to->sinks, labelled);
	free(labelled);
	return r;
}

static int give_enter(const struct rt_recorded_event *e, const struct rt_replay_to *to)
{
	struct rt_recorded_thread *thread = e->thread;

	if (e->frame.returns) {
		if (RT_ROOM(&thread->v, thread->n, &thread->cap) < 0)
			return -ENOMEM;
		thread->v[thread->n++] = (struct open_call){ e->frame.function, e->frame.level,
							     e->frame.time };
	}
	return to->ops->enter(to->ctx, &thread->thread, &e->frame, &e->values);
}

/*
 * A sink counts on the order of entries and ends.  An end without an entry in the file is one of
 * a call that began before it.
 */
static int give_leave(struct rt_recorded_event *e, const struct rt_replay_to *to)
{
	struct rt_recorded_thread *thread = e->thread;

	if (e->frame.entry_seen && !thread->n) {
		e->frame.entry_seen = false;
		e->frame.before = true;
	}
	if (e->frame.entry_seen)
		e->frame.time = thread->v[--thread->n].time;
	return to->ops->leave(to->ctx, &thread->thread, &e->frame, e->end, e->time, &e->values);
}

/* Close what is open, innermost first. */
static int close_thread(const struct rt_recording *p, struct rt_recorded_thread *thread,
			const struct rt_replay_to *to)
{
	const struct rt_values nothing = { .plan = NULL };
	int r = 0;

	while (thread->n && r == 0) {
		const struct open_call *call = &thread->v[--thread->n];
		struct rt_frame frame = { .entry_seen = true, .returns = true,
			.function = call->function, .time = call->time,
			.level = call->level };

		r = to->ops->leave(to->ctx, &thread->thread, &frame, RT_END_UNFINISHED,
				   p->last + p->shift, &nothing);
	}
	return r;
}

static int give_gone(struct rt_recording *p, struct rt_recorded_event *e,
		     const struct rt_replay_to *to)
{
	int r = close_thread(p, e->thread, to);

	if (to->ops->gone)
		to->ops->gone(to->ctx, &e->thread->thread);
	/* As calls/threads.h: a thread's id comes again, a goroutine's does not. */
	p->list[e->count] = NULL;
	if (e->thread->thread.goid)
		drop_thread(p, e->thread);
	return r;
}

int rt_recording_give(struct rt_recording *p, const struct rt_replay_to *to)
{
	struct rt_recorded_event *e = &p->event;

	p->has_event = false;
	if (e->note)
		return give_note(p, e->note, to);
	switch (e->type) {
	case RT_CALL_ENTER:
		return give_enter(e, to);
	case RT_CALL_LEAVE:
		return give_leave(e, to);
	case RT_CALL_LOST:
		return to->ops->lost(to->ctx, e->thread ? &e->thread->thread : NULL, e->time,
				     e->count);
	case RT_CALL_GONE:
		return give_gone(p, e, to);
	case RT_CALL_NAME:
		take_name(p, e->thread, e->name);
		return 0;
	case RT_CALL_EXITED:
		return rt_sinks_exited(to->sinks, e->pid, e->status);
	default:
		return 0;
	}
}

/* ---- the end ---- */

/* The recorder, or its heir, has a lock on it. */
static bool is_written(const struct rt_recording *p)
{
	int fd = fileno(p->blocks.file);

	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* The file has no end, or it is damaged there: who writes it may just cut it. */
static int note_end(const struct rt_recording *p, bool damaged, const struct rt_replay_to *to)
{
	if (p->ended && !damaged)
		return 0;
	if (is_written(p))
		return give_note(p, "the recording has no end: rawtrace still writes it", to);
	return damaged ? 0 : give_note(p, "the recording has no end: its recorder was killed", to);
}

int rt_recording_end(struct rt_recording *p, bool damaged, const struct rt_replay_to *to)
{
	struct rt_recorded_thread *thread;
	size_t i;
	int r = 0;

	p->has_event = false;
	for (i = 0; i < RT_RECORDED_SLOTS && r == 0; i++)
		for (thread = p->slots[i]; thread && r == 0; thread = thread->next)
			r = close_thread(p, thread, to);
	return r < 0 ? r : note_end(p, damaged, to);
}
