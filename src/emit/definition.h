/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_DEFINITION_H
#define RT_EMIT_DEFINITION_H

#include "fetch/fetch.h"
#include "base/error.h"

/*
 * The kernel refuses longer lines (WRITE_BUFSIZE in kernel/trace/trace_probe.h is 4096), and 63
 * characters of a name are safe.
 */
#define RT_DEFINITION_MAX 4096
#define RT_DEFINITION_NAME_MAX 64
#define RT_DEFINITION_ARGS 128

/* One line for tracefs uprobe_events (Documentation/trace/uprobetracer.rst). */
struct rt_definition {
	const char *group, *event;
	const char *path;
	uint64_t offset;		/* file offset */
	uint32_t semaphore;		/* file offset of the probe's counter (4.20), or 0 */
	enum rt_kind kind;
	/* a return that is seen at an instruction, by a plain probe */
	bool at_exit;
	/* what to fetch; NULL: nothing (a BPF program reads the registers itself) */
	const struct rt_plan *plan;
	/* fetch the constant `id`, so that one event can stand for many probes (5.4) */
	bool with_id;
	bool no_ra;			/* leave a return address in memory out */
	uint32_t id;
};

/*
 * Print the line, without a newline, to `buf` of RT_DEFINITION_MAX bytes.  Its fields: id, sp, ra
 * (where the plan asks for the return address) and v0, v1, ...; of a block "v2_0", "v2_8", ...
 * (rt_definition_piece) and f2, a string that is empty where the block cannot be read; and the
 * pointers that led to a value, "p2_1" (rt_definition_has_pointer).  Returns 0, or -EOPNOTSUPP with
 * the reason when the kernel's fetch arguments cannot express the plan.
 */
int rt_definition_print(const struct rt_definition *definition, char *buf, struct rt_error *err);

/* Is the value a number that is known, which has no field? */
bool rt_definition_is_constant(const struct rt_fetch *fetch);

/* The bytes, 1 to 8, of the piece of a block that begins `at` bytes into it. */
unsigned rt_definition_piece(const struct rt_fetch *fetch, unsigned at);

/*
 * Is the pointer before the fetch's deref `k` there too?  Where a pointer on the way
 * cannot be read, kernels from 4.20 on leave a value as the last event on the processor had it;
 * what the value itself cannot be read from makes it 0.
 */
bool rt_definition_has_pointer(const struct rt_fetch *fetch, unsigned k);

#endif
