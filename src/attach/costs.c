/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The duration of a call has in it a part of its own probes' cost and all of the cost of the probes
 * inside it.  A clock around a loop of calls gives the sum of both parts of a call:
 *
 *	 entry: before | after   body   end: before | after
 *	               t0                           t1
 *
 * The records of the same calls give t1 - t0, which is entry.after + end.before for an empty body.
 * A function with an entry probe alone gives entry.before + entry.after.  One more equation is
 * missing; entry.before = entry.after is assumed.  It cancels out in the duration of each call, as
 * only sums of `after` of an entry and `before` of an end, and whole costs, are taken off.
 *
 * The round that took least counts: other work of the machine adds to the time, and
 * too high a cost would take the program's own time off.
 */
#include "attach/costs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/sample.h"
#include "attach/calibrate.h"
#include "attach/trial.h"
#include "base/array.h"
#include "kernel/pins.h"
#include "kernel/sys.h"

/* ---- the functions that are probed ---- */

enum { PUSH_RET, MOV_RET, PUSH_EXIT, PUSH_ALONE, SAMPLES };

/* NULL: this architecture has none. */
static const struct rt_samples *find_samples(void)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());

	return arch && arch->samples && arch->samples->move ? arch->samples : NULL;
}

static void list_samples(const struct rt_samples *samples, void (*v[SAMPLES])(void))
{
	v[PUSH_RET] = samples->push[0];
	v[MOV_RET] = samples->move;
	v[PUSH_EXIT] = samples->push[1];
	v[PUSH_ALONE] = samples->push[2];
}

/* ---- the child of the process that measures ---- */

enum { ROUNDS = 16, CALLS = 16, HITS = ROUNDS * CALLS * (2 * SAMPLES - 1) };

/* ns that CALLS calls took, by sample and round. */
typedef uint64_t loop_times[SAMPLES][ROUNDS];

static void __attribute__((noreturn)) call_samples(int go, loop_times *times)
{
	void (*samples[SAMPLES])(void), (*volatile call)(void);
	uint64_t began;
	unsigned round, k, i;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	list_samples(find_samples(), samples);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	for (round = 0; round < ROUNDS; round++) {
		for (k = 0; k < SAMPLES; k++) {
			call = samples[k];
			began = rt_now();
			for (i = 0; i < CALLS; i++)
				call();
			(*times)[k][round] = rt_now() - began;
		}
	}
	_exit(0);
}

/* ---- the records ---- */

struct hits {
	struct hit {
		uint64_t time;
		bool entry;
	} v[HITS];
	size_t n;
	pid_t pid;
};

