/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of each load of the stack pointer in a function: the values of its registers and of
 * its frame's slots are followed through its code.
 */
#include "safety/switches_walk.h"

#include "elf/file.h"

enum {
	RESULT = 0,
	SP = 4,
	FP = 5,
	INSN_MAX = 16,
	FAR = 1 << 30,
	ARGUMENTS = 0x3c6
}; /* rcx, rdx, rsi, rdi, r8, r9 */

static bool has(uint32_t set, int reg)
{
	return reg != RT_NO_REG && set >> reg & 1;
}

static bool in_frame(const struct rt_switch_walk *w, const struct rt_flow_mem *mem)
{
	return !mem->fixed && mem->index == RT_NO_REG && (mem->base == w->sp || mem->base == w->fp);
}

/* NULL: it is none, not known, or with `add` there is no room. */
static struct rt_walk_slot *slot_of(struct rt_switch_walk *w, const struct rt_flow_mem *mem,
				    bool add)
{
	unsigned i;

	if (!in_frame(w, mem))
		return NULL;
	for (i = 0; i < w->nslots; i++)
		if (w->slots[i].disp == mem->disp && w->slots[i].base == mem->base)
			return &w->slots[i];
	if (!add || w->nslots == RT_WALK_SLOTS)
		return NULL;
	w->slots[w->nslots] = (struct rt_walk_slot){ .disp = mem->disp, .base = mem->base };
	return &w->slots[w->nslots++];
}

/* In 32 bits: is it what the caller has given? */
static bool is_argument(const struct rt_switch_walk *w, const struct rt_flow_mem *mem)
{
	return !w->wide && in_frame(w, mem) &&
	       (int32_t)mem->disp > (mem->base == w->sp ? w->depth : w->frame);
}

/*
 * Is the value there not from the frame?  Compilers store the frame's own addresses in it.
 */
static bool is_elsewhere(struct rt_switch_walk *w, const struct rt_flow_mem *mem)
{
	const struct rt_walk_slot *slot = slot_of(w, mem, false);

	if (is_argument(w, mem))
		return true;
	return slot ? slot->foreign && !slot->near
		    : !has(w->r.near | 1u << w->sp | 1u << w->fp, mem->base);
}

static bool is_foreign(struct rt_switch_walk *w, const struct rt_flow *f)
{
	if (f->op == RT_OP_COPY || f->op == RT_OP_PLUS)
		return has(w->r.foreign, f->from);
	return f->op == RT_OP_LOAD && is_elsewhere(w, &f->mem);
}

/*
 * Compilers add nothing to the stack pointer, and what they take from it is a size, which they have
 * worked out before, and may have saved.
 */
static bool is_far_sum(struct rt_switch_walk *w, const struct rt_flow *f)
{
	uint32_t far = w->r.given | w->r.sums |
		       (w->load == RT_LOAD_OF_SUM ? w->r.foreign | w->r.results : 0);

	if (f->uses)
		return (w->load == RT_LOAD_OF_SUM || !in_frame(w, &f->used)) &&
		       is_elsewhere(w, &f->used);
	return has(far, f->other) || has(far, f->mem.base) || has(far, f->mem.index);
}

/* xchg of two registers */
static bool is_exchange(const struct rt_flow *f)
{
	return f->op == RT_OP_OTHER && f->to != RT_NO_REG && f->other != f->to &&
	       has(f->writes, f->other);
}

/* The register that the stack pointer is loaded from, or exchanged with. */
static int source_of(const struct rt_switch_walk *w, const struct rt_flow *f)
{
	if (f->op == RT_OP_COPY || f->op == RT_OP_PLUS)
		return f->from;
	return is_exchange(f) ? f->to == w->sp ? f->other : f->to : RT_NO_REG;
}

/* Is the stack pointer loaded here from what no compiler loads it from? */
static bool is_far(struct rt_switch_walk *w, const struct rt_flow *f)
{
	if (w->load == RT_LOAD_OF_SUM || w->load == RT_LOAD_OF_SIZE)
		return is_far_sum(w, f);
	if (is_exchange(f))
		return !has(w->r.copies, source_of(w, f)) ||
		       has(w->r.given | w->r.foreign | w->r.results, source_of(w, f));
	if (f->op == RT_OP_COPY && has(w->r.results, f->from))
		return true;
	/* popped after a push */
	if (f->op == RT_OP_LOAD && f->mem.base == w->sp && !f->mem.disp && in_frame(w, &f->mem))
		return !slot_of(w, &f->mem, false) || is_foreign(w, f);
	if (f->op == RT_OP_COPY || f->op == RT_OP_PLUS ||
	    (f->op == RT_OP_LOAD && in_frame(w, &f->mem)))
		return is_foreign(w, f);
	return f->op != RT_OP_LOAD || !has(w->r.copies, f->mem.base) ||
	       has(w->r.foreign | w->r.given, f->mem.base);
}

