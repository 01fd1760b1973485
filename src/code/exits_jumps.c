/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/exits_private.h"
#include "elf/file.h"
#include "base/array.h"

enum { PATH_MAX_INSNS = 256, ENTRIES = 1 << 14, BYTES = 256 };

static const char elsewhere[] = "it has a table of jumps that also leads elsewhere";
static const char anywhere[] = "it jumps to where a register says, which may be in itself";

/* The way to `addr`, in order; its length. */
static size_t way_to(const struct rt_walk *w, uint64_t addr, uint64_t path[PATH_MAX_INSNS])
{
	size_t n = 0, i;
	uint64_t swap;

	while (addr && n < PATH_MAX_INSNS) {
		const struct rt_stretch *p = rt_body_piece(&w->body, addr);

		path[n++] = addr;
		addr = p ? p->before[addr - p->start] : 0;
	}
	for (i = 0; i < n / 2; i++) {
		swap = path[i];
		path[i] = path[n - 1 - i];
		path[n - 1 - i] = swap;
	}
	return n;
}

/* Had it something on the stack before, and has given that back? */
static bool had_frame(const struct rt_walk *w, const uint64_t *path, size_t n)
{
	while (n--)
		if (rt_walk_depth(w, path[n]).sp > 0)
			return true;
	return false;
}

/* A jump through a pointer: a tail call, or to one of the function's own places (computed goto)? */
static void through_pointer(struct rt_walk *w, uint64_t addr, const struct rt_flow *f,
			    const uint64_t *path, size_t n)
{
	uint64_t end = w->body.v[0].end;
	/*
	 * A call of a library's function (-fno-plt, Rust) in code that catches an exception: the
	 * depth is not known there.
	 */
	bool caught = rt_walk_depth(w, addr).sp == RT_DEPTH_UNKNOWN && rt_walk_slot(f);

	if (w->unwinder && rt_walk_depth(w, addr).sp == RT_DEPTH_UNKNOWN && !f->marked)
		rt_walk_exit(w, addr, f, RT_EXIT_JUMP, false);
	else if ((rt_walk_depth(w, addr).sp != 0 && !caught) || f->marked)
		rt_walk_fail(w, anywhere);
	else if (!caught && had_frame(w, path, n))
		rt_walk_exit(w, addr, f, RT_EXIT_JUMP, false);
	else if (w->body.arch->word != 8 || w->own_address ||
		 rt_code_is_pointed(w->code, w->entry + 1, end - 1))
		rt_walk_fail(w, anywhere);
	else
		rt_walk_exit(w, addr, f, RT_EXIT_JUMP, false);
}

/* Count the table's entries that lead into the function; false: one cannot be read. */
static bool count_own(struct rt_walk *w, const struct rt_jumps *t, uint64_t n, uint64_t *own)
{
	uint64_t i, target;

	for (*own = i = 0; i < n; i++) {
		if (!rt_jumps_entry(&w->body, t, i, &target))
			return false;
		*own += rt_body_piece(&w->body, target) || rt_walk_cold(w, target);
	}
	return true;
}

static void through_table(struct rt_walk *w, uint64_t addr, const struct rt_jumps *t)
{
	uint64_t i, target = 0;

	w->tables = true;
	for (i = 0; i < t->n && !w->exits->why; i++)
		if (rt_jumps_entry(&w->body, t, i, &target))
			rt_walk_later(w, target, addr, rt_walk_depth(w, addr));
}

/*
 * A table without a comparison of its index, because the compiler knows that there are no other
 * values (match in Rust, the states of async functions, __builtin_unreachable).  Its entries are
 * followed one by one.  It ends before an entry that leads elsewhere, or before a table that the
 * code behind earlier entries uses.  One entry too many leads into the middle of an instruction,
 * one too few leaves code unreached: both are detected.
 */
static void through_unbounded(struct rt_walk *w, uint64_t addr, const struct rt_jumps *t)
{
	if (RT_ROOM(&w->unbounded, w->nunbounded, &w->unbounded_cap) < 0) {
		rt_walk_nomem(w);
		return;
	}
	w->tables = true;
	w->unbounded[w->nunbounded++] = (struct rt_unbounded){ .table = *t,
							       .addr = addr,
							       .max = t->n ? t->n : ENTRIES };
}

static bool begins_another(const struct rt_walk *w, uint64_t addr)
{
	size_t i;

	for (i = 0; i < w->addresses.n && w->addresses.v[i] != addr; i++)
		;
	return i < w->addresses.n;
}

bool rt_walk_lengthen(struct rt_walk *w)
{
	const struct rt_symbol *s;
	struct rt_unbounded *u;
	uint64_t target;

	for (; w->nended < w->nunbounded; w->nended++) {
		u = &w->unbounded[w->nended];
		if (u->n == u->max ||
		    (u->n && begins_another(w, u->table.table + u->n * u->table.size)) ||
		    !rt_jumps_entry(&w->body, &u->table, u->n, &target))
			continue;
		if (rt_body_piece(&w->body, target)) {
			u->n++;
			rt_walk_later(w, target, u->addr, rt_walk_depth(w, u->addr));
			return true;
		}
		s = rt_symbol_before(rt_code_image(w->code), target + 1);
		if (s && rt_walk_is_own_part(w, s->name))
			rt_walk_fail(w, elsewhere);
	}
	return false;
}

void rt_walk_understand(struct rt_walk *w, uint64_t addr)
{
	uint64_t path[PATH_MAX_INSNS], own;
	size_t n = way_to(w, addr, path);
	struct rt_jumps t;
	struct rt_flow f;
	bool open;

	if (!rt_body_decode(&w->body, addr, &f))
		return;
	if (f.kind == RT_FLOW_JUMP) {		/* to a thunk */
		f.has_target = false;
		through_pointer(w, addr, &f, path, n);
		return;
	}
	if (!rt_jumps_find(&w->body, path, n, &t)) {
		through_pointer(w, addr, &f, path, n);
		return;
	}
	/* An index of one byte does not bound the table. */
	open = !t.n || t.n == BYTES;
	if (t.n > ENTRIES || !count_own(w, &t, open ? 1 : t.n, &own))
		rt_walk_fail(w, "it has a table of jumps that cannot be read");
	else if (!own && !t.relative)
		through_pointer(w, addr, &f, path, n);
	else if (open && own)
		through_unbounded(w, addr, &t);
	else if (open || own != t.n)
		rt_walk_fail(w, elsewhere);
	else
		through_table(w, addr, &t);
}
