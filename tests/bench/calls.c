/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Costs of a traced call.  Just before each traced run the floors are measured, so that a slow
 * moment of the machine meets both.  The figure printed is the median of the ratios of such pairs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/*
 * The project's promises: the ratio to the floor, ms for 5,000 functions, events a second of the
 * reader's own time.
 */
#define RATIO_MOST	1.2
#define MULTI_MOST	500.0
#define MANY_MOST	2000.0
#define READER_LEAST	1.0e6

/* Other tools take up to forty times as long. */
enum { REPEATS_MAX = 64, RINGS_MAX = 8, PEERS_MAX = 8, PEER_SHARE = 20 };

struct samples {
	double v[REPEATS_MAX];
	unsigned n;
};

struct peer_cost {
	const struct peer *peer;
	struct samples ns, ratio[FLOORS];
	long missing;
	int r;
};

/* The loop under one mechanism and ring. */
struct loop_cost {
	const struct rt_attach_ops *ops;
	const struct rt_ring_ops *ring;		/* NULL: tracefs has its own */
	struct samples ns, ratio[FLOORS], reader; /* reader: events a second of its own CPU time */
	struct samples attach, detach;
	bool few;
	unsigned long long lost, missing;	/* in the worst run */
	double bytes, idle; /* idle: CPU time of a run of one call, ns; 0: not measured yet */
	struct rt_error err;
};

static void add(struct samples *s, double value)
{
	if (s->n < REPEATS_MAX)
		s->v[s->n++] = value;
}

/* 0 when there is none. */
static double middle(struct samples *s)
{
	return s->n ? bench_median(s->v, s->n) : 0;
}

/* For attaching the least time counts: other programs on the machine only add to it. */
static double least(const struct samples *s)
{
	double low = s->n ? s->v[0] : 0;
	unsigned i;

	for (i = 1; i < s->n; i++)
		if (s->v[i] < low)
			low = s->v[i];
	return low;
}

/* Count the events that the trace of `calls` calls reports as lost, and the lines that it lacks. */
static int read_trace(const struct bench *b, unsigned long long *lost, unsigned long long *missing)
{
	unsigned long long n, sum = 0, lines = 0, want = (unsigned long long)b->calls * 2;
	FILE *file = fopen(b->trace, "re");
	char line[256];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "*** %llu event", &n) == 1)
			sum += n;
		else if (strcmp(line, ">(hit 1)\n") == 0 || strcmp(line, "<1\n") == 0)
			lines++;
	}
	fclose(file);
	if (sum > *lost)
		*lost = sum;
	if (lines < want && want - lines > *missing)
		*missing = want - lines;
	return 0;
}

static int run_traced(const struct bench *b, const struct loop_cost *c, long n, struct run *run)
{
	char attach[64], ring[64], calls[24];
	char *argv[] = { (char *)b->rawtrace,
			 attach,
			 (char *)"-o",
			 (char *)b->trace,
			 (char *)b->loop,
			 (char *)"hit",
			 (char *)"--",
			 calls,
			 NULL,
			 NULL };

	snprintf(attach, sizeof(attach), "--attach=%s", c->ops->name);
	snprintf(calls, sizeof(calls), "%ld", n);
	if (c->ring) {
		snprintf(ring, sizeof(ring), "--ring=%s", c->ring->name);
		memmove(argv + 2, argv + 1, 7 * sizeof(argv[0]));
		argv[1] = ring;
	}
	return run_program(argv, b->seconds, run);
}

/* CPU time of rawtrace and what it starts, but for the target. */
static double own_time(const struct run *run)
{
	return run->cpu - run->numbers[2];
}

/*
 * One traced run, beside the floors that were measured just before it (0: this kernel has not that
 * kind).
 */
static int traced_loop(const struct bench *b, const double floors[FLOORS], struct loop_cost *c)
{
	struct run run = { .cpu = 0 };
	double reader;
	int floor, r = 0;

	if (c->idle == 0 && !b->smoke) {
		r = run_traced(b, c, 1, &run);
		c->idle = own_time(&run);
	}
	if (r == 0)
		r = run_traced(b, c, b->calls, &run);
	if (r == 0)
		r = read_trace(b, &c->lost, &c->missing);
	if (r < 0)
		return bench_why("rawtrace", r, &c->err);
	add(&c->ns, run.numbers[1]);
	reader = own_time(&run) - c->idle;
	/* A smoke test's few events drown in the noise of the start. */
	if (reader > 0 && !b->smoke)
		add(&c->reader, (double)b->calls * 2 / reader * 1e9);
	for (floor = 0; floor < FLOORS; floor++)
		if (floors[floor] > 0)
			add(&c->ratio[floor], run.numbers[1] / floors[floor]);
	return 0;
}

