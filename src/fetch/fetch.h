/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_FETCH_H
#define RT_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "lang/spec.h"
#include "fetch/record.h"

/*
 * The fetch IR: the location of one value at a probe, and how to read it.  Both emitters (BPF
 * bytecode and uprobe_events text) lower from it and nothing else.
 *
 *   base            one of
 *                   - a register
 *                   - the stack slot at sp + offset
 *                   - the thread pointer, from which variables of threads count; only BPF programs
 *                     read it (kernel/thread_pointer.h)
 *                   - at a return, the value that the call's entry saved under the number `offset`
 *                     (rt_plan.saved); only BPF programs have it
 *                   - a constant
 *                   - as a string the name of the thread
 *                   To a register or constant another register may be added (USDT's operands).
 *   then            nderef times: address = value + deref[i], value = *address
 *   at last         an integer of 1 to 8 bytes, a block of bytes, or a NUL-terminated string
 *
 * A register is read whole and cut to `size`; of memory only `size` bytes (of a block `max`) are
 * read at the last step.  For a string the value before the last step is its address: base
 * register, no deref: the register points at the characters.  A block is in memory: on the stack,
 * or behind at least one deref.
 *
 * The length of a block may be in another value, which comes before it.  Then `length` is that
 * value's number plus one, and `element` the bytes of one element.  No more than that is read, and
 * at most `max`.
 */
#define RT_MAX_DEREF 4

enum rt_base {
	RT_BASE_REG,
	RT_BASE_STACK,
	RT_BASE_THREAD,
	RT_BASE_SAVED,
	RT_BASE_CONSTANT,
	RT_BASE_COMM
};
enum rt_type {
	RT_TYPE_INT,
	RT_TYPE_STRING,
	RT_TYPE_BYTES,
	RT_TYPE_STACK, /* the stack from the stack pointer on; only BPF programs read it */
};

/*
 * Bytes of a stack that are copied.  4096 cut 8 % of CPython's stacks, 8192 cut 1 %; sqlite3's
 * frames need 24K.  At most so much that a record fits behind a ring (RT_ARRAY_RING_OVERHANG).
 */
enum { RT_STACK_BYTES = 8192, RT_STACK_BYTES_LEAST = 512, RT_STACK_BYTES_MOST = 30720 };
/* The same where one caller is looked for, also from the middle of a function. */
enum { RT_STACK_BYTES_OF_ONE = 512 };

struct rt_fetch {
	enum rt_base base;
	struct rt_reg reg;		/* RT_BASE_REG */
	/* RT_BASE_STACK: bytes from sp; RT_BASE_SAVED: which of them */
	int32_t offset;
	uint64_t constant;		/* RT_BASE_CONSTANT */
	/*
	 * RT_BASE_REG and RT_BASE_CONSTANT: added before the first deref: this register, of which
	 * `index_size` bytes count (0: there is none), shifted left by `index_shift`.  Only BPF
	 * programs read it.
	 */
	struct rt_reg index;
	uint8_t index_size, index_shift;
	bool index_signed;
	uint8_t nderef;
	int32_t deref[RT_MAX_DEREF];
	enum rt_type type;
	uint8_t size;			/* RT_TYPE_INT: 1, 2, 4 or 8 */
	bool is_signed;
	/*
	 * errno (RT_BASE_THREAD): read only where the call has failed, which value `if_failed` - 1
	 * says: its lowest `failed_size` bytes are -1, or with null_fails 0; else it is 0.  0: it
	 * is anything else.  `from_map`: RT_MAP_ERRNO has errno's distance from the thread pointer.
	 */
	uint8_t if_failed, failed_size;
	bool null_fails, from_map;
	/*
	 * RT_TYPE_STRING: bytes stored, with the NUL; RT_TYPE_BYTES: bytes read; a string's is a
	 * multiple of 8
	 */
	uint16_t max;
	/* RT_TYPE_BYTES: 1 + the value that tells how long it is, 0: as long as `max` */
	uint8_t length;
	/* bytes of the number there, 4 or 8 (a negative one is none at all), */
	uint8_t length_size;
	uint16_t length_offset;		/* which begins so many bytes into that value */
	uint16_t element;		/* bytes of one of what it counts */
	/* it is no number, but the address of the end; that of the beginning is */
	bool length_ends;
	uint16_t length_begin;		/* so many bytes into the same value; `element` is 1 */
	/*
	 * The value belongs to an element of a list: the value `list` - 1, a block with a length.
	 * If this length is at most `least` (in elements), the element does not exist, and nothing
	 * is read.  0: it belongs to no list.
	 */
	uint8_t list;
	uint16_t least;
};

/*
 * Compares a value with a constant: "n > 3".  A value that could not be read fails every
 * comparison.  A string equals another, differs from it, or begins with it.
 */
