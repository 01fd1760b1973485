/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "arch/arch.h"

/*
 * Nops of 64-bit code.  Linux 6.18 to 7.1 replaces every 5-byte nop that is probed by a call, not
 * only the usual 0f 1f 44 00 00.  6.18 takes 90 and 0f 1f with any prefixes [measured].
 * insn_is_nop() in arch/x86/lib/insn-eval.c, which came later, also takes mov %reg,%reg,
 * lea 0(%reg),%reg and jmp +0.
 */

enum { NOP5 = 5 };

static const uint8_t nop10[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 };

static bool is_prefix(uint8_t byte)
{
	return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", byte, 10) != NULL;
}

/*
 * mov and xchg of a register with itself, lea 0(%reg),%reg: the size from the opcode on; 0: none.
 */
static size_t same_register(const uint8_t *p, size_t n, uint8_t rex)
{
	size_t size = n > 1 ? rt_x86_operand_size(p + 1, n - 1) : 0, i;
	uint8_t mod, reg, rm;
	bool sib;

	if (!size)
		return 0;
	mod = p[1] >> 6;
	reg = (p[1] >> 3 & 7) | (rex & 4 ? 8 : 0);
	sib = mod != 3 && (p[1] & 7) == 4;
	rm = ((sib ? p[2] : p[1]) & 7) | (rex & 1 ? 8 : 0);
	if (reg != rm || (p[0] == 0x8d ? mod == 0 || mod == 3 : mod != 3))
		return 0;
	/* An index register, and a displacement. */
	if (sib && (((p[2] >> 3 & 7) != 4) || (rex & 2)))
		return 0;
	for (i = 2 + sib; i < 1 + size; i++)
		if (p[i])
			return 0;
	return 1 + size;
}

size_t rt_x86_64_nop_size(const uint8_t *insn, size_t n)
{
	size_t i = 0, size;
	uint8_t rex = 0;

	while (i < n && is_prefix(insn[i]))
		i++;
	if (i < n && (insn[i] & 0xf0) == 0x40)
		rex = insn[i++];
	if (i >= n)
		return 0;
	switch (insn[i]) {
	case 0x90:
		return rex & 1 ? 0 : i + 1;
	case 0x0f:
		if (i + 2 >= n || insn[i + 1] != 0x1f)
			return 0;
		size = rt_x86_operand_size(insn + i + 2, n - i - 2);
		return size ? i + 2 + size : 0;
	case 0x87: case 0x89: case 0x8b: case 0x8d:
		/* With 4 bytes they clear the upper half. */
		size = rex & 8 ? same_register(insn + i, n - i, rex) : 0;
		return size ? i + size : 0;
	case 0xe9:
		return n - i >= 5 && rt_arch_word(insn + i + 1) == 0 ? i + 5 : 0;
	}
	return 0;
}

const char *rt_x86_64_refuses(const uint8_t *insn, size_t n, enum rt_nops nops)
{
	if (nops == RT_NOPS_CALL10 && n >= sizeof(nop10) && memcmp(insn, nop10, sizeof(nop10)) == 0)
		return NULL;
	if (nops == RT_NOPS_CALL5 && rt_x86_64_nop_size(insn, n) == NOP5)
		return "begins with a 5-byte nop, which this kernel replaces by a call that can "
		       "crash the "
		       "program; 5 bytes further is safe";
	return rt_x86_refuses(insn, n);
}
