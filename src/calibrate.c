/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibrate.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/perf_probe.h"
#include "calibrate_samples.h"
#include "emit/bpf.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "stream/addrmap.h"

enum { SAMPLES = RT_FORMS };

enum { UNKNOWN, EMULATED, STEPPED };

struct places {
	uint64_t offset[SAMPLES];
	unsigned n;
};

static int find_places(struct places *p)
{
	struct rt_addrmap *map = rt_addrmap_new();
	uint64_t ino;
	int r;

	if (!map)
		return -ENOMEM;
	r = rt_addrmap_read(map, getpid());
	for (p->n = 0; r == 0 && rt_samples[p->n].code; p->n++)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)rt_samples[p->n].code, &ino, &p->offset[p->n]);
	rt_addrmap_free(map);
	return r < 0 ? r : p->n ? 0 : -EOPNOTSUPP;
}

/* ---- the child ---- */

static int load_nothing(void)
{
	struct rt_bpf bpf;
	int r;

	rt_bpf_init(&bpf);
	rt_bpf_mov_imm(&bpf, 0, 0);
	rt_bpf_exit(&bpf);
	r = rt_bpf_finish(&bpf, NULL, NULL);
	if (r == 0)
		r = rt_bpf_prog_load(bpf.insns, bpf.n, RT_BPF_TRACE_UPROBE_MULTI, NULL, 0);
	rt_bpf_free(&bpf);
	return r;
}

static int attach_link(const struct places *p)
{
	struct rt_bpf_link_attr attr = {
		.attach_type = RT_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = {
			.path = (uint64_t)(uintptr_t)"/proc/self/exe", .offsets = (uint64_t)(uintptr_t)p->offset, .cnt = p->n,
			.pid = (uint32_t)getpid(),
		},
	};
	int prog = load_nothing(), r;

	if (prog < 0)
		return prog;
	attr.prog_fd = (uint32_t)prog;
	r = rt_bpf_link_create(&attr);
	close(prog);
	return r;
}

static int attach_pmu(const struct places *p)
{
	struct rt_perf_attr attr = {
		.size = sizeof(attr), .sample_period = 1, .flags = RT_PERF_DISABLED,
		.config1 = (uint64_t)(uintptr_t)"/proc/self/exe",
	};
	unsigned i;
	int fd, r;

	r = rt_uprobe_pmu_type(&attr.type);
	for (i = 0; i < p->n && r == 0; i++) {
		if (!rt_samples[i].stands_for)
			continue;
		attr.config2 = p->offset[i];
		fd = rt_perf_open(&attr, getpid(), -1);
		r = fd < 0 ? fd : ioctl(fd, RT_PERF_IOC_ENABLE, 0) != 0 ? -errno : 0;
	}
	return r;
}

static bool is_probed(unsigned i)
{
	return *(const volatile uint8_t *)(uintptr_t)rt_samples[i].code == 0xcc;
}

/* Call the samples from `first` up to `last`, and look whether one was single-stepped. */
static int try_samples(unsigned first, unsigned last)
{
	void (*volatile call)(void);
	char *text;
	int result;

	for (; first < last; first++) {
		call = rt_samples[first].code;
		call();
	}
	if (rt_read_file("/proc/self/maps", &text) < 0)
		return UNKNOWN;
	result = strstr(text, "[uprobes]\n") ? STEPPED : EMULATED;
	free(text);
	return result;
}

/* One sample in a process that has not single-stepped anything yet: the area is not copied to a child. */
static int try_alone(unsigned i)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(try_samples(i, i + 1));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : UNKNOWN;
}

/* All together, as mostly all are emulated; else one by one. */
static uint32_t measure(const struct places *p, bool old)
{
	bool probed[SAMPLES], all;
	uint32_t emulated = 0;
	unsigned i;

	/* Before the calls: a kernel may make more than a breakpoint of what is hit (a 5-byte nop, 6.18). */
	for (i = 0; i < p->n; i++)
		probed[i] = is_probed(i);
	all = try_samples(0, p->n) == EMULATED;
	for (i = 0; i < p->n; i++)
		if (probed[i] && (all || try_alone(i) == EMULATED))
			emulated |= RT_FORM_BIT(rt_samples[i].form) | (old ? rt_samples[i].stands_for : 0);
	return emulated;
}

static void __attribute__((noreturn)) child_main(const struct places *p, int answer, int hold)
{
	uint32_t emulated;
	bool old = false;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "rt-calibrate");
	if (attach_link(p) < 0) {
		old = true;
		if (attach_pmu(p) < 0)
			_exit(1);
	}
	emulated = measure(p, old);
	if (write(answer, &emulated, sizeof(emulated)) != (ssize_t)sizeof(emulated))
		_exit(1);
	while (old && read(hold, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* ---- we ---- */

static uint32_t ask(const struct places *p, struct rt_calibration *c)
{
	int answer[2], hold[2];
	uint32_t emulated = 0;

	if (pipe2(answer, O_CLOEXEC) != 0)
		return 0;
	if (pipe2(hold, O_CLOEXEC) != 0) {
		close(answer[0]);
		close(answer[1]);
		return 0;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(answer[0]);
		close(hold[1]);
		child_main(p, answer[1], hold[0]);
	}
	close(answer[1]);
	close(hold[0]);
	c->hold = hold[1];
	if (c->pid < 0 || read(answer[0], &emulated, sizeof(emulated)) != (ssize_t)sizeof(emulated))
		emulated = 0;
	close(answer[0]);
	if (c->pid < 0) {
		close(c->hold);
		c->pid = 0;
	}
	c->told = emulated != 0;
	return emulated;
}

uint32_t rt_calibrate(const struct rt_arch *arch, struct rt_calibration *c)
{
	struct places places;

	memset(c, 0, sizeof(*c));
	if (arch->machine != rt_arch_native() || find_places(&places) < 0)
		return 0;
	return ask(&places, c);
}

void rt_calibration_end(struct rt_calibration *c)
{
	if (!c->pid)
		return;
	close(c->hold);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}
