# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if the code changes stacks by itself; compilers' arrays of variable length do not.
.include "code.inc"

	case to_second_argument, "yes"
	push %rbp
	mov %rsp,(%rdi)
	mov %rsi,%rsp
	pop %rbp
	ret

	case to_first_argument, "yes"
	mov %rdi,%rsp
	ret

	case from_memory, "yes"
	mov 8(%rdi),%rsp
	ret

	case from_own_memory, "yes"
	mov 0x100(%rip),%rsp
	ret

	case exchange, "yes"
	xchg %rsp,%rax
	ret

	case with_frame_pointer, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rsp,(%rdi)
	mov %rsi,%rsp
	pop %rbp
	ret

	case by_frame_and_register, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rdi,-8(%rbp)
	mov -8(%rbp),%rax
	mov %rax,%rsp
	leave
	ret

	case by_frame, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rdi,-8(%rbp)
	mov -8(%rbp),%rsp
	leave
	ret

	case to_result, "yes"
	push %rbp
	mov %rsp,%rbp
	call callee
	mov %rax,%rsp
	leave
	ret

	case by_lea, "yes"
	push %rbp
	mov %rsp,%rbp
	mov (%rdi),%rax
	lea (%rax),%rsp
	leave
	ret

	case exchange_with_memory, "yes"
	xchg %rsp,(%rdi)
	ret

	case by_copy, "yes"
	push %rbp
	mov %rsp,%rbp
	mov %rsi,%rdx
	mov %rsp,(%rdi)
	mov %rdx,%rsp
	leave
	ret

	case by_frame_pointer, "yes"
	push %rbp
	mov %rsi,%rbp
	mov %rsp,(%rdi)
	mov %rbp,%rsp
	ret

	case conditional, "yes"
	cmovne %rsi,%rsp
	ret

	case exchange_and_add, "yes"
	xadd %rax,%rsp
	ret

	case by_difference, "yes"
	sub %rsp,%rsi
	add %rsi,%rsp
	ret

	case by_difference_and_lea, "yes"
	sub %rsp,%rsi
	lea (%rsp,%rsi),%rsp
	ret

	case by_difference_to_subtract, "yes"
	mov %rsp,%rax
	sub %rsi,%rax
	sub %rax,%rsp
	ret

	case by_or, "yes"
	xor %esp,%esp
	or %rsi,%rsp
	ret

	case by_pop, "yes"
	push %rsi
	pop %rsp
	ret

	case by_push_and_mov, "yes"
	push %rsi
	mov (%rsp),%rsp
	ret

	case by_leave, "yes"
	lea -8(%rsi),%rbp
	leave
	ret

	case by_one_register_for_both, "yes"
	mov %rsp,%rax
	mov %rax,(%rdi)
	mov %rsi,%rax
	mov %rax,%rsp
	ret

	case room_of_a_size, "no"
	sub %rax,%rsp
	ret

	case array_of_variable_length, "no"
	push %rbp
	mov %rsp,%rbp
	lea 15(%rdi),%rax
	and $-16,%rax
	sub %rax,%rsp
	leave
	ret

	# %rax is the size.
	case rust_stack_probe, "no"
	mov %rax,%r11
	sub $0x1000,%r11
	sub %r11,%rsp
	add %rax,%rsp
	ret

	case openssl_around_a_cache, "no"
	mov $0xf80,%r15
	and %rsp,%r15
	sub %r14,%r15
	sub %r15,%rsp

	case bytes_of_pop_in_mov, "no"
	mov 0x5c(%rax),%eax
	ret

	case bytes_of_pop_of_r12, "no"
	pop %r12
	ret

	case frame_pointer_without_leave, "no"
	mov (%rdi),%rbp
	xor %ecx,%ecx
	pop %rbx
	ret

	case read_only, "no"
	add %rsp,%rsi
	xor %rsp,%rdx
	cmovne %rsp,%rax
	ret

	case add_by_lea, "no"
	lea 8(%rsp),%rsp
	ret

	case clang_array, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rsp,%rax
	mov %rax,-8(%rbp)
	mov -8(%rbp),%rax
	mov %rax,%rsp
	leave
	ret

	case stored_behind_its_load, "no"
	push %rbp
	mov %rsp,%rbp
	jmp 2f
1:	mov -8(%rbp),%rsp
2:	mov %rsp,-8(%rbp)
	jmp 1b

	case by_register_across_call, "no"
	mov %rsp,%r10
	call callee
	lea (%r10),%rsp
	ret

	case from_frame_pointer, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rbp,%rsp
	pop %rbp
	ret

	case from_frame, "no"
	push %rbp
	mov %rsp,%rbp
	mov -8(%rbp),%rsp
	pop %rbp
	ret

	case from_unknown_register, "no"
	push %rbp
	mov %rsp,%rbp
	mov %rax,%rsp
	pop %rbp
	ret

	case by_register_across_push, "no"
	mov %rsp,%r14
	push $0
	mov %r14,%rsp
	ret

	case from_own_stack, "no"
	mov 8(%rsp),%rsp
	ret

	# mov %rsi,%rsp is inside.
	case bytes_in_a_number, "no"
	mov $0xf48948,%eax
	ret

	function callee
	ret
