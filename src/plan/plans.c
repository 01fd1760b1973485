/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan says what is read, and each function's rt_showing how it is printed. So functions of
 * different types share a plan, which is a program, a link or an event. If there are more plans
 * than the mechanism can have cheaply (RT_PLANS_FEW, RT_PLANS_LINKS), all functions are lowered
 * once more with less: one more register costs 8 bytes, one more event 0.13 s at the end. -E2BIG: a
 * transport has no room. -EOPNOTSUPP: a mechanism cannot express it. Upon both the session reads
 * less (rt_plans_simplify).
 *
 * Memory behind elements of a list (the text of a []string, the value of an any) is read for the
 * first four, last of all, with the room that remains. Each such value names its list
 * (rt_fetch.list), so that nothing is read for elements that the list does not have.
 */
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

/* from everything to registers and the stack alone; KNOWN: no texts by a guess */
enum level { READ_ALL, READ_KNOWN, READ_STRINGS, READ_ARGUMENTS };

struct making {
	const struct rt_wanted *wanted;
	const struct rt_traced *traced;
	struct rt_sites *sites;
	struct rt_limits limits;
	struct rt_error *err;
	uint32_t *hashes;	/* by plan */
	/* by function: 1 + the function with the result that its exits read (plan/tails.h), or 0 */
	uint32_t *results;
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
	uint32_t h = hash_bytes(2166136261u, plan->kind * 128u + plan->role * 32u + plan->end * 8u +
						     plan->root * 2u + plan->no_return +
						     plan->ends * 4096u);
	unsigned i, k;

	for (i = 0; i < plan->nvalues; i++) {
		const struct rt_fetch *f = &plan->values[i];

		h = hash_bytes(h, (uint64_t)f->base << 40 | (uint64_t)f->type << 32 |
					  (uint32_t)f->size << 24 | (uint32_t)f->max);
		h = hash_bytes(h, f->base == RT_BASE_REG ? f->reg.pt_regs
							 : (uint64_t)(int64_t)f->offset);
		h = hash_bytes(h, f->constant);
		h = hash_bytes(h, f->index_size ? f->index.pt_regs + 1u : 0);
		for (k = 0; k < f->nderef; k++)
			h = hash_bytes(h, (uint64_t)(int64_t)f->deref[k]);
	}
	return h;
}

/* The number of an equal plan, which is added where it is new.  -E2BIG: there are too many. */
static int share_plan(struct making *m, const struct rt_plan *plan)
{
	struct rt_sites *sites = m->sites;
	uint32_t h = hash_plan(plan);
	unsigned i;

	for (i = 0; i < sites->nplans; i++)
		if (m->hashes[i] == h && rt_plan_same(&sites->plans[i], plan))
			return (int)i;
	if ((sites->nplans >= sites->most_plans && !m->last) || sites->nplans >= UINT16_MAX)
		return -E2BIG;
	if (RT_ROOM(&sites->plans, sites->nplans, &m->cap) < 0 ||
	    RT_ROOM(&m->hashes, sites->nplans, &m->hashes_cap) < 0)
		return -ENOMEM;
	sites->plans[sites->nplans] = *plan;
	m->hashes[sites->nplans] = h;
	return (int)sites->nplans++;
}

bool rt_plans_has_entry(const struct rt_wanted *wanted, const struct rt_traced *traced,
			const struct rt_sites *sites, size_t i)
{
	if (sites->functions.v[i].role == RT_ROLE_UNWOUND || sites->functions.v[i].tail)
		return false;
	if (sites->functions.v[i].role == RT_ROLE_ERRNO)
		return wanted->purpose == RT_PURPOSE_RECORD && rt_errno_is_read(traced, sites);
	if (sites->functions.v[i].hidden)
		return wanted->purpose != RT_PURPOSE_COUNT && wanted->want != RT_WANT_NONE &&
		       (traced->goroutines || sites->functions.v[i].role != RT_ROLE_RECOVERED);
	return wanted->purpose != RT_PURPOSE_TIME || sites->returns[i];
}

static bool is_known(const struct rt_wanted *wanted, const struct rt_sites *sites, size_t i)
{
	if (sites->functions.v[i].hidden)
		return false;
	return wanted->purpose == RT_PURPOSE_RECORD && i < sites->nprototypes &&
	       sites->prototypes[i].origin != RT_ORIGIN_NONE;
}

