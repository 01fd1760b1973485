/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as text and as JSON. */
#include "output/print.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "output/line.h"
#include "output/value.h"

/*
 * The largest integer up to which a double, which is what JSON's readers make of a number, holds
 * every one.
 */
#define JSON_EXACT (UINT64_C(1) << 53)

/* The destination of values, and one of two formats. */
struct printer {
	struct rt_line *line;
	bool json;
	bool c;			/* text with commas between arguments, and nothing for void */
	bool failed;		/* the result says so */
	bool some;		/* printed of the group: a comma or a blank comes first */
};

static void put_word(const struct printer *p, const char *word)
{
	if (p->json)
		rt_line_json_string(p->line, word, strlen(word));
	else
		rt_line_text(p->line, word);
}

static void put_int(const struct printer *p, uint64_t magnitude, bool negative)
{
	bool quoted = p->json && magnitude > JSON_EXACT;

	if (quoted)
		rt_line_char(p->line, '"');
	if (negative)
		rt_line_char(p->line, '-');
	rt_line_u64(p->line, magnitude);
	if (quoted)
		rt_line_char(p->line, '"');
}

static void put_digits(const struct printer *p, uint64_t v, unsigned shift, const char *prefix)
{
	char buf[32], *s = buf + sizeof(buf);
	const char *quote = p->json ? "\"" : "";

	do {
		*--s = "0123456789abcdef"[v & ((1u << shift) - 1)];
		v >>= shift;
	} while (v);
	rt_line_text(p->line, quote);
	rt_line_text(p->line, prefix);
	rt_line_bytes(p->line, s, (size_t)(buf + sizeof(buf) - s));
	rt_line_text(p->line, quote);
}

/* ---- floating point: the shortest text that reads as the same number ---- */

