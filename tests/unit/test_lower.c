/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emit/definition.h"
#include "fetch/lower.h"
#include "typegen.h"
#include "unit.h"

enum { PARAMS = 12 };

/*
 * Print the reads of a plan, in the words of tracefs, from the first value on; and the arguments
 * that are not read, by their marks.
 */
static void print_plan(const struct rt_plan *plan, const struct rt_showing *shown, char *text,
		       size_t size)
{
	struct rt_definition d = {
		.group = "g", .event = "e", .path = "p", .kind = plan->kind, .plan = plan,
	};
	char line[RT_DEFINITION_MAX];
	struct rt_error err = { 0 };
	const char *values;
	unsigned i, k;

	if (rt_definition_print(&d, line, &err) < 0)
		snprintf(line, sizeof(line), "%s", err.text);
	values = strstr(line, " v0");
	snprintf(text, size, "%s", values ? values + 1 : "");
	for (i = 0; i < shown->n; i++) {
		const struct rt_show *s = &shown->v[i];

		if (s->mark)
			snprintf(text + strlen(text), size - strlen(text), " %u%s", i, s->mark);
		for (k = 0; k < s->npieces; k++)
			if (s->pieces[k].mark)
				snprintf(text + strlen(text), size - strlen(text), " %u.%u%s", i, k,
					 s->pieces[k].mark);
	}
}

static struct rt_limits usual = {
	.string = RT_LIMIT_STRING,
	.members = RT_LIMIT_MEMBERS,
	.deref = RT_LIMIT_DEREF,
	.record = RT_LIMIT_RECORD,
};

/* The arguments' types, NULL at the end. */
static void check_entry(const char *want, const struct rt_arch *arch, const struct rt_ctype *result,
			...)
{
	struct rt_types *types = rt_types_new();
	struct rt_param params[PARAMS];
	struct rt_prototype p = { .origin = RT_ORIGIN_GIVEN, .result = result, .params = params };
	struct rt_showing shown;
	struct rt_plan plan;
	char text[4096];
	va_list ap;

	memset(params, 0, sizeof(params));
	va_start(ap, result);
	while ((params[p.nparams].type = va_arg(ap, const struct rt_ctype *)))
		p.nparams++;
	va_end(ap);
	CU_ASSERT(rt_lower_entry(&p, NULL, arch, &usual, types, &plan, &shown, NULL) == 0);
	CU_ASSERT(shown.n == p.nparams);
	print_plan(&plan, &shown, text, sizeof(text));
	RT_ASSERT_TEXT(text, want);
	rt_types_free(types);
}

static void check_return(const char *want, const struct rt_arch *arch,
			 const struct rt_ctype *result)
{
	struct rt_types *types = rt_types_new();
	struct rt_prototype p = { .origin = RT_ORIGIN_GIVEN, .result = result };
	struct rt_showing shown;
	struct rt_plan plan;
	char text[4096];

	CU_ASSERT(rt_lower_return(&p, NULL, arch, &usual, types, &plan, &shown, NULL) == 0);
	print_plan(&plan, &shown, text, sizeof(text));
	RT_ASSERT_TEXT(text, want);
	rt_types_free(types);
}

static void test_scalars(void)
{
	static const struct rt_ctype words = {
		.kind = RT_CT_INT, .size = 16, .align = 8, .is_signed = true
	};

	check_entry("v0=%di:s32 v1=%si:s64 v2=%dx:u64 v3=%cx:s16 v4=%r8:u8 v5=%r9:s8 "
		    "v6=+8(%sp):s32 v7=+16(%sp):s64",
		    &rt_arch_x86_64, &t_int, &t_int, &t_long, &t_void_pointer, &t_short, &t_bool,
		    &t_char, &t_int, &t_long, NULL);
	/* The first place on the stack is aligned to 16. */
	check_entry("v0=%di:s32 v1_0=+8(%sp):u64 v1_8=+16(%sp):u64 f1=+8(%sp):string v2=%si:s32",
		    &rt_arch_x86_64, &t_void, &t_int, &t_long_double, &t_int, NULL);
	check_entry("v0=%di:s64 v1=%si:s64", &rt_arch_x86_64, &t_void, &t_int128, NULL);
	/* clang before 18 passes it as two words. */
	check_entry("v0=%di:s64 v1=%si:s64 v2=%dx:s64 v3=%cx:s64 v4=%r8:s32 v5=+16(%sp):s32 3<not "
		    "known>",
		    &rt_arch_x86_64, &t_void, &words, &words, &t_int, &words, &t_int, NULL);
	check_entry("v0=%x0:s32 v1=%x2:s64 v2=%x3:s64 v3=%x4:s32", &rt_arch_aarch64, &t_void,
		    &t_int, &t_int128, &t_int, NULL);
	check_entry("v0=+4(%sp):s32 v1=+8(%sp):s64 v2=+16(%sp):u64 v3=+24(%sp):u8", &rt_arch_i386,
		    &t_void, &t_int, &t_long, &t_double, &t_bool, NULL);
}

