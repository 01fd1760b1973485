/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More threads than CPUs, each in a loop of calls inside calls.  crowd THREADS CALLS [one|wait]:
 * all on one CPU, or not before SIGUSR1, for which it says its process id.
 */
#include "witness.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int calls;

TRACED int inner(int n)
{
	OPAQUE(n);
	return n + 1;
}

TRACED int outer(int n)
{
	OPAQUE(n);
	return inner(n) * 2;
}

static void *thread_main(void *arg)
{
	long sum = 0;
	int i;

	(void)arg;
	for (i = 1; i <= calls; i++)
		sum += outer(i);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 8, i;
	pthread_t threads[256];
	long sum = 0;
	void *result;

	calls = argc > 2 ? atoi(argv[2]) : 1000;
	if (n < 1 || n > 256)
		return 2;
	if (argc > 3 && strcmp(argv[3], "wait") == 0) {
		int sig;
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
		sigwait(&set, &sig);
	} else if (argc > 3) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(sched_getcpu(), &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
			return 2;
	for (i = 0; i < n; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	return 0;
}
