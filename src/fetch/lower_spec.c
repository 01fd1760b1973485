/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a specification besides types: expressions, and the values to be shown. */
#include <errno.h>
#include <string.h>

#include "fetch/lower_private.h"

const char *rt_lower_type_name(const struct rt_ctype *type)
{
	return type && type->name		 ? type->name
	       : type && type->kind == RT_CT_INT ? "an integer"
						 : "this";
}

/* The member, also of anonymous members; `*at` is moved by its offset. */
static const struct rt_member *find_member(const struct rt_ctype *type, const char *name,
					   uint32_t *at, unsigned depth)
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
	return rt_spec_expected(spec, column, err, "at most %d memory reads one after another",
				RT_MAX_DEREF);
}

int rt_lower_pointee(const struct lowering *l, struct reached *r, const struct rt_spec *spec,
		     unsigned column, struct rt_error *err)
{
	struct place place;

	if (!rt_ctype_is_pointer(r->type))
		return rt_spec_expected(spec, column, err, "a pointer before this, not %s",
					rt_lower_type_name(r->type));
	if (!rt_lower_behind(&r->object, r->offset, l->arch->word, &place))
		return rt_lower_too_far(spec, column, err);
	memset(&r->object, 0, sizeof(r->object));
	r->object.in_memory = true;
	r->object.place = place;
	r->offset = 0;
	r->type = r->type->target;
	return 0;
}

static int take_member(struct reached *r, const struct rt_step *step, const struct rt_spec *spec,
		       struct rt_error *err)
{
	const struct rt_member *m;

	if (!r->type || (r->type->kind != RT_CT_STRUCT && r->type->kind != RT_CT_UNION) ||
	    !r->type->nmembers)
		return rt_spec_expected(spec, step->column, err,
					"a member of a struct with known members, not of %s%s",
					rt_lower_type_name(r->type),
					rt_ctype_is_pointer(r->type) ? " (a pointer has ->)" : "");
	m = find_member(r->type, step->name, &r->offset, 0);
	if (!m)
		return rt_spec_expected(spec, step->column, err,
					"a member of %s, which has no '%s'",
					rt_lower_type_name(r->type), step->name);
	r->type = m->type;
	r->offset += m->bit_size ? m->bit_offset / 8u : 0;
	r->bit_offset = m->bit_offset % 8u;
	r->bit_size = m->bit_size;
	return 0;
}

static int take_index(const struct lowering *l, struct reached *r, const struct rt_step *step,
		      const struct rt_spec *spec, struct rt_error *err)
{
	bool decayed;
	int ret;

	if (r->type && r->type->kind == RT_CT_ARRAY) {
		if (r->type->count && (uint64_t)step->index >= r->type->count)
			return rt_spec_expected(spec, step->column, err, "an index below %llu",
						(unsigned long long)r->type->count);
		r->type = r->type->target;
	} else {
		decayed = r->type && r->type->is_decayed;
		ret = rt_lower_pointee(l, r, spec, step->column, err);
		if (ret < 0)
			return ret;
		if (decayed && r->type && r->type->kind == RT_CT_ARRAY)
			r->type = r->type->target;
	}
	if (!r->type || !r->type->size ||
	    r->offset + (uint64_t)step->index * r->type->size > INT32_MAX)
		return rt_spec_expected(spec, step->column, err,
					"an array of elements of known size");
	r->offset += (uint32_t)((uint64_t)step->index * r->type->size);
	return 0;
}

