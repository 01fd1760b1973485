/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 32-bit functions that take arguments off the stack themselves: a result in memory, and stdcall.
 */
#include "witness.h"

#ifdef __i386__
#define STDCALL __attribute__((stdcall))
#else
#define STDCALL
#endif

struct four {
	int v[4];
};

/* The trace shows the address of the result as the first argument and as the result. */
TRACED struct four make(int n)
{
	struct four f = { { n, n + 1, n + 2, n + 3 } };

	OPAQUE(n);
	if (n > 0)
		f.v[3] += make(n - 1).v[3];
	return f;
}

STDCALL TRACED int add(int n, int each)
{
	char call[64];

	OPAQUE(n);
	OPAQUE(each);
	snprintf(call, sizeof(call), "(add %d %d)", n, each);
	w_call(call);
	return w_return(n > 0 ? add(n - 1, each) + each : 0);
}

TRACED int outer(int n)
{
	OPAQUE(n);
	w_enter("outer", n);
	return w_return(make(n).v[3] + add(n, 3) + add(70, 1));
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 5; i++)
		sum += outer(i);
	printf("sum %d\n", sum);
	return 0;
}
