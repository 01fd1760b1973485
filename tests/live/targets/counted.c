/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls as fast as it can, and says every 100 ms how many there were 500 ms ago.  When its parent
 * is gone, whether all results were right.
 */
#include "witness.h"

#include <time.h>

TRACED long tick(long n)
{
	OPAQUE(n);
	return n * 3 + 1;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(void)
{
	const long begin = now_ms();
	const pid_t parent = getppid();
	long said = begin, now = begin, calls = 0, before[5] = { 0 };
	int wrong = 0, i = 0;

	while (getppid() == parent && now < begin + 40000) {
		do
			wrong |= tick(calls) != calls * 3 + 1;
		while (++calls % 64);
		now = now_ms();
		if (now < said + 100)
			continue;
		said = now;
		printf("calls %ld\n", before[i]);
		fflush(stdout);
		before[i] = calls;
		i = (i + 1) % 5;
	}
	puts(wrong ? "wrong" : "right");
	return wrong;
}
