/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function that ends in a jump to one that only returns.  The caller's word above the return
 * address must stay.
 * Arguments: the number of calls; a file to wait for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long guarded(long word);
__asm__(".text\n"
	".globl guarded\n"
	".type guarded, %function\n"
	"guarded: push %rdi\n call jumps\n pop %rax\n ret\n"
	".size guarded, . - guarded\n"
	".globl jumps\n"
	".type jumps, %function\n"
	"jumps: push %rbx\n lea 1(%rdi), %rax\n pop %rbx\n jmp only_returns\n"
	".size jumps, . - jumps\n"
	".globl only_returns\n"
	".type only_returns, %function\n"
	"only_returns: ret\n"
	".size only_returns, . - only_returns\n"
	".globl has_return_inside\n"
	".type has_return_inside, %function\n"
	"has_return_inside: mov $0xc3, %eax\n ret\n"
	".size has_return_inside, . - has_return_inside\n");

int main(int argc, char **argv)
{
	enum { TRIES = 6000, PAUSE_US = 10000 };
	long i, n = argc > 1 ? atol(argv[1]) : 1;

	for (i = 0; argc > 2 && i < TRIES && access(argv[2], F_OK) != 0; i++)
		usleep(PAUSE_US);
	for (i = 0; i < n; i++)
		if (guarded(i) != i) {
			printf("call %ld: the caller's word has changed\n", i);
			return 1;
		}
	printf("%ld calls\n", n);
	return 0;
}
