/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A BPF program cannot emulate the return of an empty function: another tool's uretprobe there is
 * prepared after all programs have run, at the sp that they leave.  But it can leave sp alone and
 * set ip to another return, which the processor executes.
 *
 * No tool has a probe on a byte c3 inside another instruction.  An example from libLLVM-14:
 * `lea 0x53f0bc3(%rip),%rdx`.  It is one of the first instructions of a function, before the stack
 * pointer changes.  There an unwinder finds the return address at sp, as in the empty function.
 *
 * Limit: a signal handler that interrupts the thread at this very return finds another function's
 * name for its innermost frame.
 */
#include "code/spare_return.h"

#include <string.h>

#include "arch/decode.h"
#include "arch/emulation.h"
#include "elf/eh_frame.h"

enum { LOOKED_AT = 32 };

/* In the code of one function; 0: there is none. */
static uint64_t find_in(struct rt_decoder *decoder, const struct rt_symbol *f, const uint8_t *bytes,
			size_t n)
{
	const uint8_t *found;
	struct rt_insn insn;
	size_t at;

	for (at = 0; at < n && rt_decode(decoder, bytes + at, n - at, f->addr + at, &insn);
	     at += insn.size) {
		found = memchr(bytes + at + 1, RT_RETURN_BYTE, insn.size - 1u);
		if (found)
			return f->addr + (uint64_t)(found - bytes);
		if (insn.not_plain || insn.branch || insn.indirect || insn.sp_down)
			break;
	}
	return 0;
}

/* Unwinders need to know of it, if the file has anything for them. */
static bool can_unwind(const struct rt_image *image, uint64_t addr)
{
	struct rt_eh_cursor c = { 0 };
	uint64_t index;

	if (!rt_eh_index(image, &index))
		return true;
	rt_eh_seek(&c, image, index);
	return rt_eh_find(&c, index, addr) != 0;
}

uint64_t rt_spare_return(struct rt_image *image)
{
	struct rt_decoder *decoder = rt_decoder_open(rt_image_arch(image));
	const struct rt_symbol *v;
	uint8_t bytes[LOOKED_AT];
	uint64_t found = 0;
	size_t i, n, got;

	if (!decoder || rt_image_symbols(image, &v, &n, NULL) < 0)
		n = 0;
	for (i = 0; i < n && !found; i++) {
		if (!v[i].sized || v[i].kind == RT_SYM_NOTYPE)
			continue;
		got = rt_image_read(image, v[i].addr, bytes,
				    v[i].size < LOOKED_AT ? v[i].size : LOOKED_AT);
		if (!memchr(bytes, RT_RETURN_BYTE, got))
			continue;
		found = find_in(decoder, &v[i], bytes, got);
		if (found && !can_unwind(image, found))
			found = 0;
	}
	rt_decoder_close(decoder);
	return found;
}
