/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/cursor.h"

/* No blanks within a word, as in the kernel; so these look at the characters themselves. */
static char next(const struct rt_cursor *c)
{
	return c->at < c->end ? *c->at : '\0';
}

static bool take(struct rt_cursor *c, const char *token)
{
	size_t n = strlen(token);

	if ((size_t)(c->end - c->at) < n || memcmp(c->at, token, n) != 0)
		return false;
	c->at += n;
	return true;
}

static int number(struct rt_cursor *c, int64_t max, const char *what, int64_t *value)
{
	const char *at = c->at;

	if (!isdigit((unsigned char)next(c)))
		return rt_expected(c, at, "%s", what);
	if (rt_parse_number(c, value) < 0 || *value < 0 || *value > max)
		return rt_expected(c, at, "%s, at most %lld", what, (long long)max);
	return 0;
}

static const char bases[] =
	"%%REGISTER, $stack, $stackN, $retval, $argN, $comm, @ADDRESS, \\N or +N(...)";

/* $comm, $argN, @ADDRESS, \N */
static int special_word(struct rt_cursor *c, struct rt_word *w)
{
	const char *at = c->at;
	bool memory;
	int64_t n;

	if (take(c, "$comm") || take(c, "$COMM")) {
		w->base = RT_WORD_COMM;
		return 0;
	}
	if (take(c, "$arg")) {
		w->base = RT_WORD_ARGUMENT;
		if (number(c, 128, "the number of an argument, from 1", &n) < 0)
			return -EINVAL;
		if (!n)
			return rt_expected(c, at, "the number of an argument, from 1");
		w->slot = (unsigned)n;
		return 0;
	}
	if (next(c) != '@' && next(c) != '\\')
		return rt_expected(c, at, bases);
	memory = take(c, "@");
	if (!memory)
		c->at++;
	if (memory && next(c) == '+')
		return rt_expected(c, c->at,
				   "an address: a place in the file (@+N) cannot be read here");
	w->base = RT_WORD_CONSTANT;
	if (memory && !isdigit((unsigned char)next(c)))
		return rt_expected(c, c->at, "an address");
	if (!memory && !isdigit((unsigned char)next(c)) && next(c) != '-')
		return rt_expected(c, c->at, "a number");
	if (rt_parse_number(c, &n) < 0)
		return -EINVAL;
	w->constant = (uint64_t)n;
	if (memory)
		w->deref[w->nderef++] = 0;
	return 0;
}

static int base_word(struct rt_cursor *c, struct rt_word *w)
{
	int64_t slot;
	size_t n;

	if (take(c, "%")) {
		n = rt_identifier(c, c->at, false);
		if (!n)
			return rt_expected(c, c->at, "the name of a register behind '%%'");
		w->base = RT_WORD_REG;
		w->reg_column = rt_cursor_column(c, c->at) - 1;
		w->reg = rt_types_name(c->types, c->at, n);
		c->at += n;
		return w->reg ? 0 : rt_nomem(c->err);
	}
	if (take(c, "$retval")) {
		w->base = RT_WORD_RESULT;
		return 0;
	}
	if (take(c, "$stack")) {
		w->base = RT_WORD_STACK;
		if (!isdigit((unsigned char)next(c)))
			return 0;
		w->base = RT_WORD_STACK_SLOT;
		if (number(c, 4095, "the number of a stack slot", &slot) < 0)
			return -EINVAL;
		w->slot = (unsigned)slot;
		return 0;
	}
	return special_word(c, w);
}

/* +N(...), inner ones first. */
static int fetch(struct rt_cursor *c, struct rt_word *w)
{
	const char *at = c->at;
	bool negative;
	int64_t offset;
	int r;

	if (next(c) != '+' && next(c) != '-')
		return base_word(c, w);
	negative = next(c) == '-';
	c->at++;
	take(c, "u");		/* of user memory, which is the only one that is read here */
	r = number(c, INT32_MAX, "an offset", &offset);
	if (r == 0 && !take(c, "("))
		r = rt_expected(c, c->at, "'(' behind the offset");
	if (r == 0 && ++c->depth > RT_MAX_WORD_DEREF)
		r = rt_expected(c, at, "at most %d memory reads one after another",
				RT_MAX_WORD_DEREF);
	if (r == 0)
		r = fetch(c, w);
	/* @ADDRESS is one too. */
	if (r == 0 && w->nderef == RT_MAX_WORD_DEREF)
		r = rt_expected(c, at, "at most %d memory reads one after another",
				RT_MAX_WORD_DEREF);
	if (r == 0 && w->base == RT_WORD_COMM)
		r = rt_expected(c, at, "no memory read around $comm, which is a name");
	if (r < 0)
		return r;
	if (!take(c, ")"))
		return rt_expected(c, c->at, "')'");
	w->deref[w->nderef++] = (int32_t)(negative ? -offset : offset);
	return 0;
}

