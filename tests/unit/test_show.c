/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A prototype is lowered, a record of it is made by hand, and printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fetch/lower.h"
#include "output/print.h"
#include "output/value.h"
#include "typegen.h"
#include "unit.h"

struct call {
	struct rt_types *types;
	struct rt_param params[4];
	struct rt_prototype prototype;
	struct rt_plan plan;
	struct rt_shows shows;
	uint8_t data[1024];
	struct rt_values values;
};

/* So many bytes are read in all. */
static void begin_room(struct call *c, const struct rt_ctype *a, const struct rt_ctype *b,
		       unsigned record)
{
	const struct rt_limits limits = {
		.string = 16, .members = RT_LIMIT_MEMBERS, .deref = RT_LIMIT_DEREF, .record = record
	};

	memset(c, 0, sizeof(*c));
	c->types = rt_types_new();
	c->params[0] = (struct rt_param){ .name = "a", .type = a };
	c->params[1] = (struct rt_param){ .name = "b", .type = b };
	c->prototype = (struct rt_prototype){ .result = &t_void,
					      .params = c->params,
					      .nparams = b ? 2 : 1 };
	CU_ASSERT_FATAL(rt_lower_entry(&c->prototype, NULL, &rt_arch_x86_64, &limits, c->types,
				       &c->plan, &c->shows.entry, NULL) == 0);
	CU_ASSERT_FATAL(rt_plan_size(&c->plan) <= sizeof(c->data));
	c->shows.entry.plan = &c->plan;
	c->values = (struct rt_values){ .plan = &c->plan, .data = c->data };
}

static void begin(struct call *c, const struct rt_ctype *a, const struct rt_ctype *b)
{
	begin_room(c, a, b, RT_LIMIT_RECORD);
}

static void put(struct call *c, unsigned value, const void *bytes, size_t n)
{
	CU_ASSERT_FATAL(value < c->plan.nvalues);
	memcpy(c->data + rt_plan_offset(&c->plan, value), bytes, n);
}

static void put_word(struct call *c, unsigned value, uint64_t word)
{
	put(c, value, &word, c->plan.values[value].size);
}

static void put_text(struct call *c, unsigned value, const char *text)
{
	int32_t n = (int32_t)strlen(text) + 1;
	uint8_t *to = c->data + rt_plan_offset(&c->plan, value);

	CU_ASSERT_FATAL(value < c->plan.nvalues && c->plan.values[value].type == RT_TYPE_STRING);
	memcpy(to, &n, 4);
	memcpy(to + 4, text, (size_t)n);
}

/* rt_resolver_ops.constant: there is text at 0x2000 alone. */
static size_t constant(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size)
{
	static const char text[] = "constant";

	(void)ctx;
	if (pid != 1 || addr != 0x2000 || size < sizeof(text))
		return 0;
	memcpy(buf, text, sizeof(text));
	return sizeof(text);
}

static const struct rt_resolver_ops resolver_ops = { .constant = constant };
static const struct rt_resolver resolver = { .ops = &resolver_ops };

static void finish(struct call *c, const char *text, const char *json)
{
	char *got = NULL;
	size_t size;
	const struct rt_trace trace = { .shows = &c->shows, .resolver = &resolver };
	FILE *file = open_memstream(&got, &size);
	struct rt_line line;
	bool some = false;

	rt_line_begin(&line, file);
	rt_args_print(&line, &trace, 1, 0, &c->values);
	rt_line_end(&line);
	fflush(file);
	RT_ASSERT_TEXT(got, text);
	rewind(file);
	if (json)
		rt_args_json(&line, &trace, 1, 0, &c->values, &some);
	rt_line_end(&line);
	fputc('\0', file);
	fclose(file);
	if (json)
		RT_ASSERT_TEXT(got, json);
	free(got);
	rt_types_free(c->types);
}

