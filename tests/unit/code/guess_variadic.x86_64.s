# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: variadic functions: %al has the number of vector registers.
# WANT: as in guess_registers.x86_64.s.
.include "code.inc"
.macro save_vectors
	test %al,%al
	je 1f
	movaps %xmm0,0x40(%rsp)
1:	
.endm

	# Five are named, read or not.
	case variadic_behind_five, "-4--- 4..."
	mov %r9,0x28(%rsp)
	save_vectors
	mov %esi,%eax
	ret

	case variadic_behind_one, "p 8..."
	mov %rsi,8(%rsp)
	mov %rdx,0x10(%rsp)
	mov %rcx,0x18(%rsp)
	mov %r8,0x20(%rsp)
	mov %r9,0x28(%rsp)
	save_vectors
	mov (%rdi),%rax
	ret

	case variadic_alone, "v..."
	mov %rdi,(%rsp)
	mov %rsi,8(%rsp)
	mov %rdx,0x10(%rsp)
	mov %rcx,0x18(%rsp)
	mov %r8,0x20(%rsp)
	mov %r9,0x28(%rsp)
	save_vectors
	ret

	case variadic_by_stack, "4 4..."
	save_vectors
	mov %edi,%eax
	ret
