/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A multi-probe event cannot tell its probes apart. Its record has the instruction pointer; the
 * MMAP2 records say which file is mapped there, and the file offset is the site. Its returns
 * are named by the entry that the stack pointer pairs them with.
 *
 * A tail call through the PLT or an IFUNC may lead to the traced functions of its name
 * (plan/callees.c). For a jump through a register or memory the record has the target
 * (make_jumps in plan/plans.c). The thread's next hit decides: that function's entry at the
 * same stack pointer is the tail call. The stack pointer alone is not enough: sqlite3MallocSize
 * jumps through a pointer to a function without a name, and its caller calls sqlite3StatusUp
 * next, with the same stack pointer.
 */
#include "calls/site_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "elf/image.h"
#include "stream/addrmap.h"
#include "stream/members.h"
#include "code/stub.h"
#include "base/search.h"

/*
 * Instruction pointers that were looked up before; direct-mapped, emptied when a mapping changes.
 */
enum { CACHE = 1024 };

struct cached {
	pid_t pid;
	uint64_t ip;
	bool is_exit;
	const struct rt_mapped_site *site; /* NULL: none is known there */
};

/*
 * Return addresses at the start of a page: the uretprobe trampoline's, of which a process has one,
 * or by chance another.
 */
enum { PAGE = 4096, ALIGNED = 16 };

struct aligned {
	pid_t pid;
	uint64_t address;
	bool is_code;
};

/*
 * Return addresses that were looked up before: is it the program's own code, and what of its
 * libraries does it call there?
 */
enum { CALLERS = 8192 };

struct caller {
	pid_t pid;
	uint64_t ra;
	const char *called; /* NULL: not known, or its own */
	bool program;
};

struct rt_site_map {
	const struct rt_traced *traced;
	const struct rt_sites *sites;
	enum rt_key key;
	uint32_t main; /* the function main, or RT_NO_FUNCTION */
	struct rt_addrmap *maps;
	struct rt_members maps_read; /* processes with maps read after an unknown address */
	struct rt_mapped_site *v;
	size_t n;
	/* where the traced functions begin; made when first needed */
	struct rt_mapped_site *entries;
	size_t nentries;
	struct cached cache[CACHE];
	struct aligned aligned[ALIGNED];
	unsigned naligned; /* so many were looked up; the oldest are forgotten */
	struct caller callers[CALLERS]; /* --libcalls */
	struct rt_code *code; /* the program's, for these */
	struct rt_return_sites returns;
	bool learns; /* return sites are looked for */
};

static int compare_sites(const void *a, const void *b)
{
	const struct rt_mapped_site *x = a, *y = b;

	if (x->is_exit != y->is_exit)
		return x->is_exit ? 1 : -1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Entries are there for functions without probes too. */
static void add_sites(struct rt_site_map *map)
{
	const struct rt_sites *sites = map->sites;
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		/* It has no hits, and may stand where a traced function does. */
		if (sites->functions.v[i].role == RT_ROLE_ERRNO ||
		    sites->functions.v[i].return_site)
			continue;
		map->v[map->n++] = (struct rt_mapped_site){
			.offset = rt_function_place(&sites->functions.v[i]),
			.ino = rt_image_ino(sites->functions.v[i].image),
			.function = (uint32_t)i,
		};
	}
	for (i = 0; i < sites->n; i++) {
		const struct rt_exit *exit = rt_sites_exit(sites, &sites->v[i]);

		if (exit)
			map->v[map->n++] = (struct rt_mapped_site){
				.offset = exit->offset,
				.ino = rt_image_ino(sites->functions.v[sites->v[i].function].image),
				.function = exit->shared ? RT_NO_FUNCTION : sites->v[i].function,
				.is_exit = true,
				.exit = exit,
			};
	}
}

static void empty_caches(struct rt_site_map *map)
{
	size_t i;

	for (i = 0; i < CACHE; i++)
		map->cache[i].ip = 0;
	for (i = 0; i < CALLERS && map->sites->libcalls; i++)
		map->callers[i].ra = 0;
}

