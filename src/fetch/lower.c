/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arch/operand.h"
#include "fetch/lower_private.h"

void *rt_lower_alloc(struct lowering *l, size_t n)
{
	void *p = rt_types_alloc(l->memory, n);

	l->failed |= !p;
	return p;
}

int rt_lower_value(struct lowering *l, const struct rt_fetch *fetch)
{
	bool go = l->prototype && l->prototype->convention != RT_CONVENTION_C;
	struct rt_plan *plan = l->plan;
	unsigned spare = fetch->list ? l->spare : 0, i;

	for (i = 0; l->common && i < plan->nvalues; i++)
		if (rt_fetch_same(&plan->values[i], fetch))
			return (int)i;
	if (plan->nvalues + (go ? SPARE : 0) + spare >= RT_MAX_VALUES)
		return -1;
	plan->values[plan->nvalues++] = *fetch;
	if (rt_plan_size(plan) + spare * sizeof(uint64_t) <= l->limits.record)
		return (int)plan->nvalues - 1;
	plan->nvalues--;
	return -1;
}

bool rt_lower_fetch(const struct place *p, uint32_t offset, struct rt_fetch *f)
{
	memset(f, 0, sizeof(*f));
	f->base = p->base;
	f->reg = p->reg;
	f->offset = p->offset;
	f->constant = p->constant;
	f->index = p->index;
	f->index_size = p->index_size;
	f->index_shift = p->index_shift;
	f->index_signed = p->index_signed;
	f->nderef = (uint8_t)p->n;
	memcpy(f->deref, p->deref, sizeof(f->deref));
	if (!p->behind) {
		f->offset += (int32_t)offset;
		return true;
	}
	if (p->n == RT_MAX_DEREF)
		return false;
	f->deref[f->nderef++] = (int32_t)offset;
	return true;
}

static uint32_t part_offset(const struct rt_abi_location *location, unsigned i)
{
	return location->parts[i].size ? location->parts[i].offset : i * location->part;
}

static uint32_t part_size(const struct rt_abi_location *location, unsigned i)
{
	return location->parts[i].size ? location->parts[i].size : location->part;
}

bool rt_lower_behind(const struct object *o, uint32_t offset, unsigned word, struct place *to)
{
	unsigned part;

	memset(to, 0, sizeof(*to));
	to->behind = true;
	if (!o->in_memory) {
		for (part = 0; part < o->location.n && (part_offset(&o->location, part) != offset ||
							part_size(&o->location, part) != word);
		     part++)
			;
		if (part == o->location.n ||
		    (!o->location.parts[part].reg.tracefs && !o->location.parts[part].saved))
			return false;
		to->base = o->location.parts[part].saved ? RT_BASE_SAVED : RT_BASE_REG;
		to->offset = o->location.parts[part].saved - (to->base == RT_BASE_SAVED);
		to->reg = o->location.parts[part].reg;
		return true;
	}
	*to = o->place;
	to->behind = true;
	offset += o->skip;
	if (!o->place.behind) {
		to->offset += (int32_t)offset;
		return true;
	}
	if (to->n + 1 >= RT_MAX_DEREF)
		return false;
	to->deref[to->n++] = (int32_t)offset;
	return true;
}

static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

struct rt_piece *rt_lower_pieces(struct lowering *l, struct rt_show *show, unsigned n)
{
	struct rt_piece *v = rt_lower_alloc(l, n * sizeof(*v));

	show->pieces = v;
	show->npieces = v ? n : 0;
	return v;
}

void rt_lower_piece(const struct lowering *l, struct rt_piece *piece, int value, uint32_t offset,
		    uint32_t size)
{
	piece->offset = (uint16_t)offset;
	piece->size = (uint16_t)size;
	piece->value = (uint8_t)value;
	piece->at = (uint16_t)rt_plan_offset(l->plan, (unsigned)value);
}

/* ---- how much of an object is read ---- */

