/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where errno is, by the code of C libraries; what reads it, and how it is shown. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/program.h"
#include "fetch/lower.h"
#include "golden.h"
#include "code/errno_at.h"
#include "output/print.h"
#include "output/value.h"
#include "unit.h"
#include "base/array.h"

enum { PC = 0x27660 };

#define FS0 "\x04\x25\0\0\0\0"

static bool decode(const struct rt_arch *arch, const char *code, size_t n, struct rt_errno_at *at)
{
	return arch->errno_at && arch->errno_at((const uint8_t *)code, n, PC, at);
}

#define DECODE(arch, code, at) decode(arch, code, sizeof(code) - 1, at)

static void offset_is(const struct rt_arch *arch, const char *code, size_t n, int64_t offset)
{
	struct rt_errno_at at;

	if (!decode(arch, code, n, &at)) {
		CU_FAIL("not understood");
		return;
	}
	CU_ASSERT(!at.in_slot);
	CU_ASSERT_EQUAL(at.offset, offset);
}

#define OFFSET_IS(arch, code, offset) offset_is(arch, code, sizeof(code) - 1, offset)

static void test_x86_64(void)
{
	const struct rt_arch *x86 = &rt_arch_x86_64;
	struct rt_errno_at at;

	/* glibc 2.36: mov 0x1ab779(%rip),%rax; add %fs:0,%rax; ret */
	CU_ASSERT(DECODE(x86, "\x48\x8b\x05\x79\xb7\x1a\0\x64\x48\x03" FS0 "\xc3", &at) && at.in_slot && at.slot == 0x1d2de0);
	/* with endbr64, and the other way round */
	CU_ASSERT(DECODE(x86, "\xf3\x0f\x1e\xfa\x64\x48\x8b" FS0 "\x48\x03\x05\x10\0\0\0\xc3", &at) && at.in_slot && at.slot == PC + 20 + 0x10);
	/* static glibc: mov $-80,%rax; add %fs:0,%rax */
	OFFSET_IS(x86, "\x48\xc7\xc0\xb0\xff\xff\xff\x64\x48\x03" FS0 "\xc3", -80);
	/* musl: mov %fs:0,%rax; add $0x34,%rax; and other ways to add */
	OFFSET_IS(x86, "\x64\x48\x8b" FS0 "\x48\x83\xc0\x34\xc3", 0x34);
	OFFSET_IS(x86, "\x64\x48\x8b" FS0 "\x48\x05\x34\x12\0\0\xc3", 0x1234);
	OFFSET_IS(x86, "\x64\x48\x8b" FS0 "\x48\x8d\x40\xc0\xc3", -64);
	OFFSET_IS(x86, "\x64\x48\x8b" FS0 "\x48\x8d\x80\0\xff\xff\xff\xc3", -256);
}

static void test_aarch64(void)
{
	const struct rt_arch *arm = &rt_arch_aarch64;
	struct rt_errno_at at;

	/* glibc 2.36: adrp x0,PC + 0x178 pages; ldr x0,[x0,#3520]; mrs x1,tpidr_el0; add x0,x1,x0; ret */
	CU_ASSERT(DECODE(arm, "\xc0\x0b\0\x90\0\xe0\x46\xf9\x41\xd0\x3b\xd5\x20\0\0\x8b\xc0\x03\x5f\xd6", &at) && at.in_slot &&
		  at.slot == 0x19fdc0);
	/* static: movz x0,#0,lsl #16; movk x0,#0x28; mrs; add; ret */
	OFFSET_IS(arm, "\0\0\xa0\xd2\0\x05\x80\xf2\x41\xd0\x3b\xd5\x20\0\0\x8b\xc0\x03\x5f\xd6", 0x28);
	/* musl: mrs x0,tpidr_el0; sub x0,x0,#0xa4; ret; and with bti c and two additions */
	OFFSET_IS(arm, "\x40\xd0\x3b\xd5\0\x90\x02\xd1\xc0\x03\x5f\xd6", -0xa4);
	OFFSET_IS(arm, "\x5f\x24\x03\xd5\x40\xd0\x3b\xd5\0\x04\x40\x91\0\x40\0\x91\xc0\x03\x5f\xd6", 0x1010);
}

