/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/emulation.h"

#include "arch/emulation.h"
#include "base/array.h"
#include "emit/private.h"

/* R8 in this part: the site's struct rt_emulation. */
enum { EMULATION = R8 };

/* x86-64: a breakpoint's byte, and the bits of a user's address. */
enum { INT3 = 0xcc, USER_BITS = 47 };

/* KEY = the site's place; exits are behind entries. */
static void emit_place(struct emitter *e)
{
	bool exit = e->program->plan->kind == RT_KIND_RETURN;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->ip.pt_regs);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_EMULATION_PLACE);
	if (exit)
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, RT_EMULATION_PLACES);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R1);
}

/* KEY = the site's index in RT_MAP_EMULATIONS. */
static void emit_site(struct emitter *e)
{
	const struct rt_bpf_program *p = e->program;

	if (p->key_source == RT_KEY_POINTER) {
		emit_place(e);
		return;
	}
	if (p->key_source == RT_KEY_CONSTANT) {
		rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, (int32_t)p->site);
		return;
	}
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
	/* A program that does not record has its function in the lower half. */
	if (p->purpose != RT_PURPOSE_RECORD)
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R0);
}

/* r10 + POINTER = `size` bytes at the address in r3; on to `none` if they cannot be read. */
static void emit_word(struct emitter *e, int size, int none)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
	rt_emit_read(e, R10, POINTER, size);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, none);
}

/* On to `none` if another program has emulated the instruction before. */
static void emit_unchanged(struct emitter *e, int none)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, e->program->plan->arch->ip.pt_regs);
	rt_bpf_mov(e->bpf, R1, R3);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_EMULATION_PLACE);
	rt_bpf_load(e->bpf, RT_BPF_H, R2, EMULATION, offsetof(struct rt_emulation, place));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R1, R2, none);
	emit_word(e, 1, none);
	rt_bpf_load(e->bpf, RT_BPF_B, R1, R10, POINTER);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, INT3, none);
}

/*
 * ip = the word at the address in r3.  The processor's exception for an address that is no user's
 * comes before the return or jump: the kernel executes those.  It would not notice one to the very
 * same instruction.
 */
static void emit_go_to(struct emitter *e, int none)
{
	const struct rt_arch *arch = e->program->plan->arch;

	emit_word(e, arch->word, none);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
	rt_bpf_mov(e->bpf, R2, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, USER_BITS);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R2, 0, none);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, CTX, arch->ip.pt_regs);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R2, none);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, arch->ip.pt_regs, R1);
}

static void emit_return(struct emitter *e, int none)
{
	const struct rt_arch *arch = e->program->plan->arch;

	rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, arch->sp.pt_regs);
	emit_go_to(e, none);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, CTX, arch->sp.pt_regs);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, EMULATION, offsetof(struct rt_emulation, offset));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R2, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, arch->word);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, arch->sp.pt_regs, R2);
}

/* r3 = the address at the emulation's distance from ip. */
static void emit_distance(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, e->program->plan->arch->ip.pt_regs);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, EMULATION, offsetof(struct rt_emulation, offset));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R1);
}

/* ip = the other return (code/spare_return.c), if that is in memory as in the file. */
static void emit_elsewhere(struct emitter *e, int none)
{
	emit_distance(e);
	emit_word(e, 1, none);
	rt_bpf_load(e->bpf, RT_BPF_B, R1, R10, POINTER);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, RT_RETURN_BYTE, none);
	emit_distance(e);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, e->program->plan->arch->ip.pt_regs, R3);
}

/* ---- operations on registers ---- */

/*
 * Registers: the operands, their address and then a word with the sign that says overflow, the
 * result, the number of bits that the operation does not have, and the flags.
 */
enum { RESULT = R0, FIRST = R3, SECOND = R4, FLAGS = R5, AT = R7, OVERFLOW = R7, UNUSED = R9 };

/* Bits of the flags, and all that operations change. */
enum { PARITY_BIT = 2, SIGN_BIT = 7, OVERFLOW_BIT = 11 };
enum { ADJUST = 0x10, ZERO = 0x40, CHANGED = 0x8d5 };

