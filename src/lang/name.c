/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/name.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *rt_last_colon(const char *text, const char *end)
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

bool rt_has_double_colon(const char *text, const char *end)
{
	for (; text + 1 < end; text++)
		if (text[0] == ':' && text[1] == ':')
			return true;
	return false;
}

/* ---- which form it is ---- */

static bool ends_with(const char *start, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - start) >= n && memcmp(end - n, word, n) == 0 &&
	       ((size_t)(end - start) == n ||
		!(isalnum((unsigned char)end[-(ptrdiff_t)n - 1]) || end[-(ptrdiff_t)n - 1] == '_'));
}

static bool begins_word(const struct rt_cursor *c, const char *p)
{
	size_t n = rt_identifier(c, p, false);

	/* "3x=%di" is a wrong word. */
	for (; isdigit((unsigned char)*p) && p + n < c->end && isalnum((unsigned char)p[n]); n++)
		;
	if (n && *p != '$' && p + n < c->end && p[n] == '=')
		return p + n + 1 == c->end || strchr("%$@+-\\", p[n + 1]);
	if (*p == '$')
		return rt_is_word(p, n, "$retval") || rt_is_word(p, n, "$comm") ||
		       (n >= 6 && memcmp(p, "$stack", 6) == 0) ||
		       (n >= 5 && memcmp(p, "$arg", 4) == 0 && isdigit((unsigned char)p[4]));
	if (*p == '"')
		return true;
	if (p + 1 >= c->end)
		return false;
	if (*p == '%')
		return isalpha((unsigned char)p[1]);
	return (*p == '+' || *p == '-') && (isdigit((unsigned char)p[1]) || p[1] == 'u') &&
	       memchr(p, '(', (size_t)(c->end - p));
}

const char *rt_find_words(const struct rt_cursor *c)
{
	const char *p;
	int depth = 0;

	for (p = c->at; p < c->end; p++) {
		depth += *p == '(' || *p == '{' ? 1 : *p == ')' || *p == '}' ? -1 : 0;
		if (depth <= 0 && p > c->at && isspace((unsigned char)p[-1]) && begins_word(c, p))
			return p;
	}
	return NULL;
}

/* Behind what belongs to a name though it has parentheses; `p` itself: nothing does. */
static const char *pass_parenthesis(const struct rt_cursor *c, const char *p)
{
	static const char *const attributes[] = { "__attribute__", "__attribute", "__declspec",
						  "alignas", "_Alignas" };
	const char *close = rt_matching(c, p), *before = p;
	size_t i;

	if (!close)
		return p;
	if (ends_with(c->at, p, "lambda") && p - c->at > 6 && p[-7] == '{')
		return close;
	if ((p > c->at && p[-1] == '.') || strncmp(p, "(anonymous ", 11) == 0)
		return close;
	if (ends_with(c->at, p, "operator"))
		return close;
	while (before > c->at && isspace((unsigned char)before[-1]))
		before--;
	for (i = 0; i < RT_COUNT(attributes); i++)
		if (ends_with(c->at, before, attributes[i]))
			return close;
	return p;
}

const char *rt_find_items(const struct rt_cursor *c)
{
	const char *p, *behind, *last, *open = NULL;

	for (p = c->at; p < c->end; p++) {
		if (*p == '<' &&
		    (p == c->at || p[-1] == ':' || isspace((unsigned char)p[-1]) ||
		     isalnum((unsigned char)p[-1])) &&
		    !ends_with(c->at, p, "operator")) {
			p += rt_template(p, c->end);
			if (p >= c->end)
				return NULL;
		}
		if (*p != '(')
			continue;
		behind = pass_parenthesis(c, p);
		if (behind == p) {
			open = p;
			break;
		}
		p = behind - 1;
	}
	/* A path may have parentheses, and so may a C++ name before the number of arguments. */
	last = open ? memrchr(open, ')', (size_t)(c->end - open)) : NULL;
	return last && rt_last_colon(last, c->end) ? NULL : open;
}

/* The '/' that ends what begins with the one at `p`, if that is a regular expression. */
static const char *regex_close(const struct rt_cursor *c, const char *p)
{
	const char *q;

	if (p >= c->end || *p != '/')
		return NULL;
	for (q = p + 1; q < c->end && *q != '/'; q++)
		q += *q == '\\' && q + 1 < c->end;
	if (q >= c->end || q == p + 1)
		return NULL;
	q++;
	if (q == c->end || *q == '(' ||
	    (*q == ':' && q + 1 < c->end && isdigit((unsigned char)q[1])))
		return q;
	for (p = q; p < c->end && isspace((unsigned char)*p); p++)
		;
	return p > q && begins_word(c, p) ? q : NULL;
}

