/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_SPEC_H
#define RT_LANG_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "lang/type.h"
#include "base/error.h"

/* Which end of a call a probe sees. */
enum rt_kind { RT_KIND_ENTRY, RT_KIND_RETURN };

/* A value that could not be read is a bit in `faults`, so there are at most 32 a record. */
#define RT_MAX_VALUES 32

/*
 * The probe language, of the command line and of probes/ files.  A specification is a place and
 * what to show of its calls:
 *
 *	[LIBRARY:]NAME[:NARGS]		NAME: a function, a glob, a /regex/, NAME@file.c,
 *	                      		NAME+offset, 0xADDRESS
 *	a C prototype			'robj *createStringObject(const char *ptr, size_t len)',
 *	             			LIBRARY: before it or not
 *	NAME(ITEM, ...) -> TYPE errno	items: parameters as in C, names and what is reached from
 *	                             	them, conditions
 *	NAME n=%di:s32 s=+0(%si):string	the kernel's words for uprobe_events
 *	[LIBRARY:]usdt:PROVIDER:NAME	a USDT probe, with items or words as for a function
 *
 * "::" belongs to a C++ name and separates nothing; neither does a blank in a library's path.
 */

/* Characters of a function's name. */
enum { RT_NAME_MOST = 1 << 13 };

/* A way from a value to one that is reached from it: p->next->id, *p, v[2]. */
enum rt_step_kind {
	RT_STEP_DEREF,		/* *p */
	RT_STEP_MEMBER,		/* s.name */
	RT_STEP_ARROW,		/* p->name */
	RT_STEP_INDEX,		/* v[index], v an array or a pointer */
};

struct rt_step {
	enum rt_step_kind kind;
	const char *name;
	int64_t index;
	unsigned column;		/* its place in the specification, from 1 */
};

struct rt_expr {
	const char *param;		/* a parameter's name */
	unsigned column;
	const struct rt_step *steps;	/* in the order in which they are taken */
	unsigned nsteps;
	const char *text;		/* as written, for the output */
};

/*
 * A value that the user wants to see, in place of the function's arguments or beside the declared
 * ones.
 */
struct rt_shown {
	struct rt_expr expr;
	enum rt_style style;		/* RT_STYLE_TYPE: none was asked for */
	const struct rt_ctype *type;	/* the enum or flags that was asked for, or NULL */
};

enum rt_op {
	RT_OP_EQ,
	RT_OP_NE,
	RT_OP_LT,
	RT_OP_LE,
	RT_OP_GT,
	RT_OP_GE,
	RT_OP_AND /* any of the bits is set */,
	RT_OP_BEGINS
};

/* Join a condition with those before it; && binds tighter. */
enum rt_join {
	RT_JOIN_ITEM /* of an item of its own: all items must hold */,
	RT_JOIN_AND,
	RT_JOIN_OR
};

/*
 * The value that a condition compares.  All but an argument are known when the call ends, and one
 * item does not join them with arguments by "||".
 */
enum rt_subject {
	RT_OF_ARGUMENT,
	RT_OF_RESULT,			/* "return": expr.param says so, and has no other meaning */
	RT_OF_ERRNO,
	RT_OF_TIME,			/* of the call, in ns */
};

/* A call is shown only where its conditions hold. */
struct rt_condition {
	enum rt_join join;
	enum rt_subject subject;
	struct rt_expr expr;
	enum rt_op op;
	enum { RT_OPERAND_NUMBER, RT_OPERAND_STRING, RT_OPERAND_NAME } operand;
	int64_t number;
	const char *string;		/* the string's bytes, or an enumerator's name */
	size_t length;			/* of the string; it may hold no NUL */
	unsigned column;		/* of the operand */
};

/* One of the kernel's words: [NAME=]FETCH[:TYPE] (Documentation/trace/uprobetracer.rst). */
enum rt_word_base {
	RT_WORD_REG,			/* %reg */
	RT_WORD_STACK,			/* $stack: the stack pointer */
	RT_WORD_STACK_SLOT,		/* $stackN */
	RT_WORD_RESULT,			/* $retval: read at the return */
	/* $argN: where C passes the slot'th argument, an integer as all before it */
	RT_WORD_ARGUMENT,
	RT_WORD_COMM,			/* $comm: the thread's name */
	RT_WORD_CONSTANT,		/* \N; @ADDRESS is the word in memory at N */
};

enum rt_word_type {
	RT_WORD_UNSIGNED,
	RT_WORD_SIGNED,
	RT_WORD_HEX,
	RT_WORD_CHAR,
	RT_WORD_STRING,
	RT_WORD_BITS
};

#define RT_MAX_WORD_DEREF 4

struct rt_word {
	const char *name;		/* NULL: none given */
	const char *text;		/* as written */
	unsigned column;
	enum rt_word_base base;
	const char *reg;		/* RT_WORD_REG, without '%', */
	unsigned reg_column;		/* which stands here */
	unsigned slot;			/* RT_WORD_STACK_SLOT; RT_WORD_ARGUMENT: which, from 1 */
	uint64_t constant;		/* RT_WORD_CONSTANT */
	unsigned nderef;
	int32_t deref[RT_MAX_WORD_DEREF];	/* in the order in which they are done */
	enum rt_word_type type;
	/* bytes of the integer, or of a bit-field's container: 1, 2, 4, 8 */
	unsigned size;
	unsigned bits, bit;		/* RT_WORD_BITS: how many, from which on */
	unsigned count;			/* elements of an array; 0: it is none */
};

