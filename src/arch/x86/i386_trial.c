/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/arch.h"

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
