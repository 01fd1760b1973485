/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/value.h"

#include <errno.h>
#include <string.h>

#include "base/errnos.h"
#include "output/value_code.h"
#include "output/value_type.h"

/* ---- giving values ---- */

void rt_value_place(struct rt_value_walk *p, enum rt_value_kind in, unsigned index,
		    const char *name)
{
	p->place = (struct rt_value_place){ .in = in, .index = index, .name = name };
}

void rt_value_give(struct rt_value_walk *p, struct rt_value *value)
{
	value->in = p->place.in;
	value->index = p->place.index;
	value->name = p->place.name;
	value->repeated = p->place.repeated;
	p->place = (struct rt_value_place){ .in = RT_VALUE_NONE };
	p->take(p->ctx, value);
}

void rt_value_begin(struct rt_value_walk *p, enum rt_value_kind group, const char *text)
{
	rt_value_give(p, &(struct rt_value){ .kind = group, .text = text });
}

void rt_value_end(struct rt_value_walk *p, enum rt_value_kind group)
{
	rt_value_give(p, &(struct rt_value){ .kind = group, .end = true });
}

void rt_value_int(struct rt_value_walk *p, uint64_t magnitude, bool negative)
{
	rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_NUMBER, .number = magnitude,
		.negative = negative });
}

void rt_value_number(struct rt_value_walk *p, enum rt_value_kind kind, uint64_t number)
{
	rt_value_give(p, &(struct rt_value){ .kind = kind, .number = number });
}

void rt_value_text(struct rt_value_walk *p, const uint8_t *text, size_t len, bool cut)
{
	rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_TEXT, .bytes = text, .len = len,
		.cut = cut });
}

void rt_value_word(struct rt_value_walk *p, const char *word)
{
	rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_WORD, .text = word });
}

/* ---- integers by their types ---- */

static void put_signed(struct rt_value_walk *p, uint64_t word, bool is_signed)
{
	if (is_signed && (int64_t)word < 0)
		rt_value_int(p, -word, true);
	else
		rt_value_int(p, word, false);
}

/* 22 EINVAL, also of a negative one. */
static void put_errno(struct rt_value_walk *p, int64_t number, bool is_signed)
{
	const char *name = rt_errno_name(number < 0 && number >= -INT32_MAX ? -number : number);
	struct rt_value value = {
		.kind = RT_VALUE_ERRNO, .number = number < 0 ? -(uint64_t)number : (uint64_t)number,
		.negative = number < 0, .text = name,
	};

	if (name)
		rt_value_give(p, &value);
	else
		put_signed(p, (uint64_t)number, is_signed);
}

/* A file descriptor, with what it is. */
static void put_fd(struct rt_value_walk *p, int64_t fd)
{
	char name[256];
	struct rt_value value = {
		.kind = RT_VALUE_NUMBER, .number = fd < 0 ? -(uint64_t)fd : (uint64_t)fd,
		.negative = fd < 0,
	};

	if (fd >= 0 && p->trace->fd_paths &&
	    rt_resolve_descriptor(p->trace->resolver, p->pid, fd, name, sizeof(name))) {
		value.kind = RT_VALUE_FD;
		value.text = name;
	}
	rt_value_give(p, &value);
}

static void put_styled(struct rt_value_walk *p, uint64_t word, unsigned bits, bool is_signed,
		       enum rt_style style)
{
	uint64_t cut = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;

	if (bits < 64 && is_signed)
		word = (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
	else
		word = cut;
	switch (style) {
	case RT_STYLE_HEX:
		rt_value_number(p, RT_VALUE_HEX, cut);
		break;
	case RT_STYLE_OCT:
		rt_value_number(p, RT_VALUE_OCTAL, cut);
		break;
	case RT_STYLE_CHAR:
		if (cut < 0x100)
			rt_value_number(p, RT_VALUE_CHAR, cut);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_REGISTER:
		if (word <= UINT32_MAX)
			word = (uint64_t)(int32_t)word;
		/* Fall through. */
	case RT_STYLE_GUESSED:
		/* Addresses are above 4 GB, but for old programs' data. */
		if ((int64_t)word > UINT32_MAX)
			rt_value_number(p, RT_VALUE_HEX, word);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_ERRNO:
		put_errno(p, (int64_t)word, is_signed);
		break;
	case RT_STYLE_FD:
		put_fd(p, (int64_t)word);
		break;
	default:
		put_signed(p, word, is_signed);
		break;
	}
}

/* 128 bits: in hexadecimal where 64 are too few. */
static void show_wide(struct rt_value_walk *p, const uint8_t *bytes, bool is_signed)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8);

	if (high == 0 && (!is_signed || (int64_t)low >= 0)) {
		rt_value_int(p, low, false);
	} else if (is_signed && high == UINT64_MAX && (int64_t)low < 0) {
		rt_value_int(p, -low, true);
	} else {
		rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_WIDE, .number = low,
			.high = high });
	}
}

