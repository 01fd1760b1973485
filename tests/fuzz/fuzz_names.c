/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/match.h"

/* What is looked for in the first line, names in the others. */

static void match(struct rt_matcher *matcher, const char *name)
{
	const struct rt_symbol symbol = { .name = name, .version = "V1" };
	struct rt_text text = { 0 };

	rt_matches(matcher, &symbol);
	rt_demangle(&text, name, true);
	rt_demangle_plain(&text, name);
	rt_name_canonical(&text, name, true);
	/* What is canonical stays so. */
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
