/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/compress.h"

static const char file_magic[8] = "RAWTRACE", block_magic[4] = "RTBK";

enum { HEADER = 12, BLOCK_HEADER = 20 };

const char *rt_blocks_compression(void)
{
	return rt_compression;
}

void rt_blocks_begin(FILE *file)
{
	struct rt_bytes header = { .n = 0 };

	rt_bytes_add(&header, file_magic, sizeof(file_magic));
	rt_bytes_u32(&header, RT_RECORD_VERSION);
	fwrite(header.v, 1, header.n, file);
	rt_bytes_free(&header);
}

int rt_block_encode(enum rt_block_kind kind, const struct rt_bytes *bytes, struct rt_bytes *out)
{
	size_t room = rt_compress_bound(bytes->n), n = bytes->n;
	uint8_t *room_v = malloc(room ? room : 1);
	const uint8_t *stored = bytes->v;

	if (!room_v || bytes->failed) {
		free(room_v);
		return -ENOMEM;
	}
	n = bytes->n ? rt_compress(room_v, room, bytes->v, bytes->n) : 0;
	if (n && n < bytes->n)
		stored = room_v;
	else
		n = bytes->n;
	rt_bytes_add(out, block_magic, sizeof(block_magic));
	rt_bytes_u32(out, kind);
	rt_bytes_u32(out, (uint32_t)bytes->n);
	rt_bytes_u32(out, (uint32_t)n);
	rt_bytes_u32(out, rt_crc32(stored, n));
	if (n)
		rt_bytes_add(out, stored, n);
	free(room_v);
	return out->failed ? -ENOMEM : 0;
}

int rt_blocks_write(FILE *file, enum rt_block_kind kind, const struct rt_bytes *bytes)
{
	struct rt_bytes out = { .n = 0 };
	int r = rt_block_encode(kind, bytes, &out);

	if (r == 0)
		fwrite(out.v, 1, out.n, file);
	rt_bytes_free(&out);
	return r;
}

/* A pipe cannot be read twice: it is copied to a temporary file. */
static int make_seekable(struct rt_blocks *blocks, struct rt_error *err)
{
	char buf[65536];
	FILE *copy;
	size_t n;

	if (fseeko(blocks->file, 0, SEEK_CUR) == 0)
		return 0;
	copy = tmpfile();
	if (!copy)
		return rt_fail(err, -errno, "temporary file: %s", strerror(errno));
	while ((n = fread(buf, 1, sizeof(buf), blocks->file)) > 0)
		fwrite(buf, 1, n, copy);
	fclose(blocks->file);
	blocks->file = copy;
	rewind(copy);
	return ferror(copy) ? rt_fail(err, -EIO, "temporary file: %s", strerror(errno)) : 0;
}

int rt_blocks_open(struct rt_blocks *blocks, const char *path, struct rt_error *err)
{
	uint8_t header[HEADER];
	struct rt_reader reader = { header + sizeof(file_magic), header + HEADER, false };
	uint32_t version;

	int r;

	memset(blocks, 0, sizeof(*blocks));
	blocks->path = strcmp(path, "-") == 0 ? "standard input" : path;
	blocks->file = strcmp(path, "-") == 0 ? fdopen(dup(STDIN_FILENO), "re") : fopen(path, "re");
	if (!blocks->file)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	r = make_seekable(blocks, err);
	if (r < 0)
		return r;
	if (fread(header, 1, HEADER, blocks->file) != HEADER ||
	    memcmp(header, file_magic, sizeof(file_magic)) != 0)
		return rt_fail(err, -EBADMSG, "%s: not a recording of rawtrace record",
			       blocks->path);
	version = rt_read_u32(&reader);
	if (version != RT_RECORD_VERSION)
		return rt_fail(err, -EBADMSG,
			       "%s: version %" PRIu32 " of the format; this rawtrace reads version "
			       "%d",
			       blocks->path, version, RT_RECORD_VERSION);
	blocks->at = HEADER;
	return 0;
}

int rt_blocks_damaged(const struct rt_blocks *blocks, const char *problem, struct rt_error *err)
{
	return rt_fail(err, -EBADMSG, "%s: damaged at byte %" PRIu64 ": %s; the calls before it "
		       "were read",
		       blocks->path, blocks->at, problem);
}

static int read_stored(struct rt_blocks *blocks, struct rt_block *block, uint32_t stored,
		       uint32_t crc, struct rt_error *err)
{
	int r = 0;

	free(blocks->stored);
	free(blocks->bytes);
	blocks->bytes = NULL;
	blocks->stored = malloc(stored ? stored : 1);
	if (!blocks->stored)
		return rt_nomem(err);
	if (fread(blocks->stored, 1, stored, blocks->file) != stored)
		return rt_blocks_damaged(blocks, "the last block is cut", err);
	if (rt_crc32(blocks->stored, stored) != crc)
		return rt_blocks_damaged(blocks, "its checksum is wrong", err);
	block->bytes = blocks->stored;
	if (stored == block->n)
		return 0;
	blocks->bytes = malloc(block->n);
	if (!blocks->bytes)
		return rt_nomem(err);
	block->bytes = blocks->bytes;
	r = rt_decompress(blocks->bytes, block->n, blocks->stored, stored);
	if (r == -EOPNOTSUPP)
		return rt_fail(err, r, "%s: compressed by zstd, and this rawtrace was built "
			       "without libzstd",
			       blocks->path);
	return r < 0 ? rt_blocks_damaged(blocks, "its zstd frame is wrong", err) : 0;
}

int rt_blocks_read(struct rt_blocks *blocks, struct rt_block *block, struct rt_error *err)
{
	uint8_t header[BLOCK_HEADER];
	struct rt_reader reader = { header + sizeof(block_magic), header + BLOCK_HEADER, false };
	size_t n = fread(header, 1, BLOCK_HEADER, blocks->file);
	uint32_t stored, crc;
	int r;

	if (n == 0 && !ferror(blocks->file))
		return 0;
	if (n < BLOCK_HEADER)
		return rt_blocks_damaged(blocks, "the last block is cut", err);
	if (memcmp(header, block_magic, sizeof(block_magic)) != 0)
		return rt_blocks_damaged(blocks, "no block begins there", err);
	block->kind = rt_read_u32(&reader);
	block->n = rt_read_u32(&reader);
	stored = rt_read_u32(&reader);
	crc = rt_read_u32(&reader);
	if (block->n > RT_BLOCK_MOST || stored > block->n)
		return rt_blocks_damaged(blocks, "a block of a wrong size", err);
	if (blocks->skips_calls && block->kind == RT_BLOCK_CALLS) {
		block->n = 0;
		r = fseeko(blocks->file, stored, SEEK_CUR);
	} else {
		r = read_stored(blocks, block, stored, crc, err);
	}
	blocks->at += BLOCK_HEADER + stored;
	return r < 0 ? r : 1;
}

int rt_blocks_rewind(struct rt_blocks *blocks, struct rt_error *err)
{
	blocks->at = HEADER;
	if (fseeko(blocks->file, HEADER, SEEK_SET) == 0)
		return 0;
	return rt_fail(err, -errno, "%s: %s", blocks->path, strerror(errno));
}

void rt_blocks_close(struct rt_blocks *blocks)
{
	free(blocks->stored);
	free(blocks->bytes);
	if (blocks->file)
		fclose(blocks->file);
	memset(blocks, 0, sizeof(*blocks));
}
