/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree, byte for byte in the layout of racket/trace: one '>' or '<' every second level, from
 * level 10 on the prefix of level 6 and the level in brackets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/print.h"
#include "output/stack.h"
#include "output/text.h"
#include "output/tracks.h"

#define DASH_LEVELS 10		/* racket/trace: max-dash-space-depth */
#define NUMBER_LEVEL 6		/* racket/trace: number-nesting-depth */

/*
 * Until a second thread shows up there is nothing to tell apart, and no column for it.  Then it has
 * the thread; or, once there is a call of a child, the process, and the thread where that is not
 * the first of its process.
 */
struct tree {
	pid_t first, first_pid;
	uint64_t first_goid;
	bool some, many, processes;
	uint64_t last;			/* the time of the line before */
};

static int tree_begin(struct rt_sink *sink)
{
	sink->state = calloc(1, sizeof(struct tree));
	return sink->state ? 0 : -ENOMEM;
}

static void tree_free(struct rt_sink *sink)
{
	free(sink->state);
	sink->state = NULL;
}

static int tree_end(struct rt_sink *sink)
{
	(void)sink;
	return 0;
}

static int tree_note(struct rt_sink *sink, const char *text)
{
	rt_put(sink->file, "rawtrace: ");
	rt_put(sink->file, text);
	putc_unlocked('\n', sink->file);
	return 0;
}

static void put_thread(struct rt_line *line, struct rt_sink *sink, const struct rt_thread *thread)
{
	struct tree *tree = sink->state;
	char name[sizeof(thread->comm)];

	if (!tree->some) {
		tree->some = true;
		tree->first = thread->tid;
		/* A call of a child says that there are two, though the first one has none. */
		tree->first_pid = sink->trace->first ? sink->trace->first : thread->pid;
		tree->first_goid = thread->goid;
	}
	if (sink->trace->processes || thread->pid != tree->first_pid)
		tree->processes = true;
	if (thread->goid != tree->first_goid || (!thread->goid && thread->tid != tree->first) ||
	    tree->processes)
		tree->many = true;
	if (!tree->many)
		return;
	rt_line_char(line, '[');
	if (sink->trace->names) {
		rt_thread_name(thread, name);
		rt_line_text(line, name);
		rt_line_char(line, ' ');
	}
	if (tree->processes && (thread->goid || thread->tid != thread->pid)) {
		rt_line_u64(line, (uint64_t)thread->pid);
		rt_line_char(line, ' ');
	}
	rt_line_text(line, thread->goid & RT_GOID_STACK ? "stack " :
		     thread->goid < RT_GOID_RUNTIME ? thread->goid ? "g " : "" : "g");
	if (thread->goid >= RT_GOID_RUNTIME) {
		rt_line_u64(line, 1 + rt_goid_runtime(thread->goid));
		rt_line_char(line, ' ');
	}
	rt_line_u64(line, thread->goid ? thread->goid & (RT_GOID_STACK - 1) :
		    (uint64_t)thread->tid);
	rt_line_text(line, "] ");
}

static void put_stamp(struct rt_sink *sink, uint64_t time)
{
	struct tree *tree = sink->state;

	rt_stamp_put(sink->file, sink->trace, time, &tree->last);
}

static void put_prefix(struct rt_line *line, char mark, unsigned level)
{
	unsigned shown = level < DASH_LEVELS ? level : NUMBER_LEVEL;
	char buf[DASH_LEVELS + 1];
	unsigned i;

	for (i = 0; i <= shown; i++)
		buf[i] = i & 1 ? ' ' : mark;
	rt_line_bytes(line, buf, shown + 1);
	if (shown == level)
		return;
	rt_line_char(line, '[');
	rt_line_u64(line, level);
	rt_line_text(line, "] ");
}

static int tree_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		      const struct rt_values *args)
{
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	put_stamp(sink, frame->time);
	put_thread(&line, sink, thread);
	put_prefix(&line, '>', frame->level);
	rt_line_char(&line, '(');
	rt_line_text(&line, rt_sink_function(sink, frame->function));
	rt_args_print(&line, sink->trace, thread->pid, frame->function, args);
	rt_line_text(&line, ")\n");
	rt_line_end(&line);
	rt_stack_print(sink, sink->file, thread->pid, frame, args);
	return 0;
}

static int tree_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		      enum rt_end end,
		      uint64_t time, const struct rt_values *result)
{
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	/* Tail calls are at one level, and what the last of them returns is the result of all. */
	if (end == RT_END_BECAME)
		return 0;
	put_stamp(sink, time);
	put_thread(&line, sink, thread);
	put_prefix(&line, '<', frame->level);
	switch (end) {
	case RT_END_RETURNED:
		rt_result_print(&line, sink->trace, thread->pid, frame->function, result);
		break;
	case RT_END_NOT_SEEN:
		rt_line_text(&line, "*** return not seen ***");
		break;
	case RT_END_UNWOUND:
		rt_line_text(&line, "*** unwound ***");
		break;
	case RT_END_JUMPED:
		if (rt_sink_is_void_jump(frame)) {
			rt_line_text(&line, "#<void>");
			break;
		}
		rt_line_text(&line, "*** tail call");
		rt_line_text(&line, frame->to ? " to " : "");
		rt_line_text(&line, frame->to ? frame->to : "");
		rt_line_text(&line, " ***");
		break;
	case RT_END_BECAME:
		break;
	case RT_END_EXITED:
		rt_line_text(&line, thread->goid ? "*** goroutine exited ***" :
			     "*** thread exited ***");
		break;
	case RT_END_EXEC:
		rt_line_text(&line, "*** exec ***");
		break;
	case RT_END_UNFINISHED:
		rt_line_text(&line, "*** unfinished ***");
		break;
	}
	if (frame->unsure)
		rt_line_text(&line, rt_sink_unsure_mark(end));
	if (!frame->entry_seen) {
		rt_line_text(&line, "  *** call of ");
		rt_line_text(&line, rt_sink_function(sink, frame->function));
		rt_line_text(&line, frame->inherited ? " began in the parent ***" :
			     frame->before ? " began before the trace ***" : " not seen ***");
	}
	if (sink->trace->durations && frame->entry_seen) {
		rt_line_end(&line);
		rt_stamp_put_duration(sink->file, time > frame->time ? time - frame->time : 0);
	}
	rt_line_char(&line, '\n');
	rt_line_end(&line);
	return 0;
}

static int tree_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	put_stamp(sink, time);
	if (thread)
		put_thread(&line, sink, thread);
	rt_line_end(&line);
	rt_put(sink->file, "*** ");
	rt_put_lost(sink->file, count);
	rt_put(sink->file, " ***\n");
	return 0;
}

static int tree_exited(struct rt_sink *sink, pid_t pid, int status)
{
	struct tree *tree = sink->state;

	if (sink->trace->no_exits)
		return 0;
	put_stamp(sink, tree->last);
	rt_put_exited(sink->file, pid, status);
	return 0;
}

const struct rt_sink_ops rt_sink_tree = {
	.name = "tree",
	.help = "nested calls and results, as racket/trace prints them",
	.begin = tree_begin,
	.note = tree_note,
	.enter = tree_enter,
	.leave = tree_leave,
	.lost = tree_lost,
	.exited = tree_exited,
	.end = tree_end,
	.free = tree_free,
};
