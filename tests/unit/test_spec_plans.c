/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what the user writes to what is read: names, expressions, conditions and words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/definition.h"
#include "emit/program.h"
#include "fetch/lower.h"
#include "golden.h"
#include "symbols/inside.h"
#include "lang/print.h"
#include "typegen.h"
#include "unit.h"

#define NODE                                                                                       \
	"struct node {int id; struct node *next; const char *name; struct {short low, high;} in; " \
	"unsigned a:3, b:5; int v[4]; "                                                            \
	"enum {RED, GREEN=5} color;} *p, int n, const char *path, float x"

static const struct rt_limits limits = {
	.string = 64, .members = 16, .deref = 1, .record = RT_LIMIT_RECORD
};

struct planned {
	struct rt_spec known_spec, spec;
	struct rt_types *types;
	const struct rt_prototype *prototype;
	struct rt_plan plan;
	struct rt_showing shown;
	struct rt_error err;
};

/*
 * Resolve `text` for a function whose known prototype is `known` (NULL: none).  An error is in
 * t->err.
 */
static int plan_from(enum rt_origin origin, struct planned *t, const char *known, const char *text)
{
	int r;

	memset(t, 0, sizeof(*t));
	t->types = rt_types_new();
	CU_ASSERT_PTR_NOT_NULL_FATAL(t->types);
	if (known)
		CU_ASSERT_EQUAL_FATAL(
			rt_spec_parse(known, &rt_arch_x86_64, NULL, &t->known_spec, &t->err), 0);
	r = rt_spec_parse(text, &rt_arch_x86_64, NULL, &t->spec, &t->err);
	CU_ASSERT_EQUAL_FATAL(r, 0);
	if (known)
		((struct rt_prototype *)t->known_spec.prototype)->origin = origin;
	r = rt_spec_prototype(&t->spec, t->known_spec.prototype, t->types, NULL, &t->prototype,
			      &t->err);
	if (r == 0)
		r = rt_lower_entry(t->prototype, &t->spec, &rt_arch_x86_64, &limits, t->types,
				   &t->plan, &t->shown, &t->err);
	return r;
}

static int plan_of(struct planned *t, const char *known, const char *text)
{
	return plan_from(RT_ORIGIN_DWARF, t, known, text);
}

static void forget(struct planned *t)
{
	rt_spec_free(&t->known_spec);
	rt_spec_free(&t->spec);
	rt_types_free(t->types);
}

static void is_prototype_from(enum rt_origin origin, const char *known, const char *text,
			      const char *want)
{
	char buf[512] = "none";
	struct planned t;
	FILE *file;

	if (plan_from(origin, &t, known, text) < 0)
		snprintf(buf, sizeof(buf), "%.500s", t.err.text);
	else if (t.prototype) {
		file = fmemopen(buf, sizeof(buf), "w");
		rt_prototype_print(file, t.prototype, "f");
		fclose(file);
	}
	RT_ASSERT_TEXT(buf, want);
	forget(&t);
}

static void is_prototype(const char *known, const char *text, const char *want)
{
	is_prototype_from(RT_ORIGIN_DWARF, known, text, want);
}

static void is_guessed(const char *known, const char *text, const char *want)
{
	is_prototype_from(RT_ORIGIN_GUESSED, known, text, want);
}

