/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/bpf_side.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/gate.h"
#include "emit/saved.h"
#include "emit/shelf.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "stream/verifier.h"

/* The verifier's log of one of our programs: a few hundred instructions. */
enum { LOG_SIZE = 16384 };

/* Bytes a CPU where the programs count and write nothing. */
enum { IDLE_RING = 64 << 10 };

static int map_error(int r, struct rt_error *err)
{
	long seccomp;

	if (r == -ENOSYS)
		return rt_fail(err, -EOPNOTSUPP, "the kernel has no bpf(2) (ENOSYS)");
	if (r == -EPERM && rt_proc_status(getpid(), "Seccomp", &seccomp) == 0 && seccomp)
		return rt_fail(err, r,
			       "bpf(2) is not permitted by a seccomp filter; try "
			       "--security-opt seccomp=unconfined, or --no-bpf");
	if (r == -EPERM)
		return rt_fail(err, r,
			       "bpf(2): not permitted; check capabilities, seccomp, "
			       "RLIMIT_MEMLOCK; or try --no-bpf");
	return rt_fail(err, r, "BPF map: cannot be created: %s", strerror(-r));
}

/*
 * The array that counts each thread's hits: one that the reader can map, and as large as it may be.
 */
static int open_hits(struct rt_bpf_side *side)
{
	uint32_t flags = RT_BPF_F_MMAPABLE;
	int r;

	side->slots = RT_GAPS_SLOTS;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, 8, side->slots, flags);
	if (r == -EINVAL) {
		flags = 0;
		r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, 8, side->slots, flags);
	}
	if (r == -EPERM) {
		side->slots = RT_GAPS_SLOTS_MIN;
		r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, 8, side->slots, flags);
	}
	return r;
}

/* The map of values that entries save for their returns; none if no plan saves any. */
static int open_saved(struct rt_bpf_side *side, const struct rt_attach_request *request)
{
	unsigned i;
	int r;

	for (i = 0; i < request->nplans && !request->plans[i].nsaved; i++)
		;
	if (i == request->nplans)
		return 0;
	side->saved_slots = RT_SAVED_SLOTS;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(struct rt_saved), side->saved_slots,
			      0);
	if (r == -EPERM) {
		side->saved_slots = RT_SAVED_SLOTS_MIN;
		r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(struct rt_saved),
				      side->saved_slots, 0);
	}
	side->maps[RT_MAP_SAVED] = r < 0 ? -1 : r;
	return r < 0 ? r : 0;
}

/* The map of errno's distance from the thread pointer, if a plan reads or finds it. */
static int open_errno(struct rt_bpf_side *side, const struct rt_attach_request *request)
{
	uint32_t key = 0;
	unsigned i;
	int r;

	for (i = 0; i < request->nplans && request->plans[i].role != RT_ROLE_ERRNO; i++)
		;
	if (i == request->nplans)
		return 0;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(request->errno_offset), 1, 0);
	side->maps[RT_MAP_ERRNO] = r < 0 ? -1 : r;
	return r < 0 ? r : rt_bpf_map_update(r, &key, &request->errno_offset);
}

/* Conditions read memory that may not be resident: the map counts those calls. */
static int open_unread(struct rt_bpf_side *side, const struct rt_attach_request *request)
{
	unsigned i;
	int r;

	for (i = 0; i < request->nplans && !request->plans[i].ntests; i++)
		;
	if (i == request->nplans)
		return 0;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), 1, 0);
	side->maps[RT_MAP_UNREAD] = r < 0 ? -1 : r;
	return r < 0 ? r : 0;
}

/* The control group, and how many hits other processes had. */
static int open_group(struct rt_bpf_side *side, const struct rt_attach_request *request,
		      struct rt_error *err)
{
	uint32_t key = 0;
	int r;

	if (!request->group)
		return 0;
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 1, 0);
	side->maps[RT_MAP_GROUP] = r < 0 ? -1 : r;
	if (r < 0)
		return rt_fail(err, -EOPNOTSUPP,
			       "BPF does not know control groups (4.9): %s", strerror(-r));
	r = rt_bpf_map_update(r, &key, &request->group);
	if (r < 0)
		return rt_fail(err, r, "control group: %s", strerror(-r));
	r = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), 1, 0);
	side->maps[RT_MAP_STRANGERS] = r < 0 ? -1 : r;
	return r < 0 ? map_error(r, err) : 0;
}

static struct rt_record_decoder *new_decoder(const struct rt_attach_request *request,
					     enum rt_key key)
{
	struct rt_record_decoder *d = rt_record_decoder_new(
		request->plans, request->nplans, request->nsites, rt_attach_layout(request, key),
		rt_pids_only(request->pids));
	unsigned i;

