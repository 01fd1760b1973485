/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step up a stack: a row of call frame information, executed. */
#include "elf/cfi.h"

#include "elf/eh_frame.h"

/*
 * DWARF 5, section 7.7.1.  Those that linkers write for the PLT, glibc for a signal's frame, and
 * GCC for functions that align the stack.
 */
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_NOP = 0x96,
};

enum { DEPTH = 16 };

struct machine {
	struct rt_eh_cursor c;
	const struct rt_cfi_frame *frame;
	rt_cfi_read *read;
	void *ctx;
	enum rt_cfi_step problem;	/* RT_CFI_STEP: none */
	uint64_t v[DEPTH];
	unsigned n;
};

static void push(struct machine *m, uint64_t v)
{
	if (m->n == DEPTH)
		m->problem = RT_CFI_DAMAGED;
	else
		m->v[m->n++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (m->n)
		return m->v[--m->n];
	m->problem = RT_CFI_DAMAGED;
	return 0;
}

static uint64_t reg_of(struct machine *m, uint64_t reg)
{
	if (reg < RT_CFI_REGS && (m->frame->known >> reg & 1))
		return m->frame->regs[reg];
	m->problem = RT_CFI_NO_MEMORY;
	return 0;
}

static uint64_t load(struct machine *m, uint64_t addr)
{
	uint64_t v = 0;

	if (m->problem == RT_CFI_STEP && !m->read(m->ctx, addr, &v))
		m->problem = RT_CFI_NO_MEMORY;
	return v;
}

static void compute(struct machine *m, uint8_t op)
{
	uint64_t b = pop(m), a = pop(m);
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_AND: push(m, a & b); break;
	case OP_MINUS: push(m, a - b); break;
	case OP_MUL: push(m, a * b); break;
	case OP_OR: push(m, a | b); break;
	case OP_PLUS: push(m, a + b); break;
	case OP_SHL: push(m, b < 64 ? a << b : 0); break;
	case OP_SHR: push(m, b < 64 ? a >> b : 0); break;
	case OP_SHRA: push(m, (uint64_t)(sa >> (b < 64 ? b : 63))); break;
	case OP_XOR: push(m, a ^ b); break;
	case OP_EQ: push(m, a == b); break;
	case OP_GE: push(m, sa >= sb); break;
	case OP_GT: push(m, sa > sb); break;
	case OP_LE: push(m, sa <= sb); break;
	case OP_LT: push(m, sa < sb); break;
	case OP_NE: push(m, a != b); break;
	default: m->problem = RT_CFI_DAMAGED;
	}
}

static void execute(struct machine *m, uint8_t op)
{
	struct rt_eh_cursor *c = &m->c;
	uint64_t v;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(m, op - OP_LIT0);
		return;
	}
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		v = rt_eh_leb(c, true);
		push(m, v + reg_of(m, op - OP_BREG0));
		return;
	}
	switch (op) {
	case OP_NOP: break;
	case OP_DEREF: push(m, load(m, pop(m))); break;
	case OP_CONST1U: case OP_CONST1S:
		push(m, rt_eh_number(c, 1, op == OP_CONST1S));
		break;
	case OP_CONST2U: case OP_CONST2S:
		push(m, rt_eh_number(c, 2, op == OP_CONST2S));
		break;
	case OP_CONST4U: case OP_CONST4S:
		push(m, rt_eh_number(c, 4, op == OP_CONST4S));
		break;
	case OP_CONST8U: case OP_CONST8S: push(m, rt_eh_number(c, 8, false)); break;
	case OP_CONSTU: case OP_CONSTS: push(m, rt_eh_leb(c, op == OP_CONSTS)); break;
	case OP_DUP:
		v = pop(m);
		push(m, v);
		push(m, v);
		break;
	case OP_DROP: pop(m); break;
	case OP_NEG: push(m, -pop(m)); break;
	case OP_NOT: push(m, ~pop(m)); break;
	case OP_PLUS_UCONST:
		v = rt_eh_leb(c, false);
		push(m, pop(m) + v);
		break;
	default: compute(m, op);
	}
}

