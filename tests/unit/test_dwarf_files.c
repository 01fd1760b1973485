/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "unit.h"

/*
 * Debug information of other compilers' and languages' files, with which the fuzzer begins:
 * tests/fuzz/corpus/dwarf.
 */

struct file {
	struct rt_image *image;
	struct rt_types *types;
	struct rt_prototype prototype;
};

/* false: this machine has no such programs. */
static bool begin(struct file *file, const char *name)
{
	char path[1024];

	memset(file, 0, sizeof(*file));
	if (rt_arch_native() != EM_X86_64)
		return false;
	snprintf(path, sizeof(path), "%s/../../fuzz/corpus/dwarf/%s", RT_GOLDEN_DIR, name);
	file->types = rt_types_new();
	CU_ASSERT_EQUAL_FATAL(rt_image_open(path, NULL, &file->image, NULL), 0);
	return true;
}

static void end(struct file *file)
{
	rt_image_close(file->image);
	rt_types_free(file->types);
}

static const struct rt_prototype *prototype(struct file *file, const char *symbol)
{
	struct rt_error err = { .text = "" };
	const struct rt_symbol *v;
	uint64_t addr = 0;
	size_t i, n;

	rt_image_symbols(file->image, &v, &n, NULL);
	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, symbol) == 0)
			addr = v[i].addr;
	CU_ASSERT_EQUAL_FATAL(
		rt_dwarf_prototype(file->image, addr, file->types, &file->prototype, &err), 0);
	return &file->prototype;
}

static bool is_at(const struct rt_param *p, enum rt_location_kind kind, unsigned reg, unsigned reg2)
{
	return p->location.kind == kind && p->location.reg == reg && p->location.reg2 == reg2;
}

/* LLVM leaves out what nobody reads, and says so by locations alone. */
static void test_changed(void)
{
	static const char *const files[][2] = { { "c-clang-2-2", "local" },
						{ "c-clang-5-2", "local" },
						{ "c-gcc-5-2", "local.constprop.0" } };
	const struct rt_prototype *p;
	struct file file;
	unsigned i;

	for (i = 0; i < 3 && begin(&file, files[i][0]); i++) {
		p = prototype(&file, files[i][1]);
		CU_ASSERT_EQUAL_FATAL(p->nparams, 2);
		RT_ASSERT_TEXT(p->params[0].name, "a");
		CU_ASSERT_EQUAL(p->params[0].location.kind, RT_LOCATION_NOWHERE);
		CU_ASSERT(is_at(&p->params[1], RT_LOCATION_REG, 5, 0));
		CU_ASSERT_EQUAL(prototype(&file, "parse")->params[1].location.kind,
				RT_LOCATION_ABI);
		end(&file);
	}
}

/*
 * A short that the copy is not given is said to be in the register of the int that has moved there,
 * which shows as its low half.
 */
static void test_moved(void)
{
	const struct rt_prototype *p;
	struct file file;

	if (!begin(&file, "c-gcc-5-moved"))
		return;
	p = prototype(&file, "moved.constprop.0");
	CU_ASSERT_EQUAL_FATAL(p->nparams, 3);
	CU_ASSERT_EQUAL(p->params[0].location.kind, RT_LOCATION_NOWHERE);
	CU_ASSERT_EQUAL(p->params[1].location.kind, RT_LOCATION_UNKNOWN);
	CU_ASSERT(is_at(&p->params[2], RT_LOCATION_REG, 5, 0));
	end(&file);
}

/* Halves of structures that clang's functions do not read. */
static void test_halves(void)
{
	struct file file;

	if (!begin(&file, "c-clang-5-halves"))
		return;
	CU_ASSERT_EQUAL(prototype(&file, "length")->params[0].unread, 1);
	CU_ASSERT_EQUAL(prototype(&file, "start")->params[0].unread, 2);
	CU_ASSERT_EQUAL(prototype(&file, "whole")->params[0].unread, 0);
	CU_ASSERT_EQUAL(file.prototype.params[0].location.kind, RT_LOCATION_ABI);
	end(&file);
}

/* With -fcf-protection clang's locations begin behind the endbr64. */
static void test_marked(void)
{
	struct file file;

	if (!begin(&file, "c-clang-5-cet"))
		return;
	CU_ASSERT_EQUAL(prototype(&file, "whole")->params[0].unread, 0);
	CU_ASSERT_EQUAL(file.prototype.params[0].location.kind, RT_LOCATION_ABI);
	CU_ASSERT_EQUAL(prototype(&file, "start")->params[0].unread, 2);
	end(&file);
}

