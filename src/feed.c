/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>

#include "attach/held.h"
#include "kernel/procfs.h"
#include "stack/stacks.h"

/* Where a plain probe stands: on a function's entry, or on one of its exits. */
struct place {
	uint64_t offset;
	ino_t ino;
	uint32_t function;
	bool leaving;
	const struct rt_exit *exit;
};

/* Instruction pointers that were looked up before; direct-mapped, emptied when a mapping changes. */
enum { CACHE = 1024 };

struct cached {
	uint64_t ip;
	bool leaving;
	const struct place *place;	/* NULL: none is known there */
};

/* Return addresses at the start of a page: the uretprobe trampoline's, of which a process has one, or by chance another. */
enum { PAGE = 4096, ALIGNED = 16 };

struct aligned {
	pid_t pid;
	uint64_t address;
	bool is_code;
};

/* Return addresses that were looked up before: is it the program's own code? */
struct caller {
	uint64_t ra;
	bool program;
};

struct rt_feed {
	const struct rt_target *target;
	enum rt_key key;
	pid_t pid;
	uint64_t begin, end;
	struct rt_gaps *gaps;
	struct rt_stack *stack;
	struct rt_members members;
	struct rt_stacks stacks;	/* of coroutines and signals */
	struct rt_addrmap *maps;
	struct place *places;
	size_t nplaces;
	struct cached cache[CACHE];
	struct aligned aligned[ALIGNED];
	unsigned naligned;	/* so many were looked up; the oldest are forgotten */
	const struct rt_held *held;	/* or NULL */
	bool maps_read;		/* tried after an unknown address */
	struct caller callers[CACHE];	/* --libcalls */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->leaving != y->leaving)
		return x->leaving ? 1 : -1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Entries are there for functions without probes too. */
static void add_places(struct rt_feed *feed)
{
	const struct rt_target *t = feed->target;
	size_t i;

	for (i = 0; i < t->functions.n; i++) {
		/* It has no hits, and may stand where a traced function does. */
		if (t->functions.v[i].role == RT_ROLE_ERRNO)
			continue;
		feed->places[feed->nplaces++] = (struct place){
			.offset = rt_function_place(&t->functions.v[i]), .ino = rt_image_ino(t->functions.v[i].image),
			.function = (uint32_t)i,
		};
	}
	for (i = 0; i < t->nprobes; i++) {
		const struct rt_exit *exit = rt_target_exit(t, &t->probes[i]);

		if (exit)
			feed->places[feed->nplaces++] = (struct place){
				.offset = exit->offset, .ino = rt_image_ino(t->functions.v[t->probes[i].function].image),
				.function = exit->shared ? RT_NO_FUNCTION : t->probes[i].function, .leaving = true, .exit = exit,
			};
	}
}

struct rt_feed *rt_feed_new(const struct rt_target *target, enum rt_key key, pid_t pid, struct rt_gaps *gaps, struct rt_stack *stack)
{
	struct rt_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->target = target;
	feed->key = key;
	feed->pid = pid;
	feed->end = UINT64_MAX;
	feed->gaps = gaps;
	feed->stack = stack;
	feed->maps = rt_addrmap_new();
	feed->places = calloc(target->functions.n + target->nprobes, sizeof(*feed->places));
	if (!feed->maps || !feed->places || rt_members_add(&feed->members, pid) < 0) {
		rt_feed_free(feed);
		return NULL;
	}
	add_places(feed);
	qsort(feed->places, feed->nplaces, sizeof(*feed->places), compare_places);
	return feed;
}

void rt_feed_free(struct rt_feed *feed)
{
	if (!feed)
		return;
	rt_addrmap_free(feed->maps);
	rt_members_free(&feed->members);
	rt_stacks_free(&feed->stacks);
	free(feed->places);
	free(feed);
}

void rt_feed_window(struct rt_feed *feed, uint64_t begin, uint64_t end)
{
	feed->begin = begin;
	feed->end = end;
}

int rt_feed_read_process(struct rt_feed *feed)
{
	pid_t *tids;
	int n, i, r = 0;

	n = rt_proc_threads(feed->pid, &tids);
	for (i = 0; i < n && r == 0; i++)
		r = rt_members_add(&feed->members, tids[i]);
	if (n > 0)
		free(tids);
	if (r == 0 && (feed->key == RT_KEY_IP || feed->target->libcalls) && rt_addrmap_read(feed->maps, feed->pid) == -ENOMEM)
		r = -ENOMEM;
	return r;
}

static bool is_before(const struct place *p, uint64_t offset, bool leaving)
{
	return p->leaving == leaving ? p->offset < offset : leaving;
}

