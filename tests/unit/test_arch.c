/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "arch/arch.h"
#include "process/nops.h"
#include "unit.h"

static const char *judge(const struct rt_arch *arch, const char *bytes, size_t n)
{
	return arch->refuses((const uint8_t *)bytes, n, RT_NOPS_TRAP);
}

#define X86(bytes) judge(&rt_arch_x86_64, bytes, sizeof(bytes) - 1)
#define I386(bytes) judge(&rt_arch_i386, bytes, sizeof(bytes) - 1)
#define ARM(bytes) judge(&rt_arch_aarch64, bytes, sizeof(bytes) - 1)

static void test_tables(void)
{
	const struct rt_arch *a = rt_arch_of(EM_X86_64);

	CU_ASSERT_PTR_EQUAL(a, &rt_arch_x86_64);
	CU_ASSERT_PTR_EQUAL(rt_arch_of(EM_386), &rt_arch_i386);
	CU_ASSERT_PTR_EQUAL(rt_arch_of(183), &rt_arch_aarch64);
	CU_ASSERT_PTR_NULL(rt_arch_of(EM_NONE));
	CU_ASSERT_PTR_NULL(rt_arch_of(EM_PPC64));
	CU_ASSERT_EQUAL(a->nargs, 6);
	RT_ASSERT_TEXT(a->args[3].tracefs, "cx");
	CU_ASSERT_PTR_NULL(a->link.tracefs);
	CU_ASSERT_EQUAL(rt_arch_i386.nargs, 0);
	CU_ASSERT_EQUAL(rt_arch_i386.kernel_machine, EM_X86_64);
	CU_ASSERT_EQUAL(rt_arch_i386.stack_args, 4);
	CU_ASSERT_EQUAL(rt_arch_i386.return_pop, 4);
	CU_ASSERT_EQUAL(rt_arch_aarch64.nargs, 8);
	CU_ASSERT_EQUAL(rt_arch_aarch64.args[7].pt_regs, 56);
	RT_ASSERT_TEXT(rt_arch_aarch64.link.tracefs, "x30");
	CU_ASSERT_EQUAL(rt_arch_aarch64.link.pt_regs, 240);
	CU_ASSERT_EQUAL(rt_arch_aarch64.return_pop, 0);
}

/* The program's functions stand where the table says, with the entries that are to be tried. */
static void test_trial(void)
{
	const struct rt_arch_trial *t = rt_arch_i386.trial;

	CU_ASSERT_PTR_NULL(rt_arch_x86_64.trial);
	CU_ASSERT_PTR_NULL(rt_arch_aarch64.trial);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->size <= 512 && t->functions[0] < t->size && t->functions[1] < t->size);
	CU_ASSERT_EQUAL(t->code[t->functions[0]], 0x55);	/* push %ebp */
	CU_ASSERT_EQUAL(t->code[t->functions[1]], 0xe8);	/* call */
	CU_ASSERT_EQUAL(t->code[t->functions[0] - 2], 0xcd);	/* the end of what stands before them */
	CU_ASSERT_EQUAL(t->code[t->functions[1] - 1], 0xc3);
	CU_ASSERT_EQUAL(t->code[t->size - 1], 0xc3);
}

/* The kernel's struct pt_regs and ptrace's struct are laid out alike on x86-64. */
static void test_offsets(void)
{
#if defined(__x86_64__)
	const struct rt_arch *a = &rt_arch_x86_64;

	CU_ASSERT_EQUAL(a->args[0].pt_regs, offsetof(struct user_regs_struct, rdi));
	CU_ASSERT_EQUAL(a->args[1].pt_regs, offsetof(struct user_regs_struct, rsi));
	CU_ASSERT_EQUAL(a->args[2].pt_regs, offsetof(struct user_regs_struct, rdx));
	CU_ASSERT_EQUAL(a->args[3].pt_regs, offsetof(struct user_regs_struct, rcx));
	CU_ASSERT_EQUAL(a->args[4].pt_regs, offsetof(struct user_regs_struct, r8));
	CU_ASSERT_EQUAL(a->args[5].pt_regs, offsetof(struct user_regs_struct, r9));
	CU_ASSERT_EQUAL(a->result.pt_regs, offsetof(struct user_regs_struct, rax));
	CU_ASSERT_EQUAL(a->ip.pt_regs, offsetof(struct user_regs_struct, rip));
	CU_ASSERT_EQUAL(a->sp.pt_regs, offsetof(struct user_regs_struct, rsp));
	CU_ASSERT_EQUAL(rt_arch_native(), EM_X86_64);
#endif
	CU_ASSERT_EQUAL(rt_arch_i386.sp.pt_regs, rt_arch_x86_64.sp.pt_regs);
	CU_ASSERT_EQUAL(rt_arch_aarch64.sp.pt_regs, 31 * 8);
	CU_ASSERT_EQUAL(rt_arch_aarch64.ip.pt_regs, 32 * 8);
}

