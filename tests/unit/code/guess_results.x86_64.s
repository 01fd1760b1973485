# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: a function with a result has one on all paths.
# WANT: as in guess_registers.x86_64.s.
.include "code.inc"

	case result_on_one_path, "p4 v"
	test %esi,%esi
	je 1f
	mov %esi,%eax
	mov %eax,(%rdi)
1:	ret

	# Nothing set it, but it has been written.
	case counter_not_set, "4 ?"
1:	inc %eax
	cmp %edi,%eax
	jne 1b
	ret

	case counter, "4 v"
	test %edi,%edi
	jle 2f
	xor %eax,%eax
1:	inc %eax
	cmp %eax,%edi
	jne 1b
2:	ret

	case double_or_nothing, "x"
	addsd %xmm0,%xmm0
	ret

	case vector_copy, "pp x"
	movups (%rdi),%xmm0
	movups %xmm0,(%rsi)
	ret

	case vector_zero_stored, "p x"
	pxor %xmm0,%xmm0
	movups %xmm0,(%rdi)
	ret

	case long_double, "x"
	fld1
	ret

	case vector_on_one_path, "4p v"
	test %edi,%edi
	je 1f
	pxor %xmm0,%xmm0
	movups %xmm0,(%rsi)
1:	ret

	# It may give back its argument.
	case vector_argument_or_zero, "x"
	ucomisd %xmm1,%xmm0
	jp 1f
	xorps %xmm0,%xmm0
1:	ret

	case tail_call_without_result, "4 v"
	mov %edi,%eax
	jmp nothing

	function nothing
	ret
