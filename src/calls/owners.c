/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/owners.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "calls/stack.h"
#include "kernel/procfs.h"

/* The first process with a number not below `pid`. */
static size_t find_index(const struct rt_owners *owners, pid_t pid)
{
	size_t i;

	RT_SEARCH(i, owners->n, owners->v[i]->pid < pid);
	return i;
}

/* fork copies the stacks that the program has made, with the goroutines on them. */
static int copy_stacks(struct rt_process *process, const struct rt_process *parent)
{
	process->goroutines = parent->goroutines;
	return rt_stacks_copy(&process->stacks, &parent->stacks);
}

static void free_process(struct rt_process *process)
{
	rt_members_free(&process->members);
	rt_stacks_free(&process->stacks);
	free(process);
}

struct rt_process *rt_owners_add(struct rt_owners *owners, pid_t pid,
				 const struct rt_process *parent)
{
	size_t i = find_index(owners, pid);
	struct rt_process *process;

	if (RT_ROOM(&owners->v, owners->n, &owners->cap) < 0)
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = process->anchor.tid = pid;
	if (rt_members_add(&process->members, pid) < 0 ||
	    (parent && copy_stacks(process, parent) < 0)) {
		free_process(process);
		return NULL;
	}
	memmove(owners->v + i + 1, owners->v + i, (owners->n - i) * sizeof(*owners->v));
	owners->v[i] = process;
	owners->n++;
	return process;
}

void rt_owners_remove(struct rt_owners *owners, struct rt_process *process)
{
	size_t i = find_index(owners, process->pid);

	owners->n--;
	memmove(owners->v + i, owners->v + i + 1, (owners->n - i) * sizeof(*owners->v));
	free_process(process);
}

int rt_owners_init(struct rt_owners *owners, const struct rt_pids *pids)
{
	unsigned i;

	memset(owners, 0, sizeof(*owners));
	for (i = 0; i < pids->n; i++)
		if (!rt_owners_add(owners, pids->v[i], NULL))
			return -ENOMEM;
	return 0;
}

void rt_owners_free(struct rt_owners *owners)
{
	size_t i;

	for (i = 0; i < owners->n; i++)
		free_process(owners->v[i]);
	free(owners->v);
	rt_members_free(&owners->foreign);
	rt_members_free(&owners->unknown);
}

struct rt_process *rt_owners_find_pid(const struct rt_owners *owners, pid_t pid)
{
	size_t i = find_index(owners, pid);

	return i < owners->n && owners->v[i]->pid == pid ? owners->v[i] : NULL;
}

/* Most threads are the first of their process, and have its number. */
static struct rt_process *find_by_thread(const struct rt_owners *owners, pid_t tid)
{
	struct rt_process *process = rt_owners_find_pid(owners, tid);
	size_t i;

	if (process && rt_members_has(&process->members, tid))
		return process;
	for (i = 0; i < owners->n; i++)
		if (rt_members_has(&owners->v[i]->members, tid))
			return owners->v[i];
	return NULL;
}

struct rt_process *rt_owners_known(const struct rt_owners *owners, const struct rt_event *event)
{
	return event->pid ? rt_owners_find_pid(owners, event->pid)
			  : find_by_thread(owners, event->tid);
}

/* A process that lost its fork event, with the threads that it has by now. */
static int adopt(struct rt_owners *owners, pid_t pid, struct rt_process **process)
{
	*process = rt_owners_add(owners, pid, NULL);
	if (!*process)
		return -ENOMEM;
	(*process)->adopted = true;
	return rt_process_read_threads(*process);
}

/* A hit of a thread without a fork event: /proc names its process until the thread ends. */
static int learn_thread(struct rt_owners *owners, const struct rt_event *event, bool inside,
			struct rt_process **process)
{
	struct rt_members *list = &owners->unknown;
	long tgid = event->pid;

	if (rt_members_has(&owners->foreign, event->tid))
		return 0;
	if (!rt_members_has(&owners->unknown, event->tid)) {
		if (tgid || rt_proc_status(event->tid, "Tgid", &tgid) == 0) {
			*process = rt_owners_find_pid(owners, (pid_t)tgid);
			if (!*process && owners->filtered &&
			    adopt(owners, (pid_t)tgid, process) < 0)
				return -ENOMEM;
			list = *process ? &(*process)->members : &owners->foreign;
		}
		if (rt_members_add(list, event->tid) < 0)
			return -ENOMEM;
	}
	if (list == &owners->unknown && inside)
		owners->unplaced++;
	return 0;
}

