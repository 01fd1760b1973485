/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "base/array.h"

/* More CPUs than any kernel is built for (CONFIG_NR_CPUS reaches 8,192): a list beyond is not a CPU list. */
#define CPUS_MAX 65536

int rt_cpus_parse(const char *text, int **v)
{
	size_t n = 0, cap = 0;
	long first, last;
	char *end;

	*v = NULL;
	while (*text && *text != '\n') {
		first = last = strtol(text, &end, 10);
		if (end == text || first < 0)
			goto bad;
		if (*end == '-') {
			text = end + 1;
			last = strtol(text, &end, 10);
			if (end == text)
				goto bad;
		}
		if (last < first || last >= CPUS_MAX)
			goto bad;
		for (; first <= last; first++) {
			if (RT_ROOM(v, n, &cap) != 0)
				goto nomem;
			(*v)[n++] = (int)first;
		}
		text = *end == ',' ? end + 1 : end;
		if (*end && *end != ',' && *end != '\n')
			goto bad;
	}
	if (n)
		return (int)n;
bad:
	free(*v);
	*v = NULL;
	return -EBADMSG;
nomem:
	free(*v);
	*v = NULL;
	return -ENOMEM;
}

static int read_list(const char *path, int **v)
{
	char *text;
	int n = rt_read_file(path, &text);

	if (n < 0)
		return n;
	n = rt_cpus_parse(text, v);
	free(text);
	return n;
}

int rt_cpus_online(int **v)
{
	return read_list("/sys/devices/system/cpu/online", v);
}

int rt_cpus_possible(void)
{
	int *v, n = read_list("/sys/devices/system/cpu/possible", &v);

	if (n < 0)
		return n;
	n = v[n - 1] + 1;
	free(v);
	return n;
}
