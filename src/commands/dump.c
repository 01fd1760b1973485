/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/calibrate.h"
#include "emit/definition.h"
#include "emit/saved.h"
#include "emit/shelf.h"
#include "lang/print.h"
#include "plan/place.h"
#include "plan/signature.h"
#include "stream/pending.h"
#include "stream/ring.h"

static const char *kind_name(const struct rt_sites *sites, unsigned probe)
{
	static const char *const ends[] = {
		[RT_BY_URETPROBE] = "return",
		[RT_BY_RETURN] = "return instruction",
		[RT_BY_JUMP] = "tail call",
		[RT_BY_BRANCH] = "conditional tail call",
	};
	const struct rt_plan *plan = &sites->plans[sites->v[probe].plan];

	return plan->kind == RT_KIND_ENTRY ? "entry" : ends[plan->end];
}

enum { SHOWN_THREAD_POINTER = 4096 };

static int dump_program(const struct rt_wanted *wanted, const struct rt_sites *sites, unsigned plan,
			enum rt_key_source source, unsigned key, const struct rt_options *o,
			FILE *file, struct rt_error *err)
{
	enum rt_key record_key = source == RT_KEY_POINTER ? RT_KEY_IP : RT_KEY_ID;
	const struct rt_ring_ops *ring = o->ring ? rt_ring_find(o->ring) : rt_ring_at(0);
	struct rt_bpf_program program = {
		.purpose = wanted->purpose,
		.plan = &sites->plans[plan],
		.plan_id = (uint16_t)plan,
		.pids = &o->pids,
		.key_source = source,
		.key = key,
		.read_user = true,
		.slots = RT_GAPS_SLOTS,
		.transport = ring->transport,
		.ring_size = (uint32_t)rt_ring_size(o->buffer, 1),
	};
	struct rt_bpf bpf;
	int r;

	/* Any place: where the kernel has it depends on the machine. */
	program.thread_pointer = SHOWN_THREAD_POINTER;
	/* As large as they are for one row: how many there are depends on the machine. */
	program.rows = 1;
	program.stride = (uint32_t)sites->functions.n * rt_cells_of(wanted->purpose);
	program.heads = RT_HEADS;
	program.saved_slots = RT_SAVED_SLOTS;
	program.limit = wanted->limit;
	program.filtered = rt_limit_any(&wanted->limit) && wanted->purpose == RT_PURPOSE_RECORD &&
			   rt_pending_pairs(sites->plans, sites->nplans);
	program.shelved = o->why && program.filtered &&
			  rt_pending_may(sites->plans, sites->nplans, record_key);
	if (program.shelved)
		program.heads = RT_SHELVES;
	else if (program.filtered && (wanted->limit.min_time || wanted->limit.ends) &&
		 rt_pending_may(sites->plans, sites->nplans, record_key))
		program.pending = rt_plans_record_size(
			sites->plans, sites->nplans, (struct rt_layout){ .key = record_key });
	if (source == RT_KEY_CONSTANT)
		program.function = rt_attach_owner(&sites->functions, &sites->v[key]);
	if (source == RT_KEY_CONSTANT && wanted->purpose != RT_PURPOSE_RECORD)
		program.key = sites->v[key].function;
	rt_bpf_init(&bpf);
	r = rt_bpf_program_emit(&program, &bpf, err);
	if (r == 0)
		r = rt_bpf_finish(&bpf, NULL, err);
	if (r == 0)
		rt_bpf_print(&bpf, file);
	rt_bpf_free(&bpf);
	return r;
}

static void print_probe(const struct rt_sites *sites, unsigned probe, FILE *file)
{
	const struct rt_function *f = &sites->functions.v[sites->v[probe].function];

	fprintf(file, "# probe %u: %s of %s, %s+0x%" PRIx64 "\n", probe, kind_name(sites, probe),
		f->name, rt_image_name(f->image),
		rt_attach_place(&sites->functions, &sites->v[probe]));
}

static int dump_bpf(const struct rt_wanted *wanted, const struct rt_sites *sites,
		    const struct rt_attach_ops *ops, const struct rt_options *o, FILE *file,
		    struct rt_error *err)
{
	bool one_each = ops == &rt_attach_pmu || ops == &rt_attach_event;
	enum rt_key_source source = one_each		    ? RT_KEY_CONSTANT
				    : ops->key == RT_KEY_IP ? RT_KEY_POINTER
							    : RT_KEY_COOKIE;
	unsigned i, plan;
	int r = 0;

