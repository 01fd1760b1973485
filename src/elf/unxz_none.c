/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "elf/unxz.h"

int rt_unxz(const void *bytes, size_t n, size_t max, void **out, size_t *nout, struct rt_error *err)
{
	(void)bytes;
	(void)n;
	(void)max;
	*out = NULL;
	*nout = 0;
	return rt_fail(err, -EOPNOTSUPP, "rawtrace was built without liblzma");
}
