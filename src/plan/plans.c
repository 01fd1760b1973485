/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/plans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fetch/lower.h"
#include "go/go.h"
#include "lang/print.h"
#include "plan/errno_of.h"
#include "plan/runtimes.h"
#include "plan/signature.h"
#include "plan/hooks.h"

/* How much is read, from all to nothing but registers and the stack. */
enum level { READ_ALL, READ_STRINGS, READ_ARGUMENTS };

struct making {
	struct rt_target *target;
	struct rt_limits limits;
	struct rt_error *err;
	uint32_t *hashes;	/* by plan */
	size_t cap, hashes_cap;
	bool jumps;		/* entries have their return address recorded */
	bool last;		/* there is nothing more to leave out */
};

static uint32_t hash_bytes(uint32_t h, uint64_t word)
{
	return (h ^ (uint32_t)(word ^ word >> 32)) * 16777619u;
}

static uint32_t hash_plan(const struct rt_plan *plan)
{
	uint32_t h = hash_bytes(2166136261u, plan->kind * 128u + plan->role * 32u +
						     plan->leaving * 8u + plan->root * 2u +
						     plan->no_return);
	unsigned i, k;

	for (i = 0; i < plan->nvalues; i++) {
		const struct rt_fetch *f = &plan->values[i];

		h = hash_bytes(h, (uint64_t)f->base << 40 | (uint64_t)f->type << 32 |
					  (uint32_t)f->size << 24 | (uint32_t)f->max);
		h = hash_bytes(h, f->base == RT_BASE_REG ? f->reg.pt_regs
							 : (uint64_t)(int64_t)f->offset);
		h = hash_bytes(h, f->constant);
		for (k = 0; k < f->nderef; k++)
			h = hash_bytes(h, (uint64_t)(int64_t)f->deref[k]);
	}
	return h;
}

/* The number of an equal plan, which is added where it is new.  -E2BIG: there are too many. */
static int share_plan(struct making *m, const struct rt_plan *plan)
{
	struct rt_target *t = m->target;
	uint32_t h = hash_plan(plan);
	unsigned i;

	for (i = 0; i < t->nplans; i++)
		if (m->hashes[i] == h && rt_plan_same(&t->plans[i], plan))
			return (int)i;
	if ((t->nplans >= t->most_plans && !m->last) || t->nplans >= UINT16_MAX)
		return -E2BIG;
	if (RT_ROOM(&t->plans, t->nplans, &m->cap) < 0 ||
	    RT_ROOM(&m->hashes, t->nplans, &m->hashes_cap) < 0)
		return -ENOMEM;
	t->plans[t->nplans] = *plan;
	m->hashes[t->nplans] = h;
	return (int)t->nplans++;
}

bool rt_plans_has_entry(const struct rt_target *t, size_t i)
{
	if (t->functions.v[i].role == RT_ROLE_UNWOUND)
		return false;
	if (t->functions.v[i].role == RT_ROLE_ERRNO)
		return t->purpose == RT_PURPOSE_RECORD && rt_errno_is_read(t);
	if (t->functions.v[i].hidden)
		return t->purpose != RT_PURPOSE_COUNT && t->want != RT_WANT_NONE &&
		       (t->goroutines || t->functions.v[i].role != RT_ROLE_RECOVERED);
	return t->purpose != RT_PURPOSE_TIME || t->returns[i];
}

static bool is_known(const struct rt_target *t, size_t i)
{
	if (t->functions.v[i].hidden)
		return false;
	return t->purpose == RT_PURPOSE_RECORD && i < t->nprototypes &&
	       t->prototypes[i].origin != RT_ORIGIN_NONE;
}

/* Has the user written in the kernel's words what is read? */
static bool is_told(const struct rt_target *t, size_t i, enum rt_kind kind)
{
	return t->purpose == RT_PURPOSE_RECORD && rt_has_words(t->functions.v[i].spec, kind);
}

static bool has_conditions(const struct rt_target *t, size_t i)
{
	return t->functions.v[i].spec && t->functions.v[i].spec->nconditions && i < t->nprototypes;
}

/* Where nothing is recorded only what is compared is read. */
static void keep_tests(struct rt_plan *plan)
{
	struct rt_fetch values[RT_MAX_TESTS];
	unsigned i;

	for (i = 0; i < plan->ntests; i++) {
		values[i] = plan->values[plan->tests[i].value];
		plan->tests[i].value = i;
	}
	memcpy(plan->values, values, plan->ntests * sizeof(values[0]));
	plan->nvalues = plan->ntests;
}