/* Names that nothing tells are errors that say what is known, and what to write. */
static void test_unknown_names(void)
{
	is_prototype(NULL, "f(a, b > 3)",
		     "'f(a, b > 3)': column 3: expected a known parameter: none is known; "
		     "write 'f(int a)' or 'f(arg1)'");
	is_prototype(NULL, "f(b > 3, a)",
		     "'f(b > 3, a)': column 3: expected a known parameter: none is known; "
		     "write 'f(int b > 3)' or 'f(arg1 > 3)'");
	is_prototype(NULL, "f(arg2 > 3)", "? f(int, int)");
	is_prototype(NULL, "f(arg33)", "'f(arg33)': column 3: expected arg1 to arg32");
	is_guessed("int f(int, char *)", "f(arg2 == \"x\")", "int f(int, char *)");
	is_guessed("int f(int, char *)", "f(hex $arg1)", "int f(int, char *)");
	is_guessed("int f(int, char *)", "f(arg1, path ^= \"/\" && arg1 < 2)",
		   "'f(arg1, path ^= \"/\" && arg1 < 2)': column 9: expected a known parameter: "
		   "arg1 to arg2 have no names; write 'f(string path ^= \"/\")' or 'f(arg2 ^= "
		   "\"/\")'");
	is_guessed("int f(int)", "lib.so:f(n > 3 || n < 1)",
		   "'lib.so:f(n > 3 || n < 1)': column 10: expected a known parameter: "
		   "arg1 has no name; write 'lib.so:f(int n > 3)' or 'lib.so:f(arg1 > 3)'");
	is_guessed("int f(void)", "f(hex n)",
		   "'f(hex n)': column 7: expected a known parameter: none is known; write "
		   "'f(hex int n)'");
	is_guessed("int f(int)", "f(arg2)",
		   "'f(arg2)': column 3: expected a parameter that the code shows: arg1; declare "
		   "others, as in 'f(int a, int b)'");
	is_guessed("int f(void *)", "f(string)",
		   "'f(string)': column 3: expected a name behind 'string', as in 'f(string s)'");
	is_prototype(
		"int f(long n)", "f(string)",
		"'f(string)': column 3: expected the name of a parameter, of which there is n");
	is_prototype("int f(long, int)", "f(n)",
		     "'f(n)': column 3: expected the name of a parameter, of which there are arg1 "
		     "to arg2");
	is_prototype(
		"int f(void)", "f(arg1)",
		"'f(arg1)': column 3: expected the name of a parameter, of which there is none");
	is_prototype("int f(int arg2, int n)", "f(arg2 > 3)", "int f(int arg2, int n)");
	is_prototype(NULL, "f(int n, m > 3)",
		     "'f(int n, m > 3)': column 10: expected the name of a parameter, of which "
		     "there is n; declare 'm' too");
	is_prototype(NULL, "f(int n, arg1 > 3)", "? f(int n)");
	is_prototype("int f(int n)", "f($retval == 3)",
		     "'f($retval == 3)': column 3: expected a parameter, or 'return', the result, "
		     "in a comparison");
	is_prototype("int f(int n)", "f(time > 5)",
		     "'f(time > 5)': column 3: expected a unit behind the number, as in 'time > "
		     "5ms'");
	is_prototype("int f(int time)", "f(time > 5, time > 5ns)", "int f(int time)");
	is_prototype(NULL, "f(int n, return > 3)", "? f(int n)");
	is_prototype("char *f(int n)", "f(return == NULL)", "char *f(int n)");
	is_prototype("char *f(int n)", "f(errno == ENOENT)", "char *f(int n) errno");
	is_guessed("int f(int)", "f(retval == 3)",
		   "'f(retval == 3)': column 3: expected a parameter, or 'return', the result, "
		   "in a comparison");
	is_prototype("int join(long t, void **retval)", "join(retval == NULL)",
		     "int f(long t, void **retval)");
}

/* By value a type has to be known; what is pointed to need not be. */
static void test_unknown_types(void)
{
	is_prototype("int f(int n)", "f(sizet n)",
		     "'f(sizet n)': column 3: expected a type that is known, not 'sizet': did you "
		     "mean 'size_t'?");
	is_prototype(NULL, "API struct x *f(const Own o)",
		     "'API struct x *f(const Own o)': column 23: expected a type that is known, "
		     "not 'Own': "
		     "write the type that it means, such as int or void *");
	is_prototype(NULL, "f(int a, struct foo s)",
		     "'f(int a, struct foo s)': column 10: expected a type that is known, not "
		     "'struct foo': "
		     "its members are not; define them: struct foo { ... }");
	is_prototype(NULL, "API bol f(int n)",
		     "'API bol f(int n)': column 5: expected a type that is known, not 'bol': did "
		     "you mean 'bool'?");
	is_prototype(NULL, "f(int n) -> Own",
		     "'f(int n) -> Own': column 13: expected a type that is known, not 'Own': "
		     "write the type that it means, such as int or void *");
	is_prototype(NULL,
		     "SQLITE_API int f(sqlite3 *db, Own **o, Own v[], struct foo *s, enum color c)",
		     "int f(sqlite3 *db, Own **o, Own *v, struct foo *s, enum color c)");
	is_prototype("void f(struct foo s)", "f(struct foo s)", "void f(struct foo s)");
}

