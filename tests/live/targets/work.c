/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work with many short calls, and work without them; prints the least time of each, in ns.  With an
 * argument it works for hours.
 */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 200, PIECES = 50, SPIN = 1000 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned spin(unsigned n)
{
	volatile unsigned v = 1;

	while (n--)
		v = v * 3 + 1;
	return v;
}

/* It saves a register, so that its first instruction is a push. */
int __attribute__((noinline)) piece(int n)
{
#if defined(__x86_64__)
	__asm__ volatile("" : "+r"(n) : : "rbx");
#else
	__asm__ volatile("" : "+r"(n));
#endif
	return n;
}

int __attribute__((noinline)) pieces(unsigned n)
{
	int i, sum = 0;

	for (i = 0; i < PIECES; i++) {
		spin(n);
		sum += piece(i);
	}
	return sum;
}

unsigned __attribute__((noinline)) whole(unsigned n)
{
	return spin(n) + 1;
}

int main(int argc, char **argv)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX }, began, took;
	int i, rounds = argc > 1 ? 1 << 30 : ROUNDS;

	(void)argv;
	for (i = 0; i < rounds; i++) {
		began = now();
		pieces(SPIN);
		took = now() - began;
		least[0] = took < least[0] ? took : least[0];
		began = now();
		whole(PIECES * SPIN * 3 / 2);
		took = now() - began;
		least[1] = took < least[1] ? took : least[1];
	}
	printf("%llu %llu\n", (unsigned long long)least[0], (unsigned long long)least[1]);
	return 0;
}