static void test_names(void)
{
	char buf[32];

	RT_ASSERT_TEXT(rt_arch_name(EM_X86_64, buf, sizeof(buf)), "x86-64");
	RT_ASSERT_TEXT(rt_arch_name(183, buf, sizeof(buf)), "aarch64");
	RT_ASSERT_TEXT(rt_arch_name(60000, buf, sizeof(buf)), "machine 60000");
}

static void test_x86_allowed(void)
{
	CU_ASSERT_PTR_NULL(X86("\x55"));			/* push %rbp */
	CU_ASSERT_PTR_NULL(X86("\xf3\x0f\x1e\xfa"));		/* endbr64 */
	CU_ASSERT_PTR_NULL(X86("\x48\x83\xec\x08"));		/* sub $8,%rsp */
	CU_ASSERT_PTR_NULL(X86("\xc3"));			/* ret */
	CU_ASSERT_PTR_NULL(X86("\x0f\x1f\x44\x00\x00"));	/* nopl */
	CU_ASSERT_PTR_NULL(X86("\xff\x25\x00\x00\x00\x00"));	/* jmp *0(%rip) */
	CU_ASSERT_PTR_NULL(X86("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"));	/* mov %fs:0x28,%rax */
	CU_ASSERT_PTR_NULL(X86("\x0f\xb6\x07"));		/* movzbl (%rdi),%eax */
	CU_ASSERT_PTR_NULL(X86("\x31\xc0"));			/* xor %eax,%eax */
	CU_ASSERT_PTR_NULL(X86("\xc5\xf8\x28\xc1"));		/* vmovaps */
	CU_ASSERT_PTR_NULL(X86("\xc4\xe2\xc0\xf2\xc6"));	/* andn */
	CU_ASSERT_PTR_NULL(X86("\x8f\xc0"));			/* pop */
	CU_ASSERT_PTR_NULL(X86("\x66\x0f\xef\xc0"));		/* pxor %xmm0,%xmm0 */
}