	for (i = 0; d && i < request->nsites; i++)
		d->plan_of[i] = request->sites[i].plan;
	return d;
}

/* The ring that is asked for, or the first that the kernel has. */
static int open_ring(struct rt_bpf_side *side, const struct rt_attach_request *request,
		     struct rt_source **source, struct rt_error *err)
{
	const struct rt_ring_want want = {
		.bytes = request->purpose == RT_PURPOSE_RECORD ? request->ring_bytes : IDLE_RING,
		.memory = request->ring_memory,
	};
	struct rt_error why = { 0 };
	int r = -EOPNOTSUPP;
	unsigned i;

	for (i = 0; r == -EOPNOTSUPP; i++) {
		side->ring = request->ring ? request->ring : rt_ring_at(i);
		if (!side->ring)
			break;
		r = side->ring->open(&want, side->decoder, side->gaps, &side->maps[RT_MAP_EVENTS],
				     &side->ring_size, source, &why);
		if (r < 0)
			side->maps[RT_MAP_EVENTS] = -1;
		if (r == -EOPNOTSUPP && request->ring)
			return rt_usage(err, "--ring=%s does not work here: %s", side->ring->name,
					why.text);
	}
	if (r < 0 && err)
		*err = why;
	return r;
}

static void close_map(int *map)
{
	if (*map >= 0)
		close(*map);
	*map = -1;
}

/*
 * --why: shelves for the threads (emit/shelf.h), where the kernel and the ring can have them; else
 * all is sent.
 */
static void open_shelves(struct rt_bpf_side *side, const struct rt_attach_request *request,
			 enum rt_key key)
{
	const uint32_t frame = sizeof(struct rt_open_call) + sizeof(struct rt_open_shelved);
	int *maps = side->maps;
	void *owners;

	if (!request->limit.why || request->purpose != RT_PURPOSE_RECORD ||
	    (request->ring && request->ring->transport != RT_TRANSPORT_ARRAY) ||
	    !rt_pending_may(request->plans, request->nplans, key) ||
	    rt_plans_record_size(request->plans, request->nplans,
				 rt_attach_layout(request, key)) > RT_SHELF_RECORD_MAX ||
	    rt_verifier_cmpxchg() < 0)
		return;
	maps[RT_MAP_HEADS] = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(struct rt_head),
					       RT_SHELVES, RT_BPF_F_MMAPABLE);
	maps[RT_MAP_FRAMES] = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, frame,
						RT_SHELVES * RT_OPEN_MAX, 0);
	maps[RT_MAP_SHELVES] = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4,
						 sizeof(struct rt_shelf) + RT_SHELF_RECORD_MAX,
						 RT_SHELVES, 0);
	owners = maps[RT_MAP_HEADS] < 0 || maps[RT_MAP_FRAMES] < 0 || maps[RT_MAP_SHELVES] < 0
			 ? MAP_FAILED
			 : mmap(NULL, RT_SHELVES * sizeof(struct rt_head), PROT_READ | PROT_WRITE,
				MAP_SHARED, maps[RT_MAP_HEADS], 0);
	if (owners == MAP_FAILED) {
		close_map(&maps[RT_MAP_HEADS]);
		close_map(&maps[RT_MAP_FRAMES]);
		close_map(&maps[RT_MAP_SHELVES]);
		return;
	}
	side->pending.owners = owners;
	side->counts.heads = RT_SHELVES;
}

static void close_shelves(struct rt_bpf_side *side)
{
	if (side->pending.owners)
		munmap(side->pending.owners, RT_SHELVES * sizeof(struct rt_head));
	side->pending.owners = NULL;
}

static void set_filter(struct rt_bpf_side *side, const struct rt_attach_request *request,
		       enum rt_key key)
{
	const struct rt_limit *limit = &request->limit;

	side->filtered = false;
	if (side->pending.owners || request->purpose != RT_PURPOSE_RECORD ||
	    !rt_pending_pairs(request->plans, request->nplans))
		return;
	if ((limit->min_time || limit->ends) &&
	    rt_pending_may(request->plans, request->nplans, key)) {
		side->pending.size = rt_pending_size(request->plans, request->nplans,
						     rt_attach_layout(request, key));
		/* Tests of an end that did not come fail. */
		side->pending.min_time = limit->min_time ? limit->min_time : UINT64_MAX;
	}
	side->filtered = limit->depth || limit->under || limit->tests || side->pending.size;
}

int rt_bpf_side_open(struct rt_bpf_side *side, const struct rt_attach_request *request,
		     enum rt_key key, struct rt_source **source, struct rt_error *err)
{
	unsigned i;
	int r;

