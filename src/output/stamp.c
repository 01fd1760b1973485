/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/stamp.h"

#include <inttypes.h>
#include <time.h>

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