static uint32_t extent(const struct lowering *l, const struct rt_ctype *type, unsigned depth)
{
	uint64_t n = 0, end;
	unsigned i;

	switch (type->kind) {
	case RT_CT_STRUCT:
	case RT_CT_UNION:
	case RT_CT_VARIANT:
		if (depth > DEPTH || type->kind == RT_CT_VARIANT)
			return type->size > UINT16_MAX ? UINT16_MAX : (uint32_t)type->size;
		for (i = 0; i < type->nmembers && i < l->limits.members; i++) {
			const struct rt_member *m = &type->members[i];

			end = m->offset + (m->bit_size ? (m->bit_offset + m->bit_size + 7u) / 8
						       : extent(l, m->type, depth + 1));
			n = end > n ? end : n;
		}
		/* A sequence's length may stand anywhere. */
		if (type->sequence.element)
			n = type->size;
		break;
	case RT_CT_ARRAY:
		end = type->target && type->target->kind == RT_CT_CHAR ? l->limits.string
								       : l->limits.members;
		n = type->target ? (type->count < end ? type->count : end) * type->target->size : 0;
		break;
	default:
		n = type->size;
		break;
	}
	if (type->size && n > type->size)
		n = type->size;
	return n > UINT16_MAX ? UINT16_MAX : (uint32_t)n;
}

uint32_t rt_lower_extent(const struct lowering *l, const struct rt_ctype *type)
{
	return extent(l, type, 0);
}

/* An integer, or a block. */
bool rt_lower_memory(struct lowering *l, struct object *o, uint32_t size)
{
	struct rt_piece *piece;
	struct rt_fetch f;
	int value;

	if (!size || !rt_lower_fetch(&o->place, o->skip, &f))
		return false;
	if (l->limits.wide && !o->place.behind && f.base == RT_BASE_STACK &&
	    size <= (l->common ? STACK_BYTES : l->arch->word) && rt_lower_words_of(l, o, &f, size))
		return true;
	f.list = o->list;
	f.least = o->least;
	if (is_word(size)) {
		f.size = (uint8_t)size;
		f.is_signed = o->show->type->is_signed;
	} else {
		f.type = RT_TYPE_BYTES;
		f.max = (uint16_t)size;
	}
	value = rt_lower_value(l, &f);
	while (value < 0 && f.type == RT_TYPE_BYTES && f.max > 32 &&
	       l->plan->nvalues < RT_MAX_VALUES) {
		/* Its beginning. */
		f.max = f.max / 16 * 8;
		value = rt_lower_value(l, &f);
	}
	if (value < 0)
		return false;
	piece = rt_lower_pieces(l, o->show, 1);
	if (piece)
		rt_lower_piece(l, piece, value, 0, f.type == RT_TYPE_BYTES ? f.max : size);
	return piece;
}

bool rt_lower_parts(struct lowering *l, struct object *o, uint64_t size)
{
	struct rt_piece *pieces = rt_lower_pieces(l, o->show, o->location.n);
	unsigned i;

	for (i = 0; pieces && i < o->location.n; i++) {
		uint32_t at = part_offset(&o->location, i), part = part_size(&o->location, i);
		uint64_t left = size > at ? size - at : part, n = left < part ? left : part, whole;
		struct rt_fetch f = { .base = RT_BASE_REG,
				      .reg = o->location.parts[i].reg,
				      .is_signed = o->show->type->is_signed };
		unsigned skip = o->location.parts[i].skip;
		int value;

		pieces[i].offset = (uint16_t)at;
		pieces[i].size = (uint16_t)n;
		pieces[i].value = RT_NO_VALUE;
		pieces[i].mark = o->location.parts[i].mark;
		if (o->location.parts[i].saved) {
			f.base = RT_BASE_SAVED;
			f.offset = o->location.parts[i].saved - 1;
		} else if (!f.reg.tracefs) {
			continue;
		}
		whole = n + skip;
		f.size = l->limits.wide || whole > 4 ? 8 : whole > 2 ? 4 : (uint8_t)whole;
		if (l->limits.wide)
			f.is_signed = false;
		if (f.size > l->arch->word)
			f.size = l->arch->word;
		value = rt_lower_value(l, &f);
		if (value < 0)
			return false;
		rt_lower_piece(l, &pieces[i], value, at, (uint32_t)n);
		pieces[i].at = (uint16_t)(pieces[i].at + skip);
	}
	return pieces;
}

