/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "emit/definition.h"
#include "golden.h"
#include "unit.h"

static struct rt_definition make(const struct rt_plan *plan)
{
	return (struct rt_definition){
		.group = "rawtrace_7",
		.event = "plan1",
		.path = "/proc/self/fd/5",
		.offset = 0x1139,
		.kind = plan->kind,
		.plan = plan,
		.with_id = true,
		.id = 9,
	};
}

static void check_arch(const struct rt_arch *arch)
{
	struct rt_definition d;
	char line[RT_DEFINITION_MAX], text[3 * RT_DEFINITION_MAX] = "", name[64];
	struct rt_plan plan;
	struct rt_error err;

	rt_golden_plan_entry(arch, &plan);
	d = make(&plan);
	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	strcat(strcat(text, line), "\n");
	rt_golden_plan_return(arch, &plan);
	d = make(&plan);
	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	strcat(strcat(text, line), "\n");
	rt_golden_plan_memory(arch, &plan);
	d = make(&plan);
	if (arch->word == 8) {
		CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
		strcat(strcat(text, line), "\n");
	} else {
		/* tracefs follows pointers of its own width only. */
		CU_ASSERT(rt_definition_print(&d, line, &err) == -EOPNOTSUPP);
	}
	snprintf(name, sizeof(name), "%s.tracefs", arch->name);
	CU_ASSERT(rt_golden(name, text));
}

static void test_architectures(void)
{
	unsigned i;

	for (i = 0; rt_arch_at(i); i++)
		check_arch(rt_arch_at(i));
}

static void test_bare(void)
{
	struct rt_definition d = {
		.group = "rawtrace_7",
		.event = "plan0",
		.path = "/proc/self/fd/5",
		.offset = 0xff000001139,
		.kind = RT_KIND_RETURN,
	};
	char line[RT_DEFINITION_MAX];
	struct rt_error err;

	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	RT_ASSERT_TEXT(line, "r:rawtrace_7/plan0 /proc/self/fd/5:0xff000001139");
}

static void test_semaphore(void)
{
	struct rt_definition d = {
		.group = "rawtrace_7",
		.event = "plan0",
		.path = "/proc/self/fd/5",
		.offset = 0x1139,
		.semaphore = 0x3028,
	};
	char line[RT_DEFINITION_MAX];
	struct rt_error err;

	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	RT_ASSERT_TEXT(line, "p:rawtrace_7/plan0 /proc/self/fd/5:0x1139(0x3028)");
}

static void test_thread_pointer(void)
{
	struct rt_plan plan = {
		.kind = RT_KIND_ENTRY,
		.arch = &rt_arch_x86_64,
		.nvalues = 1,
		.values = { { .base = RT_BASE_THREAD, .nderef = 1, .size = 4 } },
	};
	struct rt_definition d = make(&plan);
	char line[RT_DEFINITION_MAX];
	struct rt_error err;

	CU_ASSERT(rt_definition_print(&d, line, &err) == -EOPNOTSUPP);
}

/* The kernel cuts neither: it refuses the line, or takes a wrong name. */
static void test_limits(void)
{
	char path[RT_DEFINITION_MAX], event[65], line[RT_DEFINITION_MAX];
	struct rt_definition d = { .group = "g", .event = event, .path = path };
	struct rt_error err;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	strcpy(event, "e");
	CU_ASSERT(rt_definition_print(&d, line, &err) == -EOPNOTSUPP);
	strcpy(path, "/x");
	memset(event, 'e', 64);
	event[64] = '\0';
	CU_ASSERT(rt_definition_print(&d, line, &err) == -ENAMETOOLONG);
	event[63] = '\0';
	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
}

CU_TestInfo rt_tests_emit_tracefs[] = {
	{ "golden definitions of every architecture", test_architectures },
	{ "a definition without values", test_bare },
	{ "a semaphore", test_semaphore },
	{ "what only BPF reads", test_thread_pointer },
	{ "limits", test_limits },
	CU_TEST_INFO_NULL,
};
