/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program changes the instruction behind a call: it adds 2, and in the file 1.  The function
 * that is called ends in a jump to an unknown one.  With an argument its code stays writable.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static long target(void)
{
	return 40;
}

long (*volatile pointer)(void) = target;
extern unsigned char behind[];
long jumps(void), calls(void);
__asm__(".text\n"
	".globl jumps, calls, behind\n"
	".type jumps, @function\n"
	".type calls, @function\n"
	"jumps:\n"
	"	push %rbx\n"
	"	pop %rbx\n"
	"	jmp *pointer(%rip)\n"
	".size jumps, . - jumps\n"
	"calls:\n"
	"	sub $8, %rsp\n"
	"	call jumps\n"
	"behind:\n"
	"	add $1, %rax\n"
	"	add $8, %rsp\n"
	"	ret\n"
	".size calls, . - calls\n");

int main(int argc, char **argv)
{
	uintptr_t size = (uintptr_t)getpagesize(), page = (uintptr_t)behind & -size;
	int i, wrong = 0;

	if (mprotect((void *)page, 2 * size, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return 1;
	behind[3] = 2;
	(void)argv;
	if (argc == 1)
		mprotect((void *)page, 2 * size, PROT_READ | PROT_EXEC);
	for (i = 0; i < 300; i++) {
		wrong += calls() != 42;
		usleep(1000);
	}
	printf("%d wrong\n", wrong);
	return 0;
}
