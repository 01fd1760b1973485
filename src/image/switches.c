/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of x86-64 that switches stacks by itself, as coroutines written by hand do: it loads the stack pointer with what is not its own
 * frame's.  Compilers load it from a register that they have put it into before, and to give up arrays of variable length, in functions
 * that have a frame pointer of their own, from what they have kept in the frame; C with pieces of assembly can have put into the frame
 * what it was given, or has read elsewhere.  Every byte is taken for the beginning of such an
 * instruction; what only looks like one the disassembler refutes.
 */
#include "image/switches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image/code.h"
#include "image/private.h"
#include "util/array.h"

enum { RAX = 0, SP = 4, FP = 5, INSN_MAX = 16, CHUNK = 1 << 18, BODY_MAX = 1 << 20, MOV_FROM = 0x89, MOV_TO = 0x8b, XCHG = 0x87,
       XCHG_RAX_SP = 0x94, LEA = 0x8d, ESCAPE = 0x0f, CMOV = 0x40, XADD = 0xc1, NEAR = 64, SLOTS = 64,
       ARGUMENTS = 0x3c6 };	/* rcx, rdx, rsi, rdi, r8, r9 */

struct scan {
	struct rt_image *image;
	struct rt_code *code;
	bool is_static;		/* the C library is in it: longjmp loads the stack pointer, and does not store it before */
	bool stored;
	bool nomem;
};

/* The register that memory counts from; -1: none. */
static int base_of(const uint8_t *p, bool extended)
{
	uint8_t mod = p[2] >> 6, rm = p[2] & 7;

	if (rm == SP)
		return (p[3] & 7) == FP && !mod ? -1 : (p[3] & 7) | extended << 3;
	return rm == FP && !mod ? -1 : rm | extended << 3;
}

static bool is_indexed(const uint8_t *p)
{
	return (p[2] & 7) == SP && ((p[3] >> 3 & 7) != SP || (p[0] & 2));
}

/* What may be a load of the stack pointer. */
enum load { LOAD_NOT, LOAD_OF_COMPILERS /* they have such, too */, LOAD_STRANGE };

static enum load kind_of_load(const uint8_t *p)
{
	bool r = p[0] & 4, b = p[0] & 1, plain = p[2] >= 0xc0;
	int reg, rm;

	/* Every byte of the file's code comes here. */
	if ((p[0] & 0xf8) != 0x48)
		return LOAD_NOT;
	reg = (p[2] >> 3 & 7) | r << 3;
	rm = plain ? (p[2] & 7) | b << 3 : base_of(p, b);
	/* cmov and xadd, in code that can be taken apart: no compiler has them. */
	if (p[1] == ESCAPE && (p[2] & 0xf0) == CMOV)
		return ((p[3] >> 3 & 7) | r << 3) == SP ? LOAD_OF_COMPILERS : LOAD_NOT;
	if (p[1] == ESCAPE) {
		reg = (p[3] >> 3 & 7) | r << 3;
		rm = (p[3] & 7) | b << 3;
		return p[2] == XADD && p[3] >= 0xc0 && (reg == SP) != (rm == SP) ? LOAD_OF_COMPILERS : LOAD_NOT;
	}
	if (p[1] == XCHG_RAX_SP)
		return b ? LOAD_NOT : LOAD_STRANGE;
	if (p[1] == XCHG)
		return plain ? ((reg == SP) != (rm == SP) ? LOAD_STRANGE : LOAD_NOT) : reg == SP ? LOAD_OF_COMPILERS : LOAD_NOT;
	if (p[1] == MOV_FROM)
		return !plain || rm != SP || reg == SP ? LOAD_NOT : reg == FP ? LOAD_OF_COMPILERS : LOAD_STRANGE;
	if (reg != SP || (plain && rm == SP))
		return LOAD_NOT;
	if (p[1] == MOV_TO)
		return rm == SP || rm == FP ? LOAD_OF_COMPILERS : LOAD_STRANGE;
	return p[1] == LEA && !plain && rm != SP && rm != FP && !is_indexed(p) ? LOAD_OF_COMPILERS : LOAD_NOT;
}

