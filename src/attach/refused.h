/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_REFUSED_H
#define RT_ATTACH_REFUSED_H

#include "attach/attach.h"

/*
 * Is the result `r` of rt_attach_open the kernel's word that it cannot probe one of the
 * instructions?
 */
bool rt_attach_is_refusal(const struct rt_attach_request *request, int r);

/*
 * rt_attach_open of this request has failed so: which functions are to blame?  Found by attaching
 * parts of the request, which are taken out again at once; 0.1 s each, of which there are ten to
 * twenty for each such function among a thousand.  `bad` (by function) is set.  A negative errno
 * with its message: such a function was named exactly, there are too many, or something else fails.
 */
int rt_attach_find_refused(const struct rt_attach_request *request,
			   const struct rt_attach_ops *forced, bool no_bpf, bool *bad,
			   struct rt_error *err);

#endif
