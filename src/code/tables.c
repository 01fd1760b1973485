/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jump tables. The values of registers are followed along one path to the jump: addresses, loads
 * from a table by an index, and the bounds of the index by comparisons and masks.
 */
#include <string.h>

#include "code/body.h"

enum { REGISTERS = 32, SLOTS = 8, IDS = 2048, NUMBERS = 4096 };

enum sym_kind {
	SYM_VALUE,	/* any, by its number */
	SYM_ADDRESS,
	SYM_SCALED,	/* a value times `size` */
	SYM_ENTRY,	/* loaded from a table */
	SYM_PLACE,	/* an address and an entry */
};

struct sym {
	enum sym_kind kind;
	uint32_t id;		/* the value, or the index of the table */
	uint64_t addr;		/* the address, or the table's */
	uint64_t anchor;
	uint8_t size, shift;
	bool is_signed;
};

/*
 * The value in memory at a distance from another value, or at an address (base 0), and its number.
 */
struct slot {
	uint32_t base, id;
	bool used;
	int64_t disp;
};

struct state {
	const struct rt_body *body;
	struct sym regs[REGISTERS];
	struct slot slots[SLOTS];
	unsigned next_slot;
	uint32_t ids;
	uint64_t bounds[IDS];	/* by value: it is below; 0: not known */
	bool compared;
	uint32_t compared_id;
	uint64_t compared_with;
};

static uint32_t new_id(struct state *s)
{
	/* Those of a way that is too long share the last number, which is never bounded. */
	return s->ids + 1 < IDS ? s->ids++ : IDS - 1;
}

static struct sym value(uint32_t id)
{
	struct sym v;

	memset(&v, 0, sizeof(v));
	v.id = id;
	return v;
}

static void bound(struct state *s, uint32_t id, uint64_t n)
{
	if (id < IDS - 1 && n && (!s->bounds[id] || n < s->bounds[id]))
		s->bounds[id] = n;
}

static struct sym *reg(struct state *s, int8_t r)
{
	return r >= 0 && r < REGISTERS ? &s->regs[r] : NULL;
}

/* The slot of memory without an index; NULL: its address is not known. */
static struct slot *slot_of(struct state *s, const struct rt_flow_mem *mem)
{
	const struct sym *base = reg(s, mem->base);
	struct slot *slot;
	unsigned i;

	if (base ? base->kind != SYM_VALUE : !mem->fixed)
		return NULL;
	for (i = 0; i < SLOTS; i++) {
		slot = &s->slots[i];
		if (slot->used && slot->base == (base ? base->id : 0) && slot->disp == mem->disp)
			return slot;
	}
	slot = &s->slots[s->next_slot++ % SLOTS];
	*slot = (struct slot){
		.base = base ? base->id : 0, .used = true, .disp = mem->disp, .id = new_id(s)
	};
	return slot;
}

static uint32_t slot_id(struct state *s, const struct rt_flow_mem *mem)
{
	const struct slot *slot = slot_of(s, mem);

	return slot ? slot->id : new_id(s);
}

static void store(struct state *s, const struct rt_flow *f)
{
	const struct sym *from = reg(s, f->from);
	struct slot *slot = f->mem.index == RT_NO_REG ? slot_of(s, &f->mem) : NULL;

	if (slot)
		slot->id = from && from->kind == SYM_VALUE ? from->id : new_id(s);
}

/* Is it an element of a table at a known place?  `size`: of the elements. */
static bool take_element(struct state *s, const struct rt_flow_mem *mem, unsigned size,
			 struct sym *v)
{
	const struct sym *base = reg(s, mem->base), *index = reg(s, mem->index), *scaled = base;

	/* Without optimization the index is multiplied before. */
	if (index && scaled && scaled->kind == SYM_SCALED && index->kind == SYM_ADDRESS &&
	    mem->scale == 1 && scaled->size == size) {
		*v = *scaled;
		v->kind = SYM_ENTRY;
		v->addr = index->addr + (uint64_t)mem->disp;
		return true;
	}

