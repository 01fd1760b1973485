/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "go/go.h"
#include "elf/file.h"
#include "base/array.h"

/* Runtime records of goroutines are some hundred bytes. */
enum { GOID_MOST = 4096 };

/*
 * The instructions of which the compilers of Go 1.15 to 1.27 make a stack check
 * (cmd/internal/obj/x86/obj6.go).
 */
struct piece {
	uint8_t n, rest;	/* so many known bytes, and so many that may be anything */
	bool guard, jumps;	/* compares with the guard; jumps to where the stack grows */
	uint8_t bytes[5];
};

static const struct piece pieces[] = {
	{ 5, 4, false, false, { 0x64, 0x48, 0x8b, 0x0c, 0x25 } },	/* mov %fs:N,%rcx */
	{ 5, 4, false, false, { 0x64, 0x4c, 0x8b, 0x34, 0x25 } },	/* mov %fs:N,%r14 */
	{ 3, 4, false, false, { 0x48, 0xc7, 0xc1 } },			/* mov $N,%rcx */
	{ 3, 4, false, false, { 0x49, 0xc7, 0xc6 } },			/* mov $N,%r14 */
	{ 3, 4, false, false, { 0x48, 0x8b, 0x0d } },			/* mov N(%rip),%rcx */
	{ 3, 4, false, false, { 0x4c, 0x8b, 0x35 } },			/* mov N(%rip),%r14 */
	{ 4, 0, false, false, { 0x64, 0x48, 0x8b, 0x09 } },		/* mov %fs:(%rcx),%rcx */
	{ 4, 0, false, false, { 0x64, 0x4d, 0x8b, 0x36 } },		/* mov %fs:(%r14),%r14 */
	{ 3, 1, true, false, { 0x48, 0x3b, 0x61 } },			/* cmp N(%rcx),%rsp */
	{ 3, 1, true, false, { 0x49, 0x3b, 0x66 } },			/* cmp N(%r14),%rsp */
	{ 4, 1, false, false, { 0x48, 0x8d, 0x44, 0x24 } },		/* lea N(%rsp),%rax */
	{ 4, 4, false, false, { 0x48, 0x8d, 0x84, 0x24 } },
	{ 4, 1, false, false, { 0x4c, 0x8d, 0x64, 0x24 } },		/* lea N(%rsp),%r12 */
	{ 4, 4, false, false, { 0x4c, 0x8d, 0xa4, 0x24 } },
	{ 3, 1, true, false, { 0x48, 0x3b, 0x41 } },			/* cmp N(%rcx),%rax */
	{ 3, 1, true, false, { 0x4d, 0x3b, 0x66 } },			/* cmp N(%r14),%r12 */
	{ 3, 0, false, false, { 0x49, 0x89, 0xe4 } },			/* mov %rsp,%r12 */
	{ 3, 4, false, false, { 0x49, 0x81, 0xec } },			/* sub $N,%r12 */
	{ 3, 1, false, false, { 0x48, 0x8b, 0x71 } },			/* mov N(%rcx),%rsi */
	{ 3, 4, false, false, { 0x48, 0x81, 0xfe } },			/* cmp $N,%rsi */
	{ 3, 0, false, false, { 0x48, 0x29, 0xf0 } },			/* sub %rsi,%rax */
	{ 2, 4, true, false, { 0x48, 0x3d } },				/* cmp $N,%rax */
	{ 1, 1, false, true, { 0x76 } },				/* jbe */
	{ 2, 4, false, true, { 0x0f, 0x86 } },
	{ 1, 1, false, true, { 0x72 } },				/* jb */
	{ 2, 4, false, true, { 0x0f, 0x82 } },
	{ 1, 1, false, true, { 0x74 } },				/* je */
	{ 2, 4, false, true, { 0x0f, 0x84 } },
};

static const struct piece *piece_at(const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < RT_COUNT(pieces); i++)
		if (n >= (size_t)pieces[i].n + pieces[i].rest &&
		    memcmp(bytes, pieces[i].bytes, pieces[i].n) == 0)
			return &pieces[i];
	return NULL;
}

uint32_t rt_go_past_check(const uint8_t *bytes, size_t n)
{
	const struct piece *piece;
	bool guarded = false;
	uint32_t at = 0, past = 0;

	while ((piece = piece_at(bytes + at, n - at))) {
		at += piece->n + piece->rest;
		guarded |= piece->guard;
		if (piece->jumps && guarded)
			past = at;
	}
	return past;
}

