/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common instructions of x86-64, decoded without capstone.
 *
 * capstone takes 0.5 us an instruction, as it also prints it: half of the time of rawtrace list on
 * a large file.  This takes 30 ns, and leaves to capstone 0.2 % of the instructions of libLLVM and
 * cc1, 0.7 % of libjvm's, 8 % of libcrypto's.
 *
 * x86_parts.c takes an instruction apart.  Its parts are translated for each caller, as
 * flow_capstone.c and use_capstone.c would: tests/unit/test_flow.c compares.
 */
#include <string.h>

#include "arch/flow.h"
#include "arch/use.h"
#include "arch/x86/x86_parts.h"

/* ---- the way through a function ---- */

static enum rt_flow_kind kind_of(const struct rt_x86_parts *c)
{
	switch (c->op) {
	case RT_X86_CALL:
		return RT_FLOW_CALL;
	case RT_X86_JMP:
		return c->direct ? RT_FLOW_JUMP : RT_FLOW_INDIRECT;
	case RT_X86_JCC:
		return RT_FLOW_BRANCH;
	case RT_X86_RET:
		return RT_FLOW_RETURN;
	case RT_X86_STOP:
		return RT_FLOW_STOP;
	}
	return RT_FLOW_NEXT;
}

static void find_condition(const struct rt_x86_parts *c, struct rt_flow *f)
{
	if (c->op != RT_X86_JCC)
		return;
	f->condition = c->condition;
	f->order = c->condition == 3   ? RT_ORDER_BELOW
		   : c->condition == 4 ? RT_ORDER_NOT_BELOW
		   : c->condition == 7 ? RT_ORDER_NOT_ABOVE
		   : c->condition == 8 ? RT_ORDER_ABOVE
				       : RT_ORDER_NONE;
}

static void find_writes(const struct rt_x86_parts *c, struct rt_flow *f)
{
	unsigned i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].kind == RT_X86_REGISTER && c->v[i].access & RT_X86_WRITE)
			f->writes |= 1u << c->v[i].reg;
	switch (c->op) {
	case RT_X86_CALL:
		f->writes |= 0xfc7;
		/* fall through */
	case RT_X86_PUSH: case RT_X86_POP: case RT_X86_RET:
		f->writes |= 1u << RT_X86_SP;
		break;
	case RT_X86_LEAVE:
		f->writes |= 1u << RT_X86_SP | 1u << RT_X86_BP;
		break;
	/* their operand counts, too */
	case RT_X86_MULTIPLY: case RT_X86_DIVIDE:
		f->writes |= 1u << RT_X86_AX | (c->bytes == 1 ? 0 : 1u << RT_X86_DX);
		if (c->v[0].kind == RT_X86_REGISTER)
			f->writes |= 1u << c->v[0].reg;
		break;
	case RT_X86_WIDEN:
		f->writes |= 1u << RT_X86_AX;
		break;
	case RT_X86_SIGN:
		f->writes |= 1u << RT_X86_AX | 1u << RT_X86_DX;
		break;
	}
}

static void sp_by(struct rt_flow *f, enum rt_flow_sp how, int64_t amount)
{
	bool small = amount >= -(1 << 28) && amount <= 1 << 28;

	f->sp = small ? how : RT_SP_LOST;
	f->amount = small ? (int32_t)amount : 0;
}

static void stack_arithmetic(const struct rt_x86_parts *c, struct rt_flow *f)
{
	const struct rt_x86_operand *from = &c->v[1];
	int8_t to = c->n == 2 && c->v[0].kind == RT_X86_REGISTER ? c->v[0].reg : RT_NO_REG;
	int8_t base = RT_NO_REG;

	if (c->op == RT_X86_LEA && c->mem.index == RT_NO_REG)
		base = c->mem.base;
	else if (c->op == RT_X86_MOV && from->kind == RT_X86_REGISTER)
		base = from->reg;
	if (to == RT_X86_SP && from->kind == RT_X86_IMMEDIATE &&
	    (c->op == RT_X86_ADD || c->op == RT_X86_SUB)) {
		sp_by(f, RT_SP_ADDED, c->op == RT_X86_ADD ? c->imm : -c->imm);
	} else if (to == RT_X86_SP && c->op == RT_X86_LEA && base == RT_X86_SP) {
		sp_by(f, RT_SP_ADDED, c->mem.disp);
	} else if (to == RT_X86_SP && base == RT_X86_BP) {
		sp_by(f, RT_SP_OF_FRAME, c->mem.disp);
	} else if (to == RT_X86_BP && base == RT_X86_SP && c->mem.disp >= -(1 << 28) &&
		   c->mem.disp <= 1 << 28) {
		f->fp = RT_FP_OF_SP;
		f->fp_amount = (int32_t)c->mem.disp;
	}
}

