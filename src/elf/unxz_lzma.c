/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

#include "elf/unxz.h"

/* xz -9 needs 65 MB; what wants more is not made for this. */
#define MEMORY (UINT64_C(128) << 20)

static int grow(lzma_stream *s, uint8_t **v, size_t *cap, size_t max)
{
	size_t done = (size_t)(s->next_out - *v), more = *cap * 2 < max ? *cap * 2 : max;
	uint8_t *p;

	if (more <= *cap)
		return -EFBIG;
	p = realloc(*v, more);
	if (!p)
		return -ENOMEM;
	*v = p;
	s->next_out = p + done;
	s->avail_out = more - done;
	*cap = more;
	return 0;
}

static int unpack(lzma_stream *s, uint8_t **v, size_t cap, size_t max, struct rt_error *err)
{
	lzma_ret ret = LZMA_OK;
	int r;

	while (ret == LZMA_OK) {
		ret = lzma_code(s, LZMA_FINISH);
		if (ret == LZMA_MEM_ERROR)
			return rt_nomem(err);
		if (ret == LZMA_STREAM_END)
			return 0;
		if (ret == LZMA_OK && s->avail_out == 0) {
			r = grow(s, v, &cap, max);
			if (r == -ENOMEM)
				return rt_nomem(err);
			if (r < 0)
				return rt_fail(err, r, "it unpacks to more than %zu MB", max >> 20);
		} else if (ret == LZMA_OK) {
			break;		/* cut off */
		}
	}
	return rt_fail(err, -EBADMSG, "it is damaged");
}

int rt_unxz(const void *bytes, size_t n, size_t max, void **out, size_t *nout, struct rt_error *err)
{
	size_t cap = n * 4 < 4096 ? 4096 : n * 4;
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *v;
	int r;

	*out = NULL;
	*nout = 0;
	if (cap > max)
		cap = max;
	v = malloc(cap);
	if (!v || lzma_stream_decoder(&s, MEMORY, 0) != LZMA_OK) {
		free(v);
		return rt_nomem(err);
	}
	s.next_in = bytes;
	s.avail_in = n;
	s.next_out = v;
	s.avail_out = cap;
	r = unpack(&s, &v, cap, max, err);
	*nout = (size_t)(s.next_out - v);
	lzma_end(&s);
	if (r < 0)
		free(v);
	else
		*out = v;
	return r;
}
