/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_NOPS_H
#define RT_PROCESS_NOPS_H

#include <stdbool.h>

#include "arch/arch.h"

/* Ask this kernel.  An answer that is not clear is RT_NOPS_CALL5. */
enum rt_nops rt_nops_ask(void);

/*
 * The kind by the errno with which the uprobe system call refuses us; 0: there was none.
 * `filtered`: the errno may be a seccomp filter's.
 */
enum rt_nops rt_nops_of(int error, bool filtered);

#endif
