/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that end in tail calls through pointers and of other files, of functions that are not
 * traced.  The program makes their calls until the places behind them have probes, which it sees in
 * its own code.  Then it calls begin(), and makes each once more: the trace has all results.  One
 * call is made from another place, too.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OTHER __attribute__((noinline, noclone, used))
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))
/* Not changed by a call that returns to the place: its code is read there. */
#define BEHIND ((const unsigned char *)__builtin_return_address(0))

enum { PLACES = 16, ROUNDS = 1000, ROUND_US = 10000, THREADS = 2 };

struct ops {
	int (*get)(const struct ops *ops, int n);
	int (*walk)(const struct ops *ops, int n);
};

extern int from_library(int n);
extern int (*library_hook)(int n);

static struct place {
	const unsigned char *at;
	unsigned char byte;
} places[PLACES];

/* By whichever traced function: where does it return to? */
static void note(const unsigned char *at)
{
	int i = 0;

	while (i < PLACES && places[i].at && places[i].at != at)
		i++;
	if (i < PLACES && !places[i].at)
		places[i] = (struct place){ at, *at };
}

OTHER int get(const struct ops *ops, int n)
{
	OPAQUE(ops);
	note(BEHIND);
	return n * 2;
}

OTHER int by_struct(const struct ops *ops, int n)
{
	OPAQUE(n);
	return ops->get(ops, n);
}

/* In a number, the bytes of a call of by_library: there is no place behind it. */
OTHER int number(void)
{
#ifdef __x86_64__
	unsigned long n;

	__asm__ volatile(".byte 0x48, 0xb8, 0xe8\n\t"
			 ".long by_library - (. + 4)\n\t"
			 ".byte 1, 2, 3" : "=a"(n));
	return (int)(n >> 40);
#else
	return 0x30201;
#endif
}

/* Called at two places, at one of them before the others have probes. */
OTHER int maybe(const struct ops *ops, int n)
{
	OPAQUE(n);
	return n < 0 ? n : ops->get(ops, n);
}

OTHER int three(int n)
{
	note(BEHIND);
	return n * 3;
}

OTHER int traced(int n)
{
	OPAQUE(n);
	return n + 100;
}

/* Not traced, and ends in a tail call of a function that is. */
OTHER int between(int n)
{
	OPAQUE(n);
	note(BEHIND);
	OPAQUE(n);
	return traced(n + 1);
}

OTHER int four(int n)
{
	note(BEHIND);
	return n * 4 + traced(n);
}

static int (*volatile table[])(int n) = { three, between, four };

OTHER int by_table(int which, int n)
{
	OPAQUE(n);
	return table[which](n);
}

OTHER int by_library(int n)
{
	OPAQUE(n);
	return library_hook(n);
}

/* Without names, the two share a jump. */
OTHER int by_both(int n)
{
	OPAQUE(n);
	return by_library(n + 1);
}

/* An IFUNC of another file. */
OTHER size_t by_other_file(const char *text)
{
	OPAQUE(text);
	return strlen(text);
}

OTHER int by_recursion(const struct ops *ops, int n)
{
	OPAQUE(n);
	return ops->walk(ops, n);
}

OTHER int walk(const struct ops *ops, int n)
{
	note(BEHIND);
	return n > 0 ? by_recursion(ops, n - 1) + 1 : 0;
}

static const struct ops ops = { get, walk };

/* The C library's code that ends a handler; unwinders know it by its bytes. */
static struct place restorer;

OTHER void handle(int number)
{
	OPAQUE(number);
	restorer.at = BEHIND;
	if (!restorer.byte)
		restorer.byte = *restorer.at;
}

static void (*volatile handler)(int number) = handle;

OTHER void on_signal(int number)
{
	OPAQUE(number);
	handler(number);
}

OTHER void begin(void)
{
	__asm__ volatile("");
}

static int call_all(void)
{
	const struct ops *o = &ops;
	const char *text = "five.";
	int sum = 0;

	OPAQUE(o);
	OPAQUE(text);
	/* The first four do not note where they return.  The others get their probes later. */
	sum += by_library(5);
	sum += by_both(6);
	sum += (int)by_other_file(text);
	sum += from_library(6);
	raise(SIGUSR1);
	sum += by_struct(o, 1);
	sum += maybe(o, 1);
	sum += by_table(0, 2);
	sum += by_table(1, 3);
	sum += by_table(2, 4);
	sum += by_recursion(o, 3);
	return sum;
}

static int are_probed(void)
{
	int i, n = 0;

	for (i = 0; i < PLACES && places[i].at; i++)
		n += *(const volatile unsigned char *)places[i].at != places[i].byte;
	return n == i;
}

static void *run(void *arg)
{
	*(int *)arg = call_all();
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i, sums[THREADS];

	signal(SIGUSR1, on_signal);
	for (i = 0; i < ROUNDS && !(i && are_probed()); i++) {
		call_all();
		usleep(ROUND_US);
	}
	/* rawtrace has to learn that they are in. */
	usleep(20 * ROUND_US);
	begin();
	printf("%d\n", maybe(&ops, 7));
	printf("%d\n", call_all());
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &sums[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", sums[0], sums[1]);
	if (number() != 0x30201)
		puts("a number was changed");
	if (*(const volatile unsigned char *)restorer.at != restorer.byte)
		puts("the end of signal handlers was changed");
	return 0;
}
