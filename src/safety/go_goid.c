/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf.h"
#include "elf/file.h"
#include "go/go.h"

/* Runtime records of goroutines are some hundred bytes. */
enum { GOID_MOST = 4096 };

/* 1.23 put a word more before it, and 1.25 took one out. */
static uint32_t goid_of_version(unsigned minor)
{
	return minor < 15 || minor > 27 ? 0 : minor == 23 || minor == 24 ? 160 : 152;
}

uint32_t rt_go_goid_offset(struct rt_image *image)
{
	struct rt_go *go = rt_image_go(image) ? image->go : NULL;
	long member;

	/* Before 1.17 no register of x86 holds the record: it is the thread's. */
	if (!go || !(go->registers || go->g_known || image->arch->goroutine_always))
		return 0;
	if (!go->goid_read) {
		go->goid_read = true;
		member = rt_dwarf_member(image, "runtime.g", "goid");
		go->goid = member > 0 && member < GOID_MOST ? (uint32_t)member
							    : goid_of_version(go->minor);
	}
	return go->goid;
}
