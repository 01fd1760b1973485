/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fetch/abi.h"
#include "fetch/lower.h"
#include "go/go.h"
#include "code.h"
#include "unit.h"

static const struct rt_ctype int_type = {
	.kind = RT_CT_INT, .name = "int", .size = 8, .is_signed = true
};
static const struct rt_ctype int32_type = {
	.kind = RT_CT_INT, .name = "int32", .size = 4, .is_signed = true
};
static const struct rt_ctype byte_type = { .kind = RT_CT_INT, .name = "uint8", .size = 1 };
static const struct rt_ctype bool_type = { .kind = RT_CT_BOOL, .name = "bool", .size = 1 };
static const struct rt_ctype float_type = { .kind = RT_CT_FLOAT, .name = "float64", .size = 8 };
static const struct rt_ctype complex_type = { .kind = RT_CT_FLOAT,
					      .name = "complex128",
					      .size = 16 };
static const struct rt_ctype text_type = { .kind = RT_CT_CHAR, .size = 1 };
static const struct rt_ctype pointer_type = { .kind = RT_CT_POINTER,
					      .size = 8,
					      .target = &byte_type };
static const struct rt_member string_members[] = {
	{ .name = "str", .type = &pointer_type }, { .name = "len", .type = &int_type, .offset = 8 },
};
static const struct rt_ctype string_type = {
	.kind = RT_CT_STRUCT,
	.name = "string",
	.size = 16,
	.members = string_members,
	.nmembers = 2,
	.sequence = { .element = &text_type, .length = 8 },
};
static const struct rt_member point_members[] = {
	{ .name = "x", .type = &int32_type },
	{ .name = "y", .type = &int32_type, .offset = 4 },
	{ .name = "on", .type = &bool_type, .offset = 8 },
};
static const struct rt_ctype point_type = {
	.kind = RT_CT_STRUCT, .name = "point", .size = 12, .members = point_members, .nmembers = 3
};
static const struct rt_ctype one_type = {
	.kind = RT_CT_ARRAY, .size = 8, .count = 1, .target = &int_type
};
static const struct rt_ctype three_type = {
	.kind = RT_CT_ARRAY, .size = 24, .count = 3, .target = &int_type
};
static const struct rt_ctype none_type = { .kind = RT_CT_STRUCT, .size = 0 };

/* A location as text: "0:ax 8:bx", "+8" on the stack. */
static void say(char *text, const struct rt_abi_location *where)
{
	unsigned i;

	if (where->kind == RT_ABI_STACK)
		sprintf(text + strlen(text), "+%d", where->offset);
	else if (where->kind == RT_ABI_UNKNOWN)
		strcat(text, "?");
	else
		for (i = 0; i < where->n; i++)
			sprintf(text + strlen(text), "%s%u:%s", i ? " " : "",
				where->parts[i].offset,
				where->parts[i].mark ? where->parts[i].mark
						     : where->parts[i].reg.tracefs);
	strcat(text, "; ");
}

static void check_of(const struct rt_arch *arch, bool registers, const struct rt_ctype *const *v,
		     const struct rt_ctype *const *results, const char *want)
{
	const struct rt_location location = { .kind = RT_LOCATION_ABI };
	char text[1024] = "";
	struct rt_abi_location where;
	struct rt_abi abi;

	rt_abi_go_begin(&abi, arch, registers);
	for (; *v; v++) {
		rt_abi_go_argument(&abi, *v, &location, &where);
		say(text, &where);
	}
	rt_abi_go_results(&abi);
	for (; *results; results++) {
		rt_abi_go_argument(&abi, *results, &location, &where);
		say(text, &where);
	}
	RT_ASSERT_TEXT(text, want);
}

static void check(bool registers, const struct rt_ctype *const *v,
		  const struct rt_ctype *const *results, const char *want)
{
	check_of(&rt_arch_x86_64, registers, v, results, want);
}

#define LIST(...) (const struct rt_ctype *const []){ __VA_ARGS__, NULL }
#define NOTHING (const struct rt_ctype *const []){ NULL }