static void test_x86_refused(void)
{
	RT_ASSERT_TEXT(X86(""), "has no code in the file");
	RT_ASSERT_TEXT(X86("\xf0\x0f\xb1\x17"), "begins with a LOCK prefix, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\x66\xf0\x0f\xb1\x17"), "begins with a LOCK prefix, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\x3e\xff\xe0"), "begins with notrack jmp, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\x2e\x90"), "begins with a segment prefix, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\x0f\x05"), "begins with syscall, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\x0f\x34"), "begins with sysenter, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\xcd\x80"), "begins with int, which the kernel cannot probe");
	RT_ASSERT_TEXT(X86("\xcc"), "begins with a breakpoint (int3)");
	RT_ASSERT_TEXT(X86("\x0f"), "begins with an instruction that is cut off");
	RT_ASSERT_TEXT(X86("\x66"), "begins with an instruction that is cut off");
	RT_ASSERT_TEXT(X86("\x48"), "begins with an instruction that is cut off");
	RT_ASSERT_TEXT(X86("\xc5\xf9"), "begins with an instruction that is cut off");
	CU_ASSERT_PTR_NOT_NULL(X86("\x9c"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x66\x9c"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x48\x9c"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x66\x48\x9d"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x0f\x07"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x48\x0f\x35"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xf1"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xce"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xcf"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xf4"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xfa"));
	CU_ASSERT_PTR_NOT_NULL(X86("\xec"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x0f\x0b"));
	CU_ASSERT_PTR_NOT_NULL(X86("\x0f\xae\xe8"));		/* lfence */
	CU_ASSERT_PTR_NOT_NULL(X86("\x8e\xd0"));		/* mov %eax,%ss */
	RT_ASSERT_TEXT(X86("\xc5\xf9\xeb\xc1"), "begins with an AVX instruction that the kernel would take for another one");	/* vpor */
	CU_ASSERT_PTR_NOT_NULL(X86("\xc5\xf8\x77"));		/* vzeroupper: its opcode is that of ja */
	CU_ASSERT_PTR_NOT_NULL(X86("\xc5\xf9\x7e\xc0"));	/* vmovd */
	CU_ASSERT_PTR_NOT_NULL(X86("\xc4\xe2\x71\x9d\xc1"));	/* vfnmadd132ss: popf's */
	CU_ASSERT_PTR_NOT_NULL(X86("\xc5\xf8\xc2\xc1\x00"));	/* vcmpeqps: ret's */
	CU_ASSERT_PTR_NOT_NULL(X86("\x62\xf2\x7d\x08\x7a\xc7"));	/* vpbroadcastb, EVEX */
	CU_ASSERT_PTR_NOT_NULL(X86("\x8f\xe9\x78\x81\xc0"));	/* vfrczpd, XOP */
	CU_ASSERT_PTR_NOT_NULL(X86("\xc5\xf9\xef\xc0"));	/* vpxor: its opcode is that of out */
	CU_ASSERT_PTR_NOT_NULL(X86("\x62\xa1\xfd\x00\xef\xc0"));	/* vpxorq */
	CU_ASSERT_PTR_NULL(X86("\x62\xf2\xfd\x08\x9c\xc0"));	/* vfnmadd132pd: not pushf */
	CU_ASSERT_PTR_NOT_NULL(X86("\x49\x90"));		/* xchg %rax,%r8: no nop */
	CU_ASSERT_PTR_NOT_NULL(X86("\x66\x41\x90"));
	CU_ASSERT_PTR_NULL(X86("\x48\x90"));
	CU_ASSERT_PTR_NULL(X86("\x49\x91"));
	CU_ASSERT_PTR_NULL(X86("\x41\x0f\x90\xc0"));		/* seto %r8b */
}

static void test_i386(void)
{
	CU_ASSERT_PTR_NULL(I386("\x55"));
	CU_ASSERT_PTR_NULL(I386("\x40\x9c"));			/* inc %eax; pushf */
	CU_ASSERT_PTR_NOT_NULL(X86("\x40\x9c"));		/* rex pushf */
	CU_ASSERT_PTR_NULL(I386("\x60"));			/* pusha */
	CU_ASSERT_PTR_NOT_NULL(X86("\x60"));
	CU_ASSERT_PTR_NULL(I386("\xc5\x06\xef\x00"));		/* lds (%esi),%eax */
	CU_ASSERT_PTR_NOT_NULL(I386("\xc5\xf9\xef\xc0"));	/* vpxor */
	CU_ASSERT_PTR_NOT_NULL(I386("\xcd\x80"));
	CU_ASSERT_PTR_NOT_NULL(I386("\x0f\x34"));
	CU_ASSERT_PTR_NOT_NULL(I386(""));
}

static bool pushes(const char *bytes, size_t n)
{
	return rt_arch_i386.pushes((const uint8_t *)bytes, n);
}

/* What some kernels carry out as in a 64-bit program. */
static void test_i386_pushes(void)
{
	CU_ASSERT(pushes("\xe8\x00\x00\x00\x00", 5));	/* call */
	CU_ASSERT(pushes("\xff\xd0", 2));		/* call *%eax */
	CU_ASSERT(pushes("\x3e\xff\xd0", 3));	/* notrack call *%eax */
	CU_ASSERT(pushes("\x55", 1));
	CU_ASSERT(!pushes("\xf3\x0f\x1e\xfb", 4));	/* endbr32 */
	CU_ASSERT(!pushes("\xc3", 1));
	CU_ASSERT(!pushes("\xff\xe0", 2));		/* jmp *%eax */
	CU_ASSERT(!pushes("\x83\xec\x0c", 3));	/* sub $12,%esp */
	CU_ASSERT(!pushes("\x66", 1));
	CU_ASSERT(!pushes("", 0));
	CU_ASSERT_PTR_NULL(rt_arch_x86_64.pushes);
}

static void test_aarch64(void)
{
	CU_ASSERT_PTR_NULL(ARM("\xfd\x7b\xbe\xa9"));		/* stp x29, x30, [sp, #-32]! */
	CU_ASSERT_PTR_NULL(ARM("\x1f\x20\x03\xd5"));		/* nop */
	CU_ASSERT_PTR_NULL(ARM("\x5f\x24\x03\xd5"));		/* bti c */
	CU_ASSERT_PTR_NULL(ARM("\x00\x00\x40\xf9"));		/* ldr x0, [x0] */
	CU_ASSERT_PTR_NULL(ARM("\x41\xd0\x3b\xd5"));		/* mrs x1, tpidr_el0 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x01\x00\x00\xd4"));	/* svc #0 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x00\x00\x20\xd4"));	/* brk #0 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x00\x00\x40\xd4"));	/* hlt #0 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x00\x7c\x5f\xc8"));	/* ldxr x0, [x0] */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x01\xfc\x02\x88"));	/* stlxr w2, w1, [x0] */
	CU_ASSERT_PTR_NULL(ARM("\x00\xfc\xdf\x88"));		/* ldar w0, [x0] */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x40\xd0\x1b\xd5"));	/* msr tpidr_el0, x0 */
	CU_ASSERT_PTR_NULL(ARM("\x3f\x23\x03\xd5"));		/* paciasp */
	CU_ASSERT_PTR_NULL(ARM("\x7f\x23\x03\xd5"));		/* pacibsp */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x3f\x20\x03\xd5"));	/* yield */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x9f\x22\x03\xd5"));	/* csdb */
	CU_ASSERT_PTR_NULL(ARM("\xbf\x3b\x03\xd5"));		/* dmb ish */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x09\x01\x00\x58"));	/* ldr x9, beside the code */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x09\x01\x00\x98"));	/* ldrsw */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x07\x01\x00\x1c"));	/* ldr s7 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x07\x01\x00\x9c"));	/* ldr q7 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x00\x01\x00\xd8"));	/* prfm */
	CU_ASSERT_PTR_NULL(ARM("\x09\x00\x00\x90"));		/* adrp x9 */
	CU_ASSERT_PTR_NULL(ARM("\x40\x00\x00\x54"));		/* b.eq */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x50\x00\x00\x54"));	/* bc.eq */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x20\x00\x00\x74"));	/* cbgt w0, w0 */
	CU_ASSERT_PTR_NULL(ARM("\x40\x00\x00\xb4"));		/* cbz x0 */
	CU_ASSERT_PTR_NULL(ARM("\xc0\x03\x5f\xd6"));		/* ret */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xff\x0b\x5f\xd6"));	/* retaa */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xff\x0b\x1f\xd7"));	/* braa x31, sp */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x1f\x0a\x1f\xd6"));	/* braaz x16 */
	CU_ASSERT_PTR_NULL(ARM("\x00\x02\x1f\xd6"));		/* br x16 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xe3\x0b\x5f\xd6"));	/* retaasppcr x3 */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x3f\x00\x00\x55"));	/* retaasppc */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xfe\xa3\xc1\xda"));	/* paciasppc */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xfe\x87\xc1\xda"));	/* pacnbibsppc */
	CU_ASSERT_PTR_NULL(ARM("\xe0\x03\xc1\xda"));		/* pacia x0, sp */
	CU_ASSERT_PTR_NOT_NULL(ARM("\xff\x24\x03\xd5"));	/* pacm: paciasp after it signs its own place, too */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x40\x04\x01\x1d"));	/* cpyp [x0]!, [x1]!, x2! */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x40\x04\x01\x19"));	/* cpyfp [x0]!, [x1]!, x2! */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x20\x04\xc2\x19"));	/* setp [x0]!, x1!, x2 */
	CU_ASSERT_PTR_NULL(ARM("\x20\x00\x00\x19"));		/* stlurb w0, [x1] */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x20\x42\x3b\xd5"));	/* mrs x0, daif */
	CU_ASSERT_PTR_NULL(ARM("\x00\x42\x3b\xd5"));		/* mrs x0, nzcv */
	CU_ASSERT_PTR_NOT_NULL(ARM("\x1f\x20\x03"));
	CU_ASSERT_PTR_NOT_NULL(ARM(""));
}

