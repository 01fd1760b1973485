/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "dwarf/dwarf_private.h"

/* DWARF of Go's compiler that others do not have (cmd/internal/dwarf/dwarf.go). */

enum { GO_KIND = 0x2900, KIND_INTERFACE = 20, KIND_SLICE = 23, KIND_STRING = 24 };

bool rt_dwarf_is_go(Dwarf_Die *die)
{
	return rt_die_language(die) == DW_LANG_Go;
}

/*
 * Parameters that the source calls "_" have no entry up to Go 1.2x, but take their registers.  So
 * the first register of each is asked for at the entry, where every one is still where the caller
 * put it; or else where on the stack it is.
 */
static struct rt_location first_place(const struct rt_arch *arch, Dwarf_Die *die, uint64_t addr)
{
	struct rt_location location = { .kind = RT_LOCATION_ABI };
	Dwarf_Attribute attr;
	Dwarf_Block block;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr))
		return location;
	/* A single location is of a kind that libdw takes for none; those are on the stack. */
	if (dwarf_getlocation_addr(&attr, addr, &ops, &n, 1) != 1 || n == 0) {
		location.offset = dwarf_formblock(&attr, &block) || !block.length ? 0 : -1;
	} else if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		location.kind = RT_LOCATION_REG;
		location.reg = ops[0].atom - DW_OP_reg0;
	} else {
		/* The frame's base is the CFA. */
		location.offset = ops[0].atom == DW_OP_fbreg &&
						  (n == 1 || ops[1].atom == DW_OP_piece) &&
						  ops[0].number < 1 << 20
					  ? (int64_t)ops[0].number + arch->return_pop
					  : -1;
	}
	return location;
}

void rt_dwarf_go_param(const struct rt_arch *arch, Dwarf_Die *die, uint64_t addr,
		       struct rt_param *param)
{
	param->is_out = rt_die_flag(die, DW_AT_variable_parameter);
	param->location = first_place(arch, die, addr);
	/* A result's register tells nothing of where it is passed. */
	if (param->is_out && param->location.kind == RT_LOCATION_REG)
		param->location = (struct rt_location){ .kind = RT_LOCATION_ABI };
}

/*
 * Up to Go 1.24 those are there twice that a closure captures, and results without a name of some
 * functions.
 */
static unsigned without_doubles(struct rt_param *v, unsigned n)
{
	unsigned i, k, kept = 0;

	for (i = 0; i < n; i++) {
		for (k = 0;
		     k < kept && !(v[i].name && v[k].name && strcmp(v[i].name, v[k].name) == 0 &&
				   strcmp(v[i].name, "_") != 0);
		     k++)
			;
		if (k == kept)
			v[kept++] = v[i];
	}
	/* "~r0" is the compiler's name for what has none. */
	for (i = 0; i < kept; i++)
		if (v[i].name && v[i].name[0] == '~')
			v[i].name = NULL;
	return kept;
}

void rt_dwarf_go_results(struct rt_param *v, struct rt_prototype *prototype)
{
	unsigned n = without_doubles(v, prototype->nparams), in = 0, i;
	struct rt_param param;

	/* For aarch64 compilers up to 1.17 put some results before arguments. */
	for (i = 0; i < n; i++)
		if (!v[i].is_out) {
			param = v[i];
			memmove(v + in + 1, v + in, (i - in) * sizeof(*v));
			v[in++] = param;
		}
	prototype->nparams = in;
	prototype->results = v + in;
	prototype->nresults = n - in;
	prototype->result = NULL;
}

static const struct rt_ctype *element(struct rt_dwarf_walk *walk, const struct rt_dwarf_type *type,
				      bool text)
{
	const struct rt_ctype *pointer = type->ctype.members[0].type;
	struct rt_ctype *byte;

	if (!text)
		return pointer->kind == RT_CT_POINTER ? pointer->target : NULL;
	byte = rt_types_add(walk->types, RT_CT_CHAR, "byte", 1);
	walk->nomem |= !byte;
	return byte;
}

void rt_dwarf_go_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type)
{
	uint64_t kind;

	/* Pointer and length, and a slice's capacity. */
	if (!rt_die_unsigned(die, GO_KIND, &kind) || (kind != KIND_SLICE && kind != KIND_STRING) ||
	    type->ctype.nmembers < 2 || type->ctype.size < 16)
		return;
	type->ctype.sequence.element = element(walk, type, kind == KIND_STRING);
	type->ctype.sequence.pointer = 0;
	type->ctype.sequence.length = 8;
}

const struct rt_ctype *rt_dwarf_go_interface(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_ctype *type;
	struct rt_member *members;
	const char *name;
	uint64_t kind;
	Dwarf_Die of;

	if (!rt_die_unsigned(die, GO_KIND, &kind) || kind != KIND_INTERFACE ||
	    !rt_die_type(die, &of))
		return NULL;
	name = rt_die_name(walk->dwarf, &of);
	type = rt_types_add(walk->types, RT_CT_STRUCT,
			    rt_dwarf_keep_name(walk, rt_die_name(walk->dwarf, die)), 16);
	members = rt_types_alloc(walk->types, 2 * sizeof(*members));
	if (!type || !members) {
		walk->nomem = true;
		return NULL;
	}
	members[0].type = members[1].type = rt_types_pointer(walk->types, walk->none, walk->word);
	members[1].offset = walk->word;
	walk->nomem |= !members[0].type;
	type->align = walk->word;
	type->members = members;
	type->nmembers = 2;
	type->interface = name && strcmp(name, "runtime.eface") == 0 ? RT_INTERFACE_TYPE
								     : RT_INTERFACE_TABLE;
	return type;
}