/* The last argN is where the convention has the Nth argument. */
static void test_numbers(void)
{
	struct planned t;

	CU_ASSERT_EQUAL_FATAL(plan_from(RT_ORIGIN_GUESSED, &t, "int f(int, int)", "f(arg2 > 11)"),
			      0);
	CU_ASSERT_EQUAL_FATAL(t.plan.ntests, 1);
	RT_ASSERT_TEXT(t.plan.values[t.plan.tests[0].value].reg.tracefs, "si");
	CU_ASSERT_EQUAL(t.shown.n, 2);
	forget(&t);
	CU_ASSERT_EQUAL_FATAL(plan_of(&t, NULL, "f(arg4, arg2)"), 0);
	CU_ASSERT_EQUAL_FATAL(t.shown.n, 2);
	RT_ASSERT_TEXT(t.plan.values[t.shown.v[0].pieces[0].value].reg.tracefs, "cx");
	RT_ASSERT_TEXT(t.plan.values[t.shown.v[1].pieces[0].value].reg.tracefs, "si");
	forget(&t);
}

static void test_prototypes(void)
{
	is_prototype("long f(long n, char *s)", "f(s)", "long f(long n, char *s)");
	is_prototype("long f(long n, char *s)", "f(s) -> hex unsigned errno",
		     "hex unsigned int f(long n, char *s) errno");
	is_prototype("long f(long n, char *s)", "f(int a)", "long f(int a)");
	is_prototype("long f(long n, char *s)", "f(x)",
		     "'f(x)': column 3: expected the name of a parameter, of which there are n, s");
	is_prototype(
		"int f(long n)", "f(n, y > 2)",
		"'f(n, y > 2)': column 6: expected the name of a parameter, of which there is n");
	is_prototype(NULL, "f(p->x)",
		     "'f(p->x)': column 3: expected a parameter of known type; declare "
		     "'p' before");
}

/* The last value read: base register, offsets, size; 's' for a string. */
static void is_value(const char *known, const char *text, const char *want)
{
	const struct rt_fetch *f;
	char buf[128] = "";
	struct planned t;
	size_t at = 0;
	unsigned i;

	if (plan_of(&t, known, text) < 0) {
		RT_ASSERT_TEXT(t.err.text, want);
		forget(&t);
		return;
	}
	CU_ASSERT_FATAL(t.shown.n > 0 && t.shown.v[t.shown.n - 1].npieces > 0);
	f = &t.plan.values[t.shown.v[t.shown.n - 1].pieces[0].value];
	for (i = f->nderef; i-- > 0;)
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "+%d(", (int)f->deref[i]);
	at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s", f->reg.tracefs);
	for (i = 0; i < f->nderef; i++)
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, ")");
	snprintf(buf + at, sizeof(buf) - at, ":%u%s", f->type == RT_TYPE_INT ? f->size : f->max,
		 f->is_signed ? "s" : "");
	RT_ASSERT_TEXT(buf, want);
	forget(&t);
}

static void reads(const char *text, const char *want)
{
	is_value("int f(" NODE ")", text, want);
}

