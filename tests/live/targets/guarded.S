/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aarch64 in pages that are guarded (BTI): each function begins with another instruction that the kernel steps or simulates, is
 * called three times through a register where it may be, and its results are checked.  Ends with 0 where all were right.
 */
	.arch armv8.5-a
	.text
	.macro function name
	.p2align 4
	.type \name, %function
\name:
	.endm
	.macro done name
	.size \name, . - \name
	.endm

	/* call FUNCTION, ADDS: by blr, so that a landing is checked; \adds is what it adds to its argument */
	.macro landing name, adds
	mov w0, w19
	adr x9, \name
	blr x9
	sub w0, w0, w19
	cmp w0, #\adds
	b.ne wrong
	.endm
	.macro direct name, adds
	mov w0, w19
	bl \name
	sub w0, w0, w19
	cmp w0, #\adds
	b.ne wrong
	.endm

	.globl _start
	function _start
	mov w19, #1
1:	landing by_bti, 1
	landing by_signature, 2
	direct by_page, 3
	direct by_branch, 4
	direct by_zero, 5
	direct by_bit, 6
	direct by_register, 7
	direct by_literal, 8
	direct by_exclusive, 9
	add w19, w19, #1
	cmp w19, #4
	b.ne 1b
	mov x0, #0
	b 2f
wrong:	mov x0, #1
2:	mov x8, #93
	svc #0
	done _start

	function by_bti
	bti c
	add w0, w0, #1
	ret
	done by_bti

	function by_signature
	paciasp
	stp x29, x30, [sp, #-16]!
	adr x9, by_bti
	blr x9
	add w0, w0, #1
	ldp x29, x30, [sp], #16
	autiasp
	ret
	done by_signature

	function by_page
	adrp x9, three
	ldr w9, [x9, :lo12:three]
	add w0, w0, w9
	ret
	done by_page

	function by_branch
	b four_more
	done by_branch

	function by_zero
	cbz w0, wrong
	add w0, w0, #5
	ret
	done by_zero

	function by_bit
	tbnz w0, #31, wrong
	add w0, w0, #6
	ret
	done by_bit

	/* The return address in a register, and the same stack pointer in what is called. */
	function by_register
	mov x10, x30
	bl four_more
	add w0, w0, #3
	ret x10
	done by_register

	function four_more
	add w0, w0, #4
	ret
	done four_more

	function by_literal
	ldr w9, eight
	add w0, w0, w9
	ret
eight:	.word 8
	done by_literal

	function by_exclusive
	ldxr w10, [sp]
	stxr w9, w10, [sp]
	cbnz w9, by_exclusive
	add w0, w0, #9
	ret
	done by_exclusive

	.section .rodata
three:	.word 3

	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI and PAC */
	.section .note.gnu.property, "a", %note
	.p2align 3
	.word 4, 16, 5
	.asciz "GNU"
	.word 0xc0000000, 4, 3, 0
	.section .note.GNU-stack, "", %progbits
