/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pointers in what is shown, and what of that which they lead to is read. */
#include <string.h>

#include "fetch/lower_private.h"

struct pointer {
	uint32_t offset;
	const struct rt_ctype *type;		/* a pointer, or a sequence */
	enum rt_style style;
	bool dropped;
};

struct pointers {
	struct pointer v[POINTERS];
	unsigned n;
};

/* Do both lead to the same, as in a Result<String, String>? */
static bool has_same_target(const struct rt_ctype *a, const struct rt_ctype *b)
{
	return a == b || (a->sequence.element && a->sequence.element == b->sequence.element &&
			  a->sequence.by_end == b->sequence.by_end &&
			  a->sequence.length - a->sequence.pointer ==
				  b->sequence.length - b->sequence.pointer &&
			  !a->sequence.is_long);
}

/* Keep the first of pointers at one place if all have the same target, else none. */
static void drop_same_places(struct pointers *p, unsigned first)
{
	unsigned i, k, n = first;
	bool twice;

	for (i = first; i < p->n; i++) {
		for (twice = false, k = first; k < p->n && !twice; k++)
			twice = k != i &&
				p->v[k].offset + p->v[k].type->sequence.pointer ==
					p->v[i].offset + p->v[i].type->sequence.pointer &&
				!(k > i && has_same_target(p->v[k].type, p->v[i].type));
		p->v[i].dropped = twice;
	}
	for (i = first; i < p->n; i++)
		if (!p->v[i].dropped)
			p->v[n++] = p->v[i];
	p->n = n;
}

static void find_pointers(const struct lowering *l, const struct rt_ctype *type,
			  enum rt_style style, uint64_t at, struct pointers *p, unsigned depth)
{
	unsigned first = p->n;
	uint64_t i;

	if (!type || depth > DEPTH || at > UINT16_MAX || p->n == POINTERS)
		return;
	if (type->sequence.element || type->interface || rt_ctype_is_pointer(type)) {
		p->v[p->n++] = (struct pointer){ .offset = (uint32_t)at,
						 .type = type,
						 .style = style };
		return;
	}
	if (type->kind == RT_CT_STRUCT || type->kind == RT_CT_VARIANT)
		for (i = 0; i < type->nmembers && i < l->limits.members; i++)
			find_pointers(l, type->members[i].type, RT_STYLE_TYPE,
				      at + type->members[i].offset, p, depth + 1);
	/*
	 * The variant is known only at the hit: pointers of each are followed, unless two are at
	 * one place.
	 */
	if (type->kind == RT_CT_VARIANT)
		drop_same_places(p, first);
	if (type->kind == RT_CT_ARRAY && type->target)
		for (i = 0; i < type->count && i < l->limits.members; i++)
			find_pointers(l, type->target, RT_STYLE_TYPE, at + i * type->target->size,
				      p, depth + 1);
}

/* The value that has an object's bytes from `offset` on; -1: none. */
static int value_at(const struct object *o, uint32_t offset, uint32_t size, uint32_t *into)
{
	unsigned i;

	for (i = 0; i < o->show->npieces; i++) {
		const struct rt_piece *p = &o->show->pieces[i];

		if (p->value != RT_NO_VALUE && offset >= p->offset &&
		    offset + size <= (uint32_t)p->offset + p->size) {
			*into = offset - p->offset;
			return p->value;
		}
	}
	return -1;
}

/* Room in the object's follows for what the pointer leads to. */
static struct rt_show *add_follow(struct lowering *l, struct object *o, uint32_t offset)
{
	struct rt_follow *f;

	if (!o->follows)
		o->follows = rt_lower_alloc(l, o->room * sizeof(*o->follows));
	if (!o->follows || o->show->nfollows == o->room)
		return NULL;
	f = &o->follows[o->show->nfollows];
	f->offset = offset;
	return &f->target;
}

static void keep_follow(struct object *o)
{
	o->show->follows = o->follows;
	o->show->nfollows++;
}

/*
 * Which list the values belong to that are read for what is at `offset` in an object, and to
 * which of its elements.
 */
static uint8_t element_of(const struct object *o, uint32_t offset, uint16_t *least)
{
	const struct rt_ctype *element = o->show->type->target;

	*least = o->least;
	if (o->elements)
		*least = (uint16_t)(o->counts_bytes ? offset / element->size * element->size
						    : offset / element->size);
	return o->list;
}

static bool is_guessed(const struct pointer *p)
{
	return p->type->kind == RT_CT_POINTER && p->type->style == RT_STYLE_GUESSED;
}

static bool is_text(const struct pointer *p)
{
	if (p->type->sequence.element)
		return false;
	return is_guessed(p) || p->style == RT_STYLE_STRING || p->type->style == RT_STYLE_STRING ||
	       (p->type->kind == RT_CT_POINTER && p->type->target &&
		p->type->target->kind == RT_CT_CHAR);
}