struct object *rt_lower_object(struct lowering *l, struct rt_show *show, unsigned depth)
{
	struct object *o;

	if (l->nobjects == OBJECTS)
		return NULL;
	o = &l->objects[l->nobjects++];
	memset(o, 0, sizeof(*o));
	o->show = show;
	o->depth = depth;
	return o;
}

/* ---- arguments and results ---- */

/*
 * Arguments of USDT probes.  A note tells where each is at its site, and its size and sign; the
 * specification may give it another type.
 *
 *   -4@%edi and int            the register
 *   8@%rsi and const char *    what the register points to is read too
 *   1@%al and int              a byte: no more of the register is the argument
 *   1@%ah and int              the second byte: both are read, and the first is not shown
 *   8@-24(%rbp,%rax,8)         in memory, at the sum of two registers
 */

static bool is_number(const struct rt_ctype *type)
{
	return type->kind == RT_CT_BOOL || type->kind == RT_CT_CHAR || type->kind == RT_CT_INT ||
	       type->kind == RT_CT_ENUM;
}

static struct rt_ctype *number_of(struct lowering *l, const struct rt_operand *operand)
{
	struct rt_ctype *type = rt_types_add(l->memory, operand->is_float ? RT_CT_FLOAT : RT_CT_INT,
					     NULL, operand->size);

	l->failed |= !type;
	if (type) {
		type->align = operand->size;
		type->is_signed = operand->is_signed;
	}
	return type;
}

/* The type, where the argument has all bytes of it; else one of the argument's size. */
static const struct rt_ctype *fit_type(struct lowering *l, const struct rt_ctype *type,
				       const struct rt_operand *operand)
{
	uint64_t size = rt_ctype_is_pointer(type) ? l->arch->word : type->size;
	struct rt_ctype *fit;

	if (!operand->size || (size && size <= operand->size &&
			       (is_number(type) || rt_ctype_is_pointer(type) ||
				(type->kind == RT_CT_FLOAT && size == operand->size))))
		return type;
	fit = number_of(l, operand);
	if (fit && size > operand->size && is_number(type)) {
		*fit = *type;
		fit->kind = type->kind == RT_CT_ENUM ? RT_CT_ENUM : RT_CT_INT;
		fit->size = fit->align = operand->size;
		fit->is_signed = operand->is_signed;
	}
	return fit;
}

/* "<in xmm0>", or the operand as the note has it. */
static const char *mark_of(struct lowering *l, const struct rt_operand *operand)
{
	int n = operand->length < 48 ? operand->length : 48;
	char text[80], *mark;

	if (!operand->text)
		return "<no such argument>";
	if (n > 1 && operand->text[0] == '%' && !memchr(operand->text, ':', (size_t)n))
		snprintf(text, sizeof(text), "<in %.*s>", n - 1, operand->text + 1);
	else
		snprintf(text, sizeof(text), "<not readable: %.*s>", n, operand->text);
	mark = rt_lower_alloc(l, strlen(text) + 1);
	return mark ? strcpy(mark, text) : NULL;
}