const char *rt_find_regex(const struct rt_cursor *c, const char **close)
{
	const char *p;

	*close = regex_close(c, c->at);
	if (*close)
		return c->at;
	for (p = c->at + 1; p + 1 < c->end; p++) {
		if (p[0] != ':' || p[1] != '/' || p[-1] == ':')
			continue;
		*close = regex_close(c, p + 1);
		if (*close)
			return p + 1;
	}
	return NULL;
}

/*
 * "usdt:PROVIDER:NAME" or "usdt:*".  A library may have the name usdt, so two colons are needed,
 * and a number behind the second one is its function's number of arguments.
 */
static bool is_usdt(const struct rt_cursor *c, const char *p)
{
	const char *colon;

	if (c->end - p < 6 || memcmp(p, "usdt:", 5) != 0 || p[5] == ':')
		return false;
	p += 5;
	if (c->end - p == 1 && *p == '*')
		return true;
	for (colon = p; colon < c->end && !strchr(":( \t", *colon); colon++)
		;
	return colon < c->end && *colon == ':' && !(colon + 1 < c->end && colon[1] == ':') &&
	       !(colon + 1 < c->end && isdigit((unsigned char)colon[1]));
}

const char *rt_find_usdt(const struct rt_cursor *c)
{
	const char *p;

	if (is_usdt(c, c->at))
		return c->at;
	for (p = c->at; p < c->end && *p != '('; p++)
		if (*p == ':' && p > c->at && p[-1] != ':' && is_usdt(c, p + 1))
			return p + 1;
	return NULL;
}

int rt_take_usdt(struct rt_cursor *c, const char *usdt, struct rt_spec *spec)
{
	const char *provider = usdt + 5,
		   *colon = memchr(provider, ':', (size_t)(c->end - provider));

	if (usdt > c->at && rt_take_library(c, c->at, usdt - 1, spec) < 0)
		return -ENOMEM;
	c->at = colon ? colon + 1 : provider;
	spec->provider = strndup(provider, colon ? (size_t)(colon - provider) : 1);
	if (!spec->provider)
		return rt_nomem(c->err);
	if (colon == provider)
		return rt_expected(c, provider, "the name of a provider before ':'");
	if (c->at == c->end || strchr("( \t", *c->at))
		return rt_expected(c, c->at, "the name of a probe");
	spec->glob = strpbrk(spec->provider, "*?[") != NULL;
	return 0;
}

/* ---- names ---- */

int rt_take_library(const struct rt_cursor *c, const char *start, const char *end,
		    struct rt_spec *spec)
{
	spec->lib = strndup(start, (size_t)(end - start));
	return spec->lib ? 0 : rt_nomem(c->err);
}

static bool is_source(const char *name)
{
	static const char *const endings[] = {
		"c",   "h",   "C",   "cc",  "cpp",   "cxx", "c++", "hh",  "hpp", "hxx", "rs",
		"go",  "s",   "S",   "asm", "m",     "mm",  "d",   "f",	  "f90", "F90", "pas",
		"adb", "ads", "zig", "nim", "swift", "y",   "l",   "inc", "ipp", "tcc",
	};
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < RT_COUNT(endings); i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

/* FUNC@file.c.  Any other text behind '@' is a symbol's version. */
static int cut_file(const struct rt_cursor *c, struct rt_spec *spec)
{
	char *at = strrchr(spec->function, '@');

	if (!at || at == spec->function || !is_source(at + 1))
		return 0;
	spec->file = strdup(at + 1);
	if (!spec->file)
		return rt_nomem(c->err);
	*at = '\0';
	return 0;
}

/* FUNC+16, FUNC+0x10.  C++'s operator+ has no digits. */
static int cut_offset(const struct rt_cursor *c, const char *start, struct rt_spec *spec)
{
	char *plus = strrchr(spec->function, '+'), *end;
	unsigned long long v;

	if (!plus || plus == spec->function || !isdigit((unsigned char)plus[1]))
		return 0;
	errno = 0;
	v = strtoull(plus + 1, &end, 0);
	if (*end || errno || v > 1 << 24)
		return rt_expected(c, start + (plus - spec->function) + 1,
				   "an offset behind '+', at most %d bytes", 1 << 24);
	spec->has_offset = v != 0;
	spec->offset = (uint32_t)v;
	*plus = '\0';
	return 0;
}

static int take_address(const struct rt_cursor *c, const char *start, struct rt_spec *spec)
{
	const char *digits = spec->function;
	char *end;

	if (strncmp(digits, "0x", 2) != 0 && strncmp(digits, "0X", 2) != 0)
		return 0;
	errno = 0;
	spec->address = strtoull(digits, &end, 16);
	if (end < digits + 2)	/* "0" was read */
		end += 1;
	if (*end || errno || end == digits + 2)
		return rt_expected(c, start + (end - digits),
				   "an address: hexadecimal digits behind 0x");
	spec->has_address = true;
	return 0;
}

/* Is the character at `p` of `name` part of a name in C++, Go or Rust, and not of a glob? */
static bool is_literal(const char *name, const char *p)
{
	const char *open;

	if (*p == '*' && p > name) {
		if (ends_with(name, p, "operator") || ends_with(name, p, "operator*") ||
		    (p[-1] == '(' && p - name > 1 && p[-2] == '.'))
			return true;
		open = strchr(name, '(');		/* a parameter's type: f(char*) */
		return open && open + 1 < p && strchr(p, ')');
	}
	if (*p == '[')
		return p[1] == ']' || strncmp(p, "[...]", 5) == 0 ||
		       (p > name && (p[-1] == '<' || p[-1] == '&'));
	return false;
}

int rt_take_name(const struct rt_cursor *c, const char *start, const char *end,
		 struct rt_spec *spec)
{
	const char *p;
	int r;

	if (start == end)
		return rt_expected(c, start, "the name of a function");
	spec->column = rt_cursor_column(c, start);
	spec->function = strndup(start, (size_t)(end - start));
	if (!spec->function)
		return rt_nomem(c->err);
	r = take_address(c, start, spec);
	if (r < 0 || spec->has_address)
		return r;
	r = cut_offset(c, start, spec);
	if (r == 0)
		r = cut_file(c, spec);
	for (p = spec->function; *p; p++)
		spec->glob |= strchr("*?[", *p) && !is_literal(spec->function, p);
	return r;
}

/* ---- overloaded functions ---- */

/* The end of the parameter that begins at `p`: a comma or `end`. */
static const char *parameter_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end && (depth || *p != ','); p++)
		depth += strchr("([<", *p) ? 1 : strchr(")]>", *p) ? -1 : 0;
	return p;
}

