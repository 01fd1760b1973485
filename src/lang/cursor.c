/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/cursor.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"

unsigned rt_cursor_column(const struct rt_cursor *c, const char *at)
{
	return (unsigned)(at - c->text) + 1;
}

int rt_expected(const struct rt_cursor *c, const char *at, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	rt_usage(c->err, "'%.400s': column %u: expected %s", c->text, rt_cursor_column(c, at),
		 what);
	rt_error_point(c->err, c->text, (size_t)(at - c->text));
	return -EINVAL;
}

void rt_skip_blanks(struct rt_cursor *c)
{
	const char *p;

	for (;;) {
		while (c->at < c->end && isspace((unsigned char)*c->at))
			c->at++;
		if (c->end - c->at < 2 || c->at[0] != '/' || c->at[1] != '*')
			return;
		for (p = c->at + 2; p + 1 < c->end && !(p[0] == '*' && p[1] == '/'); p++)
			;
		if (p + 1 >= c->end)
			return;
		c->at = p + 2;
	}
}

char rt_peek(struct rt_cursor *c)
{
	rt_skip_blanks(c);
	return c->at < c->end ? *c->at : '\0';
}

bool rt_take(struct rt_cursor *c, const char *token)
{
	size_t n = strlen(token);

	rt_skip_blanks(c);
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, token, n) != 0)
		return false;
	c->at += n;
	return true;
}

int rt_want(struct rt_cursor *c, const char *token, const char *what)
{
	return rt_take(c, token) ? 0 : rt_expected(c, c->at, "%s", what);
}

static size_t plain_identifier(const char *at, const char *end)
{
	const char *p = at;
	size_t n;

	if (p < end && isdigit((unsigned char)*p))
		return 0;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_' || *p == '$' ||
			   (unsigned char)*p >= 0x80)) {
		n = rt_printable_length((const uint8_t *)p, (size_t)(end - p));
		if (!n)
			break;
		p += n;
	}
	return (size_t)(p - at);
}

size_t rt_template(const char *at, const char *end)
{
	const char *p;
	int depth = 0;

	if (at + 1 >= end || *at != '<' || isspace((unsigned char)at[1]) ||
	    isdigit((unsigned char)at[1]) || at[1] == '=' || at[1] == '<')
		return 0;
	for (p = at; p < end && !strchr(";{\"", *p) && *p; p++) {
		depth += *p == '<' ? 1 : *p == '>' && p[-1] != '-' ? -1 : 0;
		if (depth == 0)
			return (size_t)(p + 1 - at);
	}
	return 0;
}

size_t rt_identifier(const struct rt_cursor *c, const char *at, bool scoped)
{
	const char *p = at + plain_identifier(at, c->end);
	size_t n;

	while (scoped && p > at) {
		p += rt_template(p, c->end);
		if (c->end - p < 3 || p[0] != ':' || p[1] != ':')
			break;
		n = plain_identifier(p + 2, c->end);
		if (!n)
			break;
		p += 2 + n;
	}
	return (size_t)(p - at);
}

bool rt_is_word(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(at, word, n) == 0;
}

