/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "output/out.h"
#include "output/text.h"

/* The largest integer up to which a double, which is what JSON's readers make of a number, holds every one. */
#define JSON_EXACT (UINT64_C(1) << 53)

struct value {
	enum { VALUE_INT, VALUE_STRING, VALUE_UNREADABLE } type;
	uint64_t n;
	bool negative;		/* n is the magnitude of a negative number */
	const uint8_t *text;
	size_t len;
	bool cut;
};

static void value_int(const struct rt_fetch *fetch, uint64_t word, struct value *v)
{
	v->type = VALUE_INT;
	v->negative = fetch->is_signed && (int64_t)word < 0;
	v->n = v->negative ? -word : word;
}

/*
 * The length counts the NUL, and what was cut has one too: a string that fills its room may have been longer.
 * tracefs up to 4.14 can leave the NUL out, and then the length alone says where a string ends.
 */
static void value_string(const struct rt_fetch *fetch, const uint8_t *at, struct value *v)
{
	int32_t len;
	size_t have;

	memcpy(&len, at, sizeof(len));
	if (len < 0) {
		v->type = VALUE_UNREADABLE;
		return;
	}
	have = len < fetch->max ? (size_t)len : fetch->max;
	v->type = VALUE_STRING;
	v->text = at + sizeof(len);
	v->len = strnlen((const char *)v->text, have);
	v->cut = have == fetch->max && v->len + 1 >= have;
}

static int value_get(const struct rt_values *values, unsigned i, struct value *v)
{
	const struct rt_plan *plan = values->plan;

	if (!plan || i >= plan->nvalues || i >= RT_MAX_VALUES)
		return -EINVAL;
	memset(v, 0, sizeof(*v));
	if (!values->data || values->faults >> i & 1) {
		v->type = VALUE_UNREADABLE;
		return 0;
	}
	if (plan->values[i].type == RT_TYPE_STRING)
		value_string(&plan->values[i], values->data + rt_plan_offset(plan, i), v);
	else
		value_int(&plan->values[i], rt_plan_int(plan, i, values->data), v);
	return 0;
}

static void put_int(FILE *file, const struct value *v)
{
	if (v->negative)
		putc_unlocked('-', file);
	rt_put_u64(file, v->n);
}

/* Three digits always: a digit that follows in the text must not be taken for one of the escape's. */
static void put_octal(FILE *file, uint8_t c)
{
	putc_unlocked('\\', file);
	putc_unlocked('0' + (c >> 6), file);
	putc_unlocked('0' + (c >> 3 & 7), file);
	putc_unlocked('0' + (c & 7), file);
}

static void put_char(FILE *file, uint8_t c)
{
	if (c == '"' || c == '\\') {
		putc_unlocked('\\', file);
		putc_unlocked(c, file);
	} else if (c == '\n') {
		rt_put(file, "\\n");
	} else if (c == '\t') {
		rt_put(file, "\\t");
	} else if (c < 0x20 || c >= 0x7f) {
		put_octal(file, c);
	} else {
		putc_unlocked(c, file);
	}
}

static void put_string(FILE *file, const struct value *v)
{
	size_t i, k, n;

	putc_unlocked('"', file);
	for (i = 0; i < v->len; i += n) {
		const uint8_t *s = v->text + i;

		n = rt_utf8_length(s, v->len - i);
		/* c2 80 to c2 9f are the C1 controls, which terminals obey. */
		if (n > 1 && !(s[0] == 0xc2 && s[1] < 0xa0)) {
			rt_put_bytes(file, s, n);
			continue;
		}
		n = n ? n : 1;
		for (k = 0; k < n; k++)
			put_char(file, s[k]);
	}
	rt_put(file, v->cut ? "\"..." : "\"");
}

int rt_value_print(FILE *file, const struct rt_values *values, unsigned i)
{
	struct value v;
	int err = value_get(values, i, &v);

	if (err)
		return err;
	switch (v.type) {
	case VALUE_INT:
		put_int(file, &v);
		break;
	case VALUE_STRING:
		put_string(file, &v);
		break;
	case VALUE_UNREADABLE:
		rt_put(file, "<unreadable>");
		break;
	}
	return 0;
}

int rt_value_json(FILE *file, const struct rt_values *values, unsigned i)
{
	struct value v;
	const char *quote;
	int err = value_get(values, i, &v);

	if (err)
		return err;
	switch (v.type) {
	case VALUE_INT:
		quote = v.n > JSON_EXACT ? "\"" : "";
		rt_put(file, quote);
		put_int(file, &v);
		rt_put(file, quote);
		break;
	case VALUE_STRING:
		putc_unlocked('"', file);
		rt_json_chars(file, (const char *)v.text, v.len);
		rt_put(file, v.cut ? "...\"" : "\"");
		break;
	case VALUE_UNREADABLE:
		rt_put(file, "\"<unreadable>\"");
		break;
	}
	return 0;
}
