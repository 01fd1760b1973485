/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_SITE_MAP_H
#define RT_CALLS_SITE_MAP_H

#include "calls/return_sites.h"
#include "calls/stack.h"
#include "fetch/record.h"
#include "plan/sites.h"

/*
 * Sites: the function and exit of a hit, and the file and code at an address of a traced process.
 * A record names its probe by number (RT_KEY_ID) or by instruction pointer (RT_KEY_IP).
 */
struct rt_site_map;

/* A plain probe: on the entry of a function, or on one of its exits. */
struct rt_mapped_site {
	uint64_t offset;
	ino_t ino;
	uint32_t function;	/* RT_NO_FUNCTION: of an exit that several functions share */
	bool is_exit;
	const struct rt_exit *exit;	/* NULL at entries */
};

/* `traced` and `sites` must outlive it.  NULL: out of memory. */
struct rt_site_map *rt_site_map_new(const struct rt_traced *traced, const struct rt_sites *sites,
				    enum rt_key key);
/* The sites have more functions and probes, behind those that they had.  0 or -ENOMEM. */
int rt_site_map_grow(struct rt_site_map *map);
void rt_site_map_free(struct rt_site_map *map);

/*
 * Fill in `hit`, which has its plan, from the event's key and values; the event's sp becomes that
 * at the entry.  0; 1: the event is no exit that is known; -EBADMSG: the key is no probe of the
 * plan.
 */
int rt_site_map_resolve(struct rt_site_map *map, struct rt_event *event, struct rt_hit *hit);

/* Read the mappings that process `pid` has now.  0 or a negative errno. */
int rt_site_map_read(struct rt_site_map *map, pid_t pid);

/* A process mapped a file (RT_EV_MMAP).  0 or -ENOMEM. */
int rt_site_map_mapped(struct rt_site_map *map, const struct rt_event *event);

/* Records are missing, maybe of mappings: they are read again when an address is not known. */
void rt_site_map_unsure(struct rt_site_map *map);

/*
 * Process `pid` has ended, or runs another program: nothing of the old one's memory is where it
 * was.
 */
void rt_site_map_forget(struct rt_site_map *map, pid_t pid);

/* Process `child` has a copy of the memory of `parent`.  0 or -ENOMEM. */
int rt_site_map_fork(struct rt_site_map *map, pid_t parent, pid_t child);

/*
 * The inode and the file offset of code at `ip` of process `pid`.  0, or a negative errno where
 * nothing is known to be mapped there.
 */
int rt_site_map_file(struct rt_site_map *map, pid_t pid, uint64_t ip, uint64_t *ino,
		     uint64_t *offset);

/* The distance of the image from its link addresses in process `pid`.  False: not known. */
bool rt_site_map_load_offset(struct rt_site_map *map, pid_t pid, const struct rt_image *image,
			     uint64_t *by);

/*
 * The probe at `ip` of process `pid`, of those on entries or of those on exits; NULL: none is known
 * there.
 */
const struct rt_mapped_site *rt_site_map_find(struct rt_site_map *map, pid_t pid, uint64_t ip,
					      bool is_exit);

/* The function that has its entry probe at `ip` of process `pid`; RT_NO_FUNCTION: not known. */
uint32_t rt_site_map_function(struct rt_site_map *map, pid_t pid, uint64_t ip);

/*
 * The traced function at `address` of process `pid`, if its return is probed; RT_NO_FUNCTION: none.
 * Without the mappings: the only function at this offset in a page, which the next hit must
 * confirm.
 */
uint32_t rt_site_map_entry(struct rt_site_map *map, pid_t pid, uint64_t address);

/*
 * rt_site_map_function where it is not known whose address that is: all processes that have one
 * there have the same function there, or it is not known.
 */
uint32_t rt_site_map_function_of_any(struct rt_site_map *map, const struct rt_pids *pids,
				     uint64_t ip);

/*
 * Did the program's own code call the function, if the call returns to `ra` in process `pid`?  What
 * is not known counts as that; where another function of a library is called there, that one made
 * the call, as its last.
 */
bool rt_site_map_is_from_program(struct rt_site_map *map, pid_t pid, uint64_t ra,
				 const struct rt_function *f);

/* From now on take note of return sites.  The sites, which stay the map's. */
struct rt_return_sites *rt_site_map_learn(struct rt_site_map *map);

/* Has a place in a file a probe of the trace, or may it have one? */
bool rt_site_map_has_probe(const struct rt_site_map *map, uint64_t offset, uint64_t ino);

/*
 * Is this the start of a page of a file's code that `pid` has?  The uretprobe trampoline is such a
 * page of no file; where the process has gone, that is not known (false).
 */
bool rt_site_map_is_code_page(struct rt_site_map *map, pid_t pid, uint64_t address);

#endif
