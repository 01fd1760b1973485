/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emit/cells.h"
#include "kernel/procfs.h"
#include "stream/pending.h"

/* A source that numbers its hits: those of plans from `plan` on, up to the next one's. */
struct numbered {
	unsigned plan;
	struct rt_gaps *gaps;
};

struct rt_feed {
	const struct rt_traced *traced;
	const struct rt_sites *sites;
	enum rt_key key;
	uint64_t begin, end;
	struct numbered *sources;
	size_t nsources, sources_cap;
	struct rt_stack *stack;
	struct rt_owners owners;
	struct rt_site_map *map;
	bool lost;			/* rt_feed_has_lost */
	bool called;			/* rt_feed_has_calls */
	bool unseen;			/* rt_feed_unseen */
	const struct rt_pending *pending;	/* or NULL */
	/* rt_feed_follow; NULL: children are not traced */
	int (*ended)(void *ctx, pid_t pid, uint64_t time);
	void *ended_ctx;
	struct rt_form_hits hits;	/* by the instruction under their probes */
};

static int add_source(struct rt_feed *feed, unsigned plan, struct rt_gaps *gaps)
{
	if (RT_ROOM(&feed->sources, feed->nsources, &feed->sources_cap) < 0)
		return -ENOMEM;
	feed->sources[feed->nsources++] = (struct numbered){ plan, gaps };
	return 0;
}

int rt_feed_grow(struct rt_feed *feed, unsigned plan, struct rt_gaps *gaps)
{
	int r = rt_site_map_grow(feed->map);

	return r < 0 ? r : add_source(feed, plan, gaps);
}

struct rt_feed *rt_feed_new(const struct rt_traced *traced, const struct rt_sites *sites,
			    enum rt_key key, const struct rt_pids *pids, struct rt_gaps *gaps,
			    struct rt_stack *stack)
{
	struct rt_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->traced = traced;
	feed->sites = sites;
	feed->key = key;
	feed->end = UINT64_MAX;
	feed->stack = stack;
	feed->map = rt_site_map_new(traced, sites, key);
	if (rt_owners_init(&feed->owners, pids) < 0 || !feed->map ||
	    add_source(feed, 0, gaps) < 0) {
		rt_feed_free(feed);
		return NULL;
	}
	return feed;
}

void rt_feed_free(struct rt_feed *feed)
{
	if (!feed)
		return;
	rt_owners_free(&feed->owners);
	rt_site_map_free(feed->map);
	free(feed->sources);
	free(feed);
}

/* Mappings are needed where records hold instruction pointers, for --libcalls and -k. */
int rt_feed_read_processes(struct rt_feed *feed)
{
	bool maps = feed->key == RT_KEY_IP || feed->sites->libcalls || feed->sites->stacks;
	size_t i;
	int r = 0;

	for (i = 0; i < feed->owners.n && r == 0; i++) {
		r = rt_process_read_threads(feed->owners.v[i]);
		if (r == 0 && maps &&
		    rt_site_map_read(feed->map, feed->owners.v[i]->pid) == -ENOMEM)
			r = -ENOMEM;
	}
	return r;
}

void rt_feed_window(struct rt_feed *feed, uint64_t begin, uint64_t end)
{
	feed->begin = begin;
	feed->end = end;
}

struct rt_form_hits *rt_feed_hits(struct rt_feed *feed)
{
	return &feed->hits;
}

struct rt_site_map *rt_feed_map(struct rt_feed *feed)
{
	return feed->map;
}