/*
 * A structure behind a pointer may have many texts, which share the room: half of it each.  An
 * object that is itself text (std::string &) has only one; texts of a list are short.
 */
static unsigned text_limit(const struct lowering *l, const struct object *o)
{
	unsigned half = l->limits.string / 2 > STRING_INSIDE ? l->limits.string / 2 : STRING_INSIDE;

	if (o->list)
		half = STRING_INSIDE;
	else if (!o->depth || o->show->type->sequence.element)
		return l->limits.string;
	return l->limits.string < half ? l->limits.string : half;
}

static void follow_text(struct lowering *l, struct object *o, const struct pointer *p)
{
	bool guessed = is_guessed(p);
	unsigned max = guessed && l->limits.string > STRING_INSIDE ? STRING_INSIDE
								    : text_limit(l, o);
	struct rt_show *show = add_follow(l, o, p->offset);
	struct rt_piece *piece;
	struct place place;
	struct rt_fetch f;
	int value;

	if (!show || !rt_lower_behind(o, p->offset, l->arch->word, &place))
		return;
	/* A string's address is the value that its derefs end in. */
	memset(&f, 0, sizeof(f));
	f.base = place.base;
	f.reg = place.reg;
	f.offset = place.offset;
	f.nderef = (uint8_t)place.n;
	memcpy(f.deref, place.deref, sizeof(f.deref));
	f.type = RT_TYPE_STRING;
	f.list = element_of(o, p->offset, &f.least);
	do {
		f.max = (uint16_t)((max + 8) & ~7u);
		value = rt_lower_value(l, &f);
		max /= 2;
	} while (value < 0 && o->depth && max >= STRING_MIN);
	l->starved |= value < 0 && !o->depth && !guessed;
	piece = value < 0 ? NULL : rt_lower_pieces(l, show, 1);
	if (!piece)
		return;
	rt_lower_piece(l, piece, value, 0, f.max);
	show->type = p->type->target ? p->type->target : p->type;
	show->style = RT_STYLE_STRING;
	keep_follow(o);
}

/* Does it lead to text, or to what is shown of an interface? */
static bool leads_on(const struct pointer *p)
{
	return p->type->sequence.element || p->type->interface || is_text(p);
}

static bool has_text(const struct lowering *l, const struct rt_ctype *element)
{
	struct pointers p = { .n = 0 };
	unsigned i;

	find_pointers(l, element, RT_STYLE_TYPE, 0, &p, 0);
	for (i = 0; i < p.n; i++)
		if (leads_on(&p.v[i]))
			return true;
	return false;
}

/* Is what the elements of a list in the object lead to read too?  Of how many. */
static unsigned followed_elements(const struct lowering *l, const struct object *o,
				  const struct rt_ctype *element)
{
	if (l->limits.no_lists || o->depth >= l->limits.deref || o->list || !element ||
	    !element->size || !has_text(l, element))
		return 0;
	return l->limits.record > RT_LIMIT_RECORD ? l->limits.members : LIST_TEXTS;
}

/* A list that was read as `f` says, of which `n` elements are objects whose texts are read next. */
static void add_list(struct lowering *l, const struct object *o, struct rt_show *show,
		     const struct place *place, const struct rt_fetch *f, unsigned n)
{
	struct object *list = rt_lower_object(l, show, o->depth + 1);
	uint64_t size = show->type->target->size;

	if (!list)
		return;
	list->in_memory = true;
	list->place = *place;
	list->list = (uint8_t)(show->pieces[0].value + 1);
	list->counts_bytes = f->length_ends;
	list->elements = f->max / size < n ? (unsigned)(f->max / size) : n;
}