/* What registers lead to, in the order of the code; as bits. */
struct registers {
	uint32_t copies;	/* to the frame, here or anywhere else that was seen */
	uint32_t near;		/* to the frame, here */
	uint32_t foreign;	/* what was read elsewhere is in them */
	uint32_t results;	/* what a call has given, unless it is one of assembly, which may keep what was in them */
	uint32_t given;		/* what the caller has given, and copies of it */
};

/* What was stored in the frame. */
struct slots {
	struct slot {
		int64_t disp;
		int base;
		bool near, foreign;
	} all[SLOTS];
	unsigned n;
};

/* A function, from its beginning to its end, up to twice: what is stored in its frame can stand behind where it is loaded. */
struct walk {
	struct registers r;
	struct slots slots;
	bool framed, stored;
	bool there, far, copied, handed;	/* the place that is asked for */
};

static bool has(uint32_t set, int reg)
{
	return reg != RT_NO_REG && set >> reg & 1;
}

static bool in_frame(const struct rt_flow *f)
{
	return f->has_mem && !f->mem.fixed && f->mem.index == RT_NO_REG && (f->mem.base == SP || f->mem.base == FP);
}

/* NULL: it is not known, and with `add` that there is no room. */
static struct slot *slot_of(struct slots *slots, const struct rt_flow *f, bool add)
{
	unsigned i;

	for (i = 0; i < slots->n; i++)
		if (slots->all[i].disp == f->mem.disp && slots->all[i].base == f->mem.base)
			return &slots->all[i];
	if (!add || slots->n == SLOTS)
		return NULL;
	slots->all[slots->n] = (struct slot){ .disp = f->mem.disp, .base = f->mem.base };
	return &slots->all[slots->n++];
}

/* Is what is loaded here from elsewhere than the frame?  Compilers keep the frame's own addresses in it. */
static bool is_foreign(struct walk *w, const struct rt_flow *f)
{
	const struct slot *slot = in_frame(f) ? slot_of(&w->slots, f, false) : NULL;

	if (f->op == RT_OP_COPY || f->op == RT_OP_PLUS)
		return has(w->r.foreign, f->from);
	if (f->op != RT_OP_LOAD)
		return false;
	return slot ? slot->foreign && !slot->near : !has(w->r.near | 1 << SP | 1 << FP, f->mem.base);
}

/* Is the stack pointer loaded here from what no compiler loads it from? */
static bool is_far(struct walk *w, const struct rt_flow *f)
{
	if (f->op == RT_OP_COPY && has(w->r.results, f->from))
		return true;
	if (f->op == RT_OP_COPY || f->op == RT_OP_PLUS || (f->op == RT_OP_LOAD && in_frame(f)))
		return is_foreign(w, f);
	return f->op != RT_OP_LOAD || !has(w->r.copies, f->mem.base) || has(w->r.foreign | w->r.given, f->mem.base);
}

static void keep(struct walk *w, const struct rt_flow *f)
{
	struct slot *slot = in_frame(f) ? slot_of(&w->slots, f, true) : NULL;

	if (!slot)
		return;
	slot->near |= has(w->r.near | 1 << SP, f->from);
	slot->foreign |= has(w->r.foreign | w->r.results | w->r.given, f->from);
}

