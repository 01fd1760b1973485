/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By hand: a word is an instruction, and only where general registers stand in it matters here. */
#include <string.h>

#include "arch/use.h"

enum {
	LAST = 7,		/* of the registers for arguments */
	ZERO = 31,		/* the zero register, or the stack pointer */
};

static unsigned reg(uint32_t w, unsigned at)
{
	return w >> at & 31;
}

static void reads(struct rt_use *use, unsigned r, unsigned bytes)
{
	if (r < RT_USE_ARGS && use->reads[r] < bytes)
		use->reads[r] = (uint8_t)bytes;
	if (r == 0 && use->result_read < bytes)
		use->result_read = (uint8_t)bytes;
}

static void writes(struct rt_use *use, unsigned r, unsigned bytes)
{
	if (r < RT_USE_ARGS)
		use->writes |= (uint8_t)(1u << r);
	if (r == 0)
		use->result_write = (uint8_t)bytes;
	use->loses_vectors |= r == LAST;
}

static void base(struct rt_use *use, unsigned r)
{
	reads(use, r, 8);
	if (r < RT_USE_ARGS)
		use->pointers |= (uint8_t)(1u << r);
}

static void moves(struct rt_use *use, bool load, unsigned r, unsigned bytes)
{
	if (load)
		writes(use, r, bytes < 4 ? 4 : bytes);
	else
		reads(use, r, bytes);
}

/* The first vector register has a result of floating point. */
static void moves_vector(struct rt_use *use, bool load, unsigned r)
{
	use->vector_read |= !load && r == 0;
	use->vector_write |= load && r == 0;
}

static unsigned width(uint32_t w)
{
	return w >> 31 ? 8 : 4;
}

static uint64_t target(uint32_t w, uint64_t addr, unsigned at, unsigned n)
{
	uint64_t v = w >> at & ((1ull << n) - 1);

	return addr + (uint64_t)((int64_t)(v << (64 - n)) >> (62 - n));
}

/* ---- branches and what is of the system ---- */

static void branches(uint32_t w, uint64_t addr, struct rt_use *use)
{
	if ((w & 0x7c000000) == 0x14000000) {
		use->flow = w >> 31 ? RT_USE_CALL : RT_USE_JUMP;
		use->target = target(w, addr, 0, 26);
	} else if ((w & 0xfe000000) == 0x54000000) {
		use->flow = RT_USE_BRANCH;
		use->target = target(w, addr, 5, 19);
	} else if ((w & 0x7e000000) == 0x34000000) {		/* cbz, cbnz */
		use->flow = RT_USE_BRANCH;
		use->target = target(w, addr, 5, 19);
		reads(use, reg(w, 0), width(w));
	} else if ((w & 0x7e000000) == 0x36000000) {		/* tbz, tbnz */
		use->flow = RT_USE_BRANCH;
		use->target = target(w, addr, 5, 14);
		reads(use, reg(w, 0), width(w));
	} else if ((w & 0xfe000000) == 0xd6000000) {
		use->flow = (w >> 21 & 3) == 2	 ? RT_USE_RETURN
			    : (w >> 21 & 3) == 1 ? RT_USE_CALL
						 : RT_USE_JUMP;
		if (use->flow != RT_USE_RETURN)
			reads(use, reg(w, 5), 8);
	} else if ((w & 0xffe0001f) == 0xd4000001) { /* svc: what it takes, only the kernel knows */
		writes(use, 0, 8);
	} else if ((w & 0xff000000) == 0xd4000000) {
		use->flow = RT_USE_STOP;
	} else if ((w & 0xfff00000) == 0xd5300000) { /* mrs */
		writes(use, reg(w, 0), 8);
	} else if ((w & 0xfff00000) == 0xd5100000 ||
		   (w & 0xfff80000) == 0xd5080000) { /* msr, sys */
		reads(use, reg(w, 0), 8);
	}
}

/* ---- numbers ---- */

