/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three steps decide the place of a probe. First, a walk over instructions that use registers
 * alone, to the first that the kernel emulates, or a BPF program from Linux 6.19 on: one behind a
 * sub of the stack pointer, which programs leave to the kernel (arch/x86/x86_emulation.c). Some
 * accesses to memory count as such: at fixed addresses in the file's own segments, which cannot
 * fault, unless the file is truncated, which ends the program at its code too; of the stack
 * protector's word; and of the frame that the function has just made. Then a search nearby for
 * bytes that could be a short or an indirect branch. Last, one sweep of the file for long branches,
 * lea and addresses.
 *
 * The last two take every byte for the beginning of an instruction, so nothing is missed if code
 * has data in it, and no decoder is needed. Capstone only refutes bytes that look like a branch,
 * and only behind the first function with a size in its symbol: before it data may come (glibc's
 * mempcpy jumps to memmove+3 over a third function).
 *
 * Limit: a jump from another function through a table of relative offsets into this one's first
 * bytes is not seen. No compiler makes one.
 */
#include "code/prologue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/emulation.h"
#include "base/array.h"
#include "base/pairs.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/eh_frame.h"
#include "elf/file.h"

/* No place further from the entry is looked at, and an instruction has at most 15 bytes. */
enum { INSN_MAX = 15, FURTHEST = RT_PROLOGUE_MOST - INSN_MAX };

static const char *keep_at_entry(struct rt_prologue *p, const char *why)
{
	p->skip = 0;
	p->sp_down = 0;
	p->why = why;
	return why;
}

/* Why the probe must not be moved past the instructions walked over, or NULL if it can. */
static const char *place_harms(const struct rt_prologue_want *want, int32_t sp_down,
			       uint32_t writes)
{
	if (writes & want->arguments)
		return "what comes first overwrites an argument";
	if (sp_down && want->returns)
		return "what comes first moves the stack pointer from the return address";
	return sp_down && want->stack
		       ? "what comes first moves the stack pointer, from which values are read"
		       : NULL;
}

/*
 * The frame that the function has just made can fault only where the stack overflows (see BUGS in
 * rawtrace.1), and no argument points to it.
 */
static const char *access_harms(const struct rt_prologue_want *want, int32_t sp_down,
				const struct rt_insn *insn)
{
	if (insn->frame && (int64_t)insn->frame > sp_down)
		return RT_READS_MEMORY;
	if (!insn->nfixed)
		return NULL;
	if (!want->image ||
	    !rt_image_can_access(want->image, insn->fixed, insn->nfixed, insn->stores))
		return RT_READS_MEMORY;
	return insn->stores && want->memory ? "it writes memory before that, and shown values are "
					      "read from memory"
					    : NULL;
}

/*
 * Step over one instruction; `p->skip` and `p->sp_down` follow.  The reason why it cannot be, or
 * NULL.
 */
static const char *step(const struct rt_arch *arch, struct rt_decoder *decoder,
			const uint8_t *bytes, size_t n, uint64_t addr,
			const struct rt_prologue_want *want, struct rt_prologue *p)
{
	size_t does_nothing = p->form == RT_FORM_ENDBR ? 4 : 0;
	struct rt_insn insn;
	const char *why;

	if (!does_nothing && arch->nop_size)
		does_nothing = arch->nop_size(bytes + p->skip, n - p->skip);
	if (does_nothing) {
		p->skip += (uint32_t)does_nothing;
		return NULL;
	}
	if (want->mark_only)
		return "how this kernel treats what follows was not measured";
	if (!decoder)
		return "there is no disassembler for it in this rawtrace";
	if (!rt_decode(decoder, bytes + p->skip, n - p->skip, addr + p->skip, &insn))
		return "an instruction at the beginning is not known";
	if (insn.branch || insn.indirect)
		return "it branches before a cheaper instruction comes";
	why = insn.not_plain;
	if (!why)
		why = access_harms(want, p->sp_down, &insn);
	if (!why)
		why = place_harms(want, p->sp_down + insn.sp_down, insn.writes);
	p->skip += insn.size;
	p->sp_down += insn.sp_down;
	return why;
}

static bool is_cheap(const struct rt_arch *arch, const struct rt_prologue_want *want,
		     enum rt_form form, const uint8_t *bytes, size_t n)
{
	struct rt_emulation emulation;

	if (form && (want->emulated & RT_FORM_BIT(form)))
		return true;
	return want->programs && arch->emulation && arch->emulation(bytes, n, &emulation);
}

