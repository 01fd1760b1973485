/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of Go's compiler for x86-64. */
#include <string.h>

#include "arch/go_code.h"
#include "base/array.h"

/*
 * The instructions of which the compilers of Go 1.15 to 1.27 make a stack check
 * (cmd/internal/obj/x86/obj6.go).
 */
struct piece {
	uint8_t n, rest;	/* so many known bytes, and so many that may be anything */
	bool guard, jumps;	/* compares with the guard; jumps to where the stack grows */
	uint8_t bytes[5];
};

static const struct piece pieces[] = {
	{ 5, 4, false, false, { 0x64, 0x48, 0x8b, 0x0c, 0x25 } },	/* mov %fs:N,%rcx */
	{ 5, 4, false, false, { 0x64, 0x4c, 0x8b, 0x34, 0x25 } },	/* mov %fs:N,%r14 */
	{ 3, 4, false, false, { 0x48, 0xc7, 0xc1 } },			/* mov $N,%rcx */
	{ 3, 4, false, false, { 0x49, 0xc7, 0xc6 } },			/* mov $N,%r14 */
	{ 3, 4, false, false, { 0x48, 0x8b, 0x0d } },			/* mov N(%rip),%rcx */
	{ 3, 4, false, false, { 0x4c, 0x8b, 0x35 } },			/* mov N(%rip),%r14 */
	{ 4, 0, false, false, { 0x64, 0x48, 0x8b, 0x09 } },		/* mov %fs:(%rcx),%rcx */
	{ 4, 0, false, false, { 0x64, 0x4d, 0x8b, 0x36 } },		/* mov %fs:(%r14),%r14 */
	{ 3, 1, true, false, { 0x48, 0x3b, 0x61 } },			/* cmp N(%rcx),%rsp */
	{ 3, 1, true, false, { 0x49, 0x3b, 0x66 } },			/* cmp N(%r14),%rsp */
	{ 4, 1, false, false, { 0x48, 0x8d, 0x44, 0x24 } },		/* lea N(%rsp),%rax */
	{ 4, 4, false, false, { 0x48, 0x8d, 0x84, 0x24 } },
	{ 4, 1, false, false, { 0x4c, 0x8d, 0x64, 0x24 } },		/* lea N(%rsp),%r12 */
	{ 4, 4, false, false, { 0x4c, 0x8d, 0xa4, 0x24 } },
	{ 3, 1, true, false, { 0x48, 0x3b, 0x41 } },			/* cmp N(%rcx),%rax */
	{ 3, 1, true, false, { 0x4d, 0x3b, 0x66 } },			/* cmp N(%r14),%r12 */
	{ 3, 0, false, false, { 0x49, 0x89, 0xe4 } },			/* mov %rsp,%r12 */
	{ 3, 4, false, false, { 0x49, 0x81, 0xec } },			/* sub $N,%r12 */
	{ 3, 1, false, false, { 0x48, 0x8b, 0x71 } },			/* mov N(%rcx),%rsi */
	{ 3, 4, false, false, { 0x48, 0x81, 0xfe } },			/* cmp $N,%rsi */
	{ 3, 0, false, false, { 0x48, 0x29, 0xf0 } },			/* sub %rsi,%rax */
	{ 2, 4, true, false, { 0x48, 0x3d } },				/* cmp $N,%rax */
	{ 1, 1, false, true, { 0x76 } },				/* jbe */
	{ 2, 4, false, true, { 0x0f, 0x86 } },
	{ 1, 1, false, true, { 0x72 } },				/* jb */
	{ 2, 4, false, true, { 0x0f, 0x82 } },
	{ 1, 1, false, true, { 0x74 } },				/* je */
	{ 2, 4, false, true, { 0x0f, 0x84 } },
};

static const struct piece *piece_at(const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < RT_COUNT(pieces); i++)
		if (n >= (size_t)pieces[i].n + pieces[i].rest &&
		    memcmp(bytes, pieces[i].bytes, pieces[i].n) == 0)
			return &pieces[i];
	return NULL;
}

static uint32_t past_check(const uint8_t *bytes, size_t n)
{
	const struct piece *piece;
	bool guarded = false;
	uint32_t at = 0, past = 0;

	while ((piece = piece_at(bytes + at, n - at))) {
		at += piece->n + piece->rest;
		guarded |= piece->guard;
		if (piece->jumps && guarded)
			past = at;
	}
	return past;
}

/*
 * The linkers make "mov $N" of what would read a table, in programs that are not to be loaded by
 * others.
 */
static bool thread_offset(const uint8_t *bytes, size_t n, int32_t *at)
{
	bool rcx, whole = n >= 11 && bytes[0] == 0x48 && bytes[1] == 0xc7 && bytes[2] == 0xc1 &&
			  memcmp(bytes + 7, "\x64\x48\x8b\x09", 4) == 0;

	if (whole) {
		*at = (int32_t)rt_arch_word(bytes + 3);
		return true;
	}
	rcx = n >= 9 && memcmp(bytes, "\x64\x48\x8b\x0c\x25", 5) == 0;
	if (!rcx && !(n >= 9 && memcmp(bytes, "\x64\x4c\x8b\x34\x25", 5) == 0))
		return false;
	*at = (int32_t)rt_arch_word(bytes + 5);
	return true;
}

