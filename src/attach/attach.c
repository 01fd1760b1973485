/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel refuses some probes without saying which: one refusal fails the attach of all.
 * Attaching halves finds them, and a glob then goes without them.
 *
 * A mechanism's open is the best test that it works, so the session tries them in order, and doctor
 * runs each on a child; there is no table of kernel features.
 */
#include "attach/attach.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kernel/pid_space.h"
#include "kernel/sys.h"

static const struct rt_attach_ops *const mechanisms[] = {
	&rt_attach_uprobe_multi, &rt_attach_multi_event, &rt_attach_pmu,
	&rt_attach_event,	 &rt_attach_tracefs,
};

const struct rt_attach_ops *rt_attach_at(unsigned i)
{
	return i < RT_COUNT(mechanisms) ? mechanisms[i] : NULL;
}

const char *rt_attach_name(unsigned i)
{
	return rt_attach_at(i) ? rt_attach_at(i)->name : NULL;
}

const struct rt_attach_ops *rt_attach_find(const char *name)
{
	unsigned i;

	for (i = 0; i < RT_COUNT(mechanisms); i++)
		if (strcmp(mechanisms[i]->name, name) == 0)
			return mechanisms[i];
	return NULL;
}

uint64_t rt_attach_place(const struct rt_functions *functions, const struct rt_site *site)
{
	const struct rt_function *f = &functions->v[site->function];

	return site->kind == RT_SITE_EXIT ? f->exits.v[site->exit].offset : rt_function_place(f);
}

uint32_t rt_attach_owner(const struct rt_functions *functions, const struct rt_site *site)
{
	const struct rt_exits *exits = &functions->v[site->function].exits;

	return site->kind == RT_SITE_EXIT && exits->v[site->exit].shared ? RT_OPEN_JUMPED
									 : site->function;
}

bool rt_attach_leaves_out(const struct rt_attach_request *request, unsigned id)
{
	const struct rt_site *site = &request->sites[id];
	const struct rt_function *f = &request->functions->v[site->function];

	return f->image != request->program && (f->role || site->kind == RT_SITE_RETURN);
}

struct rt_layout rt_attach_layout(const struct rt_attach_request *request, enum rt_key key)
{
	return (struct rt_layout){ .key = key, .tgid = request->reach != RT_REACH_PROCESSES };
}

bool rt_attach_stopped(const struct rt_attach_request *request)
{
	return request->stop && request->stop(request->stop_ctx);
}

static bool has_uretprobe(const struct rt_attach_request *request)
{
	unsigned i;

	for (i = 0; i < request->nsites && request->sites[i].kind != RT_SITE_RETURN; i++)
		;
	return i < request->nsites;
}

/*
 * Programs that hold calls back are the largest of ours; where the verifier does not follow them,
 * all is sent.
 */
static int open_by(const struct rt_attach_ops *ops, const struct rt_attach_request *request,
		   struct rt_attach **attach, struct rt_error *err)
{
	struct rt_attach_request all = *request;
	int r;

	if (!(ops->reaches & 1u << request->reach))
		return rt_fail(err, -EOPNOTSUPP, "%s: does not follow children", ops->name);
	if (request->reach == RT_REACH_FOLLOWED && request->gate)
		return rt_fail(err, -EOPNOTSUPP,
			       "only root's children are followed by a list");
	if (rt_reach_is_open(request->reach) && has_uretprobe(request))
		return rt_fail(err, -EPERM,
			       "%s: a uretprobe could harm processes that nobody has judged",
			       ops->name);
	if (request->nplans > ops->plans && request->most_plans > ops->plans)
		return rt_fail(err, -EDOM, "%s: %u plans; at most %u", ops->name,
			       request->nplans, ops->plans);
	r = ops->open(request, attach, err);
	if ((r == -EINVAL || r == -E2BIG || r == -ENOSPC || r == -EACCES) &&
	    (request->limit.min_time || request->limit.ends || request->limit.why)) {
		all.limit.min_time = 0;
		all.limit.ends = all.limit.why = false;
		r = ops->open(&all, attach, err);
	}
	if (r == 0)
		(*attach)->reach = request->reach;
	return r;
}

static const char *way_name(enum rt_reach reach)
{
	return reach == RT_REACH_CHILDREN   ? ", children by inheritance"
	       : reach == RT_REACH_FOLLOWED ? ", children by a list"
					    : "";
}

