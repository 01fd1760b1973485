# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in beginnings.x86_64.s.
.include "code.inc"

	case ret, "before: yes"
	.inst 0x11111111
	ret

	case retab, "before: yes"
	.inst 0x11111111
	.inst 0xd65f0fff

	case zeros, "before: yes"
	.inst 0x11111111
	.inst 0

	case branch, "before: yes"
	.inst 0x11111111
	.inst 0x17000001 // b

	case call, "before: no"
	ret
	.inst 0x97000001 // bl

	case bti_c, "yes"
	hint #34

	case paciasp, "yes"
	hint #25

	case nop, "no"
	nop