static void test_expressions(void)
{
	reads("f(n)", "si:4s");
	reads("f(p->id)", "+0(di):4s");
	reads("f(p->next->next->id)", "+0(+8(+8(di))):4s");
	reads("f(p->in.high)", "+26(di):2s");
	reads("f(p->v[2])", "+40(di):4s");
	reads("f(*p->v)", "+32(di):4s");
	reads("f(p[1].id)", "+56(di):4s");
	reads("f(p->b)", "+28(di):1");
	reads("f(path[3])", "+3(dx):1s");
	reads("f(*p)", "+0(di):52");
	reads("f(p->next->next->next->next->id)",
	      "'f(p->next->next->next->next->id)': column 30: expected at most 4 memory reads one "
	      "after another");
	reads("f(p->none)",
	      "'f(p->none)': column 6: expected a member of struct node, which has no 'none'");
	/* A pointer to arrays leads from one array to the next; int m[2][3] is one. */
	is_value("int f(int (*m)[3])", "f(m[1][2])", "+20(di):4s");
	is_value("int f(int m[2][3])", "f(m[1][2])", "+20(di):4s");
	is_value("int f(int m[2][3])", "f(m[1])", "+12(di):12");
	is_value("int f(int m[3])", "f(*m)", "+0(di):4s");
	reads("f(n->id)", "'f(n->id)': column 6: expected a pointer before this, not int");
	reads("f(p->v[4])", "'f(p->v[4])': column 7: expected an index below 4");
	reads("f(p->b.x)", "'f(p->b.x)': column 8: expected nothing behind a bit-field");
	reads("f(x.y)",
	      "'f(x.y)': column 3: expected an argument that can be read: 'x' is <in xmm0>");
}

/* Only what is asked for is shown, in that order; what was declared always is. */
static void test_order(void)
{
	struct planned t;

	CU_ASSERT_EQUAL_FATAL(plan_of(&t, "int f(" NODE ")", "f(path, p->id, hex n)"), 0);
	CU_ASSERT_EQUAL_FATAL(t.shown.n, 3);
	RT_ASSERT_TEXT(t.shown.v[0].name, "path");
	CU_ASSERT_EQUAL(t.shown.v[0].nfollows, 1);
	RT_ASSERT_TEXT(t.shown.v[1].name, "p->id");
	CU_ASSERT_EQUAL(t.shown.v[2].style, RT_STYLE_HEX);
	forget(&t);
	CU_ASSERT_EQUAL_FATAL(plan_of(&t, NULL, "f(int *v, int n, v[1])"), 0);
	CU_ASSERT_EQUAL_FATAL(t.shown.n, 3);
	RT_ASSERT_TEXT(t.shown.v[2].name, "v[1]");
	forget(&t);
}

static void compares(const char *text, unsigned n, enum rt_test_op op, uint64_t constant,
		     bool is_signed)
{
	struct planned t;

	if (plan_of(&t, "int f(" NODE ")", text) < 0) {
		printf("%s\n", t.err.text);
		CU_FAIL("refused");
	} else {
		CU_ASSERT_EQUAL(t.plan.ntests, n);
		CU_ASSERT_EQUAL(t.plan.tests[n - 1].op, op);
		CU_ASSERT_EQUAL(t.plan.tests[n - 1].constant, constant);
		CU_ASSERT_EQUAL(t.plan.tests[n - 1].is_signed, is_signed);
		CU_ASSERT(t.plan.tests[n - 1].value < t.plan.nvalues);
		CU_ASSERT_EQUAL(t.shown.n, 4);
	}
	forget(&t);
}

static void refuses(const char *text, const char *want)
{
	struct planned t;

	CU_ASSERT_EQUAL(plan_of(&t, "int f(" NODE ")", text), -EINVAL);
	RT_ASSERT_TEXT(t.err.text, want);
	forget(&t);
}

