/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that switches stacks by itself, as coroutines written by hand do: it loads the stack pointer with what is not its own
 * frame's.  Compilers load it from a register that they have put it into before, and to give up arrays of variable length, in functions
 * that have a frame pointer of their own, from what they have kept in the frame; C with pieces of assembly can have put into the frame
 * what it was given, or has read elsewhere, or has reckoned how far it is to another stack.  Of x86 every byte is taken for the
 * beginning of such an instruction; what only looks like one the disassembler refutes.
 */
#include "safety/switches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "safety/switches_walk.h"
#include "base/array.h"

enum { INSN_MAX = 16, CHUNK = 1 << 18, BODY_MAX = 1 << 20 };

struct scan {
	struct rt_image *image;
	struct rt_code *code;
	bool is_static;		/* the C library is in it: longjmp loads the stack pointer, and does not store it before */
	bool wide;		/* in 64 bits */
	bool words;		/* of aarch64 */
	bool is_data;		/* what the program may make code of */
	bool stored, failed;	/* in the code that was looked at last: it is stored, and there is what is no instruction */
	bool nomem;
};

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

/*
 * Does the function from `start` to `end`, of which `w` begins, do it at `addr`?  True also where it cannot be told.  `there`: it is an
 * instruction.
 */
static bool confirm(struct scan *s, uint64_t start, uint64_t end, uint64_t addr, struct rt_switch_walk w, bool *there)
{
	size_t n = end - start < BODY_MAX ? (size_t)(end - start) : BODY_MAX;
	uint8_t *bytes = calloc(1, n + INSN_MAX);

	*there = true;
	if (!bytes) {
		s->nomem = true;
		return true;
	}
	n = rt_image_read(s->image, start, bytes, n);
	rt_walk(&w, s->code, start, bytes, n, addr);
	if (w.there && w.load != RT_LOAD_OF_SIZE)
		rt_walk(&w, s->code, start, bytes, n, addr);
	free(bytes);
	s->stored = w.stored;
	s->failed = w.failed;
	*there = w.there;
	if (!w.there && !w.failed)
		return false;
	if (w.load == RT_LOAD_OF_FRAME)
		return w.left;
	if (w.load == RT_LOAD_OF_SUM || w.load == RT_LOAD_OF_SIZE)
		return w.far;
	return w.far || w.handed || (w.load == RT_LOAD_STRANGE && !w.copied && (!w.framed || w.stored));
}

/*
 * The same of code, or data, that no function is known of, or whose function cannot be taken apart up to it: from where little before it the
 * disassembler comes to `addr`.
 */
static bool confirm_near(struct scan *s, uint64_t addr, size_t n, enum rt_load load)
{
	size_t i;
	bool there, does;

	for (i = n < RT_LOAD_NEAR ? n : RT_LOAD_NEAR; ; i--) {
		does = confirm(s, addr - i, addr + RT_LOAD_NEAR, addr, (struct rt_switch_walk){ .load = load, .unknown = true }, &there);
		if (there || !i)
			return does && ((load == RT_LOAD_STRANGE && s->wide && !s->is_data && !s->failed) || s->stored);
	}
}

/* In such code, at `p`: is it stored little before? */
static bool stored_before(const uint8_t *p, size_t n, bool wide)
{
	size_t i;

	for (i = 1; i <= n && i <= RT_LOAD_NEAR; i++)
		if (rt_load_stored(p - i, 0, wide))
			return true;
	return false;
}

/* `n` bytes of code before `p`, which is at `addr`, can be looked at. */
static enum rt_switches is_switch(struct scan *s, uint64_t addr, const uint8_t *p, size_t n, enum rt_load load, const char **name)
{
	const struct rt_symbol *f = rt_symbol_before(s->image, addr + 1);
	uint64_t start, end;
	bool there, can_tell;

