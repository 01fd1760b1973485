/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closing a link waits for RCU (45 ms), but not in turn with others: rt_close_together closes
 * 31 of them in 0.2 s instead of 1.4.
 *
 * The first link after a while waits for RCU too, 10 to 20 ms (percpu_down_write in
 * register_for_each_vma()).  A program takes 0.13 ms to load, and a kind of probe has a program, so
 * the 531 USDT probes of libjvm have 128.  These are loaded while the first link waits.
 */
/*
 * BPF_LINK_CREATE with BPF_TRACE_UPROBE_MULTI (6.6): one link for thousands of probes, each known
 * by its cookie.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/bpf_side.h"
#include "emit/bpf.h"
#include "kernel/pins.h"
#include "kernel/sys.h"
#include "base/array.h"

struct multi {
	struct rt_attach attach;
	struct rt_bpf_side side;
	int *links;
	pid_t *pids;			/* the processes' pids; 0: everybody's */
	size_t nlinks, cap, pids_cap;
};

/* A probe of one plan, to be sorted by its file. */
struct member {
	struct rt_image *image;
	uint32_t probe;
};

/* One link, or one for each process: all probes of one plan in one file. */
struct batch {
	struct member *members;
	uint64_t *offsets, *cookies, *semaphores;
	bool armed;			/* some site has a semaphore */
	uint32_t n;
	struct rt_image *image;
};

static uint64_t ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/*
 * A kernel that has uprobe_multi says EBADF to a path that is no regular file, an older one EINVAL
 * to anything.
 */
static bool is_supported(int prog)
{
	static const uint64_t offset = 1;
	struct rt_bpf_link_attr attr = {
		.prog_fd = (uint32_t)prog, .attach_type = RT_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = { .path = ptr("/"), .offsets = ptr(&offset), .cnt = 1 },
	};

	return rt_bpf_link_create(&attr) == -EBADF;
}

/*
 * All functions may be those of libraries that are loaded later, which take the mechanism of the
 * beginning: no link tells then whether the kernel has it.
 */
static bool has_links(void)
{
	struct rt_bpf bpf;
	bool has = false;
	int prog;

	rt_bpf_init(&bpf);
	rt_bpf_mov_imm(&bpf, 0, 0);
	rt_bpf_exit(&bpf);
	prog = rt_bpf_finish(&bpf, NULL, NULL);
	if (prog == 0)
		prog = rt_bpf_prog_load(bpf.insns, bpf.n, RT_BPF_TRACE_UPROBE_MULTI, NULL, 0);
	rt_bpf_free(&bpf);
	if (prog >= 0) {
		has = is_supported(prog);
		close(prog);
	}
	return has;
}

static int no_links(struct rt_error *err)
{
	return rt_fail(err, -EOPNOTSUPP, "the kernel has no uprobe_multi links (before 6.6)");
}

/* So many programs are loaded in less time than a process takes to begin. */
enum { BESIDE_FROM = 16 };

/* The first link, which is made beside the loading of programs. */
struct first {
	struct rt_beside beside;
	struct rt_bpf_link_attr attr;
	char path[64];
	int link;			/* 0: not made, or taken; a negative errno */
};

static int make_first(void *arg)
{
	struct first *first = arg;

	first->link = rt_bpf_link_create(&first->attr);
	return 0;
}

/* `path` has room for 64 characters and stays as long as `attr`, as do the batch and its arrays. */
static void fill_attr(struct rt_bpf_link_attr *attr, char *path, pid_t pid, int prog,
		      const struct batch *b, bool uretprobes)
{
	snprintf(path, 64, "/proc/self/fd/%d", rt_image_fd(b->image));
	*attr = (struct rt_bpf_link_attr){
		.prog_fd = (uint32_t)prog, .attach_type = RT_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = {
			.path = ptr(path),
			.offsets = ptr(b->offsets),
			.cookies = ptr(b->cookies),
			.ref_ctr_offsets = b->armed ? ptr(b->semaphores) : 0,
			.cnt = b->n,
			.flags = uretprobes ? RT_BPF_F_UPROBE_MULTI_RETURN : 0,
			.pid = (uint32_t)pid,
		},
	};
}