/* Has the user given the values in the syntax of uprobe_events? */
static bool has_written_words(const struct rt_wanted *wanted, const struct rt_sites *sites,
			      size_t i, enum rt_kind kind)
{
	return wanted->purpose == RT_PURPOSE_RECORD &&
	       rt_has_words(sites->functions.v[i].spec, kind);
}

static bool has_conditions(const struct rt_sites *sites, size_t i)
{
	return sites->functions.v[i].spec && sites->functions.v[i].spec->nconditions &&
	       i < sites->nprototypes;
}

/* Nothing is recorded, so read only the values that conditions compare. */
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

bool rt_plans_goroutine(const struct rt_traced *traced, const struct rt_function *f,
			enum rt_kind kind, struct rt_fetch *record)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	const struct rt_runtime *runtime = rt_runtime_of(traced, f->image);
	const struct rt_go *go = rt_image_go(f->image);

	memset(record, 0, sizeof(*record));
	record->base = RT_BASE_REG;
	if (!go || !runtime || !runtime->goid_offset || !traced->goroutines)
		return false;
	if (arch->goroutine_always) {
		record->reg = arch->goroutine;
		return true;
	}
	/* Assembly is entered with it in the register, and may use that for something else. */
	if (go->registers && rt_function_is_go_assembly(f) && kind == RT_KIND_RETURN &&
	    traced->no_thread_pointer[0])
		return false;
	if (go->registers &&
	    !(rt_function_is_go_assembly(f) && go->g_known && !traced->no_thread_pointer[0])) {
		record->reg = arch->goroutine;
		return true;
	}
	if (!go->registers && kind == RT_KIND_ENTRY && f->skip) {
		record->reg = arch->go_code->checked;
		return true;
	}
	record->base = RT_BASE_THREAD;
	record->nderef = 1;
	record->deref[0] = go->g_at;
	return go->g_known && !traced->no_thread_pointer[0];
}

static int add_goroutine(const struct rt_wanted *wanted, const struct rt_traced *traced,
			 const struct rt_function *f, struct rt_plan *plan)
{
	const struct rt_runtime *runtime = rt_runtime_of(traced, f->image);
	struct rt_fetch record;

	/* Calls that are only counted are nobody's. */
	if (!f->go || wanted->purpose == RT_PURPOSE_COUNT ||
	    !rt_plans_goroutine(traced, f, plan->kind, &record))
		return 0;
	return rt_plan_add_goroutine(plan, &record, runtime->goid_offset, runtime->number) < 0
		       ? -ERANGE
		       : 0;
}

/* As a C function takes them; of those on the stack nothing where only registers can be read. */
static int guess_entry(const struct making *m, const struct rt_function *f, struct rt_plan *plan)
{
	int r = rt_plan_c_entry(rt_image_arch(f->image),
				m->wanted->purpose == RT_PURPOSE_RECORD ? f->nargs : 0, plan);
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
	const struct rt_wanted *wanted = m->wanted;
	const struct rt_traced *traced = m->traced;
	const struct rt_sites *sites = m->sites;
	const struct rt_function *f = &sites->functions.v[i];
	struct rt_plan plan;
	int r;

	if (f->role) {
		r = f->role == RT_ROLE_ERRNO ? rt_errno_plan(traced, f, &plan)
					     : rt_hook_plan(traced, f, &plan);
		return r < 0 ? r : share_plan(m, &plan);
	}
	if (has_written_words(wanted, sites, i, RT_KIND_ENTRY))
		r = rt_lower_words(f->spec, RT_KIND_ENTRY, rt_image_arch(f->image), sites->types,
				   &plan, &sites->shows[i].entry, m->err);
	else if (is_known(wanted, sites, i) || has_conditions(sites, i))
		r = rt_lower_entry(&sites->prototypes[i], f->spec, rt_image_arch(f->image),
				   &m->limits, sites->types, &plan, &sites->shows[i].entry, m->err);
	else
		r = guess_entry(m, f, &plan);
	if (r == 0 && plan.ntests && wanted->purpose != RT_PURPOSE_RECORD)
		keep_tests(&plan);
	if (r < 0)
		return r == -E2BIG ? -ERANGE : r;
	if (is_known(wanted, sites, i) && sites->returns[i] &&
	    !has_written_words(wanted, sites, i, RT_KIND_RETURN) &&
	    rt_lower_keep(&sites->prototypes[i], f->spec, plan.arch, &m->limits, sites->types,
			  &plan) < 0)
		return -ENOMEM;
	/* A plan that is full has none, and the stack is shown as not known. */
	if (wanted->stacks)
		rt_plan_add_stack(&plan, wanted->stack_bytes);
	r = add_goroutine(wanted, traced, f, &plan);
	if (r < 0)
		return r;
	plan.return_address = m->jumps || sites->libcalls;
	plan.root = sites->roots && sites->roots[i];
	plan.ends = sites->returns[i] && sites->plans[sites->exit_plan[i]].ntests;
	plan.no_return = rt_limit_any(&wanted->limit) && !sites->returns[i];
	return share_plan(m, &plan);
}