static void test_registers(void)
{
	check(true, LIST(&int_type, &string_type, &bool_type), LIST(&string_type, &int_type),
	      "0:ax; 0:bx 8:cx; 0:di; 0:ax 8:bx; 0:cx; ");
	check(true, LIST(&point_type, &one_type, &none_type, &int_type), LIST(&point_type),
	      "0:ax 4:bx 8:cx; 0:di; ; 0:si; 0:ax 4:bx 8:cx; ");
	check(true, LIST(&float_type, &int_type, &complex_type), LIST(&float_type),
	      "0:<in xmm0>; 0:ax; 0:<in xmm1> 8:<in xmm2>; 0:<in xmm0>; ");
}

/*
 * An argument that does not fit whole goes to the stack, and a later argument may fit into
 * registers.
 */
static void test_overflow(void)
{
	check(true,
	      LIST(&string_type, &string_type, &string_type, &string_type, &string_type, &int_type,
		   &byte_type, &int_type),
	      LIST(&three_type, &int_type),
	      "0:ax 8:bx; 0:cx 8:di; 0:si 8:r8; 0:r9 8:r10; +8; 0:r11; +24; +32; +40; 0:ax; ");
	check(true, LIST(&three_type, &int_type), NOTHING, "+8; 0:ax; ");
}

static void test_stack(void)
{
	check(false, LIST(&byte_type, &int32_type, &string_type, &bool_type),
	      LIST(&int_type, &bool_type), "+8; +12; +16; +32; +40; +48; ");
}

/*
 * 16 registers of each kind; on the stack as on x86-64, where the return address of the function
 * that is called would be.
 */
static void test_aarch64(void)
{
	check_of(&rt_arch_aarch64, true, LIST(&int_type, &string_type, &float_type, &complex_type),
		 LIST(&string_type, &float_type),
		 "0:x0; 0:x1 8:x2; 0:<in v0>; 0:<in v1> 8:<in v2>; 0:x0 8:x1; 0:<in v0>; ");
	check_of(&rt_arch_aarch64, true,
		 LIST(&string_type, &string_type, &string_type, &string_type, &string_type,
		      &string_type, &string_type, &int_type, &string_type, &int_type, &int_type),
		 LIST(&three_type),
		 "0:x0 8:x1; 0:x2 8:x3; 0:x4 8:x5; 0:x6 8:x7; 0:x8 8:x9; "
		 "0:x10 8:x11; 0:x12 8:x13; 0:x14; +8; 0:x15; +24; +32; ");
	check_of(&rt_arch_aarch64, false, LIST(&byte_type, &int32_type, &string_type),
		 LIST(&int_type), "+8; +12; +16; +32; ");
}

static bool in_order(const struct rt_arch *arch, const struct rt_ctype *a, int64_t at_a,
		     const struct rt_ctype *b, int64_t at_b)
{
	const struct rt_param v[] = { { .type = a, .location = { .offset = at_a } },
				      { .type = b, .location = { .offset = at_b } } };
	struct rt_abi abi;

	rt_abi_go_begin(&abi, arch, false);
	return rt_abi_go_in_order(&abi, v, 2);
}

/* Places on the stack as debug information gives them; 0: none, -1: only that there is one. */
static void test_order(void)
{
	const struct rt_arch *arm = &rt_arch_aarch64, *x86 = &rt_arch_x86_64;

	CU_ASSERT(in_order(arm, &int_type, 8, &string_type, 16) &&
		  in_order(arm, &int_type, 0, &int_type, 0));
	/* The string's length alone is used; the integer is before it, or it stands there. */
	CU_ASSERT(in_order(arm, &int_type, 0, &string_type, 24) &&
		  in_order(x86, &int_type, 0, &string_type, 24));
	CU_ASSERT(!in_order(arm, &int_type, 0, &string_type, 8) &&
		  !in_order(x86, &int_type, 0, &string_type, 8));
	CU_ASSERT(!in_order(arm, &int_type, 0, &string_type, 32));
	/* The second was told of behind the first, or in front of it. */
	CU_ASSERT(in_order(arm, &int_type, 0, &int_type, 16) &&
		  !in_order(arm, &int_type, 0, &int_type, 8));
	CU_ASSERT(!in_order(arm, &byte_type, 0, &byte_type, 8) &&
		  in_order(arm, &byte_type, 0, &byte_type, 9));
	/* Before the second there would be room as well where the first is behind it. */
	CU_ASSERT(!in_order(arm, &int_type, 0, &byte_type, -1) &&
		  in_order(arm, &int_type, -1, &byte_type, -1));
	CU_ASSERT(in_order(arm, &int_type, 0, &string_type, -1) &&
		  in_order(x86, &int_type, 0, &byte_type, -1));
}

