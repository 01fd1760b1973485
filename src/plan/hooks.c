/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack pointer alone does not show that an exception has left calls, when a destructor of
 * the function that cleans up calls something from deeper in the stack. So where functions are
 * left at their own instructions, the unwinder is hooked: from _Unwind_RaiseException and its
 * like a program comes back with the stack pointer of the frame that continues, and everything
 * below is gone. longjmp is hooked where something imports it, at the jump by which it leaves;
 * in glibc that is __longjmp, of which a stripped libc.so.6 has no name, so what longjmp calls
 * is followed.
 *
 * Stacks for coroutines and signals are known from makecontext, sigaltstack and make_fcontext:
 * calls on such a stack are distinguished from the thread's (calls/owners.h), as they are with
 * goroutines.
 *
 * With --no-bpf the unwinder, in a library, is not hooked. There the places in the program
 * itself are probed where exceptions land (add_landings): of traced functions, and of all where
 * those are at most 64, as old kernels have an event for each.
 */
#include "plan/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "go/go.h"
#include "plan/runtimes.h"
#include "base/array.h"

static const char cleanup[] = "__pthread_unwind_next";

static const struct hooks_known {
	const char *name;
	enum rt_role role;
	bool leap;	/* it is longjmp, which C has in any program, or comes to one */
	/*
	 * where its address and its size are in what the first argument points to, in words; 0, 0:
	 * they are the arguments
	 */
	uint8_t at, size;
} hooks_known[] = {
	{ "_Unwind_RaiseException", RT_ROLE_UNWOUND, false, 0, 0 },
	{ "_Unwind_Resume", RT_ROLE_UNWOUND, false, 0, 0 },
	{ "_Unwind_Resume_or_Rethrow", RT_ROLE_UNWOUND, false, 0, 0 },
	{ "_Unwind_ForcedUnwind", RT_ROLE_UNWOUND, false, 0, 0 },
	/*
	 * ucontext_t has two words before its stack_t; that is a pointer, a word of flags, and the
	 * size.
	 */
	{ "makecontext", RT_ROLE_STACK, false, 2, 4 },
	{ "sigaltstack", RT_ROLE_SIGNAL_STACK, false, 0, 2 },
	{ "make_fcontext", RT_ROLE_STACK_TOP, false, 0, 0 },
	{ "longjmp", RT_ROLE_UNWOUND, true, 0, 0 },
	{ "_longjmp", RT_ROLE_UNWOUND, true, 0, 0 },
	{ "siglongjmp", RT_ROLE_UNWOUND, true, 0, 0 },
	{ "__longjmp_chk", RT_ROLE_UNWOUND, true, 0, 0 },
	/* glibc runs C's cleanup handlers by this longjmp of its own. */
	{ cleanup, RT_ROLE_UNWOUND, true, 0, 0 },
	/* runtime.gobuf has the stack pointer, the next instruction, and the goroutine. */
	{ "runtime.recovery", RT_ROLE_RECOVERED, false, 0, 2 },
};

static const struct hooks_known *find_hook(const char *name)
{
	size_t i;

	for (i = 0; i < RT_COUNT(hooks_known); i++)
		if (strcmp(name, hooks_known[i].name) == 0)
			return &hooks_known[i];
	return NULL;
}

static bool is_there(const struct rt_functions *functions, const struct rt_image *image,
		     uint64_t addr)
{
	size_t i;

	for (i = 0; i < functions->n; i++)
		if (functions->v[i].image == image && functions->v[i].addr == addr)
			return true;
	return false;
}

/*
 * `place` is the function's; of longjmp, and of what ends a panic, it becomes the one where it
 * leaves.  -ENOENT: that is not known.
 */
