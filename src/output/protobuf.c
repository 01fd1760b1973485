/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/protobuf.h"

#include <string.h>

enum wire_type { VARINT = 0, LENGTH = 2 };

static void put_tag(struct rt_bytes *message, unsigned field, enum wire_type type)
{
	rt_bytes_number(message, (uint64_t)field << 3 | type);
}

void rt_proto_number(struct rt_bytes *message, unsigned field, uint64_t value)
{
	put_tag(message, field, VARINT);
	rt_bytes_number(message, value);
}

void rt_proto_bytes(struct rt_bytes *message, unsigned field, const void *data, size_t n)
{
	put_tag(message, field, LENGTH);
	rt_bytes_number(message, n);
	if (n)
		rt_bytes_add(message, data, n);
}

void rt_proto_text(struct rt_bytes *message, unsigned field, const char *text)
{
	rt_proto_bytes(message, field, text, strlen(text));
}

void rt_proto_message(struct rt_bytes *message, unsigned field, struct rt_bytes *part)
{
	rt_proto_bytes(message, field, part->v, part->n);
	message->failed |= part->failed;
	part->n = 0;
}