static int take_hit(void *ctx, const struct rt_event *event)
{
	struct hits *h = ctx;

	if (event->type != RT_EV_HIT || (event->pid ? event->pid : event->tid) != h->pid)
		return 0;
	if (h->n < HITS)
		h->v[h->n] = (struct hit){ event->time, event->hit.plan == 0 };
	h->n++;
	return 0;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* The cost of a call of each sample, and t1 - t0, ns. */
struct figures {
	uint32_t call[SAMPLES], duration[SAMPLES];
};

/* Take the round in which the loop took least. */
static void take_round(struct figures *f, unsigned k, uint64_t loop, uint64_t durations)
{
	if (loop / CALLS >= f->call[k])
		return;
	f->call[k] = (uint32_t)(loop / CALLS);
	f->duration[k] = (uint32_t)(durations / CALLS);
}

/* False: hits were lost. */
static bool find_figures(struct hits *h, loop_times *times, struct figures *f)
{
	const struct hit *at = h->v;
	unsigned round, k, i;
	uint64_t sum;

	if (h->n != HITS)
		return false;
	qsort(h->v, h->n, sizeof(*h->v), compare_hits);
	memset(f, 0xff, sizeof(*f));
	for (round = 0; round < ROUNDS; round++) {
		for (k = 0; k < SAMPLES; k++) {
			bool alone = k == PUSH_ALONE;

			for (sum = i = 0; i < CALLS; i++, at += alone ? 1 : 2) {
				if (!at[0].entry || (!alone && at[1].entry))
					return false;
				sum += alone ? 0 : at[1].time - at[0].time;
			}
			take_round(f, k, (*times)[k][round], sum);
		}
	}
	return true;
}

/* A whole cost, of which `before` is one part. */
static struct rt_hit_cost split(uint32_t whole, uint32_t before)
{
	before = before < whole ? before : whole;
	return (struct rt_hit_cost){ before, whole - before };
}

static uint32_t less(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

static void find_costs(const struct figures *f, struct rt_probe_costs *c)
{
	c->entry = split(f->call[PUSH_ALONE], f->call[PUSH_ALONE] / 2);
	c->uretprobe = split(less(f->call[PUSH_RET], f->call[PUSH_ALONE]),
			     less(f->duration[PUSH_RET], c->entry.after));
	c->stepped_exit = split(less(f->call[PUSH_EXIT], f->call[PUSH_ALONE]),
				less(f->duration[PUSH_EXIT], c->entry.after));
	c->stepped_entry.after = less(f->duration[MOV_RET], c->uretprobe.before);
	c->stepped_entry.before =
		less(less(f->call[MOV_RET], c->uretprobe.before + c->uretprobe.after),
		     c->stepped_entry.after);
	/* An exit probe on a jump, which the kernel emulates as it does push. */
	c->exit = c->entry;
	c->known = f->call[PUSH_ALONE] != 0;
}

/* ---- the process that measures ---- */

/* The request, from rawtrace to its copy: the pointers are the same there. */
struct question {
	const struct rt_attach_ops *ops;
	const struct rt_ring_ops *ring;
	bool emulate;
};

/* Sites of an entry, a uretprobe and an exit probe have plans 0, 1 and 2. */
static unsigned make_sites(struct rt_site *sites)
{
	unsigned k, n = 0;

	for (k = 0; k < SAMPLES; k++) {
		sites[n++] = (struct rt_site){ .function = k, .plan = 0, .kind = RT_SITE_ENTRY };
		if (k == PUSH_EXIT)
			sites[n++] = (struct rt_site){ .function = k, .plan = 2,
						       .kind = RT_SITE_EXIT };
		else if (k != PUSH_ALONE)
			sites[n++] = (struct rt_site){ .function = k, .plan = 1,
						       .kind = RT_SITE_RETURN };
	}
	return n;
}

/* Let the child run with the probes in, and read its records. */
static bool trace_child(struct rt_attach *attach, pid_t pid, int go, struct hits *hits)
{
	const struct rt_event_handler handler = { take_hit, hits };
	struct rt_source *source = attach->source;
	struct rt_error err;
	int status = -1, r = 0;
	unsigned i;

	if (write(go, "g", 1) != 1)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	for (i = 0; i < source->ops->nfds(source) && r == 0; i++)
		r = source->ops->drain(source, i, &handler, &err);
	return r == 0 && status == 0;
}

/* True: `costs` are known.  The attach is the caller's to close. */
static bool measure(const struct question *q, struct rt_function *f, loop_times *times, pid_t pid,
		    int go, struct rt_attach **attach, struct rt_probe_costs *costs)
{
	const struct rt_functions functions = { .v = f, .n = SAMPLES, .cap = SAMPLES };
	const struct rt_arch *arch = rt_image_arch(f[0].image);
	struct rt_site sites[2 * SAMPLES];
	struct rt_plan plans[3];
	struct rt_pids pids = { .v = { pid }, .n = 1 };
	struct hits *hits = calloc(1, sizeof(*hits));
	struct figures figures;
	struct rt_error err;
	struct rt_attach_request request = {
		.pids = &pids,
		.functions = &functions,
		.plans = plans,
		.nplans = RT_COUNT(plans),
		.sites = sites,
		.nsites = make_sites(sites),
		.ring_bytes = 512 << 10,
		.ring = q->ring,
		.emulate = q->emulate,
		.program = f[0].image,
	};

	rt_plan_c_entry(arch, 1, &plans[0]);
	rt_plan_c_return(arch, &plans[1]);
	rt_plan_at_exit(&plans[1], RT_BY_RETURN, &plans[2]);
	if (!hits || q->ops->open(&request, attach, &err) < 0) {
		free(hits);
		return false;
	}
	hits->pid = pid;
	if (trace_child(*attach, pid, go, hits) && find_figures(hits, times, &figures))
		find_costs(&figures, costs);
	free(hits);
	return costs->known;
}

/* They are in our own file, for a child that has ended.  Our end frees their place. */
static void remove_probes(struct rt_attach *attach)
{
	struct rt_pins pins;

	rt_pins_open(&pins);
	if (attach->ops->leave)
		attach->ops->leave(attach, &pins);
	attach->ops->close(attach);
}

/* In the process that measures: the answer goes to `to` before the probes go. */
static void answer(const struct question *q, int to)
{
	loop_times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rt_function f[SAMPLES] = { { .name = NULL } };
	struct rt_exit exit = { .kind = RT_EXIT_RETURN };
	struct rt_probe_costs costs = { .known = false };
	struct rt_attach *attach = NULL;
	void (*samples[SAMPLES])(void);
	uint64_t at[SAMPLES];
	struct rt_error err;
	unsigned k;
	pid_t pid;
	int go[2];

	list_samples(find_samples(), samples);
	for (k = 0; k < SAMPLES; k++)
		at[k] = (uint64_t)(uintptr_t)samples[k];
	if (times == MAP_FAILED || rt_trial_functions(at, SAMPLES, f, &err) < 0 ||
	    pipe2(go, O_CLOEXEC) != 0)
		return;
	exit.offset = f[PUSH_EXIT].offset + find_samples()->push_return;
	exit.at.addr = exit.place.addr = f[PUSH_EXIT].addr + find_samples()->push_return;
	f[PUSH_EXIT].exits = (struct rt_exits){ .v = &exit, .n = 1, .cap = 1 };
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(to);
		call_samples(go[0], times);
	}
	close(go[0]);
	if (pid > 0)
		measure(q, f, times, pid, go[1], &attach, &costs);
	close(go[1]);
	if (write(to, &costs, sizeof(costs)) < 0)
		costs.known = false;
	if (attach)
		remove_probes(attach);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void __attribute__((noreturn)) run_worker(int from, int to)
{
	enum { PATIENCE_S = 20 };
	struct question q;

	prctl(PR_SET_NAME, "rt-costs");
	/* A ^C at the terminal ends the trace, not the removal of these probes. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (read(from, &q, sizeof(q)) != (ssize_t)sizeof(q))
		_exit(0);
	alarm(PATIENCE_S);
	answer(&q, to);
	_exit(0);
}

/* ---- rawtrace ---- */

void rt_costs_begin(struct rt_costs_worker *w)
{
	int to[2], from[2];

	memset(w, 0, sizeof(*w));
	if (!find_samples() || pipe2(to, O_CLOEXEC) != 0)
		return;
	if (pipe2(from, O_CLOEXEC) != 0) {
		close(to[0]);
		close(to[1]);
		return;
	}
	w->pid = fork();
	if (w->pid == 0) {
		close(to[1]);
		close(from[0]);
		run_worker(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	if (w->pid > 0)
		return;
	close(w->to);
	close(w->from);
	w->pid = 0;
}

void rt_costs_measure(struct rt_costs_worker *w, const struct rt_attach_ops *ops,
		      const struct rt_ring_ops *ring, bool emulate, struct rt_probe_costs *costs)
{
	enum { PATIENCE_MS = 2000 };
	const struct question q = { ops, ring, emulate };
	struct pollfd fd = { .fd = w->from, .events = POLLIN };

	memset(costs, 0, sizeof(*costs));
	if (!w->pid || write(w->to, &q, sizeof(q)) != (ssize_t)sizeof(q) ||
	    poll(&fd, 1, PATIENCE_MS) != 1 ||
	    read(w->from, costs, sizeof(*costs)) != (ssize_t)sizeof(*costs))
		costs->known = false;
}

void rt_costs_end(struct rt_costs_worker *w)
{
	if (!w->pid)
		return;
	close(w->to);
	close(w->from);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}
