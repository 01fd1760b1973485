/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang/print.h"
#include "lang/spec.h"
#include "unit.h"

static void parses(const char *text, const char *lib, const char *function, bool glob,
		   unsigned nargs)
{
	struct rt_spec spec;
	struct rt_error err;

	if (rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err)) {
		printf("%s: %s\n", text, err.text);
		CU_FAIL("refused");
		return;
	}
	RT_ASSERT_TEXT(spec.text, text);
	RT_ASSERT_TEXT(spec.function, function);
	CU_ASSERT_EQUAL(!spec.lib, !lib);
	if (lib)
		RT_ASSERT_TEXT(spec.lib, lib);
	CU_ASSERT_EQUAL(spec.glob, glob);
	CU_ASSERT_EQUAL(spec.nargs, nargs);
	rt_spec_free(&spec);
	CU_ASSERT_PTR_NULL(spec.function);
}

static void refuses(const char *text, const char *want)
{
	struct rt_spec spec;
	struct rt_error err = { 0 };

	CU_ASSERT_EQUAL(rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err), -EINVAL);
	CU_ASSERT_EQUAL(err.status, RT_EXIT_USAGE);
	RT_ASSERT_TEXT(err.text, want);
}

static void test_names(void)
{
	parses("fib", NULL, "fib", false, 1);
	parses("libm.so.6:cos", "libm.so.6", "cos", false, 1);
	parses("main.(*T).String", NULL, "main.(*T).String", false, 1);
	parses("net/http.(*Client).Do", NULL, "net/http.(*Client).Do", false, 1);
	parses("main.F[...]", NULL, "main.F[...]", false, 1);
	parses("main.(*T).*", NULL, "main.(*T).*", true, 1);
	parses("Foo::operator*", NULL, "Foo::operator*", false, 1);
	parses("Foo::operator()(int)", NULL, "Foo::operator()(int)", false, 1);
	parses("operator new", NULL, "operator new", false, 1);
	parses("<alloc::vec::Vec<T> as core::ops::Drop>::drop", NULL,
	       "<alloc::vec::Vec<T> as core::ops::Drop>::drop", false, 1);
	parses("memcpy@GLIBC_2.14", NULL, "memcpy@GLIBC_2.14", false, 1);
	parses("  fib  ", NULL, "fib", false, 1);
	parses("str*", NULL, "str*", true, 1);
	parses("a?c", NULL, "a?c", true, 1);
	parses("[a-c]x", NULL, "[a-c]x", true, 1);
	parses("libc:mem*:3", "libc", "mem*", true, 3);
}

static void test_nargs(void)
{
	parses("fib:0", NULL, "fib", false, 0);
	parses("fib:2", NULL, "fib", false, 2);
	parses("fib:32", NULL, "fib", false, 32);
	parses("libm:pow:2", "libm", "pow", false, 2);
	refuses("fib:33", "'fib:33': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:-1", "'fib:-1': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:3x", "'fib:3x': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:99999999999999999999",
		"'fib:99999999999999999999': column 5: expected the number of arguments, 0 to 32");
	refuses("libm:pow:x", "'libm:pow:x': column 10: expected the number of arguments: "
			      "LIBRARY:FUNCTION:NARGS");
}

static void test_double_colon(void)
{
	parses("ns::f", NULL, "ns::f", false, 1);
	parses("ns::f:2", NULL, "ns::f", false, 2);
	parses("a::b::c", NULL, "a::b::c", false, 1);
	parses("lib.so:ns::f:2", "lib.so", "ns::f", false, 2);
	parses("lib.so:::f", "lib.so", "::f", false, 1);
}

static void test_paths(void)
{
	parses("./a b.so:f", "./a b.so", "f", false, 1);
	parses("/x:y/l.so:f:3", "/x:y/l.so", "f", false, 3);
	parses("./a(b).so:f", "./a(b).so", "f", false, 1);
	parses("/usr/lib/x.so:f", "/usr/lib/x.so", "f", false, 1);
}

static void test_empty(void)
{
	refuses("", "'': column 1: expected the name of a function");
	refuses(":f", "':f': column 1: expected the name of a library before ':'");
	refuses("f:", "'f:': column 3: expected the name of a function or the number of arguments "
		      "after ':'");
	refuses(":2", "':2': column 1: expected the name of a function");
	refuses("l::2:", "'l::2:': column 6: expected the name of a function or the number of "
			 "arguments after ':'");
}

