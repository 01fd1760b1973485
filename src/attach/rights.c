/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CAP_PERFMON (5.8) is for perf events what CAP_SYS_ADMIN was, with two exceptions:
 * - Debian's kernels up to 5.10 have a patch that refuses all perf events to others
 *   (kernel.perf_event_paranoid is 3 there);
 * - the uprobe PMU wants CAP_SYS_ADMIN since the fix for CVE-2025-38466 (6.16, and stable kernels).
 * So a trace that may open such an event later has to keep it.
 */
#include "attach/rights.h"

#include <errno.h>
#include <unistd.h>

#include "attach/perf_probe.h"
#include "kernel/caps.h"
#include "kernel/sys.h"

static bool is_refused(const struct rt_perf_attr *attr)
{
	int fd = rt_perf_open(attr, getpid(), -1);

	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM;
}

static int try_event(void *ctx)
{
	const struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = RT_PERF_COUNT_SW_DUMMY,
		.flags = RT_PERF_DISABLED,
	};

	(void)ctx;
	return is_refused(&attr);
}

/* The kernel asks for rights before it looks for the file (perf_uprobe_event_init). */
static int try_pmu(void *ctx)
{
	struct rt_perf_attr attr = {
		.size = sizeof(attr),
		.flags = RT_PERF_DISABLED,
		.config1 = (uint64_t)(uintptr_t)"/proc/self/fd/-1",
	};

	(void)ctx;
	return rt_uprobe_pmu_type(&attr.type) < 0 || is_refused(&attr);
}

bool rt_attach_wants_admin(const struct rt_attach_ops *ops)
{
	if (rt_caps_try_without_admin(try_event, NULL) != 0)
		return true;
	return ops == &rt_attach_pmu && rt_caps_try_without_admin(try_pmu, NULL) != 0;
}
