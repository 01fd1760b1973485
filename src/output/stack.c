/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/stack.h"

#include <inttypes.h>
#include <string.h>

#include "output/print.h"
#include "output/text.h"

/* The frame is that of the call's entry.  The callers of USDT probes are found by their place. */
static struct rt_stack_top top_of(const struct rt_sink *sink, pid_t pid,
				  const struct rt_frame *frame, const struct rt_values *args)
{
	const struct rt_functions *functions = sink->trace->functions;
	const struct rt_function *f = frame->function < functions->n
					      ? &functions->v[frame->function]
					      : NULL;

	return (struct rt_stack_top){ .pid = pid,
				      .sp = frame->sp,
				      .at_entry = f && !f->usdt && !f->inside,
				      .values = args };
}

static void print_frame(void *ctx, const struct rt_stack_frame *frame)
{
	FILE *file = ctx;

	rt_put(file, " > ");
	if (frame->file) {
		rt_put(file, frame->file);
		putc_unlocked('(', file);
		if (frame->function)
			fprintf(file, "%s+0x%" PRIx64, frame->function, frame->offset);
		rt_put(file, ") ");
	}
	fprintf(file, "[0x%" PRIx64 "]", frame->addr);
	if (frame->source)
		fprintf(file, " at %s:%d", frame->source, frame->line);
	putc_unlocked('\n', file);
}

struct text {
	char *v;
	size_t n, size;
};

static void add_text(struct text *text, const char *more)
{
	int n = snprintf(text->v + text->n, text->size - text->n, " < %s", more);

	/* A longer one is cut. */
	text->n = n < 0 || (size_t)n >= text->size - text->n ? text->size - 1
							     : text->n + (size_t)n;
}

static void add_frame(void *ctx, const struct rt_stack_frame *frame)
{
	const char *name = frame->file ? strrchr(frame->file, '/') : NULL;
	char place[256];

	if (frame->function) {
		add_text(ctx, frame->function);
		return;
	}
	name = name ? name + 1 : frame->file;
	snprintf(place, sizeof(place), "%s%s0x%" PRIx64, name ? name : "", name ? "+" : "",
		 frame->addr);
	add_text(ctx, place);
}

void rt_stack_name(const struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		   const struct rt_values *args, char *buf, size_t size)
{
	struct text text = { .v = buf, .size = size };
	struct rt_stack_top top = top_of(sink, pid, frame, args);

	top.most = sink->trace->by;
	snprintf(buf, size, "%s", rt_sink_function(sink, frame->function));
	text.n = strlen(buf);
	if (!args || !rt_resolve_stack(sink->trace->resolver, &top, add_frame, &text))
		add_text(&text, "...");
}

void rt_stack_print(const struct rt_sink *sink, FILE *file, pid_t pid,
		    const struct rt_frame *frame, const struct rt_values *args)
{
	struct rt_stack_top top;

	if (!sink->trace->stacks)
		return;
	top = top_of(sink, pid, frame, args);
	if (!rt_resolve_stack(sink->trace->resolver, &top, print_frame, file))
		rt_put(file, " > ...\n");
}

struct json {
	FILE *file;
	bool some;
};

static void put_member(FILE *file, const char *key, const char *text)
{
	rt_put(file, key);
	rt_json_string(file, text, strlen(text));
	putc_unlocked(',', file);
}

static void json_frame(void *ctx, const struct rt_stack_frame *frame)
{
	struct json *json = ctx;

	rt_put(json->file, json->some ? ",{" : "{");
	json->some = true;
	if (frame->file)
		put_member(json->file, "\"file\":", frame->file);
	if (frame->function) {
		put_member(json->file, "\"function\":", frame->function);
		rt_put(json->file, "\"offset\":");
		rt_put_u64(json->file, frame->offset);
		putc_unlocked(',', json->file);
	}
	if (frame->source) {
		put_member(json->file, "\"source\":", frame->source);
		fprintf(json->file, "\"line\":%d,", frame->line);
	}
	fprintf(json->file, "\"addr\":\"0x%" PRIx64 "\"}", frame->addr);
}

void rt_stack_json(const struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		   const struct rt_values *args)
{
	struct json json = { .file = sink->file };
	struct rt_stack_top top;

	if (!sink->trace->stacks)
		return;
	top = top_of(sink, pid, frame, args);
	rt_put(sink->file, ",\"stack\":[");
	if (!rt_resolve_stack(sink->trace->resolver, &top, json_frame, &json))
		rt_put(sink->file, json.some ? ",{\"cut\":true}" : "{\"cut\":true}");
	putc_unlocked(']', sink->file);
}
