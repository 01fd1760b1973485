/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go has its own record of the goroutine that a thread runs (runtime.g), a table of its functions
 * (pclntab), and its own calling convention. A goroutine changes threads, and its stack is moved
 * when it grows. So its calls are paired by its id and by the distance from its stack's end, not by
 * thread and stack pointer.
 *
 * Behind the shown values, a plan reads the ends of the goroutine's stack and its id, through the
 * register that has runtime.g (calls/feed.c trusts it if the hit is on that stack). Up to Go 1.16
 * only the stack check has that register. Then, and in assembly, the thread pointer leads to the
 * record; the programs read it from task_struct (RT_BASE_THREAD, kernel/thread_pointer.h). On
 * aarch64 x28 always has the record (rt_arch.goroutine_always).
 *
 * runtime.goexit1, which every goroutine ends with, has a hidden hook. A function that recovers
 * continues at its deferreturn, which only Go's table has (code/landing.c). runtime.recovery hands
 * registers to runtime.gogo (RT_ROLE_RECOVERED): all calls below the stack pointer among them are
 * unwound, one hit a recovery.
 *
 * On aarch64 x27 is the temporary of several instructions that make one value (a variable's
 * address, a large number). They run once more if the scheduler stops the goroutine between them: a
 * probe on the first would be hit twice (rt_go_code.past_temporary).
 *
 * Each library that was built for C has a runtime of its own, which numbers goroutines from 1 on; a
 * plugin exports its runtime, and the loader binds it to the program's (plan/runtimes.c). So a plan
 * reads a goroutine of a certain runtime (rt_plan.runtime), which is part of the goroutine's id
 * (RT_GOID_RUNTIME).
 *
 * Limits: the programs in the kernel pair by thread, so of count, hist and the filters only count
 * is done there. Up to 1.17 the order of parameters in debug information may be wrong
 * (rt_abi_go_in_order).
 */
#include "go/go.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/file.h"

/*
 * The text's address in runtime.moduledata, where the linker puts it: after pcHeader, six slices,
 * minpc, maxpc and findfunctab.
 */
enum { MODULE_TEXT = 176 };

/* ---- bytes as the loader would make them ---- */

/*
 * Pointers of a position-independent program are in its relocations; the bytes at their places may
 * be anything.
 */
bool rt_go_each_pointer(const struct rt_image *image,
			bool (*visit)(void *ctx, uint64_t at, uint64_t value), void *ctx)
{
	uint32_t relative = image->arch->relative;
	uint64_t at, left = image->dynamic.relasz / sizeof(Elf64_Rela);
	Elf64_Rela v[256];
	size_t i, got;

	for (at = image->dynamic.rela; left; at += got * sizeof(v[0]), left -= got) {
		got = left < RT_COUNT(v) ? (size_t)left : RT_COUNT(v);
		got = rt_image_read(image, at, v, got * sizeof(v[0])) / sizeof(v[0]);
		if (!got)
			return false;
		for (i = 0; i < got; i++)
			if (ELF64_R_TYPE(v[i].r_info) == relative &&
			    visit(ctx, v[i].r_offset, (uint64_t)v[i].r_addend))
				return true;
	}
	return false;
}

struct reading {
	uint64_t addr;
	uint8_t *bytes;
	size_t n;
};

static bool put_pointer(void *ctx, uint64_t at, uint64_t value)
{
	struct reading *r = ctx;
	uint64_t to = at - r->addr;

	if (to < r->n && r->n - to >= sizeof(value))
		memcpy(r->bytes + to, &value, sizeof(value));
	return false;
}

size_t rt_go_read(const struct rt_image *image, uint64_t addr, void *buf, size_t n)
{
	struct reading r = { addr, buf, 0 };

	r.n = rt_image_read(image, addr, buf, n);
	if (rt_go_is_moved(image))
		rt_go_each_pointer(image, put_pointer, &r);
	return r.n;
}

bool rt_go_is_moved(const struct rt_image *image)
{
	return rt_image_is_relocatable(image) && image->arch->word == 8;
}

/* ---- where things are ---- */

enum { STEP = 16, PIECE = 1 << 16 };

static bool is_table(const uint8_t *p)
{
	return (p[0] >= 0xf0 && p[0] <= 0xfb) && memcmp(p + 1, "\xff\xff\xff\0\0", 5) == 0 &&
	       p[7] == 8;
}

static bool is_buildinfo(const uint8_t *p)
{
	return memcmp(p, "\xff Go buildinf:", 14) == 0;
}

/*
 * The first place in [addr, addr + size), a multiple of STEP from the beginning, that `is` what is
 * looked for.  False: none.
 */
