/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_MATCH_H
#define RT_SYMBOLS_MATCH_H

#include "symbols/demangle.h"
#include "elf/image.h"
#include "lang/spec.h"

/*
 * The symbols that a specification means.  A name in the symbol table comes first; else, for C++
 * and Rust, the source's text:
 *   Foo::bar           all functions of that name, whatever their arguments and template arguments
 *   Foo::bar(int)      with these parameters; a const after them may be left out
 *   Foo<int>::bar      with these template arguments; <T> means any
 *   ns::*              a glob, over the name without parameters unless it has some
 *   /regex/            over the name in the symbol table, and over the source's text with its
 *                      parameters
 * If no symbol has the name otherwise, ns::v1::Foo is ns::Foo, too: v1 looks like an inline
 * namespace. NAME@VERSION and NAME@@VERSION mean one version, @@ the default one.
 */
struct rt_matcher {
	const struct rt_spec *spec;
	char *name;			/* without the version */
	const char *version;		/* in `name`'s room; NULL: any */
	bool only_default;		/* @@ */
	/*
	 * words that must be in a mangled name, or the demangler is not asked, with a NUL each;
	 * "" last
	 */
	char *anchors;
	bool parameters, arguments;	/* the specification has some */
	bool typed;			/* and its parameters have template arguments */
	bool any_arguments;		/* its template arguments are placeholders */
	/*
	 * what the library's or the compiler's version put into names (inline namespaces:
	 * std::__cxx11) may be left out
	 */
	bool loose;
	struct rt_text want, text, demangled;
};

/* Free with rt_matcher_free, also after a failure (-ENOMEM).  `spec` must outlive the matcher. */
int rt_matcher_begin(struct rt_matcher *matcher, const struct rt_spec *spec);
/* The same, and `alias` tells of typedefs in the parameters. */
int rt_matcher_begin_alias(struct rt_matcher *matcher, const struct rt_spec *spec,
			   rt_spec_alias alias, void *ctx);
void rt_matcher_free(struct rt_matcher *matcher);

/* Does the specification mean the symbol by its own name, or by its meaning? */
bool rt_matches_raw(const struct rt_matcher *matcher, const struct rt_symbol *symbol);
bool rt_matches_written(struct rt_matcher *matcher, const struct rt_symbol *symbol);

/*
 * Either of the two; for a name that is no glob the second only counts where no symbol has the
 * first.
 */
bool rt_matches(struct rt_matcher *matcher, const struct rt_symbol *symbol);

#endif
