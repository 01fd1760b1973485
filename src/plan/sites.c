/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/sites.h"

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
#include "plan/awaited.h"
#include "plan/errno_of.h"
#include "plan/place.h"
#include "plan/plans.h"
#include "plan/returns.h"
#include "plan/runtimes.h"
#include "plan/sets.h"
#include "plan/tails.h"
#include "plan/usdt.h"
#include "plan/hooks.h"
#include "plan/named_files.h"
#include "process/search.h"
#include "process/tracee.h"
#include "symbols/usdt.h"

/*
 * A library that the program has not got, or a glob, may mean what comes later: by dlopen, or with
 * -f as a program that a child runs (cc1, which is not in PATH).
 */
static bool may_come(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     const struct rt_spec *spec)
{
	if ((!spec->lib && !spec->provider) || wanted->all)
		return false;
	if (!wanted->children && !rt_program_can_load(&traced->program))
		return false;
	if (!spec->lib)
		return spec->glob || !rt_program_has_provider(&traced->program, spec->provider);
	return rt_program_is_glob(spec->lib) ||
	       (!strchr(spec->lib, '/') && !rt_program_find(&traced->program, spec->lib));
}

static bool has_file(const struct rt_program *program, const char *lib)
{
	size_t i;

	if (!rt_program_is_glob(lib))
		return rt_program_find(program, lib);
	for (i = 0; i < program->n && !rt_program_fits(program->v[i], lib); i++)
		;
	return i < program->n;
}

/*
 * NAME:FUNCTION where NAME is not in PATH and not in ld.so.cache.  `near`: a name like it, where
 * there is no such program.  With -p a library is found when it is mapped.
 */
static int search(const struct rt_wanted *wanted, struct rt_traced *traced, const char *name,
		  char **near, struct rt_error *err)
{
	const char *bound;
	int r;

	if ((!wanted->children && traced->pids.n) || !traced->program.n || strchr(name, '/') ||
	    has_file(&traced->program, name))
		return 0;
	r = rt_program_search(&traced->program, name, wanted->children, near, &bound, err);
	if (bound && wanted->verbose)
		rt_say("%.40s: not searched everywhere: %s; give its path", name, bound);
	return r;
}

/*
 * A child may run each program of that name: cc1 of gcc 12, cc1 of gcc 13.  Each library from
 * number `found` on has the name, too.  Returns how many have the function, or -ENOMEM.
 */
static int add_others(const struct rt_wanted *wanted, const struct rt_traced *traced,
		      struct rt_sites *sites, const struct rt_spec *spec, size_t found)
{
	const struct rt_program *program = &traced->program;
	struct rt_image *first = rt_program_find(program, spec->lib), *image;
	struct rt_error ignored;
	int r = 0, n = 0;
	size_t i;

	for (i = 0; i < program->n && r != -ENOMEM; i++) {
		image = program->v[i];
		if (image == first || (rt_image_interp(image)
					       ? !wanted->children ||
							 !rt_program_is_named(image, spec->lib)
					       : i < found || !rt_program_names(image, spec->lib)))
			continue;
		r = rt_functions_add_of(&sites->functions, program, image, spec, &ignored);
		n += r == 0;
	}
	return r == -ENOMEM ? r : n;
}

