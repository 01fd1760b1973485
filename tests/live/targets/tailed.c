/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that end in tail calls of functions that are not traced: direct ones, one behind the
 * other, from a table of a switch, mutual, and with -DLIBRARY by the PLT.  The targets have other
 * callers, and call themselves.
 */
#include <stdio.h>

#define OTHER __attribute__((noinline, noclone, used))
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

#ifdef LIBRARY

OTHER int inner(int n)
{
	OPAQUE(n);
	return n * 10;
}

OTHER int outer(int n)
{
	OPAQUE(n);
	return inner(n + 1);
}

#else

extern int inner(int n), outer(int n);

OTHER int last(int n)
{
	int below = n > 0 ? last(n - 1) : 0;

	OPAQUE(below);
	return below + 1;
}

OTHER int middle(int n)
{
	OPAQUE(n);
	return n < 0 ? -1 : last(n + 1);
}

OTHER int direct(int n)
{
	OPAQUE(n);
	return last(n);
}

OTHER int chain(int n)
{
	OPAQUE(n);
	return middle(n);
}

OTHER char *text(int n)
{
	static char room[16];

	snprintf(room, sizeof(room), "text %d", n);
	return room;
}

OTHER char *by_text(int n)
{
	OPAQUE(n);
	return text(n);
}

OTHER int odd(int n);

OTHER int even(int n)
{
	OPAQUE(n);
	return n ? odd(n - 1) : 1;
}

OTHER int odd(int n)
{
	OPAQUE(n);
	return n ? even(n - 1) : 0;
}

/* The target calls a traced function. */
OTHER int around(int n)
{
	int result = direct(n) + direct(n);

	OPAQUE(result);
	return result;
}

OTHER int by_around(int n)
{
	OPAQUE(n);
	return around(n);
}

OTHER int choose(int which, int n)
{
	OPAQUE(n);
	switch (which) {
	case 0:
		return last(n);
	case 1:
		return middle(n);
	case 2:
		return odd(n);
	case 3:
		return around(n);
	case 4:
		return direct(n);
	case 5:
		return chain(n);
	default:
		return -7;
	}
}

int main(void)
{
	int i, sum = 0;

	for (i = 1; i < 3; i++) {
		sum += last(i) + middle(i);
		sum += direct(i) + chain(i) + by_text(i)[5] - '0';
		sum += even(i + 1);
		sum += by_around(i);
		sum += choose(i, i + 1) + last(1) + outer(i) + inner(i);
	}
	return sum;
}

#endif
