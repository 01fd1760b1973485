# SPDX-License-Identifier: GPL-2.0-or-later
# A table of two jumps, and instructions that nothing leads to.
.include "code.inc"

	case unreached, ""
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	pop %rbx
	ret				# at +7
	nop
5:	cmp $1,%edi
	ja 6b
	lea 7f(%rip),%rdx
	movslq (%rdx,%rdi,4),%rax
	add %rdx,%rax
	jmp *%rax
table:
7:	.long 1b - table, 2b - table
	.fill 16, 1, 0x90

	case unreached_broken, ""
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	.byte 0x06			# push %es, which 64 bits do not have
	ret
	nop
5:	cmp $1,%edi
	ja 6b
	lea 7f(%rip),%rdx
	movslq (%rdx,%rdi,4),%rax
	add %rdx,%rax
	jmp *%rax
table_broken:
7:	.long 1b - table_broken, 2b - table_broken
	.fill 16, 1, 0x90