static void test_cxx(void)
{
	static const char *const files[] = { "cxx-g++-4", "cxx-g++-5", "cxx-clang++-4",
					     "cxx-clang++-5" };
	const struct rt_prototype *p;
	struct file file;
	unsigned i;

	for (i = 0; i < 4 && begin(&file, files[i]); i++) {
		p = prototype(&file, "_ZNK2ns7derived6methodEi");
		CU_ASSERT_EQUAL_FATAL(p->nparams, 2);
		CU_ASSERT(p->params[0].artificial && !p->params[1].artificial);
		RT_ASSERT_TEXT(p->params[0].name, "this");
		p = prototype(&file, "_ZN2ns1fENS_6stringERS0_NS_7derivedEOPKcMS2_iMS2_KFiiE");
		CU_ASSERT_EQUAL_FATAL(p->nparams, 6);
		CU_ASSERT(p->params[0].type->kind == RT_CT_STRUCT &&
			  p->params[0].type->by_reference);
		CU_ASSERT(p->params[1].type->kind == RT_CT_REFERENCE &&
			  p->params[1].type->target == p->params[0].type);
		CU_ASSERT(p->params[2].type->by_reference);
		CU_ASSERT(p->params[3].type->kind == RT_CT_REFERENCE &&
			  p->params[3].type->target->kind == RT_CT_POINTER);
		CU_ASSERT(p->params[4].type->kind == RT_CT_INT && p->params[4].type->size == 8);
		CU_ASSERT(p->params[5].type->kind == RT_CT_STRUCT && p->params[5].type->size == 16);
		p = prototype(&file, "_ZN2ns6stringD1Ev");
		CU_ASSERT_EQUAL(p->nparams, 1);
		end(&file);
	}
}

static void test_rust_types(struct file *file)
{
	const struct rt_prototype *p = prototype(file, "shape");
	const struct rt_ctype *t;

	CU_ASSERT_EQUAL_FATAL(p->nparams, 4);
	CU_ASSERT_EQUAL(p->params[0].type->kind, RT_CT_REFERENCE);
	t = p->params[1].type;
	CU_ASSERT_EQUAL_FATAL(t->kind, RT_CT_VARIANT);
	CU_ASSERT_EQUAL_FATAL(t->nmembers, 4);
	RT_ASSERT_TEXT(t->members[2].name, "Rect");
	CU_ASSERT(t->tag && t->members[2].tag == 2 && !t->members[2].tag_default);
	RT_ASSERT_TEXT(t->members[2].type->members[1].name, "h");
	RT_ASSERT_TEXT(t->members[1].type->members[0].name, "0");
	/* Some(&Point) is every value but 0. */
	t = p->params[2].type;
	CU_ASSERT(t->kind == RT_CT_VARIANT && t->size == 8 && t->members[0].tag == 0 &&
		  t->members[1].tag_default);
	p = prototype(file, "text");
	CU_ASSERT_EQUAL_FATAL(p->nparams, 4);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p->params[0].type->sequence.element);
	CU_ASSERT_EQUAL(p->params[0].type->sequence.element->kind, RT_CT_CHAR);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p->params[1].type->sequence.element);
	RT_ASSERT_TEXT(p->params[1].type->sequence.element->name, "Point");
	CU_ASSERT_EQUAL(p->params[1].type->sequence.length, 8);
	CU_ASSERT_EQUAL(p->params[2].type->style, RT_STYLE_CHAR);
}

static void test_rust(void)
{
	const struct rt_prototype *p;
	struct file file;

	if (!begin(&file, "rust-0"))
		return;
	test_rust_types(&file);
	p = prototype(&file, "shape");
	CU_ASSERT(is_at(&p->params[0], RT_LOCATION_REG, 5, 0));
	CU_ASSERT(is_at(&p->params[1], RT_LOCATION_AT, 4, 0));
	CU_ASSERT(is_at(&p->params[2], RT_LOCATION_REG, 1, 0));
	CU_ASSERT(is_at(&p->params[3], RT_LOCATION_REGS, 2, 8));
	CU_ASSERT_EQUAL(p->params[3].location.second, 4);
	p = prototype(&file, "text");
	CU_ASSERT(is_at(&p->params[0], RT_LOCATION_REGS, 5, 4));
	CU_ASSERT_EQUAL(p->params[0].location.second, 8);
	CU_ASSERT(is_at(&p->params[2], RT_LOCATION_REG, 8, 0));
	CU_ASSERT_EQUAL(p->result_location.kind, RT_LOCATION_REG);
	end(&file);
	CU_ASSERT_FATAL(begin(&file, "rust-2"));
	test_rust_types(&file);
	p = prototype(&file, "shape");
	CU_ASSERT(is_at(&p->params[1], RT_LOCATION_AT, 4, 0));
	CU_ASSERT_EQUAL(p->params[3].location.kind, RT_LOCATION_UNKNOWN);
	end(&file);
}

