/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common instructions of x86-64, by tables of opcodes (Intel's manual, volume 2, appendix A).
 * Accesses and immediates are as capstone 4 has them, with its errors.
 */
#include "arch/x86/x86_parts.h"

#include <string.h>

enum { INSN_MAX = 15 };


enum form {
	UNKNOWN,
	PLAIN,			/* no operands */
	RM_R, R_RM,		/* both in ModRM */
	RM_IMM, RM_IMM8, RM_1, RM_CL, RM,
	A_IMM,			/* the accumulator */
	O, O_IMM,		/* a register in the opcode */
	IMM, IMM8,
	R_RM_IMM, R_RM_IMM8,
	NEAR, FAR,		/* a distance of 1 byte, of 4 */
	R_RM8, R_RM16, R_RM32,	/* the second operand has so many bits */
	V_W, W_V, V_W_IMM8,	/* vectors */
	V_RM, RM_V, R_W,	/* vectors and general registers */
};

/* The prefixes that make an instruction of vectors: none, 66, F2, F3. */
enum { P0 = 1, P66 = 2, PF2 = 4, PF3 = 8, PF = PF2 | PF3, PACKED = P0 | P66, ANY = PACKED | PF };

struct opcode {
	uint8_t form, op;
	bool byte;		/* its operands are bytes */
	uint8_t prefixes;	/* of vectors; 0: it is of general registers */
};

#define TWICE(...) __VA_ARGS__, __VA_ARGS__
#define FOUR(...) TWICE(TWICE(__VA_ARGS__))
#define EIGHT(...) TWICE(FOUR(__VA_ARGS__))
#define SIXTEEN(...) TWICE(EIGHT(__VA_ARGS__))
#define NO { UNKNOWN, RT_X86_NONE, false, 0 }
#define BYTES(form, op) { form, RT_X86_##op, true, 0 }
#define WORDS(form, op) { form, RT_X86_##op, false, 0 }
#define VECTOR(form, op, prefixes) { form, RT_X86_##op, false, prefixes }
#define BOTH(form, op) BYTES(form, op), WORDS(form, op)
#define ARITH(op) BOTH(RM_R, op), BOTH(R_RM, op), BOTH(A_IMM, op), TWICE(NO)

static const struct opcode one_byte[256] = {
	/* 00 */ ARITH(ADD), ARITH(OR),
	/* 10 */ ARITH(ADC), ARITH(SBB),
	/* 20 */ ARITH(AND), ARITH(SUB),
	/* 30 */ ARITH(XOR), ARITH(CMP),
	/* 40 */ SIXTEEN(NO),
	/* 50 */ EIGHT(WORDS(O, PUSH)), EIGHT(WORDS(O, POP)),
	/* 60 */ TWICE(NO), NO, WORDS(R_RM32, MOVSXD), FOUR(NO),
	/* 68 */ WORDS(IMM, PUSH), WORDS(R_RM_IMM, IMUL), WORDS(IMM8, PUSH),
	/* 6b */ WORDS(R_RM_IMM8, IMUL), FOUR(NO),
	/* 70 */ SIXTEEN(WORDS(NEAR, JCC)),
	/* 80 */ BOTH(RM_IMM, GROUP_ARITH), NO, WORDS(RM_IMM8, GROUP_ARITH), BOTH(RM_R, TEST),
	/* 86 */ TWICE(NO), BOTH(RM_R, MOV), BOTH(R_RM, MOV), NO, WORDS(R_RM, LEA), TWICE(NO),
	/* 90 */ WORDS(PLAIN, NOP), NO, TWICE(NO), FOUR(NO), WORDS(PLAIN, WIDEN),
	/* 99 */ WORDS(PLAIN, SIGN), TWICE(NO), FOUR(NO),
	/* a0 */ EIGHT(NO), BOTH(A_IMM, TEST), TWICE(NO), FOUR(NO),
	/* b0 */ EIGHT(BYTES(O_IMM, MOV)), EIGHT(WORDS(O_IMM, MOV)),
	/* c0 */ BYTES(RM_IMM, GROUP_SHIFT), WORDS(RM_IMM8, GROUP_SHIFT), NO, WORDS(PLAIN, RET),
	/* c4 */ TWICE(NO), BOTH(RM_IMM, GROUP_MOV), NO, WORDS(PLAIN, LEAVE), TWICE(NO),
	/* cc */ WORDS(PLAIN, STOP), NO, TWICE(NO),
	/* d0 */ BOTH(RM_1, GROUP_SHIFT), BOTH(RM_CL, GROUP_SHIFT), FOUR(NO), EIGHT(NO),
	/* e0 */ EIGHT(NO), WORDS(FAR, CALL), WORDS(FAR, JMP), NO, WORDS(NEAR, JMP), FOUR(NO),
	/* f0 */ FOUR(NO), WORDS(PLAIN, STOP), NO, BOTH(RM, GROUP_TEST), FOUR(NO), TWICE(NO),
	/* fe */ BOTH(RM, GROUP_INC),
};

#define INTEGERS VECTOR(V_W, VCHANGE, P66)

/* After 0f. */
static const struct opcode two_byte[256] = {
	/* 00 */ EIGHT(NO), TWICE(NO), NO, WORDS(PLAIN, STOP), FOUR(NO),
	/* 10 */ VECTOR(V_W, VMERGE, ANY), VECTOR(W_V, VMERGE, ANY), TWICE(NO),
	/* 14 */ TWICE(VECTOR(V_W, VCHANGE, PACKED)), TWICE(NO), FOUR(NO), TWICE(NO), NO,
	/* 1f */ WORDS(RM, NOP),
	/* 20 */ EIGHT(NO), VECTOR(V_W, VMOVE, PACKED), VECTOR(W_V, VMOVE, PACKED),
	/* 2a */ VECTOR(V_RM, VMOVE, PF), NO, TWICE(VECTOR(R_W, VMOVE, PF)),
	/* 2e */ TWICE(VECTOR(V_W, VCOMPARE, PACKED)),
	/* 30 */ SIXTEEN(NO),
	/* 40 */ SIXTEEN(WORDS(R_RM, CMOV)),
	/* 50 */ NO, VECTOR(V_W, VMOVE, ANY), TWICE(NO), TWICE(VECTOR(V_W, VCHANGE, PACKED)),
	/* 56 */ VECTOR(V_W, VCHANGE, PACKED), VECTOR(V_W, VXOR, PACKED),
	/* 58 */ TWICE(VECTOR(V_W, VCHANGE, ANY)), VECTOR(V_W, VMOVE, ANY),
	/* 5b */ VECTOR(V_W, VMOVE, PACKED | PF3), FOUR(VECTOR(V_W, VCHANGE, ANY)),
	/* 60 */ EIGHT(INTEGERS), FOUR(INTEGERS), TWICE(INTEGERS), VECTOR(V_RM, VMOVE, P66),
	/* 6f */ VECTOR(V_W, VMOVE, P66 | PF3),
	/* 70 */ VECTOR(V_W_IMM8, VMOVE, P66 | PF), TWICE(NO), NO, TWICE(INTEGERS), INTEGERS, NO,
	/* 78 */ FOUR(NO), TWICE(NO), VECTOR(RM_V, VMOVE, P66), VECTOR(W_V, VMOVE, P66 | PF3),
	/* 80 */ SIXTEEN(WORDS(FAR, JCC)),
	/* 90 */ SIXTEEN(BYTES(RM, SET)),
	/* a0 */ TWICE(NO), NO, WORDS(RM_R, BT), FOUR(NO), FOUR(NO), TWICE(NO), NO,
	/* af */ WORDS(R_RM, IMUL),
	/* b0 */ FOUR(NO), TWICE(NO), WORDS(R_RM8, MOVZX), WORDS(R_RM16, MOVZX), TWICE(NO),
	/* ba */ WORDS(RM_IMM8, GROUP_BT), NO, TWICE(NO), WORDS(R_RM8, MOVSX),
	/* bf */ WORDS(R_RM16, MOVSX),
	/* c0 */ FOUR(NO), TWICE(NO), VECTOR(V_W_IMM8, VCHANGE, PACKED), NO, EIGHT(NO),
	/* d0 */ NO, TWICE(INTEGERS), INTEGERS, TWICE(INTEGERS), VECTOR(W_V, VMOVE, P66), NO,
	/* d8 */ EIGHT(INTEGERS),
	/* e0 */ FOUR(INTEGERS), TWICE(INTEGERS), TWICE(NO), FOUR(INTEGERS), TWICE(INTEGERS),
	/* ee */ INTEGERS, VECTOR(V_W, VXOR, P66),
	/* f0 */ NO, TWICE(INTEGERS), INTEGERS, TWICE(INTEGERS), INTEGERS, NO,
	/* f8 */ FOUR(INTEGERS), TWICE(INTEGERS), INTEGERS, NO,
};

struct reader {
	const uint8_t *p;
	size_t n, at;
	uint8_t rex, prefixes;
	bool segment;
	bool padded;		/* prefixes that only nops have */
	const uint8_t *modrm;
};

static bool read_prefixes(struct reader *r)
{
	for (; r->at < r->n && r->at < INSN_MAX; r->at++) {
		uint8_t b = r->p[r->at], bit = b == 0x66 ? P66 : b == 0xf2 ? PF2
							     : b == 0xf3   ? PF3
									   : 0;

		if ((b & 0xfe) == 0x64 && !r->segment && !r->prefixes) {
			r->segment = true;
		} else if (b == 0x2e || (b == 0x66 && r->prefixes & P66)) {
			r->padded = true;
		} else if (bit && !(r->prefixes & (bit == P66 ? P66 : PF))) {
			r->prefixes |= bit;
		} else {
			break;
		}
	}
	if (r->at < r->n && (r->p[r->at] & 0xf0) == 0x40)
		r->rex = r->p[r->at++];
	return r->at < r->n;
}

static bool read_number(struct reader *r, unsigned bytes, int64_t *v)
{
	const uint8_t *p = r->p + r->at;

	if (r->n - r->at < bytes)
		return false;
	r->at += bytes;
	if (bytes == 1)
		*v = (int8_t)p[0];
	else if (bytes == 4)
		*v = (int32_t)rt_arch_word(p);
	else if (bytes == 2)
		*v = (int16_t)(p[0] | p[1] << 8);
	else
		*v = (int64_t)(rt_arch_word(p) | (uint64_t)rt_arch_word(p + 4) << 32);
	return true;
}

static bool read_memory(struct reader *r, struct rt_x86_parts *c)
{
	unsigned mod = *r->modrm >> 6, base = *r->modrm & 7, index = 4, sib;
	struct rt_flow_mem *m = &c->mem;

	*m = (struct rt_flow_mem){ .base = RT_NO_REG, .index = RT_NO_REG, .scale = 1 };
	if (base == 4) {
		if (r->at == r->n)
			return false;
		sib = r->p[r->at++];
		base = sib & 7;
		index = (sib >> 3 & 7) | (r->rex & 2 ? 8 : 0);
		m->scale = (uint8_t)(1u << (sib >> 6));
		if (index != 4)
			m->index = (int8_t)index;
		/* capstone has a register of 0 there. */
		else if (base != 4 && (base != 5 || mod))
			return false;
	} else if (base == 5 && mod == 0) {
		c->relative = true;
	}
	m->fixed = base == 5 && mod == 0;
	if (!m->fixed)
		m->base = (int8_t)(base | (r->rex & 1 ? 8 : 0));
	c->segment = r->segment;
	return mod == 1 ? read_number(r, 1, &m->disp)
			: (mod != 2 && !m->fixed) || read_number(r, 4, &m->disp);
}

static void add_operand(struct rt_x86_parts *c, uint8_t kind, unsigned bytes, unsigned reg)
{
	struct rt_x86_operand *o = &c->v[c->n++];

	*o = (struct rt_x86_operand){ .kind = kind, .bytes = (uint8_t)bytes, .access = RT_X86_READ,
			       .reg = (int8_t)reg };
	if (kind != RT_X86_REGISTER || bytes != 1 || !c->high_name || reg < 4 || reg >= 8)
		return;
	o->reg = (int8_t)(reg - 4);
	o->high = true;
}

static void add_reg(const struct reader *r, struct rt_x86_parts *c, uint8_t kind, unsigned bytes)
{
	add_operand(c, kind, bytes, (*r->modrm >> 3 & 7) | (r->rex & 4 ? 8 : 0));
}

static bool add_rm(struct reader *r, struct rt_x86_parts *c, uint8_t kind, unsigned bytes)
{
	if (*r->modrm >> 6 == 3) {
		add_operand(c, kind, bytes, (*r->modrm & 7) | (r->rex & 1 ? 8 : 0));
		return true;
	}
	add_operand(c, RT_X86_MEMORY, bytes, 0);
	return read_memory(r, c);
}

/* Only what is extended has a sign, and not if it is a mask. */
static bool add_imm(struct reader *r, struct rt_x86_parts *c, unsigned bytes)
{
	const bool mask = c->op == RT_X86_AND || c->op == RT_X86_OR || c->op == RT_X86_XOR;

	add_operand(c, RT_X86_IMMEDIATE, c->bytes, 0);
	if (!read_number(r, bytes, &c->imm))
		return false;
	if (c->bytes < 8 && (bytes == c->bytes || mask))
		c->imm &= (int64_t)(UINT64_MAX >> (64 - 8 * c->bytes));
	return true;
}

static bool add_target(struct reader *r, struct rt_x86_parts *c, unsigned bytes, uint64_t addr)
{
	add_operand(c, RT_X86_IMMEDIATE, 8, 0);
	if (r->prefixes || r->segment || r->rex || !read_number(r, bytes, &c->imm))
		return false;
	c->direct = true;
	c->imm = (int64_t)(addr + r->at + (uint64_t)c->imm);
	return true;
}

static bool has_modrm(unsigned form)
{
	return form != PLAIN && form != A_IMM && form != O && form != O_IMM && form != IMM &&
	       form != IMM8 && form != NEAR && form != FAR;
}

static bool add_operands(struct reader *r, uint64_t addr, unsigned form, uint8_t opcode,
			 struct rt_x86_parts *c)
{
	/* an immediate is as wide as the operand, but of 8 bytes only mov has all */
	const unsigned imm = c->bytes == 8 ? 4 : c->bytes;
	const unsigned in_opcode = (opcode & 7) | (r->rex & 1 ? 8 : 0);

	switch (form) {
	case PLAIN:
		return true;
	case RM_R: case RM_V: case W_V:
		if (!add_rm(r, c, form == W_V ? RT_X86_VECTOR_REGISTER : RT_X86_REGISTER, c->bytes))
			return false;
		add_reg(r, c, form == RM_R ? RT_X86_REGISTER : RT_X86_VECTOR_REGISTER, c->bytes);
		return true;
	case R_RM: case R_RM_IMM: case R_RM_IMM8:
		add_reg(r, c, RT_X86_REGISTER, c->bytes);
		return add_rm(r, c, RT_X86_REGISTER, c->bytes) &&
		       (form == R_RM || add_imm(r, c, form == R_RM_IMM ? imm : 1));
	case R_RM8: case R_RM16: case R_RM32:
		add_reg(r, c, RT_X86_REGISTER, c->bytes);
		return add_rm(r, c, RT_X86_REGISTER, form == R_RM8 ? 1 : form == R_RM16 ? 2 : 4);
	case V_W: case V_W_IMM8:
		add_reg(r, c, RT_X86_VECTOR_REGISTER, c->bytes);
		return add_rm(r, c, RT_X86_VECTOR_REGISTER, c->bytes) &&
		       (form == V_W || add_imm(r, c, 1));
	case V_RM:
		add_reg(r, c, RT_X86_VECTOR_REGISTER, c->bytes);
		return add_rm(r, c, RT_X86_REGISTER, c->bytes);
	case R_W:
		add_reg(r, c, RT_X86_REGISTER, c->bytes);
		return add_rm(r, c, RT_X86_VECTOR_REGISTER, c->bytes);
	case RM:
		return add_rm(r, c, RT_X86_REGISTER, c->bytes);
	case RM_IMM: case RM_IMM8:
		return add_rm(r, c, RT_X86_REGISTER, c->bytes) &&
		       add_imm(r, c, form == RM_IMM ? imm : 1);
	case RM_1: case RM_CL:
		if (!add_rm(r, c, RT_X86_REGISTER, c->bytes))
			return false;
		if (form == RM_1)
			add_operand(c, RT_X86_IMMEDIATE, c->bytes, 0);
		else
			add_operand(c, RT_X86_REGISTER, 1, RT_X86_CX);
		c->imm = 1;
		return true;
	case A_IMM:
		add_operand(c, RT_X86_REGISTER, c->bytes, RT_X86_AX);
		return add_imm(r, c, imm);
	case O:
		add_operand(c, RT_X86_REGISTER, 8, in_opcode);
		return true;
	case O_IMM:
		add_operand(c, RT_X86_REGISTER, c->bytes, in_opcode);
		return add_imm(r, c, c->bytes);
	case IMM: case IMM8:
		return add_imm(r, c, form == IMM ? 4 : 1);
	case NEAR: case FAR:
		return add_target(r, c, form == NEAR ? 1 : 4, addr);
	}
	return false;
}

static uint8_t inc_op(uint8_t opcode, unsigned middle)
{
	static const uint8_t ops[8] = { RT_X86_INC,  RT_X86_INC,  RT_X86_CALL, RT_X86_NONE,
					RT_X86_JMP,  RT_X86_NONE, RT_X86_PUSH, RT_X86_NONE };

	return opcode == 0xfe && middle > 1 ? RT_X86_NONE : ops[middle];
}

/* The operation of a group; test has an immediate, which ModRM does not show. */
static bool choose_op(const struct reader *r, uint8_t opcode, struct rt_x86_parts *c,
		      unsigned *form)
{
	static const uint8_t tests[8] = {
		RT_X86_TEST,	 RT_X86_NONE,	  RT_X86_INC,	 RT_X86_INC,
		RT_X86_MULTIPLY, RT_X86_MULTIPLY, RT_X86_DIVIDE, RT_X86_DIVIDE,
	};
	const unsigned middle = *r->modrm >> 3 & 7;

	switch (c->op) {
	case RT_X86_GROUP_ARITH:
		c->op = (uint8_t)(RT_X86_ADD + middle);
		break;
	case RT_X86_GROUP_SHIFT:
		c->op = middle == 6 ? RT_X86_NONE : RT_X86_SHIFT;
		break;
	case RT_X86_GROUP_MOV:
		c->op = middle ? RT_X86_NONE : RT_X86_MOV;
		break;
	case RT_X86_GROUP_TEST:
		c->op = tests[middle];
		*form = c->op == RT_X86_TEST ? RM_IMM : RM;
		break;
	case RT_X86_GROUP_INC:
		c->op = inc_op(opcode, middle);
		if (c->op != RT_X86_INC)
			c->bytes = 8;
		break;
	case RT_X86_GROUP_BT:
		c->op = middle == 4 ? RT_X86_BT : RT_X86_NONE;
		break;
	}
	return c->op != RT_X86_NONE;
}

/* The access to the first operand. */
static uint8_t first_access(const struct rt_x86_parts *c, unsigned form, uint8_t prefixes)
{
	switch (c->op) {
	case RT_X86_MOV: case RT_X86_MOVZX: case RT_X86_MOVSX: case RT_X86_MOVSXD:
	case RT_X86_LEA: case RT_X86_POP: case RT_X86_SET: case RT_X86_VMOVE:
		return RT_X86_WRITE;
	/* movss and movsd of a register leave a part of the other one */
	case RT_X86_VMERGE:
		return prefixes & PF && c->v[0].kind == c->v[1].kind ? RT_X86_CHANGE
								     : RT_X86_WRITE;
	case RT_X86_IMUL:
		return c->n == 3 ? RT_X86_WRITE : RT_X86_CHANGE;
	/* capstone says so */
	case RT_X86_TEST:
		return form == A_IMM ? RT_X86_CHANGE : RT_X86_READ;
	case RT_X86_CMP: case RT_X86_BT: case RT_X86_PUSH: case RT_X86_NOP: case RT_X86_CALL:
	case RT_X86_JMP: case RT_X86_JCC: case RT_X86_MULTIPLY: case RT_X86_DIVIDE:
	case RT_X86_VCOMPARE:
		return RT_X86_READ;
	}
	return RT_X86_CHANGE;
}

static bool is_endbr64(const struct reader *r)
{
	return r->n - r->at >= 3 && memcmp(r->p + r->at, "\x0f\x1e\xfa", 3) == 0 &&
	       r->prefixes == PF3 && !r->rex && !r->segment && !r->padded;
}

/* NULL: not one of a common instruction. */
static const struct opcode *read_opcode(struct reader *r, uint8_t *byte)
{
	const struct opcode *o = one_byte;

	*byte = r->p[r->at++];
	if (*byte == 0x0f) {
		if (r->at == r->n)
			return NULL;
		*byte = r->p[r->at++];
		o = two_byte;
	}
	o += *byte;
	if (o->form == UNKNOWN || (r->padded && o->op != RT_X86_NOP) ||
	    (r->prefixes & PF && (!o->prefixes || r->prefixes & P66)))
		return NULL;
	return o->prefixes && !(o->prefixes & (r->prefixes ? r->prefixes : P0)) ? NULL : o;
}

/* Some forms are of other instructions, or capstone has its own opinion. */
static bool is_common(const struct reader *r, const struct rt_x86_parts *c)
{
	switch (c->op) {
	case RT_X86_LEA:
		return c->v[1].kind == RT_X86_MEMORY;
	case RT_X86_MOVSXD:
		return c->bytes == 8;
	case RT_X86_NOP:
		return c->n ? c->v[0].kind == RT_X86_MEMORY : !(r->rex & 1);	/* xchg */
	case RT_X86_PUSH: case RT_X86_POP: case RT_X86_CALL: case RT_X86_JMP: case RT_X86_RET:
	case RT_X86_LEAVE:
		return !(r->prefixes & P66);
	}
	return true;
}

bool rt_x86_take_apart(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_x86_parts *c)
{
	struct reader r = { .p = bytes, .n = n < INSN_MAX ? n : INSN_MAX };
	const struct opcode *o;
	unsigned form;
	uint8_t byte;

	memset(c, 0, sizeof(*c));
	c->mem.base = c->mem.index = RT_NO_REG;
	if (!read_prefixes(&r))
		return false;
	if (is_endbr64(&r)) {
		c->size = (uint8_t)(r.at + 3);
		return true;
	}
	o = read_opcode(&r, &byte);
	if (!o)
		return false;
	form = o->form;
	c->op = o->op;
	c->bytes = o->byte				       ? 1
		   : r.rex & 8				       ? 8
		   : r.prefixes & P66 && !o->prefixes ? 2
						       : 4;
	c->high_name = !r.rex;
	c->condition = (uint8_t)((byte & 0xf) + 1);
	if (has_modrm(form)) {
		if (r.at == r.n)
			return false;
		r.modrm = r.p + r.at++;
		if (!choose_op(&r, byte, c, &form))
			return false;
	}
	if (!add_operands(&r, addr, form, byte, c) || !is_common(&r, c))
		return false;
	c->size = (uint8_t)r.at;
	c->v[0].access = first_access(c, form, r.prefixes);
	if (c->relative)
		c->mem.disp += (int64_t)(addr + c->size);
	return true;
}
