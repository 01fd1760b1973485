/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_USDT_H
#define RT_ELF_USDT_H

#include "arch/operand.h"
#include "elf/image.h"

/*
 * USDT probes: places that a program's author has named, a nop each, with a note in .note.stapsdt
 * (systemtap's <sys/sdt.h>).  One probe may have many sites, each with its own arguments, and
 * sites of one probe may have different semaphores.
 *
 * A semaphore is a counter of 16 bits in the program's data: the program computes the arguments
 * and passes the site only while it is not 0.
 */
struct rt_usdt_site {
	/* without control characters; owned by the list */
	const char *provider, *name;
	const char *args;		/* for rt_operand_next; "": none */
	uint64_t address;		/* as the file is linked */
	uint64_t offset;		/* the same in the file */
	uint64_t semaphore;		/* offset of the counter in the file; 0: none */
	uint64_t semaphore_address;
};

struct rt_usdt {
	struct rt_usdt_site *v;		/* by provider, name and address */
	size_t n, cap;
	size_t damaged;			/* notes that were skipped, or are cut off */
	const char *problem;		/* of the first of them; a string literal */
	char *strings;
};

/*
 * The sites of a file; none is no error.  A damaged note is counted and the others are used.  A
 * debug file's notes are not read: their addresses are not those of the program where it was
 * prelinked.  0 or -ENOMEM.  Free the list also after a failure.
 */
int rt_image_usdt(const struct rt_image *image, struct rt_usdt *usdt, struct rt_error *err);
void rt_usdt_free(struct rt_usdt *usdt);

/* The same, read once and owned by the image; damage is said then.  NULL: out of memory. */
const struct rt_usdt *rt_image_usdt_sites(struct rt_image *image);

/* Does the site belong to a probe that both globs match? */
bool rt_usdt_fits(const struct rt_usdt_site *site, const char *provider, const char *name);

/* Are they sites of one probe: are provider and name equal? */
bool rt_usdt_is_same(const struct rt_usdt_site *a, const struct rt_usdt_site *b);

/*
 * Replace the operand's symbol by its address: then base is the instruction pointer, which at the
 * site is known, or `displacement` alone has it.  Makes the operand unreadable where the file has
 * no such symbol, or has several.  No more than that is done, and nothing without a symbol.
 */
void rt_usdt_resolve(struct rt_image *image, const struct rt_usdt_site *site,
		     struct rt_operand *operand);

#endif
