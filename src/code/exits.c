/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits: the instructions by which a call of a function ends.  A uretprobe replaces the return
 * address, which some programs inspect; probes on the exits change nothing that a program sees.
 *
 * gcc -O2 makes of `int f(int n) { return n < 2 ? n : g(n - 1); }`:
 *
 *	 0:	cmp    $0x1,%edi
 *	 3:	jle    10
 *	 5:	sub    $0x1,%edi
 *	 8:	jmp    g		RT_EXIT_JUMP: g returns to the caller of f
 *	 d:	nopl   (%rax)		padding; no path leads here
 *	10:	mov    %edi,%eax
 *	12:	ret			RT_EXIT_RETURN
 *
 * Approach: follow all paths from the entry, with the depth of the stack.  The start of an
 * instruction is never guessed, because a breakpoint in data would change the program.  If two
 * paths disagree, the function has no exit probes.  The paths also lead
 *	- through jump tables with a bound that a path has to prove (code/tables.c); without one
 *	  the table ends where an entry leads elsewhere (code/exits_jumps.c),
 *	- to landing pads, which only .gcc_except_table names (code/landing.c),
 *	- to cold parts, and to code without a symbol, which may be a cold part.
 * An indirect jump is a tail call if the frame was released before it, or if nothing in the file
 * points into the function.
 *
 * Limits: a function with code that cannot be decoded, or with a jump to an unknown address, has
 * no exit probes.  In a stripped program another function may be followed as a cold part; its
 * returns belong to other stack pointers and are ignored (rt_exits_include).  Go on x86 has
 * nothing but code in a function, so code that no path reaches is followed there, too (Go 1.27).
 */
#include "code/exits.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/exits_private.h"
#include "elf/file.h"
#include "go/go.h"

enum { LANDINGS = 512, LOCK = 0xf0 };

static const char unclear[] = "its code cannot be distinguished from data";
static const char outside[] = "it jumps to a place that is not known";

void rt_walk_fail(struct rt_walk *w, const char *why)
{
	if (!w->exits->why)
		w->exits->why = why;
}

void rt_walk_nomem(struct rt_walk *w)
{
	w->nomem = true;
	rt_walk_fail(w, "out of memory");
}

void rt_walk_later(struct rt_walk *w, uint64_t addr, uint64_t from, struct rt_depth depth)
{
	if (RT_ROOM(&w->todo, w->ntodo, &w->cap) < 0)
		rt_walk_nomem(w);
	else
		w->todo[w->ntodo++] = (struct rt_todo){ addr, from, depth };
}

struct rt_depth rt_walk_depth(const struct rt_walk *w, uint64_t addr)
{
	const struct rt_stretch *p = rt_body_piece(&w->body, addr);

	return p->depths[addr - p->start];
}

/* ---- what leaves ---- */

uint64_t rt_walk_slot(const struct rt_flow *f)
{
	return f->kind == RT_FLOW_INDIRECT && f->has_mem && f->mem.fixed &&
			       f->mem.index == RT_NO_REG
		       ? (uint64_t)f->mem.disp
		       : 0;
}

/* DWARF's number of a register, and 1. */
static uint8_t dwarf_number(const struct rt_arch *arch, int8_t reg)
{
	unsigned n = (unsigned)reg;

	if (reg >= 0 && n < arch->nnumbers)
		n = arch->numbers[reg];
	return reg >= 0 && n < arch->ndwarf ? (uint8_t)(n + 1) : 0;
}

/*
 * Which register tells where an indirect jump leads?  A slot of the file is at a fixed distance
 * from the jump, wherever the file is mapped.
 */
static void find_register(const struct rt_arch *arch, const struct rt_flow *f, struct rt_exit *e)
{
	int64_t disp = e->slot ? (int64_t)(e->slot - e->at.addr) : f->has_mem ? f->mem.disp : 0;
	bool readable = e->slot || !f->has_mem || (!f->mem.fixed && f->mem.index == RT_NO_REG);

	if (f->kind != RT_FLOW_INDIRECT || !readable || disp < INT32_MIN || disp > INT32_MAX)
		return;
	e->by = e->slot ? RT_BY_IP : dwarf_number(arch, f->has_mem ? f->mem.base : f->to);
	e->loads = f->has_mem;
	e->disp = (int32_t)disp;
}

