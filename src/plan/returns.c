/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice between uretprobe, exit probes and entry alone, for each function.
 *
 * A uretprobe is cheap, but puts the kernel's trampoline in the place of the return address.  The
 * C++ unwinder aborts on it; longjmp and coroutines skip it, and the kernel then returns to wrong
 * callers; __builtin_return_address shows it; and the kernel has 64 of them a thread.
 * Exit probes harm nothing, but need all exits, and a probe on a return is single-stepped
 * (attach/calibrate.c measures the cost).
 *
 * Order: a uretprobe if no reason is known against it (safety/, reads_own_return_address(),
 * can_recurse_deep()); else exit probes if code/exits.c finds all exits; else the entry alone.
 * `rawtrace -v` prints the choice and its reason.
 *
 * Example: "insn (3 places): uretprobe unsafe: prog is C++: imports __cxa_throw".
 *
 * Limit: reasons are looked for function by function up to ASKED functions, as each takes 40 us.
 *
 * Leaves of C++ programs get exit probes too. They call nothing that unwinds, but a signal may come
 * at any instruction: a crash reporter's or a profiler's backtrace() in its handler ends at the
 * trampoline (4 frames of 8 in a test), and so does the unwinding of asynchronous cancellation:
 * destructors of callers do not run. Of Debian 12's 90 C++ programs in /usr/bin, 14 import neither
 * sigaction() nor dlopen(): groff's and other short runs. From Linux 6.19 on exit probes cost no
 * more (emit/emulation.h).
 */
#include "plan/returns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/image.h"
#include "plan/callees.h"
#include "plan/plans.h"
#include "plan/tails.h"
#include "safety/recursion.h"
#include "safety/switches.h"
#include "symbols/demangle.h"

/*
 * A thousand functions take 40 ms, so with more than ASKED of them recursion and return addresses
 * are not examined.  LOOKED_AT: callees examined for all functions together.
 */
enum { ASKED = 1000, LOOKED_AT = 4096, LOOKED_AT_MOST = 256 };

/* Which images' code was opened: exits are asked for file by file. */
struct codes {
	struct rt_code **v;
	const struct rt_program *program;
};

static struct rt_code *code_of(struct codes *codes, const struct rt_image *image)
{
	size_t i;

	for (i = 0; i < codes->program->n; i++) {
		if (codes->program->v[i] != image)
			continue;
		if (!codes->v[i])
			codes->v[i] = rt_code_open(codes->program->v[i]);
		return codes->v[i];
	}
	return NULL;
}

static void close_codes(struct codes *codes)
{
	size_t i;

	for (i = 0; i < codes->program->n; i++)
		rt_code_close(codes->v[i]);
	free(codes->v);
}

/*
 * Put each exit probe on the cheaper place, if there is one: no kernel handles it more slowly than
 * a return.
 */
static void place_exits(const struct rt_wanted *wanted, struct rt_function *f)
{
	size_t i;

	for (i = 0; i < f->exits.n; i++) {
		struct rt_exit *e = &f->exits.v[i];
		const struct rt_exit_place *at =
			e->cheaper.addr && !f->role &&
					!(e->cheaper.sp_down && rt_wanted_pairs_in_kernel(wanted))
				? &e->cheaper
				: &e->at;

		e->place = *at;
		if (rt_image_offset(f->image, at->addr, &e->offset) < 0)
			f->exits.why = "its code is not whole in the file";
	}
}

/* A call of Go is distinguished by its goroutine or not at all. */
static bool is_lost(const struct rt_traced *traced, const struct rt_function *f)
{
	struct rt_fetch record;

	return f->go && traced->no_thread_pointer[0] &&
	       !rt_plans_goroutine(traced, f, RT_KIND_RETURN, &record);
}

/* The exits of a function, found when they are first needed.  Why they cannot be used, or NULL. */
static const char *exits_of(struct codes *codes, struct rt_function *f, bool *nomem)
{
	struct rt_code *code;

	if (f->no_exits)
		return f->no_exits;
	if (f->exits_known)
		return f->exits.why;
	if (!f->sized)
		return "its size is not known";
	code = code_of(codes, f->image);
	if (!code || (f->role ? rt_exits_find_unwinder : rt_exits_find)(code, f->addr, f->size,
									&f->exits) < 0) {
		*nomem = true;
		return "out of memory";
	}
	f->exits_known = true;
	return f->exits.why;
}

