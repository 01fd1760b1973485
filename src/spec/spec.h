/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SPEC_SPEC_H
#define RT_SPEC_SPEC_H

#include <stdbool.h>

#include "util/error.h"

/*
 * A probe specification: [LIBRARY:]FUNCTION[:NARGS].  FUNCTION may be a shell glob (*, ?, [...]).  "::" belongs to a
 * C++ name and separates nothing.
 */
struct rt_spec {
	char *text;		/* as given */
	char *lib;		/* library name or path, NULL: the program itself */
	char *function;		/* name or glob */
	bool glob;
	unsigned nargs;		/* arguments to print; 1 unless given */
};

/* Parse `text`.  Returns 0, or a negative errno with a message that names the column.  Free with rt_spec_free. */
int rt_spec_parse(const char *text, struct rt_spec *spec, struct rt_error *err);
void rt_spec_free(struct rt_spec *spec);

#endif
