/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/counts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/verifier.h"
#include "base/array.h"

/* All rows together take no more, and one for each CPU is not needed. */
enum { CELLS_BYTES = 16 << 20, LINE_CELLS = 8 };

/* With these fewer threads than RT_HEADS have a slot of their own. */
enum { FRAMES_BYTES = 32 << 20 };

/*
 * Elements of RT_MAP_PLACES: durations are rarely in more than this many buckets; and no more in
 * all than the second.
 */
enum { PLACE_CELLS = 24, PLACES_MAX = 1 << 18 };

/*
 * An array of `size` bytes an element that can be mapped, or at least one that can not (before
 * 5.5).
 */
static int make_array(uint32_t size, uint64_t entries, bool *mappable)
{
	int r;

	if (entries > UINT32_MAX)
		return -E2BIG;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, size, (uint32_t)entries,
			      *mappable ? RT_BPF_F_MMAPABLE : 0);
	if (r == -EINVAL && *mappable) {
		*mappable = false;
		r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, size, (uint32_t)entries, 0);
	}
	return r;
}

static void size_rows(struct rt_counts *c)
{
	uint32_t cpus = (uint32_t)rt_cpus_possible();

	c->stride = (c->functions * rt_cells_of(c->purpose) + LINE_CELLS - 1) &
		    ~(uint32_t)(LINE_CELLS - 1);
	for (c->rows = 1;
	     c->rows < cpus && (uint64_t)c->rows * 2 * c->stride * sizeof(uint64_t) <= CELLS_BYTES;
	     c->rows *= 2)
		;
}

static int make_cells(struct rt_counts *c)
{
	bool mappable = true;
	size_t bytes;
	void *at;
	int r;

	size_rows(c);
	r = make_array(sizeof(uint64_t), (uint64_t)c->rows * c->stride, &mappable);
	if (r == -EPERM && c->rows > 1) {
		c->rows = 1;
		r = make_array(sizeof(uint64_t), c->stride, &mappable);
	}
	c->maps[RT_MAP_CELLS] = r;
	if (r < 0 || !mappable)
		return r < 0 ? r : 0;
	bytes = (size_t)c->rows * c->stride * sizeof(uint64_t);
	at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, r, 0);
	if (at != MAP_FAILED) {
		c->cells = at;
		c->mapped = bytes;
	}
	return 0;
}

static int make_frames(struct rt_counts *c, uint16_t extra)
{
	uint32_t size = (uint32_t)sizeof(struct rt_open_call) + extra;
	bool mappable = false;
	int r;

	for (c->heads = RT_HEADS;
	     c->heads > RT_HEADS_MIN && (uint64_t)c->heads * RT_OPEN_MAX * size > FRAMES_BYTES;
	     c->heads /= 2)
		;
	r = make_array(size, (uint64_t)c->heads * RT_OPEN_MAX, &mappable);
	if (r == -EPERM) {
		c->heads = RT_HEADS_MIN;
		r = make_array(size, RT_HEADS_MIN * RT_OPEN_MAX, &mappable);
	}
	c->maps[RT_MAP_FRAMES] = r;
	if (r >= 0)
		c->maps[RT_MAP_HEADS] = r = make_array(sizeof(struct rt_head), c->heads, &mappable);
	return r < 0 ? r : 0;
}

/*
 * Twice as many functions as there are: a program that runs itself anew has them at other
 * addresses.
 */
static int make_places(struct rt_counts *c)
{
	uint64_t n = (uint64_t)c->functions * 2 *
			     (c->purpose == RT_PURPOSE_TIME ? PLACE_CELLS : 1) +
		     64;
	int r = rt_bpf_map_create(RT_BPF_MAP_TYPE_HASH, sizeof(struct rt_cell_key),
				  sizeof(uint64_t), n < PLACES_MAX ? (uint32_t)n : PLACES_MAX, 0);

	c->maps[RT_MAP_PLACES] = r;
	return r < 0 ? r : 0;
}

static size_t quick_bytes(unsigned bits, uint32_t rows)
{
	return ((size_t)rows << bits) * sizeof(struct rt_quick);
}

/*
 * Four places a function, so that few of them meet.  Without it everything goes to RT_MAP_PLACES.
 */
