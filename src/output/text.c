/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/text.h"

#include <sys/wait.h>

#include "base/signals.h"

void rt_put(FILE *file, const char *text)
{
	fputs_unlocked(text, file);
}

void rt_put_bytes(FILE *file, const void *bytes, size_t len)
{
	fwrite_unlocked(bytes, 1, len, file);
}

static void put_digits(FILE *file, uint64_t v, int negative)
{
	char buf[21], *p = buf + sizeof(buf);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (negative)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(buf + sizeof(buf) - p), file);
}

void rt_put_u64(FILE *file, uint64_t v)
{
	put_digits(file, v, 0);
}

void rt_put_i64(FILE *file, int64_t v)
{
	put_digits(file, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}

void rt_put_lost(FILE *file, uint64_t count)
{
	if (count) {
		rt_put_u64(file, count);
		putc_unlocked(' ', file);
	}
	rt_put(file, count == 1 ? "event lost" : "events lost");
}

void rt_put_exited(FILE *file, pid_t pid, int status)
{
	char name[32];

	rt_put(file, "+++ ");
	rt_put_u64(file, (uint64_t)pid);
	if (status < 0) {
		rt_put(file, " exited +++\n");
	} else if (WIFSIGNALED(status)) {
		rt_signal_name(WTERMSIG(status), name, sizeof(name));
		rt_put(file, " killed by ");
		rt_put(file, name);
		rt_put(file, " +++\n");
	} else {
		rt_put(file, " exited with ");
		rt_put_u64(file, (uint64_t)WEXITSTATUS(status));
		rt_put(file, " +++\n");
	}
}