static const struct rt_ctype *find_operand(struct lowering *l, const struct rt_ctype *type,
					   const struct rt_operand *operand,
					   struct rt_abi_location *location)
{
	memset(location, 0, sizeof(*location));
	if (operand->kind == RT_OPERAND_REGISTER) {
		location->kind = RT_ABI_PARTS;
		location->n = 1;
		location->part = l->arch->word;
		location->parts[0].reg = *operand->base;
		location->parts[0].skip = operand->shift / 8;
	} else if (operand->kind == RT_OPERAND_CONSTANT ||
		   (operand->kind == RT_OPERAND_MEMORY &&
		    !(operand->index && l->limits.no_index))) {
		location->kind = RT_ABI_OPERAND;
		location->operand = operand;
	} else {
		location->kind = RT_ABI_ELSEWHERE;
		location->mark = operand->kind == RT_OPERAND_MEMORY ? "<in memory>"
								    : mark_of(l, operand);
	}
	return fit_type(l, type, operand);
}

static void place_operand(const struct rt_operand *operand, struct object *o)
{
	struct place *place = &o->place;

	o->in_memory = true;
	memset(place, 0, sizeof(*place));
	place->base = RT_BASE_CONSTANT;
	if (operand->kind == RT_OPERAND_CONSTANT) {
		place->constant = operand->constant;
		return;
	}
	place->behind = true;
	if (operand->base) {
		place->base = RT_BASE_REG;
		place->reg = *operand->base;
	}
	if (operand->index) {
		place->index = *operand->index;
		place->index_size = operand->index_width;
		place->index_shift = operand->scale;
		place->index_signed = operand->index_signed;
	}
	if (operand->base && operand->displacement == (int32_t)operand->displacement)
		o->skip = (uint32_t)(int32_t)operand->displacement;
	else
		place->constant = (uint64_t)operand->displacement;
}

/* ---- locations ---- */

static const char not_known[] = "<not known>";

void rt_lower_read(struct lowering *l, struct object *o, const struct rt_abi_location *location)
{
	const struct rt_ctype *type = o->show->type;
	uint64_t size = rt_ctype_is_pointer(type) ? l->arch->word : type->size;
	bool read = true;

	o->location = *location;
	switch (location->kind) {
	case RT_ABI_NONE:
		return;
	case RT_ABI_UNKNOWN:
		o->show->mark = not_known;
		return;
	case RT_ABI_ELSEWHERE:
		o->show->mark = location->mark;
		return;
	case RT_ABI_PARTS:
		if (location->n == 1 && location->parts[0].mark)
			o->show->mark = location->parts[0].mark;
		else
			read = rt_lower_parts(l, o, size);
		break;
	case RT_ABI_OPERAND:
		place_operand(location->operand, o);
		if (l->limits.registers && o->place.behind) {
			o->show->mark = "<in memory>";
			return;
		}
		read = rt_lower_memory(l, o, (uint32_t)size);
		break;
	case RT_ABI_STACK:
	case RT_ABI_POINTER:
		o->in_memory = true;
		o->place.base = location->kind == RT_ABI_POINTER && location->n ? RT_BASE_REG
										: RT_BASE_STACK;
		o->place.reg = location->parts[0].reg;
		o->place.offset = location->offset;
		if (location->kind == RT_ABI_POINTER && location->n && location->parts[0].saved) {
			o->place.base = RT_BASE_SAVED;
			o->place.offset = location->parts[0].saved - 1;
		}
		o->place.behind = location->kind == RT_ABI_POINTER;
		if (l->limits.registers) {
			o->show->mark =
				location->kind == RT_ABI_POINTER ? "<in memory>" : "<on the stack>";
			return;
		}
		read = rt_lower_memory(
			l, o, rt_ctype_is_pointer(type) ? l->arch->word : rt_lower_extent(l, type));
		break;
	}
	if (!read)
		o->show->mark = "...";
}

