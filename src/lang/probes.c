/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/probes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/glob.h"
#include "config.h"
#include "lang/cursor.h"
#include "lang/name.h"
#include "lang/scope.h"

/* A specification that was parsed, as its prototype was asked for. */
struct parsed {
	struct rt_spec *spec;
	size_t statement;
};

struct by_name {
	const char *name;
	size_t statement;
};

struct rt_probes {
	const struct rt_arch *arch;
	struct rt_scope *scope;
	struct rt_types *types;		/* the scope's */
	struct rt_statement *v;
	size_t n, cap;
	struct rt_pair *pairs;
	size_t npairs, pairs_cap;
	/* the statements sorted by name, then order; NULL: to be made */
	struct by_name *by_name;
	struct parsed *parsed;
	size_t nparsed, parsed_cap;
	const char *libraries, *requires;
	bool other_machine;		/* what follows is not for `arch` */
};

struct rt_probes *rt_probes_new(const struct rt_arch *arch)
{
	struct rt_probes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->arch = arch;
	p->scope = rt_scope_new();
	if (p->scope) {
		p->types = rt_scope_types(p->scope);
		return p;
	}
	free(p);
	return NULL;
}

void rt_probes_free(struct rt_probes *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->nparsed; i++) {
		rt_spec_free(p->parsed[i].spec);
		free(p->parsed[i].spec);
	}
	free(p->parsed);
	free(p->by_name);
	free(p->pairs);
	free(p->v);
	rt_scope_free(p->scope);
	free(p);
}

const struct rt_statement *rt_probes_statements(const struct rt_probes *p, size_t *n)
{
	*n = p->n;
	return p->v;
}

const struct rt_pair *rt_probes_pairs(const struct rt_probes *p, size_t *n)
{
	*n = p->npairs;
	return p->pairs;
}

const struct rt_scope *rt_probes_scope(const struct rt_probes *p)
{
	return p->scope;
}

/* ---- statements ---- */

static int at_line(int code, const char *file, unsigned line, struct rt_error *err)
{
	struct rt_error inner;

	if (code == 0 || !err)
		return code;
	inner = *err;
	snprintf(err->text, sizeof(err->text), "%.200s:%u: %.700s", file, line, inner.text);
	return code;
}

int rt_probes_at(const struct rt_statement *s, int code, struct rt_error *err)
{
	return at_line(code, s->file, s->line, err);
}

/* "open" in "int open(const char *path, ...)"; "" where it is less clear. */
static const char *name_in(struct rt_probes *p, const char *text)
{
	struct rt_cursor c = { .text = text, .at = text, .end = text + strlen(text) };
	const char *open = rt_find_items(&c), *start;

	if (!open)
		return "";
	while (open > text && isspace((unsigned char)open[-1]))
		open--;
	for (start = open; start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_');
	     start--)
		;
	return rt_types_name(p->types, start, (size_t)(open - start));
}

static bool is_first_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 &&
	       (isspace((unsigned char)text[n]) || !text[n] || text[n] == '{');
}

static bool defines_type(const char *text)
{
	const char *brace = strchr(text, '{'), *paren = strchr(text, '('), *close;

	if (is_first_word(text, "typedef"))
		return true;
	if (!is_first_word(text, "struct") && !is_first_word(text, "union") &&
	    !is_first_word(text, "enum") && !is_first_word(text, "flags"))
		return false;
	if (!brace)
		return !paren;
	/* "enum {A} f(...)" is a function. */
	close = strrchr(text, '}');
	return close && !strchr(close, '(');
}

