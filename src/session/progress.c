/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on a terminal that says once a second how far a recording is. */
#include <unistd.h>

#include "base/say.h"
#include "kernel/sys.h"
#include "session/session_private.h"

static const uint64_t interval_ns = 1000000000;

void rt_session_show_progress(struct session *s, bool end)
{
	const struct rt_sink *sink = &s->sinks.v[0];
	uint64_t now = rt_now();
	char text[128];

	if (!sink->ops->progress || !sink->state || s->options->quiet || !isatty(STDERR_FILENO))
		return;
	if (!s->progress)
		s->progress = now;
	if (!end && now - s->progress < interval_ns)
		return;
	s->progress = now;
	sink->ops->progress(sink, text, sizeof(text));
	if (end)
		rt_say("%s", text);
	else
		rt_say_progress(text);
}
