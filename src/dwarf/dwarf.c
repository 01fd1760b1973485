/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_private.h"

/* ---- locations ---- */

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

/* In the frame, or in memory at an address that is there. */
static bool is_in_frame(const Dwarf_Op *ops, size_t n)
{
	return (n == 1 || (n == 2 && ops[1].atom == DW_OP_deref)) &&
	       (ops[0].atom == DW_OP_fbreg || is_breg(&ops[0]));
}

static struct rt_location judge_location(struct rt_dwarf *dwarf, Dwarf_Die *func,
					 const Dwarf_Op *ops, size_t n, bool *frame)
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

/*
 * Find parameter `die` at `addr`, the function's entry.  `*frame`: it is in the function's own
 * frame, which is not there yet.
 */
static struct rt_location find_location(struct rt_dwarf *dwarf, Dwarf_Die *func, Dwarf_Die *die,
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
		location = judge_location(dwarf, func, ops, n, frame);
	else
		*frame = begins_late(&attr, addr);
	location.unset = unstated_eightbytes(&attr);
	return location;
}

/* ---- prototypes ---- */

/* A function's entry -> its prototype. */

enum { PARAMS_MAX = 64, TAG_PACK = 0x4108 /* DW_TAG_GNU_formal_parameter_pack */ };

/* how far the entry's locations of parameters can be trusted */
enum trust {
	/* the calling convention holds: others call it who know nothing but its declaration */
	BY_ABI,
	LOCAL,			/* only its own file calls it: the compiler may have changed how */
	CHANGED,		/* it has */
};

/* GCC's names for copies of a function with other parameters than the source has. */
static bool is_changed_name(const char *name)
{
	return strstr(name, ".isra.") || strstr(name, ".constprop.") || strstr(name, ".part.") ||
	       strstr(name, ".specialized.") || strstr(name, ".argprom") || strstr(name, ".llvm.");
}

static const char *producer_of(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	const char *producer;
	Dwarf_Die unit;

	producer = dwarf_diecu(die, &unit, NULL, NULL) ? rt_die_string(dwarf, &unit, DW_AT_producer)
						       : NULL;
	return producer ? producer : "";
}

/*
 * GCC gives a function another name when it changes how it is called; but on i386 it passes in
 * registers without a word.
 */
static bool marks_changes(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	return strncmp(producer_of(dwarf, die), "GNU ", 4) == 0 &&
	       dwarf->image->arch->nargs;
}

/*
 * Does the compiler leave out of calls in the same file what a function does not read, though
 * others may call it too?
 */
static bool omits_unread(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	return strstr(producer_of(dwarf, die), "clang version");
}

static bool splits_int128(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	const char *version = strstr(producer_of(dwarf, die), "clang version ");

	return version &&
	       atoi(version + strlen("clang version ")) < dwarf->image->arch->clang_int128;
}

bool rt_dwarf_is_changed(Dwarf_Die *die)
{
	uint64_t convention;

	/*
	 * Other conventions of clang's: fastcall and the like (i386), vectorcall, ms_abi, regcall.
	 */
	return rt_die_unsigned(die, DW_AT_calling_convention, &convention) &&
	       (convention == DW_CC_nocall || (convention >= 0xb2 && convention <= 0xc1) ||
		convention == 0xcb);
}

static enum trust judge(struct rt_dwarf *dwarf, Dwarf_Die *die, uint64_t addr)
{
	struct rt_image *image = dwarf->image;
	const struct rt_symbol *v;
	bool global = false;
	size_t i, n;

	if (rt_dwarf_is_changed(die))
		return CHANGED;
	rt_image_symbols(image, &v, &n, NULL);
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n; i++)
		if (is_changed_name(v[i].name))
			return CHANGED;
	for (i = 0; i < n; i++)
		global |= v[i].global || v[i].hidden;
	/* With -flto LLVM makes functions local that the source has not. */
	return (rt_die_flag(die, DW_AT_external) && (global || !n)) || marks_changes(dwarf, die)
		       ? BY_ABI
		       : LOCAL;
}

/*
 * A copy of a function (.constprop, .isra) lacks some parameters.  GCC gives the register in which
 * the original gets such a parameter, even if another parameter has moved to that register.
 * Parameters behind a missing one move up, so the later one of two is in the register.
 */
static void leave_moved(struct rt_param *v, unsigned n)
{
	unsigned i;

	for (; n > 1; v++, n--)
		for (i = 1; i < n; i++)
			if (v->location.kind == RT_LOCATION_REG &&
			    v[i].location.kind == RT_LOCATION_REG &&
			    v->location.reg == v[i].location.reg)
				v->location.kind = RT_LOCATION_NOWHERE;
}

/*
 * Without optimization all parameters are in the function's own frame, into which it copies them
 * from where the convention puts them.  A local function with others was optimized, and then only
 * places at the entry are to be believed: i386 passes in registers there, and LLVM leaves out what
 * nobody reads.  True: the convention holds.
 */
