# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: code that gets to f+1 ... f+4 but through f: near, by a short jump or a jump of f;
# far; no; refuted: near if no disassembler shows that it is a number.
.include "code.inc"

# Each case is a program of 0x180 bytes, of nops but for what stands at these places.
# f is at 0x40, or 1: in the code, and ends at 0x60; another function ends before it.
.macro at place
	.org 9b + \place, 0x90
.endm

.macro begin
9:
.endm

.macro f
	at 0x40
1:	endbr64
	push %rbp
.endm

	case ret, "no"
	begin
	f
	at 0x50
	ret
	at 0x180

	case jmp_f, "no"
	begin
	f
	at 0x50
	jmp 1b
	at 0x180

	case jmp, "near"
	begin
	f
	at 0x50
	jmp 1b + 4
	at 0x180

	case jne, "near"
	begin
	f
	at 0x50
	jne 1b + 4
	at 0x180

	case loop, "near"
	begin
	f
	at 0x50
	loop 1b + 4
	at 0x180

	case jrcxz, "near"
	begin
	f
	at 0x50
	jrcxz 1b + 4
	at 0x180

	case jne_into_mark, "near"
	begin
	f
	at 0x50
	jne 1b + 1
	at 0x180

	case jne_behind, "no"
	begin
	f
	at 0x50
	jne 1b + 5
	at 0x180

	# eb f1 is jmp f+4
	case number, "refuted"
	begin
	f
	at 0x50
	mov $0xf1eb,%eax
	at 0x180

	case jmp_long_form, "far"
	begin
	f
	at 0x50
	.byte 0xe9
	.long 1b + 4 - . - 4
	at 0x180

	case jmp_from_far, "far"
	begin
	f
	at 0x100
	jmp 1b + 4
	at 0x180

	case call_from_far, "far"
	begin
	f
	at 0x100
	call 1b + 4
	at 0x180

	case je_from_far, "far"
	begin
	f
	at 0x100
	je 1b + 4
	at 0x180

	case xbegin_from_far, "far"
	begin
	f
	at 0x100
	xbegin 1b + 4
	at 0x180

	case lea_from_far, "far"
	begin
	f
	at 0x100
	lea 1b + 4(%rip),%rax
	at 0x180

	case jmp_f_from_far, "no"
	begin
	f
	at 0x100
	jmp 1b
	at 0x180

	# $f+4
	case address, "far"
	begin
	f
	at 0x100
	mov $0x10001044,%edi
	at 0x180

	case address_in_data, "far"
	begin
	f
	at 0x100
	.quad 0x10001044
	at 0x180

	case address_of_f_in_data, "no"
	begin
	f
	at 0x100
	.quad 0x10001040
	at 0x180

	case jmp_from_before, "near"
	begin
	at 0x20
	jmp 1f + 4
	f
	at 0x180

	# eb 21 is jmp f+4
	case number_before, "refuted"
	begin
	at 0x20
	mov $0x21eb,%eax
	f
	at 0x180

	case jmp_from_behind, "near"
	begin
	f
	at 0x68
	jmp 1b + 4
	at 0x180

	# In no function: it may be data before a jump.
	case number_behind, "near"
	begin
	f
	at 0x68
	mov $0xd9eb,%eax
	at 0x180

	case jmp_by_register, "near"
	begin
	f
	at 0x50
	jmp *%rax
	at 0x180

	case jmp_by_register_notrack, "near"
	begin
	f
	at 0x50
	notrack jmp *%rdx
	at 0x180

	case jmp_by_table, "near"
	begin
	f
	at 0x50
	jmp *0x10000000(,%rax,8)
	at 0x180

	case jmp_by_slot, "no"
	begin
	f
	at 0x50
	jmp *0x1000(%rip)
	at 0x180

	case call_by_slot, "no"
	begin
	f
	at 0x50
	call *0x1000(%rip)
	at 0x180

	case call_by_register, "no"
	begin
	f
	at 0x50
	call *%rax
	at 0x180

	# ff e0 is jmp *%rax
	case number_of_jmp_by_register, "refuted"
	begin
	f
	at 0x50
	mov $0xe0ff,%eax
	at 0x180

	case jmp_by_register_of_other, "no"
	begin
	f
	at 0x70
	jmp *%rax
	at 0x180

	# Behind it the decoder would see no jump to f+4.
	case into_an_instruction, "near"
	begin
	f
	at 0x48
	jmp 2f
	.byte 0xb8
2:	jmp *%rax
	nop
	nop
	at 0x180

	case number_before_no_instruction, "near"
	begin
	f
	at 0x50
	mov $0x0006e0ff,%eax
	.byte 0x06
	at 0x180
