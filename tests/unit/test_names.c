/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "symbols/match.h"
#include "elf/file.h"
#include "plan/signature.h"
#include "lang/print.h"
#include "unit.h"
#include "symbols/private.h"

static bool has_demangler(void)
{
	struct rt_text text = { 0 };
	bool has = rt_demangle(&text, "_Z3fibi", false);

	rt_text_free(&text);
	return has;
}

static void demangles(const char *name, bool parameters, const char *want)
{
	struct rt_text text = { 0 };
	const char *got = rt_demangle(&text, name, parameters);

	RT_ASSERT_TEXT(got ? got : "(none)", want);
	rt_text_free(&text);
}

static void test_demangle(void)
{
	demangles("fib", true, "(none)");
	demangles("_start", true, "(none)");
	if (!has_demangler())
		return;
	demangles("_Zfib", true, "(none)");
	demangles("_Z3fibi", false, "fib");
	demangles("_Z3fibi", true, "fib(int)");
	demangles("_Z3fibi.cold", false, "fib.cold");
	demangles("_Z3fibi.isra.0", false, "fib.isra.0");
	demangles("_ZNK2ns3BoxIiE3getEi", false, "ns::Box<int>::get");
	demangles("_ZNK2ns3BoxIiE3getEi", true, "ns::Box<int>::get(int) const");
	/* No result type, which the names of templates have. */
	demangles("_Z3maxIiET_S0_S0_", true, "max<int>(int, int)");
	demangles("_Z3maxIiET_S0_S0_", false, "max<int>");
	demangles("_ZN4CallIFbicEE2goEv", false, "Call<bool (int, char)>::go");
	demangles("_ZN12_GLOBAL__N_16hiddenEi", false, "(anonymous namespace)::hidden");
	/* Rust: its hash is left out. */
	demangles("_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE", true,
		  "alloc::vec::Vec<T,A>::push");
	demangles("_RNvMNtCs1234_1r1mNtB2_1P3get", true, "<r::m::P>::get");
}

/* "-": it is left to the demangler. */
static void plain(const char *name, const char *want)
{
	struct rt_text text = { 0 };

	RT_ASSERT_TEXT(rt_demangle_plain(&text, name) ? text.v : "-", want);
	rt_text_free(&text);
	/* Whatever it says, the demangler says too. */
	if (has_demangler() && strcmp(want, "-") != 0)
		demangles(name, false, want);
}

static void test_plain(void)
{
	plain("_Z3fibi", "fib");
	plain("_ZN2ns3Foo3barEi", "ns::Foo::bar");
	plain("_ZNK2ns3Foo3barEv", "ns::Foo::bar");
	plain("_ZN2ns3FooE", "ns::Foo");
	plain("_ZN1r1m3get17h0123456789abcdefE", "r::m::get");
	/* No hash of Rust's: too few different digits, not at the end. */
	plain("_ZN1r1m3get17h0000000000000000E", "-");
	plain("_ZN1r17h0123456789abcdef3getE", "-");
	plain("_ZN1r3get17h0123456789abcdefEv", "-");
	plain("_ZN17h0123456789abcdefE", "-");
	plain("_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE", "-");
	plain("_ZN12_GLOBAL__N_16hiddenEi", "-");
	plain("_ZN2ns3BoxIiE3getEi", "-");
	plain("_Z3maxIiET_S0_S0_", "-");
	plain("_Z4makeB5cxx11i", "-");
	plain("_ZN2ns4makeB5cxx11Ei", "-");
	plain("_ZNSt6vector4pushEi", "-");
	plain("_ZN3FooC1Ei", "-");
	plain("_ZN2nsplERKS_", "-");
	plain("_ZZ4mainE1x", "-");
	plain("_Znwm", "-");
	/* Cut off, or nonsense. */
	plain("_Z", "-");
	plain("_ZN", "-");
	plain("_ZNE", "-");
	plain("_ZN2ns", "-");
	plain("_ZN9ns", "-");
	plain("_ZN99999999999999999999nsE", "-");
	plain("_ZN03fooE", "-");
	plain("_Z3fo", "-");
}

