/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "image/dwarf_private.h"

/* libdw finds the .dwo file, by DW_AT_dwo_name, beside the program and in DW_AT_comp_dir. */
bool rt_dwarf_split(Dwarf_Die *unit)
{
	Dwarf_Die split;

	if (dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 || !split.addr)
		return false;
	*unit = split;
	return true;
}
