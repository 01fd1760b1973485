/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conditions of a specification: tests of values that the plan reads. */
#include <string.h>

#include "fetch/lower_private.h"

static bool same_place(const struct rt_fetch *a, const struct rt_fetch *b)
{
	return a->base == b->base && a->nderef == b->nderef && a->constant == b->constant &&
	       a->index_size == b->index_size && a->index.pt_regs == b->index.pt_regs &&
	       a->index_shift == b->index_shift &&
	       memcmp(a->deref, b->deref, a->nderef * sizeof(a->deref[0])) == 0 &&
	       (a->base == RT_BASE_REG ? a->reg.pt_regs == b->reg.pt_regs : a->offset == b->offset);
}

/* A value of the plan that reads just this, or a new one. */
static int value_of(struct lowering *l, const struct rt_fetch *f, const struct rt_spec *spec,
		    const struct rt_condition *c, struct rt_error *err)
{
	unsigned i;
	int value;

	for (i = 0; i < l->plan->nvalues; i++) {
		const struct rt_fetch *have = &l->plan->values[i];

		if (have->type != f->type || !same_place(have, f))
			continue;
		if (f->type == RT_TYPE_STRING
			    ? have->max >= f->max
			    : have->size == f->size && have->is_signed == f->is_signed)
			return (int)i;
	}
	value = rt_lower_value(l, f);
	return value < 0 ? rt_spec_expected(spec, c->expr.column, err,
					    "fewer values: there is no room to read '%s'",
					    c->expr.text)
			 : value;
}

/* A register, or memory, of `size` bytes. */
static int part_fetch(const struct reached *r, unsigned size, const struct rt_spec *spec,
		      const struct rt_condition *c, struct rt_fetch *f, struct rt_error *err)
{
	struct object o;

	memset(f, 0, sizeof(*f));
	memset(&o, 0, sizeof(o));
	if (!rt_lower_part(r, &o))
		return rt_spec_expected(spec, c->expr.column, err,
					"what does not begin in the midst of a register");
	if (!o.in_memory) {
		if (!o.location.n || !o.location.parts[0].reg.tracefs)
			return rt_spec_expected(spec, c->expr.column, err,
						"an argument in a register that can be read");
		f->base = RT_BASE_REG;
		f->reg = o.location.parts[0].reg;
		size += o.location.parts[0].skip;
	} else if (!rt_lower_fetch(&o.place, o.skip, f)) {
		return rt_lower_too_far(spec, c->expr.column, err);
	}
	f->size = (uint8_t)size;
	return 0;
}

/* The second byte of a register is bits of its first two. */
static void add_skipped(const struct reached *r, unsigned size, struct rt_test *test)
{
	unsigned skip = r->object.in_memory ? 0 : r->object.location.parts[0].skip;

	if (!skip)
		return;
	test->bit = (uint8_t)(test->bit + 8 * skip);
	test->bits = test->bits ? test->bits : (uint8_t)(8 * size);
}

static int find_enumerator(const struct rt_spec *spec, const struct rt_condition *c,
			   const struct rt_ctype *type, int64_t *number, struct rt_error *err)
{
	unsigned i;

	for (i = 0; type->kind == RT_CT_ENUM && i < type->nvalues; i++) {
		if (strcmp(type->values[i].name, c->string) != 0)
			continue;
		*number = type->values[i].value;
		return 0;
	}
	return rt_spec_expected(spec, c->column, err, "a number, or a name that %s has",
				rt_lower_type_name(type));
}

/*
 * Read of a bit-field what its declared type takes, as the ABIs lay them out; of a packed one no
 * more than the bytes that it is in.
 */
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