/* A time cannot end at a jump that may not be one. */
static bool is_unclear(const struct rt_wanted *wanted, const struct rt_function *f)
{
	size_t i;

	for (i = 0; i < f->exits.n && wanted->purpose == RT_PURPOSE_TIME; i++)
		if (f->exits.v[i].kind == RT_EXIT_MAYBE)
			return true;
	return false;
}

/* Why a uretprobe could harm, or NULL. */
static const char *harm_of(const struct rt_wanted *wanted, const struct rt_traced *traced,
			   const struct rt_function *f)
{
	bool library = f->image != rt_program_executable(&traced->program);

	if (traced->entry_only[0])
		return traced->entry_only;
	if (f->entry_only)
		return f->entry_only;
	if (library && traced->library_entry_only[0])
		return traced->library_entry_only;
	if (library && wanted->children)
		return "children may run programs that could unwind it";
	if (wanted->stacks)
		return "it would replace a return address in the stacks of -k";
	return library && wanted->everywhere
		       ? "without BPF its probes are in every process that uses it"
		       : NULL;
}

/* The first of the process's files that has a function `name` for others; NULL: none. */
static struct rt_image *image_with(const struct rt_traced *traced, const char *name,
				   const struct rt_symbol **symbol)
{
	const struct rt_symbol *v;
	size_t i, k, n;

	for (i = 0; i < traced->program.n; i++) {
		if (rt_image_symbols(traced->program.v[i], &v, &n, NULL) < 0)
			continue;
		for (k = 0; k < n; k++) {
			*symbol = &v[k];
			if (v[k].global && v[k].size && strcmp(v[k].name, name) == 0)
				return traced->program.v[i];
		}
	}
	return NULL;
}

static bool reads_return_address(const struct rt_traced *traced, struct codes *codes,
				 struct rt_image *image, uint64_t addr, uint64_t size,
				 unsigned levels, bool *nomem);

/* Does the target of a tail call read it?  Its return address is that of the caller. */
static bool target_reads_return_address(const struct rt_traced *traced, struct codes *codes,
					struct rt_image *image, const struct rt_exit *e,
					unsigned levels, bool *nomem)
{
	const char *name = e->kind == RT_EXIT_RETURN || e->self
				   ? NULL
				   : rt_exit_symbol(code_of(codes, image), e);
	const struct rt_symbol *s = NULL;
	size_t n;

	if (!name)
		return false;
	if (rt_name_reads_return_address(name))
		return true;
	if (e->target)
		s = rt_symbols_at(image, e->target, &n);
	if (!s || !n)
		image = image_with(traced, name, &s);
	return image && levels &&
	       reads_return_address(traced, codes, image, s->addr, s->size, levels - 1, nomem);
}

static bool reads_return_address(const struct rt_traced *traced, struct codes *codes,
				 struct rt_image *image, uint64_t addr, uint64_t size,
				 unsigned levels, bool *nomem)
{
	struct rt_code *code = code_of(codes, image);
	struct rt_exits exits;
	bool does;
	size_t i;

	if (!code || rt_exits_find(code, addr, size, &exits) < 0) {
		*nomem = true;
		return true;
	}
	does = exits.reads_return_address;
	for (i = 0; i < exits.n && !does; i++)
		does = target_reads_return_address(traced, codes, image, &exits.v[i], levels,
						   nomem);
	rt_exits_free(&exits);
	return does;
}

/*
 * Does the function, or what it ends with by a tail call, look at its own return address, where a
 * uretprobe would have put the trampoline's?
 */
static bool reads_own_return_address(const struct rt_traced *traced, const struct rt_sites *sites,
				     struct codes *codes, const struct rt_function *f, bool *nomem)
{
	enum { LEVELS = 3 };

	if (sites->functions.n > ASKED || !f->sized || f->no_exits)
		return false;
	return reads_return_address(traced, codes, f->image, f->addr, f->size, LEVELS, nomem);
}

/*
 * The kernel keeps 64 uretprobes a thread (MAX_URETPROBE_DEPTH).  A function that can recurse
 * deeper gets exit probes, if its exits are known.
 */
static bool can_recurse_deep(const struct rt_sites *sites, struct codes *codes,
			     struct rt_function *f, bool *nomem)
{
	struct rt_code *code = sites->functions.n <= ASKED && f->sized && !f->no_exits
				       ? code_of(codes, f->image)
				       : NULL;
	unsigned most = LOOKED_AT / (unsigned)(sites->functions.n + 1);

	return code &&
	       rt_code_recurses(code, f->addr, f->size,
				most < LOOKED_AT_MOST ? most : LOOKED_AT_MOST) &&
	       !exits_of(codes, f, nomem);
}

