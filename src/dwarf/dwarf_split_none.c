/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_private.h"

/* Before elfutils 0.171 there is no reader of .dwo files. */
bool rt_dwarf_split(Dwarf_Die *unit)
{
	(void)unit;
	return false;
}

/* Before 0.165 there is no reader of compressed sections. */
void rt_dwarf_unpack(struct rt_dwarf *dwarf, int fd, uint64_t size)
{
	(void)dwarf;
	(void)fd;
	(void)size;
}

void rt_dwarf_share(struct rt_dwarf *dwarf)
{
	(void)dwarf;
}
