/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/errno_at.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Farther from the thread pointer no library is. */
enum { FARTHEST = 1 << 24, CODE = 64, REGISTERS = 31, STEPS = 12 };

/* What a register holds: the sum of a number, the thread pointer, and a word of memory. */
struct held {
	bool known, thread, memory;
	uint64_t number;
	uint64_t address;		/* of the word */
};

static bool add(struct held *to, const struct held *what)
{
	if (!to->known || !what->known || (to->thread && what->thread) ||
	    (to->memory && what->memory))
		return false;
	to->thread |= what->thread;
	to->memory |= what->memory;
	to->address += what->address;
	to->number += what->number;
	return true;
}

static struct held number(uint64_t n)
{
	return (struct held){ .known = true, .number = n };
}

static const struct held thread_pointer = { .known = true, .thread = true };

static struct held word_at(uint64_t address)
{
	return (struct held){ .known = true, .memory = true, .address = address };
}

static bool set_place(const struct held *result, struct rt_errno_at *at)
{
	int64_t offset = (int64_t)result->number;

	memset(at, 0, sizeof(*at));
	if (!result->known || !result->thread || (result->memory && offset) || offset > FARTHEST ||
	    offset < -FARTHEST)
		return false;
	at->in_slot = result->memory;
	at->offset = offset;
	at->slot = result->address;
	return result->memory || offset;
}

/* ---- x86-64: everything is in rax ---- */

static int64_t signed_word(const uint8_t *p)
{
	return (int32_t)rt_arch_word(p);
}

/*
 * `mov` or `add` of what stands at %fs:0, and others: the bytes that the instruction takes, 0: not
 * understood.
 */
static size_t x86_step(const uint8_t *p, size_t n, uint64_t pc, struct held *rax)
{
	static const uint8_t fs0[] = { 0x04, 0x25, 0, 0, 0, 0 };
	struct held what;

	if (n >= 4 && memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0)	/* endbr64 */
		return 4;
	if (n >= 9 && p[0] == 0x64 && p[1] == 0x48 && memcmp(p + 3, fs0, sizeof(fs0)) == 0) {
		if (p[2] == 0x8b)		/* mov %fs:0,%rax */
			*rax = thread_pointer;
		else if (p[2] != 0x03 || !add(rax, &thread_pointer))	/* add %fs:0,%rax */
			return 0;
		return 9;
	}
	if (n < 4 || p[0] != 0x48)
		return 0;
	if (p[1] == 0x83 && p[2] == 0xc0) {	/* add $N,%rax */
		what = number((uint64_t)(int64_t)(int8_t)p[3]);
		return add(rax, &what) ? 4 : 0;
	}
	if (p[1] == 0x8d && p[2] == 0x40) {	/* lea N(%rax),%rax */
		what = number((uint64_t)(int64_t)(int8_t)p[3]);
		return add(rax, &what) ? 4 : 0;
	}
	if (n >= 6 && p[1] == 0x05) {		/* add $N,%rax */
		what = number((uint64_t)signed_word(p + 2));
		return add(rax, &what) ? 6 : 0;
	}
	if (n < 7)
		return 0;
	what = number((uint64_t)signed_word(p + 3));
	if (p[1] == 0xc7 && p[2] == 0xc0) {	/* mov $N,%rax */
		*rax = what;
		return 7;
	}
	if (p[1] == 0x8d && p[2] == 0x80)	/* lea N(%rax),%rax */
		return add(rax, &what) ? 7 : 0;
	what = word_at(pc + 7 + (uint64_t)signed_word(p + 3));
	if (p[1] == 0x8b && p[2] == 0x05) {	/* mov N(%rip),%rax */
		*rax = what;
		return 7;
	}
	return p[1] == 0x03 && p[2] == 0x05 && add(rax, &what) ? 7 : 0;	/* add N(%rip),%rax */
}

static bool decode_x86(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at)
{
	struct held rax = { .known = false };
	size_t i = 0, step, k;

	for (k = 0; k < STEPS && i < n; k++) {
		if (code[i] == 0xc3)		/* ret */
			return set_place(&rax, at);
		step = x86_step(code + i, n - i, pc + i, &rax);
		if (!step)
			return false;
		i += step;
	}
	return false;
}

