/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that fail.  Prints of each what a trace must show of its result, by its own errno.
 *	fails			once
 *	fails wait		"ready", and then when SIGUSR1 comes
 *	fails wait again	the same, then once more as a new program
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone, used))

CALLED int open_it(const char *path)
{
	int fd = open(path, O_RDONLY);

	__asm__ volatile("" : : : "memory");
	return fd;
}

CALLED void *map_it(unsigned long n)
{
	void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, -1, 0);

	__asm__ volatile("" : : : "memory");
	return p;
}

static void say(void)
{
	const char *name = errno == ENOENT    ? "ENOENT"
			   : errno == ENOTDIR ? "ENOTDIR"
			   : errno == EBADF   ? "EBADF"
					      : "?";

	printf("-1 %s (%s)\n", name, strerror(errno));
}

static void *in_thread(void *unused)
{
	errno = EILSEQ;
	if (open_it("/etc/passwd/x") < 0)
		say();
	return unused;
}

static void wait_for_signal(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &sig);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int fd;

	if (argc > 1)
		wait_for_signal();
	/* An earlier call left this value in errno. */
	errno = EILSEQ;
	fd = open_it("/dev/null");
	if (fd < 0)
		return 2;
	close(fd);
	if (open_it("/nonexistent") < 0)
		say();
	if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
		return 2;
	pthread_join(thread, NULL);
	if (map_it(4096) == MAP_FAILED)
		say();
	fflush(stdout);
	if (argc > 2)
		execl(argv[0], argv[0], NULL);
	return 0;
}
