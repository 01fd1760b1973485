/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/fetch.h"

#include <errno.h>
#include <string.h>

/*
 * C promotes what an undeclared parameter could be to int, so that is how a value without a type is
 * read.
 */
static void plan_int(struct rt_fetch *fetch)
{
	fetch->type = RT_TYPE_INT;
	fetch->size = 4;
	fetch->is_signed = true;
}

int rt_plan_c_entry(const struct rt_arch *arch, unsigned nargs, struct rt_plan *plan)
{
	unsigned i;

	if (nargs > RT_MAX_VALUES)
		return -E2BIG;
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->arch = arch;
	plan->nvalues = nargs;
	for (i = 0; i < nargs; i++) {
		struct rt_fetch *fetch = &plan->values[i];

		plan_int(fetch);
		if (i < arch->nargs) {
			fetch->base = RT_BASE_REG;
			fetch->reg = arch->args[i];
		} else {
			/* A stack argument takes a whole slot, however small it is. */
			fetch->base = RT_BASE_STACK;
			fetch->offset = (int32_t)(arch->stack_args +
						  arch->word * (i - arch->nargs));
		}
	}
	return 0;
}

void rt_plan_c_return(const struct rt_arch *arch, struct rt_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_RETURN;
	plan->arch = arch;
	plan->nvalues = 1;
	plan_int(&plan->values[0]);
	plan->values[0].base = RT_BASE_REG;
	plan->values[0].reg = arch->result;
}

int rt_plan_add_goroutine(struct rt_plan *plan, const struct rt_fetch *record, uint32_t goid_offset,
			  unsigned runtime)
{
	const int32_t offsets[] = { 0, 8, (int32_t)goid_offset };
	unsigned i;

	if (plan->nvalues + 3 > RT_MAX_VALUES || record->nderef >= RT_MAX_DEREF)
		return -E2BIG;
	plan->goroutine = (uint8_t)(plan->nvalues + 1);
	plan->runtime = (uint16_t)runtime;
	for (i = 0; i < 3; i++) {
		struct rt_fetch *f = &plan->values[plan->nvalues++];

		*f = *record;
		f->deref[f->nderef++] = offsets[i];
		f->type = RT_TYPE_INT;
		f->size = 8;
	}
	return 0;
}

static struct rt_fetch whole_register(const struct rt_arch *arch, struct rt_reg reg)
{
	return (struct rt_fetch){ .base = RT_BASE_REG, .reg = reg, .size = arch->word };
}

int rt_plan_add_stack(struct rt_plan *plan, uint16_t bytes)
{
	const struct rt_arch *arch = plan->arch;
	unsigned i;

	if (plan->nvalues + 2 + (unsigned)__builtin_popcount(arch->saved) > RT_MAX_VALUES)
		return -E2BIG;
	plan->stack = (uint8_t)(plan->nvalues + 1);
	plan->values[plan->nvalues++] = (struct rt_fetch){
		.base = RT_BASE_STACK, .type = RT_TYPE_STACK, .max = bytes
	};
	plan->values[plan->nvalues++] = whole_register(arch, arch->ip);
	for (i = 0; i < arch->ndwarf; i++)
		if (arch->saved >> i & 1)
			plan->values[plan->nvalues++] = whole_register(arch, arch->dwarf[i]);
	return 0;
}

void rt_plan_at_exit(const struct rt_plan *returns, enum rt_call_end end, struct rt_plan *plan)
{
	unsigned i, shown = 0;

	*plan = *returns;
	plan->end = end;
	if (end == RT_BY_RETURN || end == RT_BY_URETPROBE)
		return;
	memset(plan->values, 0, sizeof(plan->values));
	memset(plan->tests, 0, sizeof(plan->tests));
	plan->nvalues = plan->nsaved = plan->ntests = 0;
	if (end == RT_BY_BRANCH) {
		plan_int(&plan->values[0]);
		plan->values[0].is_signed = false;
		plan->values[0].base = RT_BASE_REG;
		plan->values[0].reg = plan->arch->flags;
		plan->nvalues = shown = 1;
	}
	if (!returns->goroutine)
		return;
	plan->goroutine = (uint8_t)(shown + 1);
	for (i = 0; i < 3; i++)
		plan->values[plan->nvalues++] = returns->values[returns->goroutine - 1 + i];
}

