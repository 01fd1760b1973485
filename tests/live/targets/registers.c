/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 32-bit functions that are not called as i386's convention has it: arguments in registers, by
 * declaration or by the compiler's choice.
 */
#include <stdio.h>

#define TRACED __attribute__((noinline, noclone))

TRACED __attribute__((regparm(3))) int three(int a, int b, int c)
{
	printf(">(three %d %d %d)\n", a, b, c);
	return a * 100 + b * 10 + c;
}

TRACED __attribute__((fastcall)) int two(int a, int b, int c)
{
	printf(">(two %d %d %d)\n", a, b, c);
	return a * 100 + b * 10 + c;
}

TRACED __attribute__((stdcall)) int none(int a, int b)
{
	printf(">(none %d %d)\n", a, b);
	return a - b;
}

static TRACED int chosen(int a, int b)
{
	printf(">(chosen %d %d)\n", a, b);
	return a * b;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("<%d\n", three(argc, 2, 3));
	printf("<%d\n", two(argc + 3, 5, 6));
	printf("<%d\n", none(argc + 8, 4));
	printf("<%d\n", chosen(argc + 6, 8));
	return 0;
}
