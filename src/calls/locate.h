/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_LOCATE_H
#define RT_CALLS_LOCATE_H

#include "calls/stack.h"
#include "plan/target.h"

/*
 * What is at an address of a traced process: which file and which of our probes, and whose code.
 */
struct rt_locate;

/* Where a plain probe stands: on a function's entry, or on one of its exits. */
struct rt_location {
	uint64_t offset;
	ino_t ino;
	uint32_t function;	/* RT_NO_FUNCTION: of an exit that several functions share */
	bool leaving;
	const struct rt_exit *exit;	/* NULL at entries */
};

/* The target must outlive it.  NULL: out of memory. */
struct rt_locate *rt_locate_new(const struct rt_target *target);
void rt_locate_free(struct rt_locate *l);

/* Read the mappings that process `pid` has now.  0 or a negative errno. */
int rt_locate_read(struct rt_locate *l, pid_t pid);

/* A process mapped a file (RT_EV_MMAP).  0 or -ENOMEM. */
int rt_locate_mapped(struct rt_locate *l, const struct rt_event *event);

/* Records are missing, maybe of mappings: they are read again when an address is not known. */
void rt_locate_unsure(struct rt_locate *l);

/* Process `pid` runs another program: nothing of the old one's memory is where it was. */
void rt_locate_exec(struct rt_locate *l, pid_t pid);

/* The inode and the file offset of code at `ip` of process `pid`.  0, or a negative errno where nothing is known to be mapped there. */
int rt_locate_file(struct rt_locate *l, pid_t pid, uint64_t ip, uint64_t *ino, uint64_t *offset);

/* How far from the addresses that the image is linked to process `pid` has it.  False: that is not known. */
bool rt_locate_moved(struct rt_locate *l, pid_t pid, const struct rt_image *image, uint64_t *by);

/* The probe at `ip` of process `pid`, of those on entries or of those on exits; NULL: none is known there. */
const struct rt_location *rt_locate_place(struct rt_locate *l, pid_t pid, uint64_t ip, bool leaving);

/* The function that has its entry probe at `ip` of process `pid`; RT_NO_FUNCTION: not known. */
uint32_t rt_locate_function(struct rt_locate *l, pid_t pid, uint64_t ip);

/*
 * The traced function at `address` of process `pid`, if its return is probed; RT_NO_FUNCTION: none.
 * Without the mappings: the only function at this offset in a page, which the next hit must confirm.
 */
uint32_t rt_locate_entry(struct rt_locate *l, pid_t pid, uint64_t address);

/*
 * rt_locate_function where it is not known whose address that is: all processes that have one there
 * have the same function there, or it is not known.
 */
uint32_t rt_locate_function_of_any(struct rt_locate *l, const struct rt_pids *pids, uint64_t ip);

/*
 * Did the program's own code call the function, if the call returns to `ra` in process `pid`?  What is not known counts as that; where another function of a
 * library is called there, that one made the call, as its last.
 */
bool rt_locate_from_program(struct rt_locate *l, pid_t pid, uint64_t ra, const struct rt_function *f);

/*
 * Is this the start of a page of a file's code that `pid` has?  The uretprobe trampoline is such a page of no file; where the process has
 * gone, that is not known (false).
 */
bool rt_locate_page_of_code(struct rt_locate *l, pid_t pid, uint64_t address);

#endif