static void find_stack(const struct rt_x86_parts *c, struct rt_flow *f)
{
	if (f->writes & 1u << RT_X86_SP)
		f->sp = RT_SP_LOST;
	if (f->writes & 1u << RT_X86_BP)
		f->fp = RT_FP_LOST;
	switch (c->op) {
	case RT_X86_PUSH:
		sp_by(f, RT_SP_ADDED, -8);
		break;
	case RT_X86_POP:
		if (c->v[0].reg != RT_X86_SP)
			sp_by(f, RT_SP_ADDED, 8);
		break;
	case RT_X86_LEAVE:
		sp_by(f, RT_SP_OF_FRAME, 8);
		break;
	case RT_X86_CALL:
		f->sp = RT_SP_UNCHANGED;
		break;
	default:
		stack_arithmetic(c, f);
	}
}

static void take_mem(const struct rt_x86_parts *c, struct rt_flow *f)
{
	f->has_mem = !c->segment;
	f->mem = c->mem;
}

static void find_move(const struct rt_x86_parts *c, struct rt_flow *f)
{
	const struct rt_x86_operand *to = &c->v[0], *from = &c->v[1];

	if (to->kind == RT_X86_MEMORY) {
		if (from->kind != RT_X86_REGISTER)
			return;
		f->op = RT_OP_STORE;
		f->from = from->reg;
		take_mem(c, f);
		return;
	}
	f->is_signed = c->op == RT_X86_MOVSX || c->op == RT_X86_MOVSXD;
	if (from->kind == RT_X86_MEMORY) {
		f->op = RT_OP_LOAD;
		f->bytes = from->bytes;
		take_mem(c, f);
	} else if (from->kind == RT_X86_REGISTER) {
		f->op = RT_OP_COPY;
		f->from = from->reg;
		f->bytes = from->bytes;
	} else {
		f->op = RT_OP_ADDRESS;
		f->value = to->bytes == 4 ? (int64_t)(uint32_t)c->imm : c->imm;
	}
}

static void find_address(const struct rt_x86_parts *c, struct rt_flow *f)
{
	f->mem = c->mem;
	f->value = c->mem.disp;
	if (c->mem.index != RT_NO_REG) {
		if (c->mem.base != RT_NO_REG || c->mem.disp)
			return;
		f->op = RT_OP_SCALE;
		f->from = c->mem.index;
		f->value = c->mem.scale;
	} else if (c->mem.base == RT_NO_REG) {
		f->op = RT_OP_ADDRESS;
	} else {
		f->op = RT_OP_PLUS;
		f->from = c->mem.base;
	}
}

static void find_compare(const struct rt_x86_parts *c, struct rt_flow *f)
{
	if (c->v[1].kind != RT_X86_IMMEDIATE)
		return;
	f->op = RT_OP_COMPARE;
	f->value = c->imm;
	f->bytes = c->v[0].bytes;
	if (c->v[0].kind == RT_X86_MEMORY)
		take_mem(c, f);
	else
		f->from = c->v[0].reg;
}

static void find_arithmetic(const struct rt_x86_parts *c, struct rt_flow *f)
{
	const struct rt_x86_operand *from = &c->v[1];

	if (c->v[0].kind != RT_X86_REGISTER)
		return;
	f->other = from->kind == RT_X86_REGISTER && c->op != RT_X86_AND ? from->reg : RT_NO_REG;
	f->from = f->to;
	if (c->op == RT_X86_AND && from->kind == RT_X86_IMMEDIATE) {
		f->op = RT_OP_MASK;
		f->value = c->imm;
	} else if (c->op == RT_X86_ADD && from->kind == RT_X86_REGISTER) {
		f->op = RT_OP_SUM;
	} else if ((c->op == RT_X86_ADD || c->op == RT_X86_SUB) && from->kind == RT_X86_IMMEDIATE) {
		f->op = RT_OP_PLUS;
		f->value = c->op == RT_X86_ADD ? c->imm : -c->imm;
	}
}

