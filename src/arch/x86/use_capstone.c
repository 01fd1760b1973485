/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/use.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/capstone.h"
#include "base/array.h"

struct rt_user {
	csh handle;
	cs_insn *insn;
};

struct name {
	uint16_t reg;
	uint8_t index, bytes;
};

enum { RESULT = RT_USE_ARGS };

/* The parts of the registers, from %rdi on, and of the result's. */
static const struct name names[] = {
	{ X86_REG_RDI, 0, 8 },	    { X86_REG_EDI, 0, 4 },     { X86_REG_DI, 0, 2 },
	{ X86_REG_DIL, 0, 1 },	    { X86_REG_RSI, 1, 8 },     { X86_REG_ESI, 1, 4 },
	{ X86_REG_SI, 1, 2 },	    { X86_REG_SIL, 1, 1 },     { X86_REG_RDX, 2, 8 },
	{ X86_REG_EDX, 2, 4 },	    { X86_REG_DX, 2, 2 },      { X86_REG_DL, 2, 1 },
	{ X86_REG_DH, 2, 2 },	    { X86_REG_RCX, 3, 8 },     { X86_REG_ECX, 3, 4 },
	{ X86_REG_CX, 3, 2 },	    { X86_REG_CL, 3, 1 },      { X86_REG_CH, 3, 2 },
	{ X86_REG_R8, 4, 8 },	    { X86_REG_R8D, 4, 4 },     { X86_REG_R8W, 4, 2 },
	{ X86_REG_R8B, 4, 1 },	    { X86_REG_R9, 5, 8 },      { X86_REG_R9D, 5, 4 },
	{ X86_REG_R9W, 5, 2 },	    { X86_REG_R9B, 5, 1 },     { X86_REG_RAX, RESULT, 8 },
	{ X86_REG_EAX, RESULT, 4 }, { X86_REG_AX, RESULT, 2 }, { X86_REG_AL, RESULT, 1 },
	{ X86_REG_AH, RESULT, 2 },
};

struct rt_user *rt_user_open(const struct rt_arch *arch)
{
	struct rt_user *u;

	if (arch->machine != EM_X86_64)
		return NULL;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &u->handle) != CS_ERR_OK) {
		free(u);
		return NULL;
	}
	cs_option(u->handle, CS_OPT_DETAIL, CS_OPT_ON);
	u->insn = cs_malloc(u->handle);
	if (u->insn)
		return u;
	rt_user_close(u);
	return NULL;
}

void rt_user_close(struct rt_user *u)
{
	if (!u)
		return;
	if (u->insn)
		cs_free(u->insn, 1);
	cs_close(&u->handle);
	free(u);
}

static const struct name *name_of(unsigned reg)
{
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (names[i].reg == reg)
			return &names[i];
	return NULL;
}

/* Instructions with a result that does not depend on the operand. */
static bool is_constant(const cs_insn *c)
{
	const cs_x86 *x = &c->detail->x86;

	/* -1 and 0, as -Os makes them */
	if ((c->id == X86_INS_OR || c->id == X86_INS_AND) && x->op_count == 2 &&
	    x->operands[0].type == X86_OP_REG && x->operands[1].type == X86_OP_IMM)
		return (int32_t)x->operands[1].imm == (c->id == X86_INS_OR ? -1 : 0);
	return (c->id == X86_INS_XOR || c->id == X86_INS_SUB || c->id == X86_INS_SBB) &&
	       x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
	       x->operands[1].type == X86_OP_REG && x->operands[0].reg == x->operands[1].reg;
}

/* The same of vector registers. */
static bool is_zero(const cs_insn *c)
{
	const cs_x86_op *last = c->detail->x86.operands + c->detail->x86.op_count - 1;

	return (c->id == X86_INS_PXOR || c->id == X86_INS_XORPS || c->id == X86_INS_XORPD ||
		c->id == X86_INS_VPXOR) &&
	       c->detail->x86.op_count >= 2 && last->type == X86_OP_REG &&
	       last[-1].type == X86_OP_REG && last->reg == last[-1].reg;
}

