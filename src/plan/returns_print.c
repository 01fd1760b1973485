/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/returns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Not where what stands for a return is a jump or a call, which kernels emulate. */
static bool is_stepped(const struct rt_exit *e)
{
	return e->kind == RT_EXIT_RETURN && e->place.addr == e->at.addr && e->at.form != RT_FORM_JMP && e->at.form != RT_FORM_CALL;
}

size_t rt_returns_stepped(const struct rt_target *t, size_t *all)
{
	size_t i, k, n = 0, stepped = 0;

	for (i = 0; i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		for (k = 0; k < f->exits.n && f->how == RT_HOW_INSN && !f->role; k++, n++)
			stepped += is_stepped(&f->exits.v[k]) && rt_image_arch(f->image)->form;
	}
	if (all)
		*all = n;
	return stepped;
}

static void print_cost(const struct rt_target *t, const struct rt_trap_costs *c, FILE *file)
{
	size_t all, n = rt_returns_stepped(t, &all);

	if (!n)
		return;
	if (!c->return_ns || !c->push_ns)
		fprintf(file, "rawtrace: %zu of %zu probes that see returns stand on a return, which kernels single-step: that takes some times as "
			"long as an entry\n", n, all);
	else
		fprintf(file, "rawtrace: %zu of %zu probes that see returns stand on a return, which this kernel %s: %.1f us each here, on push %.1f us\n",
			n, all, c->return_stepped ? "single-steps" : "emulates", c->return_ns / 1e3, c->push_ns / 1e3);
}

const char *rt_returns_why(const struct rt_function *f, char *buf, size_t size)
{
	bool both;

	switch (f->how) {
	case RT_HOW_URETPROBE:
		snprintf(buf, size, "uretprobe: %s", f->how_why);
		break;
	case RT_HOW_INSN:
		snprintf(buf, size, "insn (%zu place%s): %s%s", f->exits.n, f->exits.n == 1 ? "" : "s",
			 f->harmful ? "a uretprobe could harm the program: " : "", f->how_why);
		break;
	case RT_HOW_NONE:
		both = f->why_not && (!f->how_why || strcmp(f->why_not, f->how_why) != 0);
		snprintf(buf, size, "none: %s%s%s", f->how_why ? f->how_why : "", both ? "; nor at its instructions: " : "",
			 both ? f->why_not : "");
		break;
	}
	return buf;
}

struct shared {
	const struct rt_function *f;
	size_t n;
};

static bool is_shared(const struct rt_function *a, const struct rt_function *b)
{
	return a->how == b->how && a->how_why == b->how_why && a->why_not == b->why_not;
}

static void print_reasons(const struct rt_target *t, FILE *file)
{
	static const char *const names[] = { [RT_HOW_NONE] = "none", [RT_HOW_URETPROBE] = "uretprobe", [RT_HOW_INSN] = "insn" };
	struct shared *v = NULL;
	size_t i, k, n = 0, cap = 0;

	for (i = 0; i < t->functions.n; i++) {
		if (t->functions.v[i].hidden)
			continue;
		for (k = 0; k < n && !is_shared(v[k].f, &t->functions.v[i]); k++)
			;
		if (k == n) {
			if (RT_ROOM(&v, n, &cap) < 0)
				break;
			v[n++] = (struct shared){ .f = &t->functions.v[i] };
		}
		v[k].n++;
	}
	for (k = 0; k < n; k++)
		fprintf(file, "rawtrace: returns of %zu function%s: %s: %s%s%s\n", v[k].n, v[k].n == 1 ? "" : "s", names[v[k].f->how],
			v[k].f->how_why ? v[k].f->how_why : "", v[k].f->why_not ? "; nor at its instructions: " : "",
			v[k].f->why_not ? v[k].f->why_not : "");
	free(v);
}

static void print_watched(const struct rt_target *t, FILE *file)
{
	const char *before = "rawtrace: watched: ";
	size_t i;

	for (i = 0; i < t->functions.n; i++) {
		if (!t->functions.v[i].role || t->functions.v[i].role == RT_ROLE_ERRNO || t->functions.v[i].role == RT_ROLE_LANDED)
			continue;
		fprintf(file, "%s%s", before, t->functions.v[i].name);
		before = ", ";
	}
	if (before[0] == ',')
		fputs(": they tell what leaves calls without a return, and of other stacks\n", file);
}

void rt_returns_print(const struct rt_target *t, const struct rt_trap_costs *costs, FILE *file)
{
	char why[1024];
	size_t i;

	if (t->purpose == RT_PURPOSE_COUNT)
		return;
	print_watched(t, file);
	print_cost(t, costs, file);
	if (t->functions.n > RT_TOLD_EACH) {
		print_reasons(t, file);
		return;
	}
	for (i = 0; i < t->functions.n; i++)
		if (!t->functions.v[i].hidden)
			fprintf(file, "rawtrace: %s: returns: %s\n", t->functions.v[i].name,
			rt_returns_why(&t->functions.v[i], why, sizeof(why)));
}
