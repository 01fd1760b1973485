/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: the kind; the target; sp and its change, "frame" if it is of the frame pointer, "lost". */
.include "code.inc"

	case ret, "return"
	ret

	case retaa, "return"
	.inst 0xd65f0bff /* retaa, which old assemblers do not know */

	case br, "indirect"
	br x16

	case blr, "call"
	blr x16

	case b, "jump -4"
	b . - 4

	case bl, "call +16"
	bl . + 16

	case b_hi, "branch +8"
	b.hi . + 8

	case cbz, "branch +8"
	cbz x0, . + 8

	case tbz, "branch -4"
	tbz w0, #0, . - 4

	case brk, "stop"
	brk #0

	case undefined, "stop"
	.inst 0

	case eret, "strange"
	eret

	case stp_pre, "next sp-32"
	stp x29, x30, [sp, #-32]!

	case ldp_post, "next sp+32"
	ldp x29, x30, [sp], #32

	case str_pre, "next sp-16"
	str x30, [sp, #-16]!

	case ldr_post, "next sp+16"
	ldr x30, [sp], #16

	case stp_vectors_pre, "next sp-32"
	stp d8, d9, [sp, #-32]!

	case sub_sp, "next sp-32"
	sub sp, sp, #32

	case add_sp, "next sp+32"
	add sp, sp, #32

	case mov_sp_x29, "next sp frame"
	mov sp, x29

	case sub_sp_register, "next sp lost"
	sub sp, sp, x1

	case str_by_sp, "next"
	str x0, [sp, #24]

	case paciasp, "next"
	paciasp

	case autiasp, "next"
	autiasp

	case bti, "next"
	bti c

	case nop, "next"
	nop

	case mrs, "next"
	mrs x1, tpidr_el0

	case b_ne, "branch +8"
	b.ne . + 8
