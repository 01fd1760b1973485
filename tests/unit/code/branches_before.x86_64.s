# SPDX-License-Identifier: GPL-2.0-or-later
# f is behind "before" (0 to 0x20), "jumps" (0x20), "between" (0x30), and before "behind" (0x68).
# WANT: as in branches.x86_64.s.
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

	case jmp, "near"
	begin
	at 0x20
	jmp 1f + 4
	f
	at 0x180

	# eb 31 is no jump; the data would take the jump for their own.
	case behind_a_number_and_data, "near"
	begin
	at 0x10
	mov $0x31eb,%eax
	at 0x1e
	.byte 0xb8
	nop
	jmp 1f + 4
	f
	at 0x180

	case behind_data_behind, "near"
	begin
	f
	at 0x66
	.byte 0xb8
	nop
	jmp 1b + 4
	at 0x180

	case number, "refuted"
	begin
	at 0x10
	mov $0x31eb,%eax
	f
	at 0x180
