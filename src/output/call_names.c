/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/call_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/value.h"

/* A longer name is cut. */
enum { NAME_MOST = 1024, FIRST_SLOTS = 64 };

struct text {
	char v[NAME_MOST];
	size_t n;
};

/* An argument's value that is looked for. */
struct wanted {
	const char *name;
	size_t n;
	struct text *text;
	bool found;
};

static void add_bytes(struct text *text, const char *bytes, size_t n)
{
	size_t i;

	/* Formats have a name a line. */
	for (i = 0; i < n && text->n < NAME_MOST - 1; i++)
		text->v[text->n++] = iscntrl((unsigned char)bytes[i]) ? '?' : bytes[i];
}

static void take_value(void *ctx, const struct rt_value *value)
{
	struct wanted *wanted = ctx;
	char number[32];
	int n;

	if (wanted->found || value->in != RT_VALUE_ARGS || !value->name ||
	    strlen(value->name) != wanted->n || strncmp(value->name, wanted->name, wanted->n) != 0)
		return;
	if (value->kind == RT_VALUE_TEXT) {
		add_bytes(wanted->text, (const char *)value->bytes, value->len);
	} else if (value->kind == RT_VALUE_NUMBER) {
		n = snprintf(number, sizeof(number), "%s%" PRIu64, value->negative ? "-" : "",
			     value->number);
		add_bytes(wanted->text, number, (size_t)n);
	} else {
		return;
	}
	wanted->found = true;
}

/* "$class.$method" and the arguments -> "java/lang/String.hashCode". */
static void make_name(const struct rt_trace *trace, pid_t pid, uint32_t function,
		      const struct rt_values *args, const char *pattern, struct text *text)
{
	struct wanted wanted = { .text = text };

	for (text->n = 0; *pattern; pattern += wanted.n) {
		wanted.n = 1;
		if (*pattern != '$') {
			add_bytes(text, pattern, 1);
			continue;
		}
		wanted.name = ++pattern;
		for (wanted.n = 0; isalnum((unsigned char)pattern[wanted.n]) ||
				   pattern[wanted.n] == '_';)
			wanted.n++;
		wanted.found = false;
		rt_values_of_entry(trace, pid, function, args, take_value, &wanted);
		if (!wanted.found)
			add_bytes(text, "?", 1);
	}
	text->v[text->n] = '\0';
}

static size_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

/* The slot that has the name, or the free one for it. */
static uint32_t *find_slot(const struct rt_call_names *names, const char *text)
{
	size_t i = hash(text);

	for (;; i++) {
		uint32_t *slot = &names->slots[i & (names->nslots - 1)];

		if (!*slot || strcmp(names->v[*slot - 1], text) == 0)
			return slot;
	}
}

/* At most half of the slots are used. */
static int make_slots(struct rt_call_names *names)
{
	size_t i, n = names->nslots ? names->nslots * 2 : FIRST_SLOTS;
	uint32_t *slots;

	if (names->n * 2 < names->nslots)
		return 0;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(names->slots);
	names->slots = slots;
	names->nslots = n;
	for (i = 0; i < names->n; i++)
		*find_slot(names, names->v[i]) = (uint32_t)i + 1;
	return 0;
}

int rt_call_names_add(struct rt_call_names *names, const char *name, uint32_t *number)
{
	uint32_t *slot;

	if (make_slots(names) < 0)
		return -ENOMEM;
	slot = find_slot(names, name);
	if (!*slot) {
		if (names->n == RT_CALL_NAMES_MOST)
			return 0;
		if (RT_ROOM(&names->v, names->n, &names->cap) < 0)
			return -ENOMEM;
		names->v[names->n] = strdup(name);
		if (!names->v[names->n])
			return -ENOMEM;
		*slot = (uint32_t)++names->n;
	}
	*number = RT_CALL_NAME + *slot - 1;
	return 0;
}

int rt_call_names_find(struct rt_call_names *names, const struct rt_trace *trace, pid_t pid,
		       uint32_t function, const struct rt_values *args, uint32_t *number)
{
	const struct rt_functions *functions = trace->functions;
	const char *pattern = NULL;
	struct text text;

	*number = function;
	if (functions && function < functions->n)
		pattern = rt_function_pattern(&functions->v[function]);
	if (!pattern || !args)
		return 0;
	make_name(trace, pid, function, args, pattern, &text);
	return rt_call_names_add(names, text.v, number);
}

void rt_call_names_free(struct rt_call_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	free(names->slots);
	*names = (struct rt_call_names){ .n = 0 };
}
