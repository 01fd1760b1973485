/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_VALUE_H
#define RT_OUTPUT_VALUE_H

#include "output/sink.h"

/*
 * The values of a call, one typed value after the other, for every sink: formats print from them
 * and need neither the record's bytes, nor types, nor the process.
 *
 * A group is a value of its kind, its members, and a value of its kind with `end`:
 *
 *	draw({.x=1, .y=2}, A|B)		STRUCT, NUMBER x, NUMBER y, STRUCT end,
 *					FLAGS, FLAG A, FLAG B, FLAGS end
 */
enum rt_value_kind {
	RT_VALUE_NONE,
	/* Groups: of a call, */
	RT_VALUE_ARGS,		/* only in rt_value.in */
	RT_VALUE_RESULTS,	/* only in rt_value.in */
	RT_VALUE_OUTS,		/* parameters that the function has filled in */
	/* and of a value. */
	RT_VALUE_STRUCT,	/* members with names */
	RT_VALUE_TUPLE,		/* members by number */
	RT_VALUE_UNNAMED,	/* members without known names */
	RT_VALUE_ARRAY,
	RT_VALUE_VARIANT,	/* of an enum of Rust: `text` is its name; one value */
	RT_VALUE_HELD,		/* what an interface of Go holds: `text` is its type; one value */
	RT_VALUE_FLAGS,		/* RT_VALUE_FLAG, RT_VALUE_BITS */
	/* Values. */
	RT_VALUE_NUMBER,	/* `number`, which is a magnitude, and `negative` */
	RT_VALUE_HEX,		/* an address may have `bytes`: the text there, by a guess */
	RT_VALUE_OCTAL,
	/* 128 bits, for which RT_VALUE_NUMBER is too small: `high`, `number` */
	RT_VALUE_WIDE,
	RT_VALUE_BOOL,
	RT_VALUE_FLOAT,		/* `len` bytes; `quad`: 16, and not the x87's */
	RT_VALUE_CHAR,		/* a byte */
	RT_VALUE_UNICODE,	/* a code point beyond ASCII */
	RT_VALUE_TEXT,		/* `len` bytes; `cut`: there is more of it */
	/* `text`: an enumerator, a function, why there is no value ("<unreadable>") */
	RT_VALUE_WORD,
	RT_VALUE_NULL,		/* a null pointer */
	RT_VALUE_NIL,		/* Go's */
	RT_VALUE_BAD,		/* `number`: an address; what is there could not be read */
	RT_VALUE_ERRNO,		/* a number, and its name in `text` */
	RT_VALUE_FD,		/* a number, and in `text` what it is */
	RT_VALUE_FLAG,		/* `text` */
	RT_VALUE_BITS,		/* flags without a name, or none: 0 */
	RT_VALUE_MORE,		/* further members or elements, which are not here */
	/* for a result, which is in no group */
	RT_VALUE_VOID,		/* there is none */
	RT_VALUE_GUESSED,	/* there may be none: what was just given is a guess */
	/* the call has failed: errno is `number`, `text` its name or NULL */
	RT_VALUE_FAILED,
	/* the same of a call inside, and the result looks like a failure */
	RT_VALUE_FAILED_INSIDE,
};

/* All that it points to is valid until the function that takes it returns. */
struct rt_value {
	enum rt_value_kind kind;
	bool end;			/* a group's end */
	enum rt_value_kind in;		/* the group; RT_VALUE_NONE: a variant, an object held */
	unsigned index;			/* in the group */
	const char *name;		/* of an argument or a member, or NULL */
	bool repeated;			/* an earlier argument has this name */
	uint64_t number, high;
	bool negative;
	const char *text;
	const uint8_t *bytes;
	size_t len;
	bool cut, quad;
};

typedef void rt_value_fn(void *ctx, const struct rt_value *value);

/* Give the arguments of a call of `function`, or its result, to `take`. */
void rt_values_of_entry(const struct rt_trace *trace, pid_t pid, uint32_t function,
			const struct rt_values *args, rt_value_fn *take, void *ctx);
void rt_values_of_return(const struct rt_trace *trace, pid_t pid, uint32_t function,
			 const struct rt_values *result, rt_value_fn *take, void *ctx);

/* errno of a call that failed and has it in its prototype; else 0, and for a recording. */
int32_t rt_values_errno(const struct rt_trace *trace, uint32_t function,
			const struct rt_values *result);

/* Is the result -1, or a null pointer, of a function whose failures are not known? */
bool rt_values_look_failed(const struct rt_trace *trace, uint32_t function,
			   const struct rt_values *result);

#endif
