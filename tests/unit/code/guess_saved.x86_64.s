# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: registers that are saved.
# WANT: as in guess_registers.x86_64.s.
.include "code.inc"

	case saves_of_variadic, "4-- 4..."
	mov %rcx,0x18(%rsp)
	mov %r8,0x20(%rsp)
	mov %r9,0x28(%rsp)
	mov %edi,%eax
	ret

	case saves_in_other_order, "4--888 4"
	mov %rcx,0x28(%rsp)
	mov %r8,0x20(%rsp)
	mov %r9,0x18(%rsp)
	mov %edi,%eax
	ret

	case saves_of_two, "4---88 4"
	mov %r8,0x20(%rsp)
	mov %r9,0x28(%rsp)
	mov %edi,%eax
	ret

	case saves_of_one, "8 v"
	mov %rdi,8(%rsp)
	ret
