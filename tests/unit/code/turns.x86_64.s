# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if the code has coroutines of setjmp and longjmp: it jumps after the first return alone.
.include "code.inc"

	case first_return_jumps, "yes"
	call _setjmp
	test %eax,%eax
	jne 1f
	call longjmp
1:	ret

	# An exception is thrown on.
	case second_return_jumps, "no"
	call _setjmp
	test %eax,%eax
	je 1f
	call longjmp
1:	ret

	case first_return_jumps_by_cmp, "yes"
	call _setjmp
	cmp $0,%eax
	je 1f
	ret
1:	call longjmp

	case second_return_jumps_by_cmp, "no"
	call _setjmp
	cmp $0,%eax
	jne 1f
	ret
1:	call longjmp

	case question_not_seen, "yes"
	call _setjmp
	mov %eax,%ebx
	test %ebx,%ebx
	je 1f
	call longjmp
1:	ret

	case calls_another_first, "no"
	call _setjmp
	test %eax,%eax
	jne 1f
	call g
	call longjmp
1:	ret

	function g
	nop

	function longjmp
	nop

	function _setjmp
	nop
