/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_CALL_H
#define RT_STREAM_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rt_exit;
struct rt_exits;
struct rt_plan;

/* A call as sinks get it: its thread, its frame, its values, and how it ended. */

enum rt_end {
	RT_END_RETURNED,	/* the return was seen */
	/* gone without a return that was seen: longjmp, past 64 levels, a lost event */
	RT_END_NOT_SEEN,
	RT_END_UNWOUND,		/* gone without a return: an exception, longjmp */
	/*
	 * left by a tail call of something that is not traced, or not known to be: its result was
	 * not seen
	 */
	RT_END_JUMPED,
	/* it became the call that is entered next, at the same level, by a tail call */
	RT_END_BECAME,
	RT_END_EXITED,		/* its thread or goroutine ended inside it */
	RT_END_EXEC,		/* its process ran another program */
	RT_END_UNFINISHED,	/* still open when the trace ended */
};

/* Values of a plan, as they stand in the record; or as they stand in a recording. */
struct rt_values {
	const struct rt_plan *plan;	/* NULL: nothing was read */
	const uint8_t *data;
	uint32_t faults;
	/* of a recording, with `data`: bytes there (output/value_code.h); else 0 */
	uint32_t coded;
	/* a result's: errno of a call inside that failed (output/failures.h), or 0 */
	int32_t inside;
};

#define RT_NO_FUNCTION UINT32_MAX

/* In goid: it is no goroutine but a stack that the program has made (calls/owners.h), by number. */
#define RT_GOID_STACK (UINT64_C(1) << 40)

/* In goid: of which of the process's Go runtimes (runtimes.h) it is one, times its number. */
#define RT_GOID_RUNTIME (UINT64_C(1) << 41)

static inline unsigned rt_goid_runtime(uint64_t goid)
{
	return (unsigned)(goid / RT_GOID_RUNTIME);
}

/* The most sinks of a session. */
enum { RT_SINKS_MAX = 4 };

struct rt_thread {
	pid_t pid, tid;			/* of a goroutine: the thread in which it was first seen */
	/*
	 * 0: it is none; a goroutine goes from thread to thread, and is known by this and the
	 * process
	 */
	uint64_t goid;
	char comm[16];			/* "" until known */
	void *user[RT_SINKS_MAX];	/* each sink's own, NULL at first */
};

struct rt_frame {
	uint32_t function; /* index into the session's functions; RT_NO_FUNCTION: its entry was not
			    * seen and the return alone does not tell */
	/* where it jumped to, RT_NO_FUNCTION: to no function that is traced, or not known */
	uint32_t callee;
	/* opened by a USDT probe: the pair, the call's key, and where the probe was hit; else 0 */
	uint32_t pair;
	unsigned level;			/* 0: outermost */
	bool entry_seen;
	/* --libcalls: only the program's own calls of it are meant */
	bool libcall;
	bool outside;			/* and this is none */
	/* its return is probed; an entry-only call is entered and left at once */
	bool returns;
	bool at_exits;			/* at the instructions that leave it */
	/* one of those, a jump, has left it: what it jumped to returns for it */
	bool jumped;
	/* the call above it at the same stack pointer, which was shown instead of it */
	bool became;
	/* with `pair`: it has the stack pointer of the pair's call around it; calls were inside */
	bool inlined, around;
	/* the next hit tells whether that was to callee or exit->through */
	bool awaits;
	/* 1 + the return site behind its call, which is probed; 0: none */
	uint32_t return_site;
	bool once;			/* there is no second call of it in the process */
	bool leaps;			/* it may be left without a hit */
	/* returned: maybe a later call did; unwound: calls inside may be the caller's */
	bool unsure;
	bool before;			/* entry not seen: it began before the trace */
	bool inherited;			/* the same: in the parent process, before it forked */
	const struct rt_exits *exits;	/* those of its function, or NULL */
	const struct rt_exit *exit;	/* where it jumped */
	const struct rt_plan *result;	/* rt_hit.result of its entry */
	uint64_t left;			/* and when */
	const char *to;			/* its name where it is not traced, or NULL; not owned */
	/* at entry; with `pair`: at most that of the call around it */
	uint64_t sp;
	uint64_t key, opened_sp;	/* with `pair` */
	uint64_t time;			/* of the entry; 0 where it was not seen */
	uint64_t lost_before;		/* how many hits were lost before it */
	size_t fewest;			/* how few calls, with it, were open when hits were lost */
};

/* Who gets calls.  Each returns 0 or a negative errno, which ends the trace. */
struct rt_call_ops {
	int (*enter)(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args);
	/*
	 * `time` is the time of the event that showed it.  `result` has a plan only where end is
	 * RT_END_RETURNED.  A frame without an entry (entry_seen false) is only left.
	 */
	int (*leave)(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result);
	/* Hits were lost in `thread`; NULL: in any of them.  `count` 0: the number is not known. */
	int (*lost)(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count);
	/*
	 * The thread or goroutine has ended, with nothing open; a thread's id may come again.
	 * NULL: nothing is stored of it.
	 */
	void (*gone)(void *ctx, struct rt_thread *thread);
};

#endif
