/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that longjmp leaves without a return. */
#include "witness.h"

#include <setjmp.h>

static jmp_buf back;
static volatile int armed = 1;

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

TRACED int attempt(int n)
{
	volatile unsigned depth;
	int result;

	OPAQUE(n);
	w_enter("attempt", n);
	depth = w_depth;
	if (setjmp(back) == 0) {
		result = leap(n);
	} else {
		w_unwind(depth, W_NOT_SEEN);
		result = plain(-1);
	}
	return w_return(result);
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 5; i++) {
		sum += attempt(i);
		sum += plain(i);
	}
	printf("sum %d\n", sum);
	return 0;
}
