/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that begin with instructions, of AVX but for one, which kernels take for others: what
 * they compute must not change while they are traced.
 */
#include <stdio.h>

typedef unsigned v4 __attribute__((vector_size(16)));

#define FUNCTION(name, code)                                                                       \
	v4 name(v4 a, v4 b);                                                                       \
	__asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n\t" code                 \
		"\n\tret\n.size " #name ",.-" #name "\n.p2align 4")

FUNCTION(avx_or, "vpor %xmm1,%xmm0,%xmm0");			/* jmp */
FUNCTION(avx_equal, "vpcmpeqd %xmm1,%xmm0,%xmm0");		/* je */
FUNCTION(avx_shuffle, "vpshufd $0x1b,%xmm1,%xmm0");		/* jo */
FUNCTION(avx_minus, "vpsubsw %xmm1,%xmm0,%xmm0");		/* jmp, near */
FUNCTION(avx_fill, "vpbroadcastb %xmm1,%xmm0");			/* js */
FUNCTION(avx_multiply, "vfnmadd132ss %xmm1,%xmm1,%xmm0");	/* popf */
FUNCTION(avx_compare, "vcmpeqps %xmm1,%xmm0,%xmm0");		/* ret */
FUNCTION(avx_add, "vaddps %xmm1,%xmm0,%xmm0");			/* none */
FUNCTION(avx_swap, "xchg %rax,%r8\n\tmovd %eax,%xmm0");		/* nop */
FUNCTION(avx_swapped, "mov $7,%eax\n\tmov $9,%r8d\n\tcall avx_swap");

static void show(const char *name, v4 (*f)(v4, v4))
{
	const v4 a = { 0x3fc00000, 2, 0x40400000, 4 }, b = { 0x40200000, 2, 7, 0x01020304 };
	v4 r = f(a, b);

	printf("%s %x %x %x %x\n", name, r[0], r[1], r[2], r[3]);
}

int main(void)
{
	show("or", avx_or);
	show("equal", avx_equal);
	show("shuffle", avx_shuffle);
	show("minus", avx_minus);
	show("fill", avx_fill);
	show("multiply", avx_multiply);
	show("compare", avx_compare);
	show("add", avx_add);
	show("swapped", avx_swapped);
	return 0;
}