static void traced_many(const struct bench *b, struct loop_cost *c)
{
	struct many_cost cost;
	int r = many_run(b, c->ops, c->ring, &cost);

	if (r < 0) {
		bench_why("rawtrace, of many functions", r, &c->err);
		return;
	}
	add(&c->attach, cost.attach);
	add(&c->detach, cost.detach);
	c->few = cost.few;
}

static int plain_loop(const struct bench *b, struct samples *plain, struct rt_error *err)
{
	char calls[24], *argv[] = { (char *)b->loop, calls, NULL };
	struct run run;
	int r;

	snprintf(calls, sizeof(calls), "%ld", b->calls);
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why(b->loop, r, err);
	add(plain, run.numbers[1]);
	return 0;
}

/* Both floors; a kernel before 6.6 has only the second. */
static int measure_floors(const struct bench *b, double now[FLOORS], struct samples all[FLOORS],
			  struct rt_error *err)
{
	int floor, r = 0, worked = 0;

	for (floor = 0; floor < FLOORS; floor++) {
		now[floor] = 0;
		r = floor_run(b, (enum floor)floor, true, &now[floor], err);
		if (r < 0)
			continue;
		add(&all[floor], now[floor]);
		worked++;
	}
	return worked ? 0 : r;
}

static void run_peer(const struct bench *b, const double floors[FLOORS], struct peer_cost *p)
{
	long missing = 0;
	double ns;
	int floor;

	p->r = peer_run(b, p->peer, b->calls / PEER_SHARE, &ns, &missing);
	if (p->r < 0)
		return;
	add(&p->ns, ns);
	if (missing > p->missing)
		p->missing = missing;
	for (floor = 0; floor < FLOORS; floor++)
		if (floors[floor] > 0)
			add(&p->ratio[floor], ns / floors[floor]);
}

static int measure_peers(const struct bench *b, struct peer_cost *peers, struct samples all[FLOORS],
			 struct rt_error *err)
{
	double floors[FLOORS];
	unsigned i;
	int r = 0;

	for (i = 0; i < PEERS_MAX && peers[i].peer && r == 0; i++) {
		if (peers[i].r == 0)
			r = measure_floors(b, floors, all, err);
		if (r == 0 && peers[i].r == 0)
			run_peer(b, floors, &peers[i]);
	}
	return r;
}

static int measure(const struct bench *b, struct loop_cost *c, unsigned n, struct peer_cost *peers,
		   struct samples *plain, struct samples all[FLOORS], struct rt_error *err)
{
	double floors[FLOORS];
	unsigned i, k;
	int r = 0;

	for (k = 0; k < b->repeats && r == 0; k++) {
		r = plain_loop(b, plain, err);
		for (i = 0; i < n && r == 0; i++) {
			if (c[i].err.text[0])
				continue;
			r = measure_floors(b, floors, all, err);
			if (r == 0 && traced_loop(b, floors, &c[i]) == 0)
				traced_many(b, &c[i]);
		}
		if (r == 0)
			r = measure_peers(b, peers, all, err);
	}
	for (i = 0; i < n && r == 0; i++)
		if (c[i].ring && c[i].ns.n)
			bytes_run(b, c[i].ops, c[i].ring, &c[i].bytes, &c[i].err);
	return r;
}

/* The floor of the probes that a mechanism makes. */
static enum floor kind(const struct rt_attach_ops *ops)
{
	return ops == &rt_attach_uprobe_multi ? FLOOR_MULTI : FLOOR_PERF;
}

/* The cheaper floor, which is what counts. */
static double ratio_of(struct samples ratio[FLOORS])
{
	return middle(&ratio[ratio[FLOOR_MULTI].n ? FLOOR_MULTI : FLOOR_PERF]);
}

static void print_over(bool good, const char *what)
{
	if (!good)
		printf("  %s%s", what, bench_verdict(good));
}

static void print_cost(struct loop_cost *c)
{
	double ratio = ratio_of(c->ratio), attach = least(&c->attach), detach = least(&c->detach),
	       reader = middle(&c->reader);
	char bytes[24] = "-", events[24] = "-", name[64];

	snprintf(name, sizeof(name), "%s%s%s", c->ops->name, c->ring ? ", " : "",
		 c->ring ? c->ring->name : "");
	if (!c->ns.n || !c->attach.n) {
		printf("  %-22s %s\n", name, c->err.text);
		return;
	}
	if (c->bytes > 0)
		snprintf(bytes, sizeof(bytes), "%.0f", c->bytes);
	if (reader > 0)
		snprintf(events, sizeof(events), "%.1f", reader / 1e6);
	printf("  %-22s %8.0f %7.2f %7.2f %7llu %7llu %7s %7.0f %7.0f%s %7s", name, middle(&c->ns),
	       ratio, middle(&c->ratio[kind(c->ops)]), c->lost, c->missing, bytes, attach, detach,
	       c->few ? "*" : " ", events);
	print_over(!c->ops->bpf || ratio <= RATIO_MOST, "ratio");
	print_over(c->few || attach + detach <=
				     (c->ops == &rt_attach_uprobe_multi ? MULTI_MOST : MANY_MOST),
		   "attach and detach");
	print_over(reader == 0 || reader >= READER_LEAST, "reader");
	printf("\n");
}

