/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call takes in the perf ring, by the kernel's own write positions. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "target.h"

/* Few enough that nothing wraps or is lost, enough that the records which tell of the process hardly count. */
enum { CALLS = 4000 };

/* The sum of the write positions of all perf rings that this process has mapped: rawtrace's own library did that. */
static uint64_t heads(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	uint64_t start, sum = 0;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "anon_inode:[perf_event]") || sscanf(line, "%" SCNx64, &start) != 1)
			continue;
		sum += __atomic_load_n(&((struct perf_event_mmap_page *)(uintptr_t)start)->data_head, __ATOMIC_ACQUIRE);
	}
	if (file)
		fclose(file);
	return sum;
}

static int attach_and_count(const struct rt_attach_ops *ops, const struct rt_attach_request *request,
			    struct child *child, unsigned seconds, double *bytes, struct rt_error *err)
{
	struct rt_attach *attach;
	struct run run;
	int r;

	r = ops->open(request, &attach, err);
	if (r < 0) {
		child_drop(child);
		return r;
	}
	r = child_run(child, seconds, &run);
	if (r < 0)
		rt_fail(err, r, "the traced loop: %s", strerror(-r));
	*bytes = (double)heads() / CALLS;
	ops->close(attach);
	return r;
}

int bytes_run(const struct bench *bench, const struct rt_attach_ops *ops, double *bytes, struct rt_error *err)
{
	char calls[16], *specs[] = { (char *)"hit" }, *argv[] = { (char *)bench->loop, calls, NULL };
	struct rt_attach_request request = { 0 };
	struct rt_target target;
	struct child child;
	int r;

	snprintf(calls, sizeof(calls), "%d", CALLS);
	r = rt_target_resolve(&target, bench->loop, 0, specs, 1, err);
	if (r < 0)
		goto out;
	r = child_start(&child, argv);
	if (r < 0) {
		rt_fail(err, r, "%s: %s", argv[0], strerror(-r));
		goto out;
	}
	request = (struct rt_attach_request){
		.pid = child.pid, .functions = &target.functions, .plans = target.plans, .nplans = target.nplans,
		.probes = target.probes, .nprobes = target.nprobes, .program = target.images.v[0],
	};
	r = attach_and_count(ops, &request, &child, bench->seconds, bytes, err);
out:
	rt_target_free(&target);
	return r;
}