	if (!index || index->kind != SYM_VALUE || mem->scale != size || (!mem->fixed && !base) ||
	    (base && base->kind != SYM_ADDRESS))
		return false;
	memset(v, 0, sizeof(*v));
	v->kind = SYM_ENTRY;
	v->id = index->id;
	v->addr = (uint64_t)mem->disp + (base ? base->addr : 0);
	v->size = (uint8_t)size;
	return true;
}

static struct sym load(struct state *s, const struct rt_flow *f)
{
	struct sym v;

	if (!f->has_mem)
		return value(new_id(s));
	if (f->mem.index == RT_NO_REG) {
		v = value(slot_id(s, &f->mem));
		if (f->bytes == 1 && !f->is_signed)
			bound(s, v.id, 256);
		return v;
	}
	if (!take_element(s, &f->mem, f->bytes, &v))
		return value(new_id(s));
	v.is_signed = f->is_signed;
	return v;
}

static struct sym sum(struct state *s, const struct rt_flow *f)
{
	const struct sym *a = reg(s, f->from), *b = reg(s, f->other), *t;
	struct sym v;

	if (a && b && a->kind == SYM_ENTRY && !f->shift) {
		t = a;
		a = b;
		b = t;
	}
	if (!a || !b || a->kind != SYM_ADDRESS || b->kind != SYM_ENTRY)
		return value(new_id(s));
	v = *b;
	v.kind = SYM_PLACE;
	v.anchor = a->addr;
	v.shift = f->shift;
	if (f->bytes && f->bytes <= b->size)
		v.is_signed = f->is_signed;
	return v;
}

static struct sym copy(struct state *s, const struct rt_flow *f)
{
	const struct sym *from = reg(s, f->from);
	struct sym v;

	if (!from)
		return value(new_id(s));
	if (from->kind == SYM_ENTRY && f->is_signed && f->bytes == from->size) {
		v = *from;
		v.is_signed = true;
		return v;
	}
	if (f->bytes != 1 || from->kind != SYM_VALUE || s->bounds[from->id])
		return *from;
	v = value(new_id(s));
	if (!f->is_signed)
		bound(s, v.id, 256);
	return v;
}

static struct sym result(struct state *s, const struct rt_flow *f)
{
	const struct sym *from = reg(s, f->from);
	struct sym v = value(0);

	switch (f->op) {
	case RT_OP_ADDRESS:
		/*
		 * A number: on another way the index of the table, as the next state is in a loop.
		 */
		if (f->value >= 0 && f->value < NUMBERS)
			break;
		v.kind = SYM_ADDRESS;
		v.addr = (uint64_t)f->value;
		return v;
	case RT_OP_PLUS:
		if (!from || from->kind != SYM_ADDRESS)
			break;
		v = *from;
		v.addr += (uint64_t)f->value;
		return v;
	case RT_OP_SCALE:
		if (!from || from->kind != SYM_VALUE || f->value > 8)
			break;
		v = *from;
		v.kind = SYM_SCALED;
		v.size = (uint8_t)f->value;
		return v;
	case RT_OP_COPY:
		return copy(s, f);
	case RT_OP_LOAD:
		return load(s, f);
	case RT_OP_SUM:
		return sum(s, f);
	case RT_OP_MASK:
		v = value(new_id(s));
		if (f->value >= 0 && f->value < 1 << 16)
			bound(s, v.id, (uint64_t)f->value + 1);
		return v;
	case RT_OP_COMPARE: case RT_OP_STORE: case RT_OP_OTHER:
		break;
	}
	return value(new_id(s));
}

static void compare(struct state *s, const struct rt_flow *f)
{
	const struct sym *from = reg(s, f->from);

	s->compared = false;
	/* A subtraction compares too; what a lea adds is counted from a base. */
	if (f->op == RT_OP_PLUS && f->mem.base == RT_NO_REG && f->value < 0 &&
	    f->value >= -(1 << 16) && from && from->kind == SYM_VALUE) {
		s->compared = true;
		s->compared_id = from->id;
		s->compared_with = (uint64_t)-f->value;
	}
	if (f->op != RT_OP_COMPARE || f->value < 0 || f->value > 1 << 16)
		return;
	if (f->has_mem && f->mem.index == RT_NO_REG)
		s->compared_id = slot_id(s, &f->mem);
	else if (from && from->kind == SYM_VALUE)
		s->compared_id = from->id;
	else
		return;
	s->compared = true;
	s->compared_with = (uint64_t)f->value;
}

