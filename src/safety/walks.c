/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of x86-64 that goes from frame to frame by the frame pointers that functions save, as
 * __builtin_return_address(1) and the stack traces of programs do: in a function that has a frame
 * pointer it loads what that points to, itself or by a copy, or gives such a copy to a function.
 * Compilers do neither of it for anything else.
 */
#include "safety/switches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/file.h"

enum {
	SP = 4,
	FP = 5,
	WORD = 8,
	INSN_MAX = 16,
	CHUNK = 1 << 18,
	BODY_MAX = 1 << 16,
	SLOTS = 4,
	ARGUMENTS = 1 << 7 | 1 << 6 | 1 << 2 | 1 << 1 | 3 << 8
};

/* the state of a function during a walk through its instructions, one after the other */
struct walk {
	int32_t depth;		/* of the stack pointer */
	bool framed;		/* the frame pointer points to the saved one */
	uint32_t copies;	/* registers that have a frame's address, */
	int64_t slots[SLOTS];	/* and places in the frame, counted from the frame pointer */
	unsigned nslots;
};

static bool is_frame(const struct walk *w, int8_t reg)
{
	return reg == FP || (reg >= 0 && reg != SP && w->copies >> reg & 1);
}

static bool in_slot(const struct walk *w, int64_t disp)
{
	unsigned i;

	for (i = 0; i < w->nslots; i++)
		if (w->slots[i] == disp)
			return true;
	return false;
}

/*
 * One instruction further.  Does it load the frame pointer that a frame has saved, or give a
 * frame's address away?
 */
static bool step(struct walk *w, const struct rt_flow *f)
{
	bool plain = f->has_mem && !f->mem.fixed && f->mem.index == RT_NO_REG, gets = false;

	if (!w->framed) {
		w->framed = f->fp == RT_FP_OF_SP && w->depth - f->fp_amount == WORD;
		w->depth -= f->sp == RT_SP_ADDED ? f->amount : 0;
		return false;
	}
	if (f->op == RT_OP_LOAD && plain && f->bytes == WORD) {
		if (is_frame(w, f->mem.base) && f->mem.disp == 0)
			return true;
		gets = f->mem.base == FP && in_slot(w, f->mem.disp);
	} else if (f->op == RT_OP_COPY && f->bytes == WORD) {
		gets = is_frame(w, f->from);
	} else if (f->op == RT_OP_STORE && plain && f->mem.base == FP && is_frame(w, f->from) &&
		   w->nslots < SLOTS) {
		w->slots[w->nslots++] = f->mem.disp;
	}
	if (f->kind == RT_FLOW_CALL && (w->copies & ARGUMENTS))
		return true;
	w->copies &= ~f->writes;
	if (gets && f->to >= 0)
		w->copies |= 1u << f->to;
	return false;
}

/*
 * May an instruction here be one that `step` looks for?  Few functions have such bytes, so few are
 * decoded.
 */
static bool can_begin_step(const uint8_t *p)
{
	if ((p[0] & 0xfb) == 0x48 && p[1] == 0x8b && (p[2] & 0xc7) == 0x45 &&
	    p[3] == 0) /* mov 0(%rbp), */
		return true;
	if ((p[0] & 0xfe) != 0x48 || p[1] != 0x89 || (p[2] & 0x38) != FP << 3) /* mov %rbp, */
		return false;
	return p[0] == 0x49 || p[2] != 0xec;
}

static bool is_climbing(struct rt_code *code, const uint8_t *bytes, size_t n, uint64_t start)
{
	const struct rt_image *image = rt_code_image(code);
	struct walk w = { 0 };
	struct rt_flow f;
	size_t at;

	for (at = 0; at < n && !can_begin_step(bytes + at); at++)
		;
	if (at == n)
		return false;
	for (at = 0; at < n; at += f.size) {
		if (!rt_flow_decode(image->arch, rt_code_decoder(code), bytes + at, n - at,
				    start + at, &f))
			return false;
		if (step(&w, &f))
			return true;
	}
	return false;
}

bool rt_code_function(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end,
		      const char **name)
{
	const struct rt_symbol *s = rt_symbol_before(rt_code_image(code), addr + 1);

	*name = s && addr - s->addr < s->size ? s->name : "";
	if (!**name)
		return rt_code_span(code, addr, start, end);
	*start = s->addr;
	*end = s->addr + s->size;
	return true;
}

/*
 * The next place in `n` bytes from `at` on where the stack pointer becomes the frame pointer; n:
 * none.
 */
static size_t next_frame(const uint8_t *bytes, size_t n, size_t at)
{
	const uint8_t *p;

	for (; at + 3 <= n; at = (size_t)(p - bytes) - 1) {
		p = memchr(bytes + at + 2, 0xe5, n - at - 2);
		if (!p)
			break;
		if (p[-1] == 0x89 && p[-2] == 0x48)
			return (size_t)(p - bytes) - 2;
	}
	return n;
}

static bool walk_segment(struct rt_code *code, const struct rt_segment *segment, uint8_t *bytes,
			 const char **name)
{
	uint8_t *body = bytes + CHUNK;
	uint64_t base, start = 0, end = 0, left = segment->filesz;
	size_t n, at, size;

	for (base = segment->vaddr; left >= INSN_MAX; base += n - 2, left -= n - 2) {
		n = rt_image_read(rt_code_image(code), base, bytes,
				  left < CHUNK ? (size_t)left : CHUNK);
		if (n < INSN_MAX)
			return false;
		for (at = next_frame(bytes, n, 0); at < n; at = next_frame(bytes, n, at + 1)) {
			if ((base + at >= start && base + at < end) ||
			    !rt_code_function(code, base + at, &start, &end, name))
				continue;
			size = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX;
			size = rt_image_read(rt_code_image(code), start, body, size);
			memset(body + size, 0, INSN_MAX);
			/*
			 * The unwinder is in every static program, for the C library's own use.
			 */
			if (strncmp(*name, "_Unwind_", 8) != 0 &&
			    is_climbing(code, body, size, start))
				return true;
		}
	}
	return false;
}

bool rt_image_walks(struct rt_image *image, const char **name)
{
	bool found = false;
	struct rt_code *code;
	uint8_t *bytes;
	size_t i;

	*name = "";
	if (!image->arch->has_stack_walks)
		return false;
	code = rt_code_open(image);
	bytes = malloc(CHUNK + BODY_MAX + INSN_MAX);
	for (i = 0; i < image->nsegments && code && bytes && !rt_code_undecodable(code) && !found;
	     i++)
		found = image->segments[i].exec &&
			walk_segment(code, &image->segments[i], bytes, name);
	if (!found)
		*name = "";
	found |= !bytes || !code;
	free(bytes);
	rt_code_close(code);
	return found;
}
