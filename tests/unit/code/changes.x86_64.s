# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: by their numbers, the register that it names first, and the other one that it takes; - none.
.include "code.inc"

	case add, "4 6"
	add %rsi,%rsp

	case or, "4 6"
	or %rsi,%rsp

	case sub, "4 0"
	sub %rax,%rsp

	case xor, "6 7"
	xor %rdi,%rsi

	case and, "4 -"
	and %rsi,%rsp

	case cmp, "4 -"
	cmp %rsi,%rsp

	case mov, "4 -"
	mov %rsi,%rsp

	case add_number, "4 -"
	add $8,%rsp
