/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/match.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Find the parameters: a bracket that is neither of "operator()" nor of "(anonymous namespace)" or
 * "{lambda(int)#1}".  NULL: it has none.
 */
static const char *parameters_of(const char *name)
{
	const char *p = name;

	while ((p = strchr(p, '('))) {
		if (strncmp(p, "(anonymous namespace)", 21) == 0)
			p += 21;
		else if (p - name >= 7 && strncmp(p - 7, "{lambda", 7) == 0 && strchr(p, '}'))
			p = strchr(p, '}');
		else if (p - name >= 8 && strncmp(p - 8, "operator()", 10) == 0)
			p += 2;
		else
			return p;
	}
	return NULL;
}

/* Template arguments: brackets behind a word, but operator< and its like. */
static bool has_arguments(const char *name, const char *end)
{
	const char *p;

	for (p = name; p < end; p++)
		if (*p == '<' && (p == name || is_word(p[-1]) || p[-1] == ':') &&
		    !(p - name >= 8 && strncmp(p - 8, "operator", 8) == 0))
			return true;
	return false;
}

/* <T>, <K,V>, <_>: single capitals stand for any arguments. */
static bool only_placeholders(const char *name, const char *end)
{
	const char *p;

	for (p = name; p < end; p++) {
		if (*p != '<')
			continue;
		for (p++; p < end && *p != '>'; p += p[1] == ',' ? 2 + (p[2] == ' ') : 1)
			if (!(isupper((unsigned char)*p) || *p == '_') || !strchr(",>", p[1]))
				return false;
	}
	return true;
}

/* Whatever Itanium and Rust abbreviate: a mangled name may have it without these letters. */
static bool abbreviated(const char *word, size_t n)
{
	static const char words[] =
		"std string basic_string basic_istream basic_ostream basic_iostream allocator "
		"char_traits istream "
		"ostream iostream operator new delete unsigned signed const volatile int long "
		"short char bool float double void "
		"anonymous namespace virtual thunk non to lambda unnamed type clone abi __cxx11 "
		"wchar_t closure impl for as dyn mut "
		"str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 shim vtable "
		"reabstraction covariant return "
		"constructor destructor typeinfo guard variable char8_t char16_t char32_t auto "
		"decltype nullptr_t __int128 global "
		"static initialization destruction TLS init wrapper function transaction safe "
		"entry point true false hidden alias "
		"reference temporary construction VTT name java Class initializer module extern "
		"unsafe fn _Complex _Imaginary complex "
		"imaginary half _Float16 bfloat16 __float128 decimal32 decimal64 decimal128 "
		"default arg parm";

	return memmem(words, sizeof(words) - 1, word, n);
}

/* The words of the name, up to `end`, that must be in any mangled form of it. */
static int find_anchors(struct rt_matcher *m, const char *name, const char *end)
{
	const char *p = name, *word;
	int depth = 0;
	char *out;

	out = m->anchors = calloc(1, (size_t)(end - name) + 2);
	if (!out)
		return -ENOMEM;
	while (p < end) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && depth)
			depth--;
		if (m->spec->glob &&
		    *p == '[') /* a set of characters: the rest is too hard to say */
			break;
		if (!is_word(*p) || depth) {
			p++;
			continue;
		}
		for (word = p; p < end && is_word(*p); p++)
			;
		/* Numbers are coded: {lambda()#2} is Ul..E0_. */
		if (isdigit((unsigned char)*word) || abbreviated(word, (size_t)(p - word)))
			continue;
		memcpy(out, word, (size_t)(p - word));
		out += p - word + 1;
	}
	return 0;
}

static bool has_anchors(const struct rt_matcher *m, const char *mangled)
{
	const char *word;

	for (word = m->anchors; *word; word += strlen(word) + 1)
		if (!strstr(mangled, word))
			return false;
	return true;
}

static int split_version(struct rt_matcher *m)
{
	char *at;

	m->name = strdup(m->spec->function);
	if (!m->name)
		return -ENOMEM;
	at = strchr(m->name, '@');
	if (!at || at == m->name)
		return 0;
	m->only_default = at[1] == '@';
	m->version = at + 1 + m->only_default;
	*at = '\0';
	return 0;
}