static void test_words(void)
{
	static const struct rt_ctype unicode = {
		.kind = RT_CT_INT, .size = 4, .align = 4, .style = RT_STYLE_CHAR
	};
	struct call c;

	begin(&c, &t_bool, &t_char);
	put_word(&c, 0, 1);
	put_word(&c, 1, '\n');
	finish(&c, " true '\\n'", "\"a\":true,\"b\":\"\\n\"");
	/* char32_t, Rust's char: no surrogate, nothing that a terminal obeys. */
	begin(&c, &unicode, &unicode);
	put_word(&c, 0, 0xe9);
	put_word(&c, 1, 0x1f980);
	finish(&c, " '\303\251' '\360\237\246\200'",
	       "\"a\":\"\303\251\",\"b\":\"\360\237\246\200\"");
	begin(&c, &unicode, &unicode);
	put_word(&c, 0, 0xd800);
	put_word(&c, 1, 0x9b);
	finish(&c, " 55296 '\\302\\233'", "\"a\":55296,\"b\":\"\\u009b\"");
	begin(&c, &t_color, &t_flags);
	put_word(&c, 0, (uint64_t)-1);
	put_word(&c, 1, 2 | 64 | 0x800);
	finish(&c, " BLUE O_RDWR|O_CREAT|0x800", "\"a\":\"BLUE\",\"b\":\"O_RDWR|O_CREAT|0x800\"");
	begin(&c, &t_color, &t_void_pointer);
	put_word(&c, 0, 7);
	finish(&c, " 7 NULL", "\"a\":7,\"b\":null");
	begin(&c, &t_int128, &t_function_pointer);
	put_word(&c, 0, 5);
	put_word(&c, 1, 1);
	put_word(&c, 2, 0xabc);
	finish(&c, " 0x10000000000000005 0xabc", "\"a\":\"0x10000000000000005\",\"b\":\"0xabc\"");
	begin(&c, &t_double, &t_mixed);
	put_word(&c, 0, (uint64_t)-9);
	finish(&c, " <in xmm0> {.a=-9, .b=<in xmm1>}",
	       "\"a\":\"<in xmm0>\",\"b\":{\"a\":-9, \"b\":\"<in xmm1>\"}");
}

static void test_floats(void)
{
	static const struct rt_member members[] = {
		{ .name = "f", .type = &t_float },
		{ .name = "d", .type = &t_double, .offset = 8 },
		{ .name = "l", .type = &t_long_double, .offset = 16 },
	};
	static const struct rt_ctype type = {
		.kind = RT_CT_STRUCT, .size = 32, .align = 16, .members = members, .nmembers = 3
	};
	static const uint8_t three[10] = {
		[7] = 0xc0, [8] = 0x00, [9] = 0xc0
	}; /* -3: 1.1 binary, exponent 1 */
	struct call c;
	float f = 0.1f;
	double d = 0.1;

	begin(&c, &type, NULL);
	put(&c, 0, &f, 4);
	memcpy(c.data + rt_plan_offset(&c.plan, 0) + 8, &d, 8);
	memcpy(c.data + rt_plan_offset(&c.plan, 0) + 16, three, 10);
	finish(&c, " {.f=0.1, .d=0.1, .l=-3}", "\"a\":{\"f\":0.1, \"d\":0.1, \"l\":-3}");
}

static void test_strings(void)
{
	struct call c;

	begin(&c, &t_string, &t_int);
	put_word(&c, 0, 0x1000);
	put_word(&c, 1, 5);
	put_text(&c, 2, "GET /");
	finish(&c, " \"GET /\" 5", "\"a\":\"GET /\",\"b\":5");
	begin(&c, &t_string, &t_int);
	finish(&c, " NULL 0", "\"a\":null,\"b\":0");
	begin(&c, &t_string, &t_int);
	put_word(&c, 0, 0x1000);
	c.values.faults = 1 << 2;
	finish(&c, " 0x1000<unreadable> 0", "\"a\":\"0x1000<unreadable>\",\"b\":0");
	begin(&c, &t_string, &t_int);
	put_word(&c, 0, 0x2000);
	c.values.faults = 1 << 2;
	finish(&c, " \"constant\" 0", "\"a\":\"constant\",\"b\":0");
	/* Pointer and length: all of it, a part, none, a negative number. */
	begin(&c, &t_text, NULL);
	put_word(&c, 0, 0x1000);
	put_word(&c, 1, 3);
	put(&c, 2, "a\0bcd", 5);
	finish(&c, " \"a\\000b\"", "\"a\":\"a\\u0000b\"");
	begin(&c, &t_text, NULL);
	put_word(&c, 0, 0x1000);
	put_word(&c, 1, 100);
	put(&c, 2, "0123456789abcdef", 16);
	finish(&c, " \"0123456789abcdef\"...", "\"a\":\"0123456789abcdef...\"");
	begin(&c, &t_text, NULL);
	c.values.faults = 1 << 2;
	finish(&c, " \"\"", "\"a\":\"\"");
	begin(&c, &t_text, NULL);
	put_word(&c, 1, (uint64_t)-5);
	finish(&c, " \"\"", "\"a\":\"\"");
}

