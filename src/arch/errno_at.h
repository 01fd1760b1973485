/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_ERRNO_AT_H
#define RT_ARCH_ERRNO_AT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The place of a thread's errno, by the code of the C library's __errno_location: a distance from
 * the thread pointer.  A dynamically linked library (glibc's) learns it only when the process
 * begins, and has it in a slot of its own.
 */
struct rt_errno_at {
	bool in_slot;
	int64_t offset;			/* from the thread pointer, unless in_slot */
	uint64_t slot;			/* virtual address of the number, 8 bytes */
	uint64_t code;			/* of __errno_location */
};

/* For rt_arch.errno_at: a register's content: a number, the thread pointer and a word of memory. */
struct rt_sum {
	bool known, thread, memory;
	uint64_t number;
	uint64_t address;		/* of the word */
};

/* Its code has at most so many instructions. */
enum { RT_ERRNO_STEPS = 12 };

struct rt_sum rt_sum_number(uint64_t n);
struct rt_sum rt_sum_word(uint64_t address);
struct rt_sum rt_sum_thread(void);
/* False: the sum would have the thread pointer or a word twice, or is not known. */
bool rt_sum_add(struct rt_sum *to, const struct rt_sum *other);
/* The address of errno.  False: it is not known, or too far from the thread pointer. */
bool rt_sum_errno(const struct rt_sum *result, struct rt_errno_at *at);

#endif
