/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_GOLDEN_H
#define RT_TESTS_GOLDEN_H

#include "emit/program.h"
#include "fetch/fetch.h"

/*
 * Compare `text` with the file tests/unit/expected/NAME.  With RT_GOLDEN_UPDATE in the environment
 * the file is written instead, for a human to read and commit.
 */
bool rt_golden(const char *name, const char *text);

/* The same with the listing of a program that is not finished yet. */
void rt_golden_bpf(const char *name, struct rt_bpf *bpf);

/* The same with the listing of the program that is written for `program`. */
void rt_golden_program(const char *name, const struct rt_bpf_program *program);

/* Plans that reach every kind of fetch: what both emitters are tested with. */
void rt_golden_plan_entry(const struct rt_arch *arch, struct rt_plan *plan); /* two C arguments */
void rt_golden_plan_return(const struct rt_arch *arch, struct rt_plan *plan);
void rt_golden_plan_memory(const struct rt_arch *arch,
			   struct rt_plan *plan); /* stack, pointers, strings, all sizes */

#endif