static int find_place(struct rt_image *image, const struct hooks_known *w, struct rt_symbol *place)
{
	struct rt_code *code;
	int r = 0;

	if (w->leap) {
		code = rt_code_open(image);
		r = code ? rt_exits_find_leap(code, w->name == cleanup, &place->addr, &place->size)
			 : -ENOMEM;
		rt_code_close(code);
	} else if (w->role == RT_ROLE_RECOVERED && !rt_go_recovery(image, place)) {
		r = -ENOENT;
	}
	return r;
}

static int add(struct rt_traced *traced, struct rt_sites *sites, struct rt_image *image,
	       const struct rt_symbol *symbol, const struct hooks_known *w)
{
	struct rt_functions *functions = &sites->functions;
	struct rt_symbol place = *symbol;
	int r;

	if (!symbol->sized || (w->role == RT_ROLE_RECOVERED && !rt_runtime_is_at(traced, image)))
		return 0;
	place.name = w->name;
	r = find_place(image, w, &place);
	if (r == -ENOENT && w->leap && w->name != cleanup)
		traced->lacks_longjmp_hooks = true;
	if (r < 0 || is_there(functions, image, place.addr))
		return r == -ENOENT ? 0 : r;
	r = rt_functions_add_hidden(functions, image, &place, w->role);
	return r < 0 ? r : 0;
}

/* Does a file of the process call it? */
static bool is_imported(const struct rt_traced *traced, const char *name)
{
	size_t i;

	for (i = 0; i < traced->program.n; i++)
		if (rt_image_imports(traced->program.v[i], name))
			return true;
	return false;
}

/* Up to glibc 2.33 it is longjmp itself by which cleanup handlers are come to. */
static bool is_used(const struct rt_traced *traced, const struct hooks_known *w)
{
	return w->role == RT_ROLE_RECOVERED || is_imported(traced, w->name) ||
	       (w->leap && is_imported(traced, cleanup));
}

/* In a library only where the probes are in our process alone. */
static int add_of_image(const struct rt_wanted *wanted, struct rt_traced *traced,
			struct rt_sites *sites, struct rt_image *image, bool leaps_only)
{
	const struct rt_symbol *v;
	const struct hooks_known *w;
	size_t i, n;
	int r = 0;

	if (rt_image_symbols(image, &v, &n, NULL))
		return 0;
	for (i = 0; i < n && r == 0; i++) {
		w = v[i].kind == RT_SYM_FUNC ? find_hook(v[i].name) : NULL;
		if (!w || (leaps_only && !w->leap) ||
		    (image != rt_program_executable(&traced->program) && !is_used(traced, w)))
			continue;
		if (!wanted->everywhere || image == rt_program_executable(&traced->program))
			r = add(traced, sites, image, &v[i], w);
		else if (w->leap)
			traced->lacks_longjmp_hooks = true;
		else
			traced->lacks_hooks = true;
		if (wanted->everywhere && image != rt_program_executable(&traced->program) &&
		    (w->role == RT_ROLE_STACK || w->role == RT_ROLE_STACK_TOP))
			traced->lacks_stack_hooks = true;
	}
	return r;
}

/*
 * Places in the program where exceptions are caught or cleaned up after.  More would take long to
 * be taken out again where each is an event.
 */
struct landings {
	uint64_t at[64];
	const char *of[64];
	unsigned n;
};

/* Is there code, as far as the ways through the function tell? */
static bool is_followed(struct rt_code *code, uint64_t addr, uint64_t size)
{
	struct rt_exits exits;
	bool right = rt_exits_find(code, addr, size, &exits) == 0 && !exits.why;

	rt_exits_free(&exits);
	return right;
}

/* Those of a function.  False: there is no room. */
static bool find_landings(struct landings *l, struct rt_code *code, uint64_t addr, uint64_t size,
			  const char *name)
{
	uint64_t at[RT_COUNT(l->at)];
	int i, n = rt_code_landings(code, addr, at, (int)RT_COUNT(at));
	unsigned k;

	if (n > 0 && !is_followed(code, addr, size))
		return true;
	for (i = 0; i < n; i++) {
		for (k = 0; k < l->n && l->at[k] != at[i]; k++)
			;
		if (k == RT_COUNT(l->at))
			return false;
		l->at[k] = at[i];
		l->of[k] = name;
		l->n += k == l->n;
	}
	return n >= 0;
}

