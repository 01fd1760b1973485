/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of x86-64 that puts a copy of the stack back, as continuations made of setjmp and memcpy do:
 * a function that copies, or has another copy, as many bytes as turn out to be there, be it by a
 * loop of its own, and goes on where longjmp leads, as nothing can return into what it has
 * overwritten.  Or code whose coroutines are pieces of one stack: a function keeps by setjmp where
 * it is and goes on elsewhere by longjmp at once, to what has kept itself in the same way.  A
 * return address that a uretprobe replaced would come back after the kernel has forgotten it, which
 * ends the program.
 */
#include "safety/switches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/file.h"
#include "base/array.h"
#include "code/stub.h"
#include "safety/walks.h"

enum {
	CX = 1,
	DX = 2,
	SP = 4,
	FP = 5,
	INSN_MAX = 16,
	CALL_MAX = 6,
	CHUNK = 1 << 18,
	BODY_MAX = 1 << 16,
	KNOWN = 512,
	CALLEES = 16,
	STEPS = 32,
	BRANCHES = 3,
	EQUAL = 4 + 1,
	UNEQUAL = 5 + 1
};

enum called { OTHER, JUMPS, COPIES, KEEPS };

struct known {
	uint64_t target;
	enum called what;
};

struct callees {
	uint64_t v[CALLEES];
	unsigned n;
};

struct search {
	struct rt_image *image;
	struct rt_code *code;
	bool turns;
	struct known known[KNOWN];
	uint8_t bytes[CHUNK], body[BODY_MAX + INSN_MAX];
};

static enum called what_is(const char *name)
{
	static const char *const copying[] = { "memcpy",       "memmove",      "mempcpy",
					       "bcopy",	       "__memcpy_chk", "__memmove_chk",
					       "__mempcpy_chk" };
	static const char *const keeping[] = { "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp" };
	size_t i;

	if (rt_name_jumps(name))
		return JUMPS;
	for (i = 0; i < RT_COUNT(keeping); i++)
		if (strcmp(name, keeping[i]) == 0)
			return KEEPS;
	for (i = 0; i < RT_COUNT(copying); i++)
		if (strcmp(name, copying[i]) == 0)
			return COPIES;
	return OTHER;
}

/*
 * Classify the target of the call that returns to `addr`.  Results are cached, as few functions are
 * called from many places.
 */
static enum called called(struct search *s, uint64_t addr, const uint8_t *call)
{
	int32_t distance;
	uint64_t target;
	struct known *k;
	const struct rt_symbol *v;
	const char *name;
	size_t i, n;

	memcpy(&distance, call + (call[0] == 0xff ? 2 : 1), sizeof(distance));
	target = addr + (uint64_t)(int64_t)distance;
	k = &s->known[(target ^ target >> 9) % KNOWN];
	if (k->target == target)
		return k->what;
	k->target = target;
	k->what = OTHER;
	name = rt_code_called(s->code, addr);
	v = rt_symbols_at(s->image, target, &n);
	if (name)
		k->what = what_is(name);
	else if (rt_code_is_stub(s->code, target))
		/*
		 * a static program has stubs for what the processor decides: memcpy and a few like
		 * it
		 */
		k->what = COPIES;
	for (i = 0; !name && i < n && !k->what; i++)
		k->what = what_is(v[i].name);
	return k->what;
}

/* call DISTANCE, or a jump in place of the last call; call *DISTANCE(%rip): its length, or 0 */
static unsigned call_at(const uint8_t *p)
{
	return (p[0] & 0xfe) == 0xe8 ? 5 : p[0] == 0xff && (p[1] == 0x15 || p[1] == 0x25) ? 6 : 0;
}

/* A function of its own never jumps to longjmp, which does not return; the stubs do. */
static bool is_jump(const uint8_t *p)
{
	return p[0] == 0xe9 || (p[0] == 0xff && p[1] == 0x25);
}

/* movsb, movsl, movsq */
static bool is_string_copy(const uint8_t *p)
{
	return (p[p[0] == 0x48] & 0xfe) == 0xa4;
}

/* mov $NUMBER, REGISTER; one of the first eight */
static bool is_constant(const uint8_t *p, unsigned reg)
{
	return p[0] == 0xb8 + reg || (p[0] == 0x48 && p[1] == 0xc7 && p[2] == 0xc0 + reg);
}

/*
 * The target in this file of a call that returns to `addr`; 0: it is in another file.  A stub, or a
 * slot that the loader fills, gives the function that it names.  All stubs together would be taken
 * for a function that jumps to memcpy, among others.
 */
