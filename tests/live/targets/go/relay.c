/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two libraries in Go that call each other through C, in several threads: relay LIBRARY LIBRARY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, CALLS = 5, LEVELS = 6, GOROUTINES = 6 };

typedef int (*step)(int);
static step steps[2];
static void (*many[2])(int), (*end[2])(void);

static void *run(void *arg)
{
	intptr_t bad = 0;
	int i;

	for (i = 0; i < CALLS; i++)
		bad += steps[i & 1](LEVELS) != LEVELS * (LEVELS + 1) / 2;
	many[0](GOROUTINES);
	many[1](GOROUTINES);
	return arg ? arg : (void *)bad;
}

static int load(const char *path, int i)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library)
		return -1;
	steps[i] = (step)(intptr_t)dlsym(library, "Relay");
	many[i] = (void (*)(int))(intptr_t)dlsym(library, "Many");
	end[i] = (void (*)(void))(intptr_t)dlsym(library, "End");
	return steps[i] && many[i] && end[i] ? 0 : -1;
}

int main(int argc, char **argv)
{
	void (*begin)(char, step);
	pthread_t threads[THREADS];
	int i, all = 0;
	void *bad;

	if (argc < 3 || load(argv[1], 0) < 0 || load(argv[2], 1) < 0)
		return 2;
	for (i = 0; i < 2; i++) {
		begin = (void (*)(char, step))(intptr_t)dlsym(dlopen(argv[1 + i], RTLD_NOW),
							      "Begin");
		begin("ab"[i], steps[!i]);
	}
	steps[0](1);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		all += bad != NULL;
	}
	end[0]();
	end[1]();
	printf("bad %d\n", all);
	return 7;
}
