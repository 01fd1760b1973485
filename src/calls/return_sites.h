/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_RETURN_SITES_H
#define RT_CALLS_RETURN_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Return sites: the instructions behind calls of traced functions that end in a tail call.
 *
 *	sqlite3MallocSize:
 *		jmp    *0x2f0a2(%rip)		to a function that is not traced
 *
 * When the function that was jumped to returns, it returns behind the call of sqlite3MallocSize.
 * The record of the jump has that address.  A probe there shows the result of later calls from
 * there (session/return_sites.c).  Return addresses begin an instruction for certain.
 */
struct rt_return_site {
	uint64_t ino, offset;		/* the file, and where in it */
	uint64_t since;			/* its probe is there; UINT64_MAX: not yet, or never */
	uint32_t function;		/* its own in the trace, once it has a probe */
	uint32_t jumps;			/* calls that would have returned to its probe */
	uint32_t of;			/* the function of the last of them, and the process */
	pid_t pid;
	bool tried;			/* a probe was asked for */
};

struct rt_return_sites {
	struct rt_return_site *v;
	size_t n, cap;
	uint32_t *slots;		/* 1 + the index, by a hash; NULL: there are none */
	uint64_t jumped;		/* calls that returned where a probe may help */
	struct rt_ends *ends;		/* `nends`, by function; NULL: not counted */
	size_t nends;
};

/* Calls of a function, by their ends. */
struct rt_ends {
	uint32_t jumped, others;	/* to functions that are not traced; by other ends */
};

/* The site, noted when it is new.  NULL: there are too many, or there is no memory. */
struct rt_return_site *rt_return_sites_find(struct rt_return_sites *sites, uint64_t ino,
					    uint64_t offset);

/*
 * A call of `function` in process `pid` has ended in a jump and will return to the site, which has
 * no probe.
 */
void rt_return_sites_jumped(struct rt_return_sites *sites, struct rt_return_site *site,
			    uint32_t function, pid_t pid);
/* A call of `function` has ended, but not so. */
void rt_return_sites_ended(struct rt_return_sites *sites, uint32_t function);
/* Do most of its calls end in jumps to functions that are not traced? */
bool rt_return_sites_jumps(const struct rt_return_sites *sites, uint32_t function);
void rt_return_sites_free(struct rt_return_sites *sites);

#endif
