/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs [PROGRAM [ARGUMENT...]]: looks a variable up twice, says its effective user, and executes
 * PROGRAM.
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
		usleep(atoi(argv[1]) * 1000);
		if (argc > 2)
			execv(argv[2], argv + 2);
	}
	return argc > 2;
}