/* Elements behind the pointer at `offset` in an object: `f` has the place of their number. */
static void follow_counted(struct lowering *l, struct object *o, uint32_t offset,
			   const struct rt_ctype *element, const struct rt_fetch *counted,
			   uint64_t max)
{
	uint64_t size = element && element->size ? element->size : 1;
	bool text = !element || element->kind == RT_CT_CHAR || element->kind == RT_CT_VOID;
	uint64_t n = text ? text_limit(l, o) : l->limits.members;
	unsigned followed = text ? 0 : followed_elements(l, o, element);
	struct rt_show *show = add_follow(l, o, offset);
	struct rt_ctype *array;
	struct rt_piece *piece;
	struct place place;
	struct rt_fetch f;
	int value;

	if (max && max < n)
		n = max;
	if (l->limits.counted && n * size > l->limits.counted)
		n = size < l->limits.counted ? l->limits.counted / size : 1;
	if (followed && followed < n)
		n = followed;
	if (!show || size > UINT16_MAX || !rt_lower_behind(o, offset, l->arch->word, &place) ||
	    !rt_lower_fetch(&place, 0, &f))
		return;
	f.type = RT_TYPE_BYTES;
	f.length = counted->length;
	f.length_size = counted->length_size;
	f.length_offset = counted->length_offset;
	f.length_ends = counted->length_ends;
	f.length_begin = counted->length_begin;
	f.element = counted->length_ends ? 1 : (uint16_t)size;
	f.list = element_of(o, offset, &f.least);
	value = -1;
	for (; n && value < 0; n /= 2) {
		f.max = n * size > l->limits.record ? UINT16_MAX
						    : (uint16_t)((n * size + 7) & ~UINT64_C(7));
		value = f.max == UINT16_MAX ? -1 : rt_lower_value(l, &f);
	}
	l->starved |= value < 0 && !o->depth;
	piece = value < 0 ? NULL : rt_lower_pieces(l, show, 1);
	array = value < 0 ? NULL : rt_types_add(l->memory, RT_CT_ARRAY, NULL, 0);
	if (!piece || !array)
		return;
	rt_lower_piece(l, piece, value, 0, f.max);
	array->target = element;
	show->type = array;
	keep_follow(o);
	if (followed)
		add_list(l, o, show, &place, &f, followed);
}

/* The parameter or result that has the length. */
static const struct object *find_length(const struct lowering *l, unsigned length)
{
	const struct rt_prototype *p = l->prototype;
	unsigned i;

	for (i = 0; i < l->nobjects; i++)
		if (length == RT_LENGTH_RESULT
			    ? l->objects[i].is_result
			    : length <= p->nparams && l->objects[i].param == &p->params[length - 1])
			return &l->objects[i];
	return NULL;
}

/* An argument with its number of elements in another one. */
static bool follow_length(struct lowering *l, struct object *o, const struct pointer *p)
{
	const struct rt_param *param;
	const struct object *length;
	struct rt_fetch counted = { .length = 0 };
	uint32_t into = 0;
	int value;

	if (!o->param || !o->param->length)
		return false;
	param = o->param;
	length = find_length(l, param->length);
	if (!length || rt_ctype_is_pointer(length->show->type) ||
	    (length->show->type->size != 4 && length->show->type->size != 8))
		return false;
	value = value_at(length, 0, (uint32_t)length->show->type->size, &into);
	if (value < 0)
		return false;
	counted.length = (uint8_t)(value + 1);
	counted.length_offset = (uint16_t)into;
	counted.length_size = (uint8_t)length->show->type->size;
	follow_counted(l, o, p->offset, p->type->target, &counted, param->length_max);
	return true;
}

static void follow_sequence(struct lowering *l, struct object *o, const struct pointer *p)
{
	const struct rt_sequence *s = &p->type->sequence;
	struct rt_fetch counted = { .length_size = (uint8_t)l->arch->word,
				    .length_ends = s->by_end };
	uint32_t into, begin = 0;
	int value = value_at(o, p->offset + s->length, l->arch->word, &into);

	/* Both ends in one value. */
	if (value < 0 || into > UINT16_MAX ||
	    (s->by_end && (value_at(o, p->offset + s->pointer, l->arch->word, &begin) != value ||
			   begin > UINT16_MAX)))
		return;
	counted.length = (uint8_t)(value + 1);
	counted.length_offset = (uint16_t)into;
	counted.length_begin = (uint16_t)begin;
	follow_counted(l, o, p->offset + s->pointer, s->element, &counted, 0);
}

static void follow_object(struct lowering *l, struct object *o, const struct pointer *p)
{
	const struct rt_ctype *target = p->type->target;
	bool aggregate = target && (target->kind == RT_CT_STRUCT || target->kind == RT_CT_UNION ||
				    target->kind == RT_CT_ARRAY || target->kind == RT_CT_VARIANT);
	/* A parameter is filled in with anything, which is as near as an argument is. */
	bool filled = o->param && o->param->is_out;
	struct rt_show *show;
	struct object *to;

	if (!target || !target->size || (o->depth >= l->limits.deref && !filled) ||
	    !(aggregate || filled || p->type->kind == RT_CT_REFERENCE))
		return;
	show = add_follow(l, o, p->offset);
	if (!show || l->nobjects == OBJECTS)
		return;
	show->type = target;
	to = rt_lower_object(l, show, o->depth + !filled);
	to->in_memory = true;
	if (rt_lower_behind(o, p->offset, l->arch->word, &to->place) &&
	    rt_lower_memory(l, to, rt_lower_extent(l, target)))
		keep_follow(o);
	else
		l->nobjects--;
}

/*
 * Go's interface: which type the object has, where a table leads to that; and of an error the text,
 * which most of those that there are begin with, as what an empty interface holds may be a string,
 * or a number.
 */
