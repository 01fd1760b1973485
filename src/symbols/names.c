/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/debug.h"
#include "symbols/demangle.h"
#include "symbols/function.h"

void rt_functions_print_sources(const struct rt_functions *functions, FILE *file)
{
	enum { SOURCES = RT_SOURCE_EH_FRAME + 1 };	/* the last one */
	const struct rt_function *f;
	size_t i, k, n[SOURCES];

	for (i = 0; i < functions->n; i++) {
		const struct rt_image *image = functions->v[i].image;

		memset(n, 0, sizeof(n));
		for (f = functions->v; f < functions->v + i && f->image != image; f++)
			;
		if (f < functions->v + i)
			continue;
		for (; f < functions->v + functions->n; f++)
			n[f->source] += f->image == image;
		for (k = 0; k < SOURCES; k++)
			if (n[k])
				fprintf(file, "rawtrace: %s: %zu name%s from %s%s%s\n", rt_image_name(image), n[k], n[k] == 1 ? "" : "s",
					rt_symbol_source_name((enum rt_symbol_source)k), k == RT_SOURCE_DEBUG ? " " : "",
					k == RT_SOURCE_DEBUG ? rt_image_debug_path(image) : "");
	}
}

static int rename_function(struct rt_function *f, const char *as)
{
	char *name = strdup(as);

	if (!name)
		return -ENOMEM;
	free(f->name);
	f->name = name;
	return 0;
}

int rt_functions_raw_names(struct rt_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		struct rt_function *f = &functions->v[i];

		if (!f->symbol)
			continue;
		if (rename_function(f, f->symbol) < 0)
			return -ENOMEM;
		f->symbol = NULL;
	}
	return 0;
}

int rt_functions_full_names(struct rt_functions *functions)
{
	struct rt_text text = { 0 };
	const char *written;
	size_t i;
	int r = 0;

	for (i = 0; i < functions->n && r == 0; i++) {
		struct rt_function *f = &functions->v[i];

		written = f->symbol && !f->inside ? rt_demangle(&text, f->symbol, true) : NULL;
		if (written)
			r = rename_function(f, written);
	}
	rt_text_free(&text);
	return r;
}