enum rt_test_op {
	RT_TEST_EQ, RT_TEST_NE, RT_TEST_LT, RT_TEST_LE, RT_TEST_GT, RT_TEST_GE,
	RT_TEST_AND,			/* any of the bits is set */
	RT_TEST_BEGINS,
};

/*
 * Joins a test with those before it: "a > 1 && b == 2 || c < 3, d != 4" are four: also, with, else,
 * also.  All groups must be true.
 */
enum rt_test_join {
	RT_TEST_ALSO,			/* it begins a group */
	RT_TEST_WITH,			/* it must hold together with the one before it */
	RT_TEST_ELSE,			/* it begins an alternative of the group */
};

struct rt_test {
	/* the plan's, RT_TYPE_INT; it is extended to 64 bits by its own sign */
	unsigned value;
	/* a return: it is none of the plan's values but the call's duration, ns */
	bool of_time;
	/* nobody knows how much of a register is meant: an int, where its upper half is 0 */
	bool of_register;
	enum rt_test_op op;
	enum rt_test_join join;
	uint64_t constant;
	bool is_signed;			/* how the two are compared */
	/* of the value only `bits` bits from `bit` on; 0: all of it */
	uint8_t bit, bits;
	/* NULL: a number; else the value is an RT_TYPE_STRING, and these are the characters */
	const char *string;
	uint16_t length;
};

enum { RT_MAX_TESTS = 8, RT_TEST_STRING = 256 /* bytes of a string in a test, with the NUL */ };

enum { RT_MAX_SAVED = 5, RT_COMM_BYTES = 16 /* of a thread's name, with the NUL */ };

/* The meaning of a hit (plan/hooks.h). */
enum rt_role {
	RT_ROLE_CALL,			/* of a traced function */
	/* the calls at this stack pointer and below have been left */
	RT_ROLE_UNWOUND,
	RT_ROLE_STACK,			/* a stack is made: its address, its size */
	RT_ROLE_STACK_TOP,		/* the same: its end, its size */
	/* one for signals: its address, its size; nobody comes back to it once he has left it */
	RT_ROLE_SIGNAL_STACK,
	/*
	 * where the process has errno; nothing is recorded (errno_of.h).  This probe stays where it
	 * is, and
	 */
	RT_ROLE_ERRNO,
	/* a goroutine continues with the stack pointer that is the value: what is below was left */
	RT_ROLE_RECOVERED,
	/*
	 * where an exception is caught or cleaned up after: its plan is RT_ROLE_UNWOUND's, of an
	 * entry
	 */
	RT_ROLE_LANDED,
};

/* The kind of probe that sees the end of a call. */
enum rt_call_end {
	RT_BY_URETPROBE, /* behind the return: the return address is off the stack */
	/* at the return instruction, with the stack pointer of the entry */
	RT_BY_RETURN,
	/* at a jump into another function (a tail call): there is no result yet */
	RT_BY_JUMP,
	/* at a conditional one: the plan's only value is the flags */
	RT_BY_BRANCH,
};

/*
 * A plan: what is read at one kind of probe.  Its values are in rt_record.data one after another,
 * each aligned in the record:
 *   integer   its `size` bytes
 *   string    i32 length with the NUL (as bpf_probe_read_str returns it), then `max` bytes; a
 *             string of which only the beginning
 *             could be read has its fault bit set and a length above 0
 *   stack     as a string; the length is the number of bytes
 *   block     `max` bytes, aligned to 4 (to 8 from 8 bytes on); of one with a length what is past
 *             that is undefined
 */
struct rt_plan {
	enum rt_kind kind;
	enum rt_role role;
	enum rt_call_end end; /* return: how the call is left there */
	/* entry: record it; it tells a tail call for certain (calls/stack.h), and costs a read */
	bool return_address;
	bool root;			/* entry: of functions that --only-under names */
	bool ends;			/* entry: the return's plan has tests */
	/* 1 + the first of three values that are not shown: rt_plan_add_goroutine; 0: none */
	uint8_t goroutine;
	uint16_t runtime;		/* of which of the process's Go runtimes that is */
	/* entry: 1 + the first of the values that are not shown: rt_plan_add_stack; 0: none */
	uint8_t stack;
	/* entry, where calls are filtered: of functions without a return probe */
	bool no_return;
	const struct rt_arch *arch;
	/*
	 * Values that an entry saves for its return, a word each: registers, or stack slots.  Both
	 * plans have them, as their programs must agree.  If a return finds no values of its own
	 * call, it marks all that begin there as unreadable.
	 */
	uint8_t nsaved;
	struct rt_fetch saved[RT_MAX_SAVED];
	unsigned nvalues;
	struct rt_fetch values[RT_MAX_VALUES];
	/*
	 * Only calls that pass them are shown: those of the entry, and those of the end.
	 * rt_limit.tests and rt_limit.ends say that some plan has any.
	 */
	unsigned ntests;
	struct rt_test tests[RT_MAX_TESTS];
};

