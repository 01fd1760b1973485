/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_CODE_H
#define RT_TESTS_CODE_H

#include "elf/image.h"

/* Machine code that is assembled from tests/unit/code; code.inc there says how it is written. */

enum code_kind { CODE_BYTES, CODE_FUNCTION, CODE_CASE };

/* From one label to the next. */
struct code_part {
	const char *name;
	const char *want;	/* of a case; else NULL */
	enum code_kind kind;
	const uint8_t *bytes;
	size_t at, size;
};

struct code {
	const struct rt_arch *arch;
	uint8_t *bytes;
	size_t n;
	struct code_part *parts;	/* by address */
	size_t nparts;
	char *names, *wants;
};

/*
 * Read what was assembled from tests/unit/code/THEME.s, such as "exits.x86_64".  It is empty if
 * there was no assembler.
 */
void code_open(struct code *code, const char *theme);
void code_close(struct code *code);

/* Can this kernel run that code, and this build decode it?  Code of aarch64 works everywhere. */
bool code_works(const struct code *code);

/* Check all cases of a theme; code_each_working() only if its code works. */
void code_each(const char *theme, void check(const struct code *code, const struct code_part *c));
void code_each_working(const char *theme,
		       void check(const struct code *code, const struct code_part *c));

/* The part of that name; ends the test if there is none. */
const struct code_part *code_part(const struct code *code, const char *name);

/*
 * Open a program that has the code, from CODE_FIRST on, with nops for the other cases.  Its symbols
 * are the functions that are for all cases, and the case `c` by the name `name`.
 */
struct rt_image *code_image(const struct code *code, const struct code_part *c, const char *name);
#define CODE_BASE 0x10000000u
#define CODE_FIRST (CODE_BASE + 0x1000)

/* Write where `address` is: "12" in `c`, else " f.cold+1" (`size` bytes at most). */
void code_place(const struct code *code, const struct code_part *c, uint64_t address, char *text,
		size_t size);

/* Fail, with the name of the case, unless `got` is as it wants. */
void code_check(const struct code *code, const struct code_part *c, const char *got, bool right);
/* The same for all of the text. */
void code_check_text(const struct code *code, const struct code_part *c, const char *got);

#endif