const char *rt_matching(const struct rt_cursor *c, const char *at)
{
	const char *p;
	int depth = 0;
	char quote = 0;

	for (p = at; p < c->end; p++) {
		if (quote) {
			if (*p == '\\')
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"') {
			quote = *p;
		} else if (*p && strchr("([{", *p)) {
			depth++;
		} else if (*p && strchr(")]}", *p) && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* ---- constants ---- */

static int escape(struct rt_cursor *c, unsigned *value)
{
	static const char names[] = "ntrabfve0", values[] = "\n\t\r\a\b\f\v\033";
	const char *at = c->at, *p;
	unsigned i, v = 0;
	char ch;

	if (c->at >= c->end)
		return rt_expected(c, at, "a character behind '\\'");
	ch = *c->at++;
	if (ch == 'x') {
		for (i = 0; i < 2 && c->at < c->end && isxdigit((unsigned char)*c->at);
		     i++, c->at++)
			v = v * 16 + (unsigned)(isdigit((unsigned char)*c->at)
							? *c->at - '0'
							: (*c->at | 32) - 'a' + 10);
		*value = v;
		return i ? 0 : rt_expected(c, c->at, "a hexadecimal digit");
	}
	if (ch >= '0' && ch <= '7') {
		for (c->at--, i = 0; i < 3 && c->at < c->end && *c->at >= '0' && *c->at <= '7';
		     i++, c->at++)
			v = v * 8 + (unsigned)(*c->at - '0');
		*value = v & 0xff;
		return 0;
	}
	p = ch ? strchr(names, ch) : NULL;
	*value = p ? (unsigned char)values[p - names] : (unsigned char)ch;
	return 0;
}

static int character(struct rt_cursor *c, int64_t *value)
{
	unsigned v;
	int r = 0;

	c->at++;
	if (c->at >= c->end || *c->at == '\'')
		return rt_expected(c, c->at, "a character");
	v = (unsigned char)*c->at++;
	if (v == '\\')
		r = escape(c, &v);
	*value = v;
	if (r < 0)
		return r;
	if (c->at >= c->end || *c->at != '\'')
		return rt_expected(c, c->at, "'");
	c->at++;
	return 0;
}

static unsigned digit(char ch)
{
	return isdigit((unsigned char)ch)   ? (unsigned)(ch - '0')
	       : isalpha((unsigned char)ch) ? (unsigned)((ch | 32) - 'a' + 10)
					    : 99;
}

int rt_parse_number(struct rt_cursor *c, int64_t *value)
{
	const char *start;
	bool negative;
	unsigned base = 10;
	uint64_t v = 0;

	rt_skip_blanks(c);
	start = c->at;
	negative = c->at < c->end && *c->at == '-';
	c->at += negative;
	if (c->at < c->end && *c->at == '\'' && !negative)
		return character(c, value);
	if (c->at >= c->end || !isdigit((unsigned char)*c->at))
		return rt_expected(c, c->at, "a number");
	if (*c->at == '0' && c->end - c->at > 1 && (c->at[1] | 32) == 'x') {
		base = 16;
		c->at += 2;
		if (c->at >= c->end || digit(*c->at) >= 16)
			return rt_expected(c, c->at, "a hexadecimal digit");
	} else if (*c->at == '0') {
		base = 8;
	}
	for (; c->at < c->end && digit(*c->at) < base; c->at++) {
		if (v > (UINT64_MAX - digit(*c->at)) / base)
			return rt_expected(c, start, "a number of 64 bits");
		v = v * base + digit(*c->at);
	}
	while (c->at < c->end && *c->at && strchr("uUlL", *c->at))
		c->at++;
	if (c->at < c->end && (isalnum((unsigned char)*c->at) || *c->at == '_'))
		return rt_expected(c, c->at, "the end of the number");
	if (negative && v > (uint64_t)INT64_MAX + 1)
		return rt_expected(c, start, "a number of 64 bits");
	*value = (int64_t)(negative ? 0 - v : v);
	return 0;
}

static int primary(struct rt_cursor *c, const struct rt_enumerator *known, unsigned nknown,
		   int64_t *value)
{
	bool inverted = rt_peek(c) == '~';
	unsigned i;
	size_t n;
	int r;

	if (inverted || rt_peek(c) == '(') {
		if (c->depth >= RT_SPEC_DEPTH)
			return rt_expected(c, c->at, "less nesting");
		c->at++;
		c->depth++;
		r = inverted ? primary(c, known, nknown, value)
			     : rt_parse_constant(c, known, nknown, value);
		c->depth--;
		*value = inverted ? ~*value : *value;
		return r < 0 || inverted ? r : rt_want(c, ")", "')'");
	}
	n = rt_identifier(c, c->at, false);
	for (i = 0; n && i < nknown; i++) {
		if (!rt_is_word(c->at, n, known[i].name))
			continue;
		*value = known[i].value;
		c->at += n;
		return 0;
	}
	return rt_parse_number(c, value);
}

int rt_parse_constant(struct rt_cursor *c, const struct rt_enumerator *known, unsigned nknown,
		      int64_t *value)
{
	int64_t left = 0, right = 0;
	int r;

	*value = 0;
	r = primary(c, known, nknown, &left);
	while (r == 0) {
		char op = rt_peek(c);
		const char *at = c->at;

		if (op != '|' && op != '+' && op != '-' && !(op == '<' && rt_take(c, "<<")))
			break;
		c->at += op != '<';
		r = primary(c, known, nknown, &right);
		if (r < 0)
			break;
		if (op == '<' && (right < 0 || right > 63))
			return rt_expected(c, at, "a shift by 0 to 63");
		left = op == '|'   ? left | right
		       : op == '<' ? (int64_t)((uint64_t)left << right)
				   : (int64_t)(op == '+' ? (uint64_t)left + (uint64_t)right
							 : (uint64_t)left - (uint64_t)right);
	}
	*value = left;
	return r;
}

int rt_parse_string(struct rt_cursor *c, const char **string, size_t *length)
{
	const char *start;
	unsigned v;
	char *out;
	int r;

	rt_skip_blanks(c);
	start = c->at++;
	out = rt_types_alloc(c->types, (size_t)(c->end - start) + 1);
	if (!out)
		return rt_nomem(c->err);
	*string = out;
	while (c->at < c->end && *c->at != '"') {
		v = (unsigned char)*c->at++;
		r = v == '\\' ? escape(c, &v) : 0;
		if (r < 0)
			return r;
		if (v == 0)
			return rt_expected(c, c->at - 1, "a string without NUL");
		*out++ = (char)v;
	}
	*length = (size_t)(out - *string);
	if (c->at >= c->end)
		return rt_expected(c, c->at, "'\"', the end of the string that begins at column %u",
				   rt_cursor_column(c, start));
	c->at++;
	return 0;
}
