/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_CURSOR_H
#define RT_LANG_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "lang/spec.h"
#include "lang/type.h"
#include "base/error.h"

/* Shared by the files of src/lang only: the place of a parser in a text. */
struct rt_cursor {
	const char *text;		/* the whole of it, for messages */
	const char *at, *end;		/* *end need not be NUL */
	const struct rt_arch *arch;
	struct rt_types *types;
	const struct rt_scope *scope;	/* may be NULL */
	/* takes the named types that are defined here; NULL: nobody does */
	struct rt_scope *defines;
	unsigned depth;			/* of nesting, which is limited */
	struct rt_error *err;
};

enum { RT_SPEC_DEPTH = 24, RT_SPEC_PARAMS = 64, RT_SPEC_STEPS = 16 };

/* "'TEXT': column N: expected WHAT", with `at` in the text.  Returns -EINVAL. */
int rt_expected(const struct rt_cursor *c, const char *at, const char *fmt, ...) RT_PRINTF(3, 4);
unsigned rt_cursor_column(const struct rt_cursor *c, const char *at);

/* Blanks, newlines and C comments. */
void rt_skip_blanks(struct rt_cursor *c);
/* The next character that is no blank; '\0' at the end. */
char rt_peek(struct rt_cursor *c);
/* Pass over `token`, if it comes next. */
bool rt_take(struct rt_cursor *c, const char *token);
int rt_want(struct rt_cursor *c, const char *token, const char *what);

/*
 * The length of the C identifier at `at`, "::" parts and a template's arguments included where
 * `scoped`; 0: there is none.
 */
size_t rt_identifier(const struct rt_cursor *c, const char *at, bool scoped);
/* Count the bytes of "<...>" at `at`, if it is closed and no comparison; 0: it is none. */
size_t rt_template(const char *at, const char *end);
bool rt_is_word(const char *at, size_t n, const char *word);
/* The place behind the parenthesis, bracket or brace that matches the one at `at`; NULL: none. */
const char *rt_matching(const struct rt_cursor *c, const char *at);

/*
 * A number (decimal, 0x, octal, 'c', with a sign and C's suffixes), or a constant expression of
 * them and enumerators.
 */
int rt_parse_number(struct rt_cursor *c, int64_t *value);
int rt_parse_constant(struct rt_cursor *c, const struct rt_enumerator *known, unsigned nknown,
		      int64_t *value);
/* A string in double quotes, with C's escapes; in the types' memory. */
int rt_parse_string(struct rt_cursor *c, const char **string, size_t *length);

/* aggregate.c: the type that C, POSIX or Linux headers give this name, or NULL. */
const struct rt_ctype *rt_standard_type(struct rt_cursor *c, const char *name, size_t n);
/*
 * The same in the words of the language: uint64_t is "unsigned long", where a pointer has `word`
 * bytes of 8.  NULL: it has no other name.
 */
const char *rt_standard_basic(const char *name, size_t n, unsigned word);

/* probes.c: a named type ("struct stat", "enum whence", "z_stream"), or NULL; and a new one. */
const struct rt_ctype *rt_scope_find(const struct rt_scope *scope, const char *name, size_t n);
int rt_scope_add(struct rt_scope *scope, const char *name, const struct rt_ctype *type);

/*
 * declare.c: the words before a declarator ("static const unsigned long", "struct foo", "hex"),
 * and declarators.  `abstract`: the name may be missing.  `head`: it is a function's result, where
 * every name that is not known is a macro if a type is.
 */
struct rt_specifiers {
	const struct rt_ctype *type;
	enum rt_style style;
	bool is_out, is_in, any_type;	/* is_in: "inout"; any_type: not only a style */
	bool is_const;
	const char *at;			/* where the type begins */
};
struct rt_declarator {
	const char *name;		/* NULL: none */
	const char *at;			/* of the name */
	const struct rt_ctype *type;
	/* the name between the brackets of the outermost array, which is not known yet */
	const char *length;
	size_t length_n;
	const char *most;		/* and the name behind "<=" there, a bound */
	size_t most_n;
};
int rt_parse_specifiers(struct rt_cursor *c, bool head, struct rt_specifiers *s);
/* A function, its parameters as they were written.  NULL: out of memory. */
const struct rt_ctype *rt_function_type(struct rt_types *types, const struct rt_ctype *result,
					const char *parameters, size_t n);
