/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine code tells of a function's arguments, as a prototype. */
#include "image/guess.h"

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

int rt_guess_prototype(struct rt_guesser *g, uint64_t addr, uint64_t size, struct rt_types *types, struct rt_prototype *prototype)
{
	static const struct rt_ctype nothing = { .kind = RT_CT_VOID, .name = "void" }, unknown = { .kind = RT_CT_UNKNOWN };
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
	if (guess.not_integer)
		prototype->result = guess.no_result ? &nothing : &unknown;
	else
		prototype->result = guessed_type(types, guess.result, false);
	return prototype->result ? 0 : -ENOMEM;
}
