# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: do callers of callee ignore its result, read it, read a vector register, or unknown?
.include "code.inc"

	case xor, "ignore"
	call callee
	xor %eax,%eax
	ret

	case or_minus_one, "ignore"
	call callee
	or $-1,%eax
	ret

	case mov, "read"
	call callee
	mov %rax,%rbx
	ret

	# It is to make room, or not.
	case push, "unknown"
	call callee
	push %rax
	ret

	case xor_and_vector, "real"
	call callee
	xor %eax,%eax
	movsd %xmm0,(%rsp)
	ret

	case xor_both, "ignore"
	call callee
	xor %eax,%eax
	xorps %xmm0,%xmm0
	movsd %xmm0,(%rsp)
	ret

	case set_bytes, "ignore"
	call callee
	sete %al
	setne %dl
	or %edx,%eax
	movzbl %al,%eax
	ret

	# gcc knows that the second call does not change the register.
	case behind_a_call_that_keeps_it, "read"
	call callee
	call nothing
	add %eax,%ecx
	ret

	case no_call, "unknown"
	ret

	# Its own callers are not all known.
	case tail_call, "unknown"
	jmp callee

	case tail_call_and_its_caller, "read"
1:	jmp callee
	call 1b
	mov %rax,%rbx
	ret

	function callee
	mov (%rsi),%rax
	ret

	function nothing
	ret
