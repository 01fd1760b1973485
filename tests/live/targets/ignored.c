/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the file's own whose results nobody looks at, or somebody does: optimizing compilers
 * make those of the former void and leave anything in the register.  It prints the results that
 * were looked at.
 */
#include <stdio.h>

#define CALLED static __attribute__((noinline))

static int sink;

/* Something else stands in the result's register, as if by chance. */
static inline __attribute__((always_inline)) void spoil(void *p)
{
#ifdef __x86_64__
	__asm__ volatile("" : "+a"(p) :: "memory");
#else
	__asm__ volatile("" : "+r"(p) :: "memory");
#endif
	sink++;
}

CALLED int ignored(int a, int b) { spoil(&a); sink += b; return a + b; }
CALLED int sometimes(int a) { spoil(&a); return a + 1; }
CALLED int passed(int a) { spoil(&a); return a + 2; }
CALLED int passes(int a) { sink++; return passed(a); }
CALLED long wide(int a) { spoil(&a); return a + 5000000000l; }
/* Its callers return what it gives, and nobody looks at that either. */
CALLED int twice(int a) { spoil(&a); return a + 3; }
CALLED int returns(int a)
{
	sink++;
	__asm__ volatile("" ::: "memory");
	a = twice(a);
	__asm__ volatile("" ::: "memory");
	return a;
}
CALLED int branches(int a) { spoil(&a); return a > 2; }

int main(int argc, char **argv)
{
	(void)argv;
	ignored(argc, 2);
	puts("ignored not known");
	sometimes(argc);
	if (sometimes(argc + 5) == 7)
		puts("sometimes 2\nsometimes 7");
	printf("passes %d\n", passes(argc + 6));
	if (wide(argc) > 5000000000l)
		puts("wide 5000000001");
	if (branches(argc + 3))
		puts("branches 1");
	returns(argc);
	puts("twice not known");
	ignored(argc + 1, 5);
	puts("ignored not known");
	return sink > 100;
}