void rt_walk_exit(struct rt_walk *w, uint64_t addr, const struct rt_flow *f, enum rt_exit_kind kind,
		  bool self)
{
	struct rt_exits *e = w->exits;
	size_t i;

	/*
	 * An instruction is come to again when less turns out to be known of the stack pointer
	 * there.
	 */
	for (i = 0; i < e->n; i++)
		if (e->v[i].at.addr == addr)
			return;
	if (RT_ROOM(&e->v, e->n, &e->cap) < 0) {
		rt_walk_nomem(w);
		return;
	}
	memset(&e->v[e->n], 0, sizeof(e->v[0]));
	e->v[e->n].at.addr = addr;
	e->v[e->n].at.size = f->size;
	e->v[e->n].target = f->has_target ? f->target : 0;
	e->v[e->n].slot = kind == RT_EXIT_JUMP ? rt_walk_slot(f) : 0;
	e->v[e->n].callee = UINT32_MAX;
	if (kind == RT_EXIT_JUMP)
		find_register(w->body.arch, f, &e->v[e->n]);
	e->v[e->n].kind = kind;
	e->v[e->n].self = self;
	if (kind == RT_EXIT_MAYBE)
		e->v[e->n].condition = (uint8_t)(f->condition - 1);
	e->n++;
}

bool rt_walk_is_own_part(const struct rt_walk *w, const char *part)
{
	const struct rt_symbol *v;
	size_t i, n, len;

	v = rt_symbols_at(rt_code_image(w->code), w->entry, &n);
	for (i = 0; i < n; i++) {
		len = strlen(v[i].name);
		if (strncmp(part, v[i].name, len) == 0 && strncmp(part + len, ".cold", 5) == 0)
			return true;
	}
	return false;
}

static void add_piece(struct rt_walk *w, uint64_t start, uint64_t end)
{
	static const struct rt_depth unknown = { RT_DEPTH_UNKNOWN, RT_DEPTH_UNKNOWN };
	uint64_t landings[LANDINGS];
	const char *why = rt_body_add(&w->body, start, end, &w->nomem);
	int i, n;

	if (why) {
		rt_walk_fail(w, why);
		return;
	}
	n = rt_code_landings(w->code, start, landings, LANDINGS);
	if (n < 0)
		rt_walk_fail(w, "its exception handlers are not known");
	for (i = 0; i < n; i++)
		rt_walk_later(w, landings[i], 0, unknown);
}

/* The symbol with `addr` in its code; of several the one that begins last. */
static const struct rt_symbol *symbol_of(const struct rt_walk *w, uint64_t addr)
{
	const struct rt_symbol *s = rt_symbol_before(rt_code_image(w->code), addr + 1);

	return s && addr - s->addr < s->size ? s : NULL;
}

/*
 * The piece of code that a jump leads to, which is to be followed as if it were the function's own:
 * its cold part, or what has no name and may be that.  (Another function without a name returns for
 * this one, which has become it by a tail call; and what it returns to others has another stack
 * pointer than this one's calls.)
 */
static bool is_followed(const struct rt_walk *w, uint64_t target, uint64_t *start, uint64_t *end)
{
	const struct rt_symbol *s = symbol_of(w, target);

	if (target == w->entry || rt_code_is_stub(w->code, target) ||
	    (s && !rt_walk_is_own_part(w, s->name)))
		return false;
	if (!s)
		return rt_code_span(w->code, target, start, end);
	*start = s->addr;
	*end = s->addr + s->size;
	return true;
}

bool rt_walk_cold(struct rt_walk *w, uint64_t target)
{
	const struct rt_symbol *s = symbol_of(w, target);

	if (!s || !rt_walk_is_own_part(w, s->name))
		return false;
	add_piece(w, s->addr, s->addr + s->size);
	return rt_body_piece(&w->body, target) != NULL;
}