/*
 * `*process`: in, the process of the thread that forked, or NULL; out, the process of the new
 * thread, or the parent of the new process.
 */
static int add_forked(struct rt_owners *owners, const struct rt_event *event, bool inside,
		      struct rt_process **process)
{
	pid_t tid = event->fork.tid;
	bool known = *process || rt_members_has(&owners->foreign, event->tid);

	rt_members_remove(&owners->unknown, tid);
	rt_members_remove(&owners->foreign, tid);
	/* A new process has its own number. */
	if (*process && event->fork.pid && event->fork.pid != (*process)->pid) {
		if (owners->children)
			return 0;
		owners->untraced += inside;
		*process = NULL;
	}
	/* Events that name the process need no list of foreign threads. */
	if (!known || (event->pid && !*process))
		return 0;
	return rt_members_add(*process ? &(*process)->members : &owners->foreign, tid);
}

static int find_owner(struct rt_owners *owners, const struct rt_event *event, bool inside,
		      struct rt_process **process)
{
	*process = rt_owners_known(owners, event);
	if (event->type == RT_EV_FORK)
		return add_forked(owners, event, inside, process);
	/* After an exec by another thread, that thread has the process's number. */
	if (event->type == RT_EV_EXEC && !*process && !event->pid)
		*process = rt_owners_find_pid(owners, event->tid);
	if (*process)
		return 0;
	/* It may come to run a file of the trace; by the time of a hit it may have ended. */
	if (event->type == RT_EV_EXEC && owners->all) {
		*process = rt_owners_add(owners, event->pid, NULL);
		return *process ? 0 : -ENOMEM;
	}
	if (event->type == RT_EV_HIT && (!event->pid || owners->filtered))
		return learn_thread(owners, event, inside, process);
	if (!event->pid)
		rt_members_remove(&owners->foreign, event->tid);
	return 0;
}

/*
 * At the exec of a program that its user may not read (setuid), the kernel frees the task's perf
 * events and sends an EXIT record, though the process exists (begin_new_exec:
 * perf_event_exit_task). This record directly follows the exec; a real exit follows the mappings of
 * the new program. Sources that do not know processes have no such records.
 */
static bool is_false_exit(struct rt_process *process, const struct rt_event *event)
{
	bool executed = process->executed;

	process->executed = event->type == RT_EV_EXEC && event->pid;
	return executed && event->type == RT_EV_EXIT && event->tid == process->pid;
}

int rt_owners_find(struct rt_owners *owners, const struct rt_event *event, bool inside,
		   struct rt_process **process)
{
	int r = find_owner(owners, event, inside, process);

	if (r == 0 && *process && is_false_exit(*process, event))
		*process = NULL;
	return r;
}

void rt_owners_doubt(struct rt_owners *owners)
{
	size_t i;

	for (i = 0; i < owners->n; i++)
		owners->v[i]->adopted = true;
}

void rt_owners_note_lost(struct rt_owners *owners)
{
	owners->foreign.n = owners->unknown.n = 0;
}

int rt_process_read_threads(struct rt_process *process)
{
	pid_t *tids;
	int n = rt_proc_threads(process->pid, &tids), i, r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = rt_members_add(&process->members, tids[i]);
	if (n > 0)
		free(tids);
	return r;
}

void rt_process_exit(struct rt_process *process, pid_t tid, uint64_t time)
{
	rt_members_remove(&process->members, tid);
	process->anchor.end_seen |= process->anchor.exec && tid == process->pid;
	process->anchor.until = time;
	rt_anchor_exit(&process->anchor, tid, time);
}

int rt_process_exec(struct rt_process *process, uint64_t time)
{
	process->exec = time;
	process->stacks.n = 0;
	memset(&process->goroutines, 0, sizeof(process->goroutines));
	rt_anchor_exec(&process->anchor, process->pid, time);
	process->members.n = 0;
	return rt_members_add(&process->members, process->pid);
}

pid_t rt_process_other_thread(const struct rt_process *process)
{
	size_t i;

	for (i = 0; i < process->members.n; i++)
		if (process->members.v[i] != process->pid &&
		    process->members.v[i] != process->anchor.tid)
			return process->members.v[i];
	return 0;
}

