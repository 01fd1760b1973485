/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_private.h"

/*
 * The location of a parameter at its function's entry.  DWARF's later locations do not count: the
 * function has still to fill a location in its own frame.
 *
 * DW_OP_entry_value does not count either.  GCC has it for parameters that a copy of a function
 * (.isra, .constprop) does not get, with the register in which the original gets them.  A parameter
 * that the copy gets is still in its register.
 */

/* The stack pointer at the entry is so far below the frame's base (the CFA). */
static int cfa_above_entry(const struct rt_dwarf *dwarf)
{
	return dwarf->image->arch->stack_args;
}

/*
 * A register that carries arguments holds the caller's value at the entry; one that is for frames
 * may hold nothing yet.
 */
static bool is_argument(const struct rt_dwarf *dwarf, unsigned reg)
{
	const struct rt_arch *arch = dwarf->image->arch;
	unsigned i;

	for (i = 0; i < arch->nargs && reg < arch->ndwarf; i++)
		if (arch->args[i].pt_regs == arch->dwarf[reg].pt_regs)
			return true;
	return false;
}

static bool base_is_cfa(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	return rt_die_attr(func, DW_AT_frame_base, &attr) &&
	       dwarf_getlocation(&attr, &ops, &n) == 0 && n == 1 &&
	       ops[0].atom == DW_OP_call_frame_cfa;
}

static bool is_register(const Dwarf_Op *op, unsigned *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx && op->number < 1024)
		*reg = (unsigned)op->number;
	else
		return false;
	return true;
}

static bool is_breg(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

/*
 * A register's lower bits, as LLVM has a bool of Rust: the register and constants to "and" it with.
 */
static bool is_masked(const struct rt_dwarf *dwarf, const Dwarf_Op *ops, size_t n)
{
	size_t i;

	if (n < 4 || n % 2 || !is_breg(&ops[0]) || ops[0].number != 0 ||
	    !is_argument(dwarf, ops[0].atom - DW_OP_breg0) || ops[n - 1].atom != DW_OP_stack_value)
		return false;
	for (i = 1; i + 1 < n; i += 2)
		if ((ops[i].atom != DW_OP_constu &&
		     (ops[i].atom < DW_OP_lit0 || ops[i].atom > DW_OP_lit31)) ||
		    ops[i + 1].atom != DW_OP_and)
			return false;
	return true;
}

/* In the frame, or in memory whose address is there. */
static bool is_in_frame(const Dwarf_Op *ops, size_t n)
{
	return (n == 1 || (n == 2 && ops[1].atom == DW_OP_deref)) &&
	       (ops[0].atom == DW_OP_fbreg || is_breg(&ops[0]));
}

static struct rt_location judge(struct rt_dwarf *dwarf, Dwarf_Die *func, const Dwarf_Op *ops,
				size_t n, bool *frame)
{
	struct rt_location location = { .kind = RT_LOCATION_UNKNOWN };
	int64_t offset;

	if (n == 1 && is_register(&ops[0], &location.reg)) {
		location.kind = RT_LOCATION_REG;
	} else if (n == 4 && is_register(&ops[0], &location.reg) && ops[1].atom == DW_OP_piece &&
		   is_register(&ops[2], &location.reg2) && ops[3].atom == DW_OP_piece &&
		   ops[1].number == dwarf->image->arch->word) {
		location.kind = RT_LOCATION_REGS;
	} else if (is_masked(dwarf, ops, n)) {
		location.kind = RT_LOCATION_REG;
		location.reg = ops[0].atom - DW_OP_breg0;
	} else if (n == 1 && is_breg(&ops[0]) && is_argument(dwarf, ops[0].atom - DW_OP_breg0)) {
		location.kind = RT_LOCATION_AT;
		location.reg = ops[0].atom - DW_OP_breg0;
		location.offset = (int64_t)ops[0].number;
	} else if (is_in_frame(ops, n)) {
		offset = (int64_t)ops[0].number;
		if (n == 1 && ops[0].atom == DW_OP_fbreg && offset >= 0 && offset < 1 << 20 &&
		    base_is_cfa(func)) {
			location.kind = RT_LOCATION_STACK;
			location.offset = offset + cfa_above_entry(dwarf);
		} else {
			*frame = true;
		}
	}
	return location;
}

/*
 * A parameter that is nowhere from the first instruction on has a range without bytes, which
 * dwarf_getlocation_addr() skips.
 */
static bool at_entry(Dwarf_Attribute *attr, uint64_t addr, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, begin, end;

	return dwarf_getlocation_addr(attr, addr, ops, n, 1) == 1 ||
	       (dwarf_getlocations(attr, 0, &base, &begin, &end, ops, n) > 0 && begin == addr &&
		end == addr);
}

/* LLVM says it from behind the mark of a branch's target (endbr64) on, which does nothing. */
static uint64_t behind_mark(const struct rt_image *image, uint64_t addr)
{
	uint8_t insn[4];

	return rt_image_read(image, addr, insn, sizeof(insn)) == sizeof(insn) &&
			       image->arch->is_landing(insn)
		       ? addr + sizeof(insn)
		       : addr;
}

/*
 * The eightbytes that none of the locations tells, though one tells of another: pieces without a
 * place.
 */
static unsigned unstated_eightbytes(Dwarf_Attribute *attr)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t list = 0;
	unsigned stated = 0;
	Dwarf_Op *ops;
	uint64_t at;
	size_t i, n;
	bool any;

	while ((list = dwarf_getlocations(attr, list, &base, &begin, &end, &ops, &n)) > 0) {
		for (at = 0, any = false, i = 0; i < n; i++) {
			if (ops[i].atom != DW_OP_piece) {
				any = true;
				continue;
			}
			if (any)
				stated |= (at < 8) | (at + ops[i].number > 8) << 1;
			at += ops[i].number;
			any = false;
		}
		if (any)
			return 0;
	}
	return stated && list == 0 ? stated ^ 3 : 0;
}

/*
 * Without optimization LLVM has an argument that is passed by a pointer in memory behind a
 * register, from the prologue's end on.
 */
static bool begins_late(Dwarf_Attribute *attr, uint64_t addr)
{
	Dwarf_Addr base, begin, end;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocations(attr, 0, &base, &begin, &end, &ops, &n) <= 0 || begin <= addr ||
	    begin - addr > 64 || n < 1 || !is_breg(&ops[0]))
		return false;
	return n == 1 ? ops[0].number == 0 : n == 2 && ops[1].atom == DW_OP_deref;
}

struct rt_location rt_dwarf_location(struct rt_dwarf *dwarf, Dwarf_Die *func, Dwarf_Die *die,
				     uint64_t addr, bool *frame)
{
	struct rt_location location = { .kind = RT_LOCATION_NOWHERE };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	*frame = false;
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return location;
	if (at_entry(&attr, addr, &ops, &n) ||
	    at_entry(&attr, behind_mark(dwarf->image, addr), &ops, &n))
		location = judge(dwarf, func, ops, n, frame);
	else
		*frame = begins_late(&attr, addr);
	location.unset = unstated_eightbytes(&attr);
	return location;
}
