/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_CALIBRATE_H
#define RT_ATTACH_CALIBRATE_H

#include <sys/types.h>

#include "kernel/pins.h"
#include "plan/returns.h"

/* A child of ours that has the probes of a calibration. */
struct rt_calibration {
	pid_t pid;	/* 0: none */
	int socket;	/* to it */
	bool asked;
	bool unused;	/* it has been told that nobody asks */
	bool released;
	bool measured;	/* it found out something */
	uint32_t emulated;	/* if so: RT_FORM_BITs of the instructions that are emulated */
	struct rt_trap_costs costs;
};

/*
 * Begin to find which instructions this kernel emulates at a probe, and which it single-steps.  A
 * child of rawtrace has probes on functions of its own that begin with each kind of instruction;
 * when it is asked, it calls them.  If one is single-stepped, the kernel maps an area for that,
 * [uprobes], into the child.  No other process is touched.
 *
 * The child uses uprobe_multi (6.6); on older kernels the uprobe PMU (4.17), which shows only push
 * and jcc and instructions that are treated like them.  Nops that this kernel (`nops`) would make
 * harmful calls of are not probed.  Its link goes to `pins`, if that has a place.
 *
 * It keeps the probes until it is released, or for a second after the question: each of the PMU
 * takes the kernel 0.1 s, during which it lets no others in.
 */
void rt_calibration_begin(enum rt_nops nops, const struct rt_pins *pins,
			  struct rt_calibration *calibration);

/*
 * Begin, and ask.  `times`: measure a push and a return too.  Returns the RT_FORM_BITs of emulated
 * instructions; 0: unknown.
 */
uint32_t rt_calibrate(enum rt_nops nops, bool times, struct rt_calibration *calibration);

/* Let the child remove its probes, when the trace removes its own. */
void rt_calibration_release(struct rt_calibration *calibration);
/* The same, and wait for the child, if there is one. */
void rt_calibration_end(struct rt_calibration *calibration);

/*
 * Place the probes (plan/place.h).  With `ask`, ask the kernel first where that may help,
 * or where `costs` are wanted.  0 or -ENOMEM.
 */
int rt_place_cheaply(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     struct rt_sites *sites, bool ask, bool costs,
		     struct rt_calibration *calibration, struct rt_error *err);

#endif
