/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of call frame information: a CIE's instructions, then an FDE's, up to an address. */
#include "elf/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/file.h"

/* DWARF 5, section 7.24; the last ones are GNU's. */
enum {
	CFA_ADVANCE = 0x40,	/* the two upper bits; the operand is in the others */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_SF = 0x12,
	CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	/* of SPARC; AArch64: the return address is signed from here on, or no longer */
	CFA_WINDOW_SAVE = 0x2d,
	CFA_ARGS_SIZE = 0x2e,
	CFA_NEGATIVE_OFFSET = 0x2f,
};

/* Compilers nest one or two; an FDE of more is damaged. */
enum { REMEMBERED_MAX = 8 };

struct reader {
	struct rt_eh_cursor c;
	struct rt_eh_cie cie;
	uint64_t pc, addr;		/* the row is that of `pc`; until it is past `addr` */
	struct rt_cfi_row row, initial, remembered[REMEMBERED_MAX];
	unsigned nremembered;
};

static void set(struct reader *r, uint64_t reg, enum rt_cfi_how how, int64_t v)
{
	if (reg < RT_CFI_REGS)
		r->row.regs[reg] = (struct rt_cfi_rule){ how, v };
}

static void restore(struct reader *r, uint64_t reg)
{
	if (reg < RT_CFI_REGS)
		r->row.regs[reg] = r->initial.regs[reg];
}

static void define(struct reader *r, uint64_t reg, int64_t offset)
{
	if (reg >= RT_CFI_REGS)
		r->c.bad = true;
	r->row.cfa_reg = (unsigned)reg;
	r->row.cfa = (struct rt_cfi_rule){ RT_CFI_VALUE, offset };
}

/* The address of an expression, over which the cursor moves. */
static int64_t pass_expression(struct reader *r)
{
	uint64_t at = r->c.at, size = rt_eh_leb(&r->c, false);

	if (size > UINT16_MAX)
		r->c.bad = true;
	else if (!r->c.bad)
		rt_eh_seek(&r->c, r->c.image, r->c.at + size);
	return (int64_t)at;
}

static int64_t factored(struct reader *r, bool is_signed)
{
	return (int64_t)(rt_eh_leb(&r->c, is_signed) * (uint64_t)r->cie.data_factor);
}

static void advance(struct reader *r, uint64_t by)
{
	r->pc += by * r->cie.code_factor;
}

static void remember(struct reader *r)
{
	if (r->nremembered == REMEMBERED_MAX)
		r->c.bad = true;
	else
		r->remembered[r->nremembered++] = r->row;
}

static void restore_state(struct reader *r)
{
	if (!r->nremembered)
		r->c.bad = true;
	else
		r->row = r->remembered[--r->nremembered];
}

static void take_cfa(struct reader *r, uint8_t op)
{
	struct rt_eh_cursor *c = &r->c;
	uint64_t reg;

	switch (op) {
	case CFA_DEF:
		reg = rt_eh_leb(c, false);
		define(r, reg, (int64_t)rt_eh_leb(c, false));
		break;
	case CFA_DEF_SF:
		reg = rt_eh_leb(c, false);
		define(r, reg, factored(r, true));
		break;
	case CFA_DEF_REGISTER:
		define(r, rt_eh_leb(c, false), r->row.cfa.v);
		break;
	case CFA_DEF_OFFSET:
		define(r, r->row.cfa_reg, (int64_t)rt_eh_leb(c, false));
		break;
	case CFA_DEF_OFFSET_SF:
		define(r, r->row.cfa_reg, factored(r, true));
		break;
	case CFA_DEF_EXPRESSION:
		r->row.cfa = (struct rt_cfi_rule){ RT_CFI_VALUE_EXPRESSION, pass_expression(r) };
		break;
	default:
		c->bad = true;
	}
}

