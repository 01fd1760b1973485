/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "elf/eh_frame.h"
#include "symbols/inside.h"
#include "elf/file.h"
#include "code/prologue.h"
#include "symbols/unnamed.h"
#include "base/array.h"
#include "code/stub.h"

static int take(struct rt_batch *b, const struct rt_symbol *symbol, uint64_t addr, uint64_t size,
		bool sized)
{
	struct rt_match *m;

	if (RT_ROOM(&b->v, b->n, &b->cap))
		return -ENOMEM;
	m = &b->v[b->n++];
	memset(m, 0, sizeof(*m));
	m->symbol = symbol;
	m->addr = addr;
	m->size = size;
	m->sized = sized;
	m->notype = symbol->kind == RT_SYM_NOTYPE;
	return 0;
}

/*
 * An implementation, with its size where a symbol tells it, or what unwinds stacks.  0, -ENOMEM, or
 * -ENOTSUP and the reason: it cannot be probed.
 */
static int take_implementation(struct rt_batch *b, const struct rt_symbol *symbol, uint64_t addr,
			       const char **why)
{
	const char *no = rt_image_refuses(b->image, addr, NULL);
	const struct rt_symbol *v;
	uint32_t behind = 0;
	uint64_t size;
	bool sized;
	size_t n;

	v = rt_symbols_at(b->image, addr, &n);
	sized = n && v[0].sized;
	size = sized ? v[0].size : rt_eh_size(b->image, addr);
	sized |= size != 0;
	if (!size && n)
		size = v[0].size;
	if (no)
		behind = rt_prologue_behind(b->image, addr, sized ? size : 0);
	if (no && !behind) {
		*why = no;
		return -ENOTSUP;
	}
	if (take(b, symbol, addr, size, sized))
		return -ENOMEM;
	b->v[b->n - 1].refused = no;
	b->v[b->n - 1].behind = behind;
	return 0;
}

/*
 * The functions of which the C library prefers the kernel's, where that maps one into each process
 * (arch/x86, sysdeps/unix/sysv/linux).
 */
static void note_vdso(struct rt_batch *b, const char *name)
{
	static const char *const names[] = { "time", "gettimeofday" };
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (strcmp(name + (strncmp(name, "__", 2) == 0 ? 2 : 0), names[i]) == 0)
			b->in_vdso[i] = names[i];
}

static int take_ifunc(struct rt_batch *b, const struct rt_symbol *symbol, struct rt_error *err)
{
	uint64_t v[RT_MAX_IMPLEMENTATIONS];
	size_t i, n = rt_ifunc_implementations(b->image, symbol, v), taken = 0;
	const char *why = NULL;
	int r;

	note_vdso(b, symbol->name);
	for (i = 0; i < n; i++) {
		r = take_implementation(b, symbol, v[i], &why);
		if (r == -ENOMEM)
			return rt_nomem(err);
		taken += r == 0;
	}
	if (why && (taken || b->several)) {
		if (!b->unseen) {
			b->unseen = n - taken;
			b->unseen_of = n;
			b->unseen_name = symbol->name;
			b->unseen_why = why;
		}
		/* Aliases stand together. */
		b->unseen_ifuncs += symbol->addr != b->unseen_at;
		b->unseen_at = symbol->addr;
	}
	if (taken || b->several)
		return 0;
	if (why)
		return rt_fail(err, -ENOTSUP,
			       "%s: '%s' is an IFUNC; no implementation can be probed: one %s",
			       rt_image_name(b->image), symbol->name, why);
	return rt_fail(err, -ENOENT, "%s: '%s' is an IFUNC; its implementations were not found",
		       rt_image_name(b->image), symbol->name);
}

/*
 * Functions of crt1.o, crti.o, crtbegin.o and libc_nonshared.a (glibc, GCC), which are linked into
 * every program.
 */
static bool is_c_runtime(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"_init",
		"_fini",
		"frame_dummy",
		"register_tm_clones",
		"deregister_tm_clones",
		"__do_global_dtors_aux",
		"__do_global_ctors_aux",
		"__libc_csu_init",
		"__libc_csu_fini",
		"__libc_csu_irel",
		"_dl_relocate_static_pie",
		"call_weak_fn",
		"__wrap_main",
	};
	static const char thunk[] = "__x86.get_pc_thunk.";
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, thunk, sizeof(thunk) - 1) == 0;
}

