/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that for some milliseconds leave calls in every way that C has, and count the calls:
 * torture MILLISECONDS [THREADS] longjmp, signals on a stack of their own, coroutines, tail calls,
 * recursion past what the kernel keeps, threads that end inside calls, and children that borrow the
 * memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noinline, noclone, used))
#endif
#define OPAQUE(x) __asm__ volatile("" : "+r"(x) : : "memory")

enum { THREADS = 16, SIZE = 64 << 10 };

#define NAMES(X)                                                                                   \
	X(leaf)                                                                                    \
	X(fly) X(attempt) X(even) X(odd) X(deep) X(handled) X(step) X(produce) X(dying) X(borrow)
#define NUMBER(name) IN_##name,
#define NAME(name) #name,
enum { NAMES(NUMBER) FUNCTIONS };
static const char *const names[] = { NAMES(NAME) };

static long calls[FUNCTIONS];
static long jumped, left; /* calls that a tail call has left, or something else than a return */
static char stacks[THREADS][2][SIZE] __attribute__((aligned(64)));
static volatile int over;

static __thread ucontext_t outside, inside;
static __thread sigjmp_buf back;
static __thread volatile int sent, quiet;

/* A child with our memory is another process, whose calls are not traced. */
#define ADD(counter) __atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED)
#define COUNT(name) (quiet ? 0 : ADD(calls[IN_##name]))
#ifdef __OPTIMIZE__
#define JUMP() ADD(jumped)
#else
#define JUMP() (void)0
#endif

TRACED int leaf(int n)
{
	OPAQUE(n);
	COUNT(leaf);
	return n + 1;
}

/* From the signal's stack too. */
TRACED int fly(int n)
{
	OPAQUE(n);
	COUNT(fly);
	if (n < 90)
		ADD(left);
	if (n == 0)
		siglongjmp(back, 1);
	n = n > 90 ? n : fly(n - 1) + 1;
	OPAQUE(n);
	return n;
}

TRACED int attempt(int n)
{
	volatile int result = n;

	OPAQUE(n);
	COUNT(attempt);
	if (sigsetjmp(back, n & 1) == 0)
		result = fly(n % 5 == 4 ? 99 : n % 5);
	else
		result += leaf(n);
	result += leaf(n);
	return result;
}

int odd(int n);

TRACED int even(int n)
{
	OPAQUE(n);
	COUNT(even);
	if (n == 0)
		return 1;
	JUMP();
	return odd(n - 1);
}

TRACED int odd(int n)
{
	OPAQUE(n);
	COUNT(odd);
	if (n == 0)
		return 0;
	JUMP();
	return even(n - 1);
}

TRACED int deep(int n)
{
	OPAQUE(n);
	COUNT(deep);
	n = n ? deep(n - 1) + 1 : leaf(n);
	OPAQUE(n);
	return n;
}

TRACED int handled(int n)
{
	OPAQUE(n);
	COUNT(handled);
	n = leaf(n) + even(n & 3);
	OPAQUE(n);
	return n;
}

static void on_signal(int sig)
{
	(void)sig;
	handled(sent);
}

TRACED int step(int n)
{
	OPAQUE(n);
	COUNT(step);
	if (n % 2)
		swapcontext(&inside, &outside);
	OPAQUE(n);
	return n + 1;
}

TRACED int produce(int n)
{
	int sum = 0, i;

	OPAQUE(n);
	COUNT(produce);
	for (i = 0; i < 3; i++)
		sum += step(n + i);
	return sum;
}

static void run(void)
{
	int n;

	for (n = 0; ; n++) {
		produce(n);
		swapcontext(&inside, &outside);
	}
}

TRACED int dying(int n)
{
	OPAQUE(n);
	COUNT(dying);
	ADD(left);
	if (n == 0)
		pthread_exit(NULL);
	n = n > 90 ? n : dying(n - 1) + leaf(n);
	OPAQUE(n);
	return n;
}

static void *die(void *arg)
{
	dying((int)(long)arg);
	return NULL;
}

TRACED int borrow(int n)
{
	pid_t child;

	OPAQUE(n);
	COUNT(borrow);
	quiet = 1;
	child = vfork();
	if (child == 0)
		_exit(leaf(n) == n + 1 ? 0 : 1);
	quiet = 0;
	if (child > 0)
		waitpid(child, NULL, 0);
	n = leaf(n);
	OPAQUE(n);
	return n;
}

static void *work(void *arg)
{
	char (*mine)[SIZE] = stacks[(long)arg];
	stack_t ss = { .ss_sp = mine[0], .ss_size = SIZE };
	pthread_t thread;
	int n;

	sigaltstack(&ss, NULL);
	getcontext(&inside);
	inside.uc_stack.ss_sp = mine[1];
	inside.uc_stack.ss_size = SIZE;
	makecontext(&inside, run, 0);
	for (n = 0; !over; n++) {
		attempt(n);
		odd(n % 9);
		sent = n;
		pthread_kill(pthread_self(), SIGUSR1);
		swapcontext(&outside, &inside);
		if (n % 16 == 0)
			deep(n / 16 % 100);
		if (n % 64 == 0 &&
		    pthread_create(&thread, NULL, die, (void *)(long)(n / 64 % 4)) == 0)
			pthread_join(thread, NULL);
		if (n % 256 == 0)
			borrow(n);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	int n = argc > 2 ? atoi(argv[2]) : 3, i, ms = argc > 1 ? atoi(argv[1]) : 100;
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };
	pthread_t threads[THREADS];

	n = n < THREADS ? n : THREADS;
	sigaction(SIGUSR1, &sa, NULL);
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(long)i);
	nanosleep(&pause, NULL);
	over = 1;
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < FUNCTIONS; i++)
		printf("%s %ld\n", names[i], calls[i]);
	printf("*jumped %ld\n*left %ld\n", jumped, left);
	return 0;
}
