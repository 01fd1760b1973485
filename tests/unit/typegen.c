/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "typegen.h"

#include "base/array.h"

#define WORD(n, s) { .name = n, .kind = RT_CT_INT, .size = s, .align = s, .is_signed = true }
#define POINTER(to) { .kind = RT_CT_POINTER, .size = 8, .align = 8, .target = to }
#define MEMBERS(v) .members = v, .nmembers = RT_COUNT(v)

const struct rt_ctype t_void = { .kind = RT_CT_VOID };
const struct rt_ctype t_bool = { .kind = RT_CT_BOOL, .size = 1, .align = 1 };
const struct rt_ctype t_char = { .kind = RT_CT_CHAR, .size = 1, .align = 1, .is_signed = true };
const struct rt_ctype t_short = WORD("short", 2), t_int = WORD("int", 4), t_long = WORD("long", 8),
		      t_int128 = WORD("__int128", 16);
const struct rt_ctype t_uint = { .kind = RT_CT_INT, .size = 4, .align = 4 },
		      t_ulong = { .kind = RT_CT_INT, .size = 8, .align = 8 };
const struct rt_ctype t_float = { .kind = RT_CT_FLOAT, .size = 4, .align = 4 },
		      t_double = { .kind = RT_CT_FLOAT, .size = 8, .align = 8 };
const struct rt_ctype t_long_double = {
	.kind = RT_CT_FLOAT, .size = 16, .align = 16, .name = "long double"
};
const struct rt_ctype t_string = POINTER(&t_char), t_void_pointer = POINTER(&t_void),
		      t_int_pointer = POINTER(&t_int);
const struct rt_ctype t_function = { .kind = RT_CT_FUNCTION },
		      t_function_pointer = POINTER(&t_function);

static const struct rt_enumerator colors[] = { { .name = "RED", .value = 0 },
					       { .name = "GREEN", .value = 1 },
					       { .name = "BLUE", .value = -1 } };
const struct rt_ctype t_color = {
	.kind = RT_CT_ENUM,
	.size = 4,
	.align = 4,
	.is_signed = true,
	.values = colors,
	.nvalues = RT_COUNT(colors),
};
static const struct rt_enumerator flags[] = { { .name = "O_RDONLY", .value = 0 },
					      { .name = "O_WRONLY", .value = 1 },
					      { .name = "O_RDWR", .value = 2 },
					      { .name = "O_CREAT", .value = 64 } };
const struct rt_ctype t_flags = {
	.kind = RT_CT_ENUM,
	.size = 4,
	.align = 4,
	.values = flags,
	.nvalues = RT_COUNT(flags),
	.is_flags = true,
};

const struct rt_ctype t_request_pointer = POINTER(&t_request);
static const struct rt_member request[] = {
	{ .name = "fd", .type = &t_int },
	{ .name = "flags", .type = &t_flags, .offset = 4 },
	{ .name = "path", .type = &t_string, .offset = 8 },
	{ .name = "next", .type = &t_request_pointer, .offset = 16 },
};
const struct rt_ctype t_request = {
	.kind = RT_CT_STRUCT, .name = "struct request", .size = 24, .align = 8, MEMBERS(request)
};

static const struct rt_member mixed[] = { { .name = "a", .type = &t_long },
					  { .name = "b", .type = &t_double, .offset = 8 } };
const struct rt_ctype t_mixed = { .kind = RT_CT_STRUCT, .size = 16, .align = 8, MEMBERS(mixed) };
static const struct rt_member point[] = { { .name = "x", .type = &t_double },
					  { .name = "y", .type = &t_double, .offset = 8 } };
const struct rt_ctype t_point = { .kind = RT_CT_STRUCT, .size = 16, .align = 8, MEMBERS(point) };
static const struct rt_ctype longs = {
	.kind = RT_CT_ARRAY, .size = 24, .align = 8, .target = &t_long, .count = 3
};
static const struct rt_member large[] = { { .name = "v", .type = &longs } };
const struct rt_ctype t_large = { .kind = RT_CT_STRUCT, .size = 24, .align = 8, MEMBERS(large) };

static const struct rt_member text[] = { { .name = "text", .type = &t_string },
					 { .name = "n", .type = &t_ulong, .offset = 8 } };
const struct rt_ctype t_text = {
	.kind = RT_CT_STRUCT,
	.size = 16,
	.align = 8,
	MEMBERS(text),
	.sequence = { .element = &t_char, .length = 8 },
};
static const struct rt_member bits[] = {
	{ .name = "a", .type = &t_uint, .bit_size = 3 },
	{ .name = "b", .type = &t_uint, .bit_offset = 3, .bit_size = 5 },
	{ .name = "c", .type = &t_int, .offset = 1, .bit_size = 4 },
};
const struct rt_ctype t_bits = { .kind = RT_CT_STRUCT, .size = 4, .align = 4, MEMBERS(bits) };
const struct rt_ctype t_name = {
	.kind = RT_CT_ARRAY, .size = 8, .align = 1, .target = &t_char, .count = 8
};
const struct rt_ctype t_ints = {
	.kind = RT_CT_ARRAY, .size = 16, .align = 4, .target = &t_int, .count = 4
};
