/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/errno_at.h"

#include <string.h>

/* Farther from the thread pointer no library is. */
enum { FARTHEST = 1 << 24 };

bool rt_sum_add(struct rt_sum *to, const struct rt_sum *other)
{
	if (!to->known || !other->known || (to->thread && other->thread) ||
	    (to->memory && other->memory))
		return false;
	to->thread |= other->thread;
	to->memory |= other->memory;
	to->address += other->address;
	to->number += other->number;
	return true;
}

struct rt_sum rt_sum_number(uint64_t n)
{
	return (struct rt_sum){ .known = true, .number = n };
}

struct rt_sum rt_sum_thread(void)
{
	return (struct rt_sum){ .known = true, .thread = true };
}

struct rt_sum rt_sum_word(uint64_t address)
{
	return (struct rt_sum){ .known = true, .memory = true, .address = address };
}

bool rt_sum_errno(const struct rt_sum *result, struct rt_errno_at *at)
{
	int64_t offset = (int64_t)result->number;

	memset(at, 0, sizeof(*at));
	if (!result->known || !result->thread || (result->memory && offset) || offset > FARTHEST ||
	    offset < -FARTHEST)
		return false;
	at->in_slot = result->memory;
	at->offset = offset;
	at->slot = result->address;
	return result->memory || offset;
}
