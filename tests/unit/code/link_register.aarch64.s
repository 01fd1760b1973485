/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: keeps, if it keeps its return address in a register; no. */
.include "code.inc"

	case in_x10, "keeps"
	mov x10, x30
	bl . + 16
	ret x10

	case handed_to_mcount, "no"
	stp x29, x30, [sp, #-16]!
	mov x0, x30
	bl . + 16

	case on_stack, "no"
	str x30, [sp, #-16]!
	mov x0, x30

	case on_lower_stack, "no"
	sub sp, sp, #32
	str x30, [sp, #16]
	mov x0, x30

	case stored_elsewhere, "keeps"
	mov x10, x30
	str x30, [x0]

	/* Go: it has x3 to get more stack. */
	case go_more_stack, "no"
	sub x20, sp, x27
	stp x29, x30, [x20, #-8]
	mov sp, x20
	mov x3, x30

	/* Go up to 1.16 */
	case go_1_16, "no"
	str x30, [x27]
	mov sp, x27
	mov x3, x30

	case go_other_register, "keeps"
	stp x29, x30, [x20, #-8]
	mov sp, x27
	mov x3, x30

	case frame_pointer_and_cut_off, "no"
	mov x10, x29
	.byte 0xea, 0x03, 0x1e
