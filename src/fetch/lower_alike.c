/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans that many functions share: whole words, the registers of the arguments in their order, and then the stack. */
#include <string.h>

#include "fetch/lower_private.h"

static struct rt_fetch word_of(const struct lowering *l, enum rt_base base)
{
	return (struct rt_fetch){ .base = base, .size = l->arch->word };
}

void rt_lower_begin_alike(struct lowering *l)
{
	struct rt_fetch f = word_of(l, RT_BASE_REG);
	unsigned i;

	for (i = 0; i < l->first_registers; i++) {
		f.reg = l->arch->args[i];
		rt_lower_value(l, &f);
	}
	f = word_of(l, RT_BASE_STACK);
	for (i = 0; i < l->first_words; i++) {
		f.offset = (int32_t)(l->arch->stack_args + l->arch->word * i);
		rt_lower_value(l, &f);
	}
}

/* Which word of the stack's arguments the value is, or which argument's register; -1: it is none. */
static int place_of(const struct lowering *l, const struct rt_fetch *f)
{
	int at = f->offset - (int)l->arch->stack_args;
	unsigned i;

	if (f->base == RT_BASE_STACK)
		return at >= 0 && at % l->arch->word == 0 ? at / l->arch->word : -1;
	for (i = 0; i < l->arch->nargs; i++)
		if (f->reg.pt_regs == l->arch->args[i].pt_regs)
			return (int)i;
	return -1;
}

bool rt_lower_align(struct lowering *l)
{
	uint64_t words = 0;
	unsigned i;
	int at;

	if (!l->alike || l->aligned)
		return false;
	l->aligned = true;
	for (i = 0; i < l->plan->nvalues; i++) {
		const struct rt_fetch *f = &l->plan->values[i];

		if (f->type != RT_TYPE_INT || f->nderef || f->size != l->arch->word || (f->base != RT_BASE_REG && f->base != RT_BASE_STACK))
			continue;
		at = place_of(l, f);
		if (f->base == RT_BASE_STACK && at >= 0 && at < RT_MAX_VALUES)
			words |= UINT64_C(1) << at;
		else if (f->base == RT_BASE_REG && at >= (int)l->first_registers)
			l->first_registers = (unsigned)at + 1;
	}
	/* Registers cost a few bytes; of memory no more is read than was asked for, but what lies between for alignment. */
	while (words >> l->first_words & 3)
		l->first_words++;
	l->first_registers = l->first_words || l->first_registers > 3 ? l->arch->nargs : l->first_registers > 1 ? 3 : 1;
	if (l->first_registers > l->arch->nargs)
		l->first_registers = l->arch->nargs;
	return true;
}

void rt_lower_no_result(struct lowering *l)
{
	struct rt_fetch f = word_of(l, RT_BASE_REG);

	f.reg = l->arch->result;
	if (l->alike && !l->plan->nvalues)
		rt_lower_value(l, &f);
}

bool rt_lower_words_of(struct lowering *l, struct object *o, const struct rt_fetch *place, uint32_t size)
{
	unsigned word = l->arch->word, had = l->plan->nvalues, n, i;
	uint32_t skip = (uint32_t)(place->offset - (int32_t)l->arch->stack_args) % word, done = 0;
	struct rt_fetch f = word_of(l, RT_BASE_STACK);
	struct rt_piece *pieces;

	if (skip && !l->alike)
		return false;
	n = (skip + size + word - 1) / word;
	pieces = rt_lower_pieces(l, o->show, n);
	f.offset = place->offset - (int32_t)skip;
	for (i = 0; pieces && i < n; i++, f.offset += (int32_t)word) {
		uint32_t part = word - skip < size - done ? word - skip : size - done;
		int value = rt_lower_value(l, &f);

		if (value < 0) {
			l->plan->nvalues = had;
			o->show->npieces = 0;
			return false;
		}
		rt_lower_piece(l, &pieces[i], value, done, part);
		pieces[i].at = (uint16_t)(pieces[i].at + skip);
		done += part;
		skip = 0;
	}
	return pieces;
}
