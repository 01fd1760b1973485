/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_FUNCTION_H
#define RT_SYMBOLS_FUNCTION_H

#include <stdio.h>
#include <string.h>

#include "code/exits.h"
#include "process/program.h"
#include "lang/spec.h"

/* ways to see the end of a function's calls */
enum rt_how {
	RT_HOW_NONE,			/* it is not: entries only */
	RT_HOW_URETPROBE,
	RT_HOW_INSN,			/* by plain probes on the instructions that leave it */
};

/* A function to trace. */
struct rt_function {
	/*
	 * as printed: of C++ and Rust what was written, "Foo::bar"; with @VERSION where it has
	 * several.  With `patterned`, the pattern of its calls' names is behind the NUL.
	 */
	char *name;
	/* the symbol's name where that is another ("_ZN3Foo3barEi"), or NULL; the image's */
	const char *symbol;
	struct rt_image *image;
	uint64_t addr, offset, size;	/* virtual address, file offset, bytes (0: not known) */
	/* why its entry must not be probed, or NULL; if set: `behind` */
	const char *refused;
	/* why its probes stand where they do, as a phrase, or NULL: not asked */
	const char *placed;
	const struct rt_spec *spec;	/* which named it; what it says of its arguments counts */
	/* why its return must not be probed with a uretprobe, or NULL */
	const char *entry_only;
	/* why the instructions that leave it tell nothing either, or NULL */
	const char *no_exits;
	const char *how_why, *why_not;	/* why `how`, and why not RT_HOW_INSN, or NULL; not owned */
	struct rt_exits exits;		/* once exits_known */
	/* Small members stand together: a program may have 100,000 functions. */
	/* its probes are at least so many bytes behind it; 0: there are none */
	uint32_t behind;
	/* its probes stand so many bytes behind its entry (code/prologue.h) */
	uint32_t skip;
	int32_t sp_down;		/* where the stack pointer is so much lower */
	/*
	 * a USDT probe: 1 + the number of its site in rt_image_usdt_sites(), of a recording any
	 * number; 0: a function
	 */
	uint32_t usdt;
	/* a USDT probe that opens or closes a call: the number of the pair; 0: it does neither */
	uint32_t pair;
	unsigned nargs;			/* arguments to print */
	enum rt_symbol_source source : 8;	/* of the name */
	enum rt_how how : 8;		/* returns.h: what was chosen */
	uint8_t form;			/* enum rt_form of the instruction at `skip` */
	/* enum rt_role: not 0: it is not traced, but tells of those that are (plan/hooks.h) */
	uint8_t role;
	uint8_t pair_first, pair_last;	/* these arguments say which call, from 1; 0: none do */
	/* by its own name, and not found by a glob or as one of several: it must not be left out */
	bool named : 1;
	/* the size is the symbol's own word, not its distance from the next one */
	bool sized : 1;
	/* nobody asked for it: it tells of others (role), or that a goroutine ends */
	bool hidden : 1;
	/* its place was found by Go's own tables (go/go.h) and stays */
	bool go : 1;
	/* it must not get probes, whatever plans it is given later (place.h) */
	bool left_out : 1;
	bool inside : 1;		/* it is a place behind its function's entry, and stays */
	/* only the program's own calls of it are meant (--libcalls) */
	bool libcall : 1;
	bool closes : 1, inlined : 1;	/* with `pair`: it closes the call; rt_pair.inlined */
	bool exits_known : 1;
	bool harmful : 1;		/* a uretprobe could harm the program, says how_why */
	bool patterned : 1;		/* rt_function_pattern */
	/* hidden: traced calls end in a tail call of it, and return at its exits (plan/tails.h) */
	bool tail : 1;
	/* hidden: behind a call of traced functions, with one exit (calls/return_sites.h) */
	bool return_site : 1;
	/* the places behind its calls are noted (session/return_sites.c) */
	bool callers_noted : 1;
};

