/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments that functions fill in: from the specification to the values saved at the entry, the
 * reads at the return, and the way they are shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/definition.h"
#include "emit/saved.h"
#include "emit/program.h"
#include "fetch/lower.h"
#include "golden.h"
#include "output/print.h"
#include "unit.h"

static const struct rt_limits usual = {
	.string = 16,
	.members = RT_LIMIT_MEMBERS,
	.deref = RT_LIMIT_DEREF,
	.record = RT_LIMIT_RECORD,
};

/* A function by its prototype: its plans and what is shown. */
struct filled {
	struct rt_spec spec;
	struct rt_types *types;
	const struct rt_prototype *prototype;
	struct rt_plan entry, exit;
	struct rt_shows shows;
	uint8_t data[RT_LIMIT_RECORD];
};

static void begin_limits(struct filled *f, const char *text, const struct rt_arch *arch,
			 const struct rt_limits *limits)
{
	struct rt_error err = { 0 };

	memset(f, 0, sizeof(*f));
	f->types = rt_types_new();
	CU_ASSERT_FATAL(rt_spec_parse(text, arch, NULL, &f->spec, &err) == 0);
	CU_ASSERT_FATAL(rt_spec_prototype(&f->spec, NULL, f->types, NULL, &f->prototype, &err) ==
			0);
	CU_ASSERT_FATAL(rt_lower_entry(f->prototype, &f->spec, arch, limits, f->types, &f->entry,
				       &f->shows.entry, &err) == 0);
	CU_ASSERT_FATAL(rt_lower_keep(f->prototype, &f->spec, arch, limits, f->types, &f->entry) ==
			0);
	CU_ASSERT_FATAL(rt_lower_return(f->prototype, &f->spec, arch, limits, f->types, &f->exit,
					&f->shows.exit, NULL) == 0);
	CU_ASSERT_FATAL(f->entry.nsaved == f->exit.nsaved);
	CU_ASSERT_FATAL(rt_plan_size(&f->exit) <= sizeof(f->data));
	f->shows.exit.plan = &f->exit;
}

static void begin(struct filled *f, const char *text)
{
	begin_limits(f, text, &rt_arch_x86_64, &usual);
}

static void end(struct filled *f)
{
	rt_types_free(f->types);
	rt_spec_free(&f->spec);
}

static void put(struct filled *f, unsigned value, const void *bytes, size_t n)
{
	CU_ASSERT_FATAL(value < f->exit.nvalues);
	memcpy(f->data + rt_plan_offset(&f->exit, value), bytes, n);
}

static void put_word(struct filled *f, unsigned value, uint64_t word)
{
	CU_ASSERT_FATAL(value < f->exit.nvalues && f->exit.values[value].type == RT_TYPE_INT);
	put(f, value, &word, f->exit.values[value].size);
}

static void put_string(struct filled *f, unsigned value, const char *text)
{
	int32_t n = (int32_t)strlen(text) + 1;
	char bytes[64];

	CU_ASSERT_FATAL(value < f->exit.nvalues && f->exit.values[value].type == RT_TYPE_STRING &&
			n < 60);
	memcpy(bytes, &n, 4);
	memcpy(bytes + 4, text, (size_t)n);
	put(f, value, bytes, (size_t)n + 4);
}

static void check(struct filled *f, uint32_t faults, const char *text, const char *json)
{
	const struct rt_values values = { .plan = &f->exit, .data = f->data, .faults = faults };
	char *got = NULL;
	size_t size;
	const struct rt_trace trace = { .shows = &f->shows };
	FILE *file = open_memstream(&got, &size);
	struct rt_line line;
	bool some = false;

	rt_line_begin(&line, file);
	rt_result_print(&line, &trace, 1, 0, &values);
	rt_line_end(&line);
	fflush(file);
	RT_ASSERT_TEXT(got, text);
	rewind(file);
	rt_result_json(&line, &trace, 1, 0, &values, &some);
	rt_line_end(&line);
	fputc('\0', file);
	fclose(file);
	if (json)
		RT_ASSERT_TEXT(got, json);
	free(got);
}

static bool is_reg(const struct rt_fetch *f, const char *name)
{
	return f->base == RT_BASE_REG && strcmp(f->reg.tracefs, name) == 0;
}

