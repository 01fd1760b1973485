/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "dwarf/dwarf_private.h"

enum { CHAIN_MAX = 16, STRING_MAX = 4096 };

bool rt_die_child(Dwarf_Die *die, Dwarf_Die *child)
{
	return dwarf_child(die, child) == 0 && (const char *)child->addr > (const char *)die->addr;
}

bool rt_die_next(Dwarf_Die *die)
{
	const char *from = die->addr;
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || (const char *)next.addr <= from)
		return false;
	*die = next;
	return true;
}

bool rt_die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) && dwarf_formref_die(&attr, to);
}

bool rt_die_origin(Dwarf_Die *die, Dwarf_Die *to)
{
	return rt_die_ref(die, DW_AT_abstract_origin, to) ||
	       rt_die_ref(die, DW_AT_specification, to);
}

/* Not dwarf_attr_integrate, which before elfutils 0.170 never comes back from a circle. */
Dwarf_Attribute *rt_die_attr(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr)
{
	Dwarf_Die at = *die, to;
	int i;

	for (i = 0; i < CHAIN_MAX; i++) {
		if (dwarf_attr(&at, name, attr))
			return attr;
		if (!rt_die_origin(&at, &to))
			return NULL;
		at = to;
	}
	return NULL;
}

bool rt_die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	if (!rt_die_attr(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type))
		return false;
	/* GCC's stand-in for a type that has a unit of its own (-fdebug-types-section). */
	if (dwarf_attr(type, DW_AT_signature, &attr))
		dwarf_formref_die(&attr, type);
	return true;
}

/* libdw does not look for the end of a string that is in .debug_info itself. */
static const char *checked(const struct rt_dwarf *dwarf, const Dwarf_Attribute *attr, const char *s)
{
	size_t most = STRING_MAX;

	if (!s)
		return NULL;
	if (attr->form == DW_FORM_string && s >= dwarf->section && s < dwarf->section_end) {
		if ((size_t)(dwarf->section_end - s) < most)
			most = (size_t)(dwarf->section_end - s);
		return memchr(s, '\0', most) ? s : NULL;
	}
	return *s ? s : NULL;
}

const char *rt_die_string(struct rt_dwarf *dwarf, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	const char *s;

	if (!rt_die_attr(die, name, &attr))
		return NULL;
	s = checked(dwarf, &attr, dwarf_formstring(&attr));
	return s && *s ? s : NULL;
}

const char *rt_die_name(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	return rt_die_string(dwarf, die, DW_AT_name);
}

bool rt_die_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!rt_die_attr(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

bool rt_die_signed(Dwarf_Die *die, unsigned name, int64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword word;

	if (!rt_die_attr(die, name, &attr) || dwarf_formsdata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

bool rt_die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool flag;

	return rt_die_attr(die, name, &attr) && dwarf_formflag(&attr, &flag) == 0 && flag;
}

unsigned rt_die_language(Dwarf_Die *die)
{
	Dwarf_Die unit;
	int language;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return 0;
	language = dwarf_srclang(&unit);
	return language > 0 ? (unsigned)language : 0;
}

uint64_t rt_die_unit_size(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	Dwarf_Off from = dwarf_dieoffset(die) - dwarf_cuoffset(die), next;
	size_t head;

	if (dwarf_nextcu(dwarf->dbg, from, &next, &head, NULL, NULL, NULL) != 0 || next <= from)
		return 0;
	return next - from;
}

bool rt_language_is_cxx(unsigned language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case 0x1a:	/* C++11, C++14 and later ones, newer than old headers */
	case 0x21:
	case 0x2b:
	case 0x3a:
		return true;
	default:
		return false;
	}
}

bool rt_language_is_c(unsigned language)
{
	return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
	       language == 0x1d || language == 0x2c;
}
