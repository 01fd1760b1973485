/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's calling conventions: up to 1.16, and of assembly, on the stack; then in registers (Go's src/cmd/compile/abi-internal.md).  A value
 * of which not every part gets a register goes to the stack whole, and those after it may still have registers.
 */
#include <elf.h>
#include <string.h>

#include "fetch/abi.h"
#include "base/array.h"

enum { FLOATS = 15 /* of x86-64; aarch64 has one more */, DEPTH = 16 };

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static uint64_t size_of(const struct rt_arch *arch, const struct rt_ctype *type)
{
	return type->kind == RT_CT_POINTER || type->kind == RT_CT_FUNCTION ? arch->word : type->size;
}

static uint64_t align_of(const struct rt_arch *arch, const struct rt_ctype *type, unsigned depth)
{
	uint64_t align = 1, a;
	unsigned i;

	if (depth > DEPTH)
		return arch->word;
	if (type->kind == RT_CT_ARRAY)
		return type->target ? align_of(arch, type->target, depth + 1) : 1;
	if (type->kind == RT_CT_STRUCT) {
		for (i = 0; i < type->nmembers; i++) {
			a = align_of(arch, type->members[i].type, depth + 1);
			align = a > align ? a : align;
		}
		return align;
	}
	a = size_of(arch, type);
	return a > arch->word ? arch->word : a ? a : 1;
}

static bool is_complex(const struct rt_ctype *type)
{
	return type->kind == RT_CT_FLOAT && type->name && strncmp(type->name, "complex", 7) == 0;
}

static bool add_part(struct rt_home *home, uint64_t at, uint64_t size)
{
	if (home->n == RT_HOME_PARTS_MAX || at > UINT16_MAX || !size || size > 8)
		return false;
	home->parts[home->n].offset = (uint16_t)at;
	home->parts[home->n++].size = (uint16_t)size;
	return true;
}

static bool add_general(struct rt_abi *abi, struct rt_home *home, uint64_t at, uint64_t size)
{
	if (abi->general >= abi->arch->ngo || !add_part(home, at, size))
		return false;
	home->parts[home->n - 1].reg = abi->arch->go[abi->general++];
	return true;
}

static bool add_float(struct rt_abi *abi, struct rt_home *home, uint64_t at, uint64_t size)
{
	if (abi->floating >= (abi->arch->ngo > FLOATS ? FLOATS + 1 : FLOATS) || !add_part(home, at, size))
		return false;
	home->parts[home->n - 1].mark = rt_abi_float_mark(abi->arch, abi->floating++);
	return true;
}

/* A register for each part.  False: it does not fit. */
static bool assign(struct rt_abi *abi, const struct rt_ctype *type, uint64_t at, struct rt_home *home, unsigned depth)
{
	uint64_t size;
	unsigned i;

	if (!type || depth > DEPTH)
		return false;
	size = size_of(abi->arch, type);
	switch (type->kind) {
	case RT_CT_FLOAT:
		if (is_complex(type))
			return add_float(abi, home, at, size / 2) && add_float(abi, home, at + size / 2, size / 2);
		return add_float(abi, home, at, size);
	case RT_CT_STRUCT:
		for (i = 0; i < type->nmembers; i++)
			if (!assign(abi, type->members[i].type, at + type->members[i].offset, home, depth + 1))
				return false;
		return true;
	case RT_CT_ARRAY:
		return type->size == 0 || (type->count == 1 && assign(abi, type->target, at, home, depth + 1));
	default:
		return size == 0 || add_general(abi, home, at, size);
	}
}

/* Parameters that the debug information leaves out ("_") have taken registers, when this one is known to begin in a later one. */
static void skip_unnamed(struct rt_abi *abi, const struct rt_where *where)
{
	unsigned i;

	if (where->kind != RT_WHERE_REG || where->reg >= abi->arch->ndwarf)
		return;
	for (i = abi->general; i < abi->arch->ngo; i++)
		if (abi->arch->go[i].pt_regs == abi->arch->dwarf[where->reg].pt_regs)
			abi->general = i;
}

static bool is_known(const struct rt_ctype *type)
{
	return type && type->kind != RT_CT_UNKNOWN && type->kind != RT_CT_VOID && type->kind != RT_CT_VARIANT &&
	       type->kind != RT_CT_UNION && type->size < INT32_MAX / 2;
}

void rt_abi_go_begin(struct rt_abi *abi, const struct rt_arch *arch, bool registers)
{
	memset(abi, 0, sizeof(*abi));
	abi->arch = arch;
	/* Behind the return address, on aarch64 the room for the caller's own. */
	abi->stack = arch->word;
	abi->go_registers = registers;
	/* Which registers Go takes is not known of this architecture. */
	abi->lost = registers && !arch->ngo;
}

void rt_abi_go_results(struct rt_abi *abi)
{
	abi->general = abi->floating = 0;
	abi->stack = (int32_t)up((uint64_t)abi->stack, abi->arch->word);
}

void rt_abi_go_argument(struct rt_abi *abi, const struct rt_ctype *type, const struct rt_where *where, struct rt_home *home)
{
	struct rt_abi before;

	memset(home, 0, sizeof(*home));
	if (abi->lost || !is_known(type) || abi->stack > INT32_MAX / 2) {
		abi->lost = true;
		home->kind = RT_HOME_UNKNOWN;
		return;
	}
	if (!size_of(abi->arch, type))
		return;
	if (abi->go_registers && where->kind != RT_WHERE_STACK) {
		skip_unnamed(abi, where);
		before = *abi;
		home->kind = RT_HOME_PARTS;
		if (assign(abi, type, 0, home, 0))
			return;
		*abi = before;
		memset(home, 0, sizeof(*home));
	}
	home->kind = RT_HOME_STACK;
	abi->stack = (int32_t)up((uint64_t)abi->stack, align_of(abi->arch, type, 0));
	if (where->kind == RT_WHERE_STACK && where->offset >= 0 && where->offset < INT32_MAX / 2)
		abi->stack = (int32_t)where->offset;
	home->offset = abi->stack;
	abi->stack += (int32_t)size_of(abi->arch, type);
}

/* What is told may be where the only part of it is that is used. */
static bool is_at(const struct rt_ctype *type, const struct rt_home *home, int64_t told)
{
	return told >= home->offset && told - home->offset < (int64_t)(type->size ? type->size : 8 /* a pointer or function */);
}

bool rt_abi_go_in_order(struct rt_abi *abi, const struct rt_param *v, unsigned n)
{
	struct rt_abi before = *abi, other;
	struct rt_home home, moved;
	int64_t told;
	unsigned i;

	for (i = 0; i < n; i++) {
		other = before;		/* as it would be without the one before */
		before = *abi;
		rt_abi_go_argument(abi, v[i].type, &v[i].where, &home);
		told = v[i].where.kind == RT_WHERE_ABI ? v[i].where.offset : 0;
		if (abi->lost || (told > 0 && !is_at(v[i].type, &home, told)))
			return false;
		if (!told || !i || v[i - 1].where.offset || v[i].type->size > 8 || !abi->arch->link.tracefs)
			continue;
		rt_abi_go_argument(&other, v[i].type, &v[i].where, &moved);
		if (told < 0 || is_at(v[i].type, &moved, told))
			return false;
	}
	return true;
}
