/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of USDT probes.  A note tells where each is at its site, and its size and sign; the
 * specification may give it another type.
 *
 *   -4@%edi and int            the register
 *   8@%rsi and const char *    what the register points to is read too
 *   1@%al and int              a byte: no more of the register is the argument
 *   1@%ah and int              the second byte: both are read, and the first is not shown
 *   8@-24(%rbp,%rax,8)         in memory, at the sum of two registers
 */
#include <stdio.h>
#include <string.h>

#include "arch/operand.h"
#include "fetch/lower_private.h"

static bool is_number(const struct rt_ctype *type)
{
	return type->kind == RT_CT_BOOL || type->kind == RT_CT_CHAR || type->kind == RT_CT_INT ||
	       type->kind == RT_CT_ENUM;
}

static struct rt_ctype *number_of(struct lowering *l, const struct rt_operand *operand)
{
	struct rt_ctype *type = rt_types_add(l->memory, operand->is_float ? RT_CT_FLOAT : RT_CT_INT,
					     NULL, operand->size);

	l->failed |= !type;
	if (type) {
		type->align = operand->size;
		type->is_signed = operand->is_signed;
	}
	return type;
}

/* The type, where the argument has all bytes of it; else one of the argument's size. */
static const struct rt_ctype *fit_type(struct lowering *l, const struct rt_ctype *type,
				       const struct rt_operand *operand)
{
	uint64_t size = rt_ctype_is_pointer(type) ? l->arch->word : type->size;
	struct rt_ctype *fit;

	if (!operand->size || (size && size <= operand->size &&
			       (is_number(type) || rt_ctype_is_pointer(type) ||
				(type->kind == RT_CT_FLOAT && size == operand->size))))
		return type;
	fit = number_of(l, operand);
	if (fit && size > operand->size && is_number(type)) {
		*fit = *type;
		fit->kind = type->kind == RT_CT_ENUM ? RT_CT_ENUM : RT_CT_INT;
		fit->size = fit->align = operand->size;
		fit->is_signed = operand->is_signed;
	}
	return fit;
}

/* "<in xmm0>", or the operand as the note has it. */
static const char *mark_of(struct lowering *l, const struct rt_operand *operand)
{
	int n = operand->length < 48 ? operand->length : 48;
	char text[80], *mark;

	if (!operand->text)
		return "<no such argument>";
	if (n > 1 && operand->text[0] == '%' && !memchr(operand->text, ':', (size_t)n))
		snprintf(text, sizeof(text), "<in %.*s>", n - 1, operand->text + 1);
	else
		snprintf(text, sizeof(text), "<not readable: %.*s>", n, operand->text);
	mark = rt_lower_alloc(l, strlen(text) + 1);
	return mark ? strcpy(mark, text) : NULL;
}

const struct rt_ctype *rt_lower_operand(struct lowering *l, const struct rt_ctype *type,
					const struct rt_operand *operand,
					struct rt_abi_location *location)
{
	memset(location, 0, sizeof(*location));
	if (operand->kind == RT_OPERAND_REGISTER) {
		location->kind = RT_ABI_PARTS;
		location->n = 1;
		location->part = l->arch->word;
		location->parts[0].reg = *operand->base;
		location->parts[0].skip = operand->shift / 8;
	} else if (operand->kind == RT_OPERAND_CONSTANT ||
		   (operand->kind == RT_OPERAND_MEMORY &&
		    !(operand->index && l->limits.no_index))) {
		location->kind = RT_ABI_OPERAND;
		location->operand = operand;
	} else {
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = operand->kind == RT_OPERAND_MEMORY ? "<in memory>"
								    : mark_of(l, operand);
	}
	return fit_type(l, type, operand);
}

void rt_lower_operand_place(const struct rt_operand *operand, struct object *o)
{
	struct place *place = &o->place;

	o->in_memory = true;
	memset(place, 0, sizeof(*place));
	place->base = RT_BASE_CONSTANT;
	if (operand->kind == RT_OPERAND_CONSTANT) {
		place->constant = operand->constant;
		return;
	}
	place->behind = true;
	if (operand->base) {
		place->base = RT_BASE_REG;
		place->reg = *operand->base;
	}
	if (operand->index) {
		place->index = *operand->index;
		place->index_size = operand->index_width;
		place->index_shift = operand->scale;
		place->index_signed = operand->index_signed;
	}
	if (operand->base && operand->displacement == (int32_t)operand->displacement)
		o->skip = (uint32_t)(int32_t)operand->displacement;
	else
		place->constant = (uint64_t)operand->displacement;
}