static void follow_dynamic(struct lowering *l, struct object *o, const struct pointer *p, bool text)
{
	static const struct rt_ctype word = { .kind = RT_CT_INT, .size = 8, .style = RT_STYLE_HEX };
	static const struct rt_ctype byte = { .kind = RT_CT_CHAR, .size = 1 };
	static const struct rt_ctype string = {
		.kind = RT_CT_STRUCT,
		.name = "string",
		.size = 16,
		.sequence = { .element = &byte, .length = 8 },
	};
	bool held = p->type->interface == RT_INTERFACE_TYPE ||
		    (p->type->name && strcmp(p->type->name, "error") == 0);
	struct place place;
	struct rt_show *show;
	struct object *to;

	if (text ? !held : p->type->interface != RT_INTERFACE_TABLE)
		return;
	show = add_follow(l, o, p->offset + (text ? 8 : 0));
	if (!show || l->nobjects == OBJECTS ||
	    !rt_lower_behind(o, p->offset + (text ? 8 : 0), l->arch->word, &place))
		return;
	show->type = text ? &string : &word;
	to = rt_lower_object(l, show, o->depth + 1);
	to->in_memory = true;
	to->place = place;
	to->list = element_of(o, p->offset, &to->least);
	if (!text)
		to->skip = 8;
	if (rt_lower_memory(l, to, (uint32_t)show->type->size))
		keep_follow(o);
	else
		l->nobjects--;
}

/*
 * Read the targets of a list's first elements.  Elements for which there is no room are not shown.
 */
static void follow_list(struct lowering *l, struct object *o)
{
	const struct rt_ctype *element = o->show->type->target;
	struct pointers p = { .n = 0 };
	uint64_t whole = o->elements;
	unsigned i, before;

	for (i = 0; i < o->elements; i++)
		find_pointers(l, element, RT_STYLE_TYPE, i * element->size, &p, 0);
	o->room = 2 * p.n;
	if (p.n == POINTERS)
		whole = p.v[POINTERS - 1].offset / element->size;
	for (i = 0; i < p.n && p.v[i].offset / element->size < whole; i++) {
		if (!leads_on(&p.v[i]))
			continue;
		before = o->show->nfollows;
		if (p.v[i].type->interface) {
			follow_dynamic(l, o, &p.v[i], true);
			follow_dynamic(l, o, &p.v[i], false);
		} else if (p.v[i].type->sequence.element) {
			follow_sequence(l, o, &p.v[i]);
		} else {
			follow_text(l, o, &p.v[i]);
		}
		if (o->show->nfollows == before)
			whole = p.v[i].offset / element->size;
	}
	o->show->whole = (uint16_t)whole;
}

/* Objects with text come first: there may not be room for all. */
static void follow_all(struct lowering *l, struct object *o, bool text)
{
	struct pointers p = { .n = 0 };
	const struct rt_param *param;
	unsigned i;

	if (l->limits.no_memory || o->quiet || o->show->mark || !o->show->npieces)
		return;
	if (o->elements) {
		if (text)
			follow_list(l, o);
		return;
	}
	param = o->param;
	/* The function has not filled it in yet. */
	if (param && param->is_out && !param->is_in && l->plan->kind == RT_KIND_ENTRY)
		return;
	if (param && param->most) {
		const struct object *most = find_length(l, param->most);

		o->show->most = most ? most->show : NULL;
	}
	find_pointers(l, o->show->type, o->show->style, 0, &p, 0);
	o->room = 2 * p.n;	/* an interface has two */
	for (i = 0; i < p.n; i++) {
		uint32_t into;
		bool counted;

		if (p.v[i].type->interface) {
			follow_dynamic(l, o, &p.v[i], text);
			continue;
		}
		if (l->limits.no_guesses && is_guessed(&p.v[i]))
			continue;
		counted = p.v[i].type->sequence.element || (param && param->length && !o->depth);

		if (text != (counted || is_text(&p.v[i])))
			continue;
		if (!p.v[i].type->sequence.element &&
		    value_at(o, p.v[i].offset, l->arch->word, &into) < 0)
			continue;
		if (p.v[i].type->sequence.element)
			follow_sequence(l, o, &p.v[i]);
		else if (is_text(&p.v[i]) && !(param && param->length))
			follow_text(l, o, &p.v[i]);
		else if (!(text && follow_length(l, o, &p.v[i])))
			follow_object(l, o, &p.v[i]);
	}
}

void rt_lower_follow(struct lowering *l)
{
	unsigned first, end, i;

	for (first = 0; first < l->nobjects; first = end) {
		end = l->nobjects;
		for (i = first; i < end; i++)
			follow_all(l, &l->objects[i], true);
		for (i = first; i < end; i++)
			follow_all(l, &l->objects[i], false);
	}
}
