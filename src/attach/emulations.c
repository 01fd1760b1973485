/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sites' instructions our programs emulate (emit/emulation.h).
 *
 * Only sites that have their place alone: programs see the registers one after the other, and the
 * second one would see those that the first one has changed.  But the entry and the exit of an
 * empty function both take its return elsewhere: the first one to run does.
 *
 * Returns at entries are only taken elsewhere: another tool's uretprobe there is prepared after all
 * programs have run (handler_chain()), at the sp that they leave, in the caller's frame.
 *
 * Not returns where there may be a user shadow stack (x86, Linux 6.6): the processor compares the
 * return address with the copy there, which no program can take off.  glibc enables it before main,
 * and only where GLIBC_TUNABLES asks for it (2.39).  The programs that children run are not known.
 */
#include "attach/emulations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "arch/emulation.h"
#include "code/spare_return.h"
#include "emit/bpf.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "process/memory.h"

int rt_emulations_ask(void)
{
	enum { R0, CTX };
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	struct rt_bpf bpf;
	int r;

	if (!arch || !arch->emulation)
		return -EOPNOTSUPP;
	rt_bpf_init(&bpf);
	rt_bpf_load(&bpf, RT_BPF_DW, R0, CTX, arch->ip.pt_regs);
	rt_bpf_store(&bpf, RT_BPF_DW, CTX, arch->ip.pt_regs, R0);
	rt_bpf_mov_imm(&bpf, R0, 0);
	rt_bpf_exit(&bpf);
	r = rt_bpf_finish(&bpf, NULL, NULL);
	if (r == 0)
		r = rt_bpf_prog_load(bpf.insns, bpf.n, RT_BPF_TRACE_UPROBE_MULTI, NULL, 0);
	rt_bpf_free(&bpf);
	if (r >= 0)
		close(r);
	return r < 0 ? r : 0;
}

/* ---- shadow stacks ---- */

bool rt_cpuinfo_has_shadow_stack(const char *text)
{
	const char *flags = strstr(text, "\nflags"), *end, *at;
	static const char flag[] = " user_shstk";

	if (!flags)
		return false;
	end = strchrnul(flags + 1, '\n');
	at = strstr(flags, flag);
	return at && at < end;
}

bool rt_environ_has_shadow_stack(const char *environ, size_t size)
{
	static const char name[] = "GLIBC_TUNABLES=";
	const char *at, *end = environ + size;

	for (at = environ; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, sizeof(name) - 1) == 0 && strcasestr(at, "shstk"))
			return true;
	return false;
}

bool rt_has_shadow_stack(pid_t pid)
{
	char path[64], *text;
	bool has;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	n = rt_read_file(path, &text);
	if (n < 0)
		return true;
	has = rt_environ_has_shadow_stack(text, (size_t)n) ||
	      rt_proc_status_has(pid, "x86_Thread_features", "shstk");
	free(text);
	return has;
}

static bool cpu_has_shadow_stack(void)
{
	char *text;
	bool has;

	if (rt_read_file("/proc/cpuinfo", &text) < 0)
		return true;
	has = rt_cpuinfo_has_shadow_stack(text);
	free(text);
	return has;
}

static bool may_return(const struct rt_attach_request *request)
{
	size_t i;

	if (!cpu_has_shadow_stack())
		return true;
	if (request->reach != RT_REACH_PROCESSES)
		return false;
	for (i = 0; i < request->pids->n && !rt_has_shadow_stack(request->pids->v[i]); i++)
		;
	return i == request->pids->n;
}

/* ---- sites ---- */

static const struct rt_emulation nothing = { .place = RT_EMULATION_NOWHERE };

struct spot {
	const struct rt_image *image;
	uint64_t offset;
	unsigned site;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->image != y->image)
		return (uintptr_t)x->image < (uintptr_t)y->image ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool has_register(const struct rt_reg *v, size_t n, unsigned word)
{
	size_t i;

	for (i = 0; i < n && v[i].pt_regs != word * 8; i++)
		;
	return i < n;
}

static bool writes_argument(const struct rt_function *f, const struct rt_emulation *emulation)
{
	const struct rt_arch *arch = rt_image_arch(f->image);

	if (rt_image_is_go(f->image))
		return has_register(arch->go, arch->ngo, emulation->to);
	return has_register(arch->args, arch->nargs, emulation->to);
}

/*
 * Other probes at the entries whose instructions write an argument's register, or are returns:
 * their programs may not see it so.  The kernel runs the newest program first (consumer_add() in
 * kernel/events/uprobes.c), so this concerns probes that were there before ours.  Their breakpoints
 * are in the traced process.  If it has not mapped the file yet, they are in this process when it
 * does so, as only processes that run can have probes of their own.
 */
struct others {
	const struct rt_attach_request *request;
	struct rt_memory **processes;	/* by request->pids; NULL: not opened yet */
	const struct rt_image *image;	/* that is mapped in `file` */
	struct rt_memory *file;
	const struct rt_image *returns;	/* that `spare` was looked for in */
	uint64_t spare;			/* rt_spare_return */
};

