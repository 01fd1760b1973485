/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings as one source of calls, in order of time.
 *
 * Recordings of one boot have one clock.  With several boots or machines the time since 1970 is the
 * common clock, as exact as these machines' clocks.  Example: rt_trace.wall of three files, in s:
 *
 *	a	1700000000.0	the boot of a
 *	b	1700000000.2	the same boot: somebody has set the clock by 0.2 s
 *	c	1700600000.0	another boot
 *
 * Times of a and b become times since 1970 by a's wall, those of c by its own.
 *
 * Functions of several files are one function if name, file and build-id are the same.  If a file
 * has some of one name, the Nth of them is the Nth in another file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/costs.h"
#include "record/recording.h"

struct rt_replay {
	struct rt_recording *v;
	unsigned n;
	/* of several files */
	struct rt_functions functions;	/* their names are the recordings' */
	struct rt_files files;
	uint32_t **maps;		/* rt_recording.map of each */
	bool shared;			/* a thread is in two files; this was noted */
	/* rt_replay_run */
	struct rt_replay_to *to;	/* of each file */
	int failed;			/* the first failure of a file */
	struct rt_error *err;		/* its message */
};

/* ---- one table of functions ---- */

/* A function in a recording. */
struct listed {
	const struct rt_function *f;
	const struct rt_file_facts *file;	/* or NULL */
	unsigned recording, rank;	/* rank: among those of its recording with this name */
	uint32_t number;
	unsigned first_recording;	/* of those that are one function, the first */
	uint32_t first_number;
};

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static unsigned flags_of(const struct rt_function *f)
{
	return f->hidden | (f->usdt != 0) << 1 | f->closes << 2;
}

static int compare_functions(const struct listed *x, const struct listed *y)
{
	int r = strcmp(x->f->name, y->f->name);

	if (r == 0)
		r = compare_texts(rt_function_pattern(x->f), rt_function_pattern(y->f));
	if (r == 0)
		r = compare_texts(x->file ? x->file->name : NULL, y->file ? y->file->name : NULL);
	if (r == 0)
		r = compare_texts(x->file ? x->file->build_id : NULL,
				  y->file ? y->file->build_id : NULL);
	return r ? r : (int)flags_of(x->f) - (int)flags_of(y->f);
}

static int by_place(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->recording != y->recording)
		return x->recording < y->recording ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_function(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int r = compare_functions(x, y);

	if (r == 0)
		r = x->rank < y->rank ? -1 : x->rank > y->rank;
	return r ? r : by_place(a, b);
}

/* Find the functions that are one.  Leaves the list in order of recordings and numbers. */
static void find_same(struct listed *v, size_t n)
{
	size_t i;

	qsort(v, n, sizeof(*v), by_function);
	for (i = 1; i < n; i++)
		if (v[i].recording == v[i - 1].recording &&
		    compare_functions(&v[i], &v[i - 1]) == 0)
			v[i].rank = v[i - 1].rank + 1;
	qsort(v, n, sizeof(*v), by_function);
	for (i = 0; i < n; i++) {
		const struct listed *first = &v[i];

		if (i && v[i].rank == v[i - 1].rank && compare_functions(&v[i], &v[i - 1]) == 0)
			first = &v[i - 1];
		v[i].first_recording = first == &v[i] ? v[i].recording : first->first_recording;
		v[i].first_number = first == &v[i] ? v[i].number : first->first_number;
	}
	qsort(v, n, sizeof(*v), by_place);
}

/* The number from 1 of a file in the common table, to which it is added; 0: no file. */
static int number_of(struct rt_replay *p, const struct rt_file_facts *file, uint32_t *number)
{
	size_t i;

	*number = 0;
	if (!file)
		return 0;
	for (i = 0; i < p->files.n; i++)
		if (strcmp(p->files.v[i].name, file->name) == 0 &&
		    strcmp(p->files.v[i].build_id, file->build_id) == 0)
			break;
	if (i == p->files.n && rt_files_add(&p->files, NULL, file->name, file->build_id) < 0)
		return -ENOMEM;
	*number = (uint32_t)i + 1;
	return 0;
}

/* Add the function to the table, unless it is there already. */
static int add_function(struct rt_replay *p, const struct listed *l)
{
	uint32_t *number = &p->maps[l->recording][l->number], file;

	if (l->first_recording != l->recording || l->first_number != l->number) {
		*number = p->maps[l->first_recording][l->first_number];
		return 0;
	}
	if (RT_ROOM(&p->functions.v, p->functions.n, &p->functions.cap) < 0 ||
	    number_of(p, l->file, &file) < 0 || rt_files_add_function(&p->files, file) < 0)
		return -ENOMEM;
	*number = (uint32_t)p->functions.n;
	p->functions.v[p->functions.n++] = *l->f;
	return 0;
}

