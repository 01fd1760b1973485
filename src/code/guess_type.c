/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine code tells of a function's arguments, as a prototype. */
#include "code/guess.h"

#include <errno.h>
#include <string.h>

/* `bytes` 0: nobody knows how much of the register is meant. */
static const struct rt_ctype *make_type(struct rt_types *types, unsigned bytes, bool pointer)
{
	unsigned size = bytes ? bytes : 8;
	struct rt_ctype *type = rt_types_add(types, pointer ? RT_CT_UNKNOWN : RT_CT_INT, NULL, pointer ? 0 : size);

	if (!type || pointer)
		return type ? rt_types_pointer(types, type, 8) : NULL;
	type->align = size;
	type->is_signed = size != 1;
	type->style = !bytes ? RT_STYLE_REGISTER : bytes == 8 ? RT_STYLE_GUESSED : RT_STYLE_TYPE;
	return type;
}

/* One object for all functions that have such a one. */
static const struct rt_ctype *guessed_type(struct rt_types *types, unsigned bytes, bool pointer)
{
	enum { POINTER = 9 };
	static const char keys[POINTER + 1];
	unsigned key = pointer ? POINTER : bytes;
	void **slot = key <= POINTER ? rt_types_slot(types, &keys[key]) : NULL;

	if (!slot)
		return make_type(types, bytes, pointer);
	if (!*slot)
		*slot = (void *)make_type(types, bytes, pointer);
	return *slot;
}

/*
 * A register that all paths write and never read again holds a result: compilers make no dead writes.
 * Otherwise its value may be left from other work, and the callers decide.  If there are none, or if
 * they contradict the code, the result is marked as a guess.
 */
static const struct rt_ctype *find_result(struct rt_guesser *g, uint64_t addr,
					  const struct rt_guess *guess, struct rt_types *types,
					  bool *guessed)
{
	static const struct rt_ctype nothing = { .kind = RT_CT_VOID, .name = "void" };
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };
	const bool asked = guess->no_result || (!guess->not_integer && !guess->result);
	enum rt_callers_do callers = asked ? rt_guess_callers(g, addr) : RT_CALLERS_UNKNOWN;

	*guessed = false;
	if (guess->no_result && callers != RT_CALLERS_READ)
		return &nothing;
	if ((guess->not_integer && !guess->no_result) || callers == RT_CALLERS_REAL)
		return &unknown;
	/* Callers in other files may read what an exported function gets from its tail call. */
	if (callers == RT_CALLERS_IGNORE && !guess->sets && !(guess->passes && rt_guess_exported(g, addr)))
		return &nothing;
	*guessed = asked && (guess->no_result || callers != RT_CALLERS_READ);
	return guessed_type(types, guess->result, false);
}

int rt_guess_prototype(struct rt_guesser *g, uint64_t addr, uint64_t size, struct rt_types *types, struct rt_prototype *prototype)
{
	struct rt_param *params;
	struct rt_guess guess;
	unsigned i;

	rt_guess(g, addr, size, &guess);
	if (!guess.decided)
		return -ENOENT;
	memset(prototype, 0, sizeof(*prototype));
	params = rt_types_alloc(types, guess.nargs * sizeof(*params));
	if (!params)
		return -ENOMEM;
	for (i = 0; i < guess.nargs; i++) {
		/* Of one that is not read itself nothing is known; it stands before one that is. */
		params[i].type = guessed_type(types, guess.bytes[i] ? guess.bytes[i] : 8, guess.pointers & 1u << i);
		if (!params[i].type)
			return -ENOMEM;
	}
	prototype->origin = RT_ORIGIN_GUESSED;
	prototype->params = params;
	prototype->nparams = guess.nargs;
	prototype->variadic = guess.variadic;
	prototype->result = find_result(g, addr, &guess, types, &prototype->result_guessed);
	return prototype->result ? 0 : -ENOMEM;
}