static bool scan(const struct rt_image *image, struct rt_range in, bool (*is)(const uint8_t *p),
		 uint64_t *found)
{
	uint8_t *piece = malloc(PIECE);
	uint64_t at = 0;
	size_t i, n = PIECE;
	bool is_there = false;

	for (; piece && at < in.size && n == PIECE && !is_there; at += n) {
		n = rt_image_read(image, in.addr + at, piece,
				  in.size - at < PIECE ? (size_t)(in.size - at) : PIECE);
		for (i = 0; i + STEP <= n && !is_there; i += STEP) {
			is_there = is(piece + i);
			*found = in.addr + at + i;
		}
	}
	free(piece);
	return is_there;
}

static bool scan_segments(const struct rt_image *image, bool (*is)(const uint8_t *p),
			  uint64_t *found)
{
	size_t i;

	for (i = 0; i < image->nsegments; i++) {
		struct rt_range in = { .addr = image->segments[i].vaddr,
				       .size = image->segments[i].filesz };

		if (!image->segments[i].exec && scan(image, in, is, found))
			return true;
	}
	return false;
}

/* The table and at most how many bytes it has. */
static bool find_table(const struct rt_image *image, struct rt_range *table)
{
	const struct rt_segment *s;
	uint64_t found;

	*table = image->gopclntab;
	if (table->size)
		return true;
	/*
	 * Before Go 1.26 external linkers put that of a position-independent program among its
	 * other constants.
	 */
	if (image->relro.size ? !scan(image, image->relro, is_table, &found)
			      : !scan_segments(image, is_table, &found))
		return false;
	for (s = image->segments; s < image->segments + image->nsegments; s++)
		if (found >= s->vaddr && found - s->vaddr < s->filesz)
			*table = (struct rt_range){ .addr = found,
						    .size = s->vaddr + s->filesz - found };
	return table->size != 0;
}

/* ---- the version ---- */

static void set_version(struct rt_go *go, const char *text, size_t n)
{
	const char *digits;
	unsigned minor = 0;

	if (n >= sizeof(go->version))
		n = sizeof(go->version) - 1;
	memcpy(go->version, text, n);
	go->version[n] = '\0';
	/* "go1.21.3", "go1.22rc1", "devel go1.24-ba9c445f22". */
	digits = strstr(go->version, "go1.");
	for (digits = digits ? digits + 4 : ""; *digits >= '0' && *digits <= '9' && minor < 1000;
	     digits++)
		minor = minor * 10 + (unsigned)(*digits - '0');
	go->minor = minor;
}

/*
 * cmd/go/internal/version and debug/buildinfo: from 1.18 on the string is there itself, before
 * a pointer to one.
 */
static void read_version(const struct rt_image *image, struct rt_go *go)
{
	struct {
		uint8_t head[16];
		uint64_t pointer, more;
		uint8_t length, text[63];
	} info = { .pointer = 0 };
	struct { uint64_t pointer, length; } string;
	char text[sizeof(go->version)];
	uint64_t at = image->gobuildinfo.addr;

	if (!at && !scan_segments(image, is_buildinfo, &at))
		return;
	if (rt_go_read(image, at, &info, sizeof(info)) < offsetof(__typeof__(info), length) ||
	    !is_buildinfo(info.head))
		return;
	if (info.head[15] & 2) {
		if (info.length < sizeof(info.text))
			set_version(go, (const char *)info.text, info.length);
	} else if (info.head[14] == 8 &&
		   rt_go_read(image, info.pointer, &string, sizeof(string)) == sizeof(string) &&
		   string.length < sizeof(text) &&
		   rt_image_read(image, string.pointer, text, string.length) == string.length) {
		set_version(go, text, string.length);
	}
}

/* ---- the table ---- */

/* The base of the table's addresses, if the table does not have it (from Go 1.26 on). */
static uint64_t find_text(const struct rt_image *image)
{
	uint64_t text;

	if (image->gomodule.size && rt_go_read(image, image->gomodule.addr + MODULE_TEXT, &text,
					       sizeof(text)) == sizeof(text))
		return text;
	return 0;
}

/* The first and the last function must be code of this file, or the table means something else. */
static bool fits(const struct rt_image *image, const struct rt_pclntab *t)
{
	struct rt_go_function first, last;

	return rt_pclntab_function(t, 0, &first) && rt_pclntab_function(t, t->count - 1, &last) &&
	       first.addr <= last.addr && rt_image_is_code(image, first.addr) &&
	       rt_image_is_code(image, last.end - 1);
}

static void read_table(const struct rt_image *image, struct rt_go *go)
{
	struct rt_range at;

	if (!find_table(image, &at) || at.size > image->size)
		return;
	go->table_addr = at.addr;
	go->bytes = malloc(at.size);
	if (!go->bytes)
		return;
	at.size = rt_go_read(image, at.addr, go->bytes, at.size);
	if (rt_pclntab_open(go->bytes, at.size, &go->table) < 0)
		return;
	if (go->table.since >= 18 && !go->table.text)
		go->table.text = find_text(image);
	go->has_table = fits(image, &go->table);
}

/*
 * Find a thread's goroutine.  The whole program has one place for it; a linker may put others'
 * variables beside it.
 */
