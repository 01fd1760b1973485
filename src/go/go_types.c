/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "go/go.h"
#include "elf/file.h"
#include "base/clean.h"

/*
 * The runtime's records of types (internal/abi/type.go, before 1.21 runtime/type.go): names are so
 * far from where the types begin, of which the record of the program's module (runtime.moduledata)
 * tells.
 */
enum {
	FLAGS_AT = 20,
	KIND_AT = 23,
	KIND_BITS = 0x1f,
	NAME_AT = 40,
	EXTRA_STAR = 1 << 1,
	PIECE = 1 << 16
};

/* Offsets in the module's record: its first function's address, and the beginning of its types. */
static void module_layout(const struct rt_go *go, unsigned *first, unsigned *types)
{
	*first = go->table.since == 2 ? 80 : 160;
	*types = go->table.since == 2 ? 200 : go->table.since < 20 ? 280 : 296;
}

/* Is it at `addr`? */
static bool is_module(const struct rt_image *image, struct rt_go *go, uint64_t addr)
{
	struct rt_go_function f;
	unsigned first_at, types_at;
	uint64_t first, v[7];

	module_layout(go, &first_at, &types_at);
	if (!rt_pclntab_function(&go->table, 0, &f) ||
	    rt_go_read(image, addr + first_at, &first, sizeof(first)) != sizeof(first) ||
	    first != f.addr || rt_go_read(image, addr + types_at, v, sizeof(v)) != sizeof(v))
		return false;
	/*
	 * Go 1.27 has the length of a part of them in between, and behind them where its tables for
	 * interfaces are.
	 */
	go->types[0] = v[0];
	go->types[1] = v[1] > v[0] ? v[1] : v[2];
	go->data = v[1] > v[0] ? v[3] : v[6];
	return v[0] < go->types[1];
}

/* It begins with the table's address. */
static bool find_in(const struct rt_image *image, struct rt_go *go, const struct rt_segment *s)
{
	uint64_t *piece = malloc(PIECE), at;
	size_t i, n = PIECE;
	bool found = false;

	for (at = 0; piece && at < s->filesz && n == PIECE && !found; at += n) {
		n = rt_image_read(image, s->vaddr + at, piece, PIECE);
		for (i = 0; i < n / sizeof(*piece) && !found; i++)
			found = piece[i] == go->table_addr &&
				is_module(image, go, s->vaddr + at + i * sizeof(*piece));
	}
	free(piece);
	return found;
}

struct finding {
	const struct rt_image *image;
	struct rt_go *go;
};

static bool is_found(void *ctx, uint64_t at, uint64_t value)
{
	const struct finding *f = ctx;

	return value == f->go->table_addr && is_module(f->image, f->go, at);
}

bool rt_go_types(struct rt_image *image)
{
	struct rt_go *go = rt_image_go(image) ? image->go : NULL;
	size_t i;

	if (go && go->has_table && !go->types_read) {
		struct finding finding = { image, go };

		go->types_read = true;
		if (rt_go_is_moved(image) && rt_go_each_pointer(image, is_found, &finding))
			return true;
		for (i = 0; i < image->nsegments; i++)
			if (!image->segments[i].exec && find_in(image, go, &image->segments[i]))
				break;
	}
	return go && go->types[1];
}

/*
 * A byte of flags, the length, and the name: the length has 7 bits a byte since 1.17, before it has
 * two bytes.
 */
static size_t read_name(const struct rt_image *image, const struct rt_go *go, uint64_t addr,
			char *buf, size_t size)
{
	bool old = go->minor ? go->minor < 17 : go->table.since < 18;
	uint8_t head[3];
	size_t n, skip;

	if (rt_image_read(image, addr, head, sizeof(head)) != sizeof(head))
		return 0;
	if (old) {
		n = (size_t)head[1] << 8 | head[2];
		skip = 3;
	} else {
		n = head[1] & 0x80 ? (head[1] & 0x7fu) | (size_t)(head[2] & 0x7f) << 7 : head[1];
		skip = head[1] & 0x80 ? 3 : 2;
	}
	if (!n || n >= size || rt_image_read(image, addr + skip, buf, n) != n ||
	    memchr(buf, '\0', n))
		return 0;
	buf[n] = '\0';
	rt_make_printable(buf);
	return n;
}

bool rt_go_type_name(struct rt_image *image, uint64_t addr, char *buf, size_t size, unsigned *kind)
{
	const struct rt_go *go = rt_image_go(image);
	uint8_t record[NAME_AT + 4];
	uint32_t name;
	size_t n;

	if (!rt_go_types(image) || addr < go->types[0] || addr >= go->types[1] ||
	    rt_image_read(image, addr, record, sizeof(record)) != sizeof(record))
		return false;
	memcpy(&name, record + NAME_AT, sizeof(name));
	*kind = record[KIND_AT] & KIND_BITS;
	n = read_name(image, go, go->types[0] + name, buf, size);
	if (n > 1 && record[FLAGS_AT] & EXTRA_STAR)
		memmove(buf, buf + 1, n);
	return n;
}