/* Use the location that DWARF states. */
static void stated_location(const struct lowering *l, const struct rt_ctype *type,
			    const struct rt_location *w, struct rt_abi_location *location)
{
	const struct rt_arch *arch = l->arch;
	uint64_t size = rt_ctype_is_pointer(type) ? arch->word : type->size;

	memset(location, 0, sizeof(*location));
	location->kind = RT_ABI_ELSEWHERE;
	location->mark = w->kind == RT_LOCATION_NOWHERE ? "<optimized out>" : not_known;
	if (w->kind == RT_LOCATION_STACK && w->offset > INT32_MIN / 2 &&
	    w->offset < INT32_MAX / 2) {
		location->kind = RT_ABI_STACK;
		location->offset = (int32_t)w->offset;
	} else if (w->kind == RT_LOCATION_REG && w->reg < arch->ndwarf && size <= arch->word) {
		location->kind = RT_ABI_PARTS;
		location->n = 1;
		location->part = arch->word;
		location->parts[0].reg = arch->dwarf[w->reg];
	} else if (w->kind == RT_LOCATION_REGS && w->reg < arch->ndwarf && w->reg2 < arch->ndwarf &&
		   w->second <= arch->word && size > (w->second ? w->second : arch->word) &&
		   size <= 2 * arch->word) {
		location->kind = RT_ABI_PARTS;
		location->n = 2;
		location->part = w->second ? w->second : arch->word;
		location->parts[0].reg = arch->dwarf[w->reg];
		location->parts[1].reg = arch->dwarf[w->reg2];
	} else if (w->kind == RT_LOCATION_AT && w->reg < arch->ndwarf && w->offset == 0) {
		location->kind = RT_ABI_POINTER;
		location->n = 1;
		location->parts[0].reg = arch->dwarf[w->reg];
	} else if (w->kind == RT_LOCATION_REG && arch->dwarf_float && w->reg >= arch->dwarf_float &&
		   w->reg < arch->dwarf_float + 32u) {
		location->mark = arch->float_name[0] == 'x' ? "<in an xmm register>"
							    : "<in a v register>";
	}
}

const struct rt_ctype *rt_lower_decayed(struct lowering *l, const struct rt_ctype *type)
{
	const struct rt_ctype *p = type;

	if (type &&
	    ((type->kind == RT_CT_ARRAY && !type->is_vector) || type->kind == RT_CT_FUNCTION)) {
		p = rt_types_pointer(
			l->memory,
			type->kind == RT_CT_ARRAY &&
					(!type->count ||
					 (type->target && type->target->kind == RT_CT_CHAR))
				? type->target
				: type,
			l->arch->word);
		l->failed |= !p;
	}
	return p;
}

const struct rt_ctype *rt_lower_location(struct lowering *l, struct rt_abi *abi,
					 const struct rt_param *param,
					 struct rt_abi_location *location)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };
	const struct rt_ctype *type = param->type ? param->type : &unknown;

	/* Rust passes arrays as it does structures. */
	if (l->prototype->convention != RT_CONVENTION_RUST)
		type = rt_lower_decayed(l, type);
	if (!type)
		return NULL;
	if (param->location.kind == RT_LOCATION_OPERAND)
		return find_operand(l, type, param->location.operand, location);
	/* A parameter without a location still takes its place, behind those before it. */
	if (param->location.kind == RT_LOCATION_ABI || l->prototype->convention == RT_CONVENTION_C)
		rt_abi_argument(abi, type, location);
	if (param->location.kind != RT_LOCATION_ABI)
		stated_location(l, type, &param->location, location);
	else
		rt_abi_unset(location, param->location.unset);
	return type;
}

static bool is_go(const struct rt_prototype *p)
{
	return p->convention == RT_CONVENTION_GO_REGISTERS ||
	       p->convention == RT_CONVENTION_GO_STACK;
}

/*
 * printf and its like: "const char *format, ..." (rawtrace-probes(5)).  Not by debug information:
 * scanf's has the same, and others have conversions of their own.
 */
