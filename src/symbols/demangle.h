/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_DEMANGLE_H
#define RT_SYMBOLS_DEMANGLE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Text that grows, used again for the next name.  Starts as { 0 }. */
struct rt_text {
	char *v;
	size_t n, cap;
	bool failed;		/* out of memory, or longer than a name may be */
};

void rt_text_add(struct rt_text *text, const char *s, size_t n);
void rt_text_free(struct rt_text *text);

/* May the name be one of C++ (Itanium) or Rust (legacy, v0)?  By its beginning alone. */
bool rt_is_mangled(const char *name);

/*
 * The source's text for a mangled name: "Foo::bar", with `parameters` "Foo::bar(int) const"; never
 * a result type, and for Rust neither hash nor parameters.  GCC's copies have their suffix:
 * "foo.cold". The result is in `text`.  NULL: it is not mangled, its text is too long, or there is
 * no demangler.
 */
const char *rt_demangle(struct rt_text *text, const char *name, bool parameters);

/* demangle_libiberty.c or demangle_none.c: the same, without a look at copies. */
bool rt_demangler_run(struct rt_text *text, const char *name, bool parameters);

/*
 * Names that are nothing but identifiers ("_ZN2ns3Foo3barEi" is ns::Foo::bar), as the demangler
 * says them without parameters, in a tenth of its time.  False: it is another name, and `text` may
 * have anything.
 */
bool rt_demangle_plain(struct rt_text *text, const char *name);

/*
 * The form in which names are compared: without blanks that mean nothing, `const T` as `T const`,
 * std::string as its full type, without [abi:...] and the default template arguments of containers.
 * With `plain` without template arguments too: Foo<int>::bar is Foo::bar, and Rust's
 * <alloc::vec::Vec<u8>>::push is alloc::vec::Vec::push.  Stays in `text`; NULL: out of memory.
 */
const char *rt_name_canonical(struct rt_text *text, const char *name, bool plain);

/*
 * Leave out of a canonical name what looks like a version's inline namespace (std::__cxx11::list is
 * std::list), unless `want` has it, too.
 */
void rt_name_without_versions(struct rt_text *text, const char *want);

/* The same, `plain` up to `parameters`, a place in `name`. */
const char *rt_name_canonical_typed(struct rt_text *text, const char *name, const char *parameters);

#endif
