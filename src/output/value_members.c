/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of several parts: structures, variants, arrays, and those that pointers lead to. */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "go/go.h"
#include "output/value_type.h"

/* ---- pointers, and the values that they lead to ---- */

static const struct rt_follow *find_follow(const struct rt_show *show, uint64_t at)
{
	unsigned i;

	for (i = 0; i < show->nfollows; i++)
		if (show->follows[i].offset == at)
			return &show->follows[i];
	return NULL;
}

/* The address, and that what it leads to could not be read. */
static void put_bad(struct rt_value_walk *p, uint64_t address)
{
	rt_value_number(p, RT_VALUE_BAD, address);
}

/* Room for strings is given in steps. */
static void give_text(struct rt_value_walk *p, const uint8_t *text, size_t len, bool cut)
{
	size_t most = p->trace->string ? p->trace->string : SIZE_MAX;

	rt_value_text(p, text, len < most ? len : most, cut || len > most);
}

bool rt_view_string(struct rt_value_walk *p, const struct rt_piece *piece, uint64_t most)
{
	const struct rt_fetch *fetch = &p->values->plan->values[piece->value];
	const uint8_t *text;
	bool cut;
	size_t len;

	/* The buffer has no room, so nothing was written to it. */
	if (!most) {
		rt_value_text(p, (const uint8_t *)"", 0, false);
		return true;
	}
	if (rt_value_string(fetch, p->values->data + piece->at,
			    p->values->faults >> piece->value & 1, &text, &len, &cut) < 0)
		return false;
	give_text(p, text, len < most ? len : (size_t)most, cut && len < most);
	return true;
}

/* The most elements behind a pointer that are valid. */
static uint64_t most_of(const struct rt_view *v)
{
	const struct rt_show *most = v->show->most;
	const struct rt_piece *piece = most && most->npieces == 1 ? &most->pieces[0] : NULL;
	uint64_t n;

	if (!piece || piece->value == RT_NO_VALUE || !piece->size || piece->size > 8 ||
	    rt_view_is_fault(v, piece))
		return UINT64_MAX;
	n = rt_fetch_load(v->p->values->data + piece->at, piece->size);
	return most->type->is_signed && n >> (8 * piece->size - 1) ? 0 : n;
}

/* Count the elements in the value, and in `*all` those that there are. */
static uint64_t counted(struct rt_value_walk *p, const struct rt_piece *piece,
			const struct rt_ctype *element, uint64_t *all)
{
	uint64_t size = element && element->size ? element->size : 1;
	size_t have = rt_plan_block(p->values->plan, piece->value, p->values->data, all);

	*all /= size;
	return have / size;
}

static void show_elements(const struct rt_view *v, const struct rt_ctype *element, uint64_t at,
			  uint64_t n, bool cut)
{
	uint64_t i;

	rt_value_begin(v->p, RT_VALUE_ARRAY, NULL);
	for (i = 0; i < n; i++) {
		rt_value_place(v->p, RT_VALUE_ARRAY, (unsigned)i, NULL);
		rt_view_show(v, element, at + i * element->size, RT_STYLE_TYPE);
	}
	if (cut) {
		rt_value_place(v->p, RT_VALUE_ARRAY, (unsigned)n, NULL);
		rt_value_number(v->p, RT_VALUE_MORE, 0);
	}
	rt_value_end(v->p, RT_VALUE_ARRAY);
}

static bool is_text(const struct rt_ctype *type)
{
	return !type || type->kind == RT_CT_CHAR || type->kind == RT_CT_VOID;
}

/* false: nothing of it could be read. */
static bool show_counted(const struct rt_view *v, uint64_t most)
{
	const struct rt_piece *piece = &v->show->pieces[0];
	const struct rt_ctype *element = v->show->type->target;
	uint64_t n, all;

	n = counted(v->p, piece, element, &all);
	if (v->show->whole && n > v->show->whole)
		n = v->show->whole;
	if (all > most)
		all = most;
	if (n > most)
		n = most;
	if (all && rt_view_is_fault(v, piece))
		return false;
	if (is_text(element))
		give_text(v->p, v->p->values->data + piece->at, (size_t)n, all > n);
	else
		show_elements(v, element, 0, n, all > n);
	return true;
}

/* the value behind a pointer */
static bool show_target(const struct rt_view *v, const struct rt_show *target)
{
	const struct rt_view inside = { .p = v->p, .show = target, .depth = v->depth + 1 };
	const struct rt_piece *piece = &target->pieces[0];
	const struct rt_fetch *fetch;

	if (!v->p->values->data || !target->npieces || v->depth > RT_VIEW_DEPTH)
		return false;
	fetch = &v->p->values->plan->values[piece->value];
	if (fetch->type == RT_TYPE_STRING)
		return rt_view_string(v->p, piece, most_of(v));
	if (fetch->length)
		return show_counted(&inside, most_of(v));
	if (rt_view_is_fault(&inside, piece))
		return false;
	rt_view_show(&inside, target->type, 0, target->style);
	return true;
}

