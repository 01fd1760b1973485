/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls as C writes them, with times:
 *
 *	# TIME         DURATION TID      FUNCTION
 *	     0.000 ms           14220    processCommand(0x7f36) {
 *	     0.004 ms    1.2 us 14220      lookupKey(0x55d0, "foo", 8) = NULL
 *	     0.009 ms    9.4 us 14220    } = 0  processCommand
 *
 * A call without traced calls inside is one line, when it ends, with the time of its entry.  So the
 * text of each thread's last entry waits for the next event of that thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/print.h"
#include "output/stack.h"
#include "output/text.h"
#include "output/tracks.h"

enum { TIME_WIDTH = 10, DURATION_WIDTH = 8, TID_WIDTH = 8, NAME_WIDTH = 16, INDENT = 2 };

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define MAGENTA "\033[35m"
#define PLAIN "\033[0m"

/* The call of a thread with text that waits; and all of them, to be freed. */
struct flow_thread {
	struct flow_thread *next;
	char *text;			/* "name(args)" */
	size_t len, cap;
	char *stack;			/* lines of its callers (-k); NULL: none */
	uint64_t time;
	unsigned level;
	bool waits;
	char number[48];		/* of the thread, goroutine or stack */
};

struct flow {
	struct flow_thread *threads;
	FILE *line;			/* a line, or a part of one, as it is put together */
	char *bytes;			/* the bytes there, after a flush, */
	size_t len;			/* and how much */
	bool header, colors;
	unsigned width;			/* of a line; 0: any */
	uint64_t start;			/* the time of which TIME is counted; 0: not known yet */
	uint64_t last;			/* the time of the line before */
};

/* A pager is between the stream and the terminal. */
static int terminal_of(const struct rt_sink *sink)
{
	return sink->to.pager ? STDOUT_FILENO : rt_out_file_fd(&sink->to);
}

