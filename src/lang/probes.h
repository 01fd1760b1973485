/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_PROBES_H
#define RT_LANG_PROBES_H

#include "lang/spec.h"

/*
 * Files in the probe language (probes/).  A statement is a line, or more while brackets are open;
 * '#' begins a comment:
 *
 *	library libc.so.* libpthread.so.*	what follows are functions of these libraries (globs
 *	                                 	over DT_SONAME), up to the next one
 *	machine x86-64 i386			what follows is for these alone, up to the next one;
 *	                   			any: for all
 *	requires f !g				what follows is for programs that have a function f
 *	             				and none named g, up to the next one; any: for all
 *	pair p:x__entry p:x__return 2-5	two USDT probes open and close a call; these of
 *	                               	their arguments say which; one '*' in both names
 *	                               	stands for the same text; `inlined` behind them: a call
 *	                               	may have the stack pointer of the call around it;
 *	                               	`name $class.$method`: tables name calls by the
 *	                               	values of these parameters
 *	typedef, struct, union, enum, flags	types for what follows, as in C; flags are enums
 *	                                   	that are printed as A|B
 *	anything else				a specification, mostly a C prototype
 *
 * They are used in two ways: as prototypes of functions of libraries that have no debug
 * information, and by @NAME as probes.
 */
struct rt_probes;

/* One specification of a file. */
struct rt_statement {
	const char *file;		/* its name, for messages */
	unsigned line;
	const char *text;		/* NUL-terminated, owned by the rt_probes */
	/* of the function, as far as it is known without parsing; "": it is not */
	const char *name;
	/* the globs of the line `library` above it, blanks between them; NULL: none */
	const char *libraries;
	/* the words of the line `requires` above it; NULL: none */
	const char *requires;
};

/* A line `pair`: PROVIDER:NAME of both probes, owned by the rt_probes. */
struct rt_pair {
	const char *opens, *closes;
	unsigned first, last;		/* the arguments, from 1; last 0: none */
	bool inlined;			/* a call may stand in the frame of the call around it */
	const char *pattern;		/* of the calls' names: "$class.$method"; NULL: none */
};

/* NULL: out of memory. */
struct rt_probes *rt_probes_new(const struct rt_arch *arch);
void rt_probes_free(struct rt_probes *probes);

/*
 * Add what is in `text`, of `n` bytes, called `file` in messages.  0, or an error "FILE:LINE: ...".
 */
int rt_probes_add(struct rt_probes *probes, const char *file, const char *text, size_t n,
		  struct rt_error *err);

/*
 * Add the file that @NAME means: a path if there is a '/' in it; else NAME in the folders of
 * RAWTRACE_PROBES, in probes/ beside the program that runs, in where it is installed, or what was
 * built in.
 */
int rt_probes_load(struct rt_probes *probes, const char *name, struct rt_error *err);

/* Add all files that are built in. */
int rt_probes_load_all(struct rt_probes *probes, struct rt_error *err);

/* All statements, in order.  They may move with the next addition. */
const struct rt_statement *rt_probes_statements(const struct rt_probes *probes, size_t *n);
const struct rt_pair *rt_probes_pairs(const struct rt_probes *probes, size_t *n);
const struct rt_scope *rt_probes_scope(const struct rt_probes *probes);

/* Is the statement of the library with this DT_SONAME? */
bool rt_statement_is_of(const struct rt_statement *statement, const char *soname);

/*
 * Does a file with these functions meet the statement's `requires`?  `has` says whether there is a
 * function of that name.
 */
bool rt_statement_is_met(const struct rt_statement *statement,
			 bool (*has)(void *ctx, const char *name), void *ctx);

/* Put the statement's place before the message of an error; returns `code`. */
int rt_probes_at(const struct rt_statement *statement, int code, struct rt_error *err);

/*
 * The prototype of function `name` of the library with DT_SONAME `soname`, in the memory of
 * `probes`.  NULL: none, or it is wrong.
 */
const struct rt_prototype *rt_probes_prototype(struct rt_probes *probes, const char *soname,
					       const char *name);

/*
 * The built-in files; the last has no name.  A byte from 0x80 on is an index, less 0x80, into
 * rt_embedded_phrases.
 */
struct rt_embedded {
	const char *name;
	const char *text;
};
extern const struct rt_embedded rt_embedded[];
extern const char *const rt_embedded_phrases[];

#endif