static bool open_processes(struct others *o)
{
	const struct rt_pids *pids = o->request->pids;
	unsigned i;

	if (o->processes)
		return true;
	o->processes = calloc(pids->n, sizeof(*o->processes));
	for (i = 0; o->processes && i < pids->n; i++)
		o->processes[i] = rt_memory_open(pids->v[i]);
	return o->processes != NULL;
}

static void close_others(struct others *o)
{
	unsigned i;

	for (i = 0; o->processes && i < o->request->pids->n; i++)
		rt_memory_close(o->processes[i]);
	free(o->processes);
	rt_memory_close(o->file);
}

static bool has_no_probe(struct rt_memory *memory, const struct rt_image *image,
			 uint64_t addr)
{
	return memory && (!rt_memory_has(memory, image) ||
			  rt_memory_probed(memory, image, addr) == 0);
}

/* Will ours be the oldest probe there?  Other processes than the request's are not known. */
static bool is_oldest(struct others *o, const struct rt_function *f, uint64_t addr)
{
	const struct rt_pids *pids = o->request->pids;
	unsigned i;

	if (o->request->reach != RT_REACH_PROCESSES || !open_processes(o))
		return false;
	if (o->image != f->image) {
		rt_memory_close(o->file);
		o->file = rt_memory_of_file(f->image);
		o->image = f->image;
	}
	for (i = 0; i < pids->n && has_no_probe(o->processes[i], f->image, addr); i++)
		;
	return i == pids->n && has_no_probe(o->file, f->image, addr);
}

/* Exits of functions that only begin by a tail call have no probe at their entry. */
static bool is_entry(const struct rt_function *f, uint64_t addr)
{
	size_t n;

	return addr == f->addr || rt_symbols_at(f->image, addr, &n) != NULL;
}

/* The return at `addr`: ip goes to another one. */
static bool take_elsewhere(struct others *o, const struct rt_function *f, uint64_t addr,
			   struct rt_emulation *emulation)
{
	if (emulation->offset || !is_oldest(o, f, addr))
		return false;
	if (o->returns != f->image) {
		o->returns = f->image;
		o->spare = rt_spare_return(f->image);
	}
	emulation->op = RT_EMULATE_ELSEWHERE;
	emulation->offset = (int64_t)(o->spare - addr);
	return o->spare != 0;
}

/*
 * `together`: the function's other site is at the same place.  `by_ip`: programs name their site
 * by ip, so that none may change it before another one.
 */
static void read_site(struct others *others, const struct spot *s, bool together, bool by_ip,
		      bool returns, struct rt_emulation *v)
{
	const struct rt_attach_request *request = others->request;
	const struct rt_site *site = &request->sites[s->site];
	const struct rt_function *f = &request->functions->v[site->function];
	const struct rt_arch *arch = rt_image_arch(f->image);
	bool exit = site->kind == RT_SITE_EXIT;
	uint64_t addr = exit ? f->exits.v[site->exit].place.addr : f->addr + f->skip;
	struct rt_emulation emulation;
	uint8_t bytes[16];
	size_t n;

	if (!arch->emulation)
		return;
	n = rt_image_read(f->image, addr, bytes, sizeof(bytes));
	if (!arch->emulation(bytes, n, &emulation))
		return;
	if (emulation.op == RT_EMULATE_JUMP) {
		if (together || (!exit && !is_oldest(others, f, addr)))
			return;
	} else if (emulation.op != RT_EMULATE_RETURN) {
		if (exit || together ||
		    (writes_argument(f, &emulation) && !is_oldest(others, f, addr)))
			return;
	} else if (!exit || together || is_entry(f, addr)) {
		if (by_ip || !take_elsewhere(others, f, addr, &emulation))
			return;
	} else if (!returns) {
		return;
	}
	emulation.place = s->offset & RT_EMULATION_PLACE;
	v[s->site] = emulation;
}

/* A uretprobe has no program at its entry. */
static unsigned find_spots(const struct rt_attach_request *request, struct spot *spots)
{
	unsigned i, n = 0;

	for (i = 0; i < request->nsites; i++) {
		const struct rt_site *site = &request->sites[i];

		if (site->kind != RT_SITE_RETURN)
			spots[n++] = (struct spot){
				request->functions->v[site->function].image,
				rt_attach_place(request->functions, site), i
			};
	}
	qsort(spots, n, sizeof(*spots), compare_spots);
	return n;
}

/* Are the `n` spots at one place that of one site, or of an entry and an exit? */
static bool are_alone(const struct rt_attach_request *request, const struct spot *spots, unsigned n)
{
	return n == 1 || (n == 2 && (request->sites[spots[0].site].kind == RT_SITE_EXIT) !=
					    (request->sites[spots[1].site].kind == RT_SITE_EXIT));
}

static bool read_sites(const struct rt_attach_request *request, enum rt_key key, struct spot *spots,
		       struct rt_emulation *v)
{
	unsigned i, k, n = find_spots(request, spots), same;
	bool returns = may_return(request), found = false;
	struct others others = { .request = request };

