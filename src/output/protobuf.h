/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_PROTOBUF_H
#define RT_OUTPUT_PROTOBUF_H

#include "base/bytes.h"

/* Append a field of a protobuf message: a varint, or bytes with their length. */
void rt_proto_number(struct rt_bytes *message, unsigned field, uint64_t value);
void rt_proto_bytes(struct rt_bytes *message, unsigned field, const void *data, size_t n);
void rt_proto_text(struct rt_bytes *message, unsigned field, const char *text);

/* Append `part` as a field, and empty it.  A failure of `part` becomes one of the message. */
void rt_proto_message(struct rt_bytes *message, unsigned field, struct rt_bytes *part);

#endif