static void immediates(uint32_t w, struct rt_use *use)
{
	unsigned bytes = width(w), kind = w >> 23 & 7, how = w >> 29 & 3;

	if (kind == 6)				/* parts of a register: which bits are looked at */
		bytes = (w >> 10 & 63) > 31 ? 8 : 4;
	if (kind >= 2 && kind != 5)
		reads(use, reg(w, 5), bytes);
	if (kind == 7)				/* extr */
		reads(use, reg(w, 16), bytes);
	if ((kind == 5 && how == 3) || (kind == 6 && how == 1))	/* movk, bfm: the rest stays */
		reads(use, reg(w, 0), width(w));
	writes(use, reg(w, 0), kind < 2 ? 8 : width(w));
}

static void registers(uint32_t w, struct rt_use *use)
{
	unsigned bytes = width(w), other = bytes, kind = w >> 21 & 15;
	bool extended = (w & 0x1f200000) == 0x0b200000, one = (w & 0x5fe00000) == 0x5ac00000,
	     three = (w & 0x1f000000) == 0x1b000000;
	bool compares = (w & 0x1fe00000) == 0x1a400000;		/* ccmp: no register is written */

	if (extended)
		other = (w >> 13 & 3) == 3 ? 8 : 4;
	if (three && (kind & 3) == 1)		/* smaddl and the like: of 4 bytes each */
		bytes = other = 4;
	reads(use, reg(w, 5), bytes);
	if (!one && !(compares && (w & 1u << 11)))
		reads(use, reg(w, 16), other);
	if (three)
		reads(use, reg(w, 10), width(w));
	if (!compares)
		writes(use, reg(w, 0), width(w));
}

/* Between general and vector registers. */
static void vectors(uint32_t w, struct rt_use *use)
{
	unsigned how = w >> 16 & 7;

	if ((w & 0x7f20fc00) == 0x1e200000 || (w & 0x7f200000) == 0x1e000000) {
		if (how == 2 || how == 3 || how == 7)		/* scvtf, ucvtf, fmov */
			reads(use, reg(w, 5), width(w));
		else
			writes(use, reg(w, 0), width(w));
	} else if ((w & 0xbfe0fc00) == 0x0e000c00 ||
		   (w & 0xffe0fc00) == 0x4e001c00) { /* dup, ins */
		reads(use, reg(w, 5), (w >> 16 & 15) == 8 ? 8 : 4);
	} else if ((w & 0xbfe0fc00) == 0x0e002c00 ||
		   (w & 0xbfe0fc00) == 0x0e003c00) { /* smov, umov */
		writes(use, reg(w, 0), w & 1u << 30 ? 8 : 4);
	}
}

/*
 * The first vector register.  It counts as read by operations on single numbers: a vector is no
 * result of C.
 */
static void floating(uint32_t w, struct rt_use *use)
{
	const bool scalar = (w & 0x5f200000) == 0x1e200000, fused = (w & 0x5f000000) == 0x1f000000;
	const bool converts = scalar && !(w & 0xfc00), immediate = scalar && (w & 0x1c00) == 0x1000;
	const bool compares = scalar && ((w & 0x3c00) == 0x2000 || (w & 0xc00) == 0x400);
	const bool with_zero = compares && !(w & 0xc00) && (w & 8);
	const bool one = converts || with_zero || (scalar && (w & 0x7c00) == 0x4000);
	const unsigned how = w >> 16 & 7;
	const bool from_general = converts && (how == 2 || how == 3 || how == 7);
	const bool first = fused || (scalar && !immediate && !from_general);

	use->vector_read = first && (reg(w, 5) == 0 || (!one && reg(w, 16) == 0) ||
				     (fused && reg(w, 10) == 0));
	use->vector_write = reg(w, 0) == 0 && !compares && !use->result_write;
}

/* ---- memory ---- */

static void exclusives(uint32_t w, struct rt_use *use)
{
	unsigned bytes = 1u << (w >> 30);
	bool pair = (w & 0x00a00000) == 0x00200000, load = w & 1u << 22;

	base(use, reg(w, 5));
	if ((w & 0x3fa07c00) == 0x08a07c00) {			/* cas */
		reads(use, reg(w, 16), bytes);
		reads(use, reg(w, 0), bytes);
		writes(use, reg(w, 16), bytes < 4 ? 4 : bytes);
		return;
	}
	moves(use, load, reg(w, 0), bytes);
	if (pair)
		moves(use, load, reg(w, 10), bytes);
	if (!load && !(w & 1u << 23))
		writes(use, reg(w, 16), 4);
}

