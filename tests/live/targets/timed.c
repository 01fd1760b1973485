/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads whose calls time themselves: timed THREADS ROUNDS [wait].  Says how many calls of nap there were, and the least and the
 * most, in ns, that they can have taken together: by clocks read inside and around each.  With `wait` it begins at SIGUSR1, for
 * which it says its id.
 */
#include "witness.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { LEVELS = 3 };

static int rounds;
static long long calls, least, most;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void wait_for_go(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	sigwait(&set, &sig);
}

/* Each level sleeps, so that the time of the outer ones holds that of the inner ones. */
TRACED int nap(int n)
{
	long long began = now(), before;
	int result = 1;

	OPAQUE(n);
	usleep(100u << n);
	if (n) {
		before = now();
		result += nap(n - 1);
		__atomic_fetch_add(&most, now() - before, __ATOMIC_SEQ_CST);
	}
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&least, now() - began, __ATOMIC_SEQ_CST);
	return result;
}

static void *thread_main(void *arg)
{
	long long before;
	int i;

	for (i = 0; i < rounds; i++) {
		before = now();
		nap(LEVELS - 1);
		__atomic_fetch_add(&most, now() - before, __ATOMIC_SEQ_CST);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2, i;
	pthread_t v[64];

	rounds = argc > 2 ? atoi(argv[2]) : 10;
	if (threads < 1 || threads > 64)
		return 2;
	if (argc > 3)
		wait_for_go();
	for (i = 0; i < threads; i++)
		if (pthread_create(&v[i], NULL, thread_main, NULL) != 0)
			return 2;
	for (i = 0; i < threads; i++)
		pthread_join(v[i], NULL);
	printf("nap %lld %lld %lld\n", calls, least, most);
	return 0;
}
