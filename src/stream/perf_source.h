/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_PERF_SOURCE_H
#define RT_STREAM_PERF_SOURCE_H

#include "stream/source.h"
#include "stream/record.h"

/*
 * The perf mmap rings, one an online CPU: what the kernel tells of threads that begin and end, of
 * names and of executable mappings (side-band records).  With rt_ring_perf the same rings take the
 * records of BPF programs (bpf_perf_event_output), which works wherever BPF does (4.4).
 */
int rt_perf_source_side(struct rt_source **source, struct rt_error *err);

/*
 * Decode one whole record of a perf mmap ring (perf_event_open(2), "MMAP layout"), opened with
 * sample_type TIME | RAW, sample_id_all, task, comm and mmap2: struct perf_event_header, then
 *   PERF_RECORD_SAMPLE   u64 time; u32 size; struct rt_record; padding
 *   PERF_RECORD_LOST     u64 id; u64 lost; sample_id
 *   FORK, EXIT           u32 pid, ppid, tid, ptid; u64 time; sample_id
 *   COMM                 u32 pid, tid; char comm[]; sample_id
 *   MMAP2                u32 pid, tid; u64 addr, len, pgoff; u32 maj, min; u64 ino, ino_generation;
 *                        u32 prot, flags; filename; sample_id
 * where sample_id is the u64 time that ends every record but the sample.  Other types, and mappings
 * that are not executable, are skipped.
 *
 * Hits that a full ring refused are known by their numbers (stream/record.h), so LOST is
 * RT_EV_UNSEEN. With `decoder` NULL there are no samples.
 *
 * `rec` has `len` bytes (header.size).  Returns 1 and fills `event` (its data points into `rec`), 0
 * if the record is to be skipped, -EBADMSG if its sizes disagree or a sample is not a record that
 * the decoder knows.
 */
int rt_perf_record_decode(const void *rec, size_t len, const struct rt_record_decoder *decoder,
			  struct rt_event *event);

/*
 * Walk the bytes [tail, head) of a ring of `size` bytes (a power of two) at `base`; records that
 * wrap round its end are first joined in `scratch` (65,536 bytes).  Gives each event to the
 * handler; a broken record ends the walk with -EBADMSG.
 */
int rt_perf_ring_walk(const uint8_t *base, uint64_t size, uint64_t tail, uint64_t head,
		      uint8_t *scratch, const struct rt_record_decoder *decoder,
		      const struct rt_event_handler *handler);

#endif
