/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: r and bytes of each register that it reads, * if that points; w what it writes; = */
/* bytes of the result; rv and wv vectors; then the flow and its target. */
.include "code.inc"

	case ldr_indexed, "r1:8* r2:8 w0 =8"
	ldr x0, [x1, x2, lsl #3]

	case str, "r0:8* r2:4"
	str w2, [x0, #4]

	case ldrsw_post, "r1:8* w0 w1 =8"
	ldrsw x0, [x1], #4

	case prfm, "r0:8*"
	prfm pldl1keep, [x0]

	case swp, "r0:8* r1:8 w2"
	.inst 0xf8218002 /* swp x1, x2, [x0], of ARMv8.1 */

	case ldp, "r1:8* w0 w1 =4"
	ldp w0, w1, [x1]

	case stp_of_variadic, "variadic"
	stp x6, x7, [sp, #64]

	case str_of_variadic, "variadic"
	str x7, [sp, #24]

	case add, "r1:4 r2:4 w0 =4"
	add w0, w1, w2

	case sxtw, "r1:4 w0 =8"
	sxtw x0, w1

	case lsl, "r1:8 w0 =8"
	lsl x0, x1, #3

	case madd, "r1:8 r2:8 r3:8 w0 =8"
	madd x0, x1, x2, x3

	case smull, "r1:4 r2:4 w0 =8"
	smull x0, w1, w2

	case add_extended, "r1:8 w0 =8"
	add x0, x1, w1, sxtw

	case cset, "w0 =4"
	cset w0, eq

	case movk, "r1:8 w1"
	movk x1, #1

	case fmov_to_vector, "r2:8 wv"
	fmov d0, x2

	case fcvtzs, "w0 =4 rv"
	.inst 0x1e780000 /* fcvtzs w0, d0 */

	case fmov_from_first, "rv"
	fmov d8, d0

	case fadd_first, "rv wv"
	fadd d0, d0, d2

	case fadd_second, "rv wv"
	fadd d0, d1, d0

	case fmadd, "rv"
	fmadd d1, d2, d0, d0

	/* Register 0 stands for the number. */
	case fcmp_with_zero, ""
	fcmp d8, #0.0

	case fmov_number, "wv"
	fmov d0, #1.0

	case movi, "wv"
	movi v0.2d, #0

	case str_vector, "rv"
	str d0, [sp, #8]

	case ldr_vector, "wv"
	ldr d0, [sp, #8]

	case stp_vectors, "rv"
	stp d0, d1, [sp, #16]

	case cbz, "r3:8 branch +16"
	cbz x3, . + 16

	case tbnz, "r0:4 branch +8"
	tbnz w0, #3, . + 8

	case bl, "call +8"
	bl . + 8

	case b, "jump -4"
	b . - 4

	case b_eq, "branch +8"
	b.eq . + 8

	case ret, "return"
	ret

	case br, "r1:8 jump"
	br x1

	case blr, "r2:8 call"
	blr x2

	case brk, "stop"
	brk #1

	case nop, ""
	nop
