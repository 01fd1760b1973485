/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_UNXZ_H
#define RT_ELF_UNXZ_H

#include <stddef.h>

#include "base/error.h"

/*
 * Unpack the `n` bytes of an xz file, up to `max` bytes.  `*out` gets them, from malloc.  0 or a
 * negative errno with a message that is a phrase; -EOPNOTSUPP where rawtrace was built without
 * liblzma.
 */
int rt_unxz(const void *bytes, size_t n, size_t max, void **out, size_t *nout,
	    struct rt_error *err);

#endif