/* Without its name.  NULL: that is inside the type. */
static const char *type_end(const char *p, const char *end, const char *name)
{
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	if (!name)
		return end;
	if (!ends_with(p, end, name))
		return NULL;
	for (end -= strlen(name); end > p && isspace((unsigned char)end[-1]); end--)
		;
	return end;
}

int rt_take_overload(const struct rt_cursor *c, const char *name, const char *name_end,
		     const char *open, const struct rt_prototype *prototype, struct rt_spec *spec)
{
	const char *close = rt_matching(c, open), *p = open + 1, *next, *end;
	unsigned i;
	char *out;

	if (!close || rt_identifier(c, name, true) != (size_t)(name_end - name))
		return 0;
	out = spec->overload = malloc((size_t)(name_end - name) + (size_t)(close - open) + 2);
	if (!out)
		return rt_nomem(c->err);
	memcpy(out, name, (size_t)(name_end - name));
	out += name_end - name;
	*out++ = '(';
	for (i = 0; i < prototype->nparams && p < close; i++, p = next + 1) {
		next = parameter_end(p, close - 1);
		end = type_end(p, next, prototype->params[i].name);
		if (!end) {
			free(spec->overload);
			spec->overload = NULL;
			return 0;
		}
		if (i)
			*out++ = ',';
		memcpy(out, p, (size_t)(end - p));
		out += end - p;
	}
	memcpy(out, ")", 2);
	return 0;
}

/* ---- regular expressions ---- */

/* glibc's needs memory by the product of nested repetitions. */
static bool is_costly(const char *text)
{
	const char *brace = strchr(text, '{');

	return brace && strchr(brace + 1, '{');
}

int rt_take_regex(const struct rt_cursor *c, const char *slash, const char *close,
		  struct rt_spec *spec)
{
	char *text = strndup(slash + 1, (size_t)(close - slash) - 2), why[128];
	regex_t *regex = calloc(1, sizeof(*regex));
	int r = 0;

	spec->column = rt_cursor_column(c, slash);
	spec->function = text;
	if (!text || !regex) {
		free(regex);
		return rt_nomem(c->err);
	}
	if (strlen(text) > 256 || is_costly(text))
		r = rt_expected(c, slash, "a shorter regular expression, with one {...} at most");
	if (r == 0) {
		r = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
		if (r) {
			regerror(r, regex, why, sizeof(why));
			r = rt_expected(c, slash, "a regular expression: %s", why);
		}
	}
	if (r < 0) {
		free(regex);
		return r;
	}
	spec->regex = regex;
	spec->glob = true;
	return 0;
}

void rt_free_regex(struct rt_spec *spec)
{
	if (!spec->regex)
		return;
	regfree(spec->regex);
	free(spec->regex);
}

bool rt_spec_regex(const struct rt_spec *spec, const char *name)
{
	return regexec(spec->regex, name, 0, NULL, 0) == 0;
}