static void add_indirect(struct rt_walk *w, uint64_t addr)
{
	if (RT_ROOM(&w->indirect, w->nindirect, &w->indirect_cap) < 0)
		rt_walk_nomem(w);
	else
		w->indirect[w->nindirect++] = addr;
}

/* The jump or call at `addr` is a return in effect. */
static void exit_by_thunk(struct rt_walk *w, uint64_t addr, const struct rt_flow *f)
{
	struct rt_flow plain = *f;

	plain.has_target = false;
	rt_walk_exit(w, addr, &plain, RT_EXIT_RETURN, false);
}

/* A jump out of what is known of the function. */
static void outward(struct rt_walk *w, uint64_t addr, const struct rt_flow *f,
		    struct rt_depth depth)
{
	/* A symbol with a guessed size (_init) may seem to reach over the stubs. */
	bool self = f->target == w->entry, stub = rt_code_is_stub(w->code, f->target);
	const struct rt_symbol *s = stub ? NULL : symbol_of(w, f->target);
	enum rt_thunk thunk = f->kind == RT_FLOW_JUMP && !self ? rt_code_thunk(w->code, f->target)
							       : RT_THUNK_NONE;
	uint64_t start, end;

	if (thunk == RT_THUNK_RETURN) {
		exit_by_thunk(w, addr, f);
		return;
	}
	if (thunk == RT_THUNK_JUMP) {
		add_indirect(w, addr);
		return;
	}
	if (is_followed(w, f->target, &start, &end)) {
		add_piece(w, start, end);
		if (!w->exits->why)
			rt_walk_later(w, f->target, addr, depth);
		return;
	}
	/*
	 * Go: the call begins once more, with a larger stack.  Calls that do not come back (panics)
	 * may be before that.
	 */
	if (self && rt_image_is_go(rt_code_image(w->code)))
		return;
	if (!self && !stub && (!s || strstr(s->name, ".cold")))
		rt_walk_fail(w, outside);
	else if (depth.sp != 0 && (depth.sp != RT_DEPTH_UNKNOWN || (s && s->addr != f->target)))
		rt_walk_fail(w, "it jumps out with something of its own on the stack");
	else if (f->kind == RT_FLOW_BRANCH && !f->condition)
		rt_walk_fail(w, "a conditional jump exits it; whether it is taken is not known");
	else
		rt_walk_exit(w, addr, f, f->kind == RT_FLOW_BRANCH ? RT_EXIT_MAYBE : RT_EXIT_JUMP,
			     self);
}

static void jump(struct rt_walk *w, uint64_t addr, const struct rt_flow *f, struct rt_depth depth)
{
	if (f->target != w->entry && rt_body_piece(&w->body, f->target))
		rt_walk_later(w, f->target, addr, depth);
	else
		outward(w, addr, f, depth);
}

/* ---- the way ---- */

/* The stack behind an instruction. */
static struct rt_depth behind(const struct rt_flow *f, struct rt_depth depth)
{
	struct rt_depth next = depth;

	if (f->sp == RT_SP_ADDED && depth.sp != RT_DEPTH_UNKNOWN)
		next.sp = depth.sp - f->amount;
	else if (f->sp == RT_SP_OF_FRAME && depth.fp != RT_DEPTH_UNKNOWN)
		next.sp = depth.fp - f->amount;
	else if (f->sp != RT_SP_UNCHANGED)
		next.sp = RT_DEPTH_UNKNOWN;
	if (f->fp == RT_FP_LOST)
		next.fp = RT_DEPTH_UNKNOWN;
	else if (f->fp == RT_FP_OF_SP)
		next.fp = depth.sp == RT_DEPTH_UNKNOWN ? RT_DEPTH_UNKNOWN : depth.sp - f->fp_amount;
	return next;
}

/*
 * A function that goes deeper than a stack is none that we understand; and no sum of these
 * overflows.
 */
static bool is_sane(struct rt_depth depth)
{
	return (depth.sp == RT_DEPTH_UNKNOWN || (depth.sp > -(1 << 29) && depth.sp < 1 << 29)) &&
	       (depth.fp == RT_DEPTH_UNKNOWN || (depth.fp > -(1 << 29) && depth.fp < 1 << 29));
}

