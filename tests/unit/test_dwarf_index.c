/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_index.h"
#include "unit.h"

struct bytes {
	uint8_t v[1024];
	size_t n;
};

static void put(struct bytes *b, uint64_t v, size_t size)
{
	memcpy(b->v + b->n, &v, size);
	b->n += size;
}

static void set(struct bytes *b, size_t at, uint64_t v, size_t size)
{
	memcpy(b->v + at, &v, size);
}

/* As gdb's manual has it: 67 * h + c - 113. */
static uint32_t gdb_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++)
		hash = hash * 67 + (uint32_t)(*name | (*name >= 'A' && *name <= 'Z' ? 32 : 0)) -
		       113;
	return hash;
}

/*
 * Units at 0x0b and 0x500; ns::Foo is a type in both, and a function in the second; the second has
 * 0x2000 to 0x2100.
 */
static size_t make_gdb(struct bytes *b, uint32_t version)
{
	uint32_t slot = gdb_hash("ns::Foo") & 3, at = version == 9 ? 28 : 24;
	size_t pool;
	uint32_t i;

	memset(b, 0, sizeof(*b));
	put(b, version, 4);
	put(b, at, 4);
	put(b, at + 32, 4);
	put(b, at + 32, 4);
	put(b, at + 32 + 20, 4);
	put(b, at + 32 + 20 + 32, 4);
	if (version == 9)
		put(b, at + 32 + 20 + 32, 4);
	put(b, 0x0b, 8);
	put(b, 0x4f5, 8);
	put(b, 0x500, 8);
	put(b, 0x100, 8);
	put(b, 0x2000, 8);
	put(b, 0x2100, 8);
	put(b, 1, 4);
	for (i = 0; i < 4; i++) {	/* the vector stands at 0 of the pool, the name at 16 */
		put(b, i == slot ? 16 : 0, 4);
		put(b, 0, 4);
	}
	pool = b->n;
	put(b, 3, 4);
	put(b, 1u << 28 | 0, 4);
	put(b, 1u << 28 | 1, 4);
	put(b, 3u << 28 | 1, 4);
	memcpy(b->v + b->n, "ns::Foo", 8);
	b->n += 8;
	return pool;
}

static void test_gdb_index(void)
{
	static const uint32_t versions[] = { 7, 8, 9 };
	struct rt_index_units units;
	struct rt_section s;
	struct bytes b;
	uint64_t unit;
	size_t i, pool;

	for (i = 0; i < 3; i++) {
		pool = make_gdb(&b, versions[i]);
		s = (struct rt_section){ b.v, b.n };
		memset(&units, 0, sizeof(units));
		CU_ASSERT_TRUE(rt_gdb_index_name(s, "ns::Foo", &units));
		CU_ASSERT_EQUAL(units.n, 2);
		CU_ASSERT_EQUAL(units.v[0], 0x0b);
		CU_ASSERT_EQUAL(units.v[1], 0x500);
		memset(&units, 0, sizeof(units));
		CU_ASSERT_TRUE(rt_gdb_index_name(s, "ns::Bar", &units));
		CU_ASSERT_EQUAL(units.n, 0);
		CU_ASSERT_TRUE(rt_gdb_index_address(s, 0x20ff, &unit));
		CU_ASSERT_EQUAL(unit, 0x500);
		CU_ASSERT_FALSE(rt_gdb_index_address(s, 0x2100, &unit));
		/* A unit that is not there; a vector without an end. */
		set(&b, pool + 4, 1u << 28 | 7, 4);
		set(&b, pool, UINT32_MAX, 4);
		CU_ASSERT_TRUE(rt_gdb_index_name(s, "ns::Foo", &units));
		CU_ASSERT_TRUE(units.n >= 1 && units.v[0] == 0x500);
		set(&b, 8, UINT32_MAX, 4);
		CU_ASSERT_FALSE(rt_gdb_index_name(s, "ns::Foo", &units));
	}
	make_gdb(&b, 4);
	CU_ASSERT_FALSE(rt_gdb_index_name((struct rt_section){ b.v, b.n }, "ns::Foo", &units));
	CU_ASSERT_FALSE(rt_gdb_index_name((struct rt_section){ NULL, 0 }, "ns::Foo", &units));
}

static uint32_t names_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint32_t)(*name | 32);
	return hash;
}

/* Two indexes, one a unit (at 0x10 and at 0x900), each with the name at 4 of .debug_str. */
static void make_names(struct bytes *b, bool hashed)
{
	size_t start, i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < 2; i++) {
		start = b->n;
		put(b, 0, 4);
		put(b, 5, 2);
		put(b, 0, 2);
		put(b, 1, 4);
		put(b, 0, 8);
		put(b, hashed, 4);
		put(b, 1, 4);
		put(b, 9, 4);
		put(b, 8, 4);
		put(b, 0x3030303047564c4c, 8);	/* LLVM0000 */
		put(b, i ? 0x900 : 0x10, 4);
		if (hashed) {
			put(b, 1, 4);
			put(b, names_hash("Foo"), 4);
		}
		put(b, 4, 4);
		put(b, 0, 4);
		put(b, 1, 1); /* abbreviation 1: a structure, its entry's place as 4 bytes */
		put(b, 0x13, 1);
		put(b, 3, 1);
		put(b, 0x13, 1);
		put(b, 0, 2);
		put(b, 0, 3);
		put(b, 1, 1);
		put(b, 0x40, 4);
		put(b, 0, 1);
		set(b, start, b->n - start - 4, 4);
	}
}

static void test_debug_names(void)
{
	static const uint8_t text[] = "abc\0Foo";
	const struct rt_section strings = { text, sizeof(text) };
	struct rt_index_units units;
	struct bytes b;
	size_t at;
	int k;

	for (k = 0; k < 2; k++) {
		make_names(&b, k == 1);
		memset(&units, 0, sizeof(units));
		CU_ASSERT_TRUE(rt_debug_names_name((struct rt_section){ b.v, b.n }, strings, "Foo",
						   &units));
		CU_ASSERT_EQUAL(units.n, 2);
		CU_ASSERT_EQUAL(units.v[0], 0x10);
		CU_ASSERT_EQUAL(units.v[1], 0x900);
		memset(&units, 0, sizeof(units));
		CU_ASSERT_TRUE(rt_debug_names_name((struct rt_section){ b.v, b.n }, strings, "foo",
						   &units));
		CU_ASSERT_EQUAL(units.n, 0);
		/* Letters beyond ASCII are folded by tables that are not here. */
		CU_ASSERT_FALSE(rt_debug_names_name((struct rt_section){ b.v, b.n }, strings,
						    "F\xc3\xb6", &units));
	}
	CU_ASSERT_FALSE(
		rt_debug_names_name((struct rt_section){ NULL, 0 }, strings, "Foo", &units));
	/* Whatever byte is changed or wherever it ends, it comes back. */
	for (at = 0; at < b.n; at++) {
		struct bytes changed = b;

		changed.v[at] = 0xff;
		rt_debug_names_name((struct rt_section){ changed.v, b.n }, strings, "Foo", &units);
		rt_debug_names_name((struct rt_section){ b.v, at }, strings, "Foo", &units);
	}
	CU_ASSERT_TRUE(units.n <= RT_INDEX_UNITS);
}

CU_TestInfo rt_tests_dwarf_index[] = {
	{ ".gdb_index", test_gdb_index },
	{ ".debug_names", test_debug_names },
	CU_TEST_INFO_NULL,
};
