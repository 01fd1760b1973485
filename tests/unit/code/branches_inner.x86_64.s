# SPDX-License-Identifier: GPL-2.0-or-later
# Bytes before f that look like a branch into it.
# WANT: yes if one is found.
.include "code.inc"

# Each case is a program of 0x180 bytes, of nops but for what stands at these places.
# f is at 0x40, or 1: in the code, and ends at 0x60; another function ends before it.
.macro at place
	.org 9b + \place, 0x90
.endm

.macro begin
9:
.endm

.macro f
	at 0x40
1:	endbr64
	push %rbp
.endm

	case into_a_nop, "no"
	begin
	at 0x3e
	jmp 1f + 3
	at 0x40
1:	cs nopw 0x200(%rax,%rax,1)
	push %rbp
	at 0x180

	case into_a_nop_behind_the_mark, "no"
	begin
	at 0x3e
	jmp 1f + 9
	at 0x40
1:	endbr64
	.byte 0x66, 0x0f, 0x1f, 0x44, 0, 0 # nopw 0(%rax,%rax,1)
	push %rbp
	at 0x180

	case behind_a_nop, "yes"
	begin
	at 0x3e
	jmp 1f + 10
	at 0x40
1:	cs nopw 0x200(%rax,%rax,1)
	push %rbp
	at 0x180

	case to_a_nop, "yes"
	begin
	at 0x3e
	jmp 1f + 4
	at 0x40
1:	endbr64
	.byte 0x66, 0x0f, 0x1f, 0x44, 0, 0 # nopw 0(%rax,%rax,1)
	push %rbp
	at 0x180

	case into_a_mov, "yes"
	begin
	at 0x3e
	jmp 1f + 3
	at 0x40
1:	mov $0,%eax
	mov %eax,%eax
	mov %eax,%eax
	nop
	push %rbp
	at 0x180
