/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "golden.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

bool rt_golden(const char *name, const char *text)
{
	char path[PATH_MAX], want[65536];
	bool update = getenv("RT_GOLDEN_UPDATE") != NULL;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), RT_GOLDEN_DIR "/%s", name);
	file = fopen(path, update ? "w" : "r");
	if (!file) {
		printf("%s: cannot be opened\n", path);
		return false;
	}
	if (update) {
		fputs(text, file);
		fclose(file);
		return true;
	}
	n = fread(want, 1, sizeof(want) - 1, file);
	want[n] = '\0';
	fclose(file);
	return rt_same_text(text, want);
}

void rt_golden_bpf(const char *name, struct rt_bpf *bpf)
{
	struct rt_error err;
	char *text = NULL;
	size_t size;
	FILE *file;

	CU_ASSERT_FATAL(rt_bpf_finish(bpf, NULL, &err) == 0);
	file = open_memstream(&text, &size);
	rt_bpf_print(bpf, file);
	fclose(file);
	CU_ASSERT(rt_golden(name, text));
	free(text);
}

void rt_golden_program(const char *name, const struct rt_bpf_program *program)
{
	struct rt_error err;
	struct rt_bpf bpf;

	rt_bpf_init(&bpf);
	CU_ASSERT_FATAL(rt_bpf_program_emit(program, &bpf, &err) == 0);
	rt_golden_bpf(name, &bpf);
	rt_bpf_free(&bpf);
}

void rt_golden_plan_entry(const struct rt_arch *arch, struct rt_plan *plan)
{
	CU_ASSERT_FATAL(rt_plan_c_entry(arch, 2, plan) == 0);
	plan->return_address = true;
}

void rt_golden_plan_return(const struct rt_arch *arch, struct rt_plan *plan)
{
	rt_plan_c_return(arch, plan);
}

void rt_golden_plan_memory(const struct rt_arch *arch, struct rt_plan *plan)
{
	static const struct rt_fetch values[] = {
		{ .base = RT_BASE_STACK, .offset = 16, .type = RT_TYPE_INT, .size = 2 },
		{ .base = RT_BASE_REG,
		  .nderef = 1,
		  .deref = { -8 },
		  .type = RT_TYPE_INT,
		  .size = 1,
		  .is_signed = true },
		{ .base = RT_BASE_REG,
		  .nderef = 2,
		  .deref = { 8, 24 },
		  .type = RT_TYPE_INT,
		  .size = 8 },
		{ .base = RT_BASE_STACK,
		  .offset = 8,
		  .nderef = 1,
		  .deref = { 4 },
		  .type = RT_TYPE_INT,
		  .size = 4 },
		{ .base = RT_BASE_REG, .type = RT_TYPE_STRING, .max = 16 },
		{ .base = RT_BASE_REG,
		  .nderef = 1,
		  .deref = { 16 },
		  .type = RT_TYPE_STRING,
		  .max = 8 },
		{ .base = RT_BASE_REG, .type = RT_TYPE_INT, .size = 1 },
	};
	unsigned i;

	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->arch = arch;
	plan->nvalues = sizeof(values) / sizeof(*values);
	for (i = 0; i < plan->nvalues; i++) {
		plan->values[i] = values[i];
		if (values[i].base == RT_BASE_REG)
			plan->values[i].reg =
				arch->nargs ? arch->args[i % arch->nargs] : arch->result;
	}
}
