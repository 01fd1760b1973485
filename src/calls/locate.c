/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/locate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/image.h"
#include "stream/addrmap.h"
#include "stream/members.h"
#include "symbols/stub.h"

/* Instruction pointers that were looked up before; direct-mapped, emptied when a mapping changes. */
enum { CACHE = 1024 };

struct cached {
	pid_t pid;
	uint64_t ip;
	bool leaving;
	const struct rt_location *place;	/* NULL: none is known there */
};

/* Return addresses at the start of a page: the uretprobe trampoline's, of which a process has one, or by chance another. */
enum { PAGE = 4096, ALIGNED = 16 };

struct aligned {
	pid_t pid;
	uint64_t address;
	bool is_code;
};

/* Return addresses that were looked up before: is it the program's own code, and what of its libraries does it call there? */
enum { CALLERS = 8192 };

struct caller {
	pid_t pid;
	uint64_t ra;
	const char *called;	/* NULL: not known, or its own */
	bool program;
};

struct rt_locate {
	const struct rt_target *target;
	struct rt_addrmap *maps;
	struct rt_members maps_read;	/* processes whose were tried after an unknown address */
	struct rt_location *places;
	size_t nplaces;
	struct rt_location *entries;	/* where the traced functions begin; made when first needed */
	size_t nentries;
	struct cached cache[CACHE];
	struct aligned aligned[ALIGNED];
	unsigned naligned;	/* so many were looked up; the oldest are forgotten */
	struct caller callers[CALLERS];	/* --libcalls */
	struct rt_code *code;		/* the program's, for these */
};

