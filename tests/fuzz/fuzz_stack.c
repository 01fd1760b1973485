/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any sequence of events must come out of the stack balanced, at the right levels and closed at the
 * end, and every output must take it; chrome's must be JSON, with slices that nest.  The input is a
 * string of steps: OP WHO SP TIME [SIZE DATA...]    see run_step
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/stack.h"
#include "output/sink.h"

#define TIDS 8
#define PIDS 3
#define DEPTH 4096	/* more than an input can open */
#define MAX_INPUT 8192

#define CHECK(what) check((what), #what, __LINE__)

static void check(bool good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_stack.c:%d: %s\n", line, what);
	abort();
}

static const struct rt_arch arch = { .word = 8, .return_pop = 8 };
static const struct rt_plan plans[] = {
	{ .kind = RT_KIND_ENTRY,
	  .arch = &arch,
	  .nvalues = 1,
	  .values = { { .size = 4, .is_signed = true } } },
	{ .kind = RT_KIND_RETURN, .arch = &arch, .nvalues = 1, .values = { { .size = 8 } } },
	{ .kind = RT_KIND_ENTRY,
	  .arch = &arch,
	  .nvalues = 2,
	  .values = { { .type = RT_TYPE_STRING, .max = 16 }, { .size = 8, .is_signed = true } } },
	{ .kind = RT_KIND_RETURN,
	  .nvalues = 2,
	  .values = { { .size = 4, .is_signed = true }, { .type = RT_TYPE_STRING, .max = 8 } } },
	{ .kind = RT_KIND_ENTRY },
	{ .kind = RT_KIND_RETURN, .arch = &arch },
};

static const struct rt_exit exits[] = {
	{ .kind = RT_EXIT_RETURN, .callee = UINT32_MAX },
	{ .kind = RT_EXIT_JUMP, .callee = 1 },
	{ .kind = RT_EXIT_JUMP, .callee = UINT32_MAX },
	{ .kind = RT_EXIT_MAYBE, .condition = 4, .callee = 2 },
};

struct input {
	const uint8_t *p, *end;
	uint64_t time;
};

static unsigned take(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* Calls that must be open in each thread, according to the stack's reports. */
struct model {
	struct {
		struct rt_frame v[DEPTH];
		unsigned n;
	} threads[TIDS];
	uint64_t lost;
};

static int model_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       const struct rt_values *args)
{
	struct model *model = ctx;
	unsigned *n = &model->threads[thread->tid].n;
	struct rt_frame *v = model->threads[thread->tid].v;

	CHECK(frame->entry_seen);
	CHECK(frame->level == *n);
	CHECK(args->plan && args->plan->kind == RT_KIND_ENTRY);
	CHECK(!*n || v[*n - 1].sp >= frame->sp);
	if (frame->returns) {
		CHECK(*n < DEPTH);
		v[(*n)++] = *frame;
	}
	return 0;
}

static int model_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct model *model = ctx;
	unsigned *n = &model->threads[thread->tid].n;
	const struct rt_frame *top;

	(void)time;
	CHECK(frame->returns);
	CHECK((end == RT_END_RETURNED) == (result->plan != NULL));
	CHECK(end != RT_END_UNWOUND || frame->at_exits);
	if (!frame->entry_seen) {
		CHECK(end == RT_END_RETURNED);
		CHECK(frame->level == *n);
		CHECK(frame->time == 0);
		return 0;
	}
	CHECK(*n > 0);
	top = &model->threads[thread->tid].v[--*n];
	CHECK(frame->level == *n);
	CHECK(frame->function == top->function && frame->sp == top->sp && frame->time == top->time);
	return 0;
}

static int model_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct model *model = ctx;

	(void)thread;
	(void)time;
	model->lost += count;
	return 0;
}

static const struct rt_call_ops model_ops = { .enter = model_enter,
					      .leave = model_leave,
					      .lost = model_lost };

static void run_hit(struct rt_stack *stack, struct input *in, struct rt_event *event, unsigned op,
		    unsigned sp)
{
	unsigned flags = take(in), size = take(in) & 63;
	struct rt_hit hit = { .function = flags & 3,
			      .returns = !(flags & 4),
			      .at_exits = op & 32,
			      .plan = &plans[op % 6] };
	uint8_t data[64] = { 0 }, *exact;
	unsigned i;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)take(in);
	if ((flags & 3) == 3)
		hit.function = RT_NO_FUNCTION;
	if (hit.plan->kind == RT_KIND_RETURN && op & 64)
		hit.exit = &exits[size & 3];
	event->type = RT_EV_HIT;
	event->hit.sp = sp * UINT64_C(8);
	event->hit.ra = flags & 8 ? 0x7000 : flags & 16 ? 0 : 0x401234;
	event->hit.faults = flags >> 5;
	/* A copy of just that size, freed after: neither a byte more nor a byte later may be read.
	 */
	exact = malloc(size ? size : 1);
	memcpy(exact, data, size);
	event->hit.size = (uint16_t)size;
	event->hit.data = exact;
	CHECK(rt_stack_hit(stack, event, &hit) == 0);
	free(exact);
}