/* ---- aarch64 ---- */

/* A shift of a move's 16 bits, or an addition's 12. */
static bool move(uint32_t insn, struct held *v)
{
	unsigned shift = (insn >> 21 & 3) * 16;
	uint64_t bits = (uint64_t)(insn >> 5 & 0xffff) << shift;
	struct held *to = &v[insn & 31];

	switch (insn >> 23) {
	case 0x1a5:	/* movz x */
		*to = number(bits);
		return true;
	case 0x125:	/* movn x */
		*to = number(~bits);
		return true;
	case 0x1e5:	/* movk x */
		if (!to->known || to->thread || to->memory)
			return false;
		to->number = (to->number & ~(UINT64_C(0xffff) << shift)) | bits;
		return true;
	}
	return false;
}

static bool arm_step(uint32_t insn, uint64_t pc, struct held *v)
{
	unsigned to = insn & 31, from = insn >> 5 & 31, with = insn >> 16 & 31;
	uint64_t imm = (uint64_t)(insn >> 10 & 0xfff) << (insn >> 22 & 1 ? 12 : 0);
	struct held a, b;

	if (insn == 0xd503245f || insn == 0xd503233f ||
	    insn == 0xd50323bf) /* bti c, paciasp, autiasp */
		return true;
	if (to == 31)
		return false;
	if ((insn & ~31u) == 0xd53bd040) {	/* mrs x, tpidr_el0 */
		v[to] = thread_pointer;
		return true;
	}
	if ((insn & 0x9f000000) == 0x90000000) {	/* adrp: the page's distance in 21 bits */
		int64_t pages = (int64_t)((uint64_t)(insn >> 5 & 0x7ffff) << 45) >> 43 |
				(insn >> 29 & 3);

		v[to] = number((pc & ~UINT64_C(0xfff)) + ((uint64_t)pages << 12));
		return true;
	}
	if (from == 31)
		return move(insn, v);
	a = v[from];
	switch (insn >> 22) {
	case 0x3e5:	/* ldr x, [x, #N] */
		if (!a.known || a.thread || a.memory)
			return false;
		v[to] = word_at(a.number + (uint64_t)(insn >> 10 & 0xfff) * 8);
		return true;
	case 0x244: case 0x245:	/* add x, x, #N */
	case 0x344: case 0x345:	/* sub x, x, #N */
		b = number(insn >> 30 & 1 ? -imm : imm);
		v[to] = a;
		return add(&v[to], &b);
	}
	if ((insn & 0xffe0fc00) == 0x8b000000 && with != 31) {	/* add x, x, x */
		b = v[with];
		if (!add(&a, &b))
			return false;
		v[to] = a;
		return true;
	}
	return move(insn, v);
}

static bool decode_arm(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at)
{
	struct held v[REGISTERS];
	size_t i;

	memset(v, 0, sizeof(v));
	for (i = 0; i < STEPS && i * 4 + 4 <= n; i++) {
		uint32_t insn = rt_arch_word(code + i * 4);

		if (insn == 0xd65f03c0)		/* ret */
			return set_place(&v[0], at);
		if (!arm_step(insn, pc + i * 4, v))
			return false;
	}
	return false;
}

bool rt_errno_decode(const struct rt_arch *arch, const uint8_t *code, size_t n, uint64_t pc,
		     struct rt_errno_at *at)
{
	if (arch->machine == EM_X86_64 && arch->word == 8)
		return decode_x86(code, n, pc, at);
	return arch->machine == EM_AARCH64 && decode_arm(code, n, pc, at);
}

int rt_errno_find(struct rt_image *image, struct rt_errno_at *at)
{
	const struct rt_symbol *v;
	uint8_t code[CODE];
	size_t i, n, got;

	if (rt_image_symbols(image, &v, &n, NULL) < 0)
		return -ENOENT;
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC && strcmp(v[i].name, "__errno_location") == 0)
			break;
	if (i == n)
		return -ENOENT;
	got = rt_image_read(image, v[i].addr, code, v[i].size < CODE ? (size_t)v[i].size : CODE);
	if (!rt_errno_decode(rt_image_arch(image), code, got, v[i].addr, at))
		return -ENOTSUP;
	at->code = v[i].addr;
	return 0;
}
