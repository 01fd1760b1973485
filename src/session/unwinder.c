/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callers of a traced call (-k).
 *
 * At the entry the probe's program copies the registers that calls preserve and the top of the
 * stack.  Here each return address is looked up in the process's mappings, and .eh_frame of that
 * file says how to unwind the frame (elf/cfi.h).  Neither frame pointers nor debug information are
 * needed.
 *
 *	 > ./prog(middle+0x9) [0x1172]		return address in middle: CFA = rsp + 16
 *	 > ./prog(main+0xe) [0x1184]		return address in main: CFA = rsp + 16
 *	 > libc.so.6(__libc_start_main+0x85)	...
 *	 > ./prog(_start+0x21) [0x1061]		_start has no caller
 *
 * Go has no .eh_frame; the table of its functions has the size of each frame (go/pclntab.h).
 *
 * Limits: a stack deeper than the copy (--stack-size) is cut.  Code without call frame information
 * (assembly, code made at run time) ends the stack, and so does Go's change to the stack of a
 * thread.  The mappings are those of the time when the entry is read, some 50 ms after the call.
 */
#include "session/unwinder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/search.h"
#include "dwarf/dwarf.h"
#include "elf/cfi.h"
#include "go/go.h"
#include "process/program.h"
#include "symbols/demangle.h"

/* Return addresses seen before; a power of two. */
enum { PLACES = 1024, FRAMES_MOST = RT_STACK_BYTES_MOST / 4 };

struct place {
	struct rt_image *image;		/* NULL: the slot is empty */
	uint64_t addr;
	char *name;			/* of the function; NULL: not known */
	uint64_t begin;			/* of the function */
	bool has_row, is_go;
	struct rt_cfi_row row;
	struct rt_go_depth depth;	/* if it is Go */
	struct rt_dwarf_place source;	/* its file is NULL: not known */
};

struct rt_unwinder {
	struct rt_feed *feed;
	const struct rt_program *program;
	/* files that processes have mapped since, and those found in their /proc/PID/maps */
	struct rt_image **mapped;
	size_t n, cap;
	struct rt_program loaded;
	struct rt_seen seen;
	bool raw;
	struct rt_text text;
	struct place *places;
};

struct rt_unwinder *rt_unwinder_new(struct rt_feed *feed, const struct rt_program *program,
				    bool raw)
{
	struct rt_unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	*u = (struct rt_unwinder){ .feed = feed, .program = program, .raw = raw };
	return u;
}

void rt_unwinder_free(struct rt_unwinder *u)
{
	size_t i;

	if (!u)
		return;
	for (i = 0; u->places && i < PLACES; i++)
		free(u->places[i].name);
	free(u->places);
	for (i = 0; i < u->n; i++)
		rt_image_close(u->mapped[i]);
	free(u->mapped);
	rt_program_close(&u->loaded);
	rt_seen_free(&u->seen);
	rt_text_free(&u->text);
	free(u);
}

/* ---- the file of an address ---- */

static struct rt_image *image_of(struct rt_image *const *v, size_t n, uint64_t ino)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rt_image_ino(v[i]) == (ino_t)ino)
			return v[i];
	return NULL;
}

static struct rt_image *known_image(const struct rt_unwinder *u, uint64_t ino)
{
	struct rt_image *image = image_of(u->program->v, u->program->n, ino);

	if (!image)
		image = image_of(u->mapped, u->n, ino);
	return image ? image : image_of(u->loaded.v, u->loaded.n, ino);
}

static bool is_other_file(const void *ctx, const struct rt_image *image)
{
	return !known_image(ctx, rt_image_ino(image));
}

void rt_unwinder_mapped(struct rt_unwinder *u, const struct rt_event *event)
{
	const char *file = event->mmap.path;
	char path[PATH_MAX + 64];
	struct rt_image *image;
	struct stat st;

	if (!file || file[0] != '/' || known_image(u, event->mmap.ino))
		return;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)event->pid, file);
	if (stat(path, &st) < 0)
		snprintf(path, sizeof(path), "%s", file);
	if (stat(path, &st) < 0 || st.st_ino != (ino_t)event->mmap.ino ||
	    RT_ROOM(&u->mapped, u->n, &u->cap) < 0 || rt_image_open(path, file, &image, NULL) < 0)
		return;
	u->mapped[u->n++] = image;
}

/* The file at `ip` of the process, and the address there; NULL: none is known. */
static struct rt_image *find_image(struct rt_unwinder *u, pid_t pid, uint64_t ip, uint64_t *addr)
{
	struct rt_site_map *map = rt_feed_map(u->feed);
	struct rt_image *image;
	uint64_t ino, offset, by;

