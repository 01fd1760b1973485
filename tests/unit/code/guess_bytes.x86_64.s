# SPDX-License-Identifier: GPL-2.0-or-later
# Guesses: a result of one byte: its upper bytes say nothing.
# WANT: as in guess_registers.x86_64.s.
.include "code.inc"

	case set_byte, "4 1"
	test %edi,%edi
	setg %al
	ret

	case xor_and_set_byte, "4 4"
	xor %eax,%eax
	test %edi,%edi
	setg %al
	ret

	case mov_and_set_byte, "44 4"
	mov $0,%eax
	cmp %esi,%edi
	setg %al
	ret

	case set_byte_or_xor, "4 1"
	test %edi,%edi
	jle 1f
	sete %al
	ret
1:	xor %eax,%eax
	ret

	case second_byte, "p 4"
	mov (%rdi),%eax
	test %eax,%eax
	or $1,%ah
	ret

	case set_byte_and_extend, "p 4"
	mov (%rdi),%eax
	test %eax,%eax
	sete %al
	movzbl %al,%eax
	ret
