# SPDX-License-Identifier: GPL-2.0-or-later
# Go before runtime.morestack: the registers of the arguments are stored, as Go 1.24 does.
# test_abi_go.c has the descriptions of the arguments.
.include "code.inc"

	case string_slice_numbers, ""
	mov %rax,8(%rsp)
	mov %rbx,16(%rsp)
	mov %rcx,24(%rsp)
	mov %rdi,32(%rsp)
	mov %rsi,40(%rsp)
	mov %r8b,48(%rsp)
	mov %r9w,50(%rsp)
	mov %r10b,52(%rsp)
	nopl 0(%rax)
	call morestack

	case float_int_float32, ""
	movsd %xmm0,8(%rsp)
	mov %rax,16(%rsp)
	movss %xmm1,24(%rsp)
	call morestack

	case three_ints, ""
	mov %rax,32(%rsp)
	mov %rbx,40(%rsp)
	.byte 0x48, 0x89, 0x8c, 0x24, 0x30, 0, 0, 0 # mov %rcx,48(%rsp), the long form
	call morestack

	case int32_int, ""
	mov %eax,8(%rsp)
	mov %rbx,16(%rsp)
	call morestack

	case two_ints, ""
	mov %rax,8(%rsp)
	mov %rbx,16(%rsp)
	call morestack

	case three_ints_bool, ""
	mov %rax,8(%rsp)
	mov %rbx,16(%rsp)
	mov %rcx,24(%rsp)
	mov %dil,32(%rsp)
	call morestack

	case none, ""
	call morestack

	case one_int, ""
	mov %rax,8(%rsp)
	call morestack

	case second_register, ""
	mov %rbx,16(%rsp)
	call morestack

	case without_call, ""
	mov %rax,8(%rsp)
	ret

	function morestack
	ret
