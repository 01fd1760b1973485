/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that end inside calls, with handlers that are called on the way: cancel */
#include "witness.h"

#include <pthread.h>

static int waiting[2];
static volatile int forever = 1;

TRACED int handler(int n)
{
	OPAQUE(n);
	w_enter("handler", n);
	return w_return(n * 2);
}

static unsigned mine;

static void clean(void *arg)
{
	/* Deeper in the stack than what has been left, as handlers without optimization are. */
	volatile char room[256];

	/* The calls inside of the one that asked for this have been left. */
	w_unwind(mine, W_NOT_SEEN);
	room[0] = 0;
	handler((int)(long)arg);
	room[1] = room[0];
}

TRACED int sleeper(int n)
{
	OPAQUE(n);
	w_enter("sleeper", n);
	if (n)
		return w_return(sleeper(n - 1) + 1);
	if (write(waiting[1], "", 1) != 1)
		abort();
	while (forever)
		pause();
	return w_return(0);
}

TRACED int guarded(int n)
{
	int result;

	OPAQUE(n);
	w_enter("guarded", n);
	mine = w_depth;
	pthread_cleanup_push(clean, (void *)(long)n);
	result = sleeper(n);
	pthread_cleanup_pop(0);
	return w_return(result);
}

static void *thread_main(void *arg)
{
	return (void *)(long)guarded((int)(long)arg);
}

/*
 * The C library comes here by a longjmp of its own: where it is hooked, all calls have been left
 * by then.
 */
static void at_end(void *arg)
{
	w_unwind(0, getenv("WITNESS_WATCHED") ? W_NOT_SEEN : W_EXITED);
	(void)arg;
}

static void *cancelled(void *arg)
{
	void *result;

	pthread_cleanup_push(at_end, NULL);
	result = thread_main(arg);
	pthread_cleanup_pop(0);
	return result;
}

int main(void)
{
	pthread_t thread;
	void *result;
	char byte;
	long i;
	int n = 0;

	if (pipe(waiting) != 0)
		return 1;
	for (i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, cancelled, (void *)i) != 0)
			return 1;
		if (read(waiting[0], &byte, 1) != 1)
			return 1;
		pthread_cancel(thread);
		pthread_join(thread, &result);
		n += result == PTHREAD_CANCELED;
	}
	printf("cancelled %d\n", n);
	return 0;
}
