# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: argument registers.
# WANT: a letter an argument: 4 or 8 bytes, p a pointer, - not read; then the result: its bytes,
# v none, x no integer, ? not known; ... if it is variadic.
.include "code.inc"

	case add, "44 4"
	mov %edi,%eax
	add %esi,%eax
	ret

	case lea_8, "88 8"
	lea (%rdi,%rsi),%rax
	ret

	case lea_4, "44 4"
	lea (%rdi,%rsi),%eax
	ret

	case store, "p8 v"
	mov %rsi,(%rdi)
	ret

	# Not the movsd of strings, whose addresses are in these registers.
	case store_double, "8p x"
	movsd %xmm0,(%rsi,%rdi,8)
	ret

	# Nothing is the caller's.
	case own_register, "4"
	xor %ecx,%ecx
	mov %ecx,%eax
	ret

	case third_argument, "--4 4"
	mov %edx,%eax
	ret

	case room_on_stack, "v"
	push %rcx
	pop %rcx
	ret

	case return, "v"
	ret