/* The address that the code loads, were it at 0x401000; 0: none. */
static uint64_t loaded(const struct rt_arch *arch, const char *bytes, size_t n, bool fixed)
{
	uint64_t addr;

	return arch->loads_address((const uint8_t *)bytes, n, 0x401000, fixed, &addr) ? addr : 0;
}

#define LOADED(arch, bytes, fixed) loaded(&rt_arch_##arch, bytes, sizeof(bytes) - 1, fixed)

static size_t mask_size(const char *code, size_t n, uint32_t want_writes)
{
	uint32_t writes = 99;
	size_t size = rt_x86_mask_size((const uint8_t *)code, n, &writes);

	CU_ASSERT_EQUAL(writes, want_writes);
	return size;
}

#define MASK(code, writes) mask_size(code, sizeof(code) - 1, writes)

/* Sizes as GNU as has them. */
static void test_mask_size(void)
{
	CU_ASSERT_EQUAL(MASK("\xc5\xfb\x93\xc0\x90", 1), 4);				/* kmovd %k0,%eax */
	CU_ASSERT_EQUAL(MASK("\xc5\x7b\x93\xc9", 1u << 9), 4);			/* kmovd %k1,%r9d */
	CU_ASSERT_EQUAL(MASK("\xc4\xe1\xfb\x92\xc9", 0), 5);				/* kmovq %rcx,%k1 */
	CU_ASSERT_EQUAL(MASK("\xc5\xfb\x93", 0), 0);					/* cut off */
	CU_ASSERT_EQUAL(MASK("\xc4\xe1\xf8\x98\xc8", 0), 5);				/* kortestq %k0,%k1 */
	CU_ASSERT_EQUAL(MASK("\xc4\xe3\xf9\x31\xc9\x20", 0), 6);			/* kshiftrq $32,%k1,%k1 */
	CU_ASSERT_EQUAL(MASK("\xc5\xf9\x90\x4c\x24\x08", 0), 6);			/* kmovb 8(%rsp),%k1 */
	CU_ASSERT_EQUAL(MASK("\x62\xb2\x66\x20\x26\xc3\xc5", 0), 6);			/* vptestnmb %ymm19,%ymm19,%k0 */
	CU_ASSERT_EQUAL(MASK("\x62\xf3\x7d\x28\x3f\x07\x04", 0), 7);			/* vpcmpneqb (%rdi),%ymm0,%k0 */
	CU_ASSERT_EQUAL(MASK("\x62\xf1\x7f\x49\x7f\x84\x24\x10\x00\x00\x00", 0), 11);	/* vmovdqu8 %zmm0,16(%rsp){%k1} */
	CU_ASSERT_EQUAL(MASK("\x62\xf1\x7d\x28\x74\x05\x00\x00\x00\x00", 0), 10);	/* vpcmpeqb 0(%rip),%ymm0,%k0 */
	CU_ASSERT_EQUAL(MASK("\x62\xf1\x7d\x08\x7e\xc0", 0), 0);			/* vmovd %xmm0,%eax: capstone knows it */
	CU_ASSERT_EQUAL(MASK("\x62\xf1\x78\x28\x74\xc1", 0), 0);			/* a bit that has to be set is not */
	CU_ASSERT_EQUAL(MASK("\xc5\xf9\xef\xc0", 0), 0);				/* vpxor: known */
	CU_ASSERT_EQUAL(MASK("\xc3", 0), 0);
	CU_ASSERT_EQUAL(MASK("", 0), 0);
}

