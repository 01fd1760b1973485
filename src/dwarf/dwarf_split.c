/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf_private.h"

/* libdw finds the .dwo file, by DW_AT_dwo_name, beside the program and in DW_AT_comp_dir. */
bool rt_dwarf_split(Dwarf_Die *unit)
{
	Dwarf_Die split;

	if (dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 || !split.addr)
		return false;
	*unit = split;
	return true;
}

void rt_dwarf_share(struct rt_dwarf *dwarf)
{
	const char *name = (const char *)dwarf->shared.p;
	size_t n = strlen(name) + 1;
	int fd;

	if (dwarf_getalt(dwarf->dbg))
		return;
	fd = rt_image_shared_fd(dwarf->image, name, (const uint8_t *)name + n, dwarf->shared.n - n);
	if (fd < 0)
		return;
	dwarf->shared_dbg = dwarf_begin(fd, DWARF_C_READ);
	dwarf->shared_fd = fd;
	if (dwarf->shared_dbg)
		dwarf_setalt(dwarf->dbg, dwarf->shared_dbg);
	else
		close(fd);
}
