/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_TYPE_H
#define RT_LANG_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The types of arguments and results, from any source: a prototype that the user wrote, DWARF, a
 * file of prototypes, or a look at the machine code.  The stages below know types by this alone.
 * Names of typedefs and volatile are resolved away; what is left is what tells how a value is
 * passed, read and printed, and const.  A graph: types refer to each other, also in circles (a
 * list's node).
 */
enum rt_ctype_kind {
	RT_CT_VOID,
	RT_CT_UNKNOWN,		/* its name is all that is known: `size` 0 */
	RT_CT_BOOL,
	RT_CT_CHAR,		/* one byte of text, signed or not; a pointer to it is a string */
	RT_CT_INT,		/* `is_signed` tells */
	RT_CT_FLOAT,		/* of size 4, 8, 10 or 16 */
	RT_CT_ENUM,		/* `values`; `is_flags`: printed as A|B */
	RT_CT_POINTER,		/* to `target` */
	RT_CT_REFERENCE,	/* C++: a pointer that is printed as what it refers to */
	/* what a function pointer leads to: its value is printed as a function's name */
	RT_CT_FUNCTION,
	RT_CT_ARRAY,		/* `count` times `target` */
	RT_CT_STRUCT, RT_CT_UNION,	/* `members`; C++ classes too */
	/* Rust's enum: `members` are the variants, each a struct; `tag` tells which */
	RT_CT_VARIANT,
};

/* The way to print an integer if its type does not say it. */
enum rt_style {
	RT_STYLE_TYPE,		/* as its type wants it */
	RT_STYLE_DEC, RT_STYLE_HEX, RT_STYLE_OCT, RT_STYLE_CHAR,
	RT_STYLE_FD,		/* a file descriptor: -y shows its path */
	RT_STYLE_STRING,	/* a pointer: to a NUL-terminated string, whatever its type */
	RT_STYLE_ERRNO,		/* a number as errno has them: with its name */
	/*
	 * nobody knows its type: decimal, or hexadecimal where it could be an address; a pointer:
	 * with the text there, if it is text
	 */
	RT_STYLE_GUESSED,
	/*
	 * nor how much of the register is meant: an int, where no more than that is in it, or else
	 * as GUESSED
	 */
	RT_STYLE_REGISTER,
};

struct rt_member {
	/* NULL: anonymous; its members are printed as the outer one's */
	const char *name;
	const struct rt_ctype *type;
	uint32_t offset;		/* bytes */
	/* a bit-field: from the lowest bit of the byte at `offset`; bit_size 0: none */
	uint8_t bit_offset, bit_size;
	uint64_t tag;			/* of a VARIANT: the value of the tag that means it */
	bool tag_default;		/* of a VARIANT: meant by every tag that no other one has */
};

struct rt_enumerator {
	const char *name;
	int64_t value;
	/*
	 * of flags: meant where the bits of the mask are those of the value; 0: where all of the
	 * value's are set
	 */
	uint64_t mask;
};

/*
 * A sequence that lies elsewhere, as many languages have them: Go's string and slice, Rust's &str,
 * String, &[T] and Vec, C++'s std::string, string_view, span.  The object holds a pointer at
 * `pointer` and the number of elements at `length`, 8 bytes each (4 in 32-bit programs).
 */
struct rt_sequence {
	const struct rt_ctype *element;	/* NULL: the type is no sequence; CHAR: it is text */
	uint16_t pointer, length;	/* byte offsets in the object */
	/*
	 * at `length` stands a pointer to the end, as in std::vector: the bytes between are the
	 * elements
	 */
	bool by_end;
	/*
	 * libc++'s short strings: where the byte at `flag` has not the bit `is_long`, it is their
	 * length, and they stand in the object, at `inside`.  0: there are none.
	 */
	uint8_t is_long;
	uint16_t flag, inside;
};

/*
 * Go's interface: two words, of which the second leads to the object.  The first leads to the
 * object's type (of an interface without methods), or to a table in which the second word does; 0:
 * nil.
 */
enum rt_interface { RT_INTERFACE_NONE, RT_INTERFACE_TYPE, RT_INTERFACE_TABLE };

struct rt_ctype {
	enum rt_ctype_kind kind;
	/* as the source has it ("size_t", "struct request"), or NULL */
	const char *name;
	uint64_t size;			/* bytes; 0: not known, or none */
	uint32_t align;			/* bytes, 0: not known */
	bool is_signed, is_flags;
	/*
	 * ARRAY: passed as one value in a vector register, never as a pointer; FLOAT: 128 bits, not
	 * the x87's
	 */
	bool is_vector;
	bool is_complex;		/* STRUCT: C's complex number, of two members */
	/* C++: not trivially copied, so the ABI passes and returns it in memory, by a pointer */
	bool by_reference;
	enum rt_style style;
	const struct rt_ctype *target;	/* FUNCTION: the result, where that is known */
	/*
	 * For printed prototypes alone: is the target const?  What C's source calls it (FILE, not
	 * struct _IO_FILE), or NULL.
	 */
	bool const_target;
	const char *target_name;
	/* FUNCTION: the text between its parentheses; NULL: not known */
	const char *parameters;
	/* POINTER: int v[4] as a parameter: to all of the array, and v[1] is an element */
	bool is_decayed;
	uint64_t count;			/* ARRAY: elements, 0: not known */
	/* ARRAY: without a number of them, a structure's last member: int v[] */
	bool is_open;
	const struct rt_member *members;
	unsigned nmembers;
	const struct rt_member *tag;	/* VARIANT; NULL: a single variant, which is always meant */
	const struct rt_enumerator *values;
	unsigned nvalues;
	struct rt_sequence sequence;
	enum rt_interface interface;
};

/* Does its value lead to an object of `target`? */
static inline bool rt_ctype_is_pointer(const struct rt_ctype *type)
{
	return type && (type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE);
}

/* Memory that is valid until rt_types_free: types and the names in them. */
struct rt_types;

struct rt_types *rt_types_new(void);			/* NULL: out of memory */
void rt_types_free(struct rt_types *types);

/*
 * `n` zeroed bytes, aligned for any of the types; a copy of a string (`n` bytes of it); a zeroed
 * type.  NULL: out of memory.
 */
void *rt_types_alloc(struct rt_types *types, size_t n);
const char *rt_types_name(struct rt_types *types, const char *name, size_t n);
struct rt_ctype *rt_types_add(struct rt_types *types, enum rt_ctype_kind kind, const char *name,
			      uint64_t size);

/* A pointer of `word` bytes to `target`. */
const struct rt_ctype *rt_types_pointer(struct rt_types *types, const struct rt_ctype *target,
					unsigned word);

/*
 * Get the slot of `key`, any address, in the memory of `types`: room for a pointer, first NULL,
 * valid until the next call.  NULL: out of memory.  It makes each type of a file one object.
 */
void **rt_types_slot(struct rt_types *types, const void *key);

/* ---- prototypes ---- */

/* The location of a parameter at the probe. */
enum rt_location_kind {
	/*
	 * where the calling convention puts it, by the types of those before it; Go: `offset` is
	 * told, 0: not, -1: it is elsewhere
	 */
	RT_LOCATION_ABI,
	RT_LOCATION_REG, /* in `reg`, a DWARF register number */
	/* the first word of it (`second` bytes, unless 0) in `reg`, the rest in `reg2` */
	RT_LOCATION_REGS,
	RT_LOCATION_STACK,   /* in memory at the stack pointer at entry + `offset` */
	RT_LOCATION_AT,	     /* in memory at the address in `reg`, + `offset` */
	RT_LOCATION_NOWHERE, /* nowhere, optimized out */
	RT_LOCATION_UNKNOWN, /* nobody says where */
	RT_LOCATION_OPERAND, /* `operand`: a USDT probe's note says it */
};

struct rt_operand;

struct rt_location {
	enum rt_location_kind kind;
	unsigned reg, reg2, second;
	/* bits of eightbytes that no location tells; RT_LOCATION_ABI: that nobody has set */
	unsigned unset;
	union {
		int64_t offset;
		const struct rt_operand *operand; /* in the memory of the prototype's types */
	};
};

enum { RT_LENGTH_RESULT = -1u >> 1, RT_UNREAD_ALL = 0xff };

struct rt_param {
	const char *name;		/* NULL: not known */
	const struct rt_ctype *type;
	struct rt_location location;
	/*
	 * The number of bytes (of a char pointer) or elements is in another parameter, `length -
	 * 1`, or RT_LENGTH_RESULT: in the result; 0: none; at most `length_max`, 0: no such bound.
	 */
	unsigned length;
	/* what is shown of it ends there: a parameter, counted likewise, or 0 */
	unsigned most;
	uint32_t length_max;
	bool is_out;			/* the function fills it in: read at the return, */
	bool is_in;			/* and as well at the entry */
	bool artificial;		/* C++'s `this` and the like */
	/*
	 * Eightbytes (bits) that the function does not read, so that LLVM sets them for nobody of
	 * the same file; where the ABI has them.
	 */
	uint8_t unread;
	/* of its type in the specification, from 1; 0: it is from elsewhere */
	unsigned column;
};

/* The default style of a parameter: an int named fd, or something_fd, is a file descriptor. */
enum rt_style rt_param_style(const struct rt_param *param);

enum rt_origin {
	RT_ORIGIN_NONE,			/* nothing is known: N ints */
	RT_ORIGIN_GIVEN,		/* the user's specification */
	RT_ORIGIN_DWARF,
	RT_ORIGIN_LIBRARY,		/* a file of prototypes */
	RT_ORIGIN_NOTE,			/* a USDT probe's note: sizes and signs */
	RT_ORIGIN_GO,			/* what Go keeps for its own tracebacks */
	RT_ORIGIN_GUESSED,		/* the machine code */
};

/* Calling conventions. */
enum rt_convention {
	RT_CONVENTION_C,		/* of the architecture's System V ABI; C++ too */
	RT_CONVENTION_GO_REGISTERS,	/* Go since 1.17 */
	RT_CONVENTION_GO_STACK,		/* Go before, and its assembly */
	/* Rust's own: only what DWARF says of locations is known, and scalars in C's registers */
	RT_CONVENTION_RUST,
};

struct rt_prototype {
	enum rt_origin origin;
	enum rt_convention convention;
	const struct rt_ctype *result;	/* VOID: none; NULL: not known */
	struct rt_location result_location; /* RT_LOCATION_ABI: where the convention has it */
	bool inlined;			/* debug information says that calls of it were */
	bool by_name;			/* guessed, with the types that are in its name */
	bool result_guessed;		/* it may have none */
	/* the compiler may have left the result away, as nobody looks at it */
	bool result_unsure;
	/* a result of -1 (NULL, for a pointer) is a failure with errno */
	bool sets_errno;
	/*
	 * nothing is filled in where the result is fails_at; `fails_unless`: where it is anything
	 * else
	 */
	bool fails, fails_unless;
	bool variadic;			/* more parameters may follow, of which nothing is known */
	int32_t fails_at;
	unsigned result_column;		/* of its type in the specification, as rt_param.column */
	const struct rt_param *params;
	/* Go: several results, each as a parameter that is_out; `result` is NULL then. */
	const struct rt_param *results;
	unsigned nparams, nresults;
};

#endif
