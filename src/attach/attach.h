/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_ATTACH_H
#define RT_ATTACH_ATTACH_H

#include <stdio.h>

#include "emit/cells.h"
#include "fetch/fetch.h"
#include "plan/site.h"
#include "symbols/function.h"
#include "stream/source.h"
#include "base/pids.h"
#include "fetch/record.h"

struct rt_pending;
struct rt_gate;
struct rt_followed;
struct rt_pins;
struct rt_ring_memory;

struct rt_attach_request {
	enum rt_purpose purpose;
	/* RT_REACH_CHILDREN may be answered with RT_REACH_FOLLOWED, both with RT_REACH_ALL */
	enum rt_reach reach;
	/*
	 * what programs may leave out, where they know the function; what they pass is filtered
	 * later
	 */
	struct rt_limit limit;
	/*
	 * the processes to trace, one or more (RT_REACH_ALL: none): thread-group leaders, may not
	 * have called exec yet
	 */
	const struct rt_pids *pids;
	/* RT_REACH_ALL: a descriptor of the control group that they are below; 0: none */
	int group;
	const struct rt_gate *gate;	/* of a user who is not root; else NULL */
	const struct rt_functions *functions;
	const struct rt_plan *plans;
	unsigned nplans;
	const struct rt_site *sites;
	unsigned nsites;
	unsigned first_site;		/* extend: those before it are in */
	/*
	 * what the plans were made for: RT_PLANS_FEW and there may be more, as less cannot be read
	 */
	unsigned most_plans;
	/*
	 * not 0: a part of a trace, opened when the first one was open, and to be closed before
	 * it; its definitions have names of their own, and go with those of the first
	 */
	unsigned part;
	/* programs emulate instructions where that is known to be right (attach/emulations.h) */
	bool emulate;
	/* not by a mechanism that puts the probes into every process */
	bool here_only;
	int64_t errno_offset;		/* what RT_MAP_ERRNO begins with; 0: not known yet */
	/* where the kernel keeps it (kernel/thread_pointer.h); 0: not known, or nothing wants it */
	uint32_t thread_pointer;
	const struct rt_image *program;	/* the process's own program file */
	size_t ring_bytes;		/* a CPU; 0: the source's default */
	struct rt_ring_memory *ring_memory;	/* NULL, or to take the ring's from */
	/* NULL: the first that the kernel has; tracefs has only its own */
	const struct rt_ring_ops *ring;
	/* is there no need any more?  Asked between probes.  NULL: there is */
	bool (*stop)(void *ctx);
	void *stop_ctx;
};

/*
 * Live probes and the source that their events come from.  State is embedded: a mechanism's struct
 * begins with this one.
 */
struct rt_attach {
	const struct rt_attach_ops *ops;
	struct rt_source *source;
	enum rt_reach reach;
	/*
	 * the kernel does not know the traced processes (before 4.7): hits of all processes come,
	 * and the reader has to drop those of the others
	 */
	bool unfiltered;
	struct rt_followed *followed;	/* RT_REACH_FOLLOWED: whom the programs record; else NULL */
	/* where the programs count; NULL: they, or the probes, give events */
	const struct rt_counts *counts;
	const struct rt_pending *pending;	/* calls that the programs hold back, or NULL */
	const int *strangers;		/* RT_MAP_STRANGERS, likewise */
	/* the kernel arms USDT's semaphores, in each process that gets the probe */
	bool arms;
	/* by site: its program emulates the instruction, where it may; NULL: none does */
	const bool *emulated;
	const int *unread;		/* RT_MAP_UNREAD, -1: there is none; NULL: no BPF */
	/* what of this trace the user must know, or NULL; not to be freed */
	const char *remark;
	/*
	 * probes that the kernel takes out one by one, 15 to 100 ms each; 0: all at once, or
	 * quickly
	 */
	unsigned separate;
};

/*
 * A kernel that filters by process knows it by the memory of one thread, the first.  Once that has
 * ended it finds none there: perf's probes go, each when it is next hit, though other threads go
 * on, and none comes into a program that one of those runs by exec.  Why they are put in for one
 * more thread.
 */
enum rt_add_reason {
	RT_ADD_SPARE, /* it has not ended, and nothing will be missed when it does */
	RT_ADD_ENDED, /* it has */
	RT_ADD_EXEC, /* and another one has run another program */
};

/*
 * An attach mechanism.  To add one: write its file, put its ops into the table in attach/attach.c.
 */
