/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_PERF_SOURCE_H
#define RT_STREAM_PERF_SOURCE_H

#include "stream/source.h"

/*
 * The perf mmap rings, one an online CPU: what the kernel tells of threads that begin and end, of
 * names and of executable mappings (side-band records).  With rt_ring_perf the same rings take the
 * records of BPF programs (bpf_perf_event_output), which works wherever BPF does (4.4).
 */
int rt_perf_source_side(struct rt_source **source, struct rt_error *err);

#endif