static size_t list_functions(const struct rt_replay *p, struct listed *v)
{
	size_t k, n = 0;
	unsigned i;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->v[i].functions.n; k++) {
			const struct rt_files *files = &p->v[i].files;
			uint32_t file = k < files->nof ? files->of[k] : 0;

			v[n++] = (struct listed){ .f = &p->v[i].functions.v[k],
				.file = file ? &files->v[file - 1] : NULL,
				.recording = i, .number = (uint32_t)k };
		}
	return n;
}

/* The costs of a recording by the common numbers. */
static int renumber_costs(struct rt_recording *recording, const struct rt_functions *functions)
{
	struct rt_call_cost *costs;
	size_t i;

	if (!recording->costs)
		return 0;
	costs = calloc(functions->n, sizeof(*costs));
	if (!costs)
		return -ENOMEM;
	for (i = 0; i < recording->functions.n; i++)
		costs[recording->map[i]] = recording->costs[i];
	free(recording->costs);
	recording->costs = costs;
	return 0;
}

static int join_functions(struct rt_replay *p)
{
	size_t i, n = 0;
	struct listed *v;
	int r = 0;

	p->maps = calloc(p->n, sizeof(*p->maps));
	for (i = 0; p->maps && i < p->n; i++) {
		n += p->v[i].functions.n;
		p->maps[i] = calloc(p->v[i].functions.n + 1, sizeof(**p->maps));
		p->v[i].map = p->maps[i];
		r = p->maps[i] ? r : -ENOMEM;
	}
	v = calloc(n + 1, sizeof(*v));
	if (!p->maps || !v || r < 0) {
		free(v);
		return -ENOMEM;
	}
	find_same(v, list_functions(p, v));
	for (i = 0; i < n && r == 0; i++)
		r = add_function(p, &v[i]);
	for (i = 0; i < p->n && r == 0; i++)
		r = renumber_costs(&p->v[i], &p->functions);
	free(v);
	return r;
}

/* ---- one clock ---- */

/* rt_recording.wall of one boot differs by as much as somebody has set the clock. */
static bool is_one_boot(const struct rt_recording *a, const struct rt_recording *b)
{
	static const uint64_t second = 1000000000;

	return a->wall - b->wall < second || b->wall - a->wall < second;
}

/* The first recording of the boot; NULL: the recording has no calls. */
static const struct rt_recording *first_of_boot(const struct rt_replay *p, unsigned i)
{
	unsigned k;

	for (k = 0; k < i && !(p->v[k].has_calls && is_one_boot(&p->v[k], &p->v[i])); k++)
		;
	return p->v[i].has_calls ? &p->v[k] : NULL;
}

static void set_clock(struct rt_replay *p, struct rt_trace *trace)
{
	const struct rt_recording *any = NULL, *first;
	bool several = false;
	unsigned i;

	for (i = 0; i < p->n; i++) {
		first = first_of_boot(p, i);
		any = any ? any : first;
		several |= first && first != any;
	}
	trace->start = UINT64_MAX;
	for (i = 0; i < p->n; i++) {
		first = first_of_boot(p, i);
		if (!first)
			continue;
		p->v[i].shift = several ? first->wall : 0;
		if (p->v[i].start + p->v[i].shift < trace->start)
			trace->start = p->v[i].start + p->v[i].shift;
	}
	trace->start = any ? trace->start : 0;
	trace->wall = any && !several ? (int64_t)any->wall : 0;
}

/* ---- opening ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The facts of several recordings.  A command is known where it is that of all. */
static void join_traces(struct rt_replay *p, struct rt_trace *trace)
{
	unsigned i;

	for (i = 0; i < p->n; i++) {
		const char *command = p->v[i].command ? p->v[i].command : "";

		snprintf(p->v[i].comm, sizeof(p->v[i].comm), "%s", base_name(command));
		p->v[i].label = p->v[i].blocks.path;
		if (compare_texts(p->v[i].command, p->v[0].command) != 0)
			trace->names = true;
	}
	trace->command = trace->names ? NULL : p->v[0].command;
	trace->processes = true;
	trace->first = 0;
	trace->functions = &p->functions;
	trace->files = &p->files;
}

int rt_replay_open(const char *const *paths, unsigned n, struct rt_trace *trace,
		   struct rt_replay **replay, struct rt_error *err)
{
	struct rt_replay *p = *replay = calloc(1, sizeof(*p));
	unsigned i;
	int r = 0;