/* Nothing is made of what is not understood whole. */
static void test_refused(void)
{
	const struct rt_arch *x86 = &rt_arch_x86_64, *arm = &rt_arch_aarch64;
	struct rt_errno_at at;

	CU_ASSERT(!DECODE(x86, "", &at) && !DECODE(arm, "", &at));
	CU_ASSERT(!DECODE(x86, "\xc3", &at));
	/* the thread pointer itself, twice, or none; cut; a call; too far */
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b" FS0 "\xc3", &at));
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b" FS0 "\x64\x48\x03" FS0 "\xc3", &at));
	CU_ASSERT(!DECODE(x86, "\x48\xc7\xc0\xb0\xff\xff\xff\xc3", &at));
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b" FS0 "\x48\x83\xc0\x34", &at));
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b" FS0 "\x48\x83\xc0", &at));
	CU_ASSERT(!DECODE(x86, "\xe8\0\0\0\0\xc3", &at));
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b" FS0 "\x48\x05\0\0\0\x40\xc3", &at));
	/* another segment's place; a slot and a number */
	CU_ASSERT(!DECODE(x86, "\x64\x48\x8b\x04\x25\x08\0\0\0\x48\x83\xc0\x34\xc3", &at));
	CU_ASSERT(!DECODE(x86, "\x48\x8b\x05\x79\xb7\x1a\0\x64\x48\x03" FS0 "\x48\x83\xc0\x34\xc3", &at));
	/* ldr from what is no number; without the thread pointer */
	CU_ASSERT(!DECODE(arm, "\x40\xd0\x3b\xd5\0\xe0\x46\xf9\xc0\x03\x5f\xd6", &at));
	CU_ASSERT(!DECODE(arm, "\xc0\x0b\0\x90\0\xe0\x46\xf9\xc0\x03\x5f\xd6", &at));
	CU_ASSERT(!DECODE(&rt_arch_i386, "\x65\xa1\0\0\0\0\x05\xe0\xff\xff\xff\xc3", &at));
}

static void test_names(void)
{
	CU_ASSERT_STRING_EQUAL(rt_errno_name(ENOENT), "ENOENT");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(EAGAIN), "EAGAIN");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(ECANCELED), "ECANCELED");
	CU_ASSERT_STRING_EQUAL(rt_errno_name(133), "EHWPOISON");
	CU_ASSERT(!rt_errno_name(0) && !rt_errno_name(-2) && !rt_errno_name(41) && !rt_errno_name(134) && !rt_errno_name(INT64_MAX));
}

static void listing(const char *name, const struct rt_plan *plan)
{
	struct rt_bpf_program p = {
		.plan = plan, .pids = RT_PID(7), .key_source = RT_KEY_COOKIE, .read_user = true, .slots = 16384, .thread_pointer = 3128,
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
		.string = 16, .members = RT_LIMIT_MEMBERS, .record = RT_LIMIT_RECORD, .errno_source = home, .errno_offset = -80,
	};
	const struct rt_prototype *prototype;
	struct rt_error err = { 0 };

	memset(c, 0, sizeof(*c));
	c->types = rt_types_new();
	CU_ASSERT_FATAL(rt_spec_parse(text, &rt_arch_x86_64, NULL, &c->spec, &err) == 0);
	CU_ASSERT_FATAL(rt_spec_prototype(&c->spec, NULL, c->types, NULL, &prototype, &err) == 0);
	CU_ASSERT(rt_lower_return(prototype, &c->spec, &rt_arch_x86_64, &limits, c->types, &c->plan, &c->shows.exit) == 0);
	c->shows.exit.plan = &c->plan;
	CU_ASSERT(c->plan.nvalues == (home ? 2 : 1));
}

static void end(struct call *c)
{
	rt_types_free(c->types);
	rt_spec_free(&c->spec);
}

static void shown(struct call *c, int64_t result, int32_t number, uint32_t faults, const char *text, const char *json)
{
	uint8_t data[24] = { 0 };
	const struct rt_values values = { .plan = &c->plan, .data = data, .faults = faults };
	char *got = NULL;
	size_t size;
	const struct rt_trace trace = { .shows = &c->shows };
	struct rt_sink out = { .file = open_memstream(&got, &size), .trace = &trace };
	bool some = false;

	memcpy(data + rt_plan_offset(&c->plan, 0), &result, c->plan.values[0].size);
	if (c->plan.nvalues > 1)
		memcpy(data + rt_plan_offset(&c->plan, 1), &number, sizeof(number));
	rt_result_print(&out, 1, 0, &values);
	fflush(out.file);
	RT_ASSERT_TEXT(got, text);
	rewind(out.file);
	rt_result_json(&out, 1, 0, &values, &some);
	fputc('\0', out.file);
	fclose(out.file);
	if (json)
		RT_ASSERT_TEXT(got, json);
	free(got);
}

static void test_shown(void)
{
	struct call c;

	lower(&c, "int f(void) errno", RT_ERRNO_OFFSET);
	listing("errno-offset.bpf", &c.plan);
	shown(&c, -1, ENOENT, 0, "-1 ENOENT (No such file or directory)", "\"result\":-1,\"errno\":\"ENOENT\"");
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
			{ .base = RT_BASE_REG, .reg = rt_arch_x86_64.ip, .nderef = 1, .deref = { 0x1000 }, .size = 8 },
			{ .base = RT_BASE_REG, .reg = rt_arch_x86_64.args[0], .size = 1 },
		},
	};
	struct call c;

	lower(&c, "void *f(void) errno", RT_ERRNO_FROM_MAP);
	listing("errno-told.bpf", &c.plan);
	listing("errno-teller.bpf", &teller);
	shown(&c, 0, ENOMEM, 0, "NULL ENOMEM (Cannot allocate memory)", "\"result\":null,\"errno\":\"ENOMEM\"");
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
