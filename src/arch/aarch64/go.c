/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of Go's compiler for aarch64 (cmd/internal/obj/arm64/obj7.go). */
#include "arch/go_code.h"

enum {
	TEMPORARY = 27,
	SP = 31,
	LOWER = 3,
	NOT_ABOVE = 9,
	REGISTERS = 16 /* of each kind, for arguments */
};

static uint32_t word(const uint8_t *bytes, size_t at)
{
	return rt_arch_word(bytes + at);
}

/*
 * The guard is loaded from the goroutine's record (x28) into x1, since 1.17 x16; what the stack
 * pointer will be is compared with it, in x2, x3, x17 and x27; and b.ls leads to where the stack
 * grows, as b.eq and b.lo before it do where the frame is huge.
 */
static uint32_t past_check(const uint8_t *bytes, size_t n)
{
	const uint32_t scratch = 1u << 2 | 1u << 3 | 1u << 17 | 1u << 27 | 1u << SP;
	uint32_t w, at;

	if (n < 4 || (word(bytes, 0) & 0xfffffbee) != 0xf9400b80)
		return 0;
	for (at = 4; n - at >= 4; at += 4) {
		w = word(bytes, at);
		if ((w & 0xff80001f) == (0x54000000 | NOT_ABOVE))
			return at + 4;
		if ((w & 0xff80001f) == 0x54000000 || (w & 0xff80001f) == (0x54000000 | LOWER))
			continue;
		/* arithmetic with immediates, or with registers */
		if (((w >> 26 & 7) != 4 && (w >> 25 & 7) != 5) || !(scratch >> (w & 31) & 1))
			return 0;
	}
	return 0;
}

/*
 * A number, an address, or the word at one, in x27: by numbers and registers, or loaded from
 * beside the code or by x27.
 */
static bool prepares(uint32_t w)
{
	return (w & 31) == TEMPORARY &&
	       ((w >> 26 & 7) == 4 || (w >> 25 & 7) == 5 || (w & 0xff000000) == 0x58000000 ||
		(w & 0xffc003e0) == (0xf9400000 | TEMPORARY << 5));
}

/*
 * aarch64 needs several instructions for a large number or a variable's address.  All but the last
 * use x27, and run once more if the scheduler stops the goroutine between them.  Count the bytes
 * before the last one; 0: there is no such sequence.
 */
static uint32_t past_temporary(const uint8_t *bytes, size_t n)
{
	uint32_t at = 0, w;

	while (n - at >= 8 && prepares(word(bytes, at)))
		at += 4;
	w = at ? word(bytes, at) : 0;
	return (w >> 5 & 31) == TEMPORARY || (w >> 16 & 31) == TEMPORARY ? at : 0;
}

/* str x0,[sp,#8] and bl: the assembly that is called takes its argument on the stack. */
static bool calls(const uint8_t *bytes, uint64_t addr, uint64_t *target)
{
	uint32_t w = word(bytes, 4);

	*target = addr + (uint64_t)((int64_t)((uint64_t)w << 38) >> 36);
	return word(bytes, 0) == 0xf90007e0 && w >> 26 == 0x25;
}

/* str and stp, of the next register, or the next two.  0: it is another instruction. */
static unsigned read_spills(const uint8_t *p, struct rt_go_spill v[2], unsigned *general,
			    unsigned *floating)
{
	uint32_t w = word(p, 0), size = w >> 30;
	bool vector = w >> 26 & 1, pair = (w & 0x3be003e0) == 0x290003e0;
	unsigned *next = vector ? floating : general, i;

	if (pair ? size > 2 || size == (vector ? 2 : 1) : (w & 0x3bc003e0) != 0x390003e0)
		return 0;
	size = !pair ? 1u << size : size ? 8 : 4;
	for (i = 0; i < 1u + pair; i++) {
		if (*next >= REGISTERS || (w >> (i ? 10 : 0) & 31) != (*next)++)
			return 0;
		v[i].size = (uint8_t)size;
		v[i].floating = vector;
		v[i].at = (pair ? w >> 15 & 63 : w >> 10 & 0xfff) * size + i * size - 8;
	}
	return i;
}

/* b.ls, to a place behind it. */
static bool grows_at(const uint8_t *bytes, uint32_t past, int64_t *at)
{
	for (; past >= 4; past -= 4)
		if ((word(bytes, past - 4) & 0xff80001f) == (0x54000000 | NOT_ABOVE)) {
			*at = past - 4 + (word(bytes, past - 4) >> 3 & 0x1ffffc);
			return true;
		}
	return false;
}

/* All up to where the return address is saved. */
static int spills(const uint8_t *code, struct rt_go_spill *v, unsigned max)
{
	const uint8_t *p = code, *end = p + RT_GO_SPILLS_MAX - 4;
	unsigned general = 0, floating = 0, n = 0, got;

	for (; n < max - 1 && p < end && (got = read_spills(p, &v[n], &general, &floating)); p += 4)
		n += got;
	return word(p, 0) == 0xaa1e03e3 ? (int)n : -1;	/* mov x3,x30 */
}

static bool has_floats(const uint8_t *code, size_t n)
{
	size_t i;

	for (i = 0; i + 3 < n && (code[i + 3] & 0xc) != 0xc; i += 4)
		;
	return i < n;
}

const struct rt_go_code rt_aarch64_go_code = {
	.registers = 18,
	.past_check = past_check,
	.past_temporary = past_temporary,
	.grows_at = grows_at,
	.spills = spills,
	.has_floats = has_floats,
	.calls = calls,
};
