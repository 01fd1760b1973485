/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/value.h"

#include <errno.h>
#include <string.h>

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
	rt_value_show(p, &shown->v[i]);
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
		if (shown) {
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

static void give_errno(struct rt_value_walk *p, int64_t number)
{
	struct rt_value value = {
		.kind = RT_VALUE_FAILED, .number = (uint64_t)number, .text = rt_errno_name(number),
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
		give_errno(&p, errno_of(shown, result));
	else if (shown && n < shown->n && !is_left_alone(shown, result))
		give_outs(&p, shown);
}