static void keep(struct rt_switch_walk *w, const struct rt_flow *f)
{
	struct rt_walk_slot *slot = slot_of(w, &f->mem, true);

	if (!slot)
		return;
	slot->near |= has(w->r.near | 1u << w->sp, f->from);
	slot->foreign |= has(w->r.foreign | w->r.results | w->r.given | w->r.sums, f->from);
}

/*
 * Is it made of something and an address?  Where a size is taken from the frame's it is the frame's
 * still.
 */
static bool is_sum(const struct rt_switch_walk *w, const struct rt_flow *f)
{
	const struct rt_walk_registers *r = &w->r;
	uint32_t any = r->near | r->foreign | r->results | r->given | r->sums | 1u << w->sp;

	if (f->other != RT_NO_REG)
		return f->other != f->from && !is_exchange(f) &&
		       (has(any, f->other) || has(any & ~(r->near | 1u << w->sp), f->from));
	return !f->has_mem && f->mem.index != RT_NO_REG &&
	       (has(any, f->mem.base) || has(any, f->mem.index));
}

static bool is_leave(const struct rt_flow *f)
{
	return f->sp == RT_SP_OF_FRAME && f->amount && f->fp == RT_FP_LOST;
}

/*
 * In 32 bits, where arguments are on the stack.  Behind a return the stack is again as before the
 * one that stood there.
 */
static void go_deeper(struct rt_switch_walk *w, const struct rt_flow *f)
{
	if (f->kind == RT_FLOW_JUMP || f->kind == RT_FLOW_RETURN) {
		w->most = w->unknown ? 0 : w->most;
		w->depth = w->most;
		return;
	}
	if (f->fp == RT_FP_OF_SP)
		w->frame = w->depth < FAR ? w->depth - f->fp_amount : FAR;
	if (f->sp == RT_SP_ADDED && w->depth < FAR)
		w->depth -= f->amount;
	else if (f->sp != RT_SP_ADDED && f->sp != RT_SP_UNCHANGED)
		w->depth = f->sp == RT_SP_OF_FRAME && w->frame < FAR ? w->frame - f->amount : FAR;
	w->most = w->depth > w->most ? w->depth : w->most;
}

static void go_on(struct rt_switch_walk *w, const struct rt_flow *f)
{
	struct rt_walk_registers *r = &w->r;
	uint32_t to = f->to == RT_NO_REG || f->op == RT_OP_STORE ? 0 : f->writes & 1u << f->to;
	const struct rt_walk_slot *slot = f->op == RT_OP_LOAD ? slot_of(w, &f->mem, false) : NULL;
	bool moved = f->op == RT_OP_COPY || f->op == RT_OP_PLUS;
	bool far = is_foreign(w, f), result = f->op == RT_OP_COPY && has(r->results, f->from);
	bool given = moved && has(r->given, f->from),
	     sum = is_sum(w, f) || (moved && has(r->sums, f->from));
	/* aarch64 loads two at once. */
	uint32_t loaded = f->op == RT_OP_LOAD && !in_frame(w, &f->mem) ? f->writes : to;

	if (f->op == RT_OP_STORE)
		keep(w, f);
	if (is_leave(f))
		w->left |= has(r->foreign | r->results | r->given | r->sums, w->fp);
	r->foreign = (r->foreign & ~f->writes) | (far ? loaded : 0);
	r->results = (r->results & ~f->writes) | (f->kind == RT_FLOW_CALL ? 1 << RESULT
						  : result		  ? to
									  : 0);
	r->sums = (r->sums & ~f->writes) | (sum ? to : 0);
	/* Code behind a jump is reached from elsewhere. */
	if (f->kind == RT_FLOW_JUMP || f->kind == RT_FLOW_RETURN) {
		r->foreign = r->results = r->sums = 0;
		r->given = w->unknown ? w->arguments : r->given & w->arguments;
	}
	r->near &= ~f->writes;
	if ((f->op == RT_OP_COPY && has(r->near | 1u << w->sp, f->from)) ||
	    (!f->has_mem && f->mem.base == w->sp) || (slot && slot->near))
		r->near |= to;
	if (is_exchange(f) && has(f->writes, w->sp))
		r->near |= 1u << source_of(w, f);
	r->copies |= r->near;
	r->given = (r->given & ~f->writes) | (given ? to : 0);
}