	if (!s->code)
		s->code = rt_code_open(s->image);
	if (!s->code) {
		s->nomem = true;
		return RT_SWITCHES;
	}
	can_tell = !rt_code_undecodable(s->code);
	/* Without a disassembler what compilers have many of cannot be told from what they have not. */
	if (!can_tell && (s->is_data || (load != RT_LOAD_OF_COMPILERS && load != RT_LOAD_OF_SUM && load != RT_LOAD_STRANGE)))
		return RT_SWITCHES_NOT;
	if (can_tell && (load == RT_LOAD_OF_WORD || !s->wide) && !rt_walk_is_instruction(s->code, addr, p, n))
		return RT_SWITCHES_NOT;
	if (can_tell && load == RT_LOAD_OF_FRAME && !rt_walk_leaves(s->code, addr, p))
		return RT_SWITCHES_NOT;
	*name = "";
	s->stored = false;
	if (f && addr - f->addr < f->size) {
		*name = f->name;
		start = f->addr;
		end = f->addr + f->size;
	} else if (!rt_code_span(s->code, addr, &start, &end)) {
		/* Written by hand, and not said to be a function. */
		if (can_tell && !confirm_near(s, addr, n, load))
			return RT_SWITCHES_NOT;
		return s->is_static && (s->words || !stored_before(p, n, s->wide)) ? RT_SWITCHES_OR_LEAVES : RT_SWITCHES;
	}
	if (is_leaver(*name) || (can_tell && !confirm(s, start, end, addr, (struct rt_switch_walk){ .load = load }, &there)))
		return RT_SWITCHES_NOT;
	/* Tables may stand in it. */
	if (can_tell && !there && !confirm_near(s, addr, n, load))
		return RT_SWITCHES_NOT;
	return s->is_static && !**name && !s->stored ? RT_SWITCHES_OR_LEAVES : RT_SWITCHES;
}

/* A segment that no section of code is in is code as a whole. */
static bool may_be_code(const struct rt_range *code, const struct rt_segment *segment, uint64_t addr)
{
	return addr - code->addr < code->size || code->addr + code->size <= segment->vaddr || code->addr - segment->vaddr >= segment->filesz;
}

/* `bytes` has room for CHUNK, and RT_LOAD_NEAR behind it. */
static enum rt_switches scan_segment(struct scan *s, const struct rt_segment *segment, uint8_t *bytes, const char **name)
{
	enum rt_switches most = RT_SWITCHES_NOT, one;
	uint64_t at, left = segment->filesz;
	enum rt_load load;
	size_t n, i;

	for (at = segment->vaddr; left; at += i, left -= i) {
		n = rt_image_read(s->image, at, bytes, left < CHUNK ? (size_t)left : CHUNK);
		if (n < left && n < RT_LOAD_NEAR)
			return most;
		memset(bytes + n, 0, RT_LOAD_NEAR);
		for (i = 0; i < n && (n == left || i + RT_LOAD_NEAR <= n); i++) {
			load = !s->words ? rt_load_kind(bytes + i, i, s->wide) : (at + i) % 4 ? RT_LOAD_NOT : rt_load_word(rt_arch_word(bytes + i));
			if (!load || !(s->is_data ? load == RT_LOAD_STRANGE : may_be_code(&s->image->code, segment, at + i)))
				continue;
			one = is_switch(s, at + i, bytes + i, i, load, name);
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
	bool makes_code;
	uint8_t *bytes;
	size_t i;

	s.words = image->arch->machine == EM_AARCH64;
	s.wide = image->arch->word == 8;
	/* Where instructions are short too much data looks like it. */
	makes_code = s.wide && !s.words && (s.is_static || rt_image_imports(image, "mprotect"));
	bytes = malloc(CHUNK + RT_LOAD_NEAR);
	for (i = 0; i < image->nsegments && bytes && most < RT_SWITCHES; i++) {
		s.is_data = !image->segments[i].exec;
		one = !s.is_data || makes_code ? scan_segment(&s, &image->segments[i], bytes, name) : RT_SWITCHES_NOT;
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
