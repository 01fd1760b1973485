/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_SPARE_RETURN_H
#define RT_CODE_SPARE_RETURN_H

#include "elf/image.h"

/* The address of a return that has no probe, or 0: none was found (spare_return.c). */
uint64_t rt_spare_return(struct rt_image *image);

#endif
