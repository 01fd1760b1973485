/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/stub.h"

#include <elf.h>
#include <string.h>

#include "base/array.h"
#include "code/exits.h"
#include "elf/file.h"

/* A stub has no more instructions before its jump: the mark of a branch's target. */
enum { BEFORE = 2, INSN_MAX = 16, NAME_MAX_BYTES = 4096 };

/* The name of symbol `i` of .dynsym. */
static const char *symbol_name(struct rt_image *image, uint64_t i)
{
	const struct rt_dynamic *d = &image->dynamic;
	uint32_t name;		/* is first in both classes */
	const char *s;

	if (!d->symtab || !d->syment || i > UINT32_MAX ||
	    rt_image_read(image, d->symtab + i * d->syment, &name, sizeof(name)) != sizeof(name))
		return NULL;
	s = rt_image_dynamic_string(image, name);
	return s ? rt_image_clean_name(image, s) : NULL;
}

/* The name, among those of a place, that a person would use. */
static const char *best_name(const struct rt_image *image, uint64_t addr)
{
	const struct rt_symbol *v, *best = NULL;
	size_t i, n;

	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n; i++)
		if (!best || rt_symbol_compare(&v[i], best) < 0)
			best = &v[i];
	return best ? best->name : NULL;
}

/* The address that the stub's jump is read from; 0: it is of another kind. */
static uint64_t slot_of(struct rt_code *code, uint64_t addr)
{
	struct rt_image *image = rt_code_image(code);
	uint8_t bytes[INSN_MAX];
	struct rt_flow f;
	unsigned i;
	size_t n;

	for (i = 0; i <= BEFORE; i++, addr += f.size) {
		n = rt_image_read(image, addr, bytes, sizeof(bytes));
		if (!n || !rt_flow_decode(image->arch, rt_code_decoder(code), bytes, n, addr, &f))
			return 0;
		if (f.kind == RT_FLOW_INDIRECT)
			return f.has_mem && f.mem.fixed ? (uint64_t)f.mem.disp : 0;
		if (f.kind != RT_FLOW_NEXT)
			return 0;
	}
	return 0;
}

/* The symbol of which the loader puts the address at `slot`; the image's. */
static const char *name_at(struct rt_code *code, uint64_t slot)
{
	struct rt_image *image = rt_code_image(code);
	uint64_t resolver;
	uint32_t symbol;
	const char *name;

	if (!rt_code_slot(code, slot, &symbol, &resolver))
		return NULL;
	name = symbol ? symbol_name(image, symbol) : best_name(image, resolver);
	return name && *name && strlen(name) < NAME_MAX_BYTES ? name : NULL;
}

/* The name of the stub's target; the image's. */
static const char *stub_name(struct rt_code *code, uint64_t addr)
{
	uint64_t slot = slot_of(code, addr);

	return slot ? name_at(code, slot) : NULL;
}

const char *rt_code_called(struct rt_code *code, uint64_t addr)
{
	static const uint8_t sizes[] = { 4, 5, 6 };
	struct rt_image *image = rt_code_image(code);
	const struct rt_arch *arch = image->arch;
	uint64_t target, slot, next;
	uint8_t b[6];
	unsigned i;

	if (addr < sizeof(b) || rt_image_read(image, addr - sizeof(b), b, sizeof(b)) != sizeof(b))
		return NULL;
	for (i = 0; i < RT_COUNT(sizes); i++) {
		const uint8_t *insn = b + sizeof(b) - sizes[i];

		target = arch->direct_target(insn, sizes[i], addr - sizes[i], &next);
		if (target && next == addr)
			return rt_code_is_stub(code, target) ? stub_name(code, target) : NULL;
		slot = arch->target_slot
			       ? arch->target_slot(insn, sizes[i], addr - sizes[i], &next)
			       : 0;
		if (slot && next == addr)
			return name_at(code, slot);
	}
	return NULL;
}