/* "_" took ax and bx, of which nobody tells. */
static void test_unnamed(void)
{
	const struct rt_location location = { .kind = RT_LOCATION_REG, .reg = 2 /* cx */ },
				 none = { .kind = RT_LOCATION_ABI };
	char text[256] = "";
	struct rt_abi_location where;
	struct rt_abi abi;

	rt_abi_go_begin(&abi, &rt_arch_x86_64, true);
	rt_abi_go_argument(&abi, &string_type, &location, &where);
	say(text, &where);
	rt_abi_go_argument(&abi, &int_type, &none, &where);
	say(text, &where);
	RT_ASSERT_TEXT(text, "0:cx 8:di; 0:si; ");
}

static void test_unknown(void)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };

	check(true, LIST(&int_type, &unknown, &int_type), NOTHING, "0:ax; ?; ?; ");
}

static const struct rt_param params[] = { { .name = "s", .type = &string_type },
					  { .name = "p", .type = &point_type } };
static const struct rt_param results[] = { { .name = "~r0", .type = &int_type },
					   { .name = "ok", .type = &bool_type } };
static const struct rt_prototype prototype = {
	.origin = RT_ORIGIN_DWARF,
	.convention = RT_CONVENTION_GO_REGISTERS,
	.params = params,
	.nparams = 2,
	.results = results,
	.nresults = 2,
};

static void test_lowered(void)
{
	const struct rt_limits limits = {
		.string = 64, .members = 16, .deref = 1, .record = RT_LIMIT_RECORD
	};
	struct rt_types *memory = rt_types_new();
	struct rt_showing shown;
	struct rt_plan plan;

	CU_ASSERT(rt_lower_entry(&prototype, NULL, &rt_arch_x86_64, &limits, memory, &plan, &shown,
				 NULL) == 0);
	CU_ASSERT_EQUAL(shown.n, 2);
	/* Pointer, length, three members, and the text. */
	CU_ASSERT_EQUAL(plan.nvalues, 6);
	CU_ASSERT_EQUAL(shown.v[0].nfollows, 1);
	CU_ASSERT_EQUAL(shown.v[1].npieces, 3);
	CU_ASSERT_EQUAL(shown.v[1].pieces[1].offset, 4);
	CU_ASSERT_EQUAL(shown.v[1].pieces[1].size, 4);
	CU_ASSERT(rt_lower_return(&prototype, NULL, &rt_arch_x86_64, &limits, memory, &plan,
				  &shown, NULL) == 0);
	CU_ASSERT_EQUAL(shown.n, 2);
	CU_ASSERT_PTR_NULL(shown.v[0].name);
	CU_ASSERT_STRING_EQUAL(shown.v[1].name, "ok");
	CU_ASSERT_EQUAL(plan.nvalues, 2);
	CU_ASSERT_STRING_EQUAL(plan.values[1].reg.tracefs, "bx");
	rt_types_free(memory);
}

/*
 * Parameters by Go's own tables and the code before runtime.morestack: their registers and spill
 * places, and the number of numbers in the first one's type.
 */
static void check_given(const struct rt_go_frame *frame, const char *want, unsigned members)
{
	struct rt_types *memory = rt_types_new();
	struct rt_prototype p = { .nparams = 0 };
	char text[1024] = "";
	struct rt_abi_location where;
	struct rt_abi abi;
	unsigned i;

	CU_ASSERT(rt_go_read_arguments(frame, memory, &p) == 0);
	rt_abi_go_begin(&abi,
			frame->code == &rt_aarch64_go_code ? &rt_arch_aarch64 : &rt_arch_x86_64,
			!frame->on_stack);
	for (i = 0; i < p.nparams; i++) {
		rt_abi_go_argument(&abi, p.params[i].type, &p.params[i].location, &where);
		say(text, &where);
	}
	RT_ASSERT_TEXT(text, want);
	if (p.nparams)
		CU_ASSERT_EQUAL(p.params[0].type->nmembers, members);
	rt_types_free(memory);
}

