/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in addresses.x86_64.s. */
.include "code.inc"

	case two_pages, "0x406800"
	.inst 0xb0000021 /* adrp x1, . + 5 pages */
	.inst 0xf0ffffe0 /* adrp x0, . - 1 page */
	add x1, x1, #0x800
	add x0, x0, #0x6c0

	case second_page, "0x4006c0"
	.inst 0xf0ffffe0 /* adrp x0, . - 1 page */
	add x1, x1, #0x800
	add x0, x0, #0x6c0

	case other_register, "none"
	.inst 0xf0ffffe0 /* adrp x0, . - 1 page */
	add x1, x1, #0x800

	case adrp_alone, "none"
	.inst 0xf0ffffe0 /* adrp x0, . - 1 page */

	case adr, "0x400ffe"
	adr x2, . - 2

	case cut_off, "none"
	.byte 0x02, 0x00, 0x00

	case add_alone, "none"
	add x0, x0, #0x6c0
