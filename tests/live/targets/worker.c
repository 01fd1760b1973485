/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that call and check each result: worker THREADS MILLISECONDS PAUSE, where PAUSE are us
 * between calls.  Says "ready" when all run and, after the time or SIGUSR1, whether every result
 * was right.  Each thread makes one call at least, however busy the machine is.
 */
#include "witness.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stop;
static int pause_us, wrong;
static pthread_barrier_t all;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

TRACED int leaf(int n)
{
	OPAQUE(n);
	return n + 1;
}

TRACED int work(int n)
{
	OPAQUE(n);
	return leaf(n) + n;
}

static void *thread_main(void *arg)
{
	int bad = 0, i = (int)(long)arg * 1000000;

	pthread_barrier_wait(&all);
	do {
		bad |= work(i) != 2 * i + 1;
		i++;
		if (pause_us)
			usleep((useconds_t)pause_us);
	} while (!stop);
	__atomic_fetch_or(&wrong, bad, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, ms = argc > 2 ? atoi(argv[2]) : 1000, i;
	struct timespec until, now;
	pthread_t *v = calloc((size_t)threads, sizeof(*v));

	pause_us = argc > 3 ? atoi(argv[3]) : 0;
	signal(SIGUSR1, on_signal);
	pthread_barrier_init(&all, NULL, (unsigned)threads + 1);
	for (i = 0; i < threads; i++)
		if (!v || pthread_create(&v[i], NULL, thread_main, (void *)(long)(i + 1)) != 0)
			return 2;
	pthread_barrier_wait(&all);
	printf("ready\n");
	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	do {
		usleep(2000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!stop &&
		 (now.tv_sec - until.tv_sec) * 1000000000LL + now.tv_nsec - until.tv_nsec < 0);
	stop = 1;
	for (i = 0; i < threads; i++)
		pthread_join(v[i], NULL);
	free(v);
	printf("%s\n", wrong ? "wrong" : "right");
	return wrong;
}
