/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thousand functions, many_000 to many_999, each called once, or: many TIMES [MICROSECONDS
 * between them]
 */
#include "witness.h"

#define FUNCTION(a, b, c) \
	TRACED int many_##a##b##c(int n); \
	TRACED int many_##a##b##c(int n) \
	{ \
		OPAQUE(n); \
		w_enter("many_" #a #b #c, n); \
		return w_return(n + a + 1); \
	}
#define CALL(a, b, c) sum += many_##a##b##c(sum % 1000);
#define TEN(WHAT, a, b) \
	WHAT(a, b, 0) WHAT(a, b, 1) WHAT(a, b, 2) WHAT(a, b, 3) WHAT(a, b, 4) \
	WHAT(a, b, 5) WHAT(a, b, 6) WHAT(a, b, 7) WHAT(a, b, 8) WHAT(a, b, 9)
#define HUNDRED(WHAT, a) \
	TEN(WHAT, a, 0) TEN(WHAT, a, 1) TEN(WHAT, a, 2) TEN(WHAT, a, 3) TEN(WHAT, a, 4) \
	TEN(WHAT, a, 5) TEN(WHAT, a, 6) TEN(WHAT, a, 7) TEN(WHAT, a, 8) TEN(WHAT, a, 9)
#define THOUSAND(WHAT) \
	HUNDRED(WHAT, 0) HUNDRED(WHAT, 1) HUNDRED(WHAT, 2) HUNDRED(WHAT, 3) HUNDRED(WHAT, 4) \
	HUNDRED(WHAT, 5) HUNDRED(WHAT, 6) HUNDRED(WHAT, 7) HUNDRED(WHAT, 8) HUNDRED(WHAT, 9)

THOUSAND(FUNCTION)

int main(int argc, char **argv)
{
	int sum = 0, rounds = argc > 1 ? atoi(argv[1]) : 1, pause = argc > 2 ? atoi(argv[2]) : 0;

	while (rounds-- > 0) {
		sum = 0;
		THOUSAND(CALL)
		if (pause)
			usleep((useconds_t)pause);
	}
	printf("sum %d\n", sum);
	return 0;
}