/*
 * The first that the kernel has, of those that can be asked for `reach` and do what `bpf` says.
 * Why others were passed over goes to `why`, the last reason to `err`.
 */
static int open_first(const struct rt_attach_request *request, enum rt_reach reach, bool bpf,
		      FILE *why, struct rt_attach **attach, struct rt_error *err)
{
	struct rt_attach_request by = *request;
	unsigned i;
	int r = -EOPNOTSUPP;

	by.reach = reach;
	for (i = 0; i < RT_COUNT(mechanisms) && r == -EOPNOTSUPP; i++) {
		const struct rt_attach_ops *ops = mechanisms[i];

		if (ops->bpf != bpf || !(ops->reaches & 1u << reach) ||
		    (request->here_only && (ops->everywhere || reach == RT_REACH_FOLLOWED)) ||
		    (request->gate && !bpf))
			continue;
		/* Counts by address do not say which process they are of. */
		if (reach == RT_REACH_ALL && ops->key == RT_KEY_IP &&
		    request->purpose != RT_PURPOSE_RECORD)
			continue;
		r = open_by(ops, &by, attach, err);
		if (r == -EOPNOTSUPP && why)
			fprintf(why, "rawtrace: attach %s%s: %s\n", ops->name, way_name(reach),
				err->text);
	}
	return r;
}

/* By the mechanism `forced`; by NULL any. */
static int open_reach(const struct rt_attach_request *request, const struct rt_attach_ops *forced,
		      enum rt_reach reach, bool bpf, FILE *why, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct rt_attach_request by = *request;

	by.reach = reach;
	return forced ? open_by(forced, &by, attach, err)
		      : open_first(request, reach, bpf, why, attach, err);
}

/*
 * The kernel has no way to follow children (before 4.7): record every process, for the reader to
 * pick out those that it knows by their fork events.  Counts in the kernel would be of all.
 */
static int open_unfiltered(const struct rt_attach_request *request,
			   const struct rt_attach_ops *forced, FILE *why, struct rt_attach **attach,
			   struct rt_error *err)
{
	struct rt_attach_request by = *request;
	int r;

	if (request->gate || request->here_only || has_uretprobe(request) ||
	    rt_pid_space_own().ino)
		return -EOPNOTSUPP;
	by.purpose = RT_PURPOSE_RECORD;
	r = open_reach(&by, forced, RT_REACH_ALL, true, why, attach, err);
	if (r == 0)
		(*attach)->unfiltered = true;
	return r;
}

int rt_attach_open(const struct rt_attach_request *request, const struct rt_attach_ops *forced,
		   bool no_bpf, FILE *why, struct rt_attach **attach, struct rt_error *err)
{
	struct rt_error reason = { .text = "none can do this" }, by_bpf = { .text = "" };
	bool children = request->reach == RT_REACH_FOLLOWED;
	bool follows = children || request->reach == RT_REACH_CHILDREN;
	int r = -EOPNOTSUPP;

	/* Strangers pay least by the first way, and most by the last. */
	if (forced ? forced->bpf : !no_bpf) {
		r = open_reach(request, forced, request->reach, true, why, attach, &reason);
		if (r == -EOPNOTSUPP && request->reach == RT_REACH_CHILDREN &&
		    !has_uretprobe(request))
			r = open_reach(request, forced, RT_REACH_FOLLOWED, true, why, attach,
				       &reason);
		by_bpf = reason;
		if (r == -EOPNOTSUPP && follows)
			r = open_unfiltered(request, forced, why, attach, &reason);
	}
	if (r == -EOPNOTSUPP && (!forced || !forced->bpf))
		r = open_reach(request, forced, children ? RT_REACH_CHILDREN : request->reach,
			       false, why, attach, &reason);
	if (r == -EOPNOTSUPP && forced)
		return rt_fail(err, r, "--attach=%s does not work here: %s", forced->name,
			       reason.text);
	if (r == -EOPNOTSUPP && request->reach == RT_REACH_ALL)
		return rt_fail(err, r,
			       "every process: only BPF for uprobes names processes, and it is not "
			       "here; try: -p PID");
	/* It says more than why tracefs does not work. */
	if (r == -EOPNOTSUPP && follows && *by_bpf.text)
		return rt_fail(err, r, "-f does not work here: %s; see: rawtrace doctor",
			       by_bpf.text);
	if (r == -EOPNOTSUPP)
		return rt_fail(
			err, r,
			"no attach mechanism works here (the last: %s); see: rawtrace doctor",
			reason.text);
	if (r < 0 && err)
		*err = reason;
	return r;
}