static int take_symbol(struct rt_batch *b, const struct rt_symbol *symbol, struct rt_error *err)
{
	uint32_t behind = 0;
	const char *why;
	bool call;

	if (symbol->kind == RT_SYM_IFUNC)
		return take_ifunc(b, symbol, err);
	if (b->several && (symbol->kind == RT_SYM_NOTYPE || strstr(symbol->name, ".cold")))
		return 0;
	why = rt_image_refuses(b->image, symbol->addr, &call);
	/* Some kernels spoil AVX instructions; the place behind one is as good. */
	if (why && !b->spec->has_offset)
		behind = rt_prologue_behind(b->image, symbol->addr,
					    symbol->sized ? symbol->size : 0);
	/* If another kernel could probe it, rt_place_no_entries leaves it out, with a remark. */
	if (why && !behind && b->several && !call)
		return 0;
	if (why && !behind && !b->several && !b->spec->has_offset)
		return rt_fail(err, -ENOTSUP, "%s: '%s' %s", rt_image_name(b->image), symbol->name,
			       why);
	if (take(b, symbol, symbol->addr, symbol->size, symbol->sized))
		return rt_nomem(err);
	b->v[b->n - 1].refused = b->spec->has_offset ? NULL : why;
	b->v[b->n - 1].behind = behind;
	return 0;
}

static int compare_matches(const void *pa, const void *pb)
{
	const struct rt_match *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return rt_symbol_compare(a->symbol, b->symbol);
}

/* The symbols that the spec means: with `written`, by what their mangled names stand for. */
static int match_symbols(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
			 bool written, struct rt_error *err)
{
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		if (b->spec->glob ? !rt_matches(&b->matcher, &symbols[i])
		    : written	  ? !rt_matches_written(&b->matcher, &symbols[i])
				  : !rt_matches_raw(&b->matcher, &symbols[i]))
			continue;
		b->named++;
		if (b->spec->glob && !b->spec->c_runtime && !b->c_runtime &&
		    is_c_runtime(symbols[i].name))
			continue;
		ret = take_symbol(b, &symbols[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static int match_written(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
			 struct rt_error *err)
{
	int ret;

	b->matcher.loose = false;
	ret = match_symbols(b, symbols, n, true, err);
	if (ret || b->named)
		return ret;
	b->matcher.loose = true;
	return match_symbols(b, symbols, n, true, err);
}

/*
 * A typedef by its name as the function itself would see it: in its class, in the namespaces around
 * that.
 */
static bool find_alias(void *ctx, const char *name, char *text, size_t size)
{
	const struct rt_batch *b = ctx;
	const char *scope = b->spec->overload;
	size_t n = strcspn(scope, "(");
	char whole[1024];

	for (;;) {
		while (n && scope[n - 1] != ':')
			n--;
		snprintf(whole, sizeof(whole), "%.*s%s", (int)n, scope, name);
		if (rt_dwarf_alias(b->image, whole, text, size))
			return true;
		if (!n)
			return false;
		n -= n > 1 ? 2 : n;
	}
}

static int match_parameters(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
			    bool alias, struct rt_error *err)
{
	struct rt_spec with = *b->spec;
	const struct rt_spec *spec = b->spec;
	struct rt_matcher matcher = b->matcher;
	int ret;

	with.function = spec->overload;
	ret = rt_matcher_begin_alias(&b->matcher, &with, alias ? find_alias : NULL, b)
		      ? rt_nomem(err)
		      : 0;
	if (ret == 0) {
		b->spec = &with;
		ret = match_written(b, symbols, n, err);
		b->spec = spec;
	}
	rt_matcher_free(&b->matcher);
	b->matcher = matcher;
	return ret;
}

/*
 * A prototype means the function with its parameters, and that of other ones, or written in another
 * way, only where there is just one.
 */
static int match_overload(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
			  struct rt_error *err)
{
	const struct rt_spec *spec = b->spec;
	bool several = false;
	size_t i;
	int ret;

	ret = match_parameters(b, symbols, n, false, err);
	if (ret || b->named)
		return ret;
	ret = match_written(b, symbols, n, err);
	if (ret == 0 && b->n)
		qsort(b->v, b->n, sizeof(*b->v), compare_matches);
	for (i = 1; i < b->n; i++)
		several |= b->v[i].addr != b->v[0].addr;
	if (ret || !(several || (b->n && spec->overload_only)))
		return ret;
	b->n = b->named = 0;
	ret = match_parameters(b, symbols, n, true, err);
	if (ret == 0 && !b->named)
		ret = rt_usage(err, "%s: there %s '%s', but no '%s'; try: rawtrace list",
			       rt_image_name(b->image),
			       several ? "are several functions" : "is a function", spec->function,
			       spec->overload);
	return ret;
}

/* Versions are shown where they were asked for, and where a name has several. */
static void mark_versions(struct rt_batch *b)
{
	size_t i, k;

	for (i = 0; i < b->n; i++) {
		const struct rt_symbol *s = b->v[i].symbol;

		b->v[i].versioned |= s->version && b->matcher.version;
		if (!s->version || s->default_version)
			continue;
		for (k = 0; k < b->n; k++)
			if (k != i && strcmp(s->name, b->v[k].symbol->name) == 0)
				b->v[i].versioned = b->v[k].versioned = true;
	}
}

/* memcpy and memmove can be one place, and both be imported: nobody can say which was called. */
static void add_name(struct rt_match *m, const struct rt_symbol *symbol)
{
	size_t i;

	if (strcmp(m->symbol->name, symbol->name) == 0)
		return;
	for (i = 0; i < RT_COUNT(m->also); i++) {
		if (m->also[i] && strcmp(m->also[i]->name, symbol->name) != 0)
			continue;
		m->also[i] = symbol;
		return;
	}
}

int rt_batch_fill(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
		  struct rt_error *err)
{
	size_t i, last = 0;
	int ret;

	b->several = b->spec->glob || b->libcalls;
	ret = match_symbols(b, symbols, n, false, err);
	if (ret == 0 && b->named && !b->n && b->spec->glob) {
		/* It means nothing else. */
		b->c_runtime = true;
		b->named = 0;
		ret = match_symbols(b, symbols, n, false, err);
	}
	if (ret == 0 && !b->named && !b->spec->glob) {
		b->several = true;
		ret = b->spec->overload ? match_overload(b, symbols, n, err)
					: match_written(b, symbols, n, err);
	}
	if (ret || b->n == 0)
		return ret;
	qsort(b->v, b->n, sizeof(*b->v), compare_matches);
	for (i = 1; i < b->n; i++) {
		if (b->v[i].addr != b->v[last].addr)
			b->v[++last] = b->v[i];
		else if (b->libcalls)
			add_name(&b->v[last], b->v[i].symbol);
	}
	b->n = last + 1;
	mark_versions(b);
	return 0;
}

/* ---- places: FUNC+OFFSET, 0xADDRESS, FUNC@file.c ---- */

static int not_there(const struct rt_batch *b, const char *name, uint64_t behind, const char *why,
		     struct rt_error *err)
{
	char offset[24] = "";

	if (behind)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)behind);
	return rt_fail(err, -ENOTSUP, "%s: '%s%s' cannot be probed: it %s", rt_image_name(b->image),
		       name, offset, why);
}

static int move_inside(struct rt_batch *b, uint32_t offset, struct rt_error *err)
{
	const char *why;
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct rt_match *m = &b->v[i];

		why = m->size && offset >= m->size ? "is behind the function's end"
						   : rt_inside(b->image, m->addr, m->addr + offset);
		if (!why)
			why = rt_image_refuses(b->image, m->addr + offset, NULL);
		if (why)
			return not_there(b, m->symbol->name, offset, why, err);
		m->inside = offset;
		m->addr += offset;
		m->size -= m->size ? offset : 0;
	}
	return 0;
}

