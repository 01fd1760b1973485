/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_GO_PCLNTAB_H
#define RT_GO_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The table that Go programs keep of their functions for their own tracebacks; stripping leaves it.
 * Its layout changed in Go 1.16, 1.18 and 1.20; those of 64-bit programs are read.  Its bytes come
 * from the file and may be anything.
 */
struct rt_pclntab {
	const uint8_t *bytes;		/* not owned; as the loader would relocate them */
	size_t size;
	unsigned since;			/* Go 1.`since` introduced the layout: 2, 16, 18 or 20 */
	uint8_t quantum;		/* code addresses are counted in so many bytes */
	uint64_t count;			/* functions */
	/* since 18: what their addresses count from; 0: not in the table (from Go 1.26 on) */
	uint64_t text;
	/* byte offsets: of what names, pcsp and the list of functions count from */
	uint64_t names, deltas, functions;
	uint64_t list;				/* byte offset of the list */
};

struct rt_go_function {
	const char *name;		/* in the table's bytes: "main.(*T).Method" */
	uint64_t addr, end;		/* virtual addresses; padding may be before the end */
	uint32_t args;			/* bytes of arguments and results on the stack */
	/*
	 * so many bytes from its entry it continues after a panic that it recovers from; 0: it does
	 * not
	 */
	uint32_t recovers;
	uint32_t pcsp;			/* for rt_pclntab_frame, */
	uint64_t record;		/* and rt_pclntab_data */
	bool assembly;			/* it is written in assembly; false before 1.18 */
	bool is_outermost;		/* it has no caller: runtime.goexit; false before 1.18 */
	bool switches_stack;		/* it sets the stack pointer; false before 1.18 */
};

/*
 * Is there such a table at the beginning of the `n` bytes?  0, -ENOENT, or -EBADMSG where it does
 * not hold together.
 */
int rt_pclntab_open(const uint8_t *bytes, size_t n, struct rt_pclntab *table);

/* Function `i`.  False: there is none, or what the table says of it is nonsense. */
bool rt_pclntab_function(const struct rt_pclntab *table, uint64_t i,
			 struct rt_go_function *function);

/* The function with `addr` in its code.  False: none. */
bool rt_pclntab_find(const struct rt_pclntab *table, uint64_t addr,
		     struct rt_go_function *function);

/*
 * Find the instruction that makes the stack frame: `*at` gets the number of bytes from the entry to
 * behind the first one that moves the stack pointer, 0: none does (a leaf).  False: the table does
 * not tell.
 */
bool rt_pclntab_frame(const struct rt_pclntab *table, const struct rt_go_function *function,
		      uint32_t *at);

/*
 * Find how far the stack pointer is below the entry's when the instruction at `addr` of the
 * function is executed.  False: the table does not tell.
 */
bool rt_pclntab_depth(const struct rt_pclntab *table, const struct rt_go_function *function,
		      uint64_t addr, uint32_t *depth);

/*
 * Other data of the compiler about the function (FUNCDATA `i`, internal/abi/symtab.go).  `*at` is
 * its distance from the beginning of the module's data, since 1.18.  False: there is none.
 */
bool rt_pclntab_data(const struct rt_pclntab *table, const struct rt_go_function *function,
		     unsigned i, uint64_t *at);

#endif
