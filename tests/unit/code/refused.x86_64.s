# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: no, or how the reason begins for which the kernel cannot probe it; any: whatever reason.
.include "code.inc"

	case push, "no"
	push %rbp

	case endbr64, "no"
	endbr64

	case sub_sp, "no"
	sub $8,%rsp

	case ret, "no"
	ret

	case nop5, "no"
	.byte 0x0f, 0x1f, 0x44, 0, 0

	case jmp_by_slot, "no"
	jmp *0(%rip)

	case mov_by_fs, "no"
	mov %fs:0x28,%rax

	case movzbl, "no"
	movzbl (%rdi),%eax

	case xor, "no"
	xor %eax,%eax

	case vmovaps, "no"
	vmovaps %xmm1,%xmm0

	case andn, "no"
	andn %rsi,%rdi,%rax

	case pop_of_two_bytes, "no"
	.byte 0x8f, 0xc0

	case pxor, "no"
	pxor %xmm0,%xmm0

	case lock, "begins with a LOCK prefix, which"
	lock cmpxchg %edx,(%rdi)

	case lock_16_bits, "begins with a LOCK prefix, which"
	lock cmpxchg %dx,(%rdi)

	case notrack_jmp, "begins with notrack jmp, which"
	notrack jmp *%rax

	case segment_prefix, "begins with a segment prefix, which"
	.byte 0x2e
	nop

	case syscall, "begins with syscall, which"
	syscall

	case sysenter, "begins with sysenter, which"
	sysenter

	case int, "begins with int, which"
	int $0x80

	case breakpoint, "begins with a breakpoint (int3)"
	int3

	case cut_off_opcode, "begins with an instruction that is cut off"
	.byte 0x0f

	case cut_off_prefix, "begins with an instruction that is cut off"
	.byte 0x66

	case cut_off_rex, "begins with an instruction that is cut off"
	.byte 0x48

	case cut_off_vex, "begins with an instruction that is cut off"
	.byte 0xc5, 0xf9

	case pushf, "any"
	pushf

	case pushf_16_bits, "any"
	pushfw

	case pushf_rex, "any"
	.byte 0x48
	pushf

	case popf_prefixes, "any"
	.byte 0x66, 0x48
	popf

	case sysret, "any"
	sysretl

	case sysexit, "any"
	.byte 0x48, 0x0f, 0x35

	case int1, "any"
	.byte 0xf1

	# of 32 bits
	case into, "any"
	.byte 0xce

	case iret, "any"
	iretl

	case hlt, "any"
	hlt

	case cli, "any"
	cli

	case in, "any"
	in (%dx),%al

	case ud2, "any"
	ud2

	case lfence, "any"
	lfence

	case mov_to_ss, "any"
	mov %eax,%ss

	case vpor, "begins with an AVX instruction that the kernel would take for another one"
	vpor %xmm1,%xmm0,%xmm0
# The kernel takes their opcodes for those of other instructions.

	case vzeroupper_as_ja, "any"
	vzeroupper

	case vmovd, "any"
	vmovd %xmm0,%eax

	case vfnmadd_as_popf, "any"
	vfnmadd132ss %xmm1,%xmm1,%xmm0

	case vcmpeqps_as_ret, "any"
	vcmpeqps %xmm1,%xmm0,%xmm0

	case vpbroadcastb_evex, "any"
	.byte 0x62, 0xf2, 0x7d, 0x08, 0x7a, 0xc7

	case vfrczpd_xop, "any"
	vfrczpd %xmm0,%xmm0

	case vpxor_as_out, "any"
	vpxor %xmm0,%xmm0,%xmm0

	case vpxorq, "any"
	vpxorq %xmm16,%xmm16,%xmm16

	# not pushf
	case vfnmadd132pd_evex, "no"
	.byte 0x62, 0xf2, 0xfd, 0x08, 0x9c, 0xc0

	# It is no nop.
	case xchg_r8, "any"
	xchg %rax,%r8

	case xchg_r8w, "any"
	xchg %ax,%r8w

	case nop_rex, "no"
	.byte 0x48
	nop

	case xchg_r9, "no"
	xchg %rax,%r9

	case seto, "no"
	seto %r8b

	case rex_pushf, "any"
	.byte 0x40
	pushf

	# of 32 bits
	case pusha, "any"
	.byte 0x60
