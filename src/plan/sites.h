/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_SITES_H
#define RT_PLAN_SITES_H

#include "code/prologue.h"
#include "plan/guessing.h"
#include "plan/site.h"
#include "plan/traced.h"
#include "plan/wanted.h"

/* Targets of jumps at the beginnings of functions (rt_place_begin). */
struct rt_places {
	struct rt_targets *v;	/* by file of the program */
	size_t n, functions;	/* how many there were */
};

/*
 * The user's wishes applied to the traced program: functions, their sites, and what each site
 * reads. Files alone are read: no privilege and no kernel feature is needed for this half.  Every
 * function has an entry probe, and a return probe if this harms nobody.  First call
 * rt_sites_resolve, then the functions below, up to rt_sites_make.
 */
struct rt_sites {
	struct rt_functions functions;
	char *dropped; /* a remark: functions that are not probed after all, and why; or NULL */
	bool *returns; /* by function: its return is probed */
	struct rt_plan *plans;
	/* the second as the mechanism likes it (rt_attach_plans) */
	unsigned nplans, most_plans;
	const char *left_out; /* what is not read, since there would be more; or NULL */
	uint16_t *entry_plan, *exit_plan; /* by function */
	uint16_t *jump_plan, *branch_plan; /* the same for tail calls, and conditional ones */
	struct rt_shows *shows; /* by function */
	struct rt_types *types; /* owns what is in the shows */
	/* how much is read: as wanted, then less where the kernel cannot (rt_sites_simplify) */
	struct rt_limits limits;
	struct rt_prototype *prototypes; /* by function, `nprototypes` of them */
	size_t nprototypes;
	struct rt_types *prototype_types;
	struct rt_signatures *signatures;
	struct rt_guessing guessing;	/* of them, in a child */
	struct rt_places places;
	struct rt_site *v;
	unsigned n;
	/* so many more functions and probes fit into the arrays (plan/return_places.h) */
	size_t room;
	/* by function: --only-under names it; NULL: no such option */
	bool *roots;
	size_t nroots;
	/* some functions are traced for the program's own calls alone */
	bool libcalls;
	bool stacks; /* entries copy the stack */
	bool imports_nothing; /* or would be: it has no such calls */
};

/*
 * Resolve specifications against program `program` (looked up in PATH), or the processes `pids`,
 * which run one program, where that is not NULL and has some.  With wanted->all, which has neither,
 * against the files that the specifications name, the first as the executable.  0 or a negative
 * errno.  Free with rt_sites_free, also after a failure.
 */
int rt_sites_resolve(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     const char *program, const struct rt_pids *pids, char *const *specs,
		     int nspecs, struct rt_error *err);
void rt_sites_free(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites);

/*
 * Remove the functions that wanted->excluded means.  0 or a negative errno: a usage error where
 * one is more than a name, or no function is left.
 */
int rt_sites_exclude(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     struct rt_functions *functions, struct rt_error *err);

/*
 * --libcalls: add the functions that the program imports from libraries and `text` means.
 * rt_sites_resolve may then have been given no specification.
 */
int rt_sites_add_libcalls(struct rt_wanted *wanted, const struct rt_traced *traced,
			  struct rt_sites *sites, const char *text, struct rt_error *err);

/*
 * Trace the program's own functions, as far as names tell: all of its file but the C runtime's, of
 * a Go program those of package main, as Go links its library and its runtime into the same file.
 */
int rt_sites_add_own_functions(struct rt_wanted *wanted, struct rt_traced *traced,
			       struct rt_sites *sites, struct rt_error *err);

/*
 * Trace what `n` more specifications mean.  0, -ENOENT (no such function), -EINVAL, -ENOMEM or an
 * error of reading files.
 */
int rt_sites_add_functions(struct rt_wanted *wanted, struct rt_traced *traced,
			   struct rt_sites *sites, char *const *specs, int n, struct rt_error *err);

/*
 * Two USDT probes that are a call are timed from the records of both.  If there are any, or probes
 * of a file that is loaded later may be, wanted->purpose becomes to record.  So it does if calls
 * are chosen by their ends.
 */
int rt_sites_record_pairs(struct rt_wanted *wanted, struct rt_traced *traced,
			  struct rt_sites *sites, struct rt_error *err);

/*
 * Hook functions that unwind or switch the traced functions' stacks (plan/hooks.h); last of all,
 * as it adds functions.
 */
int rt_sites_add_hooks(const struct rt_wanted *wanted, struct rt_traced *traced,
		       struct rt_sites *sites, struct rt_error *err);

/*
 * --only-under: trace the root functions that wanted->only_under specifies; calls are filtered by
 * them. Nothing where it is NULL.
 */
int rt_sites_add_roots(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		       struct rt_error *err);

/*
 * Functions that have been added since --only-under was read (hooks.h, errno_of.h) are no roots.  0
 * or -ENOMEM.
 */
int rt_sites_grow_roots(struct rt_sites *sites, struct rt_error *err);

/*
 * After rt_sites_notes, which may have given returns up: an error where a root is without, or a
 * function with a condition on its result or time.
 */
int rt_sites_check_roots(const struct rt_sites *sites, struct rt_error *err);

/*
 * Make the plans, at most `most_plans` (rt_attach_plans), and probes, when all functions are there.
 * An error where nothing can be measured, and where a root's return is not probed, for then nobody
 * knows what is inside it.
 */
int rt_sites_make(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		  unsigned most_plans, struct rt_error *err);

/* The mechanism is one for few plans: make them and the probes anew. */
int rt_sites_fewer_plans(const struct rt_wanted *wanted, struct rt_traced *traced,
			 struct rt_sites *sites, struct rt_error *err);

/*
 * The kernel cannot take what is to be read: make the plans and probes anew that read less, `why`
 * says what.  -ENOENT: there is no less.
 */
int rt_sites_simplify(const struct rt_wanted *wanted, struct rt_traced *traced,
		      struct rt_sites *sites, const char **why, struct rt_error *err);

/*
 * Is any return probed by a uretprobe?  Make the plans and probes anew without those, for the
 * reason `why`.
 */
bool rt_sites_has_returns(const struct rt_sites *sites);
int rt_sites_give_up_returns(const struct rt_wanted *wanted, struct rt_traced *traced,
			     struct rt_sites *sites, const char *why, struct rt_error *err);

/*
 * Does a plan read by the thread pointer?  Make the plans and probes anew that do without, for the
 * reason `why`.
 */
bool rt_sites_wants_thread(const struct rt_sites *sites);
int rt_sites_no_thread_pointer(const struct rt_wanted *wanted, struct rt_traced *traced,
			       struct rt_sites *sites, const char *why, struct rt_error *err);

/* The exit of a site; NULL: it is an entry's or a uretprobe. */
static inline const struct rt_exit *rt_sites_exit(const struct rt_sites *sites,
						  const struct rt_site *site)
{
	return site->kind == RT_SITE_EXIT ? &sites->functions.v[site->function].exits.v[site->exit]
					  : NULL;
}

/*
 * Remarks for the user on what is traced only in part, one a call of `note`.  With `everywhere`
 * (rt_attach_ops) the returns of libraries that are uretprobes are given up first; with `verbose`
 * that is said on standard error.
 */
int rt_sites_notes(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		   bool everywhere, bool verbose, int (*note)(void *ctx, const char *text),
		   void *ctx);

#endif