/* A length that is the result, a number, a string, a structure with a string. */
static void test_kinds(void)
{
	struct filled f;

	begin(&f, "int f(out char buf[return], out int *n, out struct { int a; const char *name; } "
		  "*p) errno");
	CU_ASSERT(f.entry.nvalues == 3);	/* the addresses, and nothing behind them */
	CU_ASSERT_FATAL(f.entry.nsaved == 3);
	CU_ASSERT(is_reg(&f.entry.saved[0], "di") && is_reg(&f.entry.saved[1], "si") &&
		  is_reg(&f.entry.saved[2], "dx"));
	CU_ASSERT_FATAL(f.exit.nvalues == 8);
	/*
	 * Result; three addresses; then the text and the string, which are read first, and the
	 * others.
	 */
	CU_ASSERT(f.exit.values[1].base == RT_BASE_SAVED && f.exit.values[3].offset == 2);
	CU_ASSERT(f.exit.values[4].type == RT_TYPE_BYTES && f.exit.values[4].length == 1 &&
		  f.exit.values[4].base == RT_BASE_SAVED);
	put_word(&f, 0, 5);
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 0x2000);
	put_word(&f, 3, 0x3000);
	put(&f, 4, "hello, world", 12);
	put_word(&f, 5, 7);
	put(&f, 6, "\3\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0", 16);
	put_string(&f, 7, "joe");
	check(&f, 0, "5 buf=\"hello\" n=7 p={.a=3, .name=\"joe\"}",
	      "\"result\":5,\"out\":{\"buf\":\"hello\",\"n\":7,\"p\":{\"a\":3, \"name\":\"joe\"}}");
	/* The saved addresses are lost: nothing is shown but that. */
	check(&f, 0xfe, "5 buf=<unreadable> n=<unreadable> p=<unreadable>", NULL);
	check(&f, 1 << 4 | 1 << 5,
	      "5 buf=0x1000<unreadable> n=0x2000<unreadable> p={.a=3, .name=\"joe\"}", NULL);
	put_word(&f, 2, 0);
	check(&f, 1 << 5, "5 buf=\"hello\" n=NULL p={.a=3, .name=\"joe\"}", NULL);
	/* The call has failed. */
	put_word(&f, 0, (uint64_t)-1);
	check(&f, 0, "-1", "\"result\":-1");
	end(&f);
}

static void test_lengths(void)
{
	struct filled f;

	/* Another parameter tells it: that is kept too, and not shown. */
	begin(&f, "void f(int n, out int v[n])");
	CU_ASSERT_FATAL(f.entry.nsaved == 2 && f.exit.nvalues == 3);
	CU_ASSERT(is_reg(&f.entry.saved[0], "di") && is_reg(&f.entry.saved[1], "si"));
	put_word(&f, 0, 2);
	put_word(&f, 1, 0x1000);
	put(&f, 2, "\1\0\0\0\2\0\0\0\3\0\0\0", 12);
	check(&f, 0, "#<void> v=[1, 2]", "\"out\":{\"v\":[1, 2]}");
	end(&f);
	/* One that is fixed. */
	begin(&f, "int pipe(out int fds[2])");
	put_word(&f, 1, 0x1000);
	put(&f, 2, "\3\0\0\0\4\0\0\0", 8);
	check(&f, 0, "0 fds=[3, 4]", NULL);
	end(&f);
}

/*
 * There was less room than the function tells of, or none; and results by which it has left all
 * alone.
 */
static void test_room(void)
{
	struct filled f;

	begin(&f, "int f(out char buf[return <= n], size_t n)");
	CU_ASSERT_FATAL(f.entry.nsaved == 2 && f.exit.nvalues == 4);
	put_word(&f, 0, 10);
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 3);
	put(&f, 3, "new, old", 8);
	check(&f, 0, "10 buf=\"new\"", "\"result\":10,\"out\":{\"buf\":\"new\"}");
	put_word(&f, 0, 2);
	check(&f, 0, "2 buf=\"ne\"", NULL);
	end(&f);
	begin(&f, "int f(out string char buf[n], int n) errno");
	CU_ASSERT_FATAL(f.entry.nsaved == 2 && f.exit.nvalues == 4);
	put_word(&f, 0, 7);
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 0);
	put_string(&f, 3, "what was there");
	check(&f, 0, "7 buf=\"\"", "\"result\":7,\"out\":{\"buf\":\"\"}");
	check(&f, 1 << 3, "7 buf=\"\"", NULL);
	put_word(&f, 2, (uint64_t)-1);
	check(&f, 0, "7 buf=\"\"", NULL);
	put_word(&f, 2, 4);
	check(&f, 0, "7 buf=\"what\"", NULL);
	put_word(&f, 2, 64);
	check(&f, 0, "7 buf=\"what was there\"", NULL);
	/* The size of the room is not known. */
	check(&f, 1 << 2, "7 buf=\"what was there\"", NULL);
	put_word(&f, 1, 0);
	check(&f, 0, "7 buf=NULL", NULL);
	end(&f);
}

