/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "go/pclntab.h"

#include <errno.h>
#include <string.h>

#include "base/search.h"

/* cmd/link/internal/ld/pcln.go, and runtime/symtab.go for how it is read. */
enum { MAGIC_2 = 0xfb, MAGIC_16 = 0xfa, MAGIC_18 = 0xf0, MAGIC_20 = 0xf1 };

/* No program is near that; it keeps sums of offsets from running over. */
#define LARGEST (UINT64_C(1) << 40)

/* Names of generic functions' instances can be long. */
enum { NAME_MAX_BYTES = 1 << 14 };

enum { FLAG_TOP_FRAME = 1, FLAG_SP_WRITE = 1 << 1, FLAG_ASSEMBLY = 1 << 2, PCDATA_AT = 28 };

static bool is_name(const struct rt_pclntab *t, uint64_t at)
{
	return at < t->size &&
	       memchr(t->bytes + at, '\0',
		      t->size - at < NAME_MAX_BYTES ? t->size - at : NAME_MAX_BYTES);
}

static uint32_t load32(const struct rt_pclntab *t, uint64_t at)
{
	uint32_t v;

	memcpy(&v, t->bytes + at, sizeof(v));	/* little-endian, as all of our machines are */
	return v;
}

static uint64_t load64(const struct rt_pclntab *t, uint64_t at)
{
	uint64_t v;

	memcpy(&v, t->bytes + at, sizeof(v));
	return v;
}

static bool holds(const struct rt_pclntab *t, uint64_t at, uint64_t n)
{
	return at <= t->size && n <= t->size - at;
}

/*
 * An entry of the list is an address and the offset of the function's own record, 4 bytes each
 * since 1.18.
 */
static uint64_t word(const struct rt_pclntab *t)
{
	return t->since >= 18 ? 4 : 8;
}

/* After the last entry is the end of the last function. */
static bool list_fits(const struct rt_pclntab *t)
{
	return t->count && t->count < LARGEST &&
	       holds(t, t->list, t->count * 2 * word(t) + word(t));
}

static bool read_header(struct rt_pclntab *t)
{
	unsigned words = t->since == 2 ? 1 : t->since == 16 ? 7 : 8;

	if (!holds(t, 8, words * 8u))
		return false;
	t->count = load64(t, 8);
	if (t->since == 2) {
		t->list = 16;
		return true;
	}
	if (t->since == 16) {
		t->names = load64(t, 24);
		t->deltas = load64(t, 48);
		t->functions = load64(t, 56);
	} else {
		t->text = load64(t, 24);
		t->names = load64(t, 32);
		t->deltas = load64(t, 56);
		t->functions = load64(t, 64);
	}
	t->list = t->functions;
	return t->names < t->size && t->deltas < t->size && t->functions < t->size;
}

int rt_pclntab_open(const uint8_t *bytes, size_t n, struct rt_pclntab *t)
{
	memset(t, 0, sizeof(*t));
	t->bytes = bytes;
	t->size = n;
	/* Magic, two zero bytes, the smallest instruction, the size of a pointer. */
	if (n < 8 || memcmp(bytes + 1, "\xff\xff\xff\0\0", 5) != 0 || bytes[7] != 8)
		return -ENOENT;
	t->quantum = bytes[6];
	if (t->quantum != 1 && t->quantum != 2 && t->quantum != 4)
		return -ENOENT;
	switch (bytes[0]) {
	case MAGIC_2:
		t->since = 2;
		break;
	case MAGIC_16:
		t->since = 16;
		break;
	case MAGIC_18:
		t->since = 18;
		break;
	case MAGIC_20:
		t->since = 20;
		break;
	default:
		return -ENOENT;
	}
	return read_header(t) && list_fits(t) ? 0 : -EBADMSG;
}

/* The address of entry `i`, which may be the one behind the last. */
static uint64_t address(const struct rt_pclntab *t, uint64_t i)
{
	uint64_t at = t->list + i * 2 * word(t);

	return t->since >= 18 ? t->text + load32(t, at) : load64(t, at);
}

/* The last four bytes of a record since 1.18: an id, flags, padding, the number of FUNCDATA. */
static uint64_t tail(const struct rt_pclntab *t, uint64_t record)
{
	return record + (t->since < 20 ? 36 : 40);
}

