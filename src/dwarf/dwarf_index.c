/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_index.h"

#include <ctype.h>
#include <string.h>

/*
 * Little-endian, as all of our machines are.  Beyond the section it is 0, which the callers' checks
 * of bounds refuse.
 */
static uint64_t number(struct rt_section s, uint64_t at, unsigned size)
{
	uint64_t v = 0;

	if (at <= s.n && size <= s.n - at)
		memcpy(&v, s.p + at, size);
	return v;
}

static bool is_text(struct rt_section s, uint64_t at, const char *text)
{
	size_t n = strlen(text) + 1;

	return at <= s.n && n <= s.n - at && memcmp(s.p + at, text, n) == 0;
}

static void add(struct rt_index_units *units, uint64_t unit)
{
	unsigned i;

	for (i = 0; i < units->n; i++)
		if (units->v[i] == unit)
			return;
	if (units->n == RT_INDEX_UNITS)
		units->more = true;
	else
		units->v[units->n++] = unit;
}

/* ---- .gdb_index ("Index Section Format", in GDB's manual) ---- */

enum {
	GDB_UNIT = 16, GDB_RANGE = 20, GDB_SLOT = 8,	/* bytes of an entry */
	/* of what a name is of; above it is of what kind */
	GDB_UNIT_BITS = 24,
};

struct gdb_index {
	struct rt_section s;
	uint64_t units, nunits, ranges, nranges, slots, nslots, pool;
};

/* Its parts stand one behind another. */
static bool open_gdb_index(struct rt_section s, struct gdb_index *index)
{
	uint64_t version = number(s, 0, 4), types, behind;

	if (!s.p || s.n < 24 || version < 5 || version > 9)
		return false;
	index->s = s;
	index->units = number(s, 4, 4);
	types = number(s, 8, 4);
	index->ranges = number(s, 12, 4);
	index->slots = number(s, 16, 4);
	behind = number(s, 20, 4);
	index->pool = version == 9 ? number(s, 24, 4) : behind;
	if (index->units > types || types > index->ranges || index->ranges > index->slots ||
	    index->slots > behind || behind > index->pool || index->pool > s.n)
		return false;
	index->nunits = (types - index->units) / GDB_UNIT;
	index->nranges = (index->slots - index->ranges) / GDB_RANGE;
	index->nslots = (behind - index->slots) / GDB_SLOT;
	return true;
}

static uint32_t gdb_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++)
		hash = hash * 67 + (uint32_t)tolower((unsigned char)*name) - 113;
	return hash;
}

static void add_vector(const struct gdb_index *index, uint64_t at, struct rt_index_units *units)
{
	uint64_t n = number(index->s, at, 4), i, unit;

	for (i = 0; i < n && at + 8 + 4 * i <= index->s.n && !units->more; i++) {
		unit = number(index->s, at + 4 + 4 * i, 4) & ((1u << GDB_UNIT_BITS) - 1);
		if (unit < index->nunits)
			add(units, number(index->s, index->units + unit * GDB_UNIT, 8));
	}
}

bool rt_gdb_index_name(struct rt_section section, const char *name, struct rt_index_units *units)
{
	uint64_t text, vector, slot, step, tries;
	struct gdb_index index;

	if (!open_gdb_index(section, &index))
		return false;
	if (!index.nslots || (index.nslots & (index.nslots - 1)))
		return false;
	slot = gdb_hash(name) & (index.nslots - 1);
	step = ((gdb_hash(name) * 17) & (index.nslots - 1)) | 1;
	for (tries = 0; tries < index.nslots; tries++, slot = (slot + step) & (index.nslots - 1)) {
		text = number(section, index.slots + slot * GDB_SLOT, 4);
		vector = number(section, index.slots + slot * GDB_SLOT + 4, 4);
		if (!text && !vector)
			break;
		if (is_text(section, index.pool + text, name)) {
			add_vector(&index, index.pool + vector, units);
			break;
		}
	}
	return true;
}

