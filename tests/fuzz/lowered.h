/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FUZZ_LOWERED_H
#define RT_FUZZ_LOWERED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/lower.h"

/*
 * A specification, the input up to its first newline, made into plans; what follows is the
 * target's.
 */
struct lowered {
	char *text;
	struct rt_spec spec;
	struct rt_types *types;
	struct rt_plan plans[2];	/* by kind */
	struct rt_shows shows;
	bool parsed, has[2];
	const uint8_t *rest;
	size_t nrest;
};

static inline void lower_words(struct lowered *l, const struct rt_arch *arch)
{
	struct rt_error err;

	if (rt_has_words(&l->spec, RT_KIND_ENTRY))
		l->has[0] = rt_lower_words(&l->spec, RT_KIND_ENTRY, arch, l->types, &l->plans[0],
					   &l->shows.entry, &err) == 0;
	if (rt_has_words(&l->spec, RT_KIND_RETURN))
		l->has[1] = rt_lower_words(&l->spec, RT_KIND_RETURN, arch, l->types, &l->plans[1],
					   &l->shows.exit, &err) == 0;
}

static inline void lower_prototype(struct lowered *l, const struct rt_arch *arch,
				   const struct rt_limits *limits)
{
	const struct rt_prototype *p = NULL;
	struct rt_error err;

	if (rt_spec_prototype(&l->spec, NULL, l->types, NULL, &p, &err) < 0 || !p)
		return;
	l->has[0] = rt_lower_entry(p, &l->spec, arch, limits, l->types, &l->plans[0],
				   &l->shows.entry, &err) == 0 &&
		    rt_lower_keep(p, &l->spec, arch, limits, l->types, &l->plans[0]) == 0;
	l->has[1] = rt_lower_return(p, &l->spec, arch, limits, l->types, &l->plans[1],
				    &l->shows.exit, &err) == 0;
	if (l->has[0] && l->has[1] && l->plans[0].nsaved != l->plans[1].nsaved)
		abort();
}

static inline void lower_input(struct lowered *l, const uint8_t *data, size_t size,
			       const struct rt_arch *arch, const struct rt_limits *limits)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t n = newline ? (size_t)(newline - data) : size;
	struct rt_error err;

	memset(l, 0, sizeof(*l));
	l->text = malloc(n + 1);
	l->types = rt_types_new();
	if (!l->text || !l->types)
		return;
	memcpy(l->text, data, n);
	l->text[n] = '\0';
	l->rest = newline ? newline + 1 : data + size;
	l->nrest = size - (size_t)(l->rest - data);
	l->parsed = rt_spec_parse(l->text, arch, NULL, &l->spec, &err) == 0;
	if (l->parsed && l->spec.nwords)
		lower_words(l, arch);
	else if (l->parsed)
		lower_prototype(l, arch, limits);
	l->shows.entry.plan = &l->plans[0];
	l->shows.exit.plan = &l->plans[1];
}

static inline void lowered_free(struct lowered *l)
{
	if (l->parsed)
		rt_spec_free(&l->spec);
	rt_types_free(l->types);
	free(l->text);
}

#endif
