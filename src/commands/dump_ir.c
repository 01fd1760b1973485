/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump=ir: what is known of each function, and what is read and compared at its probes. */
#include <inttypes.h>

#include "commands/dump_ir.h"
#include "plan/signature.h"
#include "lang/print.h"

/* In the notation of the kernel's own words, with what it has none for in brackets. */
static void print_fetch(FILE *file, const struct rt_fetch *f)
{
	unsigned i;

	for (i = f->nderef; i-- > 0;)
		fprintf(file, "%+d(", (int)f->deref[i]);
	if (f->base == RT_BASE_STACK)
		fprintf(file, "%+d(%%sp)", (int)f->offset);
	else if (f->base == RT_BASE_THREAD)
		fputs("[thread pointer]", file);
	else if (f->base == RT_BASE_CONSTANT)
		fprintf(file, "\\0x%" PRIx64, f->constant);
	else if (f->base == RT_BASE_COMM)
		fputs("$comm", file);
	else if (f->base == RT_BASE_SAVED)
		fprintf(file, "kept%d", (int)f->offset);
	else
		fprintf(file, "%%%s", f->reg.tracefs);
	if (f->index_size)
		fprintf(file, "[+%%%s<<%u]", f->index.tracefs, f->index_shift);
	for (i = 0; i < f->nderef; i++)
		putc(')', file);
	if (f->if_failed)
		fprintf(file, "%s if value %u is -1%s",
			f->from_map ? " [as far from it as the process has reported]" : "",
			f->if_failed - 1u, f->null_fails ? " or 0" : "");
	if (f->type == RT_TYPE_STRING)
		fprintf(file, ":string [%u bytes]", f->max);
	else if (f->type == RT_TYPE_INT)
		fprintf(file, ":%c%u", f->is_signed ? 's' : 'u', f->size * 8u);
	else if (f->length)
		fprintf(file, " [%u bytes for each that value %u counts, %u at most]", f->element,
			f->length - 1u, f->max);
	else
		fprintf(file, " [%u bytes]", f->max);
}

static void print_test(FILE *file, const struct rt_test *test)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&", "^=" };
	static const char *const joins[] = { "   only if", "       and", "        or" };

	fprintf(file, " %s value %u ", joins[test->join], test->value);
	if (test->bits)
		fprintf(file, "[%u bits from %u] ", test->bits, test->bit);
	fprintf(file, "%s ", ops[test->op]);
	if (test->string)
		fprintf(file, "\"%s\"\n", test->string);
	else if (test->is_signed)
		fprintf(file, "%" PRId64 "\n", (int64_t)test->constant);
	else
		fprintf(file, "%" PRIu64 "\n", test->constant);
}

static void print_show(FILE *file, const struct rt_show *show)
{
	unsigned k;

	fputs("    shows ", file);
	rt_ctype_print(file, show->type, show->name);
	if (show->mark)
		fprintf(file, ": %s", show->mark);
	for (k = 0; k < show->npieces; k++) {
		if (show->pieces[k].value == RT_NO_VALUE)
			fprintf(file, "%s %s", k ? "," : ":",
				show->pieces[k].mark ? show->pieces[k].mark : "nothing");
		else
			fprintf(file, "%s value %u", k ? "," : ":", show->pieces[k].value);
	}
	for (k = 0; k < show->nfollows; k++)
		if (show->follows[k].target.npieces)
			fprintf(file, "; what its byte %u leads to: value %u",
				show->follows[k].offset, show->follows[k].target.pieces[0].value);
	putc('\n', file);
}

static void print_plan(FILE *file, const struct rt_plan *plan, unsigned number,
		       const struct rt_showing *shown)
{
	unsigned i;

	fprintf(file, "  %s, plan %u\n", plan->kind == RT_KIND_ENTRY ? "entry" : "return", number);
	for (i = 0; i < plan->nvalues; i++) {
		fprintf(file, "    value %u: ", i);
		print_fetch(file, &plan->values[i]);
		putc('\n', file);
	}
	for (i = 0; i < plan->nsaved && plan->kind == RT_KIND_ENTRY; i++) {
		fprintf(file, "    kept%u: ", i);
		print_fetch(file, &plan->saved[i]);
		putc('\n', file);
	}
	for (i = 0; i < plan->ntests; i++)
		print_test(file, &plan->tests[i]);
	for (i = 0; shown->plan && i < shown->n; i++)
		print_show(file, &shown->v[i]);
	if (shown->plan && shown->none)
		fputs("    shows that there is no result\n", file);
}

static void print_function(const struct rt_sites *sites, uint32_t i, FILE *file)
{
	const struct rt_function *f = &sites->functions.v[i];
	const struct rt_prototype *p = i < sites->nprototypes ? &sites->prototypes[i] : NULL;

	fprintf(file, "%s of %s+0x%" PRIx64 ": ", f->name, rt_image_name(f->image),
		rt_function_place(f));
	if (p && p->origin != RT_ORIGIN_NONE) {
		rt_prototype_print(file, p, f->name);
		fprintf(file, ", by %s\n", rt_origin_name(p->origin));
	} else {
		fprintf(file, "arguments as ints: %u\n", f->nargs);
	}
}

void rt_dump_ir(const struct rt_sites *sites, FILE *file)
{
	uint32_t last = UINT32_MAX;
	unsigned i;

	for (i = 0; i < sites->n; i++) {
		uint32_t f = sites->v[i].function;
		const struct rt_plan *plan = &sites->plans[sites->v[i].plan];

		if (f != last)
			print_function(sites, f, file);
		last = f;
		print_plan(file, plan, sites->v[i].plan,
			   plan->kind == RT_KIND_ENTRY ? &sites->shows[f].entry
						       : &sites->shows[f].exit);
	}
}
