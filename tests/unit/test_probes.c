/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "lang/cursor.h"
#include "lang/print.h"
#include "lang/probes.h"
#include "unit.h"

static void prints(struct rt_probes *probes, const char *soname, const char *name, const char *want)
{
	const struct rt_prototype *prototype = rt_probes_prototype(probes, soname, name);
	char buf[512] = "none";
	FILE *file;

	if (prototype) {
		file = fmemopen(buf, sizeof(buf), "w");
		rt_prototype_print(file, prototype, name);
		fclose(file);
		CU_ASSERT_EQUAL(prototype->origin, RT_ORIGIN_LIBRARY);
	}
	RT_ASSERT_TEXT(buf, want);
}

static struct rt_probes *load(const char *text)
{
	struct rt_probes *probes = rt_probes_new(&rt_arch_x86_64);
	struct rt_error err = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(probes);
	if (rt_probes_add(probes, "test", text, strlen(text), &err)) {
		printf("%s\n", err.text);
		CU_FAIL("refused");
	}
	return probes;
}

static void test_statements(void)
{
	struct rt_probes *probes = load(
		"# a comment\n"
		"int plain(int n)	# another\n"
		"\n"
		"library liba.so.* libb.so.1\n"
		"typedef unsigned int id\n"
		"struct node { id id;	# of it\n"
		"	struct node *next; };\n"
		"id f(struct node *n,\n"
		"     const char *s) errno\n"
		"library libc.so.6\n"
		"char *f(int)\n"
		"open(path == \"#\\\"x\")\n");
	const struct rt_statement *v;
	size_t n;

	v = rt_probes_statements(probes, &n);
	CU_ASSERT_EQUAL_FATAL(n, 4);
	RT_ASSERT_TEXT(v[0].text, "int plain(int n)");
	RT_ASSERT_TEXT(v[0].name, "plain");
	CU_ASSERT_PTR_NULL(v[0].libraries);
	CU_ASSERT_EQUAL(v[0].line, 2);
	RT_ASSERT_TEXT(v[1].text, "id f(struct node *n,      const char *s) errno");
	RT_ASSERT_TEXT(v[1].libraries, "liba.so.* libb.so.1");
	CU_ASSERT_EQUAL(v[1].line, 8);
	CU_ASSERT_EQUAL(v[2].line, 11);
	RT_ASSERT_TEXT(v[3].text, "open(path == \"#\\\"x\")");
	prints(probes, "liba.so.3", "f", "id f(struct node *n, const char *s) errno");
	prints(probes, "libb.so.1", "f", "id f(struct node *n, const char *s) errno");
	prints(probes, "libc.so.6", "f", "char *f(int)");
	prints(probes, "libx.so.6", "f", "none");
	prints(probes, "liba.so.3", "plain", "none");
	prints(probes, "libc.so.6", "open", "none");
	prints(probes, NULL, "f", "none");
	rt_probes_free(probes);
}

/* A struct may be named before it is known, and point to itself. */
static void test_types(void)
{
	struct rt_probes *probes = load("library l\ntypedef struct later *handle\nstruct later { "
					"int a; struct later *next; }\n"
					"flags f {R=0/3, W=1/3, C=0100}\nf(handle h, flags f m)\n");
	const struct rt_prototype *p = rt_probes_prototype(probes, "l", "f");
	const struct rt_ctype *type;

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	type = p->params[0].type->target;
	CU_ASSERT_EQUAL(type->kind, RT_CT_STRUCT);
	CU_ASSERT_EQUAL(type->nmembers, 2);
	CU_ASSERT_PTR_EQUAL(type->members[1].type->target, type);
	type = p->params[1].type;
	CU_ASSERT(type->is_flags && type->nvalues == 3);
	CU_ASSERT_EQUAL(type->values[1].mask, 3);
	CU_ASSERT_EQUAL(type->values[2].mask, 0);
	rt_probes_free(probes);
}

static void test_machines(void)
{
	struct rt_probes *probes = load("library l\nmachine i386 aarch64\nint f(int a)\nmachine "
					"x86-64\nint f(int b)\nmachine any\nint g(int c)\n");

	prints(probes, "l", "f", "int f(int b)");
	prints(probes, "l", "g", "int g(int c)");
	rt_probes_free(probes);
}

static void test_mistakes(void)
{
	struct rt_probes *probes = rt_probes_new(&rt_arch_x86_64);
	static const char text[] = "int f(int)\n\ntypedef struct { foo x; } bar\n";
	struct rt_error err = { 0 };

	CU_ASSERT(rt_probes_add(probes, "some/file", text, strlen(text), &err) < 0);
	RT_ASSERT_TEXT(err.text, "some/file:3: 'typedef struct { foo x; } bar': column 22: "
				 "expected a type of known size before a "
				 "member, not foo");
	CU_ASSERT(rt_probes_load(probes, "nothing of that name", &err) < 0);
	CU_ASSERT(strstr(err.text, "there are: go, jvm, libc") != NULL);
	rt_probes_free(probes);
}

