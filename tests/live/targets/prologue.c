/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions in assembly, of each kind that could mislead whoever moves a probe behind an entry.
 * prologue CASE calls one of them some times, and says so itself; "prologue reads" ends by a fault
 * in its first instructions.
 */
#include "witness.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ENDBR ".byte 0xf3, 0x0f, 0x1e, 0xfa\n"
#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ", @function\n" #name          \
		":\n" code ".size " #name ", . - " #name "\n")

int plain(int n), quiet(int n), again(int n), loop(int n), entered(int n), pointed(int n),
	zone(int n), guarded(int n);
int brief(int n), next(int n), mixed(int n), twice(int n), second(int n), spoiled(int n),
	early(int n), nopped(int n);
int reads(const int *p), table(int n), saved(int n), over(int n), known(int n),
	counted(int n);
int eight(int a, int b, int c, int d, int e, int f, int g, int h);
int eight_down(int a, int b, int c, int d, int e, int f, int g, int h);
int part(int n) __asm__("whole.part.0");
int enter_entered(int n);

FUNCTION(plain, ENDBR "push %rbx\n mov %edi,%ebx\n lea 1(%rbx),%eax\n pop %rbx\n ret\n");
FUNCTION(quiet, "test %edi,%edi\n je 1f\n mov %edi,%eax\n ret\n 1: mov $7,%eax\n ret\n");
/* Back to its entry: one hit a pass. */
FUNCTION(again, ENDBR "test %edi,%edi\n je 1f\n sub $1,%edi\n jmp again\n 1: mov $3,%eax\n ret\n");
/* Into its prologue: one hit a call, not one a pass. */
FUNCTION(loop, ENDBR "mov %edi,%eax\n 1: sub $1,%eax\n jg 1b\n add $4,%eax\n ret\n");
/* From another function into the prologue, and through a pointer there. */
FUNCTION(entered,
	 ENDBR ".Lentered: lea 5(%rdi),%eax\n test %edi,%edi\n jg 1f\n neg %eax\n 1: ret\n");
__asm__(".fill 300, 1, 0x90\n");
FUNCTION(enter_entered, "push %rbx\n add $1,%edi\n pop %rbx\n jmp .Lentered\n");
FUNCTION(pointed,
	 ENDBR ".Lpointed: lea 6(%rdi),%eax\n test %edi,%edi\n jg 1f\n neg %eax\n 1: ret\n");
__asm__(".data\n.balign 8\n.globl pointer\npointer: .quad .Lpointed\n.text\n");
/* The red zone, and the stack below it. */
FUNCTION(zone,
	 ENDBR "mov %edi,-8(%rsp)\n test %edi,%edi\n je 1f\n nop\n 1: mov -8(%rsp),%eax\n ret\n");
FUNCTION(guarded, ENDBR "test %edi,%edi\n js 2f\n mov %edi,-4(%rsp)\n movl $0,-8(%rsp)\n"
			"1: mov -4(%rsp),%eax\n add %eax,-8(%rsp)\n subl $1,-4(%rsp)\n jg 1b\n mov "
			"-8(%rsp),%eax\n ret\n"
			"2: xor %eax,%eax\n ret\n");
/* Arguments on the stack. */
FUNCTION(eight, ENDBR "push %rbx\n mov 16(%rsp),%eax\n sub 24(%rsp),%eax\n pop %rbx\n ret\n");
FUNCTION(eight_down,
	 "sub $24,%rsp\n test %edi,%edi\n je 1f\n nop\n 1: mov 32(%rsp),%eax\n sub 40(%rsp),%eax\n"
	 "add $24,%rsp\n ret\n");
/* Shorter than the probe's distance, with the next one behind it at once. */
FUNCTION(brief, ENDBR);
__asm__(".globl next\n.type next, @function\nnext: push %rbx\n lea 8(%rdi),%eax\n pop %rbx\n "
	"ret\n.size next, . - next\n");
/* Data in the code: what looks like a jump to the prologue, and a cut-off instruction. */
FUNCTION(mixed, ENDBR "test %edi,%edi\n je 1f\n jmp 1f\n .byte 0xeb, 0xf6, 0x48, 0xb8, 0x0f\n 1: "
		      "lea 9(%rdi),%eax\n ret\n");
/* Two functions in one. */
FUNCTION(twice, ENDBR ".globl second\n.type second, @function\nsecond: push %rbx\n lea "
		      "10(%rdi),%eax\n pop %rbx\n ret\n"
		      ".size second, . - second\n");
