/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return sites that are known before a call returns there: those behind the direct calls of a
 * function that ends in tail calls to functions that are not traced.
 *
 *	_Py_Dealloc:
 *		mov    0x8(%rdi),%rax
 *		jmp    *0x30(%rax)
 *
 * python calls _Py_Dealloc at 8,419 places.  A start-up comes to 168 of them.  It is too short for
 * each to be learned (return_sites.c).  The function has no other ends, so its return sites get
 * probes before the program starts: each hit is a result.  Other functions get them after a first
 * such jump, if most of their calls end so.  Of 66,804 calls 90 have no result then, not 1,140.
 *
 * Limits: not calls through pointers or the PLT, and not in large files.
 */
#include <stdlib.h>

#include "code/callers.h"
#include "code/stub.h"
#include "elf/file.h"
#include "session/session_private.h"

/*
 * Callers of a function; places before the start, in all and for each traced function; bytes of
 * code in which callers are looked for, 1 ms for each MB.
 */
enum { CALLERS_MOST = 16384, EARLY_FEW = 1024, EARLY_EACH = 8, CODE_MOST = 32 << 20 };

/* The kernel leaves out probes where the process may write. */
static bool suits(const struct rt_image *image)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < image->nsegments; i++) {
		if (image->segments[i].exec && image->segments[i].write)
			return false;
		n += image->segments[i].exec ? image->segments[i].filesz : 0;
	}
	return n <= CODE_MOST;
}

static void open_code(struct rt_learning *l, struct rt_image *image)
{
	if (l->code && rt_code_image(l->code) == image)
		return;
	rt_callers_close(l->callers);
	rt_code_close(l->code);
	l->code = rt_code_open(image);
	l->callers = l->code && suits(image) ? rt_callers_open(image, NULL, NULL) : NULL;
}

static void note(struct rt_return_sites *sites, const struct rt_function *f, uint64_t addr,
		 uint32_t function, pid_t pid)
{
	struct rt_return_site *site;
	uint64_t offset;

	if (rt_image_offset(f->image, addr, &offset) < 0)
		return;
	site = rt_return_sites_find(sites, rt_image_ino(f->image), offset);
	if (!site || site->jumps)
		return;
	site->jumps = 1;
	site->of = function;
	site->pid = pid;
}

/* Nothing if there are more than `most`. */
static void note_callers(struct session *s, uint32_t function, pid_t pid, size_t most)
{
	struct rt_function *f = &s->sites.functions.v[function];
	struct rt_learning *l = &s->learning;
	uint64_t *v, from = 0;
	size_t i, n = 0;

	f->callers_noted = true;
	open_code(l, f->image);
	v = l->callers ? calloc(most, sizeof(*v)) : NULL;
	if (v)
		n = rt_callers_sites(l->callers, f->addr, v, most);
	for (i = 0; i < n; i++)
		if (rt_code_reaches(l->code, v[i], &from))
			note(l->sites, f, v[i], function, pid);
	free(v);
}

void rt_session_note_callers(struct session *s, uint32_t function, pid_t pid)
{
	if (!s->sites.functions.v[function].callers_noted &&
	    rt_return_sites_jumps(s->learning.sites, function))
		note_callers(s, function, pid, CALLERS_MOST);
}

/*
 * Does it lead to what is not traced, and record where it returns to?  A pointer leads to a traced
 * function if most are.
 */
static bool is_unknown(const struct rt_sites *sites, const struct rt_exit *e, bool most_traced)
{
	return (!most_traced || e->to || e->target) && e->kind != RT_EXIT_RETURN &&
	       e->callee == UINT32_MAX && !e->nthrough && !e->middle && !e->away &&
	       !rt_exit_is_void(e->to) && e->plan &&
	       sites->plans[e->plan - 1].return_address;
}

static bool only_jumps(const struct rt_sites *sites, size_t function, bool most_traced)
{
	const struct rt_function *f = &sites->functions.v[function];
	size_t i;

	for (i = 0; i < f->exits.n && is_unknown(sites, &f->exits.v[i], most_traced); i++)
		;
	return i && i == f->exits.n && f->how == RT_HOW_INSN && sites->returns[function] &&
	       !f->hidden;
}

/* Local functions have no names in .dynsym, and are not traced then. */
static size_t count_traced(const struct rt_sites *sites, const struct rt_image *image)
{
	size_t i, n = 0;

	for (i = 0; i < sites->functions.n; i++)
		n += sites->functions.v[i].image == image &&
		     sites->functions.v[i].source != RT_SOURCE_DYNSYM;
	return n;
}

/* The functions of one file that only jump; `most` return sites in all. */
static void note_early(struct session *s, struct rt_image *image, size_t most)
{
	const struct rt_learning *l = &s->learning;
	size_t i, n = count_traced(&s->sites, image);
	bool most_traced;

	open_code(&s->learning, image);
	if (!l->callers)
		return;
	most_traced = n > rt_callers_functions(l->callers) / 2;
	for (i = 0; i < s->sites.functions.n && l->sites->n < most; i++)
		if (s->sites.functions.v[i].image == image &&
		    only_jumps(&s->sites, i, most_traced))
			note_callers(s, (uint32_t)i, 0, most - l->sites->n);
}

void rt_session_note_early(struct session *s)
{
	size_t i, k, n = s->sites.functions.n, most = n * EARLY_EACH;

	most = most < EARLY_FEW ? EARLY_FEW : most < CALLERS_MOST ? most : CALLERS_MOST;
	for (i = 0; i < s->traced.program.n; i++) {
		for (k = 0; k < n; k++)
			if (s->sites.functions.v[k].image == s->traced.program.v[i] &&
			    only_jumps(&s->sites, k, false))
				break;
		if (k < n)
			note_early(s, s->traced.program.v[i], most);
	}
}
