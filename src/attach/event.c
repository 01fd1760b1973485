/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One uprobe_events definition a probe, a BPF program on each one's perf event (4.4). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/define.h"
#include "attach/inherit.h"
#include "attach/perf_probe.h"

static int add_probe(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned id,
		     const void *how, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	const struct rt_function *f = &request->functions->v[probe->function];
	struct rt_perf_attr attr;
	char event[RT_EVENT_NAME + 16], prefix[RT_EVENT_NAME];
	int prog, r;

	(void)how;
	snprintf(event, sizeof(event), "%sprobe%u", rt_define_prefix(request, prefix), id);
	r = rt_define(&p->tracefs, request, id, event, RT_DEFINE_BARE, err);
	if (r == 0)
		r = rt_perf_probes_event(p, event, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, probe->plan, RT_KEY_CONSTANT, id, 0, err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pids, prog, f->name, err);
}

static int event_open(const struct rt_attach_request *request, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct rt_perf_probes *p;
	int r;

	p = rt_perf_probes_new(&rt_attach_event, request, true, &r, err);
	return p ? rt_perf_probes_all(p, request, add_probe, NULL, attach, err) : r;
}

const struct rt_attach_ops rt_attach_event = {
	.name = "event",
	.help = "a uprobe_events definition and a descriptor a probe (4.4)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_ID,
	.plans = RT_PLANS_ANY,
	.open = event_open,
	.add = rt_perf_probes_add_thread,
	.add_from = RT_ADD_SPARE,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};

/*
 * One uprobe_events event of many probes for each plan (about 5.4), one BPF program on its perf
 * event: two descriptors for thousands of functions.  The program cannot tell the probes apart, so
 * an entry is known by its instruction pointer and a return by the stack pointer of the entry it
 * ends.
 */

/*
 * Each event takes 0.1 s to be taken out, as long as so many more probes take to be defined
 * (define.c).
 */
enum { EVENT_PROBES = 5000 };

static int add_event(struct rt_perf_probes *p, const struct rt_attach_request *request,
		     const struct rt_defined *event, struct rt_error *err)
{
	struct rt_perf_attr attr;
	int prog, r;

	r = rt_perf_probes_event(p, event->name, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, (uint16_t)event->plan, RT_KEY_POINTER, 0, 0,
				err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pids, prog, event->name, err);
}

static int multi_open(const struct rt_attach_request *request, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct rt_perf_probes *p;
	struct rt_defined *events;
	unsigned i, n;
	int kind, r = request->reach == RT_REACH_CHILDREN ? rt_inherit_check(err) : 0;

	if (r < 0)
		return r;
	p = rt_perf_probes_new(&rt_attach_multi_event, request, true, &r, err);
	if (!p)
		return r;
	r = rt_define_plans(&p->tracefs, request, RT_DEFINE_BARE, false, EVENT_PROBES, &events, &n,
			    err);
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (i = 0; i < n && r == 0 && !rt_attach_stopped(request); i++)
			if ((int)request->plans[events[i].plan].kind == kind)
				r = add_event(p, request, &events[i], err);
	p->guard.inherited = request->reach == RT_REACH_CHILDREN;
	if (r == 0 && request->reach == RT_REACH_CHILDREN && !rt_attach_stopped(request))
		r = rt_inherit_add(p, request->pids, err);
	free(events);
	if (r < 0)
		rt_perf_probes_close(&p->attach);
	else
		*attach = &p->attach;
	return r;
}

const struct rt_attach_ops rt_attach_multi_event = {
	.name = "multi-event",
	.help = "one uprobe_events event for all probes (5.4)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_CHILDREN | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_IP,
	.plans = RT_PLANS_FEW,
	.open = multi_open,
	.add = rt_perf_probes_add_thread,
	.add_from = RT_ADD_SPARE,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};
