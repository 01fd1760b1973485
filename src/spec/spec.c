/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

/* The last ':' in [text, end) that separates: one that is no part of "::".  NULL: none. */
static const char *last_colon(const char *text, const char *end)
{
	const char *p = end;

	while (p > text) {
		p--;
		if (*p != ':')
			continue;
		if (p == text || p[-1] != ':')
			return p;
		p--;
	}
	return NULL;
}

/* No function's name begins with a digit or a sign, so such a last field is meant to be a number. */
static bool is_number(const char *field)
{
	return isdigit((unsigned char)*field) || *field == '+' || *field == '-';
}

static int parse_nargs(const char *text, const char *field, unsigned *nargs, struct rt_error *err)
{
	unsigned n = 0;
	const char *p;

	for (p = field; isdigit((unsigned char)*p) && n <= RT_MAX_VALUES; p++)
		n = n * 10 + (unsigned)(*p - '0');
	if (p == field || *p || n > RT_MAX_VALUES)
		return rt_usage(err, "'%s': column %zu: expected the number of arguments, 0 to %d", text,
				(size_t)(field - text) + 1, RT_MAX_VALUES);
	*nargs = n;
	return 0;
}

static int missing(const char *text, const char *at, const char *what, struct rt_error *err)
{
	return rt_usage(err, "'%s': column %zu: expected %s", text, (size_t)(at - text) + 1, what);
}

/* [text, end) is [LIBRARY:]FUNCTION.  A library's path may hold ':' itself. */
static int parse_names(struct rt_spec *spec, const char *end, struct rt_error *err)
{
	const char *text = spec->text;
	const char *colon = last_colon(text, end);
	const char *function = colon ? colon + 1 : text;
	const char *other;

	if (function == end)
		return missing(text, function, "the name of a function", err);
	if (colon == text)
		return missing(text, text, "the name of a library before ':'", err);
	other = colon ? last_colon(text, colon) : NULL;
	if (other && !memchr(text, '/', (size_t)(colon - text)))
		return missing(text, function, "the number of arguments: LIBRARY:FUNCTION:NARGS", err);
	if (colon) {
		spec->lib = strndup(text, (size_t)(colon - text));
		if (!spec->lib)
			return rt_nomem(err);
	}
	spec->function = strndup(function, (size_t)(end - function));
	if (!spec->function)
		return rt_nomem(err);
	spec->glob = strpbrk(spec->function, "*?[") != NULL;
	return 0;
}

int rt_spec_parse(const char *text, struct rt_spec *spec, struct rt_error *err)
{
	const char *end, *colon;
	int ret;

	memset(spec, 0, sizeof(*spec));
	spec->nargs = 1;
	spec->text = strdup(text);
	if (!spec->text)
		return rt_nomem(err);
	text = spec->text;
	end = text + strlen(text);
	colon = last_colon(text, end);
	ret = 0;
	if (colon && colon + 1 == end) {
		ret = missing(text, end, "the name of a function or the number of arguments after ':'", err);
	} else if (colon && is_number(colon + 1)) {
		end = colon;
		ret = parse_nargs(text, colon + 1, &spec->nargs, err);
	}
	if (ret == 0)
		ret = parse_names(spec, end, err);
	if (ret)
		rt_spec_free(spec);
	return ret;
}

void rt_spec_free(struct rt_spec *spec)
{
	free(spec->text);
	free(spec->lib);
	free(spec->function);
	memset(spec, 0, sizeof(*spec));
}
