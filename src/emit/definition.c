/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs reads a block in pieces of 8 bytes, because its arrays are only from 4.20 on. A piece
 * that cannot be read is 0 and not marked; so each block comes with a string from the same
 * address, which is empty where that cannot be read. Up to 4.14, and in RHEL 7, a string's NUL
 * is left out of its length: there an empty string looks like one that could not be
 * read.
 */
#include "emit/definition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
	char *buf;
	size_t n;
	bool full;
};

static void RT_PRINTF(2, 3) add(struct line *line, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->buf + line->n, RT_DEFINITION_MAX - line->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= RT_DEFINITION_MAX - line->n)
		line->full = true;
	else
		line->n += (size_t)n;
}

/* The same of a constant address: "@0x404040", "+8(@0x404040)"; the first offset is added to it. */
static void add_constant(struct line *line, const struct rt_fetch *f, bool string, int32_t more)
{
	unsigned steps = f->nderef + string, i;

	for (i = steps; i > 1; i--)
		add(line, "%+" PRId32 "(",
		    i > f->nderef ? 0 : f->deref[i - 1] + (i == f->nderef && !string ? more : 0));
	add(line, "@0x%" PRIx64,
	    f->constant + (f->nderef ? (uint64_t)(int64_t)f->deref[0] : 0) +
		    (uint64_t)(steps == 1 && !string ? more : 0));
	for (i = 1; i < steps; i++)
		add(line, ")");
}

/*
 * The address or value before the last step, innermost first: "%di", "+8(%sp)", "+16(+8(%sp))".
 * Derefs are written from the outside in, so the prefixes come in reverse order.  `more` bytes
 * behind the value's own place.
 */
static void add_operand(struct line *line, const struct rt_arch *arch, const struct rt_fetch *f,
			int32_t more)
{
	bool stack = f->base == RT_BASE_STACK;
	/*
	 * "string" reads at an address, so it takes one deref more than the pointer that leads
	 * there.
	 */
	bool string = f->type == RT_TYPE_STRING;
	/* "@ADDRESS" reads by itself. */
	bool at = f->base == RT_BASE_CONSTANT && f->nderef + string;
	unsigned i, depth = f->nderef + stack + string - at;

	if (f->base == RT_BASE_COMM) {
		add(line, "$comm");
		return;
	}
	if (at) {
		add_constant(line, f, string, more);
		return;
	}
	if (string)
		add(line, "+0(");
	for (i = f->nderef; i > 0; i--)
		add(line, "%+" PRId32 "(",
		    f->deref[i - 1] + (i == f->nderef && !string ? more : 0));
	if (stack)
		add(line, "%+" PRId32 "(%%%s", f->offset + (f->nderef || string ? 0 : more),
		    arch->sp.tracefs);
	else if (f->base == RT_BASE_CONSTANT)
		add(line, "\\%" PRId64, (int64_t)f->constant);
	else
		add(line, "%%%s", f->reg.tracefs);
	for (i = 0; i < depth; i++)
		add(line, ")");
}

/*
 * A block in pieces, which every kernel can read: of 8 bytes and less, "v2_8"; where its length is
 * only known at the hit of one byte, so that no piece reaches past what is there.  A piece that
 * cannot be read is 0, so "f2", a string there, tells whether the block's beginning can be: it has
 * a length of 0 where not.
 */
static void add_block(struct line *line, const struct rt_arch *arch, const struct rt_fetch *f,
		      unsigned i)
{
	unsigned at, size;

	for (at = 0; at < f->max; at += size) {
		size = rt_definition_piece(f, at);
		add(line, " v%u_%u=", i, at);
		add_operand(line, arch, f, (int32_t)at);
		add(line, ":u%u", size * 8);
	}
	add(line, " f%u=", i);
	add_operand(line, arch, f, 0);
	add(line, ":string");
}

bool rt_definition_is_constant(const struct rt_fetch *f)
{
	return f->base == RT_BASE_CONSTANT && f->type == RT_TYPE_INT && !f->nderef;
}

