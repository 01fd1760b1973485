/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hot CALLS: so many calls of a function that begins with what kernels emulate, and of one that
 * does not.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef __x86_64__
#define FUNCTION(name, code)                                                                       \
	int name(int n);                                                                           \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n\t" code         \
		"\n\tret\n.size " #name ", . - " #name "\n")
FUNCTION(pushes, "push %rbx\n\tlea 1(%rdi), %eax\n\tpop %rbx");
FUNCTION(loads, "mov (%rsp), %rax\n\tlea 1(%rdi), %eax");
#else
#error "of x86-64 alone"
#endif

int main(int argc, char **argv)
{
	int i, calls = argc > 1 ? atoi(argv[1]) : 20000, sum = 0;

	for (i = 0; i < calls; i++)
		sum += pushes(i) - loads(i);
	printf("%d\n", sum);
	return 0;
}