static void test_loads_address(void)
{
	CU_ASSERT_EQUAL(LOADED(x86_64, "\x48\x8d\x05\xf9\xff\xff\xff", false), 0x401000);	/* lea -7(%rip),%rax */
	CU_ASSERT_EQUAL(LOADED(x86_64, "\x48\xc7\xc0\x00\x20\x40\x00", false), 0);		/* mov $0x402000,%rax */
	CU_ASSERT_EQUAL(LOADED(x86_64, "\x48\xc7\xc0\x00\x20\x40\x00", true), 0x402000);
	CU_ASSERT_EQUAL(LOADED(x86_64, "\xb8\x00\x20\x40", true), 0);				/* cut off */
	CU_ASSERT_EQUAL(LOADED(i386, "\xb8\x00\x20\x40\x00", true), 0x402000);		/* mov $0x402000,%eax */
	CU_ASSERT_EQUAL(LOADED(i386, "\x48\x8d\x05\xf9\xff\xff\xff", true), 0);
	/* adrp x1, +9; adrp x0, -1; add x1, x1, #0x800; add x0, x0, #0x6c0 */
	CU_ASSERT_EQUAL(LOADED(aarch64, "\x21\x00\x00\xb0\xe0\xff\xff\xf0\x21\x00\x20\x91\x00\x00\x1b\x91", false), 0x406800);
	CU_ASSERT_EQUAL(LOADED(aarch64, "\xe0\xff\xff\xf0\x21\x00\x20\x91\x00\x00\x1b\x91", false), 0x4006c0);
	CU_ASSERT_EQUAL(LOADED(aarch64, "\xe0\xff\xff\xf0\x21\x00\x20\x91", false), 0);
	CU_ASSERT_EQUAL(LOADED(aarch64, "\xe0\xff\xff\xf0", false), 0);
	CU_ASSERT_EQUAL(LOADED(aarch64, "\xe2\xff\xff\x50", false), 0x400ffe);			/* adr x2, -2 */
	CU_ASSERT_EQUAL(LOADED(aarch64, "\x02\x00\x00", false), 0);
	CU_ASSERT_EQUAL(LOADED(aarch64, "\x00\x00\x1b\x91", false), 0);
}