static int link_batch(struct multi *m, struct first *first, pid_t pid, int prog,
		      const struct batch *b, bool uretprobes, struct rt_error *err)
{
	struct rt_bpf_link_attr attr;
	char path[64];
	int r;

	if (RT_ROOM(&m->links, m->nlinks, &m->cap) != 0 ||
	    RT_ROOM(&m->pids, m->nlinks, &m->pids_cap) != 0)
		return rt_nomem(err);
	fill_attr(&attr, path, pid, prog, b, uretprobes);
	r = first->link > 0 ? first->link : rt_bpf_link_create(&attr);
	first->link = 0;
	if (r == -EINVAL && !is_supported(prog))
		return no_links(err);
	if (r < 0)
		return rt_fail(err, r, "%s: attaching %u probes (uprobe_multi): %s",
			       rt_image_name(b->image), b->n, rt_probe_strerror(-r));
	m->pids[m->nlinks] = pid;
	m->links[m->nlinks++] = r;
	return 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->image != y->image)
		return (uintptr_t)x->image < (uintptr_t)y->image ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

/* The plan's probes, file by file; their number. */
static uint32_t sort_by_file(const struct rt_attach_request *request, uint16_t plan,
			     struct member *v)
{
	uint32_t i, n = 0;

	for (i = request->first_site; i < request->nsites; i++)
		if (request->sites[i].plan == plan)
			v[n++] = (struct member){
				request->functions->v[request->sites[i].function].image, i
			};
	qsort(v, n, sizeof(*v), compare_members);
	return n;
}

/*
 * The cookie, which programs take as rt_bpf_program.key; its upper half is the function, for
 * programs that filter, or of those that do not record, and emulate, the probe.
 */
static uint64_t cookie(const struct rt_attach_request *request, unsigned probe, bool emulates)
{
	const struct rt_site *p = &request->sites[probe];

	if (request->purpose != RT_PURPOSE_RECORD)
		return (emulates ? (uint64_t)probe << 32 : 0) | p->function;
	return (uint64_t)rt_attach_owner(request->functions, p) << 32 | probe;
}

static int load_plan(struct multi *m, const struct rt_attach_request *request, uint16_t plan,
		     struct batch *b, struct rt_error *err)
{
	uint32_t n = sort_by_file(request, plan, b->members),
		 only = n == 1 ? b->members[0].probe : 0;
	int prog;

	/* The program of a plan's only probe need not ask for the cookie, 30 ns. */
	prog = rt_bpf_side_load(&m->side, request, plan, n == 1 ? RT_KEY_CONSTANT : RT_KEY_COOKIE,
				only, RT_BPF_TRACE_UPROBE_MULTI, err);
	if (prog == -E2BIG || prog == -EINVAL)
		return rt_fail(err, -EOPNOTSUPP, "the kernel has no BPF cookies (before 5.15)");
	return prog;
}

/* The probes of one file, from member `i` of `n`; returns the first member of the next file. */
static uint32_t fill_batch(const struct multi *m, const struct rt_attach_request *request,
			   uint16_t plan, struct batch *b, uint32_t i, uint32_t n)
{
	bool emulates = m->side.emulations.plans && m->side.emulations.plans[plan];

	b->image = b->members[i].image;
	b->armed = false;
	for (b->n = 0; i < n && b->members[i].image == b->image; i++, b->n++) {
		uint32_t id = b->members[i].probe;

		b->offsets[b->n] = rt_attach_place(request->functions, &request->sites[id]);
		b->cookies[b->n] = cookie(request, id, emulates);
		b->semaphores[b->n] = rt_site_semaphore(&request->sites[id]);
		b->armed |= b->semaphores[b->n] != 0;
	}
	return i;
}

