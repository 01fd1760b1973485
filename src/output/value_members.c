/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures, variants and arrays. */
#include <ctype.h>
#include <string.h>

#include "output/value_type.h"

static void show_member(const struct rt_view *v, const struct rt_member *m, uint64_t at)
{
	const char *why;
	const uint8_t *bytes;
	uint64_t word;
	unsigned n;

	at += m->offset;
	if (!m->bit_size) {
		rt_view_show(v, m->type, at, RT_STYLE_TYPE);
		return;
	}
	n = (m->bit_offset + m->bit_size + 7u) / 8;
	bytes = n <= 8 ? rt_view_bytes(v, at, n, &why) : NULL;
	if (n > 8 || !bytes) {
		rt_value_word(v->p, n > 8 ? rt_view_more : why);
		return;
	}
	word = rt_fetch_load(bytes, n) >> m->bit_offset;
	if (m->bit_size < 64)
		word &= (UINT64_C(1) << m->bit_size) - 1;
	rt_view_word(v->p, m->type, word, m->bit_size, RT_STYLE_TYPE);
}

/*
 * The members of an anonymous one are the outer one's.  Returns how many were printed, at most
 * `room`.
 */
static unsigned show_members(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
			     unsigned room, unsigned before)
{
	unsigned i, n = 0;

	for (i = 0; i < type->nmembers && n < room; i++) {
		const struct rt_member *m = &type->members[i];
		bool aggregate = m->type->kind == RT_CT_STRUCT || m->type->kind == RT_CT_UNION;

		if (!m->name && aggregate && v->depth < RT_VIEW_DEPTH) {
			const struct rt_view inside = { .p = v->p, .show = v->show,
				.depth = v->depth + 1 };

			n += show_members(&inside, m->type, at + m->offset, room - n, before + n);
			continue;
		}
		if (!m->name)
			continue;
		rt_value_place(v->p, RT_VALUE_STRUCT, before + n, m->name);
		show_member(v, m, at);
		n++;
	}
	return n;
}

static unsigned limit_members(const struct rt_view *v)
{
	unsigned n = v->p->trace->members;

	return n ? n : RT_LIMIT_MEMBERS;
}

static void show_struct(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned n, room = limit_members(v);

	/* Bits that are shown by themselves. */
	if (type->nmembers == 1 && !type->members[0].name && type->members[0].bit_size) {
		show_member(v, &type->members[0], at);
		return;
	}
	rt_value_begin(v->p, RT_VALUE_STRUCT, NULL);
	n = show_members(v, type, at, room, 0);
	if (n == room && type->nmembers > n) {
		rt_value_place(v->p, RT_VALUE_STRUCT, n, NULL);
		rt_value_number(v->p, RT_VALUE_MORE, 0);
	}
	rt_value_end(v->p, RT_VALUE_STRUCT);
}

/* Rust numbers the members of a tuple: __0, or 0.  Those that nobody knows a name of have "". */
static bool is_tuple(const struct rt_ctype *type)
{
	const char *name = type->nmembers ? type->members[0].name : NULL;

	if (!name || !*name)
		return name;
	return isdigit((unsigned char)name[strncmp(name, "__", 2) == 0 ? 2 : 0]);
}

static void show_tuple(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned i, n = limit_members(v);
	enum rt_value_kind kind = *type->members[0].name ? RT_VALUE_TUPLE : RT_VALUE_UNNAMED;

	rt_value_begin(v->p, kind, NULL);
	for (i = 0; i < type->nmembers && i < n; i++) {
		rt_value_place(v->p, kind, i, NULL);
		show_member(v, &type->members[i], at);
	}
	if (i < type->nmembers) {
		rt_value_place(v->p, kind, i, NULL);
		rt_value_number(v->p, RT_VALUE_MORE, 0);
	}
	rt_value_end(v->p, kind);
}

void rt_view_body(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	if (is_tuple(type))
		show_tuple(v, type, at);
	else
		show_struct(v, type, at);
}

void rt_view_variant(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	const struct rt_member *m = type->nmembers ? &type->members[0] : NULL, *other = NULL;
	const uint8_t *bytes;
	const char *why = rt_view_more;
	uint64_t tag, size, mask;
	unsigned i;

	if (type->tag) {
		size = type->tag->type ? type->tag->type->size : 0;
		bytes = size && size <= 8 ? rt_view_bytes(v, at + type->tag->offset, size, &why) :
			NULL;
		if (!bytes) {
			rt_value_word(v->p, why);
			return;
		}
		tag = rt_fetch_load(bytes, (unsigned)size);
		mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
		for (i = 0, m = NULL; i < type->nmembers && !m; i++) {
			if (type->members[i].tag_default)
				other = &type->members[i];
			else if ((type->members[i].tag & mask) == tag)
				m = &type->members[i];
		}
		m = m ? m : other;
	}
	if (!m || !m->name) {
		rt_value_word(v->p, "<no such variant>");
		return;
	}
	if (!m->type || m->type->kind != RT_CT_STRUCT || !m->type->nmembers) {
		rt_value_word(v->p, m->name);
		return;
	}
	rt_value_begin(v->p, RT_VALUE_VARIANT, m->name);
	rt_view_body(v, m->type, at + m->offset);
	rt_value_end(v->p, RT_VALUE_VARIANT);
}

void rt_view_array(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	uint64_t n = type->count, most = limit_members(v), have;
	const uint8_t *bytes = NULL;
	const char *why;

	if (!type->target || !type->target->size) {
		rt_value_word(v->p, rt_view_more);
		return;
	}
	if (rt_view_is_text(type->target)) {
		/* As much of it as was read. */
		for (have = n < UINT16_MAX ? n : UINT16_MAX; have && !bytes; have -= !bytes)
			bytes = rt_view_bytes(v, at, have, &why);
		if (n && !bytes) {
			rt_value_word(v->p, why);
			return;
		}
		most = n ? strnlen((const char *)bytes, have) : 0;
		/* An array without elements has no bytes anywhere. */
		rt_view_text(v->p, bytes ? bytes : (const uint8_t *)"", (size_t)most,
			     type->is_open || (have < n && most == have));
		return;
	}
	rt_view_elements(v, type->target, at, n < most ? n : most, type->is_open || n > most);
}
