/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emulation is detected without a clock: a single-stepped instruction makes the kernel map
 * [uprobes] into the process, an emulated one does not. The child ends by itself, as removing
 * probes waits for RCU. It closes probes of the PMU only by ending, because each close takes
 * event_mutex for 0.1 s.
 *
 * The first uprobe_multi link after a while waits 8 to 16 ms for RCU (rcu_sync_enter() below
 * register_for_each_vma()); others made soon after it do not. So the child makes its link when it
 * begins, and rawtrace reads files and makes its rings meanwhile. Probes of the PMU would be slow
 * to remove: the child makes them when it is asked.
 */
#include "attach/calibrate.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/sample.h"
#include "attach/emulations.h"
#include "attach/perf_probe.h"
#include "emit/bpf.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "plan/place.h"
#include "stream/addrmap.h"

/* ---- asking ---- */

enum { SAMPLES = RT_FORMS };

enum { UNKNOWN, EMULATED, STEPPED };

enum question { NO_QUESTION, ASK_EMULATED, ASK_TIMES, RELEASE };

/* the child's answer */
struct answer {
	uint32_t emulated, push_ns, return_ns;
	bool return_stepped;
};

struct places {
	const struct rt_sample *sample[SAMPLES];	/* those that may be probed here */
	void (*ret)(void);
	uint64_t offset[SAMPLES + 1];	/* the last one of the return, where there is one */
	unsigned n, all;
};

static bool can_be_probed(const struct rt_sample *sample, const struct rt_arch *arch,
			  enum rt_nops nops)
{
	enum { SAMPLE = 16 };	/* as they are aligned, and longer than each */

	return !arch->refuses((const uint8_t *)(uintptr_t)sample->code, SAMPLE, nops);
}

static int find_places(struct places *p, const struct rt_arch *arch, enum rt_nops nops)
{
	const struct rt_samples *samples = arch->samples;
	const struct rt_sample *s = samples ? samples->forms : NULL;
	struct rt_addrmap *map = rt_addrmap_new();
	uint64_t ino;
	int r;

	if (!map)
		return -ENOMEM;
	r = rt_addrmap_read(map, getpid());
	for (p->n = 0; r == 0 && s && s->code; s++) {
		if (!can_be_probed(s, arch, nops))
			continue;
		p->sample[p->n] = s;
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)s->code, &ino,
				    &p->offset[p->n++]);
	}
	p->all = p->n;
	p->ret = samples ? samples->ret : NULL;
	if (r == 0 && p->ret)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)p->ret, &ino,
				    &p->offset[p->all++]);
	rt_addrmap_free(map);
	return r < 0 ? r : p->n ? 0 : -EOPNOTSUPP;
}

/* ---- the child ---- */

/* In a longer trace the grace period is over long before its end. */
enum { SHORT_TRACE_MS = 1000 };

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
			.path = (uint64_t)(uintptr_t)"/proc/self/exe",
			.offsets = (uint64_t)(uintptr_t)p->offset,
			.cnt = p->all,
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

static int attach_pmu(const struct places *p, bool times)
{
	struct rt_perf_attr attr = {
		.size = sizeof(attr), .sample_period = 1, .flags = RT_PERF_DISABLED,
		.config1 = (uint64_t)(uintptr_t)"/proc/self/exe",
	};
	unsigned i;
	int fd, r;

	r = rt_uprobe_pmu_type(&attr.type);
	for (i = 0; i < (times ? p->all : p->n) && r == 0; i++) {
		if (i < p->n && !p->sample[i]->older_form)
			continue;
		attr.config2 = p->offset[i];
		fd = rt_perf_open(&attr, getpid(), -1);
		r = fd < 0 ? fd : ioctl(fd, RT_PERF_IOC_ENABLE, 0) != 0 ? -errno : 0;
	}
	return r;
}

static uint8_t first_byte(void (*code)(void))
{
	return *(const volatile uint8_t *)(uintptr_t)code;
}

