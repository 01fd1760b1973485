/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/attach.h"
#include "stream/ring.h"

/* The programs to measure with, and the number of calls and runs. */
struct bench {
	const char *rawtrace, *loop, *instrumented, *many, *crowd;	/* paths */
	const char *trace;			/* the temporary file that traces go to */
	long calls;
	unsigned repeats, starts, seconds;	/* `seconds`: the time limit of one run */
	bool smoke;
};

/*
 * One program that was run to its end.  The numbers are those of the target's one line of output; 0
 * for a third that it has not.
 */
struct run {
	uint64_t began,
		ended; /* CLOCK_MONOTONIC, ns: just before exec, and when it had been waited for */
	double cpu;			/* CPU time, ns, of it and what it has waited for */
	double numbers[3];
};

/* A program that waits before its exec, so that probes can be put in. */
struct child {
	pid_t pid;
	int go, out;
};

/* Start `argv`; it waits for child_run.  Both return 0 or a negative errno. */
int child_start(struct child *child, char *const argv[]);
/*
 * Let it go and wait for its end; -ETIMEDOUT after `seconds`, -EIO when it failed or did not print
 * its numbers.
 */
int child_run(struct child *child, unsigned seconds, struct run *run);
/* End a program that was not let go. */
void child_drop(struct child *child);
/* Start and run in one. */
int run_program(char *const argv[], unsigned seconds, struct run *run);

/*
 * One call of the loop, in ns, with an empty BPF program at its entry and, with `returns`, its
 * return: on uprobe_multi links (6.6), or on perf events of the uprobe PMU (4.17).
 */
enum floor { FLOOR_MULTI, FLOOR_PERF, FLOORS };
int floor_run(const struct bench *bench, enum floor floor, bool returns, double *ns,
	      struct rt_error *err);

/* Bytes that one call takes in ring `ring` of mechanism `ops`. */
int bytes_run(const struct bench *bench, const struct rt_attach_ops *ops,
	      const struct rt_ring_ops *ring, double *bytes, struct rt_error *err);

/*
 * The time that probes take, in ms: attach is from exec to the program's main, detach from there to
 * the end.
 */
struct many_cost {
	double attach, detach;
	bool few;		/* ten functions, not 5,000 */
};
int many_run(const struct bench *bench, const struct rt_attach_ops *ops,
	     const struct rt_ring_ops *ring, struct many_cost *cost);

/* Other tools on the same loop. */
struct peer {
	const char *name, *remark;
	const char *record,
		*count; /* shell commands; the second prints how many calls were recorded */
};
const struct peer *peer_at(unsigned i);		/* NULL: no more */
/*
 * One run of `calls` calls: ns a call, and how many of them are missing in what it recorded.
 * -ENOENT where it is not installed.
 */
int peer_run(const struct bench *bench, const struct peer *peer, long calls, double *ns,
	     long *missing);

/*
 * The table of a traced call.  A failure where there is no floor; in a smoke test also where a
 * mechanism fails or loses events.
 */
int bench_calls(const struct bench *bench, const struct rt_attach_ops *const *ops, unsigned n,
		struct rt_error *err);

/* The table of calls that the kernel counts or times. */
int bench_counts(const struct bench *bench, const struct rt_attach_ops *const *ops, unsigned n,
		 struct rt_error *err);

/*
 * The table of what filters cost and save.  In a smoke test a failure where a trace has not what
 * its filter lets through.
 */
int bench_filters(const struct bench *bench, const struct rt_attach_ops *const *ops, unsigned n,
		  struct rt_error *err);

/*
 * The table of children of a traced process (-f), and of calls in a process that is not traced.
 */
int bench_children(const struct bench *bench, struct rt_error *err);

/* The calls that are lost with more threads than CPUs. */
int bench_threads(const struct bench *bench, struct rt_error *err);

/* The table of what formats cost, and of calls that a slow reader loses. */
int bench_formats(const struct bench *bench, struct rt_error *err);

/* The table of calls by how a function begins. */
int bench_entries(const struct bench *bench, struct rt_error *err);

/* The median of at least one number; sorts them. */
double bench_median(double *v, unsigned n);
/* The remark behind a figure that is over its limit, or nothing. */
const char *bench_verdict(bool good);
/* Say why a run failed; returns `r`. */
int bench_why(const char *what, int r, struct rt_error *err);

#endif
