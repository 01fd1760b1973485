/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_GO_GO_H
#define RT_GO_GO_H

#include "elf/image.h"
#include "go/pclntab.h"
#include "lang/type.h"

/* What the file of a Go program says of it, stripped or not. */
struct rt_go {
	unsigned minor;			/* it was built by Go 1.`minor`; 0: that is not known */
	char version[32];		/* "go1.19.8", or "" */
	/* arguments are passed in registers: since 1.17 on x86-64, 1.18 elsewhere */
	bool registers;
	bool has_table;
	struct rt_pclntab table;
	uint8_t *bytes;			/* the table's, owned */
	uint64_t table_addr;
	/* in how many bytes from a thread's thread pointer its goroutine (runtime.g) stands, */
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
 * A call whose stack must grow comes back to the function's entry and begins once more.  How many
 * bytes of the `n` at a function's entry are the check of the stack, 0: it has none.  The longest
 * has less than RT_GO_CHECK_MAX.
 */
enum { RT_GO_CHECK_MAX = 80 };
uint32_t rt_go_past_check(const uint8_t *bytes, size_t n);
uint32_t rt_go_past_check_aarch64(const uint8_t *bytes, size_t n);
/*
 * What aarch64 takes several instructions for (a large number, a variable's address) is made in x27
 * by all but the last of them, and begun anew where the scheduler has stopped a goroutine in
 * between.  How many bytes stand before that last one, 0: there is no such thing.
 */
uint32_t rt_go_past_temporary_aarch64(const uint8_t *bytes, size_t n);

/*
 * Is a Go function's entry at `addr`?  Then `*skip` is where its probe stands, behind what may
 * begin anew: each call passes there once, with its arguments, the stack pointer and (in the
 * register that has it) the goroutine as they were at the entry.
 */
bool rt_go_place(struct rt_image *image, uint64_t addr, uint32_t *skip);

/*
 * `place` is runtime.recovery: its address becomes that of the instruction by which a goroutine is
 * resumed in the function that has recovered from a panic, where the first register of Go's has the
 * address of its runtime.gobuf.  False: no such instruction is known.
 */
bool rt_go_recovery(struct rt_image *image, struct rt_symbol *place);
/*
 * Do the 8 bytes, up to the instruction at `addr`, call a function with the first register on the
 * stack?
 */
bool rt_go_calls_aarch64(const uint8_t *bytes, uint64_t addr, uint64_t *target);

/* Is `addr` in Go code?  So it counts where the table is not known. */
bool rt_go_is_code(struct rt_image *image, uint64_t addr);

/*
 * By the first stack check that gets the goroutine by the thread pointer: `*at` is how far from
 * that it stands.  False: none of the `n` bytes' check does, and those that get it by a table of
 * the linker's do not tell.
 */
bool rt_go_thread_offset(const uint8_t *bytes, size_t n, int32_t *at);

/*
 * Where the runtime's record of a goroutine (runtime.g) has its id, by debug information, else by
 * the version; 0: not known.  The record begins with the two ends of its stack.
 */
uint32_t rt_go_goid_offset(struct rt_image *image);

/* Of the goroutine's record itself, up to Go 1.16: it is in this register behind a stack check. */
extern const struct rt_reg rt_go_checked;

/*
 * What the runtime calls a type's kind (internal/abi/type.go): these, the integers and floats
 * between them, and others.
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
 * What a program of Go 1.18 or later has of a function's arguments, for Go's own tracebacks and to
 * grow the stack.
 */
enum { RT_GO_INFO_MAX = 171, RT_GO_SPILLS_MAX = 288 };

/* Of generic functions and what is in them the first argument is not told of. */
enum rt_go_first {
	RT_GO_FIRST_DESCRIBED, /* it is */
	RT_GO_FIRST_TYPES,     /* it tells of the types, and is none of the source */
	RT_GO_FIRST_RECEIVER,  /* it is a method's receiver, and the second tells of the types */
	RT_GO_FIRST_OWN,       /* it is as any other */
};

struct rt_go_frame {
	uint8_t info[RT_GO_INFO_MAX + 2];	/* FUNCDATA_ArgInfo, and 0xff at the end */
	uint8_t spills[RT_GO_SPILLS_MAX];	/* code that puts the registers into the frame, */
	bool proven;				/* where there is such, */
	bool aarch64;				/* of this machine */
	bool on_stack;				/* none is in a register */
	enum rt_go_first first;
	uint32_t args;				/* rt_go_function's */
};

/* A register of arguments that is put into the frame. */
struct rt_go_spill {
	uint32_t at;		/* in the frame */
	uint8_t size;
	bool floating;
};

/*
 * The instruction at `p` (4 bytes) as one that puts the next register there, or the next two.  How
 * many were so far is counted in `*general` and `*floating`.  How many it is, 0: it is no such
 * instruction.
 */
unsigned rt_go_spills_aarch64(const uint8_t *p, struct rt_go_spill v[2], unsigned *general,
			      unsigned *floating);

/* False: nothing is known of the arguments of `own`. */
bool rt_go_frame(struct rt_image *image, const struct rt_go_function *own, bool on_stack,
		 struct rt_go_frame *frame);

/*
 * go_args.c: the arguments as numbers, and structures of them, without names: the prototype's
 * params, made in `memory`, and its origin.  Where they are not known there is one of an unknown
 * type, as well as behind those that are.  0 or -ENOMEM.
 */
int rt_go_read_arguments(const struct rt_go_frame *frame, struct rt_types *memory,
			 struct rt_prototype *p);

/*
 * The name and the kind of the type whose record is at `addr`, as the program is linked:
 * "*errors.errorString".  False: not known.
 */
bool rt_go_type_name(struct rt_image *image, uint64_t addr, char *buf, size_t size, unsigned *kind);

#endif