/*
 * Pointers, references and their qualifiers before a declarator; is the type const, before and
 * after?
 */
int rt_parse_pointers(struct rt_cursor *c, const struct rt_ctype **type, bool *is_const);
int rt_parse_declarator(struct rt_cursor *c, const struct rt_ctype *base, bool is_const,
			struct rt_declarator *d);
/* `type` as one with `style`, itself where that says nothing new. */
const struct rt_ctype *rt_styled(struct rt_cursor *c, const struct rt_ctype *type,
				 enum rt_style style);
/* The type that "string", "fd" and "errno" (RT_STYLE_*) stand for without a type. */
const struct rt_ctype *rt_default_type(struct rt_cursor *c, enum rt_style style);
/* Does a declaration begin here, and no expression?  `full`: a name alone is a type. */
bool rt_begins_declaration(struct rt_cursor *c, bool full);
/* Pass over "__attribute__((...))" and the like; true if there was one. */
bool rt_skip_attribute(struct rt_cursor *c);

/* aggregate.c: the type of C or a standard typedef with a name like this one; NULL: none. */
const char *rt_nearest_type(const char *name);

/* declare.c: the words of C's basic types that were seen. */
struct rt_basic {
	bool is_signed, is_unsigned, is_short, is_char, is_int, is_float, is_double, is_void,
		is_int128, is_complex;
	unsigned nlong;
	bool any;
	bool clash;	/* the last word does not go with those before it */
};
/* Take note of the word; false: it is none of theirs. */
bool rt_basic_word(const char *at, size_t n, struct rt_basic *b);
/* <complex.h>'s "complex", beside float or double alone: it is a good name for a variable. */
bool rt_basic_complex(const struct rt_cursor *c, const char *at, size_t n, struct rt_basic *b);
/* The word of C that a word, which is none, is written like; NULL: none. */
const char *rt_basic_misspelt(const char *at, size_t n);
const struct rt_ctype *rt_basic_type(struct rt_cursor *c, const struct rt_basic *b);

/* aggregate.c: behind "struct", "union", "enum" or "flags". */
int rt_parse_tagged(struct rt_cursor *c, enum rt_ctype_kind kind, bool is_flags,
		    const struct rt_ctype **type);

/*
 * items.c: the text between the parentheses; the cursor is behind '('.  `full`: a result's type
 * was given.
 */
int rt_parse_items(struct rt_cursor *c, struct rt_spec *spec, struct rt_prototype *prototype,
		   bool full);

/*
 * resolve.c: the words before a function's name ("static robj *"); and behind its parameters: a
 * result, errno, what headers have there.
 */
int rt_parse_result(struct rt_cursor *c, const char *start, const char *name,
		    struct rt_prototype *prototype);
int rt_parse_trailer(struct rt_cursor *c, struct rt_prototype *prototype);

/*
 * resolve.c: the expressions of what is shown, then of the conditions.  Do the parameters have
 * names, or could they have?
 */
const struct rt_expr *rt_spec_expr(const struct rt_spec *spec, unsigned i);
bool rt_spec_knows_names(const struct rt_prototype *p);

/*
 * resolve.c: N of "argN" and "$argN", 0 for other names; and errors that say what is known and what
 * to write: of a name that is none of the parameters', in expression `i`, and of a type of which
 * nothing is known, which begins at that column.
 */
unsigned rt_spec_number(const char *name);
int rt_spec_no_param(const struct rt_spec *spec, unsigned i, const struct rt_prototype *p,
		     struct rt_error *err);
int rt_spec_no_type(const struct rt_spec *spec, unsigned column, const struct rt_ctype *type,
		    struct rt_error *err);

/* words.c: the kernel's words, up to the end. */
int rt_parse_words(struct rt_cursor *c, struct rt_spec *spec);

#endif
