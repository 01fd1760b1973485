/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open on the uprobe PMU with a BPF program on each event (4.17). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/perf_probe.h"
#include "kernel/procfs.h"
#include "base/scan.h"

#define PMU "/sys/bus/event_source/devices/uprobe"

struct pmu {
	uint32_t type;
	uint64_t return_bit;	/* in attr.config */
	uint8_t semaphore;	/* its offset begins at this bit of attr.config (4.20); 0: none */
};

int rt_uprobe_pmu_type(uint32_t *type)
{
	char *text;
	int r = rt_read_file(PMU "/type", &text);

	if (r < 0)
		return r;
	*type = (uint32_t)strtoul(text, NULL, 10);
	free(text);
	return 0;
}

/* Read "config:N" or the first number of "config:N-M". */
static int read_bit(const char *text, uint64_t *bit)
{
	return rt_scan_text(&text, "config:") && rt_scan_number(&text, 10, bit) && *bit < 64
		       ? 0
		       : -EOPNOTSUPP;
}

bool rt_uprobe_pmu_arms(void)
{
	return access(PMU "/format/ref_ctr_offset", F_OK) == 0;
}

/*
 * The PMU's own description; a kernel without it must never be tried: some crash on other uses of
 * unknown PMUs.
 */
static int pmu_read(struct pmu *pmu, struct rt_error *err)
{
	uint64_t bit;
	char *text;
	int r;

	r = rt_uprobe_pmu_type(&pmu->type);
	if (r < 0)
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel has no uprobe PMU (" PMU "; before 4.17)");
	r = rt_read_file(PMU "/format/retprobe", &text);
	if (r < 0)
		return rt_fail(err, -EOPNOTSUPP, PMU "/format/retprobe: %s", strerror(-r));
	r = read_bit(text, &bit);
	free(text);
	if (r < 0)
		return rt_fail(err, r, PMU "/format/retprobe: not \"config:N\"");
	pmu->return_bit = 1ull << bit;
	if (rt_read_file(PMU "/format/ref_ctr_offset", &text) < 0)
		return 0;
	if (read_bit(text, &bit) == 0)
		pmu->semaphore = (uint8_t)bit;
	free(text);
	return 0;
}

static struct rt_perf_attr probe_attr(const struct pmu *pmu,
				      const struct rt_attach_request *request,
				      const struct rt_site *probe, char path[64])
{
	return (struct rt_perf_attr){
		.type = pmu->type,
		.size = sizeof(struct rt_perf_attr),
		.sample_period = 1,
		.flags = RT_PERF_DISABLED,
		.config = (probe->kind == RT_SITE_RETURN ? pmu->return_bit : 0) |
			  (pmu->semaphore ? (uint64_t)rt_site_semaphore(probe) << pmu->semaphore
					  : 0),
		.config1 = (uint64_t)(uintptr_t)rt_perf_probes_path(
			&request->functions->v[probe->function], path),
		.config2 = rt_attach_place(request->functions, probe),
	};
}

/* For thread `tid`, by which the kernel is to know the request's only process. */
static int add_for(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned id,
		   const struct rt_perf_attr *attr, pid_t tid, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	int prog = rt_bpf_side_load(&p->side, request, probe->plan, RT_KEY_CONSTANT, id, 0, err);

	return prog < 0 ? prog
			: rt_perf_probes_add(p, attr, RT_PID(tid), prog,
					     request->functions->v[probe->function].name, err);
}

static int add_probe(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned id,
		     const void *how, struct rt_error *err)
{
	char path[64];
	struct rt_perf_attr attr = probe_attr(how, request, &request->sites[id], path);
	struct rt_attach_request one = *request;
	unsigned i;
	int r = 0;

	if (rt_reach_is_open(request->reach))
		return add_for(p, request, id, &attr, -1, err);
	/*
	 * Each event is a probe of its own, and where two stand at one place the kernel runs the
	 * programs of both at a return, whosever it is: so each process has its program.
	 */
	for (i = 0; i < request->pids->n && r == 0; i++) {
		one.pids = RT_PID(request->pids->v[i]);
		r = add_for(p, &one, id, &attr, request->pids->v[i], err);
	}
	/* From 6.16, and where that was taken over, cap_perfmon is not enough (CVE-2025-38466). */
	if (r == -EACCES)
		return rt_fail(err, r, "%s: the uprobe PMU takes cap_sys_admin here; try%s",
			       request->functions->v[request->sites[id].function].name,
			       request->gate ? ": sudo rawtrace ..." : " --attach=event");
	return r;
}

/*
 * At returns the former event's program continues as soon as there are breakpoints, since there the
 * kernel asks for no process: a second one would tell each return twice.  Elsewhere it asks, and
 * finds the thread that is gone.
 */
static int add_thread(struct rt_perf_probes *p, const struct rt_attach_request *request,
		      unsigned id, const void *how, pid_t tid, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	char path[64];
	struct rt_perf_attr attr = probe_attr(how, request, probe, path);

	p->function = probe->function;
	if (probe->kind == RT_SITE_RETURN)
		return rt_perf_probes_add_filter(p, &attr, rt_pids_first(request->pids), tid, err);
	return add_for(p, request, id, &attr, tid, err);
}

static int pmu_add(struct rt_attach *attach, const struct rt_attach_request *request,
		   enum rt_add_reason why, pid_t tid, struct rt_error *err)
{
	struct pmu pmu = { 0 };
	int kind, r = pmu_read(&pmu, err);
	unsigned i;

	(void)why;
	if (((struct rt_perf_probes *)attach)->reach != RT_REACH_PROCESSES)
		return 0;
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (i = 0; i < request->nsites && r == 0; i++)
			if ((int)request->plans[request->sites[i].plan].kind == kind)
				r = add_thread((struct rt_perf_probes *)attach, request, i, &pmu,
					       tid, err);
	return r;
}

static int pmu_open(const struct rt_attach_request *request, struct rt_attach **attach,
		    struct rt_error *err)
{
	struct rt_perf_probes *p;
	struct pmu pmu = { 0 };
	int r;

	r = pmu_read(&pmu, err);
	if (r < 0)
		return r;
	p = rt_perf_probes_new(&rt_attach_pmu, request, false, &r, err);
	if (p)
		p->attach.arms = pmu.semaphore;
	return p ? rt_perf_probes_all(p, request, add_probe, &pmu, attach, err) : r;
}

const struct rt_attach_ops rt_attach_pmu = {
	.name = "pmu",
	.help = "the uprobe PMU, one descriptor a probe (4.17)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_ID,
	.plans = RT_PLANS_ANY,
	.open = pmu_open,
	.add = pmu_add,
	.add_from = RT_ADD_ENDED,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};