void rt_prologue_walk(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		      size_t n, uint64_t addr, const struct rt_prologue_want *want,
		      struct rt_prologue *p)
{
	const char *why = NULL;
	bool refused;
	size_t left;

	memset(p, 0, sizeof(*p));
	while (!why) {
		left = p->skip < n ? n - p->skip : 0;
		p->form = left ? arch->form(bytes + p->skip, left) : RT_FORM_OTHER;
		refused = arch->refuses(bytes + p->skip, left < INSN_MAX ? left : INSN_MAX,
					want->nops);
		if (!refused && p->skip && want->not_entry) {
			p->why = "past what must not be probed";
			return;
		}
		if (!refused && left && is_cheap(arch, want, p->form, bytes + p->skip, left)) {
			p->why = p->skip ? "past what the kernel single-steps"
					 : "kernels need not single-step that";
			return;
		}
		why = !left		   ? "it ends before a cheaper instruction comes"
		      : p->skip > FURTHEST ? "no cheaper instruction comes early"
					   : step(arch, decoder, bytes, n, addr, want, p);
	}
	keep_at_entry(p, why);
	p->form = n ? arch->form(bytes, n) : RT_FORM_OTHER;
}

/*
 * Does another symbol begin behind the entry, up to the place?  Then the code there has two names,
 * and maybe two ways in.
 */
static bool another_begins(const struct rt_extent *f, uint32_t skip)
{
	uint32_t at;
	size_t n;

	for (at = 1; at <= skip; at++)
		if (rt_symbols_at(f->image, f->addr + at, &n))
			return true;
	return false;
}

void rt_prologue_find(const struct rt_extent *f, struct rt_decoder *decoder,
		      const struct rt_prologue_want *want, struct rt_prologue *p)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	struct rt_prologue_want here = *want;
	uint8_t bytes[FURTHEST + 2 * INSN_MAX];
	size_t n = f->size < sizeof(bytes) ? f->size : sizeof(bytes);
	const char *why;

	n = rt_image_read(f->image, f->addr, bytes, n);
	here.nops = f->image->nops;
	here.image = f->image;
	rt_prologue_walk(arch, decoder, bytes, n, f->addr, &here, p);
	if (!p->skip)
		return;
	if (!f->sized)
		why = "its size is not known";
	else if (another_begins(f, p->skip))
		why = "another function begins before a cheaper instruction";
	else
		why = rt_branches_near(f, decoder, p->skip);
	if (why) {
		keep_at_entry(p, why);
		p->form = arch->form(bytes, n);
	}
}

uint32_t rt_prologue_behind(struct rt_image *image, uint64_t addr, uint64_t size)
{
	const struct rt_prologue_want want = {
		.not_entry = true, .returns = true, .stack = true, .arguments = ~0u
	};
	const struct rt_extent f = {
		.image = image, .addr = addr, .size = size, .sized = size != 0
	};
	struct rt_decoder *decoder;
	struct rt_prologue p;

	if (!size || !rt_image_arch(image)->form)
		return 0;
	decoder = rt_decoder_open(rt_image_arch(image));
	rt_prologue_find(&f, decoder, &want, &p);
	rt_decoder_close(decoder);
	return p.skip;
}

/*
 * Can code be entered behind its function's first instruction? Every byte is taken for the
 * beginning of a branch, so none is missed, wherever data and instructions are. The disassembler
 * then refutes bytes that only look like a short or an indirect branch.
 */

/*
 * SHORT: the reach of a branch with one byte of displacement, with its own length.  BEFORE:
 * decoding begins no further before the entry.
 */
enum { SHORT = 130, BEFORE = 4096, BODY_MAX = 1 << 20, CHUNK = 1 << 20, OVERLAP = 16 };

/* More code than any file has. */
#define SPAN_MAX (1ull << 33)

static const char jumped[] =
	"something jumps to between the entry and the next cheaper instruction";
static const char indirect[] = "it has an indirect jump, which may go to its beginning";
static const char unclear[] = "its code cannot be distinguished from data";

/* ---- nearby ---- */

enum { DESCRIBED = 16 };

struct near {
	const struct rt_extent *f;
	/* where functions without a name begin in which something looks like a branch */
	uint64_t described[DESCRIBED];
	unsigned ndescribed;
	uint64_t first, last;	/* the window */
	/* bit i: byte i of the function is inside one of its first nops: no target */
	uint64_t inner;
	uint64_t start;		/* of `bytes` */
	uint8_t *bytes;
	size_t n;
};

static uint64_t end_of(const struct near *s)
{
	return s->f->addr + s->f->size;
}