/*
 * A function with a variable number of arguments stores all of them that it has no names for, to
 * the last: x7.
 */
static bool is_variadic(uint32_t w, unsigned r)
{
	return reg(w, 5) == ZERO && r == LAST && !(w & 1u << 26) && w >> 31;
}

static void move_pair(uint32_t w, struct rt_use *use)
{
	unsigned bytes = w >> 30 ? 8 : 4;
	bool load = w & 1u << 22;

	base(use, reg(w, 5));
	if (w & 1u << 26) {
		moves_vector(use, load, reg(w, 0));
		moves_vector(use, load, reg(w, 10));
	} else {
		moves(use, load, reg(w, 0), bytes);
		moves(use, load, reg(w, 10), bytes);
	}
	use->tests_vectors = !load && is_variadic(w, reg(w, 10));
	if (w & 1u << 23)
		writes(use, reg(w, 5), 8);
}

/* One register: str, ldr, their kin that write the address back, and atomic operations. */
static void singles(uint32_t w, struct rt_use *use)
{
	unsigned size = w >> 30, how = w >> 22 & 3, form = w >> 10 & 3;
	bool vector = w & 1u << 26, plain = w & 1u << 24, with_register = !plain && (w & 1u << 21);

	base(use, reg(w, 5));
	if (with_register && form == 0) {
		reads(use, reg(w, 16), 1u << size);
		writes(use, reg(w, 0), size == 3 ? 8 : 4);
		return;
	}
	if (with_register && form == 2)
		reads(use, reg(w, 16), w & 1u << 13 ? 8 : 4);
	use->tests_vectors = how == 0 && size == 3 && is_variadic(w, reg(w, 0));
	if (vector)
		moves_vector(use, how & 1, reg(w, 0));
	else if (!(size == 3 && how == 2))		/* prfm */
		moves(use, how != 0, reg(w, 0),
		      how == 2 || size == 3 ? 8
		      : how == 3	    ? 4
					    : 1u << size);
	if (!plain && ((!with_register && (form & 1)) || (with_register && form == 3)))
		writes(use, reg(w, 5), 8);
}

static void memory(uint32_t w, struct rt_use *use)
{
	switch (w >> 28 & 3) {
	case 0:
		if (!(w & 1u << 26)) {
			exclusives(w, use);
			break;
		}
		base(use, reg(w, 5));
		if (w & 1u << 23) {
			reads(use, reg(w, 16), 8);
			writes(use, reg(w, 5), 8);
		}
		break;
	case 1:
		if (w & 1u << 24) {
			base(use, reg(w, 5));
			moves(use, w & 0x00c00000, reg(w, 0), 1u << (w >> 30));
		} else if (!(w & 1u << 26) && w >> 30 != 3) {
			writes(use, reg(w, 0), w >> 30 ? 8 : 4);
		}
		break;
	case 2:
		move_pair(w, use);
		break;
	default:
		singles(w, use);
	}
}

bool rt_use_aarch64(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use)
{
	uint32_t w;

	memset(use, 0, sizeof(*use));
	if (n < sizeof(w))
		return false;
	memcpy(&w, bytes, sizeof(w));
	use->size = sizeof(w);
	switch (w >> 25 & 15) {
	case 8: case 9:
		immediates(w, use);
		return true;
	case 10: case 11:
		branches(w, addr, use);
		return true;
	case 4: case 6: case 12: case 14:
		memory(w, use);
		return true;
	case 5: case 13:
		registers(w, use);
		return true;
	case 7: case 15:
		vectors(w, use);
		floating(w, use);
		return true;
	case 0:
		use->flow = RT_USE_STOP;		/* udf */
		return w >> 16 == 0;
	default:
		return false;		/* SVE, and what nobody has defined */
	}
}
