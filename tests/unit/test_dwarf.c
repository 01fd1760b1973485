/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "unit.h"

/* Debug information of tests/unit/typed.c. */

static struct rt_image *image;
static struct rt_types *types;

static int begin(void)
{
	types = rt_types_new();
	return types && rt_image_open(RT_TYPED, NULL, &image, NULL) == 0 ? 0 : -1;
}

static void end(void)
{
	rt_image_close(image);
	rt_types_free(types);
}

static uint64_t address(const char *name)
{
	const struct rt_symbol *v;
	size_t i, n;

	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return v[i].addr;
	return 0;
}

static bool prototype(const char *name, struct rt_prototype *p)
{
	struct rt_error err = { .text = "" };
	int ret = rt_dwarf_prototype(image, address(name), types, p, &err);

	RT_ASSERT_TEXT(err.text, "");
	CU_ASSERT_EQUAL(ret, 0);
	return ret == 0 && p->origin == RT_ORIGIN_DWARF && p->convention == RT_CONVENTION_C;
}

static const struct rt_member *member(const struct rt_ctype *type, const char *name)
{
	unsigned i;

	for (i = 0; i < type->nmembers; i++)
		if (type->members[i].name && strcmp(type->members[i].name, name) == 0)
			return &type->members[i];
	return NULL;
}

static void test_scalars(void)
{
	static const struct {
		const char *name;
		enum rt_ctype_kind kind;
		unsigned size;
		bool is_signed;
	} want[] = {
		{ "c", RT_CT_CHAR, 1, (char)-1 < 0 },
		{ "o", RT_CT_INT, 1, false },
		{ "s", RT_CT_INT, 2, true },
		{ "u", RT_CT_INT, 4, false },
		{ "l", RT_CT_INT, sizeof(long), true },
		{ "b", RT_CT_BOOL, 1, false },
		{ "f", RT_CT_FLOAT, 4, false },
		{ "d", RT_CT_FLOAT, 8, false },
	};
	struct rt_prototype p;
	unsigned i;

	CU_ASSERT_FATAL(prototype("scalars", &p));
	CU_ASSERT_EQUAL_FATAL(p.nparams, 9);
	for (i = 0; i < 8; i++) {
		RT_ASSERT_TEXT(p.params[i].name, want[i].name);
		CU_ASSERT_EQUAL(p.params[i].type->kind, want[i].kind);
		CU_ASSERT_EQUAL(p.params[i].type->size, want[i].size);
		CU_ASSERT_EQUAL(p.params[i].type->is_signed, want[i].is_signed);
		CU_ASSERT_EQUAL(p.params[i].location.kind, RT_LOCATION_ABI);
	}
	RT_ASSERT_TEXT(p.params[1].type->name, "octet");
#if defined(__x86_64__)
	CU_ASSERT_EQUAL(p.params[8].type->size, 16);
	CU_ASSERT_EQUAL(p.params[8].type->align, 16);
#endif
	CU_ASSERT_EQUAL(p.result->kind, RT_CT_INT);
	CU_ASSERT_FALSE(p.variadic);
}

static void test_pointers(void)
{
	struct rt_prototype p;
	const struct rt_ctype *t;

	CU_ASSERT_FATAL(prototype("pointers", &p));
	CU_ASSERT_EQUAL_FATAL(p.nparams, 6);
	t = p.params[0].type;
	CU_ASSERT(t->kind == RT_CT_POINTER && t->target->kind == RT_CT_CHAR);
	t = p.params[2].type;
	CU_ASSERT(t->kind == RT_CT_POINTER && t->target->kind == RT_CT_STRUCT &&
		  t->target->nmembers == 0 && t->target->size == 0);
	RT_ASSERT_TEXT(t->target->name, "struct hidden");
	t = p.params[3].type;
	CU_ASSERT(t->kind == RT_CT_POINTER && t->target->kind == RT_CT_VOID);
	t = p.params[4].type;
	CU_ASSERT(t->kind == RT_CT_POINTER && t->target->kind == RT_CT_POINTER &&
		  t->target->target->kind == RT_CT_INT);
	t = p.params[5].type;
	CU_ASSERT(t->kind == RT_CT_POINTER && t->target->kind == RT_CT_ARRAY &&
		  t->target->count == 3 && t->target->size == 12);
}

