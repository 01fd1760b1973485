/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that come while the trace runs, and their probes.
 *
 * A process maps a file (RT_EV_MMAP: dlopen, or exec with -f).  If an awaited specification means
 * it (plan/awaited.h), its functions get an attachment of their own, by the mechanism of the trace,
 * with rings of its own.  The merge has these rings beside the others; numbers of functions, plans
 * and probes are changed to those of the whole trace as events come in.  So no mechanism has to
 * know that a trace can grow, and an attachment that fails leaves the trace as it was.
 *
 * The reader learns of a mapping some milliseconds later, and attaching takes 20 to 100 ms.  Calls
 * in between are not seen; a remark says how long that was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "attach/calibrate.h"
#include "kernel/sys.h"
#include "plan/awaited.h"
#include "plan/place.h"
#include "plan/tails.h"
#include "session/session_private.h"
#include "stream/members.h"

/*
 * Each takes a ring for each CPU.  The first few have as large ones as the trace: libjvm comes by
 * dlopen, and java -XX:+ExtendedDTraceProbes fills 64 kB faster than the reader wakes up.
 */
enum { ATTACHMENTS_MOST = 64, ATTACHMENTS_LARGE = 4, RING_BYTES = 64 << 10 };

/* A file that came, with its probes. */
struct later {
	struct rt_sites sites;
	struct rt_sites replaced;	/* what the trace's arrays were before */
	struct rt_attach_request request;
	struct rt_attach *attach;
	bool appended;
	/* the numbers of its first function, plan and probe in the trace; its first ring */
	uint32_t function, site;
	unsigned plan, ring;
	struct rt_count_list counts;
};

struct rt_arrivals {
	struct session *session;
	struct later *v[ATTACHMENTS_MOST];
	unsigned n;
	unsigned rings;			/* of all attachments */
	struct rt_seen seen;		/* files that were looked at */
	/* processes, of all that run, that mapped something since the last look */
	struct rt_members mapped;
	uint64_t since;			/* when the first of them did */
	bool full;			/* a remark said that there are too many */
};

bool rt_session_awaits(const struct session *s)
{
	return s->wanted.nawaited > 0;
}

/*
 * -f: the file of PROGRAM:FUNCTION, or of a USDT probe, was not found, so its first calls come
 * before its probes.
 */
static int report_not_found(struct session *s, const struct rt_awaited *a)
{
	const struct rt_spec *spec = a->spec;
	char text[600], probe[200] = "";

	if (!s->options->follow || !a->needed || a->set ||
	    (spec->lib && rt_program_is_glob(spec->lib)))
		return 0;
	if (spec->provider || a->probe)
		snprintf(probe, sizeof(probe), "FILE:usdt:%.80s:%.80s",
			 spec->provider ? spec->provider : spec->lib, spec->function);
	if (!spec->lib)
		snprintf(text, sizeof(text), "%.80s:%.80s: first hits may be missed; try %s",
			 spec->provider, spec->function, probe);
	else
		snprintf(text, sizeof(text),
			 "%.100s: no such program or library: first calls may be missed; "
			 "%s%.80s%s%s%s%s",
			 spec->lib, a->near ? "did you mean '" : "try its path",
			 a->near ? a->near : "", a->near ? "'" : "", *probe ? " or " : "", probe,
			 a->near ? "?" : "");
	return rt_session_note(s, text);
}

/* The same of a set: one remark. */
static int report_set_not_found(struct session *s, const struct rt_awaited *a)
{
	char text[300];

	if (!s->options->follow || !a->needed)
		return 0;
	snprintf(text, sizeof(text),
		 "@%.60s: no function of it is in %.60s: first calls in children may be missed",
		 a->set, rt_image_name(rt_program_executable(&s->traced.program)));
	return rt_session_note(s, text);
}

/* One instance a process (kernel/owner.h), and nothing that tells of mappings. */
static int report_not_awaited(struct session *s, const struct rt_awaited *a)
{
	const char *name = a->libraries	  ? a->libraries
			   : a->set	  ? a->set
			   : a->spec->lib ? a->spec->lib
					  : "a library that is loaded later";
	char text[300];

	if (!a->needed)
		return 0;
	snprintf(text, sizeof(text), "%s%.100s: not found; without BPF, give its path",
		 a->set && !a->libraries ? "@" : "", name);
	return rt_session_note(s, text);
}

