/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "elf/file.h"
#include "base/distance.h"
#include "symbols/private.h"

#define MAX_PLAIN 256

struct near {
	const char *name;
	unsigned score;		/* 0: the same but for case */
	size_t len;
};

/* A name of Go without the brackets of pointers and of types: net/http.Client.Get.  false: it does not fit. */
static bool without_brackets(const char *name, char text[MAX_PLAIN])
{
	size_t n = 0;
	int depth = 0;

	for (; *name && n + 1 < MAX_PLAIN; name++) {
		depth += (*name == '[') - (*name == ']');
		if (!depth && !strchr("(*)]", *name))
			text[n++] = *name;
	}
	text[n] = '\0';
	return !*name;
}

static bool ends_in(const char *name, size_t n, const char *part, size_t npart)
{
	return n >= npart && strncasecmp(name + n - npart, part, npart) == 0 && (n == npart || strchr("./", name[n - npart - 1]));
}

static const char *behind_package(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strchr(slash ? slash : name, '.');
}

/*
 * Go: the same without its package or its receiver's type: fib for main.fib, Client.Get and http.Get for net/http.(*Client).Get, which
 * the plain function calls that is so short that it is inlined.  Better where the case is the same.
 */
static unsigned score_go(const char *want, const char *name)
{
	char a[MAX_PLAIN], b[MAX_PLAIN];
	const char *pa, *pb, *last;

	if (!strchr(name, '.') || !without_brackets(want, a) || !without_brackets(name, b))
		return UINT32_MAX;
	if (strcmp(a, b) == 0)
		return 0;
	if (ends_in(b, strlen(b), a, strlen(a)))
		return strcmp(b + strlen(b) - strlen(a), a) == 0 ? 1 : 2;
	pa = behind_package(a);
	pb = behind_package(b);
	if (!pa || !pb)
		return UINT32_MAX;
	last = strrchr(pb, '.');
	return strcasecmp(last, pa) == 0 && ends_in(b, (size_t)(pb - b), a, (size_t)(pa - a)) ? 2 : UINT32_MAX;
}

/* How far `name` is from `want`; UINT32_MAX: not near. */
static unsigned score(const char *want, size_t nwant, const char *name, size_t nname)
{
	unsigned d;
	size_t skip;

	if (strcasecmp(want, name) == 0)
		return 0;
	d = score_go(want, name);
	if (d != UINT32_MAX)
		return d;
	skip = strspn(name, "_");
	if (skip && strcmp(want, name + skip) == 0)
		return 1;
	d = rt_near(want, nwant, name, nname);
	if (d != UINT32_MAX)
		return 1 + d;
	if (nwant >= 3 && strncmp(want, name, nwant) == 0)
		return 10;
	/* A C++ or Rust name holds the plain one: _Z3fibi. */
	if (nwant >= 3 && strstr(name, want))
		return 11;
	if (nname >= 4 && strstr(want, name))
		return 12;
	return UINT32_MAX;
}

static bool better(const struct near *a, const struct near *b)
{
	if (a->score != b->score)
		return a->score < b->score;
	if (a->len != b->len)
		return a->len < b->len;
	return strcmp(a->name, b->name) < 0;
}

/* Keep `it` among the best `*n` if it belongs there and its name is new. */
static void keep(struct near *best, size_t *n, struct near it)
{
	struct near swap;
	size_t i;

	for (i = 0; i < *n; i++)
		if (strcmp(best[i].name, it.name) == 0)
			return;
	for (i = 0; i < *n; i++) {
		if (better(&it, &best[i])) {
			swap = best[i];
			best[i] = it;
			it = swap;
		}
	}
	if (*n < RT_MAX_NEAREST)
		best[(*n)++] = it;
}

static size_t find_best(const char *want, const struct rt_symbol *v, size_t n, bool go, const char *nearest[RT_MAX_NEAREST])
{
	struct near best[RT_MAX_NEAREST];
	size_t i, nbest = 0, nwant = strlen(want);

	for (i = 0; i < n; i++) {
		struct near it = { .name = v[i].name, .len = strlen(v[i].name) };

		it.score = go ? score_go(want, it.name) : score(want, nwant, it.name, it.len);
		if (it.score != UINT32_MAX && v[i].kind != RT_SYM_NOTYPE && !rt_name_fragment(it.name))
			keep(best, &nbest, it);
	}
	for (i = 0; i < nbest; i++)
		nearest[i] = best[i].name;
	return nbest;
}

size_t rt_nearest(const char *want, const struct rt_symbol *v, size_t n, const char *nearest[RT_MAX_NEAREST])
{
	return find_best(want, v, n, false, nearest);
}

size_t rt_nearest_go(const char *want, const struct rt_symbol *v, size_t n, const char *nearest[RT_MAX_NEAREST])
{
	return find_best(want, v, n, true, nearest);
}
