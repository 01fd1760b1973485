/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With -DLIBRARY a library with shared_sum; else a program that calls it, and what it calls itself:
 * shared TIMES [PROGRAM [ARGUMENT...]].  It calls both TIMES times, forks a child that does so too,
 * waits for it, says both ids, and executes PROGRAM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int shared_sum(int a, int b);

#ifdef LIBRARY
int shared_sum(int a, int b)
{
	return a + b;
}
#else
__attribute__((noinline)) int own_double(int n)
{
	__asm__ volatile("" : "+r"(n));
	return 2 * n;
}

static int call(int times)
{
	int i, sum = 0;

	for (i = 0; i < times; i++)
		sum += shared_sum(i, 1) + own_double(i);
	return sum;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, sum = call(times), status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(call(times) != sum);
	waitpid(pid, &status, 0);
	printf("%d %d\n", (int)getpid(), (int)pid);
	fflush(stdout);
	if (argc > 2)
		execv(argv[2], argv + 2);
	return status != 0 || argc > 2;
}
#endif
