# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: NEEDS: PLACE, WHY.  NEEDS: returns, a uretprobe; stack, values by sp; mark, to move past
# endbr64 alone; programs, BPF programs emulate too; memory, it is read; not-entry, the entry cannot be probed; call5,
# the kernel makes calls of nops; data, the file is known; then the arguments that are read, in
# hexadecimal.  PLACE: bytes from the entry, and by how many sp is lower there.
.include "code.inc"
.macro nop5
	.byte 0x0f, 0x1f, 0x44, 0, 0
.endm

	case push, "returns 1: +0, kernels need not"
	push %rbp

	case push_r15, "returns 1: +0, kernels need not"
	push %r15

	case nop5_push, "returns 1: +0, kernels need not"
	nop5
	push %rbp

	case call, "returns 1: +0, kernels need not"
	call far

# ---- the mark of -fcf-protection, and what compilers put behind it ----

	case mark_push, "returns 1: +4, past what"
	endbr64
	push %rbp

	case mark_push_mark, "returns mark 1: +4, past what"
	endbr64
	push %rbp

	case mark_nops_push, "returns 1: +4, past what"
	endbr64
	nop
	nop
	push %rbp

	case mark_call, "returns 1: +4, past what"
	endbr64
	call far

	case mark_alone, "returns 1: +0, it ends"
	endbr64

	case mark_ret, "returns 1: +0, not a plain"
	endbr64
	ret

	case mark_test_je, "returns 1: +6, past what"
	endbr64
	test %edi,%edi
	je far

	case mark_test_je_mark, "returns mark 1: +0, not measured"
	endbr64
	test %edi,%edi
	je far

# ---- the stack pointer ----

	case sub_sp_returns, "returns 1: +0, from the return address"
	sub $8,%rsp
	test %edi,%edi
	je far

	case sub_sp, "1: +6 down 8, past what"
	sub $8,%rsp
	test %edi,%edi
	je far

	case sub_sp_stack, "stack 1: +0, values are read"
	sub $8,%rsp
	test %edi,%edi
	je far

	case add_sp, "1: +6 down -8, past what"
	add $8,%rsp
	test %edi,%edi
	je far

	case sub_sp_4096, "1: +9 down 4096, past what"
	sub $4096,%rsp
	test %edi,%edi
	je far

# ---- BPF programs emulate more, but no sub of the stack pointer ----

	case program_sub_mov, "programs 3f: +7 down 136, past what the kernel single-steps"
	sub $136,%rsp
	mov (%rdi),%rax

	case program_sub_returns, "programs returns 3f: +0, from the return address"
	sub $8,%rsp
	lea 1(%rdi),%rax

	case program_sub_stack, "programs stack 3f: +0, values are read"
	sub $8,%rsp
	lea 1(%rdi),%rax

	case program_entry, "programs 3f: +0, need not single-step"
	mov (%rdi),%rax
	push %rbp

	case program_store, "programs 3f: +0, reads or writes memory"
	sub $8,%rsp
	mov %rdi,(%rsi)
	mov %rdi,%rax

	case program_ret, "programs 3f: +4, past what"
	pxor %xmm0,%xmm0
	ret

	case mov_to_sp, "0: +0, cannot be known"
	mov %rdi,%rsp
	push %rbp

	case lea_to_sp, "0: +0, cannot be known"
	lea -8(%rsp),%rsp
	push %rbp

	case and_sp, "0: +0, cannot be known"
	and $-16,%rsp
	push %rbp

	case sub_esp, "0: +0, not a plain"
	sub $8,%esp
	push %rbp

	case mov_from_sp, "returns 1: +3, past what"
	mov %rsp,%rbp
	push %rbp

	case pop, "0: +0, not a plain"
	pop %rax
	push %rbp

# ---- arguments ----

	case mov_to_first, "returns 1: +0, overwrites an argument"
	mov %eax,%edi
	push %rbp

	case mov_to_first_not_read, "returns 2: +2, past what"
	mov %eax,%edi
	push %rbp

	case mov_to_dil, "returns 1: +0, overwrites an argument"
	mov $5,%dil
	push %rbp

	case mov_to_dh, "returns 4: +0, overwrites an argument"
	mov $5,%dh
	push %rbp

	case xor_second, "returns 2: +0, overwrites an argument"
	xor %esi,%esi
	push %rbp

	case xor_second_not_read, "returns 1: +2, past what"
	xor %esi,%esi
	push %rbp

	case inc_first, "returns 1: +0, overwrites an argument"
	inc %edi
	push %rbp

	case cmove_to_first, "returns 1: +0, overwrites an argument"
	cmove %esi,%edi
	push %rbp

	case xor_sixth, "returns 20: +0, overwrites an argument"
	xor %r9d,%r9d
	push %rbp

	case cmp_sete, "returns 3: +5, past what"
	cmp %esi,%edi
	sete %al
	push %rbp

	case pxor, "returns 1: +4, past what"
	pxor %xmm0,%xmm0
	push %rbp

	case lea_of_address, "returns 1: +7, past what"
	lea 16(%rip),%rax
	push %rbp

