/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variable arguments of printf and its like, as the format asks for them.
 *
 *   "%s is %5.1f%% of %*d\n", name, share, 8, n		in the program
 *   "%s is %5.1f%% of %*d\n" "libc" <float> 8 2048		in the trace
 *
 * The words behind the format were read as if each was a char *, with the text that it points to
 * (fetch/lower.c).  The format says which of them are there, and of which type.  Floating point is
 * in vector registers, which no probe gives; in 32-bit programs it is on the stack.
 */
#include <string.h>

#include "output/value_type.h"

enum conversion {
	CONVERSION_END, CONVERSION_UNKNOWN, CONVERSION_SIGNED, CONVERSION_UNSIGNED, CONVERSION_HEX,
	CONVERSION_OCTAL, CONVERSION_CHAR, CONVERSION_TEXT, CONVERSION_POINTER, CONVERSION_FLOAT,
	CONVERSION_LONG_DOUBLE
};

struct format {
	const uint8_t *at, *end;
	bool inside;			/* behind a '*' of a conversion */
	unsigned word;			/* bytes of long and of pointers */
	unsigned size;			/* bytes of the last integer */
};

static uint8_t peek(const struct format *f)
{
	return f->at < f->end ? *f->at : 0;
}

/* The length modifier.  'L': long double; 'l': long, or longer. */
static char take_length(struct format *f)
{
	char length = 0;
	unsigned h = 0, l = 0;

	f->size = 4;
	while (peek(f) && strchr("hlLqjzt", peek(f))) {
		length = (char)*f->at++;
		h += length == 'h';
		l += length == 'l';
	}
	if (h)
		f->size = h > 1 ? 1 : 2;
	else if (l > 1 || (length && strchr("Lqj", length)))
		f->size = 8;
	else if (length)
		f->size = f->word;
	return length;
}

/* The next argument that the format wants. */
static enum conversion next_conversion(struct format *f)
{
	char length;

	while (f->inside || f->at < f->end) {
		if (!f->inside && *f->at++ != '%')
			continue;
		f->inside = true;
		while (peek(f) && strchr("-+ #0'I123456789.", peek(f)))
			f->at++;
		if (peek(f) == '*') {
			f->at++;
			f->size = 4;
			return CONVERSION_SIGNED;
		}
		f->inside = false;
		length = take_length(f);
		if (f->at >= f->end)
			return CONVERSION_UNKNOWN;
		switch (*f->at++) {
		case '%':
		case 'm':
			continue;
		case 'd':
		case 'i':
			return CONVERSION_SIGNED;
		case 'u':
			return CONVERSION_UNSIGNED;
		case 'x':
		case 'X':
		case 'b':
		case 'B':
			return CONVERSION_HEX;
		case 'o':
			return CONVERSION_OCTAL;
		case 'c':
			return length ? CONVERSION_SIGNED : CONVERSION_CHAR;
		case 's':
			return length ? CONVERSION_POINTER : CONVERSION_TEXT;
		case 'p':
		case 'n':
		case 'S':
			return CONVERSION_POINTER;
		case 'a':
		case 'A':
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G':
			return length == 'L' ? CONVERSION_LONG_DOUBLE : CONVERSION_FLOAT;
		default:		/* "%1$s" too */
			return CONVERSION_UNKNOWN;
		}
	}
	return CONVERSION_END;
}

static bool load_word(const struct rt_view *v, unsigned size, uint64_t *word)
{
	const char *why;
	const uint8_t *bytes = rt_view_bytes(v, 0, size, &why);

	*word = bytes ? rt_fetch_load(bytes, size) : 0;
	return bytes;
}

/* An integer, from one word, or from two of a 32-bit program.  False: it was not read. */
static bool give_integer(struct rt_value_walk *p, const struct rt_show *shows, unsigned n,
			 enum conversion conversion, const struct format *f)
{
	static const enum rt_style styles[] = {
		[CONVERSION_SIGNED] = RT_STYLE_DEC, [CONVERSION_UNSIGNED] = RT_STYLE_DEC,
		[CONVERSION_HEX] = RT_STYLE_HEX, [CONVERSION_OCTAL] = RT_STYLE_OCT,
		[CONVERSION_CHAR] = RT_STYLE_CHAR
	};
	const struct rt_ctype type = { .kind = RT_CT_INT, .size = f->size,
		.is_signed = conversion == CONVERSION_SIGNED };
	unsigned size = conversion == CONVERSION_CHAR ? 1 : f->size, i;
	uint64_t word, all = 0;

	for (i = 0; i * f->word < size; i++) {
		const struct rt_view v = { .p = p, .show = &shows[i], .depth = 1 };

		if (i == n || !load_word(&v, size < f->word ? size : f->word, &word))
			return false;
		all |= word << 8 * i * f->word;
	}
	rt_view_word(p, &type, all, size * 8, styles[conversion]);
	return true;
}

/* In 32-bit programs: two words. */
static bool give_double(struct rt_value_walk *p, const struct rt_show *shows, unsigned n)
{
	struct rt_value value = { .kind = RT_VALUE_FLOAT, .len = 8 };
	uint8_t bytes[8];
	const uint8_t *at;
	const char *why;
	unsigned i;

	for (i = 0; i < 2; i++) {
		const struct rt_view v = { .p = p, .show = &shows[i], .depth = 1 };

		at = i < n ? rt_view_bytes(&v, 0, 4, &why) : NULL;
		if (!at)
			return false;
		memcpy(bytes + 4 * i, at, 4);
	}
	value.bytes = bytes;
	rt_value_give(p, &value);
	return true;
}

static void give_pointer(struct rt_value_walk *p, const struct rt_show *show, unsigned word)
{
	const struct rt_view v = { .p = p, .show = show, .depth = 1 };
	uint64_t address;

	if (!load_word(&v, word, &address))
		rt_value_word(p, rt_view_unreadable);
	else
		rt_value_number(p, address ? RT_VALUE_HEX : RT_VALUE_NULL, address);
}

void rt_view_format(struct rt_value_walk *p, const struct rt_show *shows, unsigned n,
		    unsigned index, const uint8_t *text, size_t len, bool cut)
{
	struct format f = {
		.at = text, .end = text + len, .word = p->values->plan->arch->word,
	};
	enum conversion conversion;
	unsigned i = 0, words;

	while ((conversion = next_conversion(&f)) != CONVERSION_END) {
		bool is_float = conversion == CONVERSION_FLOAT, given = i < n;

		words = 1;
		rt_value_place(p, RT_VALUE_ARGS, index++, NULL);
		if (is_float && f.word > 4) {
			rt_value_word(p, "<float>");
			continue;
		}
		if (conversion == CONVERSION_UNKNOWN || conversion == CONVERSION_LONG_DOUBLE)
			given = false;
		else if (is_float)
			given = give_double(p, shows + i, n - i), words = 2;
		else if (!given)
			;
		else if (conversion == CONVERSION_TEXT)
			rt_view_show(&(struct rt_view){ .p = p, .show = &shows[i] }, shows[i].type,
				     0, RT_STYLE_TYPE);
		else if (conversion == CONVERSION_POINTER)
			give_pointer(p, &shows[i], f.word);
		else
			given = give_integer(p, shows + i, n - i, conversion, &f),
			words = f.size > f.word ? f.size / f.word : 1;
		i += words;
		if (!given) {
			rt_value_word(p, rt_view_more);
			return;
		}
	}
	if (cut) {
		rt_value_place(p, RT_VALUE_ARGS, index, NULL);
		rt_value_word(p, rt_view_more);
	}
}
