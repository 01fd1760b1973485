/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>

#include "code/exits_private.h"
#include "go/go.h"
#include "elf/file.h"

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

/* On x86 Go's compiler puts nothing but code into a function (constants and tables of jumps stand elsewhere); assembly may. */
static bool is_all_code(const struct rt_walk *w)
{
	const struct rt_go *go = rt_image_go(rt_code_image(w->code));
	struct rt_go_function f;

	if (w->body.arch->machine != EM_X86_64 || !go || !go->has_table || go->table.since < 18)
		return false;
	return rt_pclntab_find(&go->table, w->entry, &f) && f.addr == w->entry && !f.assembly;
}

/*
 * Where there are tables, code that no way leads to may be one that a table was not seen to have.  It is followed where it is certain that it
 * is code: Go 1.27 leaves returns that nothing comes to.
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

	return w->body.arch->form ? (uint8_t)w->body.arch->form(p->bytes + (addr - p->start), (size_t)(p->end - addr)) : RT_FORM_OTHER;
}

static const char *refused(const struct rt_walk *w, uint64_t addr)
{
	const struct rt_stretch *p = rt_body_piece(&w->body, addr);
	size_t n = (size_t)(p->end - addr);

	n = n < INSN_MAX ? n : INSN_MAX;
	return rt_image_refuses_insn(rt_code_image(w->code), p->bytes + (addr - p->start), n);
}

/* Is it a pop, leave or an addition to the stack pointer, before a return?  Anything else may set the result, or memory that it leads to. */
static bool gives_back(const struct rt_flow *f)
{
	return (f->sp == RT_SP_ADDED || f->sp == RT_SP_OF_FRAME) && f->amount >= 0 && !(f->writes & 7u) && !f->has_mem;
}

/*
 * On x86: an instruction before the return, behind which there is nothing but what gives the frame back, and rax, rcx and rdx stay.
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
		if (!before || p->joins[addr - p->start] != 1 || before < p->start || before >= addr ||
		    !rt_body_decode(&w->body, before, &f) || before + f.size != addr || f.kind != RT_FLOW_NEXT)
			return;
		form = form_at(w, before);
		if (form && (RT_FORM_BIT(form) & RT_FORMS_ASSUMED) && f.sp == RT_SP_KEPT && rt_walk_depth(w, before).sp >= 0 &&
		    !refused(w, before)) {
			e->cheaper = (struct rt_exit_place){ before, (uint32_t)rt_walk_depth(w, before).sp, form, f.size };
			return;
		}
		if (!gives_back(&f))
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
			rt_walk_fail(w, "it is left by an instruction that the kernel cannot probe");
		e->v[i].away = depth.sp == RT_DEPTH_UNKNOWN && !e->v[i].target && !e->v[i].slot;
		e->v[i].at.form = form_at(w, e->v[i].at.addr);
		if (e->v[i].kind == RT_EXIT_RETURN && w->body.arch->form)
			find_cheaper(w, &e->v[i]);
	}
}
