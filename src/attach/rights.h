/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_RIGHTS_H
#define RT_ATTACH_RIGHTS_H

#include "attach/attach.h"

/*
 * Does the kernel want CAP_SYS_ADMIN for one more probe of the mechanism, beside CAP_BPF and
 * CAP_PERFMON?  Asked by trying, which takes some microseconds and leaves nothing behind.
 */
bool rt_attach_wants_admin(const struct rt_attach_ops *ops);

#endif
