/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_NOPS_H
#define RT_KERNEL_NOPS_H

#include <stdbool.h>

/*
 * A nop of 64-bit x86 code that is probed: the code that the kernel puts there after the first
 * hits.
 */
enum rt_nops {
	/* a breakpoint, as of other instructions; so on all other machines */
	RT_NOPS_TRAP,
	/*
	 * Linux 6.18 to 7.1: a 5-byte nop becomes a call into a page of the process's own.
	 * A forked child has the call and not the page: SIGSEGV.  The call overwrites 8 bytes of a
	 * leaf function's red zone.
	 */
	RT_NOPS_CALL5,
	/*
	 * From 7.2 on a 10-byte nop does.  That call spares the red zone; forked children have the
	 * page.
	 */
	RT_NOPS_CALL10,
};

/* Ask this kernel.  An answer that is not clear is RT_NOPS_CALL5. */
enum rt_nops rt_nops_ask(void);

/*
 * The kind by the errno with which the uprobe system call refuses us; 0: there was none.
 * `filtered`: the errno may be a seccomp filter's.
 */
enum rt_nops rt_nops_of(int error, bool filtered);

#endif
