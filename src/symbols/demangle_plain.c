/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

/* Rust's legacy names end in 17h and as many hexadecimal digits; the demanglers want so many different ones, and some one less. */
enum { HASH_DIGITS = 16, HASH_DIFFERENT = 6 };

/* Past the identifier whose length stands at `p`; NULL: it is none, or one that stands for something else. */
static const char *identifier(const char *p, const char **start)
{
	size_t n = 0, i;

	if (*p == '0')
		return NULL;
	for (; isdigit((unsigned char)*p) && n < 1000; p++)
		n = n * 10 + (size_t)(*p - '0');
	*start = p;
	/* Rust's escapes, and GCC's names of anonymous namespaces. */
	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)p[i]) && p[i] != '_')
			return NULL;
	return n && strncmp(p, "_GLOBAL_", 8) != 0 ? p + n : NULL;
}

static bool looks_like_hash(const char *p, const char *end)
{
	return end - p == HASH_DIGITS + 1 && *p == 'h' && strspn(p + 1, "0123456789abcdef") >= HASH_DIGITS;
}

static bool is_hash(const char *p)
{
	unsigned i, seen = 0;

	for (i = 1; i <= HASH_DIGITS; i++)
		seen |= 1u << (isdigit((unsigned char)p[i]) ? p[i] - '0' : p[i] - 'a' + 10);
	return __builtin_popcount(seen) >= HASH_DIFFERENT;
}

/* `p`: behind _ZN. */
static bool nested(struct rt_text *text, const char *p)
{
	const char *start, *end;
	size_t n;

	/* Of a const member. */
	p += *p == 'K';
	for (n = 0; *p != 'E'; n++, p = end) {
		end = identifier(p, &start);
		if (!end)
			return false;
		if (looks_like_hash(start, end))
			return n && end[0] == 'E' && !end[1] && is_hash(start) && !text->failed;
		if (n)
			rt_text_add(text, "::", 2);
		rt_text_add(text, start, (size_t)(end - start));
	}
	return n && !text->failed;
}

bool rt_demangle_plain(struct rt_text *text, const char *name)
{
	const char *start, *end;

	text->n = 0;
	if (name[0] != '_' || name[1] != 'Z')
		return false;
	if (name[2] == 'N')
		return nested(text, name + 3);
	end = identifier(name + 2, &start);
	/* Template arguments, [abi:...]. */
	if (!end || *end == 'I' || *end == 'B')
		return false;
	rt_text_add(text, start, (size_t)(end - start));
	return !text->failed;
}