static int match_address(struct rt_batch *b, struct rt_error *err)
{
	uint64_t addr = b->spec->address;
	const struct rt_symbol *v, *before;
	const char *why;
	size_t i, n;
	int ret = 0;

	b->named = 1;
	v = rt_symbols_at(b->image, addr, &n);
	for (i = 0; i < n && ret == 0; i++)
		if (v[i].kind != RT_SYM_IFUNC)
			ret = take_symbol(b, &v[i], err);
	if (ret || b->n) {
		qsort(b->v, b->n, sizeof(*b->v), compare_matches);
		b->n = b->n ? 1 : 0;
		return ret;
	}
	before = rt_unnamed_at(b->image, addr);
	if (before && addr == before->addr)
		return take_symbol(b, before, err);
	if (!before)
		before = rt_symbol_before(b->image, addr);
	if (before && addr - before->addr < before->size && addr - before->addr <= UINT32_MAX) {
		if (take(b, before, before->addr, before->size, before->sized))
			return rt_nomem(err);
		return move_inside(b, (uint32_t)(addr - before->addr), err);
	}
	why = rt_inside_nothing(b->image, addr);
	if (!why)
		why = rt_image_refuses(b->image, addr, NULL);
	if (why)
		return not_there(b, b->spec->function, 0, why, err);
	b->made = (struct rt_symbol){ .name = b->spec->function,
				      .addr = addr,
				      .kind = RT_SYM_NOTYPE };
	return take(b, &b->made, addr, 0, false) ? rt_nomem(err) : 0;
}

/* Keep only the functions of the source file. */
static int keep_file(struct rt_batch *b, struct rt_error *err)
{
	const char *other = NULL, *path;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		path = rt_dwarf_file(b->image, b->v[i].addr);
		other = path ? path : other;
		if (rt_same_file(path, b->spec->file))
			b->v[n++] = b->v[i];
	}
	if (!n && !other)
		return rt_usage(err, "%s: no debug information has the file of '%s'",
				rt_image_name(b->image), b->spec->function);
	if (!n)
		return rt_usage(err, "%s: no function '%s' in a file '%s'; there is one in %s",
				rt_image_name(b->image), b->spec->function, b->spec->file, other);
	b->n = n;
	return 0;
}

int rt_batch_find(struct rt_batch *b, const struct rt_symbol *symbols, size_t n,
		  struct rt_error *err)
{
	int ret;

	if (b->spec->has_address)
		return match_address(b, err);
	ret = rt_batch_fill(b, symbols, n, err);
	if (ret == 0 && b->n && b->spec->file)
		ret = keep_file(b, err);
	if (ret == 0 && b->spec->has_offset)
		ret = move_inside(b, b->spec->offset, err);
	return ret;
}