static void make_quick(struct rt_counts *c)
{
	uint32_t cpus = (uint32_t)rt_cpus_possible(), rows;
	unsigned bits = 8;
	void *at;
	int r;

	if (rt_verifier_cmpxchg() < 0)
		return;
	while (bits < RT_QUICK_BITS_MAX && 1u << bits < (uint64_t)c->functions * 4)
		bits++;
	for (rows = 1; rows < cpus && quick_bytes(bits, rows * 2) <= CELLS_BYTES; rows *= 2)
		;
	c->maps[RT_MAP_QUICK] = r = rt_bpf_map_create(
		RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(struct rt_quick), rows << bits, RT_BPF_F_MMAPABLE);
	at = r >= 0 ? mmap(NULL, quick_bytes(bits, rows), PROT_READ, MAP_SHARED, r, 0) : MAP_FAILED;
	if (at == MAP_FAILED)
		return;
	c->quick_at = at;
	c->quick = bits;
	c->quick_rows = rows;
}

int rt_counts_open(struct rt_counts *c, int *maps, enum rt_purpose purpose, enum rt_key key,
		   uint32_t functions, uint16_t extra)
{
	int r;

	memset(c, 0, sizeof(*c));
	c->purpose = purpose;
	c->key = key;
	c->maps = maps;
	if (purpose == RT_PURPOSE_RECORD)
		return make_frames(c, extra);
	c->functions = key == RT_KEY_IP ? 1 : functions;
	r = make_cells(c);
	c->functions = functions;
	if (r == 0 && key == RT_KEY_IP)
		r = make_places(c);
	if (r == 0 && key == RT_KEY_IP && purpose == RT_PURPOSE_COUNT)
		make_quick(c);
	if (r == 0 && purpose == RT_PURPOSE_TIME)
		r = make_frames(c, sizeof(struct rt_open_time));
	return r;
}

void rt_counts_close(struct rt_counts *c)
{
	if (c->cells)
		munmap(c->cells, c->mapped);
	if (c->quick_at)
		munmap(c->quick_at, quick_bytes(c->quick, c->quick_rows));
	c->cells = NULL;
	c->quick_at = NULL;
}

static int add(struct rt_count_list *list, uint64_t key, unsigned cell, uint64_t value)
{
	if (RT_ROOM(&list->v, list->n, &list->cap) != 0)
		return -ENOMEM;
	list->v[list->n++] = (struct rt_count){ .key = key, .cell = cell, .value = value };
	return 0;
}

/* Cell `i` of every row. */
static int read_cell(const struct rt_counts *c, uint32_t i, uint64_t *sum)
{
	uint32_t row, at;
	uint64_t value;
	int r;

	*sum = 0;
	for (row = 0; row < c->rows; row++) {
		at = row * c->stride + i;
		if (c->cells) {
			*sum += __atomic_load_n(&c->cells[at], __ATOMIC_RELAXED);
			continue;
		}
		r = rt_bpf_map_lookup(c->maps[RT_MAP_CELLS], &at, &value);
		if (r < 0)
			return r;
		*sum += value;
	}
	return 0;
}

static int read_quick(const struct rt_counts *c, struct rt_count_list *list)
{
	uint32_t i, n = c->quick ? c->quick_rows << c->quick : 0;
	uint64_t calls;
	int r = 0;

	for (i = 0; i < n && r == 0; i++) {
		calls = __atomic_load_n(&c->quick_at[i].calls, __ATOMIC_ACQUIRE);
		if (calls)
			r = add(list, c->quick_at[i].ip, RT_CELL_CALLS, calls);
	}
	return r;
}

static int read_places(const struct rt_counts *c, struct rt_count_list *list)
{
	struct rt_cell_key key;
	uint64_t value;
	int r;

	/*
	 * The first key comes after one that is not there; before 4.12 there is no asking without
	 * one.
	 */
	memset(&key, 0xff, sizeof(key));
	r = read_cell(c, 0, &list->missed);
	if (r == 0)
		r = read_quick(c, list);
	while (r == 0) {
		r = rt_bpf_map_next(c->maps[RT_MAP_PLACES], &key, &key);
		if (r == 0)
			r = rt_bpf_map_lookup(c->maps[RT_MAP_PLACES], &key, &value);
		if (r == 0)
			r = add(list, key.ip, (unsigned)key.cell, value);
	}
	return r == -ENOENT ? 0 : r;
}

int rt_counts_read(const struct rt_counts *c, struct rt_count_list *list)
{
	unsigned per = rt_cells_of(c->purpose), cell;
	uint64_t value;
	uint32_t f;
	int r = 0;

	if (c->key == RT_KEY_IP)
		return read_places(c, list);
	for (f = 0; f < c->functions && r == 0; f++) {
		for (cell = 0; cell < per && r == 0; cell++) {
			r = read_cell(c, f * per + cell, &value);
			if (r == 0 && value)
				r = add(list, f, cell, value);
		}
	}
	return r;
}
