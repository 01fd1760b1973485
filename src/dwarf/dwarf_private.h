/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_DWARF_DWARF_PRIVATE_H
#define RT_DWARF_DWARF_PRIVATE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "dwarf/dwarf.h"
#include "dwarf/dwarf_index.h"
#include "elf/file.h"

/* Shared by src/dwarf only. */

/* The function that begins at `addr`. */
struct rt_dwarf_func {
	uint64_t addr;
	Dwarf_Die die;
};

/* A compilation unit with its functions looked through. */
struct rt_dwarf_unit {
	Dwarf_Off offset;		/* of its entry in .debug_info */
	Dwarf_Die die;			/* with split DWARF that in the .dwo file */
	bool split;			/* it is */
	bool deep;			/* inside functions, too */
	struct rt_dwarf_func *funcs;	/* by address */
	size_t nfuncs, cap;
};

struct rt_dwarf_range {
	uint64_t low, high;
	Dwarf_Off unit;
};

/* names met in the units that were searched (dwarf_name.c) */
struct rt_dwarf_names {
	struct rt_dwarf_name *v;	/* a hash table */
	size_t n, room;
	Dwarf_Off next;			/* the first unit that was not looked through */
	uint64_t looked;		/* entries that were looked at */
	/* units behind `next` that were looked through, as an index named them */
	Dwarf_Off *seen;
	size_t nseen, seen_cap;
};

struct rt_dwarf {
	struct rt_image *image;
	Elf *elf;			/* the image's file, or its debug file, mapped */
	Dwarf *dbg;			/* NULL: there is none */
	int code;			/* what opening it returned, and said */
	struct rt_error error;
	/* the .dwo file that a unit has its types in, where it was not found */
	const char *not_found;
	/*
	 * .gnu_debugaltlink: the name of a file that dwz has made for several, and its build-id;
	 * NULL: none
	 */
	struct rt_section shared;
	/* that file, where libdw has not found it itself, but we; NULL: none */
	Dwarf *shared_dbg;
	int shared_fd;
	bool no_shared;			/* it was not found, and is needed */
	/* the file of unpacked sections, mapped (dwarf_unpack.c); NULL: none */
	void *unpacked;
	size_t unpacked_size;
	char *unpacked_path;
	bool unpacked_now;		/* this run wrote it */
	Dwarf_Off forgotten;		/* rt_dwarf_forget() gave pages back there */
	void *units;			/* tsearch's tree of struct rt_dwarf_unit, by offset */
	bool ranges_read;
	/* of all units, by address, where .debug_aranges did not tell */
	struct rt_dwarf_range *ranges;
	size_t nranges, ranges_cap;
	struct rt_dwarf_names names;
	const char *section, *section_end;	/* .debug_info, as libdw has it */
	/* of the same file, where they are not compressed */
	struct rt_section gdb_index, debug_names, strings;
};

/* dwarf_open.c: open it at the first call.  0, or a negative errno with its message. */
int rt_dwarf_open(struct rt_image *image, struct rt_dwarf **dwarf, struct rt_error *err);

#define RT_SHF_COMPRESSED (1 << 11)	/* newer than glibc 2.17's elf.h */

/*
 * The section behind `scn` (NULL: the first) that has a name, its head and name; NULL: there is
 * none.
 */
Elf_Scn *rt_dwarf_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr, const char **name);
/* The size that the head of a compressed section tells, once it is not; 0: not known. */
uint64_t rt_dwarf_unpacked_size(Elf *elf, const GElf_Shdr *shdr, bool is64);

/*
 * In a walk over all units, that at offset `at` has been read: every so often pages of the mapped
 * file are given back.
 */
void rt_dwarf_forget(struct rt_dwarf *dwarf, Dwarf_Off at);

/* ---- entries; nothing in them is trusted ---- */

/*
 * The first child, and the next sibling.  libdw goes where DW_AT_sibling leads, also back; here the
 * way leads forward only, so that each walk over one level ends.
 */
bool rt_die_child(Dwarf_Die *die, Dwarf_Die *child);
bool rt_die_next(Dwarf_Die *die);

/*
 * An attribute of the entry or of what it completes (DW_AT_specification, DW_AT_abstract_origin).
 */
