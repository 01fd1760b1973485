/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own words for what is read (lang/words.c). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fetch/lower.h"

/*
 * Bytes of a string that does not begin where a pointer leads to; of a thread's name, with room, as
 * a full one is never cut.
 */
enum { BLOCK = 64, COMM = RT_COMM_BYTES + 8 };

bool rt_has_words(const struct rt_spec *spec, enum rt_kind kind)
{
	unsigned i;

	for (i = 0; spec && i < spec->nwords; i++)
		if ((spec->words[i].base == RT_WORD_RESULT) == (kind == RT_KIND_RETURN))
			return true;
	return false;
}

static bool is_name(const struct rt_reg *reg, const char *name)
{
	return reg->tracefs && strcmp(reg->tracefs, name) == 0;
}

static const struct rt_reg *find_register(const struct rt_arch *arch, const char *name)
{
	unsigned i;

	for (i = 0; i < arch->nargs; i++)
		if (is_name(&arch->args[i], name))
			return &arch->args[i];
	for (i = 0; i < arch->ndwarf; i++)
		if (is_name(&arch->dwarf[i], name))
			return &arch->dwarf[i];
	return is_name(&arch->ip, name)	      ? &arch->ip
	       : is_name(&arch->sp, name)     ? &arch->sp
	       : is_name(&arch->result, name) ? &arch->result
	       : is_name(&arch->link, name)   ? &arch->link
					      : NULL;
}

static int no_register(const struct rt_spec *spec, const struct rt_word *w,
		       const struct rt_arch *arch, struct rt_error *err)
{
	char names[256] = "";
	size_t at = 0;
	unsigned i;

	for (i = 0; i < arch->ndwarf && at + 16 < sizeof(names); i++)
		if (arch->dwarf[i].tracefs)
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
					       at ? " " : "", arch->dwarf[i].tracefs);
	return rt_spec_expected(spec, w->reg_column, err,
				"a register of %s, which '%%%s' is not: %s", arch->name, w->reg,
				names);
}

static int set_base(const struct rt_spec *spec, const struct rt_word *w, const struct rt_arch *arch,
		    struct rt_fetch *f, struct rt_error *err)
{
	const struct rt_reg *reg;

	if (w->base == RT_WORD_STACK_SLOT) {
		f->base = RT_BASE_STACK;
		f->offset = (int32_t)(w->slot * arch->word);
		return 0;
	}
	if (w->base == RT_WORD_CONSTANT || w->base == RT_WORD_COMM) {
		f->base = w->base == RT_WORD_COMM ? RT_BASE_COMM : RT_BASE_CONSTANT;
		f->constant = w->constant;
		return 0;
	}
	if (w->base == RT_WORD_ARGUMENT && w->slot > arch->nargs) {
		f->base = RT_BASE_STACK;
		f->offset = (int32_t)(arch->stack_args + arch->word * (w->slot - 1 - arch->nargs));
		return 0;
	}
	f->base = RT_BASE_REG;
	reg = w->base == RT_WORD_ARGUMENT ? &arch->args[w->slot - 1]
	      : w->base == RT_WORD_STACK  ? &arch->sp
	      : w->base == RT_WORD_RESULT ? &arch->result
					  : find_register(arch, w->reg);
	if (!reg)
		return no_register(spec, w, arch, err);
	f->reg = *reg;
	return 0;
}

static struct rt_ctype *new_type(struct rt_types *memory, enum rt_ctype_kind kind, unsigned size)
{
	struct rt_ctype *type = rt_types_add(memory, kind, NULL, size);

	if (type)
		type->align = size;
	return type;
}

static const struct rt_ctype *array_of(struct rt_types *memory, const struct rt_ctype *element,
				       unsigned count)
{
	struct rt_ctype *array = element ? new_type(memory, RT_CT_ARRAY,
						    (unsigned)element->size * count)
					 : NULL;

	if (array) {
		array->target = element;
		array->count = count;
	}
	return array;
}