int rt_session_begin_awaited(struct session *s)
{
	const struct rt_awaited *a = s->wanted.awaited, *last = NULL;
	size_t i;
	unsigned k;
	int r = 0;

	for (i = 0; i < s->wanted.nawaited && r == 0; last = &a[i++])
		if (last && a[i].set && a[i].set == last->set && a[i].libraries == last->libraries)
			continue;
		else if (!s->attach->ops->bpf)
			r = report_not_awaited(s, &a[i]);
		else
			r = a[i].set ? report_set_not_found(s, &a[i]) : report_not_found(s, &a[i]);
	if (r < 0 || !rt_session_awaits(s) || !s->attach->ops->bpf)
		return r;
	s->arrivals = calloc(1, sizeof(*s->arrivals));
	if (!s->arrivals)
		return -ENOMEM;
	s->arrivals->session = s;
	s->arrivals->rings = s->attach->source->ops->nfds(s->attach->source);
	/* With -p, what is mapped by now may have come since the program was read. */
	s->arrivals->since = rt_now();
	for (k = 0; !s->tracee.ours && k < s->tracee.pids.n && r == 0; k++)
		r = rt_members_add(&s->arrivals->mapped, s->tracee.pids.v[k]);
	return r;
}

int rt_session_mapped(struct session *s, const struct rt_event *event)
{
	struct rt_members *mapped = &s->arrivals->mapped;

	/* Other processes' mappings come too.  With -f, the fork event may be read later. */
	if (!s->options->follow && !rt_pids_has(&s->tracee.pids, event->pid))
		return 0;
	if (!mapped->n)
		s->arrivals->since = event->time;
	return rt_members_add(mapped, event->pid);
}

/* ---- the events of their rings ---- */

struct in {
	struct session *session;
	const struct later *later;
};

/* The numbers of an event's probe and plan are those of its attachment. */
static int push(void *ctx, const struct rt_event *event)
{
	const struct in *in = ctx;
	struct rt_event e = *event;

	if (e.type == RT_EV_LOST)
		return rt_merge_push(in->session->into, in->session->ring, &e);
	/* The trace's own rings have all events of processes. */
	if (e.type != RT_EV_HIT || e.hit.plan >= in->later->sites.nplans)
		return 0;
	e.hit.plan = (uint16_t)(e.hit.plan + in->later->plan);
	if (in->later->attach->ops->key == RT_KEY_ID)
		e.hit.key += in->later->site;
	return rt_merge_push(in->session->into, in->session->ring, &e);
}

int rt_session_drain_awaited(struct session *s, struct rt_error *err)
{
	unsigned i, k, n = s->arrivals ? s->arrivals->n : 0, rings;
	int r = 0;

	for (i = 0; i < n; i++) {
		struct in in = { s, s->arrivals->v[i] };
		const struct rt_event_handler handler = { push, &in };
		struct rt_source *source = in.later->attach->source;

		rings = source->ops->nfds(source);
		for (k = 0; k < rings && r == 0; k++) {
			s->ring = in.later->ring + k;
			err->text[0] = '\0';
			r = source->ops->drain(source, k, &handler, err);
		}
		if (r < 0)
			return err->text[0] ? r : rt_nomem(err);
	}
	return 0;
}

/* ---- a file that came ---- */

static void put_pids(struct session *s, struct rt_pids *pids)
{
	pid_t pid;
	size_t i;

	*pids = s->tracee.pids;
	if (!s->options->follow)
		return;
	pids->n = 0;
	for (i = 0; pids->n < RT_PIDS_MOST && (pid = rt_feed_process(s->feed, i)); i++)
		pids->v[pids->n++] = pid;
}

/* As rt_session_attach does for the trace. */
static int open_attach(struct session *s, struct later *l, struct rt_error *err)
{
	const char *why = NULL;
	struct rt_pids pids;
	int r;

	put_pids(s, &pids);
	l->request = s->request;
	l->request.part = s->arrivals->n + 1;
	l->request.pids = &pids;
	l->request.functions = &l->sites.functions;
	/* Levels and times are those of all attachments together. */
	l->request.limit = (struct rt_limit){ 0 };
	if (s->arrivals->n >= ATTACHMENTS_LARGE &&
	    (!l->request.ring_bytes || l->request.ring_bytes > RING_BYTES))
		l->request.ring_bytes = RING_BYTES;
	do {
		l->request.most_plans = l->sites.most_plans;
		l->request.plans = l->sites.plans;
		l->request.nplans = l->sites.nplans;
		l->request.sites = l->sites.v;
		l->request.nsites = l->sites.n;
		r = rt_attach_open(&l->request, s->attach->ops, s->options->no_bpf, NULL,
				   &l->attach, err);
	} while ((r == -EDOM &&
		  rt_sites_fewer_plans(&s->wanted, &s->traced, &l->sites, err) == 0) ||
		 ((r == -EOPNOTSUPP || r == -E2BIG) &&
		  rt_sites_simplify(&s->wanted, &s->traced, &l->sites, &why, err) == 0));
	l->request.pids = NULL;
	if (r == 0)
		rt_place_set_emulated(&l->sites, l->attach->emulated);
	rt_tails_cut(&l->sites);
	return r;
}

