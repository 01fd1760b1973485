/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/value_code.h"

#include <string.h>

/* Which members follow the kind. */
enum {
	HAS_END = 1 << 0,
	HAS_NAME = 1 << 1,
	IS_REPEATED = 1 << 2,
	IS_NEGATIVE = 1 << 3,
	IS_CUT = 1 << 4,
	IS_QUAD = 1 << 5,
	HAS_NUMBER = 1 << 6,
	HAS_HIGH = 1 << 7,
	HAS_TEXT = 1 << 8,
	HAS_BYTES = 1 << 9,
};

static unsigned flags_of(const struct rt_value *v)
{
	return (v->end ? HAS_END : 0) | (v->name ? HAS_NAME : 0) |
	       (v->repeated ? IS_REPEATED : 0) | (v->negative ? IS_NEGATIVE : 0) |
	       (v->cut ? IS_CUT : 0) | (v->quad ? IS_QUAD : 0) | (v->number ? HAS_NUMBER : 0) |
	       (v->high ? HAS_HIGH : 0) | (v->text ? HAS_TEXT : 0) | (v->bytes ? HAS_BYTES : 0);
}

void rt_value_encode(void *ctx, const struct rt_value *v)
{
	struct rt_bytes *bytes = ctx;
	unsigned flags = flags_of(v);

	rt_bytes_u8(bytes, (uint8_t)v->kind);
	rt_bytes_u8(bytes, (uint8_t)v->in);
	rt_bytes_number(bytes, flags);
	rt_bytes_number(bytes, v->index);
	if (v->name)
		rt_bytes_text(bytes, v->name);
	if (v->number)
		rt_bytes_number(bytes, v->number);
	if (v->high)
		rt_bytes_number(bytes, v->high);
	if (v->text)
		rt_bytes_text(bytes, v->text);
	if (v->bytes) {
		rt_bytes_number(bytes, v->len);
		rt_bytes_add(bytes, v->bytes, v->len);
	}
}

static struct rt_value read_value(struct rt_reader *reader)
{
	struct rt_value v = { .kind = rt_read_u8(reader) };
	uint64_t flags;

	v.in = rt_read_u8(reader);
	flags = rt_read_number(reader);
	v.index = (unsigned)rt_read_number(reader);
	v.end = flags & HAS_END;
	v.repeated = flags & IS_REPEATED;
	v.negative = flags & IS_NEGATIVE;
	v.cut = flags & IS_CUT;
	v.quad = flags & IS_QUAD;
	v.name = flags & HAS_NAME ? rt_read_text(reader) : NULL;
	v.number = flags & HAS_NUMBER ? rt_read_number(reader) : 0;
	v.high = flags & HAS_HIGH ? rt_read_number(reader) : 0;
	v.text = flags & HAS_TEXT ? rt_read_text(reader) : NULL;
	if (flags & HAS_BYTES) {
		v.len = (size_t)rt_read_number(reader);
		v.bytes = rt_read_bytes(reader, v.len);
	}
	return v;
}

static bool is_group(enum rt_value_kind kind)
{
	return (kind >= RT_VALUE_ARGS && kind <= RT_VALUE_FLAGS);
}

/*
 * May a sink take it?  A damaged file must not lead one to a member that its kind always has
 * elsewhere.
 */
static bool is_whole(const struct rt_value *v)
{
	if (v->kind > RT_VALUE_FAILED_INSIDE || v->in > RT_VALUE_FLAGS ||
	    (v->end && !is_group(v->kind)))
		return false;
	if (v->in == RT_VALUE_STRUCT && v->kind != RT_VALUE_MORE && !v->name)
		return false;
	switch (v->kind) {
	case RT_VALUE_TEXT:
		return v->bytes;
	case RT_VALUE_FLOAT:
		return v->bytes && v->len <= 16;
	case RT_VALUE_WORD: case RT_VALUE_FLAG: case RT_VALUE_FD: case RT_VALUE_ERRNO:
		return v->text;
	case RT_VALUE_VARIANT: case RT_VALUE_HELD:
		return v->text || v->end;
	default:
		return true;
	}
}

bool rt_values_decode(const uint8_t *data, size_t n, rt_value_fn *take, void *ctx)
{
	struct rt_reader reader = { .at = data, .end = data + n };

	while (reader.at < reader.end) {
		struct rt_value value = read_value(&reader);

		if (reader.bad || !is_whole(&value))
			return false;
		take(ctx, &value);
	}
	return true;
}
