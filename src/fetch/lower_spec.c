/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a specification says beside types: where its expressions lead to, and those that are to be shown. */
#include <errno.h>
#include <string.h>

#include "fetch/lower_private.h"

const char *rt_lower_type_name(const struct rt_ctype *type)
{
	return type && type->name ? type->name : type && type->kind == RT_CT_INT ? "an integer" : "this";
}

/* The member, also of anonymous members; `*at` is moved by its offset. */
static const struct rt_member *find_member(const struct rt_ctype *type, const char *name, uint32_t *at, unsigned depth)
{
	const struct rt_member *found;
	uint32_t inner;
	unsigned i;

	for (i = 0; i < type->nmembers; i++) {
		const struct rt_member *m = &type->members[i];

		if (m->name && strcmp(m->name, name) == 0) {
			*at += m->offset;
			return m;
		}
		if (m->name || !m->type || depth > DEPTH)
			continue;
		inner = *at + m->offset;
		found = find_member(m->type, name, &inner, depth + 1);
		if (found) {
			*at = inner;
			return found;
		}
	}
	return NULL;
}

int rt_lower_too_far(const struct rt_spec *spec, unsigned column, struct rt_error *err)
{
	return rt_spec_expected(spec, column, err, "at most %d memory reads one after another", RT_MAX_DEREF);
}

int rt_lower_pointee(const struct lowering *l, struct reached *r, const struct rt_spec *spec, unsigned column, struct rt_error *err)
{
	struct place place;

	if (!rt_ctype_is_pointer(r->type))
		return rt_spec_expected(spec, column, err, "a pointer before this, not %s", rt_lower_type_name(r->type));
	if (!rt_lower_behind(&r->object, r->offset, l->arch->word, &place))
		return rt_lower_too_far(spec, column, err);
	memset(&r->object, 0, sizeof(r->object));
	r->object.in_memory = true;
	r->object.place = place;
	r->offset = 0;
	r->type = r->type->target;
	return 0;
}

static int take_member(struct reached *r, const struct rt_step *step, const struct rt_spec *spec, struct rt_error *err)
{
	const struct rt_member *m;

	if (!r->type || (r->type->kind != RT_CT_STRUCT && r->type->kind != RT_CT_UNION) || !r->type->nmembers)
		return rt_spec_expected(spec, step->column, err, "a member of a struct whose members are known, not of %s%s",
					rt_lower_type_name(r->type), rt_ctype_is_pointer(r->type) ? " (a pointer has ->)" : "");
	m = find_member(r->type, step->name, &r->offset, 0);
	if (!m)
		return rt_spec_expected(spec, step->column, err, "a member of %s, which has no '%s'", rt_lower_type_name(r->type), step->name);
	r->type = m->type;
	r->offset += m->bit_size ? m->bit_offset / 8u : 0;
	r->bit_offset = m->bit_offset % 8u;
	r->bit_size = m->bit_size;
	return 0;
}

static int take_index(const struct lowering *l, struct reached *r, const struct rt_step *step, const struct rt_spec *spec,
		      struct rt_error *err)
{
	bool decayed;
	int ret;

	if (r->type && r->type->kind == RT_CT_ARRAY) {
		if (r->type->count && (uint64_t)step->index >= r->type->count)
			return rt_spec_expected(spec, step->column, err, "an index below %llu", (unsigned long long)r->type->count);
		r->type = r->type->target;
	} else {
		decayed = r->type && r->type->is_decayed;
		ret = rt_lower_pointee(l, r, spec, step->column, err);
		if (ret < 0)
			return ret;
		if (decayed && r->type && r->type->kind == RT_CT_ARRAY)
			r->type = r->type->target;
	}
	if (!r->type || !r->type->size || r->offset + (uint64_t)step->index * r->type->size > INT32_MAX)
		return rt_spec_expected(spec, step->column, err, "an array of elements whose size is known");
	r->offset += (uint32_t)((uint64_t)step->index * r->type->size);
	return 0;
}

static int take_step(const struct lowering *l, struct reached *r, const struct rt_step *step, const struct rt_spec *spec,
		     struct rt_error *err)
{
	bool decayed;
	int ret = 0;

	if (r->bit_size)
		return rt_spec_expected(spec, step->column, err, "nothing behind a bit-field");
	/* What a reference refers to is meant by its name. */
	if (r->type && r->type->kind == RT_CT_REFERENCE && step->kind != RT_STEP_DEREF)
		ret = rt_lower_pointee(l, r, spec, step->column, err);
	if (ret < 0)
		return ret;
	switch (step->kind) {
	case RT_STEP_DEREF:
		if (r->type && r->type->kind == RT_CT_ARRAY && r->type->target) {
			r->type = r->type->target;
			return 0;
		}
		decayed = r->type && r->type->is_decayed;
		ret = rt_lower_pointee(l, r, spec, step->column, err);
		if (ret == 0 && decayed && r->type && r->type->kind == RT_CT_ARRAY)
			r->type = r->type->target;
		return ret;
	case RT_STEP_ARROW:
		ret = rt_lower_pointee(l, r, spec, step->column, err);
		return ret < 0 ? ret : take_member(r, step, spec, err);
	case RT_STEP_MEMBER:
		return take_member(r, step, spec, err);
	case RT_STEP_INDEX:
		return take_index(l, r, step, spec, err);
	}
	return -EINVAL;
}

static int param_index(const struct lowering *l, const char *name)
{
	int k = rt_spec_param(l->prototype, name);

	return k < (int)l->nobjects ? k : -1;
}