/* A|B|0x40 */
static void put_flags(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t value)
{
	uint64_t left = value;
	unsigned i, n = 0;

	rt_value_begin(p, RT_VALUE_FLAGS, NULL);
	for (i = 0; i < type->nvalues; i++) {
		uint64_t flag = (uint64_t)type->values[i].value, mask = type->values[i].mask;

		if (mask ? (left & mask) != flag : !flag || (left & flag) != flag)
			continue;
		rt_value_place(p, RT_VALUE_FLAGS, n++, NULL);
		rt_value_give(p, &(struct rt_value){ .kind = RT_VALUE_FLAG,
			.text = type->values[i].name });
		left &= ~(mask ? mask : flag);
	}
	if (left || !n) {
		rt_value_place(p, RT_VALUE_FLAGS, n, NULL);
		rt_value_number(p, RT_VALUE_BITS, left);
	}
	rt_value_end(p, RT_VALUE_FLAGS);
}

static void put_enum(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t word,
		     unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	unsigned i;

	/* Flags of which some are numbers have no name for all of a value. */
	for (i = 0; i < type->nvalues && !(type->is_flags && type->values[0].mask); i++)
		if (((uint64_t)type->values[i].value & mask) == (word & mask)) {
			rt_value_word(p, type->values[i].name);
			return;
		}
	if (type->is_flags)
		put_flags(p, type, word & mask);
	else
		put_styled(p, word, bits, type->is_signed, RT_STYLE_DEC);
}

/* A character of a code point beyond ASCII. */
static bool is_beyond_ascii(uint64_t c)
{
	return c >= 0x80 && c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);
}

/* "signed char" and "unsigned char" are what int8_t and uint8_t are. */
static bool is_number(const struct rt_ctype *type)
{
	return type->name && strstr(type->name, "signed ");
}

void rt_view_word(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t word,
		  unsigned bits, enum rt_style style)
{
	/* char32_t, and Rust's char */
	if (style == RT_STYLE_TYPE && type->style == RT_STYLE_CHAR && bits > 8 &&
	    is_beyond_ascii(word)) {
		rt_value_number(p, RT_VALUE_UNICODE, word);
		return;
	}
	if (style == RT_STYLE_TYPE)
		style = type->style;
	if (style == RT_STYLE_TYPE && type->kind == RT_CT_BOOL && word <= 1)
		rt_value_number(p, RT_VALUE_BOOL, word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_CHAR && !is_number(type))
		rt_value_number(p, RT_VALUE_CHAR, (uint8_t)word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_ENUM)
		put_enum(p, type, word, bits);
	else
		put_styled(p, word, bits, type->is_signed, style);
}

/* ---- values by type ---- */

const char rt_view_unreadable[] = "<unreadable>", rt_view_more[] = "...";

bool rt_view_is_fault(const struct rt_view *v, const struct rt_piece *piece)
{
	return !v->p->values->data || v->p->values->faults >> piece->value & 1;
}

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
		show_wide(p, bytes, type->is_signed);
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

static void show_object(struct rt_value_walk *p, const struct rt_show *show)
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

/* ---- values as they were read ---- */

/*
 * The length counts the NUL, and what was cut has one too: a string that fills its room may have
 * been longer.  tracefs up to 4.14 can leave the NUL out, and then the length alone says where a
 * string ends.
 */
int rt_value_string(const struct rt_fetch *fetch, const uint8_t *at, bool fault,
		    const uint8_t **text, size_t *len, bool *cut)
{
	int32_t length;
	size_t have;

	memcpy(&length, at, sizeof(length));
	if (length < 0 || (fault && length < 2))
		return -EFAULT;
	have = length < fetch->max ? (size_t)length : fetch->max;
	*text = at + sizeof(length);
	*len = strnlen((const char *)*text, have);
	*cut = *len + 1 >= have && (fault || have == fetch->max);
	return 0;
}

