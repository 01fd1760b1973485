/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/clean.h"
#include "elf/usdt.h"
#include "file.h"

/* Notes of USDT probes in a file of any bytes, and any bytes as their arguments. */

static void check_operand(const struct rt_arch *arch, const struct rt_operand *o)
{
	char type[8];

	if (!o->text || !rt_operand_type(o, type))
		abort();
	switch (o->kind) {
	case RT_OPERAND_UNREADABLE:
		if (!o->why)
			abort();
		return;
	case RT_OPERAND_REGISTER:
		if (!o->base || !o->width || o->width * 8 + o->shift > 64)
			abort();
		break;
	case RT_OPERAND_MEMORY:
		if (o->symbol_kind && (!o->symbol || !o->symbol_length))
			abort();
		if ((o->base && o->width != 4 && o->width != 8) || o->width > arch->word)
			abort();
		if (o->index && (!o->index_width || o->scale > 4))
			abort();
		if ((o->base || o->index) && o->displacement != (int32_t)o->displacement)
			abort();
		break;
	case RT_OPERAND_CONSTANT:
		break;
	}
	if (o->size != 1 && o->size != 2 && o->size != 4 && o->size != 8)
		abort();
}

/* `site` NULL: there is no file that has the symbols. */
static void take_arguments(const struct rt_arch *arch, const char *args, struct rt_image *image,
			   const struct rt_usdt_site *site)
{
	const char *at = args, *end = args + strlen(args);
	struct rt_operand o;

	while (rt_operand_next(arch, &at, &o)) {
		if (o.text < args || o.text + o.length > at || at > end)
			abort();
		check_operand(arch, &o);
		if (!site)
			continue;
		rt_usdt_resolve(image, site, &o);
		if (o.kind == RT_OPERAND_MEMORY && o.symbol_kind)
			abort();
		check_operand(arch, &o);
	}
}

static void check_site(struct rt_image *image, const struct rt_usdt_site *site)
{
	uint64_t offset;

	if (!*site->provider || !*site->name || !rt_is_printable(site->provider) ||
	    !rt_is_printable(site->name))
		abort();
	if (rt_image_offset(image, site->address, &offset) < 0)
		abort();
	if (site->semaphore && rt_image_offset(image, site->semaphore_address, &offset) < 0)
		abort();
	take_arguments(rt_image_arch(image), site->args, image, site);
}

static void take_file(struct rt_image *image)
{
	struct rt_usdt usdt;
	size_t i;

	if (rt_image_usdt(image, &usdt, NULL) < 0)
		abort();
	for (i = 0; i < usdt.n; i++) {
		check_site(image, &usdt.v[i]);
		if (i && strcmp(usdt.v[i - 1].provider, usdt.v[i].provider) > 0)
			abort();
	}
	if (!usdt.damaged != !usdt.problem)
		abort();
	rt_usdt_free(&usdt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], *text = malloc(size + 1);
	struct rt_image *image;
	FILE *file;
	unsigned i;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (i = 0; rt_arch_at(i); i++)
		take_arguments(rt_arch_at(i), text, NULL, NULL);
	free(text);
	image = fuzz_image(data, size, &file, path);
	if (image)
		take_file(image);
	rt_image_close(image);
	fclose(file);
	return 0;
}
