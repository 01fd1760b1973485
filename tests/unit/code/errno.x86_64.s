# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: where errno is: in a slot of the file, at an offset from the thread pointer, or refused.
# The code is at 0x27660.
.include "code.inc"

	# 2.36
	case glibc, "slot 0x1d2de0"
	mov 0x1ab779(%rip),%rax
	add %fs:0,%rax
	ret

	case slot_added, "slot 0x27684"
	endbr64
	mov %fs:0,%rax
	add 0x10(%rip),%rax
	ret

	case glibc_static, "offset -80"
	mov $-80,%rax
	add %fs:0,%rax
	ret

	case musl, "offset 52"
	mov %fs:0,%rax
	add $0x34,%rax
	ret

	case add_of_4_bytes, "offset 4660"
	mov %fs:0,%rax
	add $0x1234,%rax
	ret

	case lea_of_a_byte, "offset -64"
	mov %fs:0,%rax
	lea -64(%rax),%rax
	ret

	case lea_of_4_bytes, "offset -256"
	mov %fs:0,%rax
	lea -256(%rax),%rax
	ret

	case return, "refused"
	ret

	case thread_pointer_alone, "refused"
	mov %fs:0,%rax
	ret

	case thread_pointer_twice, "refused"
	mov %fs:0,%rax
	add %fs:0,%rax
	ret

	case no_thread_pointer, "refused"
	mov $-80,%rax
	ret

	case no_return, "refused"
	mov %fs:0,%rax
	add $0x34,%rax

	# add $N,%rax without its number
	case cut_off, "refused"
	mov %fs:0,%rax
	.byte 0x48, 0x83, 0xc0

	case call, "refused"
	call other
	ret

	case too_far, "refused"
	mov %fs:0,%rax
	add $0x40000000,%rax
	ret

	case other_place_of_segment, "refused"
	mov %fs:8,%rax
	add $0x34,%rax
	ret

	case slot_and_number, "refused"
	mov 0x1ab779(%rip),%rax
	add %fs:0,%rax
	add $0x34,%rax
	ret

	function other
	ret