static void begin_first(const struct multi *m, struct first *first,
			const struct rt_attach_request *request, uint16_t plan, int prog,
			struct batch *b)
{
	uint32_t n = sort_by_file(request, plan, b->members);
	bool open = rt_reach_is_open(request->reach);

	if (!n || request->nplans < BESIDE_FROM)
		return;
	fill_batch(m, request, plan, b, 0, n);
	fill_attr(&first->attr, first->path, open ? 0 : rt_pids_first(request->pids), prog, b,
		  !open && rt_plan_is_uretprobe(&request->plans[plan]));
	rt_beside_start(&first->beside, make_first, first);
}

/* Every file's probes of one plan, a link each.  `b` has room for all probes. */
static int link_plan(struct multi *m, struct first *first, const struct rt_attach_request *request,
		     uint16_t plan, int prog, struct batch *b, struct rt_error *err)
{
	uint32_t i, k, n = sort_by_file(request, plan, b->members);
	int r = 0;

	for (i = 0; i < n && r == 0;) {
		i = fill_batch(m, request, plan, b, i, n);
		if (rt_reach_is_open(request->reach))
			r = link_batch(m, first, 0, prog, b, false, err);
		for (k = 0; !rt_reach_is_open(request->reach) && k < request->pids->n && r == 0;
		     k++)
			r = link_batch(m, first, request->pids->v[k], prog, b,
				       rt_plan_is_uretprobe(&request->plans[plan]), err);
	}
	return r;
}

static void multi_detach(struct rt_attach *attach)
{
	struct multi *m = (struct multi *)attach;

	rt_close_together(m->links, m->nlinks);
	m->nlinks = 0;
}

static void multi_leave(struct rt_attach *attach, const struct rt_pins *pins)
{
	struct multi *m = (struct multi *)attach;
	size_t i, n = 0;

	for (i = 0; i < m->nlinks; i++)
		if (rt_pins_add(pins, m->links[i]))
			close(m->links[i]);
		else
			m->links[n++] = m->links[i];
	m->nlinks = n;
}

static void multi_close(struct rt_attach *attach)
{
	struct multi *m = (struct multi *)attach;

	multi_detach(attach);
	if (attach->source)
		attach->source->ops->close(attach->source);
	rt_bpf_side_close(&m->side);
	free(m->links);
	free(m->pids);
	free(m);
}

static bool is_used(const struct rt_attach_request *request, unsigned plan)
{
	unsigned i;

	for (i = request->first_site; i < request->nsites; i++)
		if (request->sites[i].plan == plan)
			return true;
	return false;
}

/* The plans, those of returns first; their number. */
static unsigned order_plans(const struct rt_attach_request *request, uint16_t *order)
{
	unsigned plan, n = 0;
	int kind;

	if (request->first_site) {
		for (plan = 0; plan < request->nplans; plan++)
			if (is_used(request, plan))
				order[n++] = (uint16_t)plan;
		return n;
	}
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY; kind--)
		for (plan = 0; plan < request->nplans; plan++)
			if ((int)request->plans[plan].kind == kind)
				order[n++] = (uint16_t)plan;
	return n;
}

static int link_plans(struct multi *m, const struct rt_attach_request *request, struct batch *b,
		      uint16_t *order, int *progs, struct rt_error *err)
{
	unsigned i, loaded, n = order_plans(request, order);
	struct first first = { .link = 0 };
	int r = 0;

	for (loaded = 0; loaded < n && r >= 0; loaded += r >= 0) {
		progs[loaded] = r = load_plan(m, request, order[loaded], b, err);
		if (r >= 0 && !loaded)
			begin_first(m, &first, request, order[0], r, b);
	}
	rt_beside_end(&first.beside);
	for (i = 0; i < n && r >= 0; i++)
		r = link_plan(m, &first, request, order[i], progs[i], b, err);
	if (first.link > 0)
		close(first.link);
	while (loaded)
		close(progs[--loaded]);
	return r < 0 ? r : 0;
}