struct rt_attach_ops {
	const char *name;		/* --attach=NAME */
	const char *help;		/* a phrase, with the kernel that brought it */
	bool bpf;			/* uses bpf(2) and perf_event_open(2) */
	/*
	 * The kernel puts these probes into every process that maps the file.  Plain ones only
	 * annoy the others; a uretprobe in a library could harm one that throws or is written in
	 * Go.  So the uretprobes of libraries are left out.
	 */
	bool everywhere;
	unsigned reaches;		/* a bit for each enum rt_reach that it can be asked for */
	enum rt_key key;		/* what rt_record.key holds */
	unsigned plans;			/* RT_PLANS_ */
	/*
	 * Put in all probes of the request, returns before entries (else the first call's return is
	 * missed).  On failure nothing is left behind.  -EOPNOTSUPP, with the reason, only where
	 * the kernel does not have the mechanism: then the next one is tried.  Anything else is an
	 * error for the user.  When the request's `stop` says so, it succeeds with what is in by
	 * then, to be closed and for nothing else: a source may be missing.
	 */
	int (*open)(const struct rt_attach_request *request, struct rt_attach **attach,
		    struct rt_error *err);
	/*
	 * Filter by thread `tid` as well; the request is for its process alone.  1: no hit was
	 * missed yet.  -ESRCH: it has ended; what was done stays, and may be asked for again.
	 * NULL: the process's number is what the kernel filters by.
	 */
	int (*add)(struct rt_attach *attach, const struct rt_attach_request *request,
		   enum rt_add_reason why, pid_t tid, struct rt_error *err);
	/*
	 * Put in more plain probes, those of the request's sites from `first_site` on; their plans
	 * are among those that it had.  Some may be in after a failure.  NULL: it cannot.
	 */
	int (*extend)(struct rt_attach *attach, const struct rt_attach_request *request,
		      struct rt_error *err);
	enum rt_add_reason add_from; /* the first reason for which there is any need */
	/* Take one of the `separate` probes out; NULL where there are none such. */
	void (*detach_one)(struct rt_attach *attach);
	/*
	 * Take the probes out.  The source stays readable, so that what they still gave is not
	 * lost.
	 */
	void (*detach)(struct rt_attach *attach);
	/*
	 * Before close: let the kernel remove the probes in the background.  Only for processes
	 * that have ended, and files that `pins` allows.  NULL: the mechanism cannot.
	 */
	void (*leave)(struct rt_attach *attach, const struct rt_pins *pins);
	/*
	 * Detach, if that has not been done, and release everything, the source too.  In a forked
	 * child as well.
	 */
	void (*close)(struct rt_attach *attach);
};

/* The file offset of probe `id`. */
uint64_t rt_attach_place(const struct rt_functions *functions, const struct rt_site *site);

/*
 * The function that a program which filters knows the probe by: RT_OPEN_JUMPED where several share
 * a return instruction.
 */
uint32_t rt_attach_owner(const struct rt_functions *functions, const struct rt_site *site);

/* Is probe `id` one that a mechanism with `everywhere` leaves out? */
bool rt_attach_leaves_out(const struct rt_attach_request *request, unsigned id);

/*
 * Are the probes in every process that maps their files?  Nobody has judged those: a request for it
 * has no uretprobe.
 */
static inline bool rt_reach_is_open(enum rt_reach reach)
{
	return reach == RT_REACH_FOLLOWED || reach == RT_REACH_ALL;
}

/* The layout of records of a mechanism with that key. */
struct rt_layout rt_attach_layout(const struct rt_attach_request *request, enum rt_key key);

/* Has the request's `stop` said so? */
bool rt_attach_stopped(const struct rt_attach_request *request);

/*
 * The mechanism of that name, or NULL; and the table in order of preference: NULL after the last.
 */
const struct rt_attach_ops *rt_attach_find(const char *name);
const char *rt_attach_name(unsigned i);		/* NULL: past the last */
const struct rt_attach_ops *rt_attach_at(unsigned i);

/*
 * The most plans that the first mechanism to be tried may have, with the same arguments as
 * rt_attach_open.
 */
unsigned rt_attach_plans(const struct rt_attach_ops *forced, bool no_bpf);

/*
 * Attach by the mechanism `forced`, or by the first that the kernel has (with `no_bpf`: of those
 * without BPF).  Why others were passed over is added to `why`, a line each (may be NULL).  -EDOM:
 * the first that the kernel has cannot have so many plans; make them for RT_PLANS_FEW, and ask
 * again.
 */
int rt_attach_open(const struct rt_attach_request *request, const struct rt_attach_ops *forced,
		   bool no_bpf, FILE *why, struct rt_attach **attach, struct rt_error *err);

extern const struct rt_attach_ops rt_attach_uprobe_multi, rt_attach_multi_event, rt_attach_pmu,
	rt_attach_event, rt_attach_tracefs;

/*
 * Is the result `r` of rt_attach_open the kernel's word that it cannot probe one of the
 * instructions?
 */
bool rt_attach_is_refusal(const struct rt_attach_request *request, int r);

/*
 * rt_attach_open of this request has failed so: which functions are to blame?  Found by attaching
 * parts of the request, which are taken out again at once; 0.1 s each, of which there are ten to
 * twenty for each such function among a thousand.  `bad` (by function) is set.  A negative errno
 * with its message: such a function was named exactly, there are too many, or something else fails.
 */
int rt_attach_find_refused(const struct rt_attach_request *request,
			   const struct rt_attach_ops *forced, bool no_bpf, bool *bad,
			   struct rt_error *err);

#endif
