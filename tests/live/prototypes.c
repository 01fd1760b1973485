/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"

/*
 * Print debug information on a file's functions, for the tests: prototypes FILE [FUNCTION...].
 * Each function has its prototype with the places of parameters, and each named one the types that
 * it is made of.  +TYPE is a type by name, -FUNCTION asks whether it is inlined everywhere.
 */

static void print_type(const struct rt_ctype *type, unsigned depth)
{
	static const char *const kinds[] = {
		[RT_CT_VOID] = "void",
		[RT_CT_UNKNOWN] = "unknown",
		[RT_CT_BOOL] = "bool",
		[RT_CT_CHAR] = "char",
		[RT_CT_INT] = "int",
		[RT_CT_FLOAT] = "float",
		[RT_CT_ENUM] = "enum",
		[RT_CT_POINTER] = "pointer",
		[RT_CT_REFERENCE] = "reference",
		[RT_CT_FUNCTION] = "function",
		[RT_CT_ARRAY] = "array",
		[RT_CT_STRUCT] = "struct",
		[RT_CT_UNION] = "union",
		[RT_CT_VARIANT] = "variant",
	};

	if (!type) {
		printf("?");
		return;
	}
	if (type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE) {
		if (type->name)
			printf("%s=", type->name);
		if (depth > 8)
			printf("...");
		else
			print_type(type->target, depth + 1);
		printf("%s", type->kind == RT_CT_POINTER ? "*" : "&");
		return;
	}
	if (type->kind == RT_CT_ARRAY) {
		if (depth > 8)
			printf("...");
		else
			print_type(type->target, depth + 1);
		printf("[%" PRIu64 "]", type->count);
		return;
	}
	printf("%s", kinds[type->kind]);
	if (type->kind == RT_CT_INT)
		printf("%s%" PRIu64, type->is_signed ? "" : "u", type->size * 8);
	else if (type->kind == RT_CT_FLOAT)
		printf("%" PRIu64, type->size * 8);
	if (type->name)
		printf("(%s)", type->name);
	if (type->by_reference)
		printf("^");
	if (type->sequence.element)
		printf("{%u,%u}", type->sequence.pointer, type->sequence.length);
}

static void print_where(const struct rt_location *where)
{
	switch (where->kind) {
	case RT_LOCATION_ABI:
		return;
	case RT_LOCATION_REG:
		printf("@r%u", where->reg);
		return;
	case RT_LOCATION_REGS:
		printf("@r%u:r%u", where->reg, where->reg2);
		return;
	case RT_LOCATION_AT:
		printf("@[r%u%+" PRId64 "]", where->reg, where->offset);
		return;
	case RT_LOCATION_STACK:
		printf("@sp%+" PRId64, where->offset);
		return;
	case RT_LOCATION_UNKNOWN:
		printf("@unknown");
		return;
	default:
		printf("@nowhere");
	}
}

static void print_params(const struct rt_param *v, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		printf("%s", i ? ", " : "");
		print_type(v[i].type, 0);
		printf(" %s%s", v[i].artificial ? "!" : "", v[i].name ? v[i].name : "?");
		print_where(&v[i].location);
	}
}

static void print_prototype(const char *name, const struct rt_prototype *p)
{
	print_type(p->result, 0);
	printf(" %s(", name);
	print_params(p->params, p->nparams);
	printf("%s)", p->variadic ? ", ..." : "");
	if (p->nresults) {
		printf(" -> (");
		print_params(p->results, p->nresults);
		printf(")");
	}
	putchar('\n');
}

struct seen {
	const struct rt_ctype *v[512];
	unsigned n;
};

static void see(struct seen *seen, const struct rt_ctype *type)
{
	unsigned i;

	while (type && (type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE ||
			type->kind == RT_CT_ARRAY)) {
		if (type == type->target)
			return;
		type = type->target;
	}
	for (i = 0; i < seen->n; i++)
		if (seen->v[i] == type)
			return;
	if (type && (type->nmembers || type->nvalues) && seen->n < 512)
		seen->v[seen->n++] = type;
}

static void print_members(struct seen *seen, const struct rt_ctype *type)
{
	const struct rt_member *m;
	unsigned i;

	print_type(type, 0);
	printf(" size %" PRIu64 " align %u%s\n", type->size, type->align,
	       type->is_flags ? " flags" : "");
	if (type->tag) {
		printf("\ttag +%u ", type->tag->offset);
		print_type(type->tag->type, 0);
		putchar('\n');
	}
	for (i = 0; i < type->nmembers; i++) {
		m = &type->members[i];
		printf("\t+%u", m->offset);
		if (m->bit_size)
			printf(".%u:%u", m->bit_offset, m->bit_size);
		printf(" ");
		print_type(m->type, 0);
		printf(" %s", m->name ? m->name : "-");
		if (type->kind == RT_CT_VARIANT)
			printf(m->tag_default ? " default" : " =%" PRIu64, m->tag);
		putchar('\n');
		see(seen, m->type);
	}
	for (i = 0; i < type->nvalues; i++)
		printf("\t%s = %" PRId64 "\n", type->values[i].name, type->values[i].value);
}

static void print_types(const struct rt_prototype *p)
{
	struct seen seen = { .n = 0 };
	unsigned i;

	see(&seen, p->result);
	for (i = 0; i < p->nparams; i++)
		see(&seen, p->params[i].type);
	for (i = 0; i < p->nresults; i++)
		see(&seen, p->results[i].type);
	for (i = 0; i < seen.n; i++)
		print_members(&seen, seen.v[i]);
}

static void print_others(struct rt_image *image, struct rt_types *types, char **names, int n)
{
	const struct rt_ctype *type;
	struct seen seen = { .n = 0 };
	int i;

	for (i = 0; i < n; i++)
		if (names[i][0] == '+') {
			type = rt_dwarf_type(image, types, names[i] + 1);
			if (type)
				print_members(&seen, type);
			else
				printf("%s: no such type\n", names[i] + 1);
		} else if (names[i][0] == '-') {
			printf("%s: %s\n", names[i] + 1,
			       rt_dwarf_inlined(image, names[i] + 1) ? "inlined" : "not inlined");
		}
}

static bool wanted(const char *name, char **names, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return n == 0;
}

int main(int argc, char **argv)
{
	struct rt_types *types = rt_types_new();
	struct rt_image *image = NULL;
	const struct rt_symbol *v;
	struct rt_prototype p;
	struct rt_error err;
	size_t i, n;
	int ret;

	if (argc < 2 || !types || rt_image_open(argv[1], NULL, &image, &err)) {
		fprintf(stderr, "prototypes: %s\n",
			argc < 2 ? "prototypes FILE [FUNCTION...]" : err.text);
		return 1;
	}
	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < n; i++) {
		if (v[i].kind != RT_SYM_FUNC || !wanted(v[i].name, argv + 2, argc - 2))
			continue;
		ret = rt_dwarf_prototype(image, v[i].addr, types, &p, &err);
		if (ret == 0) {
			print_prototype(v[i].name, &p);
			if (argc > 2)
				print_types(&p);
		} else if (argc > 2) {
			printf("%s: %s\n", v[i].name, err.text);
		}
	}
	print_others(image, types, argv + 2, argc - 2);
	rt_image_close(image);
	rt_types_free(types);
	return 0;
}