/*
 * Is anything known of what it gives, or compared?  Go's results are parameters of another kind.
 */
static bool has_result(const struct rt_sites *sites, size_t i)
{
	const struct rt_spec *spec = sites->functions.v[i].spec;
	const struct rt_prototype *p = &sites->prototypes[i];
	unsigned k;

	for (k = 0; k < p->nparams; k++)
		if (p->params[k].is_out)
			return true;
	return p->result || p->results || (spec && rt_spec_tests_end(spec));
}

/* The plans of function `i` for its exit probes, made of the plan of its return. */
static int make_exit_plans(struct making *m, size_t i, const struct rt_plan *returns)
{
	static const enum rt_call_end ends[] = {
		[RT_EXIT_RETURN] = RT_BY_RETURN,
		[RT_EXIT_JUMP] = RT_BY_JUMP,
		[RT_EXIT_MAYBE] = RT_BY_BRANCH,
	};
	const struct rt_sites *sites = m->sites;
	uint16_t *const plans[] = {
		[RT_EXIT_RETURN] = &sites->exit_plan[i],
		[RT_EXIT_JUMP] = &sites->jump_plan[i],
		[RT_EXIT_MAYBE] = &sites->branch_plan[i],
	};
	const struct rt_exits *exits = &sites->functions.v[i].exits;
	bool has[RT_COUNT(plans)] = { [RT_EXIT_RETURN] = true };
	struct rt_plan plan;
	size_t k;
	int r = 0;

	for (k = 0; k < exits->n; k++)
		has[exits->v[k].kind] = true;
	for (k = 0; k < RT_COUNT(plans) && r >= 0; k++) {
		if (!has[k])
			continue;
		rt_plan_at_exit(returns, ends[k], &plan);
		r = share_plan(m, &plan);
		*plans[k] = (uint16_t)(r < 0 ? 0 : r);
	}
	return r;
}

/*
 * The exits of a tail call's target read the result of the callers' type.  If callers differ, the
 * one that reads most is chosen; calls of the others end without a result.
 */
static void note_results(struct making *m, size_t i)
{
	const struct rt_sites *sites = m->sites;
	const struct rt_function *f = &sites->functions.v[i];
	uint32_t from = f->tail ? m->results[i] : (uint32_t)i + 1, *to;
	size_t k;

	for (k = 0; k < f->exits.n && from && f->how == RT_HOW_INSN; k++) {
		if (f->exits.v[k].callee >= sites->functions.n ||
		    !sites->functions.v[f->exits.v[k].callee].tail)
			continue;
		to = &m->results[f->exits.v[k].callee];
		if (!*to || rt_plan_size(&sites->plans[sites->exit_plan[*to - 1]]) <
				    rt_plan_size(&sites->plans[sites->exit_plan[from - 1]]))
			*to = from;
	}
}

/* Has the result, or the prototype, a value that says so? */
static bool can_fail(const struct rt_showing *shown)
{
	return !shown->none && shown->n && shown->v[0].npieces == 1 &&
	       shown->v[0].pieces[0].value != RT_NO_VALUE &&
	       (shown->failure != RT_FAILS_NEVER || shown->fails);
}