/* Instructions that clear the upper bytes; set<cc> then writes the lowest byte alone. */
static bool is_small(const cs_insn *c)
{
	const cs_x86 *x = &c->detail->x86;

	if (c->id == X86_INS_MOV && x->op_count == 2 && x->operands[1].type == X86_OP_IMM)
		return (uint64_t)x->operands[1].imm <= UINT8_MAX;
	return is_constant(c) && c->id != X86_INS_OR && c->id != X86_INS_SBB;
}

/* Instructions that write %rax, wanted or not. */
static bool is_aside(const cs_insn *c)
{
	switch (c->id) {
	case X86_INS_POP:
	case X86_INS_DIV:
	case X86_INS_IDIV:
	case X86_INS_CMPXCHG:
	case X86_INS_CPUID:
	case X86_INS_RDTSC:
	case X86_INS_SYSCALL:
		return true;
	case X86_INS_MUL: case X86_INS_IMUL:
		return c->detail->x86.op_count == 1;
	}
	return false;
}

static void note_read(struct rt_use *use, unsigned reg, unsigned bytes)
{
	const struct name *name = name_of(reg);

	if (!name)
		return;
	bytes = bytes && bytes < name->bytes ? bytes : name->bytes;
	if (name->index == RESULT)
		use->result_read = use->result_read < bytes ? (uint8_t)bytes : use->result_read;
	else if (use->reads[name->index] < bytes)
		use->reads[name->index] = (uint8_t)bytes;
}

/*
 * An address is computed with whole registers, whatever is in them: of lea only what it keeps
 * counts.
 */
static void note_memory(const cs_insn *c, const cs_x86_op *op, struct rt_use *use)
{
	const struct name *name = name_of(op->mem.base);
	unsigned bytes = c->id == X86_INS_LEA ? c->detail->x86.operands[0].size : 8;

	if (c->id == X86_INS_NOP)
		return;
	note_read(use, op->mem.base, bytes);
	note_read(use, op->mem.index, bytes);
	if (name && name->index != RESULT && c->id != X86_INS_LEA)
		use->pointers |= (uint8_t)(1u << name->index);
}

static bool is_address(const cs_x86 *x, unsigned reg)
{
	unsigned i;

	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM &&
		    (x->operands[i].mem.base == reg || x->operands[i].mem.index == reg))
			return true;
	return false;
}

static bool is_operand(const cs_x86 *x, unsigned reg)
{
	unsigned i;

	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_REG && x->operands[i].reg == reg)
			return true;
	return false;
}

static bool is_vector(unsigned reg)
{
	return reg == X86_REG_XMM0 || reg == X86_REG_YMM0 || reg == X86_REG_ZMM0;
}

static void note_writes(const cs_insn *c, const uint16_t *writes, unsigned n, struct rt_use *use)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		const struct name *name = name_of(writes[i]);

		/* The x87's stack, too: a long double's. */
		use->vector_write |= is_vector(writes[i]) || writes[i] == X86_REG_FPSW ||
				     (writes[i] >= X86_REG_ST0 && writes[i] <= X86_REG_ST7);
		if (!name)
			continue;
		if (name->index == RESULT)
			use->result_write = name->bytes > use->result_write ? name->bytes
									    : use->result_write;
		else /* though the rest of a small part stays, it is not the argument any more */
			use->writes |= (uint8_t)(1u << name->index);
	}
	/* movsb and the like: what they go through are pointers.  Two instructions are movsd. */
	if (c->id == X86_INS_MOVSB || c->id == X86_INS_MOVSQ || c->id == X86_INS_STOSB ||
	    c->id == X86_INS_STOSQ ||
	    (c->id == X86_INS_MOVSD && c->detail->x86.opcode[0] != 0x0f))
		use->pointers |= use->reads[0] ? 1 : 0;
}