static int compare_number(struct lowering *l, const struct rt_spec *spec,
			  const struct rt_condition *c, struct reached *r, struct rt_test *test,
			  struct rt_error *err)
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
	if ((size != 1 && size != 2 && size != 4 && size != 8) || r->type->kind == RT_CT_FLOAT ||
	    r->type->kind == RT_CT_STRUCT || r->type->kind == RT_CT_UNION ||
	    r->type->kind == RT_CT_ARRAY || r->type->kind == RT_CT_VARIANT)
		return rt_spec_expected(spec, c->expr.column, err,
					"a number or a pointer, which %s is not",
					rt_lower_type_name(r->type));
	if (c->operand == RT_OPERAND_NAME)
		ret = find_enumerator(spec, c, r->type, &number, err);
	if (ret == 0)
		ret = part_fetch(r, size, spec, c, &f, err);
	if (ret < 0)
		return ret;
	add_skipped(r, size, test);
	f.is_signed = r->type->is_signed && !rt_ctype_is_pointer(r->type);
	ret = value_of(l, &f, spec, c, err);
	test->value = (unsigned)ret;
	test->constant = (uint64_t)number;
	test->is_signed = f.is_signed || number < 0;
	test->of_register = r->type->style == RT_STYLE_REGISTER && size == 8;
	return ret < 0 ? ret : 0;
}

/* Also what the code shows, which is no more than where text could be. */
static bool can_be_text(const struct lowering *l, const struct rt_ctype *type)
{
	if (type->kind == RT_CT_INT)
		return type->style == RT_STYLE_GUESSED && type->size == l->arch->word;
	return rt_ctype_is_pointer(type) && type->target &&
	       (type->target->kind == RT_CT_CHAR || type->style == RT_STYLE_STRING ||
		type->target->kind == RT_CT_VOID ||
		(type->target->kind == RT_CT_UNKNOWN && !type->target->name));
}

static int compare_string(struct lowering *l, const struct rt_spec *spec,
			  const struct rt_condition *c, struct reached *r, struct rt_test *test,
			  struct rt_error *err)
{
	struct rt_fetch f, whole;
	int ret;

	if (!can_be_text(l, r->type))
		return rt_spec_expected(spec, c->expr.column, err,
					"a pointer to text, which %s is not",
					rt_lower_type_name(r->type));
	if (c->length >= RT_TEST_STRING)
		return rt_spec_expected(spec, c->column, err, "at most %d characters",
					RT_TEST_STRING - 1);
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
static int add_number(struct lowering *l, const struct rt_spec *spec, const struct rt_condition *c,
		      const struct reached *r, unsigned size, struct rt_test test,
		      struct rt_error *err)
{
	struct rt_fetch f;
	int ret;

