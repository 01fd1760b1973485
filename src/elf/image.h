/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_IMAGE_H
#define RT_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/arch.h"
#include "base/error.h"

/*
 * One ELF file.  It is opened once and the descriptor stays open: the kernel is given
 * /proc/self/fd/N, so that a path with blanks or colons, a deleted or replaced file and another
 * mount namespace are all the same to it.
 */
struct rt_image;
struct stat;

enum rt_symbol_kind {
	RT_SYM_FUNC,		/* STT_FUNC */
	RT_SYM_IFUNC,		/* STT_GNU_IFUNC: the address is a resolver's */
	/* a global label in an executable segment: assembly without .type */
	RT_SYM_NOTYPE,
};

/* The source of a symbol: the file itself, or one of those that elf/debug.c finds for it. */
enum rt_symbol_source {
	RT_SOURCE_SYMTAB,	/* .symtab */
	RT_SOURCE_DYNSYM,	/* .dynsym */
	RT_SOURCE_DEBUG,	/* .symtab of the separate debug file */
	RT_SOURCE_MINIDEBUG,	/* .gnu_debugdata */
	RT_SOURCE_USDT,		/* .note.stapsdt: no symbol, but a probe */
	RT_SOURCE_GO,		/* the table that a Go program keeps of its functions */
	/* no name, but what unwinds stacks tells of it (symbols/unnamed.h) */
	RT_SOURCE_EH_FRAME,
};

const char *rt_symbol_source_name(enum rt_symbol_source source);

struct rt_symbol {
	const char *name;	/* owned by the image; without @VERSION */
	const char *version;	/* NULL: it has none */
	uint64_t addr;
	/* st_size; where that is 0, up to the next symbol or the segment's end */
	uint64_t size;
	enum rt_symbol_kind kind;
	bool global;		/* STB_GLOBAL or STB_WEAK */
	bool hidden;		/* STV_HIDDEN: it was global until it was linked */
	/* it is in .dynsym, wherever else: other files may be bound to it */
	bool dynamic;
	enum rt_symbol_source source;
	bool sized;		/* st_size was not 0 */
	bool default_version;	/* the one that programs are linked with: NAME@@VERSION */
};

/*
 * Open `path`; `name` is what messages and the user call it (NULL: path itself).  Every refusal has
 * its own message: missing, unreadable, a directory, a script (names its interpreter and how to
 * trace that), not ELF, truncated or corrupt, not an executable or shared object, big-endian, a
 * machine that this kernel does not run.
 */
int rt_image_open(const char *path, const char *name, struct rt_image **image,
		  struct rt_error *err);
void rt_image_close(struct rt_image *image);

const char *rt_image_name(const struct rt_image *image); /* as given to rt_image_open, to be shown:
							    without control characters */

/* The build-id in hexadecimal digits; "": it has none. */
enum { RT_BUILD_ID_TEXT = 2 * 64 + 1 };
void rt_image_build_id(const struct rt_image *image, char text[RT_BUILD_ID_TEXT]);

const char *rt_image_soname(const struct rt_image *image);	/* DT_SONAME, or NULL */
const char *rt_image_interp(
	const struct rt_image *image); /* PT_INTERP, or NULL: static or a library */
bool rt_image_is_late(const struct rt_image *image); /* a library that the process has not got
							(rt_program_add_path) */
int rt_image_fd(const struct rt_image *image); /* the open file, owned by the image */
ino_t rt_image_ino(const struct rt_image *image);
/* Is this the file, or a debug file that was read for it? */
bool rt_image_is_read_from(const struct rt_image *image, dev_t dev, ino_t ino);
bool rt_image_is_file(const struct rt_image *image,
		      const struct stat *st); /* is that the same file? */
uint64_t rt_image_entry(const struct rt_image *image);		/* e_entry */
const struct rt_arch *rt_image_arch(const struct rt_image *image);
/*
 * The change of the file since it was opened: "was written to" or, with `by_path`, "was replaced"
 * at the path it was opened by.  NULL: none.
 */
const char *rt_image_change(const struct rt_image *image, bool by_path);
bool rt_image_is_go(const struct rt_image *image); /* has .go.buildinfo or a gopclntab section */

