# SPDX-License-Identifier: GPL-2.0-or-later
# f is at 0x50.
# WANT: as in branches.x86_64.s.
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

	case from_the_first_bytes, "near"
	begin
	at 0x4
	jmp 1f + 4
	at 0x50
1:	endbr64
	at 0x180