static bool merge(int32_t *known, int32_t now)
{
	if (*known == now || *known == RT_DEPTH_UNKNOWN)
		return false;
	*known = RT_DEPTH_UNKNOWN;
	return true;
}

/* Mark the instruction.  False: its bytes belong to others already. */
static bool claim(struct rt_stretch *p, size_t at, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (at + i >= (size_t)(p->end - p->start) || p->marks[at + i])
			return false;
	p->marks[at] = RT_MARK_BEGIN;
	memset(p->marks + at + 1, RT_MARK_INSIDE, size - 1);
	return true;
}

/* Come to the instruction at `addr`.  False: there is nothing new to follow from here. */
static bool arrive(struct rt_walk *w, struct rt_stretch *p, uint64_t addr, uint64_t from,
		   struct rt_depth *depth, struct rt_flow *f)
{
	size_t at = (size_t)(addr - p->start);
	bool sp, fp;

	/* Past a LOCK prefix: the same instruction without it. */
	if (p->marks[at] == RT_MARK_INSIDE && p->marks[at - 1] == RT_MARK_BEGIN &&
	    p->bytes[at - 1] == LOCK)
		return false;
	if (p->marks[at] == RT_MARK_INSIDE || !rt_body_decode(&w->body, addr, f)) {
		rt_walk_fail(w, unclear);
		return false;
	}
	if (p->joins[at] < UINT8_MAX)
		p->joins[at]++;
	if (p->marks[at] == RT_MARK_BEGIN) {
		sp = merge(&p->depths[at].sp, depth->sp);
		fp = merge(&p->depths[at].fp, depth->fp);
		*depth = p->depths[at];
		return sp || fp;
	}
	if (!claim(p, at, f->size)) {
		rt_walk_fail(w, unclear);
		return false;
	}
	p->depths[at] = *depth;
	p->before[at] = from;
	return true;
}

static void add_address(struct rt_walk *w, struct rt_calls *list, uint64_t addr)
{
	if (RT_ROOM(&list->v, list->n, &list->cap) < 0)
		rt_walk_nomem(w);
	else
		list->v[list->n++] = addr;
}

static void makes_address(struct rt_walk *w, uint64_t addr)
{
	if (!rt_body_piece(&w->body, addr))
		add_address(w, &w->addresses, addr);
	else if (addr != w->entry)
		w->own_address = true;
}

static void call(struct rt_walk *w, uint64_t next, const struct rt_flow *f, struct rt_depth *depth)
{
	if (!f->has_target)
		return;
	if (f->target == next) {		/* how 32-bit code learns where it is */
		if (depth->sp != RT_DEPTH_UNKNOWN)
			depth->sp += w->body.arch->word;
	} else if (f->target != w->entry && rt_body_piece(&w->body, f->target) &&
		   rt_body_piece(&w->body, f->target)->start != f->target) {
		rt_walk_fail(w, "it calls into its own middle");
	} else if (w->calls) {
		add_address(w, w->calls, f->target);
	}
}

/*
 * Is it the return address that is read there, or changed?  __builtin_return_address(0) is that, a
 * walk over frame pointers begins so, and assembly finds by it what is behind the call.
 */
static bool is_return_used(const struct rt_flow *f, struct rt_depth depth)
{
	enum { SP = 4, FP = 5 };

	if (!f->uses || f->used.fixed || f->used.index != RT_NO_REG)
		return false;
	return (f->used.base == SP && depth.sp != RT_DEPTH_UNKNOWN && f->used.disp == depth.sp) ||
	       (f->used.base == FP && depth.fp != RT_DEPTH_UNKNOWN && f->used.disp == depth.fp);
}