bool rt_pclntab_function(const struct rt_pclntab *t, uint64_t i, struct rt_go_function *f)
{
	uint64_t record, name, head = word(t);
	uint8_t flags = 0;

	if (i >= t->count)
		return false;
	record = t->list + i * 2 * head + head;
	record = t->functions + (t->since >= 18 ? load32(t, record) : load64(t, record));
	/* The entry, then i32 name, i32 args, u32 deferreturn, u32 pcsp. */
	if (record < t->functions || !holds(t, record, head + 16))
		return false;
	f->addr = address(t, i);
	f->end = address(t, i + 1);
	name = t->names + load32(t, record + head);
	f->args = load32(t, record + head + 4);
	f->recovers = load32(t, record + head + 8);
	f->pcsp = load32(t, record + head + 12);
	f->record = record;
	if (t->since >= 18 && holds(t, tail(t, record), 4))
		flags = t->bytes[tail(t, record) + 1];
	f->assembly = flags & FLAG_ASSEMBLY;
	f->is_outermost = flags & FLAG_TOP_FRAME;
	f->switches_stack = flags & FLAG_SP_WRITE;
	if (f->end <= f->addr || !is_name(t, name))
		return false;
	if (f->recovers >= f->end - f->addr)
		f->recovers = 0;
	f->name = (const char *)t->bytes + name;
	return true;
}

bool rt_pclntab_find(const struct rt_pclntab *t, uint64_t addr, struct rt_go_function *f)
{
	size_t i;

	/* The first entry behind `addr`. */
	RT_SEARCH(i, (size_t)t->count, address(t, i) <= addr);
	return i && rt_pclntab_function(t, i - 1, f) && addr >= f->addr && addr < f->end;
}

static bool varint(const struct rt_pclntab *t, uint64_t *at, uint32_t *v)
{
	unsigned shift;

	*v = 0;
	for (shift = 0; shift < 35; shift += 7) {
		uint8_t byte;

		if (*at >= t->size)
			return false;
		byte = t->bytes[(*at)++];
		*v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/*
 * Pairs of a change of the value (zigzag, from -1; 0 ends, but for the first) and the code's length
 * that has it.  The value is how far the stack pointer is below where the call put it; that it
 * changes shows at the address behind the instruction that does it.
 */
bool rt_pclntab_frame(const struct rt_pclntab *t, const struct rt_go_function *f, uint32_t *at)
{
	uint64_t p = t->deltas + f->pcsp;
	uint32_t change, length;

	*at = 0;
	if (!f->pcsp || !varint(t, &p, &change) || !varint(t, &p, &length))
		return false;
	/* Zigzag of 1 is 2: 0 after -1. */
	if (change != 2 || length > (f->end - f->addr) / t->quantum)
		return false;
	if (!varint(t, &p, &change))
		return false;
	if (change && length)
		*at = length * t->quantum;
	return true;
}

bool rt_pclntab_depth(const struct rt_pclntab *t, const struct rt_go_function *f, uint64_t addr,
		      uint32_t *depth)
{
	uint64_t p = t->deltas + f->pcsp, left = addr - f->addr;
	uint32_t change, length;
	int64_t value = -1;
	bool first = true;

	while (f->pcsp && varint(t, &p, &change) && (change || first) && varint(t, &p, &length)) {
		value += change & 1 ? ~(int64_t)(change >> 1) : (int64_t)(change >> 1);
		first = false;
		if (left < (uint64_t)length * t->quantum) {
			*depth = (uint32_t)value;
			return value >= 0 && value <= INT32_MAX;
		}
		left -= (uint64_t)length * t->quantum;
	}
	return false;
}

/* Behind the record stand places of PCDATA, then those of FUNCDATA. */
bool rt_pclntab_data(const struct rt_pclntab *t, const struct rt_go_function *f, unsigned i,
		     uint64_t *at)
{
	uint64_t end = tail(t, f->record);

	if (t->since < 18 || !holds(t, f->record, end + 4 - f->record) || i >= t->bytes[end + 3])
		return false;
	end += 4 + 4 * ((uint64_t)load32(t, f->record + PCDATA_AT) + i);
	if (!holds(t, end, 4))
		return false;
	*at = load32(t, end);
	return *at != UINT32_MAX;
}
