/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closing a link waits for RCU (45 ms), but not in turn with others: rt_close_together closes
 * 31 of them in 0.2 s instead of 1.4.
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
#include "kernel/sys.h"
#include "base/array.h"

struct multi {
	struct rt_attach attach;
	struct rt_bpf_side side;
	int *links;
	pid_t *pids;			/* whose those are; 0: everybody's */
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
static bool supported(int prog)
{
	static const uint64_t offset = 1;
	struct rt_bpf_link_attr attr = {
		.prog_fd = (uint32_t)prog, .attach_type = RT_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = { .path = ptr("/"), .offsets = ptr(&offset), .cnt = 1 },
	};

	return rt_bpf_link_create(&attr) == -EBADF;
}

static int link_batch(struct multi *m, pid_t pid, int prog, const struct batch *b, bool uretprobes,
		      struct rt_error *err)
{
	char path[64] = "";
	struct rt_bpf_link_attr attr = {
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
	int r;

	if (RT_ROOM(&m->links, m->nlinks, &m->cap) != 0 ||
	    RT_ROOM(&m->pids, m->nlinks, &m->pids_cap) != 0)
		return rt_nomem(err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(b->image));
	r = rt_bpf_link_create(&attr);
	if (r == -EINVAL && !supported(prog))
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel has no uprobe_multi links (before 6.6)");
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

	for (i = 0; i < request->nsites; i++)
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

/* Every file's probes of one plan, a link each.  `b` has room for all probes. */
static int link_plan(struct multi *m, const struct rt_attach_request *request, uint16_t plan,
		     struct batch *b, struct rt_error *err)
{
	uint32_t i, k, n = sort_by_file(request, plan, b->members),
		       only = n == 1 ? b->members[0].probe : 0;
	bool emulates = m->side.emulates && m->side.emulates[plan];
	int prog, r = 0;

	/* The program of a plan's only probe need not ask for the cookie, 30 ns. */
	prog = rt_bpf_side_load(&m->side, request, plan, n == 1 ? RT_KEY_CONSTANT : RT_KEY_COOKIE,
				only, RT_BPF_TRACE_UPROBE_MULTI, err);
	if (prog == -E2BIG || prog == -EINVAL)
		return rt_fail(err, -EOPNOTSUPP, "the kernel has no BPF cookies (before 5.15)");
	if (prog < 0)
		return prog;
	for (i = 0; i < n && r == 0;) {
		b->image = b->members[i].image;
		b->armed = false;
		for (b->n = 0; i < n && b->members[i].image == b->image; i++, b->n++) {
			uint32_t id = b->members[i].probe;

			b->offsets[b->n] = rt_attach_place(request->functions, &request->sites[id]);
			b->cookies[b->n] = cookie(request, id, emulates);
			b->semaphores[b->n] = rt_site_semaphore(&request->sites[id]);
			b->armed |= b->semaphores[b->n] != 0;
		}
		if (rt_reach_is_open(request->reach))
			r = link_batch(m, 0, prog, b, false, err);
		for (k = 0; !rt_reach_is_open(request->reach) && k < request->pids->n && r == 0;
		     k++)
			r = link_batch(m, request->pids->v[k], prog, b,
				       rt_plan_is_uretprobe(&request->plans[plan]), err);
	}
	close(prog);
	return r;
}

static void multi_detach(struct rt_attach *attach)
{
	struct multi *m = (struct multi *)attach;

	rt_close_together(m->links, m->nlinks);
	m->nlinks = 0;
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

static int link_all(struct multi *m, const struct rt_attach_request *request, struct rt_error *err)
{
	struct batch b = { 0 };
	int kind, r = 0;
	unsigned plan;

	b.members = calloc(request->nsites, sizeof(*b.members));
	b.offsets = calloc(request->nsites, sizeof(*b.offsets));
	b.cookies = calloc(request->nsites, sizeof(*b.cookies));
	b.semaphores = calloc(request->nsites, sizeof(*b.semaphores));
	if (!b.members || !b.offsets || !b.cookies || !b.semaphores)
		r = rt_nomem(err);
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (plan = 0; plan < request->nplans && r == 0; plan++)
			if ((int)request->plans[plan].kind == kind)
				r = link_plan(m, request, (uint16_t)plan, &b, err);
	free(b.members);
	free(b.offsets);
	free(b.cookies);
	free(b.semaphores);
	return r;
}

/*
 * The kernel looks for the process by its first thread's memory when code is mapped, and at a hit
 * by what all threads of it share.  So what is in stays when that thread ends, and would be told
 * twice beside new links.
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
	m->attach.nemulated = m->side.nemulated;
	m->attach.emulated = m->side.nemulated ? RT_FORM_BIT(RT_FORM_RET) : 0;
	m->attach.pending = m->side.pending.size ? &m->side.pending : NULL;
	m->attach.counts = request->purpose == RT_PURPOSE_RECORD ? NULL : &m->side.counts;
	r = link_all(m, request, err);
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
	.add_from = RT_ADD_EXEC,
	.detach = multi_detach,
	.close = multi_close,
};
