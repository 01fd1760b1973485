/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/program.h"
#include "elf/file.h"

/*
 * Which libraries a program will have, for the tests: libraries [LD_NAME=VALUE...] PROGRAM...  A
 * line a program: "PROGRAM: PATH PATH ...", and "!" if one is not found.
 */
static int print(const char *program)
{
	struct rt_program files;
	struct rt_error err;
	size_t i;

	if (rt_program_of_command(program, &files, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%s:", program);
	for (i = 1; i < files.n; i++)
		printf(" %s", files.v[i]->name);
	printf("%s\n", files.incomplete ? " !" : "");
	if (files.incomplete)
		fprintf(stderr, "%s: %s\n", program, files.incomplete);
	rt_program_close(&files);
	return 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++)
		failed |= strncmp(argv[i], "LD_", 3) == 0 ? putenv(argv[i]) : print(argv[i]);
	return failed;
}