static void put_double(const struct printer *p, double v, bool single)
{
	int precision = single ? FLT_DIG : DBL_DIG, most = single ? 9 : 17;
	double reread;
	char buf[40];

	do {
		snprintf(buf, sizeof(buf), "%.*g", precision, v);
		/*
		 * Not strtof, which is 20 kB of a static glibc; of so few digits strtod makes the
		 * same.
		 */
		reread = strtod(buf, NULL);
	} while (precision++ < most && (single ? (float)reread != (float)v : reread != v));
	if (isnan(v) || isinf(v))
		put_word(p, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	else
		rt_line_text(p->line, buf);
}

/* x87's 80 bits: 64 of fraction, then the sign and the exponent. */
static void put_extended(const struct printer *p, const uint8_t *bytes)
{
	uint64_t fraction = rt_fetch_load(bytes, 8);
	int exponent = (int)rt_fetch_load(bytes + 8, 2);
	long double v = ldexpl((long double)fraction, (exponent & 0x7fff) - 16383 - 63);
	int precision = DBL_DIG;
	char buf[64];

	if (exponent & 0x8000)
		v = -v;
	if ((exponent & 0x7fff) == 0x7fff) {
		put_word(p, fraction << 1 ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	do {
		snprintf(buf, sizeof(buf), "%.*Lg", precision, v);
	} while (precision++ < 21 && strtold(buf, NULL) != v);
	rt_line_text(p->line, buf);
}

/*
 * aarch64's long double, and __float128: the x87's, but that the first bit of the fraction is left
 * out, and 49 at its end are more.
 */
static void put_quad(const struct printer *p, const uint8_t *bytes)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8),
		fraction = high << 16 >> 1 | low >> 49;
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

static void put_float(const struct printer *p, const uint8_t *bytes, uint64_t size, bool quad)
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

/*
 * Three digits always: a digit that follows in the text must not be taken for one of the escape's.
 */
static void put_octal(struct rt_line *line, uint8_t c)
{
	rt_line_char(line, '\\');
	rt_line_char(line, '0' + (c >> 6));
	rt_line_char(line, '0' + (c >> 3 & 7));
	rt_line_char(line, '0' + (c & 7));
}

static void put_char(struct rt_line *line, uint8_t c, char quote)
{
	if (c == (uint8_t)quote || c == '\\') {
		rt_line_char(line, '\\');
		rt_line_char(line, c);
	} else if (c == '\n') {
		rt_line_text(line, "\\n");
	} else if (c == '\r') {
		rt_line_text(line, "\\r");
	} else if (c == '\t') {
		rt_line_text(line, "\\t");
	} else if (c < 0x20 || c >= 0x7f) {
		put_octal(line, c);
	} else {
		rt_line_char(line, c);
	}
}

static void put_text(struct rt_line *line, const uint8_t *text, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = rt_printable_length(text + i, len - i);
		if (n > 1) {
			rt_line_bytes(line, text + i, n);
			continue;
		}
		n = 1;
		put_char(line, text[i], '"');
	}
}

static void put_string(const struct printer *p, const uint8_t *text, size_t len, bool cut)
{
	rt_line_char(p->line, '"');
	if (p->json) {
		rt_line_json_chars(p->line, (const char *)text, len);
		rt_line_text(p->line, cut ? "...\"" : "\"");
	} else {
		put_text(p->line, text, len);
		rt_line_text(p->line, cut ? "\"..." : "\"");
	}
}

static void put_character(const struct printer *p, uint8_t c)
{
	if (p->json) {
		rt_line_json_string(p->line, (const char *)&c, 1);
		return;
	}
	rt_line_char(p->line, '\'');
	put_char(p->line, c, '\'');
	rt_line_char(p->line, '\'');
}

static void put_unicode(const struct printer *p, uint64_t c)
{
	uint8_t s[4];
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i = n;

	for (; i-- > 0; c >>= 6)
		s[i] = (uint8_t)(0x80 | (c & 0x3f));
	s[0] = (uint8_t)(s[0] | 0xf00 >> n);
	if (p->json) {
		rt_line_json_string(p->line, (const char *)s, n);
		return;
	}
	rt_line_char(p->line, '\'');
	put_text(p->line, s, n);
	rt_line_char(p->line, '\'');
}


/* A number, and what it is: 2<pipe:[5]>. */
static void put_descriptor(const struct printer *p, const struct rt_value *v)
{
	char text[300];

	snprintf(text, sizeof(text), "%" PRIu64 "<%s>", v->number, v->text);
	if (p->json)
		rt_line_json_string(p->line, text, strlen(text));
	else
		put_text(p->line, (const uint8_t *)text, strlen(text));
}

/* Words that are put together. */
static void put_composed(const struct printer *p, const struct rt_value *v)
{
	char text[80];

	switch (v->kind) {
	case RT_VALUE_WIDE:
		snprintf(text, sizeof(text), "0x%" PRIx64 "%016" PRIx64, v->high, v->number);
		break;
	case RT_VALUE_BAD:
		snprintf(text, sizeof(text), "0x%" PRIx64 "<unreadable>", v->number);
		break;
	default:
		snprintf(text, sizeof(text), "%s%" PRIu64 " %s", v->negative ? "-" : "", v->number,
			 v->text);
		break;
	}
	put_word(p, text);
}

/* ---- groups ---- */

/* A name and what it holds: text NAME(...), JSON {"NAME":...}. */
static void put_named_group(const struct printer *p, const struct rt_value *v)
{
	bool held = v->kind == RT_VALUE_HELD;

	if (v->end && p->json) {
		rt_line_char(p->line, '}');
	} else if (v->end) {
		rt_line_text(p->line, held ? ")" : "");
	} else if (p->json) {
		rt_line_char(p->line, '{');
		rt_line_json_string(p->line, v->text, strlen(v->text));
		rt_line_char(p->line, ':');
	} else if (held) {
		rt_line_text(p->line, v->text);
		rt_line_char(p->line, '(');
	} else {
		rt_line_json_chars(p->line, v->text, strlen(v->text));
	}
}

static void put_brackets(const struct printer *p, const struct rt_value *v)
{
	const char *brackets = "{}";

	if (v->kind == RT_VALUE_ARRAY || (p->json && v->kind != RT_VALUE_STRUCT))
		brackets = "[]";
	else if (v->kind == RT_VALUE_TUPLE)
		brackets = "()";
	rt_line_char(p->line, brackets[v->end]);
}

/* ---- before a value ---- */

static void put_member_name(const struct printer *p, const struct rt_value *v)
{
	const char *name = v->kind == RT_VALUE_MORE ? "..." : v->name;

	if (p->json) {
		rt_line_json_string(p->line, name, strlen(name));
		rt_line_char(p->line, ':');
	} else if (v->kind != RT_VALUE_MORE) {
		rt_line_char(p->line, '.');
		rt_line_json_chars(p->line, name, strlen(name));
		rt_line_char(p->line, '=');
	}
}

/* Names that stand beside the arguments'. */
static bool is_taken(const char *name)
{
	if (!memchr("aegoru", *name, 6))
		return false;
	return strncmp(name, "arg", 3) == 0 || strncmp(name, "result", 6) == 0 ||
	       strcmp(name, "unseen") == 0 || strcmp(name, "unfinished") == 0 ||
	       strcmp(name, "out") == 0 || strcmp(name, "errno") == 0 ||
	       strcmp(name, "errno_inside") == 0 || strcmp(name, "guessed") == 0;
}

static void put_key(struct printer *p, const char *key)
{
	rt_line_text(p->line, p->some ? ",\"" : "\"");
	rt_line_json_chars(p->line, key, strlen(key));
	rt_line_text(p->line, "\":");
	p->some = true;
}

/* One of our own, which needs no escapes: "arg0". */
static inline void put_own_key(struct printer *p, const char *key, bool numbered, unsigned i)
{
	if (p->some)
		rt_line_char(p->line, ',');
	rt_line_char(p->line, '"');
	rt_line_text(p->line, key);
	if (numbered)
		rt_line_u64(p->line, i);
	rt_line_text(p->line, "\":");
	p->some = true;
}

/* Before an argument, a result, or what was filled in. */
static void put_key_of(struct printer *p, const struct rt_value *v)
{
	bool named = v->name && !v->repeated;

	if (v->in == RT_VALUE_RESULTS)
		put_own_key(p, "result", v->index > 0, v->index);
	else if (named && (v->in == RT_VALUE_OUTS || !is_taken(v->name)))
		put_key(p, v->name);
	else if (v->in == RT_VALUE_OUTS)
		put_own_key(p, "out", true, v->index);
	else
		put_own_key(p, "arg", true, v->index);
}

static void put_blank(struct printer *p, const struct rt_value *v)
{
	if (p->c && p->some && v->in == RT_VALUE_ARGS)
		rt_line_char(p->line, ',');
	if (p->some || (v->in != RT_VALUE_RESULTS && !p->c))
		rt_line_char(p->line, ' ');
	p->some = true;
	if (v->in == RT_VALUE_OUTS && v->name) {
		rt_line_json_chars(p->line, v->name, strlen(v->name));
		rt_line_char(p->line, '=');
	}
}

static void put_before(struct printer *p, const struct rt_value *v)
{
	switch (v->in) {
	case RT_VALUE_NONE:
		break;
	case RT_VALUE_ARGS: case RT_VALUE_RESULTS: case RT_VALUE_OUTS:
		if (p->json)
			put_key_of(p, v);
		else
			put_blank(p, v);
		break;
	case RT_VALUE_FLAGS:
		rt_line_text(p->line, v->index ? "|" : "");
		break;
	default:
		rt_line_text(p->line, v->index ? ", " : "");
		if (v->in == RT_VALUE_STRUCT)
			put_member_name(p, v);
		break;
	}
}

/* ---- all kinds ---- */

static void put_outs(struct printer *p, bool end)
{
	if (!p->json)
		return;
	if (!end)
		put_own_key(p, "out", false, 0);
	rt_line_char(p->line, end ? '}' : '{');
	p->some = end;
}

static void put_guessed(struct printer *p)
{
	if (!p->json) {
		rt_line_char(p->line, '?');
		return;
	}
	put_own_key(p, "guessed", false, 0);
	rt_line_text(p->line, "true");
}

/* " ENOENT (No such file or directory)", with a mark behind the name. */
static void put_failure(struct rt_line *line, int64_t number, const char *name, const char *mark)
{
	rt_line_text(line, name ? " " : " errno ");
	if (!name) {
		rt_line_u64(line, (uint64_t)number);
		rt_line_text(line, mark);
		return;
	}
	rt_line_text(line, name);
	rt_line_text(line, mark);
	rt_line_text(line, " (");
	rt_line_text(line, strerror((int)number));
	rt_line_char(line, ')');
}

static void put_failed(struct printer *p, const struct rt_value *v)
{
	bool inside = v->kind == RT_VALUE_FAILED_INSIDE;

	p->failed |= !inside;
	if (!p->json) {
		put_failure(p->line, (int64_t)v->number, v->text, inside ? "?" : "");
		return;
	}
	put_own_key(p, inside ? "errno_inside" : "errno", false, 0);
	if (v->text)
		put_word(p, v->text);
	else
		put_int(p, v->number, false);
}

static void put_flag_bits(const struct printer *p, uint64_t bits)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, bits);
	rt_line_text(p->line, bits ? hex : "0");
}

