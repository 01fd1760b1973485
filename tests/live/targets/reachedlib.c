/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of reached.c. */
#define VISIBLE __attribute__((visibility("default"), noinline))

VISIBLE int give(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 10;
}

VISIBLE int plain(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 20;
}

static __attribute__((noinline)) int picked(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 30;
}

static void *resolve(void)
{
	return picked;
}

int pick(int n) __attribute__((ifunc("resolve")));
