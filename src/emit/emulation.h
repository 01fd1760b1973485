/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_EMULATION_H
#define RT_EMIT_EMULATION_H

/*
 * From Linux 6.19 on a program on a uprobe may write the registers.  If it has changed ip, the
 * kernel does not single-step the probed instruction (handle_swbp() in kernel/events/uprobes.c).
 * So a program can emulate the instruction, at a seventh of the cost of a single step.  Each site
 * has its struct rt_emulation in RT_MAP_EMULATIONS, an array by the site's id.  A program that
 * knows sites by ip alone knows its lowest 12 bits in the file: its array is by these, for entries
 * and behind them for exits.  Sites of different instructions at one index are not emulated.
 *
 * Another consumer of the same uprobe may have emulated the instruction before: another rawtrace,
 * for example.  Then ip is not that of the probe any more, and a second emulation would crash the
 * program.  The kernel's helpers give no unchanged ip.  So a program emulates only if ip has the
 * lowest 12 bits of the site's file offset, and a breakpoint is there.
 */

struct emitter;

/*
 * The last part of a program: emulate the site's instruction.  CTX is set; all other registers and
 * the frame may be lost.  Nothing is changed where memory cannot be read: the kernel single-steps.
 */
void rt_emit_emulation(struct emitter *e);

#endif
