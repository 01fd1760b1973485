/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that knows its caller by its return address, as allocators and logs do, and one that does not look. */
#include <stdint.h>
#include <stdio.h>

extern char __executable_start, etext;

__attribute__((noinline)) int looks(int n)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	__asm__ volatile("" : "+r"(n));
	return n + (caller >= (uintptr_t)&__executable_start && caller < (uintptr_t)&etext ? 100 : 0);
}

__attribute__((noinline)) int writes(int n)
{
	char text[100];

	return sprintf(text, "%d", n) + text[0];
}

int main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		printf("%d %d\n", looks(i), writes(i));
	return 0;
}
