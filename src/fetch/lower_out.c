/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions fill in: the entry keeps where, and the return reads it there. */
#include <errno.h>
#include <string.h>

#include "fetch/lower_private.h"

/* Which parameters the return wants, in their order. */
struct wanted {
	unsigned n;
	unsigned param[RT_MAX_KEPT];
};

/* Was the parameter left out by a specification that names others? */
static bool is_left_out(const struct rt_spec *spec, const char *name)
{
	unsigned i;

	if (!spec || !spec->nshown || spec->params_given)
		return false;
	for (i = 0; i < spec->nshown; i++)
		if (name && !spec->shown[i].expr.nsteps && strcmp(spec->shown[i].expr.param, name) == 0)
			return false;
	return true;
}

static bool is_filled_in(const struct rt_param *p, const struct rt_spec *spec)
{
	return p->is_out && p->type && p->type->target && !is_left_out(spec, p->name);
}

/* Does it tell the length of one that is filled in? */
static bool is_length(const struct rt_prototype *p, const struct rt_spec *spec, unsigned k)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if ((p->params[i].length == k + 1 || p->params[i].most == k + 1) && is_filled_in(&p->params[i], spec))
			return true;
	return false;
}

/* The whole of it is one word, in a register or on the stack: that is kept. */
static bool keep_home(const struct lowering *l, const struct rt_home *home, struct rt_fetch *f)
{
	memset(f, 0, sizeof(*f));
	f->size = l->arch->word;
	if (home->kind == RT_HOME_PARTS && home->n == 1 && home->parts[0].reg.tracefs) {
		f->base = RT_BASE_REG;
		f->reg = home->parts[0].reg;
		return true;
	}
	f->base = RT_BASE_STACK;
	f->offset = home->offset;
	return home->kind == RT_HOME_STACK;
}

bool rt_lower_keep_result(struct lowering *l)
{
	const struct rt_where *where = &l->prototype->result_where;

	if (l->limits.no_kept || l->limits.no_memory || l->prototype->convention != RT_CONVENTION_RUST || where->kind != RT_WHERE_AT ||
	    where->reg >= l->arch->ndwarf)
		return false;
	l->plan->kept[0] = (struct rt_fetch){ .base = RT_BASE_REG, .size = l->arch->word, .reg = l->arch->dwarf[where->reg] };
	l->plan->nkept = 1;
	return true;
}

static int keep(struct lowering *l, const struct rt_spec *spec, struct wanted *wanted)
{
	const struct rt_prototype *p = l->prototype;
	const struct rt_ctype *type;
	struct rt_home home;
	struct rt_abi abi;
	unsigned i;

	wanted->n = 0;
	if (rt_lower_keep_result(l) || l->limits.no_kept || l->limits.no_memory || p->convention != RT_CONVENTION_C)
		return 0;
	rt_abi_begin(&abi, l->arch, p->result);
	for (i = 0; i < p->nparams && wanted->n < RT_MAX_KEPT; i++) {
		type = rt_lower_home(l, &abi, &p->params[i], &home);
		if (!type)
			return -ENOMEM;
		if ((!is_filled_in(&p->params[i], spec) && !is_length(p, spec, i)) || !keep_home(l, &home, &l->plan->kept[wanted->n]))
			continue;
		wanted->param[wanted->n++] = i;
	}
	/* Lengths alone are of no use. */
	for (i = 0; i < wanted->n && !is_filled_in(&p->params[wanted->param[i]], spec); i++)
		;
	wanted->n = i < wanted->n ? wanted->n : 0;
	l->plan->nkept = (uint8_t)wanted->n;
	return 0;
}

int rt_lower_keep(const struct rt_prototype *prototype, const struct rt_spec *spec, const struct rt_arch *arch,
		  const struct rt_limits *limits, struct rt_types *memory, struct rt_plan *plan)
{
	struct lowering l = { .arch = arch, .limits = *limits, .memory = memory, .plan = plan, .prototype = prototype };
	struct wanted wanted;

	return keep(&l, spec, &wanted);
}

/* Most functions fill in nothing, and there may be a hundred thousand. */
unsigned rt_lower_outs_most(const struct rt_prototype *prototype)
{
	unsigned i;

	for (i = 0; i < prototype->nparams; i++)
		if (prototype->params[i].is_out)
			return RT_MAX_KEPT;
	return 0;
}

int rt_lower_outs(struct lowering *l, const struct rt_spec *spec, struct rt_show *shows, unsigned *n)
{
	struct rt_home home = { .kind = RT_HOME_PARTS, .n = 1, .part = l->arch->word };
	struct wanted wanted;
	unsigned i;
	int r = keep(l, spec, &wanted);

	*n = 0;
	for (i = 0; i < wanted.n && r == 0; i++) {
		const struct rt_param *param = &l->prototype->params[wanted.param[i]];
		struct object *o = rt_lower_object(l, &shows[i], 0);

		if (!o)
			break;
		home.parts[0].kept = (uint8_t)(i + 1);
		shows[i].name = param->name;
		shows[i].type = rt_lower_decayed(l, param->type);
		shows[i].out = true;
		shows[i].hidden = !is_filled_in(param, spec);
		if (!shows[i].type)
			return -ENOMEM;
		o->param = param;
		rt_lower_read(l, o, &home);
		*n = i + 1;
	}
	return r;
}

void rt_lower_errno(struct lowering *l, const struct rt_show *result, struct rt_showing *shown)
{
	const struct rt_piece *piece = result->npieces == 1 ? &result->pieces[0] : NULL;
	struct rt_fetch f = {
		.base = RT_BASE_THREAD, .nderef = 1, .size = 4, .is_signed = true, .told = l->limits.errno_home == RT_ERRNO_TOLD,
		.null_fails = rt_ctype_is_pointer(result->type),
	};
	int value;

	if (shown->failure != RT_FAILS_BY_ERRNO || !piece || piece->value == RT_NO_VALUE ||
	    !piece->size || (piece->size & (piece->size - 1)) != 0 || piece->size > 8 ||
	    l->plan->values[piece->value].type != RT_TYPE_INT)
		return;
	if (l->limits.errno_home != RT_ERRNO_OFFSET && !f.told)
		return;
	f.deref[0] = f.told ? 0 : l->limits.errno_offset;
	f.if_failed = (uint8_t)(piece->value + 1);
	f.failed_size = (uint8_t)piece->size;
	value = rt_lower_value(l, &f);
	shown->errno_value = (uint8_t)(value + 1);
}