static int take_step(const struct lowering *l, struct reached *r, const struct rt_step *step,
		     const struct rt_spec *spec, struct rt_error *err)
{
	bool decayed;
	int ret = 0;

	if (r->bit_size)
		return rt_spec_expected(spec, step->column, err, "nothing behind a bit-field");
	/* a reference's name means its target */
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

int rt_lower_reach(const struct lowering *l, const struct rt_spec *spec, const struct rt_expr *expr,
		   struct reached *r, struct rt_error *err)
{
	bool is_result = l->plan->kind == RT_KIND_RETURN;
	int k = is_result ? 0 : param_index(l, expr->param), ret = 0;
	unsigned i;

	if (is_result && (!l->nobjects || !l->objects[0].show->type || l->objects[0].show->out ||
			  l->prototype->nresults > 1))
		return rt_spec_expected(spec, expr->column, err,
					"a function that returns one value");
	if (k < 0)
		return rt_spec_expected(spec, expr->column, err, "the name of a parameter");
	memset(r, 0, sizeof(*r));
	r->object = l->objects[k];
	r->type = r->object.show->type;
	if (r->object.show->mark)
		return rt_spec_expected(spec, expr->column, err,
					"%s that can be read: '%s' is %s",
					is_result ? "a result" : "an argument", expr->param,
					r->object.show->mark);
	for (i = 0; i < expr->nsteps && ret == 0; i++)
		ret = take_step(l, r, &expr->steps[i], spec, err);
	if (ret == 0 && (!r->type || r->type->kind == RT_CT_VOID))
		return rt_spec_expected(spec, expr->column, err,
					"what has a type: of '%s' none is known", expr->text);
	return ret;
}

/* ---- what is shown ---- */

static uint32_t part_offset(const struct rt_abi_location *location, unsigned i)
{
	return location->parts[i].size ? location->parts[i].offset : i * location->part;
}

bool rt_lower_part(const struct reached *r, struct object *o)
{
	const struct rt_abi_location *location = &r->object.location;
	unsigned i, k;

	o->in_memory = r->object.in_memory;
	o->place = r->object.place;
	o->skip = r->object.skip + r->offset;
	if (o->in_memory)
		return true;
	for (i = 0; i < location->n && part_offset(location, i) != r->offset; i++)
		;
	o->location = *location;
	o->location.n = location->n - i;
	for (k = i; k < location->n; k++) {
		o->location.parts[k - i] = location->parts[k];
		o->location.parts[k - i].offset = (uint16_t)(location->parts[k].offset - r->offset);
	}
	return o->location.n > 0;
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

static int add_shown(struct lowering *l, const struct rt_spec *spec, const struct rt_shown *shown,
		     struct rt_show *show, struct rt_error *err)
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
		return rt_spec_expected(spec, shown->expr.column, err,
					"what does not begin in the midst of a register");
	read = o->in_memory ? rt_lower_memory(l, o,
					      rt_ctype_is_pointer(show->type)
						      ? l->arch->word
						      : rt_lower_extent(l, show->type))
			    : rt_lower_parts(l, o,
					     rt_ctype_is_pointer(show->type) ? l->arch->word
									     : show->type->size);
	if (!read)
		show->mark = "...";
	return 0;
}

int rt_lower_shown(struct lowering *l, const struct rt_spec *spec, struct rt_show *extra,
		   struct rt_error *err)
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

int rt_lower_list(struct lowering *l, const struct rt_spec *spec, const struct rt_show *params,
		  unsigned nparams, const struct rt_show *extra, struct rt_showing *shown)
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
		/* One that was declared is there already. */
		if (k >= 0 && !spec->params_given)
			v[n++] = params[k];
		else if (k < 0)
			v[n++] = extra[i];
	}
	shown->v = v;
	shown->n = n;
	return 0;
}

/* Arguments that functions fill in: the entry saves their address, and the return reads it. */

/* Which parameters the return wants, in their order. */
struct wanted {
	unsigned n;
	unsigned param[RT_MAX_SAVED];
};

/* Was the parameter left out by a specification that names others? */
static bool is_left_out(const struct rt_spec *spec, const char *name)
{
	unsigned i;

	if (!spec || !spec->nshown || spec->params_given)
		return false;
	for (i = 0; i < spec->nshown; i++)
		if (name && !spec->shown[i].expr.nsteps &&
		    strcmp(spec->shown[i].expr.param, name) == 0)
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
		if ((p->params[i].length == k + 1 || p->params[i].most == k + 1) &&
		    is_filled_in(&p->params[i], spec))
			return true;
	return false;
}

/* The whole of it is one word, in a register or on the stack: that is saved. */
static bool save_location(const struct lowering *l, const struct rt_abi_location *location,
			  struct rt_fetch *f)
{
	memset(f, 0, sizeof(*f));
	f->size = l->arch->word;
	if (location->kind == RT_ABI_PARTS && location->n == 1 && location->parts[0].reg.tracefs) {
		f->base = RT_BASE_REG;
		f->reg = location->parts[0].reg;
		return true;
	}
	f->base = RT_BASE_STACK;
	f->offset = location->offset;
	return location->kind == RT_ABI_STACK;
}

bool rt_lower_keep_result(struct lowering *l)
{
	const struct rt_location *location = &l->prototype->result_location;

	if (l->limits.no_saved || l->limits.no_memory ||
	    l->prototype->convention != RT_CONVENTION_RUST || location->kind != RT_LOCATION_AT ||
	    location->reg >= l->arch->ndwarf)
		return false;
	l->plan->saved[0] = (struct rt_fetch){ .base = RT_BASE_REG,
					       .size = l->arch->word,
					       .reg = l->arch->dwarf[location->reg] };
	l->plan->nsaved = 1;
	return true;
}

static int keep(struct lowering *l, const struct rt_spec *spec, struct wanted *wanted)
{
	const struct rt_prototype *p = l->prototype;
	const struct rt_ctype *type;
	struct rt_abi_location location;
	struct rt_abi abi;
	unsigned i;

	wanted->n = 0;
	if (rt_lower_keep_result(l) || l->limits.no_saved || l->limits.no_memory ||
	    p->convention != RT_CONVENTION_C)
		return 0;
	rt_abi_begin(&abi, l->arch, p->result);
	for (i = 0; i < p->nparams && wanted->n < RT_MAX_SAVED; i++) {
		type = rt_lower_location(l, &abi, &p->params[i], &location);
		if (!type)
			return -ENOMEM;
		if ((!is_filled_in(&p->params[i], spec) && !is_length(p, spec, i)) ||
		    !save_location(l, &location, &l->plan->saved[wanted->n]))
			continue;
		wanted->param[wanted->n++] = i;
	}
	/* Lengths alone are of no use. */
	for (i = 0; i < wanted->n && !is_filled_in(&p->params[wanted->param[i]], spec); i++)
		;
	wanted->n = i < wanted->n ? wanted->n : 0;
	l->plan->nsaved = (uint8_t)wanted->n;
	return 0;
}

