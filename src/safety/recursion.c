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

enum { BODY_MAX = 1 << 18, BETWEEN = 2 };

struct search {
	struct rt_code *code;
	uint64_t entry;
	bool exported;		/* others, and so the file itself, may know it by name */
	unsigned left;		/* so many functions are still looked at */
};

/*
 * Does the library call its own function by the name that others know it by?  `next` is behind
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

/* Does the code from `start` to `end` reach the entry, through at most `between` functions? */
static bool reaches(struct search *s, uint64_t start, uint64_t end, unsigned between)
{
	struct rt_image *image = rt_code_image(s->code);
	const struct rt_arch *arch = image->arch;
	size_t n = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX, i;
	uint64_t target, next, from, to;
	uint8_t *bytes = s->left ? malloc(n) : NULL;
	bool found = false;
	const char *name;

	if (!bytes)
		return false;
	s->left--;
	n = rt_image_read(image, start, bytes, n);
	for (i = 0; i + 4 <= n && !found; i++) {
		target = arch->direct_target(bytes + i, n - i, start + i, &next);
		if (target ? target > start && target < end
			   : !arch->target_slot ||
			     !arch->target_slot(bytes + i, n - i, start + i, &next))
			continue;
		if (target == s->entry ||
		    ((!target || rt_code_is_stub(s->code, target)) && by_name(s, next)))
			found = true;
		else if (target && between &&
			 rt_code_function(s->code, target, &from, &to, &name) && from == target &&
			 target != start)
			found = reaches(s, from, to, between - 1);
	}
	free(bytes);
	return found;
}

bool rt_code_recurses(struct rt_code *code, uint64_t addr, uint64_t size, unsigned most)
{
	struct search s = { .code = code, .entry = addr, .left = most + 1 };
	const struct rt_symbol *v;
	size_t i, n;

	v = rt_symbols_at(rt_code_image(code), addr, &n);
	for (i = 0; i < n; i++)
		s.exported |= v[i].dynamic;
	return reaches(&s, addr, addr + size, BETWEEN);
}
