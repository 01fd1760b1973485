/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clean.h"
#include "lang/spec.h"

/* Names of functions are short; what a name means can grow beyond all bounds. */
enum { TEXT_MAX = RT_NAME_MOST, NAME_MAX_MANGLED = 1 << 12 };

void rt_text_add(struct rt_text *text, const char *s, size_t n)
{
	size_t cap = text->cap ? text->cap : 256;
	char *v;

	if (text->failed || n > TEXT_MAX || text->n + n > TEXT_MAX) {
		text->failed = true;
		return;
	}
	while (cap < text->n + n + 1)
		cap *= 2;
	if (cap != text->cap) {
		v = realloc(text->v, cap);
		if (!v) {
			text->failed = true;
			return;
		}
		text->v = v;
		text->cap = cap;
	}
	memcpy(text->v + text->n, s, n);
	text->n += n;
	text->v[text->n] = '\0';
}

void rt_text_free(struct rt_text *text)
{
	free(text->v);
	memset(text, 0, sizeof(*text));
}

static void begin(struct rt_text *text)
{
	text->n = 0;
	text->failed = false;
}

bool rt_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

const char *rt_demangle(struct rt_text *text, const char *name, bool parameters)
{
	const char *copy = strchr(name, '.');

	begin(text);
	if (!rt_is_mangled(name) || strlen(name) > NAME_MAX_MANGLED ||
	    !rt_demangler_run(text, name, parameters))
		return NULL;
	/*
	 * Rust's own dots are inside its names (_ZN4core3ptr28drop_in_place$LT$..), GCC's at the
	 * end: .cold, .isra.0
	 */
	if (copy && !parameters && name[1] == 'Z' && islower((unsigned char)copy[1]) &&
	    !strchr(copy, 'E') && !strstr(copy, "llvm"))
		rt_text_add(text, copy, strlen(copy));
	/* Rust's names may have any character, encoded as "u..". */
	if (!text->failed)
		rt_make_printable(text->v);
	return text->failed ? NULL : text->v;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Past the bracket that closes the one at `p`; NULL: it is never closed. */
static const char *skip_angles(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && p[-1] != '-' && --depth == 0)
			return p + 1;
	}
	return NULL;
}

static bool begins(const char *p, const char *word)
{
	return strncmp(p, word, strlen(word)) == 0;
}

static bool is_operator(const char *start, const char *p)
{
	return begins(p, "operator") && (p == start || !is_word(p[-1])) && !is_word(p[8]);
}

/* The signs of an operator's name: "operator" is before `p`. */
static size_t operator_signs(const char *p)
{
	size_t blank = *p == ' ' && !is_word(p[1]) ? 1 : 0, n;

	if (begins(p + blank, "()") || begins(p + blank, "[]"))
		return blank + 2;
	n = strspn(p + blank, "<>=!+-*/%^&|~,");
	/* operator<< <int>: the demangler puts a blank before arguments. */
	return n ? blank + n : 0;
}

/* The length of the type behind "const ", up to its end. */
static size_t type_length(const char *p)
{
	const char *start = p, *end;

	while (*p && !strchr("*&,()>", *p)) {
		if (*p == '<') {
			end = skip_angles(p);
			if (!end)
				return 0;
			p = end;
			continue;
		}
		p++;
	}
	while (p > start && p[-1] == ' ')
		p--;
	return (size_t)(p - start);
}