/* Only our probes send instruction pointers, so a file offset that one probe has is that probe's; the inode settles the rest. */
static const struct place *place_at(const struct rt_feed *feed, uint64_t offset, uint64_t ino, bool leaving)
{
	size_t low = 0, high = feed->nplaces, i;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (is_before(&feed->places[mid], offset, leaving))
			low = mid + 1;
		else
			high = mid;
	}
	for (i = low; i < feed->nplaces && feed->places[i].offset == offset && feed->places[i].leaving == leaving; i++)
		if (feed->places[i].ino == ino)
			return &feed->places[i];
	return i == low + 1 ? &feed->places[low] : NULL;
}

int rt_feed_locate(struct rt_feed *feed, uint64_t ip, uint64_t *ino, uint64_t *offset)
{
	int r = rt_addrmap_find(feed->maps, feed->pid, ip, ino, offset);

	if (r != -ENOENT || feed->maps_read)
		return r;
	/* The record that told of the mapping was lost, or came before we listened. */
	feed->maps_read = true;
	r = rt_addrmap_read(feed->maps, feed->pid);
	return r < 0 ? r : rt_addrmap_find(feed->maps, feed->pid, ip, ino, offset);
}

bool rt_feed_moved(struct rt_feed *feed, const struct rt_image *image, uint64_t *by)
{
	uint64_t ino = rt_image_ino(image), start, pgoff;

	*by = 0;
	if (!rt_image_may_move(image))
		return true;
	if (rt_addrmap_first(feed->maps, feed->pid, ino, &start, &pgoff) < 0) {
		if (feed->maps_read)
			return false;
		feed->maps_read = true;
		if (rt_addrmap_read(feed->maps, feed->pid) < 0 || rt_addrmap_first(feed->maps, feed->pid, ino, &start, &pgoff) < 0)
			return false;
	}
	return rt_image_moved(image, start, pgoff, by);
}

/* Does a call return to the program's own code?  What is not known counts as that. */
static bool is_from_program(struct rt_feed *feed, uint64_t ra)
{
	struct caller *c = &feed->callers[ra % CACHE];
	uint64_t ino, offset;

	if (!ra || c->ra == ra)
		return !ra || c->program;
	/* Code that belongs to no file, as a JIT makes it, is nobody's but the program's; [uprobes] is judged by the stack. */
	c->program = rt_feed_locate(feed, ra, &ino, &offset) < 0 || ino == rt_image_ino(feed->target->images.v[0]);
	c->ra = ra;
	return c->program;
}

/* The probe at `ip`, of those on entries or of those on exits; NULL: not known. */
static const struct place *find_place(struct rt_feed *feed, uint64_t ip, bool leaving)
{
	struct cached *c = &feed->cache[ip % CACHE];
	uint64_t ino, offset;

	if (c->ip == ip && c->leaving == leaving)
		return c->place;
	if (rt_feed_locate(feed, ip, &ino, &offset) < 0)
		return NULL;
	*c = (struct cached){ .ip = ip, .leaving = leaving, .place = place_at(feed, offset, ino, leaving) };
	return c->place;
}

uint32_t rt_feed_function(struct rt_feed *feed, uint64_t ip)
{
	const struct place *place = find_place(feed, ip, false);

	return place ? place->function : RT_NO_FUNCTION;
}

static int on_mmap(struct rt_feed *feed, const struct rt_event *event)
{
	size_t i;

	for (i = 0; i < CACHE; i++)
		feed->cache[i].ip = feed->callers[i].ra = 0;
	feed->maps_read = false;
	return rt_addrmap_add(feed->maps, event->pid, event->mmap.start, event->mmap.len, event->mmap.pgoff, event->mmap.ino);
}

/* Hits of a thread were lost, the last of them before the event. */
static int tell_lost(struct rt_feed *feed, const struct rt_event *event, uint32_t count, bool shared)
{
	struct rt_event lost = *event;

	/* What shows the gap may come after the trace's end; what is missing may not. */
	if (!count || event->time < feed->begin)
		return 0;
	if (lost.time > feed->end)
		lost.time = feed->end;
	lost.type = RT_EV_LOST;
	lost.lost.count = count;
	lost.lost.until = event->time;
	if (shared)
		lost.tid = 0;
	return rt_stack_event(feed->stack, &lost);
}

static int find_gap(struct rt_feed *feed, const struct rt_event *event)
{
	bool shared;
	uint32_t count;

	if (!feed->gaps)
		return 0;
	count = rt_gaps_hit(feed->gaps, event->tid, event->hit.seq, &shared);
	/* Which goroutines ran in the thread meanwhile nobody knows. */
	shared |= feed->target->goid_offset != 0 || feed->stacks.n;
	return tell_lost(feed, event, count, shared);
}

