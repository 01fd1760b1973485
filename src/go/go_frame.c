/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find in a Go program the tables and code that go_args.c reads. */
#include <string.h>

#include "go/go.h"
#include "elf/file.h"
#include "base/array.h"

enum { ARG_INFO = 5, END = 0xff };

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
