/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/emulation.h"
#include "arch/go_code.h"
#include "base/array.h"
#include "code/prologue.h"
#include "kernel/sys.h"
#include "process/memory.h"

static bool reads_memory(const struct rt_fetch *fetch)
{
	return fetch->nderef || fetch->base == RT_BASE_CONSTANT ||
	       fetch->type == RT_TYPE_STRING || fetch->type == RT_TYPE_BYTES;
}

/* The needs of the probes of function `f` at their place: entry plan and return. */
static struct rt_prologue_want wants(const struct rt_wanted *wanted, const struct rt_traced *traced,
				     const struct rt_sites *sites, uint32_t f,
				     const struct rt_plan *plan)
{
	/* Calls of goroutines are paired by rawtrace (session_attach.c). */
	bool pairs = rt_wanted_pairs_in_kernel(wanted) && !traced->goroutines;
	struct rt_prologue_want want = {
		.returns = sites->functions.v[f].how == RT_HOW_URETPROBE || pairs,
		.stack = plan->return_address,
	};
	const struct rt_arch *arch = plan->arch;
	unsigned i, k;

	/*
	 * The return looks for what was saved under the stack pointer that the function began with.
	 */
	want.returns |= plan->nsaved > 0;
	for (i = 0; i < plan->nvalues + plan->nsaved; i++) {
		const struct rt_fetch *fetch = i < plan->nvalues ? &plan->values[i]
								 : &plan->saved[i - plan->nvalues];

		want.memory |= reads_memory(fetch);
		if (fetch->base == RT_BASE_STACK) {
			want.stack = true;
			continue;
		}
		if (fetch->base == RT_BASE_THREAD || fetch->base == RT_BASE_SAVED)
			continue;
		for (k = 0; k < arch->nargs && arch->args[k].pt_regs != fetch->reg.pt_regs; k++)
			;
		want.arguments |= k < arch->nargs ? 1u << k : ~0u;
	}
	return want;
}

static void set_place(struct rt_function *f, const struct rt_prologue *p)
{
	f->skip = p->skip;
	f->sp_down = p->sp_down;
	f->form = (uint8_t)p->form;
	f->placed = p->why;
}

/* Set the kind of the instruction at the probe's place. */
static void set_form(struct rt_function *f)
{
	uint8_t bytes[16];
	size_t n = rt_image_read(f->image, f->addr + f->skip, bytes, sizeof(bytes));

	f->form = (uint8_t)rt_image_arch(f->image)->form(bytes, n);
}

struct placing {
	const struct rt_wanted *wanted;
	const struct rt_traced *traced;
	const struct rt_sites *sites;
	struct rt_decoder *decoder;
	uint32_t emulated;	/* as measured; 0: not measured */
	bool ask;		/* out: it would help to measure */
};

/*
 * Before it is measured: is this place cheap on every kernel, or at least no worse than the entry?
 */
static bool is_certain(const struct rt_function *f, const struct rt_prologue *p)
{
	uint8_t bytes[16];
	size_t n;

	if (RT_FORM_BIT(p->form) & RT_FORMS_NOPS)
		return false;
	n = rt_image_read(f->image, f->addr, bytes, sizeof(bytes));
	return !p->skip ||
	       (p->skip == 4 && rt_image_arch(f->image)->form(bytes, n) == RT_FORM_ENDBR);
}

/* The kernel's words may be of any register. */
static bool can_move(const struct rt_function *f)
{
	return !f->inside && !(f->refused && !f->behind) && f->role < RT_ROLE_ERRNO &&
	       !(f->spec && f->spec->nwords);
}

static struct rt_extent code_of(const struct rt_function *f)
{
	return (struct rt_extent){
		.image = f->image, .addr = f->addr, .size = f->size, .sized = f->sized
	};
}

static void place_one(struct placing *c, uint32_t i, const struct rt_plan *plan)
{
	struct rt_function *f = &c->sites->functions.v[i];
	struct rt_prologue_want want = wants(c->wanted, c->traced, c->sites, i, plan);
	const struct rt_extent code = code_of(f);
	struct rt_prologue p;

	if (f->go || !can_move(f)) {
		set_form(f);
		return;
	}
	want.emulated = c->emulated ? c->emulated : RT_FORMS_ASSUMED;
	if (c->traced->wrong_pushes)
		want.emulated &= ~(RT_FORM_BIT(RT_FORM_CALL) | RT_FORM_BIT(RT_FORM_PUSH));
	rt_prologue_find(&code, c->decoder, &want, &p);
	if (!c->emulated && !is_certain(f, &p)) {
		c->ask = true;
		want.mark_only = true;
		rt_prologue_find(&code, c->decoder, &want, &p);
	}
	/* Without a cheaper place, take the first one that can be probed. */
	if (f->refused && !p.skip)
		set_form(f);
	else
		set_place(f, &p);
}

