/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_spec spec;
	struct rt_error err;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (rt_spec_parse(text, &spec, &err) == 0) {
		/* What was accepted must hold together. */
		if (strcmp(spec.text, text) != 0 || !spec.function[0] || (spec.lib && !spec.lib[0]) || spec.nargs > 32)
			abort();
		rt_spec_free(&spec);
	}
	free(text);
	return 0;
}