# ---- memory: a fault would hide the call ----

	case load, "0: +0, memory"
	mov (%rdi),%eax
	push %rbp

	case store_below_sp, "0: +0, memory"
	mov %rdi,-8(%rsp)
	push %rbp

	case compare_memory, "0: +0, memory"
	cmpb $0,4096(%rip)
	je far

	case load_by_fs, "0: +0, memory"
	mov %fs:48,%rax
	push %rbp

# ---- the stack protector's word, and the frame that the function has just made ----

	case guard, "programs memory 3f: +18 down 24, past what the kernel single-steps"
	sub $24,%rsp
	mov %fs:40,%rax
	mov %rax,8(%rsp)
	xor %eax,%eax

	case guard_argument, "4: +0, overwrites an argument"
	sub $24,%rsp
	mov %fs:40,%rdx
	push %rbp

	case guard_index, "0: +0, memory"
	mov %fs:40(%rax),%rdx
	push %rbp

	case guard_store, "0: +0, memory"
	mov %rax,%fs:40
	push %rbp

	case guard_of_gs, "0: +0, memory"
	mov %gs:40,%rax
	push %rbp

	case frame_top, "3f: +9 down 24, past what"
	sub $24,%rsp
	mov %rsi,16(%rsp)
	push %rbp

	case frame_vector, "3f: +9 down 24, past what"
	sub $24,%rsp
	movups %xmm0,8(%rsp)
	push %rbp

	case frame_vector_above, "0: +0, memory"
	sub $24,%rsp
	movups %xmm0,16(%rsp)
	push %rbp

	case frame_vector_aligned, "0: +0, memory"
	sub $24,%rsp
	movaps %xmm0,(%rsp)
	push %rbp

	case frame_above, "0: +0, memory"
	sub $24,%rsp
	mov %rsi,17(%rsp)
	push %rbp

	case frame_below, "0: +0, memory"
	sub $24,%rsp
	mov %rsi,-8(%rsp)
	push %rbp

	case frame_index, "0: +0, memory"
	sub $24,%rsp
	mov %rsi,(%rsp,%rdi)
	push %rbp

	case frame_bt, "0: +0, memory"
	sub $24,%rsp
	bt %rsi,(%rsp)
	push %rbp

	case frame_returns, "returns 0: +0, from the return address"
	sub $24,%rsp
	mov %rsi,(%rsp)
	push %rbp

# ---- the file's own data: data, the file is the code alone ----

	case data_load, "data returns 1: +6, past what"
	mov 1f(%rip),%eax
	push %rbp
1:	.long 0

	case data_load_8, "data returns 1: +7, past what"
	mov 1f(%rip),%rax
	push %rbp
1:	.quad 0

	case data_load_byte, "data returns 1: +7, past what"
	movzbl 1f(%rip),%eax
	push %rbp
1:	.byte 0

	case data_compare, "data returns 1: +7, past what"
	cmpb $0,1f(%rip)
	je far
1:	.byte 0

	case data_add, "data returns 1: +6, past what"
	add 1f(%rip),%eax
	push %rbp
1:	.long 0

	case data_over_end, "data 1: +0, memory"
	mov 1f(%rip),%eax
	push %rbp
1:	.byte 0, 0, 0

	case data_outside, "data 1: +0, memory"
	mov 4096(%rip),%eax
	push %rbp

	case data_before, "data 1: +0, memory"
	mov -16(%rip),%eax
	push %rbp

	case data_argument, "data 1: +0, overwrites an argument"
	mov 1f(%rip),%edi
	push %rbp
1:	.long 0

	case data_pointer, "data 1: +0, memory"
	mov 1f(%rip),%rax
	mov (%rax),%eax
	push %rbp
1:	.quad 0

	case data_store, "data 1: +0, memory"
	mov %eax,1f(%rip)
	push %rbp