/* The size of an instruction of these bytes and a number, or 0. */
static size_t read_number(const uint8_t *p, size_t n, const char *bytes, size_t size, bool wide,
			  int32_t *number)
{
	if (n < size + (wide ? 4 : 1) || memcmp(p, bytes, size) != 0)
		return 0;
	*number = wide ? (int32_t)rt_arch_word(p + size) : (int8_t)p[size];
	return size + (wide ? 4 : 1);
}

/*
 * sub $N,%rsp; mov %rbp,N-8(%rsp); lea N-8(%rsp),%rbp: up to Go 1.20 (obj6.go).  The lea is no part
 * of the function's own code, so nothing jumps to it.
 */
static uint32_t past_frame(const uint8_t *p, size_t n, int32_t *sp_down)
{
	size_t at, size;
	int32_t saved, pointer;

	at = read_number(p, n, "\x48\x83\xec", 3, false, sp_down);
	if (!at)
		at = read_number(p, n, "\x48\x81\xec", 3, true, sp_down);
	if (!at && (at = read_number(p, n, "\x48\x83\xc4", 3, false, sp_down)))
		*sp_down = -*sp_down;
	if (!at)
		return 0;
	size = read_number(p + at, n - at, "\x48\x89\x6c\x24", 4, false, &saved);
	if (!size)
		size = read_number(p + at, n - at, "\x48\x89\xac\x24", 4, true, &saved);
	if (!size || saved != *sp_down - 8)
		return 0;
	at += size;
	size = read_number(p + at, n - at, "\x48\x8d\x6c\x24", 4, false, &pointer);
	if (!size)
		size = read_number(p + at, n - at, "\x48\x8d\xac\x24", 4, true, &pointer);
	return size && pointer == saved ? (uint32_t)at : 0;
}

/* mov %rax,(%rsp) and call. */
static bool calls(const uint8_t *bytes, uint64_t addr, uint64_t *target)
{
	*target = addr + 5 + (uint64_t)(int64_t)(int32_t)rt_arch_word(bytes + 5);
	return memcmp(bytes, "\x48\x89\x04\x24\xe8", 5) == 0;
}

static bool grows_at(const uint8_t *bytes, uint32_t past, int64_t *at)
{
	const uint8_t *jump = bytes + past - 6;

	if (past < 6)
		return false;
	*at = past;
	if (jump[0] == 0x0f && (jump[1] & 0xf0) == 0x80)
		*at += (int32_t)rt_arch_word(jump + 2);
	else
		*at += (int8_t)jump[5];
	return true;
}

/*
 * mov REGISTER,N(%rsp), of the kinds that the compiler makes for its registers of arguments, in
 * their order.  Returns its size, 0: it is none.
 */
static size_t read_spill(const uint8_t *p, struct rt_go_spill *s, unsigned *general,
			 unsigned *floating)
{
	static const uint8_t order[] = { 0, 3, 1, 7, 6, 8, 9, 10, 11 };
	const uint8_t *start = p;
	uint8_t prefix = 0, rex = 0, reg;

	if (*p == 0x66 || *p == 0xf2 || *p == 0xf3)
		prefix = *p++;
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	s->floating = p[0] == 0x0f && p[1] == 0x11 && prefix && prefix != 0x66;
	if (s->floating)
		s->size = prefix == 0xf2 ? 8 : 4;
	else if (*p == 0x88 || *p == 0x89)
		s->size = *p == 0x88 ? 1 : rex & 8 ? 8 : prefix == 0x66 ? 2 : 4;
	else
		return 0;
	p += s->floating ? 2 : 1;
	reg = (uint8_t)((rex & 4) << 1 | (*p >> 3 & 7));
	if (s->floating ? reg != (*floating)++
			: *general >= sizeof(order) || reg != order[(*general)++])
		return 0;
	if ((*p & 0xc7) == 0x44 && p[1] == 0x24) {
		s->at = (uint32_t)p[2] - 8u;
		return (size_t)(p + 3 - start);
	}
	s->at = (uint32_t)rt_arch_word(p + 2) - 8u;
	return (*p & 0xc7) == 0x84 && p[1] == 0x24 ? (size_t)(p + 6 - start) : 0;
}

/* All up to the call. */
static int spills(const uint8_t *code, struct rt_go_spill *v, unsigned max)
{
	static const uint8_t nops[] = { 0x66, 0x90, 0x0f, 0x1f, 0x40, 0x44, 0x80, 0x84, 0 };
	const uint8_t *p = code, *end = p + RT_GO_SPILLS_MAX - 16;
	unsigned general = 0, floating = 0, n;
	size_t size;

	for (n = 0; n < max && p < end && (size = read_spill(p, &v[n], &general, &floating)); n++)
		p += size;
	/* Jumps do not touch the ends of 32 bytes. */
	while (p < end && memchr(nops, *p, sizeof(nops)))
		p++;
	return p < end && *p == 0xe8 ? (int)n : -1;
}

static bool has_floats(const uint8_t *b, size_t n)
{
	size_t i;

	for (i = 0; i + 3 < n; i++)
		if ((b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x66) &&
		    b[i + ((b[i + 1] & 0xf0) == 0x40) + 1] == 0x0f)
			return true;
	return false;
}

const struct rt_go_code rt_x86_64_go_code = {
	.registers = 17,
	.no_data = true,
	.checked = { "cx", 88 },	/* cmd/internal/obj/x86/obj6.go */
	.past_check = past_check,
	.past_frame = past_frame,
	.grows_at = grows_at,
	.spills = spills,
	.has_floats = has_floats,
	.thread_offset = thread_offset,
	.calls = calls,
};
