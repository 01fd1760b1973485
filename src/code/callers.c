/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/callers.h"

#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/eh_frame.h"
#include "elf/file.h"
#include "base/array.h"
#include "base/pairs.h"
#include "base/search.h"
#include "base/sort.h"

enum {
	CHUNK = 1 << 16,
	CODE_MAX = 256 << 20,	/* bytes of code that are looked through */
	STEPS = 48,		/* instructions behind a call */
	/* behind the one that writes the result's register, up to the next branch */
	STEPS_REAL = 12,
	STEPS_ALL = 1024,	/* and in all, where callers of callers are looked at */
	SITES = 64,		/* callers that are asked */
	DEPTH = 8,
	INSN_MAX = 16,
	CALL = 0xe8, JUMP = 0xe9, SHORT = 0xeb, BRANCH = 0x0f, BYTES = 5,	/* of x86 */
};

/*
 * A call is one number, as a file may have millions.  From bit 33 on: its target, as a distance
 * from the first byte of code.  Below: the address behind it, as such a distance.  Bit 0: it is a
 * tail call.
 */
enum { TARGET = 33 };

struct rt_callers {
	struct rt_image *image;
	const struct rt_callers_ops *ops;
	void *ctx;
	uint64_t base, size;		/* from the first byte of code to the last */
	uint8_t *starts;		/* a bit an address: a function begins there */
	uint64_t *v;
	size_t n, cap;
};

/* ---- where functions begin ---- */

static void note_start(struct rt_callers *c, uint64_t addr)
{
	if (addr - c->base < c->size)
		c->starts[(addr - c->base) / 8] |= (uint8_t)(1u << (addr - c->base) % 8);
}

static bool is_start(const struct rt_callers *c, uint64_t addr)
{
	return addr - c->base < c->size &&
	       c->starts[(addr - c->base) / 8] >> (addr - c->base) % 8 & 1;
}

static int note_described(void *ctx, struct rt_eh_cursor *cursor, const struct rt_eh_described *d)
{
	(void)cursor;
	note_start(ctx, d->begin);
	return 0;
}

static void find_starts(struct rt_callers *c)
{
	uint64_t frames = rt_eh_frames(c->image);
	const struct rt_symbol *v;
	size_t n, i;

	if (rt_image_symbols(c->image, &v, &n, NULL) == 0)
		for (i = 0; i < n; i++)
			note_start(c, v[i].addr);
	if (frames)
		rt_eh_walk(c->image, frames, note_described, c, NULL);
}

/* ---- calls ---- */

static int note_site(struct rt_callers *c, uint64_t target, uint64_t behind, bool jumps)
{
	if (target - c->base >= c->size || (jumps && !is_start(c, target)))
		return 0;
	if (RT_ROOM(&c->v, c->n, &c->cap) < 0)
		return -1;
	c->v[c->n++] = (target - c->base) << TARGET | (behind - c->base) << 1 | jumps;
	return 0;
}

/*
 * Whatever looks like a call of a function's beginning is one: that bytes of something else do is
 * rare, and then not all is certain.
 */
static int note_x86(struct rt_callers *c, uint64_t addr, const uint8_t *bytes, size_t n)
{
	size_t end = bytes[0] == SHORT ? 2 : bytes[0] == BRANCH ? 6 : BYTES;
	int32_t distance;

	if (n < BYTES || end > n)
		return 0;
	if (bytes[0] == SHORT)
		distance = (int8_t)bytes[1];
	else
		memcpy(&distance, bytes + end - sizeof(distance), sizeof(distance));
	return note_site(c, addr + end + (uint64_t)(int64_t)distance, addr + end, bytes[0] != CALL);
}