static int add_spec(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		    const struct rt_spec *spec, struct rt_error *err)
{
	bool later = may_come(wanted, traced, spec);
	struct rt_spec *probe = NULL;
	char *near = NULL;
	int r = 0, added, programs, others = 0;
	size_t found;

	/* PROGRAM:FUNCTION: a program that a child may run, or a library. */
	if (spec->lib && wanted->children)
		r = rt_program_add_program(&traced->program, spec->lib, err);
	if (r == 0 && spec->lib && !wanted->all)
		r = rt_program_add_path(&traced->program, spec->lib, rt_pids_first(&traced->pids),
					err);
	/*
	 * Another file of that name may come all the same: by LD_LIBRARY_PATH or DT_RUNPATH.  With
	 * -p the file is found when it comes, but not without BPF.
	 */
	if (r == 0 && later && spec->lib && (!traced->pids.n || wanted->everywhere) &&
	    !strchr(spec->lib, '/'))
		r = rt_program_add_cached(&traced->program, spec->lib, err);
	found = traced->program.n;
	if (r == 0 && later && spec->lib)
		r = search(wanted, traced, spec->lib, &near, err);
	programs = r;
	if (r < 0)
		return r;
	added = rt_functions_add(&sites->functions, &traced->program, spec, err);
	if (spec->lib && !rt_program_is_glob(spec->lib) && added != -ENOMEM)
		others = add_others(wanted, traced, sites, spec, found);
	if (others < 0)
		return rt_nomem(err);
	added = others ? 0 : added;
	/* A library without the function is another one of that name. */
	if (added < 0 && !programs)
		rt_program_cut(&traced->program, found);
	if (added == -ENOMEM || !later || (added < 0 && programs) ||
	    (added == 0 && !spec->lib && !spec->glob)) {
		free(near);
		return added;
	}
	r = 0;
	if (rt_spec_may_be_usdt(spec))
		r = rt_wanted_keep_spec(wanted, traced, spec->text, &probe, err);
	if (probe && r == 0)
		rt_spec_make_usdt(probe);
	if (r == 0)
		r = rt_awaited_add(wanted, spec, NULL, err);
	if (r < 0) {
		free(near);
		return r;
	}
	wanted->awaited[wanted->nawaited - 1].probe = probe;
	wanted->awaited[wanted->nawaited - 1].needed = added < 0;
	wanted->awaited[wanted->nawaited - 1].near = near;
	return 0;
}

static bool is_bare(const struct rt_spec *spec)
{
	return !spec->nargs_given && !spec->prototype && !spec->nshown && !spec->nconditions &&
	       !spec->nwords;
}

int rt_sites_exclude(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     struct rt_functions *functions, struct rt_error *err)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&traced->program));
	size_t i, n = functions->n;
	struct rt_spec spec;
	int r = 0;

	for (i = 0; i < wanted->nexcluded && r == 0; i++) {
		r = rt_spec_parse(wanted->excluded[i], arch, NULL, &spec, err);
		if (r < 0)
			return r;
		if (!is_bare(&spec) || spec.has_address || spec.has_offset || spec.file ||
		    spec.provider || *wanted->excluded[i] == '@')
			r = rt_usage(err, "'!%s': expected a name or a glob, or LIBRARY:GLOB",
				     wanted->excluded[i]);
		else if (rt_functions_exclude(functions, &spec) < 0)
			r = rt_nomem(err);
		rt_spec_free(&spec);
	}
	if (r == 0 && n && !functions->n)
		return rt_usage(err, "'!%s': no function is left", wanted->excluded[i - 1]);
	return r;
}

int rt_sites_add_functions(struct rt_wanted *wanted, struct rt_traced *traced,
			   struct rt_sites *sites, char *const *specs, int n, struct rt_error *err)
{
	struct rt_spec *spec;
	int i, r = 0;

	for (i = 0; i < n && r == 0; i++) {
		if (specs[i][0] == '@') {
			r = rt_sites_add_set(wanted, traced, sites, specs[i] + 1, err);
			continue;
		}
		if (wanted->all && rt_is_file_for_sets(specs[i], specs, n))
			continue;
		r = rt_wanted_keep_spec(wanted, traced, specs[i], &spec, err);
		if (r == 0)
			rt_wanted_note_conditions(wanted, spec);
		if (r == 0)
			rt_spec_take_usdt(spec, &traced->program);
		if (r == 0)
			r = add_spec(wanted, traced, sites, spec, err);
	}
	return r < 0 ? r : rt_sites_exclude(wanted, traced, &sites->functions, err);
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
static void judge_process(struct rt_traced *traced)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	uint32_t version = rt_kernel_version();
	char who[sizeof(traced->entry_only) - 80];
	pid_t self = getpid();

	rt_program_can_run_other_code(&traced->program, traced->library_entry_only,
				      sizeof(traced->library_entry_only));
	if (rt_program_can_unwind(&traced->program, traced->entry_only, sizeof(traced->entry_only)))
		return;
	if (is_filtered(traced->pids.n ? &traced->pids : RT_PID(self)))
		snprintf(traced->entry_only, sizeof(traced->entry_only),
			 "the process is under seccomp, which may kill it for the kernel's "
			 "uretprobe system call");
	else if (version >= RT_KERNEL(6, 6) && version < RT_KERNEL(6, 11) &&
		 has_shadow_stack(&traced->pids))
		snprintf(traced->entry_only, sizeof(traced->entry_only),
			 "the process has a shadow stack, which the kernel's uretprobes do not "
			 "know");
	else if (version >= RT_KERNEL(6, 11) && version < RT_KERNEL(6, 14) &&
		 arch && arch->has_uretprobe_call &&
		 rt_program_can_use_seccomp(&traced->program, who, sizeof(who)))
		snprintf(traced->entry_only, sizeof(traced->entry_only),
			 "%s, and seccomp may kill it for the kernel's uretprobe system call", who);
}

