/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that call themselves.  The bytes are looked at for direct calls and jumps without
 * taking them apart: those that are none do not lead to where functions begin.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/file.h"
#include "code/stub.h"
#include "safety/walks.h"

enum { BODY_MAX = 1 << 18, BETWEEN = 2, MANY = 2, CALL = 0xe8, JUMP = 0xe9 };

struct search {
	struct rt_code *code;
	uint64_t entry;
	bool exported;		/* others, and so the file itself, may know it by name */
	unsigned left;		/* so many functions are still looked at */
};

/*
 * Where the call or the jump in `n` bytes at `p`, which is at `addr`, leads, and what stands behind
 * it.  0: it is none, or leads where a slot says.
 */
static uint64_t target_of(const struct rt_image *image, const uint8_t *p, size_t n, uint64_t addr,
			  uint64_t *next)
{
	bool far = p[0] == 0x0f && n >= 6 && (p[1] & 0xf0) == 0x80;	/* a conditional jump */
	uint32_t word;
	int32_t distance;

	if (image->arch->machine == EM_AARCH64) {
		memcpy(&word, p, sizeof(word));
		*next = addr + 4;
		return addr & 3 || (word >> 26 & 0x1f) != 5
			       ? 0
			       : addr + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
	}
	*next = addr + 6;
	if (n < 5 || !(far || p[0] == CALL || p[0] == JUMP))
		return 0;
	memcpy(&distance, p + 1 + far, sizeof(distance));
	*next = addr + 5 + far;
	return *next + (uint64_t)(int64_t)distance;
}

/* call or jmp *DISTANCE(%rip), of -fno-plt */
static bool is_by_slot(const struct rt_image *image, const uint8_t *p, size_t n)
{
	return n >= 6 && p[0] == 0xff && (p[1] == 0x15 || p[1] == 0x25) &&
	       image->arch->machine == EM_X86_64;
}

/*
 * Does the library call its own function by the name that others know it by?  `next` stands behind
 * the call.
 */
static bool by_name(const struct search *s, uint64_t next)
{
	const char *name = s->exported ? rt_code_called(s->code, next) : NULL;
	const struct rt_symbol *v;
	size_t i, n = 0;

	v = name ? rt_symbols_at(rt_code_image(s->code), s->entry, &n) : NULL;
	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return true;
	return false;
}

/*
 * How many ways there are from the code from `start` to `end` to the entry, by way of at most
 * `between` functions; many are MANY.
 */
static unsigned ways(struct search *s, uint64_t start, uint64_t end, unsigned between)
{
	struct rt_image *image = rt_code_image(s->code);
	size_t n = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX, i;
	uint64_t target, next, from, to;
	uint8_t *bytes = s->left ? malloc(n) : NULL;
	unsigned found = 0;
	const char *name;

	if (!bytes)
		return 0;
	s->left--;
	n = rt_image_read(image, start, bytes, n);
	for (i = 0; i + 4 <= n && found < MANY; i++) {
		target = target_of(image, bytes + i, n - i, start + i, &next);
		if (target ? target > start && target < end : !is_by_slot(image, bytes + i, n - i))
			continue;
		if (target == s->entry ||
		    ((!target || rt_code_is_stub(s->code, target)) && by_name(s, next)))
			found++;
		else if (target && between &&
			 rt_code_function(s->code, target, &from, &to, &name) && from == target &&
			 target != start)
			found += ways(s, from, to, between - 1);
	}
	free(bytes);
	return found < MANY ? found : MANY;
}

bool rt_code_recurses(struct rt_code *code, uint64_t addr, uint64_t size, unsigned most)
{
	struct search s = { .code = code, .entry = addr, .left = most + 1 };
	const struct rt_symbol *v;
	size_t i, n;

	v = rt_symbols_at(rt_code_image(code), addr, &n);
	for (i = 0; i < n; i++)
		s.exported |= v[i].dynamic;
	return ways(&s, addr, addr + size, BETWEEN) == 1;
}