/* ---- what is shown ---- */

/* All that is in a specification but its place, as text. */
/* `want` is NULL where overloaded functions are not told apart. */
static void overloads(const char *text, const char *want, bool types_only)
{
	struct rt_spec spec;
	struct rt_error err;

	if (rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err)) {
		printf("%s: %s\n", text, err.text);
		CU_FAIL("refused");
		return;
	}
	RT_ASSERT_TEXT(spec.overload ? spec.overload : "(none)", want ? want : "(none)");
	CU_ASSERT_EQUAL(spec.types_only, types_only);
	rt_spec_free(&spec);
}

static void test_overloads(void)
{
	overloads("f(int)", "f(int)", true);
	overloads("f(const char *, int &)", "f(const char *, int &)", true);
	overloads("f(int (*)(int, long))", "f(int (*)(int, long))", true);
	overloads("int f(int a, const char *name)", "f(int, const char *)", false);
	overloads("lib.so:void f(void)", "f()", false);
	overloads("f(std::map<int, long> const&)", "f(std::map<int, long> const&)", true);
	overloads("ns::f(int)", "ns::f(int)", false);
	overloads("int ns::f(Own n)", "ns::f(Own)", false);
	overloads("Foo::operator()(int)", NULL, false);
	overloads("int f(char buf[16])", NULL, false);
	overloads("f(n)", NULL, false);
	overloads("f(int n, n > 3)", NULL, false);
	overloads("f", NULL, false);
}

static const char *shown(const char *text, const struct rt_arch *arch, char *buf, size_t size)
{
	FILE *file = fmemopen(buf, size, "w");
	struct rt_error err = { 0 };
	struct rt_spec spec;
	unsigned i;

	buf[0] = '\0';
	if (!file)
		return "no memory";
	if (rt_spec_parse(text, arch, NULL, &spec, &err)) {
		fprintf(file, "%s", err.text);
		fclose(file);
		return buf;
	}
	if (spec.prototype && spec.params_given)
		rt_prototype_print(file, spec.prototype, spec.function);
	else
		fprintf(file, "%s", spec.function);
	if (spec.prototype && !spec.params_given) {
		fputs(" -> ", file);
		rt_ctype_print(file, spec.prototype->result, NULL);
		fputs(spec.prototype->sets_errno ? " errno" : "", file);
	}
	for (i = 0; i < spec.nshown; i++) {
		fputs("; ", file);
		if (spec.shown[i].style)
			fprintf(file, "style %d ", (int)spec.shown[i].style);
		rt_expr_print(file, &spec.shown[i].expr);
	}
	for (i = 0; i < spec.nconditions; i++) {
		fputs("; if ", file);
		rt_condition_print(file, &spec.conditions[i]);
	}
	for (i = 0; i < spec.nwords; i++) {
		fputs("; ", file);
		rt_word_print(file, &spec.words[i]);
	}
	fclose(file);
	rt_spec_free(&spec);
	return buf;
}

static void shows(const char *text, const char *want)
{
	char buf[1024];

	RT_ASSERT_TEXT(shown(text, &rt_arch_x86_64, buf, sizeof(buf)), want);
}

