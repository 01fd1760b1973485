/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pthread_exit unwinds through the traced calls: a return address that is not there would abort the
 * program.
 */
#include "witness.h"

#include <pthread.h>

static volatile int armed = 1;

static void __attribute__((noinline)) end_thread(void)
{
	w_unwind(0, W_EXITED);
	if (armed)
		pthread_exit((void *)21L);
}

TRACED int inner(int n)
{
	OPAQUE(n);
	w_enter("inner", n);
	if (n == 0)
		end_thread();
	return w_return(n ? inner(n - 1) + 1 : 0);
}

static void *thread_main(void *arg)
{
	return (void *)(long)inner((int)(long)arg);
}

int main(void)
{
	pthread_t thread;
	void *result;
	long i, sum = 0;

	for (i = 0; i < 5; i++) {
		if (pthread_create(&thread, NULL, thread_main, (void *)i) != 0)
			return 1;
		pthread_join(thread, &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	return 0;
}