static bool has_format(const struct rt_prototype *p)
{
	const struct rt_param *last = p->nparams ? &p->params[p->nparams - 1] : NULL;

	if (p->origin != RT_ORIGIN_GIVEN && p->origin != RT_ORIGIN_LIBRARY)
		return false;
	return p->variadic && last && last->name && strcmp(last->name, "format") == 0 &&
	       last->type && last->type->kind == RT_CT_POINTER && last->type->target &&
	       last->type->target->kind == RT_CT_CHAR;
}

/*
 * Words behind the format, each as a char *, for what the format turns out to ask for.  Their texts
 * are short, and never take room from those of the parameters: depth 1.
 */
static unsigned lower_varargs(struct lowering *l, struct rt_abi *abi, struct rt_show *shows)
{
	const struct rt_param *format = &l->prototype->params[l->prototype->nparams - 1];
	unsigned i;

	for (i = 0; i < VARARGS && !l->failed; i++) {
		struct object *o = rt_lower_object(l, &shows[i], 1);
		struct rt_abi_location location;

		if (!o)
			break;
		shows[i].type = format->type;
		shows[i].hidden = true;
		rt_abi_argument(abi, format->type, &location);
		rt_lower_read(l, o, &location);
	}
	return i;
}

/* The parameters; with `varargs` the words behind them too, of which it returns the number. */
static unsigned lower_params(struct lowering *l, struct rt_show *shows, bool varargs)
{
	const struct rt_prototype *p = l->prototype;
	struct rt_abi abi;
	unsigned i;

	if (is_go(p)) {
		rt_abi_go_begin(&abi, l->arch, p->convention == RT_CONVENTION_GO_REGISTERS);
		rt_lower_go(l, &abi, p->params, p->nparams, shows);
		return 0;
	}
	rt_abi_begin(&abi, l->arch, p->result);
	for (i = 0; i < p->nparams && !l->failed; i++) {
		struct object *o = rt_lower_object(l, &shows[i], 0);
		struct rt_abi_location location;

		if (!o)
			return 0;
		shows[i].name = p->params[i].name;
		shows[i].style = rt_param_style(&p->params[i]);
		shows[i].type = rt_lower_location(l, &abi, &p->params[i], &location);
		if (!shows[i].type)
			return 0;
		o->param = &p->params[i];
		rt_lower_read(l, o, &location);
	}
	return varargs ? lower_varargs(l, &abi, shows + p->nparams) : 0;
}

/* From the beginning. */
static void begin(struct lowering *l, enum rt_kind kind)
{
	memset(l->plan, 0, sizeof(*l->plan));
	l->plan->kind = kind;
	l->plan->arch = l->arch;
	l->nobjects = 0;
	l->starved = false;
	rt_lower_add_common(l);
}

/* Shorter texts, so that there is room for all; or in the order in which others read. */
static bool retry_shorter(struct lowering *l)
{
	if (l->failed || rt_lower_align(l))
		return !l->failed;
	l->limits.string /= 2;
	return l->starved && l->limits.string >= STRING_MIN;
}

int rt_lower_entry(const struct rt_prototype *prototype, const struct rt_spec *spec,
		   const struct rt_arch *arch, const struct rt_limits *limits,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		   struct rt_error *err)
{
	struct lowering l = { .arch = arch,
			      .limits = *limits,
			      .memory = memory,
			      .plan = plan,
			      .prototype = prototype };
	unsigned n = prototype->nparams < OBJECTS ? prototype->nparams : OBJECTS,
		 extra = spec ? spec->nshown : 0, varargs;
	bool format = !extra && has_format(prototype);
	struct rt_show *shows;
	int r = 0;

	memset(shown, 0, sizeof(*shown));
	l.spare = spec && spec->nconditions ? RT_MAX_TESTS : 0;
	l.common = limits->wide && limits->no_memory && !is_go(prototype);
	do {
		begin(&l, RT_KIND_ENTRY);
		shows = rt_lower_alloc(&l, (n + extra + (format ? VARARGS : 1)) * sizeof(*shows));
		if (!shows)
			return -ENOMEM;
		varargs = lower_params(&l, shows, format);
		if (spec)
			r = rt_lower_shown(&l, spec, shows + n, err);
		if (r == 0)
			rt_lower_follow(&l);
	} while (r == 0 && retry_shorter(&l));
	shown->v = shows;
	shown->n = n + varargs;
	shown->varargs = (uint8_t)varargs;
	if (r == 0 && extra)
		r = rt_lower_list(&l, spec, shows, n, shows + n, shown);
	if (r == 0 && spec)
		r = rt_lower_conditions(&l, spec, shown, err);
	return l.failed ? -ENOMEM : r;
}