static void put_value(void *ctx, const struct rt_value *v)
{
	struct printer *p = ctx;

	put_before(p, v);
	switch (v->kind) {
	case RT_VALUE_NONE: case RT_VALUE_ARGS: case RT_VALUE_RESULTS:
		break;
	case RT_VALUE_OUTS:
		put_outs(p, v->end);
		break;
	case RT_VALUE_STRUCT: case RT_VALUE_TUPLE: case RT_VALUE_UNNAMED: case RT_VALUE_ARRAY:
		put_brackets(p, v);
		break;
	case RT_VALUE_VARIANT: case RT_VALUE_HELD:
		put_named_group(p, v);
		break;
	case RT_VALUE_FLAGS:
		rt_line_text(p->line, p->json ? "\"" : "");
		break;
	case RT_VALUE_NUMBER:
		put_int(p, v->number, v->negative);
		break;
	case RT_VALUE_HEX:
		put_digits(p, v->number, 4, "0x");
		if (v->bytes && !p->json) {
			rt_line_char(p->line, ' ');
			put_string(p, v->bytes, v->len, v->cut);
		}
		break;
	case RT_VALUE_OCTAL:
		put_digits(p, v->number, 3, v->number ? "0" : "");
		break;
	case RT_VALUE_BOOL:
		rt_line_text(p->line, v->number ? "true" : "false");
		break;
	case RT_VALUE_FLOAT:
		put_float(p, v->bytes, v->len, v->quad);
		break;
	case RT_VALUE_CHAR:
		put_character(p, (uint8_t)v->number);
		break;
	case RT_VALUE_UNICODE:
		put_unicode(p, v->number);
		break;
	case RT_VALUE_TEXT:
		put_string(p, v->bytes, v->len, v->cut);
		break;
	case RT_VALUE_WORD:
		put_word(p, v->text);
		break;
	case RT_VALUE_NULL: case RT_VALUE_NIL:
		rt_line_text(p->line, p->json ? "null" : v->kind == RT_VALUE_NIL ? "nil" : "NULL");
		break;
	case RT_VALUE_WIDE: case RT_VALUE_BAD: case RT_VALUE_ERRNO:
		put_composed(p, v);
		break;
	case RT_VALUE_FD:
		put_descriptor(p, v);
		break;
	case RT_VALUE_FLAG:
		rt_line_json_chars(p->line, v->text, strlen(v->text));
		break;
	case RT_VALUE_BITS:
		put_flag_bits(p, v->number);
		break;
	case RT_VALUE_MORE:
		put_word(p, "...");
		break;
	case RT_VALUE_VOID:
		rt_line_text(p->line, p->json || p->c ? "" : "#<void>");
		break;
	case RT_VALUE_GUESSED:
		put_guessed(p);
		break;
	case RT_VALUE_FAILED: case RT_VALUE_FAILED_INSIDE:
		put_failed(p, v);
		break;
	}
}

