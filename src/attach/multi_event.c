/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One uprobe_events event of many probes for each plan (about 5.4), one BPF program on its perf event: two descriptors for
 * thousands of functions.  The program cannot tell the probes apart, so an entry is known by its instruction pointer and a
 * return by the stack pointer of the entry it ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/define.h"
#include "attach/perf_probe.h"

static int add_plan(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned plan, struct rt_error *err)
{
	struct rt_perf_attr attr;
	char event[32];
	int prog, r;

	snprintf(event, sizeof(event), "plan%u", plan);
	r = rt_perf_probes_event(p, event, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, (uint16_t)plan, RT_KEY_POINTER, 0, 0, err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pid, prog, event, err);
}

static int multi_open(const struct rt_attach_request *request, struct rt_attach **attach, struct rt_error *err)
{
	struct rt_perf_probes *p;
	unsigned plan, *first;
	int kind, r;

	p = rt_perf_probes_new(&rt_attach_multi_event, request, true, &r, err);
	if (!p)
		return r;
	r = rt_define_plans(&p->tracefs, request, RT_DEFINE_BARE, false, &first, err);
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (plan = 0; plan < request->nplans && r == 0; plan++)
			if ((int)request->plans[plan].kind == kind && first[plan] < request->nprobes)
				r = add_plan(p, request, plan, err);
	free(first);
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
	.key = RT_KEY_IP,
	.plans = RT_PLANS_FEW,
	.open = multi_open,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};
