/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads whose calls time themselves: timed THREADS ROUNDS [wait].  Says how many calls of nap and
 * snore there were, the least and the most, in ns, that they can have taken together, and the same
 * of the time in which one was open: by clocks read inside and around each.  With `wait` it begins
 * at SIGUSR1, for which it says its id.
 */
#include "witness.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { LEVELS = 3 };

static int rounds;
static struct sums {
	long long calls, least, most, total_least, total_most;
} nap_sums, snore_sums;

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

/* In a call: its end.  `outermost`: no other of its function is open. */
static void end_call(struct sums *s, long long began, int outermost)
{
	long long ns = now() - began;

	__atomic_fetch_add(&s->calls, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->least, ns, __ATOMIC_SEQ_CST);
	if (outermost)
		__atomic_fetch_add(&s->total_least, ns, __ATOMIC_SEQ_CST);
}

/* Around a call. */
static void called(struct sums *s, long long before, int outermost)
{
	long long ns = now() - before;

	__atomic_fetch_add(&s->most, ns, __ATOMIC_SEQ_CST);
	if (outermost)
		__atomic_fetch_add(&s->total_most, ns, __ATOMIC_SEQ_CST);
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
		called(&nap_sums, before, 0);
	}
	end_call(&nap_sums, began, n == LEVELS - 1);
	return result;
}

TRACED int doze(int n);

/* It calls itself only by way of doze. */
TRACED int snore(int n)
{
	long long began = now();
	int result;

	OPAQUE(n);
	usleep(50);
	result = doze(n) + 1;
	end_call(&snore_sums, began, n == LEVELS - 1);
	return result;
}

TRACED int doze(int n)
{
	long long before;
	int result = 1;

	OPAQUE(n);
	usleep(50);
	if (n) {
		before = now();
		result += snore(n - 1);
		called(&snore_sums, before, 0);
	}
	return result;
}

static void *thread_main(void *arg)
{
	long long before;
	int i;

	for (i = 0; i < rounds; i++) {
		before = now();
		nap(LEVELS - 1);
		called(&nap_sums, before, 1);
		before = now();
		snore(LEVELS - 1);
		called(&snore_sums, before, 1);
	}
	return arg;
}

static void print(const char *name, const struct sums *s)
{
	printf("%s %lld %lld %lld %lld %lld\n", name, s->calls, s->least, s->most, s->total_least,
	       s->total_most);
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
	print("nap", &nap_sums);
	print("snore", &snore_sums);
	return 0;
}
