/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target once over each file of a folder, in place of libFuzzer: silent unless
 * something is wrong.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	static const size_t max = 1 << 20;
	FILE *file = fopen(path, "r");
	uint8_t *whole, *data;
	size_t n;

	if (!file) {
		perror(path);
		return 1;
	}
	whole = malloc(max);
	n = fread(whole, 1, max, file);
	fclose(file);
	/* An exact copy, so that ASan sees a read past its end. */
	data = realloc(whole, n ? n : 1);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned files = 0;
	struct dirent *d;
	char path[4096];
	DIR *dir;

	if (argc != 2 || !(dir = opendir(argv[1]))) {
		fprintf(stderr, "usage: replay CORPUS\n");
		return 2;
	}
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], d->d_name);
		if (replay(path) != 0)
			return 1;
		files++;
	}
	closedir(dir);
	if (!files)
		fprintf(stderr, "%s: no inputs\n", argv[1]);
	return files ? 0 : 1;
}
