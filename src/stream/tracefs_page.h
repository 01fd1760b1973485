/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_TRACEFS_PAGE_H
#define RT_STREAM_TRACEFS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A field of an event, from events/GROUP/NAME/format (Documentation/trace/events.rst, "Event
 * formats").
 */
struct rt_field {
	char name[64];
	uint16_t offset, size;
	bool is_signed;
	/* __data_loc: a u32, offset in the low half and length in the high half */
	bool data_loc;
};

struct rt_format {
	char name[64];
	unsigned id;
	struct rt_field *fields;
	size_t nfields, cap;
};

/* Parse the text of a `format` file.  `what` names it in messages.  Free with rt_format_free. */
int rt_format_parse(const char *text, const char *what, struct rt_format *format,
		    struct rt_error *err);
void rt_format_free(struct rt_format *format);
const struct rt_field *rt_format_field(const struct rt_format *format, const char *name);

/* Offsets of the parts of a ring page, from events/header_page. */
struct rt_page_layout {
	/* byte offsets, and the size of `commit` (4 or 8) */
	uint16_t timestamp, commit, commit_size, data;
	uint32_t page;					/* bytes in a page: data + size of data */
};
int rt_page_layout_parse(const char *text, struct rt_page_layout *layout, struct rt_error *err);

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
