/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/definition.h"

/* A list that others change while it is read can lack what was there all the time. */
enum { LOOKS = 5 };

/* The kernel's own words for the last refusal (error_log, from 5.2): "[  12.3] trace_uprobe: error: Invalid offset ...". */
static void last_refusal(const struct rt_tracefs *t, char *buf, size_t size)
{
	static const char mark[] = "trace_uprobe: error: ";
	char *text, *at, *last = NULL;

	buf[0] = '\0';
	if (rt_tracefs_read(t, "error_log", &text) < 0)
		return;
	for (at = text; (at = strstr(at, mark)); at += sizeof(mark) - 1)
		last = at + sizeof(mark) - 1;
	if (last)
		snprintf(buf, size, " (%.*s)", (int)strcspn(last, "\n"), last);
	free(text);
}

int rt_define(const struct rt_tracefs *t, const struct rt_attach_request *request, unsigned id, const char *event,
	      unsigned carries, struct rt_error *err)
{
	const struct rt_probe *probe = &request->probes[id];
	const struct rt_function *f = &request->functions->v[probe->function];
	char group[32], path[64], line[RT_DEFINITION_MAX], refusal[160];
	struct rt_definition d = {
		.group = group, .event = event, .path = path, .offset = rt_function_place(f),
		.kind = request->plans[probe->plan].kind,
		.plan = carries & RT_DEFINE_VALUES ? &request->plans[probe->plan] : NULL,
		.with_id = carries & RT_DEFINE_ID, .no_ra = carries & RT_DEFINE_NO_RA, .id = id,
	};
	int r;

	snprintf(group, sizeof(group), RT_TRACEFS_GROUP "%d", (int)getpid());
	/* The kernel resolves the path in our own context. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(f->image));
	r = rt_definition_print(&d, line, err);
	if (r < 0)
		return r;
	r = rt_tracefs_append(t, "uprobe_events", line);
	if (r == 0)
		return 0;
	if (r == -EINVAL)
		last_refusal(t, refusal, sizeof(refusal));
	else
		refusal[0] = '\0';
	return rt_fail(err, r, "%s: %s/uprobe_events refused the probe: %s%s", f->name, t->root, strerror(-r), refusal);
}

static int count_defined(const struct rt_tracefs *t, const char *event)
{
	char *text, *at, name[96];
	int n = 0, r;
	size_t len;

	r = rt_tracefs_read(t, "uprobe_events", &text);
	if (r < 0)
		return r;
	len = (size_t)snprintf(name, sizeof(name), ":" RT_TRACEFS_GROUP "%d/%s ", (int)getpid(), event);
	for (at = text; (at = strstr(at, name)); at += len)
		n++;
	free(text);
	return n;
}

int rt_defined(const struct rt_tracefs *t, const char *event, int expected)
{
	int n = -1, tries;

	for (tries = 0; tries < LOOKS && n != expected; tries++)
		n = count_defined(t, event);
	return n;
}
