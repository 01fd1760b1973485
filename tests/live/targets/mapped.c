/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped FILE...: maps each file as code and as data, without running anything of it.  Prints
 * "FILE CODE DATA" whenever these numbers change: the bytes in which the process's code and data
 * differ from the file.  A breakpoint is one byte, an armed semaphore too.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct mapped {
	const char *name;
	size_t size;
	const unsigned char *file, *code, *data;
	long codes, datas;
};

static void *map(int fd, size_t size, int protection, int flags)
{
	void *at = mmap(NULL, size, protection, flags, fd, 0);

	if (at == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return at;
}

static void open_file(struct mapped *m, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		perror(path);
		exit(1);
	}
	m->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	m->size = (size_t)st.st_size;
	m->codes = m->datas = -1;
	m->code = map(fd, m->size, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	m->data = map(fd, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	/* Pages that are shared get no breakpoints (valid_vma() in kernel/events/uprobes.c). */
	m->file = map(fd, m->size, PROT_READ, MAP_SHARED);
	close(fd);
}

static long count_changes(const unsigned char *a, const unsigned char *b, size_t size)
{
	size_t page, i;
	long n = 0;

	for (page = 0; page < size; page += PAGE) {
		size_t end = size - page < PAGE ? size : page + PAGE;

		if (memcmp(a + page, b + page, end - page) == 0)
			continue;
		for (i = page; i < end; i++)
			n += a[i] != b[i];
	}
	return n;
}

int main(int argc, char **argv)
{
	struct mapped *v = calloc((size_t)argc, sizeof(*v));
	int i;

	for (i = 1; v && i < argc; i++)
		open_file(&v[i], argv[i]);
	for (;;) {
		for (i = 1; v && i < argc; i++) {
			long codes = count_changes(v[i].code, v[i].file, v[i].size);
			long datas = count_changes(v[i].data, v[i].file, v[i].size);

			if (codes == v[i].codes && datas == v[i].datas)
				continue;
			v[i].codes = codes;
			v[i].datas = datas;
			printf("%s %ld %ld\n", v[i].name, codes, datas);
		}
		fflush(stdout);
		usleep(50000);
	}
}
