/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of a file's own that switches stacks, such as a coroutine in assembly.  A uretprobe on a
 * function that such code suspends would return on the wrong stack (plan/returns.c).
 *
 * A switch loads the stack pointer with an address outside of its own frame:
 *
 *	push   %rbp
 *	mov    %rsp,(%rdi)		saves the stack pointer of this coroutine
 *	mov    %rsi,%rsp		loads that of the other one
 *	pop    %rbp
 *	ret
 *
 * Compilers load the stack pointer, too: `mov %rbp,%rsp` and `leave` release a frame, and a
 * variable-length array is released with a value that was saved in the frame.
 *
 * Approach: search all code for instructions that load the stack pointer.  On x86 any byte may
 * begin one; the disassembler refutes bytes that only look like one.  Then follow the function to
 * the load (switches_walk.c): it is a switch unless the loaded value comes from this frame.
 *
 * Limits: without a disassembler only forms that compilers never use count.  In a stripped static
 * program the C library's longjmp looks like a switch (RT_SWITCHES_OR_LONGJMP).
 */
#include "safety/switches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/file.h"
#include "safety/switches_walk.h"

enum { INSN_MAX = 16, CHUNK = 1 << 18, BODY_MAX = 1 << 20 };

struct scan {
	struct rt_image *image;
	struct rt_code *code;
	/* the C library is in it: longjmp loads the stack pointer, and does not store it before */
	bool is_static;
	bool wide;		/* in 64 bits */
	const struct rt_word_switches *words;	/* rt_arch.switches */
	bool is_data;		/* what the program may make code of */
	/* in the code that was looked at last: it is stored, and there is what is no instruction */
	bool stored, failed;
	bool nomem;
};

/*
 * The static C library leaves frames by these: nothing comes back to what they left, or it is known
 * by name what is a stack.
 */
