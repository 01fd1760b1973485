/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bytes of x86 may be an instruction that loads the stack pointer, or stores it.  `op` is the opcode, and `rex` the prefix before it,
 * PLAIN in 32 bits.
 */
#include "safety/switches_walk.h"

#include <string.h>

enum { PLAIN = 0x48, SP = 4, FP = 5, MOV_FROM = 0x89, MOV_TO = 0x8b, XCHG = 0x87, XCHG_AX_SP = 0x94, LEA = 0x8d, ESCAPE = 0x0f, CMOV = 0x40,
       XADD = 0xc1, POP_SP = 0x5c, LEAVE = 0xc9, AND = 0x20, SUB = 0x28, CMP = 0x38 };

/* The register that memory counts from; -1: none. */
static int base_of(const uint8_t *op, uint8_t rex)
{
	uint8_t mod = op[1] >> 6, rm = op[1] & 7;

	if (rm == SP)
		return (op[2] & 7) == FP && !mod ? -1 : (op[2] & 7) | (rex & 1) << 3;
	return rm == FP && !mod ? -1 : rm | (rex & 1) << 3;
}

static bool is_indexed(const uint8_t *op, uint8_t rex)
{
	return (op[1] & 7) == SP && ((op[2] >> 3 & 7) != SP || (rex & 2));
}

/* What can stand behind pop %rsp or leave: ret, pop, popf, an indirect jump, a jump. */
static bool ends(const uint8_t *p)
{
	return *p == 0xc3 || (p[*p == 0x41] & 0xf8) == 0x58 || *p == 0x9d || *p == 0xff || *p == 0xe9 || *p == 0xeb;
}

/* Is the frame pointer loaded, not from the stack pointer, and leave stands behind? */
static bool is_load_of_frame(const uint8_t *op, int reg, int rm, bool plain)
{
	size_t i;

	if (*op == MOV_FROM ? !plain || rm != FP || reg == SP : (*op != MOV_TO && *op != LEA) || reg != FP || rm == SP || rm == FP)
		return false;
	for (i = 2; i + 3 < RT_LOAD_NEAR; i++)
		if (op[i] == LEAVE && ends(op + i + 1))
			return true;
	return false;
}

/* Is it the end of pop %r12, or, after an opcode and what stands for memory, a distance? */
static bool is_end(const uint8_t *p, size_t n, bool wide)
{
	static const uint8_t opcodes[] = { 0x80, 0x83, 0x89, 0x8b, 0x8d, 0xb6, 0xb7, 0xbe, 0xbf };

	return n && ((wide && p[-1] == 0x41) || (n > 1 && (p[-1] & 0xc0) == 0x40 && memchr(opcodes, p[-2], sizeof(opcodes))));
}

static enum rt_load kind_of(const uint8_t *op, uint8_t rex, bool wide)
{
	bool r = rex & 4, b = rex & 1, plain = op[1] >= 0xc0;
	int reg = (op[1] >> 3 & 7) | r << 3, rm = plain ? (op[1] & 7) | b << 3 : base_of(op, rex);

	/* cmov and xadd, in code that can be taken apart: no compiler has them. */
	if (*op == ESCAPE && (op[1] & 0xf0) == CMOV)
		return ((op[2] >> 3 & 7) | r << 3) == SP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	if (*op == ESCAPE) {
		reg = (op[2] >> 3 & 7) | r << 3;
		rm = (op[2] & 7) | b << 3;
		return op[1] == XADD && op[2] >= 0xc0 && (reg == SP) != (rm == SP) ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	}
	if (is_load_of_frame(op, reg, rm, plain))
		return RT_LOAD_OF_FRAME;
	/* add, or, adc, sbb, sub, xor; and makes less of what there is.  In 32 bits too much looks like that with memory. */
	if ((*op & 0xc5) == 0x01 && *op < CMP && (*op & 0x38) != AND && (wide || plain))
		return !(*op & 2 ? reg == SP : plain && rm == SP) ? RT_LOAD_NOT : (*op & 0x38) == SUB ? RT_LOAD_OF_SIZE : RT_LOAD_OF_SUM;
	if (*op == XCHG_AX_SP)
		return b || !wide ? RT_LOAD_NOT : RT_LOAD_STRANGE;
	if (*op == XCHG)
		return plain ? ((reg == SP) != (rm == SP) ? RT_LOAD_STRANGE : RT_LOAD_NOT) : reg == SP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	if (*op == MOV_FROM)
		return !plain || rm != SP || reg == SP ? RT_LOAD_NOT : reg == FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_STRANGE;
	if (reg != SP || (plain && rm == SP))
		return RT_LOAD_NOT;
	if (*op == MOV_TO)
		return rm == SP || rm == FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_STRANGE;
	if (*op != LEA || plain)
		return RT_LOAD_NOT;
	return is_indexed(op, rex) ? RT_LOAD_OF_SUM : rm != SP && rm != FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
}

enum rt_load rt_load_kind(const uint8_t *p, size_t n, bool wide)
{
	/* Every byte of the file's code comes here. */
	if (*p == POP_SP)
		return ends(p + 1) && !is_end(p, n, wide) ? RT_LOAD_OF_WORD : RT_LOAD_NOT;
	if (!wide)
		return kind_of(p, PLAIN, false);
	return (*p & 0xf8) == PLAIN ? kind_of(p + 1, *p, true) : RT_LOAD_NOT;
}

bool rt_load_stored(const uint8_t *p, uint32_t copies, bool wide)
{
	const uint8_t *op = p + wide;
	int base;

	if ((wide && (*p & 0xfc) != PLAIN) || *op != MOV_FROM || op[1] >= 0xc0 || (op[1] >> 3 & 7) != SP)
		return false;
	base = base_of(op, wide ? *p : PLAIN);
	return base != SP && base != FP && (base < 0 || !(copies >> base & 1));
}