/* Words of struct pt_regs (x86-64): the general registers but sp come first. */
enum { REGISTERS = 15, WORD_IP = 16, WORD_FLAGS = 18 };

#define FIELD(name) ((int)offsetof(struct rt_emulation, name))

/* dst = the operand. */
static void emit_load(struct emitter *e, int operand, int dst)
{
	switch (operand) {
	case RT_EMULATION_ZERO:
		rt_bpf_mov_imm(e->bpf, dst, 0);
		break;
	case RT_EMULATION_VALUE:
		rt_bpf_load(e->bpf, RT_BPF_DW, dst, EMULATION, FIELD(value));
		break;
	case RT_EMULATION_LOADED:
		rt_bpf_load(e->bpf, RT_BPF_DW, dst, R10, POINTER);
		break;
	case RT_EMULATION_ADDRESS:
		rt_bpf_mov(e->bpf, dst, AT);
		break;
	default:
		rt_bpf_load(e->bpf, RT_BPF_DW, dst, CTX, 8 * operand);
	}
}

/* The register = src. */
static void emit_store(struct emitter *e, int operand, int src)
{
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, 8 * operand, src);
}

/*
 * Do it with the operand from `first` to `last` with the number in r1, and on to `done`.  A program
 * cannot address its context by a register, so it decides by halves.
 */
static void emit_choice(struct emitter *e, int first, int last,
			void (*emit)(struct emitter *e, int operand, int reg), int reg, int done)
{
	int middle = (first + last) / 2, upper;

	if (first == last) {
		emit(e, first, reg);
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
		return;
	}
	upper = rt_bpf_label(e->bpf);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, middle, upper);
	emit_choice(e, first, middle, emit, reg, done);
	rt_bpf_place(e->bpf, upper);
	emit_choice(e, middle + 1, last, emit, reg, done);
}

/* dst = the operand with the number in the emulation's `field`.  r1 is lost. */
static void emit_operand(struct emitter *e, int dst, int field)
{
	int done = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, field);
	emit_choice(e, 0, RT_EMULATION_OPERANDS - 1, emit_load, dst, done);
	rt_bpf_place(e->bpf, done);
}

/* AT = the address, r10 + POINTER = what is there; on to `none` if that cannot be read. */
static void emit_memory(struct emitter *e, int none)
{
	int unread = rt_bpf_label(e->bpf);

	rt_bpf_mov_imm(e->bpf, AT, 0);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
	emit_operand(e, R3, FIELD(base));
	emit_operand(e, R4, FIELD(index));
	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, FIELD(scale));
	rt_bpf_alu(e->bpf, RT_BPF_LSH, R4, R1);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R4);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, EMULATION, FIELD(offset));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R1);
	rt_bpf_mov(e->bpf, AT, R3);
	rt_bpf_load(e->bpf, RT_BPF_B, R2, EMULATION, FIELD(load));
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R2, 0, unread);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R2, 8, none);
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, POINTER);
	rt_bpf_call(e->bpf, RT_FN_probe_read_user);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, none);
	rt_bpf_place(e->bpf, unread);
}

/* A register loses the bits above the operation's. */
static void emit_cut(struct emitter *e, int reg)
{
	rt_bpf_alu(e->bpf, RT_BPF_LSH, reg, UNUSED);
	rt_bpf_alu(e->bpf, RT_BPF_RSH, reg, UNUSED);
}

static void emit_operands(struct emitter *e)
{
	int filled = rt_bpf_label(e->bpf), zeros = rt_bpf_label(e->bpf);

	emit_operand(e, FIRST, FIELD(first));
	emit_operand(e, SECOND, FIELD(second));
	rt_bpf_load(e->bpf, RT_BPF_B, UNUSED, EMULATION, FIELD(unused));
	emit_cut(e, FIRST);
	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, FIELD(narrow));
	rt_bpf_alu(e->bpf, RT_BPF_LSH, SECOND, R1);
	rt_bpf_load(e->bpf, RT_BPF_B, R2, EMULATION, FIELD(sign));
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R2, 0, zeros);
	rt_bpf_alu(e->bpf, RT_BPF_ARSH, SECOND, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, filled);
	rt_bpf_place(e->bpf, zeros);
	rt_bpf_alu(e->bpf, RT_BPF_RSH, SECOND, R1);
	rt_bpf_place(e->bpf, filled);
	emit_cut(e, SECOND);
}

