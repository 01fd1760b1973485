/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which traced function a jump out of another one leads to:
 *
 *   jmp b               b's address is in the instruction: one function
 *   jmp free@plt        a slot, which the loader binds to a name: all traced functions of that name
 *   jmp memcpy@plt      the same, of an IFUNC: those that its resolver chooses from
 *   jmp *%rax           known only when it is hit (feed.c)
 *
 * A name may be bound to a function that is not traced, though another one of the name is.  So the
 * thread's next hit decides whether such a jump was a tail call of one of them (calls/stack.c).
 */
#include "plan/callees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "base/array.h"
#include "code/stub.h"

struct named {
	const char *name;
	uint32_t function;
};

struct rt_callees {
	const struct rt_functions *functions;
	const struct rt_function **by_addr;	/* by image and address */
	struct named *names;			/* sorted; made when a slot is first asked for */
	size_t nnames, cap;
	bool named;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct rt_function *const *x = a, *const *y = b;

	if ((*x)->image != (*y)->image)
		return (uintptr_t)(*x)->image < (uintptr_t)(*y)->image ? -1 : 1;
	return (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

struct rt_callees *rt_callees_new(const struct rt_functions *functions)
{
	struct rt_callees *c = calloc(1, sizeof(*c));
	size_t i;

	if (!c)
		return NULL;
	c->functions = functions;
	c->by_addr = calloc(functions->n + 1, sizeof(*c->by_addr));
	if (!c->by_addr) {
		rt_callees_free(c);
		return NULL;
	}
	for (i = 0; i < functions->n; i++)
		c->by_addr[i] = &functions->v[i];
	qsort(c->by_addr, functions->n, sizeof(*c->by_addr), compare_addresses);
	return c;
}

void rt_callees_free(struct rt_callees *c)
{
	if (!c)
		return;
	free(c->by_addr);
	free(c->names);
	free(c);
}

/* The last function that begins at `addr` or before it, in its image; NULL: none. */
static const struct rt_function *find_before(const struct rt_callees *c,
					     const struct rt_image *image, uint64_t addr)
{
	const struct rt_function key = { .image = (struct rt_image *)image, .addr = addr };
	const struct rt_function *at = &key;
	size_t low = 0, high = c->functions->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_addresses(&c->by_addr[mid], &at) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low && c->by_addr[low - 1]->image == image ? c->by_addr[low - 1] : NULL;
}

/* ---- by name ---- */

static int add_name(struct rt_callees *c, const char *name, const struct rt_image *image,
		    uint64_t addr)
{
	const struct rt_function *f = find_before(c, image, addr);

	if (!f || f->addr != addr || f->how == RT_HOW_NONE || f->role || f->tail)
		return 0;
	if (RT_ROOM(&c->names, c->nnames, &c->cap) < 0)
		return -ENOMEM;
	c->names[c->nnames++] = (struct named){ name, (uint32_t)(f - c->functions->v) };
	return 0;
}

static int add_symbol(struct rt_callees *c, const struct rt_image *image, const struct rt_symbol *s)
{
	uint64_t v[RT_MAX_IMPLEMENTATIONS];
	size_t i, n;
	int r = 0;

	if (s->kind != RT_SYM_IFUNC)
		return s->dynamic ? add_name(c, s->name, image, s->addr) : 0;
	n = rt_ifunc_implementations(image, s, v);
	for (i = 0; i < n && r == 0; i++)
		r = add_name(c, s->name, image, v[i]);
	return r;
}

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : x->function < y->function ? -1 : x->function > y->function;
}

/* Read the slots of all files that have a traced function. */
static int find_names(struct rt_callees *c)
{
	const struct rt_symbol *v;
	struct rt_image *image;
	size_t i, k, n;
	int r = 0;

	c->named = true;
	for (i = 0; i < c->functions->n && r == 0; i++) {
		image = c->by_addr[i]->image;
		if (i && c->by_addr[i - 1]->image == image)
			continue;
		if (rt_image_symbols(image, &v, &n, NULL) < 0)
			continue;
		for (k = 0; k < n && r == 0; k++)
			r = add_symbol(c, image, &v[k]);
	}
	if (c->nnames)
		qsort(c->names, c->nnames, sizeof(*c->names), compare_names);
	return r;
}

/* The functions of that name: the first's place, and how many. */
static size_t find_name(const struct rt_callees *c, const char *name, const struct named **first)
{
	size_t low = 0, high = c->nnames, mid, n;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(c->names[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (n = low; n < c->nnames && strcmp(c->names[n].name, name) == 0; n++)
		;
	*first = c->names + low;
	return n - low;
}

static int find_through(struct rt_callees *c, struct rt_code *code, struct rt_exit *e)
{
	const char *name = rt_exit_slot(code, e) ? rt_exit_symbol(code, e) : NULL;
	const struct named *first;
	size_t i, n;

	free(e->through);
	e->through = NULL;
	e->nthrough = 0;
	if (!name)
		return 0;
	if (!c->named && find_names(c) < 0)
		return -ENOMEM;
	n = find_name(c, name, &first);
	if (!n)
		return 0;
	e->through = calloc(n, sizeof(*e->through));
	if (!e->through)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		e->through[e->nthrough++] = first[i].function;
	return 0;
}

/* ---- all of them ---- */

static int find_one(struct rt_callees *c, struct rt_code *code, const struct rt_image *image,
		    struct rt_exit *e)
{
	const struct rt_function *f = e->target ? find_before(c, image, e->target) : NULL;
	const struct rt_function *bound = e->bound ? find_before(c, image, e->bound) : NULL;
	bool begins = f && f->addr == e->target;

	e->callee = UINT32_MAX;
	e->middle = false;
	/* No entry of such a function tells that the jump led to it, so it has to be certain. */
	if (bound && bound->addr == e->bound && bound->tail && bound->how == RT_HOW_INSN) {
		e->callee = (uint32_t)(bound - c->functions->v);
		return 0;
	}
	/* Without a return probe a callee does not show its end either. */
	if (begins && (f->how != RT_HOW_NONE || f->role))
		e->callee = (uint32_t)(f - c->functions->v);
	/* Only exit probes see the return of a call that began in the middle. */
	if (f && !begins && e->target - f->addr < f->size)
		e->middle = f->how == RT_HOW_INSN;
	if (!code || e->kind == RT_EXIT_RETURN || e->callee != UINT32_MAX)
		return 0;
	return find_through(c, code, e);
}

int rt_callees_find(struct rt_callees *c, struct rt_code *code, struct rt_exits *exits)
{
	size_t i;
	int r = 0;

	for (i = 0; i < exits->n && r == 0; i++)
		r = find_one(c, code, exits->image, &exits->v[i]);
	return r;
}
