/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Costs of filters for a call that they pass, and savings for a call that they drop, compared with
 * the same calls traced in full.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/sys.h"

enum { WAYS = 13, WHOLE = 0, DEEP = 9 };

/* The number of calls that a run of the loop makes of the two functions, and the number shown. */
static const struct way {
	const char *name, *option, *specs[2];
	const char *function;		/* what the loop calls */
	unsigned base;			/* beside which it is held */
	unsigned shown;			/* calls in the trace, for each of the loop's */
	bool other;			/* another process is traced */
} ways[WAYS] = {
	{ "in full", NULL, { "hit", NULL }, "hit", WHOLE, 1, false },
	{ "hit(int n == 1)", NULL, { "hit(int n == 1)", NULL }, "hit", WHOLE, 1, false },
	{ "--depth=1", "--depth=1", { "hit", NULL }, "hit", WHOLE, 1, false },
	{ "--only-under=hit", "--only-under=hit", { "hit", NULL }, "hit", WHOLE, 1, false },
	{ "--min-time=1ns", "--min-time=1ns", { "hit", NULL }, "hit", WHOLE, 1, false },
	{ "hit(int n == 2)", NULL, { "hit(int n == 2)", NULL }, "hit", WHOLE, 0, false },
	{ "--only-under=never", "--only-under=never", { "hit", NULL }, "hit", WHOLE, 0, false },
	{ "--min-time=100s", "--min-time=100s", { "hit", NULL }, "hit", WHOLE, 0, false },
	{ "-p of another", NULL, { "hit", NULL }, "hit", WHOLE, 0, true },
	{ "two in full", NULL, { "deep", "hit" }, "deep", DEEP, 2, false },
	{ "two, --depth=1", "--depth=1", { "deep", "hit" }, "deep", DEEP, 1, false },
	{ "two, time > 100s", NULL, { "deep(time > 100s)", "hit(time > 100s)" }, "deep", DEEP, 0,
	  false },
	{ "two, --why", "--why", { "deep(time > 100s)", "hit" }, "deep", DEEP, 0, false },
};

/* A call of the loop: of the program's time, and of rawtrace's own CPU time, ns. */
struct cost {
	double ns, own;
	long wrong; /* calls in the trace that should not be there, or the other way round, in the
		       worst run */
};

