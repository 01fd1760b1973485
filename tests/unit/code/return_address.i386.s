# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in return_address.x86_64.s.
.include "code.inc"
	.code32

	case by_sp, "reads"
	mov (%esp),%eax
	ret

	case argument, "not"
	mov 4(%esp),%eax
	ret