static void add_site(struct rt_sites *sites, enum rt_site_kind kind, size_t function, unsigned plan,
		     size_t exit)
{
	const struct rt_function *f = &sites->functions.v[function];
	struct rt_site *site = &sites->v[sites->n++];

	*site = (struct rt_site){ .kind = (uint8_t)kind,
				  .function = (uint32_t)function,
				  .plan = (uint16_t)plan,
				  .exit = (uint32_t)exit };
	if (f->usdt)
		site->semaphore = (uint32_t)rt_function_usdt(f)->semaphore;
}

static unsigned plan_of(const struct rt_sites *sites, size_t function, const struct rt_exit *e)
{
	if (sites->functions.v[function].role || e->kind == RT_EXIT_RETURN)
		return sites->exit_plan[function];
	if (e->plan)
		return e->plan - 1u;
	return e->kind == RT_EXIT_JUMP ? sites->jump_plan[function] : sites->branch_plan[function];
}

static void add_returns(struct rt_sites *sites, size_t function)
{
	const struct rt_function *f = &sites->functions.v[function];
	size_t i;

	if (f->how == RT_HOW_URETPROBE)
		add_site(sites, RT_SITE_RETURN, function, sites->exit_plan[function], 0);
	for (i = 0; i < f->exits.n && f->how == RT_HOW_INSN; i++)
		if (!f->exits.v[i].repeats && (!f->role || !f->exits.v[i].target))
			add_site(sites, RT_SITE_EXIT, function,
				 plan_of(sites, function, &f->exits.v[i]), i);
}

/* Nothing can be measured. */
static int no_times(const struct rt_sites *sites, struct rt_error *err)
{
	const struct rt_function *f = &sites->functions.v[0];
	char why[1024];

	return rt_fail(err, -ENOTSUP, "%s%s: cannot be timed: returns: %s; try: rawtrace count",
		       f->name, sites->functions.n > 1 ? " and the others" : "",
		       rt_returns_why(f, why, sizeof(why)));
}

static int pair_up(const struct rt_wanted *wanted, const struct rt_traced *traced,
		   struct rt_sites *sites, struct rt_error *err)
{
	return rt_usdt_pair_up(&sites->functions,
			       rt_image_arch(rt_program_executable(&traced->program)),
			       wanted->sets, true, err);
}

/* --failed: nothing says how it fails. */
static bool never_fails(const struct rt_wanted *wanted, const struct rt_sites *sites, size_t i)
{
	const struct rt_function *f = &sites->functions.v[i];

	return wanted->failed && !wanted->why && !f->hidden &&
	       !(sites->returns[i] && sites->plans[sites->exit_plan[i]].ntests);
}

static int make_probes(const struct rt_wanted *wanted, struct rt_traced *traced,
		       struct rt_sites *sites, struct rt_error *err)
{
	size_t i, n = sites->functions.n, exits = 0;
	bool some = false;
	int r = rt_returns_choose(wanted, traced, sites, err);

