/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/inside.h"

#include <stdlib.h>
#include <string.h>

#include "arch/decode.h"

enum { INSIDE_MAX = 1 << 20, INSN_MAX = 16 };

static const char *decoded(struct rt_decoder *decoder, const uint8_t *bytes, size_t n,
			   uint64_t from, uint64_t addr)
{
	struct rt_insn insn;
	uint64_t at;

	for (at = from; at < addr; at += insn.size)
		if (!rt_decode(decoder, bytes + (at - from), n - (size_t)(at - from), at, &insn))
			return "is behind code that cannot be decoded";
	return at == addr ? NULL : "is in the midst of an instruction";
}

const char *rt_inside(const struct rt_image *image, uint64_t from, uint64_t addr)
{
	const struct rt_arch *arch = rt_image_arch(image);
	struct rt_decoder *decoder;
	const char *why;
	uint8_t *bytes;
	size_t n;

	if (!rt_image_is_code(image, addr))
		return "is no code";
	if (arch->insn_align > 1)
		return addr % arch->insn_align ? "is in the midst of an instruction" : NULL;
	if (addr - from > INSIDE_MAX)
		return "is too far behind the function's entry";
	decoder = rt_decoder_open(arch);
	if (!decoder)
		return "may be in the midst of an instruction: that needs a decoder "
		       "(capstone) for this machine";
	bytes = malloc((size_t)(addr - from) + INSN_MAX);
	n = bytes ? rt_image_read(image, from, bytes, (size_t)(addr - from) + INSN_MAX) : 0;
	why = n <= addr - from ? "is not in the file" : decoded(decoder, bytes, n, from, addr);
	free(bytes);
	rt_decoder_close(decoder);
	return why;
}

const char *rt_inside_nothing(const struct rt_image *image, uint64_t addr)
{
	const struct rt_arch *arch = rt_image_arch(image);
	uint8_t before[RT_ARCH_BEFORE], insn[4];

	if (!rt_image_is_code(image, addr))
		return "is no code";
	if (addr % arch->insn_align)
		return "is in the midst of an instruction";
	if (rt_image_read(image, addr, insn, sizeof(insn)) == sizeof(insn) && arch->is_landing &&
	    arch->is_landing(insn))
		return NULL;
	if (addr >= sizeof(before) &&
	    rt_image_read(image, addr - sizeof(before), before, sizeof(before)) == sizeof(before) &&
	    addr % 16 == 0 && arch->ends_code(before))
		return NULL;
	return "is in no function that a symbol names, and nothing shows that code begins there";
}

bool rt_same_file(const char *path, const char *file)
{
	size_t n = path ? strlen(path) : 0, k = strlen(file);

	return n >= k && strcmp(path + n - k, file) == 0 && (n == k || path[n - k - 1] == '/');
}