static void find_op(const struct rt_x86_parts *c, struct rt_flow *f)
{
	if (f->kind == RT_FLOW_INDIRECT) {
		if (c->v[0].kind == RT_X86_MEMORY)
			take_mem(c, f);
		else
			f->to = c->v[0].reg;
		return;
	}
	if (c->op == RT_X86_WIDEN && c->bytes == 8) {
		f->op = RT_OP_COPY;
		f->to = f->from = RT_X86_AX;
		f->bytes = 4;
		f->is_signed = true;
	}
	if (c->n != 2)
		return;
	f->to = c->v[0].kind == RT_X86_REGISTER ? c->v[0].reg : RT_NO_REG;
	switch (c->op) {
	case RT_X86_MOV: case RT_X86_MOVZX: case RT_X86_MOVSX: case RT_X86_MOVSXD:
		find_move(c, f);
		break;
	case RT_X86_LEA:
		find_address(c, f);
		break;
	case RT_X86_CMP:
		find_compare(c, f);
		break;
	case RT_X86_ADD: case RT_X86_SUB: case RT_X86_AND: case RT_X86_OR: case RT_X86_XOR:
	case RT_X86_ADC: case RT_X86_SBB:
		find_arithmetic(c, f);
		break;
	}
}

static void find_used(const struct rt_x86_parts *c, struct rt_flow *f)
{
	unsigned i;

	if (c->op == RT_X86_LEA || c->op == RT_X86_NOP)
		return;
	for (i = c->op == RT_X86_MOV; i < c->n; i++)
		if (c->v[i].kind == RT_X86_MEMORY) {
			f->uses = !c->segment;
			f->used = c->mem;
		}
}

static bool common_flow(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_flow *f)
{
	struct rt_x86_parts c;

	if (!rt_x86_take_apart(bytes, n, addr, &c))
		return false;
	f->size = c.size;
	f->kind = kind_of(&c);
	f->has_target = c.direct;
	f->target = c.direct ? (uint64_t)c.imm : 0;
	find_condition(&c, f);
	find_writes(&c, f);
	find_stack(&c, f);
	find_op(&c, f);
	find_used(&c, f);
	return true;
}

bool rt_flow_x86(struct rt_decoder *decoder, bool wide, const uint8_t *bytes, size_t n,
		 uint64_t addr, struct rt_flow *f)
{
	return (wide && common_flow(bytes, n, addr, f)) ||
	       rt_flow_capstone(decoder, bytes, n, addr, f);
}

/* ---- arguments and results ---- */

enum { RESULT = RT_USE_ARGS, OTHER };

static unsigned index_of(int8_t reg)
{
	static const uint8_t indexes[16] = {
		RESULT, 3, 2,	  OTHER, OTHER, OTHER, 1,     0,
		4,	5, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER,
	};

	return reg == RT_NO_REG ? OTHER : indexes[reg];
}

static void note_read(struct rt_use *use, int8_t reg, unsigned bytes)
{
	const unsigned i = index_of(reg);

	if (i == RESULT)
		use->result_read = use->result_read < bytes ? (uint8_t)bytes : use->result_read;
	else if (i < RESULT && use->reads[i] < bytes)
		use->reads[i] = (uint8_t)bytes;
}

static void note_write(struct rt_use *use, int8_t reg, unsigned bytes)
{
	const unsigned i = index_of(reg);

	if (i == RESULT)
		use->result_write = use->result_write < bytes ? (uint8_t)bytes : use->result_write;
	else if (i < RESULT)
		use->writes |= (uint8_t)(1u << i);
}

static unsigned width(const struct rt_x86_operand *o)
{
	return o->high ? 2 : o->bytes;
}

static bool is_same(const struct rt_x86_parts *c)
{
	return c->v[0].kind == c->v[1].kind && c->v[0].reg == c->v[1].reg &&
	       c->v[0].high == c->v[1].high;
}

/* Instructions with a result that does not depend on the operand. */
static bool is_constant(const struct rt_x86_parts *c)
{
	if ((c->op == RT_X86_OR || c->op == RT_X86_AND) && c->v[0].kind == RT_X86_REGISTER &&
	    c->v[1].kind == RT_X86_IMMEDIATE)
		return (int32_t)c->imm == (c->op == RT_X86_OR ? -1 : 0);
	return (c->op == RT_X86_XOR || c->op == RT_X86_SUB || c->op == RT_X86_SBB) && is_same(c);
}

static bool is_small(const struct rt_x86_parts *c)
{
	if (c->op == RT_X86_MOV && c->v[1].kind == RT_X86_IMMEDIATE)
		return (uint64_t)c->imm <= UINT8_MAX;
	return c->op != RT_X86_OR && c->op != RT_X86_SBB && is_constant(c);
}

static void note_memory(const struct rt_x86_parts *c, struct rt_use *use)
{
	const unsigned i = index_of(c->mem.base), bytes = c->op == RT_X86_LEA ? c->v[0].bytes : 8;

	if (c->op == RT_X86_NOP)
		return;
	note_read(use, c->mem.base, bytes);
	note_read(use, c->mem.index, bytes);
	if (i < RESULT && c->op != RT_X86_LEA)
		use->pointers |= (uint8_t)(1u << i);
}

