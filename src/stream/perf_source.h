/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_PERF_SOURCE_H
#define RT_STREAM_PERF_SOURCE_H

#include "stream/source.h"

/*
 * The perf mmap rings, one an online CPU, that bpf_perf_event_output writes to: the transport that works wherever BPF does
 * (4.4).  Side-band records (threads that begin and end, names, executable mappings) come through the same rings.
 *
 * `events_map` (PERF_EVENT_ARRAY), which is filled with the rings, stays the caller's and must outlive the source; `gaps` is the
 * source's from here on, also where this fails.  The hits are of process `pid`.  `ring_bytes` a CPU is rounded down to a power of
 * two, at least a page; 0: the default, 8 MiB a CPU and 64 MiB in all.
 */
int rt_perf_source_open(size_t ring_bytes, int events_map, struct rt_gaps *gaps, pid_t pid, struct rt_source **source,
			struct rt_error *err);

#endif