static const struct rt_ctype *number_type(struct rt_types *memory, const struct rt_word *w)
{
	struct rt_ctype *type = new_type(memory, w->type == RT_WORD_CHAR ? RT_CT_CHAR : RT_CT_INT,
					 w->size);
	struct rt_member *m;
	struct rt_ctype *bits;

	if (!type)
		return NULL;
	type->is_signed = w->type == RT_WORD_SIGNED || w->type == RT_WORD_CHAR;
	type->style = w->type == RT_WORD_HEX ? RT_STYLE_HEX : RT_STYLE_TYPE;
	if (w->type != RT_WORD_BITS)
		return type;
	bits = new_type(memory, RT_CT_STRUCT, w->size);
	m = rt_types_alloc(memory, sizeof(*m));
	if (!bits || !m)
		return NULL;
	memset(m, 0, sizeof(*m));
	m->type = type;
	m->offset = w->bit / 8;
	m->bit_offset = (uint8_t)(w->bit % 8);
	m->bit_size = (uint8_t)w->bits;
	bits->members = m;
	bits->nmembers = 1;
	return bits;
}

/* A string's address is what the derefs end in; the kernel's last one is an offset to it. */
static void string_fetch(const struct rt_word *w, struct rt_fetch *f)
{
	if (w->base == RT_WORD_COMM) {
		f->type = RT_TYPE_STRING;
		f->max = COMM;
		return;
	}
	if (w->deref[w->nderef - 1] == 0) {
		f->nderef--;
		f->type = RT_TYPE_STRING;
		f->max = RT_LIMIT_STRING;
		return;
	}
	f->type = RT_TYPE_BYTES;
	f->max = BLOCK;
}

static int lower_word(const struct rt_spec *spec, const struct rt_word *w, struct rt_types *memory,
		      struct rt_plan *plan, struct rt_show *show, struct rt_error *err)
{
	struct rt_fetch f = { .nderef = (uint8_t)w->nderef };
	struct rt_piece *piece = rt_types_alloc(memory, sizeof(*piece));
	const struct rt_ctype *text = new_type(memory, RT_CT_CHAR, 1);
	int r = set_base(spec, w, plan->arch, &f, err);

	if (r < 0)
		return r;
	if (!piece || !text)
		return -ENOMEM;
	memcpy(f.deref, w->deref, w->nderef * sizeof(f.deref[0]));
	show->name = w->name;
	if (w->type == RT_WORD_STRING) {
		string_fetch(w, &f);
		show->type = f.type == RT_TYPE_STRING ? array_of(memory, text, RT_LIMIT_STRING)
						      : array_of(memory, text, BLOCK);
	} else {
		show->type = number_type(memory, w);
		f.size = (uint8_t)w->size;
		f.is_signed = w->type == RT_WORD_SIGNED;
		if (w->count) {
			show->type = show->type ? array_of(memory, show->type, w->count) : NULL;
			f.type = RT_TYPE_BYTES;
			f.max = (uint16_t)((w->size * w->count + 7) & ~7u);
		}
	}
	if (!show->type)
		return -ENOMEM;
	plan->values[plan->nvalues++] = f;
	if (rt_plan_size(plan) > RT_LIMIT_RECORD)
		return rt_spec_expected(spec, w->column, err,
					"fewer values: there is no room for this one");
	piece->size = (uint16_t)(f.type == RT_TYPE_INT ? f.size : f.max);
	piece->value = (uint8_t)(plan->nvalues - 1);
	piece->at = (uint16_t)rt_plan_offset(plan, piece->value);
	show->pieces = piece;
	show->npieces = 1;
	return 0;
}

int rt_lower_words(const struct rt_spec *spec, enum rt_kind kind, const struct rt_arch *arch,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		   struct rt_error *err)
{
	struct rt_show *shows = rt_types_alloc(memory, (spec->nwords + 1) * sizeof(*shows));
	unsigned i, n = 0;
	int r = 0;

	memset(plan, 0, sizeof(*plan));
	memset(shown, 0, sizeof(*shown));
	if (!shows)
		return -ENOMEM;
	memset(shows, 0, (spec->nwords + 1) * sizeof(*shows));
	plan->kind = kind;
	plan->arch = arch;
	for (i = 0; i < spec->nwords && r == 0; i++)
		if ((spec->words[i].base == RT_WORD_RESULT) == (kind == RT_KIND_RETURN))
			r = lower_word(spec, &spec->words[i], memory, plan, &shows[n++], err);
	shown->v = shows;
	shown->n = n;
	return r;
}
