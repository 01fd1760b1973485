/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that are chosen by their result and time: function `a` must fail, `t` must be slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/outcome.h"
#include "fetch/fetch.h"
#include "unit.h"

static const struct rt_plan fails = {
	.kind = RT_KIND_RETURN, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
	.ntests = 1, .tests = { { .op = RT_TEST_LT, .is_signed = true } },
};
static const struct rt_plan slow = {
	.kind = RT_KIND_RETURN, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
	.ntests = 1, .tests = { { .of_time = true, .op = RT_TEST_GT, .constant = 100 } },
};
static const struct rt_plan plain = {
	.kind = RT_KIND_RETURN, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

enum { DEEP = 8 };

/* A thread, and the lines that its calls make. */
struct seen_calls {
	struct rt_outcome *outcome;
	struct rt_thread thread;
	struct rt_frame open[DEEP];
	size_t n;
	char *text;
	size_t size;
	FILE *file;
};

static const struct rt_plan *plan_of(char function)
{
	return function == 'a' ? &fails : function == 't' ? &slow : &plain;
}

static int see_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		      const struct rt_values *args)
{
	struct seen_calls *t = ctx;

	(void)thread;
	fprintf(t->file, "%*s%c %d\n", (int)frame->level, "", (int)frame->function,
		(int)rt_plan_int(args->plan, 0, args->data));
	return 0;
}

static int see_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		      enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct seen_calls *t = ctx;

	(void)thread;
	(void)time;
	fprintf(t->file, "%*s", (int)frame->level, "");
	if (end == RT_END_RETURNED)
		fprintf(t->file, "= %d\n", (int)rt_plan_int(result->plan, 0, result->data));
	else
		fprintf(t->file, "end\n");
	return 0;
}

static int see_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct seen_calls *t = ctx;

	(void)thread;
	(void)time;
	fprintf(t->file, "%d lost\n", (int)count);
	return 0;
}

static const struct rt_call_ops see_ops = { .enter = see_enter, .leave = see_leave,
					 .lost = see_lost };

static void begin_why(struct seen_calls *t, bool why)
{
	memset(t, 0, sizeof(*t));
	t->file = open_memstream(&t->text, &t->size);
	t->thread.pid = t->thread.tid = 7;
	t->outcome = rt_outcome_new(&rt_outcome_plans, why, &see_ops, t);
	CU_ASSERT_FATAL(t->file && t->outcome);
}

static void begin(struct seen_calls *t)
{
	begin_why(t, false);
}

static void enter(struct seen_calls *t, char function, uint64_t time)
{
	int32_t number = (int32_t)time;
	const struct rt_values args = { .plan = &plain, .data = (const uint8_t *)&number };

	t->open[t->n] = (struct rt_frame){
		.function = (uint32_t)function, .level = (unsigned)t->n, .entry_seen = true,
		.returns = true, .result = plan_of(function), .time = time,
	};
	CU_ASSERT(rt_outcome_ops.enter(t->outcome, &t->thread, &t->open[t->n++], &args) == 0);
	number = 0;	/* the record is gone */
}

static void leave(struct seen_calls *t, enum rt_end end, uint64_t time, int32_t value)
{
	const struct rt_frame *frame = &t->open[--t->n];
	const struct rt_values result = { .plan = plan_of((char)frame->function),
					  .data = (const uint8_t *)&value };
	const struct rt_values none = { .plan = NULL };

	CU_ASSERT(rt_outcome_ops.leave(t->outcome, &t->thread, frame, end, time,
				       end == RT_END_RETURNED ? &result : &none) == 0);
}

static void finish(struct seen_calls *t, const char *want)
{
	fclose(t->file);
	RT_ASSERT_TEXT(t->text, want);
	rt_outcome_free(t->outcome);
	free(t->text);
}

static void test_result(void)
{
	struct seen_calls t;

	begin(&t);
	enter(&t, 'b', 1);
	enter(&t, 'a', 2);
	leave(&t, RT_END_RETURNED, 3, 5);
	enter(&t, 'a', 4);
	enter(&t, 'a', 5);
	leave(&t, RT_END_RETURNED, 6, 0);
	enter(&t, 'b', 7);
	leave(&t, RT_END_RETURNED, 8, 1);
	leave(&t, RT_END_RETURNED, 9, -1);
	leave(&t, RT_END_RETURNED, 10, 2);
	CU_ASSERT(rt_outcome_has_shown(t.outcome));
	CU_ASSERT_EQUAL(rt_outcome_unseen(t.outcome), 0);
	finish(&t, "b 1\n a 4\n  b 7\n  = 1\n = -1\n= 2\n");
}

/* Calls inside a call that is left out are shown, a level higher. */
static void test_inside(void)
{
	struct seen_calls t;

	begin(&t);
	enter(&t, 'a', 1);
	enter(&t, 'b', 2);
	enter(&t, 'a', 3);
	leave(&t, RT_END_RETURNED, 4, -3);
	leave(&t, RT_END_RETURNED, 5, 6);
	CU_ASSERT(rt_outcome_ops.lost(t.outcome, &t.thread, 6, 9) == 0);
	leave(&t, RT_END_RETURNED, 7, 0);
	enter(&t, 'b', 8);
	leave(&t, RT_END_UNFINISHED, 9, 0);
	finish(&t, "b 2\n a 3\n = -3\n= 6\n9 lost\nb 8\nend\n");
}