static void note_operands(const struct rt_x86_parts *c, struct rt_use *use)
{
	const bool constant = is_constant(c), zero = c->op == RT_X86_VXOR && is_same(c);
	unsigned i;

	for (i = 0; i < c->n; i++) {
		const struct rt_x86_operand *o = &c->v[i];

		if (o->kind == RT_X86_MEMORY)
			note_memory(c, use);
		if (o->kind == RT_X86_VECTOR_REGISTER && o->reg == 0) {
			use->vector_read |= o->access & RT_X86_READ && !zero;
			use->vector_write |= (o->access & RT_X86_WRITE) != 0;
		}
		if (o->kind != RT_X86_REGISTER)
			continue;
		if (o->access & RT_X86_READ && !constant && c->op != RT_X86_PUSH)
			note_read(use, o->reg, width(o));
		if (o->access & RT_X86_WRITE)
			note_write(use, o->reg, width(o));
	}
}

/* Registers that are not operands. */
static void note_implied(const struct rt_x86_parts *c, struct rt_use *use)
{
	const unsigned bytes = c->bytes == 1 ? 2 : c->bytes;

	switch (c->op) {
	case RT_X86_WIDEN:
		note_read(use, RT_X86_AX, c->bytes / 2u);
		note_write(use, RT_X86_AX, c->bytes);
		break;
	case RT_X86_SIGN:
		note_read(use, RT_X86_AX, c->bytes);
		note_write(use, RT_X86_AX, c->bytes);
		note_write(use, RT_X86_DX, c->bytes);
		break;
	case RT_X86_MULTIPLY:
		note_read(use, RT_X86_AX, c->bytes);
		note_write(use, RT_X86_AX, bytes);
		if (c->bytes > 1)
			note_write(use, RT_X86_DX, c->bytes);
		break;
	case RT_X86_DIVIDE:
		note_read(use, RT_X86_AX, bytes);
		note_write(use, RT_X86_AX, bytes);
		if (c->bytes == 1)
			break;
		note_read(use, RT_X86_DX, c->bytes);
		note_write(use, RT_X86_DX, c->bytes);
		break;
	}
}

static void note_save(const struct rt_x86_parts *c, struct rt_use *use)
{
	const unsigned i = index_of(c->v[1].reg);

	if (c->op != RT_X86_MOV || c->v[0].kind != RT_X86_MEMORY ||
	    c->v[1].kind != RT_X86_REGISTER || c->v[1].bytes < 8 || i >= RESULT ||
	    (c->mem.base != RT_X86_SP && c->mem.base != RT_X86_BP))
		return;
	use->saves = (uint8_t)(1u << i);
	use->saved_at = c->mem.disp;
}

static enum rt_use_flow use_flow(const struct rt_x86_parts *c)
{
	switch (c->op) {
	case RT_X86_CALL:
		return RT_USE_CALL;
	case RT_X86_JMP:
		return RT_USE_JUMP;
	case RT_X86_JCC:
		return RT_USE_BRANCH;
	case RT_X86_RET:
		return RT_USE_RETURN;
	case RT_X86_STOP:
		return RT_USE_STOP;
	}
	return RT_USE_NEXT;
}

static bool common_use(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use)
{
	struct rt_x86_parts c;

	if (!rt_x86_take_apart(bytes, n, addr, &c))
		return false;
	memset(use, 0, sizeof(*use));
	use->size = c.size;
	use->flow = use_flow(&c);
	use->target = c.direct ? (uint64_t)c.imm : 0;
	note_operands(&c, use);
	note_implied(&c, use);
	note_save(&c, use);
	use->result_push = c.op == RT_X86_PUSH && c.v[0].kind == RT_X86_REGISTER &&
			   c.v[0].reg == RT_X86_AX;
	use->result_aside = c.op == RT_X86_POP || c.op == RT_X86_MULTIPLY || c.op == RT_X86_DIVIDE;
	use->result_small = use->result_write >= 4 && is_small(&c);
	use->tests_vectors = c.op == RT_X86_TEST && is_same(&c) && c.v[0].bytes == 1 &&
			     !c.v[0].high && c.v[0].reg == RT_X86_AX;
	use->loses_vectors = use->result_write != 0;
	return true;
}

bool rt_use(struct rt_user *user, const uint8_t *bytes, size_t n, uint64_t addr,
	    struct rt_use *use)
{
	return common_use(bytes, n, addr, use) || rt_use_capstone(user, bytes, n, addr, use);
}
