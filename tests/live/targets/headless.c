/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first thread ends; the other one prints its id and goes on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static void *other(void *arg)
{
	int n = 0;

	usleep(100000);
	printf("%ld\n", (long)syscall(SYS_gettid));
	fflush(stdout);
	for (;;) {
		n = work(n);
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, other, NULL) != 0)
		return 1;
	pthread_exit(NULL);
}