/* Is the frame's address stored where the caller wants it? */
static bool is_stored(const struct rt_switch_walk *w, const struct rt_flow *f)
{
	return f->op == RT_OP_STORE && has(w->r.near, f->from) && has(w->r.given, f->mem.base);
}

void rt_walk(struct rt_switch_walk *w, struct rt_code *code, uint64_t start, const uint8_t *bytes,
	     size_t n, uint64_t addr)
{
	const struct rt_arch *arch = rt_code_image(code)->arch;
	const struct rt_word_switches *words = arch->switches;
	struct rt_flow f;
	size_t at;
	int source;

	w->wide = arch->word == 8;
	w->sp = words ? words->sp : SP;
	w->fp = words ? words->fp : FP;
	w->arguments = words ? words->arguments : w->wide ? ARGUMENTS : 0;
	w->depth = w->most = 0;
	w->frame = FAR;
	w->r = (struct rt_walk_registers){ .given = w->arguments, .copies = w->r.copies };
	for (at = 0; at < n; at += f.size) {
		if (!(words ? words->decode(bytes + at, n - at, &f)
			    : rt_flow_decode(arch, rt_code_decoder(code), bytes + at, n - at,
					     start + at, &f))) {
			w->failed = true;
			break;
		}
		if (start + at == addr) {
			source = source_of(w, &f);
			/*
			 * The assembly of libffi continues in what was made for it in its caller's
			 * frame: lea 176(%r10),%rsp.
			 */
			w->handed = has(f.value ? w->r.given & w->arguments : w->r.given, source);
			w->copied = has(w->r.copies, source);
			/*
			 * After an exchange the other one leads to the frame, and counts as that
			 * the second time.
			 */
			if (!w->there || !is_exchange(&f))
				w->far = is_far(w, &f);
			w->there = true;
			/*
			 * There are many arrays of variable length, and what comes behind says
			 * nothing of them.
			 */
			if (w->load == RT_LOAD_OF_SIZE && !w->unknown)
				return;
		}
		go_on(w, &f);
		go_deeper(w, &f);
		w->framed |= f.fp == RT_FP_OF_SP;
		w->stored |= words ? is_stored(w, &f)
				   : rt_load_stored(bytes + at, w->r.copies, w->wide);
		/* the bytes behind may be data */
		if (w->unknown && w->there &&
		    (f.kind == RT_FLOW_RETURN || f.kind == RT_FLOW_JUMP ||
		     f.kind == RT_FLOW_INDIRECT))
			break;
	}
}

/*
 * Most of what looks like pop is a distance in another instruction.  From anywhere before it the
 * disassembler is soon in step.
 */
bool rt_walk_is_instruction(struct rt_code *code, uint64_t addr, const uint8_t *p, size_t n)
{
	const struct rt_arch *arch = rt_code_image(code)->arch;
	size_t before = n < RT_LOAD_NEAR ? n : RT_LOAD_NEAR, first, at;
	struct rt_flow f;

	for (first = 0; first < 3; first++) {
		for (at = first; at < before; at += f.size)
			if (!rt_flow_decode(arch, rt_code_decoder(code), p - before + at,
					    before - at + INSN_MAX, addr - before + at, &f))
				f.size = 1;
		if (at == before)
			return true;
	}
	return !before;
}

bool rt_walk_ends_in_leave(struct rt_code *code, uint64_t addr, const uint8_t *p)
{
	const struct rt_arch *arch = rt_code_image(code)->arch;
	struct rt_flow f;
	size_t at;

	for (at = 0; at + INSN_MAX <= RT_LOAD_NEAR; at += f.size)
		if (!rt_flow_decode(arch, rt_code_decoder(code), p + at, INSN_MAX, addr + at, &f) ||
		    f.kind == RT_FLOW_RETURN)
			return false;
		else if (at && f.fp == RT_FP_LOST && f.op != RT_OP_PLUS)
			return is_leave(&f);
	return false;
}