/* By which results it says that it failed. */
static enum rt_failure failure_of(const struct rt_prototype *p)
{
	if (p->result && p->result->style == RT_STYLE_ERRNO)
		return RT_FAILS_BY_NUMBER;
	return p->sets_errno ? RT_FAILS_BY_ERRNO : RT_FAILS_NEVER;
}

static void lower_result(struct lowering *l, struct rt_show *show)
{
	const struct rt_prototype *p = l->prototype;
	struct object *o = rt_lower_object(l, show, 0);
	struct rt_abi_location location;

	/* an unknown result is read as a C function's int */
	static const struct rt_ctype plain = {
		.kind = RT_CT_INT, .size = 4, .align = 4, .is_signed = true
	};

	show->type = p->result ? p->result : &plain;
	o->is_result = true;
	if (p->result_location.kind == RT_LOCATION_ABI)
		rt_abi_result(l->arch, show->type, &location);
	else
		stated_location(l, show->type, &p->result_location, &location);
	if (p->result_location.kind == RT_LOCATION_AT && rt_lower_keep_result(l)) {
		location.parts[0].saved = 1;
	} else if (p->result_location.kind == RT_LOCATION_AT) {
		location.kind = RT_ABI_ELSEWHERE;
		location.mark = not_known;
	}
	rt_lower_read(l, o, &location);
}

int rt_lower_return(const struct rt_prototype *prototype, const struct rt_spec *spec,
		    const struct rt_arch *arch, const struct rt_limits *limits,
		    struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		    struct rt_error *err)
{
	struct lowering l = { .arch = arch,
			      .limits = *limits,
			      .memory = memory,
			      .plan = plan,
			      .prototype = prototype };
	struct rt_show *shows;
	unsigned outs;
	int r = 0;

	memset(shown, 0, sizeof(*shown));
	l.common = l.aligned = limits->wide && limits->no_memory;
	begin(&l, RT_KIND_RETURN);
	if (is_go(prototype)) {
		r = rt_lower_go_return(&l, shown);
		return r == 0 && spec ? rt_lower_conditions(&l, spec, shown, err) : r;
	}
	shown->none = prototype->result && prototype->result->kind == RT_CT_VOID;
	shown->guessed = prototype->result_guessed;
	shown->failure = failure_of(prototype);
	shown->fails = prototype->fails;
	shown->fails_unless = prototype->fails_unless;
	shown->fails_at = prototype->fails_at;
	do {
		begin(&l, RT_KIND_RETURN);
		shows = rt_lower_alloc(&l, (1 + rt_lower_outs_most(prototype)) * sizeof(*shows));
		if (!shows)
			return -ENOMEM;
		if (!shown->none)
			lower_result(&l, shows);
		rt_lower_no_result(&l);
		if (!shown->none)
			rt_lower_errno(&l, shows, shown);
		r = rt_lower_outs(&l, spec, shows + !shown->none, &outs);
		if (r == 0)
			rt_lower_follow(&l);
	} while (r == 0 && retry_shorter(&l));
	shown->v = shows;
	shown->n = outs + !shown->none;
	if (r == 0 && spec)
		r = rt_lower_conditions(&l, spec, shown, err);
	return l.failed ? -ENOMEM : r;
}

/*
 * Plans that many functions share: whole words, the registers of the arguments in their order, and
 * then the stack.
 */