/* Registers that are read whole (struct rt_limits) have bits that are not the result's. */
static void add_failure(struct rt_plan *plan, const struct rt_showing *shown, enum rt_test_op op,
			int64_t number)
{
	const struct rt_piece *piece = &shown->v[0].pieces[0];
	const struct rt_fetch *f = &plan->values[piece->value];
	bool part = piece->size && piece->size < f->size;
	unsigned bits = 8u * (part ? piece->size : f->size);
	size_t skip = piece->at - rt_plan_offset(plan, piece->value);

	plan->tests[plan->ntests] = (struct rt_test){
		.value = piece->value,
		.op = op,
		.join = plan->ntests ? RT_TEST_ELSE : RT_TEST_ALSO,
		.constant = f->is_signed ? (uint64_t)number
					 : (uint64_t)number & (UINT64_MAX >> (64 - bits)),
		.is_signed = true,
		.of_register = shown->v[0].type->style == RT_STYLE_REGISTER,
		.bit = (uint8_t)(part ? 8 * skip : 0),
		.bits = (uint8_t)(part ? bits : 0),
	};
	plan->ntests++;
}

/* --failed: the tests of a result that the printers mark as a failure (output/value.c). */
static void test_failure(const struct making *m, size_t i, struct rt_plan *plan)
{
	const struct rt_spec *spec = m->sites->functions.v[i].spec;
	const struct rt_showing *shown = &m->sites->shows[i].exit;
	const struct rt_fetch *f;

	if (!m->wanted->failed || (spec && rt_spec_tests_end(spec)) || !can_fail(shown))
		return;
	f = &plan->values[shown->v[0].pieces[0].value];
	if (f->type != RT_TYPE_INT)
		return;
	if (shown->failure == RT_FAILS_BY_NUMBER) {
		add_failure(plan, shown, RT_TEST_NE, 0);
		return;
	}
	if (shown->failure == RT_FAILS_BY_ERRNO) {
		add_failure(plan, shown, RT_TEST_EQ, -1);
		if (rt_ctype_is_pointer(shown->v[0].type))
			add_failure(plan, shown, RT_TEST_EQ, 0);
		return;
	}
	add_failure(plan, shown, shown->fails_unless ? RT_TEST_NE : RT_TEST_EQ, shown->fails_at);
}

static int make_exit(struct making *m, size_t i)
{
	const struct rt_wanted *wanted = m->wanted;
	const struct rt_traced *traced = m->traced;
	const struct rt_sites *sites = m->sites;
	const struct rt_arch *arch = rt_image_arch(sites->functions.v[i].image);
	struct rt_plan plan;
	int r = 0;

	if (sites->functions.v[i].role) {
		plan = (struct rt_plan){ .kind = RT_KIND_RETURN,
					 .role = RT_ROLE_UNWOUND,
					 .end = RT_BY_RETURN,
					 .arch = arch };
		r = share_plan(m, &plan);
		sites->exit_plan[i] = (uint16_t)(r < 0 ? 0 : r);
		return r;
	}
	if (sites->functions.v[i].tail) {
		if (m->results[i])
			plan = sites->plans[sites->exit_plan[m->results[i] - 1]];
		else
			rt_plan_c_return(arch, &plan);
		return make_exit_plans(m, i, &plan);
	}
	if (has_written_words(wanted, sites, i, RT_KIND_RETURN))
		r = rt_lower_words(sites->functions.v[i].spec, RT_KIND_RETURN, arch, sites->types,
				   &plan, &sites->shows[i].exit, m->err);
	else if (is_known(wanted, sites, i) && has_result(sites, i))
		r = rt_lower_return(&sites->prototypes[i], sites->functions.v[i].spec, arch,
				    &m->limits, sites->types, &plan, &sites->shows[i].exit, m->err);
	else
		rt_plan_c_return(arch, &plan);
	if (r < 0)
		return r;
	test_failure(m, i, &plan);
	r = plan.goroutine ? 0 : add_goroutine(wanted, traced, &sites->functions.v[i], &plan);
	if (r < 0)
		return r;
	if (sites->functions.v[i].how == RT_HOW_INSN)
		return make_exit_plans(m, i, &plan);
	r = share_plan(m, &plan);
	sites->exit_plan[i] = (uint16_t)(r < 0 ? 0 : r);
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
	const struct rt_sites *sites = m->sites;

	if (!e->by || sites->plans[sites->jump_plan[function]].goroutine)
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
	const struct rt_sites *sites = m->sites;
	size_t i, k, n = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->how != RT_HOW_INSN || !sites->returns[i])
			continue;
		for (k = 0; k < f->exits.n; k++) {
			f->exits.v[k].plan = 0;
			if (is_pointed(m, i, &f->exits.v[k]))
				count_one(v, &n, &f->exits.v[k], sites->jump_plan[i]);
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
	struct rt_plan plan = m->sites->plans[p->plan];
	const struct rt_exit *e = p->exit;

	plan.return_address = !m->wanted->everywhere;
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
	const struct rt_sites *sites = m->sites;
	size_t i, k;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->how != RT_HOW_INSN || !sites->returns[i])
			continue;
		for (k = 0; k < f->exits.n; k++)
			if (is_of(p, &f->exits.v[k], sites->jump_plan[i]) &&
			    is_pointed(m, i, &f->exits.v[k]))
				f->exits.v[k].plan = (uint16_t)(plan + 1);
	}
}