/*
 * If plans are to be few: whole words, in one order, each once; no memory that was not asked for,
 * except between two reads.
 */
static void test_alike(void)
{
	static const char all[] = "v0=%di:u64 v1=%si:u64 v2=%dx:u64 v3=%cx:u64 v4=%r8:u64 "
				  "v5=%r9:u64 v6=+8(%sp):u64 v7=+16(%sp):u64 v8=+24(%sp):u64";

	usual.wide = usual.no_memory = true;
	check_entry("v0=%di:u64", &rt_arch_x86_64, &t_void, NULL);
	check_entry("v0=%di:u64 v1=%si:u64 v2=%dx:u64", &rt_arch_x86_64, &t_void, &t_char, &t_int,
		    NULL);
	check_entry(all, &rt_arch_x86_64, &t_void, &t_large, &t_char, NULL);
	check_entry(all, &rt_arch_x86_64, &t_int, &t_int, &t_int, &t_int, &t_int, &t_int, &t_int,
		    &t_bool, &t_int, &t_short, NULL);
	/* The second word is there for the alignment of the third. */
	check_entry("v0=%di:u64 v1=%si:u64 v2=%dx:u64 v3=%cx:u64 v4=%r8:u64 v5=%r9:u64 "
		    "v6=+8(%sp):u64 v7=+16(%sp):u64 v8=+24(%sp):u64 "
		    "v9=+32(%sp):u64",
		    &rt_arch_x86_64, &t_int, &t_int, &t_int, &t_int, &t_int, &t_int, &t_int,
		    &t_bool, &t_long_double, NULL);
	check_entry("v0=%x0:u64", &rt_arch_aarch64, &t_void, &t_bool, NULL);
	check_entry("v0=+4(%sp):u32 v1=+8(%sp):u32 v2=+12(%sp):u32", &rt_arch_i386, &t_void,
		    &t_bool, &t_double, NULL);
	check_return("v0=%ax:u64", &rt_arch_x86_64, &t_void);
	check_return("v0=%ax:u64", &rt_arch_x86_64, &t_int);
	check_return("v0=%ax:u64 0<in xmm0>", &rt_arch_x86_64, &t_double);
	usual.no_memory = false;
	/* Strings may be read then, by a length that stands in a value of its own. */
	check_entry("v0=+4(%sp):u32 v1=+8(%sp):u64", &rt_arch_i386, &t_void, &t_bool, &t_double,
		    NULL);
	usual.wide = false;
}

