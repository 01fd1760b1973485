/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links FILE: the number of uprobe_multi links to it that the kernel has.  Exit status 2: before
 * Linux 6.8 it does not name their files.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/uapi.h"

/* linux/bpf.h: commands, and the type of the link */
enum { NEXT_ID = 31, FD_BY_ID = 30, INFO_BY_FD = 15, UPROBE_MULTI = 12 };

struct info {
	uint32_t type, id, prog_id, unused;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t path_size, count, flags, pid;
};

static long next_id(uint32_t *id)
{
	uint32_t attr[4] = { *id };
	long r = syscall(__NR_bpf, NEXT_ID, attr, sizeof(attr));

	*id = attr[1];
	return r;
}

/* 1: it is a link to the file, 0: it is another one, or gone. */
static int is_to(uint32_t id, const char *file)
{
	char path[4096] = "";
	struct info info = { .path = (uintptr_t)path, .path_size = sizeof(path) };
	uint32_t open_attr[4] = { id };
	struct {
		uint32_t fd, size;
		uint64_t info;
	} attr = { .size = sizeof(info), .info = (uintptr_t)&info };
	long fd = syscall(__NR_bpf, FD_BY_ID, open_attr, sizeof(open_attr)), r;

	if (fd < 0)
		return 0;
	attr.fd = (uint32_t)fd;
	r = syscall(__NR_bpf, INFO_BY_FD, &attr, sizeof(attr));
	close((int)fd);
	if (r < 0 || info.type != UPROBE_MULTI)
		return 0;
	return path[0] ? strcmp(path, file) == 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned n = 0;
	uint32_t id = 0;
	int r;

	while (argc == 2 && next_id(&id) == 0) {
		r = is_to(id, argv[1]);
		if (r < 0)
			return 2;
		n += (unsigned)r;
	}
	printf("%u\n", n);
	return errno != ENOENT;
}