/* Is the end of a call that ends in this jump seen by no other probe? */
static bool is_unknown(const struct rt_exit *e)
{
	return e->kind != RT_EXIT_RETURN && !e->plan && e->callee == UINT32_MAX && !e->middle &&
	       !e->away && !rt_exit_is_void(e->to);
}

/*
 * Jumps to functions that are not traced record where they return to: session/return_sites.c.  The
 * exits of one function have one plan or two.
 */
static int make_unknown(struct making *m)
{
	const struct rt_sites *sites = m->sites;
	unsigned from, last = UINT32_MAX;
	struct rt_plan plan;
	size_t i, k;
	int r = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->how != RT_HOW_INSN || !sites->returns[i])
			continue;
		for (k = 0; k < f->exits.n && r >= 0; k++) {
			struct rt_exit *e = &f->exits.v[k];

			from = e->kind == RT_EXIT_JUMP ? sites->jump_plan[i]
						       : sites->branch_plan[i];
			if (!is_unknown(e) || sites->plans[from].goroutine)
				continue;
			if (from != last && sites->nplans >= sites->most_plans)
				return 0;
			plan = sites->plans[from];
			plan.return_address = true;
			r = from == last ? r : share_plan(m, &plan);
			last = from;
			e->plan = (uint16_t)(r + 1);
		}
	}
	return r;
}

/*
 * A tail call through a pointer is known by the pointer, which the jump's plan reads.  Each
 * register and offset takes a plan, and attaching takes time for each plan.  So only the most
 * frequent ones get a plan, if the other plans leave room.  The other jumps are marked: result not
 * seen.
 */
static int make_jumps(struct making *m)
{
	const struct rt_wanted *wanted = m->wanted;
	const struct rt_sites *sites = m->sites;
	struct pointed v[POINTED_MAX];
	size_t n, i;
	int r = 0;

	if (wanted->purpose != RT_PURPOSE_RECORD)
		return 0;
	n = count_pointed(m, v);
	qsort(v, n, sizeof(*v), compare_pointed);
	for (i = 0; i < n && i < POINTED_PLANS && sites->nplans < sites->most_plans && r >= 0;
	     i++) {
		r = make_pointed(m, &v[i]);
		if (r >= 0)
			use_pointed(m, &v[i], (uint16_t)r);
	}
	if (r >= 0 && !wanted->everywhere)
		r = make_unknown(m);
	return r < 0 ? r : 0;
}

static void drop_plans(struct rt_sites *sites)
{
	free(sites->plans);
	free(sites->shows);
	free(sites->entry_plan);
	free(sites->exit_plan);
	free(sites->jump_plan);
	free(sites->branch_plan);
	rt_types_free(sites->types);
	sites->plans = NULL;
	sites->shows = NULL;
	sites->entry_plan = sites->exit_plan = sites->jump_plan = sites->branch_plan = NULL;
	sites->types = NULL;
	sites->nplans = 0;
}

