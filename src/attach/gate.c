/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/gate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "emit/gate.h"
#include "kernel/sys.h"

static int open_events(struct rt_gate *g, const struct rt_pids *pids)
{
	const struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = RT_PERF_COUNT_SW_DUMMY,
		.flags = RT_PERF_PINNED,
	};
	uint32_t i;
	int r = 0;

	for (i = 0; i < pids->n && r == 0; i++) {
		g->fds[i] = rt_perf_open(&attr, pids->v[i], -1);
		if (g->fds[i] < 0)
			return g->fds[i];
		g->n = i + 1;
		r = rt_bpf_map_update(g->events, &i, &g->fds[i]);
	}
	return r;
}

static int load(struct rt_gate *g, const struct rt_pids *pids, struct rt_error *err)
{
	int fds[RT_MAPS], r;
	struct rt_pid_space space = rt_pid_space_own();
	struct rt_bpf bpf;

	memset(fds, -1, sizeof(fds));
	fds[RT_MAP_EVENTS] = g->events;
	fds[RT_MAP_GATE] = g->map;
	rt_bpf_init(&bpf);
	rt_gate_emit(pids, &space, &bpf);
	r = rt_bpf_finish(&bpf, fds, err);
	if (r == 0)
		g->program = r = rt_bpf_prog_load_raw(bpf.insns, bpf.n);
	rt_bpf_free(&bpf);
	return r < 0 ? r : 0;
}

int rt_gate_open(struct rt_gate *g, const struct rt_pids *pids, struct rt_error *err)
{
	int r;

	*g = (struct rt_gate){ .open = true, .map = -1, .events = -1, .program = -1, .link = -1 };
	g->map = r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	if (r >= 0)
		g->events = r = rt_bpf_map_create(RT_BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, pids->n,
						  0);
	if (r >= 0)
		r = open_events(g, pids);
	if (r >= 0)
		r = load(g, pids, err);
	if (r >= 0)
		g->link = r = rt_bpf_raw_tracepoint("sched_process_exec", g->program);
	if (r >= 0)
		return 0;
	return rt_fail(err, r,
		       "user %u: may not trace: setuid programs are not recognized: %s; try: sudo "
		       "rawtrace ...",
		       (unsigned)getuid(), strerror(-r));
}

pid_t rt_gate_closed_by(const struct rt_gate *g)
{
	uint32_t key = 0;
	uint64_t pid = 0;

	return g->open && rt_bpf_map_lookup(g->map, &key, &pid) == 0 ? (pid_t)pid : 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void rt_gate_close(struct rt_gate *g)
{
	unsigned i;

	if (!g->open)
		return;
	close_one(g->link);
	close_one(g->program);
	close_one(g->events);
	close_one(g->map);
	for (i = 0; i < g->n; i++)
		close(g->fds[i]);
	g->open = false;
}
