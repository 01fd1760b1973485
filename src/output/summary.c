/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of functions: calls and times, the longest total first or by another column. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/profile.h"

static void put_time(FILE *file, uint64_t ns, bool known)
{
	char buf[32];

	fprintf(file, " %10s", known ? rt_duration_text(ns, buf) : "-");
}

static void put_row(struct rt_sink *sink, const struct rt_profile_row *row)
{
	const struct rt_durations *d = row->durations;
	bool timed = d->n || row->unfinished;

	fprintf(sink->file, "%10" PRIu64, row->calls);
	put_time(sink->file, row->total, timed);
	put_time(sink->file, row->self, timed);
	put_time(sink->file, d->n ? d->sum / d->n : 0, d->n);
	put_time(sink->file, d->min, d->n);
	put_time(sink->file, rt_durations_percentile(d, 50), d->n);
	put_time(sink->file, rt_durations_percentile(d, 99), d->n);
	put_time(sink->file, d->max, d->n);
	fprintf(sink->file, " %6" PRIu64 "  %s", row->failed,
		rt_sink_function(sink, row->function));
	if (row->unfinished)
		fprintf(sink->file, "  *** %" PRIu64 " not seen to return ***", row->unfinished);
	putc('\n', sink->file);
}

static int summary_end(struct rt_sink *sink)
{
	struct rt_profile_row *rows;
	ssize_t i, n = rt_profile_rows(sink, &rows);

	if (n < 0)
		return -ENOMEM;
	fprintf(sink->file, "%10s %10s %10s %10s %10s %10s %10s %10s %6s  %s\n", "CALLS", "TOTAL",
		"SELF", "AVG", "MIN", "P50", "P99", "MAX", "FAILED", "FUNCTION");
	for (i = 0; i < n; i++)
		put_row(sink, &rows[i]);
	rt_profile_print_notes(sink, "rawtrace: ");
	free(rows);
	return 0;
}

const struct rt_sink_ops rt_sink_summary = {
	.name = "summary",
	.help = "a table of functions: calls, total, self, average, percentiles, failures",
	.at_end = true,
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = summary_end,
	.free = rt_profile_free,
};
