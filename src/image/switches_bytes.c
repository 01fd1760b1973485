/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytes of x86-64 may be an instruction that loads the stack pointer, or stores it. */
#include "image/switches_walk.h"

#include <string.h>

enum { SP = 4, FP = 5, MOV_FROM = 0x89, MOV_TO = 0x8b, XCHG = 0x87, XCHG_RAX_SP = 0x94, LEA = 0x8d, ESCAPE = 0x0f, CMOV = 0x40,
       XADD = 0xc1, POP_SP = 0x5c, LEAVE = 0xc9, AND = 0x20, SUB = 0x28, CMP = 0x38 };

/* The register that memory counts from; -1: none. */
static int base_of(const uint8_t *p)
{
	uint8_t mod = p[2] >> 6, rm = p[2] & 7;

	if (rm == SP)
		return (p[3] & 7) == FP && !mod ? -1 : (p[3] & 7) | (p[0] & 1) << 3;
	return rm == FP && !mod ? -1 : rm | (p[0] & 1) << 3;
}

static bool is_indexed(const uint8_t *p)
{
	return (p[2] & 7) == SP && ((p[3] >> 3 & 7) != SP || (p[0] & 2));
}

/* What can stand behind pop %rsp or leave: ret, pop, popf, an indirect jump, a jump. */
static bool ends(const uint8_t *p)
{
	return *p == 0xc3 || (p[*p == 0x41] & 0xf8) == 0x58 || *p == 0x9d || *p == 0xff || *p == 0xe9 || *p == 0xeb;
}

/* Is the frame pointer loaded, not from the stack pointer, and leave stands behind? */
static bool is_load_of_frame(const uint8_t *p, int reg, int rm, bool plain)
{
	size_t i;

	if (p[1] == MOV_FROM ? !plain || rm != FP || reg == SP : (p[1] != MOV_TO && p[1] != LEA) || reg != FP || rm == SP || rm == FP)
		return false;
	for (i = 3; i + 2 < RT_LOAD_NEAR; i++)
		if (p[i] == LEAVE && ends(p + i + 1))
			return true;
	return false;
}

/* Is it the end of pop %r12, or, after an opcode and what stands for memory, a distance? */
static bool is_end(const uint8_t *p, size_t n)
{
	static const uint8_t opcodes[] = { 0x80, 0x83, 0x89, 0x8b, 0x8d, 0xb6, 0xb7, 0xbe, 0xbf };

	return n && (p[-1] == 0x41 || (n > 1 && (p[-1] & 0xc0) == 0x40 && memchr(opcodes, p[-2], sizeof(opcodes))));
}

enum rt_load rt_load_kind(const uint8_t *p, size_t n)
{
	bool r = p[0] & 4, b = p[0] & 1, plain = p[2] >= 0xc0;
	int reg, rm;

	/* Every byte of the file's code comes here. */
	if (p[0] == POP_SP)
		return ends(p + 1) && !is_end(p, n) ? RT_LOAD_OF_WORD : RT_LOAD_NOT;
	if ((p[0] & 0xf8) != 0x48)
		return RT_LOAD_NOT;
	reg = (p[2] >> 3 & 7) | r << 3;
	rm = plain ? (p[2] & 7) | b << 3 : base_of(p);
	/* cmov and xadd, in code that can be taken apart: no compiler has them. */
	if (p[1] == ESCAPE && (p[2] & 0xf0) == CMOV)
		return ((p[3] >> 3 & 7) | r << 3) == SP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	if (p[1] == ESCAPE) {
		reg = (p[3] >> 3 & 7) | r << 3;
		rm = (p[3] & 7) | b << 3;
		return p[2] == XADD && p[3] >= 0xc0 && (reg == SP) != (rm == SP) ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	}
	if (is_load_of_frame(p, reg, rm, plain))
		return RT_LOAD_OF_FRAME;
	/* add, or, adc, sbb, sub, xor; and makes less of what there is */
	if ((p[1] & 0xc5) == 0x01 && p[1] < CMP && (p[1] & 0x38) != AND)
		return !(p[1] & 2 ? reg == SP : plain && rm == SP) ? RT_LOAD_NOT : (p[1] & 0x38) == SUB ? RT_LOAD_OF_SIZE : RT_LOAD_OF_SUM;
	if (p[1] == XCHG_RAX_SP)
		return b ? RT_LOAD_NOT : RT_LOAD_STRANGE;
	if (p[1] == XCHG)
		return plain ? ((reg == SP) != (rm == SP) ? RT_LOAD_STRANGE : RT_LOAD_NOT) : reg == SP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	if (p[1] == MOV_FROM)
		return !plain || rm != SP || reg == SP ? RT_LOAD_NOT : reg == FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_STRANGE;
	if (reg != SP || (plain && rm == SP))
		return RT_LOAD_NOT;
	if (p[1] == MOV_TO)
		return rm == SP || rm == FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_STRANGE;
	if (p[1] != LEA || plain)
		return RT_LOAD_NOT;
	return is_indexed(p) ? RT_LOAD_OF_SUM : rm != SP && rm != FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
}

bool rt_load_stored(const uint8_t *p, uint32_t copies)
{
	int base;

	if ((p[0] & 0xfc) != 0x48 || p[1] != MOV_FROM || p[2] >= 0xc0 || (p[2] >> 3 & 7) != SP)
		return false;
	base = base_of(p);
	return base != SP && base != FP && (base < 0 || !(copies >> base & 1));
}
