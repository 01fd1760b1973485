/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/lower.h"
#include "lang/print.h"
#include "lang/spec.h"

/* Make the plan for the specification, whatever its types are. */
static void lower(const struct rt_spec *spec, const struct rt_prototype *prototype,
		  const struct rt_arch *arch, struct rt_types *types)
{
	const struct rt_limits limits = {
		.string = 64, .members = 16, .deref = 1, .record = RT_LIMIT_RECORD
	};
	struct rt_showing shown;
	struct rt_plan plan;
	struct rt_error err;

	if (prototype)
		rt_lower_entry(prototype, spec, arch, &limits, types, &plan, &shown, &err);
	if (prototype && (prototype->result || rt_spec_tests_end(spec)))
		rt_lower_return(prototype, spec, arch, &limits, types, &plan, &shown, &err);
	if (spec->nwords) {
		rt_lower_words(spec, RT_KIND_ENTRY, arch, types, &plan, &shown, &err);
		rt_lower_words(spec, RT_KIND_RETURN, arch, types, &plan, &shown, &err);
	}
}

/* Print the parsed specification, and use it as it is if nothing else is known. */
static void use(const struct rt_spec *spec, const struct rt_arch *arch)
{
	FILE *file = fopen("/dev/null", "w");
	struct rt_types *types = rt_types_new();
	const struct rt_prototype *prototype = NULL;
	struct rt_error err;
	unsigned i;

	if (file && types && rt_spec_prototype(spec, NULL, types, NULL, &prototype, &err) == 0 &&
	    prototype)
		rt_prototype_print(file, prototype, spec->function);
	if (types)
		lower(spec, prototype, arch, types);
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
	const struct rt_arch *arch =
		size % 3 ? size % 3 == 1 ? &rt_arch_x86_64 : &rt_arch_aarch64 : &rt_arch_i386;
	struct rt_spec spec;
	struct rt_error err;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (rt_spec_parse(text, arch, NULL, &spec, &err) == 0) {
		/* An accepted specification must be consistent. */
		if (strcmp(spec.text, text) != 0 || !spec.function[0] ||
		    (spec.lib && !spec.lib[0]) || spec.nargs > 32)
			abort();
		use(&spec, arch);
		rt_spec_free(&spec);
	}
	free(text);
	return 0;
}
