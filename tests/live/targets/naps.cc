/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that last, and calls that do not, left by returns, exceptions and tail calls: naps [THREADS] */
#include "witness.h"

#include <pthread.h>

extern "C" {
int quick(int n), slow(int n);
}

/* The least time of a call of slow; a call of quick takes far less on any machine. */
enum { PAUSE = 50000, PAUSES = 3 };

TRACED int quick(int n)
{
	OPAQUE(n);
	w_enter("quick", n);
	if (n % 3 == 0)
		throw n;
	return w_return(n > 3 ? quick(n - 3) + 1 : n);
}

/* Below it: calls that are left by an exception; and at the end, above a level, one that is slow too. */
TRACED int slow(int n)
{
	unsigned mine;
	int result = 0, i;

	OPAQUE(n);
	w_enter("slow", n);
	mine = w_depth;
	for (i = 0; i < PAUSES; i++) {
		usleep(PAUSE);
		try {
			result += quick(n + i);
		} catch (int v) {
			w_unwind(mine, W_NOT_SEEN);
			result += quick(1);
		}
	}
	if (n > 1)
		result += slow(n - 1);
	if (n == 4) {
		w_unwind(mine - 1, W_NOT_SEEN);
		throw n;
	}
	return w_return(result);
}

static int work()
{
	int sum = 0;

	try {
		sum += slow(4);
	} catch (int v) {
		sum += v;
	}
	return sum + quick(2) + slow(1);
}

static void *thread_main(void *)
{
	return (void *)(long)work();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, i;
	pthread_t threads[8];
	void *result;
	long sum = slow(1);	/* the first call of all is this thread's */

	for (i = 0; i < n && i < 8; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (i = 0; i < n && i < 8; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	return 0;
}