static unsigned terminal_width(const struct rt_sink *sink)
{
	struct winsize size;

	return ioctl(terminal_of(sink), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_colors(const struct rt_sink *sink)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (sink->trace->color != RT_COLOR_AUTO)
		return sink->trace->color == RT_COLOR_ALWAYS;
	return isatty(terminal_of(sink)) && !(no && *no) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

static void flow_free(struct rt_sink *sink)
{
	struct flow *flow = sink->state;

	if (!flow)
		return;
	while (flow->threads) {
		struct flow_thread *t = flow->threads;

		flow->threads = t->next;
		free(t->text);
		free(t->stack);
		free(t);
	}
	if (flow->line)
		fclose(flow->line);
	free(flow->bytes);
	free(flow);
	sink->state = NULL;
}

static int flow_begin(struct rt_sink *sink)
{
	struct flow *flow = sink->state = calloc(1, sizeof(*flow));

	if (!flow)
		return -ENOMEM;
	flow->line = open_memstream(&flow->bytes, &flow->len);
	if (!flow->line)
		return -errno;
	flow->colors = wants_colors(sink);
	flow->width = sink->trace->width;
	if (!flow->width && isatty(terminal_of(sink)))
		flow->width = terminal_width(sink);
	flow->start = sink->trace->start;
	return 0;
}

static struct flow_thread *thread_of(struct rt_sink *sink, struct rt_thread *thread)
{
	struct flow *flow = sink->state;
	struct flow_thread *t = thread->user[sink->index];

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	if (thread->goid)
		rt_goid_text(t->number, sizeof(t->number), thread->goid);
	else
		snprintf(t->number, sizeof(t->number), "%d", (int)thread->tid);
	t->next = flow->threads;
	flow->threads = t;
	return thread->user[sink->index] = t;
}

/* ---- a line ---- */

static void put_blanks(FILE *file, size_t n)
{
	static const char blanks[] = "                                                ";
	const size_t most = sizeof(blanks) - 1;

	for (; n > most; n -= most)
		rt_put_bytes(file, blanks, most);
	rt_put_bytes(file, blanks, n);
}

static void put_left(FILE *file, const char *text, size_t width)
{
	size_t n = strlen(text);

	rt_put_bytes(file, text, n);
	put_blanks(file, n < width ? width - n : 0);
}

/*
 * `value` with `decimals` digits behind its point, at the right end of `width` columns, and a unit.
 */
static void put_fixed(FILE *file, uint64_t value, unsigned decimals, size_t width,
		      const char *unit)
{
	char buf[32], *at = buf + sizeof(buf);
	unsigned digits = 0;
	size_t n;

	do {
		if (digits == decimals)
			*--at = '.';
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (++digits <= decimals || value);
	n = (size_t)(buf + sizeof(buf) - at);
	put_blanks(file, n < width ? width - n : 0);
	rt_put_bytes(file, at, n);
	rt_put(file, unit);
}

static void take_line(struct flow *flow)
{
	fflush(flow->line);
	rewind(flow->line);
}

/* The number of `len` bytes fit into `*width` columns of a terminal, which are taken off. */
static size_t count_fitting(const char *bytes, size_t len, unsigned *width)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (((uint8_t)bytes[i] & 0xc0) == 0x80)
			continue;
		if (!*width)
			return i;
		--*width;
	}
	return len;
}

/* Write the line that was put together.  With `from` to `to` in `color`. */
static void write_line(struct rt_sink *sink, size_t from, size_t to, const char *color)
{
	struct flow *flow = sink->state;
	unsigned left = flow->width;
	size_t fits;

	take_line(flow);
	fits = left ? count_fitting(flow->bytes, flow->len, &left) : flow->len;
	if (!flow->colors || !color || to > fits) {
		from = to = 0;
		color = NULL;
	}
	rt_put_bytes(sink->file, flow->bytes, from);
	if (color) {
		rt_put(sink->file, color);
		rt_put_bytes(sink->file, flow->bytes + from, to - from);
		rt_put(sink->file, PLAIN);
	}
	rt_put_bytes(sink->file, flow->bytes + to, fits - to);
	putc_unlocked('\n', sink->file);
}

static size_t position(struct flow *flow)
{
	return (size_t)ftell(flow->line);
}

/* TIME is that much wider than without -t and -r: "# " and a blank are in both. */
static int stamp_excess(const struct rt_sink *sink)
{
	unsigned width = rt_stamp_width(sink->trace);

	return width ? (int)width - TIME_WIDTH - 3 : 0;
}

static void put_header(struct rt_sink *sink)
{
	struct flow *flow = sink->state;

	if (flow->header)
		return;
	flow->header = true;
	fprintf(flow->line, "# %-*s DURATION %-*s FUNCTION", TIME_WIDTH + stamp_excess(sink),
		"TIME",
		sink->trace->names ? NAME_WIDTH + TID_WIDTH : TID_WIDTH, "TID");
	write_line(sink, 0, 0, NULL);
}

static void put_time(struct rt_sink *sink, uint64_t time)
{
	struct flow *flow = sink->state;
	uint64_t us;

	if (sink->trace->stamp) {
		rt_stamp_put(flow->line, sink->trace, time, &flow->last);
		return;
	}
	if (!flow->start)
		flow->start = time;
	us = time > flow->start ? (time - flow->start) / 1000 : 0;
	put_fixed(flow->line, us, 3, TIME_WIDTH - 1, " ms ");
}

/* Its colour, by its unit. */
static const char *put_duration(struct flow *flow, uint64_t ns)
{
	enum { US = 1000, MS = 1000 * US, S = 1000 * MS, WIDTH = 5 };
	uint64_t us = (ns + US / 20) / (US / 10), ms = (ns + MS / 20) / (MS / 10);

	if (us < 10000) {
		put_fixed(flow->line, us, 1, WIDTH, " us");
		return NULL;
	}
	if (ms < 10000) {
		put_fixed(flow->line, ms, 1, WIDTH, " ms");
		return YELLOW;
	}
	put_fixed(flow->line, (ns + S / 20) / (S / 10), 1, WIDTH + 1, " s");
	return MAGENTA;
}

/* The name may change, the number does not. */
static void put_thread(struct rt_sink *sink, const struct rt_thread *thread,
		       const struct flow_thread *t)
{
	struct flow *flow = sink->state;
	char name[sizeof(thread->comm)];

	if (sink->trace->names) {
		rt_thread_name(thread, name);
		put_left(flow->line, name, NAME_WIDTH);
	}
	put_left(flow->line, t->number, TID_WIDTH);
	putc_unlocked(' ', flow->line);
}

/* Half of what is left of a line that is cut is for the call: deeper levels have their number. */
static void put_indent(struct flow *flow, unsigned level)
{
	size_t columns = (size_t)level * INDENT, begin = position(flow), most;
	char number[16];
	int n;

	most = flow->width > begin ? (flow->width - begin) / 2 : 0;
	n = snprintf(number, sizeof(number), "[%u] ", level);
	if (!flow->width || columns <= most || most < sizeof(number)) {
		put_blanks(flow->line, columns);
		return;
	}
	put_blanks(flow->line, most - (size_t)n);
	rt_put(flow->line, number);
}

/* The callers of a call, behind its line. */
static void write_stack(struct rt_sink *sink, struct flow_thread *t)
{
	if (t->stack)
		rt_put(sink->file, t->stack);
	free(t->stack);
	t->stack = NULL;
}

/* "name(args) {" of a call in which another begins. */
static void open_call(struct rt_sink *sink, const struct rt_thread *thread, struct flow_thread *t)
{
	struct flow *flow = sink->state;

	t->waits = false;
	put_header(sink);
	put_time(sink, t->time);
	put_blanks(flow->line, DURATION_WIDTH + 1);
	put_thread(sink, thread, t);
	put_indent(flow, t->level);
	rt_put_bytes(flow->line, t->text, t->len);
	rt_put(flow->line, " {");
	write_line(sink, 0, 0, NULL);
	write_stack(sink, t);
}

/* ---- the ops ---- */

static int flow_note(struct rt_sink *sink, const char *text)
{
	rt_put(sink->file, "rawtrace: ");
	rt_put(sink->file, text);
	putc_unlocked('\n', sink->file);
	return 0;
}

/* The text of a call, into the thread's. */
static int keep_text(struct rt_sink *sink, struct flow_thread *t, const struct rt_thread *thread,
		     const struct rt_frame *frame, const struct rt_values *args)
{
	struct flow *flow = sink->state;
	int r;

	rt_put(flow->line, rt_sink_function(sink, frame->function));
	putc_unlocked('(', flow->line);
	r = rt_args_print_c(sink, flow->line, thread->pid, frame->function, args);
	putc_unlocked(')', flow->line);
	take_line(flow);
	if (flow->len > t->cap) {
		char *text = realloc(t->text, flow->len * 2);

		if (!text)
			return -ENOMEM;
		t->text = text;
		t->cap = flow->len * 2;
	}
	memcpy(t->text, flow->bytes, flow->len);
	t->len = flow->len;
	rt_stack_print(sink, flow->line, thread->pid, frame, args);
	take_line(flow);
	if (flow->len)
		t->stack = strndup(flow->bytes, flow->len);
	return flow->len && !t->stack ? -ENOMEM : r;
}

/* The columns before the function of a line that ends a call, and the duration's colour. */
static const char *put_columns(struct rt_sink *sink, const struct rt_thread *thread,
			       const struct flow_thread *t, uint64_t time,
			       const uint64_t *duration, size_t *from, size_t *to)
{
	struct flow *flow = sink->state;
	const char *color = NULL;

	put_header(sink);
	put_time(sink, time);
	*from = position(flow);
	if (duration)
		color = put_duration(flow, *duration);
	else
		put_blanks(flow->line, DURATION_WIDTH);
	*to = position(flow);
	putc_unlocked(' ', flow->line);
	put_thread(sink, thread, t);
	return color;
}

static int flow_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		      const struct rt_values *args)
{
	struct flow_thread *t = thread_of(sink, thread);
	struct flow *flow = sink->state;
	size_t from, to;
	int r;

	if (!t)
		return -ENOMEM;
	if (t->waits)
		open_call(sink, thread, t);
	r = keep_text(sink, t, thread, frame, args);
	t->time = frame->time;
	t->level = frame->level;
	t->waits = frame->returns;
	if (r < 0 || t->waits)
		return r;
	put_columns(sink, thread, t, t->time, NULL, &from, &to);
	put_indent(flow, t->level);
	rt_put_bytes(flow->line, t->text, t->len);
	write_line(sink, 0, 0, NULL);
	write_stack(sink, t);
	return 0;
}