	for (i = 0; i < sites->n && one_each && r == 0; i++) {
		print_probe(sites, i, file);
		r = dump_program(wanted, sites, sites->v[i].plan, source, i, o, file, err);
	}
	for (plan = 0; plan < sites->nplans && !one_each && r == 0; plan++) {
		for (i = 0; i < sites->n; i++)
			if (sites->v[i].plan == plan)
				print_probe(sites, i, file);
		r = dump_program(wanted, sites, plan, source, 0, o, file, err);
	}
	return r;
}

static int dump_tracefs(const struct rt_traced *traced, const struct rt_sites *sites, FILE *file,
			struct rt_error *err)
{
	char event[32], line[RT_DEFINITION_MAX];
	unsigned i;
	int r;

	for (i = 0; i < sites->n; i++) {
		const struct rt_function *f = &sites->functions.v[sites->v[i].function];
		bool left_out = rt_plan_is_uretprobe(&sites->plans[sites->v[i].plan]) &&
				f->image != rt_program_executable(&traced->program);
		const struct rt_definition d = {
			.group = "rawtrace",
			.event = event,
			.path = rt_image_name(f->image),
			.offset = rt_attach_place(&sites->functions, &sites->v[i]),
			.kind = sites->plans[sites->v[i].plan].kind,
			.at_exit = sites->plans[sites->v[i].plan].end != RT_BY_URETPROBE,
			.plan = &sites->plans[sites->v[i].plan],
			.with_id = true,
			.id = i,
		};

		if (left_out)
			continue;
		snprintf(event, sizeof(event), "plan%u", sites->v[i].plan);
		r = rt_definition_print(&d, line, err);
		if (r < 0)
			return r;
		fprintf(file, "%s\n", line);
	}
	return 0;
}

int rt_dump(const struct rt_options *o, FILE *file, struct rt_error *err)
{
	const struct rt_attach_ops *ops = o->attach ? rt_attach_find(o->attach) : rt_attach_at(0);
	struct rt_calibration calibration = { 0 };
	struct rt_wanted wanted;
	struct rt_traced traced;
	struct rt_sites sites;
	bool everywhere;
	int r;

	if (!ops)
		return rt_usage_words(err, "attach", "mechanism", o->attach, rt_attach_name);
	if (o->ring && !rt_ring_find(o->ring))
		return rt_usage_words(err, "ring", "ring", o->ring, rt_ring_name);
	if (o->dump == RT_DUMP_BPF && (!ops->bpf || o->no_bpf))
		return rt_usage(err, "--dump=bpf: %s uses no BPF",
				o->no_bpf ? "--no-bpf" : ops->name);
	everywhere = o->no_bpf || ops->everywhere;
	wanted = rt_options_wanted(o, everywhere || (o->returns && o->dump == RT_DUMP_TRACEFS));
	r = rt_sites_resolve(&wanted, &traced, &sites, o->program, &o->pids, o->specs, o->nspecs,
			     err);
	if (r == 0 && o->libcalls)
		r = rt_sites_add_libcalls(&wanted, &traced, &sites, o->libcalls, err);
	else if (r == 0 && !o->nspecs)
		r = rt_sites_add_own_functions(&wanted, &traced, &sites, err);
	if (r == 0)
		r = rt_sites_add_roots(&wanted, &traced, &sites, err);
	if (r == 0 && o->raw_names && rt_functions_raw_names(&sites.functions) < 0)
		r = rt_nomem(err);
	if (r == 0)
		r = rt_sites_make(&wanted, &traced, &sites,
				  rt_attach_plans(o->attach ? ops : NULL, o->no_bpf), err);
	if (r == 0 && !o->exact)
		r = rt_place_cheaply(&wanted, &traced, &sites, !o->no_bpf && ops->bpf, false,
				     &calibration, err);
	rt_calibration_end(&calibration);
	if (r == 0)
		r = o->dump == RT_DUMP_IR    ? (rt_dump_ir(&sites, file), 0)
		    : o->dump == RT_DUMP_BPF ? dump_bpf(&wanted, &sites, ops, o, file, err)
					     : dump_tracefs(&traced, &sites, file, err);
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}

/* --dump=ir: what is known of each function, and what is read and compared at its probes. */

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
	else if (f->type == RT_TYPE_STACK)
		fprintf(file, ":stack [%u bytes]", f->max);
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

	if (test->of_time)
		fprintf(file, " %s ns of the call ", joins[test->join]);
	else
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
