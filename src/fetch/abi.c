/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C calling conventions, which C++ shares: System V for x86-64 ("System V ABI, AMD64
 * supplement", 3.2.3) and i386, AAPCS64 for aarch64 ("Procedure Call Standard for the Arm 64-bit
 * Architecture", 6.8).
 */
#include "fetch/abi.h"

#include <elf.h>
#include <string.h>

#include "base/array.h"

enum { FLOATS = 8, HFA = 4, DEPTH = 8 };

const char *rt_abi_float_mark(const struct rt_arch *arch, unsigned i)
{
	static const char xmm[][sizeof("<in xmm14>")] = {
		"<in xmm0>",  "<in xmm1>",  "<in xmm2>",  "<in xmm3>",	"<in xmm4>",
		"<in xmm5>",  "<in xmm6>",  "<in xmm7>",  "<in xmm8>",	"<in xmm9>",
		"<in xmm10>", "<in xmm11>", "<in xmm12>", "<in xmm13>", "<in xmm14>",
	};
	static const char v[][sizeof("<in v15>")] = {
		"<in v0>",  "<in v1>",	"<in v2>",  "<in v3>",	"<in v4>",  "<in v5>",
		"<in v6>",  "<in v7>",	"<in v8>",  "<in v9>",	"<in v10>", "<in v11>",
		"<in v12>", "<in v13>", "<in v14>", "<in v15>",
	};

	return arch->c_abi == RT_C_ABI_AAPCS64 ? v[i % RT_COUNT(v)] : xmm[i % RT_COUNT(xmm)];
}

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static bool is_struct(const struct rt_ctype *type)
{
	return type->kind == RT_CT_STRUCT || type->kind == RT_CT_UNION;
}

/* Arrays and functions are pointers as parameters. */
static bool is_pointer(const struct rt_ctype *type)
{
	return type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE ||
	       type->kind == RT_CT_FUNCTION || (type->kind == RT_CT_ARRAY && !type->is_vector);
}

static uint64_t size_of(const struct rt_arch *arch, const struct rt_ctype *type)
{
	return is_pointer(type) ? arch->word : type->size;
}

static uint64_t align_of(const struct rt_arch *arch, const struct rt_ctype *type, unsigned depth)
{
	uint64_t align = 1, a;
	unsigned i;

	if (type->align)
		return type->align;
	if (type->kind == RT_CT_ARRAY && depth)
		return type->target && depth < DEPTH ? align_of(arch, type->target, depth + 1) : 1;
	if (!is_struct(type)) {
		a = size_of(arch, type);
		return a >= 16 ? 16 : a ? a : 1;
	}
	for (i = 0; i < type->nmembers && depth < DEPTH; i++) {
		a = align_of(arch, type->members[i].type, depth + 1);
		if (a > align)
			align = a;
	}
	return align;
}

/*
 * A vector, also as all that a structure has, of which the type alone does not tell how it is
 * passed: that depends on the options of the compiler, as -mavx and -msse.
 */
static bool is_vague(const struct rt_arch *arch, const struct rt_ctype *type, unsigned depth)
{
	if (type->kind == RT_CT_STRUCT && type->nmembers == 1 && depth < DEPTH)
		return is_vague(arch, type->members[0].type, depth + 1);
	return type->is_vector && (arch->word < 8 || (type->size != 8 && type->size != 16));
}

static bool is_known(const struct rt_arch *arch, const struct rt_ctype *type)
{
	if (!type || type->kind == RT_CT_UNKNOWN || type->kind == RT_CT_VOID ||
	    type->kind == RT_CT_VARIANT || is_vague(arch, type, 0))
		return false;
	/* A structure that is only declared. */
	return is_pointer(type) || type->size || (is_struct(type) && type->align);
}

/* ---- x86-64 ---- */

/* The classes of an object's two eightbytes; UP: in the same vector register as the first one. */
enum klass { CLASS_NONE, CLASS_INTEGER, CLASS_FLOAT, CLASS_UP };

static bool merge(enum klass *c, uint64_t at, enum klass k)
{
	c += at / 8;
	if (at >= 16)
		return false;
	if (k == CLASS_INTEGER || *c == CLASS_NONE)
		*c = k;
	return true;
}

/* false: in memory. */
static bool classify(const struct rt_arch *arch, const struct rt_ctype *type, uint64_t at,
		     enum klass *c, unsigned depth)
{
	uint64_t i, align;

	if (!type || depth > DEPTH || at >= 16)
		return false;
	switch (type->kind) {
	case RT_CT_FLOAT:
		if (at % (type->size ? type->size : 1))
			return false;
		if (type->size >
		    8) /* long double is x87's; the other one of 16 bytes is in one register */
			return type->is_vector && merge(c, at, CLASS_FLOAT) &&
			       merge(c, at + 8, CLASS_UP);
		return merge(c, at, CLASS_FLOAT);
	case RT_CT_ARRAY:
		if (type->is_vector)
			return type->size && at % type->size == 0 && merge(c, at, CLASS_FLOAT) &&
			       (type->size <= 8 || merge(c, at + 8, CLASS_UP));
		if (!type->target || !type->target->size || type->count > 16)
			return false;
		for (i = 0; i < type->count; i++)
			if (!classify(arch, type->target, at + i * type->target->size, c,
				      depth + 1))
				return false;
		return true;
	case RT_CT_STRUCT:
	case RT_CT_UNION:
		if (type->size > 16 || type->by_reference)
			return false;
		for (i = 0; i < type->nmembers; i++) {
			const struct rt_member *m = &type->members[i];

			if (m->bit_size
				    ? !merge(c, at + m->offset + m->bit_offset / 8, CLASS_INTEGER)
				    : !classify(arch, m->type, at + m->offset, c, depth + 1))
				return false;
		}
		return true;
	case RT_CT_UNKNOWN:
	case RT_CT_VOID:
	case RT_CT_VARIANT:
		return false;
	default:
		align = size_of(arch, type);
		if (at % (align ? align : 1))
			return false;
		return merge(c, at, CLASS_INTEGER) &&
		       (align <= 8 || merge(c, at + 8, CLASS_INTEGER));
	}
}

/* In the registers of the x87: long double, and as a result two of them. */
static bool is_x87(const struct rt_ctype *type)
{
	if (type->is_complex && type->nmembers)
		type = type->members[0].type;
	return type->kind == RT_CT_FLOAT && type->size > 8 && !type->is_vector;
}

/*
 * The object in the registers of its eightbytes: `general` ones, which are `ngeneral`, and
 * floating-point ones from `floating` on.
 */
static bool spread(const struct rt_arch *arch, const struct rt_ctype *type,
		   const struct rt_reg *general, unsigned ngeneral, unsigned floating,
		   unsigned nfloating, unsigned taken[2], struct rt_abi_location *location)
{
	enum klass c[2] = { CLASS_NONE, CLASS_NONE };
	uint64_t size = size_of(arch, type);
	unsigned i;

	if (is_pointer(type))
		c[0] = CLASS_INTEGER;
	else if (size > 16 || !classify(arch, type, 0, c, 0))
		return false;
	location->kind = RT_ABI_PARTS;
	location->part = 8;
	location->n = (unsigned)up(size, 8) / 8;
	if (type->kind == RT_CT_FLOAT || type->is_vector) {
		location->part = 16;
		location->n = 1;
	}
	taken[0] = taken[1] = 0;
	/* C++ has empty classes of one byte, which are not passed. */
	if (c[0] == CLASS_NONE && c[1] == CLASS_NONE)
		location->kind = RT_ABI_NONE;
	for (i = 0; i < location->n; i++) {
		if (c[i] == CLASS_INTEGER) {
			if (taken[0] == ngeneral)
				return false;
			location->parts[i].reg = general[taken[0]++];
		} else if (c[i] == CLASS_NONE) {
			location->parts[i].mark = "<padding>";
		} else if (c[i] == CLASS_UP && c[0] == CLASS_FLOAT) {
			location->parts[i].mark = location->parts[0].mark;
		} else {
			if (taken[1] == nfloating)
				return false;
			location->parts[i].mark = rt_abi_float_mark(arch, floating + taken[1]++);
		}
	}
	return true;
}

static void x86_64_argument(struct rt_abi *abi, const struct rt_ctype *type,
			    struct rt_abi_location *location)
{
	const struct rt_arch *arch = abi->arch;
	unsigned taken[2];
	uint64_t align = align_of(arch, type, 0);

	if (is_struct(type) && type->by_reference) {
		location->kind = RT_ABI_POINTER;
		if (abi->general < arch->nargs) {
			location->n = 1;
			location->parts[0].reg = arch->args[abi->general++];
		} else {
			location->offset = abi->stack;
			abi->stack += 8;
		}
		return;
	}
	if (spread(arch, type, arch->args + abi->general, arch->nargs - abi->general, abi->floating,
		   FLOATS - abi->floating, taken, location)) {
		abi->general += taken[0];
		abi->floating += taken[1];
		return;
	}
	memset(location, 0, sizeof(*location));
	/*
	 * Half of it is in the last register (what is aligned to 16 never is; see
	 * rt_dwarf_walk.splits_int128).
	 */
	if (type->kind == RT_CT_INT && type->size == 16 && align == 8 &&
	    abi->general + 1 == arch->nargs) {
		abi->general++;
		abi->stack += 8;
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = "<not known>";
		return;
	}
	/*
	 * The first argument on the stack is as aligned as any may be, and is 8 above the stack
	 * pointer at entry.
	 */
	abi->stack = (int32_t)up((uint64_t)abi->stack - arch->stack_args, align > 8 ? align : 8) +
		     arch->stack_args;
	location->kind = RT_ABI_STACK;
	location->offset = abi->stack;
	abi->stack += (int32_t)up(size_of(arch, type), 8);
}

static void x86_64_result(const struct rt_arch *arch, const struct rt_ctype *type,
			  struct rt_abi_location *location)
{
	const struct rt_reg general[] = { arch->result, arch->result2 };
	unsigned taken[2];

	if (is_x87(type)) {
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = type->is_complex ? "<in st0 and st1>" : "<in st0>";
		return;
	}
	if (spread(arch, type, general, 2, 0, 2, taken, location))
		return;
	memset(location, 0, sizeof(*location));
	location->kind = RT_ABI_POINTER;
	location->n = 1;
	location->parts[0].reg = arch->result;
}

/* ---- i386 ---- */

static void i386_argument(struct rt_abi *abi, const struct rt_ctype *type,
			  struct rt_abi_location *location)
{
	location->kind = is_struct(type) && type->by_reference ? RT_ABI_POINTER : RT_ABI_STACK;
	location->offset = abi->stack;
	abi->stack +=
		(int32_t)up(location->kind == RT_ABI_POINTER ? 4 : size_of(abi->arch, type), 4);
}

static void i386_result(const struct rt_arch *arch, const struct rt_ctype *type,
			struct rt_abi_location *location)
{
	if (type->kind == RT_CT_FLOAT) {
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = "<in st0>";
		return;
	}
	location->parts[0].reg = arch->result;
	location->n = 1;
	location->part = 4;
	/* A complex number of floats is returned like an integer of that size. */
	location->kind = (is_struct(type) && !(type->is_complex && type->size == 8)) ||
					 size_of(arch, type) > 8
				 ? RT_ABI_POINTER
				 : RT_ABI_PARTS;
	if (location->kind == RT_ABI_PARTS && size_of(arch, type) > 4) {
		location->parts[1].reg = arch->result2;
		location->n = 2;
	}
}

/* ---- aarch64 ---- */

/*
 * Count the floating-point members if the object has only these, of one size: up to 4 go into a
 * register each.
 */
static bool same_floats(const struct rt_ctype *type, uint64_t *size, unsigned *n, unsigned depth)
{
	unsigned i;

	if (!type || depth > DEPTH)
		return false;
	if (type->kind == RT_CT_FLOAT || type->is_vector) {
		if (*size && *size != type->size)
			return false;
		*size = type->size;
		return ++*n <= HFA;
	}
	if (type->kind == RT_CT_ARRAY && depth) {
		for (i = 0; i < type->count; i++)
			if (!same_floats(type->target, size, n, depth + 1))
				return false;
		return true;
	}
	if (type->kind != RT_CT_STRUCT)
		return false;
	for (i = 0; i < type->nmembers; i++)
		if (type->members[i].bit_size ||
		    !same_floats(type->members[i].type, size, n, depth + 1))
			return false;
	return true;
}

static bool in_floats(const struct rt_arch *arch, const struct rt_ctype *type, unsigned floating,
		      struct rt_abi_location *location)
{
	uint64_t size = 0;
	unsigned i, n = 0;

	if (!same_floats(type, &size, &n, 0) || !n)
		return false;
	location->kind = RT_ABI_PARTS;
	location->n = n;
	location->part = (unsigned)size;
	for (i = 0; i < n; i++)
		location->parts[i].mark = rt_abi_float_mark(arch, floating + i);
	return true;
}

static void aarch64_stack(struct rt_abi *abi, const struct rt_ctype *type, uint64_t size,
			  struct rt_abi_location *location)
{
	abi->stack = (int32_t)up((uint64_t)abi->stack, align_of(abi->arch, type, 0) >= 16 ? 16 : 8);
	location->offset = abi->stack;
	abi->stack += (int32_t)up(size, 8);
}

static void aarch64_argument(struct rt_abi *abi, const struct rt_ctype *type,
			     struct rt_abi_location *location)
{
	const struct rt_arch *arch = abi->arch;
	uint64_t size = size_of(arch, type);
	unsigned i, n = (unsigned)up(size, 8) / 8;

	if (in_floats(arch, type, abi->floating, location)) {
		if (abi->floating + location->n <= FLOATS) {
			abi->floating += location->n;
			return;
		}
		memset(location, 0, sizeof(*location));
		abi->floating = FLOATS;
		location->kind = RT_ABI_STACK;
		aarch64_stack(abi, type, size, location);
		return;
	}
	location->kind = RT_ABI_PARTS;
	location->part = 8;
	if (is_struct(type) && (type->by_reference || size > 16)) {
		location->kind = RT_ABI_POINTER;
		n = 1;
	} else if (align_of(arch, type, 0) >= 16) {
		abi->general = (unsigned)up(abi->general, 2);
	}
	if (abi->general + n <= arch->nargs) {
		location->n = n;
		for (i = 0; i < n; i++)
			location->parts[i].reg = arch->args[abi->general++];
		return;
	}
	abi->general = arch->nargs;
	if (location->kind == RT_ABI_PARTS)
		location->kind = RT_ABI_STACK;
	if (location->kind == RT_ABI_POINTER) {
		location->offset = abi->stack;
		abi->stack += 8;
		return;
	}
	aarch64_stack(abi, type, size, location);
}

static void aarch64_result(const struct rt_arch *arch, const struct rt_ctype *type,
			   struct rt_abi_location *location)
{
	uint64_t size = size_of(arch, type);

	if (in_floats(arch, type, 0, location))
		return;
	if (is_struct(type) && (type->by_reference || size > 16)) {
		/* Its address was in x8 at the entry, which is not saved. */
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = "<in memory>";
		return;
	}
	location->kind = RT_ABI_PARTS;
	location->part = 8;
	location->n = size > 8 ? 2 : 1;
	location->parts[0].reg = arch->result;
	location->parts[1].reg = arch->result2;
}

/* ---- any of them ---- */

void rt_abi_result(const struct rt_arch *arch, const struct rt_ctype *type,
		   struct rt_abi_location *location)
{
	memset(location, 0, sizeof(*location));
	if (type && type->kind == RT_CT_VOID)
		return;
	if (!is_known(arch, type)) {
		location->kind = RT_ABI_UNKNOWN;
		return;
	}
	if (!size_of(arch, type))
		return;
	switch (arch->c_abi) {
	case RT_C_ABI_SYSV_X86_64:
		x86_64_result(arch, type, location);
		break;
	case RT_C_ABI_AAPCS64:
		aarch64_result(arch, type, location);
		break;
	default:
		i386_result(arch, type, location);
		break;
	}
}

void rt_abi_begin(struct rt_abi *abi, const struct rt_arch *arch, const struct rt_ctype *result)
{
	struct rt_abi_location location;

	memset(abi, 0, sizeof(*abi));
	abi->arch = arch;
	abi->stack = arch->stack_args;
	if (!result || arch->indirect.tracefs)
		return;
	rt_abi_result(arch, result, &location);
	/*
	 * A structure with unknown members: then the places of the arguments are not known.
	 */
	abi->lost = location.kind == RT_ABI_UNKNOWN && is_struct(result);
	if (location.kind != RT_ABI_POINTER)
		return;
	if (arch->nargs)
		abi->general = 1;
	else
		abi->stack += arch->word;
}

void rt_abi_unset(struct rt_abi_location *location, unsigned unset)
{
	unsigned i;

	for (i = 0; location->kind == RT_ABI_PARTS && location->part == 8 && i < location->n; i++)
		if (unset >> i & 1) {
			location->parts[i].reg.tracefs = NULL;
			location->parts[i].mark = "<optimized out>";
		}
}

void rt_abi_argument(struct rt_abi *abi, const struct rt_ctype *type,
		     struct rt_abi_location *location)
{
	memset(location, 0, sizeof(*location));
	if (abi->lost || !is_known(abi->arch, type)) {
		abi->lost = true;
		location->kind = RT_ABI_UNKNOWN;
		return;
	}
	if (!size_of(abi->arch, type))
		return;
	switch (abi->arch->c_abi) {
	case RT_C_ABI_SYSV_X86_64:
		x86_64_argument(abi, type, location);
		break;
	case RT_C_ABI_AAPCS64:
		aarch64_argument(abi, type, location);
		break;
	default:
		i386_argument(abi, type, location);
		break;
	}
}

/*
 * Go's calling conventions: up to 1.16, and of assembly, on the stack; then in registers (Go's
 * src/cmd/compile/abi-internal.md).  A value of which not every part gets a register goes to the
 * stack whole, and those after it may still have registers.
 */

enum { GO_FLOATS = 15 /* of x86-64; aarch64 has one more */, GO_DEPTH = 16 };

static uint64_t go_size_of(const struct rt_arch *arch, const struct rt_ctype *type)
{
	return type->kind == RT_CT_POINTER || type->kind == RT_CT_FUNCTION ? arch->word
									   : type->size;
}

static uint64_t go_align_of(const struct rt_arch *arch, const struct rt_ctype *type, unsigned depth)
{
	uint64_t align = 1, a;
	unsigned i;

	if (depth > GO_DEPTH)
		return arch->word;
	if (type->kind == RT_CT_ARRAY)
		return type->target ? go_align_of(arch, type->target, depth + 1) : 1;
	if (type->kind == RT_CT_STRUCT) {
		for (i = 0; i < type->nmembers; i++) {
			a = go_align_of(arch, type->members[i].type, depth + 1);
			align = a > align ? a : align;
		}
		return align;
	}
	a = go_size_of(arch, type);
	return a > arch->word ? arch->word : a ? a : 1;
}

static bool is_complex(const struct rt_ctype *type)
{
	return type->kind == RT_CT_FLOAT && type->name && strncmp(type->name, "complex", 7) == 0;
}

static bool add_part(struct rt_abi_location *location, uint64_t at, uint64_t size)
{
	if (location->n == RT_ABI_PARTS_MAX || at > UINT16_MAX || !size || size > 8)
		return false;
	location->parts[location->n].offset = (uint16_t)at;
	location->parts[location->n++].size = (uint16_t)size;
	return true;
}

static bool add_general(struct rt_abi *abi, struct rt_abi_location *location, uint64_t at,
			uint64_t size)
{
	if (abi->general >= abi->arch->ngo || !add_part(location, at, size))
		return false;
	location->parts[location->n - 1].reg = abi->arch->go[abi->general++];
	return true;
}

static bool add_float(struct rt_abi *abi, struct rt_abi_location *location, uint64_t at,
		      uint64_t size)
{
	if (abi->floating >= (abi->arch->ngo > GO_FLOATS ? GO_FLOATS + 1 : GO_FLOATS) ||
	    !add_part(location, at, size))
		return false;
	location->parts[location->n - 1].mark = rt_abi_float_mark(abi->arch, abi->floating++);
	return true;
}

/* A register for each part.  False: it does not fit. */
static bool assign(struct rt_abi *abi, const struct rt_ctype *type, uint64_t at,
		   struct rt_abi_location *location, unsigned depth)
{
	uint64_t size;
	unsigned i;

	if (!type || depth > GO_DEPTH)
		return false;
	size = go_size_of(abi->arch, type);
	switch (type->kind) {
	case RT_CT_FLOAT:
		if (is_complex(type))
			return add_float(abi, location, at, size / 2) &&
			       add_float(abi, location, at + size / 2, size / 2);
		return add_float(abi, location, at, size);
	case RT_CT_STRUCT:
		for (i = 0; i < type->nmembers; i++)
			if (!assign(abi, type->members[i].type, at + type->members[i].offset,
				    location, depth + 1))
				return false;
		return true;
	case RT_CT_ARRAY:
		return type->size == 0 ||
		       (type->count == 1 && assign(abi, type->target, at, location, depth + 1));
	default:
		return size == 0 || add_general(abi, location, at, size);
	}
}

/*
 * Parameters that the debug information leaves out ("_") have taken registers, when this one is
 * known to begin in a later one.
 */
static void skip_unnamed(struct rt_abi *abi, const struct rt_location *stated)
{
	unsigned i;

	if (stated->kind != RT_LOCATION_REG || stated->reg >= abi->arch->ndwarf)
		return;
	for (i = abi->general; i < abi->arch->ngo; i++)
		if (abi->arch->go[i].pt_regs == abi->arch->dwarf[stated->reg].pt_regs)
			abi->general = i;
}

static bool is_go_known(const struct rt_ctype *type)
{
	return type && type->kind != RT_CT_UNKNOWN && type->kind != RT_CT_VOID &&
	       type->kind != RT_CT_VARIANT && type->kind != RT_CT_UNION &&
	       type->size < INT32_MAX / 2;
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

void rt_abi_go_argument(struct rt_abi *abi, const struct rt_ctype *type,
			const struct rt_location *stated, struct rt_abi_location *location)
{
	struct rt_abi before;

	memset(location, 0, sizeof(*location));
	if (abi->lost || !is_go_known(type) || abi->stack > INT32_MAX / 2) {
		abi->lost = true;
		location->kind = RT_ABI_UNKNOWN;
		return;
	}
	if (!go_size_of(abi->arch, type))
		return;
	if (abi->go_registers && stated->kind != RT_LOCATION_STACK) {
		skip_unnamed(abi, stated);
		before = *abi;
		location->kind = RT_ABI_PARTS;
		if (assign(abi, type, 0, location, 0))
			return;
		*abi = before;
		memset(location, 0, sizeof(*location));
	}
	location->kind = RT_ABI_STACK;
	abi->stack = (int32_t)up((uint64_t)abi->stack, go_align_of(abi->arch, type, 0));
	if (stated->kind == RT_LOCATION_STACK && stated->offset >= 0 &&
	    stated->offset < INT32_MAX / 2)
		abi->stack = (int32_t)stated->offset;
	location->offset = abi->stack;
	abi->stack += (int32_t)go_size_of(abi->arch, type);
}

/* Debug information may give the place of the only part that is used. */
static bool is_at(const struct rt_ctype *type, const struct rt_abi_location *location,
		  int64_t given)
{
	return given >= location->offset &&
	       given - location->offset <
		       (int64_t)(type->size ? type->size : 8 /* a pointer or function */);
}

bool rt_abi_go_in_order(struct rt_abi *abi, const struct rt_param *v, unsigned n)
{
	struct rt_abi before = *abi, other;
	struct rt_abi_location location, moved;
	int64_t given;
	unsigned i;

	for (i = 0; i < n; i++) {
		other = before;		/* as it would be without the one before */
		before = *abi;
		rt_abi_go_argument(abi, v[i].type, &v[i].location, &location);
		given = v[i].location.kind == RT_LOCATION_ABI ? v[i].location.offset : 0;
		if (abi->lost || (given > 0 && !is_at(v[i].type, &location, given)))
			return false;
		if (!given || !i || v[i - 1].location.offset || v[i].type->size > 8 ||
		    !abi->arch->link.tracefs)
			continue;
		rt_abi_go_argument(&other, v[i].type, &v[i].location, &moved);
		if (given < 0 || is_at(v[i].type, &moved, given))
			return false;
	}
	return true;
}
