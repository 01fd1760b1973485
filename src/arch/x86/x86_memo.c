/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoded instructions by their bytes.
 *
 * capstone takes 0.5 us an instruction, as it also prints it: half of the time of rawtrace list on
 * a large file.  But programs use few instructions: of 12 million of node 87 % are repeats, in a
 * table of 8,192.  An instruction is a prefix of no other one, so equal bytes have equal results,
 * but for what depends on the address: direct branches (the caller computes their target) and
 * operands relative to %rip, which are not remembered.
 *
 * The size is computed here before the bytes can be compared.  A wrong one costs time alone: the
 * caller keeps nothing for which capstone has another size.
 */
#include "arch/x86/x86_memo.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"

enum { SLOTS = 1 << 13, KEY_MAX = 15 };

/* The bytes, and in the last one their number; 0: free. */
struct slot {
	uint64_t words[2];
};

/* Apart, as only the keys fit in a cache of the processor. */
struct rt_memo {
	size_t size;		/* of a result */
	struct slot *slots;
	char *results;
};

/* The operands of an opcode. */
enum {
	NONE = 1,	/* none, or in the opcode */
	RM = 2,		/* in a ModRM byte */
	BYTE = 4,	/* an immediate of one byte */
	WORD = 8,	/* one of 4 bytes, or 2 with the prefix 66 */
	NEAR = 16,	/* a distance of one byte */
	FAR = 32,	/* one of 4 bytes */
};

static unsigned one_byte(uint8_t op, uint8_t rex)
{
	if (op < 0x40)
		return (op & 7) < 4 ? RM : (op & 7) == 4 ? BYTE : (op & 7) == 5 ? WORD : 0;
	if (op < 0x60)
		return op >= 0x50 ? NONE : 0;
	if (op >= 0x70 && op < 0x80)
		return NEAR;
	if (op >= 0xb0 && op < 0xb8)
		return BYTE;
	if (op >= 0xb8 && op < 0xc0)
		return rex & 8 ? 0 : WORD;
	switch (op) {
	case 0x63: case 0x84: case 0x85: case 0x86: case 0x87: case 0x88: case 0x89: case 0x8a:
	case 0x8b: case 0x8d: case 0xd0: case 0xd1: case 0xd2: case 0xd3: case 0xf6: case 0xf7:
	case 0xfe: case 0xff:
		return RM;
	case 0x68: case 0xa9:
		return WORD;
	case 0x69: case 0x81: case 0xc7:
		return RM | WORD;
	case 0x6a: case 0xa8:
		return BYTE;
	case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
		return RM | BYTE;
	case 0x90: case 0x98: case 0x99: case 0xc3: case 0xc9: case 0xcc:
		return NONE;
	case 0xe8: case 0xe9:
		return FAR;
	case 0xeb:
		return NEAR;
	}
	return 0;
}

/* After 0f. */
static unsigned two_byte(uint8_t op)
{
	if (op >= 0x80 && op < 0x90)
		return FAR;
	if ((op >= 0x10 && op < 0x20) || (op >= 0x28 && op < 0x30) || (op >= 0x40 && op < 0x70) ||
	    (op >= 0x90 && op < 0xa0) || (op >= 0xd0 && op < 0xff))
		return RM;
	switch (op) {
	case 0x0b:
		return NONE;
	case 0x74: case 0x75: case 0x76: case 0x7e: case 0x7f: case 0xa3: case 0xab: case 0xaf:
	case 0xb0: case 0xb1: case 0xb3: case 0xb6: case 0xb7: case 0xbb: case 0xbc: case 0xbd:
	case 0xbe: case 0xbf: case 0xc0: case 0xc1:
		return RM;
	case 0x70: case 0x71: case 0x72: case 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2:
	case 0xc6:
		return RM | BYTE;
	}
	return op >= 0xc8 && op < 0xd0 ? NONE : 0;
}

/* The size of the operand in memory or a register, and of the immediates that ModRM adds. */
static size_t modrm_size(const uint8_t *p, size_t n, bool word)
{
	size_t size = rt_x86_operand_size(p + 1, n - 1);
	bool test = (p[0] & 0xfe) == 0xf6 && !(p[1] >> 3 & 6);

	if (!size || (p[1] & 0xc7) == 5)	/* relative to %rip */
		return 0;
	return size + (!test ? 0 : p[0] == 0xf6 ? 1 : word ? 2 : 4);
}