/* Every line that ships is one that can be used, on every machine. */
static void test_shipped(void)
{
	const struct rt_statement *v;
	struct rt_probes *probes;
	struct rt_error err;
	struct rt_spec spec;
	const struct rt_arch *arch;
	unsigned k;
	size_t i, n;

	for (k = 0; (arch = rt_arch_at(k)); k++) {
		probes = rt_probes_new(arch);
		CU_ASSERT_EQUAL_FATAL(rt_probes_load_all(probes, &err), 0);
		v = rt_probes_statements(probes, &n);
		CU_ASSERT(n > 600);
		for (i = 0; i < n; i++) {
			if (rt_spec_parse(v[i].text, arch, rt_probes_scope(probes), &spec, &err)) {
				printf("%s:%u: %s\n", v[i].file, v[i].line, err.text);
				CU_FAIL("refused");
				continue;
			}
			CU_ASSERT(spec.params_given || !v[i].libraries || spec.provider);
			CU_ASSERT(spec.result_given || spec.provider);
			if (v[i].libraries && *v[i].name)
				RT_ASSERT_TEXT(v[i].name, spec.function);
			rt_spec_free(&spec);
		}
		prints(probes, "libc.so.6", "close", "int close(fd int fd) errno");
		prints(probes, "libz.so.1", "zError", "const char *zError(enum zresult error)");
		rt_probes_free(probes);
	}
}

static bool is_one(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "one") == 0;
}

/* requires: of a program that has one() alone. */
static void test_requires(void)
{
	static const struct {
		const char *text;
		bool met;
	} v[] = {
		{ "int f(int)", true },
		{ "requires one\nint f(int)", true },
		{ "requires two\nint f(int)", false },
		{ "requires !two one\nint f(int)", true },
		{ "requires one !one\nint f(int)", false },
		{ "requires two\nrequires any\nint f(int)", true },
	};
	const struct rt_statement *statement;
	struct rt_probes *probes;
	struct rt_error err;
	size_t i, n;

	for (i = 0; i < RT_COUNT(v); i++) {
		probes = rt_probes_new(&rt_arch_x86_64);
		CU_ASSERT_EQUAL(rt_probes_add(probes, "f", v[i].text, strlen(v[i].text), &err), 0);
		statement = rt_probes_statements(probes, &n);
		CU_ASSERT_EQUAL_FATAL(n, 1);
		CU_ASSERT_EQUAL(rt_statement_is_met(statement, is_one, NULL), v[i].met);
		rt_probes_free(probes);
	}
}

/* A pointer with the number of its elements, or their end, beside it. */
static void test_counted(void)
{
	static const struct {
		const char *text;
		bool good;
		uint16_t pointer, length;
		bool by_end;
	} v[] = {
		{ "struct s { const char at[n]; long n; }", true, 0, 8, false },
		{ "struct s { size_t n; const int at[n]; }", true, 8, 0, false },
		{ "struct s { const char at[end]; const char *end; }", true, 0, 8, true },
		{ "struct s { const char at[n]; int n; }", false, 0, 0, false },
		{ "struct s { const char at[m]; long n; }", false, 0, 0, false },
		{ "struct s { const char at[at]; long n; }", false, 0, 0, false },
		{ "struct s { const char at[n]; }", false, 0, 0, false },
		{ "struct s { const char at[n]; long n; int more; }", false, 0, 0, false },
		{ "struct s { const char a[n], b[n]; long n; }", false, 0, 0, false },
		{ "union s { const char at[n]; long n; }", false, 0, 0, false },
		{ "struct s { const char at[n]; long n:3; }", false, 0, 0, false },
	};
	const struct rt_ctype *type;
	struct rt_probes *probes;
	struct rt_error err;
	size_t i;
	int r;

	for (i = 0; i < RT_COUNT(v); i++) {
		probes = rt_probes_new(&rt_arch_x86_64);
		r = rt_probes_add(probes, "f", v[i].text, strlen(v[i].text), &err);
		CU_ASSERT_EQUAL(r == 0, v[i].good);
		type = rt_scope_find(rt_probes_scope(probes), "struct s", 8);
		if (r == 0 && v[i].good) {
			CU_ASSERT_PTR_NOT_NULL_FATAL(type);
			CU_ASSERT_PTR_NOT_NULL(type->sequence.element);
			CU_ASSERT_EQUAL(type->sequence.pointer, v[i].pointer);
			CU_ASSERT_EQUAL(type->sequence.length, v[i].length);
			CU_ASSERT_EQUAL(type->sequence.by_end, v[i].by_end);
		}
		rt_probes_free(probes);
	}
}

/* Built-in probes are shortened: their statements are those of the files. */
static void test_shortened(void)
{
	struct rt_probes *built = rt_probes_new(&rt_arch_x86_64),
			 *read = rt_probes_new(&rt_arch_x86_64);
	const struct rt_statement *a, *b;
	struct rt_error err;
	char path[512];
	size_t i, n, m;

	for (i = 0; rt_embedded[i].name; i++) {
		snprintf(path, sizeof(path), RT_GOLDEN_DIR "/../../../probes/%s",
			 rt_embedded[i].name);
		CU_ASSERT_EQUAL_FATAL(rt_probes_load(read, path, &err), 0);
	}
	CU_ASSERT_EQUAL_FATAL(rt_probes_load_all(built, &err), 0);
	a = rt_probes_statements(built, &n);
	b = rt_probes_statements(read, &m);
	CU_ASSERT_EQUAL_FATAL(n, m);
	for (i = 0; i < n; i++)
		RT_ASSERT_TEXT(a[i].text, b[i].text);
	rt_probes_free(built);
	rt_probes_free(read);
}

CU_TestInfo rt_tests_probes[] = {
	{ "statements of a file", test_statements },
	{ "types of a file", test_types },
	{ "machines", test_machines },
	{ "mistakes in a file", test_mistakes },
	{ "what ships", test_shipped },
	{ "what ships is what the files say", test_shortened },
	{ "requires: a version of a program", test_requires },
	{ "text with its length or its end beside it", test_counted },
	CU_TEST_INFO_NULL,
};
