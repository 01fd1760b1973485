/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with nops that some kernels make calls of.  nop5 forks: calls of all of them, in a
 * forked child too.  nop5 waits: the same, but the child calls nothing before SIGUSR2; forks at
 * SIGUSR1.  Prints how many results were wrong, and how each child ended.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#define FUNCTION(name, code)                                                                       \
	int name(int n);                                                                           \
	__asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ", @function\n" #name          \
		":\n\t" code "\n\tret\n.size " #name ", . - " #name "\n")

#ifdef __x86_64__
FUNCTION(nop, NOP5 "\n\tlea 1(%rdi), %eax");
FUNCTION(pushes, NOP5 "\n\tpush %rbx\n\tlea 1(%rdi), %eax\n\tpop %rbx");
/* Other forms of 5 bytes. */
FUNCTION(word, ".byte 0x66, 0x0f, 0x1f, 0x40, 0x00\n\tlea 1(%rdi), %eax");
FUNCTION(itself, ".byte 0x48, 0x8d, 0x74, 0x26, 0x00\n\tlea 1(%rdi), %eax");
/* The nop is what a probe at the entry would be moved to. */
FUNCTION(moved, "mov %edi, %eax\n\t" NOP5 "\n\tadd $1, %eax");
/* Before an exit. */
FUNCTION(leaves, "lea 1(%rdi), %eax\n\t" NOP5);
/* Behind the nop is a loop. */
FUNCTION(loop, NOP5 "\n1:\tmov %edi, %eax\n\tadd $1, %eax\n\tcmp $0, %edi\n\tjl 1b");
/* A leaf, which keeps its argument below the stack pointer. */
FUNCTION(leaf, "movslq %edi, %rax\n\tmov %rax, -8(%rsp)\n\t" NOP5
	       "\n\tmov -8(%rsp), %rax\n\tadd $1, %eax");
FUNCTION(nop10,
	 ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n\tlea 1(%rdi), %eax");
/* LLVM's, which no kernel probes. */
FUNCTION(llvm10,
	 ".byte 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00\n\tlea 1(%rdi), %eax");
#else
#error "of x86-64 alone"
#endif

static int (*const functions[])(int) = { nop,	 pushes, word, itself, moved,
					 leaves, loop,	 leaf, nop10,  llvm10 };
static volatile sig_atomic_t signals[2];

static void told(int sig)
{
	signals[sig == SIGUSR2] = 1;
}

static int call_all(int times)
{
	int i, wrong = 0;
	unsigned k;

	for (i = 0; i < times; i++)
		for (k = 0; k < sizeof(functions) / sizeof(functions[0]); k++)
			wrong += functions[k](i) != i + 1;
	return wrong;
}

static int calls_in_child(int waits)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		while (waits && !signals[1])
			usleep(1000);
		_exit(call_all(20) != 0);
	}
	if (waits) {
		printf("forked %d\n", (int)pid);
		fflush(stdout);
	}
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	int waits = argc > 1 && strcmp(argv[1], "waits") == 0, wrong = 0;

	signal(SIGUSR1, told);
	signal(SIGUSR2, told);
	if (waits)
		printf("ready\n");
	fflush(stdout);
	while (waits && !signals[0]) {
		wrong += call_all(1);
		usleep(1000);
	}
	wrong += call_all(20);
	printf("wrong: %d, child: %x\n", wrong, (unsigned)calls_in_child(waits));
	return 0;
}
