/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integers by their types. */
#include <inttypes.h>
#include <string.h>

#include "output/text.h"
#include "output/value_type.h"

static void put_signed(const struct rt_printer *p, uint64_t word, bool is_signed)
{
	if (is_signed && (int64_t)word < 0)
		rt_value_int(p, -word, true);
	else
		rt_value_int(p, word, false);
}

/* 22 EINVAL, also of a negative one. */
static void put_errno(const struct rt_printer *p, int64_t number, bool is_signed)
{
	const char *name = rt_errno_name(number < 0 && number >= -INT32_MAX ? -number : number);
	char text[64];

	if (!name) {
		put_signed(p, (uint64_t)number, is_signed);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId64 " %s", number, name);
	rt_value_word(p, text);
}

static void put_styled(const struct rt_printer *p, uint64_t word, unsigned bits, bool is_signed, enum rt_style style)
{
	uint64_t cut = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;

	if (bits < 64 && is_signed)
		word = (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
	else
		word = cut;
	switch (style) {
	case RT_STYLE_HEX:
		rt_value_hex(p, cut);
		break;
	case RT_STYLE_OCT:
		rt_value_octal(p, cut);
		break;
	case RT_STYLE_CHAR:
		if (cut < 0x100)
			rt_value_char(p, (uint8_t)cut);
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
			rt_value_hex(p, word);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_ERRNO:
		put_errno(p, (int64_t)word, is_signed);
		break;
	case RT_STYLE_FD:
		rt_value_fd(p, (int64_t)word);
		break;
	default:
		put_signed(p, word, is_signed);
		break;
	}
}

/* 128 bits: in hexadecimal where 64 are too few. */
void rt_view_wide(const struct rt_printer *p, const uint8_t *bytes, bool is_signed)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8);
	char text[40];

	if (high == 0 && (!is_signed || (int64_t)low >= 0)) {
		rt_value_int(p, low, false);
	} else if (is_signed && high == UINT64_MAX && (int64_t)low < 0) {
		rt_value_int(p, -low, true);
	} else {
		snprintf(text, sizeof(text), "0x%" PRIx64 "%016" PRIx64, high, low);
		rt_value_word(p, text);
	}
}

/* A|B|0x40 */
static void put_flags(const struct rt_printer *p, const struct rt_ctype *type, uint64_t value)
{
	uint64_t left = value;
	bool some = false;
	unsigned i;
	char hex[24];

	if (p->json)
		putc_unlocked('"', p->file);
	for (i = 0; i < type->nvalues; i++) {
		uint64_t flag = (uint64_t)type->values[i].value, mask = type->values[i].mask;

		if (mask ? (left & mask) != flag : !flag || (left & flag) != flag)
			continue;
		rt_put(p->file, some ? "|" : "");
		rt_json_chars(p->file, type->values[i].name, strlen(type->values[i].name));
		left &= ~(mask ? mask : flag);
		some = true;
	}
	if (left || !some) {
		snprintf(hex, sizeof(hex), "%s0x%" PRIx64, some ? "|" : "", left);
		rt_put(p->file, left ? hex : "0");
	}
	if (p->json)
		putc_unlocked('"', p->file);
}

static void put_enum(const struct rt_printer *p, const struct rt_ctype *type, uint64_t word, unsigned bits)
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

/* "signed char" and "unsigned char" are what int8_t and uint8_t are. */
static bool is_number(const struct rt_ctype *type)
{
	return type->name && strstr(type->name, "signed ");
}

void rt_view_word(const struct rt_printer *p, const struct rt_ctype *type, uint64_t word, unsigned bits, enum rt_style style)
{
	/* char32_t, and Rust's char */
	if (style == RT_STYLE_TYPE && type->style == RT_STYLE_CHAR && bits > 8 && rt_value_unicode(p, word))
		return;
	if (style == RT_STYLE_TYPE)
		style = type->style;
	if (style == RT_STYLE_TYPE && type->kind == RT_CT_BOOL && word <= 1)
		rt_put(p->file, word ? "true" : "false");
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_CHAR && !is_number(type))
		rt_value_char(p, (uint8_t)word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_ENUM)
		put_enum(p, type, word, bits);
	else
		put_styled(p, word, bits, type->is_signed, style);
}
