/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "elf/eh_frame.h"
#include "elf/file.h"
#include "go/go.h"

enum { CHUNK = 1 << 16, RELA64 = 24 };

/* Files with their code further apart are not looked through. */
#define SPAN_MAX (1ull << 33)

struct relative {
	uint64_t offset, addend;
};

/* A slot into which the loader writes an address. */
struct slot {
	/* `resolver`: that of an IFUNC; 0: the symbol has the address */
	uint64_t addr, resolver;
	uint32_t symbol;		/* its number in .dynsym */
};

struct rt_code {
	struct rt_image *image;
	struct rt_decoder *decoder;
	bool pointers_known, relatives_known;
	struct rt_range range;		/* from the first byte of code to the last */
	uint8_t *pointed;		/* a bit for each byte there; NULL: not known */
	struct relative *relatives;	/* sorted by offset */
	size_t nrelatives, relatives_cap;
	bool slots_known;
	struct slot *slots;		/* sorted by address */
	size_t nslots, slots_cap;
};

struct rt_code *rt_code_open(struct rt_image *image)
{
	struct rt_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->image = image;
	code->decoder = rt_flow_open(rt_image_arch(image));
	return code;
}

void rt_code_close(struct rt_code *code)
{
	if (!code)
		return;
	rt_decoder_close(code->decoder);
	free(code->pointed);
	free(code->relatives);
	free(code->slots);
	free(code);
}

struct rt_image *rt_code_image(const struct rt_code *code)
{
	return code->image;
}

struct rt_decoder *rt_code_decoder(const struct rt_code *code)
{
	return code->decoder;
}

const char *rt_code_undecodable(const struct rt_code *code)
{
	return rt_flow_works(rt_image_arch(code->image), code->decoder)
		       ? NULL
		       : "there is no disassembler for it in this rawtrace";
}

/* ---- stubs ---- */

bool rt_code_is_stub(struct rt_code *code, uint64_t addr)
{
	return rt_image_is_stub(code->image, addr);
}

/* ---- addresses in data ---- */

static uint64_t word_at(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);	/* little-endian, as all of our machines are */
	return v;
}

/* From the first byte of code to the last: most words of data are outside. */
static struct rt_range code_range(const struct rt_image *image)
{
	uint64_t first = UINT64_MAX, end = 0, last;
	size_t i;

	for (i = 0; i < image->nsegments; i++) {
		const struct rt_segment *s = &image->segments[i];

		if (!s->exec)
			continue;
		last = s->vaddr + s->filesz >= s->vaddr ? s->vaddr + s->filesz : UINT64_MAX;
		first = s->vaddr < first ? s->vaddr : first;
		end = last > end ? last : end;
	}
	return (struct rt_range){ .addr = first, .size = end > first ? end - first : 0 };
}

static int note_pointers(struct rt_code *code, const struct rt_segment *g, uint8_t *bytes)
{
	const unsigned word = code->image->arch->word;
	uint64_t at, v;
	size_t i, n;

	for (at = -g->vaddr & (word - 1); at + word <= g->filesz; at += CHUNK) {
		n = g->filesz - at < CHUNK ? (size_t)(g->filesz - at) : CHUNK;
		if (rt_image_read(code->image, g->vaddr + at, bytes, n) < n)
			return -1;
		for (i = 0; i + word <= n; i += word) {
			v = word == 8 ? word_at(bytes + i, 8) : word_at(bytes + i, 4);
			if (v - code->range.addr >= code->range.size || !v ||
			    !rt_image_is_code(code->image, v))
				continue;
			v -= code->range.addr;
			code->pointed[v / 8] |= (uint8_t)(1u << v % 8);
		}
	}
	return 0;
}

static void find_pointers(struct rt_code *code)
{
	uint8_t *bytes = malloc(CHUNK);
	size_t i;
	int r;

	code->pointers_known = true;
	code->range = code_range(code->image);
	if (bytes && code->range.size < SPAN_MAX)
		code->pointed = calloc(1, (size_t)(code->range.size / 8 + 1));
	r = code->pointed ? 0 : -1;
	for (i = 0; i < code->image->nsegments && r == 0; i++)
		r = note_pointers(code, &code->image->segments[i], bytes);
	if (r < 0) {
		free(code->pointed);
		code->pointed = NULL;
	}
	free(bytes);
}

