# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in exits.x86_64.s.
.include "code.inc"
	.code32

	case return_thunk_in_line, "r2"
	push %eax
	pop %eax
	call 2f
1:	pause
	lfence
	jmp 1b
2:	lea 4(%esp),%esp
	ret

	case frame, "r4"
	push %ebp
	mov %esp,%ebp
	pop %ebp
	ret

	case own_address, "r6"
	call 1f
1:	pop %eax
	ret

	case ret_number, "r0"
	ret $4

	case leave_ret_number, "r7"
	push %ebp
	mov %esp,%ebp
	sub $8,%esp
	leave
	ret $4

	case saved_register, "r8"
	push %ebx
	sub $8,%esp
	add $8,%esp
	pop %ebx
	ret

	case ret_without_pop, "it is left with"
	push %ebx
	sub $8,%esp
	add $8,%esp
	ret

	case tail_call, "j0"
	jmp other

	case tail_call_without_pop, "it jumps out with"
	push %ebx
	jmp other

	case conditional_tail_call, "c0 r6"
	je other
	ret

	case jump_by_register_frame_given_back, "j2"
	push %ebx
	pop %ebx
	jmp *%eax

	case jump_by_register, "it jumps to where"
	jmp *%eax

	case nop_behind_branch, "r2 r4*"
	je 1f
	ret
1:	nop
	ret

far_away:
	.fill 256, 1, 0x90

	function other
	nop
