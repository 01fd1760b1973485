/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a specification says beside types: expressions to be shown, and conditions. */
#include <errno.h>
#include <string.h>

#include "fetch/lower_private.h"

/* A part of an object: `offset` bytes into it. */
struct reached {
	struct object object;		/* a copy: its place, or its home */
	uint32_t offset;
	const struct rt_ctype *type;
	unsigned bit_offset, bit_size;	/* bit_size 0: it is no bit-field */
};

static const char *type_name(const struct rt_ctype *type)
{
	return type && type->name ? type->name : "this";
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

static int too_far(const struct rt_spec *spec, unsigned column, struct rt_error *err)
{
	return rt_spec_expected(spec, column, err, "at most %d memory reads one after another", RT_MAX_DEREF);
}

/* To what the pointer there leads to. */
static int follow_pointer(const struct lowering *l, struct reached *r, const struct rt_spec *spec, unsigned column, struct rt_error *err)
{
	struct place place;

	if (!rt_ctype_is_pointer(r->type))
		return rt_spec_expected(spec, column, err, "a pointer before this, not %s", type_name(r->type));
	if (!rt_lower_behind(&r->object, r->offset, l->arch->word, &place))
		return too_far(spec, column, err);
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
					type_name(r->type), rt_ctype_is_pointer(r->type) ? " (a pointer has ->)" : "");
	m = find_member(r->type, step->name, &r->offset, 0);
	if (!m)
		return rt_spec_expected(spec, step->column, err, "a member of %s, which has no '%s'", type_name(r->type), step->name);
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
		ret = follow_pointer(l, r, spec, step->column, err);
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
		ret = follow_pointer(l, r, spec, step->column, err);
	if (ret < 0)
		return ret;
	switch (step->kind) {
	case RT_STEP_DEREF:
		if (r->type && r->type->kind == RT_CT_ARRAY && r->type->target) {
			r->type = r->type->target;
			return 0;
		}
		decayed = r->type && r->type->is_decayed;
		ret = follow_pointer(l, r, spec, step->column, err);
		if (ret == 0 && decayed && r->type && r->type->kind == RT_CT_ARRAY)
			r->type = r->type->target;
		return ret;
	case RT_STEP_ARROW:
		ret = follow_pointer(l, r, spec, step->column, err);
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
	unsigned i;

	for (i = 0; i < l->prototype->nparams && i < l->nobjects; i++)
		if (l->prototype->params[i].name && strcmp(l->prototype->params[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int reach(const struct lowering *l, const struct rt_spec *spec, const struct rt_expr *expr, struct reached *r, struct rt_error *err)
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

/* The object's own place or home, made the part's. */
static bool make_part(const struct reached *r, struct object *o)
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
	int ret = reach(l, spec, &shown->expr, &r, err);

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
	if (!make_part(&r, o))
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

/* ---- conditions ---- */

static bool same_place(const struct rt_fetch *a, const struct rt_fetch *b)
{
	return a->base == b->base && a->nderef == b->nderef && memcmp(a->deref, b->deref, a->nderef * sizeof(a->deref[0])) == 0 &&
	       (a->base == RT_BASE_REG ? a->reg.pt_regs == b->reg.pt_regs : a->offset == b->offset);
}

/* A value of the plan that reads just this, or a new one. */
static int value_of(struct lowering *l, const struct rt_fetch *f, const struct rt_spec *spec, const struct rt_condition *c, struct rt_error *err)
{
	unsigned i;
	int value;

	for (i = 0; i < l->plan->nvalues; i++) {
		const struct rt_fetch *have = &l->plan->values[i];

		if (have->type != f->type || !same_place(have, f))
			continue;
		if (f->type == RT_TYPE_STRING ? have->max >= f->max : have->size == f->size && have->is_signed == f->is_signed)
			return (int)i;
	}
	value = rt_lower_value(l, f);
	return value < 0 ? rt_spec_expected(spec, c->expr.column, err, "fewer values: there is no room to read '%s'", c->expr.text) : value;
}

/* A register, or memory, of `size` bytes. */
static int part_fetch(const struct reached *r, unsigned size, const struct rt_spec *spec,
		      const struct rt_condition *c, struct rt_fetch *f, struct rt_error *err)
{
	struct object o;

	memset(f, 0, sizeof(*f));
	memset(&o, 0, sizeof(o));
	if (!make_part(r, &o))
		return rt_spec_expected(spec, c->expr.column, err, "what does not begin in the midst of a register");
	if (!o.in_memory) {
		if (!o.home.n || !o.home.parts[0].reg.tracefs)
			return rt_spec_expected(spec, c->expr.column, err, "an argument in a register that can be read");
		f->base = RT_BASE_REG;
		f->reg = o.home.parts[0].reg;
	} else if (!rt_lower_fetch(&o.place, o.skip, f)) {
		return too_far(spec, c->expr.column, err);
	}
	f->size = (uint8_t)size;
	return 0;
}

static int find_enumerator(const struct rt_spec *spec, const struct rt_condition *c, const struct rt_ctype *type, int64_t *number,
			   struct rt_error *err)
{
	unsigned i;

	for (i = 0; type->kind == RT_CT_ENUM && i < type->nvalues; i++) {
		if (strcmp(type->values[i].name, c->string) != 0)
			continue;
		*number = type->values[i].value;
		return 0;
	}
	return rt_spec_expected(spec, c->column, err, "a number, or a name that %s has", type_name(type));
}

/* Read of a bit-field what its declared type takes, as the ABIs lay them out; of a packed one no more than the bytes that it is in. */
static unsigned unit_of_bits(struct reached *r)
{
	uint64_t size = r->type->size, before = size ? r->offset % size : 0;
	unsigned bytes = (r->bit_offset + r->bit_size + 7) / 8;

	if (before * 8 + r->bit_offset + r->bit_size <= size * 8) {
		r->offset -= (uint32_t)before;
		r->bit_offset += (unsigned)before * 8;
		return (unsigned)size;
	}
	return bytes <= 2 ? bytes : bytes <= 4 ? 4 : 8;
}

static int compare_number(struct lowering *l, const struct rt_spec *spec, const struct rt_condition *c, struct reached *r,
			  struct rt_test *test, struct rt_error *err)
{
	unsigned size = rt_ctype_is_pointer(r->type) ? l->arch->word : (unsigned)r->type->size;
	int64_t number = c->number;
	struct rt_fetch f;
	int ret = 0;

	if (r->bit_size) {
		size = unit_of_bits(r);
		test->bit = (uint8_t)r->bit_offset;
		test->bits = (uint8_t)r->bit_size;
	}
	if ((size != 1 && size != 2 && size != 4 && size != 8) || r->type->kind == RT_CT_FLOAT || r->type->kind == RT_CT_STRUCT ||
	    r->type->kind == RT_CT_UNION || r->type->kind == RT_CT_ARRAY || r->type->kind == RT_CT_VARIANT)
		return rt_spec_expected(spec, c->expr.column, err, "a number or a pointer, which %s is not", type_name(r->type));
	if (c->operand == RT_OPERAND_NAME)
		ret = find_enumerator(spec, c, r->type, &number, err);
	if (ret == 0)
		ret = part_fetch(r, size, spec, c, &f, err);
	if (ret < 0)
		return ret;
	f.is_signed = r->type->is_signed && !rt_ctype_is_pointer(r->type);
	ret = value_of(l, &f, spec, c, err);
	test->value = (unsigned)ret;
	test->constant = (uint64_t)number;
	test->is_signed = f.is_signed || number < 0;
	return ret < 0 ? ret : 0;
}

static int compare_string(struct lowering *l, const struct rt_spec *spec, const struct rt_condition *c, struct reached *r,
			  struct rt_test *test, struct rt_error *err)
{
	struct rt_fetch f, whole;
	int ret;

	if (!rt_ctype_is_pointer(r->type) || !r->type->target || (r->type->target->kind != RT_CT_CHAR && r->type->style != RT_STYLE_STRING &&
						    r->type->target->kind != RT_CT_VOID))
		return rt_spec_expected(spec, c->expr.column, err, "a pointer to text, which %s is not", type_name(r->type));
	if (c->length >= RT_TEST_STRING)
		return rt_spec_expected(spec, c->column, err, "at most %d characters", RT_TEST_STRING - 1);
	ret = part_fetch(r, l->arch->word, spec, c, &whole, err);
	if (ret < 0)
		return ret;
	/* A string's address is the value that its derefs end in. */
	f = whole;
	f.size = 0;
	f.type = RT_TYPE_STRING;
	f.max = (uint16_t)((c->length + 2 + 7) & ~7u);
	ret = value_of(l, &f, spec, c, err);
	if (ret < 0)
		return ret;
	test->value = (unsigned)ret;
	test->string = c->string;
	test->length = (uint16_t)c->length;
	return 0;
}

/* One more test, of an integer of `size` bytes. */
static int add_number(struct lowering *l, const struct rt_spec *spec, const struct rt_condition *c, const struct reached *r, unsigned size,
		      struct rt_test test, struct rt_error *err)
{
	struct rt_fetch f;
	int ret;

	if (l->plan->ntests == RT_MAX_TESTS)
		return rt_spec_expected(spec, c->column, err, "less text: there is no room to compare it");
	ret = part_fetch(r, size, spec, c, &f, err);
	if (ret < 0)
		return ret;
	f.is_signed = test.is_signed;
	ret = value_of(l, &f, spec, c, err);
	test.value = (unsigned)ret;
	if (ret >= 0)
		l->plan->tests[l->plan->ntests++] = test;
	return ret < 0 ? ret : 0;
}

/*
 * Text whose length stands beside it has no NUL: its length, then its characters as numbers of up to eight of them.  It is another text
 * where one of these is, so != has alternatives; `alone`: it may.
 */
static int compare_counted(struct lowering *l, const struct rt_spec *spec, const struct rt_condition *c, struct reached *r,
			   struct rt_test test, bool alone, struct rt_error *err)
{
	static const struct rt_ctype byte = { .kind = RT_CT_CHAR, .size = 1 };
	static const struct rt_ctype pointer = { .kind = RT_CT_POINTER, .size = 8, .target = &byte };
	const struct rt_sequence s = r->type->sequence;
	struct reached part = *r;
	size_t at, n;
	int ret;

	if (s.by_end || (test.op == RT_TEST_NE && !alone))
		return rt_spec_expected(spec, c->column, err, s.by_end ? "a number" : "'!=' of this text without '&&'");
	part.offset += s.length;
	test.constant = c->length;
	test.is_signed = true;
	if (test.op == RT_TEST_BEGINS)
		test.op = RT_TEST_GE;
	ret = add_number(l, spec, c, &part, l->arch->word, test, err);
	part = *r;
	part.offset += s.pointer;
	part.type = &pointer;
	if (ret == 0)
		ret = follow_pointer(l, &part, spec, c->expr.column, err);
	test.join = test.op == RT_TEST_NE ? RT_TEST_ELSE : RT_TEST_WITH;
	test.op = test.op == RT_TEST_NE ? RT_TEST_NE : RT_TEST_EQ;
	test.is_signed = false;
	for (at = 0; ret == 0 && at < c->length; at += n, part.offset += (uint32_t)n) {
		for (n = 8; n > c->length - at; n /= 2)
			;
		test.constant = rt_fetch_load((const uint8_t *)c->string + at, (unsigned)n);
		ret = add_number(l, spec, c, &part, (unsigned)n, test, err);
	}
	return ret;
}

int rt_lower_conditions(struct lowering *l, const struct rt_spec *spec, struct rt_error *err)
{
	static const enum rt_test_op ops[] = {
		[RT_OP_EQ] = RT_TEST_EQ, [RT_OP_NE] = RT_TEST_NE, [RT_OP_LT] = RT_TEST_LT, [RT_OP_LE] = RT_TEST_LE,
		[RT_OP_GT] = RT_TEST_GT, [RT_OP_GE] = RT_TEST_GE, [RT_OP_AND] = RT_TEST_AND,
		[RT_OP_BEGINS] = RT_TEST_BEGINS,
	};
	static const enum rt_test_join joins[] = {
		[RT_JOIN_ITEM] = RT_TEST_ALSO, [RT_JOIN_AND] = RT_TEST_WITH, [RT_JOIN_OR] = RT_TEST_ELSE,
	};
	struct reached r;
	unsigned i;
	int ret = 0;

	for (i = 0; i < spec->nconditions && ret == 0; i++) {
		const struct rt_condition *c = &spec->conditions[i];
		struct rt_test *test = &l->plan->tests[l->plan->ntests];

		if (l->plan->ntests == RT_MAX_TESTS)
			return rt_spec_expected(spec, c->expr.column, err, "at most %d conditions", RT_MAX_TESTS);
		memset(test, 0, sizeof(*test));
		test->op = ops[c->op];
		test->join = joins[c->join];
		ret = reach(l, spec, &c->expr, &r, err);
		if (ret == 0 && c->operand == RT_OPERAND_STRING && r.type->sequence.element && r.type->sequence.element->kind == RT_CT_CHAR) {
			bool alone = c->join != RT_JOIN_AND && (i + 1 == spec->nconditions || c[1].join != RT_JOIN_AND);

			ret = compare_counted(l, spec, c, &r, *test, alone, err);
			continue;
		}
		if (ret == 0)
			ret = c->operand == RT_OPERAND_STRING ? compare_string(l, spec, c, &r, test, err) :
			      compare_number(l, spec, c, &r, test, err);
		l->plan->ntests += ret == 0;
	}
	return ret;
}
