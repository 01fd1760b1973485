/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>

#include "elf/file.h"
#include "code/ifunc.h"

/*
 * An IFUNC's symbol is its resolver: run once by the loader, it answers with the address of the
 * implementation that suits the processor.  Which one that is only shows in the process, so all
 * that the resolver's code can answer with are taken.
 */

#define MAX_CODE 1024

static bool begins_with_landing(const struct rt_image *image, uint64_t addr)
{
	uint8_t code[4];

	return rt_image_read(image, addr, code, sizeof(code)) == sizeof(code) &&
	       image->arch->is_landing(code);
}

static bool follows_code_end(const struct rt_image *image, uint64_t addr)
{
	uint8_t code[RT_ARCH_BEFORE];

	if (rt_image_read(image, addr - sizeof(code), code, sizeof(code)) != sizeof(code))
		return true;	/* the first function of its segment */
	return image->arch->ends_code(code);
}

/*
 * A wrong answer would put a probe into the middle of an instruction.  With a .symtab a function's
 * symbol must be there; without one it must look like the beginning of one.
 */
static bool is_implementation(const struct rt_image *image, uint64_t addr, bool checked)
{
	const struct rt_symbol *v;
	size_t i, n;

	if (!rt_image_is_code(image, addr))
		return false;
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_FUNC)
			return true;
	if (image->symtab.present || image->has_more || addr % 16)
		return false;
	if (checked)	/* built for CET or BTI: whatever is called indirectly begins so */
		return begins_with_landing(image, addr);
	return follows_code_end(image, addr);
}

size_t rt_ifunc_implementations(const struct rt_image *image, const struct rt_symbol *symbol,
				uint64_t v[RT_MAX_IMPLEMENTATIONS])
{
	const struct rt_arch *arch = image->arch;
	bool checked = begins_with_landing(image, symbol->addr);
	uint8_t code[MAX_CODE];
	size_t size, i, k, n = 0;
	uint64_t addr;

	size = rt_image_read(image, symbol->addr, code,
			     symbol->size < MAX_CODE ? symbol->size : MAX_CODE);
	for (i = 0; i < size && n < RT_MAX_IMPLEMENTATIONS; i += arch->insn_align) {
		if (!arch->loads_address(code + i, size - i, symbol->addr + i,
					 image->type == ET_EXEC, &addr) ||
		    !is_implementation(image, addr, checked))
			continue;
		for (k = 0; k < n && v[k] != addr; k++)
			;
		if (k == n)
			v[n++] = addr;
	}
	return n;
}
