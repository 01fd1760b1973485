/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's floor: what a probed call costs before anything is done with it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "plan/sites.h"
#include "base/array.h"

/* r0 = 0; exit */
static const struct rt_bpf_insn empty[] = { { .code = 0xb7 }, { .code = 0x95 } };

static int attach_multi(const char *path, uint64_t offset, pid_t pid, bool ret)
{
	struct rt_bpf_link_attr attr = {
		.attach_type = RT_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = {
			.path = (uint64_t)(uintptr_t)path,
			.offsets = (uint64_t)(uintptr_t)&offset, .cnt = 1,
			.flags = ret ? RT_BPF_F_UPROBE_MULTI_RETURN : 0, .pid = (uint32_t)pid,
		},
	};
	int prog = rt_bpf_prog_load(empty, RT_COUNT(empty), RT_BPF_TRACE_UPROBE_MULTI, NULL, 0),
	    link;

	if (prog < 0)
		return prog;
	attr.prog_fd = (uint32_t)prog;
	link = rt_bpf_link_create(&attr);
	close(prog);
	return link;
}

static int attach_pmu(const char *path, uint64_t offset, pid_t pid, bool ret)
{
	struct rt_perf_attr attr = {
		.size = sizeof(attr), .sample_period = 1, .flags = RT_PERF_DISABLED, .config = ret,
		.config1 = (uint64_t)(uintptr_t)path, .config2 = offset,
	};
	int prog, fd, r;
	char *text;

	r = rt_read_file("/sys/bus/event_source/devices/uprobe/type", &text);
	if (r < 0)
		return r;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	free(text);
	prog = rt_bpf_prog_load(empty, RT_COUNT(empty), 0, NULL, 0);
	if (prog < 0)
		return prog;
	fd = rt_perf_open(&attr, pid, -1);
	if (fd >= 0 &&
	    (ioctl(fd, RT_PERF_IOC_SET_BPF, prog) != 0 || ioctl(fd, RT_PERF_IOC_ENABLE, 0) != 0)) {
		r = -errno;
		close(fd);
		fd = r;
	}
	close(prog);
	return fd;
}

static int attach(enum floor floor, const struct rt_function *f, pid_t pid, bool ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(f->image));
	return floor == FLOOR_MULTI ? attach_multi(path, f->offset, pid, ret)
				    : attach_pmu(path, f->offset, pid, ret);
}

/* The very place that rawtrace probes, by its own search. */
static int floor_of(const struct bench *bench, enum floor floor, const struct rt_function *f,
		    bool returns, double *ns, struct rt_error *err)
{
	char calls[24], *argv[] = { (char *)bench->loop, calls, NULL };
	int fds[2] = { -1, -1 }, r;
	struct child child;
	struct run run;

	snprintf(calls, sizeof(calls), "%ld", bench->calls);
	r = child_start(&child, argv);
	if (r < 0)
		return rt_fail(err, r, "%s: %s", argv[0], strerror(-r));
	fds[1] = returns ? attach(floor, f, child.pid, true) : 0;
	fds[0] = attach(floor, f, child.pid, false);
	r = child_run(&child, bench->seconds, &run);
	if (fds[0] < 0 || fds[1] < 0)
		r = rt_fail(err, -EOPNOTSUPP, "no BPF program on a uprobe here: %s",
			    strerror(-(fds[0] < 0 ? fds[0] : fds[1])));
	else if (r < 0)
		rt_fail(err, r, "%s, with an empty BPF program: %s", argv[0], strerror(-r));
	*ns = r < 0 ? 0 : run.numbers[1];
	if (fds[0] >= 0)
		close(fds[0]);
	if (returns && fds[1] >= 0)
		close(fds[1]);
	return r;
}

int floor_run(const struct bench *bench, enum floor floor, bool returns, double *ns,
	      struct rt_error *err)
{
	char *specs[] = { (char *)"hit" };
	struct rt_wanted wanted = { 0 };
	struct rt_traced traced;
	struct rt_sites sites;
	int r;

	r = rt_sites_resolve(&wanted, &traced, &sites, bench->loop, NULL, specs, 1, err);
	if (r == 0)
		r = floor_of(bench, floor, &sites.functions.v[0], returns, ns, err);
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}