static void choose(const struct rt_wanted *wanted, const struct rt_traced *traced,
		   const struct rt_sites *sites, struct codes *codes, struct rt_function *f,
		   bool *nomem)
{
	const char *harm = harm_of(wanted, traced, f), *why;

	f->how = RT_HOW_NONE;
	f->why_not = NULL;
	if (f->role) {
		f->how_why = "hook";
		if (f->role == RT_ROLE_UNWOUND && !exits_of(codes, f, nomem)) {
			place_exits(wanted, f);
			f->how = RT_HOW_INSN;
		}
		return;
	}
	if (f->tail && !exits_of(codes, f, nomem)) {
		place_exits(wanted, f);
		f->how = f->exits.why ? RT_HOW_NONE : RT_HOW_INSN;
		f->how_why = "tail call";
	}
	if (f->hidden)
		return;
	if (wanted->want == RT_WANT_AUTO && wanted->purpose != RT_PURPOSE_COUNT && !harm &&
	    !f->go && reads_own_return_address(traced, sites, codes, f, nomem))
		harm = "it looks at its own return address, or jumps to what does";
	f->how_why = wanted->want == RT_WANT_NONE ? "--return=none" : harm;
	f->harmful = wanted->want == RT_WANT_AUTO && harm;
	if (wanted->want == RT_WANT_NONE || wanted->purpose == RT_PURPOSE_COUNT)
		return;
	if (f->go && traced->goroutines_mixed) {
		f->why_not = "this kernel cannot read which goroutine calls";
		return;
	}
	if (wanted->want == RT_WANT_AUTO && wanted->purpose == RT_PURPOSE_RECORD && !harm &&
	    can_recurse_deep(sites, codes, f, nomem)) {
		place_exits(wanted, f);
		f->how = RT_HOW_INSN;
		f->how_why = "it calls itself, and of a thread's uretprobes the kernel keeps 64";
		return;
	}
	if (wanted->want == RT_WANT_URETPROBE ? !f->entry_only
					      : wanted->want == RT_WANT_AUTO && !harm) {
		f->how = RT_HOW_URETPROBE;
		f->how_why = wanted->want == RT_WANT_URETPROBE
				     ? "--return=uretprobe"
				     : "nothing unwinds or leaves the stack in its process";
		return;
	}
	if (wanted->want == RT_WANT_URETPROBE) {
		f->how_why = f->entry_only;
		return;
	}
	why = is_lost(traced, f) ? traced->no_thread_pointer : exits_of(codes, f, nomem);
	if (!why)
		place_exits(wanted, f);
	if (!why && is_unclear(wanted, f))
		why = "it may be left by a conditional jump";
	f->how_why = wanted->want == RT_WANT_INSN ? "--return=insn" : harm;
	f->why_not = why;
	if (!why)
		f->how = RT_HOW_INSN;
}

/* Name what the exits that are jumps lead to, as it was written in the source.  0 or -ENOMEM. */
static int name_jumps(const struct rt_functions *functions, struct rt_code *code,
		      struct rt_exits *exits)
{
	struct rt_text text = { 0 };
	const char *name, *written;
	size_t i;
	int r = 0;

	for (i = 0; i < exits->n && r == 0; i++) {
		struct rt_exit *e = &exits->v[i];

		free(e->to);
		e->to = NULL;
		name = e->callee == UINT32_MAX || functions->v[e->callee].tail
			       ? rt_exit_symbol(code, e)
			       : NULL;
		if (!name)
			continue;
		written = rt_demangle(&text, name, false);
		e->to = strdup(written ? written : name);
		if (!e->to)
			r = -ENOMEM;
	}
	rt_text_free(&text);
	return r;
}

/* The targets of tail calls: traced functions, or others by their names. */
static int find_callees(const struct rt_sites *sites, struct codes *codes)
{
	struct rt_callees *callees = rt_callees_new(&sites->functions);
	struct rt_code *code;
	size_t i;
	int r = callees ? 0 : -1;

	for (i = 0; i < sites->functions.n && r == 0; i++) {
		struct rt_function *f = &sites->functions.v[i];
		bool named = f->how == RT_HOW_INSN && !f->role;

		if (!f->exits.n)
			continue;
		code = named ? code_of(codes, f->image) : NULL;
		r = named && !code ? -1 : rt_callees_find(callees, code, &f->exits);
		if (r == 0 && named)
			r = name_jumps(&sites->functions, code, &f->exits);
	}
	rt_callees_free(callees);
	return r;
}

