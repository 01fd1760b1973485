/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that change the CPU before, inside and after each call, so that a call and its return are
 * in different rings.
 */
#include "witness.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 20, LEVELS = 4 };

static int ncpus, cpus[64];

static void hop(int n)
{
	cpu_set_t set;

	if (ncpus < 2)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpus[(unsigned)n % (unsigned)ncpus], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

TRACED int work(int n)
{
	int result = 1;

	OPAQUE(n);
	w_enter("work", n);
	hop(n);
	if (n % LEVELS)
		result += work(n - 1);
	hop(n + 1);
	return w_return(result);
}

static void *thread_main(void *arg)
{
	int id = (int)(long)arg, i;
	long sum = 0;

	for (i = 0; i < ROUNDS; i++) {
		hop(id + i);
		sum += work(id * 1000 + i);
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[THREADS];
	cpu_set_t set;
	long i, sum, total = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (i = 0; i < CPU_SETSIZE && ncpus < 64; i++)
			if (CPU_ISSET(i, &set))
				cpus[ncpus++] = (int)i;
	total = work(2);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)(i + 1)) != 0)
			return 1;
	total += work(3);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], (void **)&sum);
		total += sum;
	}
	total += work(1);
	printf("total %ld\n", total);
	return 0;
}