static size_t aligned(size_t at, size_t size)
{
	return (at + size - 1) & ~(size - 1);
}

/* The alignment of the value. */
static size_t word_size(const struct rt_fetch *fetch)
{
	if (fetch->type == RT_TYPE_BYTES)
		return fetch->max < 8 ? 4 : 8;
	return fetch->type == RT_TYPE_INT ? fetch->size : sizeof(int32_t);
}

static size_t value_size(const struct rt_fetch *fetch)
{
	switch (fetch->type) {
	case RT_TYPE_STRING:
	case RT_TYPE_STACK:
		return sizeof(int32_t) + fetch->max;
	case RT_TYPE_BYTES:
		return fetch->max;
	default:
		return fetch->size;
	}
}

size_t rt_plan_offset(const struct rt_plan *plan, unsigned i)
{
	size_t at = offsetof(struct rt_record, data);
	unsigned k;

	for (k = 0; k < i; k++)
		at = aligned(at, word_size(&plan->values[k])) + value_size(&plan->values[k]);
	return aligned(at, word_size(&plan->values[i])) - offsetof(struct rt_record, data);
}

size_t rt_plan_size(const struct rt_plan *plan)
{
	unsigned last = plan->nvalues - 1;

	return plan->nvalues ? rt_plan_offset(plan, last) + value_size(&plan->values[last]) : 0;
}

/*
 * By the size: a memcpy of a length that is not constant is a call, which is felt at ten million
 * values a second.
 */
uint64_t rt_fetch_load(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;
	uint32_t word;

	switch (size) {
	case 4:
		memcpy(&word, p, sizeof(word));
		return word;
	case 8:
		memcpy(&v, p, sizeof(v));
		return v;
	case 1:
		return *p;
	}
	/* little-endian, as all of our machines are */
	memcpy(&v, p, size < sizeof(v) ? size : sizeof(v));
	return v;
}

uint64_t rt_plan_int(const struct rt_plan *plan, unsigned i, const uint8_t *data)
{
	const struct rt_fetch *fetch = &plan->values[i];
	unsigned bits = 64 - 8u * fetch->size;
	uint64_t v = rt_fetch_load(data + rt_plan_offset(plan, i), fetch->size) << bits;

	return fetch->is_signed ? (uint64_t)((int64_t)v >> bits) : v >> bits;
}

static bool compare(const struct rt_test *test, uint64_t v)
{
	uint64_t bias = test->is_signed ? UINT64_C(1) << 63 : 0, a = v ^ bias,
		 b = test->constant ^ bias;

	switch (test->op) {
	case RT_TEST_EQ:
		return a == b;
	case RT_TEST_NE:
		return a != b;
	case RT_TEST_LT:
		return a < b;
	case RT_TEST_LE:
		return a <= b;
	case RT_TEST_GT:
		return a > b;
	case RT_TEST_GE:
		return a >= b;
	case RT_TEST_AND:
		return (v & test->constant) != 0;
	case RT_TEST_BEGINS:
		break;
	}
	return false;
}

/* Compare with the characters that were read: these are just enough to differ from the constant. */
static bool compare_text(const struct rt_plan *plan, const struct rt_test *test,
			 const uint8_t *data, bool fault)
{
	const uint8_t *at = data + rt_plan_offset(plan, test->value);
	const struct rt_fetch *f = &plan->values[test->value];
	int32_t len;
	size_t n;

	memcpy(&len, at, sizeof(len));
	if (len < 0 || (fault && len < 2))
		return false;
	n = (size_t)len < f->max ? (size_t)len : f->max;
	n = strnlen((const char *)at + sizeof(len), n);
	/* The fault hides the rest of the text. */
	if (fault && n + 1 >= (size_t)len)
		return false;
	if (test->op == RT_TEST_BEGINS)
		return n >= test->length &&
		       memcmp(at + sizeof(len), test->string, test->length) == 0;
	return (n == test->length && memcmp(at + sizeof(len), test->string, n) == 0) ==
	       (test->op == RT_TEST_EQ);
}