static void test_conditions(void)
{
	struct planned t;

	compares("f(n > 3)", 1, RT_TEST_GT, 3, true);
	compares("f(n == -1)", 1, RT_TEST_EQ, UINT64_MAX, true);
	compares("f(p->next == NULL)", 1, RT_TEST_EQ, 0, false);
	compares("f(n != 2 && p->color == GREEN)", 2, RT_TEST_EQ, 5, false);
	compares("f(p->in.low & 0x10)", 1, RT_TEST_AND, 16, true);
	compares("f(path == NULL)", 1, RT_TEST_EQ, 0, false);
	refuses("f(p->color == BLUE)",
		"'f(p->color == BLUE)': column 15: expected a number, or a name that this has");
	refuses("f(n == \"x\")",
		"'f(n == \"x\")': column 3: expected a pointer to text, which int is not");
	refuses("f(*p == 2)",
		"'f(*p == 2)': column 4: expected a number or a pointer, which struct node is not");
	/* The three bits of `a` and the five of `b` are in the four bytes behind `in`. */
	CU_ASSERT_EQUAL_FATAL(plan_of(&t, "int f(" NODE ")", "f(p->b == 2 || p->a != 7)"), 0);
	CU_ASSERT_EQUAL_FATAL(t.plan.ntests, 2);
	CU_ASSERT(t.plan.tests[0].bit == 3 && t.plan.tests[0].bits == 5 &&
		  t.plan.tests[0].join == RT_TEST_ALSO);
	CU_ASSERT(t.plan.tests[1].bit == 0 && t.plan.tests[1].bits == 3 &&
		  t.plan.tests[1].join == RT_TEST_ELSE);
	CU_ASSERT_EQUAL(t.plan.tests[0].value, t.plan.tests[1].value);
	CU_ASSERT_EQUAL(t.plan.values[t.plan.tests[0].value].size, 4);
	forget(&t);
	/* An argument that is read already is not read twice. */
	CU_ASSERT_EQUAL_FATAL(
		plan_of(&t, "int f(int a, long b)", "f(a > 3 && a < 9 && b != 4)"), 0);
	CU_ASSERT_EQUAL(t.plan.nvalues, 2);
	CU_ASSERT_EQUAL(t.plan.ntests, 3);
	forget(&t);
}

/* The tests of the return, as text. */
static void ends(const char *known, const char *text, const char *want)
{
	static const char *const joins[] = { ", ", " and ", " or " };
	const struct rt_limits usual = { .string = 64, .members = 16,
					 .record = RT_LIMIT_RECORD,
					 .errno_source = RT_ERRNO_OFFSET, .errno_offset = -80 };
	char buf[512];
	struct planned t;
	FILE *file = fmemopen(buf, sizeof(buf), "w");
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL_FATAL(plan_of(&t, known, text), 0);
	if (rt_lower_return(t.prototype, &t.spec, &rt_arch_x86_64, &usual, t.types, &t.plan,
			    &t.shown, &t.err) < 0) {
		fprintf(file, "%s", t.err.text);
		t.plan.ntests = 0;
	}
	for (i = 0; i < t.plan.ntests; i++) {
		const struct rt_test *test = &t.plan.tests[i];
		const struct rt_fetch *f = &t.plan.values[test->of_time ? 0 : test->value];

		fputs(i || test->join ? joins[test->join] : "", file);
		if (test->of_time)
			fprintf(file, "ns op%d %lld", (int)test->op, (long long)test->constant);
		else
			fprintf(file, "%s%s%d op%d %lld",
				f->base == RT_BASE_THREAD ? "errno" : f->reg.tracefs,
				f->nderef ? "->" : "", f->is_signed ? -f->size : f->size,
				(int)test->op, (long long)test->constant);
	}
	fclose(file);
	RT_ASSERT_TEXT(buf, want);
	forget(&t);
}