static int compare_exits(const void *a, const void *b)
{
	const struct rt_exit *const *x = a, *const *y = b;

	return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

/*
 * Several functions may tail-call the same function that has no name, and share its exits: probe
 * each such exit once.  Files are independent.
 */
static int find_shared(const struct rt_sites *sites, const struct rt_image *image)
{
	size_t i, k, n = 0, cap = 0;
	struct rt_exit **v = NULL;
	int r = 0;

	for (i = 0; i < sites->functions.n && r == 0; i++) {
		struct rt_function *f = &sites->functions.v[i];

		for (k = 0; k < f->exits.n && f->image == image && f->how == RT_HOW_INSN && r == 0;
		     k++) {
			r = RT_ROOM(&v, n, &cap);
			if (r == 0)
				v[n++] = &f->exits.v[k];
		}
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_exits);
	for (i = 0; i < n && r == 0; i++) {
		v[i]->repeats = i > 0 && v[i]->offset == v[i - 1]->offset;
		v[i]->shared = v[i]->repeats || (i + 1 < n && v[i]->offset == v[i + 1]->offset);
	}
	free(v);
	return r;
}

/*
 * Calls that code of the program's own leaves for another stack are not over, and no return tells.
 */
static void find_switches(const struct rt_wanted *wanted, struct rt_traced *traced)
{
	struct rt_image *image = rt_program_executable(&traced->program);
	const char *name;

	if (wanted->purpose == RT_PURPOSE_RECORD && !rt_image_is_go(image) &&
	    rt_image_switches(image, &name) == RT_SWITCHES)
		traced->switches = name;
}

int rt_returns_judge(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     const struct rt_sites *sites, size_t (*next)(void *ctx), void *ctx,
		     struct rt_error *err)
{
	struct codes codes = { .program = &traced->program };
	bool nomem = false;
	size_t i;

	codes.v = calloc(traced->program.n + 1, sizeof(*codes.v));
	if (!codes.v)
		return rt_nomem(err);
	for (i = next(ctx); i < sites->functions.n && !nomem; i = next(ctx))
		choose(wanted, traced, sites, &codes, &sites->functions.v[i], &nomem);
	close_codes(&codes);
	return nomem ? rt_nomem(err) : 0;
}

int rt_returns_choose(const struct rt_wanted *wanted, struct rt_traced *traced,
		      const struct rt_sites *sites, struct rt_error *err)
{
	struct codes codes = { .program = &traced->program };
	bool nomem = false, some = false;
	size_t i;

	codes.v = calloc(traced->program.n + 1, sizeof(*codes.v));
	if (!codes.v)
		return rt_nomem(err);
	for (i = 0; i < sites->functions.n && !nomem; i++) {
		choose(wanted, traced, sites, &codes, &sites->functions.v[i], &nomem);
		some |= sites->functions.v[i].how == RT_HOW_INSN;
	}
	if (some)
		find_switches(wanted, traced);
	if (some && !nomem)
		nomem = find_callees(sites, &codes) < 0;
	close_codes(&codes);
	for (i = 0; i < traced->program.n && some && !nomem; i++)
		nomem = find_shared(sites, traced->program.v[i]) < 0;
	return nomem ? rt_nomem(err) : 0;
}

/* ---- what -v says ---- */

/* Not where a return is replaced by a jump or a call, which kernels emulate. */
static bool is_stepped(const struct rt_exit *e)
{
	return e->kind == RT_EXIT_RETURN && e->place.addr == e->at.addr &&
	       e->place.form != RT_FORM_EMULATED && e->at.form != RT_FORM_JMP &&
	       e->at.form != RT_FORM_CALL;
}

size_t rt_returns_stepped(const struct rt_sites *sites, size_t *all)
{
	size_t i, k, n = 0, stepped = 0;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		for (k = 0; k < f->exits.n && f->how == RT_HOW_INSN && !f->role; k++, n++)
			stepped += is_stepped(&f->exits.v[k]) && rt_image_arch(f->image)->form;
	}
	if (all)
		*all = n;
	return stepped;
}

/* The sites at entries, or those at exits. */
static size_t count_emulated(const struct rt_sites *sites, bool exits, size_t *all)
{
	size_t n = 0;
	unsigned i;

	*all = 0;
	for (i = 0; i < sites->n; i++) {
		const struct rt_exit *exit = rt_sites_exit(sites, &sites->v[i]);

		if (sites->v[i].kind == RT_SITE_RETURN || (exit != NULL) != exits)
			continue;
		++*all;
		n += (exit ? exit->place.form : sites->functions.v[sites->v[i].function].form) ==
		     RT_FORM_EMULATED;
	}
	return n;
}

