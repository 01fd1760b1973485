/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs [MILLISECONDS | FILE [PROGRAM [ARGUMENT...]]]: looks a variable up twice and says its
 * effective user.  After that time, or when FILE is there, executes PROGRAM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_caps(void)
{
	char line[200];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "CapInh", 6) == 0 || strncmp(line, "CapPrm", 6) == 0 ||
		    strncmp(line, "CapAmb", 6) == 0)
			fputs(line, stdout);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	int i, found = 0;

	/* Between calls that are seen before the exec and calls that must not be seen after it. */
	for (i = 0; i < 2; i++)
		found += getenv("HOME") != NULL;
	printf("%s %u %d\n", argc > 1 ? "before" : "after", (unsigned)geteuid(), found >= 0);
	if (argc < 2)
		say_caps();
	fflush(stdout);
	if (argc > 1) {
		if (argv[1][0] != '/')
			usleep(atoi(argv[1]) * 1000);
		for (i = 0; argv[1][0] == '/' && i < 4000 && access(argv[1], F_OK) != 0; i++)
			usleep(10000);
		if (argc > 2)
			execv(argv[2], argv + 2);
	}
	return argc > 2;
}