/* Neither the kernel nor a BPF program emulates its instruction, and programs emulate others. */
static bool is_stepped(const struct rt_function *f, uint32_t emulated)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	struct rt_emulation emulation;
	uint8_t bytes[16];
	size_t n;

	if (!arch->emulation || ((emulated | RT_FORMS_ASSUMED) & RT_FORM_BIT(f->form)))
		return false;
	n = rt_image_read(f->image, f->addr + f->skip, bytes, sizeof(bytes));
	return !arch->emulation(bytes, n, &emulation);
}

/* To where the frame is made: Go has checked that the stack has room for it. */
static void place_go(struct rt_function *f, const struct rt_prologue_want *want)
{
	uint8_t bytes[RT_GO_FRAME_MAX];
	int32_t sp_down;
	uint32_t past;
	size_t n;

	if (want->returns || want->stack)
		return;
	n = rt_image_read(f->image, f->addr + f->skip, bytes, sizeof(bytes));
	past = rt_image_arch(f->image)->go_code->past_frame(bytes, n, &sp_down);
	if (!past || f->skip + past >= f->size)
		return;
	f->skip += past;
	f->sp_down = sp_down;
	f->placed = "past what Go can begin anew, and what the kernel single-steps";
	set_form(f);
}

static void place_for_programs(struct placing *c, uint32_t i, const struct rt_plan *plan)
{
	struct rt_function *f = &c->sites->functions.v[i];
	struct rt_prologue_want want = wants(c->wanted, c->traced, c->sites, i, plan);
	const struct rt_extent code = code_of(f);
	struct rt_prologue p;

	if (!can_move(f) || !is_stepped(f, c->emulated))
		return;
	if (f->go) {
		place_go(f, &want);
		return;
	}
	want.emulated = c->emulated | RT_FORMS_ASSUMED;
	want.programs = true;
	rt_prologue_find(&code, c->decoder, &want, &p);
	if (p.skip)
		set_place(f, &p);
}

static void place_all(struct placing *c,
		      void (*place)(struct placing *c, uint32_t i, const struct rt_plan *plan))
{
	const struct rt_sites *sites = c->sites;
	unsigned i;

	c->decoder = rt_decoder_open(rt_image_arch(rt_program_executable(&c->traced->program)));
	for (i = 0; i < sites->n; i++)
		if (sites->plans[sites->v[i].plan].kind == RT_KIND_ENTRY)
			place(c, sites->v[i].function, &sites->plans[sites->v[i].plan]);
	rt_decoder_close(c->decoder);
}

/* ---- what comes from elsewhere in the file ---- */

static int compare_windows(const void *a, const void *b)
{
	const struct rt_window *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

void rt_place_at_entry(struct rt_function *f, const char *why)
{
	/* There it cannot be; no_entries says so. */
	f->skip = 0;
	f->sp_down = 0;
	set_form(f);
	f->placed = why;
}

/*
 * Something may come to the probe, but not by the entry.  So it goes back to the entry; if that
 * must not be probed, first to the nearest place behind it (true).
 */
static bool go_back(struct rt_function *f)
{
	bool nearer = f->behind && f->skip > f->behind;

	if (!nearer) {
		rt_place_at_entry(f, "something in the file refers to between the entry and the "
				     "next cheaper instruction");
		return false;
	}
	f->skip = f->behind;
	f->sp_down = 0;
	set_form(f);
	f->placed = "past what must not be probed";
	return true;
}

/* In the first bytes of functions, up to where a probe may be.  Go's are proven otherwise. */
static int find_targets(const struct rt_sites *sites, const struct rt_image *image, bool placed,
			struct rt_window *v, struct rt_targets *targets)
{
	size_t i, n = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];
		uint64_t most = f->size <= RT_PROLOGUE_MOST ? f->size - 1 : RT_PROLOGUE_MOST;

		if (f->image == image && f->size > 1 && !f->go && (f->skip || !placed))
			v[n++] = (struct rt_window){ .first = f->addr + 1, .last = f->addr + most };
	}
	qsort(v, n, sizeof(*v), compare_windows);
	return rt_branches_find(image, v, n, targets);
}

