/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For each definition the kernel goes over all others, to compare file and offset, and over
 * those before the first of the same name: 0.9 s for 5,000 functions. So two probes of each
 * plan are defined first, which also shows whether the kernel keeps several in an event.
 */
#include "attach/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/definition.h"
#include "kernel/owner.h"

/* A list that others change while it is read can lack what was there all the time. */
enum { LOOKS = 5 };

/*
 * The kernel's own words for the last refusal (error_log, from 5.2): "[  12.3] trace_uprobe: error:
 * Invalid offset ...".
 */
static void last_refusal(const struct rt_tracefs *t, char *buf, size_t size)
{
	static const char mark[] = "trace_uprobe: error: ";
	char *text, *at, *last = NULL;

	buf[0] = '\0';
	if (rt_tracefs_read(t, "error_log", &text) < 0)
		return;
	for (at = text; (at = strstr(at, mark)); at += sizeof(mark) - 1)
		last = at + sizeof(mark) - 1;
	if (last)
		snprintf(buf, size, " (%.*s)", (int)strcspn(last, "\n"), last);
	free(text);
}

int rt_define(const struct rt_tracefs *t, const struct rt_attach_request *request, unsigned id,
	      const char *event, unsigned carries, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	const struct rt_function *f = &request->functions->v[probe->function];
	char group[RT_OWNER_NAME_MAX], path[64], line[RT_DEFINITION_MAX], refusal[160];
	struct rt_definition d = {
		.group = group,
		.event = event,
		.path = path,
		.offset = rt_attach_place(request->functions, probe),
		.semaphore = t->no_semaphores ? 0 : rt_site_semaphore(probe),
		.kind = request->plans[probe->plan].kind,
		.at_exit = request->plans[probe->plan].end != RT_BY_URETPROBE,
		.plan = carries & RT_DEFINE_VALUES ? &request->plans[probe->plan] : NULL,
		.with_id = carries & RT_DEFINE_ID,
		.no_ra = carries & RT_DEFINE_NO_RA,
		.id = id,
	};
	int r;

	rt_own_group(group);
	/* The kernel resolves the path in our own context. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(f->image));
	r = rt_definition_print(&d, line, err);
	if (r < 0)
		return r;
	r = rt_tracefs_append(t, "uprobe_events", line);
	if (r == 0)
		return 0;
	if (r == -EINVAL)
		last_refusal(t, refusal, sizeof(refusal));
	else
		refusal[0] = '\0';
	return rt_fail(err, r, "%s: %s/uprobe_events refused the probe: %s%s", f->name, t->root,
		       strerror(-r), refusal);
}

void rt_define_check_semaphores(struct rt_tracefs *t, const struct rt_attach_request *request)
{
	unsigned i;

	t->no_semaphores = false;
	for (i = 0; i < request->nsites && !rt_site_semaphore(&request->sites[i]); i++)
		;
	if (i == request->nsites ||
	    rt_define(t, request, i, "armed", RT_DEFINE_BARE, NULL) != -EINVAL)
		return;
	t->no_semaphores = true;
	t->no_semaphores = rt_define(t, request, i, "unarmed", RT_DEFINE_BARE, NULL) == 0;
}

/* Count the kernel's probes of event `event` of our group. */
static int count_defined(const struct rt_tracefs *t, const char *event)
{
	char *text, *at, name[96], group[RT_OWNER_NAME_MAX];
	int n = 0, r;
	size_t len;

	r = rt_tracefs_read(t, "uprobe_events", &text);
	if (r < 0)
		return r;
	len = (size_t)snprintf(name, sizeof(name), ":%s/%.40s ", rt_own_group(group), event);
	for (at = text; (at = strstr(at, name)); at += len)
		n++;
	free(text);
	return n;
}

/* So many probes of an event show whether the kernel keeps several. */
enum { SAMPLE = 2 };

int rt_define_ask_several(const struct rt_tracefs *t, struct rt_error *err)
{
	char group[RT_OWNER_NAME_MAX], line[RT_DEFINITION_MAX];
	int i, saved, r = 0;

	rt_own_group(group);
	for (i = 0; i < SAMPLE && r == 0; i++) {
		snprintf(line, sizeof(line), "p:%s/ask /proc/self/exe:0x%x", group, i);
		r = rt_tracefs_append(t, "uprobe_events", line);
	}
	saved = r == 0 ? count_defined(t, "ask") : SAMPLE - 1;
	snprintf(line, sizeof(line), "-:%s/ask", group);
	rt_tracefs_append(t, "uprobe_events", line);
	if (saved >= 0 && saved < SAMPLE)
		return rt_fail(err, -EOPNOTSUPP,
			       "an event cannot have several probes here (before 5.4)");
	return 0;
}

/*
 * So many events at most because plans have many probes: each costs a wait or more when it goes in
 * and out.
 */
enum { MORE_EVENTS = 16 };

struct plans {
	const struct rt_tracefs *t;
	const struct rt_attach_request *request;
	unsigned carries, most;
	bool leave_out;
	unsigned *counts;		/* by plan: probes seen so far */
	struct rt_defined *events;
	unsigned n;
};

const char *rt_define_prefix(const struct rt_attach_request *request, char *buf)
{
	buf[0] = '\0';
	if (request->part)
		snprintf(buf, RT_EVENT_NAME, "part%u_", request->part);
	return buf;
}

static void name_event(const struct plans *p, unsigned plan, unsigned count, char *name)
{
	char prefix[RT_EVENT_NAME];

	rt_define_prefix(p->request, prefix);
	if (count < p->most)
		snprintf(name, RT_EVENT_NAME, "%.20splan%u", prefix, plan);
	else
		snprintf(name, RT_EVENT_NAME, "%.20splan%u_%u", prefix, plan, count / p->most);
}

/* Probe `id`, before which its plan has `count`. */
static int define_member(const struct plans *p, unsigned id, unsigned count, struct rt_error *err)
{
	char event[RT_EVENT_NAME];
	int r;

	name_event(p, p->request->sites[id].plan, count, event);
	r = rt_define(p->t, p->request, id, event, p->carries, err);
	if (r == -EEXIST && count % p->most)
		return rt_fail(err, -EOPNOTSUPP,
			       "an event cannot have several probes here (EEXIST)");
	return r;
}

/*
 * Does the kernel have them all?  Asked while there are few: it lists its definitions a page at a
 * time, each from the beginning.
 */
static int check_saved(const struct plans *p, struct rt_error *err)
{
	int saved = -1, tries;
	unsigned i;

	for (i = 0; i < p->n; i++) {
		if (p->counts[p->events[i].plan] < SAMPLE)
			continue;
		for (tries = 0; tries < LOOKS && saved != SAMPLE; tries++)
			saved = count_defined(p->t, p->events[i].name);
		if (saved >= 0 && saved != SAMPLE)
			return rt_fail(err, -EOPNOTSUPP,
				       "an event cannot have several probes here: the kernel took "
				       "%d of %d (before 5.4)",
				       saved, SAMPLE);
		return saved < 0 ? rt_fail(err, saved, "%s/uprobe_events: reading it back: %s",
					   p->t->root, strerror(-saved))
				 : 0;
	}
	return 0;
}

static void add_event(struct plans *p, unsigned id, unsigned count)
{
	struct rt_defined *event = &p->events[p->n++];

	event->plan = p->request->sites[id].plan;
	event->first = id;
	name_event(p, event->plan, count, event->name);
}

/* The first SAMPLE probes of each event (`sample`), or all others. */
static int define_some(struct plans *p, bool sample, struct rt_error *err)
{
	const struct rt_attach_request *request = p->request;
	unsigned i, count;
	int r = 0;

	memset(p->counts, 0, request->nplans * sizeof(*p->counts));
	for (i = 0; i < request->nsites && r == 0 && !rt_attach_stopped(request); i++) {
		if (p->leave_out && rt_attach_leaves_out(request, i))
			continue;
		count = p->counts[request->sites[i].plan]++;
		if (sample && count % p->most == 0)
			add_event(p, i, count);
		if ((count % p->most < SAMPLE) == sample)
			r = define_member(p, i, count, err);
	}
	return r;
}

/*
 * The kernel looks for an event of the same name from its oldest definition on, at each new one:
 * hence the first ones first.  Then it compares the new probe with all that the event has, and with
 * all that there are: 5,000 functions with their values and returns took 2.3 s of its time as two
 * events, and 1.6 s as ten.
 */
int rt_define_plans(const struct rt_tracefs *t, const struct rt_attach_request *request,
		    unsigned carries, bool leave_out, unsigned most, struct rt_defined **events,
		    unsigned *n, struct rt_error *err)
{
	unsigned least = request->nsites / MORE_EVENTS + 1;
	struct plans p = {
		.t = t,
		.request = request,
		.carries = carries,
		.leave_out = leave_out,
		.most = most > least ? most : least,
		.counts = calloc(request->nplans, sizeof(*p.counts)),
		.events = calloc(request->nplans + MORE_EVENTS, sizeof(*p.events)),
	};
	int r;

	*events = p.events;
	*n = 0;
	if (!p.counts || !p.events) {
		free(p.counts);
		return rt_nomem(err);
	}
	r = define_some(&p, true, err);
	if (r == 0)
		r = check_saved(&p, err);
	if (r == 0)
		r = define_some(&p, false, err);
	*n = p.n;
	free(p.counts);
	return r;
}
