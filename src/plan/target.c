/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/target.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/say.h"
#include "elf/debug.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "lang/probes.h"
#include "plan/errno_of.h"
#include "plan/plans.h"
#include "plan/returns.h"
#include "plan/runtimes.h"
#include "plan/hooks.h"
#include "process/tracee.h"

/* The specification is kept, as its functions are shown by it. */
static int keep_spec(struct rt_target *t, const char *text, struct rt_spec **spec,
		     struct rt_error *err)
{
	int r;

	*spec = calloc(1, sizeof(**spec));
	if (!*spec || RT_ROOM(&t->specs, t->nspecs, &t->specs_cap) < 0) {
		free(*spec);
		return rt_nomem(err);
	}
	r = rt_spec_parse(text, rt_image_arch(rt_program_executable(&t->program)),
			  t->sets ? rt_probes_scope(t->sets) : NULL, *spec, err);
	if (r < 0)
		free(*spec);
	else
		t->specs[t->nspecs++] = *spec;
	return r;
}

/*
 * The library that the statement's globs mean, by its DT_SONAME; NULL: the process has none of
 * them.
 */
static const char *library_of(const struct rt_target *t, const struct rt_statement *s)
{
	const char *soname;
	size_t i;

	for (i = 0; i < t->program.n; i++) {
		soname = rt_image_soname(t->program.v[i]);
		if (soname && rt_statement_is_of(s, soname))
			return soname;
	}
	return NULL;
}

/*
 * One specification of a file: -ENOENT where the function is not there, as files name more than
 * every version of a program has.
 */
static int add_statement(struct rt_target *t, const struct rt_statement *s, struct rt_error *err)
{
	const char *library = s->libraries ? library_of(t, s) : NULL;
	struct rt_spec *spec;
	int r;

	if (s->libraries && !library)
		return -ENOENT;
	r = keep_spec(t, s->text, &spec, err);
	if (r < 0)
		return rt_probes_at(s, r, err);
	if (library && !spec->lib) {
		spec->lib = strdup(library);
		if (!spec->lib)
			return rt_nomem(err);
	}
	r = rt_functions_add(&t->functions, &t->program, spec, NULL);
	t->limit.tests |= r == 0 && spec->nconditions;
	return r == -ENOMEM ? rt_nomem(err) : r < 0 ? -ENOENT : 0;
}

/* @NAME */
static int add_set(struct rt_target *t, const char *name, struct rt_error *err)
{
	const struct rt_statement *v;
	size_t i, n, before = 0;
	bool some = false;
	int r;

	if (!t->sets)
		t->sets = rt_probes_new(rt_image_arch(rt_program_executable(&t->program)));
	if (!t->sets)
		return rt_nomem(err);
	rt_probes_statements(t->sets, &before);
	r = rt_probes_load(t->sets, name, err);
	if (r < 0)
		return r;
	v = rt_probes_statements(t->sets, &n);
	for (i = before; i < n; i++) {
		r = add_statement(t, &v[i], err);
		if (r < 0 && r != -ENOENT)
			return r;
		some |= r == 0;
	}
	return some ? 0
		    : rt_usage(err, "@%s: none of its functions is in %s", name,
			       rt_image_name(rt_program_executable(&t->program)));
}

int rt_target_add_functions(struct rt_target *t, char *const *specs, int n, struct rt_error *err)
{
	struct rt_spec *spec;
	int i, r = 0;

	for (i = 0; i < n && r == 0; i++) {
		if (specs[i][0] == '@') {
			r = add_set(t, specs[i] + 1, err);
			continue;
		}
		r = keep_spec(t, specs[i], &spec, err);
		t->limit.tests |= r == 0 && spec->nconditions;
		if (r == 0 && spec->lib)
			r = rt_program_add_path(&t->program, spec->lib, rt_pids_first(&t->pids),
						err);
		if (r == 0)
			r = rt_functions_add(&t->functions, &t->program, spec, err);
	}
	return r;
}

static bool is_filtered(const struct rt_pids *pids)
{
	long seccomp;
	unsigned i;

	for (i = 0; i < pids->n; i++)
		if (rt_proc_status(pids->v[i], "Seccomp", &seccomp) == 0 && seccomp)
			return true;
	return false;
}

/*
 * Shadow stacks are there from 6.6 on; glibc (2.39) gives programs one that are marked and asked
 * for it.
 */
static bool has_shadow_stack(const struct rt_pids *pids)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	unsigned i;

	for (i = 0; i < pids->n; i++)
		if (rt_proc_status_has(pids->v[i], "x86_Thread_features", "shstk"))
			return true;
	return !pids->n && tunables && (strstr(tunables, "shstk") || strstr(tunables, "SHSTK"));
}