static uint64_t own(struct search *s, uint64_t addr, uint64_t target)
{
	const char *name = rt_code_called(s->code, addr);
	const struct rt_symbol *v;
	size_t i, n;

	if (!name)
		return target;
	if (rt_image_symbols(s->image, &v, &n, NULL) < 0)
		return 0;
	for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
		;
	return i < n ? v[i].addr : 0;
}

/* A loop that reads and writes what is not in the function's frame may be a copy of any size. */
struct loop {
	size_t read, written;	/* where it does, last; 0: nowhere yet */
	bool framed;
};

/*
 * Can a jump at `at` back to `first` be reached from there?  Code behind a return is unreachable,
 * unless an earlier jump leads past the return.  A jump out of that stretch may return to it.
 */
static bool has_way_back(struct search *s, uint64_t start, size_t first, size_t at)
{
	uint64_t furthest = start + first;
	struct rt_flow f;

	for (; first < at; first += f.size) {
		if (!rt_flow_decode(s->image->arch, rt_code_decoder(s->code), s->body + first,
				    at - first, start + first, &f))
			return true;
		if (f.kind == RT_FLOW_INDIRECT || f.kind == RT_FLOW_STRANGE)
			return true;
		if (f.has_target && f.kind != RT_FLOW_CALL && f.target > furthest)
			furthest = f.target;
		if (f.has_target && f.kind != RT_FLOW_CALL &&
		    (f.target < start + first || furthest > start + at))
			return true;
		if (f.kind != RT_FLOW_NEXT && f.kind != RT_FLOW_CALL && f.kind != RT_FLOW_BRANCH &&
		    furthest <= start + first)
			return false;
	}
	return true;
}

static bool closes_copy(struct search *s, struct loop *l, const struct rt_flow *f, const uint8_t *p,
			uint64_t start, size_t at)
{
	bool outside = f->has_mem && f->mem.base != RT_NO_REG && f->mem.base != SP &&
		       !(f->mem.base == FP && l->framed);
	size_t first;

	l->framed |= f->fp == RT_FP_OF_SP;
	if (is_string_copy(p))
		l->read = l->written = at;
	if (outside && f->op == RT_OP_LOAD)
		l->read = at;
	if (outside && f->op == RT_OP_STORE)
		l->written = at;
	if (!f->has_target || f->kind == RT_FLOW_CALL || f->target < start ||
	    f->target > start + at)
		return false;
	first = (size_t)(f->target - start);
	return l->read && l->written && l->read >= first && l->written >= first &&
	       has_way_back(s, start, first, at);
}

/*
 * Does the function from `start` on copy a number of bytes that no instruction tells?  What it
 * calls itself is put into `callees`.
 */
static bool copies_itself(struct search *s, uint64_t start, uint64_t end, struct callees *callees)
{
	size_t size = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX, at;
	bool constant[DX + 1] = { false };
	struct loop loop = { 0, 0, false };
	const uint8_t *p;
	enum called what;
	struct rt_flow f;
	unsigned reg, n;

	size = rt_image_read(s->image, start, s->body, size);
	memset(s->body + size, 0, INSN_MAX);
	for (at = 0; at < size; at += f.size) {
		p = s->body + at;
		if (!rt_flow_decode(s->image->arch, rt_code_decoder(s->code), p, size - at,
				    start + at, &f))
			return false;
		n = call_at(p);
		what = n ? called(s, start + at + n, p) : OTHER;
		if (what == COPIES && !constant[DX])
			return true;
		if (f.kind == RT_FLOW_CALL && n && what == OTHER && callees->n < CALLEES)
			callees->v[callees->n++] = own(s, start + at + n,
						       f.has_target ? f.target : 0);
		if ((*p == 0xf3 && is_string_copy(p + 1) && !constant[CX]) ||
		    closes_copy(s, &loop, &f, p, start, at))
			return true;
		for (reg = CX; reg <= DX; reg++)
			if (f.writes >> reg & 1)
				constant[reg] = is_constant(p, reg);
	}
	return false;
}

/* The same, also in functions that it calls: without optimization each part has its own. */
static bool copies_any(struct search *s, uint64_t start, uint64_t end)
{
	struct callees callees = { .n = 0 }, deeper = { .n = CALLEES };
	const char *name;
	unsigned i;

	if (copies_itself(s, start, end, &callees))
		return true;
	for (i = 0; i < callees.n; i++)
		if (rt_code_function(s->code, callees.v[i], &start, &end, &name) &&
		    copies_itself(s, start, end, &deeper))
			return true;
	return false;
}