static int scan_x86(struct rt_callers *c, uint64_t addr, const uint8_t *bytes, size_t n)
{
	static const struct rt_byte_pair begins[] = {
		{ CALL, 0, 0 }, { JUMP, 0, 0 }, { SHORT, 0, 0 }, { BRANCH, 0xf0, 0x80 },
	};
	uint16_t at[RT_PAIRS_BYTES];
	size_t i, k, found, end = n < CHUNK ? n : CHUNK;
	int r = 0;

	for (i = 0; i < end && r == 0; i += RT_PAIRS_BYTES) {
		found = rt_pairs_find(begins, RT_COUNT(begins), bytes + i,
				      end - i < RT_PAIRS_BYTES ? end - i : RT_PAIRS_BYTES, at);
		for (k = 0; k < found && r == 0; k++)
			r = note_x86(c, addr + i + at[k], bytes + i + at[k], n - i - at[k]);
	}
	return r;
}

/* Instructions of one size. */
static int scan_words(struct rt_callers *c, uint64_t addr, const uint8_t *bytes, size_t n)
{
	const struct rt_arch *arch = rt_image_arch(c->image);
	uint64_t target, behind;
	struct rt_flow f;
	size_t i;

	for (i = 0; i + arch->insn_size <= n; i += arch->insn_size) {
		target = arch->direct_target(bytes + i, n - i, addr + i, &behind);
		if (target && rt_flow_decode(arch, NULL, bytes + i, n - i, addr + i, &f) &&
		    note_site(c, target, behind, f.kind != RT_FLOW_CALL) < 0)
			return -1;
	}
	return 0;
}

/*
 * Older linkers have data in the segment of code: half of libLLVM's.  Each block that is read
 * overlaps the one before by the longest instruction, which may be cut.
 */
static int scan_segment(struct rt_callers *c, const struct rt_segment *s, uint8_t *buf)
{
	const struct rt_range *code = &c->image->code;
	const bool words = rt_image_arch(c->image)->insn_size;
	const size_t overlap = words ? 0 : 5;
	uint64_t at = s->vaddr, end = s->vaddr + s->filesz;
	size_t n;
	int r = 0;

	if (code->size) {
		at = code->addr > at ? code->addr : at;
		end = code->addr + code->size < end ? code->addr + code->size : end;
	}
	for (; at < end && r == 0; at += CHUNK) {
		n = rt_image_read(c->image, at, buf, CHUNK + overlap);
		r = words ? scan_words(c, at, buf, n) : scan_x86(c, at, buf, n);
		if (n < CHUNK)
			break;
	}
	return r;
}

static bool find_code(struct rt_callers *c)
{
	const struct rt_image *image = c->image;
	uint64_t end = 0;
	size_t i;

	c->base = UINT64_MAX;
	for (i = 0; i < image->nsegments; i++) {
		const struct rt_segment *s = &image->segments[i];

		if (!s->exec || !s->filesz || s->vaddr + s->filesz < s->vaddr)
			continue;
		c->base = s->vaddr < c->base ? s->vaddr : c->base;
		end = s->vaddr + s->filesz > end ? s->vaddr + s->filesz : end;
	}
	c->size = end > c->base ? end - c->base : 0;
	return c->size <= CODE_MAX;
}

struct rt_callers *rt_callers_open(struct rt_image *image, const struct rt_callers_ops *ops,
				   void *ctx)
{
	struct rt_callers *c = calloc(1, sizeof(*c));
	uint8_t *buf = calloc(1, CHUNK + INSN_MAX);
	size_t i;
	int r = -1;

	if (c) {
		*c = (struct rt_callers){ .image = image, .ops = ops, .ctx = ctx };
		c->starts = find_code(c) ? calloc(c->size / 8 + 1, 1) : NULL;
	}
	if (c && buf && c->starts) {
		find_starts(c);
		for (r = 0, i = 0; i < image->nsegments && r == 0; i++)
			if (image->segments[i].exec)
				r = scan_segment(c, &image->segments[i], buf);
	}
	free(buf);
	if (r == 0) {
		rt_sort_words(c->v, c->n);
		return c;
	}
	rt_callers_close(c);
	return NULL;
}

void rt_callers_close(struct rt_callers *c)
{
	if (c) {
		free(c->starts);
		free(c->v);
	}
	free(c);
}