static void test_left_alone(void)
{
	struct filled f;

	begin(&f, "int f(out int *x) errno fails 0");
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 5);
	check(&f, 0, "0", "\"result\":0");
	put_word(&f, 0, 1);
	check(&f, 0, "1 x=5", NULL);
	put_word(&f, 0, (uint64_t)-1);
	check(&f, 0, "-1", NULL);
	end(&f);
	begin(&f, "int f(out int *x) fails !0");
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 5);
	check(&f, 0, "0 x=5", NULL);
	put_word(&f, 0, (uint64_t)-2);
	check(&f, 0, "-2", NULL);
	end(&f);
	begin(&f, "ssize_t f(out int *x) fails -1");
	put_word(&f, 0, (uint64_t)-1);
	check(&f, 0, "-1", NULL);
	put_word(&f, 0, 0xffffffff);
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 5);
	check(&f, 0, "4294967295 x=5", NULL);
	end(&f);
}

/* A number of errno's; what is filled in and read before; a string that the function has made. */
static void test_words(void)
{
	struct filled f;

	begin(&f, "errno int f(inout int *n, out char **line)");
	CU_ASSERT(f.entry.nvalues == 3 && f.entry.values[2].nderef == 1);
	put_word(&f, 1, 0x1000);
	put_word(&f, 2, 0x2000);
	put_word(&f, 3, 8);
	put_word(&f, 4, 0x3000);
	put_string(&f, 5, "text");
	check(&f, 0, "0 n=8 line=\"text\"", NULL);
	put_word(&f, 0, 22);
	check(&f, 0, "22 EINVAL", "\"result\":\"22 EINVAL\"");
	put_word(&f, 0, 4000);
	check(&f, 0, "4000", NULL);
	end(&f);
}

/* Only those that were named; where the stack has it; where nothing can be kept. */
static void test_which(void)
{
	struct rt_limits none = usual;
	struct filled f;

	begin_limits(&f, "int f(int a, out int *x)", &rt_arch_i386, &usual);
	CU_ASSERT(f.entry.nsaved == 1 && f.entry.saved[0].base == RT_BASE_STACK &&
		  f.entry.saved[0].offset == 8 && f.entry.saved[0].size == 4);
	end(&f);
	none.no_saved = true;
	begin_limits(&f, "int f(int a, out int *x)", &rt_arch_x86_64, &none);
	CU_ASSERT(f.entry.nsaved == 0 && f.exit.nvalues == 1);
	check(&f, 0, "0", NULL);
	end(&f);
}

static void emit(const char *name, struct rt_bpf_program *p, const struct rt_plan *plan)
{
	p->plan = plan;
	rt_golden_program(name, p);
}

static void test_programs(void)
{
	struct rt_bpf_program p = {
		.pids = RT_PID(7),
		.key_source = RT_KEY_COOKIE,
		.read_user = true,
		.slots = 16384,
		.saved_slots = RT_SAVED_SLOTS,
		.transport = RT_TRANSPORT_RINGBUF,
	};
	struct rt_definition d = {
		.group = "g", .event = "e", .path = "p", .kind = RT_KIND_RETURN
	};
	struct rt_error err = { 0 };
	char line[RT_DEFINITION_MAX];
	struct filled f;

	begin(&f, "int f(int a, int b, int c, int d, int e, int g, out char buf[return])");
	emit("saved-entry.bpf", &p, &f.entry);
	emit("saved-return.bpf", &p, &f.exit);
	/* If the function is not known, its saved values stand for it. */
	p.key_source = RT_KEY_POINTER;
	p.transport = RT_TRANSPORT_PERF;
	p.read_user = false;
	emit("saved-return-pointer.bpf", &p, &f.exit);
	d.plan = &f.exit;
	CU_ASSERT(rt_definition_print(&d, line, &err) == -EOPNOTSUPP);
	end(&f);
}

CU_TestInfo rt_tests_filled[] = {
	{ "kinds", test_kinds },
	{ "lengths", test_lengths },
	{ "room", test_room },
	{ "left alone", test_left_alone },
	{ "errno, inout, strings that were made", test_words },
	{ "which of them", test_which },
	{ "programs", test_programs },
	CU_TEST_INFO_NULL,
};
