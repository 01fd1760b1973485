/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: how it loads the stack pointer; the operation, to which register, from which. */
.include "code.inc"

	case mov_sp_x1, "strange copy 31 1"
	mov sp, x1

	case add_sp_x1, "strange plus 31 1"
	add sp, x1, #16

	case mov_sp_sp, "not copy 31 31"
	mov sp, sp

	case mov_sp_x29, "compilers copy 31 29"
	mov sp, x29

	case sub_sp_x0, "size other 31 31"
	sub sp, sp, x0

	case add_sp_x1_to_sp, "sum other 31 31"
	add sp, sp, x1

	case and_sp, "strange copy 31 1"
	and sp, x1, #-16

	case and_x0, "not mask 0 1"
	and x0, x1, #-16

	case mov_x9_x1, "not copy 9 1"
	mov x9, x1

	case ldr, "not load 9 -"
	ldr x9, [x1]

	case str, "not store - 9"
	str x9, [x0]

	case stp, "not store - 29"
	stp x29, x30, [sp, #-16]!

	case ldp, "not load 29 -"
	ldp x29, x30, [sp], #16

	case ldr_indexed, "not load 9 -"
	ldr x9, [x0, x1, lsl #3]

	case orr_number, "not mask 9 -"
	orr x9, xzr, #1

	case mov_number, "not other 12 -"
	mov x12, #0x100000
