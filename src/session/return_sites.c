/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of tail calls whose target is not traced, learned while the trace runs.
 *
 * sqlite3MallocSize of libsqlite3 ends in `jmp *0x2f0a2(%rip)`, at an unknown function; 9,838 of
 * 312,038 calls of a script end there.  That function returns behind a call of sqlite3MallocSize:
 * to one of 8 instructions.  The record of the jump has the return address.  The instruction gets a
 * probe.  Later calls that return there stay open until the probe is hit with their stack pointer,
 * and have its result (calls/stack.c).  Other callers of the function get probes, too
 * (return_callers.c).
 *
 * Each time that probes are put in, the reader waits 1 to 20 ms, for the kernel's locks.  So each
 * time more calls must have waited, or as many for longer.  While probes are being put in, the
 * rings are read often.
 *
 * Limits: not in Go, nor if the program switches stacks; not if a function takes its arguments off
 * the stack itself (i386); not if the attach mechanism cannot have more probes; not in code that
 * the process has changed or may write to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/say.h"
#include "code/callers.h"
#include "code/stub.h"
#include "elf/file.h"
#include "kernel/sys.h"
#include "plan/awaited.h"
#include "plan/return_places.h"
#include "process/memory.h"
#include "session/session_private.h"

enum { PLACES_MOST = 16384, WAITING = 16, INSN_MAX = 16 };
#define WAIT_NS UINT64_C(5000000)
#define RECENT_NS UINT64_C(200000000)

void rt_session_end_learning(struct session *s)
{
	size_t i;

	for (i = 0; s->learning.sites && i < s->learning.sites->n; i++) {
		s->learning.sites->v[i].since = UINT64_MAX;
		s->learning.sites->v[i].tried = true;
	}
}

void rt_session_free_learning(struct session *s)
{
	while (s->learning.n) {
		struct rt_sites *replaced = &s->learning.replaced[--s->learning.n];

		free(replaced->functions.v);
		free(replaced->shows);
		free(replaced->returns);
		free(replaced->exit_plan);
		free(replaced->v);
	}
	free(s->learning.replaced);
	rt_callers_close(s->learning.callers);
	rt_code_close(s->learning.code);
}

static struct rt_image *find_image(const struct session *s, uint64_t ino)
{
	size_t i;

	for (i = 0; i < s->traced.program.n; i++)
		if (rt_image_ino(s->traced.program.v[i]) == ino)
			return s->traced.program.v[i];
	return NULL;
}

static bool is_wanted(const struct rt_return_site *site)
{
	return !site->tried && site->jumps;
}

/* Awaited files come by themselves (awaited.c). */
static bool has_wanted(const void *ctx, const struct rt_image *image)
{
	const struct session *s = ctx;
	const struct rt_return_sites *sites = s->learning.sites;
	size_t i;

	if (find_image(s, rt_image_ino(image)) || rt_awaited_fits(&s->wanted, image))
		return false;
	for (i = 0; i < sites->n; i++)
		if (is_wanted(&sites->v[i]) && sites->v[i].ino == rt_image_ino(image))
			return true;
	return false;
}

/* Callers may be in files that a process has loaded later: modules of python. */
static int open_files(struct session *s, struct rt_error *err)
{
	const struct rt_return_sites *sites = s->learning.sites;
	struct rt_seen seen = { 0 };
	int r = 0;
	size_t i;

	for (i = 0; i < sites->n && r == 0; i++)
		if (is_wanted(&sites->v[i]) && !find_image(s, sites->v[i].ino))
			r = rt_program_add_mapped(&s->traced.program, sites->v[i].pid, &seen,
						  has_wanted, s, err);
	rt_seen_free(&seen);
	return r < 0 ? r : rt_pointers_grow(s->pointers);
}

/* The memory of the process that was asked for last. */
struct memory {
	pid_t pid;
	struct rt_memory *of;
};

/* NULL: it has ended. */
static const struct rt_memory *memory_of(struct memory *m, pid_t pid)
{
	if (m->pid != pid) {
		rt_memory_close(m->of);
		m->of = rt_memory_open(pid);
		m->pid = pid;
	}
	return m->of;
}

/*
 * Another probe at the place may emulate the instruction, or belong to another function.  A signal
 * handler returns to code without a call before it; unwinders know that code by its bytes.  The
 * kernel executes the file's instruction, so the process must have the same one (rt_place_check);
 * one that has not begun (pid 0) will have.
 */
static bool find_place(const struct session *s, const struct rt_return_site *site,
		       struct rt_decoder *decoder, struct memory *m, struct rt_return_place *place)
{
	const struct rt_memory *memory = site->pid ? memory_of(m, site->pid) : NULL;

	*place = (struct rt_return_place){
		.image = find_image(s, site->ino), .offset = site->offset, .of = site->of
	};
	return (memory || !site->pid) && place->image &&
	       rt_return_place_suits(&s->sites, site->of) &&
	       rt_image_code_address(place->image, site->offset, &place->addr) == 0 &&
	       !rt_image_refuses(place->image, place->addr, NULL) &&
	       rt_code_follows_call(place->image, decoder, place->addr) &&
	       (!memory || rt_memory_same(memory, place->image, place->addr, INSN_MAX)) &&
	       !rt_site_map_has_probe(rt_feed_map(s->feed), site->offset, site->ino);
}

