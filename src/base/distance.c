/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/distance.h"

#include <stdint.h>

enum { LONGEST = 64 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Both names have LONGEST letters at most. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned row[3][LONGEST + 1], *two = row[0], *one = row[1], *now = row[2], *spare;
	size_t i, k;

	for (k = 0; k <= nb; k++)
		one[k] = (unsigned)k;
	for (i = 1; i <= na; i++) {
		now[0] = (unsigned)i;
		for (k = 1; k <= nb; k++) {
			now[k] = min3(one[k] + 1, now[k - 1] + 1,
				      one[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    two[k - 2] + 1 < now[k])
				now[k] = two[k - 2] + 1;
		}
		spare = two;
		two = one;
		one = now;
		now = spare;
	}
	return one[nb];
}

unsigned rt_near(const char *want, size_t nwant, const char *name, size_t nname)
{
	unsigned limit = nwant < 4 ? 1 : nwant < 7 ? 2 : 3, d;

	if (nwant > LONGEST || nname > LONGEST || nname + limit < nwant || nwant + limit < nname)
		return UINT32_MAX;
	d = distance(want, nwant, name, nname);
	return d <= limit && d < nwant ? d : UINT32_MAX;
}
