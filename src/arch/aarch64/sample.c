/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/sample.h"

#if defined(__aarch64__)
#define PUSH "stp x29, x30, [sp, #-16]!; ldp x29, x30, [sp], #16; ret"

RT_SAMPLE(push_ret, PUSH);
RT_SAMPLE(push_exit, PUSH);
RT_SAMPLE(push_alone, PUSH);
RT_SAMPLE(mov_ret, "mov x1, x0; ret");

const struct rt_samples rt_aarch64_samples = {
	.push = { rt_sample_push_ret, rt_sample_push_exit, rt_sample_push_alone },
	.move = rt_sample_mov_ret,
	.push_return = 8,
};
#else
const struct rt_samples rt_aarch64_samples = { .forms = NULL };
#endif
