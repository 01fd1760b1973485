/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"
#include "output/value.h"
#include "base/clean.h"

void rt_value_int(const struct rt_printer *p, uint64_t magnitude, bool negative)
{
	const char *quote = p->json && magnitude > RT_JSON_EXACT ? "\"" : "";

	rt_put(p->file, quote);
	if (negative)
		putc_unlocked('-', p->file);
	rt_put_u64(p->file, magnitude);
	rt_put(p->file, quote);
}

static void put_number(const struct rt_printer *p, uint64_t v, unsigned shift, const char *prefix)
{
	char buf[32], *s = buf + sizeof(buf);
	const char *quote = p->json ? "\"" : "";

	do {
		*--s = "0123456789abcdef"[v & ((1u << shift) - 1)];
		v >>= shift;
	} while (v);
	rt_put(p->file, quote);
	rt_put(p->file, prefix);
	rt_put_bytes(p->file, s, (size_t)(buf + sizeof(buf) - s));
	rt_put(p->file, quote);
}

void rt_value_hex(const struct rt_printer *p, uint64_t v)
{
	put_number(p, v, 4, "0x");
}

void rt_value_octal(const struct rt_printer *p, uint64_t v)
{
	put_number(p, v, 3, v ? "0" : "");
}

/* ---- floating point: the shortest text that reads as the same number ---- */

static void put_double(const struct rt_printer *p, double v, bool single)
{
	int precision = single ? FLT_DIG : DBL_DIG, most = single ? 9 : 17;
	double again;
	char buf[40];

	do {
		snprintf(buf, sizeof(buf), "%.*g", precision, v);
		/* Not strtof, which is 20 kB of a static glibc; of so few digits strtod makes the same. */
		again = strtod(buf, NULL);
	} while (precision++ < most && (single ? (float)again != (float)v : again != v));
	if (isnan(v) || isinf(v))
		rt_value_word(p, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	else
		rt_put(p->file, buf);
}

/* x87's 80 bits: 64 of fraction, then the sign and the exponent. */
static void put_extended(const struct rt_printer *p, const uint8_t *bytes)
{
	uint64_t fraction = rt_fetch_load(bytes, 8);
	int exponent = (int)rt_fetch_load(bytes + 8, 2);
	long double v = ldexpl((long double)fraction, (exponent & 0x7fff) - 16383 - 63);
	int precision = DBL_DIG;
	char buf[64];

	if (exponent & 0x8000)
		v = -v;
	if ((exponent & 0x7fff) == 0x7fff) {
		rt_value_word(p, fraction << 1 ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	do {
		snprintf(buf, sizeof(buf), "%.*Lg", precision, v);
	} while (precision++ < 21 && strtold(buf, NULL) != v);
	rt_put(p->file, buf);
}

/* aarch64's long double, and __float128: the x87's, but that the first bit of the fraction is left out, and 49 at its end are more. */
static void put_quad(const struct rt_printer *p, const uint8_t *bytes)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8), fraction = high << 16 >> 1 | low >> 49;
	uint16_t top = (uint16_t)(high >> 48);
	uint8_t extended[10];

	if ((top & 0x7fff) != 0x7fff && low >> 48 & 1 && ++fraction >> 63) {
		fraction = 0;
		top++;
	}
	if (top & 0x7fff)
		fraction |= 1ull << 63;
	memcpy(extended, &fraction, 8);
	memcpy(extended + 8, &top, 2);
	put_extended(p, extended);
}

void rt_value_float(const struct rt_printer *p, const uint8_t *bytes, uint64_t size, bool quad)
{
	double d;
	float f;

	if (size == 4) {
		memcpy(&f, bytes, sizeof(f));
		put_double(p, (double)f, true);
	} else if (size == 8) {
		memcpy(&d, bytes, sizeof(d));
		put_double(p, d, false);
	} else if (quad) {
		put_quad(p, bytes);
	} else {
		put_extended(p, bytes);
	}
}

/* ---- text ---- */

/* Three digits always: a digit that follows in the text must not be taken for one of the escape's. */
static void put_octal(FILE *file, uint8_t c)
{
	putc_unlocked('\\', file);
	putc_unlocked('0' + (c >> 6), file);
	putc_unlocked('0' + (c >> 3 & 7), file);
	putc_unlocked('0' + (c & 7), file);
}

static void put_char(FILE *file, uint8_t c, char quote)
{
	if (c == (uint8_t)quote || c == '\\') {
		putc_unlocked('\\', file);
		putc_unlocked(c, file);
	} else if (c == '\n') {
		rt_put(file, "\\n");
	} else if (c == '\r') {
		rt_put(file, "\\r");
	} else if (c == '\t') {
		rt_put(file, "\\t");
	} else if (c < 0x20 || c >= 0x7f) {
		put_octal(file, c);
	} else {
		putc_unlocked(c, file);
	}
}

static void put_text(FILE *file, const uint8_t *text, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = rt_printable_length(text + i, len - i);
		if (n > 1) {
			rt_put_bytes(file, text + i, n);
			continue;
		}
		n = 1;
		put_char(file, text[i], '"');
	}
}