/* An argument that the function does not read has its place, and nothing is read of it. */
static void test_unread(void)
{
	struct rt_types *types = rt_types_new();
	const struct rt_param params[] = {
		{ .type = &t_int },
		{ .type = &t_double, .location.kind = RT_LOCATION_NOWHERE },
		{ .type = &t_int, .location.kind = RT_LOCATION_NOWHERE, .unread = RT_UNREAD_ALL },
		{ .type = &t_double },
		{ .type = &t_long },
	};
	const struct rt_prototype p = {
		.origin = RT_ORIGIN_DWARF, .result = &t_void, .params = params, .nparams = 5
	};
	/* Halves of structures, of which the first begins with a pointer to text. */
	const struct rt_param halves[] = { { .type = &t_text, .location.unset = 1 },
					   { .type = &t_text, .location.unset = 2 },
					   { .type = &t_int } };
	const struct rt_prototype h = {
		.origin = RT_ORIGIN_DWARF, .result = &t_void, .params = halves, .nparams = 3
	};
	struct rt_showing shown;
	struct rt_plan plan;
	char text[4096];

	CU_ASSERT(rt_lower_entry(&p, NULL, &rt_arch_x86_64, &usual, types, &plan, &shown, NULL) ==
		  0);
	print_plan(&plan, &shown, text, sizeof(text));
	RT_ASSERT_TEXT(text, "v0=%di:s32 v1=%dx:s64 1<optimized out> 2<optimized out> 3<in xmm1>");
	CU_ASSERT(rt_lower_entry(&h, NULL, &rt_arch_x86_64, &usual, types, &plan, &shown, NULL) ==
		  0);
	print_plan(&plan, &shown, text, sizeof(text));
	RT_ASSERT_TEXT(text,
		       "v0=%si:u64 v1=%dx:u64 v2=%r8:s32 0.0<optimized out> 1.1<optimized out>");
	rt_types_free(types);
}

static void test_floats(void)
{
	check_entry("v0=%di:s32 v1=%si:s32 0<in xmm0> 2<in xmm1>", &rt_arch_x86_64, &t_void,
		    &t_double, &t_int, &t_float, &t_int, NULL);
	check_entry("v0=+8(%sp):u64 0<in xmm0> 1<in xmm1> 2<in xmm2> 3<in xmm3> 4<in xmm4> 5<in "
		    "xmm5> 6<in xmm6> 7<in xmm7>",
		    &rt_arch_x86_64, &t_void, &t_double, &t_double, &t_double, &t_double, &t_double,
		    &t_double, &t_double, &t_double, &t_double, NULL);
	check_entry("v0=%x0:s32 0.0<in v0> 0.1<in v1> 2<in v2>", &rt_arch_aarch64, &t_void,
		    &t_point, &t_int, &t_float, NULL);
}

/*
 * Structures by value: a general and a floating-point register, two of these, memory; on aarch64
 * large ones by a pointer.
 */
static void test_structs(void)
{
	static const struct rt_member one[] = { { .name = "a", .type = &t_int } };
	static const struct rt_ctype far = {
		.kind = RT_CT_STRUCT, .size = 32, .align = 32, .members = one, .nmembers = 1
	};

	check_entry("v0=%di:s32 v1=%si:u64 v2=%dx:s32 1.1<in xmm0>", &rt_arch_x86_64, &t_void,
		    &t_int, &t_mixed, &t_int, NULL);
	check_entry("v0=%di:s32 0.0<in xmm0> 0.1<in xmm1>", &rt_arch_x86_64, &t_void, &t_point,
		    &t_int, NULL);
	/*
	 * An argument that does not fit into the remaining registers is in memory, and a later
	 * argument may be in them.
	 */
	check_entry("v0_0=+8(%sp):u64 v0_8=+16(%sp):u64 v0_16=+24(%sp):u64 f0=+8(%sp):string "
		    "v1=%di:s32 v2=%si:s64 v3=%dx:s64 v4=%cx:s64 "
		    "v5=%r8:s64 v6_0=+40(%sp):u64 v6_8=+48(%sp):u64 f6=+40(%sp):string v7=%r9:s32 "
		    "2<in xmm0> 3<in xmm1>",
		    &rt_arch_x86_64, &t_void, &t_large, &t_int, &t_double, &t_double, &t_int128,
		    &t_int128, &t_int128, &t_int, NULL);
	check_entry("v0_0=+0(%x0):u64 v0_8=+8(%x0):u64 v0_16=+16(%x0):u64 f0=+0(%x0):string "
		    "v1=%x1:u64 v2=%x2:u64 v3=%x3:s32",
		    &rt_arch_aarch64, &t_void, &t_large, &t_mixed, &t_int, NULL);
	/* Aligned by the source. */
	check_entry("v0_0=+8(%sp):u64 v0_8=+16(%sp):u64 f0=+8(%sp):string v1=+40(%sp):u32",
		    &rt_arch_x86_64, &t_void, &t_long_double, &far, NULL);
	/* The result's place is the first argument, or has a register of its own. */
	check_entry("v0=%si:s32", &rt_arch_x86_64, &t_large, &t_int, NULL);
	check_entry("v0=%x0:s32", &rt_arch_aarch64, &t_large, &t_int, NULL);
	check_entry("v0=+8(%sp):s32", &rt_arch_i386, &t_large, &t_int, NULL);
}

