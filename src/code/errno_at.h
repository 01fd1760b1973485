/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_ERRNO_AT_H
#define RT_CODE_ERRNO_AT_H

#include "elf/image.h"

/*
 * Where a C library has a thread's errno, by the code of its __errno_location: so many bytes from
 * the thread pointer.  A library that is linked dynamically (glibc's) learns that number only when
 * the process begins, and has it in a slot of its own.
 */
struct rt_errno_at {
	bool in_slot;
	int64_t offset;			/* from the thread pointer, unless in_slot */
	uint64_t slot;			/* virtual address of the number, 8 bytes */
	uint64_t code;			/* of __errno_location */
};

/* What the `n` bytes of code do that run at `pc`: false where that is not understood. */
bool rt_errno_decode(const struct rt_arch *arch, const uint8_t *code, size_t n, uint64_t pc,
		     struct rt_errno_at *at);

/*
 * 0; -ENOENT: it has no __errno_location; -ENOTSUP: one whose code is not understood, or of an
 * architecture of which this is not known.
 */
int rt_errno_find(struct rt_image *image, struct rt_errno_at *at);

#endif