static inline const char *rt_function_symbol(const struct rt_function *f)
{
	return f->symbol ? f->symbol : f->name;
}

/*
 * The pattern of its calls' names ("$class.$method", lang/probes.h); NULL: they have the function's
 * name.
 */
static inline const char *rt_function_pattern(const struct rt_function *f)
{
	return f->patterned ? f->name + strlen(f->name) + 1 : NULL;
}

/* Put the pattern, or NULL, behind the name.  0 or -ENOMEM. */
int rt_function_set_pattern(struct rt_function *f, const char *pattern);

/* The file offset of its probes. */
static inline uint64_t rt_function_place(const struct rt_function *f)
{
	return f->offset + f->skip;
}

struct rt_functions {
	struct rt_function *v;
	size_t n, cap;
	/* a remark that the user must see (what cannot be probed), or NULL */
	char *note;
	const char *reason;	/* of the note, for -v: "begins with ...", or NULL */
};

/* The first of the sites of a USDT probe, which tables have in one row; else `function` itself. */
uint32_t rt_functions_first_site(const struct rt_functions *functions, uint32_t function);

/* The number of functions that the user asked for. */
static inline size_t rt_functions_shown(const struct rt_functions *functions)
{
	size_t i, n = 0;

	for (i = 0; i < functions->n; i++)
		n += !functions->v[i].hidden;
	return n;
}

/*
 * Add the functions that `spec` names, and keep pointers to it.  One address is one function,
 * whatever its aliases: the name asked for wins, then the global one.  A glob passes over `.cold`
 * fragments, labels without a type and places that cannot be probed; an exact name takes them
 * (entry only) or says why not.  An IFUNC means its implementations.  A name that is not
 * there: a usage error with the nearest names, and the library that has it.  A glob over libraries
 * means those of them that have such functions.
 */
int rt_functions_add(struct rt_functions *functions, const struct rt_program *program,
		     const struct rt_spec *spec, struct rt_error *err);

/* The same in one file of the program, whatever library the specification names. */
int rt_functions_add_of(struct rt_functions *functions, const struct rt_program *program,
			struct rt_image *image, const struct rt_spec *spec, struct rt_error *err);

/*
 * One that nobody asked for, at `symbol`'s place and hidden, which tells of others: `role`.  1; 0:
 * it is nowhere in the file; or -ENOMEM.
 */
int rt_functions_add_hidden(struct rt_functions *functions, struct rt_image *image,
			    const struct rt_symbol *symbol, uint8_t role);

/* The sources of the names: a line for each file and source, with the debug file's path. */
void rt_functions_print_sources(const struct rt_functions *functions, FILE *file);

/*
 * Names of C++ with their parameters, for tables, where overloads would look alike.  0 or -ENOMEM.
 */
int rt_functions_full_names(struct rt_functions *functions);

/* --demangle=no: the names of the symbol tables are printed.  0 or -ENOMEM. */
int rt_functions_raw_names(struct rt_functions *functions);

/*
 * Add the functions of libraries that the program imports and `spec` means by name, each where its
 * loader finds it.  `pid`: as for rt_program_imports.  1 where the program imports nothing and
 * there are functions already; a usage error where there are none.
 */
int rt_functions_add_imports(struct rt_functions *functions, const struct rt_program *program,
			     pid_t pid, const struct rt_spec *spec, struct rt_error *err);

/*
 * Remove the functions that `spec` means, of its libraries or any, whoever added them.  0 or
 * -ENOMEM.
 */
int rt_functions_exclude(struct rt_functions *functions, const struct rt_spec *spec);
void rt_functions_free(struct rt_functions *functions);

/*
 * Is it Go assembly, which keeps its arguments on the stack, where the compiler made a function
 * around it that takes registers?
 */
bool rt_function_is_go_assembly(const struct rt_function *f);

/* Does the file (a struct rt_image) have a function of that name? */
bool rt_file_has_function(void *image, const char *name);

#endif
