/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which words of aarch64 load the stack pointer, and what leads to it; the stack pointer is
 * register 31.
 */
#include <string.h>

#include "arch/arch.h"
#include "arch/switches.h"

enum { FP = 29, LINK = 30, SP = 31, WORD = 8 };

static int64_t bits(uint32_t word, unsigned at, unsigned n)
{
	uint64_t v = word >> at & ((1ull << n) - 1);

	return (int64_t)(v << (64 - n)) >> (64 - n);
}

/* add and sub of a number, and of the stack pointer also mov, */
static bool is_immediate(uint32_t w)
{
	return (w & 0xbf800000) == 0x91000000;
}

/* of a register, which is extended, */
static bool is_extended(uint32_t w)
{
	return (w & 0xbfe00000) == 0x8b200000;
}

/* and, orr and eor of a number. */
static bool is_mask(uint32_t w)
{
	return (w & 0x9f800000) == 0x92000000 && (w & 0x60000000) != 0x60000000;
}

static enum rt_load load_of(uint32_t w)
{
	int from = w >> 5 & 31;

	if ((w & 31) != SP)
		return RT_LOAD_NOT;
	if (is_immediate(w))
		return from == SP   ? RT_LOAD_NOT
		       : from == FP ? RT_LOAD_OF_COMPILERS
				    : RT_LOAD_STRANGE;
	if (is_extended(w))
		return from == SP && w & 1u << 30 ? RT_LOAD_OF_SIZE : RT_LOAD_OF_SUM;
	return is_mask(w) && from != SP ? RT_LOAD_STRANGE : RT_LOAD_NOT;
}

static int8_t reg(uint32_t word, unsigned at)
{
	int8_t r = (int8_t)(word >> at & 31);

	return r == SP ? RT_NO_REG : r;
}

static void write_to(struct rt_flow *f, int8_t r)
{
	f->to = r;
	f->writes |= r == RT_NO_REG ? 0 : 1u << r;
}

static void sums(uint32_t w, struct rt_flow *f)
{
	/* register 31 is the stack pointer there, and not zero */
	bool from_sp = is_immediate(w) || is_extended(w);

	f->from = from_sp ? (int8_t)(w >> 5 & 31) : reg(w, 5);
	/* the stack pointer: what leads to the frame */
	f->mem.base = from_sp ? f->from : RT_NO_REG;
	if (is_immediate(w)) {
		f->value = (int64_t)(w >> 10 & 0xfff) << (w & 1u << 22 ? 12 : 0);
		f->op = f->value ? RT_OP_PLUS : RT_OP_COPY;
		f->fp = (w & 31) == FP && f->from == SP ? RT_FP_OF_SP : RT_FP_UNCHANGED;
	} else if (is_mask(w)) {
		f->op = (w & 31) == SP ? RT_OP_COPY : RT_OP_MASK;
	} else if ((w & 0xffe0ffe0) == 0xaa0003e0) {
		f->op = RT_OP_COPY;
		f->from = reg(w, 16);
	} else {
		f->other = reg(w, 16);
	}
	write_to(f, from_sp || is_mask(w) ? (int8_t)(w & 31) : reg(w, 0));
}

/* ldr, str, ldp, stp of 64 bits; false: it is none of them. */
static bool decode_memory(uint32_t w, struct rt_flow *f)
{
	bool pair = (w & 0xfe000000) == 0xa8000000, load = w & 1u << 22;

	if (pair)
		f->mem.disp = bits(w, 15, 7) * WORD;
	else if ((w & 0xff800000) == 0xf9000000)
		f->mem.disp = (int64_t)(w >> 10 & 0xfff) * WORD;
	else if ((w & 0xffa00000) == 0xf8000000)
		f->mem.disp = bits(w, 12, 9);
	else if ((w & 0xffa00c00) == 0xf8200800)
		f->mem.index = reg(w, 16);
	else
		return false;
	/*
	 * A displacement added after the access moves the stack pointer, not the address of the
	 * access.
	 */
	if ((pair && (w & 0x03800000) == 0x00800000) || ((w & 0xffa00c00) == 0xf8000400))
		f->mem.disp = 0;
	f->has_mem = true;
	f->mem.base = (int8_t)(w >> 5 & 31);
	f->op = load ? RT_OP_LOAD : RT_OP_STORE;
	if (load) {
		if (pair)
			write_to(f, reg(w, 10));
		write_to(f, reg(w, 0));
	} else {
		f->from = reg(w, 0);
	}
	return true;
}

static bool decode(const uint8_t *bytes, size_t n, struct rt_flow *f)
{
	uint32_t w;

	memset(f, 0, sizeof(*f));
	f->to = f->from = f->other = f->mem.base = f->mem.index = RT_NO_REG;
	if (n < 4)
		return false;
	w = rt_arch_word(bytes);
	f->size = 4;
	if ((w & 0xfc000000) == 0x94000000 || (w & 0xfffffc1f) == 0xd63f0000) {
		f->kind = RT_FLOW_CALL;
		f->writes = 0x7ffff | 1u << LINK;
	} else if ((w & 0xfc000000) == 0x14000000) {
		f->kind = RT_FLOW_JUMP;
	} else if ((w & 0xff9ffc1f) == 0xd61f0000) {
		f->kind = RT_FLOW_RETURN;	/* br and ret */
	} else if (is_immediate(w) || is_extended(w) || is_mask(w) ||
		   (w & 0x9f200000) == 0x8b000000 || (w & 0x9f000000) == 0x8a000000) {
		sums(w, f);
	} else if (!decode_memory(w, f)) {
		f->op = RT_OP_OTHER;
		write_to(f, reg(w, 0));
	}
	return true;
}

const struct rt_word_switches rt_aarch64_switches = {
	.load = load_of,
	.decode = decode,
	.sp = SP,
	.fp = FP,
	.arguments = 0xff,
};