/*
 * Why uretprobes could harm the whole process.  Those before 6.11 do not change the shadow stack
 * with the stack.  The uretprobe system call of x86 (6.11) kills one under seccomp on some kernels:
 * from 6.14 on, and on others where that was mended, filters do not see it, so only before is it
 * asked who may yet put itself there.
 */
static void judge_process(struct rt_target *t)
{
	uint32_t version = rt_kernel_version();
	char who[sizeof(t->entry_only) - 80];
	pid_t self = getpid();

	rt_program_can_run_other_code(&t->program, t->library_entry_only,
				      sizeof(t->library_entry_only));
	if (rt_program_can_unwind(&t->program, t->entry_only, sizeof(t->entry_only)))
		return;
	if (is_filtered(t->pids.n ? &t->pids : RT_PID(self)))
		snprintf(t->entry_only, sizeof(t->entry_only),
			 "the process is under seccomp, which may kill it for the kernel's "
			 "uretprobe system call");
	else if (version >= RT_KERNEL(6, 6) && version < RT_KERNEL(6, 11) &&
		 has_shadow_stack(&t->pids))
		snprintf(t->entry_only, sizeof(t->entry_only),
			 "the process has a shadow stack, which the kernel's uretprobes do not "
			 "know");
	else if (version >= RT_KERNEL(6, 11) && version < RT_KERNEL(6, 14) &&
		 rt_arch_native() == EM_X86_64 &&
		 rt_program_can_use_seccomp(&t->program, who, sizeof(who)))
		snprintf(t->entry_only, sizeof(t->entry_only),
			 "%s, and seccomp may kill it for the kernel's uretprobe system call", who);
}

static void add_probe(struct rt_target *t, size_t function, unsigned plan, size_t exit)
{
	t->probes[t->nprobes++] = (struct rt_probe){ .function = (uint32_t)function,
						     .plan = (uint16_t)plan,
						     .exit = (uint32_t)exit };
}

static unsigned plan_of(const struct rt_target *t, size_t function, const struct rt_exit *e)
{
	if (t->functions.v[function].role || e->kind == RT_EXIT_RETURN)
		return t->exit_plan[function];
	if (e->plan)
		return e->plan - 1u;
	return e->kind == RT_EXIT_JUMP ? t->jump_plan[function] : t->branch_plan[function];
}

static void add_returns(struct rt_target *t, size_t function)
{
	const struct rt_function *f = &t->functions.v[function];
	size_t i;

	if (f->how == RT_HOW_URETPROBE)
		add_probe(t, function, t->exit_plan[function], 0);
	for (i = 0; i < f->exits.n && f->how == RT_HOW_INSN; i++)
		if (!f->exits.v[i].again && (!f->role || !f->exits.v[i].target))
			add_probe(t, function, plan_of(t, function, &f->exits.v[i]), i);
}

/* Nothing can be measured. */
static int no_times(const struct rt_target *t, struct rt_error *err)
{
	const struct rt_function *f = &t->functions.v[0];
	char why[1024];

	return rt_fail(err, -ENOTSUP,
		       "%s%s cannot be timed: only entries can be probed: returns: %s; rawtrace "
		       "count counts the calls",
		       f->name, t->functions.n > 1 ? " and the others" : "",
		       rt_returns_why(f, why, sizeof(why)));
}

static int make_probes(struct rt_target *t, struct rt_error *err)
{
	size_t i, n = t->functions.n, exits = 0;
	bool some = false;
	int r = rt_returns_choose(t, err);

	if (r < 0)
		return r;
	for (i = 0; i < n; i++)
		exits += t->functions.v[i].exits.n;
	t->returns = calloc(n, sizeof(*t->returns));
	t->probes = calloc(n * 2 + exits, sizeof(*t->probes));
	if (!t->returns || !t->probes)
		return rt_nomem(err);
	for (i = 0; i < n; i++)
		t->returns[i] = t->functions.v[i].how != RT_HOW_NONE && !t->functions.v[i].role;
	r = rt_plans_make(t, rt_target_has_returns(t), err);
	for (i = 0; i < n && r == 0; i++) {
		if (t->functions.v[i].left_out)
			continue;
		if (t->functions.v[i].role == RT_ROLE_UNWOUND)
			add_returns(t, i);
		if (!rt_plans_has_entry(t, i))
			continue;
		some |= !t->functions.v[i].hidden;
		add_probe(t, i, t->entry_plan[i], 0);
		add_returns(t, i);
	}
	return r < 0 || some || !n ? r : no_times(t, err);
}

