# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: is a probe refused on a kernel that leaves nops as they are, on one that replaces 5-byte
# nops by calls, and on one that replaces 10-byte nops?
.include "code.inc"

	case nop5, "no, yes, no"
	.byte 0x0f, 0x1f, 0x44, 0, 0
	push %rbp

	case nop4, "no, no, no"
	.byte 0x0f, 0x1f, 0x40, 0
	nop

	case nop2, "no, no, no"
	.byte 0x66, 0x90

	case nop10, "yes, yes, no"
	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0

	case nop10_cut_off, "yes, yes, yes"
	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0

	case nop10_of_llvm, "yes, yes, yes"
	.byte 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0
