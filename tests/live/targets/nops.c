/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that begin with a nop: one that every kernel probes, and one with a prefix, that of
 * clang's -fpatchable-function-entry.
 */
#include "witness.h"

#ifdef __x86_64__
#define FUNCTION(name, nop)                                                                        \
	int name(int n);                                                                           \
	__asm__(".text\n.type " #name ", @function\n" #name ":\n" nop                              \
		"\n\tlea 1(%rdi), %eax\n\tret\n.size " #name ", . - " #name "\n")
FUNCTION(plain, "nop");
FUNCTION(prefixed, ".byte 0x66, 0x90");
#else
TRACED int plain(int n)
{
	OPAQUE(n);
	return n + 1;
}

TRACED int prefixed(int n)
{
	OPAQUE(n);
	return n + 1;
}
#endif

int main(void)
{
	int sum = 0, i;

	for (i = 0; i < 5; i++)
		sum += prefixed(plain(i));
	printf("sum %d\n", sum);
	return sum == 20 ? 0 : 1;
}
