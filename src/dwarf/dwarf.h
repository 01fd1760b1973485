/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_DWARF_DWARF_H
#define RT_DWARF_DWARF_H

#include "elf/image.h"
#include "lang/type.h"

/*
 * A file's debug information about its functions, by libdw.  It is opened at the first question and
 * owned by the image, and so are the types: one type of the file is one object in `types`.  So each
 * call has to get the same `types`, or other `types` only with images that are opened later.  Only
 * the compilation units that are asked for are read.  Without libdw nothing is known.
 */

/*
 * The prototype of the function with its entry at `addr`.  Types are whole up to four pointers
 * away; what is further has a name and a size, and no members.  0; -ENOENT: there is no debug
 * information for it; -EBADMSG: it is damaged.
 */
int rt_dwarf_prototype(struct rt_image *image, uint64_t addr, struct rt_types *types,
		       struct rt_prototype *prototype, struct rt_error *err);

/*
 * A type by its name, as "struct request", "enum color", "robj".  NULL: none of that name, or too
 * much to look through.
 */
const struct rt_ctype *rt_dwarf_type(struct rt_image *image, struct rt_types *types,
				     const char *name);

/*
 * The type that typedef `name` of C++ means, as in symbols: "std::vector<int,
 * std::allocator<int> >".  False: it is no typedef, or of a type without a name.
 */
bool rt_dwarf_alias(struct rt_image *image, const char *name, char *text, size_t size);

/*
 * The offset of a structure's member, in bytes; both by their names in the source: "runtime.g",
 * "goid".  -1: not known.
 */
long rt_dwarf_member(struct rt_image *image, const char *type, const char *member);

/*
 * Why debug information that the file has was of no use so far: it cannot be read, or the .dwo file
 * of a unit that was asked for was not found.  True: `err` says it.
 */
bool rt_dwarf_trouble(struct rt_image *image, struct rt_error *err);

/*
 * The file that has the unpacked sections of its debug information, NULL: none; and did this run
 * write it?
 */
const char *rt_dwarf_unpacked(const struct rt_image *image, bool *now);

/*
 * The source file that the function at `addr` was written in, as the compiler was given it; the
 * image's.  NULL: not known.
 */
const char *rt_dwarf_file(struct rt_image *image, uint64_t addr);

/*
 * The source line of an instruction, of an inlined function if it is one's, as addr2line has it.
 * The file is as the compiler was given it; the image's.  False: not known.
 */
struct rt_dwarf_place {
	const char *file;
	int line;
};
bool rt_dwarf_line(struct rt_image *image, uint64_t addr, struct rt_dwarf_place *place);

/*
 * Were calls of the function inlined of which GCC's copy (.constprop, .isra) is at `addr`?  Looked
 * for in its own unit.
 */
bool rt_dwarf_copy_inlined(struct rt_image *image, uint64_t addr);

/*
 * Is there a function of that name in the source that was inlined?  Where it has no symbol either,
 * it has no code of its own.
 */
bool rt_dwarf_inlined(struct rt_image *image, const char *name);

/*
 * Reports the symbol names of all functions that the compiler inlined, also of those that have code
 * of their own.  A name may come twice, in any order.  The image owns the names.  A result
 * of `report` other than 0 ends the walk and is returned.  -EFBIG: the walk stopped at its limit.
 */
typedef int (*rt_dwarf_inlined_fn)(void *ctx, const char *name);
int rt_dwarf_each_inlined(struct rt_image *image, rt_dwarf_inlined_fn report, void *ctx);

struct rt_dwarf;
void rt_dwarf_close(struct rt_dwarf *dwarf);

#endif
