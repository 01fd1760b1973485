/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_TRACEFS_PAGE_H
#define RT_STREAM_TRACEFS_PAGE_H

#include "stream/tracefs_format.h"

/*
 * Walk one page read from trace_pipe_raw (kernel/trace/ring_buffer.c;
 * Documentation/trace/ring-buffer-design.rst).  `record` is called for each event with its absolute
 * time in ns and its bytes (the u16 event id first); `lost` first of all where the page says that
 * events were dropped before it, with their number, or 0 where the kernel does not know it.  Either
 * may stop the walk with a negative errno, which is returned.  -EBADMSG where lengths do not hold
 * together.
 */
struct rt_page_sink {
	int (*record)(void *ctx, uint64_t time, const uint8_t *data, size_t len);
	int (*lost)(void *ctx, uint64_t time, uint64_t count);
	void *ctx;
};
int rt_tracefs_page_walk(const struct rt_page_layout *layout, const uint8_t *page, size_t len,
			 const struct rt_page_sink *sink);

#endif