static double cpu_of(const struct rusage *u)
{
	return ((double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec) * 1e9 +
	       ((double)u->ru_utime.tv_usec + (double)u->ru_stime.tv_usec) * 1e3;
}

/* argv of rawtrace without what it is to run; returns how many there are. */
static unsigned arguments(const struct bench *b, const struct way *way, char *attach, char **argv)
{
	unsigned n = 0;

	argv[n++] = (char *)b->rawtrace;
	argv[n++] = attach;
	argv[n++] = (char *)"-o";
	argv[n++] = (char *)b->trace;
	if (way->option)
		argv[n++] = (char *)way->option;
	return n;
}

static int traced(const struct bench *b, const struct way *way, char *attach, long calls,
		  struct cost *cost, struct rt_error *err)
{
	char *argv[16], number[24];
	struct run run;
	unsigned n = arguments(b, way, attach, argv);
	int r;

	snprintf(number, sizeof(number), "%ld", calls);
	argv[n++] = (char *)b->loop;
	argv[n++] = (char *)way->specs[0];
	if (way->specs[1])
		argv[n++] = (char *)way->specs[1];
	argv[n++] = (char *)"--";
	argv[n++] = number;
	argv[n++] = (char *)way->function;
	argv[n] = NULL;
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why("rawtrace", r, err);
	cost->ns = run.numbers[1];
	cost->own = run.cpu - run.numbers[2];
	return 0;
}

/* ---- another process ---- */

static pid_t start(char *const argv[], int err)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(err >= 0 ? err : null, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(126);
}

/* Until `pid` says that its probes are in. */
static int await_probes(int fd, unsigned seconds)
{
	uint64_t until = rt_now() + seconds * UINT64_C(1000000000), now;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[4096];
	size_t n = 0;
	ssize_t got = 1;

	text[0] = '\0';
	while (!strstr(text, "rawtrace: attach ")) {
		now = rt_now();
		if (got <= 0 || n + 1 == sizeof(text))
			return -EIO;
		if (now >= until || poll(&p, 1, (int)((until - now) / 1000000) + 1) == 0)
			return -ETIMEDOUT;
		got = read(fd, text + n, sizeof(text) - 1 - n);
		n += got > 0 ? (size_t)got : 0;
		text[n] = '\0';
	}
	return 0;
}

/* rawtrace on `pid`; the loop, which is none of its business. */
static int beside(const struct bench *b, const struct way *way, char *attach, pid_t pid, long calls,
		  struct cost *cost)
{
	char *argv[16], number[24], id[24],
		*loop[] = { (char *)b->loop, number, (char *)way->function, NULL };
	unsigned n = arguments(b, way, attach, argv);
	struct rusage usage;
	struct run run;
	int out[2], status, r;
	pid_t tracer;

	snprintf(number, sizeof(number), "%ld", calls);
	snprintf(id, sizeof(id), "%d", (int)pid);
	argv[n++] = (char *)"-v";
	argv[n++] = (char *)"-p";
	argv[n++] = id;
	argv[n++] = (char *)way->specs[0];
	argv[n] = NULL;
	if (pipe2(out, O_CLOEXEC) != 0)
		return -errno;
	tracer = start(argv, out[1]);
	close(out[1]);
	r = tracer > 0 ? await_probes(out[0], b->seconds) : -EIO;
	if (r == 0)
		r = run_program(loop, b->seconds, &run);
	if (tracer > 0) {
		kill(tracer, SIGINT);
		wait4(tracer, &status, 0, &usage);
	}
	close(out[0]);
	if (r < 0)
		return r;
	cost->ns = run.numbers[1];
	cost->own = cpu_of(&usage);
	return 0;
}

static int other(const struct bench *b, const struct way *way, char *attach, long calls,
		 struct cost *cost, struct rt_error *err)
{
	char *waiting[] = { (char *)b->loop, (char *)"0", (char *)"wait", NULL };
	pid_t pid = start(waiting, -1);
	int r;

	if (pid < 0)
		return bench_why(b->loop, -errno, err);
	usleep(20000);	/* for its exec: rawtrace names the file that a process runs */
	r = beside(b, way, attach, pid, calls, cost);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r < 0 ? bench_why("rawtrace", r, err) : 0;
}

/* ---- */

/* Calls that the trace shows, and returns of them, less those that it should. */
static long count_wrong(const struct bench *b, const struct way *way)
{
	long lines = 0, want = (long)way->shown * b->calls * 2;
	FILE *file = fopen(b->trace, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		lines += line[0] == '>' || line[0] == '<';
	if (file)
		fclose(file);
	return lines > want ? lines - want : want - lines;
}

static int run_way(const struct bench *b, const struct way *way, char *attach, long calls,
		   struct cost *cost, struct rt_error *err)
{
	return way->other ? other(b, way, attach, calls, cost, err)
			  : traced(b, way, attach, calls, cost, err);
}

static int measure(const struct bench *b, const struct rt_attach_ops *ops, const struct way *way,
		   double *v, struct cost *cost, struct rt_error *err)
{
	struct cost idle = { 0 }, now = { 0 };
	double *own = v + b->repeats;
	char attach[64];
	long wrong;
	unsigned k;
	int r = 0;

	snprintf(attach, sizeof(attach), "--attach=%s", ops->name);
	cost->wrong = 0;
	/* A run of one call: the cost to begin and to end. */
	if (!b->smoke)
		r = run_way(b, way, attach, 1, &idle, err);
	for (k = 0; k < b->repeats && r == 0; k++) {
		r = run_way(b, way, attach, b->calls, &now, err);
		wrong = r == 0 ? count_wrong(b, way) : 0;
		cost->wrong = wrong > cost->wrong ? wrong : cost->wrong;
		v[k] = now.ns;
		own[k] = now.own > idle.own ? (now.own - idle.own) / (double)b->calls : 0;
	}
	if (r < 0)
		return r;
	cost->ns = bench_median(v, b->repeats);
	cost->own = bench_median(own, b->repeats);
	return 0;
}

/* Without BPF all is sent but what another process does. */
static void print_cost(const struct rt_attach_ops *ops, const struct way *way, const struct cost *c,
		       const struct cost *base)
{
	bool leaves_out = way->shown < ways[way->base].shown, good = true;

	printf("  %-14s %-20s %8.0f %8.0f", ops->name, way->name, c->ns, c->own);
	if (base) {
		printf(" %+9.0f %+9.0f", c->ns - base->ns, c->own - base->own);
		good = !leaves_out || !ops->bpf || c->ns + c->own <= base->ns + base->own;
	}
	if (c->wrong)
		printf("  %ld lines too many or too few", c->wrong);
	printf("%s\n", bench_verdict(good));
}

int bench_filters(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n,
		  struct rt_error *err)
{
	double *v = calloc(b->repeats * 2, sizeof(*v));
	struct cost costs[WAYS];
	struct rt_error why = { 0 };
	unsigned i, way;
	int r = v ? 0 : rt_nomem(err);

	if (r == 0)
		printf("\nFilters: four that let every call through, and those that leave calls "
		       "out: ns a call, ns of rawtrace's own CPU time, and of\n"
		       "both how much more or less than in full\n");
	/* filtered.sh has more of the filters that rawtrace itself applies without BPF. */
	n = b->smoke ? 1 : n;
	for (i = 0; i < n * WAYS && r == 0; i++) {
		const struct rt_attach_ops *o = ops[i / WAYS];

		way = i % WAYS;
		if (way == 0)
			memset(costs, 0, sizeof(costs));
		if (measure(b, o, &ways[way], v, &costs[way], &why) < 0) {
			printf("  %-14s %-20s %s\n", o->name, ways[way].name, why.text);
			r = b->smoke ? rt_fail(err, -EIO, "%s: %s", o->name, why.text) : 0;
			continue;
		}
		print_cost(o, &ways[way], &costs[way],
			   way != ways[way].base && costs[ways[way].base].ns > 0
				   ? &costs[ways[way].base]
				   : NULL);
		if (b->smoke && costs[way].wrong)
			r = rt_fail(err, -EIO, "%s, %s: %ld lines too many or too few", o->name,
				    ways[way].name, costs[way].wrong);
	}
	free(v);
	return r;
}
