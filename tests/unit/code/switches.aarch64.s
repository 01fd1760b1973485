/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in switches.x86_64.s. */
.include "code.inc"

	case to_argument, "yes"
	mov x9, sp
	str x9, [x0]
	mov sp, x1
	ret

	case from_memory, "yes"
	ldr x9, [x1]
	mov sp, x9
	ret

	case by_difference, "yes"
	mov x9, sp
	sub x1, x1, x9
	add sp, sp, x1
	ret

	case from_pair, "yes"
	stp x29, x30, [sp, #-16]!
	mov x29, sp
	ldp x10, x11, [x1]
	mov sp, x11
	ret

	case by_frame_pointer, "yes"
	mov x29, x1
	mov sp, x29
	ret

	case by_copy_of_own, "no"
	stp x29, x30, [sp, #-16]!
	mov x29, sp
	mov x9, sp
	mov sp, x9
	ret

	case from_frame_pointer, "no"
	stp x29, x30, [sp, #-16]!
	mov x29, sp
	mov sp, x29
	ret

	case array_of_variable_length, "no"
	add x0, x0, #15
	and x0, x0, #-16
	sub sp, sp, x0
	ret

	case room_of_a_number, "no"
	mov x12, #0x10000000
	add sp, sp, x12
	ret