int rt_lower_reach(const struct lowering *l, const struct rt_spec *spec, const struct rt_expr *expr, struct reached *r, struct rt_error *err)
{
	int k = param_index(l, expr->param), ret = 0;
	unsigned i;

	if (k < 0)
		return rt_spec_expected(spec, expr->column, err, "the name of a parameter");
	memset(r, 0, sizeof(*r));
	r->object = l->objects[k];
	r->type = r->object.show->type;
	if (r->object.show->mark)
		return rt_spec_expected(spec, expr->column, err, "an argument that can be read: '%s' is %s", expr->param,
					r->object.show->mark);
	for (i = 0; i < expr->nsteps && ret == 0; i++)
		ret = take_step(l, r, &expr->steps[i], spec, err);
	if (ret == 0 && (!r->type || r->type->kind == RT_CT_VOID))
		return rt_spec_expected(spec, expr->column, err, "what has a type: of '%s' none is known", expr->text);
	return ret;
}

/* ---- what is shown ---- */

static uint32_t part_offset(const struct rt_home *home, unsigned i)
{
	return home->parts[i].size ? home->parts[i].offset : i * home->part;
}

bool rt_lower_part(const struct reached *r, struct object *o)
{
	const struct rt_home *home = &r->object.home;
	unsigned i, k;

	o->in_memory = r->object.in_memory;
	o->place = r->object.place;
	o->skip = r->object.skip + r->offset;
	if (o->in_memory)
		return true;
	for (i = 0; i < home->n && part_offset(home, i) != r->offset; i++)
		;
	o->home = *home;
	o->home.n = home->n - i;
	for (k = i; k < home->n; k++) {
		o->home.parts[k - i] = home->parts[k];
		o->home.parts[k - i].offset = (uint16_t)(home->parts[k].offset - r->offset);
	}
	return o->home.n > 0;
}

/* A struct of nothing but the bit-field, which is printed as the number. */
static const struct rt_ctype *bits_type(struct lowering *l, const struct reached *r)
{
	unsigned bytes = (r->bit_offset + r->bit_size + 7) / 8;
	struct rt_ctype *type = rt_lower_alloc(l, sizeof(*type));
	struct rt_member *m = rt_lower_alloc(l, sizeof(*m));

	if (!type || !m)
		return NULL;
	memset(type, 0, sizeof(*type));
	memset(m, 0, sizeof(*m));
	type->kind = RT_CT_STRUCT;
	type->size = bytes <= 2 ? bytes : bytes <= 4 ? 4 : 8;
	type->members = m;
	type->nmembers = 1;
	m->type = r->type;
	m->bit_offset = (uint8_t)r->bit_offset;
	m->bit_size = (uint8_t)r->bit_size;
	return type;
}

static bool is_plain_name(const struct rt_shown *shown)
{
	return !shown->expr.nsteps;
}

static int add_shown(struct lowering *l, const struct rt_spec *spec, const struct rt_shown *shown, struct rt_show *show, struct rt_error *err)
{
	struct reached r;
	struct object *o;
	bool read;
	int ret = rt_lower_reach(l, spec, &shown->expr, &r, err);

	if (ret < 0)
		return ret;
	show->name = shown->expr.text;
	show->type = r.bit_size ? bits_type(l, &r) : r.type;
	show->style = shown->style;
	if (!show->type)
		return -ENOMEM;
	o = rt_lower_object(l, show, 0);
	if (!o)
		return rt_spec_expected(spec, shown->expr.column, err, "fewer values");
	if (!rt_lower_part(&r, o))
		return rt_spec_expected(spec, shown->expr.column, err, "what does not begin in the midst of a register");
	read = o->in_memory ? rt_lower_memory(l, o, rt_ctype_is_pointer(show->type) ? l->arch->word : rt_lower_extent(l, show->type)) :
	       rt_lower_parts(l, o, rt_ctype_is_pointer(show->type) ? l->arch->word : show->type->size);
	if (!read)
		show->mark = "...";
	return 0;
}

int rt_lower_shown(struct lowering *l, const struct rt_spec *spec, struct rt_show *extra, struct rt_error *err)
{
	unsigned i;
	int k, ret = 0;

	if (!spec->nshown)
		return 0;
	for (i = 0; i < l->nobjects && !spec->params_given; i++)
		l->objects[i].quiet = true;
	for (i = 0; i < spec->nshown && ret == 0; i++) {
		k = is_plain_name(&spec->shown[i]) ? param_index(l, spec->shown[i].expr.param) : -1;
		if (k < 0)
			ret = add_shown(l, spec, &spec->shown[i], &extra[i], err);
		else
			l->objects[k].quiet = false;
		if (k >= 0 && spec->shown[i].style)
			l->objects[k].show->style = spec->shown[i].style;
	}
	return ret;
}

int rt_lower_list(struct lowering *l, const struct rt_spec *spec, const struct rt_show *params, unsigned nparams,
		  const struct rt_show *extra, struct rt_showing *shown)
{
	struct rt_show *v = rt_lower_alloc(l, (nparams + spec->nshown + 1) * sizeof(*v));
	unsigned i, n = 0;
	int k;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < nparams && spec->params_given; i++)
		v[n++] = params[i];
	for (i = 0; i < spec->nshown; i++) {
		k = is_plain_name(&spec->shown[i]) ? param_index(l, spec->shown[i].expr.param) : -1;
		/* One that was declared stands there already. */
		if (k >= 0 && !spec->params_given)
			v[n++] = params[k];
		else if (k < 0)
			v[n++] = extra[i];
	}
	shown->v = v;
	shown->n = n;
	return 0;
}