/* Two scalars, what is no two scalars though it looks so, and what nobody can tell. */
static void test_rust_pairs(void)
{
	const struct rt_prototype *p;
	struct file file;

	if (!begin(&file, "rust-3"))
		return;
	p = prototype(&file, "pair");
	CU_ASSERT_EQUAL_FATAL(p->nparams, 3);
	CU_ASSERT(is_at(&p->params[0], RT_LOCATION_REGS, 5, 4) &&
		  p->params[0].location.second == 8);
	CU_ASSERT(is_at(&p->params[1], RT_LOCATION_REGS, 1, 2));
	CU_ASSERT(is_at(&p->params[2], RT_LOCATION_REGS, 8, 9));
	CU_ASSERT(p->result_location.kind == RT_LOCATION_REGS && p->result_location.reg == 0 &&
		  p->result_location.reg2 == 1);
	/* #[repr(packed)] in a register, #[repr(align)] and an array in memory, as is the result.
	 */
	p = prototype(&file, "layouts");
	CU_ASSERT_EQUAL_FATAL(p->nparams, 4);
	CU_ASSERT(is_at(&p->params[0], RT_LOCATION_REG, 4, 0));
	CU_ASSERT(is_at(&p->params[1], RT_LOCATION_AT, 1, 0));
	CU_ASSERT(is_at(&p->params[2], RT_LOCATION_AT, 2, 0));
	CU_ASSERT(is_at(&p->params[3], RT_LOCATION_REG, 8, 0));
	CU_ASSERT(p->result_location.kind == RT_LOCATION_AT && p->result_location.reg == 5);
	/*
	 * Members may be #[repr(C)]; for two numbers of 16 bytes versions differ; a number or a
	 * pointer had no common form then.
	 */
	CU_ASSERT_EQUAL(prototype(&file, "unsure")->params[1].location.kind, RT_LOCATION_UNKNOWN);
	CU_ASSERT_EQUAL(prototype(&file, "wides")->params[0].location.kind, RT_LOCATION_UNKNOWN);
	CU_ASSERT_EQUAL(prototype(&file, "wides")->params[1].location.kind, RT_LOCATION_UNKNOWN);
	p = prototype(&file, "mixed");
	CU_ASSERT(is_at(&p->params[0], RT_LOCATION_AT, 5, 0));
	CU_ASSERT(is_at(&p->params[1], RT_LOCATION_REG, 4, 0));
	end(&file);
}

/* libc++'s strings in the object, in both layouts. */
static void test_libcxx(void)
{
	const struct rt_sequence *s;
	const struct rt_prototype *p;
	struct file file;

	if (!begin(&file, "cxx-libc++"))
		return;
	p = prototype(&file, "strings");
	CU_ASSERT_EQUAL_FATAL(p->nparams, 2);
	s = &p->params[0].type->target->sequence;
	CU_ASSERT(s->element && s->pointer == 16 && s->length == 8 && s->is_long == 1 &&
		  s->flag == 0 && s->inside == 1);
	s = &p->params[1].type->target->sequence;
	CU_ASSERT(s->element && s->pointer == 0 && s->length == 8 && s->is_long == 0x80 &&
		  s->flag == 23 && s->inside == 0);
	end(&file);
}

static void test_names(void)
{
	struct file file;
	const struct rt_ctype *t;

	if (!begin(&file, "c-gcc-5-2"))
		return;
	t = rt_dwarf_type(file.image, file.types, "struct request");
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT(t->kind == RT_CT_STRUCT && t->nmembers == 6);
	t = rt_dwarf_type(file.image, file.types, "point");
	CU_ASSERT(t && t->kind == RT_CT_STRUCT && t->nmembers == 2);
	t = rt_dwarf_type(file.image, file.types, "enum color");
	CU_ASSERT(t && t->kind == RT_CT_ENUM && t->nvalues == 3);
	CU_ASSERT_PTR_NULL(rt_dwarf_type(file.image, file.types, "struct none"));
	CU_ASSERT_EQUAL(rt_dwarf_member(file.image, "struct node", "name"), 8);
	CU_ASSERT_EQUAL(rt_dwarf_member(file.image, "struct node", "none"), -1);
	CU_ASSERT_EQUAL(rt_dwarf_member(file.image, "struct none", "name"), -1);
	CU_ASSERT_TRUE(rt_dwarf_inlined(file.image, "local"));
	CU_ASSERT_FALSE(rt_dwarf_inlined(file.image, "parse"));
	end(&file);
}

CU_TestInfo rt_tests_dwarf_files[] = {
	{ "functions that the compiler has changed", test_changed },
	{ "parameters that copies are not given", test_moved },
	{ "halves that are not read", test_halves },
	{ "locations behind endbr64", test_marked },
	{ "C++", test_cxx },
	{ "Rust", test_rust },
	{ "Rust: one register or two", test_rust_pairs },
	{ "libc++", test_libcxx },
	{ "names", test_names },
	CU_TEST_INFO_NULL,
};
