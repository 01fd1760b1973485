/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tracefs_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "stream/tracefs_page.h"

enum { EVENT_IDS = 65536 };	/* common_type has 16 bits */

struct pipe_cpu {
	int fd, cpu;
	uint64_t last;		/* time of the last record that was read */
};

struct tracefs_source {
	struct rt_source source;
	char instance[PATH_MAX];
	struct rt_tracefs_event *events;
	size_t nevents;
	uint16_t *by_id;		/* event id -> index into events + 1, 0: none of ours */
	struct rt_page_layout layout;
	struct pipe_cpu *cpus;
	unsigned n;
	bool watermark;			/* the files can be waited for without a wake-up an event */
	uint8_t *page, *data;
	uint64_t lost_seen;
	/* the event id of what is written to trace_marker, 0: not asked for yet */
	unsigned marker;
	uint16_t marker_text;		/* its text's offset in the record */
	/* while a page is walked */
	struct pipe_cpu *walked;
	const struct rt_event_handler *handler;
};

static unsigned tracefs_nfds(const struct rt_source *source)
{
	return ((const struct tracefs_source *)source)->n;
}

static int tracefs_fd(const struct rt_source *source, unsigned i)
{
	const struct tracefs_source *s = (const struct tracefs_source *)source;

	return s->watermark ? s->cpus[i].fd : -1;
}

/* ---- marks: the main buffer's clock is known only from the buffer ---- */

static void mark_name(bool end, char *name, size_t size)
{
	snprintf(name, size, "rawtrace_%d %s", (int)getpid(), end ? "end" : "begin");
}

static int find_marker(struct tracefs_source *s)
{
	struct rt_format format = { .id = 0 };
	char path[PATH_MAX + 64], *text;
	const struct rt_field *field;
	int r;

	snprintf(path, sizeof(path), "%s/events/ftrace/print/format", s->instance);
	r = rt_read_file(path, &text);
	if (r < 0)
		return r;
	r = rt_format_parse(text, path, &format, NULL);
	free(text);
	field = r < 0 ? NULL : rt_format_field(&format, "buf");
	if (field) {
		s->marker = format.id;
		s->marker_text = field->offset;
	}
	rt_format_free(&format);
	return field ? 0 : -EBADMSG;
}

static int tracefs_mark(struct rt_source *source, bool end)
{
	struct tracefs_source *s = (struct tracefs_source *)source;
	char path[PATH_MAX + 64], name[64];
	int r = s->marker ? 0 : find_marker(s);

	if (r < 0)
		return r;
	mark_name(end, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/trace_marker", s->instance);
	return rt_write_file(path, 0, name);
}

static bool is_mark(const struct tracefs_source *s, bool end, const uint8_t *rec, size_t len)
{
	char name[64];

	mark_name(end, name, sizeof(name));
	return s->marker_text + strlen(name) <= len &&
	       memcmp(rec + s->marker_text, name, strlen(name)) == 0;
}

/* Others may write theirs there too. */
static void on_marker(struct tracefs_source *s, uint64_t time, const uint8_t *rec, size_t len)
{
	if (is_mark(s, false, rec, len))
		s->source.begin = time;
	else if (is_mark(s, true, rec, len))
		s->source.end = time;
}

static int on_record(void *ctx, uint64_t time, const uint8_t *rec, size_t len)
{
	struct tracefs_source *s = ctx;
	struct rt_event event;
	uint16_t id, index;

	if (len < sizeof(id))
		return -EBADMSG;
	s->walked->last = time;
	memcpy(&id, rec, sizeof(id));
	index = s->by_id[id];
	if (s->marker && id == s->marker)
		on_marker(s, time, rec, len);
	if (!index)
		return 0;
	if (rt_tracefs_decode(&s->events[index - 1], rec, len, time, s->data, &event) != 0)
		return -EBADMSG;
	return s->handler->event(s->handler->ctx, &event);
}

static int on_lost(void *ctx, uint64_t time, uint64_t count)
{
	struct tracefs_source *s = ctx;
	struct rt_event event = { .type = RT_EV_LOST,
				  .time = s->walked->last,
				  .lost = { .count = count, .until = time } };

	s->lost_seen += count;
	return s->handler->event(s->handler->ctx, &event);
}

static int tracefs_drain(struct rt_source *source, unsigned i,
			 const struct rt_event_handler *handler, struct rt_error *err)
{
	struct tracefs_source *s = (struct tracefs_source *)source;
	const struct rt_page_sink page_sink = { on_record, on_lost, s };
	ssize_t n;
	int r;

	s->handler = handler;
	s->walked = &s->cpus[i];
	while ((n = read(s->cpus[i].fd, s->page, s->layout.page)) > 0) {
		source->taken += (uint64_t)n;
		r = rt_tracefs_page_walk(&s->layout, s->page, (size_t)n, &page_sink);
		if (r == -EBADMSG)
			return rt_fail(err, r,
				       "CPU %d: trace page differs from the layout in tracefs",
				       s->cpus[i].cpu);
		if (r < 0)
			return r;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return rt_fail(err, -errno, "CPU %d: trace_pipe_raw: %s", s->cpus[i].cpu,
			       strerror(errno));
	return 0;
}

/* The numbers that a CPU's `stats` file gives for what was dropped; 0 for one that it lacks. */
static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static uint64_t tracefs_lost_unseen(struct rt_source *source)
{
	struct tracefs_source *s = (struct tracefs_source *)source;
	char path[PATH_MAX + 64], *text;
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < s->n; i++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", s->instance, s->cpus[i].cpu);
		if (rt_read_file(path, &text) < 0)
			continue;
		/*
		 * "commit overrun" holds "overrun" too, so each is asked for with the newline
		 * before it.
		 */
		sum += stat_of(text, "\noverrun: ") + stat_of(text, "\ncommit overrun: ") +
		       stat_of(text, "\ndropped events: ");
		free(text);
	}
	return sum > s->lost_seen ? sum - s->lost_seen : 0;
}

static void tracefs_close(struct rt_source *source)
{
	struct tracefs_source *s = (struct tracefs_source *)source;
	unsigned i;

	for (i = 0; i < s->n; i++)
		if (s->cpus[i].fd >= 0)
			close(s->cpus[i].fd);
	rt_tracefs_events_free(s->events, s->nevents);
	free(s->cpus);
	free(s->by_id);
	free(s->page);
	free(s->data);
	free(s);
}

static const struct rt_source_ops tracefs_ops = {
	.nfds = tracefs_nfds,
	.fd = tracefs_fd,
	.drain = tracefs_drain,
	.mark = tracefs_mark,
	.lost_unseen = tracefs_lost_unseen,
	.close = tracefs_close,
};

static int open_cpus(struct tracefs_source *s, struct rt_error *err)
{
	char path[PATH_MAX + 64];
	int *cpus, n, i, r = 0;

	n = rt_cpus_online(&cpus);
	if (n < 0)
		return rt_fail(err, n, "/sys/devices/system/cpu/online: %s", strerror(-n));
	s->cpus = calloc((size_t)n, sizeof(*s->cpus));
	for (i = 0; i < n && s->cpus; i++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", s->instance,
			 cpus[i]);
		s->cpus[s->n++] = (struct pipe_cpu){
			.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), .cpu = cpus[i]
		};
		if (s->cpus[i].fd < 0) {
			r = rt_fail(err, -errno, "%s: %s", path, strerror(errno));
			break;
		}
	}
	free(cpus);
	return s->cpus ? r : rt_nomem(err);
}

