/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that call Go: shared LIBRARY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, CALLS = 60 };

static int (*deep)(int);

static void *run(void *arg)
{
	intptr_t bad = 0;
	int i;

	for (i = 0; i < CALLS; i++)
		bad += deep(i) != i;
	return arg ? arg : (void *)bad;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *bad;
	pthread_t threads[THREADS];
	int i, all = 0;

	if (!library || !(deep = (int (*)(int))(intptr_t)dlsym(library, "Deep")))
		return 2;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		all += bad != NULL;
	}
	printf("bad %d\n", all);
	return 7;
}
