/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in errno.x86_64.s. */
.include "code.inc"

	/* 2.36 */
	case glibc, "slot 0x19fdc0"
	.inst 0x90000bc0 /* adrp x0, . + 0x178000 */
	ldr x0, [x0, #3520]
	mrs x1, tpidr_el0
	add x0, x1, x0
	ret

	case glibc_static, "offset 40"
	movz x0, #0, lsl #16
	movk x0, #0x28
	mrs x1, tpidr_el0
	add x0, x1, x0
	ret

	case musl, "offset -164"
	mrs x0, tpidr_el0
	sub x0, x0, #0xa4
	ret

	case two_additions, "offset 4112"
	bti c
	mrs x0, tpidr_el0
	add x0, x0, #1, lsl #12
	add x0, x0, #16
	ret

	case load_from_thread_pointer, "refused"
	mrs x0, tpidr_el0
	ldr x0, [x0, #3520]
	ret

	case no_thread_pointer, "refused"
	.inst 0x90000bc0 /* adrp x0, . + 0x178000 */
	ldr x0, [x0, #3520]
	ret