/* True: some were moved to where it is not known yet. */
static bool check_windows(const struct rt_sites *sites, const struct rt_image *image,
			  const struct rt_targets *targets, struct rt_window *v)
{
	bool moved = false;
	size_t i, n = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->image == image && f->skip && !f->go)
			v[n++] = (struct rt_window){ .first = f->addr + 1,
						     .last = f->addr + f->skip,
						     .owner = i };
	}
	rt_branches_enter(targets, v, n);
	for (i = 0; i < n; i++)
		if (v[i].entered)
			moved |= go_back(&sites->functions.v[v[i].owner]);
	return moved;
}

void rt_place_free(struct rt_places *places)
{
	size_t i;

	for (i = 0; i < places->n; i++)
		free(places->v[i].v);
	free(places->v);
	*places = (struct rt_places){ .n = 0 };
}

static int begin(const struct rt_traced *traced, struct rt_sites *sites, bool placed,
		 struct rt_error *err)
{
	struct rt_places *p = &sites->places;
	struct rt_window *v;
	int r = 0;

	if (!rt_image_arch(rt_program_executable(&traced->program))->form ||
	    (p->v && p->n == traced->program.n && p->functions == sites->functions.n))
		return 0;
	rt_place_free(p);
	v = calloc(sites->functions.n + 1, sizeof(*v));
	p->v = calloc(traced->program.n + 1, sizeof(*p->v));
	p->functions = sites->functions.n;
	while (v && p->v && p->n < traced->program.n && r == 0) {
		r = find_targets(sites, traced->program.v[p->n], placed, v, &p->v[p->n]);
		p->n++;
	}
	free(v);
	return v && p->v && r == 0 ? 0 : rt_nomem(err);
}

int rt_place_begin(const struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err)
{
	return begin(traced, sites, false, err);
}

bool rt_place_first(const struct rt_wanted *wanted, const struct rt_traced *traced,
		    const struct rt_sites *sites)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&traced->program));
	struct placing c = { .wanted = wanted, .traced = traced, .sites = sites };

	if (!arch->form)
		return false;
	place_all(&c, place_one);
	return c.ask;
}

void rt_place_measured(const struct rt_wanted *wanted, const struct rt_traced *traced,
		       const struct rt_sites *sites, uint32_t emulated)
{
	struct placing c = {
		.wanted = wanted, .traced = traced, .sites = sites, .emulated = emulated
	};

	place_all(&c, place_one);
}

bool rt_place_is_stepped(const struct rt_sites *sites, uint32_t emulated)
{
	unsigned i;

	for (i = 0; i < sites->n; i++) {
		const struct rt_function *f = &sites->functions.v[sites->v[i].function];

		if (sites->plans[sites->v[i].plan].kind == RT_KIND_ENTRY && is_stepped(f, emulated))
			return true;
	}
	return false;
}

void rt_place_for_programs(const struct rt_wanted *wanted, const struct rt_traced *traced,
			   const struct rt_sites *sites, uint32_t emulated)
{
	struct placing c = {
		.wanted = wanted, .traced = traced, .sites = sites, .emulated = emulated
	};

	place_all(&c, place_for_programs);
}

int rt_place_check_files(const struct rt_traced *traced, struct rt_sites *sites,
			 struct rt_error *err)
{
	int r = begin(traced, sites, true, err);
	struct rt_window *v = NULL;
	size_t i;

	if (r == 0) {
		v = calloc(sites->functions.n + 1, sizeof(*v));
		r = v ? 0 : rt_nomem(err);
	}
	for (i = 0; i < sites->places.n && r == 0; i++)
		while (check_windows(sites, traced->program.v[i], &sites->places.v[i], v))
			;
	free(v);
	rt_place_free(&sites->places);
	return r;
}

void rt_place_exact(const struct rt_traced *traced, const struct rt_sites *sites)
{
	size_t i;

	for (i = 0;
	     i < sites->functions.n && rt_image_arch(rt_program_executable(&traced->program))->form;
	     i++)
		set_form(&sites->functions.v[i]);
}

