/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/list_usdt.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "elf/usdt.h"
#include "output/print.h"

/* ---- a probe: sites [0, n) of one name ---- */

static size_t count_sites(const struct rt_usdt_site *v, size_t left)
{
	size_t n = 1;

	while (n < left && rt_usdt_is_same(&v[0], &v[n]))
		n++;
	return n;
}

static bool next_argument(struct rt_image *image, const struct rt_usdt_site *site,
			  const char **args, struct rt_operand *operand)
{
	if (!rt_operand_next(rt_image_arch(image), args, operand))
		return false;
	rt_usdt_resolve(image, site, operand);
	return true;
}

/* "arg1 = s32 %edi" */
static void print_arguments(FILE *file, struct rt_image *image, const struct rt_usdt_site *site)
{
	const char *args = site->args;
	struct rt_operand operand;
	unsigned i;
	char type[8];

	for (i = 1; next_argument(image, site, &args, &operand); i++) {
		fprintf(file, "%sarg%u = %s %.*s", i == 1 ? "  " : ", ", i,
			rt_operand_type(&operand, type), operand.length, operand.text);
		if (operand.kind == RT_OPERAND_UNREADABLE)
			fprintf(file, " (unreadable: %s)", operand.why);
	}
}

/* Semaphores of one probe may differ; some sites may have none. */
static const char *describe_semaphores(const struct rt_usdt_site *v, size_t n)
{
	size_t i, with = 0;
	bool several = false;

	for (i = 0; i < n; i++) {
		with += v[i].semaphore != 0;
		several |= v[i].semaphore != v[0].semaphore;
	}
	return !with ? "no" : with < n ? "some" : several ? "several" : "yes";
}

static size_t count_other_arguments(const struct rt_usdt_site *v, size_t n)
{
	size_t i, others = 0;

	for (i = 1; i < n; i++)
		others += strcmp(v[i].args, v[0].args) != 0;
	return others;
}

/* `parameters`: as a set declares them, or "". */
static void print_text(FILE *file, struct rt_image *image, const struct rt_usdt_site *v, size_t n,
		       const char *parameters)
{
	size_t others = count_other_arguments(v, n);

	fprintf(file, "%5zu %-9s %s:%s%s", n, describe_semaphores(v, n), v->provider, v->name,
		parameters);
	print_arguments(file, image, v);
	if (others)
		fprintf(file, "  [%zu site%s ha%s other places]", others, others == 1 ? "" : "s",
			others == 1 ? "s" : "ve");
	putc('\n', file);
}

/* ---- JSON ---- */

static void put_string(FILE *file, const char *key, const char *text, size_t n)
{
	fprintf(file, "\"%s\":", key);
	rt_json_string(file, text, n);
}

static void print_json_argument(FILE *file, const struct rt_operand *operand)
{
	char type[8];

	fprintf(file, "{\"type\":\"%s\",", rt_operand_type(operand, type));
	put_string(file, "place", operand->text, operand->length);
	if (operand->kind == RT_OPERAND_UNREADABLE) {
		putc(',', file);
		put_string(file, "why", operand->why, strlen(operand->why));
	}
	putc('}', file);
}

static void print_json_site(FILE *file, struct rt_image *image, const struct rt_usdt_site *site)
{
	const char *args = site->args, *separator = "";
	struct rt_operand operand;

	fprintf(file, "{\"address\":\"0x%" PRIx64 "\",\"offset\":\"0x%" PRIx64 "\",", site->address,
		site->offset);
	if (site->semaphore)
		fprintf(file, "\"semaphore\":\"0x%" PRIx64 "\",", site->semaphore);
	fputs("\"arguments\":[", file);
	while (next_argument(image, site, &args, &operand)) {
		fputs(separator, file);
		print_json_argument(file, &operand);
		separator = ",";
	}
	fputs("]}", file);
}

static void print_json(FILE *file, struct rt_image *image, const struct rt_usdt_site *v, size_t n,
		       bool first)
{
	size_t i;

	fputs(first ? "[\n{" : ",\n{", file);
	put_string(file, "file", rt_image_name(image), strlen(rt_image_name(image)));
	putc(',', file);
	put_string(file, "provider", v->provider, strlen(v->provider));
	putc(',', file);
	put_string(file, "name", v->name, strlen(v->name));
	fputs(",\"sites\":[", file);
	for (i = 0; i < n; i++) {
		if (i)
			putc(',', file);
		print_json_site(file, image, &v[i]);
	}
	fputs("]}", file);
}

/* ---- the list ---- */

static void print_head(const struct rt_usdt_list *list, const struct rt_image *image)
{
	fprintf(list->file, "%s%s\n%5s %-9s %s\n", *list->rows ? "\n" : "", rt_image_name(image),
		"SITES", "SEMAPHORE", "PROBE");
}

/* The sites are sorted, so those of one probe are beside each other. */
static void print_probes(const struct rt_usdt_list *list, const struct rt_spec *spec,
			 struct rt_image *image, const struct rt_usdt *usdt)
{
	const char *parameters = list->declared ? strchr(list->declared, '(') : NULL;
	size_t i, n;

	for (i = 0; i < usdt->n; i += n) {
		n = count_sites(&usdt->v[i], usdt->n - i);
		if (!rt_usdt_fits(&usdt->v[i], spec->provider, spec->function))
			continue;
		if (!list->json && *list->last != image)
			print_head(list, image);
		*list->last = image;
		if (list->json)
			print_json(list->file, image, &usdt->v[i], n, !*list->rows);
		else
			print_text(list->file, image, &usdt->v[i], n,
				   parameters ? parameters : "");
		++*list->rows;
	}
}

int rt_usdt_list_print(const struct rt_usdt_list *list, const struct rt_spec *spec)
{
	const struct rt_usdt *usdt;
	size_t i;

	for (i = 0; i < list->program->n; i++) {
		struct rt_image *image = list->program->v[i];

		if (spec->lib && !rt_program_names(image, spec->lib))
			continue;
		usdt = rt_image_usdt_sites(image);
		if (!usdt)
			return -ENOMEM;
		print_probes(list, spec, image, usdt);
	}
	return ferror(list->file) ? -EIO : 0;
}