1:	.long 0

	case data_add_to, "data 1: +0, memory"
	add %eax,1f(%rip)
	push %rbp
1:	.long 0

	case data_by_fs, "data 1: +0, memory"
	mov %fs:1f(%rip),%eax
	push %rbp
1:	.long 0

	case data_quad_vector, "data 1: +8, past what"
	movdqa 8(%rip),%xmm0
	push %rbp
	.fill 7, 1, 0x90
	.quad 0, 0

	case data_unaligned, "data 1: +0, memory"
	movdqa 7(%rip),%xmm0
	push %rbp
	.fill 6, 1, 0x90
	.quad 0, 0

	# The tables of the file, which are not code, are 0xf000 bytes further.
	case data_write, "data 1: +6, past what"
	mov %eax,0xf000-6(%rip)
	push %rbp

	case data_write_count, "data 1: +7, past what"
	addl $1,0xf000-7(%rip)
	push %rbp

	case data_write_memory, "data memory 1: +0, it writes memory before that"
	mov %eax,0xf000-6(%rip)
	push %rbp

	case data_read_memory, "data memory 1: +6, past what"
	mov 0xf000-6(%rip),%eax
	push %rbp

	case data_bt, "data 1: +0, memory"
	bt %eax,1f(%rip)
	push %rbp
1:	.long 0

	case data_vector, "data not-entry 1: +0, memory"
	vpxor 1f(%rip),%xmm1,%xmm1
	push %rbp
1:	.quad 0, 0

# ---- what may trap, or do more than its operands say ----

	case div, "0: +0, not a plain"
	div %edi
	push %rbp

	# into %edx too
	case imul, "0: +0, not a plain"
	imul %edi
	push %rbp

	# into %edx
	case cltd, "0: +0, not a plain"
	cltd
	push %rbp

	case xchg, "0: +0, not a plain"
	xchg %rdi,%rsi
	push %rbp

	case rep_movsb, "0: +0, not a plain"
	rep movsb
	push %rbp

	case syscall, "0: +0, not a plain"
	syscall
	push %rbp

	case mov_to_ds, "0: +0, not a plain"
	mov %eax,%ds
	push %rbp

	case mov_from_cr0, "0: +0, not a plain"
	mov %cr0,%rax
	push %rbp

	case jmp_by_register, "0: +0, branches"
	jmp *%rax
	push %rbp

	case no_instruction, "0: +0, not known"
	.byte 0x06
	push %rbp

	case plain_alone, "0: +0, it ends"
	mov %eax,%eax

	# the second mov
	case cut_off, "0: +0, not known"
	mov %eax,%eax
	.byte 0x89

# ---- an entry that cannot be probed ----

	case evex, "not-entry returns stack ff: +6, past what must not be probed"
	vpbroadcastb %esi,%zmm16
	mov %rdi,%rax

	case vmovd, "not-entry returns stack ff: +4, past what must not be probed"
	vmovd %esi,%xmm0
	mov %rdi,%rax

	case vpxor_memory, "not-entry returns stack ff: +0, memory"
	vpxor (%rdi),%xmm0,%xmm0
	mov %rdi,%rax

	case vmovd_alone, "not-entry ffffffff: +0, it ends"
	vmovd %esi,%xmm0

	case mask_to_result, "0: +0, not a plain"
	vmovd %esi,%xmm0
	kmovd %k0,%eax
	ret

# ---- nops of which this kernel makes calls, first and behind one that is single-stepped ----

	case nop5_not_entry, "call5 not-entry returns stack ff: +5, past what must not be probed"
	nop5
	mov %rdi,%rax

	case nop5_mov_push, "call5 returns 2: +8, past what the kernel single-steps"
	nop5
	mov %rdi,%rax
	push %rbp

	case mov_nop5_push, "call5 returns 1: +7, past what the kernel single-steps"
	mov %eax,%eax
	nop5
	push %rbp

	case mov_nop5_push_other_kernel, "returns 1: +2, past what the kernel single-steps"
	mov %eax,%eax
	nop5
	push %rbp

	case mark_nop5_push, "call5 mark 1: +9, past what the kernel single-steps"
	endbr64
	nop5
	push %rbp

	case mark_nop5_mov, "call5 mark 1: +0, was not measured"
	endbr64
	nop5
	mov %eax,%eax
	push %rbp

	case mark_nop5, "call5 1: +0, it ends"
	endbr64
	nop5

far_away:
	.fill 256, 1, 0x90

	function far
	ret