void rt_plans_free(struct rt_sites *sites)
{
	rt_guessing_drop(&sites->guessing);
	drop_plans(sites);
	free(sites->prototypes);
	rt_types_free(sites->prototype_types);
	rt_signatures_free(sites->signatures);
	sites->signatures = NULL;
	sites->prototypes = NULL;
	sites->prototype_types = NULL;
	sites->nprototypes = 0;
}

/* The returns first: what is shared by many has low numbers. */
static int make_all(struct making *m)
{
	const struct rt_wanted *wanted = m->wanted;
	const struct rt_traced *traced = m->traced;
	const struct rt_sites *sites = m->sites;
	size_t i, n = sites->functions.n;
	int r = 0;

	m->results = calloc(n + 1, sizeof(*m->results));
	if (!m->results)
		return -ENOMEM;
	for (i = 0; i < n && r >= 0; i++) {
		if (!sites->returns[i] && sites->functions.v[i].role != RT_ROLE_UNWOUND)
			continue;
		r = make_exit(m, i);
		if (r >= 0)
			note_results(m, i);
	}
	free(m->results);
	for (i = 0; i < n && r >= 0; i++) {
		if (!rt_plans_has_entry(wanted, traced, sites, i))
			continue;
		r = make_entry(m, i);
		sites->entry_plan[i] = (uint16_t)(r < 0 ? 0 : r);
	}
	return r < 0 ? r : 0;
}

/* The plans do not move any more. */
static void point_shows(const struct rt_wanted *wanted, const struct rt_traced *traced,
			const struct rt_sites *sites)
{
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		bool entry = is_known(wanted, sites, i) ||
			     has_written_words(wanted, sites, i, RT_KIND_ENTRY);
		bool exit = (is_known(wanted, sites, i) && has_result(sites, i)) ||
			    has_written_words(wanted, sites, i, RT_KIND_RETURN);

		sites->shows[i].entry.plan = entry && rt_plans_has_entry(wanted, traced, sites, i)
						     ? &sites->plans[sites->entry_plan[i]]
						     : NULL;
		sites->shows[i].exit.plan = exit && sites->returns[i]
						    ? &sites->plans[sites->exit_plan[i]]
						    : NULL;
	}
}

struct asking {
	const struct rt_traced *traced;
	const struct rt_sites *sites;
};

/* In the child: as find_prototypes() will ask. */
static void ask_all(void *ctx, struct rt_signatures *signatures)
{
	const struct asking *a = ctx;
	struct rt_types *types = rt_types_new();
	struct rt_prototype prototype;
	struct rt_error ignored;
	size_t i;

	for (i = 0; i < a->sites->functions.n && types; i++)
		if (rt_signature_of(signatures, &a->sites->functions.v[i],
				    rt_program_executable(&a->traced->program), types, &prototype,
				    &ignored) < 0)
			return;
}

/* Without records types matter for conditions alone. */
static bool wants_prototypes(const struct rt_wanted *wanted)
{
	return wanted->typed &&
	       (wanted->purpose == RT_PURPOSE_RECORD || wanted->limit.tests);
}

void rt_plans_begin(const struct rt_wanted *wanted, const struct rt_traced *traced,
		    struct rt_sites *sites)
{
	struct asking asking = { traced, sites };

	if (wants_prototypes(wanted) && !sites->nprototypes)
		rt_guessing_begin(&sites->guessing, &sites->functions, ask_all, &asking);
}

static int find_prototypes(const struct rt_wanted *wanted, const struct rt_traced *traced,
			   struct rt_sites *sites, struct rt_error *err)
{
	size_t i, n = sites->functions.n, have = sites->nprototypes < n ? sites->nprototypes : 0;
	struct rt_prototype *v;
	int r = 0;

	if (!wants_prototypes(wanted) || sites->nprototypes == n)
		return 0;
	/* Functions that are hooked come behind those with prototypes found before. */
	v = realloc(sites->prototypes, n * sizeof(*v));
	if (!v)
		return rt_nomem(err);
	sites->prototypes = v;
	sites->nprototypes = 0;
	/* The images keep types that are in it. */
	if (!sites->prototype_types)
		sites->prototype_types = rt_types_new();
	if (!sites->signatures)
		sites->signatures = rt_signatures_new();
	if (!sites->prototype_types || !sites->signatures)
		return rt_nomem(err);
	rt_guessing_take(&sites->guessing, sites->signatures);
	for (i = have; i < n && r == 0; i++)
		r = rt_signature_of(sites->signatures, &sites->functions.v[i],
				    rt_program_executable(&traced->program), sites->prototype_types,
				    &sites->prototypes[i], err);
	if (r == 0)
		sites->nprototypes = n;
	return r;
}

