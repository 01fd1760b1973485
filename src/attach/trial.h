/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_TRIAL_H
#define RT_ATTACH_TRIAL_H

#include "attach/attach.h"

/* The result of trying an attach mechanism. */
struct rt_trial {
	/* hits that were seen; rt_trial_run: RT_TRIAL_CALLS / 2 a function are right */
	unsigned entries, returns;
	/* the sums of their first values; unreadable ones count as nothing */
	int64_t arguments, results;
	bool harmed;			/* the probed process did not end as it should have */
	double attach_ms, detach_ms;
};

#define RT_TRIAL_CALLS 4u

/*
 * Put probes on `n` functions of rawtrace itself, 1 or 2, in a child of ours, let the child call
 * them, RT_TRIAL_CALLS / 2 times each, and count the hits.  No other process is touched.  0 when
 * the probes could be put in, else a negative errno with the reason.
 */
int rt_trial_run(const struct rt_attach_ops *ops, unsigned n, struct rt_trial *trial,
		 struct rt_error *err);

/*
 * Try uretprobes on programs of `arch`, which must have a trial, with the mechanism that a trace
 * would use (`forced` and `no_bpf` as rt_attach_open has them): 0 where all came out right, else a
 * negative errno, and the message says why returns must not be probed; -ENOEXEC: the kernel runs no
 * such programs.  The program is a file without a name, and is gone when we are.
 */
int rt_trial_arch(const struct rt_arch *arch, const struct rt_attach_ops *forced, bool no_bpf,
		  struct rt_error *err);

/* Ways of leaving calls without a return, or with two. */
enum rt_leave { RT_LEAVE_LONGJMP, RT_LEAVE_FORK, RT_NLEAVES };

/*
 * Try a child of ours that leaves probed functions so: before 4.3 a return that longjmp skipped
 * makes the kernel crash the program at the next one (arch_uretprobe_is_alive came then), before
 * 3.13 a forked child does not get its parent's pending returns; RHEL 7 has both mended.  Results
 * and messages are those of rt_trial_arch.
 */
int rt_trial_leave(enum rt_leave leave, const struct rt_attach_ops *forced, bool no_bpf,
		   struct rt_error *err);
const char *rt_leave_name(enum rt_leave leave);

/*
 * The program that a trial's child runs.  `main` is called with the probes in, and returns its exit
 * status, 0 when all is right.  `functions` are the addresses to probe, each with one argument.
 */
struct rt_trial_program {
	int (*main)(void);
	uint64_t functions[3];
	unsigned n;
	enum rt_reach reach;	/* RT_REACH_PROCESSES: only the child's own hits count */
};

/*
 * Run it with the mechanism `only`, or by rt_attach_open's choice when that is NULL.  0 when the
 * probes could be put in.
 */
int rt_trial_program(const struct rt_trial_program *program, const struct rt_attach_ops *only,
		     const struct rt_attach_ops *forced, bool no_bpf, struct rt_trial *trial,
		     struct rt_error *err);

/*
 * Does the mechanism record children of a child of ours, to the second generation and after the end
 * of the first of them, where it is asked for `reach`?  0, or a negative errno with the reason.
 */
int rt_trial_children(const struct rt_attach_ops *ops, enum rt_reach reach, struct rt_error *err);

/*
 * The reach to ask for so that children are traced: RT_REACH_CHILDREN where that has been tried
 * with success or where there is no BPF; else RT_REACH_FOLLOWED, and `why` says why.  `forced` and
 * `no_bpf` as rt_attach_open has them.  It is a process of its own that tries, as a traced command
 * must not inherit what is raised for that.  Takes some 0.1 s.
 */
enum rt_reach rt_trial_reach(const struct rt_attach_ops *forced, bool no_bpf, struct rt_error *why);

/*
 * Fill in `n` functions of rawtrace itself, by their addresses: a stripped rawtrace has no symbols
 * for them.  The image that they share is the caller's to close.
 */
int rt_trial_functions(const uint64_t *addresses, unsigned n, struct rt_function *functions,
		       struct rt_error *err);

/* Count what is in the rings of process `pid`, 0: of any; plans are numbered by their kinds. */
int rt_trial_count(struct rt_source *source, pid_t pid, struct rt_trial *trial,
		   struct rt_error *err);

#endif
