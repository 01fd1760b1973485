/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many: 5,000 functions, fn0000 to fn4999, each called once.  Prints "FIRST LAST": CLOCK_MONOTONIC
 * at the beginning and at the end of main, in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TEN(do, n)                                                                                 \
	do                                                                                         \
	(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define DEFINE(n) \
	int fn##n(int x); \
	__attribute__((noinline)) int fn##n(int x) \
	{ \
		/* The number keeps identical bodies from being folded into one. */ \
		__asm__ volatile("" : "+r"(x) : "i"(1##n)); \
		return x + 1##n; \
	}
#define CALL(n)		sum += fn##n(1);
#define DEFINE_10(n)	TEN(DEFINE, n)
#define CALL_10(n)	TEN(CALL, n)

/* A macro is not expanded inside itself, so each level of ten has its own. */
#define TEN_2(do, n)                                                                               \
	do                                                                                         \
	(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define DEFINE_100(n)	TEN_2(DEFINE_10, n)
#define CALL_100(n)	TEN_2(CALL_10, n)
#define TEN_3(do, n)                                                                               \
	do                                                                                         \
	(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define DEFINE_1000(n)	TEN_3(DEFINE_100, n)
#define CALL_1000(n)	TEN_3(CALL_100, n)
#define FIVE(do)	do(0) do(1) do(2) do(3) do(4)

FIVE(DEFINE_1000)

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(void)
{
	uint64_t first = now();
	unsigned sum = 0;

	FIVE(CALL_1000)
	printf("%llu %llu\n", (unsigned long long)first, (unsigned long long)now());
	return sum == 0;
}
