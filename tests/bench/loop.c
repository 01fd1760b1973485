/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop CALLS [FUNCTION]: calls hit(), or another function of the table at the end, that often.  It
 * prints "FIRST NS CPU": CLOCK_MONOTONIC at the beginning of main, in ns; the time of one call, in
 * ns; and the CPU time of all of it, in ns.  With LOOP_IN_C the compiler makes hit(), for tools
 * that need its instrumentation.
 *
 * loop N fork, exec or vfork: has N children, one after the other, that end at once; those of exec
 * and vfork run this program first.  loop 0 wait: waits for a signal.  loop 0 end: ends.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../live/targets/sdt.h"

#if !defined(LOOP_IN_C) && (defined(__x86_64__) || defined(__i386__))
/*
 * In assembly, so that it begins with a push, which the kernel emulates, whatever the compiler's
 * options.
 */
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

/* The same with a call of it inside. */
#if !defined(LOOP_IN_C) && defined(__x86_64__)
int deep(int n);
__asm__(".text\n"
	".globl deep\n"
	".type deep, @function\n"
	"deep:\n"
	"	push %rbp\n"
	"	call hit\n"
	"	pop %rbp\n"
	"	ret\n"
	".size deep, . - deep\n");
#else
int deep(int n);
__attribute__((noinline)) int deep(int n)
{
	n = hit(n);
	__asm__ volatile("" : "+r"(n));
	return n;
}
#endif

#if !defined(LOOP_IN_C) && defined(__x86_64__)
/* The same behind instructions that the kernel single-steps. */
int marked(int n), tested(int n);
__asm__(".text\n"
	".balign 16\n"
	".globl marked\n"
	".type marked, @function\n"
	"marked:\n"
	"	.byte 0xf3, 0x0f, 0x1e, 0xfa\n"	/* endbr64 */
	"	push %rbp\n"
	"	mov %edi, %eax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size marked, . - marked\n"
	".balign 16\n"
	".globl tested\n"
	".type tested, @function\n"
	"tested:\n"
	"	test %edi, %edi\n"
	"	js 1f\n"
	"1:	mov %edi, %eax\n"
	"	ret\n"
	".size tested, . - tested\n");
#else
#define marked hit
#define tested hit
#endif

/* With a USDT probe. */
__attribute__((noinline)) static int noted(int n)
{
	SITE("loop", "noted", "0", "-4@%0", "r"(n));
	return n;
}

/* Called by nobody, as hit is not in it. */
int never(int n);
__attribute__((noinline, used)) int never(int n)
{
	return hit(n) + 1;
}

static int wait_child(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		_exit(1);
	return 0;
}

/*
 * A direct system call: --depth and --min-time do not filter in the kernel if a program imports
 * exec.
 */
static void run_end(void)
{
	static const char *const argv[] = { "loop", "0", "end", NULL };

	syscall(SYS_execve, "/proc/self/exe", argv, environ);
	_exit(1);
}

static int by_fork(int n)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return wait_child(pid) + n;
}

static int by_exec(int n)
{
	pid_t pid = fork();

	if (pid == 0)
		run_end();
	return wait_child(pid) + n;
}

static int by_vfork(int n)
{
	pid_t pid = vfork();

	if (pid == 0)
		run_end();
	return wait_child(pid) + n;
}

static const struct {
	const char *name;
	int (*f)(int n);
} functions[] = {
	{ "hit", hit },	    { "marked", marked }, { "tested", tested }, { "noted", noted },
	{ "deep", deep },   { "fork", by_fork },  { "exec", by_exec },  { "vfork", by_vfork },
};

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "hit";
	int (*volatile f)(int n) = hit;
	uint64_t first = now(CLOCK_MONOTONIC), began;
	long calls = argc > 1 ? atol(argv[1]) : 1, i;
	size_t k;

	if (strcmp(name, "end") == 0)
		return 0;
	for (k = 0; k < sizeof(functions) / sizeof(*functions); k++)
		if (strcmp(name, functions[k].name) == 0)
			f = functions[k].f;
	if (strcmp(name, "wait") == 0)
		pause();
	began = now(CLOCK_MONOTONIC);
	for (i = 0; i < calls; i++)
		f(1);
	began = now(CLOCK_MONOTONIC) - began;
	printf("%llu %.2f %llu\n", (unsigned long long)first, (double)began / (double)calls,
	       (unsigned long long)now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
