/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls the library's function. */
#include <stdio.h>

int library_square(int n);

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += library_square(i);
	printf("sum %d\n", sum);
	return 0;
}