/* The places that are due; their functions in the trace will be numbered from the last one's on. */
static size_t choose(struct session *s, struct rt_return_place *v)
{
	struct rt_return_sites *sites = s->learning.sites;
	struct rt_decoder *decoder =
		rt_flow_open(rt_image_arch(rt_program_executable(&s->traced.program)));
	struct memory memory = { 0 };
	size_t i, before, n = 0;

	for (i = 0, before = sites->n; i < before; i++)
		if (is_wanted(&sites->v[i]) && sites->v[i].pid)
			rt_session_note_callers(s, sites->v[i].of, sites->v[i].pid);
	for (i = 0; i < sites->n; i++) {
		struct rt_return_site *site = &sites->v[i];

		if (!is_wanted(site) || n == PLACES_MOST)
			continue;
		site->tried = true;
		if (!find_place(s, site, decoder, &memory, &v[n]))
			continue;
		site->function = (uint32_t)(s->sites.functions.n + n++);
	}
	rt_memory_close(memory.of);
	rt_decoder_close(decoder);
	return n;
}

/* The trace has their functions from now on, though a probe may fail. */
static int join(struct session *s, const struct rt_return_place *v, size_t n)
{
	struct rt_learning *l = &s->learning;
	int r = RT_ROOM(&l->replaced, l->n, &l->cap);

	if (r == 0) {
		memset(&l->replaced[l->n], 0, sizeof(l->replaced[l->n]));
		r = rt_return_places_add(&s->sites, v, n, &l->replaced[l->n++]);
	}
	s->sinks.trace.shows = s->sites.shows;
	if (r == 0)
		r = rt_sinks_grow(&s->sinks);
	if (r == 0 && s->filter)
		rt_filter_roots(s->filter, s->sites.roots);
	return r == 0 ? rt_site_map_grow(rt_feed_map(s->feed)) : r;
}

/*
 * From now on the places' probes end calls.  The kernel leaves a probe out without an error where
 * the process may write to its code (valid_vma() in kernel/events/uprobes.c).
 */
static void use(struct session *s, const struct rt_return_place *v, uint32_t first)
{
	uint64_t since = rt_now();
	struct memory memory = { 0 };
	size_t i;

	for (i = 0; i < s->learning.sites->n; i++) {
		struct rt_return_site *site = &s->learning.sites->v[i];
		const struct rt_return_place *place;

		if (!site->tried || site->function < first)
			continue;
		place = &v[site->function - first];
		if (!site->pid)
			site->since = 0;
		else if (memory_of(&memory, site->pid) &&
			 rt_memory_probed(memory.of, place->image, place->addr) == 1)
			site->since = since;
	}
	rt_memory_close(memory.of);
}

static int put_in(struct session *s, const struct rt_return_place *v, size_t n)
{
	struct rt_attach_request request = s->request;
	uint32_t first = (uint32_t)s->sites.functions.n;
	struct rt_error ignored = { .text = "" };
	int r;

	request.first_site = s->sites.n;
	r = join(s, v, n);
	if (r < 0)
		return r;
	request.plans = s->sites.plans;
	request.nplans = s->sites.nplans;
	request.sites = s->sites.v;
	request.nsites = s->sites.n;
	/* This enlarges the decoder, which draining uses. */
	rt_session_lock_rings(s);
	r = s->attach->ops->extend(s->attach, &request, &ignored);
	rt_session_unlock_rings(s);
	if (r == 0)
		use(s, v, first);
	return 0;
}

static int put_in_wanted(struct session *s)
{
	struct rt_return_place *v = calloc(PLACES_MOST, sizeof(*v));
	size_t n = v ? choose(s, v) : 0;
	int r = n ? put_in(s, v, n) : v ? 0 : -ENOMEM;

	free(v);
	s->learning.last = rt_now();
	s->learning.wait += n ? s->learning.wait / 4 : 0;
	return r;
}

int rt_session_begin_learning(struct session *s)
{
	const struct rt_image *executable = rt_program_executable(&s->traced.program);
	unsigned before;
	int r;

	if (!s->attach->ops->extend || s->wanted.purpose != RT_PURPOSE_RECORD ||
	    rt_wanted_pairs_in_kernel(&s->wanted) || s->traced.switches ||
	    s->traced.lacks_stack_hooks || s->traced.lacks_longjmp_hooks ||
	    rt_image_arch(executable)->callee_pop)
		return 0;
	s->learning.sites = rt_site_map_learn(rt_feed_map(s->feed));
	s->learning.wait = WAIT_NS;
	s->learning.last = rt_now();
	if (!s->tracee.ours)
		return 0;
	rt_session_note_early(s);
	if (!s->learning.sites->n)
		return 0;
	before = s->sites.n;
	r = put_in_wanted(s);
	if (r == 0 && s->options->verbose)
		rt_say("tail calls: hidden probes behind %u call%s: for results",
		       s->sites.n - before, s->sites.n - before == 1 ? "" : "s");
	return r;
}

static bool is_due(const struct rt_learning *l)
{
	uint64_t waited = rt_now() - l->last;

	return l->sites && l->sites->jumped && waited >= WAIT_NS &&
	       waited / WAITING * l->sites->jumped >= l->wait;
}

bool rt_session_learns(const struct session *s)
{
	const struct rt_learning *l = &s->learning;

	return l->sites && (l->sites->jumped || rt_now() - l->last < RECENT_NS);
}

int rt_session_learn(struct session *s, struct rt_error *err)
{
	struct rt_learning *l = &s->learning;
	int r;

	if (!is_due(l))
		return 0;
	r = open_files(s, err);
	if (r == 0)
		r = put_in_wanted(s);
	l->sites->jumped = 0;
	return r < 0 ? rt_nomem(err) : 0;
}
