/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_SITES_H
#define RT_CALLS_SITES_H

#include "calls/stack.h"
#include "fetch/record.h"
#include "plan/target.h"

/*
 * Sites: the function and exit of a hit, and the file and code at an address of a traced process.
 * A record names its probe by number (RT_KEY_ID) or by instruction pointer (RT_KEY_IP).
 */
struct rt_sites;

/* A plain probe: on the entry of a function, or on one of its exits. */
struct rt_site {
	uint64_t offset;
	ino_t ino;
	uint32_t function;	/* RT_NO_FUNCTION: of an exit that several functions share */
	bool is_exit;
	const struct rt_exit *exit;	/* NULL at entries */
};

/* The target must outlive it.  NULL: out of memory. */
struct rt_sites *rt_sites_new(const struct rt_target *target, enum rt_key key);
void rt_sites_free(struct rt_sites *sites);

/*
 * Fill in `hit`, whose plan is set, from the event's key and values; the event's sp becomes that at
 * the entry.  0; 1: the event is no exit that is known; -EBADMSG: the key is no probe of the plan.
 */
int rt_sites_resolve(struct rt_sites *sites, struct rt_event *event, struct rt_hit *hit);

/* Read the mappings that process `pid` has now.  0 or a negative errno. */
int rt_sites_read(struct rt_sites *sites, pid_t pid);

/* A process mapped a file (RT_EV_MMAP).  0 or -ENOMEM. */
int rt_sites_mapped(struct rt_sites *sites, const struct rt_event *event);

/* Records are missing, maybe of mappings: they are read again when an address is not known. */
void rt_sites_unsure(struct rt_sites *sites);

/* Process `pid` runs another program: nothing of the old one's memory is where it was. */
void rt_sites_exec(struct rt_sites *sites, pid_t pid);

/*
 * The inode and the file offset of code at `ip` of process `pid`.  0, or a negative errno where
 * nothing is known to be mapped there.
 */
int rt_sites_file(struct rt_sites *sites, pid_t pid, uint64_t ip, uint64_t *ino, uint64_t *offset);

/*
 * How far from the addresses that the image is linked to process `pid` has it.  False: that is not
 * known.
 */
bool rt_sites_load_offset(struct rt_sites *sites, pid_t pid, const struct rt_image *image,
			  uint64_t *by);

/*
 * The probe at `ip` of process `pid`, of those on entries or of those on exits; NULL: none is known
 * there.
 */
const struct rt_site *rt_sites_find(struct rt_sites *sites, pid_t pid, uint64_t ip, bool is_exit);

/* The function that has its entry probe at `ip` of process `pid`; RT_NO_FUNCTION: not known. */
uint32_t rt_sites_function(struct rt_sites *sites, pid_t pid, uint64_t ip);

/*
 * The traced function at `address` of process `pid`, if its return is probed; RT_NO_FUNCTION: none.
 * Without the mappings: the only function at this offset in a page, which the next hit must
 * confirm.
 */
uint32_t rt_sites_entry(struct rt_sites *sites, pid_t pid, uint64_t address);

/*
 * rt_sites_function where it is not known whose address that is: all processes that have one there
 * have the same function there, or it is not known.
 */
uint32_t rt_sites_function_of_any(struct rt_sites *sites, const struct rt_pids *pids, uint64_t ip);

/*
 * Did the program's own code call the function, if the call returns to `ra` in process `pid`?  What
 * is not known counts as that; where another function of a library is called there, that one made
 * the call, as its last.
 */
bool rt_sites_is_from_program(struct rt_sites *sites, pid_t pid, uint64_t ra,
			      const struct rt_function *f);

/*
 * Is this the start of a page of a file's code that `pid` has?  The uretprobe trampoline is such a
 * page of no file; where the process has gone, that is not known (false).
 */
bool rt_sites_is_code_page(struct rt_sites *sites, pid_t pid, uint64_t address);

#endif
