// SPDX-License-Identifier: GPL-2.0-or-later
// An exception that passes through a function of the C library.  As a program, or as a plugin: thrower_run().
#include <cstdio>
#include <cstdlib>

static int compare(const void *, const void *)
{
	throw 7;
}

extern "C" int thrower_run()
{
	int v[] = { 2, 1 };

	try {
		qsort(v, 2, sizeof(*v), compare);
	} catch (int n) {
		printf("caught %d\n", n);
		fflush(stdout);
		return 0;
	}
	return 1;
}

int main()
{
	return thrower_run();
}
