/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "fetch/lower_private.h"

/* A function is a pointer to its code's address and the variables that it has captured. */
static const struct rt_ctype *go_type(struct lowering *l, const struct rt_ctype *type)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN }, captured = { .kind = RT_CT_VOID };
	const struct rt_ctype *p = type ? type : &unknown;

	if (p->kind == RT_CT_FUNCTION) {
		p = rt_types_pointer(l->memory, &captured, l->arch->word);
		l->failed |= !p;
	}
	return p;
}

void rt_lower_go(struct lowering *l, struct rt_abi *abi, const struct rt_param *v, unsigned n, struct rt_show *shows)
{
	struct rt_home home;
	struct object *o;
	unsigned i;

	for (i = 0; i < n && !l->failed; i++) {
		o = shows ? rt_lower_object(l, &shows[i], 0) : NULL;
		if (shows && !o)
			return;
		rt_abi_go_argument(abi, go_type(l, v[i].type), &v[i].where, &home);
		if (!shows)
			continue;
		/* "~r0" is the compiler's name for what has none; a generic function's dictionary tells of its types. */
		shows[i].name = v[i].name && v[i].name[0] != '~' ? v[i].name : NULL;
		shows[i].hidden = v[i].name && strcmp(v[i].name, ".dict") == 0;
		shows[i].type = go_type(l, v[i].type);
		if (l->plan->kind == RT_KIND_ENTRY)
			o->param = &v[i];
		if (!l->failed)
			rt_lower_read(l, o, &home);
	}
}

int rt_lower_go_return(struct lowering *l, struct rt_showing *shown)
{
	const struct rt_prototype *p = l->prototype;
	unsigned n = p->nresults < OBJECTS ? p->nresults : OBJECTS;
	struct rt_show *shows = rt_lower_alloc(l, (n + 1) * sizeof(*shows));
	struct rt_abi abi;

	if (!shows)
		return -ENOMEM;
	rt_abi_go_begin(&abi, l->arch, p->convention == RT_CONVENTION_GO_REGISTERS);
	rt_lower_go(l, &abi, p->params, p->nparams, NULL);
	rt_abi_go_results(&abi);
	rt_lower_go(l, &abi, p->results, n, shows);
	rt_lower_follow(l);
	shown->v = shows;
	shown->n = n;
	shown->none = n == 0;
	return l->failed ? -ENOMEM : 0;
}