static int link_all(struct multi *m, const struct rt_attach_request *request, struct rt_error *err)
{
	struct batch b = { 0 };
	uint16_t *order = calloc(request->nplans + 1, sizeof(*order));
	int *progs = calloc(request->nplans + 1, sizeof(*progs));
	int r;

	b.members = calloc(request->nsites + 1, sizeof(*b.members));
	b.offsets = calloc(request->nsites + 1, sizeof(*b.offsets));
	b.cookies = calloc(request->nsites + 1, sizeof(*b.cookies));
	b.semaphores = calloc(request->nsites + 1, sizeof(*b.semaphores));
	if (order && progs && b.members && b.offsets && b.cookies && b.semaphores)
		r = link_plans(m, request, &b, order, progs, err);
	else
		r = rt_nomem(err);
	free(order);
	free(progs);
	free(b.members);
	free(b.offsets);
	free(b.cookies);
	free(b.semaphores);
	return r;
}

/*
 * The kernel looks for the process by its first thread's memory when code is mapped, and at a hit
 * by what all threads of it share.  So what is in stays when that thread ends, and would be
 * reported twice beside new links.
 */
static int multi_add(struct rt_attach *attach, const struct rt_attach_request *request,
		     enum rt_add_reason why, pid_t tid, struct rt_error *err)
{
	struct multi *m = (struct multi *)attach;
	size_t i, n = 0, old = 0;
	int *gone = calloc(m->nlinks, sizeof(*gone));

	(void)why;
	if (!gone)
		return rt_nomem(err);
	for (i = 0; i < m->nlinks; i++) {
		if (m->pids[i] == tid) {
			gone[old++] = m->links[i];
			continue;
		}
		m->pids[n] = m->pids[i];
		m->links[n++] = m->links[i];
	}
	m->nlinks = n;
	rt_close_together(gone, old);
	free(gone);
	return link_all(m, request, err);
}

/* Instructions that the first programs emulate are listed by probe, without these. */
static int multi_extend(struct rt_attach *attach, const struct rt_attach_request *request,
			struct rt_error *err)
{
	struct multi *m = (struct multi *)attach;
	struct rt_emulations emulations = m->side.emulations;
	int r = rt_bpf_side_extend(&m->side, request, err);

	m->side.emulations = (struct rt_emulations){ 0 };
	if (r == 0)
		r = link_all(m, request, err);
	m->side.emulations = emulations;
	return r;
}

static int multi_open(const struct rt_attach_request *request, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct multi *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return rt_nomem(err);
	m->attach.ops = &rt_attach_uprobe_multi;
	m->attach.arms = true;
	r = rt_bpf_side_open(&m->side, request, RT_KEY_ID, &m->attach.source, err);
	if (r < 0) {
		free(m);
		return r;
	}
	if (request->reach == RT_REACH_FOLLOWED)
		m->attach.followed = &m->side.followed;
	m->attach.unread = &m->side.maps[RT_MAP_UNREAD];
	m->attach.strangers = &m->side.maps[RT_MAP_STRANGERS];
	m->attach.emulated = m->side.emulations.sites;
	m->attach.pending = rt_pending_any(&m->side.pending) ? &m->side.pending : NULL;
	m->attach.counts = request->purpose == RT_PURPOSE_RECORD ? NULL : &m->side.counts;
	r = request->nsites || has_links() ? link_all(m, request, err) : no_links(err);
	if (r < 0)
		multi_close(&m->attach);
	else
		*attach = &m->attach;
	return r;
}

const struct rt_attach_ops rt_attach_uprobe_multi = {
	.name = "uprobe-multi",
	.help = "one BPF link for all probes (6.6)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_ID,
	.plans = RT_PLANS_LINKS,
	.open = multi_open,
	.add = multi_add,
	.extend = multi_extend,
	.add_from = RT_ADD_EXEC,
	.detach = multi_detach,
	.leave = multi_leave,
	.close = multi_close,
};
