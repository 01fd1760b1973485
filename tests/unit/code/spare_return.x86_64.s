# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the byte c3 inside one of the first instructions of a function, by its distance from there.
.include "code.inc"

	case first, "+1"
	mov $0xc3,%eax
	ret

	case jump, "+2"
	.byte 0xe9, 0, 0xc3, 0, 0

	case load, "+3"
	mov 0xc3(%rip),%rax
	ret

	case third, "+8"
	xor %eax,%eax
	mov %rdi,%rcx
	or $0xc300,%esi
	ret

	case ret_alone, "none"
	ret

	case behind_push, "none"
	push %rbx
	mov $0xc3,%eax

	case behind_sub, "none"
	sub $8,%rsp
	mov $0xc3,%eax

	case behind_jump, "none"
	jmp 1f
1:	mov $0xc3,%eax

	case behind_call, "none"
	call 1f
1:	mov $0xc3,%eax

	case no_instruction, "none"
	.byte 0x06, 0xc3
