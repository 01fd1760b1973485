/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_GAPS_H
#define RT_STREAM_GAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Which hits were lost, by thread.  The BPF programs count each thread's hits in an array map and
 * put the count into the record: a number that is left out was lost, whatever ring, CPU or kernel
 * lost it (before 5.1 a program is not told that a perf ring was full, and a ring tells of it only
 * with its next record).
 *
 * A thread's slot of the array is its id modulo the number of slots.  Threads that share one count
 * together; what is lost there is lost in any of them.
 */
struct rt_gaps;

/*
 * Slots of a u64 each.  The smaller number is for a low RLIMIT_MEMLOCK, against which maps counted
 * before 5.11.
 */
enum { RT_GAPS_SLOTS = 16384, RT_GAPS_SLOTS_MIN = 512 };

/*
 * `map` (ARRAY of `slots` u64) stays the caller's and must outlive the gaps.  NULL: out of memory.
 */
struct rt_gaps *rt_gaps_new(int map, uint32_t slots);
void rt_gaps_free(struct rt_gaps *gaps);

/*
 * The record with count `seq` of thread `tid`, in the thread's order: returns how many of its hits
 * before it have no record.  `*shared`: they can be another thread's.
 */
uint32_t rt_gaps_hit(struct rt_gaps *gaps, pid_t tid, uint32_t seq, bool *shared);

/*
 * The thread has ended and all its records have been seen: how many hits after its last record were
 * lost.
 */
uint32_t rt_gaps_exit(struct rt_gaps *gaps, pid_t tid);

/* All hits of all threads so far, those without a record too. */
uint64_t rt_gaps_hits(const struct rt_gaps *gaps);

/* After the last record: how many were lost and have not been returned by the others. */
uint64_t rt_gaps_rest(struct rt_gaps *gaps);

#endif
