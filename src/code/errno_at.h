/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_ERRNO_AT_H
#define RT_CODE_ERRNO_AT_H

#include "arch/errno_at.h"
#include "elf/image.h"

/*
 * 0; -ENOENT: it has no __errno_location; -ENOTSUP: one whose code is not understood, or of an
 * architecture of which this is not known.
 */
int rt_errno_find(struct rt_image *image, struct rt_errno_at *at);

#endif
