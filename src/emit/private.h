/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_PRIVATE_H
#define RT_EMIT_PRIVATE_H

#include "emit/program.h"

/* For the files of this folder that write programs. */

/*
 * Registers by the calling convention: r0 result, r1-r5 arguments (lost in a call), r6-r9 saved,
 * r10 frame pointer.
 */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Ours in every program: the context, the pid and tid. */
enum { CTX = R6, PID_TGID = R7 };

/*
 * And in one that records: the mask of values that could not be read, the record's room in a ring.
 */
enum { FAULTS = R8, ROOM = R9 };

struct emitter {
	const struct rt_bpf_program *program;
	struct rt_bpf *bpf;
	struct rt_tail tail;
	int base;		/* the register that the record's place counts from, */
	int record;		/* and its offset from there */
	int out;		/* label: nothing is recorded, or no more */
	/*
	 * where emit/frames.h's part of the frame begins: 0, or below that of a program that
	 * records
	 */
	int frames;
};

/*
 * The frame of a program that records, downwards from r10: a map's key, the hit's number, its time,
 * then an address that must survive a call.  If the time is the ring's (every kernel before 5.8), a
 * number of bytes is in its place.
 */
enum { KEY = -4, SEQ = -8, TIME = -16, COUNT = -16, RECORD_FRAME = 24 };

/*
 * A program that waits for pages writes no record to the stack, and has room for the address that
 * it waits for, and for what is there.
 */
enum { TOUCHED = -4, ADDRESS = -32, PENDING_TOP = -ADDRESS };

/*
 * r0 = the pid in the upper half and the tid in the lower, as in the namespace `space`; on to `out`
 * for a thread of another one.  Uses 16 bytes of the frame.
 */
void rt_emit_pid_tgid(struct rt_bpf *bpf, const struct rt_pid_space *space, int out);

/*
 * r0 is what rt_emit_pid_tgid left there: on to `out` in processes that are not in RT_MAP_FOLLOWED.
 * Uses 16 bytes of the frame.
 */
void rt_emit_followed(struct emitter *e, const struct rt_pid_space *space);

/* The program's beginning: CTX and PID_TGID, and on to `out` in other processes. */
void rt_emit_filter(struct emitter *e);

/* r0 = 0 when `size` bytes at the address in r3 were copied to base + to. */
void rt_emit_read(struct emitter *e, int base, int to, int size);

/* The same; a program that may wait for a page does so.  r3 is lost. */
void rt_emit_read_value(struct emitter *e, int base, int to, int size);

/*
 * Read the string at the address in r3 to base + at: its length, then its characters.  If a later
 * page of it cannot be read, the text before that is recorded.  Jump to `fault` then too, or if
 * nothing can be read.
 */
void rt_emit_string(struct emitter *e, const struct rt_fetch *f, int at, int fault);

/* On to `none` where the list that the value belongs to has no such element. */
void rt_emit_element(struct emitter *e, const struct rt_fetch *f, int none);

/* On to `failed` if the result in r1 says that the call failed, of which `f` is errno. */
void rt_emit_has_failed(struct emitter *e, const struct rt_fetch *f, int failed);

/*
 * As many bytes at the address in r3 as the value says that f->length names.  On to `fault` where
 * they cannot be read.
 */
void rt_emit_counted(struct emitter *e, const struct rt_fetch *f, int at, int fault);

/* The stack from the address in r3 on, as far as it goes.  On to `fault` if none can be read. */
void rt_emit_stack(struct emitter *e, const struct rt_fetch *f, int at, int fault);

/*
 * r0 = the address of map's element for the u32 key in r10 + key; on to `out` where there is none.
 */
void rt_emit_lookup(struct emitter *e, enum rt_bpf_map map, int key);

/*
 * Leave in r3 the address of the value's last step (or the thread pointer itself), of a value that
 * is not simply a register's.  Derefs that lead to other pointers are read on the way, into r10 +
 * POINTER; an integer's last deref is only added.  On to `fault` where one cannot be read.
 */
enum { POINTER = -24 };
void rt_emit_address(struct emitter *e, const struct rt_fetch *f, int fault);

/*
 * The plan's tests: on to `failed` where one does not hold.  Before r10 - 24 and above are used
 * otherwise.
 */
void rt_emit_tests(struct emitter *e, int failed);

/*
 * A record's number, its room (base and record), its contents from the context, and that it is
 * whole.
 */
void rt_emit_number(struct emitter *e);
void rt_emit_reserve(struct emitter *e);
void rt_emit_contents(struct emitter *e);
void rt_emit_submit(struct emitter *e);

/*
 * ROOM for `bytes` and as many as r10 + slot says (0: no more) in an array ring, of which TIME is
 * the time.  On to `full` where there is none.
 */
void rt_emit_reserve_array(struct emitter *e, int bytes, int slot, int full);

/* The offset of a field from e->base. */
int rt_emit_field(const struct emitter *e, size_t offset);

/* The bytes of the program's frame above a record that is built there. */
int rt_emit_frame_top(const struct emitter *e);

#endif