/*
 * In one vector register each, or where that depends on the compiler's options nowhere that is
 * known, and nor is what comes after.
 */
static void test_vectors(void)
{
	static const struct rt_ctype quad = { .kind = RT_CT_ARRAY,
					      .size = 16,
					      .align = 16,
					      .count = 4,
					      .target = &t_int,
					      .is_vector = true };
	static const struct rt_ctype octet = { .kind = RT_CT_ARRAY,
					       .size = 32,
					       .align = 32,
					       .count = 8,
					       .target = &t_int,
					       .is_vector = true };
	static const struct rt_member only[] = { { .name = "v", .type = &quad } },
				      wide[] = { { .name = "v", .type = &octet } };
	static const struct rt_ctype holder = {
		.kind = RT_CT_STRUCT, .size = 16, .align = 16, .members = only, .nmembers = 1
	};
	static const struct rt_ctype wide_holder = {
		.kind = RT_CT_STRUCT, .size = 32, .align = 32, .members = wide, .nmembers = 1
	};

	check_entry("v0=%di:s32 0<in xmm0> 2.0<in xmm1> 2.1<in xmm1> 3<in xmm2>", &rt_arch_x86_64,
		    &quad, &quad, &t_int, &holder, &t_double, NULL);
	check_entry("v0=%x0:s32 0<in v0> 2<in v1>", &rt_arch_aarch64, &t_void, &quad, &t_int,
		    &holder, NULL);
	check_entry("v0=%di:s32 1<not known> 2<not known>", &rt_arch_x86_64, &t_void, &t_int,
		    &octet, &t_int, NULL);
	check_entry("v0=%di:s32 1<not known> 2<not known>", &rt_arch_x86_64, &t_void, &t_int,
		    &wide_holder, &t_int, NULL);
	check_entry("v0=+4(%sp):s32 1<not known> 2<not known>", &rt_arch_i386, &t_void, &t_int,
		    &quad, &t_int, NULL);
	check_return(" 0<in xmm0>", &rt_arch_x86_64, &quad);
	check_return(" 0<not known>", &rt_arch_x86_64, &octet);
}

/*
 * Passed like structures, and returned otherwise: long double's in the x87's registers, float's on
 * i386 in general ones.
 */
static void test_complex(void)
{
	static const struct rt_member longs[] = { { "re", .type = &t_long_double },
						  { "im", .type = &t_long_double, .offset = 16 } };
	static const struct rt_member floats[] = { { "re", .type = &t_float },
						   { "im", .type = &t_float, .offset = 4 } };
	static const struct rt_ctype long_complex = {
		.kind = RT_CT_STRUCT,
		.size = 32,
		.align = 16,
		.is_complex = true,
		.members = longs,
		.nmembers = 2,
	};
	static const struct rt_ctype float_complex = {
		.kind = RT_CT_STRUCT,
		.size = 8,
		.align = 4,
		.is_complex = true,
		.members = floats,
		.nmembers = 2,
	};

	check_entry("v0=%di:s32", &rt_arch_x86_64, &long_complex, &t_int, NULL);
	check_return(" 0<in st0 and st1>", &rt_arch_x86_64, &long_complex);
	check_return("v0=%ax:u32 v1=%dx:u32", &rt_arch_i386, &float_complex);
}