bool rt_plans_goroutine(const struct rt_target *t, const struct rt_function *f, enum rt_kind kind,
			struct rt_fetch *record)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	const struct rt_runtime *runtime = rt_runtime_of(t, f->image);
	const struct rt_go *go = rt_image_go(f->image);

	memset(record, 0, sizeof(*record));
	record->base = RT_BASE_REG;
	if (!go || !runtime || !runtime->goid_offset || !t->goroutines)
		return false;
	if (arch->goroutine_stays) {
		record->reg = arch->goroutine;
		return true;
	}
	/* Assembly is entered with it in the register, and may use that for something else. */
	if (go->registers && rt_go_is_assembly(f) && kind == RT_KIND_RETURN &&
	    t->no_thread_pointer[0])
		return false;
	if (go->registers && !(rt_go_is_assembly(f) && go->g_known && !t->no_thread_pointer[0])) {
		record->reg = arch->goroutine;
		return true;
	}
	if (!go->registers && kind == RT_KIND_ENTRY && f->skip) {
		record->reg = rt_go_checked;
		return true;
	}
	record->base = RT_BASE_THREAD;
	record->nderef = 1;
	record->deref[0] = go->g_at;
	return go->g_known && !t->no_thread_pointer[0];
}

static int add_goroutine(const struct rt_target *t, const struct rt_function *f,
			 struct rt_plan *plan)
{
	const struct rt_runtime *runtime = rt_runtime_of(t, f->image);
	struct rt_fetch record;

	/* Calls that are only counted are nobody's. */
	if (!f->go || t->purpose == RT_PURPOSE_COUNT ||
	    !rt_plans_goroutine(t, f, plan->kind, &record))
		return 0;
	return rt_plan_add_goroutine(plan, &record, runtime->goid_offset, runtime->number) < 0
		       ? -ERANGE
		       : 0;
}

/* As a C function takes them; of those on the stack nothing where only registers can be read. */
static int guess_entry(const struct making *m, const struct rt_function *f, struct rt_plan *plan)
{
	int r = rt_plan_c_entry(rt_image_arch(f->image),
				m->target->purpose == RT_PURPOSE_RECORD ? f->nargs : 0, plan);
	unsigned i;

	for (i = 0;
	     i < plan->nvalues && !(m->limits.registers && plan->values[i].base == RT_BASE_STACK);
	     i++)
		;
	plan->nvalues = i;
	return r;
}

static int make_entry(struct making *m, size_t i)
{
	struct rt_target *t = m->target;
	const struct rt_function *f = &t->functions.v[i];
	struct rt_plan plan;
	int r;

	if (f->role) {
		r = f->role == RT_ROLE_ERRNO ? rt_errno_plan(t, f, &plan)
					     : rt_hook_plan(t, f, &plan);
		return r < 0 ? r : share_plan(m, &plan);
	}
	if (is_told(t, i, RT_KIND_ENTRY))
		r = rt_lower_words(f->spec, RT_KIND_ENTRY, rt_image_arch(f->image), t->types, &plan,
				   &t->shows[i].entry, m->err);
	else if (is_known(t, i) || has_conditions(t, i))
		r = rt_lower_entry(&t->prototypes[i], f->spec, rt_image_arch(f->image), &m->limits,
				   t->types, &plan, &t->shows[i].entry, m->err);
	else
		r = guess_entry(m, f, &plan);
	if (r == 0 && plan.ntests && t->purpose != RT_PURPOSE_RECORD)
		keep_tests(&plan);
	if (r < 0)
		return r == -E2BIG ? -ERANGE : r;
	if (is_known(t, i) && t->returns[i] && !is_told(t, i, RT_KIND_RETURN) &&
	    rt_lower_keep(&t->prototypes[i], f->spec, plan.arch, &m->limits, t->types, &plan) < 0)
		return -ENOMEM;
	r = add_goroutine(t, f, &plan);
	if (r < 0)
		return r;
	plan.return_address = m->jumps || t->libcalls;
	plan.root = t->roots && t->roots[i];
	plan.no_return = rt_limit_any(&t->limit) && !t->returns[i];
	return share_plan(m, &plan);
}