/* Pointer and number of texts. */
static const struct rt_member texts_members[] = { { .name = "v", .type = &t_void_pointer },
						  { .name = "n", .type = &t_ulong, .offset = 8 } };
static const struct rt_ctype texts = {
	.kind = RT_CT_STRUCT,
	.size = 16,
	.align = 8,
	.members = texts_members,
	.nmembers = 2,
	.sequence = { .element = &t_text, .length = 8 },
};

static void begin_texts(struct call *c, uint64_t n)
{
	static const uint64_t elements[] = { 0x2000, 3, 0x3000, 0, 0x4000, 2, 0x5000, 100 };

	begin(c, &texts, NULL);
	CU_ASSERT_EQUAL_FATAL(c->plan.nvalues, 7);
	put_word(c, 0, 0x1000);
	put_word(c, 1, n);
	put(c, 2, elements, sizeof(elements));
	put(c, 3, "one", 3);
	put(c, 5, "ab", 2);
	put(c, 6, "0123456789abcdef", 16);
}

/*
 * Show the first elements of a list with their texts, and no more of them; nothing is read for an
 * element that does not exist.
 */
static void test_lists(void)
{
	struct call c;

	begin_texts(&c, 2);
	CU_ASSERT(c.plan.values[3].list == 3 && c.plan.values[3].least == 0);
	CU_ASSERT(c.plan.values[6].list == 3 && c.plan.values[6].least == 3);
	finish(&c, " [\"one\", \"\"]", "\"a\":[\"one\", \"\"]");
	begin_texts(&c, 5);
	finish(&c, " [\"one\", \"\", \"ab\", \"0123456789abcdef\"..., ...]",
	       "\"a\":[\"one\", \"\", \"ab\", \"0123456789abcdef...\", \"...\"]");
	begin_texts(&c, 1);
	c.values.faults = 1 << 3;
	finish(&c, " [0x2000<unreadable>]", "\"a\":[\"0x2000<unreadable>\"]");
	/* If the elements are not read, the address is shown; but an empty list is seen as such. */
	begin_room(&c, &texts, NULL, 24);
	put_word(&c, 0, 0x1000);
	put_word(&c, 1, 2);
	finish(&c, " 0x1000", "\"a\":\"0x1000\"");
	begin_room(&c, &texts, NULL, 24);
	finish(&c, " []", "\"a\":[]");
}

/* A string of libc++ with these bytes; what it leads to is "long". */
static void show_inside(bool high_bit, const void *bytes, uint64_t faults, const char *text,
			const char *json)
{
	const struct rt_ctype s = {
		.kind = RT_CT_STRUCT,
		.size = 24,
		.align = 8,
		.sequence = { .element = &t_char,
			      .length = 8,
			      .pointer = high_bit ? 0 : 16,
			      .is_long = high_bit ? 0x80 : 1,
			      .flag = high_bit ? 23 : 0,
			      .inside = high_bit ? 0 : 1 },
	};
	const struct rt_ctype reference = {
		.kind = RT_CT_REFERENCE, .size = 8, .align = 8, .target = &s
	};
	struct call c;

	begin(&c, &reference, NULL);
	put_word(&c, 0, 0x1000);
	put(&c, 1, bytes, 24);
	put(&c, 2, "long", 4);
	c.values.faults = faults;
	finish(&c, text, json);
}

/* In the object, elsewhere, and nothing put into it yet; in each layout. */
static void test_inside(void)
{
	static const uint64_t words[] = { 33, 3, 0x2000 },
			      high[] = { 0x2000, 3, UINT64_C(33) | UINT64_C(1) << 63 };

	show_inside(false, "\006a\0b\0cdefghijklmnopqrstuv", 1 << 2, " \"a\\000b\"",
		    "\"a\":\"a\\u0000b\"");
	show_inside(false, "\054abcdefghijklmnopqrstuv", 0, " \"abcdefghijklmnopqrstuv\"",
		    "\"a\":\"abcdefghijklmnopqrstuv\"");
	show_inside(false, "\056abcdefghijklmnopqrstuv", 0, " <unreadable>",
		    "\"a\":\"<unreadable>\"");
	show_inside(false, words, 0, " \"lon\"", "\"a\":\"lon\"");
	show_inside(false, words, 1 << 2, " 0x2000<unreadable>", "\"a\":\"0x2000<unreadable>\"");
	show_inside(true, "short\0and what was ther\005", 0, " \"short\"", "\"a\":\"short\"");
	show_inside(true, "twenty-two characters!\0\030", 0, " <unreadable>",
		    "\"a\":\"<unreadable>\"");
	show_inside(true, high, 0, " \"lon\"", "\"a\":\"lon\"");
}

