/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/wanted.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "lang/probes.h"
#include "plan/traced.h"

int rt_wanted_keep_spec(struct rt_wanted *wanted, const struct rt_traced *traced, const char *text,
			struct rt_spec **spec, struct rt_error *err)
{
	int r;

	*spec = calloc(1, sizeof(**spec));
	if (!*spec || RT_ROOM(&wanted->specs, wanted->nspecs, &wanted->specs_cap) < 0) {
		free(*spec);
		return rt_nomem(err);
	}
	r = rt_spec_parse(text, rt_image_arch(rt_program_executable(&traced->program)),
			  wanted->sets ? rt_probes_scope(wanted->sets) : NULL, *spec, err);
	if (r < 0)
		free(*spec);
	else
		wanted->specs[wanted->nspecs++] = *spec;
	return r;
}

void rt_wanted_note_conditions(struct rt_wanted *wanted, const struct rt_spec *spec)
{
	wanted->limit.tests |= rt_spec_tests_entry(spec);
	wanted->limit.ends |= rt_spec_tests_end(spec);
}
