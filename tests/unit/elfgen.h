/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_ELFGEN_H
#define RT_TESTS_ELFGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Builds small ELF files in memory, so that layouts no linker makes here are tested too. */

#define ELFGEN_TEXT 1		/* st_shndx of what is defined in the code */

struct elfgen_sym {
	const char *name;
	uint64_t value, size;
	uint8_t bind, type;
	uint16_t shndx;
};

struct elfgen {
	int bits;			/* 64 unless 32 */
	uint16_t machine, type;		/* this machine's and ET_EXEC unless given */
	/* the code is at base + ELFGEN_CODE, the dynamic tables 64 KiB further */
	uint64_t base;
	uint64_t entry;
	const uint8_t *code;		/* NULL: `ncode` nops */
	size_t ncode;			/* 256 unless given */
	const struct elfgen_sym *syms, *dynsyms;
	size_t nsyms, ndynsyms;
	const char *const *needed;	/* ended by NULL */
	const char *soname, *interp;
	bool dynamic;			/* also made where needed, soname or dynsyms ask for it */
	/* DT_GNU_HASH and a relocation of the last symbol instead of DT_HASH */
	bool gnu_hash;
	bool no_sections;
	const char *section;		/* the name of one more section, of 16 bytes, */
	uint64_t section_at;		/* and where it is in memory, as code; 0: nowhere */
	bool go_note;
	const uint8_t *notes;		/* of USDT probes */
	size_t nnotes;
	uint64_t notes_base;		/* address of .stapsdt.base; 0: there is none */
	/* the offset of .eh_frame's index in the code; 0: there is none */
	size_t frames;
};

#define ELFGEN_CODE 0x1000u

/* The file's bytes, from malloc. */
uint8_t *elfgen_build(const struct elfgen *g, size_t *size);

/* The place in the bytes of the program header of the code, to break it. */
#define ELFGEN_CODE_PHDR(bits) ((bits) == 32 ? 52 : 64)

/* Write bytes to a new temporary file; `path` gets its name (room for 256).  False: could not. */
bool elfgen_file(const void *bytes, size_t size, char *path);

/* The same, opened as "./x"; that it cannot be ends the test. */
struct rt_image;
struct rt_image *elfgen_open(const struct elfgen *g);

#endif