#define BEFORE(arch, bytes) rt_arch_##arch.ends_code((const uint8_t *)bytes)
#define LANDING(arch, bytes) rt_arch_##arch.is_landing((const uint8_t *)bytes)

static void test_beginnings(void)
{
	CU_ASSERT_TRUE(BEFORE(x86_64, "\x11\x11\x11\x11\x11\x11\x11\xc3"));		/* ret */
	CU_ASSERT_TRUE(BEFORE(x86_64, "\x11\x11\x11\xe9\x11\x11\x11\x11"));		/* jmp */
	CU_ASSERT_FALSE(BEFORE(x86_64, "\xc3\x90\x11\x11\x11\x11\x11\x11"));
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\xc0\x03\x5f\xd6"));		/* ret */
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\xff\x0f\x5f\xd6"));		/* retab */
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\x00\x00\x00\x00"));
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\x01\x00\x00\x17"));		/* b */
	CU_ASSERT_FALSE(BEFORE(aarch64, "\xc0\x03\x5f\xd6\x01\x00\x00\x97"));		/* ret; bl */
	CU_ASSERT_TRUE(LANDING(x86_64, "\xf3\x0f\x1e\xfa") && !LANDING(x86_64, "\xf3\x0f\x1e\xfb"));
	CU_ASSERT_TRUE(LANDING(i386, "\xf3\x0f\x1e\xfb") && !LANDING(i386, "\xf3\x0f\x1e\xfa"));
	CU_ASSERT_TRUE(LANDING(aarch64, "\x5f\x24\x03\xd5") && LANDING(aarch64, "\x3f\x23\x03\xd5"));	/* bti c, paciasp */
	CU_ASSERT_FALSE(LANDING(aarch64, "\x1f\x20\x03\xd5"));					/* nop */
}

#define RETURN(bytes) rt_arch_aarch64.unsafe_return((const uint8_t *)bytes, sizeof(bytes) - 1)

