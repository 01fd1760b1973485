# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if it pushes.
.include "code.inc"
	.code32

	case call, "yes"
	call far

	case call_by_register, "yes"
	call *%eax

	case call_notrack, "yes"
	notrack call *%eax

	case push, "yes"
	push %ebp

	case endbr32, "no"
	endbr32

	case ret, "no"
	ret

	case jmp_by_register, "no"
	jmp *%eax

	case sub_sp, "no"
	sub $12,%esp

	case prefix, "no"
	.byte 0x66

	function far
	ret
