/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "emit/follow.h"
#include "kernel/pid_space.h"
#include "kernel/sys.h"
#include "kernel/tracefs.h"
#include "stream/tracefs_page.h"

#define NEWTASK "events/task/task_newtask/"

static int read_field(const struct rt_format *format, const char *name, uint16_t *offset,
		      uint16_t *size, struct rt_error *err)
{
	const struct rt_field *field = rt_format_field(format, name);

	if (!field)
		return rt_fail(err, -EOPNOTSUPP, NEWTASK "format: no field '%s'", name);
	*offset = field->offset;
	*size = field->size;
	return 0;
}

static int read_newtask(struct rt_newtask *newtask, unsigned *id, struct rt_error *err)
{
	struct rt_format format = { .id = 0 };
	struct rt_tracefs tracefs;
	uint16_t pid_size;
	char *text;
	int r;

	r = rt_tracefs_find(&tracefs, err);
	if (r < 0)
		return r;
	r = rt_tracefs_read(&tracefs, NEWTASK "format", &text);
	if (r < 0)
		return rt_fail(err, r == -ENOENT ? -EOPNOTSUPP : r, "%s/" NEWTASK "format: %s",
			       tracefs.root, strerror(-r));
	r = rt_format_parse(text, NEWTASK "format", &format, err);
	free(text);
	if (r == 0)
		r = read_field(&format, "pid", &newtask->pid, &pid_size, err);
	if (r == 0)
		r = read_field(&format, "clone_flags", &newtask->clone_flags, &newtask->flags_size,
			       err);
	*id = format.id;
	rt_format_free(&format);
	return r;
}

static int load_newtask(struct rt_followed *f, const struct rt_newtask *newtask,
			struct rt_error *err)
{
	int fds[RT_MAPS], r;
	struct rt_bpf bpf;

	memset(fds, -1, sizeof(fds));
	fds[RT_MAP_FOLLOWED] = f->map;
	rt_bpf_init(&bpf);
	rt_follow_emit(newtask, &bpf);
	r = rt_bpf_finish(&bpf, fds, err);
	if (r == 0) {
		f->program = r = rt_bpf_prog_load_tracepoint(bpf.insns, bpf.n);
		if (r < 0)
			rt_fail(err, r == -EINVAL ? -EOPNOTSUPP : r,
				"loading a BPF program for task_newtask%s: %s",
				r == -EINVAL ? " (before 4.7)" : "", strerror(-r));
		r = r == -EINVAL ? -EOPNOTSUPP : r;
	}
	rt_bpf_free(&bpf);
	return r < 0 ? r : 0;
}

/* The program of an event on one CPU runs on each: it is the tracepoint's. */
static int attach(struct rt_followed *f, unsigned id, struct rt_error *err)
{
	const struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.flags = RT_PERF_DISABLED,
	};
	int *cpus, n = rt_cpus_online(&cpus);

	if (n <= 0)
		return rt_fail(err, n ? n : -ENODEV, "/sys/devices/system/cpu/online: %s",
			       strerror(n ? -n : ENODEV));
	f->event = rt_perf_open(&attr, -1, cpus[0]);
	free(cpus);
	if (f->event < 0)
		return rt_fail(err, f->event, "task_newtask: perf_event_open: %s",
			       strerror(-f->event));
	if (ioctl(f->event, RT_PERF_IOC_SET_BPF, f->program) != 0)
		return rt_fail(err, errno == EEXIST ? -EOPNOTSUPP : -errno,
			       "task_newtask: putting the BPF program on it: %s", strerror(errno));
	return 0;
}

static int follow_by_tracefs(struct rt_followed *f, struct rt_error *err)
{
	struct rt_newtask newtask;
	unsigned id = 0;
	int r = read_newtask(&newtask, &id, err);

	if (r == 0)
		r = load_newtask(f, &newtask, err);
	return r < 0 ? r : attach(f, id, err);
}

/* Load the program `bpf`, put it on the raw tracepoint `name`, and free it. */
static int put_on(const struct rt_followed *f, struct rt_bpf *bpf, const char *name, int *program,
		  int *event, struct rt_error *err)
{
	int fds[RT_MAPS], r;

	memset(fds, -1, sizeof(fds));
	fds[RT_MAP_FOLLOWED] = f->map;
	r = rt_bpf_finish(bpf, fds, err);
	if (r == 0) {
		*program = r = rt_bpf_prog_load_raw(bpf->insns, bpf->n);
		if (r >= 0)
			*event = r = rt_bpf_raw_tracepoint(name, *program);
		if (r < 0)
			rt_fail(err, r, "a BPF program on the raw tracepoint %s: %s", name,
				strerror(-r));
	}
	rt_bpf_free(bpf);
	return r < 0 ? r : 0;
}

/*
 * task:task_newtask has ids of the host, which a PID namespace does not know, and containers have
 * no tracefs.  Exits first: a task that ended unseen would leave its address to a stranger.
 */
static int follow_tasks(struct rt_followed *f, const struct rt_pid_space *space,
			struct rt_error *err)
{
	struct rt_bpf bpf;
	int r;

	rt_bpf_init(&bpf);
	rt_follow_emit_task_exit(&bpf);
	r = put_on(f, &bpf, "sched_process_exit", &f->exit_program, &f->exit_event, err);
	if (r < 0)
		return r;
	rt_bpf_init(&bpf);
	rt_follow_emit_task(space, &bpf);
	return put_on(f, &bpf, "task_newtask", &f->program, &f->event, err);
}

int rt_followed_open(struct rt_followed *f, const struct rt_pids *pids, struct rt_error *err)
{
	const struct rt_pid_space space = rt_pid_space_own();
	unsigned i;
	int r;

	*f = (struct rt_followed){ .map = -1, .program = -1, .event = -1, .exit_program = -1,
				   .exit_event = -1 };
	f->map = rt_bpf_map_create(RT_BPF_MAP_TYPE_HASH, sizeof(uint64_t), sizeof(uint64_t),
				   RT_FOLLOWED_MOST, 0);
	if (f->map < 0)
		return rt_fail(err, f->map == -ENOSYS ? -EOPNOTSUPP : f->map,
			       "creating a BPF map: %s", strerror(-f->map));
	r = rt_followed_add(f, 0);
	for (i = 0; i < pids->n && r == 0; i++)
		r = rt_followed_add(f, pids->v[i]);
	if (r < 0)
		return rt_fail(err, r, "the list of followed processes: %s", strerror(-r));
	return space.ino ? follow_tasks(f, &space, err) : follow_by_tracefs(f, err);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void rt_followed_close(struct rt_followed *f)
{
	close_one(&f->event);
	close_one(&f->program);
	close_one(&f->exit_event);
	close_one(&f->exit_program);
	close_one(&f->map);
}

int rt_followed_add(const struct rt_followed *f, pid_t pid)
{
	uint64_t key = (uint64_t)pid;
	uint64_t value = 0;

	return rt_bpf_map_update(f->map, &key, &value);
}

void rt_followed_remove(const struct rt_followed *f, pid_t pid)
{
	uint64_t key = (uint64_t)pid;

	rt_bpf_map_delete(f->map, &key);
}

uint64_t rt_followed_missed(const struct rt_followed *f)
{
	uint64_t key = 0, missed;

	return rt_bpf_map_lookup(f->map, &key, &missed) == 0 ? missed : 0;
}
