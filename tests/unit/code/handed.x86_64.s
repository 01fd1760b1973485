# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the function that f hands on, by its address.
.include "code.inc"

	case takes_address, " other+0"
	lea other(%rip),%rdx
	ret

	case calls, "none"
	call f.cold
	ret

	case switches_stack, "none"
	mov %r8,%rsp
	ret

	function other
	mov %r8,%rsp
	jmp *%rdx

	function f.cold
	pop %rax
	ret