static void say_slow(const char *file)
{
	rt_say("waiting for debuginfod, which DEBUGINFOD_URLS is set for, for what it has of %s",
	       file);
}

int rt_target_resolve(struct rt_target *t, const char *program, const struct rt_pids *pids,
		      char *const *specs, int nspecs, struct rt_error *err)
{
	int r;

	memset(t, 0, sizeof(*t));
	if (pids)
		rt_proc_leaders(pids, &t->pids);
	t->most_plans = RT_PLANS_FEW;
	if (t->pids.n) {
		r = rt_program_of_pids(&t->pids, &t->program, err);
	} else {
		r = rt_tracee_find(program, &t->path, err);
		if (r == 0)
			r = rt_program_of_command(t->path, &t->program, err);
	}
	if (r == 0) {
		t->program.servers->slow = say_slow;
		r = rt_target_add_functions(t, specs, nspecs, err);
	}
	if (r < 0)
		return r;
	judge_process(t);
	return rt_runtimes_find(t, err);
}

bool rt_target_has_returns(const struct rt_target *t)
{
	size_t i;

	for (i = 0; i < t->functions.n; i++)
		if (t->functions.v[i].how == RT_HOW_URETPROBE)
			return true;
	return false;
}

bool rt_target_wants_thread(const struct rt_target *t)
{
	unsigned i;

	for (i = 0; i < t->nplans; i++)
		if (rt_plan_wants_thread(&t->plans[i]))
			return true;
	return false;
}

const struct rt_exit *rt_target_exit(const struct rt_target *t, const struct rt_probe *probe)
{
	const struct rt_plan *plan = &t->plans[probe->plan];
	const struct rt_exits *exits = &t->functions.v[probe->function].exits;

	return plan->kind == RT_KIND_RETURN && !rt_plan_is_uretprobe(plan) && probe->exit < exits->n
		       ? &exits->v[probe->exit]
		       : NULL;
}

static int make_probes_anew(struct rt_target *t, struct rt_error *err)
{
	int r = rt_target_grow_roots(t, err);

	free(t->returns);
	free(t->probes);
	t->returns = NULL;
	t->probes = NULL;
	t->nprobes = 0;
	return r < 0 ? r : make_probes(t, err);
}

int rt_target_give_up_returns(struct rt_target *t, const char *why, struct rt_error *err)
{
	int r;

	snprintf(t->entry_only, sizeof(t->entry_only), "%s", why);
	r = make_probes_anew(t, err);
	return r < 0 ? r : rt_target_check_roots(t, err);
}

int rt_target_no_thread_pointer(struct rt_target *t, const char *why, struct rt_error *err)
{
	int r;

	snprintf(t->no_thread_pointer, sizeof(t->no_thread_pointer), "%s", why);
	r = make_probes_anew(t, err);
	return r < 0 ? r : rt_target_check_roots(t, err);
}

void rt_target_set_purpose(struct rt_target *t, enum rt_purpose purpose)
{
	t->purpose = purpose;
}

void rt_target_set_returns(struct rt_target *t, enum rt_want want, bool everywhere)
{
	t->want = want;
	t->everywhere = everywhere;
}

void rt_target_set_types(struct rt_target *t, const struct rt_limits *limits)
{
	t->typed = true;
	t->limits = *limits;
}

void rt_target_set_plans(struct rt_target *t, unsigned most)
{
	t->most_plans = most;
}

int rt_target_add_hooks(struct rt_target *t, struct rt_error *err)
{
	int r = rt_runtimes_find(t, err);

	if (r == 0 && t->purpose == RT_PURPOSE_RECORD)
		r = rt_returns_choose(t, err);
	return r < 0 ? r : rt_hooks_add(t, err);
}

int rt_target_make(struct rt_target *t, struct rt_error *err)
{
	int r = make_probes_anew(t, err);

	/* What is known of the functions tells whether errno is wanted. */
	if (r == 0)
		r = rt_errno_prepare(t, err);
	if (r > 0)
		r = make_probes_anew(t, err);
	return r < 0 ? r : rt_target_check_roots(t, err);
}

int rt_target_fewer_plans(struct rt_target *t, struct rt_error *err)
{
	t->most_plans = RT_PLANS_FEW;
	return make_probes_anew(t, err);
}

int rt_target_simplify(struct rt_target *t, const char **why, struct rt_error *err)
{
	int r = rt_plans_simplify(t, why);

	return r < 0 ? r : make_probes_anew(t, err);
}