/* ---- what is said ---- */

static void print_one(const struct rt_function *f, FILE *file)
{
	char place[32] = "its entry";

	if (f->skip)
		snprintf(place, sizeof(place), "+%u", (unsigned)f->skip);
	fprintf(file, "rawtrace: %s: probed at %s, on %s: %s\n", f->name, place,
		rt_form_name((enum rt_form)f->form), f->placed);
}

/* The functions that share a reason, which is one static text. */
struct shared {
	const char *why;
	bool behind;
	size_t n;
};

static void print_reasons(const struct rt_sites *sites, FILE *file)
{
	struct shared *v = NULL;
	size_t i, k, n = 0, cap = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (!f->placed)
			continue;
		for (k = 0; k < n && v[k].why != f->placed; k++)
			;
		if (k == n) {
			if (RT_ROOM(&v, n, &cap) < 0)
				break;
			v[n++] = (struct shared){ .why = f->placed, .behind = f->skip != 0 };
		}
		v[k].n++;
	}
	for (k = 0; k < n; k++)
		fprintf(file, "rawtrace: functions probed %s: %zu: %s\n",
			v[k].behind ? "behind their entry" : "at their entry", v[k].n, v[k].why);
	free(v);
}

void rt_place_print(const struct rt_sites *sites, FILE *file)
{
	size_t i;

	if (sites->functions.n > RT_VERBOSE_FUNCTIONS) {
		print_reasons(sites, file);
		return;
	}
	for (i = 0; i < sites->functions.n; i++)
		if (sites->functions.v[i].placed && !sites->functions.v[i].hidden)
			print_one(&sites->functions.v[i], file);
}

/*
 * Probes that cannot be where they were planned: the process has changed its code, or the kernel
 * refuses an instruction.
 */

/* ---- what the process itself has changed ---- */

/* The bytes of the instruction at a place, or more where that is not known. */
static size_t insn_size(enum rt_form form, uint8_t first)
{
	switch (form) {
	case RT_FORM_PUSH: case RT_FORM_NOP:
		return 1;
	case RT_FORM_RET:
		return first == 0xc3 ? 1 : 3;
	case RT_FORM_PUSH_REX: case RT_FORM_NOP16:
		return 2;
	case RT_FORM_ENDBR:
		return 4;
	case RT_FORM_NOP5: case RT_FORM_CALL:
		return 5;
	case RT_FORM_NOP10:
		return 10;
	case RT_FORM_JMP: case RT_FORM_JCC:
		return first == 0xe9 ? 5 : first == 0x0f ? 6 : 2;
	default:
		return 15;
	}
}

static bool is_same(const struct rt_memory *memory, const struct rt_function *f)
{
	uint8_t bytes[16];
	size_t n = rt_image_read(f->image, f->addr + f->skip, bytes, sizeof(bytes));
	size_t want = n ? insn_size(rt_image_arch(f->image)->form(bytes, n), bytes[0]) : 0;

	return rt_memory_same(memory, f->image, f->addr, f->skip + (want < n ? want : n));
}

/* Is all code of a function as in its file, in which its exits were found? */
static bool is_whole(const struct rt_memory *memory, const struct rt_function *f)
{
	enum { STEP = 128 };
	uint64_t at;
	size_t i;

	for (at = 0; at < f->size; at += STEP)
		if (!rt_memory_same(memory, f->image, f->addr + at,
				    f->size - at < STEP ? (size_t)(f->size - at) : STEP))
			return false;
	for (i = 0; i < f->exits.n; i++)
		if (!rt_memory_same(memory, f->image, f->exits.v[i].place.addr,
				    f->exits.v[i].place.size))
			return false;
	return true;
}

/* Without the probes on exits of functions that the process has changed. */
static void check_exits(struct rt_sites *sites, const struct rt_memory *memory)
{
	unsigned i, n = 0;
	size_t k;

	for (k = 0; k < sites->functions.n; k++) {
		struct rt_function *f = &sites->functions.v[k];

		if (f->how != RT_HOW_INSN ||
		    (memory && (is_whole(memory, f) || !rt_memory_has(memory, f->image))))
			continue;
		f->how = RT_HOW_NONE;
		f->why_not = memory ? "the process has its code changed in memory"
				    : "the process's code in memory cannot be read";
		sites->returns[k] = false;
	}
	for (i = 0; i < sites->n; i++)
		if (!rt_sites_exit(sites, &sites->v[i]) ||
		    sites->functions.v[sites->v[i].function].how == RT_HOW_INSN)
			sites->v[n++] = sites->v[i];
	sites->n = n;
}

