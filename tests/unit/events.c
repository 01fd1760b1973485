/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const struct rt_arch arch = { .word = 8, .return_pop = 8 };

const struct rt_plan events_entry = {
	.kind = RT_KIND_ENTRY, .arch = &arch,
	.nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

const struct rt_plan events_return = {
	.kind = RT_KIND_RETURN, .arch = &arch,
	.nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

static void put_function(struct events *e, uint32_t function)
{
	if (function == RT_NO_FUNCTION)
		fputc('?', e->file);
	else
		fputc('a' + (int)function, e->file);
}

static void put_value(struct events *e, const struct rt_values *values)
{
	int64_t v;

	if (!values->plan)
		return;
	if (!values->data || values->faults) {
		fputs(" unreadable", e->file);
		return;
	}
	memcpy(&v, values->data, sizeof(v));
	fprintf(e->file, " %lld", (long long)v);
}

static int on_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		    const struct rt_values *args)
{
	struct events *e = ctx;

	fprintf(e->file, "%d %u enter ", (int)thread->tid, frame->level);
	put_function(e, frame->function);
	put_value(e, args);
	fputs(frame->returns ? "\n" : " only\n", e->file);
	return e->fail;
}

static int on_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		    enum rt_end end, uint64_t time, const struct rt_values *result)
{
	static const char *const ends[] = {
		[RT_END_RETURNED] = "returned", [RT_END_NOT_SEEN] = "not seen",
		[RT_END_UNWOUND] = "unwound", [RT_END_JUMPED] = "jumped",
		[RT_END_BECAME] = "became", [RT_END_EXITED] = "exited",
		[RT_END_EXEC] = "exec", [RT_END_UNFINISHED] = "unfinished",
	};
	struct events *e = ctx;

	fprintf(e->file, "%d %u leave ", (int)thread->tid, frame->level);
	put_function(e, frame->function);
	fprintf(e->file, " %s", ends[end]);
	if (end == RT_END_JUMPED && frame->to)
		fprintf(e->file, " to %s", frame->to);
	put_value(e, result);
	if (frame->unsure)
		fputs(" unsure", e->file);
	if (frame->before)
		fputs(" before", e->file);
	if (frame->entry_seen)
		fprintf(e->file, " %llu", (unsigned long long)frame->time);
	else
		fputs(" ?", e->file);
	fprintf(e->file, "-%llu\n", (unsigned long long)time);
	return e->fail;
}

static int on_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct events *e = ctx;

	if (thread)
		fprintf(e->file, "%d ", (int)thread->tid);
	fprintf(e->file, "lost %llu at %llu\n", (unsigned long long)count,
		(unsigned long long)time);
	return e->fail;
}

static const struct rt_call_ops ops = { .enter = on_enter, .leave = on_leave, .lost = on_lost };

void events_begin(struct events *e)
{
	memset(e, 0, sizeof(*e));
	e->file = open_memstream(&e->text, &e->size);
	e->stack = rt_stack_new(&ops, e);
}

void events_finish(struct events *e, const char *want)
{
	fclose(e->file);
	RT_ASSERT_TEXT(e->text, want);
	rt_stack_free(e->stack);
	free(e->text);
}

int events_hit(struct events *e, const struct rt_plan *plan, pid_t tid, uint32_t function,
	       bool returns, uint64_t time, uint64_t sp, uint64_t ra, int64_t value)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = tid };
	struct rt_hit known = { .function = function, .returns = returns, .plan = plan };

	event.hit.sp = sp;
	event.hit.ra = ra;
	event.hit.size = sizeof(value);
	event.hit.data = (const uint8_t *)&value;
	return rt_stack_hit(e->stack, &event, &known);
}

void events_call(struct events *e, pid_t tid, uint32_t function, uint64_t time, uint64_t sp,
		 int64_t value)
{
	int r = events_hit(e, &events_entry, tid, function, true, time, sp, EVENTS_CALLER, value);

	CU_ASSERT(r == 0);
}