/* Is anything known of what it gives?  Go's results are parameters of another kind. */
static bool has_result(const struct rt_prototype *p)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if (p->params[i].is_out)
			return true;
	return p->result || p->results;
}

/* The plans of function `i` for instructions that leave it, made of that of its return. */
static int make_leaving(struct making *m, size_t i, const struct rt_plan *returns)
{
	static const enum rt_leaving leaving[] = {
		[RT_EXIT_RETURN] = RT_BY_RETURN,
		[RT_EXIT_JUMP] = RT_BY_JUMP,
		[RT_EXIT_MAYBE] = RT_BY_BRANCH,
	};
	struct rt_target *t = m->target;
	uint16_t *const plans[] = {
		[RT_EXIT_RETURN] = &t->exit_plan[i],
		[RT_EXIT_JUMP] = &t->jump_plan[i],
		[RT_EXIT_MAYBE] = &t->branch_plan[i],
	};
	const struct rt_exits *exits = &t->functions.v[i].exits;
	bool has[RT_COUNT(plans)] = { [RT_EXIT_RETURN] = true };
	struct rt_plan plan;
	size_t k;
	int r = 0;

	for (k = 0; k < exits->n; k++)
		has[exits->v[k].kind] = true;
	for (k = 0; k < RT_COUNT(plans) && r >= 0; k++) {
		if (!has[k])
			continue;
		rt_plan_at_exit(returns, leaving[k], &plan);
		r = share_plan(m, &plan);
		*plans[k] = (uint16_t)(r < 0 ? 0 : r);
	}
	return r;
}

static int make_exit(struct making *m, size_t i)
{
	struct rt_target *t = m->target;
	const struct rt_arch *arch = rt_image_arch(t->functions.v[i].image);
	struct rt_plan plan;
	int r = 0;

	if (t->functions.v[i].role) {
		plan = (struct rt_plan){ .kind = RT_KIND_RETURN,
					 .role = RT_ROLE_UNWOUND,
					 .leaving = RT_BY_RETURN,
					 .arch = arch };
		r = share_plan(m, &plan);
		t->exit_plan[i] = (uint16_t)(r < 0 ? 0 : r);
		return r;
	}
	if (is_told(t, i, RT_KIND_RETURN))
		r = rt_lower_words(t->functions.v[i].spec, RT_KIND_RETURN, arch, t->types, &plan,
				   &t->shows[i].exit, m->err);
	else if (is_known(t, i) && has_result(&t->prototypes[i]))
		r = rt_lower_return(&t->prototypes[i], t->functions.v[i].spec, arch, &m->limits,
				    t->types, &plan, &t->shows[i].exit);
	else
		rt_plan_c_return(arch, &plan);
	if (r < 0)
		return r;
	r = plan.goroutine ? 0 : add_goroutine(t, &t->functions.v[i], &plan);
	if (r < 0)
		return r;
	if (t->functions.v[i].how == RT_HOW_INSN)
		return make_leaving(m, i, &plan);
	r = share_plan(m, &plan);
	t->exit_plan[i] = (uint16_t)(r < 0 ? 0 : r);
	return r;
}

/* ---- where jumps through pointers lead ---- */

/* Jumps that read their target in the same way. */
struct pointed {
	const struct rt_exit *exit;
	uint16_t plan;		/* the functions' own for jumps */
	size_t n;
};

enum { POINTED_PLANS = 32, POINTED_MAX = 256 };

static bool is_pointed(const struct making *m, size_t function, const struct rt_exit *e)
{
	const struct rt_target *t = m->target;

	if (!e->by || t->plans[t->jump_plan[function]].goroutine)
		return false;
	/* A slot that is bound to a name is known by the name. */
	if (e->by == RT_BY_IP && e->to)
		return false;
	return !e->nthrough && !(e->loads && (m->limits.registers || m->limits.no_memory));
}

static bool is_of(const struct pointed *p, const struct rt_exit *e, uint16_t plan)
{
	const struct rt_exit *x = p->exit;

	return x->by == e->by && x->loads == e->loads && x->disp == e->disp && p->plan == plan;
}

static void count_one(struct pointed *v, size_t *n, const struct rt_exit *e, uint16_t plan)
{
	size_t i;

	for (i = 0; i < *n && !is_of(&v[i], e, plan); i++)
		;
	if (i == *n && *n < POINTED_MAX)
		v[(*n)++] = (struct pointed){ .exit = e, .plan = plan };
	if (i < *n)
		v[i].n++;
}

