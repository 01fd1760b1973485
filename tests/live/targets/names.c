/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that differ in how they are named: several arguments, an alias, a file-local one, an
 * IFUNC, a cold part.
 */
#include "witness.h"

TRACED int add_two(int a, int b)
{
	char call[64];

	OPAQUE(a);
	OPAQUE(b);
	snprintf(call, sizeof(call), "(add_two %d %d)", a, b);
	w_call(call);
	return w_return(a + b);
}

TRACED int add_three(int a, int b, int c)
{
	char call[64];

	OPAQUE(a);
	OPAQUE(b);
	OPAQUE(c);
	snprintf(call, sizeof(call), "(add_three %d %d %d)", a, b, c);
	w_call(call);
	return w_return(add_two(a, b) + c);
}

/* Two names at one address. */
TRACED int shared_place(int n)
{
	OPAQUE(n);
	return n + 5;
}
int other_name(int n) __attribute__((alias("shared_place")));

static TRACED int local_one(int n)
{
	OPAQUE(n);
	return n + 6;
}

/* The name is the resolver's; the program runs the implementation. */
TRACED int chosen_impl(int n)
{
	OPAQUE(n);
	return n * 10;
}
TRACED int passed_over_impl(int n)
{
	OPAQUE(n);
	return n * 20;
}
int (*volatile never)(int);
static __attribute__((used)) int (*choose(void))(int)
{
	return chosen_impl;
}
int chosen(int n) __attribute__((ifunc("choose")));

/* gcc moves the unlikely half into rare_path.cold, which is entered by a jump. */
__attribute__((cold, noinline)) static void complain(int n)
{
	printf("complaint %d\n", n);
}
TRACED int rare_path(int n)
{
	OPAQUE(n);
	if (__builtin_expect(n > 2, 0)) {
		complain(n);
		complain(n + 1);
		return n * 1000;
	}
	return n + 7;
}

int main(int argc, char **argv)
{
	int i, sum = 0;

	(void)argv;
	never = passed_over_impl;
	for (i = 1; i <= 3; i++)
		sum += add_three(i, -i, 100) + add_two(argc, i) + shared_place(i) + other_name(i) +
		       local_one(i) + chosen(i) + rare_path(i);
	printf("sum %d\n", sum);
	return 0;
}
