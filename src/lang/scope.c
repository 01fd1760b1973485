/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cursor.h"
#include "base/array.h"

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
	scope->v[scope->n] = (struct named){ .name = rt_types_name(scope->types, name, strlen(name)), .type = type };
	return scope->v[scope->n].name ? (int)(scope->n++, 0) : -ENOMEM;
}