static void test_prototypes(void)
{
	shows("robj *createStringObject(const char *ptr, size_t len)",
	      "robj *createStringObject(const char *ptr, size_t len)");
	shows("int fib(int)", "int fib(int)");
	shows("int fib(int n);", "int fib(int n)");
	shows("void f(void)", "void f()");
	shows("f()", "? f()");
	shows("extern void *malloc (size_t __size) __attribute__ ((__nothrow__ , __leaf__)) "
	      "__attribute__ ((__malloc__));",
	      "void *malloc(size_t __size)");
	shows("__attribute__((noinline)) static inline unsigned long long f(register short a, long "
	      "b[], char const *const *argv)",
	      "unsigned long long f(short a, long *b, const char *const *argv)");
	shows("int printf(const char *restrict format, ...)",
	      "int printf(const char *format, ...)");
	shows("void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const "
	      "void *))",
	      "void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const "
	      "void *))");
	shows("void (*signal(int sig, void (*func)(int)))(int)",
	      "void (*signal(int sig, void (*func)(int)))(int)");
	shows("LUA_API int (lua_gettop) (lua_State *L)", "int lua_gettop(lua_State *L)");
	shows("ZEXTERN int ZEXPORT inflate OF((z_streamp strm, int flush));",
	      "'ZEXTERN int ZEXPORT inflate OF((z_streamp strm, int flush));'"
	      ": column 32: expected a parameter: a type and a name, a name, or ')'");
	shows("ZEXTERN int ZEXPORT inflate(z_streamp strm, int flush);",
	      "int inflate(z_streamp strm, int flush)");
	shows("extern char *strcpy (char *__restrict __dest, const char *__restrict __src) __THROW "
	      "__nonnull ((1, 2));",
	      "char *strcpy(char *__dest, const char *__src)");
	shows("struct request *next(struct request *r, enum kind k)",
	      "struct request *next(struct request *r, enum kind k)");
	shows("unsigned f(unsigned char c, signed char d, char e, bool b, float x, double y, long "
	      "double z)",
	      "unsigned int f(unsigned char c, signed char d, char e, bool b, float x, double y, "
	      "long double z)");
	shows("int main(int argc, char *argv[], char **envp)",
	      "int main(int argc, char **argv, char **envp)");
	shows("void f(int v[4], int m[2][3], int (*p)[5])",
	      "void f(int (*v)[4], int (*m)[2][3], int (*p)[5])");
	shows("const char *FAR_AWAY f(const char FAR *p)", "const char *f(const char *p)");
	shows("void ns::Foo::bar(const std::string &s, Foo &&f)",
	      "void ns::Foo::bar(const std::string &s, Foo &f)");
	shows("std::vector<int> ns::f(int n)", "std::vector<int> ns::f(int n)");
	shows("str*(const char *s)", "? str*(const char *s)");
	shows("double complex f(double complex z, float complex, int complex, complex long double "
	      "*p)",
	      "double _Complex f(double _Complex z, float _Complex, int complex, long double "
	      "_Complex *p)");
	shows("int f(z_const char *p, CURL *c, IN short s, char FAR *q, uint n, floats x, double "
	      "cost, int cahr)",
	      "int f(char *p, CURL *c, short s, char *q, uint n, floats x, double cost, int cahr)");
	shows("long unsigned int long f(double long x, char unsigned c, short int unsigned s, long "
	      "int long n)",
	      "unsigned long long f(long double x, unsigned char c, unsigned short s, long long "
	      "n)");
	shows("void f(const int (*a)[3], const char *const v[], char *const *w, const char "
	      "*(*g(int))[4], int (*const h)(const void *))",
	      "void f(const int (*a)[3], const char *const *v, char *const *w, const char "
	      "*(*(*g)(int))[4], int (*h)(const void *))");
	shows("int pipe(int fd[2]) errno", "int pipe(int (*fd)[2]) errno");
}

