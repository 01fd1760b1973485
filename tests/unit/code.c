/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/flow.h"
#include "elf/file.h"
#include "elfgen.h"
#include "unit.h"

static char *copy_section(Elf *elf, const char *name, size_t *size)
{
	Elf_Scn *section = NULL;
	size_t names;

	CU_ASSERT_FATAL(elf_getshdrstrndx(elf, &names) == 0);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const Elf_Data *data;
		char *copy;

		CU_ASSERT_FATAL(gelf_getshdr(section, &header) != NULL);
		if (strcmp(elf_strptr(elf, names, header.sh_name), name) != 0)
			continue;
		data = elf_getdata(section, NULL);
		copy = malloc(data->d_size + 1);
		CU_ASSERT_FATAL(copy != NULL);
		memcpy(copy, data->d_buf, data->d_size);
		*size = data->d_size;
		return copy;
	}
	*size = 0;
	return NULL;
}

/* The cases' names and what they want, in turn, as the macro `case` writes them. */
static const char *find_want(const struct code *code, size_t size, const char *name)
{
	const char *p, *next;

	for (p = code->wants; p && p < code->wants + size; p = next + strlen(next) + 1) {
		next = p + strlen(p) + 1;
		if (strcmp(p, name) == 0)
			return next;
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct code_part *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void add_part(struct code *code, const char *name, const GElf_Sym *symbol, size_t wants)
{
	struct code_part *part = &code->parts[code->nparts++];
	bool is_function = GELF_ST_TYPE(symbol->st_info) == STT_FUNC;

	part->name = name;
	part->want = find_want(code, wants, name);
	part->kind = part->want ? CODE_CASE : is_function ? CODE_FUNCTION : CODE_BYTES;
	part->at = symbol->st_value;
	part->bytes = code->bytes + part->at;
}

/* "$x" and "$d" tell code and data apart on aarch64. */
static bool is_label(const GElf_Sym *symbol, const char *name)
{
	return GELF_ST_TYPE(symbol->st_info) <= STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_shndx < SHN_LORESERVE && *name && *name != '$';
}

/* With a relocation, a place in the code would be left out. */
static void read_parts(struct code *code, Elf *elf, size_t wants)
{
	size_t n, names_size, i, rela;
	char *symbols = copy_section(elf, ".symtab", &n);
	char *relocations = copy_section(elf, ".rela.text", &rela);

	CU_ASSERT_FATAL(symbols != NULL && rela == 0);
	n /= sizeof(GElf_Sym);
	code->names = copy_section(elf, ".strtab", &names_size);
	code->parts = calloc(n, sizeof(*code->parts));
	CU_ASSERT_FATAL(code->names && code->parts);
	for (i = 0; i < n; i++) {
		GElf_Sym symbol;

		memcpy(&symbol, symbols + i * sizeof(symbol), sizeof(symbol));
		if (is_label(&symbol, code->names + symbol.st_name))
			add_part(code, code->names + symbol.st_name, &symbol, wants);
	}
	qsort(code->parts, code->nparts, sizeof(*code->parts), by_address);
	for (i = 0; i < code->nparts; i++) {
		size_t end = i + 1 < code->nparts ? code->parts[i + 1].at : code->n;

		code->parts[i].size = end - code->parts[i].at;
	}
	free(symbols);
	free(relocations);
}

static uint16_t machine_of(const char *theme)
{
	const char *name = strrchr(theme, '.') + 1;

	if (strcmp(name, "x86_64") == 0)
		return EM_X86_64;
	return strcmp(name, "i386") == 0 ? EM_386 : EM_AARCH64;
}

void code_open(struct code *code, const char *theme)
{
	char path[512];
	size_t wants;
	Elf *elf;
	int fd;

	memset(code, 0, sizeof(*code));
	code->arch = rt_arch_of(machine_of(theme));
	snprintf(path, sizeof(path), RT_CODE "/%s.o", theme);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	if (lseek(fd, 0, SEEK_END) > 0) {
		elf_version(EV_CURRENT);
		elf = elf_begin(fd, ELF_C_READ, NULL);
		CU_ASSERT_FATAL(elf_kind(elf) == ELF_K_ELF);
		code->bytes = (uint8_t *)copy_section(elf, ".text", &code->n);
		code->wants = copy_section(elf, ".wants", &wants);
		read_parts(code, elf, wants);
		elf_end(elf);
	}
	close(fd);
}

void code_close(struct code *code)
{
	free(code->bytes);
	free(code->parts);
	free(code->names);
	free(code->wants);
}

bool code_works(const struct code *code)
{
	struct rt_decoder *decoder = rt_flow_open(code->arch);
	bool works = rt_flow_works(code->arch, decoder);

	rt_decoder_close(decoder);
	if (code->arch != &rt_arch_aarch64 && code->arch->kernel_machine != rt_arch_native())
		return false;
	return works;
}

static void check_each(const struct code *code,
		       void check(const struct code *code, const struct code_part *c))
{
	size_t i;

	for (i = 0; i < code->nparts; i++)
		if (code->parts[i].kind == CODE_CASE)
			check(code, &code->parts[i]);
}

void code_each(const char *theme, void check(const struct code *code, const struct code_part *c))
{
	struct code code;

	code_open(&code, theme);
	check_each(&code, check);
	code_close(&code);
}

void code_each_working(const char *theme,
		       void check(const struct code *code, const struct code_part *c))
{
	struct code code;

	code_open(&code, theme);
	if (code_works(&code))
		check_each(&code, check);
	code_close(&code);
}

const struct code_part *code_part(const struct code *code, const char *name)
{
	size_t i;

	for (i = 0; i < code->nparts; i++)
		if (strcmp(code->parts[i].name, name) == 0)
			return &code->parts[i];
	printf("no code has the label %s\n", name);
	CU_FAIL_FATAL("no label");
	return NULL;
}

struct rt_image *code_image(const struct code *code, const struct code_part *c, const char *name)
{
	uint8_t *copy = malloc(code->n);
	struct elfgen_sym symbols[64];
	struct elfgen g = {
		.bits = 8 * code->arch->word, .base = CODE_BASE,
		.code = copy, .ncode = code->n,
		/* Files of aarch64 are refused elsewhere. */
		.machine = code->arch == &rt_arch_aarch64 ? rt_arch_native() : code->arch->machine,
		.syms = symbols,
	};
	const struct rt_symbol *v;
	struct rt_image *image;
	size_t i;

	CU_ASSERT_FATAL(copy != NULL);
	memcpy(copy, code->bytes, code->n);
	for (i = 0; i < code->nparts && g.nsyms < 64; i++) {
		const struct code_part *p = &code->parts[i];

		if (p != c && p->kind == CODE_CASE)
			memset(copy + p->at, 0x90, p->size);
		if (p == c || p->kind == CODE_FUNCTION)
			symbols[g.nsyms++] = (struct elfgen_sym){
				.name = p == c ? name : p->name,
				.value = CODE_FIRST + p->at, .size = p->size,
				.bind = STB_LOCAL, .type = STT_FUNC, .shndx = ELFGEN_TEXT,
			};
	}
	image = elfgen_open(&g);
	free(copy);
	image->arch = code->arch;
	CU_ASSERT(rt_image_symbols(image, &v, &i, NULL) == 0);
	return image;
}

void code_place(const struct code *code, const struct code_part *c, uint64_t address, char *text,
		size_t size)
{
	size_t at = (size_t)(address - CODE_FIRST), i;

	if (at - c->at < c->size) {
		snprintf(text, size, "%zu", at - c->at);
		return;
	}
	snprintf(text, size, " %llx", (unsigned long long)address);
	for (i = 0; i < code->nparts; i++) {
		const struct code_part *p = &code->parts[i];

		if (at - p->at < p->size)
			snprintf(text, size, " %s+%zu", p->name, at - p->at);
	}
}

void code_check(const struct code *code, const struct code_part *c, const char *got, bool right)
{
	if (right)
		return;
	printf("%s, %s: %s\nwant: %s\n", code->arch->name, c->name, got, c->want);
	CU_FAIL("another verdict");
}

void code_check_text(const struct code *code, const struct code_part *c, const char *got)
{
	code_check(code, c, got, strcmp(got, c->want) == 0);
}
