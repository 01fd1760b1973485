/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_RESOLVER_H
#define RT_OUTPUT_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream/call.h"

/* A caller in a stack. */
struct rt_stack_frame {
	const char *file;	/* NULL: not known */
	const char *function;	/* NULL: not known */
	uint64_t offset;	/* of `addr` in the function */
	uint64_t addr;		/* the return address, as in the file; without a file in memory */
	const char *source;	/* file of the call; NULL: not known */
	int line;
};

/* Takes the callers, the innermost first; the strings live until it returns. */
typedef void rt_stack_put(void *ctx, const struct rt_stack_frame *frame);

/* The end of a stack, where a probe was hit. */
struct rt_stack_top {
	pid_t pid;
	uint64_t sp;
	bool at_entry;		/* of a function, where nothing was pushed yet */
	unsigned most;		/* no more callers than these; 0: all */
	const struct rt_values *values;
};

/*
 * The meaning of a value in its process, beyond the bytes that were read.  A live trace asks the
 * process.
 */
struct rt_resolver_ops {
	/*
	 * The function at an address, in memory of ctx up to the next call; NULL: none begins
	 * there.
	 */
	const char *(*symbol)(void *ctx, pid_t pid, uint64_t addr);
	/* Go: the type with its record at an address, with its kind (go/go.h); false: none is. */
	bool (*go_type)(void *ctx, pid_t pid, uint64_t addr, char *buf, size_t size,
			unsigned *kind);
	/* A file descriptor: the path of its file, "socket:[123]", ...; false: not known. */
	bool (*descriptor)(void *ctx, pid_t pid, int64_t fd, char *buf, size_t size);
	/*
	 * A traced call has returned that descriptor: the path that it was given, "" if it was
	 * given none, or the descriptor is closed.  `sure`: calls that close it are traced, too.
	 */
	void (*opened)(void *ctx, pid_t pid, int64_t fd, const char *path, bool sure);
	/*
	 * Memory that no probe could read: up to `size` bytes that can only be the same in the
	 * file.  Returns how many.
	 */
	size_t (*constant)(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size);
	/*
	 * Give the callers to `put`.  False: there are more, but neither the copy of the stack nor
	 * the file shows them.
	 */
	bool (*stack)(void *ctx, const struct rt_stack_top *top, rt_stack_put *put, void *put_ctx);
};

/* An operation that is NULL finds nothing. */
struct rt_resolver {
	const struct rt_resolver_ops *ops;
	void *ctx;
};

const char *rt_resolve_symbol(const struct rt_resolver *resolver, pid_t pid, uint64_t addr);
bool rt_resolve_go_type(const struct rt_resolver *resolver, pid_t pid, uint64_t addr, char *buf,
			size_t size, unsigned *kind);
bool rt_resolve_descriptor(const struct rt_resolver *resolver, pid_t pid, int64_t fd, char *buf,
			   size_t size);
void rt_resolve_opened(const struct rt_resolver *resolver, pid_t pid, int64_t fd, const char *path,
		       bool sure);
size_t rt_resolve_constant(const struct rt_resolver *resolver, pid_t pid, uint64_t addr, void *buf,
			   size_t size);
bool rt_resolve_stack(const struct rt_resolver *resolver, const struct rt_stack_top *top,
		      rt_stack_put *put, void *ctx);

#endif
