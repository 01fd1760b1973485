/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop of calls: loop [TIMES] */
#include "witness.h"

TRACED int step(int n)
{
	OPAQUE(n);
	w_enter("step", n);
	return w_return(n * 3 - 7);
}

int main(int argc, char **argv)
{
	int i, times = argc > 1 ? atoi(argv[1]) : 500;
	long sum = 0;

	for (i = 0; i < times; i++)
		sum += step(i % 2 ? i : -i);
	printf("sum %ld\n", sum);
	return 5;
}