static void test_ends(void)
{
	ends("int f(int n)", "f(return < 0)", "ax-4 op2 0");
	ends("unsigned char f(int n)", "f(n == 3 && return != 2)", "ax1 op1 2");
	ends("char *f(int n)", "f(return == NULL, n > 1, time >= 2us)", "ax8 op0 0, ns op5 2000");
	ends("int f(int n)", "f(return < 0 && time > 1s || return == 7)",
	     "ax-4 op2 0 and ns op4 1000000000 or ax-4 op0 7");
	ends("struct s {int a; int b;} *f(int n)", "f(return->b > 3)", "ax->-4 op4 3");
	ends("int f(int n)", "f(errno == ENOENT)", "errno->-4 op0 2");
	ends(NULL, "f(return < 0)", "ax-4 op2 0");
	ends("void f(int n)", "f(time > 1ns)", "ns op4 1");
	ends("void f(int n)", "f(return < 0)",
	     "'f(return < 0)': column 3: expected a function that returns one value");
	ends("double f(int n)", "f(return < 0)",
	     "'f(return < 0)': column 3: expected a result that can be read: 'return' is "
	     "<in xmm0>");
	ends("void f(int n)", "f(errno != 0)",
	     "'f(errno != 0)': column 3: expected a function that fails by -1 or NULL; "
	     "'f(...) -> int' gives its result");
	ends("int f(int n)", "f(return == 1 || return == 2 || return == 3 || return == 4, "
	     "time > 1s, time > 2s, time > 3s, time > 4s, time > 5s)",
	     "'f(return == 1 || return == 2 || return == 3 || return == 4, time > 1s, time > 2s, "
	     "time > 3s, time > 4s, time > 5s)': column 105: expected at most 8 conditions");
}

/* One string in a record: its length with the NUL, then its bytes. */
static bool passes(const char *text, const char *value, int32_t len)
{
	uint8_t data[512] = { 0 };
	struct planned t;
	bool is;

	CU_ASSERT_EQUAL_FATAL(plan_of(&t, "int f(const char *s)", text), 0);
	CU_ASSERT_EQUAL_FATAL(t.plan.ntests, 1);
	CU_ASSERT_EQUAL_FATAL(t.plan.values[t.plan.tests[0].value].type, RT_TYPE_STRING);
	memcpy(data + rt_plan_offset(&t.plan, t.plan.tests[0].value), &len, sizeof(len));
	memcpy(data + rt_plan_offset(&t.plan, t.plan.tests[0].value) + sizeof(len), value,
	       strlen(value) + 1);
	is = rt_plan_passes(&t.plan, data, 0);
	CU_ASSERT(!rt_plan_passes(&t.plan, data, UINT32_MAX));
	forget(&t);
	return is;
}

/*
 * A text and its length, as Go and Rust have them: is `len` bytes of `value` what the condition
 * wants?  -1: it is refused.
 */
static int passes_counted(const char *text, const char *value, int64_t len)
{
	struct rt_param param = { .name = "s", .type = &t_text };
	struct rt_prototype p = {
		.origin = RT_ORIGIN_DWARF, .result = &t_void, .params = &param, .nparams = 1
	};
	struct rt_types *types = rt_types_new();
	uint8_t data[512] = { 0 };
	struct rt_showing shown;
	struct rt_spec spec;
	struct rt_plan plan;
	struct rt_error err;
	unsigned i;
	int r;

	CU_ASSERT_EQUAL_FATAL(rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err), 0);
	r = rt_lower_entry(&p, &spec, &rt_arch_x86_64, &limits, types, &plan, &shown, &err);
	CU_ASSERT(r == 0 || r == -EINVAL);
	for (i = 0; r == 0 && i < plan.ntests; i++) {
		const struct rt_fetch *f = &plan.values[plan.tests[i].value];
		uint8_t *at = data + rt_plan_offset(&plan, plan.tests[i].value);

		CU_ASSERT_EQUAL_FATAL(f->type, RT_TYPE_INT);
		if (f->nderef)
			memcpy(at, value + f->deref[0], f->size);
		else
			memcpy(at, &len, sizeof(len));
	}
	r = r < 0 ? -1 : rt_plan_passes(&plan, data, 0);
	rt_spec_free(&spec);
	rt_types_free(types);
	return r;
}