static int compare_places(const void *a, const void *b)
{
	const struct rt_location *x = a, *y = b;

	if (x->leaving != y->leaving)
		return x->leaving ? 1 : -1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Entries are there for functions without probes too. */
static void add_places(struct rt_locate *l)
{
	const struct rt_target *t = l->target;
	size_t i;

	for (i = 0; i < t->functions.n; i++) {
		/* It has no hits, and may stand where a traced function does. */
		if (t->functions.v[i].role == RT_ROLE_ERRNO)
			continue;
		l->places[l->nplaces++] = (struct rt_location){
			.offset = rt_function_place(&t->functions.v[i]), .ino = rt_image_ino(t->functions.v[i].image),
			.function = (uint32_t)i,
		};
	}
	for (i = 0; i < t->nprobes; i++) {
		const struct rt_exit *exit = rt_target_exit(t, &t->probes[i]);

		if (exit)
			l->places[l->nplaces++] = (struct rt_location){
				.offset = exit->offset, .ino = rt_image_ino(t->functions.v[t->probes[i].function].image),
				.function = exit->shared ? RT_NO_FUNCTION : t->probes[i].function, .leaving = true, .exit = exit,
			};
	}
}

struct rt_locate *rt_locate_new(const struct rt_target *target)
{
	struct rt_locate *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->target = target;
	l->maps = rt_addrmap_new();
	l->places = calloc(target->functions.n + target->nprobes, sizeof(*l->places));
	if (!l->maps || !l->places) {
		rt_locate_free(l);
		return NULL;
	}
	add_places(l);
	qsort(l->places, l->nplaces, sizeof(*l->places), compare_places);
	return l;
}

void rt_locate_free(struct rt_locate *l)
{
	if (!l)
		return;
	rt_addrmap_free(l->maps);
	rt_members_free(&l->maps_read);
	free(l->places);
	free(l->entries);
	rt_code_close(l->code);
	free(l);
}

int rt_locate_read(struct rt_locate *l, pid_t pid)
{
	return rt_addrmap_read(l->maps, pid);
}

int rt_locate_mapped(struct rt_locate *l, const struct rt_event *event)
{
	size_t i;

	for (i = 0; i < CACHE; i++)
		l->cache[i].ip = 0;
	for (i = 0; i < CALLERS && l->target->libcalls; i++)
		l->callers[i].ra = 0;
	rt_members_remove(&l->maps_read, event->pid);
	return rt_addrmap_add(l->maps, event->pid, event->mmap.start, event->mmap.len, event->mmap.pgoff, event->mmap.ino);
}

void rt_locate_unsure(struct rt_locate *l)
{
	l->maps_read.n = 0;
}

void rt_locate_exec(struct rt_locate *l, pid_t pid)
{
	rt_addrmap_forget(l->maps, pid);
	l->naligned = 0;
	l->maps_read.n = 0;
}

static bool is_before(const struct rt_location *p, uint64_t offset, bool leaving)
{
	return p->leaving == leaving ? p->offset < offset : leaving;
}

static size_t first_place(const struct rt_location *v, size_t n, uint64_t offset, bool leaving)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (is_before(&v[mid], offset, leaving))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Only our probes send instruction pointers, so a file offset that one probe has is that probe's; the inode settles the rest. */
static const struct rt_location *place_at(const struct rt_locate *l, uint64_t offset, uint64_t ino, bool leaving)
{
	size_t low = first_place(l->places, l->nplaces, offset, leaving), i;

	for (i = low; i < l->nplaces && l->places[i].offset == offset && l->places[i].leaving == leaving; i++)
		if (l->places[i].ino == ino)
			return &l->places[i];
	return i == low + 1 ? &l->places[low] : NULL;
}

/* The record that told of a mapping was lost, or came before we listened: read them, once.  0 or a negative errno. */
static int read_once(struct rt_locate *l, pid_t pid)
{
	if (rt_members_has(&l->maps_read, pid))
		return -ENOENT;
	return rt_members_add(&l->maps_read, pid) < 0 ? -ENOMEM : rt_addrmap_read(l->maps, pid);
}

int rt_locate_file(struct rt_locate *l, pid_t pid, uint64_t ip, uint64_t *ino, uint64_t *offset)
{
	int r = rt_addrmap_find(l->maps, pid, ip, ino, offset);

	if (r != -ENOENT)
		return r;
	r = read_once(l, pid);
	return r < 0 ? r : rt_addrmap_find(l->maps, pid, ip, ino, offset);
}

bool rt_locate_moved(struct rt_locate *l, pid_t pid, const struct rt_image *image, uint64_t *by)
{
	uint64_t ino = rt_image_ino(image), start, pgoff;

	*by = 0;
	if (!rt_image_may_move(image))
		return true;
	if (rt_addrmap_first(l->maps, pid, ino, &start, &pgoff) < 0 &&
	    (read_once(l, pid) < 0 || rt_addrmap_first(l->maps, pid, ino, &start, &pgoff) < 0))
		return false;
	return rt_image_moved(image, start, pgoff, by);
}

static const char *called_at(struct rt_locate *l, pid_t pid, uint64_t ra)
{
	struct rt_image *executable = rt_program_executable(&l->target->program);
	uint64_t by;

	if (!l->code)
		l->code = rt_code_open(executable);
	return l->code && rt_locate_moved(l, pid, executable, &by) ? rt_code_called(l->code, ra - by) : NULL;
}

/* By one of its names, or those of what is at its place: memcpy/memmove. */
static bool is_called(const struct rt_function *f, const char *name)
{
	const struct rt_symbol *v;
	size_t i, n, length = strlen(name);
	const char *at = f->name;

	if (strcmp(rt_function_symbol(f), name) == 0)
		return true;
	while ((at = strstr(at, name)) && !((at == f->name || at[-1] == '/') && (!at[length] || at[length] == '/' || at[length] == '@')))
		at += length;
	if (at)
		return true;
	v = rt_symbols_at(f->image, f->addr, &n);
	for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
		;
	return i < n;
}

bool rt_locate_from_program(struct rt_locate *l, pid_t pid, uint64_t ra, const struct rt_function *f)
{
	struct caller *c = &l->callers[ra % CALLERS];
	uint64_t ino, offset;

	if (!ra)
		return true;
	if (c->ra != ra || c->pid != pid) {
		c->called = NULL;
		/* Code that belongs to no file, as a JIT makes it, is nobody's but the program's; [uprobes] is judged by the stack. */
		c->program = rt_locate_file(l, pid, ra, &ino, &offset) < 0;
		if (!c->program && ino == rt_image_ino(rt_program_executable(&l->target->program))) {
			c->program = true;
			c->called = called_at(l, pid, ra);
		}
		c->ra = ra;
		c->pid = pid;
	}
	/* What a library calls as its last returns to the library's caller: strcoll's strcmp. */
	return c->program && (!c->called || is_called(f, c->called));
}

/* Files are mapped by pages: where nobody could read the mappings of a process that is gone, this may be enough. */
static const struct rt_location *only_one_in_page(const struct rt_location *v, size_t n, uint64_t ip,
					       bool leaving)
{
	const struct rt_location *found = NULL;
	size_t i;

	/* Of so many none has a place of its own. */
	for (i = 0; i < n && n <= PAGE; i++) {
		if (v[i].leaving != leaving || (v[i].offset ^ ip) % PAGE)
			continue;
		if (found)
			return NULL;
		found = &v[i];
	}
	return found;
}

const struct rt_location *rt_locate_place(struct rt_locate *l, pid_t pid, uint64_t ip, bool leaving)
{
	struct cached *c = &l->cache[ip % CACHE];
	const struct rt_location *place;
	uint64_t ino, offset;
	bool known;

	if (c->ip == ip && c->leaving == leaving && c->pid == pid)
		return c->place;
	known = rt_locate_file(l, pid, ip, &ino, &offset) == 0;
	place = known ? place_at(l, offset, ino, leaving) :
			only_one_in_page(l->places, l->nplaces, ip, leaving);
	if (known || place)
		*c = (struct cached){ .pid = pid, .ip = ip, .leaving = leaving, .place = place };
	return place;
}

uint32_t rt_locate_function(struct rt_locate *l, pid_t pid, uint64_t ip)
{
	const struct rt_location *place = rt_locate_place(l, pid, ip, false);

	return place ? place->function : RT_NO_FUNCTION;
}

static void find_entries(struct rt_locate *l)
{
	const struct rt_target *t = l->target;
	size_t i;

	l->entries = calloc(t->functions.n + 1, sizeof(*l->entries));
	for (i = 0; i < t->functions.n && l->entries; i++)
		if (t->returns[i])
			l->entries[l->nentries++] = (struct rt_location){
				.offset = t->functions.v[i].offset,
				.ino = rt_image_ino(t->functions.v[i].image),
				.function = (uint32_t)i,
			};
	if (l->nentries)
		qsort(l->entries, l->nentries, sizeof(*l->entries), compare_places);
}

uint32_t rt_locate_entry(struct rt_locate *l, pid_t pid, uint64_t address)
{
	const struct rt_location *place;
	uint64_t ino, offset;
	size_t i;

	if (!l->entries)
		find_entries(l);
	if (rt_locate_file(l, pid, address, &ino, &offset) < 0) {
		place = only_one_in_page(l->entries, l->nentries, address, false);
		return place ? place->function : RT_NO_FUNCTION;
	}
	i = first_place(l->entries, l->nentries, offset, false);
	for (; i < l->nentries && l->entries[i].offset == offset; i++)
		if (l->entries[i].ino == ino)
			return l->entries[i].function;
	return RT_NO_FUNCTION;
}

uint32_t rt_locate_function_of_any(struct rt_locate *l, const struct rt_pids *pids, uint64_t ip)
{
	uint32_t found = RT_NO_FUNCTION, function;
	unsigned i;

	for (i = 0; i < pids->n; i++) {
		function = rt_locate_function(l, pids->v[i], ip);
		if (function == RT_NO_FUNCTION || function == found)
			continue;
		if (found != RT_NO_FUNCTION)
			return RT_NO_FUNCTION;
		found = function;
	}
	return found;
}

bool rt_locate_page_of_code(struct rt_locate *l, pid_t pid, uint64_t address)
{
	struct rt_addrmap *map;
	uint64_t ino, offset;
	bool is_code;
	unsigned i;

	if (!address || address % PAGE)
		return false;
	for (i = 0; i < ALIGNED && i < l->naligned; i++)
		if (l->aligned[i].pid == pid && l->aligned[i].address == address)
			return l->aligned[i].is_code;
	map = rt_addrmap_new();
	is_code = map && rt_addrmap_read(map, pid) == 0 && rt_addrmap_find(map, pid, address, &ino, &offset) == 0;
	rt_addrmap_free(map);
	l->aligned[l->naligned++ % ALIGNED] = (struct aligned){ pid, address, is_code };
	return is_code;
}
