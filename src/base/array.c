/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int rt_array_room(void **v, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 16;
	void *p;

	if (n < *cap)
		return 0;
	if (want > SIZE_MAX / size)
		return -ENOMEM;
	p = realloc(*v, want * size);
	if (!p)
		return -ENOMEM;
	*v = p;
	*cap = want;
	return 0;
}