static int define_type(struct rt_probes *p, const char *text, struct rt_error *err)
{
	struct rt_cursor c = { .text = text,
			       .at = text,
			       .end = text + strlen(text),
			       .arch = p->arch,
			       .types = p->types,
			       .scope = p->scope,
			       .defines = p->scope,
			       .err = err };
	bool is_typedef = is_first_word(text, "typedef");
	struct rt_specifiers s;
	struct rt_declarator d;
	struct rt_ctype *named;
	int r;

	c.at += is_typedef ? 7 : 0;
	r = rt_parse_specifiers(&c, false, &s);
	if (r < 0)
		return r;
	if (!s.type)
		return rt_expected(&c, c.at, "a type");
	if (is_typedef) {
		r = rt_parse_declarator(&c, s.type, s.is_const, &d);
		if (r < 0)
			return r;
		if (!d.name || d.length)
			return rt_expected(&c, d.length ? d.length : c.at, "the name of the type");
		d.type = rt_styled(&c, d.type, s.style);
		if (!d.type)
			return rt_nomem(err);
		/* An incomplete type may be completed later, so it must stay one object. */
		if (d.type->kind != RT_CT_UNKNOWN && d.type->kind != RT_CT_STRUCT &&
		    d.type->kind != RT_CT_UNION && d.type->kind != RT_CT_POINTER &&
		    d.type->kind != RT_CT_FUNCTION) {
			named = rt_types_alloc(p->types, sizeof(*named));
			if (!named)
				return rt_nomem(err);
			*named = *d.type;
			named->name = d.name;
			d.type = named;
		}
		if (rt_scope_add(p->scope, d.name, d.type) < 0)
			return rt_nomem(err);
	}
	rt_take(&c, ";");
	return rt_peek(&c) ? rt_expected(&c, c.at, "the end of the definition") : 0;
}

/* "machine x86-64 i386": constants are not the same on all. */
static bool is_other_machine(const struct rt_probes *p, const char *names)
{
	size_t n;

	for (names += strspn(names, " "); *names; names += n + strspn(names + n, " ")) {
		n = strcspn(names, " ");
		if (rt_is_word(names, n, "any") || rt_is_word(names, n, p->arch->name))
			return false;
	}
	return true;
}

/* Are these the names of two probes, with one '*' in both or none? */
static bool has_pair_names(const char *opens, const char *closes)
{
	return strchr(opens, ':') && strchr(closes, ':') &&
	       strchr(opens, '*') == strrchr(opens, '*') &&
	       strchr(closes, '*') == strrchr(closes, '*') &&
	       !strchr(opens, '*') == !strchr(closes, '*');
}

/* "2-5 inlined name $class.$method", all of which may be missing. */
static bool read_pair_options(struct rt_pair *pair, const char *at, char pattern[256])
{
	int n = 0;

	if (sscanf(at, " %u%n", &pair->first, &n) == 1) {
		at += n;
		pair->last = pair->first;
		if (sscanf(at, "-%u%n", &pair->last, &n) == 1)
			at += n;
		if (!pair->first || pair->first > pair->last || pair->last > RT_MAX_VALUES)
			return false;
	}
	at += strspn(at, " ");
	pair->inlined = is_first_word(at, "inlined");
	at += pair->inlined ? 7 : 0;
	if (sscanf(at, " name %255s%n", pattern, &n) == 1)
		at += n;
	return !at[strspn(at, " ")];
}

/* "pair p:x__entry p:x__return 2-5" */
static int add_pair(struct rt_probes *p, const char *file, unsigned line, const char *text,
		    struct rt_error *err)
{
	char names[2][256], pattern[256] = "";
	struct rt_pair pair = { .first = 0 };
	int n = 0;

	if (sscanf(text, "pair %255s %255s%n", names[0], names[1], &n) != 2 ||
	    !has_pair_names(names[0], names[1]) || !read_pair_options(&pair, text + n, pattern))
		return at_line(rt_usage(err, "'%.200s': expected pair PROVIDER:NAME PROVIDER:NAME "
					     "[FIRST-LAST] [inlined] [name PATTERN]; "
					     "a '*' is in both or in none",
					text),
			       file, line, err);
	if (RT_ROOM(&p->pairs, p->npairs, &p->pairs_cap) < 0)
		return rt_nomem(err);
	pair.opens = rt_types_name(p->types, names[0], strlen(names[0]));
	pair.closes = rt_types_name(p->types, names[1], strlen(names[1]));
	if (*pattern)
		pair.pattern = rt_types_name(p->types, pattern, strlen(pattern));
	if (!pair.opens || !pair.closes || (*pattern && !pair.pattern))
		return rt_nomem(err);
	p->pairs[p->npairs++] = pair;
	return 0;
}

static int add_statement(struct rt_probes *p, const char *file, unsigned line, const char *text,
			 struct rt_error *err)
{
	struct rt_statement *s;