void events_return_from(struct events *e, pid_t tid, uint32_t function, uint64_t time, uint64_t sp,
			int64_t value)
{
	/* By then the return address is gone from the stack. */
	CU_ASSERT(events_hit(e, &events_return, tid, function, true, time, sp + 8, 0, value) == 0);
}

void events_event(struct events *e, enum rt_event_type type, pid_t tid, uint64_t time)
{
	struct rt_event ev = { .type = type, .time = time, .pid = 1, .tid = tid };

	CU_ASSERT(rt_stack_event(e->stack, &ev) == 0);
}

void events_fork(struct events *e, pid_t parent, pid_t tid, uint64_t time)
{
	struct rt_event ev = { .type = RT_EV_FORK, .time = time, .pid = 1, .tid = parent };

	ev.fork.pid = 1;
	ev.fork.tid = tid;
	CU_ASSERT(rt_stack_event(e->stack, &ev) == 0);
}

void events_comm(struct events *e, pid_t tid, const char *name)
{
	struct rt_event ev = { .type = RT_EV_COMM, .pid = 1, .tid = tid };

	memset(ev.comm.name, 'x', sizeof(ev.comm.name));
	memcpy(ev.comm.name, name, strlen(name) < 16 ? strlen(name) + 1 : 16);
	CU_ASSERT(rt_stack_event(e->stack, &ev) == 0);
}

/* ---- rows ---- */

struct row {
	uint64_t time;
	pid_t tid, child;
	const char *what;
	uint32_t function;
	uint64_t sp, until;
	int64_t value;
	const struct events_site *site;
	bool only, unknown, once, outside, i386, at_exits, pair, inlined, tail, wide, behind;
};

static const struct rt_exit by_return = { .kind = RT_EXIT_RETURN, .callee = UINT32_MAX };
static const struct events_site at_ret = { .name = "ret", .exit = &by_return };

static const struct events_site *find_site(const struct events *e, const char *name)
{
	const struct events_site *site = e->sites;

	while (site && site->name && strcmp(site->name, name) != 0)
		site++;
	if (strcmp(name, "ret") == 0)
		return &at_ret;
	CU_ASSERT_FATAL(site && site->name);
	return site;
}

static bool read_flag(struct row *row, const char *word)
{
	const struct {
		const char *word;
		bool *flag;
	} flags[] = {
		{ "only", &row->only }, { "unknown", &row->unknown }, { "once", &row->once },
		{ "outside", &row->outside }, { "i386", &row->i386 },
		{ "exits", &row->at_exits }, { "pair", &row->pair },
		{ "inlined", &row->inlined }, { "tail", &row->tail }, { "wide", &row->wide },
		{ "behind", &row->behind },
	};
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (strcmp(word, flags[i].word) == 0)
			return *flags[i].flag = true;
	return false;
}

static void read_word(const struct events *e, struct row *row, const char *word)
{
	if (read_flag(row, word))
		return;
	if (strncmp(word, "sp=", 3) == 0)
		row->sp = strtoull(word + 3, NULL, 0);
	else if (strncmp(word, "until=", 6) == 0)
		row->until = strtoull(word + 6, NULL, 10);
	else if (strncmp(word, "at=", 3) == 0)
		row->site = find_site(e, word + 3);
	else if (strncmp(word, "exits=", 6) == 0) {
		row->site = find_site(e, word + 6);
		row->at_exits = true;
	} else if (strcmp(word, "?") == 0)
		row->function = RT_NO_FUNCTION;
	else if (word[0] >= 'a' && word[0] <= 'z' && !word[1])
		row->function = (uint32_t)(word[0] - 'a');
	else if (word[0] == 't' && word[1])
		row->child = atoi(word + 1);
	else
		row->value = strtoll(word, NULL, 10);
}