static void go_on(struct walk *w, const struct rt_flow *f)
{
	struct registers *r = &w->r;
	uint32_t to = f->to == RT_NO_REG || f->op == RT_OP_STORE ? 0 : f->writes & 1u << f->to;
	const struct slot *slot = f->op == RT_OP_LOAD && in_frame(f) ? slot_of(&w->slots, f, false) : NULL;
	bool far = is_foreign(w, f), result = f->op == RT_OP_COPY && has(r->results, f->from);
	bool given = f->op == RT_OP_COPY && has(r->given, f->from);

	if (f->op == RT_OP_STORE)
		keep(w, f);
	r->foreign = (r->foreign & ~f->writes) | (far ? to : 0);
	r->results = (r->results & ~f->writes) | (f->kind == RT_FLOW_CALL ? 1 << RAX : result ? to : 0);
	/* What comes behind a jump has been come to from elsewhere. */
	if (f->kind == RT_FLOW_JUMP || f->kind == RT_FLOW_RETURN) {
		r->foreign = r->results = 0;
		r->given &= ARGUMENTS;
	}
	r->near &= ~f->writes;
	if ((f->op == RT_OP_COPY && has(r->near | 1 << SP, f->from)) || (!f->has_mem && f->mem.base == SP) || (slot && slot->near))
		r->near |= to;
	r->copies |= r->near;
	r->given = (r->given & ~f->writes) | (given ? to : 0);
}

/* Is the stack pointer stored, not in the frame, which registers of `copies` lead to too? */
static bool stores_sp(const uint8_t *p, uint32_t copies)
{
	int base;

	if ((p[0] & 0xfc) != 0x48 || p[1] != MOV_FROM || p[2] >= 0xc0 || (p[2] >> 3 & 7) != SP)
		return false;
	base = base_of(p, p[0] & 1);
	return base != SP && base != FP && (base < 0 || !(copies >> base & 1));
}