/*
 * Which goroutine, where the plan asks.  What the register led to is believed where the stack that it tells of is the one that the hit
 * is on; the stacks of threads (g0, signals) have goroutine 0.  A goroutine's stack is moved when it grows, so sp becomes what
 * stays: how far it is from the stack's end.
 */
static void tell_goroutine(struct rt_event *event, const struct rt_plan *plan)
{
	enum { BELOW = 62 };
	unsigned i = plan->goroutine - 1u;
	uint64_t low, high, goid;

	event->hit.goid = 0;
	if (!plan->goroutine || event->hit.faults >> i & 7)
		return;
	low = rt_plan_int(plan, i, event->hit.data);
	high = rt_plan_int(plan, i + 1, event->hit.data);
	goid = rt_plan_int(plan, i + 2, event->hit.data);
	if (!goid || event->hit.sp < low || event->hit.sp > high)
		return;
	event->hit.goid = goid;
	event->hit.sp = (UINT64_C(1) << BELOW) - (high - event->hit.sp);
}

/*
 * Which function was hit, and how its end is seen; the stack pointer becomes that at its entry.  1: it is the end of no function that we
 * know.
 */
static int find_function(struct rt_feed *feed, struct rt_event *event, struct rt_hit *hit)
{
	const struct rt_target *t = feed->target;
	const struct place *place;

	if (feed->key == RT_KEY_ID) {
		if (event->hit.key >= t->nprobes || t->probes[event->hit.key].plan != event->hit.plan)
			return -EBADMSG;
		hit->function = t->probes[event->hit.key].function;
		hit->exit = rt_target_exit(t, &t->probes[event->hit.key]);
		if (hit->exit && hit->exit->shared)
			hit->function = RT_NO_FUNCTION;
	} else if (hit->plan->kind == RT_KIND_ENTRY) {
		hit->function = rt_feed_function(feed, event->hit.key);
	} else if (!rt_plan_is_uretprobe(hit->plan)) {
		place = find_place(feed, event->hit.key, true);
		if (!place)
			return 1;
		hit->function = place->function;
		hit->exit = place->exit;
	}
	if (hit->plan->role)
		return 0;
	hit->returns = hit->function != RT_NO_FUNCTION ? t->returns[hit->function] : !t->entry_only[0];
	if (hit->exit)
		event->hit.sp += hit->exit->place.sp_down;
	if (hit->function == RT_NO_FUNCTION)
		return 0;
	hit->at_exits = t->functions.v[hit->function].how == RT_HOW_INSN;
	if (hit->plan->kind == RT_KIND_ENTRY)
		event->hit.sp += (uint64_t)(int64_t)t->functions.v[hit->function].sp_down;
	return 0;
}

/* Is this address in the code of a file?  The trampoline's is not; where the process has gone that is not known. */
static bool is_file_code(struct rt_feed *feed, pid_t pid, uint64_t address)
{
	struct rt_addrmap *map;
	uint64_t ino, offset;
	bool is_code;
	unsigned i;

	for (i = 0; i < ALIGNED && i < feed->naligned; i++)
		if (feed->aligned[i].pid == pid && feed->aligned[i].address == address)
			return feed->aligned[i].is_code;
	map = rt_addrmap_new();
	is_code = map && rt_addrmap_read(map, pid) == 0 && rt_addrmap_find(map, pid, address, &ino, &offset) == 0;
	rt_addrmap_free(map);
	feed->aligned[feed->naligned++ % ALIGNED] = (struct aligned){ pid, address, is_code };
	return is_code;
}

/* The stack takes each address at the start of a page for the trampoline's.  Of others it wants to know no more than that. */
static void tell_from_trampoline(struct rt_feed *feed, struct rt_event *event)
{
	if (event->hit.ra && event->hit.ra % PAGE == 0 && is_file_code(feed, event->pid ? event->pid : event->tid, event->hit.ra))
		event->hit.ra++;
}

/* Where there was a stack before, its calls are gone. */
static int on_stack_made(struct rt_feed *feed, const struct rt_event *event, const struct rt_plan *plan)
{
	uint64_t at, size, gone;
	int r = 0;

	if (event->hit.faults & 3)
		return 0;
	at = rt_plan_int(plan, 0, event->hit.data);
	size = rt_plan_int(plan, 1, event->hit.data);
	if (plan->role == RT_ROLE_STACK_TOP)
		at -= size;
	while (r == 0 && (gone = rt_stacks_take(&feed->stacks, at, size)))
		r = rt_stack_abandon(feed->stack, gone, event->time);
	return r < 0 ? r : rt_stacks_add(&feed->stacks, at, size);
}