bool rt_code_is_pointed(struct rt_code *code, uint64_t first, uint64_t last)
{
	const struct rt_range *range = &code->range;

	if (!code->pointers_known)
		find_pointers(code);
	if (!code->pointed)
		return true;
	first = first > range->addr ? first - range->addr : 0;
	last = last > range->addr ? last - range->addr : 0;
	for (; first <= last && first < range->size;
	     first += code->pointed[first / 8] ? 1 : 8 - first % 8)
		if (code->pointed[first / 8] >> first % 8 & 1)
			return true;
	return false;
}

/* ---- pointers that the loader fills in ---- */

static int compare_relatives(const void *a, const void *b)
{
	const struct relative *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * R_X86_64_RELATIVE, R_AARCH64_RELATIVE.  With REL (i386) and RELR the addend is in its place.
 */
static bool is_relative(uint64_t info)
{
	return (info & UINT32_MAX) == 8 || (info & UINT32_MAX) == 1027;
}

static void find_relatives(struct rt_code *code)
{
	const struct rt_dynamic *d = &code->image->dynamic;
	uint8_t *bytes = malloc(CHUNK);
	uint64_t at;
	size_t i, n;

	code->relatives_known = true;
	if (!bytes || !d->rela || code->image->arch->word != 8) {
		free(bytes);
		return;
	}
	for (at = 0; at < d->relasz; at += CHUNK / RELA64 * RELA64) {
		n = d->relasz - at < CHUNK / RELA64 * RELA64 ? (size_t)(d->relasz - at)
							     : CHUNK / RELA64 * RELA64;
		n = rt_image_read(code->image, d->rela + at, bytes, n);
		for (i = 0; i + RELA64 <= n; i += RELA64) {
			if (!is_relative(word_at(bytes + i + 8, 8)))
				continue;
			if (RT_ROOM(&code->relatives, code->nrelatives, &code->relatives_cap) < 0)
				break;
			code->relatives[code->nrelatives++] = (struct relative){
				word_at(bytes + i, 8), word_at(bytes + i + 16, 8)
			};
		}
		if (n < RELA64)
			break;
	}
	free(bytes);
	if (code->nrelatives)
		qsort(code->relatives, code->nrelatives, sizeof(*code->relatives),
		      compare_relatives);
}

bool rt_code_pointer(struct rt_code *code, uint64_t addr, uint64_t *value)
{
	const struct relative key = { .offset = addr }, *found;
	unsigned word = code->image->arch->word;
	uint8_t bytes[8];

	if (!code->relatives_known)
		find_relatives(code);
	found = code->nrelatives ? bsearch(&key, code->relatives, code->nrelatives, sizeof(key),
					   compare_relatives)
				 : NULL;
	if (found) {
		*value = found->addend;
		return true;
	}
	if (rt_image_read(code->image, addr, bytes, word) < word)
		return false;
	*value = word_at(bytes, word);
	return true;
}

/* ---- slots through which a file reaches other functions ---- */

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* R_386_IRELATIVE, R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE. */
static bool is_chosen(uint32_t type)
{
	return type == 42 || type == 37 || type == 1032;
}

/* One relocation of `n` bytes.  REL has the resolver's address in the slot itself. */
static int add_slot(struct rt_code *code, const uint8_t *p, size_t n)
{
	unsigned word = code->image->arch->word;
	uint64_t info = word_at(p + word, word);
	uint32_t type = word == 8 ? (uint32_t)info : (uint32_t)(info & 0xff);
	struct slot slot = { .addr = word_at(p, word) };
	uint8_t bytes[8];

	slot.symbol = (uint32_t)(info >> (word == 8 ? 32 : 8));
	if (!slot.symbol && !is_chosen(type))
		return 0;
	if (!slot.symbol && n == 3u * word)
		slot.resolver = word_at(p + 2 * word, word);
	else if (!slot.symbol && rt_image_read(code->image, slot.addr, bytes, word) == word)
		slot.resolver = word_at(bytes, word);
	if (RT_ROOM(&code->slots, code->nslots, &code->slots_cap) < 0)
		return -1;
	code->slots[code->nslots++] = slot;
	return 0;
}

static void add_slots(struct rt_code *code, uint64_t table, uint64_t size, bool rela)
{
	size_t entry = (rela ? 3u : 2u) * code->image->arch->word, n, i;
	uint8_t block[128 * RELA64];
	uint64_t at;

	for (at = 0; table && at + entry <= size; at += i) {
		n = size - at < sizeof(block) ? (size_t)(size - at) : sizeof(block);
		n = rt_image_read(code->image, table + at, block, n);
		if (n < entry)
			return;
		for (i = 0; i + entry <= n; i += entry)
			if (add_slot(code, block + i, entry) < 0)
				return;
	}
}

static void find_slots(struct rt_code *code)
{
	const struct rt_dynamic *d = &code->image->dynamic;
	const struct rt_range *plt = &code->image->plt_relocations;

	code->slots_known = true;
	if (d->jmprel)
		add_slots(code, d->jmprel, d->pltrelsz, d->plt_is_rela);
	else	/* of a static program */
		add_slots(code, plt->addr, plt->size, code->image->arch->has_rela);
	add_slots(code, d->rela, d->relasz, true);
	add_slots(code, d->rel, d->relsz, false);
	if (code->nslots)
		qsort(code->slots, code->nslots, sizeof(*code->slots), compare_slots);
}

bool rt_code_slot(struct rt_code *code, uint64_t addr, uint32_t *symbol, uint64_t *resolver)
{
	const struct slot key = { .addr = addr }, *found;

	if (!code->slots_known)
		find_slots(code);
	if (!code->nslots)
		return false;
	found = bsearch(&key, code->slots, code->nslots, sizeof(key), compare_slots);
	if (!found)
		return false;
	*symbol = found->symbol;
	*resolver = found->resolver;
	return true;
}

/*
 * Landing pads, where a function catches exceptions. No instruction leads there, only the unwinder,
 * by the tables of .eh_frame and .gcc_except_table (LSB Core, "Exception Frames"; the Itanium C++
 * ABI).
 */

static int read_sites(struct rt_eh_cursor *c, uint64_t table, uint64_t begin, uint64_t *v, int max)
{
	uint64_t size, end, pad;
	uint8_t encoding;
	int n = 0;

	rt_eh_seek(c, c->image, table);
	encoding = rt_eh_byte(c);
	if (encoding != RT_EH_NONE)
		begin = rt_eh_encoded(c, encoding, 0);
	if (rt_eh_byte(c) != RT_EH_NONE)
		rt_eh_leb(c, false);
	encoding = rt_eh_byte(c);
	size = rt_eh_leb(c, false);
	if (size > UINT32_MAX)
		return -1;
	end = c->at + size;
	while (!c->bad && c->at < end) {
		rt_eh_encoded(c, encoding, 0);
		rt_eh_encoded(c, encoding, 0);
		pad = rt_eh_encoded(c, encoding, 0);
		rt_eh_leb(c, false);
		if (!pad)
			continue;
		if (n == max)
			return -1;
		v[n++] = begin + pad;
	}
	return c->bad ? -1 : n;
}

/* Find the unwind entry of `addr`; 0: there is none, or it cannot be read. */
static uint64_t describe(struct rt_eh_cursor *c, struct rt_image *image, uint64_t addr)
{
	uint64_t index, fde;

	memset(c, 0, sizeof(*c));
	c->image = image;
	if (!rt_eh_index(image, &index)) {
		/*
		 * Static C programs have the C library's own tables, of places that only clean up
		 * and continue to unwind.
		 */
		c->bad = !rt_eh_find_unindexed(image, addr, &fde) && image->has_except_table &&
			 rt_image_unwinds(image);
		return c->bad ? 0 : fde;
	}
	rt_eh_seek(c, image, index);
	return rt_eh_find(c, index, addr);
}

int rt_code_landings(struct rt_code *code, uint64_t addr, uint64_t *v, int max)
{
	const struct rt_go *go = rt_image_go(rt_code_image(code));
	uint64_t fde, table, begin, length;
	struct rt_go_function f;
	struct rt_eh_cursor c;

	if (go && go->has_table && max > 0 && rt_pclntab_find(&go->table, addr, &f)) {
		v[0] = f.addr + f.recovers;
		return f.recovers != 0;
	}
	fde = describe(&c, rt_code_image(code), addr);
	if (c.bad)
		return -1;
	if (!fde)
		return 0;
	table = rt_eh_exceptions(&c, fde, addr, &begin, &length);
	if (c.bad)
		return -1;
	return table ? read_sites(&c, table, begin, v, max) : 0;
}

bool rt_code_span(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct rt_eh_cursor c;
	uint64_t fde, length;

	fde = describe(&c, rt_code_image(code), addr);
	if (!fde || c.bad)
		return false;
	rt_eh_exceptions(&c, fde, addr, start, &length);
	*end = *start + length;
	return length && *end > *start && !c.bad;
}

/*
 * Thunks of x86 in place of returns and of jumps through registers, against speculation
 * (-mfunction-return=thunk, -mindirect-branch=thunk, -mretpoline): a call past a loop that only
 * speculation comes to, and there a return to what is on the stack, or was put there.
 */

enum { CALL = 0xe8, CALL_BYTES = 5, WAY_MAX = 64, LEAVE_BYTES = 6 };

static enum rt_thunk by_name(const char *name)
{
	if (strcmp(name, "__x86_return_thunk") == 0)
		return RT_THUNK_RETURN;
	return strncmp(name, "__x86_indirect_thunk", 20) == 0 ||
			       strncmp(name, "__llvm_retpoline_", 17) == 0
		       ? RT_THUNK_JUMP
		       : RT_THUNK_NONE;
}

/* Classify the code at the call's target. */
static enum rt_thunk by_end(const uint8_t *p, bool wide)
{
	if (wide ? memcmp(p, "\x48\x8d\x64\x24\x08\xc3", 6) == 0 ||
			    memcmp(p, "\x48\x83\xc4\x08\xc3", 5) == 0
		 : memcmp(p, "\x8d\x64\x24\x04\xc3", 5) == 0 ||
			    memcmp(p, "\x83\xc4\x04\xc3", 4) == 0)
		return RT_THUNK_RETURN;
	if (wide && (p[0] & 0xfb) == 0x48)
		p++;
	/* mov %REGISTER,(%rsp); ret */
	return p[0] == 0x89 && (p[1] & 0xc7) == 0x04 && p[2] == 0x24 && p[3] == 0xc3
		       ? RT_THUNK_JUMP
		       : RT_THUNK_NONE;
}

static enum rt_thunk by_code(const struct rt_image *image, uint64_t addr)
{
	uint8_t p[CALL_BYTES + 2], end[LEAVE_BYTES];
	uint32_t way;

	if (rt_image_read(image, addr, p, sizeof(p)) != sizeof(p) || p[0] != CALL ||
	    p[CALL_BYTES] != 0xf3 || p[CALL_BYTES + 1] != 0x90)
		return RT_THUNK_NONE;
	way = rt_arch_word(p + 1);
	if (way > WAY_MAX ||
	    rt_image_read(image, addr + CALL_BYTES + way, end, sizeof(end)) != sizeof(end))
		return RT_THUNK_NONE;
	return by_end(end, image->arch->word == 8);
}

enum rt_thunk rt_image_thunk(const struct rt_image *image, uint64_t addr)
{
	enum rt_thunk thunk = RT_THUNK_NONE;
	const struct rt_symbol *v;
	size_t i, n;

	if (!image->arch->form)
		return thunk;
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n && !thunk; i++)
		thunk = by_name(v[i].name);
	return thunk ? thunk : by_code(image, addr);
}

enum rt_thunk rt_code_thunk(struct rt_code *code, uint64_t addr)
{
	return rt_image_thunk(rt_code_image(code), addr);
}
