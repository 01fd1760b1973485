/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server of several processes: prefork PROCESSES.  Says the number of each; on SIGUSR1 a process
 * serves, the first 10 times, the second 20 and so on, each in two threads, then says how often and
 * ends.
 */
#include "witness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

TRACED int part(int n)
{
	OPAQUE(n);
	return n * 2;
}

TRACED int serve(int process, int n)
{
	int sum = process;

	if (n)
		sum = part(process) + serve(process, n - 1);
	/* Else a loop would be made of it. */
	OPAQUE(sum);
	return sum;
}

struct job {
	int process, times, wrong;
};

static void *thread_main(void *arg)
{
	struct job *job = arg;
	int i;

	for (i = 0; i < job->times; i++)
		job->wrong += serve(job->process, 2) != 5 * job->process;
	return NULL;
}

static int child_main(int process, const sigset_t *set)
{
	struct job jobs[2] = { { process, process * 10, 0 }, { process, process * 10, 0 } };
	pthread_t thread;
	int sig;

	sigwait(set, &sig);
	if (pthread_create(&thread, NULL, thread_main, &jobs[1]) != 0)
		return 2;
	thread_main(&jobs[0]);
	pthread_join(thread, NULL);
	printf("%d %d\n", (int)getpid(), jobs[0].times + jobs[1].times);
	fflush(stdout);
	return jobs[0].wrong || jobs[1].wrong;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i, status, wrong = 0;
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 1; i <= n; i++) {
		pid = fork();
		if (pid == 0)
			return child_main(i, &set);
		printf("process %d\n", (int)pid);
		fflush(stdout);
	}
	while (wait(&status) > 0)
		wrong |= status;
	return wrong != 0;
}
