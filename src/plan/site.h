/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_SITE_H
#define RT_PLAN_SITE_H

#include <stdint.h>

/*
 * One place to probe.  Its id is its index in the request; its function's image and place say
 * where, its plan's kind how.
 */
struct rt_probe {
	uint32_t function;
	uint16_t plan;
	/* of a plan that sees a call's end at an instruction: its index in the function's exits */
	uint32_t exit;
};

/*
 * How many plans a mechanism may have.  Each is a program and a link or an event.  Links are closed
 * at one time, hundreds in half a second; a multi-probe event takes 0.1 s to be taken out, and it
 * has to be waited for.  Where each probe has its own program anyway, no number of plans matters.
 */
enum { RT_PLANS_FEW = 24, RT_PLANS_LINKS = 512, RT_PLANS_ANY = UINT16_MAX };

#endif