static void test_time(void)
{
	struct seen_calls t;

	begin(&t);
	enter(&t, 't', 1000);
	enter(&t, 't', 1001);
	leave(&t, RT_END_RETURNED, 1101, 1);
	leave(&t, RT_END_RETURNED, 1102, 2);
	enter(&t, 't', 2000);
	leave(&t, RT_END_RETURNED, 2100, 3);
	finish(&t, "t 1000\n= 2\n");
}

/* Nobody knows the result of a call that ended otherwise. */
static void test_unseen(void)
{
	static const enum rt_end ends[] = { RT_END_JUMPED, RT_END_NOT_SEEN, RT_END_BECAME,
					    RT_END_UNWOUND, RT_END_UNFINISHED };
	struct seen_calls t;
	size_t i;

	begin(&t);
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		enter(&t, 't', 1000);
		leave(&t, ends[i], 9000, 0);
	}
	CU_ASSERT_EQUAL(rt_outcome_unseen(t.outcome), 3);
	CU_ASSERT(!rt_outcome_has_shown(t.outcome));
	finish(&t, "");
}

/* A call that passes is shown with all calls inside it and those around it, and nothing else is. */
static void test_why(void)
{
	struct seen_calls t;

	begin_why(&t, true);
	enter(&t, 'b', 1);
	enter(&t, 'b', 2);
	leave(&t, RT_END_RETURNED, 3, 1);
	enter(&t, 'a', 4);		/* fails, but for the one inside */
	enter(&t, 'b', 5);
	leave(&t, RT_END_RETURNED, 6, 2);
	enter(&t, 'a', 7);		/* passes, with both inside */
	enter(&t, 'a', 8);
	leave(&t, RT_END_RETURNED, 9, 3);
	enter(&t, 'b', 10);
	leave(&t, RT_END_RETURNED, 11, 4);
	leave(&t, RT_END_RETURNED, 12, -1);
	leave(&t, RT_END_RETURNED, 13, 5);
	enter(&t, 'b', 14);
	leave(&t, RT_END_RETURNED, 15, 6);
	enter(&t, 'a', 16);
	enter(&t, 'b', 17);
	leave(&t, RT_END_RETURNED, 18, 7);
	leave(&t, RT_END_RETURNED, 19, 8);
	enter(&t, 'a', 20);
	leave(&t, RT_END_RETURNED, 21, -2);
	leave(&t, RT_END_RETURNED, 22, 9);
	enter(&t, 'b', 23);
	leave(&t, RT_END_RETURNED, 24, 1);
	finish(&t, "b 1\n a 4\n  a 7\n   a 8\n   = 3\n   b 10\n   = 4\n  = -1\n = 5\n"
		   " a 20\n = -2\n= 9\n");
}

/* The queue is full: the calls around one that passes later are not forgotten. */
static void test_why_too_large(void)
{
	enum { CALLS = 1 << 17 };
	struct seen_calls t;
	int i;

	begin_why(&t, true);
	enter(&t, 'b', 1);
	enter(&t, 'a', 2);
	for (i = 0; i < CALLS + 2; i++) {
		enter(&t, 'b', 3);
		leave(&t, RT_END_RETURNED, 4, 4);
	}
	enter(&t, 'a', 5);
	leave(&t, RT_END_RETURNED, 6, -1);
	leave(&t, RT_END_RETURNED, 7, -2);
	leave(&t, RT_END_RETURNED, 8, 3);
	CU_ASSERT_EQUAL(rt_outcome_too_large(t.outcome), 1);
	finish(&t, "b 1\n a 2\n  a 5\n  = -1\n = -2\n= 3\n");
}

/* An event loop never ends: the calls inside it are shown when the queue is full. */
static void test_too_large(void)
{
	enum { CALLS = 1 << 17 };
	size_t lines = 0;
	struct seen_calls t;
	const char *p;
	int i;

	begin(&t);
	enter(&t, 'a', 1);
	for (i = 0; i < CALLS + 2; i++) {
		enter(&t, 'b', 2);
		leave(&t, RT_END_RETURNED, 3, 4);
	}
	leave(&t, RT_END_RETURNED, 5, -1);
	enter(&t, 'a', 6);
	leave(&t, RT_END_RETURNED, 7, -2);
	CU_ASSERT_EQUAL(rt_outcome_too_large(t.outcome), 1);
	fflush(t.file);
	for (p = t.text; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	CU_ASSERT_EQUAL(lines, 2 * (CALLS + 2) + 2);
	CU_ASSERT(lines > 4 && strcmp(t.text + t.size - 9, "a 6\n= -2\n") == 0);
	fclose(t.file);
	rt_outcome_free(t.outcome);
	free(t.text);
}

CU_TestInfo rt_tests_outcome[] = {
	{ "by the result", test_result },
	{ "calls inside a call that is left out", test_inside },
	{ "by the time", test_time },
	{ "calls whose result was not seen", test_unseen },
	{ "a queue that becomes too large", test_too_large },
	{ "--why: inside and around", test_why },
	{ "--why: a queue that becomes too large", test_why_too_large },
	CU_TEST_INFO_NULL,
};
