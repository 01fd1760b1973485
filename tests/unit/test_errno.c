/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find errno by the code of C libraries; read it and show it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/errnos.h"
#include "code.h"
#include "emit/program.h"
#include "fetch/lower.h"
#include "golden.h"
#include "plan/errno_of.h"
#include "output/print.h"
#include "output/value.h"
#include "unit.h"
#include "base/array.h"

enum { PC = 0x27660 };

static void check_place(const struct code *code, const struct code_part *c)
{
	struct rt_errno_at at;
	char got[64] = "refused";

	if (code->arch->errno_at && code->arch->errno_at(c->bytes, c->size, PC, &at)) {
		if (at.in_slot)
			snprintf(got, sizeof(got), "slot 0x%llx", (unsigned long long)at.slot);
		else
			snprintf(got, sizeof(got), "offset %lld", (long long)at.offset);
	}
	code_check_text(code, c, got);
}

static void test_x86_64(void)
{
	code_each("errno.x86_64", check_place);
}

static void test_aarch64(void)
{
	code_each("errno.aarch64", check_place);
}

static void test_refused(void)
{
	struct rt_errno_at at;

	code_each("errno.i386", check_place);
	CU_ASSERT(!rt_arch_x86_64.errno_at((const uint8_t *)"", 0, PC, &at));
	CU_ASSERT(!rt_arch_aarch64.errno_at((const uint8_t *)"", 0, PC, &at));
}

static void test_names(void)
{
	CU_ASSERT_STRING_EQUAL(rt_errno_name(ENOENT), "ENOENT");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(EAGAIN), "EAGAIN");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(ECANCELED), "ECANCELED");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(133), "EHWPOISON");
	CU_ASSERT_EQUAL(rt_errno_number("ENOENT)", 6), ENOENT);
	CU_ASSERT_EQUAL(rt_errno_number("EWOULDBLOCK", 11), EWOULDBLOCK);
	CU_ASSERT_EQUAL(rt_errno_number("ENOTSUP", 7), ENOTSUP);
	CU_ASSERT(!rt_errno_number("ENO", 3) && !rt_errno_number("", 0));
	CU_ASSERT(!rt_errno_name(0) && !rt_errno_name(-2) && !rt_errno_name(41) &&
		  !rt_errno_name(134) && !rt_errno_name(INT64_MAX));
}

static void listing(const char *name, const struct rt_plan *plan)
{
	struct rt_bpf_program p = {
		.plan = plan,
		.pids = RT_PID(7),
		.key_source = RT_KEY_COOKIE,
		.read_user = true,
		.slots = 16384,
		.thread_pointer = 3128,
		.transport = RT_TRANSPORT_RINGBUF,
	};

	rt_golden_program(name, &p);
}

struct call {
	struct rt_spec spec;
	struct rt_types *types;
	struct rt_plan plan;
	struct rt_shows shows;
};

/* The return of a function with that prototype. */
static void lower(struct call *c, const char *text, enum rt_errno_source home)
{
	const struct rt_limits limits = {
		.string = 16,
		.members = RT_LIMIT_MEMBERS,
		.record = RT_LIMIT_RECORD,
		.errno_source = home,
		.errno_offset = -80,
	};
	const struct rt_prototype *prototype;
	struct rt_error err = { 0 };

	memset(c, 0, sizeof(*c));
	c->types = rt_types_new();
	CU_ASSERT_FATAL(rt_spec_parse(text, &rt_arch_x86_64, NULL, &c->spec, &err) == 0);
	CU_ASSERT_FATAL(rt_spec_prototype(&c->spec, NULL, c->types, NULL, &prototype, &err) == 0);
	CU_ASSERT(rt_lower_return(prototype, &c->spec, &rt_arch_x86_64, &limits, c->types, &c->plan,
				  &c->shows.exit, NULL) == 0);
	c->shows.exit.plan = &c->plan;
	CU_ASSERT(c->plan.nvalues == (home ? 2 : 1));
}

static void end(struct call *c)
{
	rt_types_free(c->types);
	rt_spec_free(&c->spec);
}

static void shown(struct call *c, int64_t result, int32_t number, uint32_t faults, const char *text,
		  const char *json)
{
	uint8_t data[24] = { 0 };
	const struct rt_values values = { .plan = &c->plan, .data = data, .faults = faults };
	char *got = NULL;
	size_t size;
	const struct rt_trace trace = { .shows = &c->shows };
	FILE *file = open_memstream(&got, &size);
	struct rt_line line;
	bool some = false;

	memcpy(data + rt_plan_offset(&c->plan, 0), &result, c->plan.values[0].size);
	if (c->plan.nvalues > 1)
		memcpy(data + rt_plan_offset(&c->plan, 1), &number, sizeof(number));
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

static void test_shown(void)
{
	struct call c;

	lower(&c, "int f(void) errno", RT_ERRNO_OFFSET);
	listing("errno-offset.bpf", &c.plan);
	shown(&c, -1, ENOENT, 0, "-1 ENOENT (No such file or directory)",
	      "\"result\":-1,\"errno\":\"ENOENT\"");
	shown(&c, -1, ENOENT, 2, "-1", "\"result\":-1");
	shown(&c, -1, 0, 0, "-1", NULL);
	shown(&c, -1, 4000, 0, "-1 errno 4000", "\"result\":-1,\"errno\":4000");
	shown(&c, 3, ENOENT, 0, "3", "\"result\":3");
	shown(&c, 0, ENOENT, 0, "0", NULL);
	end(&c);
	lower(&c, "hex long f(void) errno", RT_ERRNO_FROM_MAP);
	shown(&c, -1, EINVAL, 0, "0xffffffffffffffff EINVAL (Invalid argument)", NULL);
	shown(&c, 0xffffffff, EINVAL, 0, "0xffffffff", NULL);
	end(&c);
	lower(&c, "unsigned char f(void) errno", RT_ERRNO_NOT_ASKED);
	shown(&c, -1, 0, 0, "255", NULL);
	end(&c);
}

static void test_pointers(void)
{
	struct rt_plan teller = {
		.kind = RT_KIND_ENTRY, .role = RT_ROLE_ERRNO, .arch = &rt_arch_x86_64, .nvalues = 2,
		.values = {
			{ .base = RT_BASE_REG, .reg = rt_arch_x86_64.ip, .nderef = 1,
			  .deref = { 0x1000 }, .size = 8 },
			{ .base = RT_BASE_REG, .reg = rt_arch_x86_64.args[0], .size = 1 },
		},
	};
	struct call c;

	lower(&c, "void *f(void) errno", RT_ERRNO_FROM_MAP);
	listing("errno-told.bpf", &c.plan);
	listing("errno-teller.bpf", &teller);
	shown(&c, 0, ENOMEM, 0, "NULL ENOMEM (Cannot allocate memory)",
	      "\"result\":null,\"errno\":\"ENOMEM\"");
	shown(&c, -1, ENOMEM, 0, "0xffffffffffffffff ENOMEM (Cannot allocate memory)", NULL);
	shown(&c, 0x1000, ENOMEM, 0, "0x1000", NULL);
	end(&c);
}

CU_TestInfo rt_tests_errno[] = {
	{ "x86-64", test_x86_64 },
	{ "aarch64", test_aarch64 },
	{ "code that is not understood", test_refused },
	{ "names", test_names },
	{ "where a number says that it failed", test_shown },
	{ "where a pointer does; who tells where it is", test_pointers },
	CU_TEST_INFO_NULL,
};