static void put(uint8_t *to, size_t size, const char *bytes, size_t n, uint8_t rest)
{
	memset(to, rest, size);
	memcpy(to, bytes, n - 1);
}

#define INFO(frame, bytes) put((frame).info, sizeof((frame).info), bytes, sizeof(bytes), 0xff)

/* The code before runtime.morestack. */
static void put_spills(struct rt_go_frame *frame, const struct code *code, const char *name)
{
	const struct code_part *part = code_part(code, name);

	memset(frame->spills, 0, sizeof(frame->spills));
	memcpy(frame->spills, part->bytes, part->size);
}

static void check_with_code(const char *theme, void with(const struct code *code))
{
	struct code code;

	code_open(&code, theme);
	if (code.n)
		with(&code);
	code_close(&code);
}

static void check_given_x86(const struct code *code)
{
	struct rt_go_frame frame = { .proven = true, .code = &rt_x86_64_go_code };

	/* A string, a slice, int8, uint16, bool; jumps are aligned. */
	INFO(frame,
	     "\xfe\x00\x08\x08\x08\xfd\xfe\x10\x08\x18\x08\x20\x08\xfd\x28\x01\x2a\x02\x2c\x01");
	put_spills(&frame, code, "string_slice_numbers");
	check_given(&frame, "0:ax 8:bx; 0:cx 8:di 16:si; 0:r8; 0:r9; 0:r10; ", 2);
	/* A float, an int, a float32. */
	INFO(frame, "\x00\x08\x08\x08\x10\x04");
	put_spills(&frame, code, "float_int_float32");
	check_given(&frame, "0:<in xmm0>; 0:ax; 0:<in xmm1>; ", 0);
	/* [1]int, [3]int, which is on the stack, int, and what is not told of. */
	INFO(frame, "\xfe\x18\x08\xfd\xfe\x00\x08\x08\x08\x10\x08\xfd\x20\x08\xfe\x28\x08\xfc\xfd");
	put_spills(&frame, code, "three_ints");
	check_given(&frame, "0:ax; +8; 0:bx; ?; ", 1);
	/* A structure in a structure, and an empty one. */
	INFO(frame, "\xfe\xfe\xfd\xfe\x00\x04\xfd\x08\x08\xfd");
	put_spills(&frame, code, "int32_int");
	check_given(&frame, "0:ax 8:bx; ", 3);
	/* The first argument of a generic function is left out, and it may be more than one. */
	frame.first = RT_GO_FIRST_TYPES;
	INFO(frame, "\x08\x08");
	put_spills(&frame, code, "two_ints");
	check_given(&frame, "0:ax; 0:bx; ", 0);
	INFO(frame, "\x10\x08\x18\x01");
	put_spills(&frame, code, "three_ints_bool");
	frame.first = RT_GO_FIRST_RECEIVER;
	check_given(&frame, "0:ax 8:bx; 0:cx; 0:di; ", 2);
	INFO(frame, "");
	frame.first = RT_GO_FIRST_OWN;
	put_spills(&frame, code, "two_ints");
	check_given(&frame, "0:ax 8:bx; ", 2);
}

static void test_given(void)
{
	check_with_code("go_spills.x86_64", check_given_x86);
}

