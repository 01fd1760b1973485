/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/match.h"
#include "plan/signature.h"

/* Input: the name to look up in the first line, names in the others. */

/* The types in a name, beside what its code may look like. */
static void take_types(const char *name)
{
	struct rt_types *types = rt_types_new();
	struct rt_guess guess = { .decided = true };
	struct rt_prototype prototype = { .origin = RT_ORIGIN_GUESSED };
	unsigned i;

	for (guess.nargs = 0; types && guess.nargs <= RT_USE_ARGS; guess.nargs++) {
		if (rt_signature_cxx(name, &rt_arch_x86_64, &guess, types, &prototype) == 0)
			for (i = 0; i < prototype.nparams; i++)
				if (!prototype.params[i].type)
					abort();
		if (guess.nargs < RT_USE_ARGS)
			guess.bytes[guess.nargs] = guess.nargs % 2 ? 4 : 8;
		prototype = (struct rt_prototype){ .origin = RT_ORIGIN_GUESSED };
	}
	rt_types_free(types);
}

static void match(struct rt_matcher *matcher, const char *name)
{
	const struct rt_symbol symbol = { .name = name, .version = "V1" };
	struct rt_text text = { 0 };

	rt_matches(matcher, &symbol);
	rt_demangle(&text, name, true);
	rt_demangle_plain(&text, name);
	take_types(name);
	rt_name_canonical(&text, name, true);
	/* A canonical name is its own canonical form. */
	if (rt_name_canonical(&text, name, false)) {
		struct rt_text again = { 0 };

		if (strlen(text.v) != text.n)
			abort();
		rt_name_canonical(&again, text.v, false);
		rt_text_free(&again);
	}
	rt_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_matcher matcher;
	struct rt_spec spec = { 0 };
	char *copy = malloc(size + 1), *line, *rest = copy;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	copy[size] = '\0';
	spec.function = strsep(&rest, "\n");
	spec.glob = strpbrk(spec.function, "*?[");
	if (rt_matcher_begin(&matcher, &spec) == 0)
		while ((line = strsep(&rest, "\n")))
			match(&matcher, line);
	rt_matcher_free(&matcher);
	free(copy);
	return 0;
}
