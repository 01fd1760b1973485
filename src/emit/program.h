/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_PROGRAM_H
#define RT_EMIT_PROGRAM_H

#include "emit/bpf.h"
#include "emit/cells.h"
#include "fetch/fetch.h"
#include "base/pids.h"
#include "kernel/pid_space.h"

/* The source of rt_record.key in a program, by the attach mechanism. */
enum rt_key_source {
	RT_KEY_CONSTANT,	/* one program a probe */
	RT_KEY_COOKIE,		/* bpf_get_attach_cookie: uprobe_multi, and perf events from 5.15 */
	RT_KEY_POINTER,		/* the instruction pointer: many probes on one perf event */
};

/* The ways in which a program passes its record on (stream/ring.h). */
enum rt_transport {
	/* bpf_perf_event_output, from the program's stack; the ring stamps the time */
	RT_TRANSPORT_PERF,
	RT_TRANSPORT_RINGBUF,	/* written in place in a BPF ring buffer, behind the time */
	/* the same in the CPU's element of an array map (struct rt_array_ring) */
	RT_TRANSPORT_ARRAY,
};

struct rt_bpf_program {
	enum rt_purpose purpose;
	const struct rt_plan *plan;
	uint16_t plan_id;
	/*
	 * RT_REACH_PROCESSES: the thread groups to record; NULL or none: any (a listing before
	 * there is a process)
	 */
	const struct rt_pids *pids;
	enum rt_reach reach;
	pid_t self;			/* RT_REACH_ALL: the reader, which is not recorded */
	struct rt_pid_space space;	/* of these ids, and of those in the records */
	bool grouped;			/* only below the control group of RT_MAP_GROUP */
	bool gated;			/* do nothing once RT_MAP_GATE is not 0 */
	enum rt_key_source key_source;
	/* RT_KEY_CONSTANT: the probe's id; where nothing is recorded, its function's index */
	uint32_t key;
	/* the kernel has bpf_probe_read_user (5.5), and so bpf_probe_read_kernel */
	bool read_user;
	bool no_read_str;		/* it has no bpf_probe_read_str either (4.11) */
	/*
	 * where task_struct has it (kernel/thread_pointer.h); 0: not known, what wants it cannot be
	 * read
	 */
	uint32_t thread_pointer;
	/*
	 * Memory that cannot be read: fault its page in, as the traced program itself would, and
	 * read once more (6.0; not with RT_TRANSPORT_PERF: such programs may not use its map).
	 * Load it with rt_bpf_prog_load_sleepable.
	 */
	bool sleepable;
	uint32_t slots;			/* of RT_MAP_HITS, a power of two (stream/record.h) */
	enum rt_transport transport;
	/* RT_TRANSPORT_ARRAY: bytes of data a CPU, a power of two */
	uint32_t ring_size;
	uint32_t rows, stride;		/* of RT_MAP_CELLS (emit/cells.h) */
	/* bits of RT_MAP_QUICK, which has as many rows; 0: there is none */
	unsigned quick;
	uint32_t saved_slots;		/* of RT_MAP_SAVED, a power of two (emit/saved.h) */
	uint32_t heads;			/* slots of RT_MAP_HEADS, a power of two */
	bool filtered;			/* record only what `limit` lets through */
	struct rt_limit limit;
	/*
	 * filtered: calls are held back until they have lasted limit.min_time: a record's size;
	 * else 0
	 */
	uint16_t pending;
	bool shelved;			/* limit.why, by shelves (emit/shelf.h) */
	/* RT_KEY_CONSTANT: the probe's; a cookie has it in its upper half */
	uint32_t function;
	/* it emulates the instructions of its sites (emit/emulation.h) */
	bool emulates;
	uint32_t site;			/* RT_KEY_CONSTANT: the probe's id */
};

/*
 * Emit the BPF program: it writes one rt_record a hit, or counts and measures (emit/count.h).  It
 * reads nothing but registers and the traced process's memory.  Its state is by thread, or added to
 * atomically, so it can be run by any number of threads at once: the count of the thread's hits in
 * RT_MAP_HITS, and what emit/cells.h says.  Finish `bpf` with rt_bpf_finish.  Returns 0, or -E2BIG
 * with the reason when the plan does not fit a BPF program (more than the 512 bytes of its stack).
 */
int rt_bpf_program_emit(const struct rt_bpf_program *program, struct rt_bpf *bpf,
			struct rt_error *err);

#endif