/* The end of a call: " = 0", " *** unwound ***", or nothing.  `failed`: its result says so. */
static int put_end(struct rt_sink *sink, const struct rt_thread *thread,
		   const struct rt_frame *frame, enum rt_end end, const struct rt_values *result,
		   bool *failed)
{
	struct flow *flow = sink->state;
	size_t before;
	int r;

	if (end == RT_END_BECAME) {
		rt_put(flow->line, " ->");
		return 0;
	}
	if (end == RT_END_JUMPED && !frame->unsure && rt_sink_is_void_jump(frame))
		return 0;
	if (end != RT_END_RETURNED) {
		rt_put(flow->line, " *** ");
		rt_put(flow->line, rt_sink_end_text(end, frame, thread));
		if (end == RT_END_JUMPED) {
			rt_put(flow->line, frame->to ? " to " : "");
			rt_put(flow->line, frame->to ? frame->to : "");
		}
		rt_put(flow->line, " ***");
		return 0;
	}
	before = position(flow);
	rt_put(flow->line, " = ");
	r = rt_result_print_c(sink, flow->line, thread->pid, frame->function, result, failed);
	/* The function is void. */
	if (position(flow) == before + 3)
		fseek(flow->line, (long)before, SEEK_SET);
	return r;
}

static int flow_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		      enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct flow_thread *t = thread_of(sink, thread);
	struct flow *flow = sink->state;
	uint64_t duration = time > frame->time ? time - frame->time : 0;
	bool leaf, failed = false;
	const char *color;
	size_t from, to, at;
	int r;

	if (!t)
		return -ENOMEM;
	leaf = t->waits && frame->entry_seen;
	t->waits = false;
	color = put_columns(sink, thread, t, leaf ? t->time : time,
			    frame->entry_seen ? &duration : NULL, &from, &to);
	put_indent(flow, frame->level);
	at = position(flow);
	if (leaf)
		rt_put_bytes(flow->line, t->text, t->len);
	else
		putc_unlocked('}', flow->line);
	r = put_end(sink, thread, frame, end, result, &failed);
	if (!leaf) {
		rt_put(flow->line, "  ");
		rt_put(flow->line, rt_sink_function(sink, frame->function));
	}
	if (frame->unsure)
		rt_put(flow->line, rt_sink_unsure_mark(end));
	if (!frame->entry_seen)
		rt_put(flow->line, frame->inherited ? "  *** began in the parent ***" :
		       frame->before ? "  *** began before the trace ***" :
		       "  *** call not seen ***");
	if (failed)
		write_line(sink, at, position(flow), RED);
	else
		write_line(sink, from, to, color);
	if (leaf)
		write_stack(sink, t);
	return r;
}