/* The first call of what is at `addr`, or the first of what is behind it: is_site() tells. */
static size_t first_site(const struct rt_callers *c, uint64_t addr)
{
	uint64_t key = (addr - c->base) << TARGET;
	size_t i;

	if (addr - c->base >= c->size)
		return c->n;
	RT_SEARCH(i, c->n, c->v[i] < key);
	return i;
}

static bool is_site(const struct rt_callers *c, size_t i, uint64_t addr)
{
	return i < c->n && c->v[i] >> TARGET == addr - c->base;
}

bool rt_callers_any(const struct rt_callers *c, uint64_t addr)
{
	return is_site(c, first_site(c, addr), addr);
}

size_t rt_callers_sites(const struct rt_callers *c, uint64_t addr, uint64_t *v, size_t max)
{
	size_t i, n = 0;

	for (i = first_site(c, addr); is_site(c, i, addr); i++) {
		if (c->v[i] & 1)
			continue;
		if (n == max)
			return 0;
		v[n++] = c->base + (uint32_t)(c->v[i] >> 1);
	}
	return n;
}

size_t rt_callers_functions(const struct rt_callers *c)
{
	size_t i, n = 0;

	for (i = 0; i <= c->size / 8; i++)
		n += (size_t)__builtin_popcount(c->starts[i]);
	return n;
}

/* ---- what is behind them ---- */

/*
 * Functions of which it is asked whether anybody looks at their results, since the others return
 * them.
 */
struct chain {
	const struct rt_callers *c;
	unsigned depth, steps;		/* steps that are left */
};

/*
 * Behind one call: `written` bytes of the result's register were overwritten, and the first vector
 * register was.
 */
struct behind {
	struct chain *chain;
	unsigned steps, steps_real, written;
	bool real_written;
};

static enum rt_callers_do ask(struct chain *chain, uint64_t addr);

/*
 * The use that callers make of the result of the function before `end`.  All are known of local
 * functions only.
 */
static enum rt_callers_do returned(struct chain *chain, uint64_t end)
{
	const struct rt_callers *c = chain->c;
	const struct rt_symbol *f = rt_symbol_before(c->image, end);
	enum rt_callers_do what;
	struct rt_guess guess;

	if (!f || end - f->addr > f->size || chain->depth == DEPTH || !chain->steps)
		return RT_CALLERS_UNKNOWN;
	chain->steps--;
	if (c->ops->guess(c->ctx, f->addr, &guess) && guess.no_result)
		return RT_CALLERS_IGNORE;
	chain->depth++;
	what = ask(chain, f->addr);
	chain->depth--;
	return what == RT_CALLERS_IGNORE && (f->global || f->hidden) ? RT_CALLERS_UNKNOWN : what;
}

/* A call: where something of the result is in its register still, is that an argument? */
static enum rt_callers_do passed(const struct behind *b, uint64_t target)
{
	const struct rt_callers *c = b->chain->c;
	struct rt_guess guess;

	if (b->written >= 4 || !rt_image_arch(c->image)->insn_size)
		return RT_CALLERS_IGNORE;
	if (!target || !c->ops->guess(c->ctx, target, &guess) || !guess.decided)
		return RT_CALLERS_UNKNOWN;
	return !guess.nargs	? RT_CALLERS_IGNORE
	       : guess.bytes[0] ? RT_CALLERS_READ
				: RT_CALLERS_UNKNOWN;
}

static enum rt_callers_do either(enum rt_callers_do a, enum rt_callers_do b)
{
	if (a == RT_CALLERS_READ || b == RT_CALLERS_READ)
		return RT_CALLERS_READ;
	if (a == RT_CALLERS_REAL || b == RT_CALLERS_REAL)
		return RT_CALLERS_REAL;
	return a == b ? a : RT_CALLERS_UNKNOWN;
}

/*
 * Notes what one instruction does to the result's registers.  False: nothing more need be looked
 * at, `what` is known.
 */
