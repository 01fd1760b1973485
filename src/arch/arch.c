/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/arch.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "arch/errno_at.h"
#include "arch/flow.h"
#include "base/array.h"

/*
 * A 32-bit rawtrace would see an i386 kernel's pt_regs or a 64-bit one's, as the machine has it:
 * there is no table for the first, and no way to tell them apart that setarch(8) does not bend.
 */
#if defined(__x86_64__)
#define NATIVE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE 183	/* EM_AARCH64: old elf.h lack it */
#else
#define NATIVE EM_NONE
#endif

static const struct rt_arch *const table[] = { &rt_arch_x86_64, &rt_arch_i386, &rt_arch_aarch64 };

/* Those that a user may meet; numbers, because each elf.h knows only those of its time. */
static const struct {
	uint16_t machine;
	const char *name;
} names[] = {
	{ 2, "sparc" },	     { 3, "i386" },	 { 4, "m68k" },	      { 8, "mips" },
	{ 15, "parisc" },    { 20, "powerpc" },	 { 21, "powerpc64" }, { 22, "s390" },
	{ 40, "arm" },	     { 42, "sh" },	 { 43, "sparc64" },   { 50, "ia64" },
	{ 62, "x86-64" },    { 164, "hexagon" }, { 183, "aarch64" },  { 195, "arc" },
	{ 243, "riscv" },    { 247, "bpf" },	 { 252, "csky" },     { 258, "loongarch" },
	{ 0x9026, "alpha" },
};

const struct rt_arch *rt_arch_of(uint16_t machine)
{
	size_t i;

	for (i = 0; i < RT_COUNT(table); i++)
		if (table[i]->machine == machine)
			return table[i];
	return NULL;
}

const struct rt_arch *rt_arch_at(unsigned i)
{
	return i < RT_COUNT(table) ? table[i] : NULL;
}

uint16_t rt_arch_native(void)
{
	return NATIVE;
}

const char *rt_arch_name(uint16_t machine, char *buf, size_t size)
{
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(buf, size, "machine %u", machine);
	return buf;
}

const char *rt_form_name(enum rt_form form)
{
	static const char *const v[RT_FORMS] = {
		"another instruction",
		"push",
		"push",
		"nop",
		"a 2-byte nop",
		"a long nop",
		"a 5-byte nop",
		"a 10-byte nop",
		"jmp",
		"a conditional jump",
		"call",
		"endbr",
		"sub from the stack pointer",
		"mov",
		"test",
		"xor",
		"lea",
		"ret",
	};

	return v[form < RT_FORMS ? form : RT_FORM_OTHER];
}

bool rt_flow_works(const struct rt_arch *arch, const struct rt_decoder *decoder)
{
	return decoder || arch->flow;
}

bool rt_flow_decode(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		    size_t n, uint64_t addr, struct rt_flow *flow)
{
	memset(flow, 0, sizeof(*flow));
	flow->to = flow->from = flow->other = flow->mem.base = flow->mem.index = RT_NO_REG;
	if (arch->flow)
		return arch->flow(bytes, n, addr, flow);
	return decoder && rt_flow_x86(decoder, arch->word == 8, bytes, n, addr, flow);
}

/* ---- __errno_location ---- */

/* Farther from the thread pointer no library is. */
enum { FARTHEST = 1 << 24 };

bool rt_sum_add(struct rt_sum *to, const struct rt_sum *other)
{
	if (!to->known || !other->known || (to->thread && other->thread) ||
	    (to->memory && other->memory))
		return false;
	to->thread |= other->thread;
	to->memory |= other->memory;
	to->address += other->address;
	to->number += other->number;
	return true;
}

struct rt_sum rt_sum_number(uint64_t n)
{
	return (struct rt_sum){ .known = true, .number = n };
}

struct rt_sum rt_sum_thread(void)
{
	return (struct rt_sum){ .known = true, .thread = true };
}

struct rt_sum rt_sum_word(uint64_t address)
{
	return (struct rt_sum){ .known = true, .memory = true, .address = address };
}

bool rt_sum_errno(const struct rt_sum *result, struct rt_errno_at *at)
{
	int64_t offset = (int64_t)result->number;

	memset(at, 0, sizeof(*at));
	if (!result->known || !result->thread || (result->memory && offset) || offset > FARTHEST ||
	    offset < -FARTHEST)
		return false;
	at->in_slot = result->memory;
	at->offset = offset;
	at->slot = result->address;
	return result->memory || offset;
}