/* Follow the way from an instruction on, until it ends or joins one that was followed before. */
static void follow(struct rt_walk *w, const struct rt_todo *todo)
{
	uint64_t addr = todo->addr, from = todo->from, next;
	struct rt_depth depth = todo->depth;
	struct rt_stretch *p = rt_body_piece(&w->body, addr);
	bool after_call = false;
	struct rt_flow f;

	if (!p) {
		rt_walk_fail(w, outside);
		return;
	}
	for (; arrive(w, p, addr, from, &depth, &f); from = addr, addr = next) {
		next = addr + f.size;
		w->exits->reads_return_address |= w->body.arch->form && is_return_used(&f, depth);
		if (f.op == RT_OP_ADDRESS)
			makes_address(w, (uint64_t)f.value);
		if (f.op == RT_OP_ADDRESS && w->calls && w->calls->addresses)
			add_address(w, w->calls, (uint64_t)f.value);
		if (f.kind == RT_FLOW_CALL && f.has_target && rt_body_piece(&w->body, f.target) &&
		    rt_code_thunk(w->code, addr) == RT_THUNK_RETURN) {
			exit_by_thunk(w, addr, &f);
			return;
		}
		if (f.kind == RT_FLOW_RETURN)
			rt_walk_exit(w, addr, &f, RT_EXIT_RETURN, false);
		else if (f.kind == RT_FLOW_JUMP && after_call && f.target == p->end &&
			 depth.sp != 0)
			return;		/* clang: behind a call that does not come back */
		else if (f.kind == RT_FLOW_JUMP || f.kind == RT_FLOW_BRANCH)
			jump(w, addr, &f, depth);
		else if (f.kind == RT_FLOW_STRANGE)
			rt_walk_fail(w, "it has a jump that is not understood");
		else if (f.kind == RT_FLOW_CALL)
			call(w, next, &f, &depth);
		if (f.kind == RT_FLOW_INDIRECT)
			add_indirect(w, addr);
		if ((f.kind != RT_FLOW_NEXT && f.kind != RT_FLOW_CALL &&
		     f.kind != RT_FLOW_BRANCH) ||
		    w->exits->why)
			return;
		after_call = f.kind == RT_FLOW_CALL;
		depth = behind(&f, depth);
		/* It has taken its return address off the stack. */
		w->exits->reads_return_address |=
			w->body.arch->form && depth.sp != RT_DEPTH_UNKNOWN && depth.sp < 0;
		if (!is_sane(depth))
			rt_walk_fail(w, unclear);
		if (next < p->end)
			continue;
		/* Behind a call it is one that does not come back; Go puts a nop there. */
		if (f.kind != RT_FLOW_CALL && !rt_image_is_go(rt_code_image(w->code)))
			rt_walk_fail(w, "it runs on past its end");
		return;
	}
}

static int compare_exits(const void *a, const void *b)
{
	const struct rt_exit *x = a, *y = b;

	return x->at.addr < y->at.addr ? -1 : x->at.addr > y->at.addr;
}

static void walk(struct rt_walk *w)
{
	struct rt_todo todo;
	uint64_t addr;

	do {
		if (w->ntodo) {
			todo = w->todo[--w->ntodo];
			follow(w, &todo);
		} else if (w->nindirect) {
			addr = w->indirect[--w->nindirect];
			rt_walk_understand(w, addr);
		}
		if (!w->exits->why && !w->ntodo && !w->nindirect && !rt_walk_lengthen(w) &&
		    w->tables)
			rt_walk_check_whole(w);
	} while (!w->exits->why && (w->ntodo || w->nindirect));
	if (!w->exits->why)
		rt_walk_check_exits(w);
}

/* Most functions have one exit or two, and there may be a hundred thousand functions. */
static void trim(struct rt_exits *exits)
{
	struct rt_exit *v = NULL;

	if (exits->n)
		v = realloc(exits->v, exits->n * sizeof(*v));
	else
		free(exits->v);
	if (v || !exits->n) {
		exits->v = v;
		exits->cap = exits->n;
	}
}

int rt_walk_function(struct rt_code *code, uint64_t addr, uint64_t size, bool unwinder,
		     struct rt_calls *calls, struct rt_exits *exits)
{
	static const struct rt_depth at_entry = { 0, RT_DEPTH_UNKNOWN };
	struct rt_walk w = {
		.code = code, .exits = exits, .entry = addr, .unwinder = unwinder, .calls = calls
	};