static int place(struct session *s, struct later *l, struct rt_error *err)
{
	bool bpf = s->attach->ops->bpf;
	int r = 0;

	if (s->options->exact)
		rt_place_exact(&s->traced, &l->sites);
	else
		r = rt_place_cheaply(&s->wanted, &s->traced, &l->sites, bpf, false,
				     &s->calibration, err);
	return r < 0 ? r : rt_place_no_entries(&l->sites, s->options->exact, err);
}

/* From now on the trace has its functions, and the reader its rings. */
static int join(struct session *s, struct later *l, struct rt_error *err)
{
	struct rt_source *source = l->attach->source;
	unsigned i, n = source->ops->nfds(source);
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = RT_TAG_RING };

	l->function = (uint32_t)s->sites.functions.n;
	l->plan = s->sites.nplans;
	l->site = s->sites.n;
	l->ring = s->arrivals->rings;
	if (rt_merge_grow(s->merge, l->ring + n) < 0 ||
	    rt_session_grow_relief(s, l->ring + n) < 0 ||
	    rt_awaited_append(&s->sites, &l->sites, &l->replaced) < 0)
		return rt_nomem(err);
	l->appended = true;
	s->arrivals->rings += n;
	s->arrivals->v[s->arrivals->n++] = l;
	s->sinks.trace.shows = s->sites.shows;
	if (rt_session_add_semaphores(s, l->site) < 0)
		return rt_nomem(err);
	if (rt_sinks_grow(&s->sinks) < 0)
		return rt_nomem(err);
	if (s->filter)
		rt_filter_roots(s->filter, s->sites.roots);
	for (i = 0; i < n; i++)
		if (source->ops->fd(source, i) >= 0 &&
		    epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->ops->fd(source, i), &e) < 0)
			return rt_fail(err, -errno, "epoll: %s", strerror(errno));
	return rt_feed_grow(s->feed, l->plan, source->gaps) < 0 ? rt_nomem(err) : 0;
}

static void free_later(struct later *l)
{
	if (l->attach)
		l->attach->ops->close(l->attach);
	free(l->counts.v);
	rt_awaited_free(&l->sites, l->appended);
	rt_awaited_free(&l->replaced, true);
	free(l);
}

static int report_missed(struct session *s, const struct rt_image *image)
{
	char text[300];

	snprintf(text, sizeof(text),
		 "%.100s: loaded %.1f ms before its probes were in: calls until then are not seen",
		 rt_image_name(image), (double)(rt_now() - s->arrivals->since) / 1e6);
	return rt_session_note(s, text);
}

/* Why a file is not traced, or not all of it. */
static int report_failed(struct session *s, const struct rt_error *why)
{
	return rt_session_note(s, why->text[0] ? why->text : "out of memory");
}

static int attach_file(struct session *s, struct rt_image *image, struct rt_error *err)
{
	struct later *l = calloc(1, sizeof(*l));
	struct rt_error why = { .text = "" };
	int r;

	if (!l)
		return rt_nomem(err);
	r = rt_awaited_make(&s->wanted, &s->traced, image,
			    rt_attach_plans(s->attach->ops, s->options->no_bpf), &l->sites, &why);
	if (r == 0 && !l->sites.functions.n) {
		free_later(l);
		return 0;
	}
	if (r == 0 && s->options->raw_names)
		r = rt_functions_raw_names(&l->sites.functions);
	else if (r == 0 && s->wanted.purpose != RT_PURPOSE_RECORD)
		r = rt_functions_full_names(&l->sites.functions);
	if (r == 0)
		r = place(s, l, &why);
	if (r == 0)
		r = open_attach(s, l, &why);
	if (r == -ESRCH)
		snprintf(why.text, sizeof(why.text),
			 "%.100s: its processes ended before its probes were in: no call is seen",
			 rt_image_name(image));
	if (r < 0) {
		free_later(l);
		return report_failed(s, &why) < 0 ? rt_nomem(err) : 0;
	}
	rt_session_lock_rings(s);
	r = join(s, l, err);
	rt_session_unlock_rings(s);
	if (r < 0) {
		if (!l->appended)
			free_later(l);
		return r;
	}
	return report_missed(s, image) < 0 ? rt_nomem(err) : 0;
}

static bool fits(const void *ctx, const struct rt_image *image)
{
	return rt_awaited_fits(ctx, image);
}

