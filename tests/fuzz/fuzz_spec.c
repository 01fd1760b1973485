/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/print.h"
#include "spec/spec.h"

/* What was parsed can be printed, and taken as it is where nothing else is known. */
static void use(const struct rt_spec *spec)
{
	FILE *file = fopen("/dev/null", "w");
	struct rt_types *types = rt_types_new();
	const struct rt_prototype *prototype;
	struct rt_error err;
	unsigned i;

	if (file && types && rt_spec_prototype(spec, NULL, types, NULL, &prototype, &err) == 0 && prototype)
		rt_prototype_print(file, prototype, spec->function);
	for (i = 0; file && i < spec->nshown; i++)
		rt_expr_print(file, &spec->shown[i].expr);
	for (i = 0; file && i < spec->nconditions; i++)
		rt_condition_print(file, &spec->conditions[i]);
	for (i = 0; file && i < spec->nwords; i++)
		rt_word_print(file, &spec->words[i]);
	if (spec->regex)
		rt_spec_regex(spec, "main");
	if (file)
		fclose(file);
	rt_types_free(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_spec spec;
	struct rt_error err;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (rt_spec_parse(text, size & 1 ? &rt_arch_x86_64 : &rt_arch_i386, NULL, &spec, &err) == 0) {
		/* What was accepted must hold together. */
		if (strcmp(spec.text, text) != 0 || !spec.function[0] || (spec.lib && !spec.lib[0]) || spec.nargs > 32)
			abort();
		use(&spec);
		rt_spec_free(&spec);
	}
	free(text);
	return 0;
}