/* FLAGS: carry if the register is below the other one, and adjust. */
static void emit_carry(struct emitter *e, int below, int other)
{
	int no_carry = rt_bpf_label(e->bpf);

	rt_bpf_mov(e->bpf, FLAGS, FIRST);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, FLAGS, SECOND);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, FLAGS, RESULT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, FLAGS, ADJUST);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, below, other, no_carry);
	rt_bpf_alu_imm(e->bpf, RT_BPF_OR, FLAGS, 1);
	rt_bpf_place(e->bpf, no_carry);
}

/* OVERFLOW's sign: `a` and `b` differ in theirs, and so do FIRST and RESULT. */
static void emit_overflow(struct emitter *e, int a, int b)
{
	rt_bpf_mov(e->bpf, OVERFLOW, a);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, OVERFLOW, b);
	rt_bpf_mov(e->bpf, R1, FIRST);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, R1, RESULT);
	rt_bpf_alu(e->bpf, RT_BPF_AND, OVERFLOW, R1);
}

/* An addition overflows if the result has a sign that neither operand has. */
static void emit_add(struct emitter *e)
{
	rt_bpf_alu(e->bpf, RT_BPF_ADD, RESULT, SECOND);
	emit_cut(e, RESULT);
	emit_carry(e, RESULT, FIRST);
	emit_overflow(e, SECOND, RESULT);
}

/* A subtraction, if the operands' signs differ, and the result's is that of the second one. */
static void emit_sub(struct emitter *e)
{
	rt_bpf_alu(e->bpf, RT_BPF_SUB, RESULT, SECOND);
	emit_cut(e, RESULT);
	emit_carry(e, FIRST, SECOND);
	emit_overflow(e, FIRST, SECOND);
}

/* RESULT; FLAGS so far and OVERFLOW.  On to `moved` with FLAGS that stay. */
static void emit_operation(struct emitter *e, int moved)
{
	static const struct {
		uint8_t op, alu;
	} logic[] = {
		{ RT_EMULATE_AND, RT_BPF_AND },
		{ RT_EMULATE_OR, RT_BPF_OR },
		{ RT_EMULATE_XOR, RT_BPF_XOR },
	};
	int add = rt_bpf_label(e->bpf), sub = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf);
	unsigned i;

	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, FIELD(op));
	rt_bpf_mov(e->bpf, RESULT, SECOND);
	rt_bpf_load(e->bpf, RT_BPF_DW, FLAGS, CTX, 8 * WORD_FLAGS);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, RT_EMULATE_MOVE, moved);
	rt_bpf_mov(e->bpf, RESULT, FIRST);
	rt_bpf_mov_imm(e->bpf, FLAGS, 0);
	rt_bpf_mov_imm(e->bpf, OVERFLOW, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, RT_EMULATE_ADD, add);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, RT_EMULATE_SUB, sub);
	for (i = 0; i < RT_COUNT(logic); i++) {
		int next = rt_bpf_label(e->bpf);

		rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, logic[i].op, next);
		rt_bpf_alu(e->bpf, (enum rt_bpf_alu)logic[i].alu, RESULT, SECOND);
		rt_bpf_place(e->bpf, next);
	}
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, add);
	emit_add(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, sub);
	emit_sub(e);
	rt_bpf_place(e->bpf, done);
}

/* FLAGS |= the highest bit of the operation in r1, as bit number `bit`. */
static void emit_highest(struct emitter *e, int bit)
{
	rt_bpf_alu(e->bpf, RT_BPF_LSH, R1, UNUSED);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, 63);
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, bit);
	rt_bpf_alu(e->bpf, RT_BPF_OR, FLAGS, R1);
}

