# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if the code goes from frame to frame.
.include "code.inc"

	case two_frames, "yes"
	push %rbp
	mov %rsp,%rbp
	mov 0(%rbp),%rax
	mov 8(%rax),%rax
	pop %rbp
	ret

	case by_copy, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rcx
	mov (%rcx),%rcx
	pop %rbp
	ret

	case by_two_copies, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%r8
	mov %r8,%rax
	mov (%rax),%rdx
	pop %rbp
	ret

	case by_own_variable, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,-8(%rbp)
	mov -8(%rbp),%rax
	mov (%rax),%rax
	leave
	ret

	case handed_to_callee, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rdi
	call callee
	pop %rbp
	ret

	case behind_a_branch, "yes"
	test %esi,%esi
	jle 1f
1:	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rcx
	mov (%rcx),%rcx
	pop %rbp
	ret

	case frame_given_back, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rsp
	pop %rbp
	ret

	case copy_overwritten, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rcx
	xor %ecx,%ecx
	mov (%rcx),%rcx
	pop %rbp
	ret

	case argument_overwritten, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rdi
	xor %edi,%edi
	call callee
	pop %rbp
	ret

	case compared_only, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rax
	cmp %rdi,%rax
	pop %rbp
	ret

	case argument_on_stack, "no"
	push %rbp
	mov %rsp,%rbp
	mov 16(%rbp),%rax
	mov (%rax),%rax
	pop %rbp
	ret

	case frame_pointer_of_other_register, "yes"
	push %rbx
	mov %rsp,%rbp
	mov 0(%rbp),%rax
	pop %rbx
	ret

	case variable_below_two_registers, "no"
	push %rbp
	push %rbx
	mov %rsp,%rbp
	mov 0(%rbp),%rax
	pop %rbx
	pop %rbp
	ret

	case variable_at_sp, "no"
	push %rbp
	sub $16,%rsp
	mov %rsp,%rbp
	mov 0(%rbp),%rax
	leave
	ret

	case any_register, "no"
	mov %rdi,%rbp
	mov 0(%rbp),%rax
	ret

	function callee
	ret
