/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/sample.h"

#if defined(__x86_64__)
#define PUSH "push %rbx; pop %rbx; ret"

RT_SAMPLE(push, PUSH);
RT_SAMPLE(push_rex, "push %r12; pop %r12; ret");
RT_SAMPLE(nop, "nop; ret");
RT_SAMPLE(nop16, ".byte 0x66, 0x90; ret");
RT_SAMPLE(nop_long, ".byte 0x0f, 0x1f, 0x00; ret");
RT_SAMPLE(nop5, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00; ret");
RT_SAMPLE(nop10, ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00; ret");
RT_SAMPLE(jmp, "jmp 1f; nop; 1: ret");
RT_SAMPLE(jcc, "je 1f; nop; 1: ret");
RT_SAMPLE(call, "call 1f; ret; 1: ret");
RT_SAMPLE(ret, "ret");
RT_SAMPLE(push_ret, PUSH);
RT_SAMPLE(push_exit, PUSH);
RT_SAMPLE(push_alone, PUSH);
RT_SAMPLE(mov_ret, "mov %rdi, %rax; ret");

/*
 * In arch/x86/kernel/uprobes.c branch_setup_ops() takes jumps, calls and nop together, and
 * push_setup_ops() every push.
 */
#define LIKE_JCC (RT_FORM_BIT(RT_FORM_JMP) | RT_FORM_BIT(RT_FORM_CALL) | RT_FORM_BIT(RT_FORM_NOP))

static const struct rt_sample forms[] = {
	{ RT_FORM_PUSH, RT_FORM_BIT(RT_FORM_PUSH_REX), rt_sample_push },
	{ RT_FORM_JCC, LIKE_JCC, rt_sample_jcc },
	{ RT_FORM_PUSH_REX, 0, rt_sample_push_rex },
	{ RT_FORM_NOP, 0, rt_sample_nop },
	{ RT_FORM_NOP16, 0, rt_sample_nop16 },
	{ RT_FORM_NOP_LONG, 0, rt_sample_nop_long },
	{ RT_FORM_NOP5, 0, rt_sample_nop5 },
	{ RT_FORM_NOP10, 0, rt_sample_nop10 },
	{ RT_FORM_JMP, 0, rt_sample_jmp },
	{ RT_FORM_CALL, 0, rt_sample_call },
	{ RT_FORM_OTHER, 0, NULL },
};

const struct rt_samples rt_x86_64_samples = {
	.forms = forms,
	.ret = rt_sample_ret,
	.push = { rt_sample_push_ret, rt_sample_push_exit, rt_sample_push_alone },
	.move = rt_sample_mov_ret,
	.push_return = 2,
};
#else
const struct rt_samples rt_x86_64_samples = { .forms = NULL };
#endif
