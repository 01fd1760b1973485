/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/out.h"

#include <string.h>

#include "base/array.h"

static const struct rt_out_ops *const formats[] = {
	&rt_out_tree,
	&rt_out_chrome,
};

const struct rt_out_ops *rt_out_at(unsigned i)
{
	return i < RT_COUNT(formats) ? formats[i] : NULL;
}

const char *rt_out_name(unsigned i)
{
	return rt_out_at(i) ? rt_out_at(i)->name : NULL;
}

const struct rt_out_ops *rt_out_find(const char *name)
{
	size_t i;

	for (i = 0; i < RT_COUNT(formats); i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

const char *rt_out_function(const struct rt_out *out, uint32_t function)
{
	if (!out->functions || function >= out->functions->n)
		return "?";
	return out->functions->v[function].name;
}