struct rt_spec {
	char *text;			/* as given */
	char *lib;			/* library name or path, NULL: the program itself */
	/* a USDT probe's provider, name or glob, and `function` is the probe's; NULL: a function */
	char *provider;
	/* name, glob or regular expression; of an address, the address as written */
	char *function;
	char *file;			/* the source file of NAME@file.c, or NULL */
	/* more than one function may be meant: a glob or a regular expression */
	bool glob;
	/* the glob means what is linked into every program too (_start); not set by the parser */
	bool c_runtime;
	/* a compiled POSIX extended regular expression (rt_spec_regex), or NULL */
	void *regex;
	bool has_address, has_offset;
	uint64_t address;		/* virtual, as the file has it */
	uint32_t offset;		/* bytes behind the function's entry */
	unsigned column;		/* of the name, from 1 */
	/* bytes of a pointer in the programs that it is for; 0: not known */
	unsigned word;

	/* arguments to print where nothing tells their types; 1 unless given */
	unsigned nargs;
	bool nargs_given;
	struct rt_types *types;		/* owns all below */
	/*
	 * With `params_given` the parameters, with `result_given` the result; of the others nothing
	 * was said.
	 */
	const struct rt_prototype *prototype;	/* NULL: neither was given */
	bool params_given, result_given;
	char *overload; /* of a prototype: its name and its parameters' types, "f(int, char
			   const*)", as C++ tells functions of one name apart; or NULL */
	bool overload_only;		/* no function of other parameters is meant */
	/*
	 * it has a name and types and nothing else: where it is C++, they say only which function
	 * is meant
	 */
	bool types_only;
	const struct rt_shown *shown;
	unsigned nshown;
	const struct rt_condition *conditions;
	unsigned nconditions;
	const struct rt_word *words;
	unsigned nwords;
};

/* Has it conditions that the call's entry decides; its end? */
bool rt_spec_tests_entry(const struct rt_spec *spec);
bool rt_spec_tests_end(const struct rt_spec *spec);
/* The first condition on `subject`; NULL: there is none. */
const struct rt_condition *rt_spec_condition(const struct rt_spec *spec, enum rt_subject subject);

/*
 * Named types, as probes/ files define them.  Names that it has not are unknown types
 * (RT_CT_UNKNOWN).
 */
struct rt_scope;

/*
 * Parse `text` for programs of `arch`; its word is the size of long and of pointers.  `scope`
 * may be NULL, and must outlive the specification.  Returns 0, or a negative errno with a message
 * that names the column.  Free with rt_spec_free.
 */
int rt_spec_parse(const char *text, const struct rt_arch *arch, const struct rt_scope *scope,
		  struct rt_spec *spec, struct rt_error *err);
void rt_spec_free(struct rt_spec *spec);

/* Does the specification's regular expression, which it must have, match the name? */
bool rt_spec_regex(const struct rt_spec *spec, const char *name);

/*
 * Which parameter a name in an expression means: the one of that name, or by argN (or $argN) the
 * Nth.  -1: none.
 */
int rt_spec_param(const struct rt_prototype *p, const char *name);

/*
 * The prototype by which a function is shown: what the specification gives, and of the rest what is
 * `known` of it (NULL: nothing, and argN is an int).  Types that the specification names and does
 * not know are looked up with `find`, which returns NULL where there is none; `has` tells whether
 * the function's own symbol has the type's name in it, as those of C++ do.  The result is in
 * `types`' memory, or `known` itself.  0, or a usage error for a name that is none of the
 * parameters', or a type by value of which nothing is known.
 */
struct rt_type_finder {
	const struct rt_ctype *(*find)(void *ctx, const char *name);
	bool (*has)(void *ctx, const char *name);
	void *ctx;
};
int rt_spec_prototype(const struct rt_spec *spec, const struct rt_prototype *known,
		      struct rt_types *types, const struct rt_type_finder *finder /* may be NULL */,
		      const struct rt_prototype **prototype, struct rt_error *err);

/*
 * The name of a C++ function with its parameters (at `parameters`, inside `name`) as its symbol
 * has them: uint64_t and "long unsigned int" as unsigned long, no "struct" before a type.  `word`:
 * the bytes of a pointer.  `alias` (NULL: nobody knows) puts what a typedef's `name` means
 * into `text`; false: it is none.  To be freed; NULL: out of memory.
 */
typedef bool (*rt_spec_alias)(void *ctx, const char *name, char *text, size_t size);
char *rt_spec_overload(const char *name, const char *parameters, unsigned word, rt_spec_alias alias,
		       void *ctx);

/*
 * The parameters in the name of a C++ function, as a demangler prints them: `text` is "int, char
 * const*", the text between the parentheses.  `v` has room for `max`, and the types are in
 * `types`' memory; of those that are known by name alone nothing more is known.  0; -EINVAL: not
 * all of it is understood; -ENOMEM.
 */
int rt_spec_parameters(const char *text, const struct rt_arch *arch, struct rt_types *types,
		       struct rt_param *v, unsigned max, unsigned *n);

/* A usage error at a column of the specification, from 1: "'TEXT': column N: expected WHAT". */
int rt_spec_expected(const struct rt_spec *spec, unsigned column, struct rt_error *err,
		     const char *fmt, ...) RT_PRINTF(4, 5);

#endif
