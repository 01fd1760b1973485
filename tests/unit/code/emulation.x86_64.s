# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the emulation: the operation, the bits of its operands and the instruction's bytes; then
# "to = first, second" by the names of registers; the address, and the bytes that are loaded from
# there; the value.  "none": the kernel executes the instruction.
.include "code.inc"

	case ret, "return + 0"
	ret

	case repz_ret, "return + 0"
	repz ret

	case bnd_ret, "return + 0"
	bnd ret

	case ret_pops, "return + 24"
	ret $24

	case ret_pops_many, "return + 65280"
	ret $0xff00

	case endbr, "move 64, 4 bytes: - = -, -"
	endbr64

	case mov, "move 64, 3 bytes: ax = -, di"
	mov %rdi,%rax

	case mov_byte, "move 8, 3 bytes: r10 = -, r9"
	mov %r9b,%r10b

	case mov_signed, "move 64, 7 bytes: r10 = -, value; -5"
	mov $-5,%r10

	case mov_byte_value, "move 8, 2 bytes: ax = -, value; 1"
	mov $1,%al

	case mov_byte_value_r9, "move 8, 3 bytes: r9 = -, value; -128"
	mov $0x80,%r9b

	case mov_byte_value_modrm, "move 8, 3 bytes: bx = -, value; 5"
	.byte 0xc6, 0xc3, 5

	case movabs, "move 64, 10 bytes: ax = -, value; -9141386507638288913"
	movabs $0x8123456789abcdef,%rax

	case load_index, "move 32, 4 bytes: ax = -, loaded; 4 at si + (cx << 2) + 8"
	mov 8(%rsi,%rcx,4),%eax

	case load_ip, "move 64, 7 bytes: ax = -, loaded; 8 at ip + (- << 0) + 107"
	mov 100(%rip),%rax

	case load_sp, "move 64, 5 bytes: ax = -, loaded; 8 at sp + (- << 0) + 8"
	mov 8(%rsp),%rax

	case load_r13, "move 64, 4 bytes: ax = -, loaded; 8 at r13 + (- << 0) + 0"
	mov (%r13),%rax

	case load_absolute, "move 32, 7 bytes: ax = -, loaded; 4 at - + (- << 0) + 4096"
	mov 0x1000,%eax

	case movzbl, "move 32, 4 bytes: ax = -, di of 8"
	movzbl %dil,%eax

	case movswq, "move 64, 5 bytes: ax = -, loaded of 16 with its sign; 2 at si + (- << 0) + -1"
	movswq -1(%rsi),%rax

	case movslq, "move 64, 3 bytes: ax = -, si of 32 with its sign"
	movslq %esi,%rax

	case lea, "move 64, 8 bytes: ax = -, address; 0 at - + (cx << 3) + 0"
	lea 0(,%rcx,8),%rax

	case test, "and 32, 2 bytes: - = si, di"
	test %edi,%esi

	case test_memory, "and 32, 7 bytes: - = loaded, value; 4 at si + (- << 0) + 8; 256"
	testl $0x100,8(%rsi)

	case cmp_short, "sub 16, 5 bytes: - = loaded, value; 2 at si + (- << 0) + 0; 300"
	cmpw $300,(%rsi)

	case cmp_stack, "sub 64, 4 bytes: - = sp, loaded; 8 at r14 + (- << 0) + 16"
	cmp 16(%r14),%rsp

	case xor, "xor 32, 2 bytes: ax = ax, ax"
	xor %eax,%eax

	case sub, "sub 32, 2 bytes: ax = ax, si"
	sub %esi,%eax

	case add_byte, "add 8, 2 bytes: ax = ax, value; 127"
	add $127,%al

	case and_short, "and 16, 4 bytes: ax = ax, value; -16"
	and $-16,%ax

	case or, "or 32, 3 bytes: r10 = r10, dx"
	or %edx,%r10d

	case prefix_alone, "none"
	.byte 0xf3

	case cut_off, "none"
	.byte 0x48, 0x8b, 0x44, 0x24

	case value_cut_off, "none"
	.byte 0xc2, 0x18

	case far_return, "none"
	lretl

	case return_with_rex, "none"
	.byte 0x48, 0xc3

	case short_return, "none" # may pop 2 bytes
	.byte 0x66, 0xc3

	case jump, "none"
	jmp *%rax

	case store, "none"
	mov %rdi,8(%rsi)

	case add_to_memory, "none"
	addl $1,(%rsi)

	case jump_by_memory, "jump by the word at ip + 22"
	jmp *16(%rip)

	case jump_cut_off, "none"
	.byte 0xff, 0x25, 0, 0, 0

	case jump_by_register, "none"
	jmp *%rax

	case jump_by_pointer, "none"
	jmp *16(%rdi)

	case call_by_memory, "none"
	call *16(%rip)

	case sub_sp, "none"
	sub $8,%rsp

	case mov_sp, "none"
	mov %rdi,%rsp

	case lea_sp, "none"
	lea -8(%rbp),%rsp

	case borrow, "none"
	sbb %eax,%eax

	case high_byte, "none"
	mov %ah,%al

	case high_byte_value, "none"
	mov $1,%ah

	case byte_store, "none"
	movb $1,(%rdi)

	case thread_local, "none"
	mov %fs:0x28,%rax

	case short_address, "none"
	mov (%edi),%eax

	case vector, "none"
	movsd (%rdi),%xmm0

	case nop, "none" # which kernels emulate
	nopl 0(%rax)

	case lea_register, "none"
	.byte 0x48, 0x8d, 0xc0

	case neg, "none"
	neg %eax
