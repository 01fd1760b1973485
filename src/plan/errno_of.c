/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errno is read in the kernel at the return, while it still has the call's value. Its distance from
 * the thread pointer is in the code of __errno_location. For glibc it is in a slot that the loader
 * fills when the process begins, because it depends on which files have thread variables, and how
 * large these are. So a program on __libc_early_init stores that number in a map of one element:
 * this function runs before all other code of the process, and once more after each exec. A second
 * C library (dlmopen) makes the distance unknown.
 */
#include "plan/errno_of.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/memory.h"

enum { CODE = 64 };

int rt_errno_find(struct rt_image *image, struct rt_errno_at *at)
{
	const struct rt_arch *arch = rt_image_arch(image);
	const struct rt_symbol *v;
	uint8_t code[CODE];
	size_t i, n, got;

	if (rt_image_symbols(image, &v, &n, NULL) < 0)
		return -ENOENT;
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC && strcmp(v[i].name, "__errno_location") == 0)
			break;
	if (i == n)
		return -ENOENT;
	got = rt_image_read(image, v[i].addr, code, v[i].size < CODE ? (size_t)v[i].size : CODE);
	if (!arch->errno_at || !arch->errno_at(code, got, v[i].addr, at))
		return -ENOTSUP;
	at->code = v[i].addr;
	return 0;
}

/*
 * The loader calls the first before any other code of the process, with `true` (with `false` for a
 * second C library, by dlmopen); glibc has it since 2.32.  The second is called by the program,
 * when constructors of libraries have run.
 */
static const struct {
	const char *name;
	/* its first argument tells whether it is the process's own */
	bool initial;
} before_all[] = {
	{ "__libc_early_init", true }, { "__libc_start_main", false },
};

static bool is_wanted(const struct rt_wanted *wanted, const struct rt_sites *sites)
{
	size_t i;

	for (i = 0; i < sites->nprototypes && i < sites->functions.n; i++)
		if (sites->prototypes[i].sets_errno && sites->returns[i])
			return wanted->purpose == RT_PURPOSE_RECORD;
	return false;
}

static void not_read(struct rt_traced *traced, const char *why, const char *name)
{
	traced->errno_source = RT_ERRNO_NOT_KNOWN;
	snprintf(traced->errno_why, sizeof(traced->errno_why), why, name);
}

/* Which of the process's files has it: the first, as a second one hands on the first one's. */
static bool find(struct rt_traced *traced)
{
	size_t i;
	int r;

	for (i = 0; i < traced->program.n; i++) {
		r = rt_errno_find(traced->program.v[i], &traced->errno_at);
		traced->errno_image = traced->program.v[i];
		if (r == -ENOTSUP && rt_image_arch(traced->errno_image)->word < 8)
			not_read(traced, "%s is of a 32-bit program",
				 rt_image_name(traced->errno_image));
		else if (r == -ENOTSUP)
			not_read(traced, "the code of __errno_location in %s is not understood",
				 rt_image_name(traced->program.v[i]));
		if (r != -ENOENT)
			return r == 0;
	}
	not_read(traced, "%s and its libraries have no __errno_location",
		 rt_image_name(rt_program_executable(&traced->program)));
	return false;
}

/*
 * Hook the function that runs before all others.  If the user traces it too, there are two probes
 * at one place; nothing is recorded of this one.
 */
static int add_teller(const struct rt_traced *traced, struct rt_sites *sites)
{
	const struct rt_symbol *v;
	size_t i, k, n;

	if (rt_image_symbols(traced->errno_image, &v, &n, NULL) < 0)
		n = 0;
	for (k = 0; k < RT_COUNT(before_all); k++)
		for (i = 0; i < n; i++)
			if (v[i].kind == RT_SYM_FUNC && strcmp(v[i].name, before_all[k].name) == 0)
				return rt_functions_add_hidden(&sites->functions,
							       traced->errno_image, &v[i],
							       RT_ROLE_ERRNO);
	return 0;
}

int rt_errno_prepare(const struct rt_wanted *wanted, struct rt_traced *traced,
		     struct rt_sites *sites, struct rt_error *err)
{
	int r;

