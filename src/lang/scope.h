/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_SCOPE_H
#define RT_LANG_SCOPE_H

#include "lang/spec.h"

/* Named types and their memory.  NULL: out of memory. */
struct rt_scope *rt_scope_new(void);
void rt_scope_free(struct rt_scope *scope);
struct rt_types *rt_scope_types(struct rt_scope *scope);

#endif
