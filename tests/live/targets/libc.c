/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls functions of the system's libraries: an IFUNC, and one of libm. */
#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[200];

int main(void)
{
	size_t (*volatile length)(const char *) = strlen;
	double (*volatile cosine)(double) = cos;
	double sum = 0;
	size_t all = 0;
	int i;

	for (i = 0; i < 40; i++) {
		memset(text, 'x', 101 + (size_t)i);
		all += length(text);
		sum += cosine(i);
	}
	printf("all %zu, sum %.6f\n", all, sum);
	return 0;
}