bool rt_gdb_index_address(struct rt_section section, uint64_t addr, uint64_t *unit)
{
	struct gdb_index index;
	uint64_t i, at, of;

	if (!open_gdb_index(section, &index))
		return false;
	for (i = 0; i < index.nranges; i++) {
		at = index.ranges + i * GDB_RANGE;
		of = number(section, at + 16, 4);
		if (addr < number(section, at, 8) || addr >= number(section, at + 8, 8) ||
		    of >= index.nunits)
			continue;
		*unit = number(section, index.units + of * GDB_UNIT, 8);
		return true;
	}
	return false;
}

/* ---- .debug_names (DWARF 5, 6.1.1) ---- */

enum {
	IDX_COMPILE_UNIT = 1,
	IDX_TYPE_UNIT = 2,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_UDATA = 0x0f,
	FORM_REF1 = 0x11,
	FORM_REF2 = 0x12,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_REF_UDATA = 0x15,
	FORM_FLAG_PRESENT = 0x19,
	ENTRIES_MAX = 4096, /* of one name */
	ATTRIBUTES_MAX = 64,
	ABBREVS_MAX = 4096,
};

/*
 * One of the indexes that stand one behind another, mostly one a unit; addresses are those in the
 * section.
 */
struct names {
	struct rt_section s;		/* up to its end */
	unsigned wide;			/* bytes of an offset */
	uint32_t units, buckets, count;
	uint64_t unit_list, bucket_list, hash_list, string_list, entry_list, abbrevs, pool;
};

static uint64_t leb(struct rt_section s, uint64_t *at)
{
	unsigned shift = 0;
	uint64_t v = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)number(s, (*at)++, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < 70 && *at < s.n);
	return v;
}

/* `*next` is where the following one begins.  False: there is none. */
static bool open_names(struct rt_section s, uint64_t at, struct names *n, uint64_t *next)
{
	uint64_t length = number(s, at, 4), local, foreign;
	uint32_t abbrevs, augmentation;

	n->wide = length == UINT32_MAX ? 8 : 4;
	at += 4;
	if (n->wide == 8) {
		length = number(s, at, 8);
		at += 8;
	}
	if (at > s.n || length > s.n - at || length < 32)
		return false;
	*next = at + length;
	n->s = (struct rt_section){ s.p, (size_t)*next };
	if (number(s, at, 2) != 5)
		return false;
	n->units = (uint32_t)number(s, at + 4, 4);
	local = number(s, at + 8, 4);
	foreign = number(s, at + 12, 4);
	n->buckets = (uint32_t)number(s, at + 16, 4);
	n->count = (uint32_t)number(s, at + 20, 4);
	abbrevs = (uint32_t)number(s, at + 24, 4);
	augmentation = (uint32_t)number(s, at + 28, 4);
	/* No sum of these overflows: all are of 32 bits. */
	n->unit_list = at + 32 + (((uint64_t)augmentation + 3) & ~3ull);
	n->bucket_list = n->unit_list + (n->units + local) * n->wide + foreign * 8;
	n->hash_list = n->bucket_list + (uint64_t)n->buckets * 4;
	n->string_list = n->hash_list + (n->buckets ? (uint64_t)n->count * 4 : 0);
	n->entry_list = n->string_list + (uint64_t)n->count * n->wide;
	n->abbrevs = n->entry_list + (uint64_t)n->count * n->wide;
	n->pool = n->abbrevs + abbrevs;
	return n->pool <= n->s.n;
}

/* Find the attributes of an abbreviation; 0: no abbreviation has that code. */
static uint64_t find_abbrev(const struct names *n, uint64_t code)
{
	uint64_t at = n->abbrevs, is;
	unsigned i, k;

	for (i = 0; i < ABBREVS_MAX && at < n->pool; i++) {
		is = leb(n->s, &at);
		if (!is)
			return 0;
		leb(n->s, &at);		/* the tag */
		if (is == code)
			return at;
		for (k = 0; k < ATTRIBUTES_MAX; k++)
			if (!(leb(n->s, &at) | leb(n->s, &at)))
				break;
	}
	return 0;
}

