/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_SITE_H
#define RT_PLAN_SITE_H

#include <stdint.h>

enum rt_site_kind {
	RT_SITE_ENTRY, /* a call begins */
	RT_SITE_RETURN, /* a call returned: the kernel's uretprobe */
	RT_SITE_EXIT, /* an instruction by which a call is left */
};

/*
 * One place to probe.  Its id is its index in the request; its function's image and place say
 * where.
 */
struct rt_site {
	uint32_t function;
	uint16_t plan; /* what is read there */
	uint8_t kind; /* enum rt_site_kind */
	union { /* one word: there are hundreds of thousands of sites */
		uint32_t exit; /* RT_SITE_EXIT: its index in the function's exits */
		/*
		 * the others: the file offset of the counter that says whether the site is probed
		 * (USDT's semaphore; 32 bits are what a perf event has for it); 0: it has none
		 */
		uint32_t semaphore;
	};
};

/*
 * The most plans that a mechanism may have.  Each plan is a program, and a link or an event.  Links
 * are closed together, hundreds of them in half a second.  A multi-probe event takes 0.1 s to
 * remove, one after the other.  If each probe has its own program anyway, the number of plans does
 * not matter.
 */
enum { RT_PLANS_FEW = 24, RT_PLANS_LINKS = 512, RT_PLANS_ANY = UINT16_MAX };

/* The site's semaphore, or 0. */
static inline uint32_t rt_site_semaphore(const struct rt_site *site)
{
	return site->kind == RT_SITE_EXIT ? 0 : site->semaphore;
}

#endif