	if (l->plan->ntests == RT_MAX_TESTS)
		return rt_spec_expected(spec, c->column, err,
					"less text: there is no room to compare it");
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
 * Text with its length beside it has no NUL: its length, then its characters as numbers of up
 * to eight of them.  It is another text where one of these is, so != has alternatives; `alone`: it
 * may.
 */
static int compare_counted(struct lowering *l, const struct rt_spec *spec,
			   const struct rt_condition *c, struct reached *r, struct rt_test test,
			   bool alone, struct rt_error *err)
{
	static const struct rt_ctype byte = { .kind = RT_CT_CHAR, .size = 1 };
	static const struct rt_ctype pointer = { .kind = RT_CT_POINTER,
						 .size = 8,
						 .target = &byte };
	const struct rt_sequence s = r->type->sequence;
	struct reached part = *r;
	size_t at, n;
	int ret;

	if (s.by_end || s.is_long || (test.op == RT_TEST_NE && !alone))
		return rt_spec_expected(spec, c->column, err,
					s.is_long  ? "text that never stands in the object itself, "
						     "as libc++'s short strings do"
					: s.by_end ? "a number"
						   : "'!=' of this text without '&&'");
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
		ret = rt_lower_pointee(l, &part, spec, c->expr.column, err);
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

/*
 * A reference's name means its target.  A whole structure cannot be compared, but its address can.
 */
static bool is_reference_to_value(const struct rt_ctype *type)
{
	const struct rt_ctype *to = type->kind == RT_CT_REFERENCE ? type->target : NULL;

	return to && (to->sequence.element || rt_ctype_is_pointer(to) ||
		      (to->kind >= RT_CT_BOOL && to->kind <= RT_CT_ENUM));
}

/*
 * errno is read where the result says that the call has failed, and is 0 elsewhere.  Nothing is
 * compared before it is known how to read it (plan/errno_of.h).
 */
static int compare_errno(const struct lowering *l, const struct rt_spec *spec,
			 const struct rt_condition *c, const struct rt_showing *shown,
			 struct rt_test *test, struct rt_error *err)
{
	bool can = l->limits.errno_source == RT_ERRNO_OFFSET ||
		   l->limits.errno_source == RT_ERRNO_FROM_MAP;

	if (can && !shown->errno_value)
		return rt_spec_expected(spec, c->expr.column, err,
					"a function that fails by -1 or NULL; 'f(...) -> int' "
					"gives its result");
	test->value = shown->errno_value - 1u;
	test->constant = (uint64_t)c->number;
	test->is_signed = true;
	return 0;
}

static int compare_argument(struct lowering *l, const struct rt_spec *spec,
			    const struct rt_condition *c, bool alone, struct rt_test *test,
			    struct rt_error *err)
{
	struct reached r;
	int ret = rt_lower_reach(l, spec, &c->expr, &r, err);

	if (ret == 0 && is_reference_to_value(r.type))
		ret = rt_lower_pointee(l, &r, spec, c->expr.column, err);
	if (ret < 0)
		return ret;
	if (c->operand == RT_OPERAND_STRING && r.type->sequence.element &&
	    r.type->sequence.element->kind == RT_CT_CHAR)
		return compare_counted(l, spec, c, &r, *test, alone, err);
	ret = c->operand == RT_OPERAND_STRING ? compare_string(l, spec, c, &r, test, err)
					      : compare_number(l, spec, c, &r, test, err);
	l->plan->ntests += ret == 0;
	return ret;
}

/* `alone`: no "&&" is before it or behind it. */
static int lower_condition(struct lowering *l, const struct rt_spec *spec,
			   const struct rt_condition *c, bool alone,
			   const struct rt_showing *shown, struct rt_test *test,
			   struct rt_error *err)
{
	int ret = 0;

	switch (c->subject) {
	case RT_OF_ARGUMENT:
	case RT_OF_RESULT:
		return compare_argument(l, spec, c, alone, test, err);
	case RT_OF_ERRNO:
		ret = compare_errno(l, spec, c, shown, test, err);
		break;
	case RT_OF_TIME:
		test->of_time = true;
		test->constant = (uint64_t)c->number;
		break;
	}
	l->plan->ntests += ret == 0;
	return ret;
}

int rt_lower_conditions(struct lowering *l, const struct rt_spec *spec,
			const struct rt_showing *shown, struct rt_error *err)
{
	static const enum rt_test_op ops[] = {
		[RT_OP_EQ] = RT_TEST_EQ,   [RT_OP_NE] = RT_TEST_NE,	    [RT_OP_LT] = RT_TEST_LT,
		[RT_OP_LE] = RT_TEST_LE,   [RT_OP_GT] = RT_TEST_GT,	    [RT_OP_GE] = RT_TEST_GE,
		[RT_OP_AND] = RT_TEST_AND, [RT_OP_BEGINS] = RT_TEST_BEGINS,
	};
	static const enum rt_test_join joins[] = {
		[RT_JOIN_ITEM] = RT_TEST_ALSO,
		[RT_JOIN_AND] = RT_TEST_WITH,
		[RT_JOIN_OR] = RT_TEST_ELSE,
	};
	bool first = true;
	unsigned i;
	int ret = 0;

	for (i = 0; i < spec->nconditions && ret == 0; i++) {
		const struct rt_condition *c = &spec->conditions[i];
		struct rt_test *test = &l->plan->tests[l->plan->ntests];

		/* Conditions of the other probe are left out, and may have begun the item. */
		first |= c->join == RT_JOIN_ITEM;
		if ((c->subject == RT_OF_ARGUMENT) != (l->plan->kind == RT_KIND_ENTRY))
			continue;
		if (l->plan->ntests == RT_MAX_TESTS)
			return rt_spec_expected(spec, c->expr.column, err, "at most %d conditions",
						RT_MAX_TESTS);
		memset(test, 0, sizeof(*test));
		test->op = ops[c->op];
		test->join = first ? RT_TEST_ALSO : joins[c->join];
		first = false;
		ret = lower_condition(l, spec, c,
				      c->join != RT_JOIN_AND && (i + 1 == spec->nconditions ||
								 c[1].join != RT_JOIN_AND),
				      shown, test, err);
	}
	return ret;
}