	if (!is_wanted(wanted, sites) || traced->errno_source != RT_ERRNO_NOT_ASKED)
		return 0;
	if (wanted->everywhere)
		not_read(traced, "%s cannot read it", wanted->all ? "-a" : "tracefs");
	else if (find(traced))
		traced->errno_source =
			traced->errno_at.in_slot ? RT_ERRNO_FROM_MAP : RT_ERRNO_OFFSET;
	if (traced->errno_source == RT_ERRNO_NOT_KNOWN)
		return 0;
	if (traced->errno_source == RT_ERRNO_OFFSET)
		return 1;
	r = add_teller(traced, sites);
	if (r < 0)
		return rt_nomem(err);
	if (r == 0)
		not_read(traced, "%s has no function that reads its address early",
			 rt_image_name(traced->errno_image));
	return r;
}

bool rt_errno_is_read(const struct rt_traced *traced, const struct rt_sites *sites)
{
	return (traced->errno_source == RT_ERRNO_OFFSET ||
		traced->errno_source == RT_ERRNO_FROM_MAP) &&
	       !traced->no_thread_pointer[0] && !sites->limits.no_saved;
}

static const char *why_not(const struct rt_traced *traced)
{
	return traced->no_thread_pointer[0] ? traced->no_thread_pointer
	       : traced->errno_why[0]	    ? traced->errno_why
					    : "this kernel cannot";
}

int rt_errno_check(const struct rt_traced *traced, const struct rt_sites *sites,
		   struct rt_error *err)
{
	size_t i;

	if (traced->errno_source == RT_ERRNO_NOT_ASKED || rt_errno_is_read(traced, sites))
		return 0;
	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_spec *spec = sites->functions.v[i].spec;

		if (spec && rt_spec_condition(spec, RT_OF_ERRNO))
			return rt_usage(err, "'%s': errno is not read: %s", spec->text,
					why_not(traced));
	}
	return 0;
}

int rt_errno_plan(const struct rt_traced *traced, const struct rt_function *f, struct rt_plan *plan)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	int64_t distance = (int64_t)(traced->errno_at.slot - f->addr);

	if (distance > INT32_MAX || distance < INT32_MIN)
		return -ERANGE;
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->role = RT_ROLE_ERRNO;
	plan->arch = arch;
	plan->nvalues = 1;
	plan->values[0] = (struct rt_fetch){ .base = RT_BASE_REG,
					     .reg = arch->ip,
					     .nderef = 1,
					     .deref = { (int32_t)distance },
					     .size = 8 };
	if (strcmp(f->name, before_all[0].name) == 0)
		plan->values[plan->nvalues++] = (struct rt_fetch){ .base = RT_BASE_REG,
								   .reg = arch->args[0],
								   .size = 1 };
	return 0;
}

static uint64_t read_of(const struct rt_traced *traced, pid_t pid)
{
	struct rt_memory *memory = rt_memory_open(pid);
	uint64_t word = 0;

	if (memory && rt_memory_word(memory, traced->errno_image, traced->errno_at.code,
				     traced->errno_at.slot, &word) < 0)
		word = 0;
	rt_memory_close(memory);
	return word;
}

int64_t rt_errno_read(const struct rt_traced *traced)
{
	uint64_t word = 0, other;
	unsigned i;

	for (i = 0; i < traced->pids.n && traced->errno_source == RT_ERRNO_FROM_MAP; i++) {
		other = read_of(traced, traced->pids.v[i]);
		if (!other || (i && other != word))
			return 0;
		word = other;
	}
	return (int64_t)word;
}

void rt_errno_print(const struct rt_traced *traced, const struct rt_sites *sites, FILE *file)
{
	if (traced->errno_source == RT_ERRNO_NOT_ASKED)
		return;
	if (!rt_errno_is_read(traced, sites))
		fprintf(file, "rawtrace: errno is not read: %s\n", why_not(traced));
	else if (traced->errno_source == RT_ERRNO_OFFSET)
		fprintf(file, "rawtrace: errno is at the thread pointer %+" PRId64 ", by %s\n",
			traced->errno_at.offset, rt_image_name(traced->errno_image));
	else
		fprintf(file,
			"rawtrace: errno is at the thread pointer plus what %s+0x%" PRIx64
			" has in the process\n",
			rt_image_name(traced->errno_image), traced->errno_at.slot);
}
