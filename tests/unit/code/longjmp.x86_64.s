# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: by which function longjmp leaves: 0 is the case itself.
.include "code.inc"

	# musl: longjmp is all of it.
	case itself, "0"
	mov %r8,%rsp
	jmp *%rdx

	# glibc
	case by_call, " other+0"
	call other

	case by_second_call, " other+0"
	push %rbp
	call f.cold			# this one returns
	call other

	case by_either_call, " other+0"
	je 1f
	call other
1:	call other

	case by_call_that_returns, "none"
	call f.cold

	case tail_call_by_pointer, "none"
	jmp *%rdx

	case returns, "none"
	ret

	case may_return, "none"
	je 1f
	ret
1:	mov %r8,%rsp
	jmp *%rdx

	function other
	mov %r8,%rsp
	jmp *%rdx

	function f.cold
	pop %rax
	ret
