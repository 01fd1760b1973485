# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if a function named clone may be the C library's.
.include "code.inc"

	case asks_the_kernel, "yes"
	nop
	nop
	nop
	syscall

	case own_function, "no"
	nop
	nop
	nop

	function vfork
	nop

	function setjmp
	nop