static void test_counted(void)
{
	static const char text[64] = "/api/v1/users?id";

	CU_ASSERT_EQUAL(passes_counted("f(s == \"/api/v1/users\")", text, 13), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s == \"/api/v1/users\")", text, 14), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s == \"/api/v1/user_\")", text, 13), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s ^= \"/api/v1\")", text, 16), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s ^= \"/api/v1\")", text, 6), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s ^= \"/api/v2\")", text, 16), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s == \"\")", text, 0), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s == \"\")", text, -1), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s != \"/api\")", text, 4), 0);
	CU_ASSERT_EQUAL(passes_counted("f(s != \"/api\")", text, 5), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s != \"/apx\")", text, 4), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s == \"x\" || s ^= \"/a\")", text, 4), 1);
	CU_ASSERT_EQUAL(passes_counted("f(s != \"x\" && s ^= \"/a\")", text, 4), -1);
	CU_ASSERT_EQUAL(
		passes_counted(
			"f(s == "
			"\"0123456701234567012345670123456701234567012345670123456701234567\")",
			text, 64),
		-1);
}

static void test_strings(void)
{
	CU_ASSERT(passes("f(s == \"abc\")", "abc", 4));
	CU_ASSERT(!passes("f(s == \"abc\")", "abcd", 5));
	CU_ASSERT(!passes("f(s == \"abc\")", "ab", 3));
	CU_ASSERT(!passes("f(s == \"abc\")", "abc", -14));
	CU_ASSERT(passes("f(s == \"\")", "", 1));
	CU_ASSERT(passes("f(s ^= \"abc\")", "abc", 4) && passes("f(s ^= \"abc\")", "abcd", 5) &&
		  passes("f(s ^= \"\")", "", 1));
	CU_ASSERT(!passes("f(s ^= \"abc\")", "ab", 3) && !passes("f(s ^= \"abc\")", "abd", 4) &&
		  !passes("f(s ^= \"\")", "", -14));
	CU_ASSERT(passes("f(s != \"abc\")", "abd", 4));
	CU_ASSERT(!passes("f(s != \"abc\")", "abc", 4));
	CU_ASSERT(!passes("f(s != \"abc\")", "x", -14));
}

