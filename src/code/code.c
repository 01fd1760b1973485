/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "base/array.h"
#include "base/search.h"

enum { CHUNK = 1 << 16, RELA64 = 24 };

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
	bool pointers_known, pointers_failed, relatives_known;
	uint64_t *pointers;		/* sorted */
	size_t npointers, pointers_cap;
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
	free(code->pointers);
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

static int add_pointers(struct rt_code *code, const struct rt_segment *g, uint8_t *bytes)
{
	unsigned word = code->image->arch->word;
	uint64_t at, v;
	size_t i, n;

	for (at = -g->vaddr & (word - 1); at + word <= g->filesz; at += CHUNK) {
		n = g->filesz - at < CHUNK ? (size_t)(g->filesz - at) : CHUNK;
		if (rt_image_read(code->image, g->vaddr + at, bytes, n) < n)
			return -1;
		for (i = 0; i + word <= n; i += word) {
			v = word_at(bytes + i, word);
			if (!v || !rt_image_is_code(code->image, v))
				continue;
			if (RT_ROOM(&code->pointers, code->npointers, &code->pointers_cap) < 0)
				return -1;
			code->pointers[code->npointers++] = v;
		}
	}
	return 0;
}

static int compare_words(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void find_pointers(struct rt_code *code)
{
	uint8_t *bytes = malloc(CHUNK);
	size_t i;

	code->pointers_known = true;
	code->pointers_failed = !bytes;
	for (i = 0; i < code->image->nsegments && !code->pointers_failed; i++)
		code->pointers_failed = add_pointers(code, &code->image->segments[i], bytes) < 0;
	free(bytes);
	if (code->npointers)
		qsort(code->pointers, code->npointers, sizeof(*code->pointers), compare_words);
}

bool rt_code_is_pointed(struct rt_code *code, uint64_t first, uint64_t last)
{
	size_t i;

	if (!code->pointers_known)
		find_pointers(code);
	if (code->pointers_failed)
		return true;
	RT_SEARCH(i, code->npointers, code->pointers[i] < first);
	return i < code->npointers && code->pointers[i] <= last;
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