/*
 * Remove the parts of a parameter's type that the function's type lacks: f(const int n), f(void).
 */
static void leave_out_const(char *p)
{
	char *out = p, *start = p;
	int depth = 0;

	if (strcmp(p, "(void)") == 0) {
		strcpy(p, "()");
		return;
	}
	for (; *p; *out++ = *p++) {
		depth += strchr("(<[", *p) ? 1 : strchr(")>]", *p) ? -1 : 0;
		if (depth != 1 || strncmp(p, "const", 5) != 0 || !strchr(",)", p[5]) || !p[5] ||
		    is_word(p[-1]))
			continue;
		out -= out > start && out[-1] == ' ';
		p += 5;
		depth -= *p == ')';
	}
	*out = '\0';
}

static int set_want(struct rt_matcher *m, const char *parameters, rt_spec_alias alias, void *ctx)
{
	char *name = parameters ? rt_spec_overload(m->name, parameters,
						   m->spec->word ? m->spec->word : 8, alias, ctx)
				: NULL;
	bool ok = (name || !parameters) &&
		  rt_name_canonical(&m->want, name ? name : m->name, m->any_arguments);
	char *at = ok && parameters ? (char *)parameters_of(m->want.v) : NULL;

	if (at) {
		m->typed = strchr(at, '<');
		leave_out_const(at);
		m->want.n = strlen(m->want.v);
	}
	free(name);
	return ok ? 0 : -ENOMEM;
}

int rt_matcher_begin(struct rt_matcher *m, const struct rt_spec *spec)
{
	return rt_matcher_begin_alias(m, spec, NULL, NULL);
}

int rt_matcher_begin_alias(struct rt_matcher *m, const struct rt_spec *spec, rt_spec_alias alias,
			   void *ctx)
{
	const char *end, *parameters;
	int r;

	memset(m, 0, sizeof(*m));
	m->spec = spec;
	if (spec->regex)
		return 0;
	r = split_version(m);
	if (r < 0)
		return r;
	end = parameters = parameters_of(m->name);
	m->parameters = end != NULL;
	if (!end)
		end = m->name + strlen(m->name);
	m->arguments = has_arguments(m->name, end);
	m->any_arguments = m->arguments && only_placeholders(m->name, end);
	r = find_anchors(m, m->name, end);
	return r < 0 ? r : set_want(m, parameters, alias, ctx);
}

void rt_matcher_free(struct rt_matcher *m)
{
	free(m->name);
	free(m->anchors);
	rt_text_free(&m->want);
	rt_text_free(&m->text);
	rt_text_free(&m->demangled);
}

static bool version_fits(const struct rt_matcher *m, const struct rt_symbol *symbol)
{
	return !m->version || (symbol->version && strcmp(symbol->version, m->version) == 0 &&
			       (!m->only_default || symbol->default_version));
}

/*
 * Behind the name, what says that it is a copy of the function (of GCC's, which most calls may go
 * to), or a local one renamed.  Not where the specification tells what is to be read: a copy may
 * have other arguments.
 */
static bool is_copy(const struct rt_spec *spec, const char *p)
{
	static const char *const words[] = { ".constprop.", ".isra.", ".lto_priv.", ".llvm." };
	size_t i;

	if (spec->glob || spec->prototype || spec->nshown || spec->nconditions || spec->nwords ||
	    spec->nargs_given || spec->has_offset)
		return false;
	for (; *p; p += strspn(p, "0123456789")) {
		for (i = 0; i < RT_COUNT(words) && strncmp(p, words[i], strlen(words[i])) != 0; i++)
			;
		if (i == RT_COUNT(words))
			return false;
		p += strlen(words[i]);
		if (!isdigit((unsigned char)*p))
			return false;
	}
	return true;
}

/*
 * Go's generic functions have brackets in their names, which a glob takes for sets of characters.
 */
