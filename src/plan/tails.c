/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of tail calls.  A call that ends in a jump to a function that is not traced has the
 * result of that function.  redis-server 7, built by gcc -O2:
 *
 *	createStringObject:
 *		cmp    $0x2c,%rsi
 *		ja     1f
 *		jmp    createEmbeddedStringObject
 *	1:	...
 *		jmp    createObject
 *
 * If createStringObject is traced alone, both targets get probes on their exits too, without an
 * entry.  A hit there ends the open call that has the stack pointer of the exit and has jumped
 * (calls/stack.c), so recursion and other callers of the target end none.  Targets of targets
 * follow, LEVELS deep.
 *
 * Only certain targets are taken, as no entry confirms the jump: an address in the instruction, or
 * a slot of the PLT with a name that no other file of the process has.
 *
 * Limits: targets in other files (free, memcpy) have no probes: all of their calls in the process
 * would cost a trap.  Jumps through registers lead anywhere.  The results of these are learned
 * while the trace runs (session/return_sites.c).  Programs that pair calls in the
 * kernel (--depth, --min-time) see no such exits.
 */
#include "plan/tails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/file.h"
#include "safety/walks.h"

/*
 * Targets of all functions, exits of each, and jumps one after the other.  As many targets as
 * functions are taken, between the two numbers: of the 13,186 functions of cc1, 256 targets leave
 * 1.8 % of the calls without a result and 2048 leave 0.8 %.
 */
enum { TAILS_FEW = 256, TAILS_MOST = 2048, EXITS_MOST = 32, LEVELS = 4 };

struct known {
	const struct rt_image *image;
	uint64_t addr;
};

/* The function that the loader binds symbol `number` of .dynsym to, or 0. */
struct bound {
	uint32_t number;
	uint64_t addr;
};

struct search {
	const struct rt_traced *traced;
	struct rt_functions *functions;
	struct rt_code *code;		/* of the image that was searched last */
	struct bound *bounds;		/* of that */
	size_t nbounds, bounds_cap;
	struct known *known;		/* sorted: the functions that there were before */
	size_t nknown;
	size_t added, most;
};

static struct rt_code *open_code(struct search *s, struct rt_image *image)
{
	if (s->code && rt_code_image(s->code) == image)
		return s->code;
	rt_code_close(s->code);
	s->nbounds = 0;
	s->code = rt_code_open(image);
	return s->code;
}

static bool has_export(const struct rt_image *image, const char *name, uint64_t *addr)
{
	const struct rt_symbol *v;
	size_t i, n;

	if (rt_image_symbols((struct rt_image *)image, &v, &n, NULL) < 0)
		return false;
	for (i = 0; i < n; i++) {
		if (!v[i].dynamic || strcmp(v[i].name, name) != 0)
			continue;
		*addr = v[i].kind == RT_SYM_FUNC ? v[i].addr : 0;
		return true;
	}
	return false;
}

/* The function of `image` that the loader binds the name to; 0: another file has the name too. */
static uint64_t find_bound(const struct rt_traced *traced, const struct rt_image *image,
			   const char *name)
{
	uint64_t addr = 0, other;
	size_t i;

	if (!has_export(image, name, &addr))
		return 0;
	for (i = 0; i < traced->program.n; i++)
		if (traced->program.v[i] != image &&
		    has_export(traced->program.v[i], name, &other))
			return 0;
	return addr;
}

/* The same, once a symbol: it is looked for in all files by comparing names. */
static uint64_t bound_to(struct search *s, uint32_t number, const char *name)
{
	uint64_t addr;
	size_t i;

	for (i = 0; i < s->nbounds; i++)
		if (s->bounds[i].number == number)
			return s->bounds[i].addr;
	addr = find_bound(s->traced, rt_code_image(s->code), name);
	if (RT_ROOM(&s->bounds, s->nbounds, &s->bounds_cap) == 0)
		s->bounds[s->nbounds++] = (struct bound){ number, addr };
	return addr;
}

/* The address of the function that the exit jumps to; 0: not known for certain. */
static uint64_t find_target(struct search *s, struct rt_code *code, struct rt_exit *e)
{
	uint64_t slot, resolver;
	uint32_t symbol;
	const char *name;

	if (e->kind == RT_EXIT_RETURN || e->self || e->away || e->middle)
		return 0;
	slot = rt_exit_slot(code, e);
	if (!slot)
		return e->target;
	if (!rt_code_slot(code, slot, &symbol, &resolver) || !symbol)
		return 0;
	name = rt_exit_symbol(code, e);
	e->bound = name ? bound_to(s, symbol, name) : 0;
	return e->bound;
}

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->image != y->image)
		return (uintptr_t)x->image < (uintptr_t)y->image ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int sort_known(struct search *s)
{
	size_t i;

	s->known = calloc(s->functions->n + 1, sizeof(*s->known));
	if (!s->known)
		return -ENOMEM;
	s->nknown = s->functions->n;
	for (i = 0; i < s->nknown; i++)
		s->known[i] = (struct known){ s->functions->v[i].image, s->functions->v[i].addr };
	qsort(s->known, s->nknown, sizeof(*s->known), compare_known);
	return 0;
}

