/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_TARGET_H
#define RT_PLAN_TARGET_H

#include "emit/cells.h"
#include "fetch/show.h"
#include "code/errno_at.h"
#include "plan/site.h"
#include "symbols/function.h"

/* how returns are to be seen */
enum rt_want { RT_WANT_AUTO, RT_WANT_URETPROBE, RT_WANT_INSN, RT_WANT_NONE };

/* -v says of each function how it is traced, up to so many; of more, how many share a reason. */
enum { RT_TOLD_EACH = 16 };

/*
 * What is to be traced, resolved from its files alone: no privilege and no kernel feature is needed
 * for this half.  Every function has an entry probe, and a return probe where that harms nobody.
 * First rt_target_resolve; then what is below, up to rt_target_make.
 */
struct rt_target {
	enum rt_purpose purpose;
	enum rt_want want;
	/* the probes will be in every process that maps their file (struct rt_attach_ops) */
	bool everywhere;
	char *path;			/* the program's file; NULL with a pid */
	struct rt_pids pids;		/* none, and zeros, with a path */
	struct rt_program program;
	struct rt_probes *sets;		/* files of probes that were asked for, or NULL */
	struct rt_spec **specs;		/* which the functions point into */
	size_t nspecs, specs_cap;
	struct rt_functions functions;
	bool *returns;			/* by function: its return is probed */
	struct rt_plan *plans;
	unsigned nplans, most_plans;	/* the second as the mechanism likes it */
	const char *left_out;		/* what is not read, since there would be more; or NULL */
	uint16_t *entry_plan, *exit_plan;	/* by function */
	uint16_t *jump_plan, *branch_plan;	/* the same for tail calls, and conditional ones */
	struct rt_shows *shows;		/* by function */
	struct rt_types *types;		/* owns what is in the shows */
	bool typed;			/* prototypes are looked for */
	struct rt_limits limits;
	struct rt_prototype *prototypes;	/* by function, `nprototypes` of them */
	size_t nprototypes;
	struct rt_types *prototype_types;
	struct rt_signatures *signatures;
	struct rt_probe *probes;
	unsigned nprobes;
	/* by function: --only-under names it; NULL: no such option */
	bool *roots;
	size_t nroots;
	struct rt_limit limit;
	/* some functions are traced for the program's own calls alone */
	bool libcalls;
	bool imports_nothing;		/* or would be: it has no such calls */
	/* runtimes.h: `nruntimes` files with Go code that is traced */
	struct rt_runtime *runtimes;
	size_t nruntimes, runtimes_cap;
	bool goroutines;		/* their calls are told apart by goroutine */
	enum rt_errno_source errno_source;	/* errno_of.h */
	struct rt_errno_at errno_at;
	struct rt_image *errno_image;
	char errno_why[256];		/* why it is not read */
	/* why plans have nothing that is read by the thread pointer, or "" */
	char no_thread_pointer[256];
	/* the kernel corrupts the program where it carries a push out itself */
	bool wrong_pushes;
	/* the kernel cannot read which one calls: so no returns of Go functions */
	bool goroutines_mixed;
	/* what tells of exceptions and other stacks is not watched, for `everywhere` */
	bool lacks_hooks;
	/*
	 * the function of the program's own that switches stacks, "" one without a name; NULL: none
	 * is known
	 */
	const char *switches;
	/*
	 * among it stacks of coroutines: that a call's place is above the stack pointer does not
	 * say that it is over
	 */
	bool lacks_stack_hooks;
	/* nor is longjmp, for that or because it cannot be told where it leaves */
	bool lacks_longjmp_hooks;
	char entry_only[512];		/* why a uretprobe could harm the process, or "" */
	char library_entry_only[512];	/* the same for functions of libraries */
};

/*
 * Resolve specifications against program `program` (looked up in PATH), or the processes `pids`,
 * which run one program, where that is not NULL and has some.  0 or a negative errno.  Free with
 * rt_target_free, also after a failure.
 */
