/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/glob.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/*
 * [:NAME:] at `at`: is `c` one of them?  NULL: there is no such class; else the text behind it.
 */
static const char *match_class(const char *at, unsigned char c, bool *in)
{
	static const struct {
		char name[12];
		int (*is)(int c);
	} classes[] = {
		{ "[:alnum:]", isalnum }, { "[:alpha:]", isalpha }, { "[:blank:]", isblank },
		{ "[:cntrl:]", iscntrl }, { "[:digit:]", isdigit }, { "[:graph:]", isgraph },
		{ "[:lower:]", islower }, { "[:print:]", isprint }, { "[:punct:]", ispunct },
		{ "[:space:]", isspace }, { "[:upper:]", isupper }, { "[:xdigit:]", isxdigit },
	};
	size_t i, n;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		n = strlen(classes[i].name);
		if (strncmp(at, classes[i].name, n) == 0) {
			*in |= classes[i].is(c) != 0;
			return at + n;
		}
	}
	return NULL;
}

/* The character at `*at` of a list, past which it moves; '\' takes the next for itself. */
static unsigned char listed(const char **at)
{
	if (**at == '\\' && (*at)[1])
		(*at)++;
	return (unsigned char)*(*at)++;
}

/*
 * The list of characters behind '[' at `at`: is `c` in it?  NULL: it has no ']'; else the text
 * behind that.
 */
static const char *match_list(const char *at, unsigned char c, bool *in)
{
	bool out = *at == '!' || *at == '^';
	const char *first = at + out, *next;
	unsigned char from, to;

	*in = false;
	for (at = first; *at != ']' || at == first; at = next) {
		next = match_class(at, c, in);
		if (next)
			continue;
		if (!*at)
			return NULL;
		next = at;
		to = from = listed(&next);
		if (next[0] == '-' && next[1] && next[1] != ']') {
			next++;
			to = listed(&next);
		}
		*in |= c >= from && c <= to;
	}
	*in ^= out;
	return at + 1;
}

/*
 * Does the one pattern at `glob`, which is no '*', match `c`?  NULL: no; else the text behind
 * it.
 */
static const char *match_one(const char *glob, unsigned char c)
{
	const char *behind;
	bool in;

	if (!c || !*glob)
		return NULL;
	if (*glob == '?')
		return glob + 1;
	if (*glob == '[') {
		behind = match_list(glob + 1, c, &in);
		if (behind)
			return in ? behind : NULL;
	}
	if (*glob == '\\')
		glob++;
	return (unsigned char)*glob == c ? glob + 1 : NULL;
}

bool rt_glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL, *behind;

	for (;;) {
		if (*glob == '*') {
			star = ++glob;
			from = text;
			continue;
		}
		if (!*glob && !*text)
			return true;
		behind = match_one(glob, (unsigned char)*text);
		if (behind) {
			glob = behind;
			text++;
			continue;
		}
		/* The last '*' takes one more; those before it need not be tried again. */
		if (!star || !*from)
			return false;
		glob = star;
		text = ++from;
	}
}
