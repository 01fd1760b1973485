/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop CALLS: calls hit() that often and prints "FIRST NS": CLOCK_MONOTONIC at the beginning of main, in ns, and what
 * one call took, in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
/* In assembly, so that it begins with a push, which the kernel emulates, whatever the compiler's options. */
int hit(int n);
__asm__(".text\n"
	".globl hit\n"
	".type hit, @function\n"
	"hit:\n"
#ifdef __x86_64__
	"	push %rbp\n"
	"	mov %edi, %eax\n"
	"	pop %rbp\n"
#else
	"	push %ebp\n"
	"	mov 8(%esp), %eax\n"
	"	pop %ebp\n"
#endif
	"	ret\n"
	".size hit, . - hit\n");
#else
__attribute__((noinline)) int hit(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}
#endif

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t first = now(), began;
	long calls = argc > 1 ? atol(argv[1]) : 1, i;

	began = now();
	for (i = 0; i < calls; i++)
		hit(1);
	printf("%llu %.2f\n", (unsigned long long)first, (double)(now() - began) / (double)calls);
	return 0;
}
