/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls functions of the C library, and says which: by write alone, which is none of those.  What
 * the library calls by itself (qsort copies, strdup takes memory) is not said.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const argument[] = { "b", "a", "c" };
static volatile int loops;

static void say(const char *line)
{
	ssize_t n = write(1, line, __builtin_strlen(line));

	(void)n;
}

static int compare(const void *a, const void *b)
{
	int order;

	say("(strcmp)\n");
	order = strcmp(*(const char *const *)a, *(const char *const *)b);
	loops += order == 100;		/* no tail call, which would return to qsort */
	return order;
}

__attribute__((noinline)) static size_t jumps(const char *text)
{
	say("(strlen)\n");
	return strlen(text);		/* a tail call: the return address is main's */
}

static void calls(void)
{
	const char *v[3];
	char *copy;

	__builtin_memcpy(v, argument, sizeof(v));
	say("(qsort)\n");
	qsort(v, 3, sizeof(*v), compare);
	say("(strdup)\n");
	copy = strdup(v[0]);
	loops += (int)jumps(copy);
	say("(free)\n");
	free(copy);
	say("(strcoll)\n");
	loops += strcoll(argument[0], argument[1]) ==
		 100; /* whose last call is strcmp, which then returns to here */
	say("(strtol)\n");
	loops += (int)strtol("17", NULL, 10);
}

int main(int argc, char **argv)
{
	char go;
	int fd;

	if (argc > 1) {
		fd = open(argv[1], O_RDONLY);
		say("ready\n");
		while (read(fd, &go, 1) > 0)
			calls();
		return 0;
	}
	calls();
	return loops == 18 ? 0 : 1;
}