/* The static C library leaves frames by these: nothing comes back to what they left, or it is known by name what is a stack. */
static bool is_leaver(const char *name)
{
	static const char *const exact[] = {
		"longjmp", "_longjmp", "siglongjmp", "__longjmp", "____longjmp_chk", "__longjmp_cancel", "swapcontext", "__swapcontext",
		"setcontext", "__setcontext", "__start_context", "jump_fcontext", "ontop_fcontext",
	};
	static const char *const beginnings[] = { "_Unwind_", "_dl_runtime_", "_dl_tlsdesc_" };
	size_t i;

	for (i = 0; i < RT_COUNT(exact); i++)
		if (strcmp(name, exact[i]) == 0)
			return true;
	for (i = 0; i < RT_COUNT(beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static void walk(struct scan *s, struct walk *w, uint64_t start, const uint8_t *bytes, size_t n, uint64_t addr)
{
	struct rt_flow f;
	size_t at;
	int source;

	w->r = (struct registers){ .given = ARGUMENTS, .copies = w->r.copies };
	for (at = 0; at < n; at += f.size) {
		if (!rt_flow_decode(s->image->arch, rt_code_decoder(s->code), bytes + at, n - at, start + at, &f)) {
			w->there = true;
			break;
		}
		if (start + at == addr) {
			w->there = true;
			source = f.op == RT_OP_COPY || f.op == RT_OP_PLUS ? f.from : RT_NO_REG;
			/* The assembly of libffi goes on in what was made for it in its caller's frame. */
			w->handed = has(f.op == RT_OP_COPY ? w->r.given : w->r.given & ARGUMENTS, source);
			w->copied = has(w->r.copies, source);
			w->far = is_far(w, &f);
		}
		go_on(w, &f);
		w->framed |= f.fp == RT_FP_OF_SP;
		w->stored |= stores_sp(bytes + at, w->r.copies);
	}
}

/* Does the function from `start` to `end` do it at `addr`?  True also where that cannot be told. */
static bool confirm(struct scan *s, uint64_t start, uint64_t end, uint64_t addr, enum load load)
{
	size_t n = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX;
	uint8_t *bytes = calloc(1, n + INSN_MAX);
	struct walk w = { 0 };

	if (!bytes) {
		s->nomem = true;
		return true;
	}
	n = rt_image_read(s->image, start, bytes, n);
	walk(s, &w, start, bytes, n, addr);
	if (w.there)
		walk(s, &w, start, bytes, n, addr);
	free(bytes);
	s->stored = w.stored;
	return w.there && (w.far || (!w.copied && (w.handed || (load == LOAD_STRANGE && (!w.framed || w.stored)))));
}

/* The same of code that no function is known of, at `p`: is it stored little before? */
static bool stored_before(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 1; i <= n && i <= NEAR; i++)
		if (stores_sp(p - i, 0))
			return true;
	return false;
}

/* `n` bytes of code before `p`, which is at `addr`, can be looked at. */
static enum rt_switches is_switch(struct scan *s, uint64_t addr, const uint8_t *p, size_t n, enum load load, const char **name)
{
	const struct rt_symbol *f = rt_symbol_before(s->image, addr + 1);
	uint64_t start, end;

	if (!s->code)
		s->code = rt_code_open(s->image);
	if (!s->code) {
		s->nomem = true;
		return RT_SWITCHES;
	}
	*name = "";
	s->stored = false;
	if (f && addr - f->addr < f->size) {
		*name = f->name;
		start = f->addr;
		end = f->addr + f->size;
	} else if (!rt_code_span(s->code, addr, &start, &end)) {
		/* Written by hand, and not said to be a function. */
		if (load == LOAD_OF_COMPILERS)
			return RT_SWITCHES_NOT;
		return s->is_static && !stored_before(p, n) ? RT_SWITCHES_OR_LEAVES : RT_SWITCHES;
	}
	if (is_leaver(*name) || !(rt_code_undecodable(s->code) || confirm(s, start, end, addr, load)))
		return RT_SWITCHES_NOT;
	return s->is_static && !**name && !s->stored ? RT_SWITCHES_OR_LEAVES : RT_SWITCHES;
}

static enum rt_switches scan_segment(struct scan *s, const struct rt_segment *segment, uint8_t *bytes, const char **name)
{
	enum rt_switches most = RT_SWITCHES_NOT, one;
	uint64_t at, left = segment->filesz;
	enum load load;
	size_t n, i;

	for (at = segment->vaddr; left >= INSN_MAX; at += n - INSN_MAX + 1, left -= n - INSN_MAX + 1) {
		n = rt_image_read(s->image, at, bytes, left < CHUNK ? (size_t)left : CHUNK);
		if (n < INSN_MAX)
			return most;
		for (i = 0; i + INSN_MAX <= n; i++) {
			load = kind_of_load(bytes + i);
			one = load ? is_switch(s, at + i, bytes + i, i, load, name) : RT_SWITCHES_NOT;
			most = one > most ? one : most;
			if (most == RT_SWITCHES)
				return most;
		}
	}
	return most;
}

static enum rt_switches find(struct rt_image *image, const char **name)
{
	struct scan s = { .image = image, .is_static = !image->interp && !image->needed.n && !image->short_name };
	enum rt_switches most = RT_SWITCHES_NOT, one;
	uint8_t *bytes;
	size_t i;

	if (image->arch->machine != EM_X86_64)
		return most;
	bytes = malloc(CHUNK);
	for (i = 0; i < image->nsegments && bytes && most < RT_SWITCHES; i++) {
		one = image->segments[i].exec ? scan_segment(&s, &image->segments[i], bytes, name) : RT_SWITCHES_NOT;
		most = one > most ? one : most;
	}
	if (!bytes || s.nomem)
		most = RT_SWITCHES;
	if (most < RT_SWITCHES)
		*name = "";
	free(bytes);
	rt_code_close(s.code);
	return most;
}

enum rt_switches rt_image_switches(struct rt_image *image, const char **name)
{
	if (!image->switches_known) {
		image->switches_by = "";
		image->switches = (uint8_t)find(image, &image->switches_by);
		image->switches_known = true;
	}
	*name = image->switches_by;
	return image->switches;
}