	if (is_first_word(text, "library")) {
		for (text += 7; isspace((unsigned char)*text); text++)
			;
		p->libraries = *text ? text : NULL;
		return 0;
	}
	if (is_first_word(text, "requires")) {
		p->requires = is_first_word(text + 8 + strspn(text + 8, " "), "any") ? NULL
										     : text + 8;
		return 0;
	}
	if (is_first_word(text, "machine"))
		p->other_machine = is_other_machine(p, text + 7);
	if (p->other_machine || is_first_word(text, "machine"))
		return 0;
	if (is_first_word(text, "pair"))
		return add_pair(p, file, line, text, err);
	if (defines_type(text))
		return at_line(define_type(p, text, err), file, line, err);
	if (RT_ROOM(&p->v, p->n, &p->cap) < 0)
		return rt_nomem(err);
	s = &p->v[p->n];
	*s = (struct rt_statement){ .file = file,
				    .line = line,
				    .text = text,
				    .name = name_in(p, text),
				    .libraries = p->libraries,
				    .requires = p->requires };
	if (!s->name)
		return rt_nomem(err);
	p->n++;
	return 0;
}

/* Behind the statement that begins at `at`: at the first newline outside brackets and strings. */
static const char *statement_end(const char *at, const char *end, unsigned *lines)
{
	int depth = 0;
	char quote = 0;

	for (; at < end; at++) {
		if (*at == '\n') {
			if (depth <= 0)
				return at;
			(*lines)++;
			quote = 0;
		} else if (quote) {
			at += *at == '\\' && at + 1 < end && at[1] != '\n';
			quote = at < end && *at == quote ? 0 : quote;
		} else if (*at == '"') {
			quote = *at;
		} else if (*at == '#') {
			while (at + 1 < end && at[1] != '\n')
				at++;
		} else {
			depth += *at && strchr("([{", *at) ? 1 : *at && strchr(")]}", *at) ? -1 : 0;
		}
	}
	return end;
}

/* A copy of [at, end) without comments, newlines, and blanks at its ends. */
static char *clean(struct rt_probes *p, const char *at, const char *end)
{
	char *copy = rt_types_alloc(p->types, (size_t)(end - at) + 1), *out = copy;
	char quote = 0;

	if (!copy)
		return NULL;
	for (; at < end; at++) {
		if (*at == '#' && !quote) {
			while (at + 1 < end && at[1] != '\n')
				at++;
			continue;
		}
		if (*at == '"' && (out == copy || out[-1] != '\\'))
			quote = quote ? 0 : *at;
		if (out > copy || !isspace((unsigned char)*at))
			*out++ = *at && !isspace((unsigned char)*at) ? *at : ' ';
	}
	while (out > copy && out[-1] == ' ')
		out--;
	*out = '\0';
	return copy;
}

int rt_probes_add(struct rt_probes *p, const char *file, const char *text, size_t n,
		  struct rt_error *err)
{
	const char *at = text, *end = text + n, *stop;
	unsigned line = 1, lines;
	char *statement;
	int r = 0;

	free(p->by_name);
	p->by_name = NULL;
	p->libraries = NULL;
	p->requires = NULL;
	p->other_machine = false;
	file = rt_types_name(p->types, file, strlen(file));
	if (!file)
		return rt_nomem(err);
	for (; at < end && r == 0; at = stop < end ? stop + 1 : stop, line += lines) {
		lines = 1;
		stop = statement_end(at, end, &lines);
		statement = clean(p, at, stop);
		if (!statement)
			return rt_nomem(err);
		if (*statement)
			r = add_statement(p, file, line, statement, err);
	}
	return r;
}

/* ---- prototypes of libraries ---- */

static int compare_names(const void *pa, const void *pb)
{
	const struct by_name *a = pa, *b = pb;
	int by_name = strcmp(a->name, b->name);

	return by_name ? by_name : a->statement < b->statement ? -1 : a->statement > b->statement;
}

static int sort_names(struct rt_probes *p)
{
	size_t i;

	if (p->by_name)
		return 0;
	p->by_name = calloc(p->n + 1, sizeof(*p->by_name));
	if (!p->by_name)
		return -ENOMEM;
	for (i = 0; i < p->n; i++)
		p->by_name[i] = (struct by_name){ .name = p->v[i].name, .statement = i };
	qsort(p->by_name, p->n, sizeof(*p->by_name), compare_names);
	return 0;
}