void rt_anchor_exit(struct rt_anchor *anchor, pid_t tid, uint64_t time)
{
	if (tid == anchor->spare) {
		anchor->spare = 0;
	} else if (tid == anchor->tid) {
		anchor->tid = time > anchor->ready ? anchor->spare : 0;
		anchor->spare = 0;
		anchor->since = time;
		anchor->ending = 0;
		anchor->exec = false;
	}
}

/*
 * Exit events of the other threads come before the exec event.  So an anchor that has not ended
 * called exec.
 */
void rt_anchor_exec(struct rt_anchor *anchor, pid_t pid, uint64_t time)
{
	anchor->spare = 0;
	if (anchor->tid) {
		anchor->tid = pid;
		return;
	}
	anchor->since = time;
	anchor->ending = 0;
	anchor->exec = true;
}

/* ---- stacks that the program makes ---- */

/* The first that ends above `addr`, by index. */
static size_t first_above(const struct rt_stacks *s, uint64_t addr)
{
	size_t i;

	RT_SEARCH(i, s->n, s->v[i].end <= addr);
	return i;
}

/* An empty stack's pointer is at its end. */
uint64_t rt_stacks_find(const struct rt_stacks *s, uint64_t sp)
{
	size_t i = sp ? first_above(s, sp - 1) : s->n;

	return i < s->n && sp > s->v[i].start ? s->v[i].goid : 0;
}

int rt_stacks_add(struct rt_stacks *s, uint64_t start, uint64_t size)
{
	size_t i;

	if (!start || !size || start + size < start)
		return 0;
	if (RT_ROOM(&s->v, s->n, &s->cap) < 0)
		return -ENOMEM;
	i = first_above(s, start);
	memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof(*s->v));
	s->v[i] = (struct rt_made_stack){ .start = start,
					  .end = start + size,
					  .goid = RT_GOID_STACK | ++s->last };
	s->n++;
	return 0;
}

uint64_t rt_stacks_take(struct rt_stacks *s, uint64_t start, uint64_t size)
{
	size_t i = first_above(s, start);
	uint64_t goid;

	if (!start || !size || start + size < start || i == s->n || s->v[i].start >= start + size)
		return 0;
	goid = s->v[i].goid;
	s->n--;
	memmove(s->v + i, s->v + i + 1, (s->n - i) * sizeof(*s->v));
	return goid;
}

void rt_stacks_signals(struct rt_stacks *s, pid_t tid, uint64_t start)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].start == start)
			s->v[i].signals_of = tid;
		else if (s->v[i].signals_of == tid)
			s->v[i].signals_of = 0;
}

uint64_t rt_stacks_of_signals(const struct rt_stacks *s, pid_t tid)
{
	size_t i;

	for (i = 0; i < s->n && s->v[i].signals_of != tid; i++)
		;
	return i < s->n ? s->v[i].goid : 0;
}

int rt_stacks_copy(struct rt_stacks *to, const struct rt_stacks *from)
{
	*to = (struct rt_stacks){ .n = from->n, .cap = from->n, .last = from->last };
	if (!from->n)
		return 0;
	to->v = calloc(from->n, sizeof(*to->v));
	if (!to->v) {
		memset(to, 0, sizeof(*to));
		return -ENOMEM;
	}
	memcpy(to->v, from->v, from->n * sizeof(*to->v));
	return 0;
}

void rt_stacks_free(struct rt_stacks *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

enum { SLOTS = sizeof(((struct rt_goroutines *)0)->v) / sizeof(struct rt_goroutine) };

/* Each runtime has a goroutine 1. */
static size_t slot_of(uint64_t goid)
{
	return (goid + 17 * rt_goid_runtime(goid)) % SLOTS;
}

void rt_goroutines_saw(struct rt_goroutines *g, uint64_t low, uint64_t high, uint64_t goid,
		       uint64_t time)
{
	g->v[slot_of(goid)] = (struct rt_goroutine){ low, high, goid, time };
}

void rt_goroutines_ended(struct rt_goroutines *g, uint64_t goid)
{
	if (g->v[slot_of(goid)].goid == goid)
		g->v[slot_of(goid)].goid = 0;
}

const struct rt_goroutine *rt_goroutines_find(const struct rt_goroutines *g, uint64_t sp)
{
	const struct rt_goroutine *found = NULL, *at;

	for (at = g->v; at < g->v + SLOTS; at++)
		if (at->goid && sp >= at->low && sp <= at->high &&
		    (!found || at->time > found->time))
			found = at;
	return found;
}
