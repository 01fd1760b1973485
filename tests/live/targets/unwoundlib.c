/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that unwound.c loads: a call through it. */
static volatile int calls;

static __attribute__((noinline, noclone)) void pass(void (*function)(int), int n)
{
	function(n);
	calls++;
}

void call_back(void (*function)(int), int n)
{
	pass(function, n);
	calls++;
}
