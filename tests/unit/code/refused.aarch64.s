/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in refused.x86_64.s. */
/* Instructions that assemblers may not know are numbers. */
.include "code.inc"

	case stp, "no"
	stp x29, x30, [sp, #-32]!

	case nop, "no"
	nop

	case bti, "no"
	bti c

	case ldr, "no"
	ldr x0, [x0]

	case mrs, "no"
	mrs x1, tpidr_el0

	case svc, "any"
	svc #0

	case brk, "any"
	brk #0

	case hlt, "any"
	hlt #0

	case ldxr, "any"
	ldxr x0, [x0]

	case stlxr, "any"
	stlxr w2, w1, [x0]

	case ldar, "no"
	ldar w0, [x0]

	case msr, "any"
	msr tpidr_el0, x0

	case paciasp, "no"
	paciasp

	case pacibsp, "no"
	pacibsp

	case yield, "any"
	yield

	case csdb, "any"
	csdb

	case dmb, "no"
	dmb ish

	/* beside the code */
	case ldr_literal, "any"
	ldr x9, . + 32

	case ldrsw_literal, "any"
	ldrsw x9, . + 32

	case ldr_literal_s, "any"
	ldr s7, . + 32

	case ldr_literal_q, "any"
	ldr q7, . + 32

	case prfm_literal, "any"
	prfm pldl1keep, . + 32

	case adrp, "no"
	.inst 0x90000009 /* adrp x9, . */

	case b_eq, "no"
	b.eq . + 8

	case bc_eq, "any"
	.inst 0x54000050 /* bc.eq . + 8 */

	case cbgt, "any"
	.inst 0x74000020 /* cbgt w0, w0, . + 4 */

	case cbz, "no"
	cbz x0, . + 8

	case ret, "no"
	ret

	case retaa, "any"
	.inst 0xd65f0bff

	case braa, "any"
	.inst 0xd71f0bff /* braa x31, sp */

	case braaz, "any"
	.inst 0xd61f0a1f /* braaz x16 */

	case br, "no"
	br x16

	case retaasppcr, "any"
	.inst 0xd65f0be3 /* retaasppcr x3 */

	case retaasppc, "any"
	.inst 0x5500003f

	case paciasppc, "any"
	.inst 0xdac1a3fe

	case pacnbibsppc, "any"
	.inst 0xdac187fe

	case pacia, "no"
	.inst 0xdac103e0 /* pacia x0, sp */

	/* paciasp after it signs its own place, too */
	case pacm, "any"
	.inst 0xd50324ff

	case cpyp, "any"
	.inst 0x1d010440 /* cpyp [x0]!, [x1]!, x2! */

	case cpyfp, "any"
	.inst 0x19010440 /* cpyfp [x0]!, [x1]!, x2! */

	case setp, "any"
	.inst 0x19c20420 /* setp [x0]!, x1!, x2 */

	case stlurb, "no"
	.inst 0x19000020 /* stlurb w0, [x1] */

	case mrs_daif, "any"
	mrs x0, daif

	case mrs_nzcv, "no"
	mrs x0, nzcv

	case cut_off, "any"
	.byte 0x1f, 0x20, 0x03