bool rt_statement_is_of(const struct rt_statement *s, const char *soname)
{
	const char *at = s->libraries;
	char glob[64];
	size_t n;

	while (at && *at) {
		n = strcspn(at, " ");
		if (n < sizeof(glob)) {
			memcpy(glob, at, n);
			glob[n] = '\0';
			if (rt_glob_match(glob, soname))
				return true;
		}
		at += n + strspn(at + n, " ");
	}
	return false;
}

bool rt_statement_is_met(const struct rt_statement *s, bool (*has)(void *ctx, const char *name),
			 void *ctx)
{
	const char *at = s->requires ? s->requires + strspn(s->requires, " ") : "";
	char name[128];
	bool none;
	size_t n;

	for (; *at; at += n + strspn(at + n, " ")) {
		n = strcspn(at, " ");
		none = *at == '!';
		snprintf(name, sizeof(name), "%.*s", (int)n - none, at + none);
		if (has(ctx, name) == none)
			return false;
	}
	return true;
}

static const struct rt_prototype *prototype_of(struct rt_probes *p, size_t statement)
{
	struct rt_spec *spec;
	struct rt_error err;
	size_t i;

	for (i = 0; i < p->nparsed; i++)
		if (p->parsed[i].statement == statement)
			return p->parsed[i].spec->prototype;
	spec = calloc(1, sizeof(*spec));
	if (!spec || RT_ROOM(&p->parsed, p->nparsed, &p->parsed_cap) < 0 ||
	    rt_spec_parse(p->v[statement].text, p->arch, p->scope, spec, &err) < 0) {
		free(spec);
		return NULL;
	}
	p->parsed[p->nparsed++] = (struct parsed){ .spec = spec, .statement = statement };
	if (!spec->params_given || spec->nshown || spec->nconditions || spec->provider)
		return NULL;
	((struct rt_prototype *)spec->prototype)->origin = RT_ORIGIN_LIBRARY;
	return spec->prototype;
}