static int bits_type(struct rt_cursor *c, struct rt_word *w)
{
	const char *at = c->at - 1;
	int64_t bits, bit, size;

	w->type = RT_WORD_BITS;
	if (number(c, 64, "how many bits", &bits) < 0)
		return -EINVAL;
	if (!take(c, "@"))
		return rt_expected(c, c->at, "'@' and the first bit, as in b4@8/32");
	if (number(c, 63, "the first bit", &bit) < 0)
		return -EINVAL;
	if (!take(c, "/"))
		return rt_expected(c, c->at, "'/' and the container's bits, as in b4@8/32");
	if (number(c, 64, "the container's bits: 8, 16, 32 or 64", &size) < 0)
		return -EINVAL;
	if (size != 8 && size != 16 && size != 32 && size != 64)
		return rt_expected(c, at, "a container of 8, 16, 32 or 64 bits");
	if (!bits || bit + bits > size)
		return rt_expected(c, at, "bits that are in their container");
	w->bits = (unsigned)bits;
	w->bit = (unsigned)bit;
	w->size = (unsigned)size / 8;
	return 0;
}

static int type_word(struct rt_cursor *c, struct rt_word *w)
{
	static const char known[] = "u8 u16 u32 u64 s8 ... x64, char, string, ustring or bN@N/N";
	const char *at = c->at;
	int64_t bits;
	size_t n = rt_identifier(c, c->at, false);

	if (rt_is_word(at, n, "string") || rt_is_word(at, n, "ustring") ||
	    rt_is_word(at, n, "char")) {
		w->type = *at == 'c' ? RT_WORD_CHAR : RT_WORD_STRING;
		w->size = 1;
		c->at += n;
		return 0;
	}
	if (rt_is_word(at, n, "symbol") || rt_is_word(at, n, "symstr"))
		return rt_expected(c, at, "%s: '%.6s' is of kernel addresses", known, at);
	if (n < 2 || !isdigit((unsigned char)at[1]))
		return rt_expected(c, at, "a type: %s", known);
	c->at++;
	if (*at == 'b')
		return bits_type(c, w);
	w->type = *at == 's' ? RT_WORD_SIGNED : *at == 'x' ? RT_WORD_HEX : RT_WORD_UNSIGNED;
	if (*at != 's' && *at != 'x' && *at != 'u')
		return rt_expected(c, at, "a type: %s", known);
	if (number(c, 64, "8, 16, 32 or 64", &bits) < 0)
		return -EINVAL;
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return rt_expected(c, at + 1, "8, 16, 32 or 64");
	w->size = (unsigned)bits / 8;
	return 0;
}

static int array_word(struct rt_cursor *c, struct rt_word *w)
{
	const char *at = c->at;
	int64_t count;

	if (!take(c, "["))
		return 0;
	if (number(c, 64, "a number of elements", &count) < 0)
		return -EINVAL;
	if (!count)
		return rt_expected(c, at + 1, "a number of elements, 1 to 64");
	if (w->type == RT_WORD_STRING || w->type == RT_WORD_BITS)
		return rt_expected(c, at, "no array: integers and characters have them");
	if (!w->nderef && w->base != RT_WORD_STACK_SLOT)
		return rt_expected(c, at, "no array: a register holds one value");
	w->count = (unsigned)count;
	return take(c, "]") ? 0 : rt_expected(c, c->at, "']'");
}

static int word(struct rt_cursor *c, struct rt_word *w)
{
	const char *at = c->at;
	size_t n = rt_identifier(c, at, false);
	int r;

	memset(w, 0, sizeof(*w));
	w->column = rt_cursor_column(c, at);
	if (n && at + n < c->end && at[n] == '=' && at[0] != '$') {
		w->name = rt_types_name(c->types, at, n);
		if (!w->name)
			return rt_nomem(c->err);
		c->at += n + 1;
	}
	c->depth = 0;
	r = fetch(c, w);
	if (r < 0)
		return r;
	/* Without a type the kernel takes x64 (x32 on 32 bits). */
	w->type = w->base == RT_WORD_COMM ? RT_WORD_STRING : RT_WORD_HEX;
	w->size = c->arch->word;
	if (take(c, ":")) {
		r = type_word(c, w);
		if (r == 0)
			r = array_word(c, w);
	}
	if (r < 0)
		return r;
	if (w->base == RT_WORD_COMM && w->type != RT_WORD_STRING)
		return rt_expected(c, at, "$comm:string: it is a name");
	if (w->type == RT_WORD_STRING && !w->nderef && w->base != RT_WORD_COMM)
		return rt_expected(c, at, "+0(...) around what points to a string");
	if (c->at < c->end && !isspace((unsigned char)*c->at))
		return rt_expected(c, c->at, "':' and a type, a blank or the end");
	w->text = rt_types_name(c->types, at, (size_t)(c->at - at));
	return w->text ? 0 : rt_nomem(c->err);
}

/* ---- "FORMAT" argN, ..., as bcc's trace and argdist have it ---- */

