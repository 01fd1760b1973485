/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One uprobe_events definition a probe, a BPF program on each one's perf event (4.4). */
#include <errno.h>
#include <unistd.h>

#include "attach/define.h"
#include "attach/perf_probe.h"

static int add_probe(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned id, struct rt_error *err)
{
	const struct rt_probe *probe = &request->probes[id];
	const struct rt_function *f = &request->functions->v[probe->function];
	struct rt_perf_attr attr;
	char event[32];
	int prog, r;

	snprintf(event, sizeof(event), "probe%u", id);
	r = rt_define(&p->tracefs, request, id, event, false, false, err);
	if (r == 0)
		r = rt_perf_probes_event(p, event, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, probe->plan, RT_KEY_CONSTANT, id, 0, err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pid, prog, f->name, err);
}

static int event_open(const struct rt_attach_request *request, struct rt_attach **attach, struct rt_error *err)
{
	struct rt_perf_probes *p;
	unsigned i;
	int kind, r;

	p = rt_perf_probes_new(&rt_attach_event, request, true, &r, err);
	if (!p)
		return r;
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (i = 0; i < request->nprobes && r == 0; i++)
			if ((int)request->plans[request->probes[i].plan].kind == kind)
				r = add_probe(p, request, i, err);
	if (r < 0)
		rt_perf_probes_close(&p->attach);
	else
		*attach = &p->attach;
	return r;
}

const struct rt_attach_ops rt_attach_event = {
	.name = "event",
	.help = "a uprobe_events definition and a descriptor a probe (4.4)",
	.bpf = true,
	.key = RT_KEY_ID,
	.open = event_open,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};
