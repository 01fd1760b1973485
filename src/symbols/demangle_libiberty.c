/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demangler calls back, and is ended by longjmp when a name means more than 8 KB:
 * libiberty has no other way to be stopped, and a name of 200 bytes can stand for gigabytes. It
 * is asked only where a specification is no symbol's name, for the symbols that have its words
 * in them.
 */
#include "config.h"

#include <string.h>

#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

/* From 2.26 on; an older one prints the result type of templates, which is no harm. */
#ifndef DMGL_RET_DROP
#define DMGL_RET_DROP (1 << 6)
#endif

#include "symbols/demangle.h"

/*
 * A name of a few hundred bytes can stand for gigabytes, each substitution doubling the one before.
 * Nothing but a jump stops the demangler; it keeps all it has on the stack and calls no malloc, so
 * nothing is left behind.
 */
struct run {
	struct rt_text *text;
	jmp_buf stop;
};

static void take(const char *s, size_t n, void *opaque)
{
	struct run *run = opaque;

	rt_text_add(run->text, s, n);
	if (run->text->failed)
		longjmp(run->stop, 1);
}

static bool demangle(struct run *run, const char *name, int options)
{
	/* Rust's legacy names are Itanium's too, with a hash for the last part: so Rust first. */
	if (rust_demangle_callback(name, DMGL_RUST, take, run) && run->text->n)
		return true;
	run->text->n = 0;
	return strncmp(name, "_Z", 2) == 0 &&
	       cplus_demangle_v3_callback(name, options, take, run) && run->text->n;
}

/* It has no variable of its own that longjmp() could leave undefined (-Wclobbered). */
static bool demangle_or_stop(struct run *run, const char *name, int options)
{
	return setjmp(run->stop) == 0 && demangle(run, name, options);
}

bool rt_demangler_run(struct rt_text *text, const char *name, bool parameters)
{
	/*
	 * Without parameters there is no result to drop, and that of the first function type among
	 * the arguments would be.
	 */
	const int options = DMGL_ANSI | (parameters ? DMGL_PARAMS | DMGL_RET_DROP : 0);
	struct run run = { .text = text };

	if (!parameters && rt_demangle_plain(text, name))
		return true;
	text->n = 0;
	return demangle_or_stop(&run, name, options);
}