static void test_unsafe_return(void)
{
	/* mov x10, x30; bl; ret x10 */
	RT_ASSERT_TEXT(RETURN("\xea\x03\x1e\xaa\x04\x00\x00\x94\x40\x01\x5f\xd6"), "keeps its return address in a register");
	/* stp x29, x30, [sp, #-16]!; mov x0, x30; bl _mcount */
	CU_ASSERT_PTR_NULL(RETURN("\xfd\x7b\xbf\xa9\xe0\x03\x1e\xaa\x04\x00\x00\x94"));
	/* str x30, [sp, #-16]!; mov x0, x30 */
	CU_ASSERT_PTR_NULL(RETURN("\xfe\x0f\x1f\xf8\xe0\x03\x1e\xaa"));
	/* sub sp, sp, #32; str x30, [sp, #16]; mov x0, x30 */
	CU_ASSERT_PTR_NULL(RETURN("\xff\x83\x00\xd1\xfe\x0b\x00\xf9\xe0\x03\x1e\xaa"));
	/* mov x10, x30; str x30, [x0]: not on the stack */
	CU_ASSERT_PTR_NOT_NULL(RETURN("\xea\x03\x1e\xaa\x1e\x00\x00\xf9"));
	/* Go: mov x3, x30 to get more stack; sub x20, sp, x27; stp x29, x30, [x20, #-8]; mov sp, x20 */
	CU_ASSERT_PTR_NULL(RETURN("\xf4\x63\x3b\xcb\x9d\xfa\x3f\xa9\x9f\x02\x00\x91\xe3\x03\x1e\xaa"));
	/* up to 1.16 str x30, [x27]; mov sp, x27 */
	CU_ASSERT_PTR_NULL(RETURN("\x7e\x03\x00\xf9\x7f\x03\x00\x91\xe3\x03\x1e\xaa"));
	/* the same with another register */
	CU_ASSERT_PTR_NOT_NULL(RETURN("\x9d\xfa\x3f\xa9\x7f\x03\x00\x91\xe3\x03\x1e\xaa"));
	/* mov x10, x29; and what is cut off */
	CU_ASSERT_PTR_NULL(RETURN("\xea\x03\x1d\xaa\xea\x03\x1e"));
	CU_ASSERT_PTR_NULL(rt_arch_x86_64.unsafe_return);
}

/* ---- nops that a kernel makes calls of ---- */

#define NOP10 "\x66\x2e\x0f\x1f\x84\0\0\0\0\0"
#define BYTES(text) text, sizeof(text) - 1

/* Followed by other bytes, of which none is taken for the nop's. */
static size_t nop_size(const char *bytes, size_t n)
{
	uint8_t insn[16];

	memset(insn, 0xc3, sizeof(insn));
	memcpy(insn, bytes, n);
	return rt_x86_64_nop_size(insn, sizeof(insn));
}

static void test_nop_size(void)
{
	static const struct {
		const char *bytes;
		size_t n, size;
	} v[] = {
		{ BYTES("\x90"), 1 }, { BYTES("\x66\x66\x66\x48\x90"), 5 }, { BYTES("\xf3\x90"), 2 }, { BYTES("\x49\x90"), 0 },	/* xchg %r8 */
		{ BYTES("\x0f\x1f\x00"), 3 }, { BYTES("\x0f\x1f\x44\x00\x00"), 5 }, { BYTES("\x0f\x1f\x44\x20\x09"), 5 },
		{ BYTES("\x66\x0f\x1f\x40\x00"), 5 }, { BYTES("\x66\x66\x0f\x1f\x00"), 5 }, { BYTES("\x64\x0f\x1f\x40\x00"), 5 },
		{ BYTES(NOP10), 10 }, { BYTES("\x2e\x66\x0f\x1f\x84\0\0\2\0\0"), 10 },
		{ BYTES("\x0f\x1e\xfa"), 0 }, { BYTES("\xf3\x0f\x1e\xfa"), 0 },
		{ BYTES("\x66\x66\x48\x89\xc0"), 5 }, { BYTES("\x48\x8b\xff"), 3 }, { BYTES("\x89\xc0"), 0 },	/* clears the upper half */
		{ BYTES("\x48\x89\xf8"), 0 }, { BYTES("\x4c\x89\xc0"), 0 }, { BYTES("\x4d\x89\xc0"), 3 },
		{ BYTES("\x48\x8d\x74\x26\x00"), 5 }, { BYTES("\x48\x8d\x44\x24\x08"), 0 }, { BYTES("\x48\x8d\x7f\x00"), 4 },
		{ BYTES("\x48\x8d\x3f"), 0 }, { BYTES("\x48\x8d\x34\x36"), 0 },
		{ BYTES("\xe9\0\0\0\0"), 5 }, { BYTES("\xe9\1\0\0\0"), 0 },
	};
	size_t i, k;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		CU_ASSERT_EQUAL(nop_size(v[i].bytes, v[i].n), v[i].size);
		/* Cut off. */
		for (k = 0; v[i].size && k < v[i].n; k++)
			CU_ASSERT_EQUAL(rt_x86_64_nop_size((const uint8_t *)v[i].bytes, k), 0);
	}
}