static void branch(struct state *s, const struct rt_flow *f, bool taken)
{
	uint64_t n = s->compared_with;

	if (!s->compared)
		return;
	if ((f->order == RT_ORDER_ABOVE && !taken) || (f->order == RT_ORDER_NOT_ABOVE && taken))
		bound(s, s->compared_id, n + 1);
	else if ((f->order == RT_ORDER_NOT_BELOW && !taken) ||
		 (f->order == RT_ORDER_BELOW && taken))
		bound(s, s->compared_id, n);
}

static void step(struct state *s, const struct rt_flow *f)
{
	struct sym v = value(0);
	unsigned i;
	bool to = f->to >= 0 && f->to < REGISTERS && f->op != RT_OP_COMPARE &&
		  f->op != RT_OP_STORE && f->op != RT_OP_OTHER;

	if (to)
		v = result(s, f);
	if (f->op == RT_OP_STORE)
		store(s, f);
	if (f->op == RT_OP_COMPARE || f->op == RT_OP_OTHER || f->op == RT_OP_SUM ||
	    f->op == RT_OP_MASK || (f->op == RT_OP_PLUS && f->mem.base == RT_NO_REG))
		compare(s, f);
	for (i = 0; i < REGISTERS; i++)
		if (f->writes & 1u << i)
			s->regs[i] = value(new_id(s));
	for (i = 0; i < SLOTS && f->kind == RT_FLOW_CALL; i++)
		s->slots[i].used = false;
	if (to)
		s->regs[f->to] = v;
}

static bool take_jump(struct state *s, const struct rt_flow *f, struct rt_jumps *table)
{
	unsigned word = s->body->arch->word;
	const struct sym *at = reg(s, f->to);
	struct sym v;

	if (f->has_mem) {
		if (f->mem.index == RT_NO_REG || !take_element(s, &f->mem, word, &v))
			return false;
		at = &v;
	}
	if (!at || (at->kind != SYM_PLACE && (at->kind != SYM_ENTRY || at->size != word)))
		return false;
	*table = (struct rt_jumps){
		.table = at->addr,
		.anchor = at->anchor,
		.n = s->bounds[at->id],
		.size = at->size,
		.shift = at->shift,
		.is_signed = at->is_signed,
		.relative = at->kind == SYM_PLACE,
	};
	return true;
}

bool rt_jumps_find(const struct rt_body *body, const uint64_t *path, size_t n,
		   struct rt_jumps *table)
{
	struct state s;
	struct rt_flow f;
	size_t i;

	memset(&s, 0, sizeof(s));
	s.body = body;
	s.ids = 1;
	for (i = 0; i < REGISTERS; i++)
		s.regs[i] = value(new_id(&s));
	for (i = 0; i < n; i++) {
		if (!rt_body_decode(body, path[i], &f))
			return false;
		if (i + 1 == n)
			return f.kind == RT_FLOW_INDIRECT && take_jump(&s, &f, table);
		if (f.kind == RT_FLOW_BRANCH)
			branch(&s, &f, f.target == path[i + 1] && path[i + 1] != path[i] + f.size);
		else
			step(&s, &f);
	}
	return false;
}

bool rt_jumps_entry(const struct rt_body *body, const struct rt_jumps *t, uint64_t i,
		    uint64_t *target)
{
	unsigned bits = 64 - 8u * t->size;
	uint8_t bytes[8] = { 0 };
	uint64_t v;

	if (!t->relative)
		return rt_code_pointer(body->code, t->table + i * t->size, target);
	if (rt_image_read(rt_code_image(body->code), t->table + i * t->size, bytes, t->size) <
	    t->size)
		return false;
	memcpy(&v, bytes, sizeof(v));
	v <<= bits;
	v = t->is_signed ? (uint64_t)((int64_t)v >> bits) : v >> bits;
	*target = t->anchor + (v << t->shift);
	if (body->arch->word == 4)
		*target &= UINT32_MAX;
	return true;
}
