# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in nops_refused.x86_64.s.
.include "code.inc"

	case nop5, "no, no, no"
	.byte 0x0f, 0x1f, 0x44, 0, 0
	nop