static const char *judge_nop(const struct rt_arch *arch, const char *bytes, size_t n, enum rt_nops nops)
{
	return arch->refuses((const uint8_t *)bytes, n, nops);
}

static void test_nops(void)
{
	static const char nop5[] = "\x0f\x1f\x44\x00\x00\x55", nop4[] = "\x0f\x1f\x40\x00\x90";

	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_TRAP));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_CALL10));
	RT_ASSERT_TEXT(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_CALL5),
		       "begins with a 5-byte nop, which this kernel replaces by a call that can crash the program; 5 bytes further is safe");
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop4, 5, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, "\x66\x90", 2, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_i386, nop5, 6, RT_NOPS_CALL5));
	RT_ASSERT_TEXT(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_TRAP), "begins with a segment prefix, which the kernel cannot probe");
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_CALL10));
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, NOP10, 9, RT_NOPS_CALL10));
	/* LLVM's, which that kernel refuses. */
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, BYTES("\x2e\x66\x0f\x1f\x84\0\0\2\0\0"), RT_NOPS_CALL10));
}

static void test_nops_asked(void)
{
	CU_ASSERT_EQUAL(rt_nops_of(ENOSYS, false), RT_NOPS_TRAP);
	CU_ASSERT_EQUAL(rt_nops_of(ENXIO, false), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(EPROTO, false), RT_NOPS_CALL10);
	CU_ASSERT_EQUAL(rt_nops_of(EPROTO, true), RT_NOPS_CALL10);
	/* A filter's answer, a process that it has ended, and what no kernel says. */
	CU_ASSERT_EQUAL(rt_nops_of(ENOSYS, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(EPERM, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(0, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(0, false), RT_NOPS_CALL5);
	if (rt_arch_native() != EM_X86_64)
		CU_ASSERT_EQUAL(rt_nops_ask(), RT_NOPS_TRAP);
}

/* Every architecture has all that is asked of one. */
static void test_complete(void)
{
	const struct rt_arch *a;
	unsigned i;

	for (i = 0; (a = rt_arch_at(i)) != NULL; i++) {
		CU_ASSERT_PTR_EQUAL(rt_arch_of(a->machine), a);
		CU_ASSERT(a->word == 4 || a->word == 8);
		CU_ASSERT(a->insn_align > 0);
		CU_ASSERT(a->refuses && a->loads_address && a->ends_code && a->is_landing);
		CU_ASSERT(a->ip.tracefs && a->sp.tracefs && a->result.tracefs);
		CU_ASSERT_PTR_NOT_NULL(a->refuses(NULL, 0, RT_NOPS_TRAP));
	}
	CU_ASSERT(i > 2);
}

CU_TestInfo rt_tests_arch[] = {
	{ "complete", test_complete },
	{ "tables", test_tables },
	{ "a program to try uretprobes on", test_trial },
	{ "pt_regs offsets", test_offsets },
	{ "machine names", test_names },
	{ "x86 instructions that may be probed", test_x86_allowed },
	{ "x86 instructions that may not", test_x86_refused },
	{ "instructions of mask registers", test_mask_size },
	{ "nops", test_nop_size },
	{ "nops that a kernel makes calls of", test_nops },
	{ "what the kernel makes of nops", test_nops_asked },
	{ "i386 instructions", test_i386 },
	{ "i386: what pushes", test_i386_pushes },
	{ "aarch64 instructions", test_aarch64 },
	{ "addresses that resolvers load", test_loads_address },
	{ "beginnings of functions", test_beginnings },
	{ "functions without a frame that call", test_unsafe_return },
	CU_TEST_INFO_NULL,
};