static void test_partial(void)
{
	shows("fib(int n)", "? fib(int n)");
	shows("fib(n)", "fib; n");
	shows("fib(int n) -> int", "int fib(int n)");
	shows("fib(int n) -> unsigned long total", "unsigned long fib(int n)");
	shows("fib(n) -> hex unsigned", "fib -> hex unsigned int; n");
	shows("open(path) -> fd int errno", "open -> fd int errno; path");
	shows("getenv(string name) -> string", "string char *getenv(string char *name)");
	shows("f(p->next->id, s.fd, *q, v[2], **r)", "f; p->next->id; s.fd; *q; v[2]; **r");
	shows("f(struct foo *p, p->id, *p->next->name)",
	      "? f(struct foo *p); p->id; *p->next->name");
	shows("f(hex x, oct mode, dec y)", "f; style 2 x; style 3 mode; style 1 y");
	shows("int f(int m[3], int (*mm)[3], m[1], mm[1][2], m)",
	      "int f(int (*m)[3], int (*mm)[3]); m[1]; mm[1][2]; m");
	shows("f(hex p->flags)", "f; style 2 p->flags");
	shows("f(hex, out)", "f; hex; out");
	shows("chmod(string path, oct mode_t mode)", "? chmod(string char *path, oct mode_t mode)");
	shows("f(enum {A=1, B, C=0x10} x, flags {R=4, W=2, X} m)",
	      "? f(enum {A=1, B=2, C=16} x, flags {R=4, W=2, X=4} m)");
	shows("f(enum {A=1<<3, B=A|1, C=-1, D='x', E=~0, F=(2+3)} x)",
	      "? f(enum {A=8, B=9, C=-1, D=120, E=-1, F=5} x)");
	shows("enum {A, B=-2} f(enum {A, B=-2} x)", "enum {A=0, B=-2} f(enum {A=0, B=-2} x)");
	shows("f(enum color c, flags bits b)", "? f(enum color c, enum bits b)");
	shows("write(int fd, const char buf[len], size_t len)",
	      "? write(int fd, const char buf[len], size_t len)");
	shows("read(int fd, out char buf[len], size_t len)",
	      "? read(int fd, out char buf[len], size_t len)");
	shows("int f(out char buf[return <= n], size_t n) errno fails -1",
	      "int f(out char buf[return <= n], size_t n) errno fails -1");
	shows("int f(out string char buf[n], int n) fails !0",
	      "int f(out string char buf[n], int n) fails !0");
	shows("f(struct { int a; char b[4]; unsigned c:3, d:5; } *p)", "? f(struct *p)");
}

static void test_conditions(void)
{
	shows("fib(n > 3)", "fib; if n > 3");
	shows("fib(int n > 3)", "? fib(int n); if n > 3");
	shows("f(n == 3 && p->id != 7)", "f; if n == 3; if && p->id != 7");
	shows("f(n >= -1, m <= 0x10 && *q < 'a')", "f; if n >= -1; if m <= 16; if && *q < 97");
	shows("open(path == \"/etc/passwd\")", "open; if path == \"/etc/passwd\"");
	shows("open(const char *path != \"a)\\\"b\", flags & O_CREAT)",
	      "? open(const char *path); if path != \"a)\"b\"; if flags & O_CREAT");
	shows("f(n > 3 || m == 2 && k < 1, q ^= \"ab\" || q == 0)",
	      "f; if n > 3; if || m == 2; if && k < 1; if q ^= \"ab\"; if || q == 0");
	shows("f(p == NULL, b == true)", "f; if p == 0; if b == 1");
	shows("f(int n < 3, m)", "? f(int n); m; if n < 3");
	shows("f(n, n > 3)", "f; n; if n > 3");
}

/* Words that mean the end of a call. */
static void test_ends(void)
{
	shows("read(return < 0)", "read; if return < 0");
	shows("read(fd == 3 && return < 0)", "read; if fd == 3; if && return < 0");
	shows("int f(int n, return == NULL || return->id > 3)",
	      "int f(int n); if return == 0; if || return->id > 3");
	shows("f(return < 0 && n > 3)", "f; if return < 0; if && n > 3");
	shows("getenv(return ^= \"/\")", "getenv; if return ^= \"/\"");
	shows("query(time > 5ms, time<=1.5s)",
	      "query; if time > 5000000ns; if time <= 1500000000ns");
	shows("f(time >= 300ns || return != 0)", "f; if time >= 300ns; if || return != 0");
	shows("f(int time, time > 5)", "? f(int time); if time > 5");
	shows("open(errno == ENOENT || errno == 13)",
	      "open; if errno == ENOENT; if || errno == 13");
	shows("f(errno err)", "f; style 7 err");
	refuses("f(n > 5ms)",
		"'f(n > 5ms)': column 7: expected a number without a unit: only 'time' has one");
	refuses("f(time == 5ms)",
		"'f(time == 5ms)': column 11: expected 'time' with '<', '<=', '>' or '>='");
	refuses("f(errno == ENOENTRY)", "'f(errno == ENOENTRY)': column 12: expected the name of "
					"an error, such as ENOENT, or its number");
	refuses("f(return)", "'f(return)': column 9: expected a comparison behind 'return': == != "
			     "< <= > >= & ^=");
	refuses("f(n == 1 || return < 0)",
		"'f(n == 1 || return < 0)': column 13: expected '&&' between an argument and "
		"'return', which is known later: no '||'");
	refuses("f(time > 1s && n == 1 || time > 2s)",
		"'f(time > 1s && n == 1 || time > 2s)': column 16: expected '&&' between an "
		"argument and 'time', which is known later: no '||'");
	refuses("usdt:p:n(arg1 > 3, return < 0)", "'usdt:p:n(arg1 > 3, return < 0)': column 20: "
						  "expected an argument: a probe has no end");
}

