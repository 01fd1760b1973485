/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children that call the traced function too: forks fork|vfork|exec */
#include "witness.h"

#include <string.h>
#include <sys/wait.h>

static const char *how, *self;
static pid_t child;

TRACED int job(int n)
{
	OPAQUE(n);
	w_enter("job", n);
	return w_return(n * n + 1);
}

static int jobs(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += job(i);
	return sum;
}

/* 0 + 1 + 4 + ... + 361, and 20. */
static int right(void)
{
	return jobs(20) == 2490;
}

/* A child that begins inside a traced call, and returns from it. */
TRACED int split(int n)
{
	OPAQUE(n);
	w_enter("split", n);
	child = fork();
	if (child == 0)
		w_silence();
	return w_return(n + right());
}

/* Its child shares the parent's memory until it ends. */
TRACED int borrow(int n)
{
	OPAQUE(n);
	w_enter("borrow", n);
	int fd = w_fd, ok;

	w_silence();
	child = vfork();
	if (child == 0) {
		if (strcmp(how, "exec") == 0)
			execle(self, self, "child", (char *)NULL, (char *[]){ NULL });
		_exit(right() ? 42 : 1);
	}
	w_fd = fd;
	ok = right();
	return w_return(n + ok);
}

int main(int argc, char **argv)
{
	int status = 0, ok;

	self = argv[0];
	how = argc > 1 ? argv[1] : "fork";
	if (strcmp(how, "child") == 0)
		return right() ? 42 : 1;
	ok = strcmp(how, "fork") == 0 ? split(1) : borrow(1);
	if (child == 0)
		_exit(ok == 2 && right() ? 42 : 1);
	waitpid(child, &status, 0);
	ok += right();
	printf("parent %d, child %d\n", ok, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
