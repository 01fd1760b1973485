/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: the input is the beginning of .eh_frame's index, and then .eh_frame
 * without one, in a file made around it.  Each row that is found is carried out.
 */
#include <elf.h>
#include <string.h>

#include "file.h"
#include "elf/cfi.h"
#include "elf/file.h"

enum { DATA_MAX = 4096 };
#define BASE 0x400000u

struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	uint8_t data[DATA_MAX];
};

static void make(struct file *f, const uint8_t *data, size_t n)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	f->ehdr.e_type = ET_EXEC;
	f->ehdr.e_machine = EM_X86_64;
	f->ehdr.e_version = 1;
	f->ehdr.e_ehsize = sizeof(f->ehdr);
	f->ehdr.e_phoff = offsetof(struct file, phdrs);
	f->ehdr.e_phentsize = sizeof(f->phdrs[0]);
	f->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = BASE,
				    .p_filesz = sizeof(*f),
				    .p_memsz = sizeof(*f) };
	f->phdrs[1] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
				    .p_flags = PF_R,
				    .p_vaddr = BASE + offsetof(struct file, data),
				    .p_filesz = n,
				    .p_memsz = n };
	memcpy(f->data, data, n);
}

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

	for (addr = BASE; addr < BASE + sizeof(struct file); addr += 16) {
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

static void once(struct file *f, size_t size, bool indexed)
{
	struct rt_image *image;
	char path[64];
	FILE *file;

	f->ehdr.e_phnum = indexed ? 2 : 1;
	image = fuzz_image(f, sizeof(*f), &file, path);
	if (image && !indexed)
		image->eh_frame = (struct rt_range){
			.addr = BASE + offsetof(struct file, data), .size = size };
	if (image)
		ask(image);
	rt_image_close(image);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct file f;

	if (size > DATA_MAX)
		return 0;
	make(&f, data, size);
	once(&f, size, true);
	once(&f, size, false);
	return 0;
}