static void take_register(struct reader *r, uint8_t op)
{
	uint64_t reg = rt_eh_leb(&r->c, false);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set(r, reg, RT_CFI_OFFSET, factored(r, false));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set(r, reg, RT_CFI_OFFSET, factored(r, true));
		break;
	case CFA_NEGATIVE_OFFSET:
		set(r, reg, RT_CFI_OFFSET, -factored(r, false));
		break;
	case CFA_VAL_OFFSET:
		set(r, reg, RT_CFI_VALUE, factored(r, false));
		break;
	case CFA_VAL_OFFSET_SF:
		set(r, reg, RT_CFI_VALUE, factored(r, true));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(r, reg);
		break;
	case CFA_UNDEFINED:
		set(r, reg, RT_CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set(r, reg, RT_CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		set(r, reg, RT_CFI_REGISTER, (int64_t)rt_eh_leb(&r->c, false));
		break;
	case CFA_EXPRESSION:
		set(r, reg, RT_CFI_EXPRESSION, pass_expression(r));
		break;
	case CFA_VAL_EXPRESSION:
		set(r, reg, RT_CFI_VALUE_EXPRESSION, pass_expression(r));
		break;
	default:
		take_cfa(r, op);
	}
}

static void take(struct reader *r)
{
	uint8_t op = rt_eh_byte(&r->c), low = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE:
		advance(r, low);
		return;
	case CFA_OFFSET:
		set(r, low, RT_CFI_OFFSET, factored(r, false));
		return;
	case CFA_RESTORE:
		restore(r, low);
		return;
	}
	switch (op) {
	case CFA_NOP:
	case CFA_WINDOW_SAVE:
		break;
	case CFA_SET_LOC:
		r->pc = rt_eh_encoded(&r->c, r->cie.addresses, 0);
		break;
	case CFA_ADVANCE1:
		advance(r, rt_eh_byte(&r->c));
		break;
	case CFA_ADVANCE2:
		advance(r, rt_eh_number(&r->c, 2, false));
		break;
	case CFA_ADVANCE4:
		advance(r, rt_eh_number(&r->c, 4, false));
		break;
	case CFA_REMEMBER:
		remember(r);
		break;
	case CFA_RESTORE_STATE:
		restore_state(r);
		break;
	case CFA_ARGS_SIZE:
		rt_eh_leb(&r->c, false);
		break;
	case CFA_DEF: case CFA_DEF_SF: case CFA_DEF_REGISTER: case CFA_DEF_OFFSET:
	case CFA_DEF_OFFSET_SF: case CFA_DEF_EXPRESSION:
		take_cfa(r, op);
		break;
	default:
		take_register(r, op);
	}
}

/* Execute the instructions up to `end`, or to the row of the address.  False: damaged. */
static bool run(struct reader *r, uint64_t begin, uint64_t end)
{
	struct rt_cfi_row row = r->row;

	rt_eh_seek(&r->c, r->c.image, begin);
	while (r->c.at < end && !r->c.bad) {
		row = r->row;
		take(r);
		/* The instructions behind it are of later addresses. */
		if (r->pc > r->addr) {
			r->row = row;
			break;
		}
	}
	return !r->c.bad;
}

/* The FDE of `addr`: its CIE, its first address, and its instructions. */
static bool read_fde(struct reader *r, uint64_t fde, uint64_t *begin, uint64_t *end)
{
	struct rt_eh_cursor *c = &r->c;
	uint64_t length, cie_at, first, size;

	rt_eh_seek(c, c->image, fde);
	length = rt_eh_number(c, 4, false);
	*end = c->at + length;
	cie_at = c->at - rt_eh_number(c, 4, false);
	if (c->bad || length == UINT32_MAX)
		return false;
	rt_eh_seek(c, c->image, cie_at);
	rt_eh_read_cie(c, &r->cie);
	if (c->bad || r->cie.ra >= RT_CFI_REGS)
		return false;
	rt_eh_seek(c, c->image, fde + 8);
	first = rt_eh_encoded(c, r->cie.addresses, 0);
	size = rt_eh_encoded(c, r->cie.addresses & 0x0f, 0);
	if (r->addr < first || r->addr - first >= size)
		return false;
	r->pc = first;
	size = r->cie.sized ? rt_eh_leb(c, false) : 0;
	*begin = c->at + size;
	return !c->bad;
}

static uint64_t find_fde(struct reader *r, struct rt_image *image)
{
	uint64_t index, fde;

	if (!rt_eh_index(image, &index))
		return rt_eh_find_unindexed(image, r->addr, &fde) ? fde : 0;
	rt_eh_seek(&r->c, image, index);
	return rt_eh_find(&r->c, index, r->addr);
}

static bool read_row(struct reader *r, struct rt_image *image)
{
	uint64_t fde = find_fde(r, image), begin, end, pc;

	rt_eh_seek(&r->c, image, fde);
	if (!fde || !read_fde(r, fde, &begin, &end))
		return false;
	r->row.ra = (unsigned)r->cie.ra;
	r->row.is_signal = r->cie.is_signal;
	pc = r->pc;
	if (!run(r, r->cie.begin, r->cie.end))
		return false;
	r->initial = r->row;
	r->pc = pc;
	return run(r, begin, end);
}

bool rt_cfi_find(struct rt_image *image, uint64_t addr, struct rt_cfi_row *row)
{
	struct reader *r = calloc(1, sizeof(*r));
	bool found;

	if (!r)
		return false;
	r->addr = addr;
	found = read_row(r, image);
	*row = r->row;
	free(r);
	return found;
}