int rt_target_resolve(struct rt_target *target, const char *program, const struct rt_pids *pids,
		      char *const *specs, int nspecs, struct rt_error *err);
void rt_target_free(struct rt_target *target);

/*
 * What the programs are for: entries without values for counting; for measuring, no probes of
 * functions whose return is not probed.
 */
void rt_target_set_purpose(struct rt_target *target, enum rt_purpose purpose);

/*
 * What the user wants of returns; `everywhere`: it is known already that the mechanism is one like
 * that.
 */
void rt_target_set_returns(struct rt_target *target, enum rt_want want, bool everywhere);

/*
 * --libcalls: add the functions that the program imports from libraries and `text` means.
 * rt_target_resolve may then have been given no specification.
 */
int rt_target_add_libcalls(struct rt_target *target, const char *text, struct rt_error *err);

/*
 * Trace what `n` more specifications mean.  0, -ENOENT (no such function), -EINVAL, -ENOMEM or an
 * error of reading files.
 */
int rt_target_add_functions(struct rt_target *target, char *const *specs, int n,
			    struct rt_error *err);

/*
 * Watch what tells of the traced functions' stacks (plan/hooks.h); last of all, as it adds
 * functions.
 */
int rt_target_add_hooks(struct rt_target *target, struct rt_error *err);

/*
 * Calls will be filtered: `under` (may be NULL) is the specification of the root functions, which
 * are traced too.
 */
int rt_target_set_limit(struct rt_target *target, unsigned depth, const char *under,
			uint64_t min_time, struct rt_error *err);

/*
 * Functions that have been added since --only-under was read (watch.h, errno_of.h) are no roots.  0
 * or -ENOMEM.
 */
int rt_target_grow_roots(struct rt_target *target, struct rt_error *err);

/* After rt_target_notes, which may have given returns up: an error where a root is without. */
int rt_target_check_roots(const struct rt_target *target, struct rt_error *err);

/* How many plans there may be (rt_attach_plans).  RT_PLANS_FEW where this is not called. */
void rt_target_set_plans(struct rt_target *target, unsigned most);

/*
 * What is known of the functions' arguments and results is to be found out, and they are read and
 * shown by it, as `limits` says.
 */
void rt_target_set_types(struct rt_target *target, const struct rt_limits *limits);

/*
 * Make the plans and probes, when all the above is set.  An error where nothing can be measured,
 * and where a root's return is not probed, for then nobody knows what is inside it.
 */
int rt_target_make(struct rt_target *target, struct rt_error *err);

/* The mechanism is one for few plans: make them and the probes anew. */
int rt_target_fewer_plans(struct rt_target *target, struct rt_error *err);

/*
 * The kernel cannot take what is to be read: make the plans and probes anew that read less, `why`
 * says what.  -ENOENT: there is no less.
 */
int rt_target_simplify(struct rt_target *target, const char **why, struct rt_error *err);

/*
 * Is any return probed by a uretprobe?  Make the plans and probes anew without those, for the
 * reason `why`.
 */
bool rt_target_has_returns(const struct rt_target *target);
int rt_target_give_up_returns(struct rt_target *target, const char *why, struct rt_error *err);

/*
 * Does a plan read by the thread pointer?  Make the plans and probes anew that do without, for the
 * reason `why`.
 */
bool rt_target_wants_thread(const struct rt_target *target);
int rt_target_no_thread_pointer(struct rt_target *target, const char *why, struct rt_error *err);

/* The exit that a probe stands on; NULL: it is an entry's or a uretprobe. */
const struct rt_exit *rt_target_exit(const struct rt_target *target, const struct rt_probe *probe);

/*
 * Remarks for the user on what is traced only in part, one a call of `note`.  With `everywhere`
 * (rt_attach_ops) the returns of libraries that are uretprobes are given up first; with `verbose`
 * that is said on standard error.
 */
int rt_target_notes(struct rt_target *target, bool everywhere, bool verbose,
		    int (*note)(void *ctx, const char *text), void *ctx);

#endif