static struct rt_fetch word_of(const struct lowering *l, enum rt_base base)
{
	return (struct rt_fetch){ .base = base, .size = l->arch->word };
}

void rt_lower_add_common(struct lowering *l)
{
	struct rt_fetch f = word_of(l, RT_BASE_REG);
	unsigned i;

	for (i = 0; i < l->first_registers; i++) {
		f.reg = l->arch->args[i];
		rt_lower_value(l, &f);
	}
	f = word_of(l, RT_BASE_STACK);
	for (i = 0; i < l->first_words; i++) {
		f.offset = (int32_t)(l->arch->stack_args + l->arch->word * i);
		rt_lower_value(l, &f);
	}
}

/*
 * Which word of the stack's arguments the value is, or which argument's register; -1: it is none.
 */
static int place_of(const struct lowering *l, const struct rt_fetch *f)
{
	int at = f->offset - (int)l->arch->stack_args;
	unsigned i;

	if (f->base == RT_BASE_STACK)
		return at >= 0 && at % l->arch->word == 0 ? at / l->arch->word : -1;
	for (i = 0; i < l->arch->nargs; i++)
		if (f->reg.pt_regs == l->arch->args[i].pt_regs)
			return (int)i;
	return -1;
}

bool rt_lower_align(struct lowering *l)
{
	uint64_t words = 0;
	unsigned i;
	int at;

	if (!l->common || l->aligned)
		return false;
	l->aligned = true;
	for (i = 0; i < l->plan->nvalues; i++) {
		const struct rt_fetch *f = &l->plan->values[i];

		if (f->type != RT_TYPE_INT || f->nderef || f->size != l->arch->word ||
		    (f->base != RT_BASE_REG && f->base != RT_BASE_STACK))
			continue;
		at = place_of(l, f);
		if (f->base == RT_BASE_STACK && at >= 0 && at < RT_MAX_VALUES)
			words |= UINT64_C(1) << at;
		else if (f->base == RT_BASE_REG && at >= (int)l->first_registers)
			l->first_registers = (unsigned)at + 1;
	}
	/*
	 * Registers cost a few bytes; of memory no more is read than was asked for, but what lies
	 * between for alignment.
	 */
	while (words >> l->first_words & 3)
		l->first_words++;
	l->first_registers = l->first_words || l->first_registers > 3 ? l->arch->nargs
			     : l->first_registers > 1		      ? 3
								      : 1;
	if (l->first_registers > l->arch->nargs)
		l->first_registers = l->arch->nargs;
	return true;
}

void rt_lower_no_result(struct lowering *l)
{
	struct rt_fetch f = word_of(l, RT_BASE_REG);

	f.reg = l->arch->result;
	if (l->common && !l->plan->nvalues)
		rt_lower_value(l, &f);
}

bool rt_lower_words_of(struct lowering *l, struct object *o, const struct rt_fetch *place,
		       uint32_t size)
{
	unsigned word = l->arch->word, had = l->plan->nvalues, n, i;
	uint32_t skip = (uint32_t)(place->offset - (int32_t)l->arch->stack_args) % word, done = 0;
	struct rt_fetch f = word_of(l, RT_BASE_STACK);
	struct rt_piece *pieces;

	if (skip && !l->common)
		return false;
	n = (skip + size + word - 1) / word;
	pieces = rt_lower_pieces(l, o->show, n);
	f.offset = place->offset - (int32_t)skip;
	for (i = 0; pieces && i < n; i++, f.offset += (int32_t)word) {
		uint32_t part = word - skip < size - done ? word - skip : size - done;
		int value = rt_lower_value(l, &f);

		if (value < 0) {
			l->plan->nvalues = had;
			o->show->npieces = 0;
			return false;
		}
		rt_lower_piece(l, &pieces[i], value, done, part);
		pieces[i].at = (uint16_t)(pieces[i].at + skip);
		done += part;
		skip = 0;
	}
	return pieces;
}
