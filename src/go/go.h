/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_GO_GO_H
#define RT_GO_GO_H

#include "arch/go_code.h"
#include "elf/image.h"
#include "go/pclntab.h"
#include "lang/type.h"

/* Facts in the file of a Go program, stripped or not. */
struct rt_go {
	unsigned minor;			/* it was built by Go 1.`minor`; 0: that is not known */
	char version[32];		/* "go1.19.8", or "" */
	/* arguments are passed in registers: since 1.17 on x86-64, 1.18 elsewhere */
	bool registers;
	bool has_table;
	struct rt_pclntab table;
	uint8_t *bytes;			/* the table's, owned */
	uint64_t table_addr;
	/* in how many bytes from a thread's thread pointer its goroutine (runtime.g) is, */
	bool g_known;
	int32_t g_at;			/* as the code of stack checks has it (x86-64) */
	bool goid_read;
	uint32_t goid;			/* rt_go_goid_offset's */
	bool types_read;
	/* rt_go_types: where the records of types begin and end, 0: not known, */
	uint64_t types[2];
	uint64_t data;			/* and what rt_pclntab_data counts from (since Go 1.18) */
};

/*
 * Read at the first call and the image's own; NULL: no Go program, or a damaged one, or no memory.
 */
const struct rt_go *rt_image_go(struct rt_image *image);

/*
 * Is a Go function's entry at `addr`?  Then `*skip` is the distance to its probe, behind what may
 * begin anew: each call passes there once, with its arguments, the stack pointer and (in the
 * register that has it) the goroutine as they were at the entry.
 */
bool rt_go_place(struct rt_image *image, uint64_t addr, uint32_t *skip);

/*
 * The frame of the Go function at `addr`, to find its caller: so many bytes are between the
 * stack pointer and the entry's.  False: not known, or the function runs on another stack than its
 * caller.
 */
struct rt_go_depth {
	uint32_t bytes;
	bool is_outermost;		/* there is no caller */
};
bool rt_go_depth(struct rt_image *image, uint64_t addr, struct rt_go_depth *depth);

/*
 * `place` is runtime.recovery: its address becomes that of the instruction by which a goroutine is
 * resumed in the function that has recovered from a panic, where the first register of Go's has the
 * address of its runtime.gobuf.  False: no such instruction is known.
 */
bool rt_go_recovery(struct rt_image *image, struct rt_symbol *place);
/* Is `addr` in Go code?  So it counts where the table is not known. */
bool rt_go_is_code(struct rt_image *image, uint64_t addr);

/*
 * The offset of the id in the runtime's record of a goroutine (runtime.g), by debug information,
 * else by the version; 0: not known.  The record begins with the two ends of its stack.
 */
uint32_t rt_go_goid_offset(struct rt_image *image);

/*
 * The runtime's kinds of types (internal/abi/type.go): these, the integers and floats between them,
 * and others.
 */
enum {
	RT_GO_BOOL = 1,
	RT_GO_INT,
	RT_GO_INT8,
	RT_GO_INT16,
	RT_GO_INT32,
	RT_GO_INT64,
	RT_GO_UINT,
	RT_GO_UINT8,
	RT_GO_UINT16,
	RT_GO_UINT32,
	RT_GO_UINT64,
	RT_GO_UINTPTR,
	RT_GO_FLOAT32,
	RT_GO_FLOAT64,
	RT_GO_STRING = 24
};

/* Reads `types` and `data`, once.  False: they are not known. */
bool rt_go_types(struct rt_image *image);

/*
 * Go 1.18 and later describe a function's arguments, for Go's own tracebacks and to grow the stack.
 */
enum { RT_GO_INFO_MAX = 171 };

/* Generic functions, and those inside them, lack the description of their first argument. */
enum rt_go_first {
	RT_GO_FIRST_DESCRIBED, /* it is described all the same */
	RT_GO_FIRST_TYPES,     /* it tells of the types, and is none of the source */
	RT_GO_FIRST_RECEIVER,  /* it is a method's receiver, and the second tells of the types */
	RT_GO_FIRST_OWN,       /* it is as any other */
};

struct rt_go_frame {
	uint8_t info[RT_GO_INFO_MAX + 2];	/* FUNCDATA_ArgInfo, and 0xff at the end */
	uint8_t spills[RT_GO_SPILLS_MAX];	/* code that puts the registers into the frame, */
	bool proven;				/* where there is such, */
	const struct rt_go_code *code;		/* of its machine */
	bool on_stack;				/* none is in a register */
	enum rt_go_first first;
	uint32_t args;				/* rt_go_function's */
};

/* False: nothing is known of the arguments of `own`. */
bool rt_go_frame(struct rt_image *image, const struct rt_go_function *own, bool on_stack,
		 struct rt_go_frame *frame);

/*
 * go_args.c: the arguments as numbers, and structures of them, without names: the prototype's
 * params, made in `memory`, and its origin.  Unknown arguments become one of an unknown type, also
 * behind known ones.  0 or -ENOMEM.
 */
int rt_go_read_arguments(const struct rt_go_frame *frame, struct rt_types *memory,
			 struct rt_prototype *p);

/*
 * The name and the kind of the type with its record at `addr`, as the program is linked:
 * "*errors.errorString".  False: not known.
 */
bool rt_go_type_name(struct rt_image *image, uint64_t addr, char *buf, size_t size, unsigned *kind);

#endif
