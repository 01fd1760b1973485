/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_DWARF_DWARF_INDEX_H
#define RT_DWARF_DWARF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Indexes of debug information: which units have something of a name, or at an address.  .gdb_index
 * is what gdb-add-index, gold and lld write (versions 5 to 9), .debug_names what DWARF 5 has for
 * that.  Over bytes, none of which is trusted: what is damaged knows nothing.
 */

enum { RT_INDEX_UNITS = 64 };

/* Offsets of units in .debug_info, each once. */
struct rt_index_units {
	uint64_t v[RT_INDEX_UNITS];
	unsigned n;
	bool more;			/* there are more than that */
};

struct rt_section {
	const uint8_t *p;		/* NULL: there is none */
	size_t n;
};

/*
 * The units that the index names for `name`, as "ns::Foo", are added.  False: there is no such
 * index.
 */
bool rt_gdb_index_name(struct rt_section index, const char *name, struct rt_index_units *units);
/* The same for the last part of a name ("Foo"), with the section .debug_str. */
bool rt_debug_names_name(struct rt_section names, struct rt_section strings, const char *name,
			 struct rt_index_units *units);

/* The unit that has code at `addr`. */
bool rt_gdb_index_address(struct rt_section index, uint64_t addr, uint64_t *unit);

#endif
