/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WANT: as in longjmp.x86_64.s. */
.include "code.inc"

	case itself, "0"
	mov sp, x5
	br x30

	case tail_call_by_pointer, "none"
	br x30