bool rt_code_follows_call(const struct rt_image *image, struct rt_decoder *decoder, uint64_t addr)
{
	enum { LONGEST = 9 };	/* prefixes for the linker, rex, ff /2, a SIB byte, 32 bits */
	struct rt_flow flow;
	uint8_t b[LONGEST];
	uint64_t n;

	for (n = 2; n <= LONGEST && n <= addr; n++)
		if (rt_image_read(image, addr - n, b, n) == n &&
		    rt_flow_decode(image->arch, decoder, b, n, addr - n, &flow) &&
		    flow.kind == RT_FLOW_CALL && flow.size == n)
			return true;
	return false;
}

bool rt_code_reaches(struct rt_code *code, uint64_t addr, uint64_t *from)
{
	enum { LONGEST = 16 };
	const struct rt_image *image = rt_code_image(code);
	struct rt_decoder *decoder = rt_code_decoder(code);
	uint64_t at, end;
	struct rt_flow flow;
	uint8_t b[LONGEST];
	size_t n;

	if (!decoder || !addr || !rt_code_span(code, addr - 1, &at, &end) || addr == end)
		return false;
	if (*from >= at && *from <= addr)
		at = *from;
	for (; at < addr; at += flow.size) {
		n = rt_image_read(image, at, b, sizeof(b));
		if (!rt_flow_decode(image->arch, decoder, b, n, at, &flow) || !flow.size)
			return false;
	}
	*from = at;
	return at == addr;
}

uint64_t rt_exit_slot(struct rt_code *code, const struct rt_exit *e)
{
	if (e->slot || !e->target || !rt_code_is_stub(code, e->target))
		return e->slot;
	return slot_of(code, e->target);
}

const char *rt_exit_symbol(struct rt_code *code, const struct rt_exit *e)
{
	uint64_t slot = rt_exit_slot(code, e);

	if (slot)
		return name_at(code, slot);
	return e->target ? best_name(rt_code_image(code), e->target) : NULL;
}

/*
 * An IFUNC's symbol is its resolver: run once by the loader, it answers with the address of the
 * implementation that suits the processor.  Which one that is only shows in the process, so all
 * that the resolver's code can answer with are taken.
 */

#define MAX_CODE 1024

static bool begins_with_landing(const struct rt_image *image, uint64_t addr)
{
	uint8_t code[4];

	return rt_image_read(image, addr, code, sizeof(code)) == sizeof(code) &&
	       image->arch->is_landing(code);
}

static bool follows_code_end(const struct rt_image *image, uint64_t addr)
{
	uint8_t code[RT_ARCH_BEFORE];

	if (rt_image_read(image, addr - sizeof(code), code, sizeof(code)) != sizeof(code))
		return true;	/* the first function of its segment */
	return image->arch->ends_code(code);
}

/*
 * A wrong answer would put a probe into the middle of an instruction.  With a .symtab a function's
 * symbol must be there; without one it must look like the beginning of one.
 */
static bool is_implementation(const struct rt_image *image, uint64_t addr, bool checked)
{
	const struct rt_symbol *v;
	size_t i, n;

	if (!rt_image_is_code(image, addr))
		return false;
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC)
			return true;
	if (image->symtab.present || image->has_more || addr % 16)
		return false;
	if (checked)	/* built for CET or BTI: whatever is called indirectly begins so */
		return begins_with_landing(image, addr);
	return follows_code_end(image, addr);
}

size_t rt_ifunc_implementations(const struct rt_image *image, const struct rt_symbol *symbol,
				uint64_t v[RT_MAX_IMPLEMENTATIONS])
{
	const struct rt_arch *arch = image->arch;
	bool checked = begins_with_landing(image, symbol->addr);
	uint8_t code[MAX_CODE];
	size_t size, i, k, n = 0;
	uint64_t addr;

	size = rt_image_read(image, symbol->addr, code,
			     symbol->size < MAX_CODE ? symbol->size : MAX_CODE);
	for (i = 0; i < size && n < RT_MAX_IMPLEMENTATIONS; i += arch->insn_align) {
		if (!arch->loads_address(code + i, size - i, symbol->addr + i,
					 image->type == ET_EXEC, &addr) ||
		    !is_implementation(image, addr, checked))
			continue;
		for (k = 0; k < n && v[k] != addr; k++)
			;
		if (k == n)
			v[n++] = addr;
	}
	return n;
}