/*
 * A value of the entry; false: of a form that is not known, so that what follows cannot be found.
 */
static bool value(const struct names *n, uint64_t form, uint64_t *at, uint64_t *v)
{
	unsigned size = 0;

	switch (form) {
	case FORM_FLAG_PRESENT:
		*v = 1;
		return true;
	case FORM_UDATA: case FORM_REF_UDATA: case FORM_SDATA:
		*v = leb(n->s, at);
		return true;
	case FORM_DATA1: case FORM_REF1: case FORM_FLAG:
		size = 1;
		break;
	case FORM_DATA2: case FORM_REF2:
		size = 2;
		break;
	case FORM_DATA4: case FORM_REF4:
		size = 4;
		break;
	case FORM_DATA8: case FORM_REF8:
		size = 8;
		break;
	default:
		return false;
	}
	*v = number(n->s, *at, size);
	*at += size;
	return true;
}

/* One entry of a name; false: it was the last. */
static bool add_entry(const struct names *n, uint64_t *at, struct rt_index_units *units)
{
	uint64_t code = *at < n->s.n ? leb(n->s, at) : 0, abbrev = code ? find_abbrev(n, code) : 0,
		 unit = 0, idx, form, v;
	bool type_unit = false;
	unsigned i;

	if (!abbrev)
		return false;
	for (i = 0; i < ATTRIBUTES_MAX; i++) {
		idx = leb(n->s, &abbrev);
		form = leb(n->s, &abbrev);
		if (!idx && !form)
			break;
		if (!value(n, form, at, &v))
			return false;
		if (idx == IDX_COMPILE_UNIT)
			unit = v;
		type_unit |= idx == IDX_TYPE_UNIT;
	}
	if (!type_unit && unit < n->units)
		add(units, number(n->s, n->unit_list + unit * n->wide, n->wide));
	return true;
}

static void add_name(const struct names *n, struct rt_section strings, uint64_t i, const char *name,
		     struct rt_index_units *units)
{
	uint64_t at;
	unsigned k;

	if (!is_text(strings, number(n->s, n->string_list + i * n->wide, n->wide), name))
		return;
	at = n->pool + number(n->s, n->entry_list + i * n->wide, n->wide);
	for (k = 0; k < ENTRIES_MAX && at >= n->pool && !units->more && add_entry(n, &at, units);
	     k++)
		;
}

static uint32_t names_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint32_t)tolower((unsigned char)*name);
	return hash;
}

static void find_in(const struct names *n, struct rt_section strings, const char *name,
		    struct rt_index_units *units)
{
	uint32_t hash = names_hash(name), is;
	uint64_t i = 0;

	if (!n->buckets) {
		for (; i < n->count; i++)
			add_name(n, strings, i, name, units);
		return;
	}
	i = number(n->s, n->bucket_list + (uint64_t)(hash % n->buckets) * 4, 4);
	for (; i && i <= n->count; i++) {
		is = (uint32_t)number(n->s, n->hash_list + (i - 1) * 4, 4);
		if (is % n->buckets != hash % n->buckets)
			break;
		if (is == hash)
			add_name(n, strings, i - 1, name, units);
	}
}

bool rt_debug_names_name(struct rt_section section, struct rt_section strings, const char *name,
			 struct rt_index_units *units)
{
	uint64_t at = 0, next;
	bool any = false;
	struct names n;
	const char *p;

	/* Beyond ASCII letters are folded as Unicode has it. */
	for (p = name; *p; p++)
		if ((unsigned char)*p >= 0x80)
			return false;
	while (section.p && strings.p && at < section.n && open_names(section, at, &n, &next)) {
		find_in(&n, strings, name, units);
		any = true;
		at = next;
	}
	return any;
}
