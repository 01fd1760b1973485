/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_WANTED_H
#define RT_PLAN_WANTED_H

#include "emit/cells.h"
#include "fetch/show.h"
#include "lang/probes.h"

/* the user's choice for returns (--return) */
enum rt_want { RT_WANT_AUTO, RT_WANT_URETPROBE, RT_WANT_INSN, RT_WANT_NONE };

/* -v lists functions one by one up to this number; above it, only reasons and counts. */
enum { RT_VERBOSE_FUNCTIONS = 16 };

/*
 * The user's wishes.  The caller fills it in before anything else.  rt_sites_resolve and other
 * functions that add functions (plan/sites.h) store the specifications that they parse here, and
 * set limit.tests and limit.ends.
 */
struct rt_wanted {
	/*
	 * what the programs are for: entries without values for counting; for measuring, no probes
	 * of functions without a return probe
	 */
	enum rt_purpose purpose;
	enum rt_want want; /* --return */
	/* the probes will be in every process that maps their file (struct rt_attach_ops) */
	bool everywhere;
	/* every process that runs the files is traced: the specifications name the files */
	bool all;
	/* children have the probes too; the programs that they run are not judged */
	bool children;
	char *const *words; /* of the command, if its children are followed; NULL: none */
	bool stacks; /* entries copy the stack, and no uretprobe replaces return addresses */
	uint16_t stack_bytes; /* with stacks: how much of it */
	bool counts; /* entries only: the command counts calls */
	bool typed; /* prototypes are looked for */
	bool verbose; /* say where a search did not look */
	struct rt_limits limits; /* how much is read and printed */
	struct rt_limit limit;
	/*
	 * a function with a prototype that says how it fails is shown where it did; without `why`
	 * the others are not traced
	 */
	bool failed;
	bool why; /* calls that are chosen by their end are shown with the calls inside them */
	const char *only_under; /* a specification; NULL: none */
	const char *const *excluded; /* `nexcluded` specifications of functions to leave out */
	size_t nexcluded;
	struct rt_probes *sets; /* files of probes that were asked for, or NULL */
	struct rt_spec **specs; /* which the functions point into */
	size_t nspecs, specs_cap;
	struct rt_awaited *awaited; /* plan/awaited.h */
	size_t nawaited, awaited_cap;
};

struct rt_traced;

/*
 * Parse a specification into `*spec`, which `wanted` owns, as functions are shown by it.  0 or a
 * negative errno.
 */
int rt_wanted_keep_spec(struct rt_wanted *wanted, const struct rt_traced *traced, const char *text,
			struct rt_spec **spec, struct rt_error *err);

/* Its conditions are tested by the programs. */
void rt_wanted_note_conditions(struct rt_wanted *wanted, const struct rt_spec *spec);

/*
 * The BPF programs pair entries and returns by the stack pointer, so a probe must be where the
 * stack pointer is that of the entry.
 */
static inline bool rt_wanted_pairs_in_kernel(const struct rt_wanted *wanted)
{
	return wanted->purpose == RT_PURPOSE_TIME || rt_limit_any(&wanted->limit);
}

#endif