static int make_level(const struct rt_wanted *wanted, const struct rt_traced *traced,
		      struct rt_sites *sites, bool any, enum level level, struct rt_error *err)
{
	size_t n = sites->functions.n;
	struct making m = { .wanted = wanted,
			    .traced = traced,
			    .sites = sites,
			    .err = err,
			    .limits = sites->limits,
			    .last = level == READ_ARGUMENTS };
	char why[sizeof(traced->entry_only)];
	int r;

	drop_plans(sites);
	sites->shows = calloc(n, sizeof(*sites->shows));
	sites->entry_plan = calloc(n, sizeof(*sites->entry_plan));
	sites->exit_plan = calloc(n, sizeof(*sites->exit_plan));
	sites->jump_plan = calloc(n, sizeof(*sites->jump_plan));
	sites->branch_plan = calloc(n, sizeof(*sites->branch_plan));
	sites->types = rt_types_new();
	if (!sites->shows || !sites->entry_plan || !sites->exit_plan || !sites->jump_plan ||
	    !sites->branch_plan || !sites->types)
		return -ENOMEM;
	/*
	 * Without uretprobes none of their return addresses is found, by which a tail call would be
	 * known.
	 */
	m.jumps = any && rt_program_can_longjmp(&traced->program, why, sizeof(why));
	m.limits.errno_source = rt_errno_is_read(traced, sites) ? traced->errno_source
								: RT_ERRNO_NOT_ASKED;
	m.limits.errno_offset = (int32_t)traced->errno_at.offset;
	m.limits.no_guesses |= level != READ_ALL;
	if (level >= READ_STRINGS) {
		m.limits.deref = 0;
		m.limits.wide = true;
		m.limits.no_memory |= level == READ_ARGUMENTS;
	}
	r = make_all(&m);
	if (r == 0)
		r = make_jumps(&m);
	if (r == 0)
		point_shows(wanted, traced, sites);
	free(m.hashes);
	return r;
}

int rt_plans_make(const struct rt_wanted *wanted, const struct rt_traced *traced,
		  struct rt_sites *sites, bool any, struct rt_error *err)
{
	int r = find_prototypes(wanted, traced, sites, err);
	enum level level;

	if (r < 0)
		return r;
	sites->stacks = wanted->stacks;
	for (level = READ_ALL, r = -E2BIG; r == -E2BIG && level <= READ_ARGUMENTS; level++)
		r = make_level(wanted, traced, sites, any, level, err);
	sites->left_out =
		!sites->nprototypes || level <= READ_STRINGS ? NULL
		: level > READ_ARGUMENTS
			? "strings and structures are not shown: too many kinds of functions for "
			  "this mechanism"
			: "structures behind pointers are not shown: too many kinds of functions "
			  "for this mechanism";
	if (r == -ERANGE)
		return rt_usage(err, "arguments: too many; at most %d can be shown", RT_MAX_VALUES);
	return r == -ENOMEM ? rt_nomem(err) : r;
}

static bool keeps_any(const struct rt_sites *sites)
{
	unsigned i;

	for (i = 0; i < sites->nplans; i++)
		if (sites->plans[i].nsaved || sites->plans[i].role == RT_ROLE_ERRNO)
			return true;
	return false;
}

static bool reads_elements(const struct rt_sites *sites)
{
	unsigned i, k;

	for (i = 0; i < sites->nplans; i++)
		for (k = 0; k < sites->plans[i].nvalues; k++)
			if (sites->plans[i].values[k].list)
				return true;
	return false;
}

static bool reads_index(const struct rt_sites *sites)
{
	unsigned i, k;

	for (i = 0; i < sites->nplans; i++)
		for (k = 0; k < sites->plans[i].nvalues; k++)
			if (sites->plans[i].values[k].index_size)
				return true;
	return false;
}

int rt_plans_simplify(const struct rt_wanted *wanted, struct rt_traced *traced,
		      struct rt_sites *sites, const char **why)
{
	bool typed = wanted->typed && wanted->purpose == RT_PURPOSE_RECORD;

