/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_ADDRMAP_H
#define RT_STREAM_ADDRMAP_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The file, and the place in it, of a process's instruction pointer: for attach mechanisms
 * with only that in records (RT_KEY_IP).  It is fed from /proc at the start and from the
 * MMAP, FORK and EXIT events of the stream after.  A pid is a thread group here.
 */
struct rt_addrmap;

struct rt_addrmap *rt_addrmap_new(void);	/* NULL: out of memory */
void rt_addrmap_free(struct rt_addrmap *map);

/*
 * A mapping of `len` bytes at `start`, of the file with inode `ino` from byte offset `pgoff` on.
 * It replaces what it overlaps of that process; with `ino` 0 (anonymous memory) it does only that.
 * 0 or -ENOMEM.
 */
int rt_addrmap_add(struct rt_addrmap *map, pid_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
		   uint64_t ino);

/*
 * Read the executable file mappings of a running process from /proc/PID/maps; they replace all that
 * was known of it.  0, -ESRCH when it is gone (a zombie too; what was known stays: its last events
 * may still come), or another negative errno.
 */
int rt_addrmap_read(struct rt_addrmap *map, pid_t pid);

/*
 * The same from the text of such a file.  -EBADMSG where a line is not of its form; what was known
 * stays.
 */
int rt_addrmap_parse(struct rt_addrmap *map, pid_t pid, const char *text);

/* Process `child` has the mappings of `parent`, and no others.  0 or -ENOMEM. */
int rt_addrmap_copy(struct rt_addrmap *map, pid_t parent, pid_t child);

/* Process `pid` began a new program: nothing of the old one is mapped any more. */
void rt_addrmap_forget(struct rt_addrmap *map, pid_t pid);

/*
 * 0 with the inode and the file offset of `ip` in process `pid`, or -ENOENT.  Fast where it stays
 * in one mapping.
 */
int rt_addrmap_find(struct rt_addrmap *map, pid_t pid, uint64_t ip, uint64_t *ino,
		    uint64_t *offset);

/*
 * The first mapping of the file with inode `ino`: where it begins, and the file offset there.  0 or
 * -ENOENT.
 */
int rt_addrmap_first(const struct rt_addrmap *map, pid_t pid, uint64_t ino, uint64_t *start,
		     uint64_t *pgoff);

#endif
