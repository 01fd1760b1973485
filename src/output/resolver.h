/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_RESOLVER_H
#define RT_OUTPUT_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
	/* Go: the type whose record is at an address, with its kind (go/go.h); false: none is. */
	bool (*go_type)(void *ctx, pid_t pid, uint64_t addr, char *buf, size_t size,
			unsigned *kind);
	/* A file descriptor: the path of its file, "socket:[123]", ...; false: not known. */
	bool (*descriptor)(void *ctx, pid_t pid, int64_t fd, char *buf, size_t size);
	/*
	 * Memory that no probe could read: up to `size` bytes that can only be the same in the
	 * file.  Returns how many.
	 */
	size_t (*constant)(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size);
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
size_t rt_resolve_constant(const struct rt_resolver *resolver, pid_t pid, uint64_t addr, void *buf,
			   size_t size);

#endif
