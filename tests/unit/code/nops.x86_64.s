# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: bytes of the nop; 0: it is none.
.include "code.inc"

	case nop, "1"
	nop

	case nop_prefixes, "5"
	.byte 0x66, 0x66, 0x66, 0x48
	nop

	case pause, "2"
	pause

	case xchg_r8, "0"
	xchg %rax,%r8

	case nopl, "3"
	nopl (%rax)

	case nopl_5, "5"
	.byte 0x0f, 0x1f, 0x44, 0, 0

	case nopl_5_other, "5"
	.byte 0x0f, 0x1f, 0x44, 0x20, 9

	case nopw_5, "5"
	.byte 0x66, 0x0f, 0x1f, 0x40, 0

	case nopw_two_prefixes, "5"
	.byte 0x66, 0x66, 0x0f, 0x1f, 0

	case nopl_fs, "5"
	.byte 0x64, 0x0f, 0x1f, 0x40, 0

	case nopw_10, "10"
	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0

	case nopw_10_llvm, "10"
	.byte 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0

	case endbr64_without_prefix, "0"
	.byte 0x0f, 0x1e, 0xfa

	case endbr64, "0"
	endbr64

	case mov_rax_prefixes, "5"
	.byte 0x66, 0x66
	mov %rax,%rax

	case mov_rdi, "3"
	mov %rdi,%rdi

	# It clears the upper half.
	case mov_eax, "0"
	mov %eax,%eax

	case mov_rdi_rax, "0"
	mov %rdi,%rax

	case mov_r8_rax, "0"
	mov %r8,%rax

	case mov_r8, "3"
	mov %r8,%r8

	case lea_rsi, "5"
	.byte 0x48, 0x8d, 0x74, 0x26, 0 # lea 0(%rsi,%riz,1),%rsi

	case lea_8, "0"
	lea 8(%rsp),%rax

	case lea_rdi, "4"
	.byte 0x48, 0x8d, 0x7f, 0 # lea 0(%rdi),%rdi

	case lea_rdi_short, "0"
	lea (%rdi),%rdi

	case lea_two_rsi, "0"
	lea (%rsi,%rsi),%rsi

	case jmp_next, "5"
	.byte 0xe9, 0, 0, 0, 0

	case jmp_over_one, "0"
	.byte 0xe9, 1, 0, 0, 0