void rt_target_free(struct rt_target *t)
{
	rt_functions_free(&t->functions);
	rt_program_close(&t->program);
	while (t->nspecs > 0) {
		rt_spec_free(t->specs[--t->nspecs]);
		free(t->specs[t->nspecs]);
	}
	free(t->specs);
	rt_probes_free(t->sets);
	free(t->returns);
	rt_plans_free(t);
	free(t->probes);
	free(t->roots);
	free(t->runtimes);
	free(t->path);
	memset(t, 0, sizeof(*t));
}

int rt_target_add_libcalls(struct rt_target *t, const char *text, struct rt_error *err)
{
	struct rt_spec *spec;
	int r = keep_spec(t, text, &spec, err);

	/* A library that comes first may have other processes' calls. */
	if (r == 0 && t->program.uneven)
		r = rt_usage(err,
			     "--libcalls: process %d has other libraries than process %d; trace "
			     "them one by one",
			     (int)t->program.uneven, (int)rt_pids_first(&t->pids));

	if (r == 0 && (spec->has_address || spec->has_offset || spec->file))
		r = rt_spec_expected(spec, spec->column, err, "the name of an imported function");
	if (r == 0)
		r = rt_functions_add_imports(&t->functions, &t->program, rt_pids_first(&t->pids),
					     spec, err);
	t->imports_nothing = r == 1;
	t->libcalls = r == 0;
	return r < 0 ? r : 0;
}

/* ---- --only-under ---- */

/* --only-under: which of a target's functions it names, the roots. */

static bool same_function(const struct rt_function *a, const struct rt_function *b)
{
	return a->image == b->image && a->addr == b->addr;
}

static bool is_bare(const struct rt_spec *spec)
{
	return !spec->nargs_given && !spec->prototype && !spec->nshown && !spec->nconditions &&
	       !spec->nwords;
}

/*
 * Trace `text` too.  A name alone leaves what has been said of the function: its arguments and
 * conditions.
 */
static int add_roots(struct rt_target *t, const char *text, bool bare, struct rt_error *err)
{
	size_t n = t->functions.n, i;
	struct rt_function *said = malloc((n + 1) * sizeof(*said));
	int r;

	if (!said)
		return rt_nomem(err);
	if (n)
		memcpy(said, t->functions.v, n * sizeof(*said));
	r = rt_target_add_functions(t, (char *const *)&text, 1, err);
	for (i = 0; i < n && bare; i++) {
		t->functions.v[i].spec = said[i].spec;
		t->functions.v[i].nargs = said[i].nargs;
	}
	free(said);
	return r;
}

static int set_roots(struct rt_target *t, const char *under, struct rt_error *err)
{
	struct rt_functions roots = { 0 };
	struct rt_spec parsed;
	bool bare = false;
	size_t i, k;
	int r;

	r = rt_spec_parse(under, rt_image_arch(rt_program_executable(&t->program)), NULL, &parsed,
			  err);
	if (r == 0) {
		bare = is_bare(&parsed);
		r = rt_functions_add(&roots, &t->program, &parsed, err);
		rt_spec_free(&parsed);
	}
	if (r == 0)
		r = add_roots(t, under, bare, err);
	if (r == 0)
		t->roots = calloc(t->functions.n, sizeof(*t->roots));
	t->nroots = t->functions.n;
	if (r == 0 && !t->roots)
		r = rt_nomem(err);
	for (i = 0; i < t->functions.n && r == 0; i++)
		for (k = 0; k < roots.n; k++)
			t->roots[i] |= same_function(&t->functions.v[i], &roots.v[k]);
	rt_functions_free(&roots);
	return r;
}

int rt_target_set_limit(struct rt_target *t, unsigned depth, const char *under, uint64_t min_time,
			struct rt_error *err)
{
	t->limit.min_time = min_time;
	t->limit.depth = depth;
	t->limit.under = under;
	return under ? set_roots(t, under, err) : 0;
}

int rt_target_grow_roots(struct rt_target *t, struct rt_error *err)
{
	bool *v;

	if (!t->roots || t->nroots == t->functions.n)
		return 0;
	v = realloc(t->roots, t->functions.n * sizeof(*v));
	if (!v)
		return rt_nomem(err);
	memset(v + t->nroots, 0, (t->functions.n - t->nroots) * sizeof(*v));
	t->roots = v;
	t->nroots = t->functions.n;
	return 0;
}

int rt_target_check_roots(const struct rt_target *t, struct rt_error *err)
{
	char why[1024];
	size_t i;

	for (i = 0; t->roots && i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (t->roots[i] && !t->returns[i])
			return rt_fail(err, -ENOTSUP,
				       "--only-under: the return of %s cannot be probed, so what "
				       "is inside it is not known: %s",
				       f->name, rt_returns_why(f, why, sizeof(why)));
	}
	return 0;
}