static bool is_known(const struct search *s, const struct rt_image *image, uint64_t addr)
{
	const struct known key = { image, addr };
	size_t i;

	if (bsearch(&key, s->known, s->nknown, sizeof(key), compare_known))
		return true;
	for (i = s->nknown; i < s->functions->n; i++)
		if (s->functions->v[i].image == image && s->functions->v[i].addr == addr)
			return true;
	return false;
}

/* 0, or -ENOMEM; a function without known exits is not added. */
static int add_target(struct search *s, struct rt_code *code, uint64_t addr)
{
	struct rt_image *image = rt_code_image(code);
	struct rt_symbol place = { .addr = addr, .sized = true };
	uint64_t start, end;
	struct rt_exits exits;
	struct rt_function *f;
	int r;

	if (is_known(s, image, addr) || !rt_code_function(code, addr, &start, &end, &place.name) ||
	    start != addr)
		return 0;
	place.size = end - start;
	r = rt_exits_find(code, addr, place.size, &exits);
	if (r == 0 && !exits.why && exits.n && exits.n <= EXITS_MOST)
		r = rt_functions_add_hidden(s->functions, image, &place, RT_ROLE_CALL);
	if (r > 0) {
		f = &s->functions->v[s->functions->n - 1];
		f->tail = f->exits_known = true;
		f->exits = exits;
		s->added++;
		return 0;
	}
	rt_exits_free(&exits);
	return r;
}

static bool may_add(const struct rt_function *f)
{
	return (f->tail || f->how == RT_HOW_INSN) && !f->role && !f->go && !f->libcall && !f->usdt;
}

static int add_targets(struct search *s, size_t function)
{
	size_t k, n = s->functions->v[function].exits.n;
	struct rt_code *code;
	uint64_t target;
	int r = 0;

	if (!may_add(&s->functions->v[function]) || !n)
		return 0;
	code = open_code(s, s->functions->v[function].image);
	if (!code)
		return -ENOMEM;
	for (k = 0; k < n && r == 0 && s->added < s->most; k++) {
		target = find_target(s, code, &s->functions->v[function].exits.v[k]);
		if (target)
			r = add_target(s, code, target);
	}
	return r;
}

int rt_tails_add(const struct rt_wanted *wanted, const struct rt_traced *traced,
		 struct rt_sites *sites, struct rt_error *err)
{
	struct search s = { .traced = traced, .functions = &sites->functions };
	size_t first = 0, end;
	unsigned level;
	int r = 0;

	if (wanted->purpose != RT_PURPOSE_RECORD || rt_wanted_pairs_in_kernel(wanted) ||
	    traced->switches || traced->lacks_stack_hooks)
		return 0;
	s.most = sites->functions.n < TAILS_FEW ? TAILS_FEW
		 : sites->functions.n < TAILS_MOST ? sites->functions.n
						   : TAILS_MOST;
	r = sort_known(&s);
	for (level = 0; level < LEVELS && r == 0; level++) {
		end = sites->functions.n;
		for (; first < end && r == 0; first++)
			r = add_targets(&s, first);
	}
	rt_code_close(s.code);
	free(s.known);
	free(s.bounds);
	return r < 0 ? rt_nomem(err) : 0;
}

void rt_tails_cut(struct rt_sites *sites)
{
	struct rt_exit *e;
	size_t i, k;

	for (i = 0; sites->returns && i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->tail && f->left_out)
			sites->returns[i] = false;
	}
	for (i = 0; sites->returns && i < sites->functions.n; i++)
		for (k = 0; k < sites->functions.v[i].exits.n; k++) {
			e = &sites->functions.v[i].exits.v[k];
			if (e->callee < sites->functions.n &&
			    sites->functions.v[e->callee].tail && !sites->returns[e->callee])
				e->callee = UINT32_MAX;
		}
}

/* ---- what -v says ---- */

void rt_tails_print(const struct rt_sites *sites, FILE *file)
{
	size_t i, n = 0, exits = 0;

	for (i = 0; i < sites->functions.n; i++) {
		if (!sites->functions.v[i].tail)
			continue;
		n++;
		exits += sites->functions.v[i].exits.n;
	}
	if (n)
		fprintf(file,
			"rawtrace: tail calls: hidden probes at %zu exit%s of %zu other "
			"function%s: for results\n",
			exits, exits == 1 ? "" : "s", n, n == 1 ? "" : "s");
}