	if (r == 0 && wanted->purpose != RT_PURPOSE_TIME)
		r = pair_up(wanted, traced, sites, err);
	if (r < 0)
		return r;
	for (i = 0; i < n; i++)
		exits += sites->functions.v[i].exits.n;
	sites->returns = calloc(n, sizeof(*sites->returns));
	sites->v = calloc(n * 2 + exits, sizeof(*sites->v));
	if (!sites->returns || !sites->v)
		return rt_nomem(err);
	for (i = 0; i < n; i++)
		sites->returns[i] = sites->functions.v[i].how != RT_HOW_NONE &&
				    !sites->functions.v[i].role;
	r = rt_errno_check(traced, sites, err);
	if (r == 0)
		r = rt_plans_make(wanted, traced, sites, rt_sites_has_returns(sites), err);
	for (i = 0; i < n && r == 0; i++) {
		if (sites->functions.v[i].left_out)
			continue;
		/* A count of calls needs only the probe that opens them. */
		if (wanted->purpose == RT_PURPOSE_COUNT && sites->functions.v[i].closes)
			continue;
		if (sites->functions.v[i].role == RT_ROLE_UNWOUND || sites->functions.v[i].tail)
			add_returns(sites, i);
		if (!rt_plans_has_entry(wanted, traced, sites, i))
			continue;
		if (never_fails(wanted, sites, i))
			continue;
		some |= !sites->functions.v[i].hidden;
		add_site(sites, RT_SITE_ENTRY, i, sites->entry_plan[i], 0);
		add_returns(sites, i);
	}
	if (r == 0 && !some && n && wanted->failed)
		return rt_usage(err,
				"--failed: nothing says how %s%s fails; try: 'int %s(...) errno'",
				sites->functions.v[0].name, n > 1 ? " or another function" : "",
				sites->functions.v[0].name);
	return r < 0 || some || !n ? r : no_times(sites, err);
}

static void say_slow(const char *file)
{
	rt_say("debuginfod: waiting for debug information of %s (DEBUGINFOD_URLS)", file);
}

int rt_sites_resolve(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     const char *program, const struct rt_pids *pids, char *const *specs,
		     int nspecs, struct rt_error *err)
{
	int r;

	memset(traced, 0, sizeof(*traced));
	memset(sites, 0, sizeof(*sites));
	if (pids)
		rt_proc_leaders(pids, &traced->pids);
	if (wanted->all) {
		r = rt_open_named_files(traced, specs, nspecs, err);
	} else if (traced->pids.n) {
		r = rt_program_of_pids(&traced->pids, &traced->program, err);
	} else {
		r = rt_tracee_find(program, &traced->path, err);
		if (r == 0)
			r = rt_program_of_command(traced->path, &traced->program, err);
	}
	if (r == 0) {
		traced->program.servers->slow = say_slow;
		r = rt_sites_add_functions(wanted, traced, sites, specs, nspecs, err);
	}
	if (r == 0)
		r = rt_awaited_add_words(wanted, traced, sites, err);
	if (r < 0)
		return r;
	judge_process(traced);
	return rt_runtimes_find(traced, sites, err);
}

int rt_sites_add_own_functions(struct rt_wanted *wanted, struct rt_traced *traced,
			       struct rt_sites *sites, struct rt_error *err)
{
	const struct rt_image *image = rt_program_executable(&traced->program);
	char *all[] = { (char *)(rt_image_is_go(image) ? "main.*" : "*") };
	int r = rt_sites_add_functions(wanted, traced, sites, all, 1, err);

	if (r == 0 && rt_image_names_only_exports(image))
		rt_say("%s: stripped: only its exports are traced; try --libcalls",
		       rt_image_name(image));
	return r;
}

bool rt_sites_has_returns(const struct rt_sites *sites)
{
	size_t i;

	for (i = 0; i < sites->functions.n; i++)
		if (sites->functions.v[i].how == RT_HOW_URETPROBE)
			return true;
	return false;
}

bool rt_sites_wants_thread(const struct rt_sites *sites)
{
	unsigned i;

	for (i = 0; i < sites->nplans; i++)
		if (rt_plan_wants_thread(&sites->plans[i]))
			return true;
	return false;
}

static int make_probes_anew(const struct rt_wanted *wanted, struct rt_traced *traced,
			    struct rt_sites *sites, struct rt_error *err)
{
	int r = rt_sites_grow_roots(sites, err);

	free(sites->returns);
	free(sites->v);
	sites->returns = NULL;
	sites->v = NULL;
	sites->n = 0;
	return r < 0 ? r : make_probes(wanted, traced, sites, err);
}

int rt_sites_give_up_returns(const struct rt_wanted *wanted, struct rt_traced *traced,
			     struct rt_sites *sites, const char *why, struct rt_error *err)
{
	int r;

	snprintf(traced->entry_only, sizeof(traced->entry_only), "%s", why);
	r = make_probes_anew(wanted, traced, sites, err);
	return r < 0 ? r : rt_sites_check_roots(sites, err);
}

