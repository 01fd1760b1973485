/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_ERRNOS_H
#define RT_BASE_ERRNOS_H

#include <stddef.h>
#include <stdint.h>

/* "ENOENT" for 2; NULL for what is no error's number. */
const char *rt_errno_name(int64_t number);

/* 2 for "ENOENT", a name of `n` characters; 0 for other names. */
int rt_errno_number(const char *name, size_t n);

#endif