/* Is the byte at `addr` in a function that .eh_frame tells of?  Its beginning is noted. */
static bool in_described(struct near *s, uint64_t addr)
{
	struct rt_eh_cursor c = { 0 };
	uint64_t index, fde, begin = 0, length = 0;

	if (!rt_eh_index(s->f->image, &index))
		return false;
	rt_eh_seek(&c, s->f->image, index);
	fde = rt_eh_find(&c, index, addr);
	if (fde)
		rt_eh_exceptions(&c, fde, addr, &begin, &length);
	if (!length || addr < begin || addr - begin >= length || begin < s->start)
		return false;
	if (s->ndescribed && s->described[s->ndescribed - 1] == begin)
		return true;
	if (s->ndescribed == DESCRIBED)
		return false;
	s->described[s->ndescribed++] = begin;
	return true;
}

/* Is the byte at `addr` in a function that is known? */
static bool in_function(struct near *s, uint64_t addr)
{
	const struct rt_symbol *v = rt_symbol_before(s->f->image, addr + 1);

	return (v && v->sized && addr - v->addr < v->size) || in_described(s, addr);
}

static bool is_inner(const struct near *s, uint64_t addr)
{
	uint64_t at = addr - s->f->addr;

	return at < 64 && (s->inner >> at & 1);
}

/* Long nops have many bytes that look like a branch's target. */
static void find_inner(struct near *s)
{
	const struct rt_arch *arch = rt_image_arch(s->f->image);
	const uint8_t *bytes = s->bytes + (s->f->addr - s->start);
	size_t n = (size_t)(s->last - s->f->addr), at = 0, size = 1, i;

	if (n && arch->form(bytes, n) == RT_FORM_ENDBR)
		at = 4;
	for (; size && at < n && at < 64 - 16; at += size) {
		size = arch->nop_size ? arch->nop_size(bytes + at, n - at) : 0;
		for (i = 1; i < size; i++)
			s->inner |= UINT64_C(1) << (at + i);
	}
}

/*
 * Short branches (jcc, loop, jrcxz, jmp) to the window: the first and the last byte that may be
 * one, or false.  `*known`: all of them are in functions.  Bytes between functions may be data, and
 * behind data nobody knows where instructions begin.
 */
static bool short_branches(struct near *s, uint64_t *first, uint64_t *last, bool *known)
{
	size_t at = (size_t)(s->first - s->start), reach = (size_t)(s->last - s->first) + 2 * SHORT,
	       i;
	bool found = false;
	uint64_t target;

	at = at > SHORT ? at - SHORT : 0;
	for (i = at; i + 1 < s->n && i < at + reach; i++) {
		uint8_t b = s->bytes[i];

		if ((b & 0xf0) != 0x70 && (b & 0xfc) != 0xe0 && b != 0xeb)
			continue;
		target = s->start + i + 2 + (uint64_t)(int64_t)(int8_t)s->bytes[i + 1];
		if (target < s->first || target > s->last || is_inner(s, target))
			continue;
		if (!found)
			*first = s->start + i;
		*last = s->start + i;
		*known &= in_function(s, *last);
		found = true;
	}
	return found;
}

/*
 * jmp and ljmp through a register or memory, but for memory at a fixed address (see
 * rt_insn.indirect).
 */
static bool indirect_jumps(const struct near *s)
{
	size_t i = (size_t)(s->f->addr - s->start), end = (size_t)(end_of(s) - s->start);

	for (; i + 1 < end; i++) {
		uint8_t modrm = s->bytes[i + 1];

		if (s->bytes[i] != 0xff || modrm == 0x25)
			continue;
		if ((modrm & 0x38) == 0x20 || ((modrm & 0x38) == 0x28 && modrm < 0xc0))
			return true;
	}
	return false;
}

/* Instructions begin where those of a function do: the last one up to `first`, where it is near. */
static bool begins_before(const struct near *s, uint64_t first, uint64_t *addr)
{
	const struct rt_symbol *before = rt_symbol_before(s->f->image, first + 1);

	if (!before || before->addr < s->start)
		return false;
	*addr = before->addr;
	return true;
}

enum { BEGINS = 1, MEANT = 2 };

/*
 * Note in `marks`, of the bytes from `from` on, where an instruction begins, and where functions do
 * or branches in this one lead to.
 */
