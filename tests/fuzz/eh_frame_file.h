/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FUZZ_EH_FRAME_FILE_H
#define RT_FUZZ_EH_FRAME_FILE_H

#include <elf.h>
#include <string.h>

#include "file.h"

/* A file with the input as the index of its .eh_frame. */
enum { DATA_MAX = 4096 };
#define BASE 0x400000u

struct eh_frame_file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	uint8_t data[DATA_MAX];
};

static inline void eh_frame_file(struct eh_frame_file *f, const uint8_t *data, size_t n)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	f->ehdr.e_type = ET_EXEC;
	f->ehdr.e_machine = EM_X86_64;
	f->ehdr.e_version = 1;
	f->ehdr.e_ehsize = sizeof(f->ehdr);
	f->ehdr.e_phoff = offsetof(struct eh_frame_file, phdrs);
	f->ehdr.e_phentsize = sizeof(f->phdrs[0]);
	f->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = BASE,
				    .p_filesz = sizeof(*f),
				    .p_memsz = sizeof(*f) };
	f->phdrs[1] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
				    .p_flags = PF_R,
				    .p_vaddr = BASE + offsetof(struct eh_frame_file, data),
				    .p_filesz = n,
				    .p_memsz = n };
	memcpy(f->data, data, n);
}

#endif
