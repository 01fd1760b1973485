/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_FETCH_H
#define RT_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "event.h"

/*
 * The fetch IR: where one value lives at a probe and how to read it.  Both emitters (BPF bytecode and
 * uprobe_events text) lower from it and nothing else.
 *
 *   base            a register, or the stack slot at sp + offset
 *   then            ndereference times: address = value + deref[i], value = *address
 *   at last         an integer of 1 to 8 bytes, or a NUL-terminated string
 *
 * A register is read whole and cut to `size`; of memory only `size` bytes are read at the last step.  For a string the
 * value before the last step is its address: base register, no deref: the register points at the characters.
 */
#define RT_MAX_DEREF 4

enum rt_base { RT_BASE_REG, RT_BASE_STACK };
enum rt_type { RT_TYPE_INT, RT_TYPE_STRING };

struct rt_fetch {
	enum rt_base base;
	struct rt_reg reg;		/* RT_BASE_REG */
	int32_t offset;			/* RT_BASE_STACK: bytes from sp */
	uint8_t nderef;
	int32_t deref[RT_MAX_DEREF];
	enum rt_type type;
	uint8_t size;			/* RT_TYPE_INT: 1, 2, 4 or 8 */
	bool is_signed;
	uint16_t max;			/* RT_TYPE_STRING: bytes kept, with the NUL; a multiple of 8 */
};

/*
 * A plan: what is read at one kind of probe.  Its values stand in rt_record.data one after another:
 *   integer   8 bytes: the value, sign- or zero-extended to 64 bits
 *   string    8 bytes: length with the NUL (as bpf_probe_read_str returns it), then `max` bytes
 */
struct rt_plan {
	enum rt_kind kind;
	bool return_address;		/* entry: record it; it tells a tail call for certain (stack/stack.h), and costs a read */
	const struct rt_arch *arch;
	unsigned nvalues;
	struct rt_fetch values[RT_MAX_VALUES];
};

/* The first `nargs` C arguments as ints, or for a return plan (nargs 0 or 1) the result.  Returns 0 or -E2BIG. */
int rt_plan_c_entry(const struct rt_arch *arch, unsigned nargs, struct rt_plan *plan);
void rt_plan_c_return(const struct rt_arch *arch, struct rt_plan *plan);

/* Bytes in rt_record.data for this plan, and the byte offset of value `i` in it. */
size_t rt_plan_size(const struct rt_plan *plan);
size_t rt_plan_offset(const struct rt_plan *plan, unsigned i);

#endif