static void test_words(void)
{
	shows("f n=%di:s32 s=+0(%si):string", "f; n=%di:s32; s=+0(%si):string");
	shows("f %di", "f; %di:x64");
	shows("libm.so:f $retval:u8", "f; $retval:u8");
	shows("f $stack $stack2:s16 +8(%si):x64 +u0(%di):u32",
	      "f; $stack:x64; $stack2:s16; +8(%si):x64; +0(%di):u32");
	shows("f a=-8(+16(%dx)):char", "f; a=-8(+16(%dx)):char");
	shows("f b=%cx:b4@8/32 v=+0(%di):x8[4]", "f; b=%cx:b4@8/32; v=+0(%di):x8[4]");
	shows("./a b.so:f n=%di:u64", "f; n=%di:u64");
	shows("/^f[0-9]/ n=%di:u64", "^f[0-9]; n=%di:u64");
}

/* The types are those of the conversions. */
static void test_formats(void)
{
	shows("f $arg1:u8", "f; $arg1:u8");
	shows("f \"%s\" arg1", "f; +0($arg1):string");
	shows("lib.so:f \"%d of %-5llu, %lx, %p: 5%%\", arg1, arg2,arg3 $arg4",
	      "f; $arg1:s32; $arg2:u64; $arg3:x64; $arg4:x64");
	shows("f \"%c %hx = %s\" arg2, arg1, retval",
	      "f; $arg2:char; $arg1:x32; +0($retval):string");
}

