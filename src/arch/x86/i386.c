/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/operand.h"
#include "base/array.h"

/*
 * The shared rule is that of 64-bit mode.  Here 40..4f are inc and dec and end the instruction, the
 * opcodes below exist, and c4, c5 and 62 are VEX and EVEX only where the next byte could not be the
 * ModRM of lds, les and bound.
 */
/* Kernels make calls of nops in 64-bit code alone. */
static const char *i386_refuses(const uint8_t *insn, size_t n, enum rt_nops nops)
{
	(void)nops;
	if (n == 0)
		return rt_x86_refuses(insn, n);
	if ((insn[0] & 0xf0) == 0x40)
		return NULL;
	switch (insn[0]) {
	case 0x06: case 0x0e: case 0x16: case 0x1e:	/* push %es, %cs, %ss, %ds */
	case 0x27: case 0x2f: case 0x37: case 0x3f:	/* daa, das, aaa, aas */
	case 0x60:
	case 0x61:
	case 0x82:
	case 0x9a: /* pusha, popa, a second group 1, far call */
	case 0xd4: case 0xd5: case 0xd6: case 0xea:	/* aam, aad, salc, far jmp */
		return NULL;
	case 0x62: case 0xc4: case 0xc5:
		if (n > 1 && insn[1] < 0xc0)
			return NULL;
		break;
	}
	return rt_x86_refuses(insn, n);
}

/* push %reg, call, call *place; behind prefixes too. */
static bool i386_pushes(const uint8_t *insn, size_t n)
{
	while (n && memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", *insn, 10)) {
		insn++;
		n--;
	}
	return n && ((*insn & 0xf8) == 0x50 || *insn == 0xe8 ||
		     (n > 1 && *insn == 0xff && (insn[1] >> 3 & 7) == 2));
}

static bool i386_is_landing(const uint8_t *insn)
{
	return memcmp(insn, "\xf3\x0f\x1e\xfb", 4) == 0;	/* endbr32 */
}

/*
 * "System V ABI, Intel386 supplement": DWARF register numbers.  The registers are those of an
 * x86-64 kernel.
 */
static const struct rt_reg dwarf[] = {
	{ "ax", 80 },  { "cx", 88 }, { "dx", 96 },  { "bx", 40 },
	{ "sp", 152 }, { "bp", 32 }, { "si", 104 }, { "di", 112 },
};

static const char *i386_platform(void)
{
	return "i686";
}

/*
 * A 32-bit program on an x86-64 kernel: the registers are the 64-bit pt_regs with their upper
 * halves clear, and all arguments are on the stack above the 4-byte return address.
 */
const struct rt_arch rt_arch_i386 = {
	.name = "i386",
	.machine = EM_386,
	.kernel_machine = EM_X86_64,
	.cache_flags = 0x3,	/* FLAG_ELF_LIBC6 */
	.platform = i386_platform,
	.word = 4,
	.ip = { "ip", 128 },
	.sp = { "sp", 152 },
	.result = { "ax", 80 },
	.flags = { "flags", 144 },
	.result2 = { "dx", 96 },
	.dwarf = dwarf,
	.ndwarf = RT_COUNT(dwarf),
	.saved = 0xe8,	/* bx, bp, si, di */
	.dwarf_float = 21,
	.float_name = "xmm",
	.c_abi = RT_C_ABI_SYSV_I386,
	.has_x87 = true,
	.relative = R_386_RELATIVE,
	.stores_in_order = true,
	.stack_args = 4,
	.return_pop = 4,
	.callee_pop = 1024,	/* "ret $4" after a result in memory; more by stdcall */
	.trial = &rt_i386_trial,
	.refuses = i386_refuses,
	.pushes = i386_pushes,
	.form = rt_i386_form,
	.operand = rt_x86_operand,
	.direct_target = rt_x86_direct_target,
	.insn_align = 1,
	.loads_address = rt_x86_loads_address,
	.ends_code = rt_x86_ends_code,
	.is_landing = i386_is_landing,
};

/*
 * On 3.10, 4.4, 4.9 and 4.14 a uretprobe writes 8 bytes over a 4-byte return address, and so 0 over
 * the first argument.  Other kernels do not (RHEL 7's 3.10, 4.19).  sum(n) = n + sum(n - 1) reads
 * its argument after a call that returns through the trampoline; it begins with push, and place(n)
 * with a call, which kernels emulate, as functions of position-independent programs do.
 */
