/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_TYPEGEN_H
#define RT_TESTS_TYPEGEN_H

#include "lang/type.h"

/* Types for tests, as DWARF of a 64-bit program would tell them. */
extern const struct rt_ctype t_void, t_bool, t_char, t_short, t_int, t_uint, t_long, t_ulong,
	t_int128, t_float, t_double, t_long_double, t_string, t_void_pointer, t_int_pointer,
	t_function, t_function_pointer, t_color, t_flags;

/* struct request { int fd; enum flags flags; const char *path; struct request *next; }; 24 bytes */
extern const struct rt_ctype t_request, t_request_pointer;
/*
 * struct { long a; double b; } in a general and a floating-point register; struct { double x, y; };
 * struct { long v[3]; } in memory
 */
extern const struct rt_ctype t_mixed, t_point, t_large;
/*
 * struct { const char *text; size_t n; }, as languages have their strings; struct { unsigned a : 3,
 * b : 5; signed c : 4; }
 */
extern const struct rt_ctype t_text, t_bits;
/* char name[8], int v[4] */
extern const struct rt_ctype t_name, t_ints;

#endif