static void flow_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	struct flow_thread *t = thread->user[sink->index];

	if (!t)
		return;
	free(t->text);
	free(t->stack);
	t->text = t->stack = NULL;
	t->cap = t->len = 0;
	t->waits = false;
}

static int flow_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct flow *flow = sink->state;
	struct flow_thread *t = thread ? thread_of(sink, thread) : NULL;
	size_t from, to;

	if (thread && !t)
		return -ENOMEM;
	if (t && t->waits)
		open_call(sink, thread, t);
	if (t)
		put_columns(sink, thread, t, time, NULL, &from, &to);
	rt_put(flow->line, "*** ");
	rt_put_lost(flow->line, count);
	rt_put(flow->line, " ***");
	write_line(sink, 0, 0, NULL);
	return 0;
}

static int flow_exited(struct rt_sink *sink, pid_t pid, int status)
{
	if (!sink->trace->no_exits)
		rt_put_exited(sink->file, pid, status);
	return 0;
}

static int flow_end(struct rt_sink *sink)
{
	const struct flow *flow = sink->state;

	/* A line that had no memory was not written. */
	return ferror(flow->line) ? -ENOMEM : 0;
}

const struct rt_sink_ops rt_sink_flow = {
	.name = "flow",
	.help = "calls in C's braces, with time, duration and thread",
	.begin = flow_begin,
	.note = flow_note,
	.enter = flow_enter,
	.leave = flow_leave,
	.lost = flow_lost,
	.gone = flow_gone,
	.exited = flow_exited,
	.end = flow_end,
	.free = flow_free,
};
