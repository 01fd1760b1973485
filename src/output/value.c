/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "output/text.h"
#include "output/value.h"

/* ---- as they were read ---- */

static void put_raw(const struct rt_printer *p, unsigned i)
{
	const struct rt_values *values = p->values;
	const struct rt_fetch *fetch = &values->plan->values[i];
	bool fault = !values->data || values->faults >> i & 1, cut;
	const uint8_t *text;
	uint64_t word;
	size_t len;

	if (values->data && fetch->type == RT_TYPE_STRING &&
	    rt_value_string(fetch, values->data + rt_plan_offset(values->plan, i), fault, &text, &len, &cut) == 0) {
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

/* What is shown of these values; NULL: as they were read.  Of a call whose return was taken for another's the plan is another. */
static const struct rt_showing *shown_of(const struct rt_trace *trace, uint32_t function, const struct rt_values *values)
{
	const struct rt_showing *shown;

	if (!trace->shows || function == RT_NO_FUNCTION || !values->plan)
		return NULL;
	shown = values->plan->kind == RT_KIND_ENTRY ? &trace->shows[function].entry : &trace->shows[function].exit;
	return shown->plan == values->plan ? shown : NULL;
}

static struct rt_printer printer(const struct rt_sink *sink, pid_t pid, const struct rt_values *values, bool json)
{
	return (struct rt_printer){ .file = sink->file, .json = json, .trace = sink->trace, .pid = pid, .values = values };
}

/* What is shown of the values, each after a blank but, without `lead`, the first; those filled in not.  Returns how many, hidden ones too. */
static unsigned put_values(const struct rt_sink *sink, pid_t pid, uint32_t function, const struct rt_values *values, bool lead)
{
	const struct rt_showing *shown = shown_of(sink->trace, function, values);
	const struct rt_printer p = printer(sink, pid, values, false);
	unsigned i, n = shown ? shown->n : values->plan ? rt_plan_shown(values->plan) : 0;

	for (i = 0; i < n; i++) {
		if (shown && shown->v[i].out)
			break;
		if (shown && shown->v[i].hidden)
			continue;
		if (lead)
			putc_unlocked(' ', sink->file);
		lead = true;
		if (shown)
			rt_value_show(&p, &shown->v[i]);
		else
			put_raw(&p, i);
	}
	return i;
}

int rt_args_print(const struct rt_sink *sink, pid_t pid, uint32_t function, const struct rt_values *args)
{
	put_values(sink, pid, function, args, true);
	return 0;
}

/* The result, where that is a single word, with the `mask` of its bits. */
static bool result_word(const struct rt_showing *shown, const struct rt_values *values, uint64_t *word, uint64_t *mask)
{
	const struct rt_show *v = shown->n && !shown->none ? &shown->v[0] : NULL;
	const struct rt_piece *piece = v && v->npieces ? &v->pieces[0] : NULL;

	if (!piece || piece->value == RT_NO_VALUE || !values->data || !piece->size || piece->size > 8)
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

	if (!shown->errno_value || !has_failed(shown, values) || i >= values->plan->nvalues || values->faults >> i & 1)
		return 0;
	return (int64_t)rt_plan_int(values->plan, i, values->data);
}

/* " ENOENT (No such file or directory)" */
static void put_errno(FILE *file, int64_t number)
{
	const char *name = rt_errno_name(number);

	if (number <= 0)
		return;
	rt_put(file, name ? " " : " errno ");
	if (!name) {
		rt_put_u64(file, (uint64_t)number);
		return;
	}
	rt_put(file, name);
	rt_put(file, " (");
	rt_put(file, strerror((int)number));
	putc_unlocked(')', file);
}

/* What the function has filled in: " buf=\"hello\"". */
static void put_outs(const struct rt_sink *sink, pid_t pid, const struct rt_showing *shown, const struct rt_values *values)
{
	const struct rt_printer p = printer(sink, pid, values, false);
	unsigned i;

	for (i = 0; i < shown->n; i++) {
		if (!shown->v[i].out || shown->v[i].hidden)
			continue;
		putc_unlocked(' ', sink->file);
		if (shown->v[i].name) {
			rt_json_chars(sink->file, shown->v[i].name, strlen(shown->v[i].name));
			putc_unlocked('=', sink->file);
		}
		rt_value_show(&p, &shown->v[i]);
	}
}

int rt_result_print(const struct rt_sink *sink, pid_t pid, uint32_t function, const struct rt_values *result)
{
	const struct rt_showing *shown = shown_of(sink->trace, function, result);

	if (!put_values(sink, pid, function, result, false))
		rt_put(sink->file, "#<void>");
	else if (shown && shown->guessed)
		putc_unlocked('?', sink->file);
	if (shown && has_failed(shown, result))
		put_errno(sink->file, errno_of(shown, result));
	else if (shown && !is_left_alone(shown, result))
		put_outs(sink, pid, shown, result);
	return 0;
}

/* Names that stand beside the arguments'. */
static bool is_taken(const char *name)
{
	return strncmp(name, "arg", 3) == 0 || strncmp(name, "result", 6) == 0 || strcmp(name, "unseen") == 0 ||
	       strcmp(name, "unfinished") == 0 || strcmp(name, "out") == 0 || strcmp(name, "errno") == 0 || strcmp(name, "guessed") == 0;
}

static bool named_before(const struct rt_showing *shown, unsigned i)
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (shown->v[k].name && strcmp(shown->v[k].name, shown->v[i].name) == 0)
			return true;
	return false;
}

static void put_key(FILE *file, const char *key, bool numbered, unsigned i, bool *some)
{
	rt_put(file, *some ? ",\"" : "\"");
	rt_json_chars(file, key, strlen(key));
	if (numbered)
		rt_put_u64(file, i);
	rt_put(file, "\":");
	*some = true;
}

int rt_args_json(const struct rt_sink *sink, pid_t pid, uint32_t function, const struct rt_values *args, bool *some)
{
	const struct rt_showing *shown = shown_of(sink->trace, function, args);
	const struct rt_printer p = printer(sink, pid, args, true);
	unsigned i, n = shown ? shown->n : args->plan ? rt_plan_shown(args->plan) : 0;

	for (i = 0; i < n; i++) {
		const char *name = shown ? shown->v[i].name : NULL;

		if (shown && shown->v[i].hidden)
			continue;
		if (name && !is_taken(name) && !named_before(shown, i))
			put_key(sink->file, name, false, 0, some);
		else
			put_key(sink->file, "arg", true, i, some);
		if (shown)
			rt_value_show(&p, &shown->v[i]);
		else
			put_raw(&p, i);
	}
	return 0;
}

/* "out":{"buf":"hello"} */
static void json_outs(const struct rt_printer *p, const struct rt_showing *shown, bool *some)
{
	bool any = false;
	unsigned i;

	put_key(p->file, "out", false, 0, some);
	putc_unlocked('{', p->file);
	for (i = 0; i < shown->n; i++) {
		const char *name = shown->v[i].name;

		if (!shown->v[i].out || shown->v[i].hidden)
			continue;
		put_key(p->file, name && !named_before(shown, i) ? name : "out", !name || named_before(shown, i), i, &any);
		rt_value_show(p, &shown->v[i]);
	}
	putc_unlocked('}', p->file);
}

static void json_errno(const struct rt_printer *p, int64_t number, bool *some)
{
	const char *name = rt_errno_name(number);

	put_key(p->file, "errno", false, 0, some);
	if (name)
		rt_value_word(p, name);
	else
		rt_value_int(p, (uint64_t)number, false);
}

/* "result", and "result1" on where there are several. */
int rt_result_json(const struct rt_sink *sink, pid_t pid, uint32_t function, const struct rt_values *result, bool *some)
{
	const struct rt_showing *shown = shown_of(sink->trace, function, result);
	const struct rt_printer p = printer(sink, pid, result, true);
	unsigned i, n = shown ? shown->n : result->plan ? rt_plan_shown(result->plan) : 0;

	for (i = 0; i < n && !(shown && shown->v[i].out); i++) {
		put_key(sink->file, "result", i > 0, i, some);
		if (shown)
			rt_value_show(&p, &shown->v[i]);
		else
			put_raw(&p, i);
	}
	if (shown && shown->guessed && i) {
		put_key(sink->file, "guessed", false, 0, some);
		rt_put(sink->file, "true");
	}
	if (shown && i < n && !has_failed(shown, result) && !is_left_alone(shown, result))
		json_outs(&p, shown, some);
	if (shown && errno_of(shown, result) > 0)
		json_errno(&p, errno_of(shown, result), some);
	return 0;
}