/* `text` is cut into its words. */
static void read_row(const struct events *e, char *text, struct row *row)
{
	char *rest, *word;

	memset(row, 0, sizeof(*row));
	text[strcspn(text, "#\n")] = '\0';
	word = strtok_r(text, " \t", &rest);
	CU_ASSERT_FATAL(word != NULL);
	row->time = strtoull(word, NULL, 10);
	word = strtok_r(NULL, " \t", &rest);
	if (word && word[0] == 't') {
		row->tid = atoi(word + 1);
		word = strtok_r(NULL, " \t", &rest);
	}
	CU_ASSERT_FATAL(word != NULL);
	row->what = word;
	while ((word = strtok_r(NULL, " \t", &rest)))
		read_word(e, row, word);
}

static const struct rt_plan leave_plans[] = {
	[RT_EXIT_RETURN] = {
		.kind = RT_KIND_RETURN, .end = RT_BY_RETURN, .nvalues = 1,
		.values = { { .size = 4, .is_signed = true } },
	},
	[RT_EXIT_JUMP] = { .kind = RT_KIND_RETURN, .end = RT_BY_JUMP },
	[RT_EXIT_MAYBE] = {
		.kind = RT_KIND_RETURN, .end = RT_BY_BRANCH, .nvalues = 1,
		.values = { { .size = 4 } },
	},
};
static const struct rt_plan wide_result = {
	.kind = RT_KIND_RETURN, .end = RT_BY_RETURN, .nvalues = 1,
	.values = { { .size = 8, .is_signed = true } },
};

static int feed_enter(struct events *e, const struct row *row, uint64_t ra)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = row->time, .pid = 1, .tid = row->tid };
	const struct rt_hit hit = {
		.function = row->function, .returns = !row->only, .once = row->once,
		.outside = row->outside,
		.at_exits = row->at_exits, .exits = row->site ? row->site->exits : NULL,
		.plan = &events_entry, .pair = row->pair ? row->function + 1 : 0,
		.closes = strcmp(row->what, "close") == 0, .inlined = row->inlined,
		.key = (uint64_t)row->value,
		.result = !row->at_exits ? NULL
			  : row->wide	 ? &wide_result
					 : &leave_plans[RT_EXIT_RETURN],
	};

	event.hit.sp = row->sp;
	event.hit.ra = row->unknown || row->at_exits ? 0 : ra;
	event.hit.size = sizeof(row->value);
	event.hit.data = (const uint8_t *)&row->value;
	return rt_stack_hit(e->stack, &event, &hit);
}

static int feed_return(struct events *e, const struct row *row)
{
	static const struct rt_arch narrow = { .word = 4, .return_pop = 4, .callee_pop = 1024 };
	struct rt_plan plan = events_return;
	/* By then the return address is gone from the stack. */
	uint64_t sp = row->i386 ? row->sp : row->sp + 8;

	if (row->i386)
		plan.arch = &narrow;
	return events_hit(e, &plan, row->tid, row->function, true, row->time, sp, 0, row->value);
}

static int feed_leave(struct events *e, const struct row *row)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = row->time, .pid = 1, .tid = row->tid };
	struct rt_hit hit = { .function = row->function, .returns = true, .at_exits = true };

	CU_ASSERT_FATAL(row->site != NULL);
	hit.exit = row->site->exit;
	hit.leads = row->site->leads;
	hit.leads_tail = row->site->leads_tail;
	hit.returns_to = row->site->returns_to;
	hit.tail = row->tail;
	hit.return_site = row->behind;
	hit.plan = &leave_plans[hit.exit->kind];
	event.hit.sp = row->sp;
	event.hit.size = (uint16_t)(hit.plan->nvalues ? sizeof(row->value) : 0);
	event.hit.data = (const uint8_t *)&row->value;
	return rt_stack_hit(e->stack, &event, &hit);
}