	if (rt_site_map_file(map, pid, ip, &ino, &offset) < 0)
		return NULL;
	image = known_image(u, ino);
	if (!image &&
	    rt_program_add_mapped(&u->loaded, pid, &u->seen, is_other_file, u, NULL) == 0)
		image = known_image(u, ino);
	if (!image || !rt_site_map_load_offset(map, pid, image, &by))
		return NULL;
	*addr = ip - by;
	return image;
}

/* The last symbol that begins at `addr` or before, and is not past its end; NULL: none. */
static const struct rt_symbol *find_symbol(struct rt_image *image, uint64_t addr)
{
	const struct rt_symbol *v, *best;
	size_t low, n;

	if (rt_image_all_symbols(image, &v, &n, NULL) < 0)
		return NULL;
	RT_SEARCH(low, n, v[low].addr <= addr);
	if (!low || addr - v[low - 1].addr >= v[low - 1].size)
		return NULL;
	/* Prefer the alias with the fewest leading underscores. */
	for (best = &v[low - 1]; low && v[low - 1].addr == best->addr; low--)
		if (strspn(v[low - 1].name, "_") <= strspn(best->name, "_"))
			best = &v[low - 1];
	return best;
}

static struct place *find_place(struct rt_unwinder *u, struct rt_image *image, uint64_t addr)
{
	struct place *place;
	const struct rt_symbol *symbol;
	const char *written;

	if (!u->places)
		u->places = calloc(PLACES, sizeof(*u->places));
	if (!u->places)
		return NULL;
	place = &u->places[(addr ^ addr >> 10 ^ (uintptr_t)image >> 6) % PLACES];
	if (place->image == image && place->addr == addr)
		return place;
	free(place->name);
	*place = (struct place){ .image = image, .addr = addr };
	place->has_row = rt_cfi_find(image, addr, &place->row);
	place->is_go = !place->has_row && rt_go_depth(image, addr, &place->depth);
	if (!rt_dwarf_line(image, addr, &place->source))
		place->source.file = NULL;
	/* A signal's frame begins at its first instruction, no call is before that. */
	symbol = find_symbol(image, addr + place->row.is_signal);
	if (!symbol)
		return place;
	written = u->raw ? NULL : rt_demangle(&u->text, symbol->name, false);
	place->name = strdup(written ? written : symbol->name);
	place->begin = symbol->addr;
	return place;
}

/* ---- the frames ---- */

struct memory {
	uint64_t begin, size;
	const uint8_t *bytes;
	uint8_t word;
};

static bool read_word(void *ctx, uint64_t addr, uint64_t *word)
{
	const struct memory *m = ctx;

	if (addr < m->begin || addr - m->begin > m->size || m->size - (addr - m->begin) < m->word)
		return false;
	*word = rt_fetch_load(m->bytes + (addr - m->begin), m->word);
	return true;
}

static void take_register(const struct rt_arch *arch, unsigned reg, uint64_t value,
			  struct rt_cfi_frame *frame)
{
	if (reg >= RT_CFI_REGS)
		return;
	frame->regs[reg] = value;
	frame->known |= UINT64_C(1) << reg;
	if (arch->link.tracefs && arch->dwarf[reg].pt_regs == arch->link.pt_regs)
		frame->pc = value;
}

/* The frame of the probe: `pc` is the return address, if a register has it.  False: no copy. */
static bool take_frame(const struct rt_stack_top *top, struct rt_cfi_frame *frame,
		       struct memory *memory, uint64_t *ip)
{
	const struct rt_values *values = top->values;
	const struct rt_plan *plan = values->plan;
	const struct rt_arch *arch;
	unsigned value, reg;
	int32_t size;

	memset(frame, 0, sizeof(*frame));
	if (!plan || !plan->stack || !values->data || values->coded ||
	    values->faults >> (plan->stack - 1u) & 1)
		return false;
	arch = plan->arch;
	value = plan->stack - 1u;
	memory->bytes = values->data + rt_plan_offset(plan, value);
	memcpy(&size, memory->bytes, sizeof(size));
	if (size < 0 || size > RT_STACK_BYTES_MOST)
		return false;
	*memory = (struct memory){ .begin = top->sp,
				   .size = (uint64_t)size,
				   .bytes = memory->bytes + sizeof(size),
				   .word = arch->word };
	*ip = rt_plan_int(plan, ++value, values->data);
	take_register(arch, rt_cfi_stack_pointer(arch), top->sp, frame);
	for (reg = 0; reg < arch->ndwarf; reg++)
		if (arch->saved >> reg & 1)
			take_register(arch, reg, rt_plan_int(plan, ++value, values->data), frame);
	return true;
}