int rt_site_map_grow(struct rt_site_map *map)
{
	const struct rt_sites *sites = map->sites;
	struct rt_mapped_site *v = calloc(sites->functions.n + sites->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	free(map->v);
	free(map->entries);
	map->v = v;
	map->entries = NULL;
	map->n = map->nentries = 0;
	add_sites(map);
	qsort(map->v, map->n, sizeof(*map->v), compare_sites);
	empty_caches(map);
	return 0;
}

static uint32_t find_main(const struct rt_traced *traced, const struct rt_sites *sites)
{
	const struct rt_function *f = sites->functions.v;
	size_t i;

	for (i = 0; i < sites->functions.n && traced->program.n; i++)
		if (f[i].image == rt_program_executable(&traced->program) &&
		    strcmp(rt_function_symbol(&f[i]), "main") == 0)
			return (uint32_t)i;
	return RT_NO_FUNCTION;
}

struct rt_site_map *rt_site_map_new(const struct rt_traced *traced, const struct rt_sites *sites,
				    enum rt_key key)
{
	struct rt_site_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->traced = traced;
	map->sites = sites;
	map->key = key;
	map->main = find_main(traced, sites);
	map->maps = rt_addrmap_new();
	if (!map->maps || rt_site_map_grow(map) < 0) {
		rt_site_map_free(map);
		return NULL;
	}
	return map;
}

void rt_site_map_free(struct rt_site_map *map)
{
	if (!map)
		return;
	rt_addrmap_free(map->maps);
	rt_members_free(&map->maps_read);
	free(map->v);
	free(map->entries);
	rt_code_close(map->code);
	rt_return_sites_free(&map->returns);
	free(map);
}

int rt_site_map_read(struct rt_site_map *map, pid_t pid)
{
	return rt_addrmap_read(map->maps, pid);
}

int rt_site_map_mapped(struct rt_site_map *map, const struct rt_event *event)
{
	empty_caches(map);
	rt_members_remove(&map->maps_read, event->pid);
	return rt_addrmap_add(map->maps, event->pid, event->mmap.start, event->mmap.len,
			      event->mmap.pgoff, event->mmap.ino);
}

void rt_site_map_unsure(struct rt_site_map *map)
{
	map->maps_read.n = 0;
}

void rt_site_map_forget(struct rt_site_map *map, pid_t pid)
{
	rt_addrmap_forget(map->maps, pid);
	empty_caches(map);
	map->naligned = 0;
	map->maps_read.n = 0;
}

int rt_site_map_fork(struct rt_site_map *map, pid_t parent, pid_t child)
{
	rt_members_remove(&map->maps_read, child);
	return rt_addrmap_copy(map->maps, parent, child);
}

static bool is_before(const struct rt_mapped_site *p, uint64_t offset, bool is_exit)
{
	return p->is_exit == is_exit ? p->offset < offset : is_exit;
}

static size_t first_site(const struct rt_mapped_site *v, size_t n, uint64_t offset, bool is_exit)
{
	size_t i;

	RT_SEARCH(i, n, is_before(&v[i], offset, is_exit));
	return i;
}

/*
 * Only our probes send instruction pointers, so a file offset that one probe has is that probe's;
 * the inode settles the rest.
 */
static const struct rt_mapped_site *site_at(const struct rt_site_map *map, uint64_t offset,
					    uint64_t ino, bool is_exit)
{
	size_t low = first_site(map->v, map->n, offset, is_exit), i;

	for (i = low; i < map->n && map->v[i].offset == offset && map->v[i].is_exit == is_exit; i++)
		if (map->v[i].ino == ino)
			return &map->v[i];
	return i == low + 1 ? &map->v[low] : NULL;
}

/*
 * The record of a mapping was lost, or came before we listened: read them, once.  0 or a
 * negative errno.
 */
static int read_once(struct rt_site_map *map, pid_t pid)
{
	if (rt_members_has(&map->maps_read, pid))
		return -ENOENT;
	return rt_members_add(&map->maps_read, pid) < 0 ? -ENOMEM : rt_addrmap_read(map->maps, pid);
}

int rt_site_map_file(struct rt_site_map *map, pid_t pid, uint64_t ip, uint64_t *ino,
		     uint64_t *offset)
{
	int r = rt_addrmap_find(map->maps, pid, ip, ino, offset);

	if (r != -ENOENT)
		return r;
	r = read_once(map, pid);
	return r < 0 ? r : rt_addrmap_find(map->maps, pid, ip, ino, offset);
}

bool rt_site_map_load_offset(struct rt_site_map *map, pid_t pid, const struct rt_image *image,
			     uint64_t *by)
{
	uint64_t ino = rt_image_ino(image), start, pgoff;

	*by = 0;
	if (!rt_image_is_relocatable(image))
		return true;
	if (rt_addrmap_first(map->maps, pid, ino, &start, &pgoff) < 0 &&
	    (read_once(map, pid) < 0 || rt_addrmap_first(map->maps, pid, ino, &start, &pgoff) < 0))
		return false;
	return rt_image_moved(image, start, pgoff, by);
}

static const char *find_callee_name(struct rt_site_map *map, pid_t pid, uint64_t ra)
{
	struct rt_image *executable = rt_program_executable(&map->traced->program);
	uint64_t by;

	if (!map->code)
		map->code = rt_code_open(executable);
	return map->code && rt_site_map_load_offset(map, pid, executable, &by)
		       ? rt_code_called(map->code, ra - by)
		       : NULL;
}

/* By one of its names, or those of what is at its place: memcpy/memmove. */
static bool is_called(const struct rt_function *f, const char *name)
{
	const struct rt_symbol *v;
	size_t i, n, length = strlen(name);
	const char *at = f->name;

	if (strcmp(rt_function_symbol(f), name) == 0)
		return true;
	while ((at = strstr(at, name)) &&
	       !((at == f->name || at[-1] == '/') &&
		 (!at[length] || at[length] == '/' || at[length] == '@')))
		at += length;
	if (at)
		return true;
	v = rt_symbols_at(f->image, f->addr, &n);
	for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
		;
	return i < n;
}

bool rt_site_map_is_from_program(struct rt_site_map *map, pid_t pid, uint64_t ra,
				 const struct rt_function *f)
{
	struct caller *c = &map->callers[ra % CALLERS];
	uint64_t ino, offset;

	if (!ra)
		return true;
	if (c->ra != ra || c->pid != pid) {
		c->called = NULL;
		/*
		 * Code that belongs to no file, as a JIT makes it, is nobody's but the program's;
		 * [uprobes] is judged by the stack.
		 */
		c->program = rt_site_map_file(map, pid, ra, &ino, &offset) < 0;
		if (!c->program &&
		    ino == rt_image_ino(rt_program_executable(&map->traced->program))) {
			c->program = true;
			c->called = find_callee_name(map, pid, ra);
		}
		c->ra = ra;
		c->pid = pid;
	}
	/*
	 * A library's last call may be a tail call, and then returns to the library's caller:
	 * strcoll's strcmp.
	 */
	return c->program && (!c->called || is_called(f, c->called));
}

/*
 * Files are mapped by pages: where nobody could read the mappings of a process that is gone, this
 * may be enough.
 */
static const struct rt_mapped_site *find_only_one_in_page(const struct rt_mapped_site *v, size_t n,
							  uint64_t ip, bool is_exit)
{
	const struct rt_mapped_site *found = NULL;
	size_t i;

	/* With more sites than bytes in a page, none is alone. */
	for (i = 0; i < n && n <= PAGE; i++) {
		if (v[i].is_exit != is_exit || (v[i].offset ^ ip) % PAGE)
			continue;
		if (found)
			return NULL;
		found = &v[i];
	}
	return found;
}

const struct rt_mapped_site *rt_site_map_find(struct rt_site_map *map, pid_t pid, uint64_t ip,
					      bool is_exit)
{
	struct cached *c = &map->cache[ip % CACHE];
	const struct rt_mapped_site *site;
	uint64_t ino, offset;
	bool known;

	if (c->ip == ip && c->is_exit == is_exit && c->pid == pid)
		return c->site;
	known = rt_site_map_file(map, pid, ip, &ino, &offset) == 0;
	site = known ? site_at(map, offset, ino, is_exit)
		     : find_only_one_in_page(map->v, map->n, ip, is_exit);
	if (known || site)
		*c = (struct cached){ .pid = pid, .ip = ip, .is_exit = is_exit, .site = site };
	return site;
}

uint32_t rt_site_map_function(struct rt_site_map *map, pid_t pid, uint64_t ip)
{
	const struct rt_mapped_site *site = rt_site_map_find(map, pid, ip, false);

	return site ? site->function : RT_NO_FUNCTION;
}

static void find_entries(struct rt_site_map *map)
{
	const struct rt_sites *sites = map->sites;
	size_t i;

	map->entries = calloc(sites->functions.n + 1, sizeof(*map->entries));
	for (i = 0; i < sites->functions.n && map->entries; i++)
		if (sites->returns[i] && !sites->functions.v[i].return_site)
			map->entries[map->nentries++] = (struct rt_mapped_site){
				.offset = sites->functions.v[i].offset,
				.ino = rt_image_ino(sites->functions.v[i].image),
				.function = (uint32_t)i,
			};
	if (map->nentries)
		qsort(map->entries, map->nentries, sizeof(*map->entries), compare_sites);
}

uint32_t rt_site_map_entry(struct rt_site_map *map, pid_t pid, uint64_t address)
{
	const struct rt_sites *sites = map->sites;
	const struct rt_mapped_site *site;
	uint64_t ino, offset;
	size_t i;

	if (!map->entries)
		find_entries(map);
	if (rt_site_map_file(map, pid, address, &ino, &offset) < 0) {
		site = find_only_one_in_page(map->entries, map->nentries, address, false);
		return site && !sites->functions.v[site->function].tail ? site->function
									: RT_NO_FUNCTION;
	}
	i = first_site(map->entries, map->nentries, offset, false);
	for (; i < map->nentries && map->entries[i].offset == offset; i++)
		if (map->entries[i].ino == ino)
			return map->entries[i].function;
	return RT_NO_FUNCTION;
}

uint32_t rt_site_map_function_of_any(struct rt_site_map *map, const struct rt_pids *pids,
				     uint64_t ip)
{
	uint32_t found = RT_NO_FUNCTION, function;
	unsigned i;

	for (i = 0; i < pids->n; i++) {
		function = rt_site_map_function(map, pids->v[i], ip);
		if (function == RT_NO_FUNCTION || function == found)
			continue;
		if (found != RT_NO_FUNCTION)
			return RT_NO_FUNCTION;
		found = function;
	}
	return found;
}

bool rt_site_map_is_code_page(struct rt_site_map *map, pid_t pid, uint64_t address)
{
	struct rt_addrmap *fresh;
	uint64_t ino, offset;
	bool is_code;
	unsigned i;

	if (!address || address % PAGE)
		return false;
	for (i = 0; i < ALIGNED && i < map->naligned; i++)
		if (map->aligned[i].pid == pid && map->aligned[i].address == address)
			return map->aligned[i].is_code;
	fresh = rt_addrmap_new();
	is_code = fresh && rt_addrmap_read(fresh, pid) == 0 &&
		  rt_addrmap_find(fresh, pid, address, &ino, &offset) == 0;
	rt_addrmap_free(fresh);
	map->aligned[map->naligned++ % ALIGNED] = (struct aligned){ pid, address, is_code };
	return is_code;
}

/* The function and exit of a hit.  1: the instruction pointer is no known exit. */
static int find_function(struct rt_site_map *map, const struct rt_event *event, struct rt_hit *hit)
{
	const struct rt_sites *sites = map->sites;
	const struct rt_mapped_site *site;

	if (map->key == RT_KEY_ID) {
		if (event->hit.key >= sites->n || sites->v[event->hit.key].plan != event->hit.plan)
			return -EBADMSG;
		hit->function = sites->v[event->hit.key].function;
		hit->exit = rt_sites_exit(sites, &sites->v[event->hit.key]);
		if (hit->exit && hit->exit->shared)
			hit->function = RT_NO_FUNCTION;
	} else if (hit->plan->kind == RT_KIND_ENTRY) {
		hit->function = rt_site_map_function(map, event->pid, event->hit.key);
	} else if (!rt_plan_is_uretprobe(hit->plan)) {
		site = rt_site_map_find(map, event->pid, event->hit.key, true);
		if (!site)
			return 1;
		hit->function = site->function;
		hit->exit = site->exit;
	}
	return 0;
}

/* The call's stack pointer at its entry, and how its return is seen. */
static void describe_returns(const struct rt_traced *traced, const struct rt_sites *sites,
			     struct rt_event *event, struct rt_hit *hit)
{
	const struct rt_function *f;

	hit->returns = hit->function != RT_NO_FUNCTION ? sites->returns[hit->function]
						       : !traced->entry_only[0];
	if (hit->exit)
		event->hit.sp += hit->exit->place.sp_down;
	if (hit->function == RT_NO_FUNCTION)
		return;
	f = &sites->functions.v[hit->function];
	hit->return_site = f->return_site;
	if (f->return_site)
		event->hit.sp -= hit->plan->arch->return_pop;
	/* A call that is left by a stack switch returns later. */
	hit->at_exits = f->how == RT_HOW_INSN && !traced->switches && !traced->lacks_stack_hooks;
	hit->exits = &f->exits;
	hit->tail = f->tail;
	if (hit->returns && hit->plan->kind == RT_KIND_ENTRY && sites->exit_plan)
		hit->result = &sites->plans[sites->exit_plan[hit->function]];
	if (hit->plan->kind == RT_KIND_ENTRY)
		event->hit.sp += (uint64_t)(int64_t)f->sp_down;
}

/* The target of a jump through a register. */
static uint32_t find_jump_target(struct rt_site_map *map, const struct rt_event *event,
				 const struct rt_hit *hit)
{
	uint32_t function;

	if (!hit->exit || !hit->exit->plan || hit->exit->kind != RT_EXIT_JUMP ||
	    !hit->plan->nvalues || event->hit.faults & 1)
		return 0;
	function = rt_site_map_entry(map, event->pid, rt_plan_int(hit->plan, 0, event->hit.data));
	return function == RT_NO_FUNCTION ? 0 : function + 1;
}

/* The place behind the call that a jump ends, if the jump leads to what is not traced. */
static void find_return_site(struct rt_site_map *map, const struct rt_event *event,
			     struct rt_hit *hit)
{
	uint32_t of = hit->function;
	struct rt_return_site *site;
	uint64_t ino, offset;

	/* Any of the functions that share the exit. */
	if (of == RT_NO_FUNCTION && map->key == RT_KEY_ID)
		of = map->sites->v[event->hit.key].function;
	if (hit->exit->kind == RT_EXIT_RETURN || !event->hit.ra ||
	    rt_site_map_file(map, event->pid, event->hit.ra, &ino, &offset) < 0)
		return;
	site = rt_return_sites_find(&map->returns, ino, offset);
	if (!site)
		return;
	if (site->since <= event->time)
		hit->returns_to = site->function + 1;
	else if (of != RT_NO_FUNCTION)
		rt_return_sites_jumped(&map->returns, site, of, event->pid);
}

struct rt_return_sites *rt_site_map_learn(struct rt_site_map *map)
{
	map->learns = true;
	map->returns.ends = calloc(map->sites->functions.n + 1, sizeof(*map->returns.ends));
	map->returns.nends = map->returns.ends ? map->sites->functions.n : 0;
	return &map->returns;
}

bool rt_site_map_has_probe(const struct rt_site_map *map, uint64_t offset, uint64_t ino)
{
	size_t i, is_exit;

	for (is_exit = 0; is_exit < 2; is_exit++)
		for (i = first_site(map->v, map->n, offset, is_exit);
		     i < map->n && map->v[i].offset == offset && map->v[i].is_exit == is_exit; i++)
			if (map->v[i].ino == ino)
				return true;
	return false;
}

/* The arguments of a USDT probe that say which call it opens or closes. */
static uint64_t find_key(const struct rt_showing *shown, const struct rt_event *event,
			 const struct rt_hit *hit, const struct rt_function *f)
{
	bool whole = event->hit.size >= rt_plan_size(hit->plan);
	const struct rt_piece *piece;
	uint64_t key = 0;
	unsigned i;

	if (!f->pair_last || !whole || shown->plan != hit->plan)
		return 0;
	for (i = f->pair_first - 1u; i < f->pair_last && i < shown->n; i++) {
		piece = shown->v[i].npieces ? &shown->v[i].pieces[0] : NULL;
		if (!piece || piece->value == RT_NO_VALUE || piece->size > 8)
			continue;
		if (event->hit.faults >> piece->value & 1)
			continue;
		key = key * 0x100000001b3 + rt_fetch_load(event->hit.data + piece->at, piece->size);
	}
	return key;
}

int rt_site_map_resolve(struct rt_site_map *map, struct rt_event *event, struct rt_hit *hit)
{
	const struct rt_traced *traced = map->traced;
	const struct rt_sites *sites = map->sites;
	const struct rt_function *f;
	int r = find_function(map, event, hit);

	if (r != 0)
		return r;
	if (!hit->plan->role)
		describe_returns(traced, sites, event, hit);
	hit->leads = find_jump_target(map, event, hit);
	hit->leads_tail = hit->leads && sites->functions.v[hit->leads - 1].tail;
	if (map->learns && hit->exit && (!hit->exit->plan || hit->leads))
		rt_return_sites_ended(&map->returns, hit->function);
	else if (map->learns && hit->exit)
		find_return_site(map, event, hit);
	if (hit->function == RT_NO_FUNCTION)
		return 0;
	f = &sites->functions.v[hit->function];
	hit->once = hit->function == map->main;
	hit->libcall = f->libcall;
	hit->pair = f->pair;
	hit->closes = f->closes;
	hit->inlined = f->inlined;
	if (f->pair && sites->shows)
		hit->key = find_key(&sites->shows[hit->function].entry, event, hit, f);
	if (sites->libcalls && hit->plan->kind == RT_KIND_ENTRY)
		hit->outside = hit->libcall &&
			       !rt_site_map_is_from_program(map, event->pid, event->hit.ra, f);
	return 0;
}