static int on_hit(struct rt_feed *feed, struct rt_event *event)
{
	const struct rt_target *t = feed->target;
	struct rt_hit hit = { .function = RT_NO_FUNCTION };
	int r;

	/* What a ring brings is checked like any input: ids index our tables. */
	if (event->hit.plan >= t->nplans || event->hit.size != rt_plan_size(&t->plans[event->hit.plan]))
		return -EBADMSG;
	r = event->hit.seq ? find_gap(feed, event) : 0;
	if (r < 0 || event->time < feed->begin || event->time > feed->end)
		return r;
	hit.plan = &t->plans[event->hit.plan];
	r = find_function(feed, event, &hit);
	if (r != 0)
		return r < 0 ? r : 0;
	if (t->libcalls && hit.plan->kind == RT_KIND_ENTRY && hit.function != RT_NO_FUNCTION)
		hit.outside = t->functions.v[hit.function].libcall && !is_from_program(feed, event->hit.ra);
	tell_goroutine(event, hit.plan);
	if (hit.plan->role != RT_ROLE_CALL && hit.plan->role != RT_ROLE_UNWOUND)
		return on_stack_made(feed, event, hit.plan);
	if (!event->hit.goid)
		event->hit.goid = rt_stacks_find(&feed->stacks, event->hit.sp);
	if (hit.plan->role == RT_ROLE_UNWOUND)
		return rt_stack_unwound(feed->stack, event);
	tell_from_trampoline(feed, event);
	if (hit.function != RT_NO_FUNCTION && t->functions.v[hit.function].hidden)
		return event->hit.goid ? rt_stack_goexit(feed->stack, event->hit.goid, event->time) : 0;
	return rt_stack_hit(feed->stack, event, &hit);
}

static int on_held(void *ctx, const struct rt_event *event)
{
	struct rt_event ours = *event;

	return on_hit(ctx, &ours);
}

void rt_feed_hold(struct rt_feed *feed, const struct rt_held *held)
{
	feed->held = held;
}

int rt_feed_held(struct rt_feed *feed, pid_t tid, uint64_t time)
{
	const struct rt_sink sink = { on_held, feed };

	return feed->held ? rt_held_read(feed->held, tid, tid != 0, time < feed->end ? time : feed->end, &sink) : 0;
}

static int on_exit_of(struct rt_feed *feed, const struct rt_event *event)
{
	int r = feed->gaps ? tell_lost(feed, event, rt_gaps_exit(feed->gaps, event->tid),
				      feed->target->goid_offset != 0 || feed->stacks.n) : 0;

	if (r == 0)
		r = rt_feed_held(feed, event->tid, event->time);
	return r ? r : rt_stack_event(feed->stack, event);
}

/* Nothing of the old program's memory is where it was. */
static int on_exec(struct rt_feed *feed, const struct rt_event *event)
{
	int r = rt_feed_held(feed, 0, event->time);

	feed->stacks.n = 0;
	feed->naligned = 0;
	feed->maps_read = false;
	return r < 0 ? r : rt_stack_event(feed->stack, event);
}

/* Events that name only the thread: are they of our process?  Keeps the members in step with the stream. */
static int is_member(struct rt_feed *feed, const struct rt_event *event)
{
	if (!rt_members_has(&feed->members, event->tid))
		return 0;
	if (event->type == RT_EV_FORK) {
		if (event->fork.pid)
			return 0;
		if (rt_members_add(&feed->members, event->fork.tid) < 0)
			return -ENOMEM;
	} else if (event->type == RT_EV_EXIT) {
		rt_members_remove(&feed->members, event->tid);
	}
	return 1;
}

int rt_feed_event(void *ctx, const struct rt_event *event)
{
	struct rt_feed *feed = ctx;
	struct rt_event ours = *event;
	int r;

	if (event->type == RT_EV_LOST)
		return event->lost.until < feed->begin ? 0 : rt_stack_event(feed->stack, event);
	if (event->type == RT_EV_UNSEEN) {
		/* Maybe of a mapping. */
		feed->maps_read = false;
		return 0;
	}
	if (event->pid == 0) {
		r = is_member(feed, event);
		if (r <= 0)
			return r;
		ours.pid = feed->pid;
		if (event->type == RT_EV_FORK)
			ours.fork.pid = feed->pid;
	} else if (event->pid != feed->pid || (event->type == RT_EV_FORK && event->fork.pid != feed->pid)) {
		return 0;
	}
	switch (event->type) {
	case RT_EV_HIT:
		return on_hit(feed, &ours);
	case RT_EV_MMAP:
		return on_mmap(feed, &ours);
	case RT_EV_EXIT:
		return on_exit_of(feed, &ours);
	case RT_EV_EXEC:
		return on_exec(feed, &ours);
	default:
		return rt_stack_event(feed->stack, &ours);
	}
}