/*
 * Is the file stripped, as far as its symbols have been read: are its exports its only names?
 */
bool rt_image_names_only_exports(const struct rt_image *image);

/* File offset of a virtual address, by the PT_LOAD that holds it in the file.  0, or -ENOENT. */
int rt_image_offset(const struct rt_image *image, uint64_t addr, uint64_t *offset);
/* The virtual address of code at a file offset.  0, or -ENOENT. */
int rt_image_code_address(const struct rt_image *image, uint64_t offset, uint64_t *addr);
/* May it be mapped elsewhere than it is linked to? */
bool rt_image_is_relocatable(const struct rt_image *image);
/*
 * The distance of the image from its link addresses, if its code is mapped at `start` from file
 * offset `pgoff` on.
 */
bool rt_image_moved(const struct rt_image *image, uint64_t start, uint64_t pgoff, uint64_t *by);
/*
 * Are the `n` bytes at `addr` in memory, and readable or (`write`) writable, wherever the file is
 * loaded?  The part of a segment that is not in the file, .bss, counts too.
 */
bool rt_image_can_access(const struct rt_image *image, uint64_t addr, size_t n, bool write);
/* The same as rt_image_offset, only for executable segments. */
bool rt_image_is_code(const struct rt_image *image, uint64_t addr);
/*
 * Read up to `n` bytes of the file at a virtual address.  Returns the bytes read, 0 where there are
 * none.
 */
size_t rt_image_read(const struct rt_image *image, uint64_t addr, void *buf, size_t n);

/* The same, only from segments that nobody writes to: a process has there what the file has. */
size_t rt_image_read_constant(const struct rt_image *image, uint64_t addr, void *buf, size_t n);

/*
 * The function symbols of .symtab and .dynsym together, defined ones only, sorted by address then
 * name, without exact duplicates.  Read at the first call.  `*v` stays the image's.  A damaged
 * table is an error, a missing one is not.
 */
int rt_image_symbols(struct rt_image *image, const struct rt_symbol **v, size_t *n,
		     struct rt_error *err);

/*
 * The same, and where the file has no .symtab, what was found for it elsewhere: its debug file's
 * .symtab, else .gnu_debugdata.  The list of an earlier call is then no longer valid.
 */
int rt_image_all_symbols(struct rt_image *image, const struct rt_symbol **v, size_t *n,
			 struct rt_error *err);

/* All symbols at `addr`, `*n` of them; the symbols must have been read.  They stay the image's. */
const struct rt_symbol *rt_symbols_at(const struct rt_image *image, uint64_t addr, size_t *n);

/* Does the file import (.dynsym, undefined) a symbol of that name? */
bool rt_image_imports(struct rt_image *image, const char *name);

/*
 * Why code of this file may unwind through, or leave, the frames of others (Go, C++, Rust,
 * _Unwind_*, pthread_exit, pthread_cancel, swapcontext, sigaltstack ...), so that a uretprobe
 * anywhere in its process could harm it: a phrase as "imports pthread_cancel".  NULL where nothing
 * says so.
 */
const char *rt_image_unwinds(struct rt_image *image);

/*
 * The function by which code that nobody can judge yet may come to run among this file's: exec,
 * after which probes in libraries are in whatever program that is, or dlopen.  NULL: none.  The C
 * library itself does not count: what its posix_spawn and system start are other processes, and
 * what it loads (iconv, NSS) is C.
 */
const char *rt_image_becomes(struct rt_image *image);

/* Whether it may exec alone. */
const char *rt_image_execs(struct rt_image *image);

/*
 * The function by which code of this file may longjmp, or fork, or load code that does; NULL: none.
 * The C library itself does not count.
 */
const char *rt_image_jumps(struct rt_image *image);
const char *rt_image_forks(struct rt_image *image);
/* The same for what puts the process under seccomp; no code that is loaded later counts. */
const char *rt_image_filters(struct rt_image *image);

/* Does a function of that name look at its return address, or return in a way of its own? */
bool rt_name_reads_return_address(const char *name);

#endif
