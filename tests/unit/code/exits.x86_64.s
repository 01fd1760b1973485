# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the exits by offset: r a return, j a jump, c a conditional jump; * if a cheaper instruction
# dominates it.  Or else how the reason begins for which they are not known.
.include "code.inc"

	case ret, "r0"
	ret

	case repz_ret, "r0"
	repz ret

	case bnd_ret, "r0"
	.byte 0xf2			# bnd, which clang does not know
	ret

	case ret_number, "r0"
	ret $8

	case frame, "r5"
	push %rbp
	mov %rsp,%rbp
	pop %rbp
	ret

	case nop_dominates, "r3*"
	push %rbp
	nop
	pop %rbp
	ret

	case nop_behind_branch, "r2 r4*"
	je 1f
	ret
1:	nop
	ret

	case second_nop_on_both_ways, "r4*"
	je 1f
	nop
1:	nop
	ret

	case nops_on_one_way, "r7"
	test %edi,%edi
	je 1f
	nop
	nop
	nop
1:	ret

	# Not before an instruction that may set the result or memory.
	case nop_before_result, "r3"
	nop
	mov %edi,%eax
	ret

	case nop_before_pop_of_result, "r3"
	push %rax
	nop
	pop %rax
	ret

	case nop_before_vector_store, "r4"
	nop
	movaps %xmm0,(%rdi)
	ret

	case nop_before_store, "r7"
	nop
	movl $0,(%rdi)
	ret

	case nop_before_add_to_sp, "r6*"
	push %rbp
	nop
	add $8,%rsp
	ret

	case ret_without_pop, "it is left with"
	push %rbp
	ret

	case tail_call, "j0"
	jmp other

	case tail_call_without_pop, "it jumps out with"
	push %rbp
	jmp other

	case conditional_tail_call, "c0 r6"
	je other
	ret

	case loop_or_tail_call, "c0 r2"
1:	je 1b
	ret

	case cold_part, "r8 r f.cold+1"
	push %rax
	je f.cold
	pop %rax
	ret

	case cold_part_of_other, "it jumps to a place"
	je g.cold
	ret

	case jump_out_of_file, "it jumps to a place"
	jmp other + 0x10000

	case past_a_byte_of_data, "r3"
	jmp 1f
	.byte 0xb8
1:	ret
	nop
	nop
	nop

	case into_an_instruction, "its code"
	je 1f + 1
1:	mov $0xc3000000,%eax
	ret

	case no_instruction, "its code"
	.byte 0x06			# push %es, which 64 bits do not have
	ret

	case runs_on, "it runs on"
	nop
	nop

	case call_that_does_not_return, ""
	call other

	case undefined, ""
	ud2

	case call_into_itself, "it calls into"
	call 1f
	ret
1:	ret

	case interrupt_return, "it has a jump"
	iretl

	case jump_by_register, "j0"
	jmp *%rax

	case jump_by_register_notrack, "it jumps to where"
	notrack jmp *%rax

	case jump_by_register_without_pop, "it jumps to where"
	push %rax
	jmp *%rax

	case jump_by_memory_frame_given_back, "j2"
	push %rax
	pop %rax
	jmp *8(%rdi)

	case jump_to_own_address, "it jumps to where"
	lea 1f(%rip),%rax
	jmp *%rcx
1:	nop
	ret

# ---- tables of jumps ----

# go_by_table PLACE...: jump to place number %edi; the bytes behind the table lead nowhere.
.macro go_by_table places:vararg
	lea table\@(%rip),%rdx
	movslq (%rdx,%rdi,4),%rax
	add %rdx,%rax
	jmp *%rax
table\@:
	.irp place, \places
	.long \place - table\@
	.endr
	.fill 16, 1, 0x90
.endm

	case table_ja, "r3 r4 r5 r6"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	cmp $3,%edi
	ja 6b
	go_by_table 1b, 2b, 3b, 4b

	case table_with_cold_part, "r3 r4 r5 r6 r f.cold.1+0"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	cmp $4,%edi
	ja 6b
	go_by_table 1b, 2b, 3b, 4b, f.cold.1

	case table_without_comparison, "r3 r4 r5 r6"
	jmp 5f
	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	nop
	go_by_table 1b, 2b, 3b, 4b

	case table_compared_with_more, "it has a table of jumps that also"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	cmp $7,%edi
	ja 6b
	go_by_table 1b, 2b, 3b, 4b

	case table_of_two, "r3 r4"
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	nop
5:	cmp $1,%edi
	ja 6b
	go_by_table 1b, 2b, 1b, 2b

	case table_of_two_and_returns_unreached, "not all of its code"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	cmp $1,%edi
	ja 6b
	go_by_table 1b, 2b, 3b, 4b

	case table_jae, "r3 r4"
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	nop
5:	cmp $2,%edi
	jae 6b
	go_by_table 1b, 2b, 1b, 2b

	case table_and_of_two, "r3 r4"
	jmp 5f
	nop