static void test_words(void)
{
	struct rt_error err = { 0 };
	struct rt_types *types = rt_types_new();
	struct rt_showing shown;
	struct rt_plan plan;
	struct rt_spec spec;
	static const char *const printed[] = {
		"c=$comm:string",   "i=\\-5:s32",	    "a=@0x4040:u32", "b=+8(@0x4040):u16",
		"s=@0x5000:string", "p=+0(@0x5000):string", "$arg2:s32",     "$arg7:u64",
		"t=%di:b3@4/8",	    "v=@0x6000:x32[4]",
	};
	const struct rt_bpf_program program = {
		.plan = &plan,
		.pids = RT_PID(7),
		.key_source = RT_KEY_COOKIE,
		.read_user = true,
		.slots = 16384,
		.transport = RT_TRANSPORT_RINGBUF,
	};
	struct rt_definition d = { .group = "g", .event = "e", .path = "p" };
	char line[RT_DEFINITION_MAX], *text;
	size_t size;
	FILE *file;
	unsigned i;

	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("f n=%di:s32 $stack2:x64 s=+0(+8(%bx)):string "
					    "v=+4(%si):u16[3] r=$retval:u8",
					    &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	CU_ASSERT(rt_has_words(&spec, RT_KIND_ENTRY) && rt_has_words(&spec, RT_KIND_RETURN));
	CU_ASSERT_EQUAL_FATAL(
		rt_lower_words(&spec, RT_KIND_ENTRY, &rt_arch_x86_64, types, &plan, &shown, &err),
		0);
	CU_ASSERT_EQUAL_FATAL(plan.nvalues, 4);
	CU_ASSERT(plan.values[0].is_signed && plan.values[0].size == 4);
	CU_ASSERT(plan.values[1].base == RT_BASE_STACK && plan.values[1].offset == 16);
	CU_ASSERT(plan.values[2].type == RT_TYPE_STRING && plan.values[2].nderef == 1 &&
		  plan.values[2].deref[0] == 8);
	RT_ASSERT_TEXT(plan.values[2].reg.tracefs, "bx");
	CU_ASSERT(plan.values[3].type == RT_TYPE_BYTES && plan.values[3].max == 8 &&
		  plan.values[3].deref[0] == 4);
	CU_ASSERT_EQUAL(shown.n, 4);
	RT_ASSERT_TEXT(shown.v[2].name, "s");
	CU_ASSERT_EQUAL_FATAL(
		rt_lower_words(&spec, RT_KIND_RETURN, &rt_arch_x86_64, types, &plan, &shown, &err),
		0);
	CU_ASSERT(plan.nvalues == 1 && plan.values[0].size == 1);
	RT_ASSERT_TEXT(plan.values[0].reg.tracefs, "ax");
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(
		rt_spec_parse("f c=$comm i=\\-5:s32 a=@0x4040:u32 b=+8(@0x4040):u16 "
			      "s=@0x5000:string p=+0(@0x5000):string $arg2:s32 $arg7:u64 "
			      "t=%di:b3@4/8 v=@0x6000:x32[4]",
			      &rt_arch_x86_64, NULL, &spec, &err),
		0);
	CU_ASSERT_EQUAL_FATAL(
		rt_lower_words(&spec, RT_KIND_ENTRY, &rt_arch_x86_64, types, &plan, &shown, &err),
		0);
	d.plan = &plan;
	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	RT_ASSERT_TEXT(strstr(line, " v0="),
		       " v0=$comm:string v2=@0x4040:u32 v3=+8(@0x4040):u16 "
		       "p3_1=@0x4040:u64 v4=@0x5000:string v5=+0(@0x5000):string "
		       "v6=%si:s32 v7=+8(%sp):u64 v8=%di:u8 v9_0=@0x6000:u64 v9_8=@0x6008:u64 "
		       "f9=@0x6000:string");
	rt_golden_program("words.bpf", &program);
	for (i = 0; i < spec.nwords; i++) {
		file = open_memstream(&text, &size);
		rt_word_print(file, &spec.words[i]);
		fclose(file);
		RT_ASSERT_TEXT(text, printed[i]);
		free(text);
	}
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("f %w3", &rt_arch_aarch64, NULL, &spec, &err), 0);
	CU_ASSERT_EQUAL(
		rt_lower_words(&spec, RT_KIND_ENTRY, &rt_arch_aarch64, types, &plan, &shown, &err),
		-EINVAL);
	CU_ASSERT(strstr(err.text, "'f %w3': column 3: expected a register of aarch64, which '%w3' "
				   "is not: x0") == err.text);
	rt_spec_free(&spec);
	rt_types_free(types);
}

static void test_files(void)
{
	CU_ASSERT(rt_same_file("/usr/src/a/parse.c", "parse.c"));
	CU_ASSERT(rt_same_file("parse.c", "parse.c"));
	CU_ASSERT(rt_same_file("/usr/src/a/parse.c", "a/parse.c"));
	CU_ASSERT(!rt_same_file("/usr/src/a/xparse.c", "parse.c"));
	CU_ASSERT(!rt_same_file(NULL, "parse.c"));
}

CU_TestInfo rt_tests_spec_plans[] = {
	{ "prototypes from names", test_prototypes },
	{ "names that nothing tells", test_unknown_names },
	{ "types that nothing tells", test_unknown_types },
	{ "parameters by their number", test_numbers },
	{ "expressions", test_expressions },
	{ "what is shown, in order", test_order },
	{ "conditions", test_conditions },
	{ "conditions on the end of a call", test_ends },
	{ "strings that are compared", test_strings },
	{ "strings with a length that are compared", test_counted },
	{ "the kernel's words", test_words },
	{ "source files", test_files },
	CU_TEST_INFO_NULL,
};
