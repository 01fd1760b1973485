# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the form for a kernel of x86-64, and the one of the same bytes for one of i386.
.include "code.inc"

	case push, "push, push"
	push %rbx

	case push_r12, "push, another instruction"
	push %r12

	case push_with_rex, "another instruction, another instruction"
	.byte 0x48 # rex.W
	push %rbp

	case nop, "nop, nop"
	nop

	case nop_long, "a long nop, a long nop"
	nopl 0(%rax)

	case jne, "a conditional jump, a conditional jump"
	jne far

	case endbr64, "endbr, another instruction"
	endbr64

	case endbr32, "another instruction, endbr"
	endbr32

	case endbr_cut_off, "another instruction, another instruction"
	.byte 0xf3, 0x0f, 0x1e

	case sub_sp, "sub from the stack pointer, another instruction"
	sub $8,%rsp

	case sub_rax, "another instruction, another instruction"
	sub $8,%rax

	case cut_off, "another instruction, another instruction"
	.byte 0x0f

	case nop16, "a 2-byte nop, a 2-byte nop"
	xchg %ax,%ax

	case jmp_by_register, "another instruction, another instruction"
	jmp *%rax

far_away:
	.fill 256, 1, 0x90

	function far
	ret