bool rt_matches_raw(const struct rt_matcher *m, const struct rt_symbol *symbol)
{
	size_t n;

	if (m->spec->regex)
		return rt_spec_regex(m->spec, symbol->name);
	n = strlen(m->name);
	return ((strncmp(m->name, symbol->name, n) == 0 && is_copy(m->spec, symbol->name + n)) ||
		strcmp(m->name, symbol->name) == 0 ||
		(m->spec->glob && rt_glob_match(m->name, symbol->name))) &&
	       version_fits(m, symbol);
}

/* Behind the bracket that closes the one at `p`, or the end of the text. */
static const char *behind_brackets(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += (*p == '[') - (*p == ']');
		if (!depth)
			return p + 1;
	}
	return p;
}

/*
 * [int] of [go.shape.int], up to Go 1.19 [go.shape.int_0]: the compiler has one function for all
 * types of a shape.
 */
static bool same_types(const char *want, const char *name, const char *end)
{
	while (name < end) {
		if (strncmp(name, "go.shape.", 9) == 0) {
			name += 9;
		} else if (*name == '_' && isdigit((unsigned char)name[1]) &&
			   strchr(",]", name[1 + strspn(name + 1, "0123456789")])) {
			name += 1 + strspn(name + 1, "0123456789");
		} else if (*want == ' ' && *name != ' ') {
			want++;
		} else if (*want++ != *name++) {
			return false;
		}
	}
	return true;
}

/* Is `name` an instance of the generic function?  Go's own tracebacks have [...] for its types. */
static bool is_instance(const char *want, const char *name)
{
	const char *end;
	bool is = false;

	while (*name) {
		if (*name == '[') {
			end = behind_brackets(name);
			if (end[-1] != ']')
				return false;
			if (*want == '[' && strncmp(want, "[...]", 5) != 0 &&
			    !same_types(want, name, end))
				return false;
			want = *want == '[' ? behind_brackets(want) : want;
			name = end;
			is = true;
		} else if (*want++ != *name++) {
			return false;
		}
	}
	return is && !*want;
}

/*
 * Parameters may be followed by what was not asked for: " const", "&", " [clone .cold]" is another
 * function.
 */
static bool same(const struct rt_matcher *m, const char *name)
{
	size_t n = m->want.n;

	if (strncmp(m->want.v, name, n) != 0)
		return false;
	if (m->parameters && (strcmp(name + n, "const") == 0 || strcmp(name + n, "&") == 0 ||
			      strcmp(name + n, "&&") == 0 || strcmp(name + n, "const&") == 0 ||
			      strcmp(name + n, "volatile") == 0))
		return true;
	return !name[n] || is_copy(m->spec, name + n);
}

static bool fits(const struct rt_matcher *m)
{
	return m->spec->glob ? rt_glob_match(m->want.v, m->text.v) : same(m, m->text.v);
}

bool rt_matches_written(struct rt_matcher *m, const struct rt_symbol *symbol)
{
	const char *name = symbol->name, *parameters;
	bool plain;

	if (m->spec->regex) {
		name = rt_is_mangled(name) ? rt_demangle(&m->demangled, name, true) : NULL;
		return name && rt_spec_regex(m->spec, name);
	}
	if (!rt_is_mangled(name))
		return strchr(name, '[') && is_instance(m->name, name);
	if (!has_anchors(m, name) || !version_fits(m, symbol))
		return false;
	name = rt_demangle(&m->demangled, name, m->parameters);
	if (!name)
		return false;
	plain = !m->arguments || m->any_arguments;
	parameters = plain && m->typed ? parameters_of(name) : NULL;
	name = parameters ? rt_name_canonical_typed(&m->text, name, parameters)
			  : rt_name_canonical(&m->text, name, plain);
	if (!name)
		return false;
	if (fits(m))
		return true;
	if (!m->loose)
		return false;
	rt_name_without_versions(&m->text, m->want.v);
	return fits(m);
}

bool rt_matches(struct rt_matcher *m, const struct rt_symbol *symbol)
{
	m->loose = true;
	return rt_matches_raw(m, symbol) || rt_matches_written(m, symbol);
}