/* Each substitution doubles the text: 2^40 and more letters. */
static void test_bomb(void)
{
	struct rt_text text = { 0 };
	char name[4096], *p = name;
	int i;

	p += sprintf(p, "_Z1fSt4pairIiiE"); /* S_ is std::pair, S0_ the one of ints, the next a pair
					       of those... */
	for (i = 0; i < 34; i++) {
		char c = i + 1 < 11 ? (char)('0' + i) : (char)('A' + i - 10);

		p += sprintf(p, "S_IS%c_S%c_E", i ? c : '0', i ? c : '0');
	}
	CU_ASSERT_PTR_NULL(rt_demangle(&text, name, true));
	CU_ASSERT_TRUE(text.failed || !has_demangler());
	memset(name, '<', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CU_ASSERT_PTR_NOT_NULL(rt_name_canonical(&text, name, true));
	rt_text_free(&text);
}

static void is_canonical(const char *name, bool plain, const char *want)
{
	struct rt_text text = { 0 };
	const char *got = rt_name_canonical(&text, name, plain);

	RT_ASSERT_TEXT(got ? got : "(none)", want);
	rt_text_free(&text);
}

static void test_canonical(void)
{
	is_canonical("f(int, char const*)", false, "f(int,char const*)");
	is_canonical("f( int , const char * )", false, "f(int,char const*)");
	is_canonical("f(const unsigned long &)", false, "f(unsigned long const&)");
	is_canonical("f(const std::vector<int> &, int)", false, "f(std::vector<int>const&,int)");
	is_canonical("f(std::vector<int, std::allocator<int> > const&, int)", false,
		     "f(std::vector<int>const&,int)");
	is_canonical("f(std::map<int, T<long>, std::less<int>, std::allocator<std::pair<int const, "
		     "T<long> > > >)",
		     false, "f(std::map<int,T<long>>)");
	is_canonical("f(int, std::allocator<int>)", false, "f(int,std::allocator<int>)");
	is_canonical("f(std::set<int, std::allocator<int)", false,
		     "f(std::set<int,std::allocator<int)");
	is_canonical("f(std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> > const&)",
		     false, "f(std::string const&)");
	is_canonical("f(std::basic_string_view<char, std::char_traits<char> >)", false,
		     "f(std::string_view)");
	is_canonical("f(std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, "
		     "std::allocator<wchar_t> >)",
		     false, "f(std::wstring)");
	is_canonical("make[abi:cxx11](int)", false, "make(int)");
	is_canonical("ns::Box<std::pair<int, long> >::get", true, "ns::Box::get");
	is_canonical("ns::Box<std::pair<int, long> >::get", false,
		     "ns::Box<std::pair<int,long>>::get");
	is_canonical("Foo::operator<", true, "Foo::operator<");
	is_canonical("Foo::operator<< <int>", true, "Foo::operator<<");
	is_canonical("Foo::operator->", true, "Foo::operator->");
	is_canonical("Foo::operator()", true, "Foo::operator()");
	is_canonical("operator new", true, "operator new");
	is_canonical("<alloc::vec::Vec<u8>>::push", true, "alloc::vec::Vec::push");
	is_canonical("<r::P as r::T>::go", true, "<r::P as r::T>::go");
	is_canonical("core::mem::swap::<u8>", true, "core::mem::swap");
	is_canonical("core::num::<impl u32>::pow", true, "core::num::<impl u32>::pow");
	is_canonical("", true, "");
	is_canonical("<", true, "<");
	is_canonical("a<b", true, "a<b");
}

static bool means(const char *text, const struct rt_symbol *symbol)
{
	struct rt_spec spec = { .function = (char *)text, .glob = strpbrk(text, "*?[") };
	struct rt_matcher matcher;
	bool yes;

	CU_ASSERT_EQUAL_FATAL(rt_matcher_begin(&matcher, &spec), 0);
	yes = rt_matches(&matcher, symbol);
	rt_matcher_free(&matcher);
	return yes;
}

static void test_words(void)
{
	static const struct {
		const char *name, *want;
		unsigned word;
	} cases[] = {
		{ "f(size_t, ssize_t, int64_t, time_t)", "f(unsigned int, int, long long, long)",
		  4 },
		{ "f(size_t, ssize_t, int64_t, time_t)", "f(unsigned long, long, long, long)", 8 },
		{ "f(unsigned, unsigned const, long long unsigned)",
		  "f(unsigned int, unsigned int const, unsigned long long)", 8 },
		{ "f(signed char, char unsigned, double long)",
		  "f(signed char, unsigned char, long double)", 8 },
		{ "f(long char, std::", "f(long char, std::", 8 },
		{ "f(a::uint::b, auint, T<struct s, uint>)",
		  "f(a::uint::b, auint, T<s, unsigned int>)", 8 },
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = rt_spec_overload(cases[i].name, strchr(cases[i].name, '('), cases[i].word,
					NULL, NULL);
		RT_ASSERT_TEXT(text, cases[i].want);
		free(text);
	}
}

#define MEANS(spec, symbol) CU_ASSERT_TRUE(means(spec, &(struct rt_symbol){ .name = symbol }))
#define MEANS_NOT(spec, symbol) CU_ASSERT_FALSE(means(spec, &(struct rt_symbol){ .name = symbol }))

static void test_written(void)
{
	static const char box[] = "_ZNK2ns3BoxIiE3getEi", bar[] = "_ZN3Foo3barEPKc",
			  vec[] = "_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push"
				  "17h0123456789abcdefE";

	MEANS(box, box);
	MEANS("f*", "fib");
	MEANS_NOT("fi", "fib");
	/* Copies of it, and not its parts. */
	MEANS("fib", "fib.constprop.0");
	MEANS("fib", "fib.isra.0.constprop.12");
	MEANS_NOT("fib", "fib.part.0");
	MEANS_NOT("fib", "fib.constprop.0.cold");
	MEANS_NOT("fib", "fib.constprop.");
	MEANS_NOT("fib(int n)", "fib.constprop.0");
	if (!has_demangler())
		return;
	MEANS("fib", "_Z3fibi");
	MEANS("fib(int)", "_Z3fibi");
	MEANS_NOT("fib(long)", "_Z3fibi");
	MEANS_NOT("fib", "_Z3fibi.cold");
	MEANS("fib", "_Z3fibi.isra.0");
	MEANS("ns::Box::get", box);
	MEANS("ns::Box<int>::get", box);
	MEANS("ns::Box<T>::get", box);
	MEANS_NOT("ns::Box<long>::get", box);
	MEANS("ns::Box::get(int)", box);
	MEANS("ns::Box<int>::get(int) const", box);
	MEANS_NOT("ns::Box::get(int) volatile", box);
	MEANS_NOT("Box::get", box);
	MEANS("ns::*", box);
	MEANS("*::get", box);
	MEANS("ns::*(int)*", box);
	MEANS("Foo::bar", bar);
	MEANS("Foo::bar(const char *)", bar);
	MEANS("Foo::bar(char const*)", bar);
	MEANS("Foo::Foo", "_ZN3FooC1Ei");
	MEANS("Foo::~Foo", "_ZN3FooD0Ev");
	MEANS("Foo::operator()", "_ZN3FooclEi");
	MEANS("Foo::operator<", "_ZN3FooltERKS_");
	MEANS("operator new", "_Znwm");
	MEANS("std::string::size", "_ZNSs4sizeEv");
	MEANS("alloc::vec::Vec<T,A>::push", vec);
	MEANS("alloc::vec::Vec<T>::push", vec);
	MEANS("alloc::vec::Vec::push", vec);
	MEANS("r::m::P::get", "_RNvMNtCs1234_1r1mNtB2_1P3get");
	/* As people write types. */
	MEANS("f(unsigned long, unsigned int)", "_Z1fmj");
	MEANS("f(uint64_t, unsigned)", "_Z1fmj");
	MEANS("f(std::size_t const, long unsigned int)", "_Z1fmm");
	MEANS("f(int8_t, char, uint16_t*, short int)", "_Z1facPts");
	MEANS("f(long double, long long int, const char *const)", "_Z1fexPKc");
	MEANS("f(struct T *, std::vector<uint32_t>)", "_Z1fP1TSt6vectorIjSaIjEE");
	MEANS("f(void)", "_Z1fv");
	MEANS_NOT("f(uint64_t)", "_Z1fx");
	MEANS_NOT("f(x::size_t)", "_Z1fm");
	MEANS_NOT("f(wchar_t)", "_Z1fi");
	MEANS("f(x::size_t)", "_Z1fN1x6size_tE");
	MEANS("f(std::string_view)", "_Z1fSt17basic_string_viewIcSt11char_traitsIcEE");
	/* Inline namespaces. */
	MEANS("f(std::list<int>)", "_Z1fNSt7__cxx114listIiSaIiEEE");
	MEANS("std::filesystem::path::c_str", "_ZNKSt10filesystem7__cxx114path5c_strEv");
	MEANS("a::Foo::get", "_ZN1a2v13Foo3getEv");
	MEANS("a::F*", "_ZN1a2v13Foo3getEv");
	MEANS_NOT("a::v2::Foo::get", "_ZN1a2v13Foo3getEv");
	MEANS_NOT("a::Foo::get", "_ZN1a1b3Foo3getEv");
	MEANS_NOT("a::get", "_ZN1a4vec33getEv");
	/* Numbers, and words that are only in what is coded, need not stand in the symbol. */
	MEANS("*lambda*#13}*", "_ZZ4mainENKUliE11_clEi");
	MEANS("*main*::operator()", "_ZZ4mainENKUliE11_clEi");
	MEANS("Box<*,true>::get", "_ZN3BoxIiLb1EE3getEi");
	MEANS("*::get*77777*", "_ZN3BoxILi77777EE7get7777Ei.part.77777");
	MEANS("a::*::d", "_ZN1a1b1c1dEv");
	MEANS_NOT("a::*::d", "_ZN1a1b1c1eEv");
}

static void test_go(void)
{
	MEANS("main.(*T).Method", "main.(*T).Method");
	MEANS("main.Sum", "main.Sum[go.shape.int]");
	MEANS("main.Sum[...]", "main.Sum[go.shape.int]");
	MEANS("main.Sum[go.shape.int]", "main.Sum[go.shape.int]");
	MEANS("main.Sum[int]", "main.Sum[go.shape.int]");
	MEANS("main.Sum[int]", "main.Sum[go.shape.int_0]");
	MEANS("main.Map[int, string]", "main.Map[go.shape.int_0,go.shape.string_1]");
	MEANS("main.Map[[]int,string]", "main.Map[go.shape.[]int,go.shape.string]");
	MEANS("main.(*Stack).Push", "main.(*Stack[go.shape.struct { K string; V []int }]).Push");
	MEANS("main.(*Stack[...]).Push", "main.(*Stack[go.shape.string]).Push");
	MEANS("main.(*Stack[string]).Push", "main.(*Stack[go.shape.string]).Push");
	MEANS("main.Map.func1", "main.Map[...].func1");
	MEANS_NOT("main.Sum[int]", "main.Sum[go.shape.float64]");
	MEANS_NOT("main.Sum[int]", "main.Sum[go.shape.int,go.shape.int]");
	MEANS_NOT("main.Sum", "main.Summa[go.shape.int]");
	MEANS_NOT("main.Sum", "main.Sum[go.shape.int].func1");
	MEANS_NOT("main.(*Stack).Pop", "main.(*Stack[go.shape.string]).Push");
	MEANS_NOT("main.Sum", "main.Sum[");
	MEANS_NOT("main.Sum[", "main.Sum[go.shape.int");
}

static void test_nearest_go(void)
{
	static const struct rt_symbol v[] = {
		{ .name = "main.fib" },
		{ .name = "net/http.(*Client).Get" },
		{ .name = "net/http.Header.Get" },
		{ .name = "net/url.Values.Get" },
		{ .name = "main.(*Stack[go.shape.string]).Push" },
		{ .name = "runtime.(*spanSet).push" },
	};
	const char *nearest[RT_MAX_NEAREST];
	size_t n = sizeof(v) / sizeof(v[0]);

	CU_ASSERT_EQUAL_FATAL(rt_nearest("http.Get", v, n, nearest), 2);
	CU_ASSERT_STRING_EQUAL(nearest[0], "net/http.Header.Get");
	CU_ASSERT_STRING_EQUAL(nearest[1], "net/http.(*Client).Get");
	CU_ASSERT_EQUAL(rt_nearest_go("net/http.Get", v, n, nearest), 2);
	CU_ASSERT_EQUAL(rt_nearest_go("errors.New", v, n, nearest), 0);
	CU_ASSERT_EQUAL_FATAL(rt_nearest("FIB", v, n, nearest), 1);
	CU_ASSERT_STRING_EQUAL(nearest[0], "main.fib");
	CU_ASSERT_EQUAL_FATAL(rt_nearest("Push", v, n, nearest), 2);
	CU_ASSERT_STRING_EQUAL(nearest[0], "main.(*Stack[go.shape.string]).Push");
	CU_ASSERT_EQUAL_FATAL(rt_nearest("http.client.get", v, n, nearest), 1);
	CU_ASSERT_STRING_EQUAL(nearest[0], "net/http.(*Client).Get");
}

static void test_versions(void)
{
	const struct rt_symbol old = { .name = "memcpy", .version = "GLIBC_2.2.5" };
	const struct rt_symbol new = { .name = "memcpy",
				       .version = "GLIBC_2.14",
				       .default_version = true };

	CU_ASSERT_TRUE(means("memcpy", &old) && means("memcpy", &new));
	CU_ASSERT_TRUE(means("memcpy@GLIBC_2.2.5", &old));
	CU_ASSERT_FALSE(means("memcpy@@GLIBC_2.2.5", &old));
	CU_ASSERT_FALSE(means("memcpy@GLIBC_2.2.5", &new));
	CU_ASSERT_TRUE(means("memcpy@@GLIBC_2.14", &new));
	CU_ASSERT_TRUE(means("memcpy@GLIBC_2.14", &new));
	MEANS_NOT("memcpy@GLIBC_2.14", "memcpy");
}

/*
 * `code`: a letter an argument as the code has it: 4, 8, p (a pointer), - (not read); `want` is
 * NULL where the name adds nothing.
 */
static void named(const char *symbol, const char *code, const char *want)
{
	static const struct rt_ctype number = { .kind = RT_CT_INT, .size = 4, .name = "int32_t" };
	struct rt_param params[RT_USE_ARGS] = { { .type = &number },
						{ .type = &number },
						{ .type = &number } };
	struct rt_prototype p = { .origin = RT_ORIGIN_GUESSED,
				  .params = params,
				  .nparams = (unsigned)strlen(code) };
	struct rt_guess guess = { .decided = true, .nargs = (uint8_t)strlen(code) };
	struct rt_types *types = rt_types_new();
	char *printed = NULL;
	size_t i, n;
	FILE *file;

	for (i = 0; i < guess.nargs; i++) {
		guess.bytes[i] = code[i] == '4' ? 4 : code[i] == '-' ? 0 : 8;
		guess.pointers |= (uint8_t)((code[i] == 'p') << i);
	}
	file = open_memstream(&printed, &n);
	if (has_demangler() && file) {
		CU_ASSERT_EQUAL(rt_signature_cxx(symbol, &rt_arch_x86_64, &guess, types, &p), 0);
		CU_ASSERT_EQUAL(p.by_name, want != NULL);
		rt_prototype_print(file, &p, "f");
		fflush(file);
		if (want)
			RT_ASSERT_TEXT(printed, want);
	}
	if (file)
		fclose(file);
	free(printed);
	rt_types_free(types);
}

#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

static void test_types(void)
{
	named("_Z1fiPKc", "48", "? f(int, const char *)");
	named("_Z1fiPKc", "4", "? f(int, const char *)");
	named("_Z1fiPKc", "88", NULL);
	/* A result in memory, which is written by its pointer. */
	named("_Z1fi", "p4", "? f(void *, int)");
	named("_Z1fb" STRING "RKd", "4p8", "? f(bool, std::string, const double &)");
	named("_Z1fdif", "4", "? f(double, int, float)");
	named("_Z1fSt17basic_string_viewIcSt11char_traitsIcEEi", "884",
	      "? f(std::string_view, int)");
	/* A structure by value has no known place; the code tells the arguments behind it. */
	named("_Z1fi1Pi", "444", "? f(int, int32_t, int32_t)");
	/* Members: `this` comes first, or it is static. */
	named("_ZN1S1fEi", "-4", "? f(void *, int)");
	named("_ZN1S1fEiPKc", "48", "? f(int, const char *)");
	named("_ZN1S1fEPKc", "8", NULL);
	named("_ZN1S1fEPKcS1_", "88", NULL);
	named("_ZNK1S1fEPKc", "8", "? f(void *, const char *)");
	named("_ZN1S1fEi", "pp4", "? f(void *, void *, int)");
	named("_ZSt3fooiPFviE", "4p", "? f(int, void (*)(int))");
	named("_ZN1SC2EPKc", "8", "void f(void *, const char *)");
	named("_ZN2ns3BoxIiEC1IJdEEEiDpT_", "84", "void f(void *, int, double)");
	named("_ZN2ns1SD1Ev", "p", NULL);
	/* Copies, thunks, and what is too much. */
	named("_Z1fiPKc.isra.0", "48", NULL);
	named("_ZThn16_N1S1fEi", "84", NULL);
	named("_ZGTtN1S1fEPKc", "8", NULL);
	named("_Z1fiiiiiiiiiiiiiiiii", "444", NULL);
	named("_Z1fM1SFviE", "8", NULL);
	named("main", "4", NULL);
}

CU_TestInfo rt_tests_names[] = {
	{ "demangle", test_demangle },
	{ "names of nothing but identifiers", test_plain },
	{ "names that stand for too much", test_bomb },
	{ "canonical names", test_canonical },
	{ "what was written", test_written },
	{ "words of types", test_words },
	{ "Go's generic functions", test_go },
	{ "names of Go that are near", test_nearest_go },
	{ "versions", test_versions },
	{ "types in names", test_types },
	CU_TEST_INFO_NULL,
};