/* Without the functions of which `bad` says so. */
static void drop_probes(struct rt_sites *sites, const bool *bad)
{
	unsigned i, n = 0;
	size_t k;

	for (k = 0; k < sites->functions.n; k++)
		sites->functions.v[k].left_out |= bad[k];
	for (i = 0; i < sites->n; i++)
		if (!bad[sites->v[i].function])
			sites->v[n++] = sites->v[i];
	sites->n = n;
}

/*
 * `why` no call of the bad ones is seen: a remark beside the others, or an error where nothing is
 * left.
 */
static int note_dropped(struct rt_sites *sites, const bool *bad, const char *why,
			struct rt_error *err)
{
	size_t i, n = 0, first = 0;
	char *note, more[32] = "";

	for (i = sites->functions.n; i-- > 0;)
		if (bad[i]) {
			first = i;
			n++;
		}
	if (!n)
		return 0;
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	if (asprintf(&note, "%s%s%s%s: not traced: %s",
		     sites->dropped && n < sites->functions.n ? sites->dropped : "",
		     sites->dropped && n < sites->functions.n ? "; " : "",
		     sites->functions.v[first].name, more, why) < 0)
		return rt_nomem(err);
	if (n == sites->functions.n) {
		rt_fail(err, -ENOTSUP, "%s", note);
		free(note);
		return -ENOTSUP;
	}
	free(sites->dropped);
	sites->dropped = note;
	return 0;
}

int rt_place_no_entries(struct rt_sites *sites, bool exact, struct rt_error *err)
{
	bool *bad = calloc(sites->functions.n, sizeof(*bad));
	const char *why = NULL;
	size_t i;
	int r;

	if (!bad)
		return rt_nomem(err);
	for (i = sites->functions.n; i-- > 0;) {
		const struct rt_function *f = &sites->functions.v[i];

		bad[i] = f->refused && !f->tail && (f->go || !f->skip || (exact && !f->hidden));
		why = bad[i] ? f->refused : why;
	}
	drop_probes(sites, bad);
	r = note_dropped(sites, bad, why, err);
	free(bad);
	return r;
}

/* Those of which `bad` says so already are left alone. */
static void check_process(struct rt_sites *sites, pid_t pid, bool *bad)
{
	struct rt_memory *memory = rt_memory_open(pid);
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		struct rt_function *f = &sites->functions.v[i];

		/* A library that comes later, or a program that a child runs, is as its file is. */
		if (bad[i] || (memory && !rt_memory_has(memory, f->image)))
			continue;
		if (f->skip && !(memory && is_same(memory, f)))
			rt_place_at_entry(f,
					  memory ? "the process has its beginning changed in memory"
						 : "the process's code in memory cannot be read");
		bad[i] = memory && !is_same(memory, f);
	}
	check_exits(sites, memory);
	rt_memory_close(memory);
}

int rt_place_check(const struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err)
{
	bool *bad;
	unsigned i;
	int r;

	if (!rt_image_arch(rt_program_executable(&traced->program))->form)
		return 0;
	bad = calloc(sites->functions.n, sizeof(*bad));
	if (!bad)
		return rt_nomem(err);
	for (i = 0; i < traced->pids.n; i++)
		check_process(sites, traced->pids.v[i], bad);
	drop_probes(sites, bad);
	r = note_dropped(
		sites, bad,
		"the process has other code there than its file", err);
	free(bad);
	return r;
}

int rt_place_leave_out(struct rt_sites *sites, const bool *bad, struct rt_error *err)
{
	const char *why = "this kernel cannot probe the instruction that it begins with";
	size_t i;

	for (i = 0; i < sites->functions.n; i++)
		if (bad[i] && sites->functions.v[i].how == RT_HOW_INSN)
			why = "this kernel cannot probe its first instruction, or an exit";
	drop_probes(sites, bad);
	return note_dropped(sites, bad, why, err);
}

/*
 * Does the kernel emulate a push of its own at the address?  Calls always, a push of a register
 * from 4.16 on.
 */