int rt_sites_no_thread_pointer(const struct rt_wanted *wanted, struct rt_traced *traced,
			       struct rt_sites *sites, const char *why, struct rt_error *err)
{
	int r;

	snprintf(traced->no_thread_pointer, sizeof(traced->no_thread_pointer), "%s", why);
	r = make_probes_anew(wanted, traced, sites, err);
	return r < 0 ? r : rt_sites_check_roots(sites, err);
}

int rt_sites_record_pairs(struct rt_wanted *wanted, struct rt_traced *traced,
			  struct rt_sites *sites, struct rt_error *err)
{
	bool some = false;
	size_t i;
	int r;

	if (wanted->limit.ends)
		wanted->purpose = RT_PURPOSE_RECORD;
	if (wanted->purpose != RT_PURPOSE_TIME)
		return 0;
	r = pair_up(wanted, traced, sites, err);
	for (i = 0; i < sites->functions.n; i++)
		some |= sites->functions.v[i].pair != 0;
	for (i = 0; i < wanted->nawaited; i++)
		some |= wanted->awaited[i].spec->provider != NULL;
	if (some)
		wanted->purpose = RT_PURPOSE_RECORD;
	return r;
}

int rt_sites_add_hooks(const struct rt_wanted *wanted, struct rt_traced *traced,
		       struct rt_sites *sites, struct rt_error *err)
{
	int r = rt_runtimes_find(traced, sites, err);

	if (r == 0)
		rt_plans_begin(wanted, traced, sites);
	if (r == 0 && wanted->purpose == RT_PURPOSE_RECORD)
		r = rt_returns_choose(wanted, traced, sites, err);
	if (r == 0)
		r = rt_hooks_add(wanted, traced, sites, err);
	if (r >= 0)
		r = rt_tails_add(wanted, traced, sites, err);
	/* The child that makes guesses takes longer. */
	return r < 0 || !sites->guessing.pid ? r : rt_place_begin(traced, sites, err);
}

int rt_sites_make(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		  unsigned most_plans, struct rt_error *err)
{
	int r;

	sites->most_plans = most_plans;
	sites->limits = wanted->limits;
	r = make_probes_anew(wanted, traced, sites, err);

	/* The prototypes say whether errno is wanted. */
	if (r == 0)
		r = rt_errno_prepare(wanted, traced, sites, err);
	if (r == 0)
		r = rt_errno_check(traced, sites, err);
	if (r > 0)
		r = make_probes_anew(wanted, traced, sites, err);
	return r < 0 ? r : rt_sites_check_roots(sites, err);
}

int rt_sites_fewer_plans(const struct rt_wanted *wanted, struct rt_traced *traced,
			 struct rt_sites *sites, struct rt_error *err)
{
	sites->most_plans = RT_PLANS_FEW;
	return make_probes_anew(wanted, traced, sites, err);
}

int rt_sites_simplify(const struct rt_wanted *wanted, struct rt_traced *traced,
		      struct rt_sites *sites, const char **why, struct rt_error *err)
{
	int r = rt_plans_simplify(wanted, traced, sites, why);

	return r < 0 ? r : make_probes_anew(wanted, traced, sites, err);
}

void rt_sites_free(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites)
{
	rt_functions_free(&sites->functions);
	free(sites->dropped);
	rt_program_close(&traced->program);
	while (wanted->nspecs > 0) {
		rt_spec_free(wanted->specs[--wanted->nspecs]);
		free(wanted->specs[wanted->nspecs]);
	}
	free(wanted->specs);
	while (wanted->nawaited > 0)
		free(wanted->awaited[--wanted->nawaited].near);
	free(wanted->awaited);
	rt_probes_free(wanted->sets);
	free(sites->returns);
	rt_plans_free(sites);
	rt_place_free(&sites->places);
	free(sites->v);
	free(sites->roots);
	free(traced->runtimes);
	free(traced->path);
	memset(wanted, 0, sizeof(*wanted));
	memset(traced, 0, sizeof(*traced));
	memset(sites, 0, sizeof(*sites));
}

int rt_sites_add_libcalls(struct rt_wanted *wanted, const struct rt_traced *traced,
			  struct rt_sites *sites, const char *text, struct rt_error *err)
{
	struct rt_spec *spec;
	int r = rt_wanted_keep_spec(wanted, traced, text, &spec, err);