static bool is_longjmp_name(const char *name)
{
	static const char *const exact[] = {
		"longjmp",	   "_longjmp",	       "siglongjmp",	  "__longjmp",
		"____longjmp_chk", "__longjmp_cancel", "swapcontext",	  "__swapcontext",
		"setcontext",	   "__setcontext",     "__start_context", "jump_fcontext",
		"ontop_fcontext",
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
 * Does the function from `start` to `end`, of which `w` begins, do it at `addr`?  True also where
 * not known.  `there`: it is an instruction.
 */
static bool confirm(struct scan *s, uint64_t start, uint64_t end, uint64_t addr,
		    struct rt_switch_walk w, bool *there)
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
	return w.far || w.handed ||
	       (w.load == RT_LOAD_STRANGE && !w.copied && (!w.framed || w.stored));
}

/*
 * The same of code, or data, without a known function, or with one that cannot be decoded
 * up to it: from where little before it the disassembler comes to `addr`.
 */
static bool confirm_near(struct scan *s, uint64_t addr, size_t n, enum rt_load load)
{
	size_t i;
	bool there, does;

	for (i = n < RT_LOAD_NEAR ? n : RT_LOAD_NEAR; ; i--) {
		does = confirm(s, addr - i, addr + RT_LOAD_NEAR, addr,
			       (struct rt_switch_walk){ .load = load, .unknown = true }, &there);
		if (there || !i)
			return does &&
			       ((load == RT_LOAD_STRANGE && s->wide && !s->is_data && !s->failed) ||
				s->stored);
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
static enum rt_switches is_switch(struct scan *s, uint64_t addr, const uint8_t *p, size_t n,
				  enum rt_load load, const char **name)
{
	const struct rt_symbol *f = rt_symbol_before(s->image, addr + 1);
	uint64_t start, end;
	bool there, has_decoder;

	if (!s->code)
		s->code = rt_code_open(s->image);
	if (!s->code) {
		s->nomem = true;
		return RT_SWITCHES;
	}
	has_decoder = !rt_code_undecodable(s->code);
	/*
	 * Without a disassembler the forms that compilers have many of look like those that they
	 * have not.
	 */
	if (!has_decoder && (s->is_data || (load != RT_LOAD_OF_COMPILERS &&
					    load != RT_LOAD_OF_SUM && load != RT_LOAD_STRANGE)))
		return RT_SWITCHES_NOT;
	if (has_decoder && (load == RT_LOAD_OF_WORD || !s->wide) &&
	    !rt_walk_is_instruction(s->code, addr, p, n))
		return RT_SWITCHES_NOT;
	if (has_decoder && load == RT_LOAD_OF_FRAME && !rt_walk_ends_in_leave(s->code, addr, p))
		return RT_SWITCHES_NOT;
	*name = "";
	s->stored = false;
	if (f && addr - f->addr < f->size) {
		*name = f->name;
		start = f->addr;
		end = f->addr + f->size;
	} else if (!rt_code_span(s->code, addr, &start, &end)) {
		/* Written by hand, and not said to be a function. */
		if (has_decoder && !confirm_near(s, addr, n, load))
			return RT_SWITCHES_NOT;
		return s->is_static && (s->words || !stored_before(p, n, s->wide))
			       ? RT_SWITCHES_OR_LONGJMP
			       : RT_SWITCHES;
	}
	if (is_longjmp_name(*name) ||
	    (has_decoder &&
	     !confirm(s, start, end, addr, (struct rt_switch_walk){ .load = load }, &there)))
		return RT_SWITCHES_NOT;
	/* Tables may be in it. */
	if (has_decoder && !there && !confirm_near(s, addr, n, load))
		return RT_SWITCHES_NOT;
	return s->is_static && !**name && !s->stored ? RT_SWITCHES_OR_LONGJMP : RT_SWITCHES;
}

/* A segment that no section of code is in is code as a whole. */
static bool can_be_code(const struct rt_range *code, const struct rt_segment *segment,
			uint64_t addr)
{
	return addr - code->addr < code->size || code->addr + code->size <= segment->vaddr ||
	       code->addr - segment->vaddr >= segment->filesz;
}

static bool begins_load(const struct scan *s, uint8_t byte);

/* `bytes` has room for CHUNK, and RT_LOAD_NEAR behind it. */
static enum rt_switches scan_segment(struct scan *s, const struct rt_segment *segment,
				     uint8_t *bytes, const char **name)
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
			if (!begins_load(s, bytes[i]))
				continue;
			load = !s->words      ? rt_load_kind(bytes + i, i, s->wide)
			       : (at + i) % 4 ? RT_LOAD_NOT
					      : s->words->load(rt_arch_word(bytes + i));
			if (!load || !(s->is_data ? load == RT_LOAD_STRANGE
						  : can_be_code(&s->image->code, segment, at + i)))
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
	struct scan s = { .image = image,
			  .is_static = !image->interp && !image->needed.n && !image->short_name };
	enum rt_switches most = RT_SWITCHES_NOT, one;
	bool makes_code;
	uint8_t *bytes;
	size_t i;

	s.words = image->arch->switches;
	s.wide = image->arch->word == 8;
	/* With short instructions, too much data looks like them. */
	makes_code = s.wide && !s.words && (s.is_static || rt_image_imports(image, "mprotect"));
	bytes = malloc(CHUNK + RT_LOAD_NEAR);
	for (i = 0; i < image->nsegments && bytes && most < RT_SWITCHES; i++) {
		s.is_data = !image->segments[i].exec;
		one = !s.is_data || makes_code ? scan_segment(&s, &image->segments[i], bytes, name)
					       : RT_SWITCHES_NOT;
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

/*
 * Which bytes of x86 may be an instruction that loads the stack pointer, or stores it.  `op` is the
 * opcode, and `rex` the prefix before it, PLAIN in 32 bits.
 */

enum {
	PLAIN = 0x48,
	SP = 4,
	FP = 5,
	MOV_FROM = 0x89,
	MOV_TO = 0x8b,
	XCHG = 0x87,
	XCHG_AX_SP = 0x94,
	LEA = 0x8d,
	ESCAPE = 0x0f,
	CMOV = 0x40,
	XADD = 0xc1,
	POP_SP = 0x5c,
	LEAVE = 0xc9,
	AND = 0x20,
	SUB = 0x28,
	CMP = 0x38
};

/* The register that memory counts from; -1: none. */
static int base_of(const uint8_t *op, uint8_t rex)
{
	uint8_t mod = op[1] >> 6, rm = op[1] & 7;

	if (rm == SP)
		return (op[2] & 7) == FP && !mod ? -1 : (op[2] & 7) | (rex & 1) << 3;
	return rm == FP && !mod ? -1 : rm | (rex & 1) << 3;
}

static bool is_indexed(const uint8_t *op, uint8_t rex)
{
	return (op[1] & 7) == SP && ((op[2] >> 3 & 7) != SP || (rex & 2));
}

/* Instructions that can come behind pop %rsp or leave: ret, pop, popf, an indirect jump, a jump. */
static bool ends(const uint8_t *p)
{
	return *p == 0xc3 || (p[*p == 0x41] & 0xf8) == 0x58 || *p == 0x9d || *p == 0xff ||
	       *p == 0xe9 || *p == 0xeb;
}

/* Is the frame pointer loaded, not from the stack pointer, with leave behind? */
static bool is_load_of_frame(const uint8_t *op, int reg, int rm, bool plain)
{
	size_t i;

	if (*op == MOV_FROM ? !plain || rm != FP || reg == SP
			    : (*op != MOV_TO && *op != LEA) || reg != FP || rm == SP || rm == FP)
		return false;
	for (i = 2; i + 3 < RT_LOAD_NEAR; i++)
		if (op[i] == LEAVE && ends(op + i + 1))
			return true;
	return false;
}

/* Is it the end of pop %r12, or, after an opcode and a memory operand, a distance? */
static bool is_end(const uint8_t *p, size_t n, bool wide)
{
	static const uint8_t opcodes[] = { 0x80, 0x83, 0x89, 0x8b, 0x8d, 0xb6, 0xb7, 0xbe, 0xbf };

	return n && ((wide && p[-1] == 0x41) ||
		     (n > 1 && (p[-1] & 0xc0) == 0x40 && memchr(opcodes, p[-2], sizeof(opcodes))));
}

static enum rt_load kind_of(const uint8_t *op, uint8_t rex, bool wide)
{
	bool r = rex & 4, b = rex & 1, plain = op[1] >= 0xc0;
	int reg = (op[1] >> 3 & 7) | r << 3, rm = plain ? (op[1] & 7) | b << 3 : base_of(op, rex);

	/* cmov and xadd, in code that can be taken apart: no compiler has them. */
	if (*op == ESCAPE && (op[1] & 0xf0) == CMOV)
		return ((op[2] >> 3 & 7) | r << 3) == SP ? RT_LOAD_OF_COMPILERS : RT_LOAD_NOT;
	if (*op == ESCAPE) {
		reg = (op[2] >> 3 & 7) | r << 3;
		rm = (op[2] & 7) | b << 3;
		return op[1] == XADD && op[2] >= 0xc0 && (reg == SP) != (rm == SP)
			       ? RT_LOAD_OF_COMPILERS
			       : RT_LOAD_NOT;
	}
	if (is_load_of_frame(op, reg, rm, plain))
		return RT_LOAD_OF_FRAME;
	/*
	 * add, or, adc, sbb, sub, xor; and makes less of what there is.  In 32 bits too much looks
	 * like that with memory.
	 */
	if ((*op & 0xc5) == 0x01 && *op < CMP && (*op & 0x38) != AND && (wide || plain))
		return !(*op & 2 ? reg == SP : plain && rm == SP) ? RT_LOAD_NOT
		       : (*op & 0x38) == SUB			  ? RT_LOAD_OF_SIZE
								  : RT_LOAD_OF_SUM;
	if (*op == XCHG_AX_SP)
		return b || !wide ? RT_LOAD_NOT : RT_LOAD_STRANGE;
	if (*op == XCHG)
		return plain	   ? ((reg == SP) != (rm == SP) ? RT_LOAD_STRANGE : RT_LOAD_NOT)
		       : reg == SP ? RT_LOAD_OF_COMPILERS
				   : RT_LOAD_NOT;
	if (*op == MOV_FROM)
		return !plain || rm != SP || reg == SP ? RT_LOAD_NOT
		       : reg == FP		       ? RT_LOAD_OF_COMPILERS
						       : RT_LOAD_STRANGE;
	if (reg != SP || (plain && rm == SP))
		return RT_LOAD_NOT;
	if (*op == MOV_TO)
		return rm == SP || rm == FP ? RT_LOAD_OF_COMPILERS : RT_LOAD_STRANGE;
	if (*op != LEA || plain)
		return RT_LOAD_NOT;
	return is_indexed(op, rex)    ? RT_LOAD_OF_SUM
	       : rm != SP && rm != FP ? RT_LOAD_OF_COMPILERS
				      : RT_LOAD_NOT;
}

/* Can an instruction that loads the stack pointer begin with this byte?  Most cannot. */
static bool begins_load(const struct scan *s, uint8_t byte)
{
	return s->words || !s->wide || byte == POP_SP || (byte & 0xf8) == PLAIN;
}

enum rt_load rt_load_kind(const uint8_t *p, size_t n, bool wide)
{
	if (*p == POP_SP)
		return ends(p + 1) && !is_end(p, n, wide) ? RT_LOAD_OF_WORD : RT_LOAD_NOT;
	if (!wide)
		return kind_of(p, PLAIN, false);
	return (*p & 0xf8) == PLAIN ? kind_of(p + 1, *p, true) : RT_LOAD_NOT;
}

bool rt_load_stored(const uint8_t *p, uint32_t copies, bool wide)
{
	const uint8_t *op = p + wide;
	int base;

	if ((wide && (*p & 0xfc) != PLAIN) || *op != MOV_FROM || op[1] >= 0xc0 ||
	    (op[1] >> 3 & 7) != SP)
		return false;
	base = base_of(op, wide ? *p : PLAIN);
	return base != SP && base != FP && (base < 0 || !(copies >> base & 1));
}
