/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that longjmp leaves without a return: longjmp [deeper]
 * deeper: what is called next stands deeper in the stack than what was left, and setjmp returns
 * twice for each attempt.
 */
#include "witness.h"

#include <setjmp.h>

static jmp_buf back;
static volatile int armed = 1, deeper;

static void __attribute__((noinline)) fly(void)
{
	if (armed)
		longjmp(back, 1);
}

TRACED int leap(int n)
{
	OPAQUE(n);
	w_enter("leap", n);
	if (n == 0)
		fly();
	return w_return(n ? leap(n - 1) + 1 : 0);
}

TRACED int plain(int n)
{
	OPAQUE(n);
	w_enter("plain", n);
	return w_return(n + 100);
}

/* Not traced, and takes more of the stack than all that leap has taken. */
static int __attribute__((noinline)) down(int n)
{
	volatile char much[16384];

	much[n & 1] = 0;
	return plain(n) + much[n & 1];
}

TRACED int attempt(int n)
{
	volatile unsigned depth, times = 0;
	int result;

	OPAQUE(n);
	w_enter("attempt", n);
	depth = w_depth;
	if (setjmp(back) == 0) {
		result = leap(n);
	} else {
		w_unwind(depth, W_NOT_SEEN);
		result = deeper ? down(-1) : plain(-1);
		if (deeper && ++times < 3)
			result += leap(n);
	}
	return w_return(result);
}

int main(int argc, char **argv)
{
	int i, sum = 0;

	(void)argv;
	deeper = argc > 1;
	for (i = 0; i < 5; i++) {
		sum += attempt(i);
		sum += plain(i);
	}
	printf("sum %d\n", sum);
	return 0;
}
