/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/use.h"

/* Built without capstone: nothing is guessed. */

struct rt_user *rt_user_open(const struct rt_arch *arch)
{
	(void)arch;
	return NULL;
}

void rt_user_close(struct rt_user *user)
{
	(void)user;
}

bool rt_use(struct rt_user *user, const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use)
{
	(void)user;
	(void)bytes;
	(void)n;
	(void)addr;
	(void)use;
	return false;
}