/* Text in the file's constant data, of which the page was not in memory. */
static bool show_constant(const struct rt_view *v, const struct rt_show *target, uint64_t address)
{
	const struct rt_fetch *fetch;
	uint8_t text[512];
	size_t n, len;

	if (!v->p->values->data || target->npieces != 1 || target->pieces[0].value == RT_NO_VALUE)
		return false;
	fetch = &v->p->values->plan->values[target->pieces[0].value];
	if (fetch->type != RT_TYPE_STRING)
		return false;
	n = fetch->max < sizeof(text) ? fetch->max : sizeof(text);
	n = rt_resolve_constant(v->p->trace->resolver, v->p->pid, address, text, n);
	len = strnlen((const char *)text, n);
	if (n)
		give_text(v->p, text, len, len == n);
	return n;
}

/* Three characters at least, and nothing else: a number in memory seldom looks so. */
static bool reads_as_text(const uint8_t *text, size_t len)
{
	enum { LEAST = 3 };
	size_t i;

	for (i = 0; i < len; i++)
		if ((text[i] < ' ' && !strchr("\t\n\r", text[i])) || text[i] > '~')
			return false;
	return len >= LEAST;
}

/* An address, with the text there if it was read and is text. */
static void give_address(const struct rt_view *v, const struct rt_show *target, uint64_t address)
{
	const struct rt_values *values = v->p->values;
	const struct rt_piece *piece = target && target->npieces ? &target->pieces[0] : NULL;
	size_t most = v->p->trace->string ? v->p->trace->string : SIZE_MAX;
	struct rt_value value = { .kind = RT_VALUE_HEX, .number = address };
	uint64_t length = most_of(v);
	bool known = piece && values->data &&
		     rt_value_string(&values->plan->values[piece->value],
				     values->data + piece->at, values->faults >> piece->value & 1,
				     &value.bytes, &value.len, &value.cut) == 0;

	/* Only where it tells: the number may be something else. */
	if (known && length < value.len && !reads_as_text(value.bytes, value.len)) {
		value.len = (size_t)length;
		value.cut = false;
	}
	if (known && reads_as_text(value.bytes, value.len)) {
		value.cut |= value.len > most;
		value.len = value.len < most ? value.len : most;
	} else {
		value.bytes = NULL;
		value.len = 0;
		value.cut = false;
	}
	rt_value_give(v->p, &value);
}

void rt_view_pointer(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
		     uint64_t address)
{
	const struct rt_follow *f = find_follow(v->show, at);
	const char *name;

	if (!address) {
		rt_value_number(v->p, RT_VALUE_NULL, 0);
	} else if (type->style == RT_STYLE_GUESSED) {
		give_address(v, f ? &f->target : NULL, address);
	} else if (f) {
		if (!show_target(v, &f->target) && !show_constant(v, &f->target, address))
			put_bad(v->p, address);
	} else if (type->target && type->target->kind == RT_CT_FUNCTION &&
		   (name = rt_resolve_symbol(v->p->trace->resolver, v->p->pid, address)) != NULL) {
		rt_value_word(v->p, name);
	} else {
		rt_value_number(v->p, RT_VALUE_HEX, address);
	}
}

/* Text in the object itself: false: it is elsewhere, this time. */
static bool show_inside(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	const struct rt_sequence *s = &type->sequence;
	const char *why;
	const uint8_t *flag = s->is_long ? rt_view_bytes(v, at + s->flag, 1, &why) : NULL, *text;
	uint64_t n;

	if (!flag || (*flag & s->is_long))
		return false;
	n = s->is_long == 1 ? *flag >> 1 : *flag;
	text = rt_view_bytes(v, at + s->inside, n * s->element->size, &why);
	/* An object that nothing has been put into yet: there is a NUL behind the text. */
	if (s->inside + (n + 1) * s->element->size > type->size)
		text = NULL, why = rt_view_unreadable;
	if (!text)
		rt_value_word(v->p, why);
	else if (is_text(s->element))
		give_text(v->p, text, (size_t)n, false);
	else
		show_elements(v, s->element, at + s->inside, n, false);
	return true;
}

/* Text and lists that lie elsewhere. */
void rt_view_sequence(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned word = v->p->values->plan->arch->word;
	const struct rt_sequence *s = &type->sequence;
	const struct rt_follow *f = find_follow(v->show, at + s->pointer);
	const char *why;
	const uint8_t *pointer = rt_view_bytes(v, at + s->pointer, word, &why), *end;

	if (show_inside(v, type, at))
		return;
	if (!pointer) {
		rt_value_word(v->p, why);
		return;
	}
	/*
	 * With a lower limit the target was not read, but the object itself shows that it is empty.
	 */
	end = rt_view_bytes(v, at + s->length, word, &why);
	if (!f && end &&
	    rt_fetch_load(end, word) == (s->by_end ? rt_fetch_load(pointer, word) : 0)) {
		if (is_text(s->element))
			give_text(v->p, pointer, 0, false);
		else
			show_elements(v, s->element, at, 0, false);
	} else if (!f) {
		rt_value_number(v->p, RT_VALUE_HEX, rt_fetch_load(pointer, word));
	} else if (!show_target(v, &f->target)) {
		put_bad(v->p, rt_fetch_load(pointer, word));
	}
}

