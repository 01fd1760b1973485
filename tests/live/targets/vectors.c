/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the C library of which each processor has its own: it says how often it has called
 * which, sorted.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { TIMES = 20 };

int main(void)
{
	static char a[5000], b[5000];
	static wchar_t w[200];
	size_t sum = 0;
	int i, n;

	for (i = 0; i < TIMES; i++) {
		n = 3 + i * 200;
		memset(a, 'a' + i % 3, (size_t)n);
		a[n] = 'z';
		strcpy(b, "abc");
		sum += (size_t)(strchr(a, 'z') - a);
		sum += (size_t)(strrchr(a, 'z') - a);
		sum += (size_t)((char *)rawmemchr(a, 'z') - a);
		sum += (size_t)((char *)memchr(a, 'z', sizeof(a)) - a);
		sum += (size_t)((char *)memrchr(a, 'z', sizeof(a)) - a);
		sum += strlen(a);
		sum += (size_t)(strcmp(a, b) > 0);
		wmemset(w, L'x', 150);
		sum += wcslen(w);
		memset(a, 0, sizeof(a));
	}
	if (sum != 231393)
		printf("%zu\n", sum);
	printf("memchr %d\nmemrchr %d\nmemset %d\nrawmemchr %d\nstrchr %d\nstrcmp %d\nstrcpy "
	       "%d\nstrlen %d\nstrrchr %d\nwcslen %d\nwmemset %d\n",
	       TIMES, TIMES, 2 * TIMES, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES, TIMES);
	return 0;
}