static bool step(struct behind *b, const struct rt_use *use, enum rt_callers_do *what)
{
	*what = RT_CALLERS_UNKNOWN;
	if (use->vector_read && !b->real_written) {
		*what = RT_CALLERS_REAL;
		return false;
	}
	b->real_written |= use->vector_write;
	if (b->written < 4) {
		if (use->result_push)
			return false;
		if (use->result_read > b->written && (!b->written || !use->result_write)) {
			*what = b->written ? RT_CALLERS_UNKNOWN : RT_CALLERS_READ;
			return false;
		}
		/*
		 * sete %al; setne %dl; or %edx,%eax; movzbl %al,%eax: the upper bytes mean nothing.
		 */
		if (use->result_write > b->written && use->result_read <= b->written)
			b->written = use->result_write;
	} else {
		b->steps++;
		b->steps_real--;
	}
	/* A write of 4 bytes clears the upper 4. */
	*what = RT_CALLERS_IGNORE;
	return b->written < 4 || (b->steps_real && !b->real_written);
}

/*
 * GCC may read a result behind another call, of a function that it knows not to change the register
 * (-fipa-ra).  Such a function has no result itself.
 */
static bool has_no_result(const struct rt_callers *c, uint64_t target)
{
	struct rt_guess guess;

	return target && c->ops->guess(c->ctx, target, &guess) && guess.decided && guess.no_result;
}

/* The answer where the instructions cannot be followed any further. */
static enum rt_callers_do unsure(const struct behind *b)
{
	return b->written >= 4 ? RT_CALLERS_IGNORE : RT_CALLERS_UNKNOWN;
}

/* From `addr` on, on all paths. */
static enum rt_callers_do from(struct behind *b, uint64_t addr)
{
	const struct rt_callers *c = b->chain->c;
	enum rt_callers_do what;
	struct behind other;
	uint8_t bytes[INSN_MAX];
	struct rt_use use;
	size_t n;

	for (; b->steps && b->chain->steps; b->steps--, b->chain->steps--) {
		n = rt_image_read(c->image, addr, bytes, sizeof(bytes));
		if (!n || !c->ops->use(c->ctx, bytes, n, addr, &use))
			break;
		if (!step(b, &use, &what))
			return what;
		addr += use.size;
		switch (use.flow) {
		case RT_USE_CALL:
			if (b->written >= 4 || !has_no_result(c, use.target))
				return passed(b, use.target);
			break;
		case RT_USE_STOP:
			return RT_CALLERS_IGNORE;
		case RT_USE_RETURN:
			return b->written ? unsure(b) : returned(b->chain, addr);
		case RT_USE_JUMP:
			if (!use.target)
				return unsure(b);
			if (rt_image_thunk(c->image, use.target) == RT_THUNK_RETURN)
				return b->written ? unsure(b) : returned(b->chain, addr);
			if (is_start(c, use.target))
				return passed(b, use.target);
			addr = use.target;
			break;
		case RT_USE_BRANCH:
			if (b->written >= 4)
				return RT_CALLERS_IGNORE;
			other = *b;
			what = from(&other, use.target);
			b->steps = other.steps;
			return what == RT_CALLERS_READ ? what : either(what, from(b, addr));
		case RT_USE_NEXT:
			break;
		}
	}
	return unsure(b);
}

/* A circle of functions that return each other's results ends at DEPTH, and nothing is known. */
static enum rt_callers_do ask(struct chain *chain, uint64_t addr)
{
	const struct rt_callers *c = chain->c;
	size_t first = first_site(c, addr), i;
	enum rt_callers_do all = RT_CALLERS_UNKNOWN, what;

	for (i = first; is_site(c, i, addr) && i - first < SITES; i++) {
		struct behind b = { .chain = chain, .steps = STEPS, .steps_real = STEPS_REAL };
		uint64_t behind = c->base + (uint32_t)(c->v[i] >> 1);

		what = c->v[i] & 1 ? returned(chain, behind) : from(&b, behind);
		all = i == first ? what : either(all, what);
		if (all == RT_CALLERS_READ)
			break;
	}
	return all;
}

enum rt_callers_do rt_callers_do(struct rt_callers *c, uint64_t addr)
{
	struct chain chain = { .c = c, .steps = STEPS_ALL };

	return ask(&chain, addr);
}
