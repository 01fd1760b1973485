/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of __errno_location, where everything is in rax. */
#include <string.h>

#include "arch/arch.h"
#include "arch/errno_at.h"

static int64_t signed_word(const uint8_t *p)
{
	return (int32_t)rt_arch_word(p);
}

/*
 * `mov` or `add` of what stands at %fs:0, and others: the bytes that the instruction takes, 0: not
 * understood.
 */
static size_t x86_step(const uint8_t *p, size_t n, uint64_t pc, struct rt_sum *rax)
{
	static const uint8_t fs0[] = { 0x04, 0x25, 0, 0, 0, 0 };
	const struct rt_sum thread = rt_sum_thread();
	struct rt_sum what;

	if (n >= 4 && memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0)	/* endbr64 */
		return 4;
	if (n >= 9 && p[0] == 0x64 && p[1] == 0x48 && memcmp(p + 3, fs0, sizeof(fs0)) == 0) {
		if (p[2] == 0x8b)		/* mov %fs:0,%rax */
			*rax = rt_sum_thread();
		else if (p[2] != 0x03 || !rt_sum_add(rax, &thread))	/* add %fs:0,%rax */
			return 0;
		return 9;
	}
	if (n < 4 || p[0] != 0x48)
		return 0;
	if (p[1] == 0x83 && p[2] == 0xc0) {	/* add $N,%rax */
		what = rt_sum_number((uint64_t)(int64_t)(int8_t)p[3]);
		return rt_sum_add(rax, &what) ? 4 : 0;
	}
	if (p[1] == 0x8d && p[2] == 0x40) {	/* lea N(%rax),%rax */
		what = rt_sum_number((uint64_t)(int64_t)(int8_t)p[3]);
		return rt_sum_add(rax, &what) ? 4 : 0;
	}
	if (n >= 6 && p[1] == 0x05) {		/* add $N,%rax */
		what = rt_sum_number((uint64_t)signed_word(p + 2));
		return rt_sum_add(rax, &what) ? 6 : 0;
	}
	if (n < 7)
		return 0;
	what = rt_sum_number((uint64_t)signed_word(p + 3));
	if (p[1] == 0xc7 && p[2] == 0xc0) {	/* mov $N,%rax */
		*rax = what;
		return 7;
	}
	if (p[1] == 0x8d && p[2] == 0x80)	/* lea N(%rax),%rax */
		return rt_sum_add(rax, &what) ? 7 : 0;
	what = rt_sum_word(pc + 7 + (uint64_t)signed_word(p + 3));
	if (p[1] == 0x8b && p[2] == 0x05) {	/* mov N(%rip),%rax */
		*rax = what;
		return 7;
	}
	/* add N(%rip),%rax */
	return p[1] == 0x03 && p[2] == 0x05 && rt_sum_add(rax, &what) ? 7 : 0;
}

bool rt_x86_64_errno_at(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at)
{
	struct rt_sum rax = { .known = false };
	size_t i = 0, step, k;

	for (k = 0; k < RT_ERRNO_STEPS && i < n; k++) {
		if (code[i] == 0xc3)		/* ret */
			return rt_sum_errno(&rax, at);
		step = x86_step(code + i, n - i, pc + i, &rax);
		if (!step)
			return false;
		i += step;
	}
	return false;
}