static void test_structs(void)
{
	static const struct {
		int fd;
		unsigned flags;
		uint64_t path, next;
	} request = { 3, 2, 0x2000, 0x3000 };
	struct call c;

	begin(&c, &t_request_pointer, NULL);
	put_word(&c, 0, 0x1000);
	put(&c, 1, &request, sizeof(request));
	put_text(&c, 2, "/tmp");
	finish(&c, " {.fd=3, .flags=O_RDWR, .path=\"/tmp\", .next=0x3000}",
	       "\"a\":{\"fd\":3, \"flags\":\"O_RDWR\", \"path\":\"/tmp\", \"next\":\"0x3000\"}");
	begin(&c, &t_request_pointer, NULL);
	put_word(&c, 0, 0x1000);
	c.values.faults = 1 << 1;
	finish(&c, " 0x1000<unreadable>", "\"a\":\"0x1000<unreadable>\"");
	begin(&c, &t_bits, NULL);
	put_word(&c, 0, 0x5 | 17 << 3 | 0xe << 8);
	finish(&c, " {.a=5, .b=17, .c=-2}", "\"a\":{\"a\":5, \"b\":17, \"c\":-2}");
	/* A return or an entry of another plan's is printed as it was read. */
	begin(&c, &t_string, &t_int);
	c.shows.entry.plan = NULL;
	put_word(&c, 1, 4);
	put_text(&c, 2, "x");
	finish(&c, " 0 4 \"x\"", "\"arg0\":0,\"arg1\":4,\"arg2\":\"x\"");
}

/* A call of printf: its format, the words behind that, the texts that they lead to. */
static void is_printf(const struct rt_arch *arch, const char *format, const uint64_t words[5],
		      const char *const reached[5], const char *want)
{
	static const struct rt_limits limits = {
		.string = RT_LIMIT_STRING, .members = RT_LIMIT_MEMBERS, .deref = RT_LIMIT_DEREF,
		.record = RT_LIMIT_RECORD
	};
	struct rt_param param = { .name = "format", .type = &t_string };
	struct call c = { .types = rt_types_new() };
	const struct rt_showing *entry = &c.shows.entry;
	char line[256];
	unsigned i;

	c.prototype = (struct rt_prototype){ .origin = RT_ORIGIN_LIBRARY, .result = &t_void,
					     .params = &param, .nparams = 1, .variadic = true };
	CU_ASSERT_FATAL(rt_lower_entry(&c.prototype, NULL, arch, &limits, c.types, &c.plan,
				       &c.shows.entry, NULL) == 0);
	CU_ASSERT_EQUAL_FATAL(entry->varargs, 5);
	c.shows.entry.plan = &c.plan;
	c.values = (struct rt_values){ .plan = &c.plan, .data = c.data };
	for (i = 0; i < 6; i++) {
		const char *text = i ? reached[i - 1] : format;
		unsigned value = entry->v[i].follows[0].target.pieces[0].value;

		put_word(&c, entry->v[i].pieces[0].value, i ? words[i - 1] : 0x1000);
		if (text)
			put_text(&c, value, text);
		else
			c.values.faults |= UINT64_C(1) << value;
	}
	snprintf(line, sizeof(line), " \"%s\"%s", format, want);
	finish(&c, line, NULL);
}