static void give_raw(struct rt_value_walk *p, unsigned i)
{
	const struct rt_values *values = p->values;
	const struct rt_fetch *fetch = &values->plan->values[i];
	bool fault = !values->data || values->faults >> i & 1, cut;
	const uint8_t *text;
	uint64_t word;
	size_t len;

	if (values->data && fetch->type == RT_TYPE_STRING &&
	    rt_value_string(fetch, values->data + rt_plan_offset(values->plan, i), fault, &text,
			    &len, &cut) == 0) {
		rt_value_text(p, text, len, cut);
	} else if (fault || fetch->type == RT_TYPE_STRING) {
		rt_value_word(p, "<unreadable>");
	} else if (fetch->type == RT_TYPE_BYTES) {
		len = rt_plan_block(values->plan, i, values->data, &word);
		rt_value_text(p, values->data + rt_plan_offset(values->plan, i), len, word > len);
	} else {
		word = rt_plan_int(values->plan, i, values->data);
		if (fetch->is_signed && (int64_t)word < 0)
			rt_value_int(p, -word, true);
		else
			rt_value_int(p, word, false);
	}
}

/* ---- arguments and results, by type where that is known ---- */

/*
 * The way to show these values; NULL: as they were read.  A call that got another call's return has
 * another plan.
 */
static const struct rt_showing *shown_of(const struct rt_trace *trace, uint32_t function,
					 const struct rt_values *values)
{
	const struct rt_showing *shown;

	if (!trace->shows || function == RT_NO_FUNCTION || !values->plan)
		return NULL;
	shown = values->plan->kind == RT_KIND_ENTRY ? &trace->shows[function].entry :
		&trace->shows[function].exit;
	return shown->plan == values->plan ? shown : NULL;
}

/* The result, where that is a single word, with the `mask` of its bits. */
static bool result_word(const struct rt_showing *shown, const struct rt_values *values,
			uint64_t *word, uint64_t *mask)
{
	const struct rt_show *v = shown->n && !shown->none ? &shown->v[0] : NULL;
	const struct rt_piece *piece = v && v->npieces ? &v->pieces[0] : NULL;

	if (!piece || piece->value == RT_NO_VALUE || !values->data || !piece->size ||
	    piece->size > 8)
		return false;
	*word = rt_fetch_load(values->data + piece->at, piece->size);
	*mask = UINT64_MAX >> (64 - 8 * piece->size);
	if (shown->v[0].type->style == RT_STYLE_REGISTER && *word <= UINT32_MAX)
		*mask = UINT32_MAX;
	return true;
}

/* Does the result say that the call failed?  Then nothing was filled in. */
static bool has_failed(const struct rt_showing *shown, const struct rt_values *values)
{
	uint64_t word, mask;

	if (shown->failure == RT_FAILS_NEVER || !result_word(shown, values, &word, &mask))
		return false;
	if (shown->failure == RT_FAILS_BY_NUMBER)
		return word != 0;
	return word == mask || (!word && rt_ctype_is_pointer(shown->v[0].type));
}

/* Was there another reason for the function to fill in nothing? */
static bool is_left_alone(const struct rt_showing *shown, const struct rt_values *values)
{
	uint64_t word, mask;

	return shown->fails && result_word(shown, values, &word, &mask) &&
	       (word == ((uint64_t)(int64_t)shown->fails_at & mask)) != shown->fails_unless;
}

/* errno, where the call has failed and it was read; else 0. */
static int64_t errno_of(const struct rt_showing *shown, const struct rt_values *values)
{
	unsigned i = shown->errno_value - 1u;

	if (!shown->errno_value || !has_failed(shown, values) || i >= values->plan->nvalues ||
	    values->faults >> i & 1)
		return 0;
	return (int64_t)rt_plan_int(values->plan, i, values->data);
}

static bool named_before(const struct rt_showing *shown, unsigned i)
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (shown->v[k].name && strcmp(shown->v[k].name, shown->v[i].name) == 0)
			return true;
	return false;
}

static void give_shown(struct rt_value_walk *p, const struct rt_showing *shown,
		       enum rt_value_kind in, unsigned i)
{
	rt_value_place(p, in, i, shown->v[i].name);
	p->place.repeated = shown->v[i].name && named_before(shown, i);
	show_object(p, &shown->v[i]);
}

/* The text of a format while it is given, as far as conversions are looked for. */
struct format_text {
	rt_value_fn *take;
	void *ctx;
	uint8_t text[256];
	size_t len;
	bool cut;
};

static void take_format(void *ctx, const struct rt_value *value)
{
	struct format_text *format = ctx;

	if (value->kind == RT_VALUE_TEXT) {
		format->len = value->len < sizeof(format->text) ? value->len : sizeof(format->text);
		memcpy(format->text, value->bytes, format->len);
		format->cut = value->cut || format->len < value->len;
	}
	format->take(format->ctx, value);
}

