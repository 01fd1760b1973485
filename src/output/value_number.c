/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integers by their types. */
#include <string.h>

#include "output/value_type.h"

static void put_signed(struct rt_value_walk *p, uint64_t word, bool is_signed)
{
	if (is_signed && (int64_t)word < 0)
		rt_value_int(p, -word, true);
	else
		rt_value_int(p, word, false);
}

/* 22 EINVAL, also of a negative one. */
static void put_errno(struct rt_value_walk *p, int64_t number, bool is_signed)
{
	const char *name = rt_errno_name(number < 0 && number >= -INT32_MAX ? -number : number);
	struct rt_value value = {
		.kind = RT_VALUE_ERRNO, .number = number < 0 ? -(uint64_t)number : (uint64_t)number,
		.negative = number < 0, .text = name,
	};

	if (name)
		rt_value_give(p, &value);
	else
		put_signed(p, (uint64_t)number, is_signed);
}

/* A file descriptor, with what it is. */
static void put_fd(struct rt_value_walk *p, int64_t fd)
{
	char name[256];
	struct rt_value value = {
		.kind = RT_VALUE_NUMBER, .number = fd < 0 ? -(uint64_t)fd : (uint64_t)fd,
		.negative = fd < 0,
	};

	if (fd >= 0 && p->trace->fd_paths &&
	    rt_resolve_descriptor(p->trace->resolver, p->pid, fd, name, sizeof(name))) {
		value.kind = RT_VALUE_FD;
		value.text = name;
	}
	rt_value_give(p, &value);
}

static void put_styled(struct rt_value_walk *p, uint64_t word, unsigned bits, bool is_signed,
		       enum rt_style style)
{
	uint64_t cut = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;

	if (bits < 64 && is_signed)
		word = (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
	else
		word = cut;
	switch (style) {
	case RT_STYLE_HEX:
		rt_value_number(p, RT_VALUE_HEX, cut);
		break;
	case RT_STYLE_OCT:
		rt_value_number(p, RT_VALUE_OCTAL, cut);
		break;
	case RT_STYLE_CHAR:
		if (cut < 0x100)
			rt_value_number(p, RT_VALUE_CHAR, cut);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_REGISTER:
		if (word <= UINT32_MAX)
			word = (uint64_t)(int32_t)word;
		/* Fall through. */
	case RT_STYLE_GUESSED:
		/* Addresses are above 4 GB, but for old programs' data. */
		if ((int64_t)word > UINT32_MAX)
			rt_value_number(p, RT_VALUE_HEX, word);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_ERRNO:
		put_errno(p, (int64_t)word, is_signed);
		break;
	case RT_STYLE_FD:
		put_fd(p, (int64_t)word);
		break;
	default:
		put_signed(p, word, is_signed);
		break;
	}
}

/* 128 bits: in hexadecimal where 64 are too few. */
void rt_view_wide(struct rt_value_walk *p, const uint8_t *bytes, bool is_signed)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8);

	if (high == 0 && (!is_signed || (int64_t)low >= 0)) {
		rt_value_int(p, low, false);
	} else if (is_signed && high == UINT64_MAX && (int64_t)low < 0) {
		rt_value_int(p, -low, true);
	} else {
		rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_WIDE, .number = low,
			.high = high });
	}
}

/* A|B|0x40 */
static void put_flags(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t value)
{
	uint64_t left = value;
	unsigned i, n = 0;

	rt_value_begin(p, RT_VALUE_FLAGS, NULL);
	for (i = 0; i < type->nvalues; i++) {
		uint64_t flag = (uint64_t)type->values[i].value, mask = type->values[i].mask;

		if (mask ? (left & mask) != flag : !flag || (left & flag) != flag)
			continue;
		rt_value_place(p, RT_VALUE_FLAGS, n++, NULL);
		rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_FLAG,
			.text = type->values[i].name });
		left &= ~(mask ? mask : flag);
	}
	if (left || !n) {
		rt_value_place(p, RT_VALUE_FLAGS, n, NULL);
		rt_value_number(p, RT_VALUE_BITS, left);
	}
	rt_value_end(p, RT_VALUE_FLAGS);
}

static void put_enum(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t word,
		     unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	unsigned i;

	/* Flags of which some are numbers have no name for all of a value. */
	for (i = 0; i < type->nvalues && !(type->is_flags && type->values[0].mask); i++)
		if (((uint64_t)type->values[i].value & mask) == (word & mask)) {
			rt_value_word(p, type->values[i].name);
			return;
		}
	if (type->is_flags)
		put_flags(p, type, word & mask);
	else
		put_styled(p, word, bits, type->is_signed, RT_STYLE_DEC);
}

/* A character that a code point beyond ASCII stands for. */
static bool is_beyond_ascii(uint64_t c)
{
	return c >= 0x80 && c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);
}

/* "signed char" and "unsigned char" are what int8_t and uint8_t are. */
static bool is_number(const struct rt_ctype *type)
{
	return type->name && strstr(type->name, "signed ");
}

void rt_view_word(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t word,
		  unsigned bits, enum rt_style style)
{
	/* char32_t, and Rust's char */
	if (style == RT_STYLE_TYPE && type->style == RT_STYLE_CHAR && bits > 8 &&
	    is_beyond_ascii(word)) {
		rt_value_number(p, RT_VALUE_UNICODE, word);
		return;
	}
	if (style == RT_STYLE_TYPE)
		style = type->style;
	if (style == RT_STYLE_TYPE && type->kind == RT_CT_BOOL && word <= 1)
		rt_value_number(p, RT_VALUE_BOOL, word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_CHAR && !is_number(type))
		rt_value_number(p, RT_VALUE_CHAR, (uint8_t)word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_ENUM)
		put_enum(p, type, word, bits);
	else
		put_styled(p, word, bits, type->is_signed, style);
}
