/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By hand: a word is an instruction, and few of them matter here. */
#include "arch/flow.h"

enum { FP = 29, LINK = 30, SP = 31 };

/* `n` bits from bit `at` on, as a signed number. */
static int64_t bits(uint32_t word, unsigned at, unsigned n)
{
	uint64_t v = word >> at & ((1ull << n) - 1);

	return (int64_t)(v << (64 - n)) >> (64 - n);
}

static int8_t reg(uint32_t word, unsigned at)
{
	int8_t r = (int8_t)(word >> at & 31);

	return r == SP ? RT_NO_REG : r;
}

static void write_to(struct rt_flow *f, int8_t r)
{
	if (r == RT_NO_REG)
		return;
	f->writes |= 1u << r;
	if (r == FP)
		f->fp = RT_FP_LOST;
}

static void to_target(struct rt_flow *f, enum rt_flow_kind kind, uint64_t addr, int64_t words)
{
	f->kind = kind;
	f->has_target = true;
	f->target = addr + (uint64_t)words * 4;
}

/* Branches; false: it is none. */
static bool decode_branch(uint32_t w, uint64_t addr, struct rt_flow *f)
{
	static const uint8_t orders[16] = {
		[2] = RT_ORDER_NOT_BELOW,
		[3] = RT_ORDER_BELOW,
		[8] = RT_ORDER_ABOVE,
		[9] = RT_ORDER_NOT_ABOVE,
	};

	if ((w & 0x7c000000) == 0x14000000) {
		to_target(f, w >> 31 ? RT_FLOW_CALL : RT_FLOW_JUMP, addr, bits(w, 0, 26));
	} else if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000) {
		to_target(f, RT_FLOW_BRANCH, addr, bits(w, 5, 19));
		if (w >> 24 == 0x54)
			f->order = (enum rt_flow_order)orders[w & 15];
	} else if ((w & 0x7e000000) == 0x36000000) {
		to_target(f, RT_FLOW_BRANCH, addr, bits(w, 5, 14));
	} else if ((w & 0xfffffc1f) == 0xd65f0000 || (w & 0xfffffbff) == 0xd65f0bff) {
		f->kind = RT_FLOW_RETURN;
	} else if ((w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800) {
		f->kind = RT_FLOW_CALL;
	} else if ((w & 0xfffffc1f) == 0xd61f0000 || (w & 0xfefff800) == 0xd61f0800) {
		f->kind = RT_FLOW_INDIRECT;
		f->to = reg(w, 5);
	} else if ((w & 0xffe0001f) == 0xd4200000 || (w & 0xffe0001f) == 0xd4400000 ||
		   w >> 16 == 0) {
		f->kind = RT_FLOW_STOP;		/* brk, hlt, udf */
	} else if ((w & 0xfe000000) == 0xd6000000 || (w & 0xfe000000) == 0x74000000 ||
		   w >> 24 == 0x55) {
		f->kind = RT_FLOW_STRANGE;	/* eret, and branches newer than this */
	} else {
		return false;
	}
	if (f->kind == RT_FLOW_CALL)
		f->writes = 0x7ffff | 1u << LINK;
	return true;
}

/* add and sub with an immediate, cmp, adr, adrp. */
static bool decode_immediate(uint32_t w, uint64_t addr, struct rt_flow *f)
{
	int64_t v = (int64_t)(w >> 10 & 0xfff) << (w & 1u << 22 ? 12 : 0);
	bool from_sp = (w >> 5 & 31) == SP, to_sp = (w & 31) == SP;

	if ((w & 0x1f000000) == 0x10000000) {
		v = bits(w, 5, 19) * 4 + (w >> 29 & 3);
		f->op = RT_OP_ADDRESS;
		f->to = reg(w, 0);
		f->value = w >> 31 ? (int64_t)(addr & ~(uint64_t)0xfff) + v * 4096
				   : (int64_t)addr + v;
		write_to(f, f->to);
		return true;
	}
	if ((w & 0x1f800000) != 0x11000000)
		return false;
	if (w & 1u << 29) {		/* sets flags: cmp, without a result */
		f->op = (w & 1u << 30) && to_sp ? RT_OP_COMPARE : RT_OP_OTHER;
		f->from = reg(w, 5);
		f->value = v;
		write_to(f, reg(w, 0));
		return true;
	}
	v = w & 1u << 30 ? -v : v;
	f->op = RT_OP_PLUS;
	f->from = reg(w, 5);
	f->value = v;
	f->to = reg(w, 0);
	write_to(f, f->to);
	if (to_sp) {
		f->sp = from_sp ? RT_SP_ADDED : (w >> 5 & 31) == FP ? RT_SP_OF_FRAME : RT_SP_LOST;
		f->amount = (int32_t)v;
	} else if (f->to == FP && from_sp) {
		f->fp = RT_FP_OF_SP;
		f->fp_amount = (int32_t)v;
	}
	if (to_sp || from_sp)
		f->op = RT_OP_OTHER;
	return true;
}