static bool settle_places(struct rt_param *v, const bool *frame, unsigned n, enum trust trust,
			  bool omits_unread)
{
	bool plain = true, any = false;
	unsigned i;

	/* LLVM has a large argument of Rust where it was passed: in memory behind a register. */
	for (i = 0; i < n; i++) {
		plain &= frame[i] || v[i].location.kind == RT_LOCATION_AT || v[i].type->size == 0;
		any |= frame[i];
	}
	plain = trust == BY_ABI || (trust == LOCAL && plain && any);
	if (!plain)
		leave_moved(v, n);
	for (i = 0; i < n && plain; i++) {
		if (omits_unread)
			v[i].unread = v[i].location.kind == RT_LOCATION_NOWHERE && !frame[i]
					      ? RT_UNREAD_ALL
					      : v[i].location.unset;
		v[i].location = (struct rt_location){ .kind = RT_LOCATION_ABI };
	}
	return plain;
}

struct params {
	struct rt_param v[PARAMS_MAX];
	bool frame[PARAMS_MAX];
	unsigned n;
	bool variadic;
};

static void add_param(struct rt_dwarf_walk *walk, Dwarf_Die *func, Dwarf_Die *die, uint64_t addr,
		      struct params *params)
{
	const char *name = rt_die_name(walk->dwarf, die);
	struct rt_param *p = &params->v[params->n];

	/* A constructor's mark in the ABI of GCC 2, of which newer ones only talk. */
	if (name && strcmp(name, "__in_chrg") == 0)
		return;
	p->type = rt_dwarf_type_of(walk, die, 0);
	p->name = rt_dwarf_keep_name(walk, name);
	p->artificial = rt_die_flag(die, DW_AT_artificial);
	p->location = find_location(walk->dwarf, func, die, addr, &params->frame[params->n]);
	if (rt_dwarf_is_go(func))
		rt_dwarf_go_param(walk->dwarf->image->arch, die, addr, p);
	params->n++;
}

/*
 * The entry of the parameter `of` in the code at hand: that among the children of `func` that says
 * so.  `of` itself where none does.
 */
static Dwarf_Die concrete(Dwarf_Die *func, Dwarf_Die *of)
{
	Dwarf_Die child, origin, found = *of;
	unsigned n = 0;

	if (rt_die_child(func, &child))
		do {
			if (dwarf_tag(&child) == TAG_PACK && dwarf_tag(func) != TAG_PACK)
				found = concrete(&child, of);
			else if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
				 rt_die_ref(&child, DW_AT_abstract_origin, &origin) &&
				 origin.addr == of->addr)
				found = child;
		} while (found.addr == of->addr && ++n < 4 * PARAMS_MAX && rt_die_next(&child));
	return found;
}

/*
 * A hidden parameter of constructors of base objects, if the class has virtual bases.  Constructors
 * of whole objects lack it, but both have one origin.
 */
static bool is_table(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	const char *name = rt_die_name(dwarf, die);

	return name && strcmp(name, "__vtt_parm") == 0;
}

/*
 * The parameters among the children of `die`, which is the function or what it completes, or those
 * that stand for one of a template.
 */
static void add_params(struct rt_dwarf_walk *walk, Dwarf_Die *func, Dwarf_Die *die, uint64_t addr,
		       struct params *params)
{
	Dwarf_Die child, param;
	int tag;

	if (!rt_die_child(die, &child))
		return;
	do {
		tag = dwarf_tag(&child);
		if (tag == DW_TAG_formal_parameter) {
			param = concrete(func, &child);
			if (func->addr == die->addr || param.addr != child.addr ||
			    !is_table(walk->dwarf, &child))
				add_param(walk, func, &param, addr, params);
		} else if (tag == DW_TAG_unspecified_parameters) {
			params->variadic = true;
		} else if (tag == TAG_PACK && dwarf_tag(die) != TAG_PACK) {
			add_params(walk, func, &child, addr, params);
		}
	} while (params->n < PARAMS_MAX && !walk->nomem && rt_die_next(&child));
}

static void read_params(struct rt_dwarf_walk *walk, Dwarf_Die *func, Dwarf_Die *die, uint64_t addr,
			struct params *params)
{
	params->n = 0;
	add_params(walk, func, die, addr, params);
}

static enum rt_convention convention_of(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	switch (rt_die_language(die)) {
	case DW_LANG_Go:
		return strstr(producer_of(dwarf, die), "regabi") ? RT_CONVENTION_GO_REGISTERS
								 : RT_CONVENTION_GO_STACK;
	case RT_LANG_RUST:
		return RT_CONVENTION_RUST;
	default:
		return RT_CONVENTION_C;
	}
}

/*
 * i386's convention passes nothing in registers: a function that has a parameter there was declared
 * so (regparm, fastcall, thiscall).
 */
