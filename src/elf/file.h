/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_FILE_H
#define RT_ELF_FILE_H

#include <gelf.h>
#include <sys/types.h>
#include <time.h>

#include "elf/debug.h"
#include "elf/image.h"

/*
 * The parts of an image, for the folders that read it: elf, process, dwarf, go, code, symbols,
 * safety.
 */

#define RT_STUB_SECTIONS 8
enum { RT_PAGE_MAX = 64 << 10 };	/* of any kernel */

struct rt_segment {
	uint64_t vaddr, offset, filesz, memsz;
	bool exec, read, write;
};

struct rt_range {		/* of virtual addresses; size 0: there is none */
	uint64_t addr, size;
};

/* Offsets of a symbol table and its strings in the file. */
struct rt_table {
	bool present;
	bool guessed;		/* its length was guessed: a nonsensical entry is passed over */
	uint64_t offset, size, entsize;
	uint64_t str_offset, str_size;
};

/* Values of PT_DYNAMIC; addresses are virtual, 0: the tag is missing. */
struct rt_dynamic {
	uint64_t symtab, syment, strtab, strsz;
	uint64_t hash, gnu_hash;
	uint64_t rela, relasz, rel, relsz, jmprel, pltrelsz;
	uint64_t versym, verdef, verneed;
	uint64_t pltgot;		/* on x86 what @GOTOFF counts from */
	bool plt_is_rela;
	const char *rpath, *runpath, *audit, *depaudit;	/* libelf's; NULL: not there */
	bool no_default_folders;	/* DF_1_NODEFLIB */
};

struct rt_strings {		/* not owned */
	const char **v;
	size_t n, cap;
};

/*
 * Pages of the file that were read last: thousands of functions are looked at one behind the other,
 * some bytes at a time, and each by a binary search of .eh_frame_hdr.  The file is not mapped, as a
 * file that somebody cuts short meanwhile would end rawtrace by SIGBUS.
 */
enum { RT_FILE_WINDOW = 1 << 12, RT_FILE_WINDOWS = 64 };

struct rt_file_window {
	uint64_t offset;		/* a multiple of RT_FILE_WINDOW */
	size_t n;			/* 0: nothing was read */
	uint8_t bytes[RT_FILE_WINDOW];
};

/* Functions of an .eh_frame without an index. */
struct rt_described {
	uint64_t begin, fde;
};

struct rt_image {
	int fd;
	struct rt_file_window *windows;	/* apart, as reading leaves an image const */
	Elf *elf;
	char *name, *soname, *interp;
	/* the name without control characters: what messages call it, but for a library: */
	char *shown;
	const char *short_name;		/* its DT_SONAME, or the end of the name */
	uint64_t size;			/* of the file */
	dev_t dev;
	ino_t ino;
	struct timespec written;	/* when it was last written to */
	uint16_t type;			/* e_type */
	uint64_t entry;
	const struct rt_arch *arch;
	/* of the kernel that would probe it; set by rt_program_take() */
	enum rt_nops nops;
	bool late;			/* the process has not got it, and may load it later */
	bool is_go;
	/* sections of Go programs */
	struct rt_range gopclntab, gobuildinfo, gomodule, relro;
	struct rt_range code;		/* what its sections of code span; empty: it has none */
	struct rt_range eh_frame;
	/* the places that -fpatchable-function-entry has made */
	struct rt_range patchable;
	struct rt_range stubs[RT_STUB_SECTIONS];	/* by which it reaches its libraries */
	unsigned nstubs;
	/* .rela.plt, which static programs have for IFUNCs */
	struct rt_range plt_relocations;
	uint64_t *starts;		/* where its sections in memory begin, sorted */
	size_t nstarts, starts_cap;
	bool go_read;
	struct rt_go *go;		/* go/go.c; NULL: not read, or none */
	void (*free_go)(struct rt_go *go);	/* set together with that */
	/* .gcc_except_table: code that catches, or cleans up, while a stack unwinds */
	bool has_except_table;
	bool has_sdt;			/* notes of USDT probes */
	struct rt_usdt *usdt;		/* usdt.c; NULL: not read yet */
	struct rt_segment *segments;
	size_t nsegments, segments_cap;
	struct rt_dynamic dynamic;
	/* DT_NEEDED, and what this library replaces (DT_FILTER, DT_AUXILIARY) */
	struct rt_strings needed;
	struct rt_table symtab, dynsym;
	const char *sections_damage;	/* what is wrong with the section headers, NULL: nothing */
	bool unwinds_known;
	char unwinds[192];		/* rt_image_unwinds()'s phrase, "": none */

	struct rt_debug debug;
	bool symbols_read;
	bool more_read, has_more;	/* the symbols of debug files too; there were some */
	int symbols_code;		/* what reading them returned, and said */
	struct rt_error symbols_error;
	struct rt_symbol *symbols;
	size_t nsymbols, symbols_cap;
	bool unnamed_read;
	struct rt_symbol *unnamed;	/* unnamed.h */
	size_t nunnamed, unnamed_cap;
	char *unnamed_names;
	bool described_read, described_damaged;
	bool switches_known;
	/* switches.h: it has code that switches stacks, in the function `switches_by` */
	uint8_t switches;
	const char *switches_by;
	struct rt_described *described;	/* eh_frame.c */
	size_t ndescribed, described_cap;
	/* the second one's are NULL where there is none */
	struct rt_strings imports, import_versions;
	/* by index in .gnu.version; NULL where there is none of that index */
	struct rt_strings versions;
	/* .gnu.version: an index for each symbol of .dynsym; libelf's */
	const uint16_t *version_of;
	size_t nversion_of;
	struct rt_dwarf *dwarf;		/* dwarf/dwarf.h; NULL: not asked for yet */
	void (*close_dwarf)(struct rt_dwarf *dwarf);	/* set together with that */
	char **owned;			/* names that had to be copied */
	size_t nowned, owned_cap;
};

