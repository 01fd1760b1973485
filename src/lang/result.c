/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prototype says of the result: its type, before the name or behind the parameters, and when it means a failure. */
#include "lang/cursor.h"

#include <ctype.h>
#include <string.h>

/* "string" and "fd" alone are types. */
static int default_result(struct rt_cursor *c, struct rt_specifiers *s, const char *at)
{
	if (s->type)
		return 0;
	if (s->style != RT_STYLE_STRING && s->style != RT_STYLE_FD && s->style != RT_STYLE_ERRNO)
		return rt_expected(c, at, "the result's type");
	s->type = rt_default_type(c, s->style);
	return s->type ? 0 : rt_nomem(c->err);
}

int rt_parse_result(struct rt_cursor *c, const char *start, const char *name, struct rt_prototype *prototype)
{
	struct rt_cursor part = *c;
	struct rt_specifiers s;
	const struct rt_ctype *type;
	int r;

	part.at = start;
	part.end = name;
	r = rt_parse_specifiers(&part, true, &s);
	if (r < 0)
		return r;
	if (!s.type && rt_peek(&part))
		return rt_expected(c, part.at, "a type");
	if (!s.type && !s.style)
		return 0;
	r = default_result(&part, &s, name);
	if (r < 0)
		return r;
	type = s.type;
	do {	/* of a macro in its place nothing is known, and nothing has to be */
		part.at += rt_identifier(&part, part.at, false);
		r = rt_parse_pointers(&part, &type, &s.is_const);
	} while (r == 0 && rt_peek(&part) && rt_identifier(&part, part.at, false));
	if (r < 0)
		return r;
	if (rt_peek(&part))
		return rt_expected(c, part.at, "the function's name");
	prototype->result_column = rt_cursor_column(c, s.at ? s.at : start);
	prototype->result = rt_styled(c, type, s.style);
	return prototype->result ? 0 : rt_nomem(c->err);
}

/* "-> TYPE [NAME]" */
static int parse_arrow(struct rt_cursor *c, struct rt_prototype *prototype)
{
	struct rt_specifiers s;
	struct rt_declarator d;
	const char *at;
	int r;

	rt_skip_blanks(c);
	at = c->at;
	if (prototype->result)
		return rt_expected(c, at, "one type for the result: there is one before the name");
	r = rt_parse_specifiers(c, false, &s);
	if (r < 0)
		return r;
	r = default_result(c, &s, at);
	if (r < 0)
		return r;
	r = rt_parse_pointers(c, &s.type, &s.is_const);
	if (r < 0)
		return r;
	/* A name says what it is, and is not printed. */
	if (!(rt_identifier(c, c->at, false) == 5 && memcmp(c->at, "errno", 5) == 0)) {
		r = rt_parse_declarator(c, s.type, s.is_const, &d);
		if (r < 0)
			return r;
		s.type = d.type;
	}
	prototype->result_column = rt_cursor_column(c, s.at ? s.at : at);
	prototype->result = rt_styled(c, s.type, s.style);
	return prototype->result ? 0 : rt_nomem(c->err);
}

static bool is_header_macro(const char *at, size_t n)
{
	size_t i;

	if (rt_is_word(at, n, "const") || rt_is_word(at, n, "noexcept") || rt_is_word(at, n, "throw") || rt_is_word(at, n, "override") ||
	    rt_is_word(at, n, "final") || rt_is_word(at, n, "volatile"))
		return true;
	for (i = 0; i < n && (isupper((unsigned char)at[i]) || isdigit((unsigned char)at[i]) || at[i] == '_'); i++)
		;
	return n && (i == n || (n > 2 && at[0] == '_' && at[1] == '_'));
}

/* "fails 0", "fails !0" */
static int parse_fails(struct rt_cursor *c, struct rt_prototype *prototype)
{
	const char *at;
	int64_t n;
	int r;

	prototype->fails = true;
	prototype->fails_unless = rt_take(c, "!");
	rt_skip_blanks(c);
	at = c->at;
	r = rt_parse_number(c, &n);
	if (r < 0)
		return r;
	prototype->fails_at = (int32_t)n;
	return n == (int32_t)n ? 0 : rt_expected(c, at, "a number of 32 bits");
}

int rt_parse_trailer(struct rt_cursor *c, struct rt_prototype *prototype)
{
	const char *close;
	size_t n;
	int r;

	while (rt_peek(c)) {
		if (rt_take(c, "->")) {
			r = parse_arrow(c, prototype);
			if (r < 0)
				return r;
			continue;
		}
		if (rt_skip_attribute(c) || rt_take(c, ";"))
			continue;
		n = rt_identifier(c, c->at, false);
		if (rt_is_word(c->at, n, "fails")) {
			c->at += n;
			r = parse_fails(c, prototype);
			if (r < 0)
				return r;
			continue;
		}
		if (rt_is_word(c->at, n, "errno"))
			prototype->sets_errno = true;
		else if (!is_header_macro(c->at, n))
			return rt_expected(c, c->at, "'->' and the result's type, 'errno', 'fails', or the end");
		c->at += n;
		close = rt_peek(c) == '(' ? rt_matching(c, c->at) : NULL;
		c->at = close ? close : c->at;
	}
	return 0;
}