static int read_layout(struct tracefs_source *s, struct rt_error *err)
{
	size_t len = strlen(s->instance);
	bool main_buffer = len > 2 && strcmp(s->instance + len - 2, "/.") == 0;
	char path[PATH_MAX + 64], *text;
	int r;

	/* An instance has no header_page of its own. */
	snprintf(path, sizeof(path), "%s%s/events/header_page", s->instance,
		 main_buffer ? "" : "/../..");
	r = rt_read_file(path, &text);
	if (r < 0)
		return rt_fail(err, r, "%s: %s", path, strerror(-r));
	r = rt_page_layout_parse(text, &s->layout, err);
	free(text);
	return r;
}

static int index_events(struct tracefs_source *s, struct rt_error *err)
{
	size_t i, data = 8;

	for (i = 0; i < s->nevents; i++) {
		if (s->events[i].format.id >= EVENT_IDS || i + 1 >= EVENT_IDS)
			return rt_fail(err, -E2BIG, "%s: event id %u is out of range",
				       s->events[i].format.name, s->events[i].format.id);
		if (rt_tracefs_event_bind(&s->events[i]) < 0)
			return rt_fail(err, -EBADMSG,
				       "%s: a defined field is missing in its format",
				       s->events[i].format.name);
		s->by_id[s->events[i].format.id] = (uint16_t)(i + 1);
		if (s->events[i].size > data)
			data = s->events[i].size;
	}
	s->data = malloc(data);
	s->page = malloc(s->layout.page);
	return s->data && s->page ? 0 : rt_nomem(err);
}

int rt_tracefs_source_open(const char *instance, struct rt_tracefs_event *events, size_t n,
			   struct rt_source **source, struct rt_error *err)
{
	struct tracefs_source *s = calloc(1, sizeof(*s));
	char path[PATH_MAX + 64];
	int r = -ENOMEM;

	if (!s) {
		rt_tracefs_events_free(events, n);
		return rt_nomem(err);
	}
	s->source.ops = &tracefs_ops;
	s->source.name = "tracefs";
	s->source.end = UINT64_MAX;
	s->events = events;
	s->nevents = n;
	snprintf(s->instance, sizeof(s->instance), "%s", instance);
	s->by_id = calloc(EVENT_IDS, sizeof(*s->by_id));
	r = s->by_id ? read_layout(s, err) : rt_nomem(err);
	if (r == 0)
		r = index_events(s, err);
	if (r == 0)
		r = open_cpus(s, err);
	if (r < 0) {
		tracefs_close(&s->source);
		return r;
	}
	/*
	 * Before buffer_percent (5.0) a waiting reader is woken for every event: there, only the
	 * session's clock wakes it.
	 */
	snprintf(path, sizeof(path), "%s/buffer_percent", instance);
	s->watermark = rt_write_file(path, 0, "25") == 0;
	*source = &s->source;
	return 0;
}