1:	ret
2:	ret
	nop
	nop
5:	and $1,%edi
	go_by_table 1b, 2b, 1b, 2b

	case table_and_of_four, "r3 r4 r5 r6"
	jmp 5f
	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	and $3,%edi
	go_by_table 1b, 2b, 3b, 4b

	case table_jae_third_unreached, "not all of its code"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
	nop
5:	cmp $2,%edi
	jae 6b
	go_by_table 1b, 2b, 3b, 4b

	case table_jb, "r3 r4"
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	nop
5:	cmp $2,%edi
	jb 7f
	jmp 6b
7:	go_by_table 1b, 2b, 1b, 2b

	case table_jb_third_unreached, "not all of its code"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
	nop
5:	cmp $2,%edi
	jb 7f
	jmp 6b
7:	go_by_table 1b, 2b, 3b, 4b

	case table_jbe, "r3 r4"
	jmp 5f
6:	nop
1:	ret
2:	ret
	nop
	nop
5:	cmp $1,%edi
	jbe 7f
	jmp 6b
7:	go_by_table 1b, 2b, 1b, 2b

	case table_jbe_third_unreached, "not all of its code"
	jmp 5f
6:	nop
1:	ret
2:	ret
3:	ret
	nop
5:	cmp $1,%edi
	jbe 7f
	jmp 6b
7:	go_by_table 1b, 2b, 3b, 4b

	# The register gets a number, which is no address.
	case table_by_number, "r3 r4 r5 r6"
	jmp 5f
	nop
1:	ret
2:	ret
3:	ret
4:	ret
5:	mov $1,%edi
	go_by_table 1b, 2b, 3b, 4b

	# No comparison either, and a ud2 that nothing leads to.
	case table_by_byte, "r4 r5 r6 r7"
	jmp 5f
	ud2
1:	ret
2:	ret
3:	ret
4:	ret
5:	movzbl (%rdi),%edi
	go_by_table 1b, 2b, 3b, 4b

	case table_and_a_return_unreached, "not all of its code"
	jmp 5f
	ret
1:	ret
2:	ret
3:	ret
4:	ret
5:	movzbl (%rdi),%edi
	go_by_table 1b, 2b, 3b, 4b

	# Another table begins behind the second entry; the third would lead into the mov.
	case table_before_another, "r3 r11"
	jmp 5f
	nop
1:	ret
2:	test %edi,%edi
	mov $0xc3c3c3c3,%eax
	ret
5:	lea 8 + before_another(%rip),%rcx
	lea before_another(%rip),%rdx
	movslq (%rdx,%rdi,4),%rax
	add %rdx,%rax
	jmp *%rax
before_another:
	.long 1b - before_another, 2b - before_another, 2b + 3 - before_another
	.fill 16, 1, 0x90

	case table_into_an_instruction, "its code"
	jmp 5f
	nop
1:	ret
2:	test %edi,%edi
	mov $0xc3c3c3c3,%eax
	ret
5:	nop
	go_by_table 1b, 2b, 2b + 3

# ---- jumps by slots and thunks ----

	# The depth is not known, as after a catch.
	case jump_by_slot, "j3"
	mov %rdi,%rsp
	jmp *0x100(%rip)

	case jump_by_register_depth_unknown, "it jumps to where"
	mov %rdi,%rsp
	jmp *%rax

	case return_thunk, "r2"
	test %edi,%edi
	jmp x86_return_thunk

	case return_thunk_without_pop, "it is left with"
	push %rbp
	jmp x86_return_thunk

	case indirect_thunk, "j0"
	jmp x86_indirect_thunk_rax

	case indirect_thunk_without_pop, "it jumps to where"
	push %rax
	jmp x86_indirect_thunk_rax

	case indirect_thunk_to_own_address, "it jumps to where"
	lea 1f(%rip),%rcx
	jmp x86_indirect_thunk_rax
1:	ret

# Retpolines, which compilers put in line too: the return address is replaced or dropped.
.macro retpoline
	call 2f
1:	pause
	lfence
	jmp 1b
2:
.endm

	case return_thunk_in_line, "r1*"
	nop
	retpoline
	lea 8(%rsp),%rsp
	ret

	case indirect_thunk_in_line, "it calls into"
	nop
	retpoline
	mov %rax,(%rsp)
	ret

# ---- for all cases ----

far_away:
	.fill 256, 1, 0x90

x86_return_thunk:
	retpoline
	lea 8(%rsp),%rsp
	ret

x86_indirect_thunk_rax:
	retpoline
	mov %rax,(%rsp)
	ret

	function other
	mov %r8,%rsp
	jmp *%rdx

	function f.cold
	pop %rax
	ret

	function f.cold.1
	ret

	function g.cold
	nop
	nop