Dwarf_Attribute *rt_die_attr(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr);
/* The entry that an attribute of it alone leads to. */
bool rt_die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *to);
/* The entry that this one completes. */
bool rt_die_origin(Dwarf_Die *die, Dwarf_Die *to);
/* The same through rt_die_attr. */
bool rt_die_type(Dwarf_Die *die, Dwarf_Die *type);
/* NULL: none. */
const char *rt_die_name(struct rt_dwarf *dwarf, Dwarf_Die *die);
const char *rt_die_string(struct rt_dwarf *dwarf, Dwarf_Die *die, unsigned name);
/* A constant; false: none, or no constant. */
bool rt_die_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value);
bool rt_die_signed(Dwarf_Die *die, unsigned name, int64_t *value);
bool rt_die_flag(Dwarf_Die *die, unsigned name);
/* DW_LANG_ of its unit, 0: not known; and is that C, or C++? */
unsigned rt_die_language(Dwarf_Die *die);
bool rt_language_is_c(unsigned language);
bool rt_language_is_cxx(unsigned language);
#define RT_LANG_RUST 0x1c	/* DW_LANG_Rust, of DWARF 5 */
/* Bytes of the unit: no honest walk over it meets more entries. */
uint64_t rt_die_unit_size(struct rt_dwarf *dwarf, Dwarf_Die *die);

/* ---- functions by address (dwarf_find.c) ---- */

/* 0, -ENOENT, or -ENOMEM. */
int rt_dwarf_find(struct rt_dwarf *dwarf, uint64_t addr, struct rt_dwarf_func **func);
/* The entry of the unit that has the instruction at `addr`, without rt_dwarf_split(). */
bool rt_dwarf_find_unit(struct rt_dwarf *dwarf, uint64_t addr, Dwarf_Die *unit);
/* The entry of the unit with its head at an offset that the file does not vouch for. */
bool rt_dwarf_unit_at(struct rt_dwarf *dwarf, Dwarf_Off head, Dwarf_Die *unit);
/*
 * With split DWARF, where the .dwo file is found: true, and `unit` becomes that file's
 * (dwarf_split.c).
 */
bool rt_dwarf_split(Dwarf_Die *unit);
/*
 * The same (dwarf_unpack.c): the sections of file `fd`, of `size` bytes, that are compressed
 * (SHF_COMPRESSED) are unpacked.
 */
void rt_dwarf_unpack(struct rt_dwarf *dwarf, int fd, uint64_t size);
/*
 * The same: where libdw does not find what dwz has moved to another file, that is looked for where
 * debug files are.
 */
void rt_dwarf_share(struct rt_dwarf *dwarf);
void rt_dwarf_units_free(struct rt_dwarf *dwarf);

/* ---- types (dwarf_types.c, dwarf_struct.c) ---- */

/* A type of the file; what others know of it comes first. */
struct rt_dwarf_type {
	struct rt_ctype ctype;
	uint8_t distance;		/* the fewest pointers by which a prototype has led here */
	/* that distance when its members were read; UINT8_MAX: they were not */
	uint8_t filled;
	/* structures, unions, classes, Rust's enumerations with fields */
	bool is_struct;
	bool is_rust;
	/* as declared, for it or for members; 0: as its members' types have it */
	uint32_t align;
	const struct rt_ctype *element;	/* Rust's T, or NULL */
};

struct rt_dwarf_pending {
	Dwarf_Die die;
	struct rt_dwarf_type *type;
};

/* A walk over types, for one prototype. */
struct rt_dwarf_walk {
	struct rt_dwarf *dwarf;
	struct rt_types *types;
	unsigned word;
	/* of the function's unit; units that are shared (dwz) tell none */
	unsigned language;
	/*
	 * clang before 18, on x86-64: __int128 is passed as two words, not as one thing aligned to
	 * 16
	 */
	bool splits_int128;
	unsigned budget;		/* members that may still be read */
	const struct rt_ctype *none;	/* void */
	/* a type that is said to be elsewhere, and is not; NULL: there was none such */
	const struct rt_ctype *lost;
	/* a character, where the type of bytes does not say so; NULL: not needed yet */
	const struct rt_ctype *text;
	struct rt_dwarf_pending *queue;	/* structures with members still to be read */
	size_t nqueue, queue_cap;
	bool nomem;
};

/* 0 or -ENOMEM. */
int rt_dwarf_walk_begin(struct rt_dwarf_walk *walk, struct rt_dwarf *dwarf, struct rt_types *types);
/*
 * The type that `die` is, so many pointers away; `depth` is for recursion, 0 at first.  NULL: out
 * of memory, as walk->nomem says.
 */
const struct rt_ctype *rt_dwarf_convert(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					unsigned distance, unsigned depth);
/* The type of entry `die` (its DW_AT_type), void if it has none. */
const struct rt_ctype *rt_dwarf_type_of(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					unsigned distance);
/* Read the members of what was met.  0 or -ENOMEM. */
int rt_dwarf_walk_end(struct rt_dwarf_walk *walk);

