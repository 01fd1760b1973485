# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: paths and calls.
# WANT: as in guess_registers.x86_64.s.
.include "code.inc"

	case two_paths, "448 ?"
	test %edi,%edi
	je 1f
	mov %esi,%eax
	ret
1:	mov %rdx,%rax
	ret

	case loop, "4 4"
1:	dec %edi
	jne 1b
	mov %edi,%eax
	ret

	case no_instruction, "undecided"
	.byte 0x06

	case callee_argument, "-p ?"
	call callee
	ret

	case callee_argument_set, "4 ?"
	mov %edi,%esi
	call callee
	ret

	case tail_callee_argument, "-p ?"
	jmp callee

	case argument_lost_by_call, "-p 8"
	call callee
	mov %rdi,%rax
	ret

	function callee
	mov (%rsi),%rax
	ret

	function nothing
	ret