unsigned rt_attach_plans(const struct rt_attach_ops *forced, bool no_bpf)
{
	return forced ? forced->plans : no_bpf ? rt_attach_tracefs.plans : rt_attach_at(0)->plans;
}

/* More than these are no few odd functions: the kernel means something else. */
enum { REFUSED_MAX = 64 };

struct search {
	const struct rt_attach_request *request;
	const struct rt_attach_ops *forced;
	bool no_bpf;
	uint32_t *functions;	/* those that have probes */
	bool *in;		/* by function: in the part that is tried */
	struct rt_site *sites;
	bool *bad;
	unsigned found;
	struct rt_error *err;
};

bool rt_attach_is_refusal(const struct rt_attach_request *request, int r)
{
	if (r >= 0)
		return false;
	if (r == -EINVAL)
		return request->program && rt_image_arch(request->program)->refuses_by_einval;
	return rt_probe_refused(-r);
}

/* Attach the probes of `n` functions, and take them out. */
static int try_part(const struct search *s, size_t first, size_t n)
{
	struct rt_attach_request part = *s->request;
	struct rt_attach *attach;
	size_t i;
	int r;

	for (i = first; i < first + n; i++)
		s->in[s->functions[i]] = true;
	part.sites = s->sites;
	part.nsites = 0;
	for (i = 0; i < s->request->nsites; i++)
		if (s->in[s->request->sites[i].function])
			s->sites[part.nsites++] = s->request->sites[i];
	for (i = first; i < first + n; i++)
		s->in[s->functions[i]] = false;
	r = rt_attach_open(&part, s->forced, s->no_bpf, NULL, &attach, s->err);
	if (r == 0)
		attach->ops->close(attach);
	return r;
}

/*
 * `surely`: there must be one among them, as the kernel has taken the rest of those that it
 * refused.
 */
static int search(struct search *s, size_t first, size_t n, bool surely)
{
	unsigned before = s->found;
	int r = 0;

	if (!surely || n == 1) {
		r = try_part(s, first, n);
		if (!rt_attach_is_refusal(s->request, r))
			return r;
	}
	if (n == 1) {
		const struct rt_function *f = &s->request->functions->v[s->functions[first]];

		if (f->named || ++s->found > REFUSED_MAX)
			return rt_fail(s->err, r, "%s: %s", f->name, rt_probe_strerror(-r));
		s->bad[s->functions[first]] = true;
		return 0;
	}
	r = search(s, first, n / 2, false);
	return r < 0 ? r : search(s, first + n / 2, n - n / 2, s->found == before);
}

/* The functions that have probes, each once; their number. */
static size_t list_functions(struct search *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->request->nsites; i++) {
		uint32_t function = s->request->sites[i].function;

		if (!s->in[function])
			s->functions[n++] = function;
		s->in[function] = true;
	}
	for (i = 0; i < n; i++)
		s->in[s->functions[i]] = false;
	return n;
}

int rt_attach_find_refused(const struct rt_attach_request *request,
			   const struct rt_attach_ops *forced, bool no_bpf, bool *bad,
			   struct rt_error *err)
{
	struct rt_error why = { 0 };
	struct search s = {
		.request = request,
		.forced = forced,
		.no_bpf = no_bpf,
		.bad = bad,
		.err = &why,
		.functions = calloc(request->functions->n, sizeof(*s.functions)),
		.in = calloc(request->functions->n, sizeof(*s.in)),
		.sites = calloc(request->nsites, sizeof(*s.sites)),
	};
	size_t n;
	int r = -ENOMEM;

	if (s.functions && s.in && s.sites) {
		n = list_functions(&s);
		r = n ? search(&s, 0, n, true) : 0;
		if (r < 0 && err)
			*err = why;
	} else {
		rt_nomem(err);
	}
	free(s.functions);
	free(s.in);
	free(s.sites);
	return r;
}