/* DW_LANG_ of an entry. */
unsigned rt_dwarf_language(const struct rt_dwarf_walk *walk, Dwarf_Die *die);
/* A copy of a name in walk->types; NULL where there is none, or no memory. */
const char *rt_dwarf_keep_name(struct rt_dwarf_walk *walk, const char *name);
/* Children of that tag, `most` at most. */
unsigned rt_die_count(Dwarf_Die *die, int tag, unsigned most);

/* A type that `die` is from now on; NULL: out of memory, as walk->nomem says. */
struct rt_dwarf_type *rt_dwarf_new_type(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					enum rt_ctype_kind kind, const char *name, uint64_t size);
/*
 * dwarf_struct.c: base types and enumerations, and DW_AT_byte_size, 0 where there is none that can
 * be believed.
 */
struct rt_ctype *rt_dwarf_convert_base(struct rt_dwarf_walk *walk, Dwarf_Die *die);
struct rt_ctype *rt_dwarf_convert_enum(struct rt_dwarf_walk *walk, Dwarf_Die *die);
uint64_t rt_die_byte_size(Dwarf_Die *die);

/* dwarf_struct.c: the name of a type that C calls "WORD NAME", as the source's language has it. */
const char *rt_dwarf_tag_name(struct rt_dwarf_walk *walk, Dwarf_Die *die, const char *word);
/* First a structure's name, then its members. */
void rt_dwarf_begin_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type);
void rt_dwarf_fill_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type);
/*
 * dwarf_go.c: is the unit Go?  What is read of a parameter; the parameters `v` that are results are
 * told apart; a structure's sequence.
 */
bool rt_dwarf_is_go(Dwarf_Die *die);

/* dwarf.c: does a function's entry say that it is not called as it is declared? */
bool rt_dwarf_is_changed(Dwarf_Die *die);
void rt_dwarf_go_param(const struct rt_arch *arch, Dwarf_Die *die, uint64_t addr,
		       struct rt_param *param);
void rt_dwarf_go_results(struct rt_param *v, struct rt_prototype *prototype);
const struct rt_ctype *rt_dwarf_go_interface(struct rt_dwarf_walk *walk,
					     Dwarf_Die *die); /* NULL: the typedef is none */
void rt_dwarf_go_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type);
bool rt_dwarf_read_member(struct rt_dwarf_walk *walk, Dwarf_Die *die,
			  const struct rt_dwarf_type *of, struct rt_member *member);
/*
 * Conclude from members: alignment, and C++ classes that are not trivially copied because a part of
 * them is not.
 */
void rt_dwarf_settle_structs(struct rt_dwarf_walk *walk);

/* ---- Rust (dwarf_rust_abi.c) ---- */

/* Has the type variants?  `*part` is where they are. */
bool rt_dwarf_variant_part(Dwarf_Die *die, Dwarf_Die *part);
void rt_dwarf_fill_variants(struct rt_dwarf_walk *walk, Dwarf_Die *part,
			    struct rt_dwarf_type *type);
const char *rt_dwarf_field_name(const char *name);
/* The type argument for T of a generic type; NULL: it has none. */
const struct rt_ctype *rt_dwarf_template(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					 unsigned distance);
/*
 * dwarf_rust_abi.c: find the result and the parameters that DWARF gives no location, by Rust's
 * convention (RT_LOCATION_ABI).  Call it once the types are whole; `params` is prototype->params.
 */
void rt_dwarf_rust_abi(struct rt_dwarf *dwarf, Dwarf_Die *func, struct rt_prototype *prototype,
		       struct rt_param *params);

/*
 * dwarf_name.c: the definition of a type that is only declared where it is used, by its whole name.
 * False: none was found, or several that differ.
 */
bool rt_dwarf_definition(struct rt_dwarf *dwarf, const char *name, Dwarf_Die *die);
/*
 * dwarf_find.c: is it a namespace, or a type that may have others in it?  Types inside functions
 * have no name that counts elsewhere.
 */
bool rt_dwarf_names_scope(int tag);

#define RT_DWARF_UNNAMED "(anonymous namespace)"	/* as demanglers call it */

/*
 * The name with the namespaces and classes around it; false: it has none, or, without `here`, none
 * that means the same in other units.
 */
bool rt_dwarf_scoped_name(struct rt_dwarf *dwarf, Dwarf_Die *die, bool here, char *text,
			  size_t size);

#endif
