/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/signature.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "symbols/demangle.h"
#include "lang/spec.h"
#include "base/array.h"

/*
 * Names of C++ have their parameters' types in them, but not whether the function is a member, which has `this` before them, nor what it
 * gives: a structure in memory has its pointer before all.  How many such pointers there are has to follow from the code.
 */

enum { PARAMS = 16, HIDDEN = 2 };

/* What the parameters take of the registers for integers, after `hidden` pointers. */
struct use {
	uint8_t bytes[RT_USE_ARGS];	/* 4 or 8; 0: nothing */
	bool pointer[RT_USE_ARGS];	/* it may be one */
	unsigned n;
};

static void take(struct use *use, unsigned bytes, bool pointer)
{
	if (use->n == RT_USE_ARGS)
		return;
	use->pointer[use->n] = pointer;
	use->bytes[use->n++] = (uint8_t)bytes;
}

/* false: where it is passed is not known. */
static bool take_param(struct use *use, const struct rt_ctype *type)
{
	switch (type->kind) {
	case RT_CT_BOOL: case RT_CT_CHAR: case RT_CT_INT:
		take(use, type->size == 8 ? 8 : 4, type->size == 8);
		return type->size <= 8;
	case RT_CT_POINTER: case RT_CT_REFERENCE:
		take(use, 8, true);
		return true;
	case RT_CT_FLOAT:
		return true;
	case RT_CT_STRUCT:
		if (!type->by_reference && use->n + 2 > RT_USE_ARGS)
			return true;
		take(use, 8, true);
		if (!type->by_reference)
			take(use, 8, true);
		return true;
	default:
		return false;
	}
}

/* As many of the parameters as are known to be where they are. */
static unsigned take_all(struct use *use, const struct rt_param *params, unsigned n, unsigned hidden)
{
	unsigned i;

	memset(use, 0, sizeof(*use));
	for (i = 0; i < hidden; i++)
		take(use, 8, true);
	for (i = 0; i < n && take_param(use, params[i].type); i++)
		;
	return i;
}

/* Could the code be that?  `whole`: these are all parameters. */
static bool agrees(const struct use *use, const struct rt_guess *g, bool whole)
{
	unsigned i;

	if (whole && g->nargs > use->n)
		return false;
	for (i = 0; i < use->n; i++)
		if ((g->bytes[i] && g->bytes[i] != use->bytes[i]) || (g->pointers >> i & 1 && !use->pointer[i]))
			return false;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The beginning of the word that ends at `*end`, which is moved before the template's arguments behind it. */
static const char *last_word(const char *text, const char **end)
{
	const char *p = *end;
	int depth = 0;

	while (p > text && p[-1] == '>') {
		do
			depth += *--p == '>' ? 1 : *p == '<' ? -1 : 0;
		while (depth && p > text);
	}
	for (*end = p; p > text && is_word(p[-1]); p--)
		;
	return p;
}

/* Constructors and destructors, which give nothing: "ns::Foo<int>::Foo", up to `end`. */
static bool is_structor(const char *text, const char *end)
{
	const char *name = last_word(text, &end), *outer_end, *outer;

	if (name == end || name - text < 3)
		return false;
	if (name[-1] == '~')
		return true;
	outer_end = name - 2;
	outer = last_word(text, &outer_end);
	return name[-1] == ':' && outer_end - outer == end - name && memcmp(outer, name, (size_t)(end - name)) == 0;
}

/* How many hidden pointers come first; -1: that is not certain. */
static int count_hidden(const char *symbol, bool member, const struct rt_param *params, unsigned n, const struct rt_guess *g)
{
	bool nested = symbol[2] == 'N' || symbol[2] == 'Z', can[HIDDEN + 1], whole;
	struct use use;
	unsigned i;

	for (i = 0; i <= HIDDEN; i++) {
		whole = take_all(&use, params, n, i) == n;
		can[i] = agrees(&use, g, whole) && !(i == 0 && member);
	}
	if (!nested)	/* What it does not read of the end is rather a parameter than all of them, and a result's place. */
		return can[0] && (whole || !can[1]) ? 0 : can[1] && !can[0] ? 1 : -1;
	if (can[0] && can[1])
		return -1;
	/* That it takes the first of them as a number, where others are not known, says too little. */
	return can[0] ? (whole ? 0 : -1) : can[1] ? 1 : can[2] ? 2 : -1;
}

/* The text between the parentheses of "f(int) const". */
static bool find_parameters(char *text, char **begin)
{
	char *p = strrchr(text, ')');
	int depth = 0;

	if (!p)
		return false;
	*begin = p;
	do
		depth += **begin == ')' ? 1 : **begin == '(' ? -1 : 0;
	while (depth && (*begin)-- > text);
	if (depth)
		return false;
	*p = '\0';
	++*begin;
	return true;
}

/* The guess with the types in place of what the registers look like; behind what is not known where it is the guess goes on. */
static int merge(const struct rt_param *params, unsigned n, unsigned hidden, struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_ctype *nothing = rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);
	struct rt_param *v = rt_types_alloc(memory, (PARAMS + HIDDEN + RT_USE_ARGS) * sizeof(*v));
	struct use use;
	unsigned i, known = take_all(&use, params, n, hidden);

	if (!v || !nothing)
		return -ENOMEM;
	for (i = 0; i < hidden; i++) {
		v[i].type = rt_types_pointer(memory, nothing, 8);
		v[i].artificial = true;
	}
	memcpy(v + hidden, params, known * sizeof(*v));
	hidden += known;
	for (i = use.n; known < n && i < p->nparams; i++)
		v[hidden++] = p->params[i];
	for (i = 0; i < hidden; i++)
		if (!v[i].type)
			return -ENOMEM;
	p->params = v;
	p->nparams = hidden;
	p->by_name = known != 0;
	return 0;
}

int rt_signature_cxx(const char *symbol, const struct rt_arch *arch, const struct rt_guess *guess, struct rt_types *memory,
		     struct rt_prototype *prototype)
{
	static const struct rt_ctype nothing = { .kind = RT_CT_VOID, .name = "void" };
	struct rt_param params[PARAMS];
	struct rt_text text = { 0 };
	char *begin;
	unsigned n;
	int r = 0, hidden = -1;
	bool structor;

	/* Copies have other parameters than their name says; and of thunks and clones for transactions it says the other function's. */
	if (strncmp(symbol, "_Z", 2) != 0 || symbol[2] == 'T' || symbol[2] == 'G' || strchr(symbol, '.') || !rt_demangle(&text, symbol, true) || !find_parameters(text.v, &begin))
		goto out;
	structor = is_structor(text.v, begin - 1);
	if (structor) {
		prototype->result = &nothing;
		prototype->result_guessed = false;
	}
	r = rt_spec_parameters(begin, arch, memory, params, RT_COUNT(params), &n);
	if (r == 0)
		hidden = count_hidden(symbol, structor || strncmp(symbol, "_ZNK", 4) == 0, params, n, guess);
	if (hidden >= 0)
		r = merge(params, n, (unsigned)hidden, memory, prototype);
out:
	rt_text_free(&text);
	return r == -ENOMEM ? r : 0;
}
