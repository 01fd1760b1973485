/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "dwarf/dwarf_private.h"

/* libdw joins the compiler's folder and the name that the compiler was given. */
static const char *relative_name(struct rt_dwarf *dwarf, Dwarf_Die *unit, const char *name)
{
	const char *folder = rt_die_string(dwarf, unit, DW_AT_comp_dir);
	size_t n = folder ? strlen(folder) : 0;

	if (n && strncmp(name, folder, n) == 0 && name[n] == '/' && name[n + 1])
		return name + n + 1;
	return name;
}

bool rt_dwarf_line(struct rt_image *image, uint64_t addr, struct rt_dwarf_place *place)
{
	struct rt_dwarf *dwarf;
	const char *name;
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (rt_dwarf_open(image, &dwarf, NULL) || !rt_dwarf_find_unit(dwarf, addr, &unit))
		return false;
	line = dwarf_getsrc_die(&unit, addr);
	/* Line 0: the compiler made the instruction for no line. */
	if (!line || dwarf_lineno(line, &place->line) != 0 || place->line <= 0)
		return false;
	name = dwarf_linesrc(line, NULL, NULL);
	place->file =
	    name ? rt_image_clean_name(image, relative_name(dwarf, &unit, name)) : NULL;
	return place->file != NULL;
}