static void emit_flags(struct emitter *e)
{
	int not_zero = rt_bpf_label(e->bpf), fold;

	rt_bpf_jump(e->bpf, RT_BPF_JNE, RESULT, 0, not_zero);
	rt_bpf_alu_imm(e->bpf, RT_BPF_OR, FLAGS, ZERO);
	rt_bpf_place(e->bpf, not_zero);
	rt_bpf_mov(e->bpf, R1, RESULT);
	emit_highest(e, SIGN_BIT);
	rt_bpf_mov(e->bpf, R1, OVERFLOW);
	emit_highest(e, OVERFLOW_BIT);
	/* Parity: the lowest byte has an even number of ones. */
	rt_bpf_mov(e->bpf, R1, RESULT);
	for (fold = 4; fold; fold /= 2) {
		rt_bpf_mov(e->bpf, R2, R1);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, fold);
		rt_bpf_alu(e->bpf, RT_BPF_XOR, R1, R2);
	}
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, 1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, PARITY_BIT);
	rt_bpf_alu(e->bpf, RT_BPF_OR, FLAGS, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_XOR, FLAGS, 1 << PARITY_BIT);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, 8 * WORD_FLAGS);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, ~CHANGED);
	rt_bpf_alu(e->bpf, RT_BPF_OR, FLAGS, R1);
}

/* RESULT of 1 or 2 bytes: the rest of its register stays as it is; one of 4 bytes clears it. */
static void emit_rest(struct emitter *e)
{
	enum { LONG_UNUSED = 32 };
	int whole = rt_bpf_label(e->bpf);

	emit_cut(e, RESULT);
	rt_bpf_mov_imm(e->bpf, R1, LONG_UNUSED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, UNUSED, whole);
	emit_operand(e, R2, FIELD(to));
	rt_bpf_mov_imm(e->bpf, R1, 64);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, UNUSED);
	rt_bpf_alu(e->bpf, RT_BPF_RSH, R2, R1);
	rt_bpf_alu(e->bpf, RT_BPF_LSH, R2, R1);
	rt_bpf_alu(e->bpf, RT_BPF_OR, RESULT, R2);
	rt_bpf_place(e->bpf, whole);
}

/* The register, the flags, and ip: from here on the kernel does not execute the instruction. */
static void emit_write(struct emitter *e)
{
	int done = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, FIELD(to));
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, REGISTERS - 1, done);
	emit_choice(e, 0, REGISTERS - 1, emit_store, RESULT, done);
	rt_bpf_place(e->bpf, done);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, 8 * WORD_FLAGS, FLAGS);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, 8 * WORD_IP);
	rt_bpf_load(e->bpf, RT_BPF_B, R2, EMULATION, FIELD(length));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R1, R2);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, 8 * WORD_IP, R1);
}

static void emit_computation(struct emitter *e, int none)
{
	int moved = rt_bpf_label(e->bpf);

	emit_memory(e, none);
	emit_operands(e);
	emit_operation(e, moved);
	emit_flags(e);
	rt_bpf_place(e->bpf, moved);
	emit_rest(e);
	emit_write(e);
}

void rt_emit_emulation(struct emitter *e)
{
	int none = rt_bpf_label(e->bpf), elsewhere = rt_bpf_label(e->bpf),
	    jump = rt_bpf_label(e->bpf);

	emit_site(e);
	e->out = none;
	rt_emit_lookup(e, RT_MAP_EMULATIONS, KEY);
	rt_bpf_mov(e->bpf, EMULATION, R0);
	emit_unchanged(e, none);
	rt_bpf_load(e->bpf, RT_BPF_B, R1, EMULATION, FIELD(op));
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, RT_EMULATE_ELSEWHERE, elsewhere);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, RT_EMULATE_JUMP, jump);
	/* Else only returns are emulated at exits, and nowhere else. */
	if (e->program->plan->kind == RT_KIND_RETURN)
		emit_return(e, none);
	else
		emit_computation(e, none);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, none);
	rt_bpf_place(e->bpf, elsewhere);
	emit_elsewhere(e, none);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, none);
	rt_bpf_place(e->bpf, jump);
	emit_distance(e);
	emit_go_to(e, none);
	rt_bpf_place(e->bpf, none);
}