int rt_lower_keep(const struct rt_prototype *prototype, const struct rt_spec *spec,
		  const struct rt_arch *arch, const struct rt_limits *limits,
		  struct rt_types *memory, struct rt_plan *plan)
{
	struct lowering l = { .arch = arch,
			      .limits = *limits,
			      .memory = memory,
			      .plan = plan,
			      .prototype = prototype };
	struct wanted wanted;

	return keep(&l, spec, &wanted);
}

/* Most functions fill in nothing, and there may be a hundred thousand. */
unsigned rt_lower_outs_most(const struct rt_prototype *prototype)
{
	unsigned i;

	for (i = 0; i < prototype->nparams; i++)
		if (prototype->params[i].is_out)
			return RT_MAX_SAVED;
	return 0;
}

int rt_lower_outs(struct lowering *l, const struct rt_spec *spec, struct rt_show *shows,
		  unsigned *n)
{
	struct rt_abi_location location = { .kind = RT_ABI_PARTS, .n = 1, .part = l->arch->word };
	struct wanted wanted;
	unsigned i;
	int r = keep(l, spec, &wanted);

	*n = 0;
	for (i = 0; i < wanted.n && r == 0; i++) {
		const struct rt_param *param = &l->prototype->params[wanted.param[i]];
		struct object *o = rt_lower_object(l, &shows[i], 0);

		if (!o)
			break;
		location.parts[0].saved = (uint8_t)(i + 1);
		shows[i].name = param->name;
		shows[i].type = rt_lower_decayed(l, param->type);
		shows[i].out = true;
		shows[i].hidden = !is_filled_in(param, spec);
		if (!shows[i].type)
			return -ENOMEM;
		o->param = param;
		rt_lower_read(l, o, &location);
		*n = i + 1;
	}
	return r;
}

void rt_lower_errno(struct lowering *l, const struct rt_show *result, struct rt_showing *shown)
{
	const struct rt_piece *piece = result->npieces == 1 ? &result->pieces[0] : NULL;
	struct rt_fetch f = {
		.base = RT_BASE_THREAD,
		.nderef = 1,
		.size = 4,
		.is_signed = true,
		.from_map = l->limits.errno_source == RT_ERRNO_FROM_MAP,
		.null_fails = rt_ctype_is_pointer(result->type),
	};
	int value;

	if (shown->failure != RT_FAILS_BY_ERRNO || !piece || piece->value == RT_NO_VALUE ||
	    !piece->size || (piece->size & (piece->size - 1)) != 0 || piece->size > 8 ||
	    l->plan->values[piece->value].type != RT_TYPE_INT)
		return;
	if (l->limits.errno_source != RT_ERRNO_OFFSET && !f.from_map)
		return;
	f.deref[0] = f.from_map ? 0 : l->limits.errno_offset;
	f.if_failed = (uint8_t)(piece->value + 1);
	/* -1 as an int, and as a word, too */
	f.failed_size = result->type->style == RT_STYLE_REGISTER ? 4 : (uint8_t)piece->size;
	value = rt_lower_value(l, &f);
	shown->errno_value = (uint8_t)(value + 1);
}

/* ---- Go ---- */

/* A function is a pointer to its code's address and the variables that it has captured. */
static const struct rt_ctype *go_type(struct lowering *l, const struct rt_ctype *type)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN },
				     captured = { .kind = RT_CT_VOID };
	const struct rt_ctype *p = type ? type : &unknown;

	if (p->kind == RT_CT_FUNCTION) {
		p = rt_types_pointer(l->memory, &captured, l->arch->word);
		l->failed |= !p;
	}
	return p;
}

void rt_lower_go(struct lowering *l, struct rt_abi *abi, const struct rt_param *v, unsigned n,
		 struct rt_show *shows)
{
	struct rt_abi_location location;
	struct object *o;
	unsigned i;

	for (i = 0; i < n && !l->failed; i++) {
		o = shows ? rt_lower_object(l, &shows[i], 0) : NULL;
		if (shows && !o)
			return;
		rt_abi_go_argument(abi, go_type(l, v[i].type), &v[i].location, &location);
		if (!shows)
			continue;
		/*
		 * "~r0" is the compiler's name for what has none; a generic function's dictionary
		 * tells of its types.
		 */
		shows[i].name = v[i].name && v[i].name[0] != '~' ? v[i].name : NULL;
		shows[i].hidden = v[i].name && strcmp(v[i].name, ".dict") == 0;
		shows[i].type = go_type(l, v[i].type);
		if (l->plan->kind == RT_KIND_ENTRY)
			o->param = &v[i];
		if (!l->failed)
			rt_lower_read(l, o, &location);
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