/* A conversion of printf, behind its '%': the type of the value. */
static int conversion(struct rt_cursor *c, struct rt_word *w)
{
	static const char integers[] = "diuxXop";
	const char *at = c->at - 1;
	unsigned longs = 0;

	while (next(c) && strchr("-+ #.0123456789", next(c)))
		c->at++;
	for (; next(c) && strchr("hlzjt", next(c)); c->at++)
		longs += next(c) != 'h';
	w->size = longs > 1 || next(c) == 'p' ? 8 : longs ? c->arch->word : 4;
	if (w->size > c->arch->word)
		w->size = c->arch->word;
	switch (next(c)) {
	case 's':
		w->type = RT_WORD_STRING;
		w->size = 1;
		break;
	case 'c':
		w->type = RT_WORD_CHAR;
		w->size = 1;
		break;
	case 'd':
	case 'i':
		w->type = RT_WORD_SIGNED;
		break;
	case 'x':
	case 'X':
	case 'p':
		w->type = RT_WORD_HEX;
		break;
	default:
		w->type = RT_WORD_UNSIGNED;
		if (!next(c) || !strchr(integers, next(c)))
			return rt_expected(c, at,
					   "%%d, %%u, %%x, %%p, %%c or %%s, with h, l or ll");
	}
	c->at++;
	return 0;
}

/* Take the types of a format.  The number of its values, or a negative errno. */
static int parse_format(struct rt_cursor *c, struct rt_word *v)
{
	const char *start = c->at++;
	int n = 0, r;

	while (next(c) && next(c) != '"') {
		if (!take(c, "%")) {
			c->at++;
			continue;
		}
		if (take(c, "%"))
			continue;
		if (n == RT_MAX_VALUES)
			return rt_expected(c, c->at, "at most %d values", RT_MAX_VALUES);
		memset(&v[n], 0, sizeof(v[n]));
		r = conversion(c, &v[n++]);
		if (r < 0)
			return r;
	}
	return take(c, "\"") ? n : rt_expected(c, start, "a format between '\"'");
}

/* argN or retval, with '$' before it or not. */
static int parse_argument(struct rt_cursor *c, struct rt_word *w)
{
	static const char expected[] = "argN or retval; write what they point to as a "
				       "list: 'f(p->next)'";
	const char *at = c->at;
	int64_t n;

	take(c, "$");
	w->column = rt_cursor_column(c, at);
	w->base = RT_WORD_RESULT;
	if (!take(c, "retval")) {
		if (!take(c, "arg") || !isdigit((unsigned char)next(c)))
			return rt_expected(c, at, expected);
		w->base = RT_WORD_ARGUMENT;
		if (number(c, 128, "the number of an argument, from 1", &n) < 0)
			return -EINVAL;
		if (!n)
			return rt_expected(c, at, "the number of an argument, from 1");
		w->slot = (unsigned)n;
	}
	if (next(c) && next(c) != ',' && !isspace((unsigned char)next(c)))
		return rt_expected(c, at, expected);
	w->nderef = w->type == RT_WORD_STRING;
	w->text = rt_types_name(c->types, at, (size_t)(c->at - at));
	return w->text ? 0 : rt_nomem(c->err);
}

static int parse_formatted(struct rt_cursor *c, struct rt_word *v)
{
	const char *start = c->at;
	int n = parse_format(c, v), i, r = 0;

	for (i = 0; i < n && r == 0; i++) {
		rt_take(c, ",");
		if (!rt_peek(c))
			return rt_expected(c, c->at, "argN or retval for conversion %d", i + 1);
		r = parse_argument(c, &v[i]);
	}
	if (n < 0 || r < 0)
		return n < 0 ? n : r;
	if (!n)
		return rt_expected(c, start, "a format with %%d, %%s or another conversion");
	return rt_peek(c) ? rt_expected(c, c->at, "the end: the format has no more values") : n;
}

/* ---- both ---- */

static int parse_fetched(struct rt_cursor *c, struct rt_word *v)
{
	int n = 0, r;

	while (rt_peek(c)) {
		if (n == RT_MAX_VALUES)
			return rt_expected(c, c->at, "at most %d values", RT_MAX_VALUES);
		r = word(c, &v[n++]);
		if (r < 0)
			return r;
	}
	return n;
}

int rt_parse_words(struct rt_cursor *c, struct rt_spec *spec)
{
	struct rt_word v[RT_MAX_VALUES], *copy;
	int r = rt_peek(c) == '"' ? parse_formatted(c, v) : parse_fetched(c, v);
	size_t n = (size_t)r;

	if (r < 0)
		return r;
	copy = rt_types_alloc(c->types, n * sizeof(*v) + 1);
	if (!copy)
		return rt_nomem(c->err);
	memcpy(copy, v, n * sizeof(*v));
	spec->words = copy;
	spec->nwords = (unsigned)n;
	return 0;
}
