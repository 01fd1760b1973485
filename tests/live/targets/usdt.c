/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usdt TURNS PAUSE_US: passes USDT probes, and prints the hits that a trace must show.  A probe
 * with a semaphore prints "armed" or "not armed" instead, once each time that changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdt.h"

SEMAPHORE(toy_hot_semaphore);
SEMAPHORE(toy_cold_semaphore);

static long table[] = { 10, -20, 30, -40 };
int counter = 42;

static void pass(int n)
{
	char text[16];
	short small = (short)-n;
	volatile long way[] = { n, -n };

	snprintf(text, sizeof(text), "turn %d", n);
	SITE("toy", "plain", "0", "-4@%0 8@%1 -2@%2 -4@%3", "r"(n), "r"(text), "r"(small), "i"(7));
	printf(">(toy:plain %d %p %d 7)\n", n, (void *)text, small);
	/* Two sites of one probe, with other arguments. */
	SITE("toy", "two", "0", "-8@%0 -4@%1", "m"(way[1]), "m"(counter));
	printf(">(toy:two %d 42)\n", -n);
	SITE("toy", "two", "0", "1@%0", "r"((unsigned char)(200 + n)));
	printf(">(toy:two %d)\n", 200 + n);
#if defined(__x86_64__)
	SITE("toy", "index", "0", "-8@(%0,%1,8) 8f@%2", "r"(table), "r"((long)(n & 3)),
	     "x"((double)n));
	printf(">(toy:index %ld <in xmm0>)\n", table[n & 3]);
#endif
}

static void pass_hot(int n)
{
	static int was = -1;
	int is = *(volatile unsigned short *)&toy_hot_semaphore;

	if (is)
		SITE("toy", "hot", "toy_hot_semaphore", "-4@%0", "r"(n));
	if (*(volatile unsigned short *)&toy_cold_semaphore) {
		SITE("toy", "cold", "toy_cold_semaphore", "-4@%0", "r"(n));
		printf("cold is armed\n");
	}
	if (is != was)
		printf("%s %d\n", is ? "armed" : "not armed", is);
	was = is;
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 3, pause = argc > 2 ? atoi(argv[2]) : 0, n;

	for (n = 0; n < turns; n++) {
		if (pause)
			pass_hot(n);
		else
			pass(n);
		if (pause)
			usleep((useconds_t)pause);
	}
	if (pause)
		printf("end\n");
	return 3;
}