static bool is_wrong_push(const struct rt_function *f, uint64_t addr)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	uint8_t bytes[16];
	size_t n = rt_image_read(f->image, addr, bytes, sizeof(bytes));

	return arch->pushes && arch->pushes(bytes, n) &&
	       (arch->form(bytes, n) != RT_FORM_PUSH || rt_kernel_version() >= RT_KERNEL(4, 15));
}

int rt_place_leave_out_pushes(struct rt_sites *sites, struct rt_error *err)
{
	static const char why[] = "this kernel corrupts 32-bit programs that are probed at a call "
				  "or a push, with which it begins";
	bool *bad = calloc(sites->functions.n, sizeof(*bad)), some = false;
	const struct rt_function *named = NULL;
	size_t i, k;
	int r;

	for (i = 0; bad && i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		bad[i] = is_wrong_push(f, f->addr + f->skip);
		for (k = 0; k < f->exits.n && f->how == RT_HOW_INSN; k++)
			bad[i] |= is_wrong_push(f, f->exits.v[k].place.addr);
		some |= !bad[i] && !f->hidden;
		if (bad[i] && f->named)
			named = f;
	}
	if (!bad)
		return rt_nomem(err);
	drop_probes(sites, bad);
	/* Users do not know of hooks, so no remark names them while a traced function is left. */
	for (i = 0; i < sites->functions.n; i++)
		if (sites->functions.v[i].hidden)
			bad[i] = !some;
	r = named ? rt_fail(err, -ENOTSUP, "%s: not traced: %s", named->name, why)
		  : note_dropped(sites, bad, why, err);
	free(bad);
	return r;
}

static void lost_exit(const struct rt_sites *sites, uint32_t function)
{
	struct rt_function *f = &sites->functions.v[function];

	f->how = RT_HOW_NONE;
	f->why_not = "this kernel put no probe on one of its exits, and did not say so";
	sites->returns[function] = false;
}

/*
 * Set `bad` for each function without a probe in the process; returns one of these that the user
 * named, or NULL.
 */
static const struct rt_function *verify_process(const struct rt_sites *sites, pid_t pid, bool *bad)
{
	struct rt_memory *memory = rt_memory_open(pid);
	const struct rt_function *named = NULL;
	const struct rt_exit *exit;
	unsigned i;

	for (i = 0; memory && i < sites->n; i++) {
		const struct rt_function *f = &sites->functions.v[sites->v[i].function];

		if (f->role)
			continue;
		/* A call is not known to be over if its end may be missed. */
		exit = rt_sites_exit(sites, &sites->v[i]);
		if (exit && rt_memory_probed(memory, f->image, exit->place.addr) == 0)
			lost_exit(sites, sites->v[i].function);
		/* Its return's is at the same place. */
		if (f->tail || (i && sites->v[i - 1].function == sites->v[i].function))
			continue;
		if (rt_memory_probed(memory, f->image, f->addr + f->skip) != 0)
			continue;
		bad[sites->v[i].function] = true;
		if (f->named)
			named = f;
	}
	rt_memory_close(memory);
	return named;
}

void rt_place_set_emulated(struct rt_sites *sites, const bool *emulated)
{
	unsigned i;

	for (i = 0; emulated && i < sites->n; i++) {
		struct rt_function *f = &sites->functions.v[sites->v[i].function];

		if (!emulated[i])
			continue;
		if (sites->v[i].kind == RT_SITE_EXIT)
			f->exits.v[sites->v[i].exit].place.form = RT_FORM_EMULATED;
		else
			f->form = RT_FORM_EMULATED;
	}
}

int rt_place_verify(struct rt_sites *sites, const struct rt_pids *pids, struct rt_error *err)
{
	static const char why[] =
		"this kernel cannot probe the instruction that it begins with, and did not say so";
	bool *bad = calloc(sites->functions.n, sizeof(*bad));
	const struct rt_function *named = NULL;
	unsigned i;
	int r;

	for (i = 0; bad && i < pids->n && !named; i++)
		named = verify_process(sites, pids->v[i], bad);
	if (named)
		r = rt_fail(err, -ENOTSUP, "%s: not traced: %s", named->name, why);
	else
		r = bad ? note_dropped(sites, bad, why, err) : rt_nomem(err);
	free(bad);
	return r;
}
