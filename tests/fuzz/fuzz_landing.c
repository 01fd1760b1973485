/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Landing pads, and functions without names, over any tables: the input is the beginning of
 * .eh_frame's index, in a file made around it.  Each result is in the file's code.
 */
#include "eh_frame_file.h"
#include "code/code.h"
#include "elf/file.h"
#include "symbols/unnamed.h"

enum { LANDINGS = 64 };

static void ask(struct rt_image *image, struct rt_code *code)
{
	uint64_t v[LANDINGS], start, end, addr;
	const struct rt_symbol *symbols;
	size_t i, n;
	int landings;

	for (addr = BASE; addr < BASE + sizeof(struct eh_frame_file); addr += 16) {
		landings = rt_code_landings(code, addr, v, LANDINGS);
		if (landings > LANDINGS)
			abort();
		if (rt_code_span(code, addr, &start, &end) && (start > addr || end <= addr))
			abort();
	}
	rt_image_unnamed(image, &symbols, &n);
	for (i = 0; i < n; i++)
		if (!symbols[i].size || !rt_image_is_code(image, symbols[i].addr) ||
		    (i && symbols[i].addr <= symbols[i - 1].addr))
			abort();
}

/* The same without an index: all of it is .eh_frame. */
static void ask_unindexed(struct rt_code *code, struct rt_image *image, size_t n)
{
	uint64_t v[LANDINGS], start, end, addr;

	image->eh_frame =
		(struct rt_range){ .addr = BASE + offsetof(struct eh_frame_file, data), .size = n };
	image->has_except_table = true;
	for (addr = BASE; addr < BASE + sizeof(struct eh_frame_file); addr += 64)
		if (rt_code_landings(code, addr, v, LANDINGS) > LANDINGS ||
		    (rt_code_span(code, addr, &start, &end) && (start > addr || end <= addr)))
			abort();
}

static void once(struct eh_frame_file *f, size_t size, bool indexed)
{
	const struct rt_symbol *symbols;
	struct rt_image *image;
	struct rt_code *code;
	char path[64];
	FILE *file;
	size_t n;

	f->ehdr.e_phnum = indexed ? 2 : 1;
	image = fuzz_image(f, sizeof(*f), &file, path);
	code = image ? rt_code_open(image) : NULL;
	if (code && rt_image_all_symbols(image, &symbols, &n, NULL) == 0) {
		if (indexed)
			ask(image, code);
		else
			ask_unindexed(code, image, size);
	}
	rt_code_close(code);
	rt_image_close(image);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct eh_frame_file f;

	if (size > DATA_MAX)
		return 0;
	eh_frame_file(&f, data, size);
	once(&f, size, true);
	once(&f, size, false);
	return 0;
}
