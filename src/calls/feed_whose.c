/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose an event is: the traced processes' threads, as the stream and /proc tell of them. */
#include "calls/feed_private.h"

#include <errno.h>
#include <stdlib.h>

#include "kernel/procfs.h"
#include "fetch/record.h"

static struct process *process_of(const struct rt_feed *feed, pid_t pid)
{
	unsigned i;

	for (i = 0; i < feed->nprocesses; i++)
		if (feed->processes[i].pid == pid)
			return &feed->processes[i];
	return NULL;
}

/* The one that has the thread. */
static struct process *process_with(const struct rt_feed *feed, pid_t tid)
{
	unsigned i;

	for (i = 0; i < feed->nprocesses; i++)
		if (rt_members_has(&feed->processes[i].members, tid))
			return &feed->processes[i];
	return NULL;
}

struct process *rt_feed_known(const struct rt_feed *feed, const struct rt_event *event)
{
	return event->pid ? process_of(feed, event->pid) : process_with(feed, event->tid);
}

static int read_process(struct rt_feed *feed, struct process *process)
{
	pid_t *tids;
	int n, i, r = 0;

	n = rt_proc_threads(process->pid, &tids);
	for (i = 0; i < n && r == 0; i++)
		r = rt_members_add(&process->members, tids[i]);
	if (n > 0)
		free(tids);
	if (r == 0 && (feed->key == RT_KEY_IP || feed->target->libcalls) && rt_locate_read(feed->locate, process->pid) == -ENOMEM)
		r = -ENOMEM;
	return r;
}

int rt_feed_read_processes(struct rt_feed *feed)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < feed->nprocesses && r == 0; i++)
		r = read_process(feed, &feed->processes[i]);
	return r;
}

/* A hit of a thread whose beginning is not known, as events were lost: /proc tells whose it is, as long as it has not ended. */
static int learn_thread(struct rt_feed *feed, const struct rt_event *event, struct process **process)
{
	struct rt_members *known = &feed->vanished;
	long tgid;

	if (rt_members_has(&feed->others, event->tid))
		return 0;
	if (!rt_members_has(&feed->vanished, event->tid)) {
		if (rt_proc_status(event->tid, "Tgid", &tgid) == 0) {
			*process = process_of(feed, (pid_t)tgid);
			known = *process ? &(*process)->members : &feed->others;
		}
		if (rt_members_add(known, event->tid) < 0)
			return -ENOMEM;
	}
	if (known == &feed->vanished && event->time >= feed->begin && event->time <= feed->end)
		feed->unplaced++;
	return 0;
}

/* `process` is that of the thread which began it, or NULL; then that of the new one. */
static int on_new_thread(struct rt_feed *feed, const struct rt_event *event, struct process **process)
{
	pid_t tid = event->fork.tid;
	bool known = *process || rt_members_has(&feed->others, event->tid);

	rt_members_remove(&feed->vanished, tid);
	rt_members_remove(&feed->others, tid);
	/* A new process has its own number. */
	if (*process && event->fork.pid && event->fork.pid != (*process)->pid) {
		feed->forked |= event->time >= feed->begin && event->time <= feed->end;
		*process = NULL;
	}
	/* Sources that know processes have no need of the others. */
	if (!known || (event->pid && !*process))
		return 0;
	return rt_members_add(*process ? &(*process)->members : &feed->others, tid);
}

int rt_feed_whose(struct rt_feed *feed, const struct rt_event *event, struct process **process)
{
	*process = rt_feed_known(feed, event);
	if (event->type == RT_EV_FORK)
		return on_new_thread(feed, event, process);
	/* Of the thread that has the first one's number now. */
	if (event->type == RT_EV_EXEC && !*process && !event->pid)
		*process = process_of(feed, event->tid);
	if (*process || event->pid)
		return 0;
	if (event->type == RT_EV_HIT)
		return learn_thread(feed, event, process);
	rt_members_remove(&feed->others, event->tid);
	return 0;
}
