/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The witness: a traced function says itself that it was called and what it returned, in
 * racket/trace's layout, into the file named by $WITNESS, each line behind its thread's id.  The
 * trace must say the same.
 */
#ifndef WITNESS_H
#define WITNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each call in the source stays a call, of a function that is there once. */
#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noinline, noclone, used))
#endif

/* The compiler must not know this value any more. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x) : : "memory")

/*
 * Never inlined: a buffer on the traced function's own stack would keep the compiler from a tail
 * call.
 */
#define W_HELPER static __attribute__((noinline, unused))

/* The mark of a call that ended without a return: with exit probes, or with uretprobes. */
#define W_NOT_SEEN (w_insn ? "*** unwound ***" : "*** return not seen ***")
#define W_EXITED "*** thread exited ***"

enum { W_PENDING = 64 };

static int w_fd = -1;
static int w_insn;	/* returns are seen at instructions */
static int w_flat;	/* only entries are traced: no returns, and nothing is inside anything */
static __thread unsigned w_depth;

__attribute__((constructor, unused)) static void w_open(void)
{
	const char *name = getenv("WITNESS");

	w_flat = getenv("WITNESS_FLAT") != NULL;
	w_insn = getenv("WITNESS_INSN") != NULL;
	w_fd = name && *name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
}

W_HELPER int w_tid(void)
{
	return (int)syscall(SYS_gettid);
}

W_HELPER void w_line(int tid, char mark, unsigned level, const char *text)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "[%d] ", tid);
	unsigned i, shown = level < 10 ? level : 6;

	for (i = 0; i <= shown; i++)
		line[n++] = i % 2 ? ' ' : mark;
	if (shown < level)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "[%u] ", level);
	n += snprintf(line + n, sizeof(line) - (size_t)n, "%s\n", text);
	/*
	 * One write a line: lines of threads do not mix, and nothing is lost when the process ends
	 * here.
	 */
	if (write(w_fd, line, (size_t)n) != n)
		abort();
}

/* A call, with its arguments as the trace shows them. */
W_HELPER void w_call(const char *call)
{
	if (w_fd < 0)
		return;
	w_line(w_tid(), '>', w_depth, call);
	if (!w_flat)
		w_depth++;
}

W_HELPER void w_enter(const char *function, int argument)
{
	char call[128];

	if (w_fd < 0)
		return;
	snprintf(call, sizeof(call), "(%s %d)", function, argument);
	w_call(call);
}

/*
 * The calls of another thread or of this one from level `depth` - 1 out to `to` end without a
 * return.
 */
W_HELPER void w_close(int tid, unsigned depth, unsigned to, const char *how)
{
	while (w_fd >= 0 && depth > to)
		w_line(tid, '<', --depth, how);
}

W_HELPER void w_unwind(unsigned to, const char *how)
{
	w_close(w_tid(), w_depth, to, how);
	w_depth = to;
}

/*
 * This call is about to jump into another function: that one takes its place, and its result is the
 * result of both.
 */
W_HELPER void w_jump(void)
{
	if (w_fd >= 0 && !w_flat)
		w_depth--;
}

W_HELPER int w_returned(int result)
{
	char text[32];

	if (w_fd < 0 || w_flat)
		return result;
	snprintf(text, sizeof(text), "%d", result);
	w_depth--;
	/* The kernel keeps 64 returns a thread; a deeper one is not delivered. */
	w_line(w_tid(), '<', w_depth, w_insn || w_depth < W_PENDING ? text : W_NOT_SEEN);
	return result;
}

/*
 * The statement after the call prevents a tail call, by which the traced function would end before
 * its result is there.
 */
#define w_return(result)                                                                           \
	__extension__({                                                                            \
		int w_result = w_returned(result);                                                 \
		OPAQUE(w_result);                                                                  \
		w_result;                                                                          \
	})

/* A child process is another program as far as the trace goes. */
W_HELPER void w_silence(void)
{
	w_fd = -1;
}

#endif
