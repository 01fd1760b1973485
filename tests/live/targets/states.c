/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of jumps whose index nothing compares, one inside the other, as Rust has them for match
 * and async functions (compile with -O2): states N
 */
#include "witness.h"

/* So that no two of them become one with another table. */
static volatile int sink;

TRACED int step(int n)
{
	unsigned state = (unsigned)n / 8, inner = (unsigned)n % 8;

	w_enter("step", n);
	switch (state) {
	case 0:
		sink = 1;
		return w_return(step(9) + 3);
	case 1:
		return w_return(n * 7);
	case 2:
		switch (inner) {
		case 0:
			sink = 4;
			return w_return(11);
		case 1:
			return w_return(step(0) - 5);
		case 2:
			sink = 2;
			return w_return(step(35) ^ 21);
		case 3:
			return w_return(-4);
		case 4:
			sink = 3;
			return w_return(step(18) + step(17));
		case 5: case 6: case 7:
			return w_return(step(41) * 2);
		default:
			__builtin_unreachable();
		}
	case 3:
		return w_return(step(12) - 1);
	case 4:
		sink = 5;
		return w_return(n - 100);
	case 5:
		return w_return(step(33) & 15);
	default:
		__builtin_unreachable();
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 48, sum = 0, i;

	for (i = 0; i < n; i++)
		sum += step(i % 48);
	printf("%d\n", sum);
	return sum & 1;
}