/* Hits of a thread were lost, the last of them before the event. */
static int report_lost(struct rt_feed *feed, const struct rt_event *event, uint32_t count,
		     bool shared)
{
	struct rt_event lost = *event;

	/* The event that shows the gap may come after the trace's end; the lost hits may not. */
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

static int find_gap(struct rt_feed *feed, const struct rt_process *process,
		    const struct rt_event *event)
{
	size_t i = feed->nsources - 1;
	uint32_t count;
	bool shared;

	while (i && feed->sources[i].plan > event->hit.plan)
		i--;
	if (!feed->sources[i].gaps)
		return 0;
	count = rt_gaps_hit(feed->sources[i].gaps, event->tid, event->hit.seq, &shared);
	/* Which goroutines ran in the thread meanwhile nobody knows. */
	shared |= feed->traced->goroutines || process->stacks.n;
	return report_lost(feed, event, count, shared);
}

/*
 * Find the goroutine, if the plan reads it.  Its record is trusted if it names the stack of the
 * hit; stacks of threads (g0, signals) have goroutine 0.  A goroutine's stack is moved when it
 * grows, so sp becomes its distance from the stack's end, which does not change.
 */
static void find_goroutine(struct rt_process *process, struct rt_event *event,
			   const struct rt_plan *plan)
{
	enum { BELOW = 62 };
	unsigned i = plan->goroutine - 1u;
	const struct rt_goroutine *known;
	uint64_t low = 0, high = 0, goid = 0;

	event->hit.goid = 0;
	if (!plan->goroutine)
		return;
	if (!(event->hit.faults >> i & 7)) {
		low = rt_plan_int(plan, i, event->hit.data);
		high = rt_plan_int(plan, i + 1, event->hit.data);
		goid = rt_plan_int(plan, i + 2, event->hit.data);
		goid += goid ? (uint64_t)plan->runtime * RT_GOID_RUNTIME : 0;
	}
	/* Unreadable; tracefs has zeros for it. */
	known = high ? NULL : rt_goroutines_find(&process->goroutines, event->hit.sp);
	if (known) {
		low = known->low;
		high = known->high;
		goid = known->goid;
	}
	if (!goid || event->hit.sp < low || event->hit.sp > high)
		return;
	rt_goroutines_saw(&process->goroutines, low, high, goid, event->time);
	event->hit.goid = goid;
	event->hit.sp = (UINT64_C(1) << BELOW) - (high - event->hit.sp);
}

/* Its stack is another's from now on. */
static int on_goexit(struct rt_feed *feed, struct rt_process *process, const struct rt_event *event)
{
	if (!event->hit.goid)
		return 0;
	rt_goroutines_ended(&process->goroutines, event->hit.goid);
	return rt_stack_goexit(feed->stack, process->pid, event->hit.goid, event->time);
}

/*
 * The stack takes each address at the start of a page for the trampoline's, and ignores all others.
 * So change an address of code at the start of a page.
 */
static void set_code_page(struct rt_feed *feed, struct rt_event *event)
{
	if (rt_site_map_is_code_page(feed->map, event->pid, event->hit.ra))
		event->hit.ra++;
}

/* Calls of an earlier stack at the same place are gone. */
static int on_stack_made(struct rt_feed *feed, struct rt_process *process,
			 const struct rt_event *event, const struct rt_plan *plan)
{
	uint64_t at, size, gone;
	int r = 0;

	if (event->hit.faults & 3)
		return 0;
	at = rt_plan_int(plan, 0, event->hit.data);
	size = rt_plan_int(plan, 1, event->hit.data);
	if (plan->role == RT_ROLE_STACK_TOP)
		at -= size;
	while (r == 0 && (gone = rt_stacks_take(&process->stacks, at, size)))
		r = rt_stack_abandon(feed->stack, process->pid, gone, event->time);
	if (r == 0)
		r = rt_stacks_add(&process->stacks, at, size);
	if (r == 0 && plan->role == RT_ROLE_SIGNAL_STACK)
		rt_stacks_signals(&process->stacks, event->tid, at);
	return r;
}

/*
 * An exception or longjmp that continues on the thread's own stack has left the handler of a
 * signal, which was on another one, too.
 */
static int on_unwound(struct rt_feed *feed, const struct rt_process *process,
		      const struct rt_event *event)
{
	struct rt_event handler = *event;

	handler.hit.goid = event->hit.goid ? 0 : rt_stacks_of_signals(&process->stacks, event->tid);
	handler.hit.sp = UINT64_MAX;
	if (handler.hit.goid && rt_stack_unwound(feed->stack, &handler) < 0)
		return -ENOMEM;
	return rt_stack_unwound(feed->stack, event);
}

/* No event gave its name and mappings.  If it has ended, nobody does. */
static int on_adopted(struct rt_feed *feed, struct rt_process *process,
		      const struct rt_event *event)
{
	struct rt_event comm = {
		.type = RT_EV_COMM, .time = event->time, .pid = process->pid, .tid = process->pid
	};

	process->adopted = false;
	if (feed->key == RT_KEY_IP && rt_site_map_read(feed->map, process->pid) == -ENOMEM)
		return -ENOMEM;
	rt_proc_comm(process->pid, process->pid, comm.comm.name);
	return strcmp(comm.comm.name, "?") == 0 ? 0 : rt_stack_event(feed->stack, &comm);
}

static int on_hit(struct rt_feed *feed, struct rt_process *process, struct rt_event *event)
{
	const struct rt_sites *sites = feed->sites;
	struct rt_hit hit = { .function = RT_NO_FUNCTION };
	int r;

	/* Data from a ring is checked like any input: ids index our tables. */
	if (event->hit.plan >= sites->nplans ||
	    event->hit.size != rt_plan_size(&sites->plans[event->hit.plan]))
		return -EBADMSG;
	r = process->adopted ? on_adopted(feed, process, event) : 0;
	if (r == 0)
		r = event->hit.seq ? find_gap(feed, process, event) : 0;
	if (r < 0 || event->time < feed->begin || event->time > feed->end ||
	    (event->hit.entered && event->hit.entered < process->exec))
		return r;
	if (event->hit.entered)
		event->time = event->hit.entered;
	hit.plan = &sites->plans[event->hit.plan];
	r = rt_site_map_resolve(feed->map, event, &hit);
	if (r != 0)
		return r < 0 ? r : 0;
	if (hit.function != RT_NO_FUNCTION && (hit.exit || hit.plan->kind == RT_KIND_ENTRY))
		rt_stepped_hit(&feed->hits, &sites->functions.v[hit.function], hit.exit, 1);
	/* The runtime resumes it from a stack of its own. */
	if (hit.plan->role == RT_ROLE_RECOVERED)
		event->hit.sp = event->hit.faults & 1 ? 0
						      : rt_plan_int(hit.plan, 0, event->hit.data);
	find_goroutine(process, event, hit.plan);
	if (hit.plan->role == RT_ROLE_RECOVERED)
		return event->hit.goid ? rt_stack_unwound(feed->stack, event) : 0;
	if (hit.plan->role != RT_ROLE_CALL && hit.plan->role != RT_ROLE_UNWOUND)
		return on_stack_made(feed, process, event, hit.plan);
	if (!event->hit.goid)
		event->hit.goid = rt_stacks_find(&process->stacks, event->hit.sp);
	if (hit.plan->role == RT_ROLE_UNWOUND)
		return on_unwound(feed, process, event);
	set_code_page(feed, event);
	if (hit.function != RT_NO_FUNCTION && sites->functions.v[hit.function].hidden &&
	    !hit.tail && !hit.return_site)
		return on_goexit(feed, process, event);
	feed->called = true;
	return rt_stack_hit(feed->stack, event, &hit);
}

static int on_pending(void *ctx, const struct rt_event *event)
{
	struct rt_feed *feed = ctx;
	struct rt_process *process = rt_owners_known(&feed->owners, event);
	struct rt_event ours = *event;

	if (!process)
		return 0;
	ours.pid = process->pid;
	return on_hit(feed, process, &ours);
}

void rt_feed_set_pending(struct rt_feed *feed, const struct rt_pending *pending)
{
	feed->pending = pending;
}

int rt_feed_pending(struct rt_feed *feed, pid_t tid, uint64_t time)
{
	const struct rt_event_handler handler = { on_pending, feed };

	return feed->pending ? rt_pending_read(feed->pending, tid, tid != 0,
					       time < feed->end ? time : feed->end, &handler)
			     : 0;
}

static int end_process(struct rt_feed *feed, struct rt_process *process, uint64_t time)
{
	pid_t pid = process->pid;
	int r = rt_stack_process_end(feed->stack, pid, time);

	rt_site_map_forget(feed->map, pid);
	rt_owners_remove(&feed->owners, process);
	return r == 0 ? feed->ended(feed->ended_ctx, pid, time) : r;
}

static int on_exit_of(struct rt_feed *feed, struct rt_process *process,
		      const struct rt_event *event)
{
	/*
	 * By exec another thread may have got the first one's number by now, and what is counted
	 * there be its hits.
	 */
	bool ask = event->tid != process->pid || process->members.n < 2;
	uint32_t lost = 0;
	size_t i;
	int r;

	for (i = 0; i < feed->nsources && ask; i++)
		if (feed->sources[i].gaps)
			lost += rt_gaps_exit(feed->sources[i].gaps, event->tid,
					     event->exit.hits);
	r = report_lost(feed, event, lost, feed->traced->goroutines || process->stacks.n);

	if (r == 0)
		r = rt_feed_pending(feed, event->tid, event->time);
	rt_process_exit(process, event->tid, event->time);
	/* The returns that came before it were after the trace's end too. */
	if (r < 0 || event->time > feed->end)
		return r;
	r = rt_stack_event(feed->stack, event);
	/* If fork events may be missing, the list of threads lacks some. */
	if (r == 0 && feed->ended && !process->members.n && !feed->unseen)
		r = end_process(feed, process, event->time);
	return r;
}

/* A traced process forks: its child has a copy of its memory, and of the thread that forks. */
static int on_birth(struct rt_feed *feed, const struct rt_process *parent,
		    const struct rt_event *event)
{
	struct rt_process *child;
	int r = rt_feed_process_ended(feed, event->fork.pid, event->time);

	if (r < 0)
		return r;
	child = rt_owners_add(&feed->owners, event->fork.pid, parent);
	if (!child || rt_site_map_fork(feed->map, parent->pid, child->pid) < 0)
		return -ENOMEM;
	return rt_stack_fork(feed->stack, event);
}

/*
 * Nothing of the old program's memory is where it was.  If the event lacks the thread's new name
 * (fexecve without BPF), /proc has it until the next exec.
 */
static int on_exec(struct rt_feed *feed, struct rt_process *process, struct rt_event *event)
{
	int r = rt_feed_pending(feed, 0, event->time);

	if (!event->comm.name[0])
		rt_proc_comm(process->pid, process->pid, event->comm.name);
	if (strcmp(event->comm.name, "?") == 0)
		event->comm.name[0] = '\0';

	if (rt_process_exec(process, event->time) < 0)
		return -ENOMEM;
	rt_site_map_forget(feed->map, process->pid);
	return r < 0 || event->time > feed->end ? r : rt_stack_event(feed->stack, event);
}

/*
 * The hits that nobody could be given are among what was lost; where the kernel does not say how
 * many that was, they are reported later.
 */
static int on_lost(struct rt_feed *feed, const struct rt_event *event)
{
	struct rt_event all = *event;

	feed->lost = true;
	rt_owners_note_lost(&feed->owners);
	if (all.lost.count)
		all.lost.count += rt_feed_unplaced(feed);
	return event->lost.until < feed->begin ? 0 : rt_stack_event(feed->stack, &all);
}

uint64_t rt_feed_unplaced(struct rt_feed *feed)
{
	uint64_t n = feed->lost ? feed->owners.unplaced : 0;

	feed->owners.unplaced -= n;
	return n;
}

bool rt_feed_unseen(const struct rt_feed *feed)
{
	return feed->unseen;
}

bool rt_feed_has_calls(const struct rt_feed *feed)
{
	return feed->called;
}

bool rt_feed_has_lost(const struct rt_feed *feed)
{
	return feed->lost;
}

uint64_t rt_feed_untraced(const struct rt_feed *feed)
{
	return feed->owners.untraced;
}

void rt_feed_follow(struct rt_feed *feed, bool filtered,
		    int (*ended)(void *ctx, pid_t pid, uint64_t time), void *ctx)
{
	feed->owners.children = true;
	feed->owners.filtered = filtered;
	feed->ended = ended;
	feed->ended_ctx = ctx;
}

static int take_running(struct rt_feed *feed, pid_t pid)
{
	struct rt_process *process = rt_owners_add(&feed->owners, pid, NULL);
	struct rt_event comm = { .type = RT_EV_COMM, .pid = pid };
	int r = process ? rt_process_read_threads(process) : -ENOMEM;
	size_t i;

	if (r < 0)
		return r;
	process->adopted = feed->key == RT_KEY_IP;
	for (i = 0; i < process->members.n && r == 0; i++) {
		comm.tid = process->members.v[i];
		rt_proc_comm(pid, comm.tid, comm.comm.name);
		if (strcmp(comm.comm.name, "?") != 0)
			r = rt_stack_event(feed->stack, &comm);
	}
	return r;
}

int rt_feed_take_all(struct rt_feed *feed)
{
	pid_t *pids;
	int n = rt_proc_all(&pids), i, r = 0;

	feed->owners.all = true;
	for (i = 0; i < n && r == 0; i++)
		if (!rt_owners_find_pid(&feed->owners, pids[i]))
			r = take_running(feed, pids[i]);
	free(pids);
	return r;
}

pid_t rt_feed_process(const struct rt_feed *feed, size_t i)
{
	return i < feed->owners.n ? feed->owners.v[i]->pid : 0;
}

int rt_feed_process_ended(struct rt_feed *feed, pid_t pid, uint64_t time)
{
	struct rt_process *process = rt_owners_find_pid(&feed->owners, pid);

	return process ? end_process(feed, process, time) : 0;
}

struct rt_anchor *rt_feed_anchor(struct rt_feed *feed, pid_t pid)
{
	return &rt_owners_find_pid(&feed->owners, pid)->anchor;
}

pid_t rt_feed_other_thread(const struct rt_feed *feed, pid_t pid)
{
	return rt_process_other_thread(rt_owners_find_pid(&feed->owners, pid));
}

static bool is_inside(const struct rt_feed *feed, const struct rt_event *event)
{
	return event->time >= feed->begin && event->time <= feed->end;
}

int rt_feed_event(void *ctx, const struct rt_event *event)
{
	struct rt_feed *feed = ctx;
	struct rt_event ours = *event;
	struct rt_process *process;
	int r;

	if (event->type == RT_EV_LOST)
		return on_lost(feed, event);
	if (event->type == RT_EV_UNSEEN) {
		/* Maybe of a mapping. */
		rt_site_map_unsure(feed->map);
		if (feed->owners.all)
			rt_owners_doubt(&feed->owners);
		feed->unseen = true;
		return 0;
	}
	r = rt_owners_find(&feed->owners, event, is_inside(feed, event), &process);
	if (r < 0 || !process)
		return r;
	ours.pid = process->pid;
	if (event->type == RT_EV_FORK && (!ours.fork.pid || !feed->ended))
		ours.fork.pid = process->pid;
	if (event->type == RT_EV_FORK && ours.fork.pid != process->pid)
		return on_birth(feed, process, &ours);
	switch (event->type) {
	case RT_EV_HIT:
		return on_hit(feed, process, &ours);
	case RT_EV_MMAP:
		return rt_site_map_mapped(feed->map, &ours);
	case RT_EV_EXIT:
		return on_exit_of(feed, process, &ours);
	case RT_EV_EXEC:
		return on_exec(feed, process, &ours);
	default:
		return rt_stack_event(feed->stack, &ours);
	}
}

void rt_stepped_hit(struct rt_form_hits *hits, const struct rt_function *f,
		    const struct rt_exit *exit, uint64_t n)
{
	if (exit)
		hits->exits[exit->place.form] += n;
	else
		hits->entries[f->form] += n;
}

void rt_stepped_cell(struct rt_form_hits *hits, const struct rt_function *f, unsigned cell,
		     uint64_t value)
{
	if (cell == RT_CELL_CALLS)
		rt_stepped_hit(hits, f, NULL, value);
	else if (cell >= RT_CELL_BUCKET && f->how == RT_HOW_INSN && f->exits.n)
		rt_stepped_hit(hits, f, &f->exits.v[0], value);
}