/*
 * The first `nargs` C arguments as ints, or for a return plan (nargs 0 or 1) the result.  Returns 0
 * or -E2BIG.
 */
int rt_plan_c_entry(const struct rt_arch *arch, unsigned nargs, struct rt_plan *plan);
void rt_plan_c_return(const struct rt_arch *arch, struct rt_plan *plan);

/*
 * Read, behind what is shown, which goroutine it is: where its stack begins and ends, and its id,
 * which Go's runtime has `goid_offset` bytes into its own record of it, to which `record` leads;
 * `runtime`: which of them.  0, or -E2BIG where the plan is full.
 */
int rt_plan_add_goroutine(struct rt_plan *plan, const struct rt_fetch *record, uint32_t goid_offset,
			  unsigned runtime);

/*
 * Read, behind what is shown, the stack's top, the instruction pointer, and each register of
 * rt_arch.saved; before rt_plan_add_goroutine.  0, or -E2BIG where the plan is full.
 */
int rt_plan_add_stack(struct rt_plan *plan, uint16_t bytes);

/* The number of the plan's values that are shown. */
static inline unsigned rt_plan_shown(const struct rt_plan *plan)
{
	if (plan->stack)
		return plan->stack - 1u;
	return plan->goroutine ? plan->goroutine - 1u : plan->nvalues;
}

/*
 * The plan for the end of a call at an instruction, made of `returns`, the plan of its uretprobe.
 */
void rt_plan_at_exit(const struct rt_plan *returns, enum rt_call_end end, struct rt_plan *plan);

static inline bool rt_plan_is_uretprobe(const struct rt_plan *plan)
{
	return plan->kind == RT_KIND_RETURN && plan->end == RT_BY_URETPROBE;
}

/* Bytes that the plan's values take in rt_record.data, and the byte offset of value `i` there. */
size_t rt_plan_size(const struct rt_plan *plan);
size_t rt_plan_offset(const struct rt_plan *plan, unsigned i);

/* Integer value `i` of the plan out of `data`, sign- or zero-extended to 64 bits. */
uint64_t rt_plan_int(const struct rt_plan *plan, unsigned i, const uint8_t *data);

/*
 * By how many bits a value is moved up, and then down with its sign, to become what the test
 * compares.
 */
static inline unsigned rt_test_up(const struct rt_test *test, const struct rt_fetch *value)
{
	return test->bits ? 64u - test->bit - test->bits : 64u - 8u * value->size;
}

static inline unsigned rt_test_down(const struct rt_test *test, const struct rt_fetch *value)
{
	return test->bits ? 64u - test->bits : 64u - 8u * value->size;
}

/*
 * Do the values in `data` (NULL: none) pass the plan's tests?  Bit i of `faults`: value i could not
 * be read.
 */
bool rt_plan_passes(const struct rt_plan *plan, const uint8_t *data, uint32_t faults);
/* The same at the end of a call that took `ns`. */
bool rt_plan_passes_end(const struct rt_plan *plan, const uint8_t *data, uint32_t faults,
			uint64_t ns);

/*
 * Bytes of the block value `i` that were asked for: `max`, or what its length says where that is
 * less; `*all`: what its length says.
 */
size_t rt_plan_block(const struct rt_plan *plan, unsigned i, const uint8_t *data, uint64_t *all);

/* Does it read by the thread pointer? */
bool rt_plan_wants_thread(const struct rt_plan *plan);

/* Do they read the same, in the same way? */
bool rt_fetch_same(const struct rt_fetch *a, const struct rt_fetch *b);
bool rt_plan_same(const struct rt_plan *a, const struct rt_plan *b);

/* An integer of `size` bytes, 1 to 8, at any alignment, zero-extended. */
uint64_t rt_fetch_load(const uint8_t *p, unsigned size);

/* Behind the values: byte offsets from the record's beginning, 0: the record has none. */
struct rt_tail {
	uint16_t tgid;			/* u32, where the layout has it */
	uint16_t faults;		/* u32, where the plan has values that may be unreadable */
	uint16_t ra;			/* u64, where the plan asks for the return address */
	uint16_t ip;			/* u64, RT_KEY_IP */
	uint16_t entered;		/* u64, the last, of pending calls (emit/pending.h) */
	uint16_t data;			/* bytes of the values */
	uint16_t size;			/* bytes of the whole record */
};
void rt_plan_tail(const struct rt_plan *plan, struct rt_layout layout, struct rt_tail *tail);

/*
 * With --min-time all records have one size, since a return's program writes the records of any
 * plan's entries.  The size, and a tail of that size.
 */
uint16_t rt_plans_record_size(const struct rt_plan *plans, unsigned nplans,
			      struct rt_layout layout);
void rt_tail_set_size(struct rt_tail *tail, uint16_t size);

#endif