static void check_given_aarch64(const struct code *code)
{
	struct rt_go_frame frame = { .proven = true, .code = &rt_aarch64_go_code };

	/* A string, a slice, int8, uint16, bool. */
	INFO(frame,
	     "\xfe\x00\x08\x08\x08\xfd\xfe\x10\x08\x18\x08\x20\x08\xfd\x28\x01\x2a\x02\x2c\x01");
	put_spills(&frame, code, "string_slice_numbers");
	check_given(&frame, "0:x0 8:x1; 0:x2 8:x3 16:x4; 0:x5; 0:x6; 0:x7; ", 2);
	/* A float, an int, two float32. */
	INFO(frame, "\x00\x08\x08\x08\x10\x04\x14\x04");
	put_spills(&frame, code, "float_int_float32s");
	check_given(&frame, "0:<in v0>; 0:x0; 0:<in v1>; 0:<in v2>; ", 0);
	/* No register is used. */
	INFO(frame, "");
	put_spills(&frame, code, "none");
	check_given(&frame, "", 0);
	/*
	 * Not in their order; below the stack pointer; by another register; a load; two of 16
	 * bytes; something else comes before the end.
	 */
	INFO(frame, "\x00\x08\x08\x08");
	put_spills(&frame, code, "other_order");
	check_given(&frame, "?; ", 0);
	put_spills(&frame, code, "below_sp");
	check_given(&frame, "?; ", 0);
	put_spills(&frame, code, "other_base");
	check_given(&frame, "?; ", 0);
	put_spills(&frame, code, "load");
	check_given(&frame, "?; ", 0);
	put_spills(&frame, code, "vectors");
	check_given(&frame, "?; ", 0);
	put_spills(&frame, code, "nop_before_end");
	check_given(&frame, "?; ", 0);
}

static void test_given_aarch64(void)
{
	check_with_code("go_spills.aarch64", check_given_aarch64);
}

static void check_unknown(const struct code *code)
{
	struct rt_go_frame frame = { .proven = true, .code = &rt_x86_64_go_code };

	INFO(frame, "");
	put_spills(&frame, code, "none");
	check_given(&frame, "", 0);
	/* No register is used. */
	INFO(frame, "\x00\x08");
	check_given(&frame, "?; ", 0);
	/*
	 * Not the same size, not the same register, one too many, one that is half in a register,
	 * not a call, no end.
	 */
	INFO(frame, "\x00\x04");
	put_spills(&frame, code, "one_int");
	check_given(&frame, "?; ", 0);
	INFO(frame, "\x08\x08");
	put_spills(&frame, code, "second_register");
	check_given(&frame, "?; ", 0);
	INFO(frame, "\x00\x08");
	put_spills(&frame, code, "two_ints");
	check_given(&frame, "?; ", 0);
	INFO(frame, "\xfe\x00\x08\x08\x08\xfd");
	put_spills(&frame, code, "one_int");
	check_given(&frame, "?; ", 0);
	INFO(frame, "\x00\x08");
	put_spills(&frame, code, "without_call");
	check_given(&frame, "?; ", 0);
	INFO(frame, "\xfe\x00\x08");
	put_spills(&frame, code, "one_int");
	check_given(&frame, "?; ", 0);
	/* Without the code, where nothing else stands in the frame. */
	frame.proven = false;
	frame.args = 16;
	INFO(frame, "\x00\x08\x08\x01");
	check_given(&frame, "0:ax; 0:bx; ", 0);
	frame.args = 24;
	check_given(&frame, "?; ", 0);
	frame.first = RT_GO_FIRST_TYPES;
	check_given(&frame, "?; ", 0);
	INFO(frame, "\x08\x08\x10\x01");
	check_given(&frame, "0:ax; 0:bx; 0:cx; ", 0);
	INFO(frame, "\x10\x08");
	check_given(&frame, "?; ", 0);
	frame.first = RT_GO_FIRST_DESCRIBED;
	check_given(&frame, "?; ", 0);
	INFO(frame, "\x00\x08\x08\x01");
	/* A function of assembly. */
	frame.on_stack = true;
	check_given(&frame, "+8; +16; ", 0);
}

static void test_not_told(void)
{
	check_with_code("go_spills.x86_64", check_unknown);
}

CU_TestInfo rt_tests_abi_go[] = {
	{ "Go's registers", test_registers },
	{ "Go's registers, too few", test_overflow },
	{ "Go's stack", test_stack },
	{ "Go on aarch64", test_aarch64 },
	{ "Go's parameters that are told of in another order", test_order },
	{ "parameters that are not told of", test_unnamed },
	{ "parameters of unknown types", test_unknown },
	{ "Go's prototypes lowered", test_lowered },
	{ "arguments that Go's tracebacks know", test_given },
	{ "arguments that Go's tracebacks know, of aarch64", test_given_aarch64 },
	{ "arguments that nothing proves", test_not_told },
	CU_TEST_INFO_NULL,
};