/* The errors of Go's own packages: their record begins with the text. */
static bool begins_with_text(const char *name)
{
	return strcmp(name, "*errors.errorString") == 0 || strcmp(name, "*fmt.wrapError") == 0 ||
		strcmp(name, "*fmt.fmtError") == 0;
}

/*
 * Show the bytes that were read of the object, if its type is one of these or begins with text.
 * false: nothing is shown.
 */
static bool show_held(const struct rt_view *v, const char *name, unsigned kind,
		      const struct rt_show *held)
{
	static const uint8_t sizes[] = {
		[RT_GO_BOOL] = 1, [RT_GO_INT] = 8, [RT_GO_INT8] = 1, [RT_GO_INT16] = 2,
		[RT_GO_INT32] = 4, [RT_GO_INT64] = 8, [RT_GO_UINT] = 8, [RT_GO_UINT8] = 1,
		[RT_GO_UINT16] = 2, [RT_GO_UINT32] = 4, [RT_GO_UINT64] = 8,
		[RT_GO_UINTPTR] = 8, [RT_GO_FLOAT32] = 4,
		[RT_GO_FLOAT64] = 8,
	};
	const struct rt_ctype number = {
		.kind = kind == RT_GO_BOOL ? RT_CT_BOOL :
			kind >= RT_GO_FLOAT32 ? RT_CT_FLOAT : RT_CT_INT,
		.size = kind < RT_COUNT(sizes) ? sizes[kind] : 0,
		.is_signed = kind >= RT_GO_INT && kind <= RT_GO_INT64,
	};
	const struct rt_view inside = { .p = v->p, .show = held, .depth = v->depth + 1 };

	if (!held || !held->npieces || rt_view_is_fault(&inside, &held->pieces[0]))
		return false;
	if (number.size) {
		rt_view_show(&inside, &number, 0, RT_STYLE_TYPE);
		return true;
	}
	return (kind == RT_GO_STRING || begins_with_text(name)) && show_target(v, held);
}

/* An object of a type of that name: what it says, or where it is. */
static void put_held(const struct rt_view *v, const char *name, unsigned kind,
		     const uint8_t *pointer, const struct rt_show *held)
{
	rt_value_begin(v->p, RT_VALUE_HELD, name);
	if (!show_held(v, name, kind, held))
		rt_value_number(v->p, RT_VALUE_HEX, rt_fetch_load(pointer, 8));
	rt_value_end(v->p, RT_VALUE_HELD);
}

static uint64_t load_piece(const struct rt_view *v, const struct rt_piece *piece)
{
	return rt_view_is_fault(v, piece) ? 0 : rt_fetch_load(v->p->values->data + piece->at, 8);
}

/* Go's interface: nil, or the object's type and what is known of it: its text, its address. */
void rt_view_dynamic(const struct rt_view *v, const struct rt_ctype *type, uint64_t at)
{
	const struct rt_follow *table = find_follow(v->show, at);
	const struct rt_follow *held = find_follow(v->show, at + 8);
	const char *why;
	const uint8_t *first = rt_view_bytes(v, at, 8, &why),
		*second = first ? rt_view_bytes(v, at + 8, 8, &why) : NULL;
	char name[128];
	unsigned kind;
	uint64_t of;

	if (!first || !second) {
		rt_value_word(v->p, why);
		return;
	}
	of = rt_fetch_load(first, 8);
	if (!of) {
		rt_value_number(v->p, RT_VALUE_NIL, 0);
		return;
	}
	if (type->interface == RT_INTERFACE_TABLE)
		of = table ? load_piece(v, &table->target.pieces[0]) : 0;
	if (!of || !rt_resolve_go_type(v->p->trace->resolver, v->p->pid, of, name, sizeof(name),
				       &kind))
		put_held(v, type->name ? type->name : "interface", 0, second, NULL);
	else
		put_held(v, name, kind, second, held ? &held->target : NULL);
}

/* ---- structures, variants and arrays ---- */

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
	if (is_text(type->target)) {
		/* As much of it as was read. */
		for (have = n < UINT16_MAX ? n : UINT16_MAX; have && !bytes; have -= !bytes)
			bytes = rt_view_bytes(v, at, have, &why);
		if (n && !bytes) {
			rt_value_word(v->p, why);
			return;
		}
		most = n ? strnlen((const char *)bytes, have) : 0;
		/* An array without elements has no bytes anywhere. */
		give_text(v->p, bytes ? bytes : (const uint8_t *)"", (size_t)most,
			  type->is_open || (have < n && most == have));
		return;
	}
	show_elements(v, type->target, at, n < most ? n : most, type->is_open || n > most);
}