/* the types behind typedefs of C++ */
static const struct {
	const char *type, *name;
} strings[] = {
	{ "__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "string" },
	{ "__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
	  "wstring" },
	{ "__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >",
	  "string" },
	{ "__1::basic_string_view<char, std::__1::char_traits<char> >", "string_view" },
	{ "basic_string_view<char, std::char_traits<char> >", "string_view" },
	{ "basic_string_view<wchar_t, std::char_traits<wchar_t> >", "wstring_view" },
};

/* The name of a string's type at `p`.  Returns how much of `p` that was; 0: it is none. */
static size_t put_string(struct rt_text *out, const char *p)
{
	size_t i;

	for (i = 0; i < RT_COUNT(strings) && begins(p, "std::"); i++) {
		if (!begins(p + 5, strings[i].type))
			continue;
		rt_text_add(out, p, 5);
		rt_text_add(out, strings[i].name, strlen(strings[i].name));
		return 5 + strlen(strings[i].type);
	}
	return 0;
}

static void canonical(struct rt_text *out, const char *name, const char *end, bool plain);

/*
 * `const T` at the beginning of a parameter as `T const`.  Returns how much of `p` that was; 0: it
 * is none.
 */
static size_t put_const(struct rt_text *out, const char *p, const char *end, bool plain)
{
	size_t n;

	if (!begins(p, "const ") || !out->n || !strchr("(,<", out->v[out->n - 1]))
		return 0;
	n = type_length(p + 6);
	if (n == 0 || p + 6 + n > end)
		return 0;
	canonical(out, p + 6, p + 6 + n, plain);
	if (is_word(out->v[out->n - 1]))
		rt_text_add(out, " ", 1);
	rt_text_add(out, "const", 5);
	return 6 + n;
}

/*
 * Template arguments at `p`, left out.  Returns how much that was; 0: it is none.  Rust has paths
 * in brackets: <Vec<T>>::push is Vec::push, and <Vec<T> as Trait>::f stays.
 */
static size_t leave_out(struct rt_text *out, const char *start, const char *p, const char *end)
{
	const char *close = skip_angles(p);

	if (!close || close > end)
		return 0;
	/* The demangler puts a blank after operator<<. */
	if (p > start && (is_word(p[-1]) || p[-1] == ' '))
		return (size_t)(close - p);
	if (p > start + 1 && p[-1] == ':' && !begins(p, "<impl ") && out->n >= 2) {
		out->n -= 2;	/* Rust's f::<u8> */
		out->v[out->n] = '\0';
		return (size_t)(close - p);
	}
	if (p == start && begins(close, "::") && !begins(p, "<impl ") &&
	    !memmem(p, (size_t)(close - p), " as ", 4)) {
		canonical(out, p + 1, close - 1, true);
		return (size_t)(close - p);
	}
	return 0;
}

/* Is what comes next in `out` a template's argument? */
static bool in_arguments(const struct rt_text *out)
{
	int depth = 0;
	size_t i;

	for (i = 0; i < out->n; i++)
		depth += out->v[i] == '<'					? 1
			 : out->v[i] == '>' && (i == 0 || out->v[i - 1] != '-') ? -1
										: 0;
	return depth > 0;
}

/*
 * ", std::allocator<T>" and its like at `p`, which nobody writes.  Returns how much that is; 0: it
 * is none.
 */
static size_t leave_default(const struct rt_text *out, const char *p, const char *end)
{
	static const char *const names[] = {
		"allocator<", "less<", "char_traits<", "default_delete<", "hash<", "equal_to<",
	};
	const char *at = p + 1 + (p[1] == ' '), *close;
	size_t i;

	if (*p != ',' || !begins(at, "std::"))
		return 0;
	for (i = 0; i < RT_COUNT(names) && !begins(at + 5, names[i]); i++)
		;
	close = i < RT_COUNT(names) && in_arguments(out) ? skip_angles(at + 5) : NULL;
	return close && close < end ? (size_t)(close - p) : 0;
}

static void canonical(struct rt_text *out, const char *name, const char *end, bool plain)
{
	const char *p = name, *q;
	size_t n;

	while (p < end && !out->failed) {
		if (is_operator(name, p)) {
			n = 8 + operator_signs(p + 8);
			rt_text_add(out, "operator", 8);
			q = p + 8 + (p[8] == ' ' && n > 8);
			rt_text_add(out, q, (size_t)(p + n - q));
			p += n;
		} else if ((n = put_string(out, p))) {
			p += n;
		} else if (begins(p, "[abi:") && (q = strchr(p, ']'))) {
			p = q + 1;
		} else if ((n = leave_default(out, p, end)) ||
			   (n = put_const(out, p, end, plain)) ||
			   (plain && *p == '<' && (n = leave_out(out, name, p, end)))) {
			p += n;
		} else if (*p == ' ' && !(out->n && is_word(out->v[out->n - 1]) && is_word(p[1]))) {
			p++;
		} else {
			rt_text_add(out, p++, 1);
		}
	}
}

/*
 * v1, __cxx11, __1, _V2, lts_20220623, json_abi_v3_11_2: what libraries call the inline namespaces
 * that have their versions.
 */
static bool is_version(const char *p, size_t n)
{
	return isdigit((unsigned char)p[n - 1]) &&
	       (*p == '_' || memmem(p, n, "abi_", 4) || memmem(p, n, "lts_", 4) ||
		(*p == 'v' && strspn(p + 1, "0123456789_") == n - 1));
}

void rt_name_without_versions(struct rt_text *text, const char *want)
{
	char *p = text->v, *out = p, part[64];
	size_t n;

	while (*p) {
		for (n = 0; is_word(p[n]); n++)
			;
		if (n && n < sizeof(part) - 2 && begins(p + n, "::") && is_version(p, n)) {
			memcpy(part, p, n + 2);
			part[n + 2] = '\0';
			if (!strstr(want, part)) {
				p += n + 2;
				continue;
			}
		}
		n += !n;
		memmove(out, p, n);
		out += n;
		p += n;
	}
	*out = '\0';
	text->n = (size_t)(out - text->v);
}

const char *rt_name_canonical(struct rt_text *text, const char *name, bool plain)
{
	begin(text);
	rt_text_add(text, "", 0);
	/* Most names have nothing of all that. */
	if (!strpbrk(name, "<[( ") && !strstr(name, "operator"))
		rt_text_add(text, name, strlen(name));
	else
		canonical(text, name, name + strlen(name), plain);
	return text->failed ? NULL : text->v;
}

const char *rt_name_canonical_typed(struct rt_text *text, const char *name, const char *parameters)
{
	begin(text);
	rt_text_add(text, "", 0);
	canonical(text, name, parameters, true);
	canonical(text, parameters, parameters + strlen(parameters), false);
	return text->failed ? NULL : text->v;
}

/* ---- names that are nothing but identifiers ---- */

/*
 * Rust's legacy names end in 17h and as many hexadecimal digits; the demanglers want so many
 * different ones, and some one less.
 */
enum { HASH_DIGITS = 16, HASH_DIFFERENT = 6 };

/*
 * Past the identifier with its length at `p`; NULL: it is none, or one that means
 * something else.
 */
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
	return end - p == HASH_DIGITS + 1 && *p == 'h' &&
	       strspn(p + 1, "0123456789abcdef") >= HASH_DIGITS;
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

	/* of a const member */
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
