# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in refused.x86_64.s.
.include "code.inc"
	.code32

	case push, "no"
	push %ebp

	case inc_pushf, "no"
	inc %eax
	pushf

	case pusha, "no"
	pusha

	case lds, "no"
	lds (%esi),%eax
	nop

	case vpxor, "any"
	vpxor %xmm0,%xmm0,%xmm0

	case int, "any"
	int $0x80

	case sysenter, "any"
	sysenter
