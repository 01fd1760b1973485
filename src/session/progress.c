/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on a terminal that says once a second how far a recording is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "kernel/sys.h"
#include "session/session_private.h"
#include "stream/spool.h"

static const uint64_t interval_ns = 1000000000;

void rt_session_show_progress(struct session *s, bool end)
{
	const struct rt_sink *sink = &s->sinks.v[0];
	uint64_t now = rt_now();
	char text[128];
	size_t n;

	if (!sink->ops->progress || !sink->state || s->options->quiet || !isatty(STDERR_FILENO))
		return;
	if (!s->progress)
		s->progress = now;
	if (!end && now - s->progress < interval_ns)
		return;
	s->progress = now;
	sink->ops->progress(sink, text, sizeof(text));
	if (s->later.spool && rt_spool_events(s->later.spool)) {
		n = strlen(text);
		snprintf(text + n, sizeof(text) - n, ", %" PRIu64 " events to decode",
			 rt_spool_events(s->later.spool));
	}
	if (end)
		rt_say("%s", text);
	else
		rt_say_progress(text);
}
