/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tail call to what is not traced, by a stub behind _init; then calls from deeper in the stack.
 */
#include <stdlib.h>

#include "witness.h"

static int v[] = { 3, 1, 2 };

TRACED int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

TRACED void drop(void *p)
{
	free(p);
}

int main(void)
{
	drop(malloc(9));
	qsort(v, 3, sizeof(v[0]), cmp);
	return 0;
}