/* Set the key's size; the number of its bytes that are compared, 0: not to be remembered. */
static size_t measure(const uint8_t *p, size_t n, struct rt_memo_key *key)
{
	bool word = false;
	size_t at = 0, rm;
	uint8_t rex = 0;
	unsigned form;

	while (at < n && (p[at] == 0x66 || p[at] == 0xf2 || p[at] == 0xf3))
		word |= p[at++] == 0x66;
	if (at < n && (p[at] & 0xf0) == 0x40)
		rex = p[at++];
	if (at >= n || (p[at] == 0x0f && at + 1 >= n))
		return 0;
	form = p[at] == 0x0f ? two_byte(p[at + 1]) : one_byte(p[at], rex);
	if (form & (NEAR | FAR)) {
		rm = 1 + (p[0] == 0x0f);
		key->size = (uint8_t)(rm + (form & NEAR ? 1 : 4));
		if (at || key->size > n)	/* a prefix may change the size */
			return 0;
		key->direct = true;
		key->distance = form & NEAR ? (int8_t)p[rm] : (int32_t)rt_arch_word(p + rm);
		return rm;
	}
	at += p[at] == 0x0f;
	if (form & RM) {
		rm = at + 1 < n ? modrm_size(p + at, n - at, word) : 0;
		/* xbegin is a branch. */
		if (!rm || (p[at] == 0xc7 && p[at + 1] >= 0xc0 && p[at + 1] & 0x38))
			return 0;
		at += rm;
	}
	at += 1u + (form & BYTE ? 1 : form & WORD ? (word && !(rex & 8) ? 2 : 4) : 0);
	key->size = (uint8_t)at;
	return form && at <= n && at <= KEY_MAX ? at : 0;
}

/*
 * The first `size` of the `n` bytes.  Not by a memcpy of them alone: words that were just written
 * byte by byte are slow to read.
 */
static void take_bytes(struct rt_memo_key *key, const uint8_t *bytes, size_t n, size_t size)
{
	unsigned cut = size < 8 ? 64 - 8 * (unsigned)size : 0;

	if (n < sizeof(key->words)) {
		memset(key->words, 0, sizeof(key->words));
		memcpy(key->words, bytes, size);
		return;
	}
	memcpy(key->words, bytes, sizeof(key->words));
	key->words[0] = key->words[0] << cut >> cut;
	cut = size > 8 ? 128 - 8 * (unsigned)size : 0;
	key->words[1] = size > 8 ? key->words[1] << cut >> cut : 0;
}

bool rt_memo_key(const uint8_t *bytes, size_t n, struct rt_memo_key *key)
{
	size_t size;

	key->direct = false;
	size = measure(bytes, n, key);
	if (!size)
		return false;
	take_bytes(key, bytes, n, size);
	return true;
}

void rt_memo_close(struct rt_memo *memo)
{
	if (memo) {
		free(memo->slots);
		free(memo->results);
	}
	free(memo);
}

struct rt_memo *rt_memo_open(size_t size)
{
	struct rt_memo *memo = calloc(1, sizeof(*memo));

	if (!memo)
		return NULL;
	memo->size = size;
	memo->slots = calloc(SLOTS, sizeof(*memo->slots));
	memo->results = calloc(SLOTS, size);
	if (memo->slots && memo->results)
		return memo;
	rt_memo_close(memo);
	return NULL;
}

static struct slot make_slot(const struct rt_memo_key *key)
{
	return (struct slot){ { key->words[0], key->words[1] | (uint64_t)key->size << 56 } };
}

static size_t place(const struct slot *slot)
{
	uint64_t hash = (slot->words[0] * 0x9e3779b97f4a7c15ull ^ slot->words[1]) *
			0xc2b2ae3d27d4eb4full;

	return (hash >> 40) % SLOTS;
}

const void *rt_memo_find(const struct rt_memo *memo, const struct rt_memo_key *key)
{
	const struct slot slot = make_slot(key);
	size_t i = place(&slot);

	return memo && memo->slots[i].words[0] == slot.words[0] &&
			       memo->slots[i].words[1] == slot.words[1]
		       ? memo->results + i * memo->size
		       : NULL;
}

void rt_memo_keep(struct rt_memo *memo, const struct rt_memo_key *key, const void *result)
{
	const struct slot slot = make_slot(key);
	size_t i = place(&slot);

	if (!memo)
		return;
	memo->slots[i] = slot;
	memcpy(memo->results + i * memo->size, result, memo->size);
}
