# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if the code may copy as much as there is and leave by longjmp.
.include "code.inc"

	case memcpy_of_a_size, "yes"
	mov 8(%rdi),%rdx
	call memcpy
	call longjmp

	case memcpy_of_a_number, "no"
	mov $200,%edx
	call memcpy
	call longjmp

	case rep_movs_of_a_size, "yes"
	mov 8(%rdi),%rcx
	rep movsq
	call longjmp

	case rep_movs_of_a_number, "no"
	mov $25,%ecx
	rep movsq
	call longjmp

	case without_longjmp, "no"
	mov 8(%rdi),%rdx
	call memcpy
	ret

	case longjmp_alone, "no"
	call longjmp

	case by_callee, "yes"
	call g
	call longjmp

	# A jump to the copy stands behind the return, and nothing leads to it.
	case no_loop, "no"
	jne 2f
1:	mov (%rdi),%rax
	mov %rax,(%rsi)
	ret
2:	nop
	mov (%rdi),%rax
	jmp 1b
	call longjmp

	case loop, "yes"
1:	nop
	nop
	mov (%rdi),%rax
	mov %rax,(%rsi)
	jne 2f
	ret
2:	mov (%rdi),%rax
	jmp 1b
	call longjmp

	function g
	mov %rax,%rdx
	jmp memcpy

	function longjmp
	nop

# Compilers reach memcpy by the long form of jmp.
	.fill 128, 1, 0x90

	function memcpy
	nop
