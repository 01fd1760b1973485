/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_SAMPLE_H
#define RT_ARCH_SAMPLE_H

#include "arch/arch.h"

/* Functions of a few instructions, on which rawtrace measures what probes cost. */

/* A function that begins with an instruction of the form, and does nothing. */
struct rt_sample {
	enum rt_form form;
	/* RT_FORM_BITs that kernels up to 6.5 treat by the same rule; 0: not asked for there */
	uint32_t older_form;
	void (*code)(void);
};

/* Those of an architecture; in a rawtrace for another one all are NULL. */
struct rt_samples {
	const struct rt_sample *forms;	/* push first; NULL: not measured; `code` NULL ends them */
	void (*ret)(void);		/* a return alone */
	/* three equal ones, which push a word and pop it, and one that does not touch the stack */
	void (*push[3])(void);
	void (*move)(void);
	unsigned push_return;		/* bytes before the return of push[] */
};

#define RT_SAMPLE(name, code) \
	void rt_sample_##name(void) __attribute__((visibility("hidden"))); \
	__asm__(".pushsection .text\n" \
		".balign 16\n" \
		".globl rt_sample_" #name "\n" \
		".hidden rt_sample_" #name "\n" \
		".type rt_sample_" #name ", %function\n" \
		"rt_sample_" #name ":\n" code "\n" \
		".size rt_sample_" #name ", . - rt_sample_" #name "\n" \
		".popsection")

extern const struct rt_samples rt_x86_64_samples, rt_aarch64_samples;

#endif
