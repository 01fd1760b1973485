/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/dwarf_private.h"

const struct rt_ctype *rt_dwarf_type(struct rt_image *image, struct rt_types *types, const char *name)
{
	(void)image; (void)types; (void)name;
	return NULL;
}

bool rt_dwarf_inlined(struct rt_image *image, const char *name)
{
	(void)image; (void)name;
	return false;
}
