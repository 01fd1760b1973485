# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: is this a mark at which functions begin?  After "before": may a function begin behind it?
.include "code.inc"

	case ret, "before: yes"
	.fill 7, 1, 0x11
	ret

	case jump, "before: yes"
	.fill 3, 1, 0x11
	.byte 0xe9
	.long 0x11111111

	case no_end, "before: no"
	ret
	nop
	.fill 6, 1, 0x11

	case endbr64, "yes"
	endbr64

	case endbr32, "no"
	endbr32