int rt_session_take_awaited(struct session *s, struct rt_error *err)
{
	struct rt_arrivals *a = s->arrivals;
	size_t before = s->traced.program.n, i, k;
	struct rt_members mapped;
	int r = 0;

	if (!a || !a->mapped.n)
		return 0;
	rt_session_lock_rings(s);
	mapped = a->mapped;
	a->mapped = (struct rt_members){ 0 };
	rt_session_unlock_rings(s);
	for (k = 0; k < mapped.n && r == 0; k++)
		r = rt_program_add_mapped(&s->traced.program, mapped.v[k], &a->seen, fits,
					  &s->wanted, err);
	rt_members_free(&mapped);
	if (rt_pointers_grow(s->pointers) < 0)
		r = rt_nomem(err);
	for (i = before; i < s->traced.program.n && r == 0; i++) {
		if (a->n < ATTACHMENTS_MOST)
			r = attach_file(s, s->traced.program.v[i], err);
		else if (!a->full && rt_session_note(s, "more than 64 files came later: the others "
						     "are not traced") < 0)
			r = rt_nomem(err);
		a->full |= a->n == ATTACHMENTS_MOST;
	}
	return r;
}

/* ---- the end ---- */

void rt_session_detach_awaited(struct session *s)
{
	unsigned i;

	for (i = 0; s->arrivals && i < s->arrivals->n; i++)
		s->arrivals->v[i]->attach->ops->detach(s->arrivals->v[i]->attach);
}

void rt_session_leave_awaited(struct session *s)
{
	unsigned i;

	for (i = 0; s->arrivals && i < s->arrivals->n; i++)
		s->arrivals->v[i]->attach->ops->leave(s->arrivals->v[i]->attach, &s->pins);
}

void rt_session_close_awaited(struct session *s)
{
	unsigned i;

	for (i = 0; s->arrivals && i < s->arrivals->n; i++) {
		struct later *l = s->arrivals->v[i];

		l->attach->ops->close(l->attach);
		l->attach = NULL;
	}
}

void rt_session_free_awaited(struct session *s)
{
	if (!s->arrivals)
		return;
	while (s->arrivals->n)
		free_later(s->arrivals->v[--s->arrivals->n]);
	rt_seen_free(&s->arrivals->seen);
	rt_members_free(&s->arrivals->mapped);
	free(s->arrivals);
	s->arrivals = NULL;
}

int rt_session_count_awaited(struct session *s, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; s->arrivals && i < s->arrivals->n && r == 0; i++) {
		struct later *l = s->arrivals->v[i];

		r = l->attach->counts ? rt_counts_read(l->attach->counts, &l->counts) : 0;
		if (r < 0)
			return rt_fail(err, r, "reading a BPF map: %s", strerror(-r));
	}
	return 0;
}

void rt_session_add_awaited_counts(struct session *s,
				   void (*add)(struct session *s, const struct rt_count_list *list,
					       uint32_t function))
{
	unsigned i;

	for (i = 0; s->arrivals && i < s->arrivals->n; i++)
		add(s, &s->arrivals->v[i]->counts, s->arrivals->v[i]->function);
}

uint64_t rt_session_lost_awaited(struct session *s)
{
	uint64_t lost = 0;
	unsigned i;

	for (i = 0; s->arrivals && i < s->arrivals->n; i++) {
		struct later *l = s->arrivals->v[i];

		lost += l->attach->source->ops->lost_unseen(l->attach->source) + l->counts.missed;
	}
	return lost;
}

/* The statements of a set share its line `library`.  Returns the number of the first other one. */
static size_t pass_set(const struct rt_wanted *wanted, size_t i, bool *came)
{
	const struct rt_awaited *a = wanted->awaited, *first = &a[i];

	for (*came = false; i < wanted->nawaited; i++) {
		if (&a[i] != first &&
		    (!first->set || a[i].set != first->set || a[i].libraries != first->libraries))
			break;
		*came |= a[i].came;
	}
	return i;
}

int rt_session_report_awaited(struct session *s)
{
	const struct rt_awaited *a;
	char text[300];
	size_t i, next;
	bool came;
	int r = 0;

	for (i = 0; i < s->wanted.nawaited && r == 0; i = next) {
		a = &s->wanted.awaited[i];
		next = pass_set(&s->wanted, i, &came);
		if (came || !a->needed)
			continue;
		/* A process that ended before its mappings were read may have had it. */
		snprintf(text, sizeof(text),
			 "%s%.200s: no call was seen; it was not loaded, or for too short a time",
			 a->set && !a->libraries ? "@" : "",
			 a->libraries	? a->libraries
			 : a->set	? a->set
			 : a->spec->lib ? a->spec->lib
					: a->spec->text);
		r = rt_session_note(s, text);
	}
	return r;
}