static bool is_of_registers(const struct rt_dwarf *dwarf, const struct params *params)
{
	unsigned i;

	for (i = 0; i < params->n && !dwarf->image->arch->nargs; i++)
		if (params->v[i].location.kind == RT_LOCATION_REG ||
		    params->v[i].location.kind == RT_LOCATION_REGS)
			return true;
	return false;
}

static int read_prototype(struct rt_dwarf_walk *walk, struct rt_dwarf_func *func,
			  struct rt_prototype *prototype)
{
	struct params params = { .n = 0 };
	enum trust trust = judge(walk->dwarf, &func->die, func->addr);
	struct rt_param *v;
	Dwarf_Die origin;
	uint64_t inlined;

	/*
	 * An inlined or copied function has the source's order of parameters at its origin.  GCC
	 * lists a copy's parameters in an order of its own, without those that have become
	 * constants.
	 */
	if (rt_die_ref(&func->die, DW_AT_abstract_origin, &origin)) {
		/* DW_INL_inlined, DW_INL_declared_inlined */
		prototype->inlined = rt_die_unsigned(&origin, DW_AT_inline, &inlined) &&
				     inlined & 1;
		read_params(walk, &func->die, &origin, func->addr, &params);
	}
	if (params.n == 0)
		read_params(walk, &func->die, &func->die, func->addr, &params);
	/* clang leaves out what a method does not use, `this` too. */
	if (params.n == 0 && rt_die_ref(&func->die, DW_AT_specification, &origin))
		read_params(walk, &func->die, &origin, func->addr, &params);
	prototype->result = rt_dwarf_type_of(walk, &func->die, 0);
	prototype->convention = convention_of(walk->dwarf, &func->die);
	/* Rust promises its convention to nobody, and changes it for exported functions too. */
	if (prototype->convention == RT_CONVENTION_RUST && trust == BY_ABI)
		trust = LOCAL;
	if (trust == BY_ABI && is_of_registers(walk->dwarf, &params))
		trust = LOCAL;
	if (walk->nomem)
		return -ENOMEM;
	if (!rt_dwarf_is_go(&func->die))
		prototype->result_unsure = !settle_places(params.v, params.frame, params.n, trust,
							  omits_unread(walk->dwarf, &func->die));
	v = rt_types_alloc(walk->types, (params.n ? params.n : 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	memcpy(v, params.v, params.n * sizeof(*v));
	prototype->origin = RT_ORIGIN_DWARF;
	prototype->params = v;
	prototype->nparams = params.n;
	prototype->variadic = params.variadic;
	if (rt_dwarf_is_go(&func->die))
		rt_dwarf_go_results(v, prototype);
	return 0;
}

int rt_dwarf_prototype(struct rt_image *image, uint64_t addr, struct rt_types *types,
		       struct rt_prototype *prototype, struct rt_error *err)
{
	struct rt_dwarf_func *func;
	struct rt_dwarf_walk walk;
	struct rt_dwarf *dwarf;
	int ret, end;

	memset(prototype, 0, sizeof(*prototype));
	ret = rt_dwarf_open(image, &dwarf, err);
	if (ret)
		return ret;
	ret = rt_dwarf_find(dwarf, addr, &func);
	/*
	 * The assembler tells of its functions' names and lines, and of no types: that is not "no
	 * parameters".
	 */
	if (ret == 0 && rt_die_language(&func->die) == DW_LANG_Mips_Assembler)
		ret = -ENOENT;
	if (ret == -ENOENT)
		return rt_fail(err, ret, "%s: no debug information for the function at 0x%llx",
			       rt_image_name(image), (unsigned long long)addr);
	if (ret == 0)
		ret = rt_dwarf_walk_begin(&walk, dwarf, types);
	if (ret)
		return rt_nomem(err);
	walk.language = rt_die_language(&func->die);
	walk.splits_int128 = splits_int128(dwarf, &func->die);
	ret = read_prototype(&walk, func, prototype);
	end = rt_dwarf_walk_end(&walk);
	if (ret || end) {
		memset(prototype, 0, sizeof(*prototype));
		return rt_nomem(err);
	}
	if (prototype->convention == RT_CONVENTION_RUST)
		rt_dwarf_rust_abi(dwarf, &func->die, prototype,
				  (struct rt_param *)prototype->params);
	return 0;
}

const char *rt_dwarf_file(struct rt_image *image, uint64_t addr)
{
	struct rt_dwarf_func *func;
	struct rt_dwarf *dwarf;
	const char *file;
	Dwarf_Die unit;

	if (rt_dwarf_open(image, &dwarf, NULL) || rt_dwarf_find(dwarf, addr, &func))
		return NULL;
	file = dwarf_decl_file(&func->die);
	if (!file && dwarf_diecu(&func->die, &unit, NULL, NULL))
		file = rt_die_name(dwarf, &unit);
	return file;
}