void rt_value_text(const struct rt_printer *p, const uint8_t *text, size_t len, bool cut)
{
	putc_unlocked('"', p->file);
	if (p->json) {
		rt_json_chars(p->file, (const char *)text, len);
		rt_put(p->file, cut ? "...\"" : "\"");
	} else {
		put_text(p->file, text, len);
		rt_put(p->file, cut ? "\"..." : "\"");
	}
}

void rt_value_char(const struct rt_printer *p, uint8_t c)
{
	if (p->json) {
		rt_json_string(p->file, (const char *)&c, 1);
		return;
	}
	putc_unlocked('\'', p->file);
	put_char(p->file, c, '\'');
	putc_unlocked('\'', p->file);
}

bool rt_value_unicode(const struct rt_printer *p, uint64_t c)
{
	uint8_t s[4];
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i = n;

	if (c < 0x80 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	for (; i-- > 0; c >>= 6)
		s[i] = (uint8_t)(0x80 | (c & 0x3f));
	s[0] = (uint8_t)(s[0] | 0xf00 >> n);
	if (p->json) {
		rt_json_string(p->file, (const char *)s, n);
		return true;
	}
	putc_unlocked('\'', p->file);
	put_text(p->file, s, n);
	putc_unlocked('\'', p->file);
	return true;
}

void rt_value_word(const struct rt_printer *p, const char *word)
{
	if (p->json)
		rt_json_string(p->file, word, strlen(word));
	else
		rt_put(p->file, word);
}

void rt_value_fd(const struct rt_printer *p, int64_t fd)
{
	char name[256], text[300];

	if (fd < 0 || !p->trace->fd_paths ||
	    !rt_resolve_descriptor(p->trace->resolver, p->pid, fd, name, sizeof(name))) {
		rt_value_int(p, fd < 0 ? -(uint64_t)fd : (uint64_t)fd, fd < 0);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId64 "<%s>", fd, name);
	if (p->json)
		rt_json_string(p->file, text, strlen(text));
	else
		put_text(p->file, (const uint8_t *)text, strlen(text));
}

/*
 * The length counts the NUL, and what was cut has one too: a string that fills its room may have been longer.
 * tracefs up to 4.14 can leave the NUL out, and then the length alone says where a string ends.
 */
int rt_value_string(const struct rt_fetch *fetch, const uint8_t *at, bool fault, const uint8_t **text, size_t *len, bool *cut)
{
	int32_t length;
	size_t have;

	memcpy(&length, at, sizeof(length));
	if (length < 0 || (fault && length < 2))
		return -EFAULT;
	have = length < fetch->max ? (size_t)length : fetch->max;
	*text = at + sizeof(length);
	*len = strnlen((const char *)*text, have);
	*cut = *len + 1 >= have && (fault || have == fetch->max);
	return 0;
}