static void test_places(void)
{
	struct rt_error err;
	struct rt_spec spec;

	CU_ASSERT_EQUAL_FATAL(
		rt_spec_parse("lib.so:/^str(n?)cpy$/:2", &rt_arch_x86_64, NULL, &spec, &err), 0);
	RT_ASSERT_TEXT(spec.lib, "lib.so");
	CU_ASSERT(spec.regex && spec.glob && spec.nargs == 2);
	CU_ASSERT(rt_spec_regex(&spec, "strncpy") && !rt_spec_regex(&spec, "xstrcpy"));
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("/a\\/b/(int n)", &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	CU_ASSERT(spec.params_given && !spec.lib && rt_spec_regex(&spec, "xa/b"));
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("parse@file.c:2", &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	RT_ASSERT_TEXT(spec.file, "file.c");
	RT_ASSERT_TEXT(spec.function, "parse");
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("parse+0x10 n=%ax", &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	CU_ASSERT(spec.has_offset && spec.offset == 16 && spec.nwords == 1);
	RT_ASSERT_TEXT(spec.function, "parse");
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("lib.so:0x12F0:1", &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	CU_ASSERT(spec.has_address && spec.address == 0x12f0 && spec.nargs_given);
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("0x12f0", &rt_arch_x86_64, NULL, &spec, &err), 0);
	CU_ASSERT(spec.has_address && !spec.nargs_given);
	rt_spec_free(&spec);
}

/* `lib` NULL: none. */
static void probes(const char *text, const char *lib, const char *provider, const char *name,
		   bool glob)
{
	struct rt_error err = { 0 };
	struct rt_spec spec;

	if (rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err)) {
		printf("%s\n", err.text);
		CU_FAIL("refused");
		return;
	}
	CU_ASSERT(lib ? spec.lib && strcmp(spec.lib, lib) == 0 : !spec.lib);
	CU_ASSERT(provider ? spec.provider && strcmp(spec.provider, provider) == 0
			   : !spec.provider);
	CU_ASSERT_STRING_EQUAL(spec.function, name);
	CU_ASSERT_EQUAL(spec.glob, glob);
	rt_spec_free(&spec);
}

static void test_usdt(void)
{
	struct rt_error err;
	struct rt_spec spec;

	probes("usdt:toy:hit", NULL, "toy", "hit", false);
	probes("libtoy.so.1:usdt:toy:hit__me", "libtoy.so.1", "toy", "hit__me", false);
	probes("/a:b/libtoy.so:usdt:toy:hit", "/a:b/libtoy.so", "toy", "hit", false);
	probes("usdt:t*:hit", NULL, "t*", "hit", true);
	probes("usdt:toy:h?t", NULL, "toy", "h?t", true);
	probes("usdt:*", NULL, "*", "*", true);
	probes("usdt:toy:hit(int n, n > 3)", NULL, "toy", "hit", false);
	probes("usdt:toy:hit n=%di:s32", NULL, "toy", "hit", false);
	/* A library may have the name usdt; a class too. */
	probes("usdt:f", "usdt", NULL, "f", false);
	probes("usdt:f:3", "usdt", NULL, "f", false);
	probes("usdt::f", NULL, NULL, "usdt::f", false);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("usdt:toy:hit(const char s[n], int n, n > 3)",
					    &rt_arch_x86_64, NULL, &spec, &err),
			      0);
	CU_ASSERT(spec.params_given && spec.prototype->nparams == 2 && spec.nconditions == 1);
	CU_ASSERT_EQUAL(spec.prototype->params[0].length, 2);
	rt_spec_free(&spec);
}

static const struct rt_ctype *param_type(struct rt_spec *spec, const char *text,
					 const struct rt_arch *arch)
{
	struct rt_error err = { 0 };

	if (rt_spec_parse(text, arch, NULL, spec, &err)) {
		printf("%s\n", err.text);
		CU_FAIL_FATAL("refused");
	}
	return spec->prototype->params[0].type;
}

static void sized(const char *text, unsigned on_64, unsigned on_32)
{
	struct rt_spec spec;

	CU_ASSERT_EQUAL(param_type(&spec, text, &rt_arch_x86_64)->size, on_64);
	rt_spec_free(&spec);
	CU_ASSERT_EQUAL(param_type(&spec, text, &rt_arch_i386)->size, on_32);
	rt_spec_free(&spec);
}

static void test_sizes(void)
{
	const struct rt_ctype *type;
	struct rt_spec spec;

	sized("f(long n)", 8, 4);
	sized("f(long long n)", 8, 8);
	sized("f(char *p)", 8, 4);
	sized("f(size_t n)", 8, 4);
	sized("f(off_t n)", 8, 4);
	sized("f(int64_t n)", 8, 8);
	sized("f(long double x)", 16, 12);
	sized("f(struct { char c; long long n; } s)", 16, 12);
	sized("f(struct { char c; double x; char d; } s)", 24, 16);
	sized("f(struct { unsigned a:3, b:30; char c; } s)", 12, 12);
	sized("f(union { char c[5]; int i; } u)", 8, 8);
	type = param_type(
		&spec, "f(struct node { struct { int a, b; }; unsigned x:3, y:5; short v[3]; } s)",
		&rt_arch_x86_64);
	CU_ASSERT_EQUAL(type->nmembers, 4);
	CU_ASSERT_EQUAL(type->members[1].offset, 8);
	CU_ASSERT_EQUAL(type->members[2].bit_offset, 3);
	CU_ASSERT_EQUAL(type->members[2].bit_size, 5);
	CU_ASSERT_EQUAL(type->members[3].offset, 10);
	CU_ASSERT_EQUAL(type->size, 16);
	rt_spec_free(&spec);
	type = param_type(&spec, "f(char c)", &rt_arch_aarch64);
	CU_ASSERT(!type->is_signed && type->kind == RT_CT_CHAR);
	rt_spec_free(&spec);
	type = param_type(&spec, "f(mode_t m)", &rt_arch_x86_64);
	CU_ASSERT_EQUAL(type->style, RT_STYLE_OCT);
	rt_spec_free(&spec);
	type = param_type(&spec, "f(char buf[n], int n)", &rt_arch_x86_64);
	CU_ASSERT_EQUAL(spec.prototype->params[0].length, 2);
	CU_ASSERT_EQUAL(type->target->kind, RT_CT_CHAR);
	rt_spec_free(&spec);
}

/* The message is "'TEXT': column N: expected ..." and a caret points to the same place. */
static void wrong(const char *text, unsigned column, const char *want)
{
	struct rt_error err = { 0 };
	struct rt_spec spec;
	char head[600];

	if (rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err) != -EINVAL) {
		printf("%s: not refused\n", text);
		CU_FAIL("not refused");
		rt_spec_free(&spec);
		return;
	}
	snprintf(head, sizeof(head), "'%s': column %u: expected %s", text, column, want);
	RT_ASSERT_TEXT(err.text, head);
	RT_ASSERT_TEXT(err.source, text);
	CU_ASSERT_EQUAL(err.caret, column - 1);
}

