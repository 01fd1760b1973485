/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thunks of x86 in place of returns and of jumps through registers, against speculation
 * (-mfunction-return=thunk, -mindirect-branch=thunk, -mretpoline): a call past a loop that only
 * speculation comes to, and there a return to what is on the stack, or was put there.
 */
#include <string.h>

#include "code/code.h"
#include "elf/file.h"

enum { CALL = 0xe8, CALL_BYTES = 5, WAY_MAX = 64, LEAVE_BYTES = 6 };

static enum rt_thunk by_name(const char *name)
{
	if (strcmp(name, "__x86_return_thunk") == 0)
		return RT_THUNK_RETURN;
	return strncmp(name, "__x86_indirect_thunk", 20) == 0 ||
			       strncmp(name, "__llvm_retpoline_", 17) == 0
		       ? RT_THUNK_JUMP
		       : RT_THUNK_NONE;
}

/* Classify the code at the call's target. */
static enum rt_thunk by_end(const uint8_t *p, bool wide)
{
	if (wide ? memcmp(p, "\x48\x8d\x64\x24\x08\xc3", 6) == 0 ||
			    memcmp(p, "\x48\x83\xc4\x08\xc3", 5) == 0
		 : memcmp(p, "\x8d\x64\x24\x04\xc3", 5) == 0 ||
			    memcmp(p, "\x83\xc4\x04\xc3", 4) == 0)
		return RT_THUNK_RETURN;
	if (wide && (p[0] & 0xfb) == 0x48)
		p++;
	/* mov %REGISTER,(%rsp); ret */
	return p[0] == 0x89 && (p[1] & 0xc7) == 0x04 && p[2] == 0x24 && p[3] == 0xc3
		       ? RT_THUNK_JUMP
		       : RT_THUNK_NONE;
}

static enum rt_thunk by_code(const struct rt_image *image, uint64_t addr)
{
	uint8_t p[CALL_BYTES + 2], end[LEAVE_BYTES];
	uint32_t way;

	if (rt_image_read(image, addr, p, sizeof(p)) != sizeof(p) || p[0] != CALL ||
	    p[CALL_BYTES] != 0xf3 || p[CALL_BYTES + 1] != 0x90)
		return RT_THUNK_NONE;
	way = rt_arch_word(p + 1);
	if (way > WAY_MAX ||
	    rt_image_read(image, addr + CALL_BYTES + way, end, sizeof(end)) != sizeof(end))
		return RT_THUNK_NONE;
	return by_end(end, image->arch->word == 8);
}

enum rt_thunk rt_image_thunk(const struct rt_image *image, uint64_t addr)
{
	enum rt_thunk thunk = RT_THUNK_NONE;
	const struct rt_symbol *v;
	size_t i, n;

	if (!image->arch->form)
		return thunk;
	v = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n && !thunk; i++)
		thunk = by_name(v[i].name);
	return thunk ? thunk : by_code(image, addr);
}

enum rt_thunk rt_code_thunk(struct rt_code *code, uint64_t addr)
{
	return rt_image_thunk(rt_code_image(code), addr);
}
