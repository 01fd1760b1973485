/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_X86_PARTS_H
#define RT_ARCH_X86_PARTS_H

#include "arch/flow.h"

/* The machine's numbers of registers. */
enum { RT_X86_AX, RT_X86_CX, RT_X86_DX, RT_X86_BX, RT_X86_SP, RT_X86_BP };

/* Operations, as far as they differ here. */
enum rt_x86_op {
	RT_X86_NONE,
	/* by their numbers in opcodes, and 1 */
	RT_X86_ADD,
	RT_X86_OR,
	RT_X86_ADC,
	RT_X86_SBB,
	RT_X86_AND,
	RT_X86_SUB,
	RT_X86_XOR,
	RT_X86_CMP,
	RT_X86_MOV,
	RT_X86_MOVZX,
	RT_X86_MOVSX,
	RT_X86_MOVSXD,
	RT_X86_LEA,
	RT_X86_TEST,
	RT_X86_BT,
	RT_X86_PUSH,
	RT_X86_POP,
	RT_X86_LEAVE,
	RT_X86_NOP,
	RT_X86_CALL,
	RT_X86_JMP,
	RT_X86_JCC,
	RT_X86_RET,
	RT_X86_STOP,
	RT_X86_CMOV,
	RT_X86_SET,
	RT_X86_IMUL,
	RT_X86_MULTIPLY,	/* by the accumulator */
	RT_X86_DIVIDE,
	RT_X86_INC,		/* dec, neg, not */
	RT_X86_SHIFT,
	RT_X86_WIDEN,		/* cbw, cwde, cdqe */
	RT_X86_SIGN,		/* cwd, cdq, cqo */
	/* of vectors; the first operand is: */
	RT_X86_VMOVE,		/* written */
	RT_X86_VMERGE,		/* written or, between registers, changed */
	RT_X86_VCHANGE,		/* changed */
	RT_X86_VXOR,		/* changed */
	RT_X86_VCOMPARE,	/* read */
	/* in tables: the middle bits of ModRM tell */
	RT_X86_GROUP_ARITH,
	RT_X86_GROUP_SHIFT,
	RT_X86_GROUP_MOV,
	RT_X86_GROUP_TEST,
	RT_X86_GROUP_INC,
	RT_X86_GROUP_BT,
};

enum rt_x86_kind {
	RT_X86_NOTHING,
	RT_X86_REGISTER,
	RT_X86_VECTOR_REGISTER,
	RT_X86_MEMORY,
	RT_X86_IMMEDIATE,
};

enum { RT_X86_READ = 1, RT_X86_WRITE = 2, RT_X86_CHANGE = RT_X86_READ | RT_X86_WRITE };

struct rt_x86_operand {
	uint8_t kind, bytes, access;
	int8_t reg;
	bool high;		/* the second byte of the register */
};

struct rt_x86_parts {
	uint8_t size, op;
	uint8_t bytes;			/* of most operands */
	uint8_t condition;		/* of a branch: its number, and 1 */
	uint8_t n;			/* operands */
	bool direct;			/* `imm` is the target of a branch */
	bool high_name;			/* no REX: bytes 4 to 7 are ah to bh */
	struct rt_x86_operand v[3];
	struct rt_flow_mem mem;		/* of the operand in memory */
	bool segment;			/* it is in thread-local memory */
	bool relative;			/* to %rip: `mem.disp` is the address */
	int64_t imm;			/* of the immediate operand */
};

/*
 * The parts of the common instruction of x86-64 in the `n` bytes at `addr`.  False: it is none, or
 * none that is common.
 */
bool rt_x86_take_apart(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_x86_parts *parts);

#endif