	/* A library that comes first may have other processes' calls. */
	if (r == 0 && traced->program.uneven)
		r = rt_usage(err,
			     "--libcalls: process %d has other libraries than process %d; trace "
			     "them one by one",
			     (int)traced->program.uneven, (int)rt_pids_first(&traced->pids));

	if (r == 0 && (spec->has_address || spec->has_offset || spec->file))
		r = rt_spec_expected(spec, spec->column, err, "the name of an imported function");
	if (r == 0)
		r = rt_functions_add_imports(&sites->functions, &traced->program,
					     rt_pids_first(&traced->pids), spec, err);
	sites->imports_nothing = r == 1;
	sites->libcalls = r == 0;
	return r < 0 ? r : rt_sites_exclude(wanted, traced, &sites->functions, err);
}

/* ---- --only-under ---- */

/* --only-under: which functions it names, the roots. */

static bool same_function(const struct rt_function *a, const struct rt_function *b)
{
	return a->image == b->image && a->addr == b->addr;
}

/*
 * Trace `text` too.  A name alone leaves what has been said of the function: its arguments and
 * conditions.
 */
static int add_roots(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     const char *text, bool bare, struct rt_error *err)
{
	size_t n = sites->functions.n, i;
	struct rt_function *said = malloc((n + 1) * sizeof(*said));
	int r;

	if (!said)
		return rt_nomem(err);
	if (n)
		memcpy(said, sites->functions.v, n * sizeof(*said));
	r = rt_sites_add_functions(wanted, traced, sites, (char *const *)&text, 1, err);
	for (i = 0; i < n && bare; i++) {
		sites->functions.v[i].spec = said[i].spec;
		sites->functions.v[i].nargs = said[i].nargs;
	}
	free(said);
	return r;
}

static int set_roots(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     struct rt_error *err)
{
	const char *under = wanted->only_under;
	struct rt_functions roots = { 0 };
	struct rt_spec parsed;
	bool bare = false;
	size_t i, k;
	int r;

	r = rt_spec_parse(under, rt_image_arch(rt_program_executable(&traced->program)), NULL,
			  &parsed, err);
	if (r == 0) {
		bare = is_bare(&parsed);
		r = rt_functions_add(&roots, &traced->program, &parsed, err);
		rt_spec_free(&parsed);
	}
	if (r == 0)
		r = add_roots(wanted, traced, sites, under, bare, err);
	if (r == 0)
		sites->roots = calloc(sites->functions.n, sizeof(*sites->roots));
	sites->nroots = sites->functions.n;
	if (r == 0 && !sites->roots)
		r = rt_nomem(err);
	for (i = 0; i < sites->functions.n && r == 0; i++)
		for (k = 0; k < roots.n; k++)
			sites->roots[i] |= same_function(&sites->functions.v[i], &roots.v[k]);
	rt_functions_free(&roots);
	return r;
}

int rt_sites_add_roots(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		       struct rt_error *err)
{
	return wanted->only_under ? set_roots(wanted, traced, sites, err) : 0;
}

int rt_sites_grow_roots(struct rt_sites *sites, struct rt_error *err)
{
	bool *v;

	if (!sites->roots || sites->nroots == sites->functions.n)
		return 0;
	v = realloc(sites->roots, sites->functions.n * sizeof(*v));
	if (!v)
		return rt_nomem(err);
	memset(v + sites->nroots, 0, (sites->functions.n - sites->nroots) * sizeof(*v));
	sites->roots = v;
	sites->nroots = sites->functions.n;
	return 0;
}

/* Functions of a glob may be without: no call of them meets the condition. */
static bool needs_end(const struct rt_function *f)
{
	return !f->hidden && !f->usdt && f->spec && !f->spec->glob && rt_spec_tests_end(f->spec);
}

int rt_sites_check_roots(const struct rt_sites *sites, struct rt_error *err)
{
	char why[1024];
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];
		bool root = sites->roots && sites->roots[i];

		if (!sites->returns[i] && (root || needs_end(f)))
			return rt_fail(err, -ENOTSUP, "%s%s: its return cannot be probed: %s",
				       root ? "--only-under: " : "", f->name,
				       rt_returns_why(f, why, sizeof(why)));
	}
	return 0;
}
