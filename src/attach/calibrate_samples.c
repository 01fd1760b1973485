/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/calibrate_samples.h"

#include <stddef.h>

#if defined(__x86_64__)
#define SAMPLE(name, code) \
	void rt_sample_##name(void) __attribute__((visibility("hidden"))); \
	__asm__(".pushsection .text\n" \
		".balign 16\n" \
		".globl rt_sample_" #name "\n" \
		".hidden rt_sample_" #name "\n" \
		".type rt_sample_" #name ", @function\n" \
		"rt_sample_" #name ":\n" code "\n" \
		".size rt_sample_" #name ", . - rt_sample_" #name "\n" \
		".popsection")

SAMPLE(push, "push %rbx; pop %rbx; ret");
SAMPLE(push_rex, "push %r12; pop %r12; ret");
SAMPLE(nop, "nop; ret");
SAMPLE(nop16, ".byte 0x66, 0x90; ret");
SAMPLE(nop_long, ".byte 0x0f, 0x1f, 0x00; ret");
SAMPLE(nop5, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00; ret");
SAMPLE(nop10, ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00; ret");
SAMPLE(jmp, "jmp 1f; nop; 1: ret");
SAMPLE(jcc, "je 1f; nop; 1: ret");
SAMPLE(call, "call 1f; ret; 1: ret");

SAMPLE(ret, "ret");

/* In arch/x86/kernel/uprobes.c branch_setup_ops() takes jumps, calls and nop together, and push_setup_ops() every push. */
#define LIKE_JCC (RT_FORM_BIT(RT_FORM_JMP) | RT_FORM_BIT(RT_FORM_CALL) | RT_FORM_BIT(RT_FORM_NOP))

const struct rt_sample rt_samples[] = {
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
void (*const rt_sample_return)(void) = rt_sample_ret;
#else
const struct rt_sample rt_samples[] = { { RT_FORM_OTHER, 0, NULL } };
void (*const rt_sample_return)(void) = NULL;
#endif