void rt_value_print(void *file, const struct rt_value *value)
{
	struct rt_line line;
	struct printer p = { .line = &line };

	rt_line_begin(&line, file);
	put_value(&p, value);
	rt_line_end(&line);
}

void rt_args_print(struct rt_line *line, const struct rt_trace *trace, pid_t pid, uint32_t function,
		   const struct rt_values *args)
{
	struct printer p = { .line = line };

	rt_values_of_entry(trace, pid, function, args, put_value, &p);
}

void rt_result_print(struct rt_line *line, const struct rt_trace *trace, pid_t pid,
		     uint32_t function, const struct rt_values *result)
{
	struct printer p = { .line = line };

	rt_values_of_return(trace, pid, function, result, put_value, &p);
}

int rt_args_print_c(const struct rt_sink *sink, FILE *file, pid_t pid, uint32_t function,
		    const struct rt_values *args)
{
	struct rt_line line;
	struct printer p = { .line = &line, .c = true };

	rt_line_begin(&line, file);
	rt_values_of_entry(sink->trace, pid, function, args, put_value, &p);
	rt_line_end(&line);
	return 0;
}

int rt_result_print_c(const struct rt_sink *sink, FILE *file, pid_t pid, uint32_t function,
		      const struct rt_values *result, bool *failed)
{
	struct rt_line line;
	struct printer p = { .line = &line, .c = true };

	rt_line_begin(&line, file);
	rt_values_of_return(sink->trace, pid, function, result, put_value, &p);
	rt_line_end(&line);
	*failed = p.failed;
	return 0;
}

void rt_args_json(struct rt_line *line, const struct rt_trace *trace, pid_t pid, uint32_t function,
		  const struct rt_values *args, bool *some)
{
	struct printer p = { .line = line, .json = true, .some = *some };

	rt_values_of_entry(trace, pid, function, args, put_value, &p);
	*some = p.some;
}

/* "result", and "result1" on where there are several. */
void rt_result_json(struct rt_line *line, const struct rt_trace *trace, pid_t pid,
		    uint32_t function, const struct rt_values *result, bool *some)
{
	struct printer p = { .line = line, .json = true, .some = *some };

	rt_values_of_return(trace, pid, function, result, put_value, &p);
	*some = p.some;
}