	memset(exits, 0, sizeof(*exits));
	exits->image = rt_code_image(code);
	exits->why = rt_code_undecodable(code);
	if (exits->why)
		return 0;
	w.body.code = code;
	w.body.arch = rt_image_arch(rt_code_image(code));
	add_piece(&w, addr, addr + size);
	rt_walk_later(&w, addr, 0, at_entry);
	walk(&w);
	rt_body_free(&w.body);
	free(w.todo);
	free(w.indirect);
	free(w.unbounded);
	free(w.addresses.v);
	if (exits->why)
		exits->n = 0;
	else if (exits->n)
		qsort(exits->v, exits->n, sizeof(*exits->v), compare_exits);
	trim(exits);
	return w.nomem ? -ENOMEM : 0;
}

int rt_exits_find(struct rt_code *code, uint64_t addr, uint64_t size, struct rt_exits *exits)
{
	return rt_walk_function(code, addr, size, false, NULL, exits);
}

int rt_exits_find_unwinder(struct rt_code *code, uint64_t addr, uint64_t size,
			   struct rt_exits *exits)
{
	return rt_walk_function(code, addr, size, true, NULL, exits);
}

bool rt_exits_include(const struct rt_exits *whole, const struct rt_exits *part)
{
	size_t i = 0, k = 0;

	/* Both are in order.  A jump back to either's beginning is an exit of that one alone. */
	while (i < whole->n && k < part->n && whole->v[i].at.addr != part->v[k].at.addr) {
		if (whole->v[i].at.addr < part->v[k].at.addr)
			i++;
		else
			k++;
	}
	return i < whole->n && k < part->n && whole->image == part->image;
}

void rt_exits_free(struct rt_exits *exits)
{
	size_t i;

	for (i = 0; i < exits->n; i++) {
		free(exits->v[i].to);
		free(exits->v[i].through);
	}
	free(exits->v);
	memset(exits, 0, sizeof(*exits));
}

bool rt_exit_taken(uint8_t condition, uint64_t flags)
{
	bool c = flags & 1, p = flags >> 2 & 1, z = flags >> 6 & 1, s = flags >> 7 & 1,
	     o = flags >> 11 & 1;
	const bool holds[8] = { o, c, z, c || z, s, p, s != o, z || s != o };

	return holds[condition >> 1 & 7] != (condition & 1);
}

/* ---- functions that leave by longjmp ---- */

/* glibc's longjmp calls __longjmp; for aarch64 its __longjmp_chk calls a function that calls it. */
enum { DEEPEST = 2 };

enum { OTHERS, LEAPS, NEVER_LEFT };

/*
 * By what is it left: does all lead to other functions' frames, `jumps` only by jumps?  Or -ENOMEM.
 */
static int leaps(struct rt_code *code, uint64_t addr, uint64_t size, bool jumps,
		 struct rt_calls *calls)
{
	struct rt_exits exits;
	int r = rt_walk_function(code, addr, size, true, calls, &exits);
	size_t i;

	for (i = 0; i < exits.n && exits.v[i].away && !(jumps && exits.v[i].kind == RT_EXIT_RETURN);
	     i++)
		;
	if (r == 0)
		r = exits.why || i < exits.n ? OTHERS : i ? LEAPS : NEVER_LEFT;
	rt_exits_free(&exits);
	return r;
}

/*
 * The function that is called at `addr`: all of it, by its symbol, or as the file describes it for
 * unwinding.
 */
static bool function_at(struct rt_code *code, uint64_t addr, uint64_t *size)
{
	const struct rt_symbol *s = rt_symbol_before(rt_code_image(code), addr + 1);
	uint64_t start, end;

	if (s && s->addr == addr && s->sized) {
		*size = s->size;
		return true;
	}
	if (!rt_code_span(code, addr, &start, &end) || start != addr)
		return false;
	*size = end - start;
	return true;
}

/*
 * LEAPS where it or one that it calls for good does, which `*addr` and `*size` are then of; OTHERS,
 * or -ENOMEM.
 */
