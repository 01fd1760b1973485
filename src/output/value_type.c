/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/value_type.h"

const char rt_view_unreadable[] = "<unreadable>", rt_view_more[] = "...";

bool rt_view_is_fault(const struct rt_view *v, const struct rt_piece *piece)
{
	return !v->p->values->data || v->p->values->faults >> piece->value & 1;
}

/*
 * Find `size` bytes of the object, from `at` on, in the record; NULL and `why` if they were not
 * read.
 */
const uint8_t *rt_view_bytes(const struct rt_view *v, uint64_t at, uint64_t size, const char **why)
{
	const struct rt_show *s = v->show;
	unsigned i;
	uint64_t end;

	*why = s->mark ? s->mark : rt_view_more;
	for (i = 0; i < s->npieces; i++) {
		const struct rt_piece *first = &s->pieces[i];

		if (at < first->offset || at >= (uint64_t)first->offset + first->size)
			continue;
		end = first->offset;
		/* Pieces that are next to each other in the object may be so in the record too. */
		for (; i < s->npieces; i++) {
			const struct rt_piece *piece = &s->pieces[i];

			if (piece->value == RT_NO_VALUE || rt_view_is_fault(v, piece)) {
				*why = piece->value != RT_NO_VALUE ? rt_view_unreadable :
					piece->mark ? piece->mark : rt_view_more;
				return NULL;
			}
			if (piece->offset != end ||
			    piece->at - first->at != piece->offset - first->offset)
				return NULL;
			end += piece->size;
			if (at + size <= end)
				return v->p->values->data + first->at + (at - first->offset);
		}
	}
	return NULL;
}

/* The x87's 80 bits are followed by padding. */
static void give_float(struct rt_value_walk *p, const uint8_t *bytes, uint64_t size, bool quad)
{
	struct rt_value value = {
		.kind = RT_VALUE_FLOAT, .bytes = bytes, .len = size > 8 && !quad ? 10 :
			(size_t)size, .quad = quad,
	};

	rt_value_give(p, &value);
}

static void show_word(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
		      enum rt_style style)
{
	struct rt_value_walk *p = v->p;
	bool pointer = rt_ctype_is_pointer(type);
	bool quad = type->size == 16 && (type->is_vector ||
					 p->values->plan->arch->has_quad);
	uint64_t size = pointer ? p->values->plan->arch->word : type->size ? type->size :
		p->values->plan->arch->word;
	const char *why;
	const uint8_t *bytes = rt_view_bytes(v, at, type->kind == RT_CT_FLOAT && size > 8 &&
					     !quad ? 10 : size, &why);

	if (!bytes)
		rt_value_word(p, why);
	/* a member of which it is not known how far it goes */
	else if (type->kind == RT_CT_UNKNOWN && !type->size && v->depth > 1)
		rt_value_word(p, rt_view_more);
	else if (type->kind == RT_CT_FLOAT)
		give_float(p, bytes, size, quad);
	else if (pointer)
		rt_view_pointer(v, type, at, rt_fetch_load(bytes, (unsigned)size));
	else if (type->kind == RT_CT_UNKNOWN || type->kind == RT_CT_FUNCTION ||
		 type->kind == RT_CT_VOID)
		rt_value_number(p, RT_VALUE_HEX,
				rt_fetch_load(bytes, size > 8 ? 8 : (unsigned)size));
	else if (size == 16)
		rt_view_wide(p, bytes, type->is_signed);
	else if (size > 8)
		rt_value_word(p, rt_view_more);
	else
		rt_view_word(p, type, rt_fetch_load(bytes, (unsigned)size), (unsigned)size * 8,
			     style);
}

void rt_view_show(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
		  enum rt_style style)
{
	const struct rt_view inside = { .p = v->p, .show = v->show, .depth = v->depth + 1 };

	if (!type || v->depth > RT_VIEW_DEPTH) {
		rt_value_word(v->p, rt_view_more);
		return;
	}
	if (type->sequence.element) {
		rt_view_sequence(&inside, type, at);
		return;
	}
	if (type->interface) {
		rt_view_dynamic(&inside, type, at);
		return;
	}
	switch (type->kind) {
	case RT_CT_STRUCT:
	case RT_CT_UNION:
		rt_view_body(&inside, type, at);
		break;
	case RT_CT_VARIANT:
		rt_view_variant(&inside, type, at);
		break;
	case RT_CT_ARRAY:
		rt_view_array(&inside, type, at);
		break;
	default:
		show_word(&inside, type, at, style);
		break;
	}
}

/* Text that was read from where the user said. */
static bool is_string(struct rt_value_walk *p, const struct rt_show *show)
{
	return show->npieces == 1 && show->pieces[0].value != RT_NO_VALUE &&
	       p->values->plan->values[show->pieces[0].value].type == RT_TYPE_STRING;
}

void rt_value_show(struct rt_value_walk *p, const struct rt_show *show)
{
	const struct rt_view v = { .p = p, .show = show };
	bool empty = !show->npieces && (show->type->kind == RT_CT_STRUCT ||
					show->type->kind == RT_CT_UNION);

	if (show->mark) {
		rt_value_word(p, show->mark);
	} else if (empty) {
		rt_value_begin(p, RT_VALUE_STRUCT, NULL);
		rt_value_end(p, RT_VALUE_STRUCT);
	} else if (is_string(p, show)) {
		if (!p->values->data || !rt_view_string(p, &show->pieces[0], UINT64_MAX))
			rt_value_word(p, rt_view_unreadable);
	} else {
		rt_view_show(&v, show->type, 0, show->style);
	}
}