	if (!p)
		return rt_nomem(err);
	p->v = calloc(n, sizeof(*p->v));
	p->to = calloc(n, sizeof(*p->to));
	if (!p->v || !p->to)
		return rt_nomem(err);
	for (i = 0; i < n && r == 0; i++) {
		p->n++;
		r = rt_recording_open(&p->v[i], paths[i], err);
	}
	if (r == 0 && n > 1 && join_functions(p) < 0)
		r = rt_nomem(err);
	if (n > 1) {
		join_traces(p, trace);
		return r;
	}
	trace->processes = p->v[0].processes;
	trace->first = p->v[0].first;
	trace->functions = &p->v[0].functions;
	trace->command = p->v[0].command;
	trace->files = &p->v[0].files;
	return r;
}

unsigned rt_replay_files(const struct rt_replay *p)
{
	return p->n;
}

const struct rt_call_cost *rt_replay_costs(const struct rt_replay *p, unsigned file)
{
	return p->v[file].costs;
}

void rt_replay_close(struct rt_replay *p)
{
	unsigned i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++) {
		rt_recording_free(&p->v[i]);
		if (p->maps)
			free(p->maps[i]);
	}
	free(p->v);
	free(p->to);
	free(p->maps);
	free(p->functions.v);
	rt_files_free(&p->files);
	free(p);
}

/* ---- the calls ---- */

/* A file has ended, or cannot be read further (`r`).  The other files continue. */
static int end_file(struct rt_replay *p, unsigned i, int r, const struct rt_error *err)
{
	int end = rt_recording_end(&p->v[i], r < 0, &p->to[i]);

	if (r == 0 || end < 0)
		return end;
	if (p->failed)
		return p->to[i].note(p->to[i].sinks, err->text);
	p->failed = r;
	*p->err = *err;
	return 0;
}

/*
 * Sinks tell threads apart by their ids: those of two containers, or a process that was recorded
 * twice, are one thread.
 */
static int note_shared(struct rt_replay *p, unsigned i)
{
	const struct rt_thread *thread = p->v[i].appeared;
	char text[160];
	unsigned k;

	if (p->shared || !thread)
		return 0;
	for (k = 0; k < p->n && (k == i || !rt_recording_has_thread(&p->v[k], thread)); k++)
		;
	if (k == p->n)
		return 0;
	p->shared = true;
	snprintf(text, sizeof(text), "thread %d is in %.50s and in %.50s: shown as one",
		 (int)thread->tid, base_name(p->v[k].label), base_name(p->v[i].label));
	return p->to[i].note(p->to[i].sinks, text);
}

/* Read the next event of a file, or end it.  0, or the negative errno of a sink. */
static int advance(struct rt_replay *p, unsigned i)
{
	struct rt_error err;
	int r = rt_recording_next(&p->v[i], &err);

	return r > 0 ? note_shared(p, i) : end_file(p, i, r, &err);
}

/* Give the event of a file, and read the next. */
static int step(struct rt_replay *p, unsigned i)
{
	int r = rt_recording_give(&p->v[i], &p->to[i]);

	return r < 0 ? r : advance(p, i);
}

/* The file with the earliest event, and the time of the next file; `n`: all have ended. */
static unsigned find_earliest(const struct rt_replay *p, uint64_t *until)
{
	unsigned i, best = p->n;

	*until = UINT64_MAX;
	for (i = 0; i < p->n; i++) {
		if (!p->v[i].has_event)
			continue;
		if (best == p->n || p->v[i].event.time < p->v[best].event.time) {
			*until = best == p->n ? UINT64_MAX : p->v[best].event.time;
			best = i;
		} else if (p->v[i].event.time < *until) {
			*until = p->v[i].event.time;
		}
	}
	return best;
}

int rt_replay_run(struct rt_replay *p, struct rt_trace *trace, const struct rt_replay_to *to,
		  struct rt_error *err)
{
	uint64_t until;
	unsigned i;
	int r = 0;

	set_clock(p, trace);
	p->err = err;
	p->failed = 0;
	for (i = 0; i < p->n; i++) {
		p->to[i] = *to;
		p->to[i].ctx = to->of_file ? to->of_file[i] : to->ctx;
	}
	for (i = 0; i < p->n && r == 0; i++)
		r = advance(p, i);
	while (r == 0 && (i = find_earliest(p, &until)) < p->n)
		while (r == 0 && p->v[i].has_event && p->v[i].event.time <= until)
			r = step(p, i);
	return r < 0 ? rt_nomem(err) : p->failed;
}