/* The result of the expression at `at`; `cfa`: what is on its stack at first, 0: nothing. */
static uint64_t evaluate(struct machine *m, int64_t at, uint64_t cfa)
{
	uint64_t end;

	m->n = 0;
	if (cfa)
		push(m, cfa);
	rt_eh_seek(&m->c, m->c.image, (uint64_t)at);
	end = rt_eh_leb(&m->c, false);
	end += m->c.at;
	while (m->c.at < end && !m->c.bad && m->problem == RT_CFI_STEP)
		execute(m, rt_eh_byte(&m->c));
	if (m->c.bad)
		m->problem = RT_CFI_DAMAGED;
	return pop(m);
}

/* The caller's value of a register.  False: it is not known. */
static bool find_value(struct machine *m, const struct rt_cfi_rule *rule, unsigned reg,
		       uint64_t cfa, uint64_t *v)
{
	switch (rule->how) {
	case RT_CFI_UNDEFINED:
		return false;
	case RT_CFI_SAME:
		*v = m->frame->regs[reg];
		return m->frame->known >> reg & 1;
	case RT_CFI_OFFSET:
		*v = load(m, cfa + (uint64_t)rule->v);
		break;
	case RT_CFI_VALUE:
		*v = cfa + (uint64_t)rule->v;
		break;
	case RT_CFI_REGISTER:
		*v = reg_of(m, (uint64_t)rule->v);
		break;
	case RT_CFI_EXPRESSION:
		*v = load(m, evaluate(m, rule->v, cfa));
		break;
	case RT_CFI_VALUE_EXPRESSION:
		*v = evaluate(m, rule->v, cfa);
		break;
	}
	return m->problem == RT_CFI_STEP;
}

unsigned rt_cfi_stack_pointer(const struct rt_arch *arch)
{
	unsigned i;

	for (i = 0; i < arch->ndwarf; i++)
		if (arch->dwarf[i].pt_regs == arch->sp.pt_regs)
			return i;
	return RT_CFI_REGS;
}

enum rt_cfi_step rt_cfi_step(const struct rt_image *image, const struct rt_cfi_row *row,
			     struct rt_cfi_frame *frame, rt_cfi_read *read, void *ctx)
{
	const struct rt_arch *arch = rt_image_arch(image);
	unsigned sp = rt_cfi_stack_pointer(arch), i;
	struct machine m = { .c.image = image, .frame = frame, .read = read, .ctx = ctx };
	struct rt_cfi_frame caller = { .known = 0 };

	if (row->regs[row->ra].how == RT_CFI_UNDEFINED)
		return RT_CFI_LAST;
	caller.cfa = row->cfa.how == RT_CFI_VALUE
			     ? reg_of(&m, row->cfa_reg) + (uint64_t)row->cfa.v
			     : evaluate(&m, row->cfa.v, 0);
	if (m.problem != RT_CFI_STEP)
		return m.problem;
	for (i = 0; i < RT_CFI_REGS; i++) {
		/* A register that nobody saved stays unknown; it may not be asked for. */
		if (find_value(&m, &row->regs[i], i, caller.cfa, &caller.regs[i]))
			caller.known |= UINT64_C(1) << i;
		else if (m.problem != RT_CFI_STEP && i == row->ra)
			return m.problem;
		m.problem = RT_CFI_STEP;
	}
	if (!(caller.known >> row->ra & 1))
		return RT_CFI_DAMAGED;
	if (sp < RT_CFI_REGS && row->regs[sp].how == RT_CFI_SAME) {
		caller.regs[sp] = caller.cfa;
		caller.known |= UINT64_C(1) << sp;
	}
	caller.pc = caller.regs[row->ra];
	*frame = caller;
	return RT_CFI_STEP;
}