static void print_peer(struct peer_cost *p)
{
	if (p->r == -ENOENT)
		printf("  %-22s is not installed\n", p->peer->name);
	else if (!p->ns.n)
		printf("  %-22s failed here\n", p->peer->name);
	else
		printf("  %-22s %8.0f %7.2f %7s %7s %7ld   %s\n", p->peer->name, middle(&p->ns),
		       ratio_of(p->ratio), "", "", p->missing, p->peer->remark);
}

static void print_all(const struct bench *b, struct loop_cost *c, unsigned n,
		      struct peer_cost *peers, struct samples *plain, struct samples all[FLOORS])
{
	static const char *const names[FLOORS] = { "floor, uprobe_multi", "floor, perf events" };
	unsigned i;

	printf("A call, entry and return, of a function that begins with a push (%ld calls, median "
	       "of %u): ns, its ratio to the\n"
	       "cheaper floor and to that of its own kind of probe, events lost, lines missing, "
	       "bytes in the ring; attach and\n"
	       "detach: 5,000 functions, from exec to main and from its end to ours, the least, ms "
	       "(*: ten); reader: millions of events a\n"
	       "second of rawtrace's own CPU time, as a tree into a file.  Other tools: a "
	       "twentieth of the calls, missing: calls\n",
	       b->calls, b->repeats);
	printf("  %-22s %8s %7s %7s %7s %7s %7s %7s %7s  %7s\n", "", "ns", "ratio", "own", "lost",
	       "missing", "bytes", "attach", "detach", "reader");
	printf("  %-22s %8.1f\n", "not traced", middle(plain));
	for (i = 0; i < FLOORS; i++)
		if (all[i].n)
			printf("  %-22s %8.0f   an empty BPF program\n", names[i], middle(&all[i]));
	for (i = 0; i < n; i++)
		print_cost(&c[i]);
	for (i = 0; i < PEERS_MAX && peers[i].peer; i++)
		print_peer(&peers[i]);
}

/*
 * Every ring under the first mechanism with BPF, and the first ring under the others.  Returns the
 * number of pairs.
 */
static unsigned pair(struct loop_cost *c, const struct rt_attach_ops *const *ops, unsigned n)
{
	unsigned i, k, pairs = 0;
	bool all = true;

	for (i = 0; i < n; i++) {
		for (k = 0; ops[i]->bpf && rt_ring_at(k) && (k == 0 || all) && k < RINGS_MAX; k++)
			c[pairs++] = (struct loop_cost){ .ops = ops[i], .ring = rt_ring_at(k) };
		if (ops[i]->bpf)
			all = false;
		else
			c[pairs++] = (struct loop_cost){ .ops = ops[i] };
	}
	return pairs;
}

/* In a smoke test: everything has given figures, and nothing is lost. */
static int check_all(const struct loop_cost *c, unsigned n, struct rt_error *err)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (c[i].err.text[0])
			return rt_fail(err, -EIO, "%s: %s", c[i].ops->name, c[i].err.text);
		if (!c[i].ns.n || !c[i].attach.n || (c[i].ring && c[i].bytes <= 0))
			return rt_fail(err, -EIO, "%s: a figure is missing", c[i].ops->name);
		if (c[i].lost || c[i].missing)
			return rt_fail(err, -EIO,
				       "%s: %llu events were lost and %llu lines are missing",
				       c[i].ops->name, c[i].lost, c[i].missing);
	}
	return 0;
}

int bench_calls(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n,
		struct rt_error *err)
{
	struct loop_cost *c = calloc(n * RINGS_MAX, sizeof(*c));
	struct peer_cost *peers = calloc(PEERS_MAX, sizeof(*peers));
	struct samples plain = { .n = 0 }, all[FLOORS] = { { .n = 0 } };
	unsigned i;
	int r = c && peers ? 0 : rt_nomem(err);

	for (i = 0; r == 0 && i < PEERS_MAX && !b->smoke; i++)
		peers[i].peer = peer_at(i);
	if (r == 0) {
		n = pair(c, ops, n);
		r = measure(b, c, n, peers, &plain, all, err);
	}
	if (r == 0)
		print_all(b, c, n, peers, &plain, all);
	if (r == 0 && b->smoke)
		r = check_all(c, n, err);
	free(c);
	free(peers);
	return r;
}