	memset(side, 0, sizeof(*side));
	for (i = 0; i < RT_MAPS; i++)
		side->maps[i] = -1;
	if (request->reach == RT_REACH_FOLLOWED) {
		r = rt_followed_open(&side->followed, request->pids, err);
		side->maps[RT_MAP_FOLLOWED] = side->followed.map;
		if (r < 0) {
			rt_bpf_side_close(side);
			return r;
		}
	}
	r = open_group(side, request, err);
	if (r < 0) {
		rt_bpf_side_close(side);
		return r;
	}
	side->maps[RT_MAP_HITS] = r = open_hits(side);
	open_shelves(side, request, key);
	set_filter(side, request, key);
	if (r >= 0 && (side->filtered || request->purpose != RT_PURPOSE_RECORD))
		r = rt_counts_open(&side->counts, side->maps, request->purpose, key,
				   (uint32_t)(request->functions->n ? request->functions->n : 1),
				   side->pending.size);
	if (r >= 0)
		r = open_saved(side, request);
	if (r >= 0)
		r = open_errno(side, request);
	if (r >= 0)
		r = open_unread(side, request);
	if (r >= 0 && request->gate) {
		r = fcntl(request->gate->map, F_DUPFD_CLOEXEC, 3);
		side->maps[RT_MAP_GATE] = r;
		r = r < 0 ? -errno : 0;
	}
	if (r < 0) {
		rt_bpf_side_close(side);
		return map_error(r, err);
	}
	if (request->emulate)
		side->emulations =
			rt_emulations_open(request, key, &side->maps[RT_MAP_EMULATIONS]);
	side->gaps = rt_gaps_new(side->maps[RT_MAP_HITS], side->slots);
	side->decoder = new_decoder(request, key);
	if (side->decoder && side->pending.size)
		rt_record_decoder_set_size(side->decoder, side->pending.size);
	side->pending.decoder = side->decoder;
	side->pending.heads = side->maps[RT_MAP_HEADS];
	side->pending.frames = side->maps[RT_MAP_FRAMES];
	side->pending.slots = side->counts.heads;
	r = side->gaps && side->decoder ? open_ring(side, request, source, err) : rt_nomem(err);
	if (r == 0 && (side->ring->transport != RT_TRANSPORT_ARRAY ||
		       side->ring_size < RT_SHELF_RING_MIN))
		close_shelves(side);
	if (r < 0)
		rt_bpf_side_close(side);
	return r;
}

int rt_bpf_side_extend(struct rt_bpf_side *side, const struct rt_attach_request *request,
		       struct rt_error *err)
{
	unsigned i;

	if (rt_record_decoder_grow(side->decoder, request->nsites) < 0)
		return rt_nomem(err);
	for (i = request->first_site; i < request->nsites; i++)
		side->decoder->plan_of[i] = request->sites[i].plan;
	return 0;
}

void rt_bpf_side_close(struct rt_bpf_side *side)
{
	unsigned i;

	if (side->maps[RT_MAP_FOLLOWED] >= 0)
		rt_followed_close(&side->followed);
	side->maps[RT_MAP_FOLLOWED] = -1;
	close_shelves(side);
	for (i = 0; i < RT_MAPS; i++)
		close_map(&side->maps[i]);
	rt_counts_close(&side->counts);
	rt_gaps_free(side->gaps);
	rt_record_decoder_free(side->decoder);
	rt_emulations_close(&side->emulations);
}

/* The line before the verifier's closing statistics says what it minded: its length in `len`. */
static const char *last_words(const char *log, int *len)
{
	const char *line, *last = log;

	*len = 0;
	for (line = log; *line; line += strspn(line, "\n")) {
		size_t n = strcspn(line, "\n");

		if (strncmp(line, "processed ", 10) != 0) {
			last = line;
			*len = (int)n;
		}
		line += n;
	}
	return last;
}

static int program_error(int r, const char *log, struct rt_error *err)
{
	const char *words;
	int len;

	if (r == -EPERM && !*log)
		return rt_fail(err, r,
			       "bpf(2): a program may not be loaded (RLIMIT_MEMLOCK?); trace fewer "
			       "functions, or try --no-bpf");
	words = last_words(log, &len);
	return rt_fail(err, r, "BPF program: refused by the kernel: %s%s%.*s", strerror(-r),
		       len ? ": " : "", len, words);
}

/*
 * "invalid func unknown#112", before 4.10 "invalid func 112": the verifier does not know the
 * helper.
 */
static bool lacks_helper(const char *log)
{
	return strstr(log, "invalid func ") || strstr(log, "unknown func ");
}

/* Older verifiers do not have the name. */
static bool lacks_pid_space(const char *log)
{
	return lacks_helper(log) &&
	       (strstr(log, "#120") || strstr(log, "get_ns_current_pid_tgid"));
}