/* Unwind the function that was just entered: its frame is nothing but the return address. */
static bool unwind_entry(const struct rt_arch *arch, struct rt_cfi_frame *frame,
			 struct memory *memory)
{
	unsigned sp = rt_cfi_stack_pointer(arch);

	if (!arch->link.tracefs) {
		if (!read_word(memory, memory->begin, &frame->pc))
			return false;
		frame->regs[sp] += arch->word;
	}
	frame->cfa = frame->regs[sp];
	return true;
}

/* User addresses have 48 bits; above them aarch64 has the signature of a return address. */
static uint64_t strip_signature(uint64_t pc)
{
	return pc & ((UINT64_C(1) << 48) - 1);
}

/*
 * The return address is above the frame of a Go function, or with a link register at its lower end.
 * No other register is known to be the caller's.
 */
static enum rt_cfi_step unwind_go(const struct rt_arch *arch, const struct rt_go_depth *depth,
				  struct rt_cfi_frame *frame, struct memory *memory)
{
	unsigned sp = rt_cfi_stack_pointer(arch);
	uint64_t top = frame->regs[sp] + depth->bytes, pc;

	if (depth->is_outermost)
		return RT_CFI_LAST;
	if (arch->link.tracefs && !depth->bytes)
		return RT_CFI_DAMAGED;
	if (!read_word(memory, arch->link.tracefs ? frame->regs[sp] : top, &pc))
		return RT_CFI_NO_MEMORY;
	frame->pc = pc;
	frame->cfa = frame->regs[sp] = arch->link.tracefs ? top : top + arch->word;
	frame->known = UINT64_C(1) << sp;
	return RT_CFI_STEP;
}

/*
 * Unwind one frame, with its instruction at `addr`: a return address is past the call, which may be
 * the last instruction.
 */
static enum rt_cfi_step unwind(const struct place *place, struct rt_cfi_frame *frame,
			       struct memory *memory)
{
	uint64_t cfa = frame->cfa;
	enum rt_cfi_step step;

	if (place && place->is_go)
		return unwind_go(rt_image_arch(place->image), &place->depth, frame, memory);
	if (!place || !place->has_row)
		return RT_CFI_DAMAGED;
	step = rt_cfi_step(place->image, &place->row, frame, read_word, memory);
	if (step != RT_CFI_STEP)
		return step;
	frame->pc = strip_signature(frame->pc);
	return frame->cfa > cfa ? RT_CFI_STEP : RT_CFI_DAMAGED;
}

bool rt_unwinder_walk(struct rt_unwinder *u, const struct rt_stack_top *top, rt_stack_put *put,
		      void *ctx)
{
	struct rt_stack_frame shown;
	struct rt_cfi_frame frame;
	struct memory memory;
	struct rt_image *image;
	struct place *place;
	bool is_signal = false;
	uint64_t addr, ip;
	unsigned i;

	if (!take_frame(top, &frame, &memory, &ip))
		return false;
	if (top->at_entry) {
		if (!unwind_entry(top->values->plan->arch, &frame, &memory))
			return false;
		frame.pc = strip_signature(frame.pc);
	} else {
		image = find_image(u, top->pid, ip, &addr);
		place = image ? find_place(u, image, addr) : NULL;
		if (unwind(place, &frame, &memory) != RT_CFI_STEP)
			return false;
	}
	for (i = 0; frame.pc && i < FRAMES_MOST; i++) {
		enum rt_cfi_step step;

		/* A return address may be past the end of a function that ends in a call. */
		image = find_image(u, top->pid, frame.pc - !is_signal, &addr);
		place = image ? find_place(u, image, addr) : NULL;
		shown = (struct rt_stack_frame){ .addr = frame.pc };
		if (place) {
			shown.file = rt_image_name(image);
			shown.addr = addr + !is_signal;
			shown.function = place->name;
			shown.offset = shown.addr - place->begin;
			shown.source = place->source.file;
			shown.line = place->source.line;
			is_signal = place->row.is_signal;
		}
		put(ctx, &shown);
		if (i + 1 == top->most)
			return true;
		step = unwind(place, &frame, &memory);
		if (step != RT_CFI_STEP)
			return step == RT_CFI_LAST;
	}
	return !frame.pc;
}