static const char *decode_all(const struct near *s, struct rt_decoder *decoder, uint64_t from,
			      uint64_t to, uint8_t *marks)
{
	uint64_t entry = s->f->addr, end = end_of(s), at;
	const struct rt_symbol *symbol = rt_symbol_before(s->f->image, to);
	struct rt_insn insn;
	unsigned i;

	/* Bytes before each of these may be data that was decoded as code. */
	for (; symbol && symbol->addr > from; symbol = rt_symbol_before(s->f->image, symbol->addr))
		marks[symbol->addr - from] |= MEANT;
	for (i = 0; i < s->ndescribed; i++) {
		if (s->described[i] < from)
			return unclear;
		if (s->described[i] < to)
			marks[s->described[i] - from] |= MEANT;
	}
	for (at = from; at < to; at += insn.size) {
		if (!rt_decode(decoder, s->bytes + (at - s->start), s->n - (size_t)(at - s->start),
			       at, &insn))
			return unclear;
		marks[at - from] |= BEGINS;
		if (insn.branch && insn.target >= s->first && insn.target <= s->last)
			return jumped;
		if (at < entry || at >= end)
			continue;
		if (insn.indirect)
			return indirect;
		if (insn.branch && insn.target >= entry && insn.target < end)
			marks[insn.target - from] |= MEANT;
	}
	marks[entry - from] |= MEANT;
	for (at = from; at < to; at++)
		if (marks[at - from] == MEANT)
			return unclear;
	return NULL;
}

static const char *refute(const struct near *s, struct rt_decoder *decoder, uint64_t from,
			  uint64_t to)
{
	uint8_t *marks;
	const char *why;

	if (!decoder)
		return unclear;
	if (to > s->start + s->n)
		to = s->start + s->n;
	marks = calloc(1, (size_t)(to - from) + 1);
	if (!marks)
		return unclear;
	why = decode_all(s, decoder, from, to, marks);
	free(marks);
	return why;
}

static const char *judge(struct near *s, struct rt_decoder *decoder)
{
	uint64_t first = 0, last = 0, from = s->f->addr, to = end_of(s);
	bool known = true, suspect = short_branches(s, &first, &last, &known);

	if (!suspect && !indirect_jumps(s))
		return NULL;
	if (!known || (suspect && first < from && !begins_before(s, first, &from)))
		return unclear;
	if (suspect && last >= to)
		to = last + 1;
	return refute(s, decoder, from, to);
}

const char *rt_branches_near(const struct rt_extent *f, struct rt_decoder *decoder, uint32_t skip)
{
	struct near s = { .f = f, .first = f->addr + 1, .last = f->addr + skip };
	uint64_t end = f->addr + f->size, reach = s.last + SHORT,
		 lowest = f->addr > BEFORE ? f->addr - BEFORE : 0;
	const char *why = unclear;
	size_t size;

	if (f->size > BODY_MAX)
		return unclear;
	/* Skip bytes before the segment, which are no code. */
	for (s.start = lowest; s.start < f->addr && !rt_image_is_code(f->image, s.start);)
		s.start = s.start + 64 < f->addr ? s.start + 64 : f->addr;
	while (s.start > lowest && rt_image_is_code(f->image, s.start - 1))
		s.start--;
	size = (size_t)((reach > end ? reach : end) + 16 - s.start);
	s.bytes = malloc(size);
	if (!s.bytes)
		return unclear;
	s.n = rt_image_read(f->image, s.start, s.bytes, size);
	if (s.n >= end - s.start) {
		find_inner(&s);
		why = judge(&s, decoder);
	}
	free(s.bytes);
	return why;
}

/* ---- from anywhere in the file ---- */

struct sweep {
	const struct rt_image *image;
	struct rt_targets *targets;
	bool nomem;
	uint64_t low, span;	/* of all windows together */
	uint8_t *bits;		/* one for each byte from low: it is in a window */
	unsigned word;		/* bytes in an address */
	bool absolute;		/* code has addresses in it (a program at a fixed place) */
};

static bool in_window(const struct sweep *s, uint64_t target)
{
	uint64_t at = target - s->low;

	return at <= s->span && s->bits[at / 8] & 1u << at % 8;
}

static void note(struct sweep *s, uint64_t target)
{
	struct rt_targets *t = s->targets;

	if (!in_window(s, target))
		return;
	if (RT_ROOM(&t->v, t->n, &t->cap) < 0)
		s->nomem = true;
	else
		t->v[t->n++] = target;
}

/* Little-endian, as all x86 is. */
static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* call, jmp, jcc, lea and xbegin, with four bytes of displacement: their first two bytes. */
static const struct rt_byte_pair relative[] = {
	{ 0xe8, 0, 0 }, { 0xe9, 0, 0 }, { 0x0f, 0xf0, 0x80 }, { 0x8d, 0xc7, 0x05 },
	{ 0xc7, 0xff, 0xf8 },
};

