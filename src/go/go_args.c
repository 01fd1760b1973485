/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of Go functions as Go's own tracebacks know them: FUNCDATA_ArgInfo has of each
 * number where it is in the frame and its size, and which of them belong together (EmitArgInfo
 * in Go's cmd/compile/internal/ssagen/ssa.go).  In which registers they come the code tells: it
 * puts each at that place before it asks for more stack, a float by another instruction.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/array.h"
#include "elf/file.h"
#include "go/go.h"

/* Nothing is there. */
#define NOWHERE UINT32_MAX

enum {
	END = 0xff, BEGIN = 0xfe, CLOSE = 0xfd, MORE = 0xfc, SPECIAL = 0xf0,
	DEPTH = 6, PARTS = 14, SPILLS = 24,
};

struct reading {
	struct rt_types *memory;
	const struct rt_ctype *numbers[4][2];	/* of 1, 2, 4 and 8 bytes; floats */
	const uint8_t *p;			/* at last it is at an END */
	struct rt_go_spill spills[SPILLS];
	/*
	 * `used` of them are accounted for, among them `skipped` which are no argument of the
	 * source
	 */
	unsigned nspills, used, skipped;
	const struct rt_go_frame *frame;
	unsigned nstack, nregs;			/* numbers of the parameter that is read */
	uint32_t end;				/* behind the last number */
	bool failed, cut;			/* it is not as expected; a part is missing */
};

/* ---- reading them ---- */

static const struct rt_ctype *number(struct reading *r, unsigned size, bool floating)
{
	unsigned k = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
	struct rt_ctype *type;

	if (size != 1u << k) {
		r->failed = true;
	} else if (!r->numbers[k][floating]) {
		type = rt_types_add(r->memory, floating ? RT_CT_FLOAT : RT_CT_INT, NULL, size);
		r->failed |= !type;
		if (type) {
			type->is_signed = size > 2;
			type->style = RT_STYLE_GUESSED;
		}
		r->numbers[k][floating] = type;
	}
	return r->numbers[k][floating];
}

/* One at `at` of the frame.  Those in registers have their places there in the same order. */
static const struct rt_ctype *read_number(struct reading *r, uint32_t at, unsigned size)
{
	unsigned i = r->used;

	/*
	 * Without a proof they must follow each other from the beginning, or some of them are on
	 * the stack.
	 */
	r->failed |= !r->frame->proven && at - r->end >= 8;
	r->end = at + size;
	while (r->frame->first && !r->skipped && i < r->nspills && r->spills[i].at < at)
		i++;
	if (i >= r->nspills || r->spills[i].at != at) {
		r->nstack++;
		return number(r, size, false);
	}
	r->skipped += i - r->used;
	r->used = i + 1;
	r->nregs++;
	r->failed |= r->spills[i].size != size;
	return number(r, size, r->spills[i].floating);
}

static const struct rt_ctype *read_type(struct reading *r, uint32_t *at, unsigned depth);

/* Read up to its CLOSE.  It begins at its first number. */
static const struct rt_ctype *read_aggregate(struct reading *r, uint32_t *at, unsigned depth)
{
	struct rt_ctype *type = rt_types_add(r->memory, RT_CT_STRUCT, NULL, 0);
	struct rt_member *v = rt_types_alloc(r->memory, PARTS * sizeof(*v));
	uint32_t where;

	r->failed |= !type || !v || depth > DEPTH;
	while (!r->failed && !r->cut && *r->p != CLOSE) {
		v->name = "";
		v->type = read_type(r, &where, depth + 1);
		if (*at == NOWHERE)
			*at = where;
		v->offset = where == NOWHERE ? 0 : where - *at;
		r->failed |= where < *at || type->nmembers++ == PARTS - 1;
		v++;
	}
	if (r->failed || r->cut)
		return NULL;
	r->p++;
	type->members = v - type->nmembers;
	type->size = *at == NOWHERE ? 0 : r->end - *at;
	return type;
}

static const struct rt_ctype *read_type(struct reading *r, uint32_t *at, unsigned depth)
{
	uint8_t op = *r->p;

	*at = NOWHERE;
	if (op == BEGIN) {
		r->p++;
		return read_aggregate(r, at, depth);
	}
	r->cut |= op >= SPECIAL && op < CLOSE;
	r->failed |= op >= CLOSE;
	if (r->cut || r->failed)
		return NULL;
	*at = op;
	r->p += 2;
	r->failed |= r->p[-1] >= SPECIAL;
	return r->failed ? NULL : read_number(r, op, r->p[-1]);
}

/* ---- parameters ---- */

static void make_unknown(struct reading *r, struct rt_param *param)
{
	param->type = rt_types_add(r->memory, RT_CT_UNKNOWN, NULL, 0);
	param->location = (struct rt_location){ .kind = RT_LOCATION_ABI };
	r->failed |= !param->type;
}

/* The arguments in registers before the first one that is described. */
static void make_skipped(struct reading *r, struct rt_param *v)
{
	struct rt_ctype *type = rt_types_add(r->memory, RT_CT_STRUCT, NULL, 0);
	struct rt_member *members = rt_types_alloc(r->memory, r->skipped * sizeof(*members));
	unsigned i;

	r->failed |= !type || !members;
	for (i = 0; !r->failed && i < r->skipped; i++) {
		members[i].name = "";
		members[i].type = number(r, r->spills[i].size, r->spills[i].floating);
		members[i].offset = r->spills[i].at - r->spills[0].at;
		/* below the first, or far from it */
		r->failed |= members[i].offset > UINT8_MAX - 8;
		type->size = members[i].offset + r->spills[i].size;
	}
	if (r->failed)
		return;
	type->members = members;
	type->nmembers = r->skipped;
	v->type = r->skipped == 1 ? members->type : type;
}

static void read_param(struct reading *r, struct rt_param *param)
{
	uint32_t at;

	r->nstack = r->nregs = 0;
	param->type = read_type(r, &at, 0);
	if (r->failed || r->cut) {
		make_unknown(r, param);
		return;
	}
	/* All of it is in registers, or nothing. */
	r->failed |= r->nstack && r->nregs;
	if ((r->frame->proven || r->frame->on_stack) && r->nstack)
		param->location = (struct rt_location){ .kind = RT_LOCATION_STACK,
							.offset = 8 + (int64_t)at };
}

int rt_go_read_arguments(const struct rt_go_frame *frame, struct rt_types *memory,
			 struct rt_prototype *p)
{
	struct rt_param *v = rt_types_alloc(memory, PARTS * sizeof(*v));
	static const char types[] = ".dict";
	struct reading r = { .memory = memory, .p = frame->info, .frame = frame };
	unsigned n = 1;
	int nspills;

	if (!v)
		return -ENOMEM;
	/* All are there, used or not, or none where no register is used. */
	if (frame->proven) {
		nspills = frame->code->spills(frame->spills, r.spills, SPILLS);
		r.failed = nspills < 0 || (!nspills && *r.p != END);
		r.nspills = nspills < 0 ? 0 : (unsigned)nspills;
	}
	if (!frame->proven && !frame->on_stack && frame->first) {
		/* the dictionary of types is a pointer, and a receiver mostly is */
		r.failed = frame->first == RT_GO_FIRST_OWN;
		r.spills[0].size = 8;
		r.end = 8;
		r.skipped = 1;
	}
	/* The first place is left free. */
	for (; !r.failed && !r.cut && *r.p != END && n < PARTS; n++)
		read_param(&r, &v[n]);
	/* None is known: there is only the first. */
	if (frame->proven && frame->first && n == 1)
		r.skipped = r.used = r.nspills;
	if (frame->proven)
		r.failed |= !r.cut && !frame->first && r.used != r.nspills;
	else if (!frame->on_stack)
		/* in registers or not, each has its place */
		r.failed |= (r.end + 7) / 8 * 8 != frame->args;
	r.failed |= n == PARTS;
	p->origin = frame->proven || frame->on_stack ? RT_ORIGIN_GO : RT_ORIGIN_GUESSED;
	p->params = r.skipped ? v : v + 1;
	p->nparams = r.skipped ? n : n - 1;
	if (!r.failed && r.skipped)
		make_skipped(&r, v);
	if (frame->first == RT_GO_FIRST_TYPES || frame->first == RT_GO_FIRST_RECEIVER)
		v[frame->first == RT_GO_FIRST_RECEIVER].name = types;
	if (r.failed) {
		r.failed = false;
		p->origin = RT_ORIGIN_GUESSED;
		p->params = v;
		p->nparams = 1;
		v->name = NULL;
		make_unknown(&r, v);
	}
	return r.failed ? -ENOMEM : 0;
}

/* ---- the tables and code of a function ---- */

enum { ARG_INFO = 5 };

/*
 * Read the code that grows the stack, to which the check jumps that ends `past` bytes from the
 * entry.
 */
static void read_spills(const struct rt_image *image, uint64_t addr, uint32_t past,
			struct rt_go_frame *frame)
{
	uint8_t check[RT_GO_CHECK_MAX];
	int64_t at;

	frame->proven = past <= sizeof(check) &&
			rt_image_read(image, addr, check, past) == past &&
			frame->code->grows_at(check, past, &at);
	if (frame->proven)
		rt_image_read(image, addr + (uint64_t)at, frame->spills, sizeof(frame->spills));
}

/* Floats that a function does not use are not seen. */
static bool can_use_floats(const struct rt_image *image, const struct rt_go_function *f)
{
	uint8_t b[1024];
	size_t n = f->end - f->addr;

	return n > sizeof(b) || rt_image_read(image, f->addr, b, n) != n ||
	       image->arch->go_code->has_floats(b, n);
}

/* The runtime's own assembly takes registers or the stack, and its name does not tell. */
static bool is_of_runtime(const char *name)
{
	static const char *const v[] = { "runtime.", "internal/", "reflect.", "syscall." };
	unsigned i;

	for (i = 0; i < RT_COUNT(v); i++)
		if (strncmp(name, v[i], strlen(v[i])) == 0)
			return true;
	return false;
}

/*
 * By its name, as the table has it: main.(*List[go.shape.int]).Push, up to Go 1.20
 * main.(*List[...]).Push; main.Sum[go.shape.int].func1.
 */
static enum rt_go_first first_of(const struct rt_go *go, const char *name)
{
	const char *tail = strrchr(name, ']');

	if (!strchr(name, '[') || !tail)
		return RT_GO_FIRST_DESCRIBED;
	if (strstr(tail, ".func") || strstr(tail, "wrap") || strchr(tail, '-') ||
	    !(strstr(name, "[go.shape.") || strstr(name, "[...]")))
		return RT_GO_FIRST_OWN;
	return go->table.since < 20 || !tail[1] ? RT_GO_FIRST_TYPES : RT_GO_FIRST_RECEIVER;
}

bool rt_go_frame(struct rt_image *image, const struct rt_go_function *own, bool on_stack,
		 struct rt_go_frame *frame)
{
	const struct rt_go *go = rt_image_go(image);
	uint32_t past = 0;
	uint64_t at;

	memset(frame, 0, sizeof(*frame));
	memset(frame->info, END, sizeof(frame->info));
	frame->args = own->args;
	frame->on_stack = on_stack;
	frame->code = image->arch->go_code;
	frame->first = first_of(go, own->name);
	frame->proven = !on_stack && rt_go_place(image, own->addr, &past) && past;
	if (frame->proven)
		read_spills(image, own->addr, past, frame);
	/* Functions that Go's compiler made have the table, unless they have no arguments. */
	if (!rt_pclntab_data(&go->table, own, ARG_INFO, &at))
		return !on_stack;
	return rt_go_types(image) &&
	       rt_image_read(image, go->data + at, frame->info, sizeof(frame->info) - 2) &&
	       (on_stack ? !is_of_runtime(own->name)
			 : frame->proven || !can_use_floats(image, own));
}
