/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process ends inside calls: exits exit|_exit|thread|kill|return */
#include "witness.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

static const char *how;
static int main_tid, ready[2];
static pthread_t thread;

int dive(int n);

static void at_exit(void)
{
	dive(-2);
	w_unwind(0, W_EXITED);
}

static void *thread_main(void *arg)
{
	(void)arg;
	dive(3);
	return NULL;
}

static void leave(void)
{
	char byte;

	fflush(stdout);
	if (strcmp(how, "exit") == 0) {
		atexit(at_exit);
		exit(7);
	} else if (strcmp(how, "_exit") == 0) {
		w_unwind(0, W_EXITED);
		_exit(8);
	} else if (strcmp(how, "kill") == 0) {
		w_unwind(0, W_EXITED);
		raise(SIGKILL);
	} else if (w_tid() != main_tid) {
		/* The main thread is three calls deep, waiting. */
		if (strcmp(how, "thread") == 0 && read(ready[0], &byte, 1) == 1) {
			usleep(20000);
			w_close(main_tid, 3, 0, W_EXITED);
			w_unwind(0, W_EXITED);
			exit(9);
		}
	} else {
		/* "thread": wait to be ended; "return": for the thread, which ends by returning. */
		if (pthread_create(&thread, NULL, thread_main, NULL) != 0 ||
		    write(ready[1], "r", 1) != 1)
			abort();
		pthread_join(thread, NULL);
	}
}

TRACED int dive(int n)
{
	OPAQUE(n);
	w_enter("dive", n);
	if (n == 1)
		leave();
	return w_return(n > 1 ? dive(n - 1) + 1 : n < -1 ? dive(n + 1) : n);
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "exit";
	main_tid = w_tid();
	if (pipe(ready) != 0)
		return 1;
	printf("in\n");
	printf("out %d\n", dive(3));
	return dive(-1) + 11;
}
