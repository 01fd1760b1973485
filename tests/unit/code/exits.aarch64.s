/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in exits.x86_64.s. */
.include "code.inc"

	case return, "r0"
	ret

	case tail_call, "j0"
	b other

	case frame, "r8"
	stp x29, x30, [sp, #-16]!
	ldp x29, x30, [sp], #16
	ret

	case return_without_pop, "it is left with"
	stp x29, x30, [sp, #-16]!
	ret

	case compare_and_branch, "r4 r8"
	cbz x0, 1f
	ret
1:	ret

	case compare_and_tail_call, "a conditional jump exits it"
	cbz x0, other
	ret

	case tail_call_frame_given_back, "j8"
	stp x29, x30, [sp, #-16]!
	ldp x29, x30, [sp], #16
	b other

	case tail_call_without_pop, "it jumps out with"
	stp x29, x30, [sp, #-16]!
	b other

	/* From the entry, as if it were a call. */
	case jump_to_itself, "j0"
1:	b 1b

	case branch, "r4 r12"
	b.eq 1f
	ret
	ret
1:	ret

	case conditional_tail_call, "a conditional jump exits it"
	b.eq other
	ret

	case test_and_tail_call, "a conditional jump exits it"
	tbz w0, #0, other
	ret

	case landing_pad, "r4"
	bti c
	ret

	case signed_return, "r16"
	paciasp
	stp x29, x30, [sp, #-16]!
	ldp x29, x30, [sp], #16
	autiasp
	ret

	case jump_by_register, "j0"
	br x1

	case jump_by_register_without_pop, "it jumps to where"
	stp x29, x30, [sp, #-16]!
	br x1

	case call_by_register, "r4"
	blr x1
	ret

	case room_on_stack, "r8"
	sub sp, sp, #32
	add sp, sp, #32
	ret

	case frame_pointer, "r16"
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	mov sp, x29
	ldp x29, x30, [sp], #32
	ret

	case breakpoint, ""
	brk #1

	case retab, "it is left by an instruction"
	.inst 0xd65f0fff	/* retab, which old assemblers do not know */

	/* The kernel refuses probes there. */
	case retaa, "it is left by an instruction"
	.inst 0xd65f0bff

	function other
	nop
