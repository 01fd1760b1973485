/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As go_spills.x86_64.s. */
.include "code.inc"

	case string_slice_numbers, ""
	stp x0, x1, [sp, #8]
	stp x2, x3, [sp, #24]
	str x4, [sp, #40]
	strb w5, [sp, #48]
	strh w6, [sp, #50]
	strb w7, [sp, #52]
	mov x3, x30

	case float_int_float32s, ""
	str d0, [sp, #8]
	str x0, [sp, #16]
	stp s1, s2, [sp, #24]
	mov x3, x30

	case none, ""
	mov x3, x30

	case other_order, ""
	stp x1, x0, [sp, #8]
	mov x3, x30

	case below_sp, ""
	stp x0, x1, [sp, #-8]
	mov x3, x30

	case other_base, ""
	stp x0, x1, [x20, #8]
	mov x3, x30

	case load, ""
	ldp x0, x1, [sp, #8]
	mov x3, x30

	case vectors, ""
	stp q0, q1, [sp, #16]
	mov x3, x30

	case nop_before_end, ""
	stp x0, x1, [sp, #8]
	nop
	mov x3, x30