static void test_struct(void)
{
	struct rt_prototype p;
	const struct rt_ctype *t;
	const struct rt_member *m;

	CU_ASSERT_FATAL(prototype("pointers", &p));
	t = p.params[1].type->target;
	RT_ASSERT_TEXT(t->name, "struct request");
	CU_ASSERT_EQUAL(t->kind, RT_CT_STRUCT);
	CU_ASSERT_EQUAL_FATAL(t->nmembers, 10);
	m = member(t, "mode");
	CU_ASSERT_FATAL(m != NULL);
	CU_ASSERT(m->offset == 4 && m->bit_offset == 3 && m->bit_size == 5);
	m = member(t, "wide");
	CU_ASSERT_FATAL(m != NULL);
	CU_ASSERT(m->bit_size == 40 && m->type->is_signed);
	m = member(t, "path");
	CU_ASSERT_FATAL(m != NULL);
	CU_ASSERT(m->type->kind == RT_CT_ARRAY && m->type->count == 16 &&
		  m->type->target->kind == RT_CT_CHAR);
	m = member(t, "at");
	CU_ASSERT_FATAL(m != NULL);
	RT_ASSERT_TEXT(m->type->name, "point");
	CU_ASSERT(m->type->nmembers == 2 && m->type->size == 8 && m->type->align == 4);
	CU_ASSERT(t->members[6].name == NULL && t->members[6].type->kind == RT_CT_UNION &&
		  t->members[6].type->nmembers == 2);
	m = member(t, "callback");
	CU_ASSERT_FATAL(m != NULL);
	CU_ASSERT(m->type->kind == RT_CT_POINTER && m->type->target->kind == RT_CT_FUNCTION);
	m = member(t, "rest");
	CU_ASSERT_FATAL(m != NULL);
	CU_ASSERT(m->type->kind == RT_CT_ARRAY && m->type->count == 0);
	/* A circle. */
	m = member(t, "list");
	CU_ASSERT_FATAL(m != NULL && m->type->target->nmembers == 2);
	CU_ASSERT_PTR_EQUAL(m->type->target->members[0].type->target, m->type->target);
}

static void test_values(void)
{
	struct rt_prototype p, again;

	CU_ASSERT_FATAL(prototype("values", &p));
	CU_ASSERT_EQUAL_FATAL(p.nparams, 4);
	RT_ASSERT_TEXT(p.result->name, "point");
	CU_ASSERT_PTR_EQUAL(p.result, p.params[0].type);
	RT_ASSERT_TEXT(p.params[1].type->name, "enum color");
	CU_ASSERT_EQUAL_FATAL(p.params[1].type->nvalues, 3);
	RT_ASSERT_TEXT(p.params[1].type->values[2].name, "BLUE");
	CU_ASSERT_EQUAL(p.params[1].type->values[2].value, 7);
	CU_ASSERT_FALSE(p.params[1].type->is_flags);
	CU_ASSERT_TRUE(p.params[2].type->is_flags);
	CU_ASSERT_TRUE(p.params[3].type->is_signed);
	CU_ASSERT_EQUAL(p.params[3].type->values[0].value, -1);
	CU_ASSERT_FATAL(prototype("values", &again));
	CU_ASSERT_PTR_EQUAL(again.params[1].type, p.params[1].type);
}

static void test_others(void)
{
	struct rt_dwarf_place place;
	struct rt_prototype p;
	struct rt_error err;
	const char *file;

	CU_ASSERT_FATAL(prototype("rest", &p));
	CU_ASSERT(p.variadic && p.nparams == 1 && p.result->kind == RT_CT_VOID);
	CU_ASSERT_EQUAL(rt_dwarf_prototype(image, address("rest") + 1, types, &p, &err), -ENOENT);
	CU_ASSERT_EQUAL(rt_dwarf_prototype(image, address("_start"), types, &p, &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no debug information for the function"));
	file = rt_dwarf_file(image, address("rest"));
	CU_ASSERT(file && strstr(file, "typed.c"));
	CU_ASSERT_PTR_NULL(rt_dwarf_file(image, 1));
	CU_ASSERT_FATAL(rt_dwarf_line(image, address("rest"), &place));
	CU_ASSERT(strstr(place.file, "typed.c") && place.line > 1);
	CU_ASSERT_FALSE(rt_dwarf_line(image, 1, &place));
}

static void all(void)
{
	CU_ASSERT_EQUAL_FATAL(begin(), 0);
	test_scalars();
	test_pointers();
	test_struct();
	test_values();
	test_others();
	end();
}

CU_TestInfo rt_tests_dwarf[] = {
	{ "types", all },
	CU_TEST_INFO_NULL,
};
