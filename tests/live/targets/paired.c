/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paired: USDT probes that open and close work.  Work on 5 at the third level jumps out, past the
 * probes that close.
 */
#include <setjmp.h>
#include <stdio.h>

#include "sdt.h"

static jmp_buf out;

static int __attribute__((noinline)) work(int n, int level);

static int __attribute__((noinline)) children(int n, int level)
{
	volatile int i, sum = 0;

	for (i = 0; i < 2; i++)
		sum += work(2 * n + i, level + 1);
	return sum;
}

static int work(int n, int level)
{
	volatile int result = n;

	SITE("toy", "work__start", "0", "-4@%0 -4@%1", "r"(n), "r"(level));
	if (level == 2 && n == 5)
		longjmp(out, 1);
	if (level < 2)
		result += children(n, level);
	SITE("toy", "work__done", "0", "-4@%0 -4@%1", "r"(n), "r"(result));
	return result;
}

int main(void)
{
	volatile int i;

	for (i = 1; i < 3; i++)
		if (setjmp(out) == 0)
			work(i, 0);
	SITE("toy", "alone", "0", "-4@%0", "r"(i));
	puts("done");
	return 0;
}