static int feed_lost(struct events *e, const struct row *row)
{
	struct rt_event event = {
		.type = RT_EV_LOST, .time = row->time, .pid = 1, .tid = row->tid,
	};

	event.lost.count = (uint64_t)row->value;
	event.lost.until = row->until ? row->until : row->time;
	return rt_stack_event(e->stack, &event);
}

static int feed_unwind(struct events *e, const struct row *row)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = row->time, .pid = 1, .tid = row->tid };

	event.hit.sp = row->sp;
	return rt_stack_unwound(e->stack, &event);
}

static int feed_other(struct events *e, const struct row *row)
{
	struct rt_event event = { .time = row->time, .pid = 1, .tid = row->tid };

	if (strcmp(row->what, "fork") == 0) {
		event.type = RT_EV_FORK;
		event.fork.pid = 1;
		event.fork.tid = row->child;
	} else if (strcmp(row->what, "exit") == 0) {
		event.type = RT_EV_EXIT;
	} else if (strcmp(row->what, "exec") == 0) {
		event.type = RT_EV_EXEC;
	} else if (strcmp(row->what, "mmap") == 0) {
		event.type = RT_EV_MMAP;
	} else {
		printf("no event is named %s\n", row->what);
		CU_FAIL_FATAL("no such event");
	}
	return rt_stack_event(e->stack, &event);
}

static int feed(struct events *e, const struct row *row)
{
	if (strcmp(row->what, "enter") == 0)
		return feed_enter(e, row, EVENTS_CALLER);
	if (strcmp(row->what, "jump") == 0)
		return feed_enter(e, row, EVENTS_TRAMPOLINE);
	if (strcmp(row->what, "close") == 0)
		return feed_enter(e, row, EVENTS_CALLER);
	if (strcmp(row->what, "return") == 0)
		return feed_return(e, row);
	if (strcmp(row->what, "leave") == 0)
		return feed_leave(e, row);
	if (strcmp(row->what, "lost") == 0)
		return feed_lost(e, row);
	if (strcmp(row->what, "unwind") == 0)
		return feed_unwind(e, row);
	if (strcmp(row->what, "end") == 0)
		return rt_stack_end(e->stack, row->time);
	if (strcmp(row->what, "ended") == 0)
		return rt_stack_ended(e->stack, row->time);
	if (strcmp(row->what, "attached") == 0) {
		rt_stack_attached(e->stack);
		return 0;
	}
	return feed_other(e, row);
}

void events_row(struct events *e, const char *text)
{
	char copy[128];
	struct row row;

	snprintf(copy, sizeof(copy), "%s", text);
	read_row(e, copy, &row);
	CU_ASSERT(feed(e, &row) == e->fail);
}

void events_rows(struct rt_stack *stack, const char *rows)
{
	struct events e = { .stack = stack };

	for (; *rows; rows = strchr(rows, '\n') + 1)
		events_row(&e, rows);
}

/* Write the rows and, indented below each, the lines that it makes. */
static void run_rows(struct events *e, const char *text, FILE *out)
{
	const char *row, *end;

	for (row = text; *row; row = end + 1) {
		size_t before;
		char *line;

		end = strchr(row, '\n');
		CU_ASSERT_FATAL(end != NULL);
		if (strncmp(row, "  ", 2) == 0)
			continue;
		fprintf(out, "%.*s\n", (int)(end - row), row);
		fflush(e->file);
		before = e->size;
		events_row(e, row);
		fflush(e->file);
		for (line = e->text + before; *line; line += strcspn(line, "\n") + 1)
			fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
	}
}

void events_check_exits(const char *text, const struct events_site *sites)
{
	struct events e;
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_FATAL(out != NULL);
	events_begin(&e);
	e.sites = sites;
	run_rows(&e, text, out);
	fclose(out);
	RT_ASSERT_TEXT(got, text);
	free(got);
	fclose(e.file);
	rt_stack_free(e.stack);
	free(e.text);
}

void events_check(const char *text)
{
	events_check_exits(text, NULL);
}