/*
 * The linkers make "mov $N" of what would read a table, in programs that are not to be loaded by
 * others.
 */
bool rt_go_thread_offset(const uint8_t *bytes, size_t n, int32_t *at)
{
	bool rcx, whole = n >= 11 && bytes[0] == 0x48 && bytes[1] == 0xc7 && bytes[2] == 0xc1 &&
			  memcmp(bytes + 7, "\x64\x48\x8b\x09", 4) == 0;

	if (whole) {
		*at = (int32_t)rt_arch_word(bytes + 3);
		return true;
	}
	rcx = n >= 9 && memcmp(bytes, "\x64\x48\x8b\x0c\x25", 5) == 0;
	if (!rcx && !(n >= 9 && memcmp(bytes, "\x64\x4c\x8b\x34\x25", 5) == 0))
		return false;
	*at = (int32_t)rt_arch_word(bytes + 5);
	return true;
}

/* "cx", which the check's first instructions load (cmd/internal/obj/x86/obj6.go). */
const struct rt_reg rt_go_checked = { "cx", 88 };

bool rt_go_place(struct rt_image *image, uint64_t addr, uint32_t *skip)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;
	uint8_t bytes[RT_GO_CHECK_MAX];
	uint32_t frame;
	size_t n;

	*skip = 0;
	if (!go || !go->has_table || !image->arch->ngo || !rt_pclntab_find(&go->table, addr, &f) ||
	    f.addr != addr)
		return false;
	n = f.end - f.addr < sizeof(bytes) ? (size_t)(f.end - f.addr) : sizeof(bytes);
	n = rt_image_read(image, addr, bytes, n);
	if (image->arch->machine == EM_AARCH64) {
		*skip = rt_go_past_check_aarch64(bytes, n);
		if (!f.assembly)
			*skip += rt_go_past_temporary_aarch64(bytes + *skip, n - *skip);
	} else {
		*skip = rt_go_past_check(bytes, n);
	}
	/* What was taken for the check lies before the frame. */
	if (*skip >= n || (rt_pclntab_frame(&go->table, &f, &frame) && frame && *skip >= frame))
		*skip = 0;
	return true;
}

/* mov %rax,(%rsp) and call. */
static bool calls_x86(const uint8_t *bytes, uint64_t addr, uint64_t *target)
{
	*target = addr + 5 + (uint64_t)(int64_t)(int32_t)rt_arch_word(bytes + 5);
	return memcmp(bytes, "\x48\x89\x04\x24\xe8", 5) == 0;
}

/* Up to Go 1.27 that function takes its argument on the stack. */
bool rt_go_recovery(struct rt_image *image, struct rt_symbol *place)
{
	const struct rt_go *go = rt_image_go(image);
	const uint64_t end = place->addr + place->size;
	bool (*calls)(const uint8_t *, uint64_t, uint64_t *) = image->arch->machine == EM_AARCH64
								       ? rt_go_calls_aarch64
								       : calls_x86;
	struct rt_go_function f;
	uint8_t bytes[9];
	uint64_t target;

	for (; go && place->addr < end &&
	       rt_image_read(image, place->addr - 4, bytes, sizeof(bytes)) == sizeof(bytes);
	     place->addr += image->arch->insn_align)
		if (calls(bytes, place->addr, &target) && rt_pclntab_find(&go->table, target, &f) &&
		    strcmp(f.name, "runtime.gogo") == 0)
			return true;
	return false;
}

bool rt_go_is_code(struct rt_image *image, uint64_t addr)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;

	return rt_image_is_go(image) &&
	       !(go && go->has_table && !rt_pclntab_find(&go->table, addr, &f));
}

/* 1.23 put a word more before it, and 1.25 took one out. */
static uint32_t goid_of_version(unsigned minor)
{
	return minor < 15 || minor > 27 ? 0 : minor == 23 || minor == 24 ? 160 : 152;
}

uint32_t rt_go_goid_offset(struct rt_image *image)
{
	struct rt_go *go = rt_image_go(image) ? image->go : NULL;
	long member;

	/* Before 1.17 no register of x86 holds the record: it is the thread's. */
	if (!go || !(go->registers || go->g_known || image->arch->goroutine_always))
		return 0;
	if (!go->goid_read) {
		go->goid_read = true;
		member = rt_dwarf_member(image, "runtime.g", "goid");
		go->goid = member > 0 && member < GOID_MOST ? (uint32_t)member
							    : goid_of_version(go->minor);
	}
	return go->goid;
}
