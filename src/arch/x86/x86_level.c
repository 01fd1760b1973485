/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/arch.h"

#include <string.h>

#include "base/array.h"

/*
 * The microarchitecture level of this CPU, as glibc's loader judges it
 * (sysdeps/x86/get-isa-level.h): it prefers libraries in glibc-hwcaps/x86-64-vN.  A feature counts
 * if the kernel saves its registers too (XCR0).
 */

#if defined(__x86_64__)

#include <cpuid.h>

enum { LEAF_FEATURES, LEAF_EXTENDED, LEAF_MORE, LEAVES };
enum { B = 1, C, D };
enum { XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6, OSXSAVE = 1u << 27 };

struct feature {
	unsigned level, leaf, reg, bit;
};

static const struct feature features[] = {
	{ 2, LEAF_FEATURES, C, 0 }, /* SSE3 */
	{ 2, LEAF_FEATURES, C, 9 }, /* SSSE3 */
	{ 2, LEAF_FEATURES, C, 13 }, /* CMPXCHG16B */
	{ 2, LEAF_FEATURES, C, 19 }, /* SSE4.1 */
	{ 2, LEAF_FEATURES, C, 20 }, /* SSE4.2 */
	{ 2, LEAF_FEATURES, C, 23 }, /* POPCNT */
	{ 2, LEAF_EXTENDED, C, 0 }, /* LAHF in 64-bit mode */
	{ 3, LEAF_FEATURES, C, 12 }, /* FMA */
	{ 3, LEAF_FEATURES, C, 22 }, /* MOVBE */
	{ 3, LEAF_FEATURES, C, 28 }, /* AVX */
	{ 3, LEAF_FEATURES, C, 29 }, /* F16C */
	{ 3, LEAF_EXTENDED, C, 5 }, /* LZCNT */
	{ 3, LEAF_MORE, B, 3 }, /* BMI1 */
	{ 3, LEAF_MORE, B, 5 }, /* AVX2 */
	{ 3, LEAF_MORE, B, 8 }, /* BMI2 */
	{ 4, LEAF_MORE, B, 16 }, /* AVX512F */
	{ 4, LEAF_MORE, B, 17 }, /* AVX512DQ */
	{ 4, LEAF_MORE, B, 28 }, /* AVX512CD */
	{ 4, LEAF_MORE, B, 30 }, /* AVX512BW */
	{ 4, LEAF_MORE, B, 31 }, /* AVX512VL */
};

static void read_cpu(unsigned regs[LEAVES][4])
{
	if (__get_cpuid_max(0, NULL) >= 1)
		__cpuid_count(1, 0, regs[LEAF_FEATURES][0], regs[LEAF_FEATURES][B],
			      regs[LEAF_FEATURES][C], regs[LEAF_FEATURES][D]);
	if (__get_cpuid_max(0, NULL) >= 7)
		__cpuid_count(7, 0, regs[LEAF_MORE][0], regs[LEAF_MORE][B], regs[LEAF_MORE][C],
			      regs[LEAF_MORE][D]);
	if (__get_cpuid_max(0x80000000, NULL) >= 0x80000001)
		__cpuid_count(0x80000001, 0, regs[LEAF_EXTENDED][0], regs[LEAF_EXTENDED][B],
			      regs[LEAF_EXTENDED][C], regs[LEAF_EXTENDED][D]);
}

static unsigned read_xcr0(void)
{
	unsigned low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* The highest level with all features there: 1 to 4. */
static unsigned level(void)
{
	unsigned regs[LEAVES][4] = { { 0 } }, level = 4, xcr0;
	const struct feature *f;

	read_cpu(regs);
	xcr0 = regs[LEAF_FEATURES][C] & OSXSAVE ? read_xcr0() : 0;
	if ((xcr0 & XCR0_AVX512) != XCR0_AVX512)
		level = 3;
	if ((xcr0 & XCR0_AVX) != XCR0_AVX)
		level = 2;
	for (f = features; f < features + RT_COUNT(features); f++)
		if (f->level <= level && !(regs[f->leaf][f->reg] >> f->bit & 1))
			level = f->level - 1;
	return level;
}

static bool is_intel(void)
{
	unsigned max, vendor[3];

	__cpuid(0, max, vendor[0], vendor[2], vendor[1]);
	return memcmp(vendor, "GenuineIntel", 12) == 0;
}

#else

/* No x86-64 program runs here. */
static unsigned level(void)
{
	return 1;
}

static bool is_intel(void)
{
	return false;
}

#endif

const char *rt_x86_64_hwcaps(unsigned i)
{
	static const char *const names[] = { "x86-64-v4", "x86-64-v3", "x86-64-v2" };
	unsigned first = 4 - level();

	return first + i < RT_COUNT(names) ? names[first + i] : NULL;
}

/* glibc, sysdeps/x86/cpu-features.c.  The Xeon Phi has a name too, which is left out. */
const char *rt_x86_64_platform(void)
{
	return is_intel() && level() >= 3 ? "haswell" : "x86_64";
}