static void run_step(struct rt_stack *stack, struct input *in, struct model *model)
{
	unsigned op = take(in), who = take(in), sp = take(in), tid = who % TIDS;
	int8_t step = (int8_t)take(in);
	struct rt_event event = { .tid = (pid_t)tid, .pid = (pid_t)(who / TIDS % PIDS) };

	in->time += (uint64_t)(int64_t)step * 7;	/* back too, as a clock should not */
	event.time = in->time;
	switch (op % 32) {
	case 24:
		event.type = RT_EV_LOST;
		event.lost.count = sp + 1;
		break;
	case 25:
	case 26:
		event.type = RT_EV_EXIT;
		break;
	case 27:
		event.type = RT_EV_FORK;
		event.fork.pid = (pid_t)(sp % PIDS);
		event.fork.tid = (pid_t)(sp / PIDS % TIDS);
		tid = (unsigned)event.fork.tid;
		break;
	case 28:
		event.type = RT_EV_COMM;
		memset(event.comm.name, (int)sp, sizeof(event.comm.name));
		break;
	case 29:
		event.type = RT_EV_MMAP;
		break;
	default:
		run_hit(stack, in, &event, op, sp);
		return;
	}
	CHECK(rt_stack_event(stack, &event) == 0);
	if (model && (event.type == RT_EV_EXIT || event.type == RT_EV_FORK))
		CHECK(model->threads[tid].n == 0);
}

static void run(struct rt_stack *stack, const uint8_t *data, size_t size, struct model *model)
{
	struct input in = { .p = data, .end = data + size, .time = 1000000 };

	CHECK(stack);
	while (in.p < in.end)
		run_step(stack, &in, model);
	CHECK(rt_stack_end(stack, in.time) == 0);
	rt_stack_free(stack);
}

static void run_model(const uint8_t *data, size_t size)
{
	struct model *model = calloc(1, sizeof(*model));
	unsigned i;

	CHECK(model);
	run(rt_stack_new(&model_ops, model), data, size, model);
	for (i = 0; i < TIDS; i++)
		CHECK(model->threads[i].n == 0);
	free(model);
}

/* Runs a format over the input; the text is the caller's to free. */
static char *run_format(const struct rt_sink_ops *ops, const uint8_t *data, size_t size)
{
	struct rt_function v[] = { { .name = (char *)"fib" }, { .name = (char *)"a\"\\\n\xff" } };
	struct rt_functions functions = { .v = v, .n = 2 };
	struct rt_sinks sinks = {
		.trace = { .functions = &functions, .start = 1000000, .command = "./fib" },
	};
	struct rt_sink *sink = rt_sinks_add(&sinks, ops);
	FILE *file;
	char *text = NULL;
	size_t len;

	sink->file = file = open_memstream(&text, &len);
	CHECK(file);
	CHECK(ops->begin(sink) == 0);
	CHECK(rt_sinks_note(&sinks, "a \"note\"") == 0);
	run(rt_stack_new(&rt_sinks_ops, &sinks), data, size, NULL);
	CHECK(rt_sinks_end(&sinks) == 0);
	rt_sinks_free(&sinks);
	fclose(file);
	CHECK(strlen(text) == len);
	return text;
}

/* A strict JSON reader: each function returns what follows. */
static const char *json_value(const char *s);

static const char *json_string(const char *s)
{
	CHECK(*s++ == '"');
	while (*s != '"') {
		CHECK((unsigned char)*s >= 0x20);
		if (*s++ != '\\')
			continue;
		CHECK(*s && strchr("\"\\/bfnrtu", *s));
		if (*s++ == 'u') {
			CHECK(strspn(s, "0123456789abcdef") >= 4);
			s += 4;
		}
	}
	return s + 1;
}

static const char *json_number(const char *s)
{
	size_t n;

	s += *s == '-';
	n = strspn(s, "0123456789");
	CHECK(n && (n == 1 || *s != '0'));
	s += n;
	if (*s != '.')
		return s;
	n = strspn(++s, "0123456789");
	CHECK(n == 3);
	return s + n;
}

static const char *json_space(const char *s)
{
	return s + strspn(s, "\n");
}

static const char *json_list(const char *s, char close)
{
	s = json_space(s + 1);
	if (*s == close)
		return s + 1;
	for (;;) {
		if (close == '}') {
			s = json_string(s);
			CHECK(*s++ == ':');
		}
		s = json_space(json_value(s));
		if (*s == close)
			return s + 1;
		CHECK(*s == ',');
		s = json_space(s + 1);
	}
}

static const char *json_value(const char *s)
{
	switch (*s) {
	case '{':
		return json_list(s, '}');
	case '[':
		return json_list(s, ']');
	case '"':
		return json_string(s);
	default:
		return json_number(s);
	}
}

struct slice {
	unsigned long long from, to;
};

struct slices {
	struct slice v[DEPTH];
	unsigned n;
};

/* A call comes after those inside of it: whatever began since it did must have ended when it does.
 */
static void slices_add(struct slices *slices, struct slice slice)
{
	while (slices->n && slices->v[slices->n - 1].from >= slice.from)
		CHECK(slices->v[--slices->n].to <= slice.to);
	CHECK(!slices->n || slices->v[slices->n - 1].to <= slice.from);
	CHECK(slices->n < DEPTH);
	slices->v[slices->n++] = slice;
}

static void check_nesting(const char *text)
{
	struct slices *slices = calloc(TIDS * PIDS, sizeof(*slices));
	unsigned pid, tid, ts_ns, dur_ns;
	unsigned long long ts, dur;

	CHECK(slices);
	for (; text; text = strchr(text, '\n')) {
		struct slice slice;

		text++;
		if (sscanf(text,
			   "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%3u,\"dur\":%llu.%3u,",
			   &pid, &tid, &ts, &ts_ns, &dur, &dur_ns) != 6)
			continue;
		CHECK(pid < PIDS && tid < TIDS);
		slice.from = ts * 1000 + ts_ns;
		slice.to = slice.from + dur * 1000 + dur_ns;
		slices_add(&slices[tid * PIDS + pid], slice);
	}
	free(slices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > MAX_INPUT)
		return 0;
	run_model(data, size);
	free(run_format(&rt_sink_tree, data, size));
	text = run_format(&rt_sink_chrome, data, size);
	CHECK(strcmp(json_value(text), "\n") == 0);
	check_nesting(text);
	free(text);
	return 0;
}