static int find(struct rt_code *code, uint64_t *addr, uint64_t *size, unsigned deep)
{
	struct rt_calls calls = { NULL, 0, 0, false };
	int r = leaps(code, *addr, *size, false, &calls);
	uint64_t start, bytes;
	size_t i;

	/* Callees that return to longjmp are not its last step. */
	if (r == OTHERS && deep)
		calls.n = 0;
	if (r == NEVER_LEFT)
		r = OTHERS;
	for (i = 0; i < calls.n && r == OTHERS && deep < DEEPEST; i++) {
		start = calls.v[i];
		if (!function_at(code, start, &bytes))
			continue;
		r = find(code, &start, &bytes, deep + 1);
		if (r == LEAPS) {
			*addr = start;
			*size = bytes;
		}
	}
	free(calls.v);
	return r;
}

/* Add a function's callees, or the addresses that it takes, behind the `n` in `v`. */
static int add_calls(const struct rt_calls *calls, uint64_t *v, size_t n, size_t max)
{
	size_t i, k;

	for (i = 0; i < calls->n && n < max; i++) {
		for (k = 0; k < n && v[k] != calls->v[i]; k++)
			;
		if (k == n)
			v[n++] = calls->v[i];
	}
	return (int)n;
}

/*
 * glibc's __pthread_unwind_next hands a function to the unwinder, and that one leaves: the nearest
 * that does, whether it is called or its address taken.  On the way there are functions that end
 * the process: the stack pointer behind its calls is not known; they have returns.
 */
static int find_handed(struct rt_code *code, uint64_t *addr, uint64_t *size)
{
	enum { ASKED = 48 };
	uint64_t v[ASKED] = { *addr };
	int i, n = 1, r = OTHERS;

	for (i = 0; i < n && r == OTHERS; i++) {
		struct rt_calls calls = { NULL, 0, 0, true };

		if (!function_at(code, v[i], size))
			continue;
		r = leaps(code, v[i], *size, true, &calls);
		*addr = v[i];
		n = add_calls(&calls, v, (size_t)n, ASKED);
		free(calls.v);
		if (r == NEVER_LEFT)
			r = OTHERS;
	}
	return r;
}

/* The C library has its last step in assembly, of which a stripped file has no name. */
int rt_exits_find_leap(struct rt_code *code, bool handed, uint64_t *addr, uint64_t *size)
{
	int r = handed ? find_handed(code, addr, size) : find(code, addr, size, 0);

	return r < 0 ? r : r == LEAPS ? 0 : -ENOENT;
}

/* ---- what else may lead into or out of the function ---- */

enum { INSN_MAX = 16, BACK = 8 };

/* Bytes between functions and before loops. */
static size_t padding(const struct rt_body *body, const uint8_t *p, size_t n)
{
	size_t i = 0;
	uint32_t word;

	if (body->arch->insn_align == 4) {
		word = n >= 4 ? rt_arch_word(p) : 1;
		return word == 0 || word == 0xd503201f ? 4 : 0;
	}
	if (p[0] == 0xcc || p[0] == 0x90 || p[0] == 0)
		return 1;
	/* ud2: what the compiler knows never to happen, behind a jump by a table. */
	if (n >= 2 && p[0] == 0x0f && p[1] == 0x0b)
		return 2;
	while (i < n && (p[i] == 0x66 || p[i] == 0x2e))
		i++;
	if (i < n && p[i] == 0x90)
		return i + 1;
	if (i + 2 >= n || p[i] != 0x0f || p[i + 1] != 0x1f)
		return 0;
	i += 3 + ((p[i + 2] & 7) == 4) + (p[i + 2] >> 6 == 1 ? 1 : p[i + 2] >> 6 == 2 ? 4 : 0);
	return i <= n ? i : 0;
}

/* Constants and tables of jumps stand elsewhere; assembly may have them. */
static bool is_all_code(const struct rt_walk *w)
{
	const struct rt_go *go = rt_image_go(rt_code_image(w->code));
	struct rt_go_function f;

	if (!w->body.arch->go_code || !w->body.arch->go_code->no_data || !go || !go->has_table ||
	    go->table.since < 18)
		return false;
	return rt_pclntab_find(&go->table, w->entry, &f) && f.addr == w->entry && !f.assembly;
}

