/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/flow.h"

#include "arch/x86/capstone.h"
#include "base/array.h"

enum { SP = 4, FP = 5 };

/* General registers by their machine's number, in their widths. */
static const uint16_t registers[][5] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
	{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
	{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
	{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
	{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
	{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
	{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
};

static int8_t number(unsigned reg)
{
	unsigned i, k;

	for (i = 0; i < RT_COUNT(registers) && reg != X86_REG_INVALID; i++)
		for (k = 0; k < 5; k++)
			if (registers[i][k] == reg)
				return (int8_t)i;
	return RT_NO_REG;
}

/* Only of its full width: an address does not fit in less. */
static bool is_full(const struct rt_decoder *d, unsigned reg)
{
	int8_t n = number(reg);

	return n != RT_NO_REG && registers[n][d->wide ? 0 : 1] == reg;
}

/* ---- where it leads ---- */

static bool is_jump(const cs_insn *c)
{
	uint8_t i;

	for (i = 0; i < c->detail->groups_count; i++)
		if (c->detail->groups[i] == CS_GRP_JUMP ||
		    c->detail->groups[i] == CS_GRP_BRANCH_RELATIVE)
			return true;
	return false;
}

static void find_target(const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;

	f->has_target = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
	if (f->has_target)
		f->target = (uint64_t)x->operands[0].imm;
}

static void find_condition(const cs_insn *c, struct rt_flow *f)
{
	static const uint8_t orders[16] = {
		[2] = RT_ORDER_BELOW,
		[3] = RT_ORDER_NOT_BELOW,
		[6] = RT_ORDER_NOT_ABOVE,
		[7] = RT_ORDER_ABOVE,
	};
	const uint8_t *opcode = c->detail->x86.opcode;

	if ((opcode[0] & 0xf0) == 0x70)
		f->condition = (uint8_t)((opcode[0] & 0xf) + 1);
	else if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)
		f->condition = (uint8_t)((opcode[1] & 0xf) + 1);
	if (f->condition)
		f->order = (enum rt_flow_order)orders[f->condition - 1];
}

/* An address that is 32 bits wide in a 32-bit program, where displacements wrap around. */
static void cut(const struct rt_decoder *d, struct rt_flow *f)
{
	if (!d->wide)
		f->target &= UINT32_MAX;
}

static enum rt_flow_kind kind_of(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	switch (c->id) {
	case X86_INS_RET:
		return RT_FLOW_RETURN;
	case X86_INS_CALL:
		find_target(c, f);
		cut(d, f);
		return RT_FLOW_CALL;
	case X86_INS_JMP:
		find_target(c, f);
		cut(d, f);
		f->marked = c->bytes[0] == 0x3e;
		return f->has_target ? RT_FLOW_JUMP : RT_FLOW_INDIRECT;
	case X86_INS_UD2: case X86_INS_HLT: case X86_INS_INT3: case X86_INS_INT1:
		return RT_FLOW_STOP;
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_LCALL:
	case X86_INS_LJMP:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
	case X86_INS_SYSENTER:
	case X86_INS_XABORT:
		return RT_FLOW_STRANGE;
	}
	if (!is_jump(c) && c->id != X86_INS_XBEGIN)
		return RT_FLOW_NEXT;
	find_target(c, f);
	cut(d, f);
	find_condition(c, f);
	return f->has_target ? RT_FLOW_BRANCH : RT_FLOW_STRANGE;
}

/* ---- what it writes ---- */

static void note_write(struct rt_flow *f, unsigned reg)
{
	int8_t n = number(reg);

	if (n != RT_NO_REG)
		f->writes |= 1u << n;
}

static bool only_reads(unsigned id)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_PUSH:
	case X86_INS_BT:
	case X86_INS_NOP:
	case X86_INS_JMP:
	case X86_INS_CALL:
	case X86_INS_RET:
		return true;
	}
	return false;
}

static void find_writes(const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;
	uint8_t i;

	for (i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_REG &&
		    ((x->operands[i].access & CS_AC_WRITE) || (i == 0 && !only_reads(c->id))))
			note_write(f, x->operands[i].reg);
	for (i = 0; i < c->detail->regs_write_count; i++)
		note_write(f, c->detail->regs_write[i]);
	if (f->kind == RT_FLOW_CALL)
		f->writes |= 0xfc7;	/* rax, rcx, rdx, rsi, rdi, r8 to r11; of i386 fewer */
	if (c->id == X86_INS_XCHG || c->id == X86_INS_XADD || c->id == X86_INS_CMPXCHG)
		for (i = 0; i < x->op_count; i++)
			if (x->operands[i].type == X86_OP_REG)
				note_write(f, x->operands[i].reg);
}

/* ---- the stack pointer ---- */

static bool is_small(int64_t v)
{
	return v >= -(1 << 28) && v <= 1 << 28;
}

static void sp_by(struct rt_flow *f, enum rt_flow_sp how, int64_t amount)
{
	f->sp = is_small(amount) ? how : RT_SP_LOST;
	f->amount = is_small(amount) ? (int32_t)amount : 0;
}

/* add, sub and lea with the stack pointer or the frame pointer. */
static void written_by_arithmetic(const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];
	int8_t reg = x->op_count == 2 && to->type == X86_OP_REG ? number(to->reg) : RT_NO_REG;

	if (reg == SP && from->type == X86_OP_IMM &&
	    (c->id == X86_INS_ADD || c->id == X86_INS_SUB)) {
		sp_by(f, RT_SP_ADDED, c->id == X86_INS_ADD ? from->imm : -from->imm);
	} else if (reg == SP && c->id == X86_INS_LEA && from->mem.index == X86_REG_INVALID &&
		   number(from->mem.base) == SP) {
		sp_by(f, RT_SP_ADDED, from->mem.disp);
	} else if (reg == SP && c->id == X86_INS_LEA && from->mem.index == X86_REG_INVALID &&
		   number(from->mem.base) == FP) {
		sp_by(f, RT_SP_OF_FRAME, from->mem.disp);
	} else if (reg == SP && c->id == X86_INS_MOV && from->type == X86_OP_REG &&
		   number(from->reg) == FP) {
		sp_by(f, RT_SP_OF_FRAME, 0);
	} else if (reg == FP && c->id == X86_INS_MOV && from->type == X86_OP_REG &&
		   number(from->reg) == SP) {
		f->fp = RT_FP_OF_SP;
	} else if (reg == FP && c->id == X86_INS_LEA && from->mem.index == X86_REG_INVALID &&
		   number(from->mem.base) == SP && is_small(from->mem.disp)) {
		f->fp = RT_FP_OF_SP;
		f->fp_amount = (int32_t)from->mem.disp;
	}
}

static void stack_change(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;
	int word = d->wide ? 8 : 4;

	if (f->writes & 1u << SP)
		f->sp = RT_SP_LOST;
	if (f->writes & 1u << FP)
		f->fp = RT_FP_LOST;
	switch (c->id) {
	case X86_INS_PUSH: case X86_INS_PUSHF: case X86_INS_PUSHFD: case X86_INS_PUSHFQ:
		sp_by(f, x->prefix[2] == 0x66 ? RT_SP_LOST : RT_SP_ADDED, -word);
		break;
	case X86_INS_POP: case X86_INS_POPF: case X86_INS_POPFD: case X86_INS_POPFQ:
		if (!(x->op_count && x->operands[0].type == X86_OP_REG &&
		      number(x->operands[0].reg) == SP))
			sp_by(f, x->prefix[2] == 0x66 ? RT_SP_LOST : RT_SP_ADDED, word);
		break;
	case X86_INS_LEAVE:
		sp_by(f, RT_SP_OF_FRAME, word);
		f->fp = RT_FP_LOST;
		break;
	case X86_INS_CALL:
		f->sp = RT_SP_UNCHANGED;
		f->fp = RT_FP_UNCHANGED;
		break;
	default:
		written_by_arithmetic(c, f);
	}
}

/* ---- tables ---- */

static void take_mem(const struct rt_decoder *d, const cs_insn *c, const cs_x86_op *op,
		     struct rt_flow *f)
{
	bool ip_relative = op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP;

	f->has_mem = op->mem.segment == X86_REG_INVALID;
	f->mem.base = ip_relative ? RT_NO_REG : number(op->mem.base);
	f->mem.index = number(op->mem.index);
	f->mem.scale = (uint8_t)op->mem.scale;
	f->mem.disp = op->mem.disp + (ip_relative ? (int64_t)(c->address + c->size) : 0);
	f->mem.fixed = ip_relative || op->mem.base == X86_REG_INVALID;
	if (!d->wide)
		f->mem.disp &= UINT32_MAX;
}

static void loads(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86_op *from = &c->detail->x86.operands[1];

	f->is_signed = c->id == X86_INS_MOVSX || c->id == X86_INS_MOVSXD;
	if (from->type == X86_OP_MEM) {
		f->op = RT_OP_LOAD;
		f->bytes = from->size;
		take_mem(d, c, from, f);
	} else if (from->type == X86_OP_REG) {
		f->op = RT_OP_COPY;
		f->from = number(from->reg);
		f->bytes = from->size;
	} else if (c->id != X86_INS_MOVABS &&
		   is_full(d, (unsigned)c->detail->x86.operands[0].reg)) {
		f->op = RT_OP_ADDRESS;
		f->value = from->imm;
	} else if (from->type == X86_OP_IMM) {
		/*
		 * The upper half is cleared: how addresses of a program at a fixed place are
		 * loaded.
		 */
		f->op = RT_OP_ADDRESS;
		f->value = c->detail->x86.operands[0].size == 4 ? (int64_t)(uint32_t)from->imm
								: from->imm;
	}
}

static void stores(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86_op *to = &c->detail->x86.operands[0], *from = &c->detail->x86.operands[1];

	if (to->type != X86_OP_MEM || from->type != X86_OP_REG)
		return;
	f->op = RT_OP_STORE;
	f->from = number(from->reg);
	take_mem(d, c, to, f);
}

static void address(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	take_mem(d, c, &c->detail->x86.operands[1], f);
	f->has_mem = false;
	f->value = f->mem.disp;
	if (f->mem.index != RT_NO_REG && f->mem.base == RT_NO_REG && !f->mem.disp) {
		f->op = RT_OP_SCALE;
		f->from = f->mem.index;
		f->value = f->mem.scale;
	}
	if (f->mem.index != RT_NO_REG)
		return;
	if (f->mem.base == RT_NO_REG) {
		f->op = f->mem.fixed ? RT_OP_ADDRESS : RT_OP_OTHER;
	} else {
		f->op = RT_OP_PLUS;
		f->from = f->mem.base;
	}
}

static void compares(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86_op *a = &c->detail->x86.operands[0], *b = &c->detail->x86.operands[1];

	if (b->type != X86_OP_IMM)
		return;
	f->op = RT_OP_COMPARE;
	f->value = b->imm;
	f->bytes = a->size;
	if (a->type == X86_OP_MEM)
		take_mem(d, c, a, f);
	else
		f->from = number(a->reg);
}

static void arithmetic(const cs_insn *c, struct rt_flow *f)
{
	const cs_x86_op *to = &c->detail->x86.operands[0], *from = &c->detail->x86.operands[1];

	if (to->type != X86_OP_REG)
		return;
	f->other = from->type == X86_OP_REG && c->id != X86_INS_AND ? number(from->reg) : RT_NO_REG;
	f->from = f->to;
	if (c->id == X86_INS_AND && from->type == X86_OP_IMM) {
		f->op = RT_OP_MASK;
		f->value = from->imm;
	} else if (c->id == X86_INS_ADD && from->type == X86_OP_REG) {
		f->op = RT_OP_SUM;
	} else if ((c->id == X86_INS_ADD || c->id == X86_INS_SUB) && from->type == X86_OP_IMM) {
		f->op = RT_OP_PLUS;
		f->value = c->id == X86_INS_ADD ? from->imm : -from->imm;
	}
}

static void find_used(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;
	struct rt_flow at;
	uint8_t i;

	if (c->id == X86_INS_LEA || c->id == X86_INS_NOP || c->id == X86_INS_POP)
		return;
	for (i = c->id == X86_INS_MOV && x->op_count == 2; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM) {
			take_mem(d, c, &x->operands[i], &at);
			f->uses = at.has_mem;
			f->used = at.mem;
		}
}

static void find_op(const struct rt_decoder *d, const cs_insn *c, struct rt_flow *f)
{
	const cs_x86 *x = &c->detail->x86;

	if (f->kind == RT_FLOW_INDIRECT && x->op_count == 1) {
		if (x->operands[0].type == X86_OP_MEM)
			take_mem(d, c, &x->operands[0], f);
		else
			f->to = number(x->operands[0].reg);
		return;
	}
	if (c->id == X86_INS_CDQE) {
		f->op = RT_OP_COPY;
		f->to = f->from = 0;
		f->bytes = 4;
		f->is_signed = true;
	}
	if (x->op_count != 2)
		return;
	f->to = x->operands[0].type == X86_OP_REG ? number(x->operands[0].reg) : RT_NO_REG;
	switch (c->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
		if (f->to != RT_NO_REG)
			loads(d, c, f);
		else
			stores(d, c, f);
		break;
	case X86_INS_XCHG:
		f->other = x->operands[1].type == X86_OP_REG ? number(x->operands[1].reg)
							     : RT_NO_REG;
		break;
	case X86_INS_LEA:
		address(d, c, f);
		break;
	case X86_INS_CMP:
		compares(d, c, f);
		break;
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XOR:
	case X86_INS_ADC:
	case X86_INS_SBB:
		arithmetic(c, f);
		break;
	}
}

/* Newer than capstone 4: what moves and reads the shadow stack's pointer, and the keys of pages. */
static bool decode_newer(const uint8_t *p, size_t n, struct rt_flow *f)
{
	size_t at = n > 1 && p[0] == 0xf3 ? 1 + ((p[1] & 0xf0) == 0x40) : 0;
	bool shadow;

	if (at + 3 > n || p[at] != 0x0f)
		return false;
	shadow = at && ((p[at + 1] == 0xae && (p[at + 2] & 0xf8) == 0xe8) ||
			(p[at + 1] == 0x1e && (p[at + 2] & 0xf8) == 0xc8));
	if (!shadow && !(!at && p[1] == 0x01 && (p[2] & 0xfe) == 0xee))
		return false;
	f->size = (uint8_t)(at + 3);
	/* rdpkru: eax and edx */
	f->writes = shadow ? 1u << ((p[at + 2] & 7) + (at == 2 && (p[1] & 1) ? 8 : 0)) : 5;
	return true;
}

bool rt_flow_capstone(struct rt_decoder *d, const uint8_t *bytes, size_t n, uint64_t addr,
		      struct rt_flow *f)
{
	const cs_insn *c = d->insn;

	if (decode_newer(bytes, n, f))
		return true;
	if (!rt_x86_disassemble(d->handle, d->insn, d->wide, bytes, n, addr, &f->size, &f->writes))
		return f->size != 0;
	f->kind = kind_of(d, c, f);
	find_writes(c, f);
	stack_change(d, c, f);
	find_op(d, c, f);
	find_used(d, c, f);
	return true;
}