	if (sites->limits.registers || !(typed || traced->goroutines))
		return -ENOENT;
	if (!typed || sites->limits.no_memory) {
		*why = traced->goroutines
			       ? "what is in memory is not shown, nor which goroutine calls: "
				 "this kernel cannot read it"
			       : "what is in memory is not shown, this kernel cannot read it";
		sites->limits.registers = true;
		traced->goroutines_mixed |= traced->goroutines;
		traced->goroutines = false;
		return 0;
	}
	/* Their addresses are shown then, as those of all that lies deeper. */
	if (reads_elements(sites)) {
		sites->limits.no_lists = true;
		return 0;
	}
	/* Those arguments say so themselves. */
	if (reads_index(sites)) {
		sites->limits.no_index = true;
		return 0;
	}
	if (sites->limits.record > RT_LIMIT_RECORD) {
		sites->limits.record = RT_LIMIT_RECORD;
		*why = "strings and structures are cut to what the kernel's BPF programs have room "
		       "for";
		return 0;
	}
	if (!sites->limits.no_saved && keeps_any(sites)) {
		sites->limits.no_saved = true;
		*why = "what functions fill in, and errno, are not shown: this kernel "
		       "cannot find them at a return";
		return 0;
	}
	if (!sites->limits.counted || sites->limits.string > RT_LIMIT_STRING) {
		sites->limits.counted = RT_LIMIT_STRING;
		if (sites->limits.string > RT_LIMIT_STRING)
			sites->limits.string = RT_LIMIT_STRING;
		*why = "strings and lists are cut to 64 bytes, this kernel has no room for more";
		return 0;
	}
	if (sites->limits.counted > RT_LIMIT_COUNTED) {
		sites->limits.counted = RT_LIMIT_COUNTED;
		*why = "lists, and text with a length beside it, are cut to 16 bytes, this "
		       "kernel has no room for more";
		return 0;
	}
	sites->limits.no_memory = true;
	*why = "memory behind pointers is not shown, this kernel cannot read it";
	return 0;
}

/* ---- what -v says ---- */

void rt_plans_print(const struct rt_sites *sites, FILE *file)
{
	static const char guess_of_go[] =
		"a guess from the room that Go's own table has for arguments";
	size_t i, counts[RT_ORIGIN_GUESSED + 1] = { 0 }, go = 0;
	enum rt_origin origin;

	for (i = 0; i < sites->nprototypes; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->hidden)
			continue;
		origin = sites->prototypes[i].origin;
		if (origin == RT_ORIGIN_GUESSED && f->go)
			go++;
		else
			counts[origin <= RT_ORIGIN_GUESSED ? origin : 0]++;
		if (sites->nprototypes > RT_VERBOSE_FUNCTIONS ||
		    (origin == RT_ORIGIN_NONE &&
		     (f->inside || rt_has_words(f->spec, RT_KIND_ENTRY))))
			continue;
		if (origin == RT_ORIGIN_NONE) {
			fprintf(file,
				"rawtrace: %s: shown by %u int%s and an int as result, as %s\n",
				f->name, f->nargs, f->nargs == 1 ? "" : "s",
				f->spec && f->spec->nargs_given ? "asked for"
								: "its types are not known");
			continue;
		}
		fprintf(file, "rawtrace: shown as ");
		rt_prototype_print(file, &sites->prototypes[i], f->name);
		fprintf(file, ", by %s%s\n",
			origin == RT_ORIGIN_GUESSED && f->go ? guess_of_go : rt_origin_name(origin),
			sites->prototypes[i].by_name ? " and its name" : "");
	}
	if (sites->nprototypes > RT_VERBOSE_FUNCTIONS && go)
		fprintf(file, "rawtrace: functions shown by %s: %zu\n", guess_of_go, go);
	for (origin = RT_ORIGIN_NONE;
	     sites->nprototypes > RT_VERBOSE_FUNCTIONS && origin <= RT_ORIGIN_GUESSED; origin++)
		if (counts[origin])
			fprintf(file, "rawtrace: functions shown by %s: %zu\n",
				rt_origin_name(origin), counts[origin]);
}
