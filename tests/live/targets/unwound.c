/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls reached() in several ways, and prints its callers each time, as the unwinder of libgcc
 * finds them: "FILE 0xADDRESS", an empty line last.  The last argument is a library
 * (unwoundlib.c); a number before it: one call, so deep.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sum;

static _Unwind_Reason_Code print_frame(struct _Unwind_Context *context, void *ctx)
{
	uintptr_t pc = _Unwind_GetIP(context);
	int *frames = ctx;
	const char *name;
	Dl_info info;

	if (!pc || (*frames)++ == 0)
		return _URC_NO_REASON;
	if (!dladdr((void *)(pc - 1), &info))
		return _URC_NO_REASON;
	name = strrchr(info.dli_fname, '/');
	printf("%s 0x%lx\n", name ? name + 1 : info.dli_fname,
	       (unsigned long)(pc - (uintptr_t)info.dli_fbase));
	return _URC_NO_REASON;
}

NOINLINE void reached(int n)
{
	int frames = 0;

	_Unwind_Backtrace(print_frame, &frames);
	putchar('\n');
	sum += n;
}

NOINLINE static void recurse(int n)
{
	if (n)
		recurse(n - 1);
	else
		reached(n);
	sum++;
}

/* GCC addresses such a frame by rbp. */
NOINLINE static void take_room(int n)
{
	char *room = alloca((size_t)n);

	memset(room, n, (size_t)n);
	reached(room[n - 1]);
	sum += room[0];
}

/* GCC finds the CFA of such a frame by an expression. */
NOINLINE static void align_stack(int n)
{
	volatile int aligned[16] __attribute__((aligned(64)));
	char *room = alloca((size_t)n);

	memset(room, n, (size_t)n);
	aligned[n & 15] = room[1];
	reached(n);
	sum += aligned[n & 15];
}

static int compare(const void *a, const void *b)
{
	reached(*(const int *)a);
	sum++;
	return *(const int *)a - *(const int *)b;
}

static void *run(void *arg)
{
	reached(8);
	sum++;
	return arg;
}

#ifdef __x86_64__
static void handle(int number)
{
	reached(number);
	sum++;
}
#endif

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	void (*call)(void (*)(int), int) = NULL;
	int numbers[] = { 2, 1 };
	pthread_t thread;

	if (argc > 2) {
		recurse(atoi(argv[1]));
		return 0;
	}
	if (library)
		*(void **)&call = dlsym(library, "call_back");
	recurse(5);
	take_room(100);
	align_stack(40);
	qsort(numbers, 2, sizeof(numbers[0]), compare);
	if (call)
		call(reached, 7);
	if (pthread_create(&thread, NULL, run, NULL) == 0)
		pthread_join(thread, NULL);
#ifdef __x86_64__
	/* Other machines return from a handler through the vDSO, which is no file. */
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
#endif
	return call ? 0 : 1;
}
