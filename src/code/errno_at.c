/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/errno_at.h"

#include <errno.h>
#include <string.h>

enum { CODE = 64 };

int rt_errno_find(struct rt_image *image, struct rt_errno_at *at)
{
	const struct rt_arch *arch = rt_image_arch(image);
	const struct rt_symbol *v;
	uint8_t code[CODE];
	size_t i, n, got;

	if (rt_image_symbols(image, &v, &n, NULL) < 0)
		return -ENOENT;
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC && strcmp(v[i].name, "__errno_location") == 0)
			break;
	if (i == n)
		return -ENOENT;
	got = rt_image_read(image, v[i].addr, code, v[i].size < CODE ? (size_t)v[i].size : CODE);
	if (!arch->errno_at || !arch->errno_at(code, got, v[i].addr, at))
		return -ENOTSUP;
	at->code = v[i].addr;
	return 0;
}