static size_t count_pointed(const struct making *m, struct pointed *v)
{
	const struct rt_target *t = m->target;
	size_t i, k, n = 0;

	for (i = 0; i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (f->how != RT_HOW_INSN || !t->returns[i])
			continue;
		for (k = 0; k < f->exits.n; k++) {
			f->exits.v[k].plan = 0;
			if (is_pointed(m, i, &f->exits.v[k]))
				count_one(v, &n, &f->exits.v[k], t->jump_plan[i]);
		}
	}
	return n;
}

static int compare_pointed(const void *a, const void *b)
{
	const struct pointed *x = a, *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

/* The plan that records the target; a negative errno. */
static int make_pointed(struct making *m, const struct pointed *p)
{
	struct rt_plan plan = m->target->plans[p->plan];
	const struct rt_exit *e = p->exit;

	plan.nvalues = 1;
	plan.values[0] = (struct rt_fetch){
		.base = RT_BASE_REG,
		.size = plan.arch->word,
		.nderef = e->loads,
		.deref = { e->disp },
		.reg = e->by == RT_BY_IP ? plan.arch->ip : plan.arch->dwarf[e->by - 1],
	};
	return share_plan(m, &plan);
}

static void use_pointed(const struct making *m, const struct pointed *p, uint16_t plan)
{
	const struct rt_target *t = m->target;
	size_t i, k;

	for (i = 0; i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (f->how != RT_HOW_INSN || !t->returns[i])
			continue;
		for (k = 0; k < f->exits.n; k++)
			if (is_of(p, &f->exits.v[k], t->jump_plan[i]) &&
			    is_pointed(m, i, &f->exits.v[k]))
				f->exits.v[k].plan = (uint16_t)(plan + 1);
	}
}

/*
 * A tail call through a pointer is known by the pointer, which the jump's plan reads.  Each
 * register and offset takes a plan, and attaching takes time for each plan.  So only the most
 * frequent ones get a plan, if the other plans leave room.  The other jumps are marked: result not
 * seen.
 */
static int make_jumps(struct making *m)
{
	struct rt_target *t = m->target;
	struct pointed v[POINTED_MAX];
	size_t n, i;
	int r = 0;

	if (t->purpose != RT_PURPOSE_RECORD)
		return 0;
	n = count_pointed(m, v);
	qsort(v, n, sizeof(*v), compare_pointed);
	for (i = 0; i < n && i < POINTED_PLANS && t->nplans < t->most_plans && r >= 0; i++) {
		r = make_pointed(m, &v[i]);
		if (r >= 0)
			use_pointed(m, &v[i], (uint16_t)r);
	}
	return r < 0 ? r : 0;
}

static void drop_plans(struct rt_target *t)
{
	free(t->plans);
	free(t->shows);
	free(t->entry_plan);
	free(t->exit_plan);
	free(t->jump_plan);
	free(t->branch_plan);
	rt_types_free(t->types);
	t->plans = NULL;
	t->shows = NULL;
	t->entry_plan = t->exit_plan = t->jump_plan = t->branch_plan = NULL;
	t->types = NULL;
	t->nplans = 0;
}

void rt_plans_free(struct rt_target *t)
{
	drop_plans(t);
	free(t->prototypes);
	rt_types_free(t->prototype_types);
	rt_signatures_free(t->signatures);
	t->signatures = NULL;
	t->prototypes = NULL;
	t->prototype_types = NULL;
	t->nprototypes = 0;
}

/* The returns first: what is shared by many has low numbers. */
static int make_all(struct making *m)
{
	struct rt_target *t = m->target;
	size_t i, n = t->functions.n;
	int r = 0;

	for (i = 0; i < n && r >= 0; i++) {
		if (!t->returns[i] && t->functions.v[i].role != RT_ROLE_UNWOUND)
			continue;
		r = make_exit(m, i);
	}
	for (i = 0; i < n && r >= 0; i++) {
		if (!rt_plans_has_entry(t, i))
			continue;
		r = make_entry(m, i);
		t->entry_plan[i] = (uint16_t)(r < 0 ? 0 : r);
	}
	return r < 0 ? r : 0;
}

/* The plans do not move any more. */
static void point_shows(struct rt_target *t)
{
	size_t i;

	for (i = 0; i < t->functions.n; i++) {
		bool entry = is_known(t, i) || is_told(t, i, RT_KIND_ENTRY);
		bool exit = (is_known(t, i) && has_result(&t->prototypes[i])) ||
			    is_told(t, i, RT_KIND_RETURN);

		t->shows[i].entry.plan = entry && rt_plans_has_entry(t, i)
						 ? &t->plans[t->entry_plan[i]]
						 : NULL;
		t->shows[i].exit.plan = exit && t->returns[i] ? &t->plans[t->exit_plan[i]] : NULL;
	}
}

static int find_prototypes(struct rt_target *t, struct rt_error *err)
{
	size_t i, n = t->functions.n, have = t->nprototypes < n ? t->nprototypes : 0;
	struct rt_prototype *v;
	int r = 0;

	/* Without records types matter for conditions alone. */
	if (!t->typed || t->nprototypes == n ||
	    (t->purpose != RT_PURPOSE_RECORD && !t->limit.tests))
		return 0;
	/* Functions that are watched come behind those whose prototypes were found before. */
	v = realloc(t->prototypes, n * sizeof(*v));
	if (!v)
		return rt_nomem(err);
	t->prototypes = v;
	t->nprototypes = 0;
	/* The images keep types that are in it. */
	if (!t->prototype_types)
		t->prototype_types = rt_types_new();
	if (!t->signatures)
		t->signatures = rt_signatures_new();
	if (!t->prototype_types || !t->signatures)
		return rt_nomem(err);
	for (i = have; i < n && r == 0; i++)
		r = rt_signature_of(t->signatures, &t->functions.v[i],
				    rt_program_executable(&t->program), t->prototype_types,
				    &t->prototypes[i], err);
	if (r == 0)
		t->nprototypes = n;
	return r;
}

static int make_level(struct rt_target *t, bool any, enum level level, struct rt_error *err)
{
	size_t n = t->functions.n;
	struct making m = {
		.target = t, .err = err, .limits = t->limits, .last = level == READ_ARGUMENTS
	};
	char why[sizeof(t->entry_only)];
	int r;

	drop_plans(t);
	t->shows = calloc(n, sizeof(*t->shows));
	t->entry_plan = calloc(n, sizeof(*t->entry_plan));
	t->exit_plan = calloc(n, sizeof(*t->exit_plan));
	t->jump_plan = calloc(n, sizeof(*t->jump_plan));
	t->branch_plan = calloc(n, sizeof(*t->branch_plan));
	t->types = rt_types_new();
	if (!t->shows || !t->entry_plan || !t->exit_plan || !t->jump_plan || !t->branch_plan ||
	    !t->types)
		return -ENOMEM;
	/*
	 * Without uretprobes none of their return addresses is found, by which a tail call would be
	 * known.
	 */
	m.jumps = any && rt_program_can_longjmp(&t->program, why, sizeof(why));
	m.limits.errno_source = rt_errno_is_read(t) ? t->errno_source : RT_ERRNO_NOT_ASKED;
	m.limits.errno_offset = (int32_t)t->errno_at.offset;
	if (level != READ_ALL) {
		m.limits.deref = 0;
		m.limits.wide = true;
		m.limits.no_memory |= level == READ_ARGUMENTS;
	}
	r = make_all(&m);
	if (r == 0)
		r = make_jumps(&m);
	if (r == 0)
		point_shows(t);
	free(m.hashes);
	return r;
}

int rt_plans_make(struct rt_target *t, bool any, struct rt_error *err)
{
	int r = find_prototypes(t, err);
	enum level level;

	if (r < 0)
		return r;
	for (level = READ_ALL, r = -E2BIG; r == -E2BIG && level <= READ_ARGUMENTS; level++)
		r = make_level(t, any, level, err);
	t->left_out = !t->nprototypes || level == READ_STRINGS ? NULL
		      : level > READ_ARGUMENTS
			      ? "what pointers lead to is not shown: this mechanism would be slow "
				"with so many kinds of functions"
			      : "structures behind pointers are not shown: this mechanism would be "
				"slow with so many kinds of functions";
	if (r == -ERANGE)
		return rt_usage(err, "too many arguments; at most %d can be shown", RT_MAX_VALUES);
	return r == -ENOMEM ? rt_nomem(err) : r;
}

static bool keeps_any(const struct rt_target *t)
{
	unsigned i;

	for (i = 0; i < t->nplans; i++)
		if (t->plans[i].nsaved || t->plans[i].role == RT_ROLE_ERRNO)
			return true;
	return false;
}

static bool reads_elements(const struct rt_target *t)
{
	unsigned i, k;

	for (i = 0; i < t->nplans; i++)
		for (k = 0; k < t->plans[i].nvalues; k++)
			if (t->plans[i].values[k].list)
				return true;
	return false;
}

int rt_plans_simplify(struct rt_target *t, const char **why)
{
	bool typed = t->typed && t->purpose == RT_PURPOSE_RECORD;

	if (t->limits.registers || !(typed || t->goroutines))
		return -ENOENT;
	if (!typed || t->limits.no_memory) {
		*why = t->goroutines ? "what is in memory is not shown, nor which goroutine calls: "
				       "this kernel cannot read it"
				     : "what is in memory is not shown, this kernel cannot read it";
		t->limits.registers = true;
		t->goroutines_mixed |= t->goroutines;
		t->goroutines = false;
		return 0;
	}
	/* Their addresses are shown then, as those of all that lies deeper. */
	if (reads_elements(t)) {
		t->limits.no_lists = true;
		return 0;
	}
	if (t->limits.record > RT_LIMIT_RECORD) {
		t->limits.record = RT_LIMIT_RECORD;
		*why = "strings and structures are cut to what the kernel's BPF programs have room "
		       "for";
		return 0;
	}
	if (!t->limits.no_saved && keeps_any(t)) {
		t->limits.no_saved = true;
		*why = "what functions fill in, and errno, are not shown: this kernel cannot tell "
		       "at a return where that is";
		return 0;
	}
	if (!t->limits.counted || t->limits.string > RT_LIMIT_STRING) {
		t->limits.counted = RT_LIMIT_STRING;
		if (t->limits.string > RT_LIMIT_STRING)
			t->limits.string = RT_LIMIT_STRING;
		*why = "strings and lists are cut to 64 bytes, this kernel has no room for more";
		return 0;
	}
	if (t->limits.counted > RT_LIMIT_COUNTED) {
		t->limits.counted = RT_LIMIT_COUNTED;
		*why = "lists, and text whose length stands beside it, are cut to 16 bytes, this "
		       "kernel has no room for more";
		return 0;
	}
	t->limits.no_memory = true;
	*why = "what pointers lead to is not shown, this kernel cannot read it";
	return 0;
}

/* ---- what -v says ---- */

void rt_plans_print(const struct rt_target *t, FILE *file)
{
	static const char guess_of_go[] =
		"a guess from the room that Go's own table has for arguments";
	size_t i, counts[RT_ORIGIN_GUESSED + 1] = { 0 }, go = 0;
	enum rt_origin origin;

	for (i = 0; i < t->nprototypes; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (f->hidden)
			continue;
		origin = t->prototypes[i].origin;
		if (origin == RT_ORIGIN_GUESSED && f->go)
			go++;
		else
			counts[origin <= RT_ORIGIN_GUESSED ? origin : 0]++;
		if (t->nprototypes > RT_TOLD_EACH ||
		    (origin == RT_ORIGIN_NONE &&
		     (f->inside || rt_has_words(f->spec, RT_KIND_ENTRY))))
			continue;
		if (origin == RT_ORIGIN_NONE) {
			fprintf(file,
				"rawtrace: %s: shown by %u int%s and an int as result, as %s\n",
				f->name, f->nargs, f->nargs == 1 ? "" : "s",
				f->spec && f->spec->nargs_given ? "asked for"
								: "nothing tells its types");
			continue;
		}
		fprintf(file, "rawtrace: shown as ");
		rt_prototype_print(file, &t->prototypes[i], f->name);
		fprintf(file, ", by %s%s\n",
			origin == RT_ORIGIN_GUESSED && f->go ? guess_of_go : rt_origin_name(origin),
			t->prototypes[i].by_name ? " and its name" : "");
	}
	if (t->nprototypes > RT_TOLD_EACH && go)
		fprintf(file, "rawtrace: functions shown by %s: %zu\n", guess_of_go, go);
	for (origin = RT_ORIGIN_NONE; t->nprototypes > RT_TOLD_EACH && origin <= RT_ORIGIN_GUESSED;
	     origin++)
		if (counts[origin])
			fprintf(file, "rawtrace: functions shown by %s: %zu\n",
				rt_origin_name(origin), counts[origin]);
}