static bool is_there(void (*code)(void))
{
	return first_byte(code) == 0xcc;
}

/* Has this process single-stepped anything?  UNKNOWN where that cannot be read. */
static int has_stepped(void)
{
	char *text;
	int result;

	if (rt_read_file("/proc/self/maps", &text) < 0)
		return UNKNOWN;
	result = strstr(text, "[uprobes]\n") ? STEPPED : EMULATED;
	free(text);
	return result;
}

/* Call all samples, and look whether one was single-stepped. */
static int try_samples(const struct places *p)
{
	void (*volatile call)(void);
	unsigned i;

	for (i = 0; i < p->n; i++) {
		call = p->sample[i]->code;
		call();
	}
	return has_stepped();
}

static int try_in_child(void (*volatile call)(void))
{
	uint8_t byte = first_byte(call);
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (first_byte(call) != byte)
			_exit(UNKNOWN);
		call();
		_exit(has_stepped());
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : UNKNOWN;
}

/*
 * One call in a process that has not single-stepped anything yet: the area is not copied to a
 * child.  The probe is, but no filter asks for it: when another rawtrace removes its own from the
 * same place, the kernel takes the child's with it (register_for_each_vma).
 */
static int try_alone(void (*code)(void))
{
	enum { TRIES = 5 };
	int i, result = UNKNOWN;

	for (i = 0; i < TRIES && result == UNKNOWN; i++)
		result = try_in_child(code);
	return result;
}

/* All together, as mostly all are emulated; else one by one. */
static uint32_t measure(const struct places *p, bool old)
{
	bool probed[SAMPLES], all;
	uint32_t emulated = 0;
	unsigned i;

	/*
	 * Before the calls: a kernel may make more than a breakpoint of what is hit (a 10-byte nop,
	 * 7.2).
	 */
	for (i = 0; i < p->n; i++)
		probed[i] = is_there(p->sample[i]->code);
	all = try_samples(p) == EMULATED;
	for (i = 0; i < p->n; i++)
		if (probed[i] && (all || try_alone(p->sample[i]->code) == EMULATED))
			emulated |= RT_FORM_BIT(p->sample[i]->form) |
				    (old ? p->sample[i]->older_form : 0);
	return emulated;
}

/*
 * The time of one call with a probe on its first instruction: the least of some rounds, as other
 * processes may run in between.
 */
static uint32_t time_calls(void (*volatile call)(void))
{
	enum { ROUNDS = 20, CALLS = 16 };
	uint64_t least = UINT32_MAX, began, took;
	unsigned i, k;

	for (i = 0; i < ROUNDS; i++) {
		began = rt_now();
		for (k = 0; k < CALLS; k++)
			call();
		took = (rt_now() - began) / CALLS;
		least = took < least ? took : least;
	}
	return (uint32_t)least;
}

/* The first sample is push. */
static void measure_times(const struct places *p, struct answer *a)
{
	if (p->all == p->n || !is_there(p->ret))
		return;
	a->push_ns = time_calls(p->sample[0]->code);
	a->return_stepped = try_alone(p->ret) == STEPPED;
	a->return_ns = time_calls(p->ret);
}

/* The next question; NO_QUESTION after `timeout` ms (-1: wait for one). */
static enum question next_question(int socket, int timeout)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	uint8_t question;
	int r;

	do {
		r = poll(&p, 1, timeout);
	} while (r < 0 && errno == EINTR);
	if (r == 0)
		return NO_QUESTION;
	return r == 1 && recv(socket, &question, 1, 0) == 1 ? (enum question)question : RELEASE;
}

/*
 * The probes stay until the trace removes its own.  Who removes a probe waits for a whole grace
 * period of RCU (tasks trace, 50 ms).  If ours had begun one, a short trace would wait for the rest
 * of it and for one more.
 */
