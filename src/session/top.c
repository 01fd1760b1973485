/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rawtrace top: rounds of a second, on the terminal or as text. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/sys.h"
#include "output/top.h"
#include "session/session_private.h"

enum { SECOND = 1000000000 };

int rt_session_begin_top(struct session *s, struct rt_error *err)
{
	struct rt_top *top = &s->top;

	if (s->options->command != RT_CMD_TOP)
		return 0;
	top->sort = s->options->sort ? s->options->sort : RT_SORT_SELF;
	return s->options->batch ? 0 : rt_screen_open(&top->screen, err);
}

/* The trace is over, and so is our command. */
static void end_trace(struct session *s)
{
	s->stopped = SIGTERM;
	s->pass_on = true;
	s->top.over = true;
}

static bool take_key(struct session *s, int key)
{
	static const struct {
		char key;
		enum rt_sort sort;
	} keys[] = { { 'c', RT_SORT_CALLS }, { 'a', RT_SORT_AVG }, { 'p', RT_SORT_P99 },
		     { 's', RT_SORT_SELF } };
	unsigned i;

	if (key == 'q')
		end_trace(s);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (keys[i].key != key)
			continue;
		s->top.sort = keys[i].sort;
		return true;
	}
	return false;
}

static int draw(struct session *s, unsigned lines, unsigned columns)
{
	struct rt_top *top = &s->top;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int r;

	if (!file)
		return -ENOMEM;
	fprintf(file, "%.*s\n", (int)columns,
		"keys: sort by c calls, a avg, p p99, s self; q quit");
	r = lines > 3 ? rt_top_print(&s->sinks.v[0], file, top->sort, lines - 2, columns) : 0;
	if (fclose(file) != 0)
		r = -ENOMEM;
	if (r == 0)
		rt_screen_show(&top->screen, text, size);
	free(text);
	top->lines = lines;
	top->columns = columns;
	return r;
}

static int print_round(struct session *s)
{
	struct rt_sink *sink = &s->sinks.v[0];
	int r;

	if (s->top.rounds++)
		fputc('\n', sink->file);
	r = rt_top_print(sink, sink->file, s->top.sort, 0, 0);
	if (s->top.rounds == s->options->rounds)
		end_trace(s);
	return r == -ENOMEM ? r : 0;
}

int rt_session_show_top(struct session *s, bool last, struct rt_error *err)
{
	struct rt_top *top = &s->top;
	uint64_t now = rt_now();
	unsigned lines, columns;
	bool changed = false, due;
	int key, r = 0;

	if (s->options->command != RT_CMD_TOP || (last && (!s->options->batch || top->over)))
		return 0;
	while ((key = rt_screen_key(&top->screen)))
		changed |= take_key(s, key);
	due = last || now - top->since >= SECOND;
	if (due) {
		r = last ? 0 : rt_session_take_counts(s, err);
		if (r < 0)
			return r;
		r = rt_top_take(&s->sinks.v[0], now - top->since);
		top->since = now;
	}
	if (r == 0 && s->options->batch)
		r = due ? print_round(s) : 0;
	else if (r == 0) {
		rt_screen_size(&top->screen, &lines, &columns);
		if (due || changed || lines != top->lines || columns != top->columns)
			r = draw(s, lines, columns);
	}
	return r < 0 ? rt_nomem(err) : 0;
}
