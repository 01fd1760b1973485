/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_EMULATION_H
#define RT_EMIT_EMULATION_H

#include "emit/bpf.h"

/*
 * From Linux 6.19 on a program on a uprobe may write the registers.  If it has changed ip, the
 * kernel does not single-step the probed instruction (handle_swbp() in kernel/events/uprobes.c).
 * So a program can emulate the instruction, at a seventh of the cost of a single step.  Each site
 * has its struct rt_emulation in RT_MAP_EMULATIONS.
 *
 * Another consumer of the same uprobe may have emulated the instruction before: another rawtrace,
 * for example.  Then ip is not that of the probe any more, and a second emulation would crash the
 * program.  The kernel's helpers give no unchanged ip.  So a program emulates only if ip has the
 * lowest 12 bits of the site's file offset, and a breakpoint is there.
 *
 * From 6.13 on a program with a large frame shares it with all threads on its CPU
 * (BPF_PRIV_STACK_MIN_SIZE in kernel/bpf/verifier.c), and uprobes do not keep other threads from
 * running it meanwhile, where kernels preempt.  Registers of another thread must not be taken for
 * this one's, so only programs with small frames emulate, and registers are not copied there.
 */

/* The frame's bytes that a program which emulates may use. */
enum { RT_EMULATION_FRAME = 48 };

struct emitter;

/*
 * The last part of a program: emulate the site's instruction.  CTX is set; all other registers and
 * the frame may be lost.  Nothing is changed where memory cannot be read: the kernel single-steps.
 */
void rt_emit_emulation(struct emitter *e);

#endif
