/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with a probe: what libstapsdt makes in a memfd is one too. */
#include "sdt.h"

int plugin_work(int n)
{
	SITE("plugin", "work", "0", "-4@%0 8@%1", "r"(n), "r"("text"));
	return n + 1;
}
