/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "fetch/abi.h"
#include "go/go.h"
#include "plan/signature.h"

static enum rt_convention convention_of(const struct rt_function *f)
{
	const struct rt_go *go = rt_image_go(f->image);

	if (rt_go_is_assembly(f))
		return RT_CONVENTION_GO_STACK;
	return go && go->registers ? RT_CONVENTION_GO_REGISTERS : RT_CONVENTION_GO_STACK;
}

static struct rt_param *make_params(struct rt_types *memory, unsigned n, const struct rt_ctype *type)
{
	struct rt_param *v = rt_types_alloc(memory, (n ? n : 1) * sizeof(*v));
	unsigned i;

	for (i = 0; v && i < n; i++)
		v[i].type = type;
	return v;
}

/* `n` ints of that style, and a result of which nothing is known. */
static int make_ints(struct rt_types *memory, unsigned n, enum rt_style style, struct rt_prototype *p)
{
	struct rt_ctype *word = rt_types_add(memory, RT_CT_INT, "int", 8), *unknown = rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);

	if (!word || !unknown)
		return -ENOMEM;
	word->is_signed = true;
	word->style = style;
	p->params = make_params(memory, n, word);
	p->nparams = n;
	p->result = NULL;
	p->results = make_params(memory, 1, unknown);
	p->nresults = 1;
	return p->params && p->results ? 0 : -ENOMEM;
}

/* What the user gave as C has it; that no result was given does not say that there is none. */
static int take_given(struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_ctype *result = p->result ? p->result : rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);

	p->results = result ? make_params(memory, 1, result) : NULL;
	p->nresults = result && result->kind != RT_CT_VOID;
	p->result = NULL;
	return p->results ? 0 : -ENOMEM;
}

/*
 * On the stack every argument counts, and up to Go 1.2x debug information leaves those out that the source calls "_".  But Go's own table
 * has how many bytes all take.
 */
static bool is_whole(const struct rt_function *f, const struct rt_prototype *p)
{
	const struct rt_go *go = rt_image_go(f->image);
	struct rt_go_function own;
	struct rt_abi abi;

	if (p->convention != RT_CONVENTION_GO_STACK || !go || !rt_pclntab_find(&go->table, f->addr, &own))
		return true;
	rt_abi_go_begin(&abi, rt_image_arch(f->image), false);
	if (!rt_abi_go_in_order(&abi, p->params, p->nparams))
		return false;
	if (p->nresults)
		rt_abi_go_results(&abi);
	if (!rt_abi_go_in_order(&abi, p->results, p->nresults))
		return false;
	rt_abi_go_results(&abi);
	return !abi.lost && abi.stack == (int32_t)((own.args + abi.arch->word - 1) & ~(abi.arch->word - 1u)) + abi.arch->word;
}

/*
 * In a stripped program.  Of Go 1.17 its table has how many bytes those arguments take that the function gets in registers, for which
 * its caller leaves room: those words are shown.  Before, the number is of results too.
 */
static int make_known(const struct rt_function *f, struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_go *go = rt_image_go(f->image);
	const struct rt_arch *arch = rt_image_arch(f->image);
	struct rt_go_function own;
	struct rt_go_frame frame;
	bool found = go && rt_pclntab_find(&go->table, f->addr, &own);
	unsigned words = 0;

	if (found && go->table.since < 18 && p->convention == RT_CONVENTION_GO_REGISTERS && own.args <= arch->ngo * arch->word)
		words = own.args / arch->word;
	if (make_ints(memory, words, RT_STYLE_GUESSED, p) < 0)
		return -ENOMEM;
	if (!found || go->table.since < 18)
		return 0;
	if (!rt_go_frame(f->image, &own, p->convention == RT_CONVENTION_GO_STACK, &frame))
		memset(frame.info, 0xfc, sizeof(frame.info));
	return rt_go_read_arguments(&frame, memory, p);
}

int rt_signature_go(const struct rt_function *f, struct rt_types *memory, struct rt_prototype *p, struct rt_error *err)
{
	bool counted = f->spec && f->spec->nargs_given;
	struct rt_prototype told = { .nparams = 0 };
	int r = 0;

	/* Debug information has assembly's functions without their arguments and results. */
	if (p->convention == RT_CONVENTION_C || rt_go_is_assembly(f))
		p->convention = convention_of(f);
	if (p->origin == RT_ORIGIN_NONE || (p->origin == RT_ORIGIN_DWARF && !is_whole(f, p))) {
		p->origin = counted ? RT_ORIGIN_GIVEN : RT_ORIGIN_GUESSED;
		p->convention = convention_of(f);
		r = counted ? make_ints(memory, f->spec->nargs, RT_STYLE_TYPE, p) : make_known(f, memory, p);
	} else if (p->result || !p->results) {
		r = take_given(memory, p);
	} else if (p->origin == RT_ORIGIN_DWARF && !p->nparams) {
		/* Debug information up to Go 1.19 leaves out the receivers of what the compiler made by itself, as (*T).Method around T.Method. */
		told.convention = p->convention;
		r = make_known(f, memory, &told);
		p->params = told.params;
		p->nparams = told.origin == RT_ORIGIN_GO ? told.nparams : 0;
	}
	return r < 0 ? rt_nomem(err) : 0;
}
