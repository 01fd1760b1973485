/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_EH_FRAME_H
#define RT_ELF_EH_FRAME_H

#include "elf/image.h"

/*
 * Reading .eh_frame, by which stacks are unwound (LSB Core, "Exception Frames").  Nothing in it is
 * trusted.  For files that read .eh_frame only.
 */

/* Reading on through the file from an address.  Begun with its image NULL, or all 0. */
struct rt_eh_cursor {
	const struct rt_image *image;
	uint64_t at;
	/* the file ends there, or what is there makes no sense; the next seek forgets it */
	bool bad;
	uint64_t start;		/* of buf */
	size_t n;
	uint8_t buf[1024];
};

#define RT_EH_NONE 0xff		/* DW_EH_PE_omit */

void rt_eh_seek(struct rt_eh_cursor *c, const struct rt_image *image, uint64_t at);
uint8_t rt_eh_byte(struct rt_eh_cursor *c);
uint64_t rt_eh_number(struct rt_eh_cursor *c, unsigned size, bool is_signed);
uint64_t rt_eh_leb(struct rt_eh_cursor *c, bool is_signed);
/* A value as `encoding` says; `data` is what it may count from.  0 stays 0: there is none. */
uint64_t rt_eh_encoded(struct rt_eh_cursor *c, uint8_t encoding, uint64_t data);

/*
 * Find the index of .eh_frame; false: the file has none.  And find .eh_frame itself; 0: there is
 * none.
 */
bool rt_eh_index(const struct rt_image *image, uint64_t *addr);
uint64_t rt_eh_frames(const struct rt_image *image);

/*
 * The address of what describes `addr`; 0: nothing does.  The index, at which the cursor is, is
 * pairs of 32-bit distances from itself, in order.
 */
uint64_t rt_eh_find(struct rt_eh_cursor *c, uint64_t index, uint64_t addr);

/* The size of the function that begins at `addr`; 0: nothing tells. */
uint64_t rt_eh_size(const struct rt_image *image, uint64_t addr);

/* The part of a CIE that its FDEs need. */
struct rt_eh_cie {
	uint8_t addresses, lsda;	/* encodings */
	bool sized;
	bool is_signal;			/* they describe what a signal's handler returns to */
	/* of its instructions (elf/cfi.h): factors, column of the return address, begin, end */
	uint64_t code_factor, ra, begin, end;
	int64_t data_factor;
};

/* At the CIE's first byte. */
void rt_eh_read_cie(struct rt_eh_cursor *c, struct rt_eh_cie *cie);

/*
 * One function, or a part of one: where it is, what describes it, and where that continues and
 * ends.
 */
struct rt_eh_described {
	uint64_t begin, length, fde, end;
};

/*
 * All that .eh_frame describes, from its beginning at `from`, in the file's order: `each` is called
 * with the cursor at the description's instructions, and ends it with what is not 0, which is
 * returned.  `damaged`, if given: something was there that cannot be read.
 */
typedef int rt_eh_each(void *ctx, struct rt_eh_cursor *c, const struct rt_eh_described *d);
int rt_eh_walk(const struct rt_image *image, uint64_t from, rt_eh_each *each, void *ctx,
	       bool *damaged);

/*
 * rt_eh_find for files without an index (what GCC links with -static): it is made of all of
 * .eh_frame, once.  0: nothing describes `addr`.  False: not all of it can be read, or there is
 * none.
 */
bool rt_eh_find_unindexed(struct rt_image *image, uint64_t addr, uint64_t *fde);

/*
 * Find the exception table of a function; 0: it has none.  Fills where the function is; `addr` must
 * be in it.
 */
uint64_t rt_eh_exceptions(struct rt_eh_cursor *c, uint64_t fde, uint64_t addr, uint64_t *begin,
			  uint64_t *length);

#endif