static void read_g(const struct rt_image *image, struct rt_go *go)
{
	struct rt_go_function f;
	uint8_t bytes[16];
	uint64_t i;
	size_t n;

	for (i = 0; i < go->table.count && !go->g_known; i++) {
		if (!rt_pclntab_function(&go->table, i, &f) || !rt_image_is_code(image, f.addr))
			continue;
		n = rt_image_read(image, f.addr, bytes,
				  f.end - f.addr < sizeof(bytes) ? (size_t)(f.end - f.addr)
								 : sizeof(bytes));
		go->g_known = image->arch->go_code->thread_offset(bytes, n, &go->g_at);
	}
}

static void free_go(struct rt_go *go)
{
	free(go->bytes);
	free(go);
}

const struct rt_go *rt_image_go(struct rt_image *image)
{
	const struct rt_go_code *code = image->arch->go_code;
	struct rt_go *go;

	if (image->go_read || !image->is_go)
		return image->go;
	image->go_read = true;
	go = calloc(1, sizeof(*go));
	if (!go)
		return NULL;
	read_version(image, go);
	read_table(image, go);
	if (!go->minor && go->has_table)
		go->registers = go->table.since >= 18;
	else
		go->registers = go->minor >= (code ? code->registers : 18);
	if (go->has_table && code && code->thread_offset)
		read_g(image, go);
	image->go = go;
	image->free_go = free_go;
	return go;
}


int rt_image_go_symbols(struct rt_image *image)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;
	const char *name;
	uint64_t i;

	for (i = 0; go && go->has_table && i < go->table.count; i++) {
		if (!rt_pclntab_function(&go->table, i, &f) || !*f.name ||
		    !rt_image_is_code(image, f.addr))
			continue;
		name = rt_image_clean_name(image, f.name);
		if (!name || RT_ROOM(&image->symbols, image->nsymbols, &image->symbols_cap))
			return -1;
		image->symbols[image->nsymbols++] = (struct rt_symbol){
			.name = name,
			.addr = f.addr,
			.size = f.end - f.addr,
			.kind = RT_SYM_FUNC,
			.global = true,
			.sized = true,
			.source = RT_SOURCE_GO,
		};
	}
	return 0;
}

bool rt_go_place(struct rt_image *image, uint64_t addr, uint32_t *skip)
{
	const struct rt_go_code *code = image->arch->go_code;
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;
	uint8_t bytes[RT_GO_CHECK_MAX];
	uint32_t frame;
	size_t n;

	*skip = 0;
	if (!go || !go->has_table || !code || !rt_pclntab_find(&go->table, addr, &f) ||
	    f.addr != addr)
		return false;
	n = f.end - f.addr < sizeof(bytes) ? (size_t)(f.end - f.addr) : sizeof(bytes);
	n = rt_image_read(image, addr, bytes, n);
	*skip = code->past_check(bytes, n);
	if (code->past_temporary && !f.assembly)
		*skip += code->past_temporary(bytes + *skip, n - *skip);
	/* A check of the stack comes before the frame, so this was none. */
	if (*skip >= n || (rt_pclntab_frame(&go->table, &f, &frame) && frame && *skip >= frame))
		*skip = 0;
	return true;
}

/* Up to Go 1.27 that function takes its argument on the stack. */
bool rt_go_recovery(struct rt_image *image, struct rt_symbol *place)
{
	const struct rt_go_code *code = image->arch->go_code;
	const struct rt_go *go = rt_image_go(image);
	const uint64_t end = place->addr + place->size;
	struct rt_go_function f;
	uint8_t bytes[9];
	uint64_t target;

	for (; go && code && place->addr < end &&
	       rt_image_read(image, place->addr - 4, bytes, sizeof(bytes)) == sizeof(bytes);
	     place->addr += image->arch->insn_align)
		if (code->calls(bytes, place->addr, &target) &&
		    rt_pclntab_find(&go->table, target, &f) && strcmp(f.name, "runtime.gogo") == 0)
			return true;
	return false;
}

bool rt_go_depth(struct rt_image *image, uint64_t addr, struct rt_go_depth *depth)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;

	if (!go || !go->has_table || !rt_pclntab_find(&go->table, addr, &f))
		return false;
	/* Go 1.17 and older have no flags. */
	depth->is_outermost = f.is_outermost || strcmp(f.name, "runtime.goexit") == 0;
	if (!depth->is_outermost &&
	    (f.switches_stack || strcmp(f.name, "runtime.systemstack") == 0 ||
	     strcmp(f.name, "runtime.mcall") == 0 || strcmp(f.name, "runtime.asmcgocall") == 0))
		return false;
	return rt_pclntab_depth(&go->table, &f, addr, &depth->bytes) || depth->is_outermost;
}

bool rt_go_is_code(struct rt_image *image, uint64_t addr)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;

	return rt_image_is_go(image) &&
	       !(go && go->has_table && !rt_pclntab_find(&go->table, addr, &f));
}