const struct rt_prototype *rt_probes_prototype(struct rt_probes *p, const char *soname,
					       const char *name)
{
	size_t low = 0, high = p->n, middle;

	if (!soname || !*name || sort_names(p) < 0)
		return NULL;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(p->by_name[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->n && strcmp(p->by_name[low].name, name) == 0; low++)
		if (!p->v[p->by_name[low].statement].requires &&
		    rt_statement_is_of(&p->v[p->by_name[low].statement], soname))
			return prototype_of(p, p->by_name[low].statement);
	return NULL;
}

/* ---- finding the files ---- */

enum { SIZE_LIMIT = 1 << 20 };

/* The text of an open file, malloced, with its length in `*n`. */
static char *read_text(int fd, size_t size, size_t *n)
{
	char *text = malloc(size + 1);
	ssize_t r = 0;

	for (*n = 0; text && *n < size; *n += (size_t)r) {
		r = read(fd, text + *n, size - *n);
		if (r <= 0)
			break;
	}
	if (r >= 0)
		return text;
	free(text);
	return NULL;
}

static int add_open(struct rt_probes *p, const char *path, int fd, struct rt_error *err)
{
	struct stat st;
	size_t n = 0;
	char *text;
	int r;

	if (fstat(fd, &st) < 0)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, -EINVAL, "%s: %s", path,
			       S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file");
	if (st.st_size > SIZE_LIMIT)
		return rt_fail(err, -EFBIG, "%s: too large for a file of probes; at most 1 MB",
			       path);
	text = read_text(fd, (size_t)st.st_size, &n);
	if (!text)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	r = rt_probes_add(p, path, text, n, err);
	free(text);
	return r;
}

static int add_file(struct rt_probes *p, const char *path, struct rt_error *err)
{
	/* A FIFO that nobody writes to is not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r;

	if (fd < 0)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	r = add_open(p, path, fd, err);
	close(fd);
	return r;
}

/* The phrase of byte `c` of an embedded text; NULL: the byte itself. */
static const char *phrase(char c)
{
	return (unsigned char)c & 0x80 ? rt_embedded_phrases[(unsigned char)c & 0x7f] : NULL;
}

static int add_embedded(struct rt_probes *p, const struct rt_embedded *e, struct rt_error *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);
	const char *at;
	int r;

	if (!file)
		return rt_nomem(err);
	for (at = e->text; *at; at++)
		if (phrase(*at))
			fputs(phrase(*at), file);
		else
			fputc(*at, file);
	r = fclose(file) == 0 ? rt_probes_add(p, e->name, text, n, err) : rt_nomem(err);
	free(text);
	return r;
}

/* NAME in each of the folders, which ':' separates: -ENOENT where none has it. */
static int load_from(struct rt_probes *p, const char *folders, const char *name,
		     struct rt_error *err)
{
	char path[4096];
	size_t n;

	while (folders && *folders) {
		n = strcspn(folders, ":");
		if (n &&
		    snprintf(path, sizeof(path), "%.*s/%s", (int)n, folders, name) <
			    (int)sizeof(path) &&
		    access(path, R_OK) == 0)
			return add_file(p, path, err);
		folders += n + (folders[n] == ':');
	}
	return -ENOENT;
}

static int load_beside_executable(struct rt_probes *p, const char *name, struct rt_error *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	if (n <= 0)
		return -ENOENT;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	strcpy(slash, "/probes");
	return load_from(p, path, name, err);
}

static int no_file(const char *name, struct rt_error *err)
{
	char names[512] = "";
	size_t at = 0;
	unsigned i;

	for (i = 0; rt_embedded[i].name && at < sizeof(names) - 64; i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%.40s", i ? ", " : "",
				       rt_embedded[i].name);
	return rt_usage(err, "@%s: no such file of probes; there are: %s", name, names);
}

int rt_probes_load(struct rt_probes *p, const char *name, struct rt_error *err)
{
	unsigned i;
	int r;

	if (strchr(name, '/'))
		return add_file(p, name, err);
	r = *name ? load_from(p, getenv("RAWTRACE_PROBES"), name, err) : -ENOENT;
	if (r == -ENOENT && *name)
		r = load_beside_executable(p, name, err);
	if (r == -ENOENT && *name)
		r = load_from(p, RT_PROBES_DIR, name, err);
	for (i = 0; r == -ENOENT && rt_embedded[i].name; i++)
		if (strcmp(rt_embedded[i].name, name) == 0)
			return add_embedded(p, &rt_embedded[i], err);
	return r == -ENOENT ? no_file(name, err) : r;
}

int rt_probes_load_all(struct rt_probes *p, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; rt_embedded[i].name && r == 0; i++)
		r = add_embedded(p, &rt_embedded[i], err);
	return r;
}

/* ---- the types that a file declares ---- */

struct named {
	const char *name;		/* "struct stat", "z_stream" */
	const struct rt_ctype *type;
};

struct rt_scope {
	struct rt_types *types;
	struct named *v;
	size_t n, cap;
};

struct rt_scope *rt_scope_new(void)
{
	struct rt_scope *scope = calloc(1, sizeof(*scope));

	if (!scope)
		return NULL;
	scope->types = rt_types_new();
	if (scope->types)
		return scope;
	free(scope);
	return NULL;
}

void rt_scope_free(struct rt_scope *scope)
{
	if (!scope)
		return;
	rt_types_free(scope->types);
	free(scope->v);
	free(scope);
}

struct rt_types *rt_scope_types(struct rt_scope *scope)
{
	return scope->types;
}

/* The last one counts, as a file may define a name anew. */
const struct rt_ctype *rt_scope_find(const struct rt_scope *scope, const char *name, size_t n)
{
	size_t i;

	for (i = scope ? scope->n : 0; i-- > 0;)
		if (rt_is_word(name, n, scope->v[i].name))
			return scope->v[i].type;
	return NULL;
}

int rt_scope_add(struct rt_scope *scope, const char *name, const struct rt_ctype *type)
{
	if (RT_ROOM(&scope->v, scope->n, &scope->cap) < 0)
		return -ENOMEM;
	scope->v[scope->n] = (struct named){
		.name = rt_types_name(scope->types, name, strlen(name)), .type = type
	};
	return scope->v[scope->n].name ? (int)(scope->n++, 0) : -ENOMEM;
}