/*
 * Unwinders of libraries have no hooks here, so hook the landing pads of the program instead: an
 * exception that lands in a function has unwound all frames below.  All functions of the program
 * have such hooks if the landing pads are few, else the traced functions alone.
 */
static int add_landings(const struct rt_traced *traced, struct rt_sites *sites)
{
	struct rt_image *image = rt_program_executable(&traced->program);
	struct rt_code *code = rt_code_open(image);
	struct landings l = { .n = 0 };
	const struct rt_symbol *v;
	bool room = true;
	unsigned few;
	size_t i, n;
	int r = code ? 0 : -ENOMEM;

	for (i = 0; i < sites->functions.n && r == 0; i++)
		if (sites->functions.v[i].image == image &&
		    sites->functions.v[i].how == RT_HOW_INSN && !sites->functions.v[i].role)
			find_landings(&l, code, sites->functions.v[i].addr,
				      sites->functions.v[i].size, sites->functions.v[i].name);
	few = l.n;
	if (r == 0 && rt_image_symbols(image, &v, &n, NULL) == 0) {
		for (i = 0; i < n && room; i++)
			room = v[i].kind != RT_SYM_FUNC || !v[i].sized ||
			       find_landings(&l, code, v[i].addr, v[i].size, v[i].name);
		l.n = room ? l.n : few;
	}
	for (i = 0; i < l.n && r >= 0; i++) {
		const struct rt_symbol place = { .name = l.of[i], .addr = l.at[i], .size = 1 };

		r = rt_functions_add_hidden(&sites->functions, image, &place, RT_ROLE_LANDED);
	}
	rt_code_close(code);
	return r < 0 ? r : 0;
}

int rt_hooks_add(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		 struct rt_error *err)
{
	bool insn = false, any = false;
	size_t i;
	int r = 0;

	for (i = 0; i < sites->functions.n; i++) {
		insn |= sites->functions.v[i].how == RT_HOW_INSN;
		any |= sites->functions.v[i].how != RT_HOW_NONE;
	}
	if (!any || wanted->purpose != RT_PURPOSE_RECORD)
		return 0;
	/* With uretprobes alone, no call can be unwound and no stack switched. */
	for (i = 0; i < traced->program.n && r == 0; i++)
		r = add_of_image(wanted, traced, sites, traced->program.v[i], !insn);
	if (r == 0 && traced->lacks_hooks)
		r = add_landings(traced, sites);
	return r < 0 ? rt_nomem(err) : 0;
}

int rt_hook_plan(const struct rt_traced *traced, const struct rt_function *f, struct rt_plan *plan)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	const struct rt_runtime *runtime = rt_runtime_of(traced, f->image);
	const struct hooks_known *w = find_hook(f->name);
	bool pointed = w && w->size;
	unsigned i;
	int r;

	r = rt_plan_c_entry(arch, f->role == RT_ROLE_LANDED ? 0 : 2, plan);
	if (r < 0)
		return r;
	plan->role = f->role == RT_ROLE_LANDED ? RT_ROLE_UNWOUND : f->role;
	if (f->role == RT_ROLE_LANDED)
		return 0;
	if (pointed)
		plan->values[1] = plan->values[0];
	for (i = 0; i < 2; i++) {
		plan->values[i].size = arch->word;
		plan->values[i].is_signed = false;
		if (!pointed)
			continue;
		plan->values[i].nderef = 1;
		plan->values[i].deref[0] = (i ? w->size : w->at) * arch->word;
	}
	if (f->role != RT_ROLE_RECOVERED || !runtime)
		return 0;
	plan->values[0].reg = plan->values[1].reg = arch->go[0];
	return rt_plan_add_goroutine(plan, &plan->values[1], runtime->goid_offset, runtime->number);
}