static const uint8_t code[] = {
	0xb8, 0x1b, 0x00, 0x00, 0x00,		/* mov $27,%eax: alarm(2), should it never end */
	0xbb, 0x02, 0x00, 0x00, 0x00,		/* mov $2,%ebx */
	0xcd, 0x80,				/* int $0x80 */
	/* mov $172,%eax: prctl(PR_SET_DUMPABLE, 0), should it crash */
	0xb8, 0xac, 0x00, 0x00, 0x00,
	0xbb, 0x04, 0x00, 0x00, 0x00,		/* mov $4,%ebx */
	0x31, 0xc9,				/* xor %ecx,%ecx */
	0xcd, 0x80,				/* int $0x80 */
	0xbe, 0x03, 0x00, 0x00, 0x00,		/* mov $3,%esi */
	0x6a, 0x2a,				/* loop:  push $42: must be there afterwards */
	0x56,					/* push %esi */
	0xe8, 0x37, 0x00, 0x00, 0x00,		/* call sum */
	0x5a,					/* pop %edx */
	0x59,					/* pop %ecx */
	0x39, 0xf2,				/* cmp %esi,%edx */
	0x75, 0x25,				/* jne wrong */
	0x83, 0xf9, 0x2a,			/* cmp $42,%ecx */
	0x75, 0x20,				/* jne wrong */
	0x89, 0xc7,				/* mov %eax,%edi */
	0x6a, 0x2a,				/* push $42: must be there afterwards */
	0x56,					/* push %esi */
	0xe8, 0x3b, 0x00, 0x00, 0x00,		/* call place */
	0x5a,					/* pop %edx */
	0x59,					/* pop %ecx */
	0x39, 0xf2,				/* cmp %esi,%edx */
	0x75, 0x10,				/* jne wrong */
	0x83, 0xf9, 0x2a,			/* cmp $42,%ecx */
	0x75, 0x0b,				/* jne wrong */
	0x39, 0xc7,				/* cmp %eax,%edi */
	0x75, 0x07,				/* jne wrong */
	0x4e,					/* dec %esi */
	0x75, 0xd1,				/* jne loop */
	0x31, 0xdb,				/* xor %ebx,%ebx */
	0xeb, 0x05,				/* jmp end */
	0xbb, 0x01, 0x00, 0x00, 0x00,		/* wrong:  mov $1,%ebx */
	0xb8, 0x01, 0x00, 0x00, 0x00,		/* end:  mov $1,%eax: exit */
	0xcd, 0x80,				/* int $0x80 */
	0x55,					/* sum:  push %ebp */
	0x89, 0xe5,				/* mov %esp,%ebp */
	0x8b, 0x45, 0x08,			/* mov 8(%ebp),%eax */
	0x48,					/* dec %eax */
	0x78, 0x0c,				/* js zero */
	0x50,					/* push %eax */
	0xe8, 0xf1, 0xff, 0xff, 0xff,		/* call sum */
	0x59,					/* pop %ecx */
	0x03, 0x45, 0x08,			/* add 8(%ebp),%eax */
	0xeb, 0x02,				/* jmp out */
	0x31, 0xc0,				/* zero:  xor %eax,%eax */
	0x5d,					/* out:  pop %ebp */
	0xc3,					/* ret */
	0xe8, 0x00, 0x00, 0x00, 0x00,		/* place:  call here */
	0x59,					/* here:  pop %ecx */
	0x81, 0xf9, 0xf0, 0x80, 0x04, 0x08,	/* cmp $here,%ecx */
	0x75, 0xcd,				/* jne wrong */
	0x8b, 0x44, 0x24, 0x04,			/* mov 4(%esp),%eax */
	0x8d, 0x48, 0x01,			/* lea 1(%eax),%ecx */
	0x0f, 0xaf, 0xc1,			/* imul %ecx,%eax */
	0xd1, 0xe8,				/* shr %eax */
	0xc3,					/* ret */
};

enum { BASE = 0x08048000, CODE = 0x74, SUM = 0xd2 - CODE, PLACE = 0xeb - CODE };

const struct rt_arch_trial rt_i386_trial = {
	.code = code,
	.size = sizeof(code),
	.base = BASE,
	.functions = { SUM, PLACE },
	/* sum(3), sum(2), sum(1) with those inside them, and place(3), place(2), place(1) */
	.calls = 9 + 3,
	.arguments = 10 + 6,
	.results = 15 + 10,
};
