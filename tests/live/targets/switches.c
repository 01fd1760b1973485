/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C of x86 that a uretprobe would break: a coroutine written by hand, with -DSPLIT=1 and others in
 * pieces that have the compiler's code between them; with -DWAY='"..."' assembly that changes
 * stacks in another way, with -DDATA in data; or with -DWALKS a walk over return addresses.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

#ifdef WALKS

#include <execinfo.h>

NOINLINE int produce(int n)
{
	void *frames[64];

	return backtrace(frames, 64) + n;
}

NOINLINE int consume(int n)
{
	int depth = produce(n);

	__asm__ volatile("");
	return depth;
}

int main(void)
{
	int i, first = consume(0);

	for (i = 1; i < 4; i++)
		printf("%d\n", consume(i) - first);
	return 0;
}

#else

#ifdef SPLIT
enum { SAVED = 0, LOCALS = 2, MEMORY = 3, RESULT = 4, EXCHANGED = 5, MOVED = 6, OTHER = 7 };

/* From %0, which may be changed, to %rsp. */
#ifndef WAY
#define WAY
#endif

#define LEAVE                                                                                      \
	"push %%rbp\npush %%rbx\npush %%r12\npush %%r13\npush %%r14\npush %%r15\nlea "             \
	"resumed(%%rip),%%r11\npush %%r11\n"
#define RESUME "\nret\nresumed: pop %%r15\npop %%r14\npop %%r13\npop %%r12\npop %%rbx\npop %%rbp"

NOINLINE void *pick(void **to)
{
	return *to;
}

NOINLINE void split(void **from, void **to)
{
	void *sp, *next = SPLIT == RESULT ? pick(to) : *to;

	/* A function with a frame pointer. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#if SPLIT == 5
	*from = next;
	__asm__ volatile(LEAVE "xchg %%rsp,(%0)" RESUME : : "a"(from) : "memory", "r11");
#else
	__asm__ volatile(LEAVE "mov %%rsp,%0" : "=r"(sp) : : "memory", "r11");
	*from = sp;
#endif
	if (SPLIT == MEMORY)
		__asm__ volatile("mov %0,%%rsp" RESUME : : "m"(next) : "memory");
	else if (SPLIT == LOCALS || SPLIT == RESULT)
		__asm__ volatile("mov %0,%%rsp" RESUME : : "r"(next) : "memory");
	else if (SPLIT == MOVED)
		__asm__ volatile("lea (%0),%%rsp" RESUME : : "r"(next) : "memory");
	else if (SPLIT == OTHER)
		__asm__ volatile(WAY RESUME : "+r"(next) : : "memory");
	else if (SPLIT != EXCHANGED)
		__asm__ volatile("mov %0,%%rsp" RESUME : : "r"(*to) : "memory");
}
#define change(from, to) split(from, &(to))
#else
/* From %rsi (%edx) to %rsp. */
#ifdef __i386__
enum { SAVED = 4 };
#define USUAL "mov %edx,%esp"
#define LEAVE                                                                                      \
	"push %ebp\npush %ebx\npush %esi\npush %edi\nmov 20(%esp),%eax\nmov 24(%esp),%edx\nmov "   \
	"%esp,(%eax)\n"
#define RESUME "\npop %edi\npop %esi\npop %ebx\npop %ebp\nret\n"
#else
enum { SAVED = 6 };
#define USUAL "mov %rsi,%rsp"
#define LEAVE "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp,(%rdi)\n"
#define RESUME "\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
#endif

#ifdef DATA
#include <sys/mman.h>

/* The same instructions as below, as data until mprotect() makes them code. */
static unsigned char code[4096] __attribute__((aligned(4096))) =
	"\x55\x53\x41\x54\x41\x55\x41\x56\x41\x57\x48\x89\x27\x48\x89\xf4"
	"\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5b\x5d\xc3";

static void change(void **from, void *to)
{
	mprotect(code, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC);
	((void (*)(void **, void *))(void *)code)(from, to);
}
#else
#ifndef WAY
#define WAY USUAL
#endif

/* Not even said to be a function. */
__asm__(".text\n"
#ifdef FUNCTION
	".type change,@function\n.size change,end-change\n"
#endif
	"change:\n" LEAVE WAY RESUME "end:\n");
void change(void **from, void *to);
#endif
#endif

static void *here, *there;
static int value;

NOINLINE int produce(int n)
{
	value = n;
	change(&there, here);
	__asm__ volatile("");
	return n + 1;
}

NOINLINE int consume(int n)
{
	change(&here, there);
	__asm__ volatile("");
	return value + n;
}

static void begin(void)
{
	int n = 0;

	for (;;)
		n = produce(n + 1);
}

int main(void)
{
	void **stack = aligned_alloc(16, 65536), **top = stack + 65536 / sizeof(void *);
	int i;

	*--top = NULL;
	*--top = (void *)(uintptr_t)begin;
	for (i = 0; i < SAVED; i++)
		*--top = NULL;
	there = top;
	for (i = 0; i < 5; i++)
		printf("%d\n", consume(i));
	free(stack);
	return 0;
}

#endif
