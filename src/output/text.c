/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/text.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <time.h>

#include "base/signals.h"

/* Most pieces are shorter: a few stores cost less than glibc's way from fwrite to the buffer. */
enum { SHORT = 16 };

void rt_put(FILE *file, const char *text)
{
	unsigned i;

	for (i = 0; i < SHORT && text[i]; i++)
		putc_unlocked(text[i], file);
	if (text[i])
		fputs_unlocked(text + i, file);
}

void rt_put_bytes(FILE *file, const void *bytes, size_t len)
{
	const char *text = bytes;
	size_t i;

	if (len > SHORT) {
		fwrite_unlocked(bytes, 1, len, file);
		return;
	}
	for (i = 0; i < len; i++)
		putc_unlocked(text[i], file);
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
	rt_put_bytes(file, p, (size_t)(buf + sizeof(buf) - p));
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

enum { US = 1000, S = 1000000000 };

static void put_clock(FILE *file, uint64_t wall, bool us)
{
	time_t seconds = (time_t)(wall / S);
	struct tm tm;

	if (!localtime_r(&seconds, &tm))
		return;
	fprintf(file, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (us)
		fprintf(file, ".%06u", (unsigned)(wall % S / US));
	putc_unlocked(' ', file);
}

void rt_stamp_put(FILE *file, const struct rt_trace *trace, uint64_t time, uint64_t *last)
{
	uint64_t wall = time + (uint64_t)trace->wall,
		 since = *last && time > *last ? time - *last : 0;

	switch (trace->stamp) {
	case RT_STAMP_NONE:
		break;
	case RT_STAMP_CLOCK: case RT_STAMP_CLOCK_US:
		put_clock(file, wall, trace->stamp == RT_STAMP_CLOCK_US);
		break;
	case RT_STAMP_EPOCH:
		fprintf(file, "%" PRIu64 ".%06u ", wall / S, (unsigned)(wall % S / US));
		break;
	case RT_STAMP_SINCE:
		fprintf(file, "%6" PRIu64 ".%06u ", since / S, (unsigned)(since % S / US));
		break;
	}
	if (time > *last)
		*last = time;
}

unsigned rt_stamp_width(const struct rt_trace *trace)
{
	static const unsigned widths[] = {
		[RT_STAMP_NONE] = 0, [RT_STAMP_CLOCK] = 9, [RT_STAMP_CLOCK_US] = 16,
		[RT_STAMP_EPOCH] = 18, [RT_STAMP_SINCE] = 14,
	};

	return widths[trace->stamp];
}

void rt_stamp_put_duration(FILE *file, uint64_t ns)
{
	fprintf(file, " <%" PRIu64 ".%06u>", ns / S, (unsigned)(ns % S / US));
}
