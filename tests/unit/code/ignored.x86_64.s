# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if all callers of callee ignore its result; none if there is no caller.
.include "code.inc"

	case mov_number, "yes"
	call callee
	mov $1,%eax
	ret

	case test, "no"
	call callee
	test %eax,%eax
	ret

	case return, "no"
	call callee
	ret

	case second_call_read, "no"
	call callee
	xor %eax,%eax
	call callee
	movslq %eax,%rbx
	ret

	case read_on_one_path, "no"
	call callee
	test %ebx,%ebx
	je 1f
	xor %eax,%eax
	ret
1:	mov %eax,%ebx
	ret

	case ignored_on_both_paths, "yes"
	call callee
	test %ebx,%ebx
	je 1f
	xor %eax,%eax
	ret
1:	xor %eax,%eax
	ret

	case endless_loop, "no"
	call callee
1:	jmp 1b

	case mov_byte, "no"
	call callee
	mov $1,%al
	ret

	case tail_call_too, "no"
	call callee
	xor %eax,%eax
	jmp callee

	case no_call, "none"
	ret

	function callee
	mov (%rsi),%rax
	ret
