# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if f calls itself.
.include "code.inc"

# Each case is a program of four functions of 32 bytes, f, g, h and i; all else is nops.
.macro at place
	.org 9b + \place, 0x90
.endm

.macro begin
9:
.endm

# As long as jumps to other functions are.
.macro long_jmp place
	.byte 0xe9
	.long \place - . - 4
.endm

.macro long_jne place
	.byte 0x0f, 0x85
	.long \place - . - 4
.endm

	case call_f, "yes"
	begin
	at 4
	call 9b	# f
	at 128

	case jmp_f, "yes"
	begin
	at 4
	long_jmp "9b"	# f
	at 128

	case jne_f, "yes"
	begin
	at 4
	long_jne "9b"	# f
	at 128

	case by_g, "yes"
	begin
	at 4
	call 9b + 0x20	# g
	at 36
	call 9b	# f
	at 128

	case by_g_and_h, "yes"
	begin
	at 4
	call 9b + 0x20	# g
	at 36
	call 9b + 0x40	# h
	at 68
	long_jmp "9b"	# f
	at 128

	case g_calls_itself_too, "yes"
	begin
	at 4
	call 9b	# f
	at 12
	call 9b + 0x20	# g
	at 36
	call 9b + 0x20	# g
	at 128

	# From two places, of f itself or of its callees: a tree.
	case tree, "yes"
	begin
	at 4
	call 9b	# f
	at 12
	call 9b	# f
	at 128

	case tree_in_g, "yes"
	begin
	at 4
	call 9b + 0x20	# g
	at 36
	call 9b	# f
	at 44
	call 9b	# f
	at 128

	case tree_by_g, "yes"
	begin
	at 4
	call 9b + 0x20	# g
	at 12
	call 9b + 0x20	# g
	at 36
	call 9b	# f
	at 128

	case never_back, "no"
	begin
	at 4
	call 9b + 0x20	# g
	at 36
	call 9b + 0x40	# h
	at 128

	case by_three, "no"
	begin
	at 4
	call 9b + 0x20	# g
	at 36
	call 9b + 0x40	# h
	at 68
	call 9b + 0x60	# i
	at 100
	call 9b	# f
	at 128

	case loop, "no"
	begin
	at 12
	long_jmp "9b + 0x4"	# f+4
	at 128

	case called_only, "no"
	begin
	at 36
	call 9b	# f
	at 128

	case back_by_the_middle_of_g, "no"
	begin
	at 4
	call 9b + 0x22	# g+2
	at 36
	call 9b	# f
	at 128

	case call_over_its_end, "no"
	begin
	at 28
	call 9b	# f
	at 128