/* add of registers, with what is done to the second before, mov, and a mask of the low bits. */
static bool decode_registers(uint32_t w, struct rt_flow *f)
{
	unsigned option = w >> 13 & 7;

	f->to = reg(w, 0);
	f->from = reg(w, 5);
	f->other = reg(w, 16);
	if ((w & 0xffe00000) == 0x8b000000) {		/* shifted by lsl */
		f->op = RT_OP_SUM;
		f->shift = w >> 10 & 63;
	} else if ((w & 0xffe00000) == 0x8b200000) {
		f->op = (w & 31) == SP ? RT_OP_OTHER : RT_OP_SUM;
		f->shift = w >> 10 & 7;
		f->bytes = (uint8_t)(1u << (option & 3));
		f->is_signed = option & 4;
	} else if ((w & 0x7fe0ffe0) == 0x2a0003e0) {
		f->op = RT_OP_COPY;
		f->from = f->other;
	} else if ((w & 0x7fff0000) == 0x12000000 && (w >> 10 & 63) < 31) {
		f->op = RT_OP_MASK;
		f->value = (int64_t)(2ull << (w >> 10 & 63)) - 1;
	} else {
		f->to = f->from = f->other = RT_NO_REG;
		return false;
	}
	if (f->op == RT_OP_OTHER)
		f->sp = RT_SP_LOST;
	write_to(f, f->to);
	return true;
}

static bool loads(uint32_t w, struct rt_flow *f)
{
	unsigned size = w >> 30, opc = w >> 22 & 3;

	if ((w & 0x3f200c00) != 0x38200800 || opc == 0)
		return false;
	f->op = RT_OP_LOAD;
	f->bytes = (uint8_t)(1u << size);
	f->is_signed = opc & 2;
	f->has_mem = true;
	f->mem.base = reg(w, 5);
	f->mem.index = reg(w, 16);
	f->mem.scale = (uint8_t)(w & 1u << 12 ? 1u << size : 1);
	f->to = reg(w, 0);
	write_to(f, f->to);
	return true;
}

/* Loads and stores that move the stack pointer. */
static void write_back(uint32_t w, struct rt_flow *f)
{
	bool pair = (w & 0x3a800000) == 0x28800000, one = (w & 0x3b200400) == 0x38000400;
	unsigned opc = w >> 30, vector = w >> 26 & 1;

	if ((!pair && !one) || (w >> 5 & 31) != SP)
		return;
	f->sp = RT_SP_ADDED;
	f->amount = (int32_t)(pair ? bits(w, 15, 7) * (vector	  ? 4 << opc
						       : opc == 2 ? 8
								  : 4)
				   : bits(w, 12, 9));
}

bool rt_flow_aarch64(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_flow *f)
{
	uint32_t w;

	if (n < 4 || addr % 4)
		return false;
	w = rt_arch_word(bytes);
	f->size = 4;
	if (decode_branch(w, addr, f) || decode_immediate(w, addr, f) ||
	    decode_registers(w, f) || loads(w, f))
		return true;
	/* Unallocated encodings belong to none of the groups. */
	if ((w >> 25 & 15) == 0 || (w >> 25 & 15) == 1 || (w >> 25 & 15) == 3)
		return false;
	write_to(f, reg(w, 0));
	if ((w & 0x3a000000) == 0x28000000)
		write_to(f, reg(w, 10));
	write_back(w, f);
	/* sub sp, sp, xN; and sp, xN, #; SVE's addvl. */
	if ((w & 31) == SP && ((w & 0x7f200000) == 0x4b200000 || (w & 0x7f800000) == 0x12000000 ||
			       (w & 0xff20f800) == 0x04205000))
		f->sp = RT_SP_LOST;
	return true;
}
