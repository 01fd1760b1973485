# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in errno.x86_64.s.
.include "code.inc"
	.code32

	case musl, "refused"
	mov %gs:0,%eax
	add $-32,%eax
	ret
