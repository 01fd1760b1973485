/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: the input is the beginning of .eh_frame's index, and then .eh_frame
 * without one, in a file made around it.  Each row that is found is carried out.
 */
#include "eh_frame_file.h"
#include "elf/cfi.h"
#include "elf/file.h"

static bool read_word(void *ctx, uint64_t addr, uint64_t *word)
{
	(void)ctx;
	*word = addr * 3;
	return addr & 8;
}

static void ask(struct rt_image *image)
{
	struct rt_cfi_row row;
	uint64_t addr;

	for (addr = BASE; addr < BASE + sizeof(struct eh_frame_file); addr += 16) {
		struct rt_cfi_frame frame = { .pc = addr, .known = 0x1ffff };
		unsigned i;

		for (i = 0; i < 8; i++) {
			if (!rt_cfi_find(image, addr, &row))
				break;
			if (row.ra >= RT_CFI_REGS || row.cfa_reg >= RT_CFI_REGS)
				abort();
			if (rt_cfi_step(image, &row, &frame, read_word, NULL) != RT_CFI_STEP)
				break;
		}
	}
}

static void once(struct eh_frame_file *f, size_t size, bool indexed)
{
	struct rt_image *image;
	char path[64];
	FILE *file;

	f->ehdr.e_phnum = indexed ? 2 : 1;
	image = fuzz_image(f, sizeof(*f), &file, path);
	if (image && !indexed)
		image->eh_frame = (struct rt_range){
			.addr = BASE + offsetof(struct eh_frame_file, data), .size = size };
	if (image)
		ask(image);
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