unsigned rt_definition_piece(const struct rt_fetch *f, unsigned at)
{
	unsigned left = f->max - at;

	if (f->length)
		return 1;
	return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

bool rt_definition_has_pointer(const struct rt_fetch *f, unsigned k)
{
	if (f->type == RT_TYPE_STRING || k >= f->nderef)
		return false;
	/* The first is a register's, or the stack's, and what it leads to the second. */
	return k || (f->nderef == 1 && f->type == RT_TYPE_INT &&
		     (f->base == RT_BASE_REG || f->base == RT_BASE_STACK));
}

/*
 * An unreadable value is 0 like a true 0, or worse.  So the pointers to it are recorded too: these
 * show a NULL, and which values are behind it.
 */
static void add_pointers(struct line *line, const struct rt_arch *arch, const struct rt_fetch *f,
			 unsigned i)
{
	struct rt_fetch pointer = *f;
	unsigned k;

	pointer.type = RT_TYPE_INT;
	for (k = 0; k < f->nderef; k++) {
		pointer.nderef = (uint8_t)k;
		if (!rt_definition_has_pointer(f, k))
			continue;
		add(line, " p%u_%u=", i, k);
		add_operand(line, arch, &pointer, 0);
		add(line, ":u64");
	}
}

static int add_value(struct line *line, const struct rt_plan *plan, unsigned i,
		     struct rt_error *err)
{
	const struct rt_fetch *f = &plan->values[i];
	bool in_memory = f->nderef || f->base == RT_BASE_STACK;
	unsigned pointers = f->nderef + (f->base == RT_BASE_STACK) -
			    (f->type != RT_TYPE_STRING && in_memory);

	/* "\N" is from 5.0 on; the reader knows the number (tracefs_decode.c). */
	if (rt_definition_is_constant(f))
		return 0;
	if (f->base == RT_BASE_THREAD)
		return rt_fail(err, -EOPNOTSUPP, "tracefs cannot read thread-local values");
	if (f->type == RT_TYPE_STACK)
		return rt_fail(err, -EOPNOTSUPP, "tracefs cannot copy stacks");
	if (f->index_size)
		return rt_fail(err, -EOPNOTSUPP, "tracefs cannot add two registers");
	if (f->base == RT_BASE_SAVED)
		return rt_fail(err, -EOPNOTSUPP, "tracefs cannot read arguments at a return");
	if (plan->arch->word < 8 && pointers)
		return rt_fail(err, -EOPNOTSUPP,
			       "tracefs cannot follow the 4-byte pointers of a 32-bit program");
	if (f->type == RT_TYPE_BYTES) {
		add_block(line, plan->arch, f, i);
	} else {
		add(line, " v%u=", i);
		add_operand(line, plan->arch, f, 0);
		if (f->type == RT_TYPE_STRING)
			add(line, ":string");
		else
			add(line, ":%c%u", f->is_signed ? 's' : 'u', f->size * 8u);
	}
	add_pointers(line, plan->arch, f, i);
	return 0;
}

static int add_plan(struct line *line, const struct rt_plan *plan, bool no_ra, struct rt_error *err)
{
	const struct rt_arch *arch = plan->arch;
	unsigned i;
	int r;

	/* u64, as x64 is not known to the 3.10 and 4.4 kernels. */
	add(line, " sp=%%%s:u64", arch->sp.tracefs);
	if (plan->return_address && arch->link.tracefs)
		add(line, " ra=%%%s:u64", arch->link.tracefs);
	else if (plan->return_address && !no_ra)
		add(line, " ra=+0(%%%s):u%u", arch->sp.tracefs, arch->word * 8u);
	for (i = 0; i < plan->nvalues; i++) {
		r = add_value(line, plan, i, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static unsigned count_values(const char *line)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == '=';
	return n;
}

int rt_definition_print(const struct rt_definition *d, char *buf, struct rt_error *err)
{
	struct line line = { .buf = buf };
	unsigned nargs;
	int r;

	if (strlen(d->group) >= RT_DEFINITION_NAME_MAX ||
	    strlen(d->event) >= RT_DEFINITION_NAME_MAX)
		return rt_fail(err, -ENAMETOOLONG,
			       "%s/%s: an event's name has at most 63 characters", d->group,
			       d->event);
	add(&line, "%c:%s/%s %s:0x%" PRIx64, d->kind == RT_KIND_ENTRY || d->at_exit ? 'p' : 'r',
	    d->group, d->event, d->path, d->offset);
	if (d->semaphore)
		add(&line, "(0x%" PRIx32 ")", d->semaphore);
	if (d->with_id)
		add(&line, " id=\\%" PRIu32 ":u32", d->id);
	if (d->plan) {
		r = add_plan(&line, d->plan, d->no_ra, err);
		if (r < 0)
			return r;
	}
	/* The kernel drops what is more without a word. */
	nargs = count_values(buf);
	if (nargs > RT_DEFINITION_ARGS)
		return rt_fail(err, -EOPNOTSUPP, "%s: %u values; the kernel takes %d", d->event,
			       nargs, RT_DEFINITION_ARGS);
	if (line.full)
		return rt_fail(err, -EOPNOTSUPP,
			       "%s: definition too long; the kernel takes %d bytes", d->event,
			       RT_DEFINITION_MAX);
	return 0;
}