static void test_pointers(void)
{
	check_entry("v0=%di:u64 v1=%si:s32 v2=+0(%di):string", &rt_arch_x86_64, &t_void, &t_string,
		    &t_int, NULL);
	check_entry("v0=%di:u64 v1_0=+0(%di):u64 v1_8=+8(%di):u64 v1_16=+16(%di):u64 "
		    "f1=+0(%di):string v2=+0(+8(%di)):string",
		    &rt_arch_x86_64, &t_void, &t_request_pointer, NULL);
	check_entry("v0=%di:u64 v1=%si:u64 v2=%dx:u64 v3=+0(%dx):string", &rt_arch_x86_64, &t_void,
		    &t_void_pointer, &t_function_pointer, &t_string, NULL);
	/* Pointer and length, in registers. */
	usual.string = 4;
	check_entry("v0=%di:u64 v1=%si:u64 v2_0=+0(%di):u8 v2_1=+1(%di):u8 v2_2=+2(%di):u8 "
		    "v2_3=+3(%di):u8 v2_4=+4(%di):u8 v2_5=+5(%di):u8 "
		    "v2_6=+6(%di):u8 v2_7=+7(%di):u8 f2=+0(%di):string",
		    &rt_arch_x86_64, &t_void, &t_text, NULL);
	usual.string = RT_LIMIT_STRING;
}

/* The most bytes of text that are read behind the only argument. */
static unsigned text_behind(const struct rt_ctype *type)
{
	struct rt_param param = { .type = type };
	struct rt_prototype p = {
		.origin = RT_ORIGIN_GIVEN, .result = &t_void, .params = &param, .nparams = 1
	};
	struct rt_types *types = rt_types_new();
	struct rt_showing shown;
	struct rt_plan plan;
	unsigned i, most = 0;

	CU_ASSERT(rt_lower_entry(&p, NULL, &rt_arch_x86_64, &usual, types, &plan, &shown, NULL) ==
		  0);
	for (i = 0; i < plan.nvalues; i++)
		if ((plan.values[i].type == RT_TYPE_STRING || plan.values[i].length) &&
		    plan.values[i].max > most)
			most = plan.values[i].max;
	rt_types_free(types);
	return most;
}

/*
 * A string is one behind a reference too.  In a structure behind a pointer the texts share the
 * room, but more is read where more is wanted.
 */
static void test_text_limit(void)
{
	static const struct rt_ctype t_text_reference = {
		.kind = RT_CT_REFERENCE, .size = 8, .align = 8, .target = &t_text
	};

	CU_ASSERT_EQUAL(text_behind(&t_text_reference), 64);
	CU_ASSERT_EQUAL(text_behind(&t_request_pointer), 40);
	usual.string = 200;
	CU_ASSERT_EQUAL(text_behind(&t_text_reference), 200);
	CU_ASSERT_EQUAL(text_behind(&t_request_pointer), 104);
	usual.string = 20;
	CU_ASSERT_EQUAL(text_behind(&t_request_pointer), 24);
	usual.string = RT_LIMIT_STRING;
}

static void test_returns(void)
{
	check_return("", &rt_arch_x86_64, &t_void);
	check_return("v0=%ax:s32", &rt_arch_x86_64, &t_int);
	check_return("v0=%ax:u64 v1=+0(%ax):string", &rt_arch_x86_64, &t_string);
	check_return("v0=%ax:u64 0.1<in xmm0>", &rt_arch_x86_64, &t_mixed);
	check_return("v0_0=+0(%ax):u64 v0_8=+8(%ax):u64 v0_16=+16(%ax):u64 f0=+0(%ax):string",
		     &rt_arch_x86_64, &t_large);
	check_return(" 0<in st0>", &rt_arch_x86_64, &t_long_double);
	check_return("v0=%ax:s32 v1=%dx:s32", &rt_arch_i386, &t_long);
	check_return(" 0<in memory>", &rt_arch_aarch64, &t_large);
	check_return(" 0.0<in v0> 0.1<in v1>", &rt_arch_aarch64, &t_point);
}

CU_TestInfo rt_tests_lower[] = {
	{ "scalars", test_scalars },
	{ "few plans", test_alike },
	{ "what nobody reads", test_unread },
	{ "floating point", test_floats },
	{ "structures by value", test_structs },
	{ "vectors", test_vectors },
	{ "complex numbers", test_complex },
	{ "what pointers lead to", test_pointers },
	{ "how much text is read behind pointers", test_text_limit },
	{ "results", test_returns },
	CU_TEST_INFO_NULL,
};
