# SPDX-License-Identifier: GPL-2.0-or-later
# The mark and nops are known by their bytes, without a disassembler.
# WANT: as in prologue.x86_64.s.
.include "code.inc"
.macro nop5
	.byte 0x0f, 0x1f, 0x44, 0, 0
.endm

	case mark_push, "returns 1: +4, past what"
	endbr64
	push %rbp

	case mark_test_je, "returns 1: +0, no disassembler"
endbr64; test %edi,%edi; je 1f; .fill 16, 1, 0x90; 1:

	case test_je, "returns 1: +0, no disassembler"
test %edi,%edi; je 1f; .fill 16, 1, 0x90; 1:

	case nop5_push, "call5 returns 1: +5, past what"
	nop5
	push %rbp
