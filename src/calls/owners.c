/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/procfs.h"

int rt_owners_init(struct rt_owners *owners, const struct rt_pids *pids)
{
	int r = 0;

	memset(owners, 0, sizeof(*owners));
	owners->v = calloc(pids->n, sizeof(*owners->v));
	if (!owners->v)
		return -ENOMEM;
	for (; owners->n < pids->n && r == 0; owners->n++) {
		struct rt_process *process = &owners->v[owners->n];

		process->pid = process->anchor.tid = pids->v[owners->n];
		r = rt_members_add(&process->members, process->pid);
	}
	return r;
}

void rt_owners_free(struct rt_owners *owners)
{
	unsigned i;

	for (i = 0; i < owners->n; i++) {
		rt_members_free(&owners->v[i].members);
		rt_stacks_free(&owners->v[i].stacks);
	}
	free(owners->v);
	rt_members_free(&owners->foreign);
	rt_members_free(&owners->unknown);
}

static struct rt_process *find_by_pid(const struct rt_owners *owners, pid_t pid)
{
	unsigned i;

	for (i = 0; i < owners->n; i++)
		if (owners->v[i].pid == pid)
			return &owners->v[i];
	return NULL;
}

static struct rt_process *find_by_thread(const struct rt_owners *owners, pid_t tid)
{
	unsigned i;

	for (i = 0; i < owners->n; i++)
		if (rt_members_has(&owners->v[i].members, tid))
			return &owners->v[i];
	return NULL;
}

struct rt_process *rt_owners_known(const struct rt_owners *owners, const struct rt_event *event)
{
	return event->pid ? find_by_pid(owners, event->pid) : find_by_thread(owners, event->tid);
}

/* A hit of a thread whose fork event was lost: /proc names its process until the thread ends. */
static int learn_thread(struct rt_owners *owners, const struct rt_event *event, bool inside,
			struct rt_process **process)
{
	struct rt_members *list = &owners->unknown;
	long tgid;

	if (rt_members_has(&owners->foreign, event->tid))
		return 0;
	if (!rt_members_has(&owners->unknown, event->tid)) {
		if (rt_proc_status(event->tid, "Tgid", &tgid) == 0) {
			*process = find_by_pid(owners, (pid_t)tgid);
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
 * thread.
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
		owners->forked |= inside;
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
		*process = find_by_pid(owners, event->tid);
	if (*process || event->pid)
		return 0;
	if (event->type == RT_EV_HIT)
		return learn_thread(owners, event, inside, process);
	rt_members_remove(&owners->foreign, event->tid);
	return 0;
}

/*
 * At the exec of a program that its user may not read (setuid), the kernel frees the task's perf
 * events and sends an EXIT record, though the process lives (begin_new_exec: perf_event_exit_task).
 * This record directly follows the exec; a real exit follows the mappings of the new program.
 * Sources that do not know processes have no such records.
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
	rt_anchor_exit(&process->anchor, tid, time);
}

int rt_process_exec(struct rt_process *process, uint64_t time)
{
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
	anchor->exec = true;
}