void rt_returns_print_cost(const struct rt_sites *sites, const struct rt_trap_costs *c,
			   FILE *file)
{
	size_t all, n = count_emulated(sites, false, &all);

	if (n)
		fprintf(file, "rawtrace: BPF programs emulate the instructions of %zu of %zu entry "
			"probes\n", n, all);
	n = count_emulated(sites, true, &all);
	if (n)
		fprintf(file, "rawtrace: BPF programs emulate the returns of %zu of %zu exit "
			"probes\n", n, all);
	n = rt_returns_stepped(sites, &all);
	if (!n)
		return;
	if (!c->return_ns || !c->push_ns)
		fprintf(file,
			"rawtrace: %zu of %zu exit probes are on a return, which kernels "
			"single-step: that takes some times as long as an entry\n",
			n, all);
	else
		fprintf(file,
			"rawtrace: %zu of %zu exit probes are on a return, which "
			"this kernel %s: %.1f us each here, on push %.1f us\n",
			n, all, c->return_stepped ? "single-steps" : "emulates", c->return_ns / 1e3,
			c->push_ns / 1e3);
}

const char *rt_returns_why(const struct rt_function *f, char *buf, size_t size)
{
	bool both;

	switch (f->how) {
	case RT_HOW_URETPROBE:
		snprintf(buf, size, "uretprobe: %s", f->how_why);
		break;
	case RT_HOW_INSN:
		snprintf(buf, size, "insn (%zu place%s): %s%s", f->exits.n,
			 f->exits.n == 1 ? "" : "s", f->harmful ? "uretprobe unsafe: " : "",
			 f->how_why);
		break;
	case RT_HOW_NONE:
		both = f->why_not && (!f->how_why || strcmp(f->why_not, f->how_why) != 0);
		snprintf(buf, size, "none: %s%s%s", f->how_why ? f->how_why : "",
			 both ? "; exit probes: " : "", both ? f->why_not : "");
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

static void print_reasons(const struct rt_sites *sites, FILE *file)
{
	static const char *const names[] = {
		[RT_HOW_NONE] = "none", [RT_HOW_URETPROBE] = "uretprobe", [RT_HOW_INSN] = "insn"
	};
	struct shared *v = NULL;
	size_t i, k, n = 0, cap = 0;

	for (i = 0; i < sites->functions.n; i++) {
		if (sites->functions.v[i].hidden)
			continue;
		for (k = 0; k < n && !is_shared(v[k].f, &sites->functions.v[i]); k++)
			;
		if (k == n) {
			if (RT_ROOM(&v, n, &cap) < 0)
				break;
			v[n++] = (struct shared){ .f = &sites->functions.v[i] };
		}
		v[k].n++;
	}
	for (k = 0; k < n; k++)
		fprintf(file, "rawtrace: returns of %zu function%s: %s: %s%s%s\n", v[k].n,
			v[k].n == 1 ? "" : "s", names[v[k].f->how],
			v[k].f->how_why ? v[k].f->how_why : "",
			v[k].f->why_not ? "; exit probes: " : "",
			v[k].f->why_not ? v[k].f->why_not : "");
	free(v);
}

static void print_hooks(const struct rt_sites *sites, FILE *file)
{
	const char *before = "rawtrace: hooks: ";
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		if (!sites->functions.v[i].role || sites->functions.v[i].role == RT_ROLE_ERRNO ||
		    sites->functions.v[i].role == RT_ROLE_LANDED)
			continue;
		fprintf(file, "%s%s", before, sites->functions.v[i].name);
		before = ", ";
	}
	if (before[0] == ',')
		fputs(": they report unwinding, longjmp and other stacks\n", file);
}

void rt_returns_print(const struct rt_wanted *wanted, const struct rt_sites *sites, FILE *file)
{
	char why[1024];
	size_t i;

	if (wanted->purpose == RT_PURPOSE_COUNT)
		return;
	print_hooks(sites, file);
	rt_tails_print(sites, file);
	if (sites->functions.n > RT_VERBOSE_FUNCTIONS) {
		print_reasons(sites, file);
		return;
	}
	for (i = 0; i < sites->functions.n; i++)
		if (!sites->functions.v[i].hidden)
			fprintf(file, "rawtrace: %s: returns: %s\n", sites->functions.v[i].name,
				rt_returns_why(&sites->functions.v[i], why, sizeof(why)));
}
