/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "image/private.h"

/*
 * An IFUNC's symbol is its resolver: run once by the loader, it answers with the address of the implementation that
 * suits the processor.  Which one that is only shows in the process, so all that the resolver's code can answer with
 * are taken.
 */

#define MAX_CODE 1024

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

static uint32_t word(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * The address that an instruction at `p` loads into a register, if it is one of those that resolvers use.  Shapes are
 * looked for at every byte, without decoding what stands between.
 */
static bool loads_address(const struct rt_image *image, const uint8_t *p, size_t left, uint64_t pc, uint64_t *addr)
{
	bool x86_64 = image->arch->machine == EM_X86_64;

	/* lea disp32(%rip),%reg64 */
	if (x86_64 && left >= 7 && (p[0] == 0x48 || p[0] == 0x4c) && p[1] == 0x8d && (p[2] & 0xc7) == 0x05) {
		*addr = pc + 7 + (uint64_t)(int64_t)(int32_t)word(p + 3);
		return true;
	}
	/* Only what is linked to a fixed address can have its functions' addresses in its instructions. */
	if (image->type != ET_EXEC)
		return false;
	if (x86_64 && left >= 7 && p[0] == 0x48 && p[1] == 0xc7 && p[2] >= 0xc0 && p[2] <= 0xc7) {
		*addr = (uint64_t)(int64_t)(int32_t)word(p + 3);	/* mov $imm32,%reg64 */
		return true;
	}
	if (left >= 5 && p[0] >= 0xb8 && p[0] <= 0xbf) {
		*addr = word(p + 1);	/* mov $imm32,%reg32 */
		return true;
	}
	return false;
}

/* What may stand before a function: padding, or the end of one that fills its last 16 bytes. */
static bool follows_code_end(const struct rt_image *image, uint64_t addr)
{
	uint8_t p[5];

	if (rt_image_read(image, addr - sizeof(p), p, sizeof(p)) != sizeof(p))
		return true;	/* the first function of its segment */
	return p[4] == 0x90 || p[4] == 0x00 || p[4] == 0xcc || p[4] == 0xc3 ||	/* nops, int3, ret */
	       p[0] == 0xe9 || p[3] == 0xeb;					/* jmp */
}

/*
 * A wrong answer would put a probe into the middle of an instruction.  With a .symtab a function's symbol must be
 * there; without one it must look like the beginning of one.
 */
static bool is_implementation(const struct rt_image *image, uint64_t addr, bool has_endbr)
{
	const struct rt_symbol *v;
	uint8_t code[sizeof(endbr64)];
	size_t i, n;

	if (!rt_image_is_code(image, addr))
		return false;
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC)
			return true;
	if (image->symtab.present || addr % 16)
		return false;
	if (has_endbr)	/* built for CET: whatever is called indirectly begins so */
		return rt_image_read(image, addr, code, sizeof(code)) == sizeof(code) &&
		       memcmp(code, endbr64, sizeof(code)) == 0;
	return follows_code_end(image, addr);
}

size_t rt_ifunc_implementations(const struct rt_image *image, const struct rt_symbol *symbol,
				uint64_t v[RT_MAX_IMPLEMENTATIONS])
{
	uint8_t code[MAX_CODE];
	size_t size, i, k, n = 0;
	uint64_t addr;
	bool has_endbr;

	if (image->arch->machine != EM_X86_64 && image->arch->machine != EM_386)
		return 0;
	size = rt_image_read(image, symbol->addr, code, symbol->size < MAX_CODE ? symbol->size : MAX_CODE);
	has_endbr = size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0;
	for (i = 0; i < size && n < RT_MAX_IMPLEMENTATIONS; i++) {
		if (!loads_address(image, code + i, size - i, symbol->addr + i, &addr) ||
		    !is_implementation(image, addr, has_endbr))
			continue;
		for (k = 0; k < n && v[k] != addr; k++)
			;
		if (k == n)
			v[n++] = addr;
	}
	return n;
}