/*
 * image.c: judge the first bytes of the file; -ENOEXEC with the reason where it is no program for
 * this kernel.
 */
int rt_image_identify(struct rt_image *image, struct rt_error *err);
/* "NAME: the ELF file is damaged: WHAT"; returns -EBADMSG. */
int rt_image_damaged(const struct rt_image *image, const char *what, struct rt_error *err);
/* Does [offset, offset + size) lie in the file? */
bool rt_image_contains(const struct rt_image *image, uint64_t offset, uint64_t size);
/* Open a library and call it by its DT_SONAME, or by its file's name where it has none. */
int rt_image_open_library(const char *path, const char *name, struct rt_image **image,
			  struct rt_error *err);

/* sections.c: find the symbol tables and the marks of Go and of exception tables. */
void rt_image_scan_sections(struct rt_image *image);
/*
 * dynamic.c: PT_DYNAMIC at [offset, offset + size), and from it the symbol table where sections
 * gave none.
 */
int rt_image_read_dynamic(struct rt_image *image, uint64_t offset, uint64_t size,
			  struct rt_error *err);
void rt_image_dynamic_symbols(struct rt_image *image);

/* A string of the dynamic string table, or NULL where it is not one. */
const char *rt_image_dynamic_string(struct rt_image *image, uint64_t at);

/* Read the names of symbol versions.  0 or -ENOMEM; damage only leaves names out. */
int rt_image_read_versions(struct rt_image *image);
/* The version of symbol `i` of .dynsym, or NULL.  `*is_default`: programs are linked with it. */
const char *rt_image_version(const struct rt_image *image, size_t i, bool *is_default);

/*
 * go.c: add the functions of a Go program's own table to the symbols (0, or -1: no memory); release
 * what it knows.
 */
int rt_image_go_symbols(struct rt_image *image);
/*
 * go.c: bytes as the loader would make them, of a program too with pointers in its
 * relocations; is it one?  And each of those pointers, until `visit` says that it is the one.
 */
size_t rt_go_read(const struct rt_image *image, uint64_t addr, void *buf, size_t n);
bool rt_go_is_moved(const struct rt_image *image);
bool rt_go_each_pointer(const struct rt_image *image,
			bool (*visit)(void *ctx, uint64_t at, uint64_t value), void *ctx);

/*
 * symbols.c: of two names of one address, the one that a person would use first: not _IO_puts but
 * puts.  As qsort wants it.
 */
int rt_symbol_compare(const struct rt_symbol *a, const struct rt_symbol *b);
/*
 * symbols.c: the address of a defined symbol of any type, of the file, else of its debug file.
 * 0, -ENOENT, -ENOTUNIQ (several have the name) or -ENOMEM.  Damage only leaves symbols out.
 */
int rt_image_find_symbol(struct rt_image *image, const char *name, size_t n, uint64_t *addr);
/*
 * symbols.c: a name of the file as it may be shown (base/clean.h), the file's own or a copy that
 * the image owns; NULL: no memory.
 */
const char *rt_image_clean_name(struct rt_image *image, const char *name);
/* The same of a name that is not the file's: a copy in any case. */
const char *rt_image_keep_name(struct rt_image *image, const char *name);
/*
 * image.c: why the instruction at `addr` must not be probed, or NULL.  `*call` (may be NULL): the
 * only reason is that this kernel would make a call of it.  And the same of `n` bytes of its code.
 */
const char *rt_image_refuses(const struct rt_image *image, uint64_t addr, bool *call);
const char *rt_image_refuses_insn(const struct rt_image *image, const uint8_t *insn, size_t n);

/*
 * sections.c: is `addr` in one of the sections of stubs by which a program reaches its libraries?
 */
bool rt_image_is_stub(const struct rt_image *image, uint64_t addr);
/* The address of the first section behind `addr`; UINT64_MAX: there is none. */
uint64_t rt_image_next_section(const struct rt_image *image, uint64_t addr);
/* sections.c: the symbol table of an ELF file, by its section.  False: it has none. */
bool rt_elf_symtab(Elf *elf, struct rt_table *table);

/* symbols.c: the last symbol below `addr`, or NULL. */
const struct rt_symbol *rt_symbol_before(const struct rt_image *image, uint64_t addr);

/*
 * unwind.c: why the return of the function at `addr`, called `name` (and all its aliases), must not
 * be probed with a uretprobe; NULL where it may be.
 */
const char *rt_image_unsafe_return(const struct rt_image *image, const char *name, uint64_t addr);
/*
 * Why probes on the instructions that leave it would not tell the end of its calls either; NULL
 * where they do.
 */
const char *rt_image_unsafe_exits(const struct rt_image *image, const char *name, uint64_t addr);
/*
 * Is `name` that of a part of a function, as GCC splits it (".cold", ".part.N")?  The reason, or
 * NULL.
 */
const char *rt_name_fragment(const char *name);

#endif
