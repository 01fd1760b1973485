/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_CALIBRATE_SAMPLES_H
#define RT_ATTACH_CALIBRATE_SAMPLES_H

#include "arch/arch.h"

/* A function of ours that begins with an instruction of the form, and does nothing. */
struct rt_sample {
	enum rt_form form;
	uint32_t stands_for;	/* RT_FORM_BITs that kernels up to 6.5 treat by the same rule; 0: not asked for there */
	void (*code)(void);
};

/* Of the machine that rawtrace runs on; at most RT_FORMS, the last has no code. */
extern const struct rt_sample rt_samples[];

/* A function that is nothing but a return; NULL: of this machine there is none. */
extern void (*const rt_sample_return)(void);

#endif
