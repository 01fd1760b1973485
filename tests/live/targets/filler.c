/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's functions that fill in what they are given.  Prints, in the order of the calls, what a trace must show of each. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int give(int fd, const char *text)
{
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

int main(int argc, char **argv)
{
	int fds[2], status;
	char buf[64], *end, *line = NULL;
	size_t room = 0;
	struct stat st;
	FILE *file;
	long n;

	if (argc < 2 || pipe(fds) != 0 || !give(fds[1], "one\n"))
		return 2;
	printf("pipe 0 fds=[%d, %d]\n", fds[0], fds[1]);
	printf("read %d", (int)read(fds[0], buf, sizeof(buf)));
	printf(" buf=\"one\\n\"\n");
	close(fds[1]);
	printf("read %d", (int)read(fds[0], buf, sizeof(buf)));
	printf(" buf=\"\"\n");
	n = readlink(argv[1], buf, sizeof(buf));
	printf("readlink %ld buf=\"%.*s\"\n", n, (int)n, buf);
	n = strtol("77 left", &end, 10);
	printf("strtol %ld end=\"%s\"\n", n, end);
	file = fopen(argv[0], "re");
	if (file && getline(&line, &room, file) > 0)
		printf("getline some\n");
	printf("stat %d", stat(argv[0], &st));
	printf(" %lld\n", (long long)st.st_size);
	if (fork() == 0)
		_exit(3);
	printf("wait %d", wait(&status) > 0);
	printf(" status=%d\n", status);
	return 0;
}