static void test_positions(void)
{
	wrong("int fib(int n", 14, "',' or ')'");
	wrong("int fib(int n,", 15, "a parameter: a type and a name, a name, or ')'");
	wrong("int fib(int n) x", 16, "'->' and the result's type, 'errno', 'fails', or the end");
	wrong("fib(int n) ->", 14, "the result's type");
	wrong("int f(n) -> int", 13, "one type for the result: there is one before the name");
	wrong("int f(short s, unsinged short t)", 16,
	      "a type, not 'unsinged': did you mean 'unsigned'?");
	wrong("int f(folat x)", 7, "a type, not 'folat': did you mean 'float'?");
	wrong("int f(douple a, usigned x)", 17, "a type, not 'usigned': did you mean 'unsigned'?");
	wrong("unsigned lnog f(int x)", 10, "a type, not 'lnog': did you mean 'long'?");
	wrong("f(itn n)", 3, "a type, not 'itn': did you mean 'int'?");
	wrong("int f(strcut foo *p)", 7, "a type, not 'strcut': did you mean 'struct'?");
	wrong("viod f(int n)", 1, "a type, not 'viod': did you mean 'void'?");
	wrong("f(n = 3)", 5, "a comparison: == != < <= > >= & ^=");
	wrong("0xzz", 3, "an address: hexadecimal digits behind 0x");
	wrong("f 3x=%di", 3,
	      "%REGISTER, $stack, $stackN, $retval, $argN, $comm, @ADDRESS, \\N or +N(...)");
	wrong("int f(out char b[return <= m], int n)", 28,
	      "a number, the name of another parameter or 'return'");
	wrong("int f(out int *x) fails", 24, "a number");
	wrong("f(short s unsigned short t)", 11, "',' or ')'");
	wrong("f(short s size_t t)", 11, "',' or ')'");
	wrong("f(size_t s struct x t)", 12, "',' or ')'");
	wrong("f(size_t unsigned s)", 10,
	      "a name, ',' or ')': 'unsigned' does not go with the type before it");
	wrong("f(long long long a)", 13,
	      "a name, ',' or ')': 'long' does not go with the type before it");
	wrong("f(unsigned float a)", 12,
	      "a name, ',' or ')': 'float' does not go with the type before it");
	wrong("f(short short a)", 9,
	      "a name, ',' or ')': 'short' does not go with the type before it");
	wrong("f(int a, int b, char *a)", 23, "another name: there is a parameter 'a' before");
	wrong("int *(int n)", 6, "the name of a function");
	wrong("f(void x)", 3, "a type that a parameter can have, not void");
	wrong("f(int a, void)", 10, "a type that a parameter can have, not void");
	wrong("f(int a, ..., int b)", 15, "')' behind '...'");
	wrong("f(char buf[len])", 12, "a number, the name of another parameter or 'return'");
	wrong("f(char buf[p], char *p)", 12, "the name of a parameter that is an integer");
	wrong("f(int v[0])", 9, "a number of elements, 1 to 1048576");
	wrong("f(struct s { void a; } *p)", 19, "a member that has a size");
	wrong("f(struct s { int a(int); } *p)", 18, "a member that has a size");
	wrong("f(int v[3)", 10, "']' behind the length: a number or a parameter's name");
	wrong("f(out int x)", 3, "a pointer behind 'out': what it leads to is filled in");
	wrong("f(n >)", 6, "a number");
	wrong("f(n > 3x)", 8, "the end of the number");
	wrong("f(n == 08)", 9, "the end of the number");
	wrong("f(n > \"a\")", 7,
	      "a number: strings can be the same (==) or not (!=), or begin with one (^=)");
	wrong("f(n ^= 3)", 8, "a string");
	wrong("f(n == \"a)", 11, "'\"', the end of the string that begins at column 8");
	wrong("f(n > 3 | m)", 9, "'||', '&&', ',' or ')'");
	wrong("f(n > 3 || m)", 13, "a comparison: == != < <= > >= & ^=");
	wrong("f(n > 3 && m)", 13, "a comparison: == != < <= > >= & ^=");
	wrong("f(p->)", 6, "the name of a member");
	wrong("f(v[x])", 5, "a number");
	wrong("f(v[1)", 6, "']'");
	wrong("f(enum {A=} x)", 11, "a number");
	wrong("f(enum {} x)", 10, "a name in the braces");
	wrong("f(struct)", 9, "a name or '{' behind 'struct'");
	wrong("f(struct { foo x; } s)", 16, "a type of known size before a member, not foo");
	wrong("f(struct { int x:40; } s)", 18, "a number of bits, 1 to 32");
	wrong("f n=%", 6, "the name of a register behind '%'");
	wrong("f n=%di:q9", 9,
	      "a type: u8 u16 u32 u64 s8 ... x64, char, string, ustring or bN@N/N");
	wrong("f n=%di:s33", 10, "8, 16, 32 or 64");
	wrong("f n=+0(%di:s32", 11, "')'");
	wrong("f n=%di:string", 3, "+0(...) around what points to a string");
	wrong("f n=%di:x8[4]", 11, "no array: a register holds one value");
	wrong("f n=%di:b9@30/32", 9, "bits that are in their container");
	wrong("f n=$foo", 5,
	      "%REGISTER, $stack, $stackN, $retval, $argN, $comm, @ADDRESS, \\N or +N(...)");
	wrong("f n=@+0x10", 6, "an address: a place in the file (@+N) cannot be read here");
	wrong("f n=@x", 6, "an address");
	wrong("f n=\\x", 6, "a number");
	wrong("f n=$arg0", 5, "the number of an argument, from 1");
	wrong("f \"%q\" arg1", 4, "%d, %u, %x, %p, %c or %s, with h, l or ll");
	wrong("f \"%s\"", 7, "argN or retval for conversion 1");
	wrong("f \"%s\" arg0", 8, "the number of an argument, from 1");
	wrong("f \"%s\" arg1->p", 8,
	      "argN or retval; write what they point to as a list: 'f(p->next)'");
	wrong("f \"%s\" arg1 arg2", 13, "the end: the format has no more values");
	wrong("f \"x\" arg1", 3, "a format with %d, %s or another conversion");
	wrong("f \"%s arg1", 3, "a format between '\"'");
	wrong("f n=$comm:u8", 3, "$comm:string: it is a name");
	wrong("f n=+8($comm)", 5, "no memory read around $comm, which is a name");
	wrong("f n=+0(+0(+0(+0(@1))))", 5, "at most 4 memory reads one after another");
	wrong("f:2 n=%di", 4, "either a number of arguments or the kernel's words, not both");
	wrong("f+99999999999", 3, "an offset behind '+', at most 16777216 bytes");
	wrong("0xfg", 4, "an address: hexadecimal digits behind 0x");
	wrong("/a(/", 1, "a regular expression: Unmatched ( or \\(");
	wrong(":int f(int n)", 1, "the name of a library before ':'");
	wrong("usdt:toy:", 10, "the name of a probe");
	wrong("usdt:toy:(int n)", 10, "the name of a probe");
	wrong("usdt:toy:hit:more", 13, "the end of the probe's name, or '('");
	wrong("usdt:toy:hit(int n) -> int", 10, "a probe without a result");

}

CU_TestInfo rt_tests_spec[] = {
	{ "overloads", test_overloads },
	{ "names", test_names },
	{ "number of arguments", test_nargs },
	{ "double colons", test_double_colon },
	{ "library paths", test_paths },
	{ "empty fields", test_empty },
	{ "prototypes", test_prototypes },
	{ "partial forms", test_partial },
	{ "conditions", test_conditions },
	{ "conditions on the end of a call", test_ends },
	{ "the kernel's words", test_words },
	{ "formats of printf", test_formats },
	{ "places", test_places },
	{ "USDT probes", test_usdt },
	{ "sizes", test_sizes },
	{ "where a mistake is", test_positions },
	CU_TEST_INFO_NULL,
};
