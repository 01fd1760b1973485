/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits of a function, over any code: an ELF file is made around the input's bytes, with symbols
 * that the input's beginning places in them.  Whatever the bytes are, an exit is at an instruction
 * of the function.  Input: MACHINE, 7 more bytes: the symbols' places, code.
 */
#include <elf.h>
#include <string.h>

#include "file.h"
#include "code/exits.h"
#include "safety/recursion.h"

enum { HEAD = 8, SYMBOLS = 6, CODE_MAX = 4096 };
#define BASE 0x400000u

static const char strings[] = "\0a\0b\0a.cold\0c\0d\0e\0.text\0.symtab\0.strtab\0.plt\0";
static const uint8_t names[SYMBOLS] = { 1, 3, 5, 12, 14, 16 };

/* Headers, code, symbols, strings, section headers, one behind another. */
struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	uint8_t code[CODE_MAX];
	Elf64_Sym syms[SYMBOLS + 1];
	char strings[sizeof(strings)];
	Elf64_Shdr sections[4];
};

static void make_symbols(struct file *f, const uint8_t *head, size_t n)
{
	unsigned i;

	for (i = 0; i < SYMBOLS; i++) {
		size_t at = i ? head[1 + i] * 16u % (n + 1) : 0;

		f->syms[i + 1] = (Elf64_Sym){
			.st_name = names[i],
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = BASE + offsetof(struct file, code) + at,
			.st_size = i ? (n - at) / 2 : n,
		};
	}
}

static void make(struct file *f, const uint8_t *head, const uint8_t *code, size_t n)
{
	static const uint16_t machines[] = { EM_X86_64, 183 };

	memset(f, 0, sizeof(*f));
	memcpy(f->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	f->ehdr.e_type = head[0] & 2 ? ET_DYN : ET_EXEC;
	f->ehdr.e_machine = machines[head[0] & 1];
	f->ehdr.e_version = 1;
	f->ehdr.e_ehsize = sizeof(f->ehdr);
	f->ehdr.e_phoff = offsetof(struct file, phdr);
	f->ehdr.e_phentsize = sizeof(f->phdr);
	f->ehdr.e_phnum = 1;
	f->ehdr.e_shoff = offsetof(struct file, sections);
	f->ehdr.e_shentsize = sizeof(f->sections[0]);
	f->ehdr.e_shnum = 4;
	f->ehdr.e_shstrndx = 3;
	f->phdr = (Elf64_Phdr){ .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = BASE,
				.p_filesz = sizeof(*f),
				.p_memsz = sizeof(*f) };
	memcpy(f->code, code, n);
	memcpy(f->strings, strings, sizeof(strings));
	make_symbols(f, head, n);
	f->sections[1] = (Elf64_Shdr){ .sh_name = head[7] & 1 ? 40 : 18,
				       .sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				       .sh_addr = BASE + offsetof(struct file, code),
				       .sh_offset = offsetof(struct file, code),
				       .sh_size = n };
	f->sections[2] = (Elf64_Shdr){ .sh_name = 24,
				       .sh_type = SHT_SYMTAB,
				       .sh_offset = offsetof(struct file, syms),
				       .sh_size = sizeof(f->syms),
				       .sh_link = 3,
				       .sh_entsize = sizeof(f->syms[0]),
				       .sh_info = 1 };
	f->sections[3] = (Elf64_Shdr){ .sh_name = 32,
				       .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(struct file, strings),
				       .sh_size = sizeof(strings) };
}

static void check(struct rt_image *image, struct rt_code *code, const struct rt_symbol *s)
{
	uint64_t addr = s->addr, size = s->size;
	struct rt_exits exits;
	uint8_t bytes[16];
	size_t i, n;

	if (rt_exits_find(code, s->addr, s->size, &exits) < 0)
		abort();
	if (exits.why && exits.n)
		abort();
	for (i = 0; i < exits.n; i++) {
		n = rt_image_read(image, exits.v[i].at.addr, bytes, sizeof(bytes));
		if (!n || !exits.v[i].at.size ||
		    rt_image_arch(image)->refuses(bytes, n, RT_NOPS_TRAP))
			abort();
		if (i && exits.v[i].at.addr <= exits.v[i - 1].at.addr)
			abort();
		if (exits.v[i].cheaper.addr && exits.v[i].cheaper.addr >= exits.v[i].at.addr)
			abort();
	}
	rt_exits_free(&exits);
	rt_code_recurses(code, s->addr, s->size, 16);
	for (i = 0; i < 2; i++) {
		addr = s->addr;
		size = s->size;
		if (rt_exits_find_leap(code, i, &addr, &size) == 0 &&
		    (!size || !rt_image_is_code(image, addr)))
			abort();
	}
}

static void try_all(struct rt_image *image)
{
	struct rt_code *code = rt_code_open(image);
	const struct rt_symbol *v;
	struct rt_error err;
	size_t i, n;

	if (code && rt_image_symbols(image, &v, &n, &err) == 0)
		for (i = 0; i < n; i++)
			check(image, code, &v[i]);
	rt_code_close(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct file f;
	struct rt_image *image;
	char path[64];
	FILE *file;

	if (size <= HEAD || size - HEAD > CODE_MAX)
		return 0;
	make(&f, data, data + HEAD, size - HEAD);
	image = fuzz_image(&f, sizeof(f), &file, path);
	if (image)
		try_all(image);
	rt_image_close(image);
	fclose(file);
	return 0;
}