/*
 * If there are tables, unreached code may belong to a table that was not recognized.  It is
 * followed if it is certainly code: Go 1.27 has returns that nothing reaches.
 */
void rt_walk_check_whole(struct rt_walk *w)
{
	static const struct rt_depth unknown = { RT_DEPTH_UNKNOWN, RT_DEPTH_UNKNOWN };
	size_t at, n, size;
	unsigned i;

	for (i = 0; i < w->body.n; i++) {
		const struct rt_stretch *p = &w->body.v[i];

		n = (size_t)(p->end - p->start);
		for (at = 0; at < n; at += size) {
			size = p->marks[at] ? 1 : padding(&w->body, p->bytes + at, n - at);
			if (size)
				continue;
			if (is_all_code(w))
				rt_walk_later(w, p->start + at, 0, unknown);
			else
				rt_walk_fail(w, "not all of its code is reached");
			return;
		}
	}
}

static uint8_t form_at(const struct rt_walk *w, uint64_t addr)
{
	const struct rt_stretch *p = rt_body_piece(&w->body, addr);

	return w->body.arch->form ? (uint8_t)w->body.arch->form(p->bytes + (addr - p->start),
								(size_t)(p->end - addr))
				  : RT_FORM_OTHER;
}

static const char *refused(const struct rt_walk *w, uint64_t addr)
{
	const struct rt_stretch *p = rt_body_piece(&w->body, addr);
	size_t n = (size_t)(p->end - addr);

	n = n < INSN_MAX ? n : INSN_MAX;
	return rt_image_refuses_insn(rt_code_image(w->code), p->bytes + (addr - p->start), n);
}

/*
 * Is it a pop, leave or an addition to the stack pointer, before a return?  Anything else may set
 * the result, or memory that it leads to.
 */
static bool is_epilogue(const struct rt_flow *f)
{
	return (f->sp == RT_SP_ADDED || f->sp == RT_SP_OF_FRAME) && f->amount >= 0 &&
	       !(f->writes & 7u) && !f->has_mem;
}

/*
 * On x86: an instruction before the return, behind which there is nothing but what gives the frame
 * back, and rax, rcx and rdx stay.
 */
static void find_cheaper(const struct rt_walk *w, struct rt_exit *e)
{
	uint64_t addr = e->at.addr, before;
	const struct rt_stretch *p;
	struct rt_flow f;
	unsigned i;
	uint8_t form;

	for (i = 0; i < BACK; i++, addr = before) {
		p = rt_body_piece(&w->body, addr);
		before = p->before[addr - p->start];
		if (!before || p->joins[addr - p->start] != 1 || before < p->start ||
		    before >= addr || !rt_body_decode(&w->body, before, &f) ||
		    before + f.size != addr || f.kind != RT_FLOW_NEXT)
			return;
		form = form_at(w, before);
		if (form && (RT_FORM_BIT(form) & RT_FORMS_ASSUMED) && f.sp == RT_SP_UNCHANGED &&
		    rt_walk_depth(w, before).sp >= 0 && !refused(w, before)) {
			e->cheaper = (struct rt_exit_place){ before,
							     (uint32_t)rt_walk_depth(w, before).sp,
							     form, f.size };
			return;
		}
		if (!is_epilogue(&f))
			return;
	}
}

void rt_walk_check_exits(struct rt_walk *w)
{
	struct rt_exits *e = w->exits;
	size_t i;

	for (i = 0; i < e->n && !e->why; i++) {
		struct rt_depth depth = rt_walk_depth(w, e->v[i].at.addr);

		if (depth.sp != 0 && depth.sp != RT_DEPTH_UNKNOWN)
			rt_walk_fail(w, "it is left with something of its own on the stack");
		if (refused(w, e->v[i].at.addr))
			rt_walk_fail(w,
				     "it is left by an instruction that the kernel cannot probe");
		e->v[i].away = depth.sp == RT_DEPTH_UNKNOWN && !e->v[i].target && !e->v[i].slot;
		e->v[i].at.form = form_at(w, e->v[i].at.addr);
		if (e->v[i].kind == RT_EXIT_RETURN && w->body.arch->form)
			find_cheaper(w, &e->v[i]);
	}
}
