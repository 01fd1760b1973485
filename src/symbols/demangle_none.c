/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/demangle.h"

bool rt_demangler_run(struct rt_text *text, const char *name, bool parameters)
{
	(void)text;
	(void)name;
	(void)parameters;
	return false;
}