static void __attribute__((noreturn))
child_main(const struct places *p, const struct rt_pins *pins, int socket)
{
	int link = attach_link(p);
	bool old = link < 0;
	enum question q = next_question(socket, -1);
	struct answer a = { 0 };

	if (q == ASK_EMULATED || q == ASK_TIMES) {
		if (old && attach_pmu(p, q == ASK_TIMES) < 0)
			_exit(1);
		a.emulated = measure(p, old);
		if (q == ASK_TIMES)
			measure_times(p, &a);
		if (send(socket, &a, sizeof(a), MSG_NOSIGNAL) != (ssize_t)sizeof(a))
			_exit(1);
	}
	if (q != RELEASE)
		q = next_question(socket, old ? -1 : SHORT_TRACE_MS);
	if (!old && q == RELEASE)
		rt_pins_add(pins, link);
	_exit(0);
}

/* In the child: signals are for rawtrace, which ends it. */
static void hide(void)
{
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "rt-calibrate");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

/* ---- we ---- */

void rt_calibration_begin(enum rt_nops nops, const struct rt_pins *pins, struct rt_calibration *c)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	struct places places;
	int ends[2];

	memset(c, 0, sizeof(*c));
	if (!arch || find_places(&places, arch, nops) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	c->pid = fork();
	if (c->pid == 0) {
		hide();
		close(ends[0]);
		child_main(&places, pins, ends[1]);
	}
	close(ends[1]);
	c->socket = ends[0];
	if (c->pid > 0)
		return;
	close(c->socket);
	c->pid = 0;
}

static bool put(const struct rt_calibration *c, enum question q)
{
	uint8_t question = (uint8_t)q;

	return c->pid && !c->released && send(c->socket, &question, 1, MSG_NOSIGNAL) == 1;
}

static uint32_t ask(struct rt_calibration *c, enum question q)
{
	struct answer a = { 0 };

	c->asked = true;
	if (!put(c, q) || recv(c->socket, &a, sizeof(a), MSG_WAITALL) != (ssize_t)sizeof(a))
		memset(&a, 0, sizeof(a));
	c->measured = a.emulated != 0;
	c->emulated = a.emulated;
	c->costs.push_ns = a.push_ns;
	c->costs.return_ns = a.return_ns;
	c->costs.return_stepped = a.return_stepped;
	return a.emulated;
}

uint32_t rt_calibrate(enum rt_nops nops, bool times, struct rt_calibration *c)
{
	static const struct rt_pins none = { .fs = -1 };

	rt_calibration_begin(nops, &none, c);
	return ask(c, times ? ASK_TIMES : ASK_EMULATED);
}

void rt_calibration_release(struct rt_calibration *c)
{
	put(c, RELEASE);
	c->released = true;
}

void rt_calibration_end(struct rt_calibration *c)
{
	if (!c->pid)
		return;
	rt_calibration_release(c);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(c->socket);
	c->pid = 0;
}

/* Ask the child that there is, or a new one if that is gone, and only once. */
static uint32_t find_emulated(struct rt_calibration *c, enum rt_nops nops, bool times)
{
	if (c->asked)
		return c->emulated;
	if (c->unused)
		rt_calibration_end(c);
	return c->pid ? ask(c, times ? ASK_TIMES : ASK_EMULATED)
		      : rt_calibrate(nops, times, c);
}

int rt_place_cheaply(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     struct rt_sites *sites, bool ask, bool costs, struct rt_calibration *c,
		     struct rt_error *err)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&traced->program));
	bool helps = rt_place_first(wanted, traced, sites);
	uint32_t emulated = 0;

	if (arch->form && arch->machine == rt_arch_native() && ask && (helps || costs)) {
		emulated = find_emulated(c, traced->program.nops, costs);
		if (emulated && helps)
			rt_place_measured(wanted, traced, sites, emulated);
	} else if (!c->asked && !c->unused) {
		c->unused = put(c, NO_QUESTION);
	}
	if (arch->emulation && ask && rt_place_is_stepped(sites, emulated) &&
	    rt_emulations_ask() == 0)
		rt_place_for_programs(wanted, traced, sites, emulated);
	return rt_place_check_files(traced, sites, err);
}
