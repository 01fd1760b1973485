/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three steps decide the place of a probe. First, a walk over instructions that use registers
 * alone, to the first that the kernel emulates. Then a search nearby for bytes that could be a
 * short or an indirect branch. Last, one sweep of the file for long branches, lea and addresses.
 *
 * The last two take every byte for the beginning of an instruction, so nothing is missed if code
 * has data in it, and no decoder is needed. Capstone only refutes bytes that look like a branch,
 * and only behind the first function whose size a symbol tells: before it data may come (glibc's
 * mempcpy jumps to memmove+3 over a third function).
 *
 * Limit: a jump from another function through a table of relative offsets into this one's first
 * bytes is not seen. No compiler makes one.
 */
#include "code/prologue.h"

#include <string.h>

#include "elf/file.h"

/* No place further from the entry is looked at, and an instruction has at most 15 bytes. */
enum { FURTHEST = 48, INSN_MAX = 15 };

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
	why = insn.not_plain ? insn.not_plain
			     : place_harms(want, p->sp_down + insn.sp_down, insn.writes);
	p->skip += insn.size;
	p->sp_down += insn.sp_down;
	return why;
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
		if (!refused && p->form && (want->emulated & RT_FORM_BIT(p->form))) {
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