/* Parameter `i`, a format of printf's, and the arguments that it wants. */
static void give_format(struct rt_value_walk *p, const struct rt_showing *shown, unsigned i)
{
	struct format_text format = { .take = p->take, .ctx = p->ctx };

	p->take = take_format;
	p->ctx = &format;
	give_shown(p, shown, RT_VALUE_ARGS, i);
	p->take = format.take;
	p->ctx = format.ctx;
	rt_view_format(p, shown->v + i + 1, shown->varargs, i + 1, format.text, format.len,
		       format.cut);
}

/* The values, but for those filled in.  Returns how many, hidden ones too. */
static unsigned give_values(struct rt_value_walk *p, const struct rt_showing *shown,
			    enum rt_value_kind in)
{
	const struct rt_plan *plan = p->values->plan;
	unsigned i, n = shown ? shown->n : plan ? rt_plan_shown(plan) : 0;

	for (i = 0; i < n && !(shown && shown->v[i].out); i++) {
		if (shown && shown->v[i].hidden)
			continue;
		if (shown && shown->varargs && i + 1 + shown->varargs == n) {
			give_format(p, shown, i);
		} else if (shown) {
			give_shown(p, shown, in, i);
		} else {
			rt_value_place(p, in, i, NULL);
			give_raw(p, i);
		}
	}
	return i;
}

void rt_values_of_entry(const struct rt_trace *trace, pid_t pid, uint32_t function,
			const struct rt_values *args, rt_value_fn *take, void *ctx)
{
	struct rt_value_walk p = { .trace = trace, .pid = pid, .values = args, .take = take,
		.ctx = ctx };

	if (args->coded)
		rt_values_decode(args->data, args->coded, take, ctx);
	else
		give_values(&p, shown_of(trace, function, args), RT_VALUE_ARGS);
}

/* The arguments that the function has filled in. */
static void give_outs(struct rt_value_walk *p, const struct rt_showing *shown)
{
	unsigned i;

	rt_value_begin(p, RT_VALUE_OUTS, NULL);
	for (i = 0; i < shown->n; i++)
		if (shown->v[i].out && !shown->v[i].hidden)
			give_shown(p, shown, RT_VALUE_OUTS, i);
	rt_value_end(p, RT_VALUE_OUTS);
}

static void give_errno(struct rt_value_walk *p, enum rt_value_kind kind, int64_t number)
{
	struct rt_value value = {
		.kind = kind, .number = (uint64_t)number, .text = rt_errno_name(number),
	};

	if (number > 0)
		rt_value_give(p, &value);
}

void rt_values_of_return(const struct rt_trace *trace, pid_t pid, uint32_t function,
			 const struct rt_values *result, rt_value_fn *take, void *ctx)
{
	struct rt_value_walk p = { .trace = trace, .pid = pid, .values = result, .take = take,
		.ctx = ctx };
	const struct rt_showing *shown = shown_of(trace, function, result);
	unsigned n;

	if (result->coded) {
		rt_values_decode(result->data, result->coded, take, ctx);
		return;
	}
	n = give_values(&p, shown, RT_VALUE_RESULTS);
	if (!n)
		rt_value_number(&p, RT_VALUE_VOID, 0);
	else if (shown && shown->guessed)
		rt_value_number(&p, RT_VALUE_GUESSED, 0);
	if (shown && has_failed(shown, result))
		give_errno(&p, RT_VALUE_FAILED, errno_of(shown, result));
	else if (shown && n < shown->n && !is_left_alone(shown, result))
		give_outs(&p, shown);
	give_errno(&p, RT_VALUE_FAILED_INSIDE, result->inside);
}

int32_t rt_values_errno(const struct rt_trace *trace, uint32_t function,
			const struct rt_values *result)
{
	const struct rt_showing *shown = shown_of(trace, function, result);

	return shown ? (int32_t)errno_of(shown, result) : 0;
}

bool rt_values_look_failed(const struct rt_trace *trace, uint32_t function,
			   const struct rt_values *result)
{
	const struct rt_showing *shown = shown_of(trace, function, result);
	const struct rt_ctype *type = shown && shown->n ? shown->v[0].type : NULL;
	uint64_t word, mask;

	if (!type || shown->guessed || shown->failure != RT_FAILS_NEVER || shown->fails ||
	    !result_word(shown, result, &word, &mask))
		return false;
	if (rt_ctype_is_pointer(type))
		return word == 0 || word == mask;
	return type->kind == RT_CT_INT && type->is_signed && word == mask;
}