FUNCTION(spoiled, ENDBR "mov %edi,%eax\n mov $99,%edi\n test %eax,%eax\n je 1f\n 1: ret\n");
FUNCTION(early, ENDBR "call helper\n lea 11(%rdi),%eax\n ret\n");
__asm__(".globl helper\n.type helper, @function\nhelper: ret\n.size helper, . - helper\n");
FUNCTION(nopped,
	 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n mov %edi,-8(%rsp)\n mov -8(%rsp),%eax\n ret\n");
FUNCTION(reads, ENDBR "mov (%rdi),%eax\n test %eax,%eax\n je 1f\n 1: ret\n");
/* A jump table, one of whose places is in the prologue. */
FUNCTION(table, ENDBR "mov %edi,%eax\n .Ltop: sub $1,%eax\n jg 1f\n add $12,%eax\n ret\n"
	 "1: lea .Ltable(%rip),%rdx\n movslq (%rdx),%rcx\n add %rdx,%rcx\n jmp *%rcx\n");
__asm__(".section .rodata\n.balign 4\n.Ltable: .long .Ltop - .Ltable\n.text\n");
/* Code that needs registers to be saved, and the carry to be passed over. */
FUNCTION(saved, ENDBR "mov %edi,%r10d\n cmp $5,%r10d\n jb 1f\n mov %r10d,%eax\n ret\n 1: lea "
		      "100(%r10),%eax\n ret\n");
FUNCTION(over, "xor %eax,%eax\n cmp %edi,%eax\n nop\n setl %al\n movzbl %al,%eax\n ret\n");
/* Reads of the file's own data, in .data and .bss. */
__asm__(".data\n.balign 4\n.Lgiven: .long 14\n.bss\n.balign 4\n.Lzero: .long 0\n.text\n");
FUNCTION(known, ENDBR "mov .Lgiven(%rip),%eax\n cmpl $0,.Lzero(%rip)\n je 1f\n neg %eax\n 1: add "
		      "%edi,%eax\n ret\n");
/* A write to it. */
FUNCTION(counted, "addl $1,.Lzero(%rip)\n test %edi,%edi\n je 1f\n 1: lea 15(%rdi),%eax\n "
		  "subl $1,.Lzero(%rip)\n ret\n");
__asm__(".globl whole.part.0\n");
FUNCTION(whole.part.0, "sub $24,%rsp\n test %edi,%edi\n je 1f\n call helper\n 1: lea "
			"13(%rdi),%eax\n add $24,%rsp\n ret\n");

extern int (*pointer)(int n);

static int call(const char *name, int (*f)(int n), int n)
{
	w_enter(name, n);
	return w_return(f(n));
}

static int call_plainly(const char *name)
{
	static const struct {
		const char *name;
		int (*f)(int n);
	} v[] = {
		{ "plain", plain },	{ "quiet", quiet },	{ "loop", loop },
		{ "zone", zone },	{ "guarded", guarded }, { "mixed", mixed },
		{ "spoiled", spoiled }, { "early", early },	{ "nopped", nopped },
		{ "table", table },	{ "saved", saved },	{ "over", over },
		{ "known", known },	{ "counted", counted },
	};
	size_t i;
	int n, sum = 0;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		for (n = 0; strcmp(v[i].name, name) == 0 && n < 20; n++)
			sum += call(name, v[i].f, n % 10);
	return sum;
}

/* The passes are to the trace what tail calls are. */
static int call_twice(int n)
{
	int i, result = again(n);

	for (i = n; i >= 0; i--) {
		w_enter("again", i);
		if (i)
			w_jump();
	}
	return w_return(result);
}

static void call_eight(const char *name, int (*f)(int, int, int, int, int, int, int, int), int a)
{
	char text[64];

	snprintf(text, sizeof(text), "(%s %d 2 3 4 5 6 70 %d)", name, a, a + 8);
	w_call(text);
	w_return(f(a, 2, 3, 4, 5, 6, 70, a + 8));
}

static int call_specially(const char *name)
{
	int sum = 0, n, v;

	for (n = 0; n < 5; n++) {
		if (strcmp(name, "again") == 0)
			sum += call_twice(n);
		else if (strcmp(name, "entered") == 0)
			sum += call("entered", entered, n) + enter_entered(n);
		else if (strcmp(name, "pointed") == 0)
			sum += call("pointed", pointed, n) + pointer(n);
		else if (strcmp(name, "eight") == 0)
			call_eight("eight", eight, n);
		else if (strcmp(name, "eight_down") == 0)
			call_eight("eight_down", eight_down, n);
		if (strcmp(name, "brief") == 0 || strcmp(name, "twice") == 0) {
			w_enter(name, n);
			w_jump();
			sum += call(*name == 'b' ? "next" : "second", *name == 'b' ? brief : twice,
				    n);
		}
		if (strcmp(name, "whole.part.0") == 0) {
			w_flat = 1;
			w_enter(name, n);
			sum += part(n);
		}
		v = n;
		if (strcmp(name, "reads") == 0)
			sum += reads(&v);
	}
	return sum;
}

static int replacement(int n)
{
	return n + 2;
}

/* As a hook does: a jump over the beginning of plain(). */
static int patch_and_wait(void)
{
	uint8_t jump[5] = { 0xe9 }, *page = (uint8_t *)((uintptr_t)plain & ~(uintptr_t)4095);
	int32_t way = (int32_t)((uintptr_t)replacement - (uintptr_t)plain - sizeof(jump));
	int sig, n, wrong = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	memcpy(jump + 1, &way, sizeof(way));
	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return 1;
	memcpy((void *)(uintptr_t)plain, jump, sizeof(jump));
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
	puts("patched");
	fflush(stdout);
	sigwait(&set, &sig);
	for (n = 0; n < 100; n++)
		wrong += plain(n) != n + 2 || quiet(n) != (n ? n : 7);
	puts(wrong ? "wrong" : "right");
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "wait") == 0)
		return patch_and_wait();
	printf("%d\n", call_plainly(name) + call_specially(name));
	fflush(stdout);
	if (strcmp(name, "reads") == 0)
		printf("%d\n", reads((const int *)8));
	return 0;
}
