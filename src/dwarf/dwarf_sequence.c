/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "dwarf/dwarf_private.h"
#include "base/array.h"

/*
 * Strings and vectors of C++ and Rust: known by their names, and by members of the right names and
 * types, wherever those are inside.
 */

enum { DEPTH_MAX = 8 };

struct layout {
	const char *name;		/* of the type begins so */
	const char *pointer, *length;	/* members */
	bool by_end;			/* `length` is a pointer */
	bool is_text;			/* its bytes are text, whatever their type is */
};

static const struct layout layouts[] = {
	/* libstdc++ */
	{ "basic_string<", "_M_p", "_M_string_length", false, false },
	{ "basic_string_view<", "_M_str", "_M_len", false, false },
	{ "vector<", "_M_start", "_M_finish", true, false },
	{ "initializer_list<", "_M_array", "_M_len", false, false },
	{ "span<", "_M_ptr", "_M_extent_value", false, false },
	/* clang leaves _Alloc_hider, which holds only the pointer, to the file that makes some. */
	{ "basic_string<char,", "_M_dataplus", "_M_string_length", false, true },
	/* libc++, from 15 on and before */
	{ "basic_string<", "__data_", "__size_", false, false },
	{ "basic_string_view<", "__data_", "__size_", false, false },
	{ "basic_string_view<", "__data", "__size", false, false },
	{ "vector<", "__begin_", "__end_", true, false },
	{ "span<", "__data_", "__size_", false, false },
	/* Rust */
	{ "&str", "data_ptr", "length", false, true },
	{ "&mut str", "data_ptr", "length", false, true },
	{ "&[", "data_ptr", "length", false, false },
	{ "&mut [", "data_ptr", "length", false, false },
	{ "alloc::boxed::Box<str", "data_ptr", "length", false, true },
	{ "alloc::boxed::Box<[", "data_ptr", "length", false, false },
	{ "String", "pointer", "len", false, true },
	{ "Vec<", "pointer", "len", false, false },
};

static bool is_hidden(const struct rt_member *m)
{
	return m->type->kind == RT_CT_STRUCT && m->type->nmembers == 0 &&
	       strcmp(m->name, "_M_dataplus") == 0;
}

/* The first member of that name and kind, also inside others.  `*offset` grows by its own. */
static const struct rt_ctype *find(const struct rt_ctype *type, const char *name,
				   enum rt_ctype_kind kind, uint32_t *offset, unsigned depth)
{
	const struct rt_ctype *found;
	const struct rt_member *m;
	uint32_t inner;
	unsigned i;

	for (i = 0; i < type->nmembers && depth < DEPTH_MAX &&
		    (type->kind == RT_CT_STRUCT || type->kind == RT_CT_UNION);
	     i++) {
		m = &type->members[i];
		if (m->name && strcmp(m->name, name) == 0 &&
		    (m->type->kind == kind || (kind == RT_CT_POINTER && is_hidden(m)))) {
			*offset += m->offset;
			return m->type;
		}
		inner = *offset + m->offset;
		found = find(m->type, name, kind, &inner, depth + 1);
		if (found) {
			*offset = inner;
			return found;
		}
	}
	return NULL;
}

static const struct rt_ctype *text_type(struct rt_dwarf_walk *walk)
{
	struct rt_ctype *type;

	if (!walk->text) {
		type = rt_types_add(walk->types, RT_CT_CHAR, NULL, 1);
		walk->nomem |= !type;
		walk->text = type;
	}
	return walk->text;
}

/*
 * libc++'s strings are a union of __l, which leads to long ones, and __s, which has short ones in
 * it. A flag says that a string is long: the lowest bit of the short length if this comes before
 * the text, else its highest bit, in each version of the library.  `*in` and the offsets become
 * those of __l. false: a string of an unknown layout.
 */
static bool take_short(struct rt_sequence *s, const struct rt_ctype **in, uint32_t *at)
{
	uint32_t shorts = 0, flag, inside;
	const struct rt_ctype *l = find(*in, "__l", RT_CT_STRUCT, at, 0),
			      *own = find(*in, "__s", RT_CT_STRUCT, &shorts, 0);

	if (!l || !own)
		return !l && !own;
	flag = inside = shorts;
	if (!find(own, "__size_", RT_CT_CHAR, &flag, 0) ||
	    !find(own, "__data_", RT_CT_ARRAY, &inside, 0) || flag > UINT16_MAX ||
	    inside > UINT16_MAX)
		return false;
	s->is_long = flag < inside ? 1 : 0x80;
	s->flag = (uint16_t)flag;
	s->inside = (uint16_t)inside;
	*in = l;
	return true;
}

static bool fits(struct rt_dwarf_walk *walk, struct rt_dwarf_type *type, const struct layout *l)
{
	uint32_t pointer = 0, length;
	const struct rt_ctype *to, *n, *element, *in = &type->ctype;
	struct rt_sequence sequence = { .by_end = l->by_end };

	if (!take_short(&sequence, &in, &pointer))
		return false;
	length = pointer;
	to = find(in, l->pointer, RT_CT_POINTER, &pointer, 0);
	n = find(in, l->length, l->by_end ? RT_CT_POINTER : RT_CT_INT, &length, 0);
	if (!to || !n || (!l->by_end && n->size != walk->word) || pointer > UINT16_MAX ||
	    length > UINT16_MAX)
		return false;
	element = l->is_text ? text_type(walk) : type->element ? type->element : to->target;
	if (!element || element->kind == RT_CT_VOID || element->size == 0)
		return false;
	sequence.element = element;
	sequence.pointer = (uint16_t)pointer;
	sequence.length = (uint16_t)length;
	type->ctype.sequence = sequence;
	return true;
}

void rt_dwarf_settle_sequence(struct rt_dwarf_walk *walk, struct rt_dwarf_type *type)
{
	size_t i;

	if (type->ctype.kind != RT_CT_STRUCT || !type->ctype.name || type->ctype.size == 0 ||
	    type->ctype.sequence.element)
		return;
	for (i = 0; i < RT_COUNT(layouts); i++)
		if (strncmp(type->ctype.name, layouts[i].name, strlen(layouts[i].name)) == 0 &&
		    fits(walk, type, &layouts[i]))
			return;
}