/* test %eax,%eax; cmp $0,%eax */
static bool is_zero_asked(const uint8_t *p)
{
	return (p[0] == 0x85 && p[1] == 0xc0) || (p[0] == 0x83 && p[1] == 0xf8 && !p[2]);
}

/*
 * Does the code at `addr`, behind setjmp, call longjmp before anything else?  Where it asks whether
 * setjmp has given 0: if it has.
 */
static bool calls_longjmp_first(struct search *s, uint64_t addr, unsigned branches)
{
	uint8_t p[INSN_MAX];
	bool asked = false, zero;
	struct rt_flow f;
	unsigned i, size;
	size_t n;

	for (i = 0; i < STEPS; i++) {
		n = rt_image_read(s->image, addr, p, sizeof(p));
		memset(p + n, 0, sizeof(p) - n);
		if (!n || !rt_flow_decode(s->image->arch, rt_code_decoder(s->code), p, n, addr, &f))
			return false;
		addr += f.size;
		size = call_at(p);
		if (size && called(s, addr, p) == JUMPS)
			return true;
		zero = asked && branches == BRANCHES;
		asked = is_zero_asked(p);
		if (f.kind == RT_FLOW_JUMP && f.has_target) {
			addr = f.target;
		} else if (f.kind == RT_FLOW_BRANCH && branches) {
			if (!(zero && f.condition == UNEQUAL) &&
			    calls_longjmp_first(s, f.target, branches - 1))
				return true;
			if (zero && f.condition == EQUAL)
				return false;
			branches--;
		} else if (f.kind != RT_FLOW_NEXT) {
			return false;
		}
	}
	return false;
}

/* Is there such a place in the function from `start` on? */
static bool takes_turns(struct search *s, uint64_t start, uint64_t end)
{
	size_t size = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX, at;
	struct rt_flow f;
	unsigned n;

	size = rt_image_read(s->image, start, s->body, size);
	memset(s->body + size, 0, INSN_MAX);
	for (at = 0; at < size; at += f.size) {
		if (!rt_flow_decode(s->image->arch, rt_code_decoder(s->code), s->body + at,
				    size - at, start + at, &f))
			return false;
		n = f.kind == RT_FLOW_CALL ? call_at(s->body + at) : 0;
		if (n && called(s, start + at + n, s->body + at) == KEEPS &&
		    calls_longjmp_first(s, start + at + n, BRANCHES))
			return true;
	}
	return false;
}

static bool search_segment(struct search *s, const struct rt_segment *segment, const char **name)
{
	uint64_t base, start = 0, end = 0, left = segment->filesz;
	size_t n, i;
	unsigned size;

	for (base = segment->vaddr; left >= INSN_MAX;
	     base += n - CALL_MAX + 1, left -= n - CALL_MAX + 1) {
		n = rt_image_read(s->image, base, s->bytes, left < CHUNK ? (size_t)left : CHUNK);
		if (n < INSN_MAX)
			return false;
		for (i = 0; i + CALL_MAX <= n; i++) {
			size = call_at(s->bytes + i);
			if (!size || is_jump(s->bytes + i) ||
			    (base + i >= start && base + i < end) ||
			    called(s, base + i + size, s->bytes + i) != JUMPS)
				continue;
			if (!rt_code_function(s->code, base + i, &start, &end, name))
				continue;
			s->turns = takes_turns(s, start, end);
			if (s->turns || copies_any(s, start, end))
				return true;
		}
	}
	return false;
}

bool rt_image_copies(struct rt_image *image, const char **name, bool *turns)
{
	struct search *s;
	bool found = false;
	size_t i;

	*name = "";
	*turns = false;
	if (!image->arch->has_stack_walks || !rt_image_has_jumps(image))
		return false;
	s = calloc(1, sizeof(*s));
	if (s) {
		s->image = image;
		s->code = rt_code_open(image);
	}
	for (i = 0; i < image->nsegments && s && s->code && !rt_code_undecodable(s->code) && !found;
	     i++)
		found = image->segments[i].exec && search_segment(s, &image->segments[i], name);
	if (!found)
		*name = "";
	found |= !s || !s->code;
	*turns = s && s->turns;
	if (s)
		rt_code_close(s->code);
	free(s);
	return found;
}