static int load(struct rt_bpf_side *side, const struct rt_bpf_program *program, uint32_t expected,
		char *log, struct rt_error *err)
{
	struct rt_bpf bpf;
	int r;

	rt_bpf_init(&bpf);
	r = rt_bpf_program_emit(program, &bpf, err);
	if (r == 0)
		r = rt_bpf_finish(&bpf, side->maps, err);
	if (r == 0) {
		log[0] = '\0';
		r = program->sleepable
			    ? rt_bpf_prog_load_sleepable(bpf.insns, bpf.n, expected, log, LOG_SIZE)
			    : rt_bpf_prog_load(bpf.insns, bpf.n, expected, log, LOG_SIZE);
		if (r == -EINVAL && lacks_pid_space(log))
			r = rt_fail(err, -EPERM,
				    "BPF has the process ids of containers from Linux 5.7 on; run "
				    "rawtrace on the host, or with --pid=host");
		else if (r < 0)
			program_error(r, log, err);
	}
	rt_bpf_free(&bpf);
	return r;
}

/* The thread's name is no memory of its own. */
static bool is_read_string(const struct rt_fetch *f)
{
	return f->type == RT_TYPE_STRING && f->base != RT_BASE_COMM;
}

/* Does it read what a pointer leads to, which may not be in memory at the moment?  The stack is. */
static bool reads_behind(const struct rt_plan *plan)
{
	unsigned i, n = rt_plan_shown(plan);

	for (i = 0; i < n; i++)
		if (is_read_string(&plan->values[i]) ||
		    (plan->values[i].nderef && !plan->values[i].if_failed))
			return true;
	return false;
}

static bool reads_string(const struct rt_plan *plan)
{
	unsigned i;

	for (i = 0; i < plan->nvalues; i++)
		if (is_read_string(&plan->values[i]))
			return true;
	return false;
}

int rt_bpf_side_load(struct rt_bpf_side *side, const struct rt_attach_request *request,
		     uint16_t plan, enum rt_key_source key_source, uint32_t key, uint32_t expected,
		     struct rt_error *err)
{
	struct rt_bpf_program program = {
		.purpose = request->purpose,
		.plan = &request->plans[plan],
		.plan_id = plan,
		.pids = request->pids,
		.reach = request->reach,
		.self = getpid(),
		.space = rt_pid_space_own(),
		.grouped = request->group,
		.gated = request->gate,
		.key_source = key_source,
		.key = key,
		.read_user = !side->no_read_user,
		.no_read_str = side->no_read_str,
		.thread_pointer = request->thread_pointer,
		.slots = side->slots,
		.saved_slots = side->saved_slots,
		.transport = side->ring->transport,
		.ring_size = side->ring_size,
		.rows = side->counts.quick ? side->counts.quick_rows : side->counts.rows,
		.stride = side->counts.stride,
		.heads = side->counts.heads,
		.quick = side->counts.quick,
		.filtered = side->filtered,
		.limit = request->limit,
		.pending = side->pending.size,
		.shelved = side->pending.owners,
		.emulates = side->emulations.plans && side->emulations.plans[plan],
	};
	char log[LOG_SIZE];
	int r;

	if (key_source == RT_KEY_CONSTANT && request->purpose != RT_PURPOSE_RECORD)
		program.key = request->sites[key].function;
	program.site = key;
	if (key_source == RT_KEY_CONSTANT)
		program.function = rt_attach_owner(request->functions, &request->sites[key]);
	program.sleepable = program.read_user && !side->no_sleep &&
			    side->ring->transport != RT_TRANSPORT_PERF &&
			    (request->purpose == RT_PURPOSE_RECORD || program.plan->ntests) &&
			    reads_behind(program.plan);
	r = load(side, &program, expected, log, err);
	if (r < 0 && program.sleepable) {
		program.sleepable = false;
		r = load(side, &program, expected, log, err);
		side->no_sleep = r >= 0;
	}
	if (r == -EINVAL && program.read_user && lacks_helper(log)) {
		/* Before 5.5 bpf_probe_read reads the program's memory too. */
		program.read_user = false;
		r = load(side, &program, expected, log, err);
		side->no_read_user = r >= 0;
	}
	if (r == -EINVAL && !program.read_user && !program.no_read_str && lacks_helper(log) &&
	    reads_string(program.plan)) {
		program.no_read_str = true;
		r = load(side, &program, expected, log, err);
		side->no_read_str = r >= 0;
	}
	if (r == -EINVAL && !program.read_user && lacks_helper(log) && reads_string(program.plan))
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel's BPF cannot read strings (bpf_probe_read_str: 4.11)");
	return r;
}
