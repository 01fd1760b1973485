/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that end in a jump into another function (compile with -O2): tailcall [LENGTH] */
#include "witness.h"

int last(int n), first(int n), even(int n), odd(int n), around(int n);

/* The return address of the call that began the chain, and whether all in the chain found the same.
 */
static void *began;
static int jumped = 1;

TRACED int last(int n)
{
	OPAQUE(n);
	w_enter("last", n);
	jumped &= __builtin_return_address(0) == began;
	return w_return(n * 2);
}

TRACED int first(int n)
{
	OPAQUE(n);
	w_enter("first", n);
	w_jump();
	began = __builtin_return_address(0);
	return last(n + 1);
}

TRACED int odd(int n)
{
	OPAQUE(n);
	w_enter("odd", n);
	if (n == 0)
		return w_return(0);
	w_jump();
	return even(n - 1);
}

TRACED int even(int n)
{
	OPAQUE(n);
	w_enter("even", n);
	if (n == 0)
		return w_return(1);
	w_jump();
	return odd(n - 1);
}

/* Into a library. */
TRACED int outward(int n)
{
	OPAQUE(n);
	return close(n);
}

/* Real calls around the chains, so that they are inside something. */
TRACED int around(int n)
{
	int result;

	OPAQUE(n);
	w_enter("around", n);
	result = n > 0 ? around(n - 1) + first(n) + even(n) + even(n) : 0;
	return w_return(result);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20, sum = outward(-1);

	sum += 1 + around(5) + even(n) + odd(n);
	printf("sum %d, %s\n", sum, jumped ? "by jumps" : "by calls");
	return 0;
}