static uint64_t tested_int(const struct rt_plan *plan, const struct rt_test *test,
			   const uint8_t *data)
{
	const struct rt_fetch *f = &plan->values[test->value];
	uint64_t v = rt_plan_int(plan, test->value, data) << rt_test_up(test, f);

	if (test->of_register && v <= UINT32_MAX)
		return (uint64_t)(int32_t)v;
	return f->is_signed ? (uint64_t)((int64_t)v >> rt_test_down(test, f))
			    : v >> rt_test_down(test, f);
}

static bool passes(const struct rt_plan *plan, const struct rt_test *test, const uint8_t *data,
		   uint32_t faults, uint64_t ns)
{
	bool fault = faults >> (test->value & (RT_MAX_VALUES - 1)) & 1;

	if (test->of_time)
		return compare(test, ns);
	if (!data || test->value >= plan->nvalues)
		return false;
	if (test->string)
		return plan->values[test->value].type == RT_TYPE_STRING &&
		       compare_text(plan, test, data, fault);
	return !fault && plan->values[test->value].type == RT_TYPE_INT &&
	       compare(test, tested_int(plan, test, data));
}

bool rt_plan_passes(const struct rt_plan *plan, const uint8_t *data, uint32_t faults)
{
	return rt_plan_passes_end(plan, data, faults, 0);
}

bool rt_plan_passes_end(const struct rt_plan *plan, const uint8_t *data, uint32_t faults,
			uint64_t ns)
{
	/* the groups before; an alternative before; the one at hand */
	bool all = true, group = false, one = true;
	unsigned i;

	for (i = 0; i < plan->ntests && i < RT_MAX_TESTS; i++) {
		const struct rt_test *test = &plan->tests[i];

		if (i && test->join == RT_TEST_ALSO) {
			all = all && (group || one);
			group = false;
		} else if (test->join == RT_TEST_ELSE) {
			group = group || one;
		}
		if (test->join != RT_TEST_WITH)
			one = true;
		one = one && passes(plan, test, data, faults, ns);
	}
	return all && (group || one);
}

size_t rt_plan_block(const struct rt_plan *plan, unsigned i, const uint8_t *data, uint64_t *all)
{
	const struct rt_fetch *f = &plan->values[i];
	uint64_t n;

	*all = f->max;
	if (!f->length)
		return f->max;
	n = rt_fetch_load(data + rt_plan_offset(plan, f->length - 1u) + f->length_offset,
			  f->length_size);
	if (f->length_ends)
		n -= rt_fetch_load(data + rt_plan_offset(plan, f->length - 1u) + f->length_begin,
				   f->length_size);
	if (f->length_size == 4)
		n = (uint32_t)n;
	/* Nobody means that many: it is a negative number. */
	if (n >> (8 * f->length_size - 1) & 1)
		n = 0;
	*all = n > UINT64_MAX / f->element ? UINT64_MAX : n * f->element;
	return *all < f->max ? (size_t)*all : f->max;
}

bool rt_fetch_same(const struct rt_fetch *a, const struct rt_fetch *b)
{
	unsigned i;

	if (a->base != b->base || a->nderef != b->nderef || a->type != b->type ||
	    a->max != b->max || a->length != b->length || a->list != b->list ||
	    a->least != b->least)
		return false;
	if (a->base == RT_BASE_REG ? a->reg.pt_regs != b->reg.pt_regs
				   : a->base != RT_BASE_THREAD && a->offset != b->offset)
		return false;
	if (a->base == RT_BASE_CONSTANT && a->constant != b->constant)
		return false;
	if (a->index_size != b->index_size ||
	    (a->index_size &&
	     (a->index.pt_regs != b->index.pt_regs || a->index_shift != b->index_shift ||
	      a->index_signed != b->index_signed)))
		return false;
	if (a->if_failed != b->if_failed || a->failed_size != b->failed_size ||
	    a->null_fails != b->null_fails || a->from_map != b->from_map)
		return false;
	for (i = 0; i < a->nderef; i++)
		if (a->deref[i] != b->deref[i])
			return false;
	if (a->type == RT_TYPE_INT && (a->size != b->size || a->is_signed != b->is_signed))
		return false;
	return !a->length ||
	       (a->length_size == b->length_size && a->length_offset == b->length_offset &&
		a->element == b->element && a->length_ends == b->length_ends &&
		a->length_begin == b->length_begin);
}

