/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C library's functions that fill in what they are given.  Prints, in the order of the calls,
 * what a trace must show of each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int give(int fd, const char *text)
{
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

int main(int argc, char **argv)
{
	volatile size_t none = 0;
	int fds[2], pair[2], status = 77;
	pid_t child;
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
	/*
	 * More than there is room for, no room at all, and nothing to be told yet: buf has what was
	 * in it before.
	 */
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 ||
	    send(pair[1], "0123456789", 10, 0) != 10)
		return 2;
	printf("recv %d", (int)recv(pair[0], buf, 3, MSG_TRUNC));
	printf(" buf=\"012\"\n");
	printf("snprintf %d", snprintf(buf, none, "%s", "none"));
	printf(" buf=\"\"\n");
	printf("snprintf %d", snprintf(buf, 3, "%s", "some"));
	printf(" buf=\"so\"\n");
	fflush(stdout);
	child = fork();
	if (child == 0 && read(pair[1], buf, 1) == 1)
		_exit(3);
	printf("waitpid %d\n", (int)waitpid(child, &status, WNOHANG));
	if (send(pair[0], "x", 1, 0) != 1)
		return 2;
	printf("wait %d", wait(&status) > 0);
	printf(" status=%d\n", status);
	return 0;
}