static void sweep_code(struct sweep *s, const uint8_t *bytes, size_t n, uint64_t addr)
{
	uint16_t at[RT_PAIRS_BYTES];
	size_t i, k, from, found;

	for (from = 0; from < n; from += RT_PAIRS_BYTES) {
		found = rt_pairs_find(relative, RT_COUNT(relative), bytes + from,
				      n - from < RT_PAIRS_BYTES ? n - from : RT_PAIRS_BYTES, at);
		for (k = 0; k < found; k++) {
			i = from + at[k];
			i += (bytes[i] & 0xfe) == 0xe8 ? 1 : 2;
			note(s, addr + i + 4 + (uint64_t)(int64_t)(int32_t)get32(bytes + i));
		}
	}
	for (i = 0; i < n && s->absolute; i++)
		note(s, get32(bytes + i));
}

/*
 * Does the word at `addr` belong to the list of -fpatchable-function-entry, or to a relocation of
 * it (r_offset, r_info, r_addend)?  It has where each function's nops begin, behind its endbr64,
 * and nobody jumps there.
 */
static bool lists_nops(const struct rt_image *image, uint64_t addr)
{
	const struct rt_range *list = &image->patchable;
	uint64_t in_table = addr - image->dynamic.rela, at;

	if (addr - list->addr < list->size)
		return true;
	return list->size && in_table < image->dynamic.relasz && in_table % 24 == 16 &&
	       rt_image_read(image, addr - 16, &at, sizeof(at)) == sizeof(at) &&
	       at - list->addr < list->size;
}

/* Addresses in data, and the addends of relocations. */
static void sweep_words(struct sweep *s, const uint8_t *bytes, size_t n, uint64_t addr)
{
	uint64_t word;
	size_t i;

	for (i = (size_t)(-addr & (s->word - 1)); i < n; i += s->word) {
		word = s->word == 8 ? get64(bytes + i) : get32(bytes + i);
		if (in_window(s, word) && !lists_nops(s->image, addr + i))
			note(s, word);
	}
}

/* Bytes behind the end count as 0: `bytes` has room for OVERLAP more than a chunk. */
static int sweep_segment(struct sweep *s, const struct rt_image *image, const struct rt_segment *g,
			 uint8_t *bytes)
{
	uint64_t at, left;
	size_t n, want;

	for (at = 0; at < g->filesz; at += CHUNK) {
		left = g->filesz - at;
		want = left < CHUNK + OVERLAP ? (size_t)left : CHUNK + OVERLAP;
		n = rt_image_read(image, g->vaddr + at, bytes, want);
		if (n < want)
			return -EIO;
		memset(bytes + n, 0, CHUNK + OVERLAP - n);
		n = left < CHUNK ? (size_t)left : CHUNK;
		if (g->exec)
			sweep_code(s, bytes, n, g->vaddr + at);
		sweep_words(s, bytes, n, g->vaddr + at);
	}
	return 0;
}

static void set_bits(struct sweep *s, const struct rt_window *v, size_t n)
{
	uint64_t at;
	size_t i;

	for (i = 0; i < n; i++)
		for (at = v[i].first - s->low; at <= v[i].last - s->low; at++)
			s->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

int rt_branches_find(const struct rt_image *image, const struct rt_window *v, size_t n,
		     struct rt_targets *targets)
{
	struct sweep s = { .image = image,
			   .targets = targets,
			   .word = image->arch->word,
			   .absolute = image->type == ET_EXEC };
	uint64_t last = 0;
	uint8_t *bytes;
	int r = 0;
	size_t i;

	if (!n)
		return 0;
	for (i = 0; i < n; i++)
		last = v[i].last > last ? v[i].last : last;
	s.low = v[0].first;
	s.span = last - s.low;
	targets->all = s.span >= SPAN_MAX;
	if (targets->all)
		return 0;
	bytes = malloc(CHUNK + OVERLAP);
	s.bits = calloc(1, (size_t)(s.span / 8 + 1));
	s.nomem = !bytes || !s.bits;
	if (!s.nomem)
		set_bits(&s, v, n);
	for (i = 0; i < image->nsegments && r == 0 && !s.nomem; i++)
		r = sweep_segment(&s, image, &image->segments[i], bytes);
	targets->all = r < 0;
	free(bytes);
	free(s.bits);
	rt_sort_words(targets->v, targets->n);
	return s.nomem ? -ENOMEM : 0;
}

void rt_branches_enter(const struct rt_targets *targets, struct rt_window *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		RT_SEARCH(k, targets->n, targets->v[k] < v[i].first);
		v[i].entered |= targets->all || (k < targets->n && targets->v[k] <= v[i].last);
	}
}