bool rt_plan_same(const struct rt_plan *a, const struct rt_plan *b)
{
	unsigned i;

	if (a->kind != b->kind || a->role != b->role || a->end != b->end || a->arch != b->arch ||
	    a->nvalues != b->nvalues || a->return_address != b->return_address ||
	    a->root != b->root || a->ends != b->ends || a->no_return != b->no_return ||
	    a->goroutine != b->goroutine || a->stack != b->stack ||
	    a->runtime != b->runtime || a->ntests != b->ntests || a->nsaved != b->nsaved)
		return false;
	for (i = 0; i < a->ntests; i++)
		if (a->tests[i].value != b->tests[i].value ||
		    a->tests[i].of_time != b->tests[i].of_time ||
		    a->tests[i].of_register != b->tests[i].of_register ||
		    a->tests[i].op != b->tests[i].op ||
		    a->tests[i].join != b->tests[i].join || a->tests[i].bit != b->tests[i].bit ||
		    a->tests[i].bits != b->tests[i].bits ||
		    a->tests[i].constant != b->tests[i].constant ||
		    a->tests[i].is_signed != b->tests[i].is_signed ||
		    !a->tests[i].string != !b->tests[i].string ||
		    a->tests[i].length != b->tests[i].length ||
		    (a->tests[i].string &&
		     memcmp(a->tests[i].string, b->tests[i].string, a->tests[i].length) != 0))
			return false;
	for (i = 0; i < a->nsaved; i++)
		if (!rt_fetch_same(&a->saved[i], &b->saved[i]))
			return false;
	for (i = 0; i < a->nvalues; i++)
		if (!rt_fetch_same(&a->values[i], &b->values[i]))
			return false;
	return true;
}

bool rt_plan_wants_thread(const struct rt_plan *plan)
{
	unsigned i;

	for (i = 0; i < plan->nvalues; i++)
		if (plan->values[i].base == RT_BASE_THREAD)
			return true;
	return false;
}

static bool can_fault(const struct rt_fetch *fetch)
{
	return fetch->type != RT_TYPE_INT || fetch->base != RT_BASE_REG || fetch->nderef;
}

void rt_plan_tail(const struct rt_plan *plan, struct rt_layout layout, struct rt_tail *tail)
{
	size_t at;
	unsigned i;

	memset(tail, 0, sizeof(*tail));
	tail->data = (uint16_t)rt_plan_size(plan);
	at = offsetof(struct rt_record, data) + tail->data;
	if (layout.tgid) {
		tail->tgid = (uint16_t)aligned(at, 4);
		at = tail->tgid + 4u;
	}
	for (i = 0; i < plan->nvalues && !tail->faults; i++) {
		if (!can_fault(&plan->values[i]))
			continue;
		tail->faults = (uint16_t)aligned(at, 4);
		at = tail->faults + 4u;
	}
	if (plan->return_address) {
		tail->ra = (uint16_t)aligned(at, 8);
		at = tail->ra + 8u;
	}
	if (layout.key == RT_KEY_IP) {
		tail->ip = (uint16_t)aligned(at, 8);
		at = tail->ip + 8u;
	}
	tail->size = (uint16_t)aligned(at, 4);
}

uint16_t rt_plans_record_size(const struct rt_plan *plans, unsigned nplans, struct rt_layout layout)
{
	struct rt_tail tail;
	size_t most = 0;
	unsigned i;

	for (i = 0; i < nplans; i++) {
		rt_plan_tail(&plans[i], layout, &tail);
		most = tail.size > most ? tail.size : most;
	}
	return (uint16_t)(aligned(most, 8) + sizeof(uint64_t));
}

void rt_tail_set_size(struct rt_tail *tail, uint16_t size)
{
	tail->size = size;
	tail->entered = (uint16_t)(size - sizeof(uint64_t));
}