static void note_save(const cs_insn *c, struct rt_use *use)
{
	const cs_x86 *x = &c->detail->x86;
	const struct name *name;

	if (c->id != X86_INS_MOV || x->op_count != 2 || x->operands[0].type != X86_OP_MEM ||
	    x->operands[1].type != X86_OP_REG ||
	    (x->operands[0].mem.base != X86_REG_RSP && x->operands[0].mem.base != X86_REG_RBP))
		return;
	name = name_of(x->operands[1].reg);
	if (!name || name->index == RESULT || name->bytes < 8)
		return;
	use->saves = (uint8_t)(1u << name->index);
	use->saved_at = x->operands[0].mem.disp;
}

static void note_registers(struct rt_user *u, struct rt_use *use)
{
	const cs_insn *c = u->insn;
	const cs_x86 *x = &c->detail->x86;
	uint8_t nreads = 0, nwrites = 0, i;
	cs_regs reads, writes;

	if (cs_regs_access(u->handle, c, reads, &nreads, writes, &nwrites) != CS_ERR_OK)
		return;
	/* Compilers push any register to make room on the stack. */
	for (i = 0; i < nreads && !is_constant(c) && c->id != X86_INS_PUSH; i++)
		if (is_operand(x, reads[i]) || !is_address(x, reads[i]))
			note_read(use, reads[i], 0);
	use->result_push = c->id == X86_INS_PUSH && is_operand(x, X86_REG_RAX);
	for (i = 0; i < nreads && !is_zero(c); i++)
		use->vector_read |= is_vector(reads[i]);
	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM)
			note_memory(c, &x->operands[i], use);
	note_writes(c, writes, nwrites, use);
	note_save(c, use);
	use->result_aside = is_aside(c);
	use->result_small = use->result_write >= 4 && is_small(c);
	use->tests_vectors = c->id == X86_INS_TEST && x->op_count == 2 &&
			     x->operands[0].type == X86_OP_REG &&
			     x->operands[0].reg == X86_REG_AL &&
			     x->operands[1].type == X86_OP_REG && x->operands[1].reg == X86_REG_AL;
}

static void note_flow(const cs_insn *c, struct rt_use *use)
{
	const cs_x86 *x = &c->detail->x86;
	bool direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
	uint8_t i;

	if (c->id == X86_INS_HLT || c->id == X86_INS_UD2 || c->id == X86_INS_INT3) {
		use->flow = RT_USE_STOP;
		return;
	}
	for (i = 0; i < c->detail->groups_count; i++) {
		switch (c->detail->groups[i]) {
		case CS_GRP_RET: case CS_GRP_IRET:
			use->flow = RT_USE_RETURN;
			return;
		case CS_GRP_CALL:
			use->flow = RT_USE_CALL;
			use->target = direct ? (uint64_t)x->operands[0].imm : 0;
			return;
		case CS_GRP_JUMP:
			use->flow = c->id == X86_INS_JMP || c->id == X86_INS_LJMP ? RT_USE_JUMP
										  : RT_USE_BRANCH;
			use->target = direct ? (uint64_t)x->operands[0].imm : 0;
			return;
		}
	}
}

bool rt_use_capstone(struct rt_user *u, const uint8_t *bytes, size_t n, uint64_t addr,
		     struct rt_use *use)
{
	/* The machine's numbers of the registers in which arguments are. */
	static const uint8_t numbers[RT_USE_ARGS] = { 7, 6, 2, 1, 8, 9 };
	uint32_t writes;
	unsigned i;

	memset(use, 0, sizeof(*use));
	if (!rt_x86_disassemble(u->handle, u->insn, true, bytes, n, addr, &use->size, &writes)) {
		use->result_write = writes & 1 ? 4 : 0;
		use->vector_write = true;
		for (i = 0; i < RT_USE_ARGS; i++)
			use->writes |= (uint8_t)((writes >> numbers[i] & 1) << i);
		return use->size != 0;
	}
	note_registers(u, use);
	note_flow(u->insn, use);
	use->loses_vectors = use->result_write != 0;
	return true;
}
