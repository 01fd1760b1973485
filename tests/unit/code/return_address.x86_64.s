# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: reads: it reads its own return address from the stack.
.include "code.inc"

	case by_sp, "reads"
	mov (%rsp),%rax
	ret

	case stack_argument, "not"
	mov 8(%rsp),%rax
	ret

	case by_lower_sp, "reads"
	sub $24,%rsp
	mov 24(%rsp),%rdx
	add $24,%rsp
	ret

	case own_variable, "not"
	sub $24,%rsp
	mov 16(%rsp),%rdx
	add $24,%rsp
	ret

	case by_frame_pointer, "reads"
	push %rbp
	mov %rsp,%rbp
	mov 8(%rbp),%rax
	pop %rbp
	ret

	case argument_by_frame_pointer, "not"
	push %rbp
	mov %rsp,%rbp
	mov 16(%rbp),%rax
	pop %rbp
	ret

	case written_by_frame_pointer, "not"
	push %rbp
	mov %rsp,%rbp
	mov %rax,8(%rbp)
	pop %rbp
	ret

	case changed, "reads"
	addq $1,(%rsp)
	ret

	case compared, "reads"
	cmp %rax,(%rsp)
	ret

	case compared_with_register, "reads"
	sub $24,%rsp
	cmp 24(%rsp),%rax
	add $24,%rsp
	ret

	case own_variable_compared, "not"
	push %rcx
	cmp %rax,(%rsp)
	pop %rcx
	ret

	case pushed, "reads"
	push (%rsp)
	pop %rcx
	ret

	case written, "not"
	mov %rax,(%rsp)
	ret

	case popped, "reads"
	pop %rax
	push %rax
	ret