	for (i = 0; i < request->nsites; i++)
		v[i] = nothing;
	for (i = 0; i < n; i += same) {
		for (same = 1; i + same < n && compare_spots(&spots[i], &spots[i + same]) == 0;)
			same++;
		for (k = i; k < i + same && are_alone(request, &spots[i], same); k++) {
			read_site(&others, &spots[k], same > 1, key != RT_KEY_ID, returns, v);
			found |= v[spots[k].site].op != RT_EMULATE_NOTHING;
		}
	}
	close_others(&others);
	return found;
}

/* Its index in the map (emit/emulation.h). */
static unsigned find_index(const struct rt_attach_request *request, enum rt_key key, unsigned i)
{
	const struct rt_site *site = &request->sites[i];
	unsigned half = site->kind == RT_SITE_EXIT ? RT_EMULATION_PLACES : 0;

	if (key == RT_KEY_ID)
		return i;
	return half + (rt_attach_place(request->functions, site) & RT_EMULATION_PLACE);
}

/* Fill the map's `table`; sites with one index and different instructions have none. */
static void fill_table(const struct rt_attach_request *request, enum rt_key key,
		       struct rt_emulation *v, struct rt_emulation *table)
{
	unsigned i;

	for (i = 0; i < request->nsites; i++)
		if (request->sites[i].kind != RT_SITE_RETURN)
			table[find_index(request, key, i)] = v[i];
	for (i = 0; i < request->nsites; i++) {
		struct rt_emulation *entry = &table[find_index(request, key, i)];

		if (request->sites[i].kind != RT_SITE_RETURN &&
		    memcmp(entry, &v[i], sizeof(*entry)) != 0)
			*entry = nothing;
	}
	for (i = 0; i < request->nsites; i++)
		if (request->sites[i].kind != RT_SITE_RETURN)
			v[i] = table[find_index(request, key, i)];
}

static int fill(int map, const struct rt_emulation *v, unsigned n)
{
	uint32_t i;
	int r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = rt_bpf_map_update(map, &i, &v[i]);
	return r;
}

static bool is_stepped(const struct rt_attach_request *request, const struct rt_site *site)
{
	const struct rt_function *f = &request->functions->v[site->function];
	uint8_t form = site->kind == RT_SITE_EXIT ? f->exits.v[site->exit].place.form : f->form;

	return site->kind != RT_SITE_RETURN && !(RT_FORM_BIT(form) & RT_FORMS_ASSUMED);
}

static bool are_stepped(const struct rt_attach_request *request)
{
	unsigned i;

	for (i = 0; i < request->nsites && !is_stepped(request, &request->sites[i]); i++)
		;
	return i < request->nsites;
}

static void mark(const struct rt_attach_request *request, const struct rt_emulation *v,
		 struct rt_emulations *emulations)
{
	unsigned i;

	for (i = 0; i < request->nsites; i++) {
		if (v[i].op == RT_EMULATE_NOTHING)
			continue;
		emulations->sites[i] = true;
		emulations->plans[request->sites[i].plan] = true;
	}
}

/* The map; a negative errno: there is nothing to emulate, or it cannot be made. */
static int open_map(const struct rt_attach_request *request, enum rt_key key,
		    struct rt_emulation *v)
{
	unsigned n = key == RT_KEY_ID ? request->nsites : 2 * RT_EMULATION_PLACES, i;
	struct rt_emulation *table = calloc(n, sizeof(*table));
	struct spot *spots = calloc(request->nsites, sizeof(*spots));
	int map = -ENOENT, r = 0;

	for (i = 0; table && i < n; i++)
		table[i] = nothing;
	if (table && spots && read_sites(request, key, spots, v)) {
		fill_table(request, key, v, table);
		map = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(*v), n, 0);
	}
	if (map >= 0)
		r = fill(map, table, n);
	if (r < 0) {
		close(map);
		map = r;
	}
	free(table);
	free(spots);
	return map;
}

struct rt_emulations rt_emulations_open(const struct rt_attach_request *request, enum rt_key key,
					int *map)
{
	struct rt_emulations emulations = { 0 };
	unsigned nsites = request->nsites;
	struct rt_emulation *v;

	*map = -1;
	if (!are_stepped(request) || rt_emulations_ask() < 0)
		return emulations;
	v = calloc(nsites, sizeof(*v));
	emulations.sites = calloc(nsites, sizeof(*emulations.sites));
	emulations.plans = calloc(request->nplans, sizeof(*emulations.plans));
	if (v && emulations.sites && emulations.plans)
		*map = open_map(request, key, v);
	if (*map >= 0) {
		mark(request, v, &emulations);
	} else {
		*map = -1;
		rt_emulations_close(&emulations);
	}
	free(v);
	return emulations;
}

void rt_emulations_close(struct rt_emulations *emulations)
{
	free(emulations->sites);
	free(emulations->plans);
	*emulations = (struct rt_emulations){ 0 };
}
