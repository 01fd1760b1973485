/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/attach.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

static const struct rt_attach_ops *const mechanisms[] = {
	&rt_attach_uprobe_multi, &rt_attach_multi_event, &rt_attach_pmu,
	&rt_attach_event,	 &rt_attach_tracefs,
};

const struct rt_attach_ops *rt_attach_at(unsigned i)
{
	return i < RT_COUNT(mechanisms) ? mechanisms[i] : NULL;
}

const char *rt_attach_name(unsigned i)
{
	return rt_attach_at(i) ? rt_attach_at(i)->name : NULL;
}

const struct rt_attach_ops *rt_attach_find(const char *name)
{
	unsigned i;

	for (i = 0; i < RT_COUNT(mechanisms); i++)
		if (strcmp(mechanisms[i]->name, name) == 0)
			return mechanisms[i];
	return NULL;
}

uint64_t rt_attach_place(const struct rt_functions *functions, const struct rt_plan *plans,
			 const struct rt_probe *probe)
{
	const struct rt_function *f = &functions->v[probe->function];
	const struct rt_plan *plan = &plans[probe->plan];

	if (plan->kind == RT_KIND_ENTRY || rt_plan_is_uretprobe(plan))
		return rt_function_place(f);
	return probe->exit < f->exits.n ? f->exits.v[probe->exit].offset : rt_function_place(f);
}

uint32_t rt_attach_owner(const struct rt_functions *functions, const struct rt_plan *plans,
			 const struct rt_probe *probe)
{
	const struct rt_exits *exits = &functions->v[probe->function].exits;
	const struct rt_plan *plan = &plans[probe->plan];
	bool entry = plan->kind == RT_KIND_ENTRY || rt_plan_is_uretprobe(plan);

	return !entry && probe->exit < exits->n && exits->v[probe->exit].shared ? RT_OPEN_JUMPED
										: probe->function;
}

bool rt_attach_leaves_out(const struct rt_attach_request *request, unsigned id)
{
	const struct rt_probe *probe = &request->probes[id];
	const struct rt_function *f = &request->functions->v[probe->function];

	return f->image != request->program &&
	       (f->role || rt_plan_is_uretprobe(&request->plans[probe->plan]));
}

bool rt_attach_stopped(const struct rt_attach_request *request)
{
	return request->stop && request->stop(request->stop_ctx);
}

/*
 * Programs that hold calls back are the largest of ours; where the verifier does not follow them,
 * all is sent.
 */
static int open_by(const struct rt_attach_ops *ops, const struct rt_attach_request *request,
		   struct rt_attach **attach, struct rt_error *err)
{
	struct rt_attach_request all = *request;
	int r;

	if (request->nplans > ops->plans && request->most_plans > ops->plans)
		return rt_fail(err, -EDOM, "%s: %u plans, and %u are the most", ops->name,
			       request->nplans, ops->plans);
	r = ops->open(request, attach, err);
	if (r != -EINVAL && r != -E2BIG && r != -ENOSPC && r != -EACCES)
		return r;
	if (!request->limit.min_time)
		return r;
	all.limit.min_time = 0;
	return ops->open(&all, attach, err);
}

int rt_attach_open(const struct rt_attach_request *request, const struct rt_attach_ops *forced,
		   bool no_bpf, FILE *why, struct rt_attach **attach, struct rt_error *err)
{
	struct rt_error reason = { 0 };
	unsigned i;
	int r;

	if (forced) {
		r = open_by(forced, request, attach, &reason);
		if (r == -EOPNOTSUPP)
			return rt_fail(err, r, "--attach=%s does not work here: %s", forced->name,
				       reason.text);
		if (r < 0 && err)
			*err = reason;
		return r;
	}
	for (i = 0; i < RT_COUNT(mechanisms); i++) {
		if ((no_bpf && mechanisms[i]->bpf) ||
		    (request->here_only && mechanisms[i]->everywhere))
			continue;
		if (request->gate && !mechanisms[i]->bpf)
			continue;
		r = open_by(mechanisms[i], request, attach, &reason);
		if (r != -EOPNOTSUPP) {
			if (r < 0 && err)
				*err = reason;
			return r;
		}
		if (why)
			fprintf(why, "rawtrace: attach %s: %s\n", mechanisms[i]->name, reason.text);
	}
	return rt_fail(
		err, -EOPNOTSUPP,
		"no way to put probes in works here (the last one: %s); see: rawtrace doctor",
		reason.text);
}

unsigned rt_attach_plans(const struct rt_attach_ops *forced, bool no_bpf)
{
	return forced ? forced->plans : no_bpf ? rt_attach_tracefs.plans : rt_attach_at(0)->plans;
}