static void test_printf(void)
{
	static const struct {
		const char *format;
		uint64_t words[5];
		const char *texts[5];
		const char *want;
	} rows[] = {
		{ "no conversion, 100%%", { 1 }, { NULL }, "" },
		{ "%d%u", { UINT64_MAX, UINT64_MAX }, { NULL }, " -1 4294967295" },
		{ "%hhd %hu %ld %llx %zo", { 255, 65537, UINT64_MAX, UINT64_MAX, 8 }, { NULL },
		  " -1 1 -1 0xffffffffffffffff 010" },
		{ "%s=%-8.3s|%c%p%p", { 1, 2, 'x', 0, 255 }, { "a", "bcd" },
		  " \"a\" \"bcd\" 'x' NULL 0xff" },
		{ "%s", { 0x2000 }, { NULL }, " \"constant\"" },
		{ "%s %ls", { 0x3000, 0x4000 }, { NULL, "wide" }, " 0x3000<unreadable> 0x4000" },
		{ "%*d %.*s %d", { 8, 7, 2, 3, 9 }, { NULL, NULL, NULL, "ab" },
		  " 8 7 2 \"ab\" 9" },
		{ "%f %s %5.1f%%%m", { 1 }, { "b" }, " <float> \"b\" <float>" },
		/* More than is read; by number; none of printf's; an end in the midst of one. */
		{ "%d%d%d%d%d%d", { 1, 2, 3, 4, 5 }, { NULL }, " 1 2 3 4 5 ..." },
		{ "%2$d %1$d", { 1, 2 }, { NULL }, " ..." },
		{ "%d %y %d", { 1, 2, 3 }, { NULL }, " 1 ..." },
		{ "%Lf %d", { 1 }, { NULL }, " ..." },
		{ "%d %-0", { 1 }, { NULL }, " 1 ..." },
	}, rows32[] = {
		/* 2.5 is two words of the stack. */
		{ "%d %f %s", { 1, 0, 0x40040000, 9 }, { NULL, NULL, NULL, "t" }, " 1 2.5 \"t\"" },
		{ "%lld %ld", { UINT32_MAX, UINT32_MAX, 7 }, { NULL }, " -1 7" },
		{ "%d%d%d%d%lld", { 1, 2, 3, 4, 5 }, { NULL }, " 1 2 3 4 ..." },
	};
	unsigned i;

	for (i = 0; i < RT_COUNT(rows); i++)
		is_printf(&rt_arch_x86_64, rows[i].format, rows[i].words, rows[i].texts,
			  rows[i].want);
	for (i = 0; i < RT_COUNT(rows32); i++)
		is_printf(&rt_arch_i386, rows32[i].format, rows32[i].words, rows32[i].texts,
			  rows32[i].want);
}

/* The values of a call that a recorder, or a format of another kind, gets. */
struct seen {
	enum rt_value_kind kinds[16];
	char names[16][8];
	unsigned n;
};

static void see(void *ctx, const struct rt_value *value)
{
	struct seen *seen = ctx;

	CU_ASSERT_FATAL(seen->n < 16);
	snprintf(seen->names[seen->n], sizeof(seen->names[0]), "%s",
		 value->name ? value->name : "");
	seen->kinds[seen->n++] = value->kind;
}

static void test_typed(void)
{
	static const enum rt_value_kind kinds[] = {
		RT_VALUE_STRUCT, RT_VALUE_NUMBER, RT_VALUE_WORD, RT_VALUE_TEXT, RT_VALUE_HEX,
		RT_VALUE_STRUCT,
	};
	static const char *const names[] = { "a", "fd", "flags", "path", "next", "" };
	const struct { int fd; int flags; uint64_t path, next; } request = { 3, 2, 0x2000, 0x3000 };
	struct seen seen = { .n = 0 };
	struct rt_trace typed = { .string = 0 };
	struct call c;
	unsigned i;

	begin(&c, &t_request_pointer, NULL);
	put_word(&c, 0, 0x1000);
	put(&c, 1, &request, sizeof(request));
	put_text(&c, 2, "/tmp");
	typed.shows = &c.shows;
	rt_values_of_entry(&typed, 1, 0, &c.values, see, &seen);
	CU_ASSERT_EQUAL_FATAL(seen.n, RT_COUNT(kinds));
	for (i = 0; i < seen.n; i++) {
		CU_ASSERT_EQUAL(seen.kinds[i], kinds[i]);
		RT_ASSERT_TEXT(seen.names[i], names[i]);
	}
	rt_types_free(c.types);
}

CU_TestInfo rt_tests_show[] = {
	{ "one typed value after the other", test_typed },
	{ "words", test_words },
	{ "floating point", test_floats },
	{ "strings", test_strings },
	{ "arguments of printf", test_printf },
	{ "lists of strings", test_lists },
	{ "strings in their objects", test_inside },
	{ "structures", test_structs },
	CU_TEST_INFO_NULL,
};
