# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in longjmp.x86_64.s.
.include "code.inc"
	.code32

	case itself, "0"
	mov %ecx,%esp
	jmp *%edx
