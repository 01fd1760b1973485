/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/text.h"
#include "output/value.h"

struct open_call {
	struct rt_node *node;
	uint64_t time, inside;		/* of the entry; ns of the calls inside it */
};

/* The open calls of a thread, which thread->user leads to. */
struct rt_open_calls {
	struct rt_open_calls *next, *before;
	struct rt_node *root;
	uint64_t last;			/* time of its last event: no call ends before it began */
	struct open_call *v;
	size_t n, cap;
};

/* From function number `first` on. */
static int find_first_sites(struct rt_sink *sink, uint32_t first)
{
	struct rt_profile *p = sink->state;
	uint32_t *v = realloc(p->first_sites, ((size_t)p->functions + 1) * sizeof(*v)), i;

	if (!v)
		return -ENOMEM;
	p->first_sites = v;
	for (i = first; i < p->functions; i++)
		v[i] = rt_functions_first_site(sink->trace->functions, i);
	return 0;
}

int rt_profile_begin_size(struct rt_sink *sink, size_t size)
{
	const struct rt_functions *functions = sink->trace->functions;
	struct rt_profile *p = calloc(1, size);

	sink->state = p;
	if (!p)
		return -ENOMEM;
	sink->names = &p->names;
	p->functions = functions ? (uint32_t)functions->n : 0;
	p->durations = calloc((size_t)p->functions + 1, sizeof(*p->durations));
	return p->durations ? find_first_sites(sink, 0) : -ENOMEM;
}

int rt_profile_grow(struct rt_sink *sink)
{
	struct rt_profile *p = sink->state;
	size_t n = sink->trace->functions->n;
	struct rt_durations *v = calloc(n + 1, sizeof(*v));
	uint32_t first;

	if (!v)
		return -ENOMEM;
	memcpy(v, p->durations, p->functions * sizeof(*v));
	v[n] = p->durations[p->functions];
	free(p->durations);
	p->durations = v;
	first = p->functions;
	p->functions = (uint32_t)n;
	return find_first_sites(sink, first);
}

int rt_profile_begin(struct rt_sink *sink)
{
	return rt_profile_begin_size(sink, sizeof(struct rt_profile));
}

/* ---- nodes ---- */

struct rt_node *rt_node_next(const struct rt_node *node)
{
	if (node->first)
		return node->first;
	while (!node->next && node->parent)
		node = node->parent;
	return node->next;
}

static struct rt_node *add_node(struct rt_profile *p, struct rt_node *parent, uint32_t function)
{
	struct rt_node **list = parent ? &parent->first : &p->roots;
	struct rt_node *node = calloc(1, sizeof(*node));
	const struct rt_node *above;

	if (!node)
		return NULL;
	node->function = function;
	node->parent = parent;
	node->next = *list;
	*list = node;
	p->nodes++;
	for (above = parent; above && above->parent; above = above->parent)
		node->depth += above->function == function;
	node->outer = node->depth == 0;
	return node;
}

/* The node of `function` below `parent`, which becomes its first: calls come in runs. */
struct rt_node *rt_profile_node(struct rt_profile *p, struct rt_node *parent, uint32_t function)
{
	struct rt_node **at, *node;

	for (at = &parent->first; *at && (*at)->function != function; at = &(*at)->next)
		;
	node = *at;
	if (!node)
		return add_node(p, parent, function);
	*at = node->next;
	node->next = parent->first;
	parent->first = node;
	return node;
}

static struct rt_node *get_root(struct rt_profile *p, const char *name)
{
	struct rt_node *root;

	for (root = p->roots; root; root = root->next)
		if (strcmp(root->thread, name) == 0)
			return root;
	root = add_node(p, NULL, RT_NO_FUNCTION);
	if (!root)
		return NULL;
	root->thread = strdup(name);
	return root->thread ? root : NULL;
}

/* ---- threads ---- */

static const char *name_of(const struct rt_sink *sink, const struct rt_thread *thread)
{
	const char *command = sink->trace->command, *base;

	if (thread->comm[0])
		return thread->comm;
	base = command ? strrchr(command, '/') : NULL;
	return base ? base + 1 : command ? command : "?";
}

static struct rt_open_calls *get_thread(struct rt_sink *sink, struct rt_thread *thread)
{
	struct rt_profile *p = sink->state;
	struct rt_open_calls *open = thread->user[sink->index];

	if (!open) {
		thread->user[sink->index] = open = calloc(1, sizeof(*open));
		if (!open)
			return NULL;
		open->next = p->threads;
		if (open->next)
			open->next->before = open;
		p->threads = open;
	}
	/* A thread may take its name late; calls that are open stay where they are. */
	if (!open->n)
		open->root = get_root(p, name_of(sink, thread));
	return open->root ? open : NULL;
}

static void free_thread(struct rt_profile *p, struct rt_open_calls *open)
{
	if (open->before)
		open->before->next = open->next;
	else
		p->threads = open->next;
	if (open->next)
		open->next->before = open->before;
	free(open->v);
	free(open);
}

void rt_profile_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	struct rt_open_calls *open = thread->user[sink->index];

	if (open)
		free_thread(sink->state, open);
	thread->user[sink->index] = NULL;
}

static uint64_t time_of(struct rt_open_calls *open, uint64_t time)
{
	if (time > open->last)
		open->last = time;
	return open->last;
}

/* ---- calls ---- */

static struct rt_durations *durations_of(const struct rt_profile *p, uint32_t function)
{
	if (function != RT_NO_FUNCTION && function >= RT_CALL_NAME)
		return &p->named[function - RT_CALL_NAME];
	return &p->durations[function < p->functions ? function : p->functions];
}

uint32_t rt_profile_innermost(const struct rt_sink *sink, const struct rt_thread *thread)
{
	const struct rt_open_calls *open = thread->user[sink->index];

	return open && open->n ? open->v[open->n - 1].node->function : RT_NO_FUNCTION;
}

size_t rt_profile_places(const struct rt_profile *p)
{
	return (size_t)p->functions + p->nnamed + 1;
}

size_t rt_profile_place(const struct rt_profile *p, uint32_t function)
{
	if (function < p->functions)
		return function;
	if (function != RT_NO_FUNCTION && function >= RT_CALL_NAME)
		return p->functions + (size_t)(function - RT_CALL_NAME);
	return p->functions + p->nnamed;
}

uint32_t rt_profile_at(const struct rt_profile *p, size_t place)
{
	if (place < p->functions)
		return (uint32_t)place;
	place -= p->functions;
	return place < p->nnamed ? RT_CALL_NAME + (uint32_t)place : RT_NO_FUNCTION;
}

/* Bucket 8 * k + i begins at 2^k + i * 2^(k-3); below 8 ns each number has its own. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned k;

	if (ns < 8)
		return (unsigned)ns;
	k = 63 - (unsigned)__builtin_clzll(ns);
	return 8 * k + (unsigned)(ns >> (k - 3) & 7);
}

/* The longest duration of the bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned k = bucket / 8;

	if (k < 3)
		return bucket;
	return ((UINT64_C(9) + bucket % 8) << (k - 3)) - 1;
}

static int add_duration(struct rt_durations *d, uint64_t ns)
{
	if (!d->buckets)
		d->buckets = calloc(RT_DURATION_BUCKETS, sizeof(*d->buckets));
	if (!d->buckets)
		return -ENOMEM;
	if (!d->n || ns < d->min)
		d->min = ns;
	if (ns > d->max)
		d->max = ns;
	d->n++;
	d->sum += ns;
	d->buckets[bucket_of(ns)]++;
	return 0;
}

uint64_t rt_durations_percentile(const struct rt_durations *d, unsigned percent)
{
	uint64_t want = (d->n * percent + 99) / 100, seen = 0, end;
	unsigned i;

	for (i = 0; d->n && i < RT_DURATION_BUCKETS; i++) {
		seen += d->buckets[i];
		if (seen < want)
			continue;
		end = bucket_end(i);
		return end < d->min ? d->min : end > d->max ? d->max : end;
	}
	return 0;
}

/* The function of a call, or its name. */
static int find_name(struct rt_sink *sink, const struct rt_thread *thread,
		     const struct rt_frame *frame, const struct rt_values *args, uint32_t *number)
{
	struct rt_profile *p = sink->state;
	int r = rt_call_names_find(&p->names, sink->trace, thread->pid, frame->function, args,
				   number);

	if (*number < p->functions)
		*number = p->first_sites[*number];
	while (r == 0 && p->nnamed < p->names.n) {
		r = RT_ROOM(&p->named, p->nnamed, &p->named_cap);
		if (r == 0)
			p->named[p->nnamed++] = (struct rt_durations){ .n = 0 };
	}
	return r < 0 ? -ENOMEM : 0;
}

int rt_profile_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args)
{
	struct rt_open_calls *open = get_thread(sink, thread);
	struct rt_node *node;
	uint32_t function;

	if (!open || find_name(sink, thread, frame, args, &function) < 0)
		return -ENOMEM;
	node = rt_profile_node(sink->state, open->n ? open->v[open->n - 1].node : open->root,
			       function);
	if (!node)
		return -ENOMEM;
	node->calls++;
	/* An entry-only call is left at once, and takes no time. */
	if (!frame->returns)
		return 0;
	if (RT_ROOM(&open->v, open->n, &open->cap) < 0)
		return -ENOMEM;
	open->v[open->n++] = (struct open_call){ node, time_of(open, frame->time), 0 };
	return 0;
}

static void find_failure(void *ctx, const struct rt_value *value)
{
	bool *failed = ctx;

	*failed |= value->kind == RT_VALUE_FAILED;
}

int rt_profile_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct rt_open_calls *open = get_thread(sink, thread);
	struct open_call *call;
	bool failed = false;
	uint64_t ns;

	if (!open)
		return -ENOMEM;
	if (!frame->entry_seen || !open->n)
		return 0;
	call = &open->v[--open->n];
	ns = time_of(open, time) - call->time;
	call->node->self += ns - (call->inside < ns ? call->inside : ns);
	call->node->total += ns;
	if (open->n)
		open->v[open->n - 1].inside += ns;
	if (result && (result->plan || result->coded))
		rt_values_of_return(sink->trace, thread->pid, frame->function, result, find_failure,
				    &failed);
	call->node->failed += failed;
	if (end == RT_END_NOT_SEEN || end == RT_END_UNFINISHED || frame->unsure) {
		call->node->unfinished++;
		return 0;
	}
	return add_duration(durations_of(sink->state, call->node->function), ns);
}

int rt_profile_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_profile *p = sink->state;

	(void)thread;
	(void)time;
	p->lost += count;
	p->any_lost = true;
	return 0;
}

/* ---- the end ---- */

int rt_profile_note(struct rt_sink *sink, const char *text)
{
	struct rt_profile *p = sink->state;
	char *copy = strdup(text);

	if (!copy || RT_ROOM(&p->notes, p->nnotes, &p->notes_cap) < 0) {
		free(copy);
		return -ENOMEM;
	}
	p->notes[p->nnotes++] = copy;
	return 0;
}

void rt_profile_print_notes(const struct rt_sink *sink, const char *mark)
{
	const struct rt_profile *p = sink->state;
	size_t i;

	for (i = 0; i < p->nnotes; i++)
		fprintf(sink->file, "%s%s\n", mark, p->notes[i]);
	if (!p->any_lost)
		return;
	fprintf(sink->file, "%s*** ", mark);
	rt_put_lost(sink->file, p->lost);
	rt_put(sink->file, " ***\n");
}

static const char *node_name(const struct rt_sink *sink, const struct rt_node *node)
{
	return node->thread ? node->thread : rt_sink_function(sink, node->function);
}

static uint64_t node_key(const struct rt_sink *sink, const struct rt_node *node)
{
	switch (sink->trace->sort) {
	case RT_SORT_CALLS:
		return node->calls;
	case RT_SORT_SELF:
		return node->self;
	default:
		return node->total;
	}
}

/* Is `a` to be printed before `b`? */
static bool is_before(const struct rt_sink *sink, const struct rt_node *a, const struct rt_node *b)
{
	uint64_t x = node_key(sink, a), y = node_key(sink, b);
	int names;

	if (x != y)
		return x > y;
	names = strcmp(node_name(sink, a), node_name(sink, b));
	return names ? names < 0 : a->function < b->function;
}

/* A list of nodes sorted by merging halves: qsort(3) has no context for the names. */
static struct rt_node *sort_list(const struct rt_sink *sink, struct rt_node *list)
{
	struct rt_node *half = list, *end, *a, *b, *sorted = NULL, **tail = &sorted;

	if (!list || !list->next)
		return list;
	for (end = list->next; end && end->next; end = end->next->next)
		half = half->next;
	b = half->next;
	half->next = NULL;
	a = sort_list(sink, list);
	b = sort_list(sink, b);
	while (a && b) {
		struct rt_node **from = is_before(sink, b, a) ? &b : &a;

		*tail = *from;
		*from = (*from)->next;
		tail = &(*tail)->next;
	}
	*tail = a ? a : b;
	return sorted;
}

void rt_profile_sort(const struct rt_sink *sink, struct rt_profile *profile)
{
	struct rt_node *node, *root, *child;

	for (root = profile->roots; root; root = root->next)
		for (root->total = 0, child = root->first; child; child = child->next)
			root->total += child->total;
	profile->roots = sort_list(sink, profile->roots);
	for (node = profile->roots; node; node = rt_node_next(node))
		node->first = sort_list(sink, node->first);
}

struct row_key {
	struct rt_profile_row row;
	uint64_t key, second;
	const char *name;
};

static uint64_t row_key(enum rt_sort sort, const struct rt_profile_row *row)
{
	const struct rt_durations *d = row->durations;

	switch (sort) {
	case RT_SORT_TOTAL:
		return row->total;
	case RT_SORT_CALLS:
		return row->calls;
	case RT_SORT_SELF:
		return row->self;
	case RT_SORT_AVG:
		return d->n ? d->sum / d->n : 0;
	case RT_SORT_MIN:
		return d->min;
	case RT_SORT_P50:
		return rt_durations_percentile(d, 50);
	case RT_SORT_P99:
		return rt_durations_percentile(d, 99);
	case RT_SORT_MAX:
		return d->max;
	case RT_SORT_FAILED:
		return row->failed;
	case RT_SORT_FUNCTION:
		break;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	if (x->second != y->second)
		return x->second < y->second ? 1 : -1;
	return strcmp(x->name, y->name);
}

ssize_t rt_profile_rows(const struct rt_sink *sink, struct rt_profile_row **rows)
{
	const struct rt_profile *p = sink->state;
	size_t places = rt_profile_places(p);
	struct row_key *keys = calloc(places, sizeof(*keys));
	enum rt_sort sort = sink->trace->sort;
	const struct rt_node *node;
	size_t i, n = 0;

	*rows = calloc(places, sizeof(**rows));
	if (!keys || !*rows) {
		free(keys);
		free(*rows);
		return -ENOMEM;
	}
	for (i = 0; i < places; i++) {
		uint32_t function = rt_profile_at(p, i);

		keys[i].row.function = function;
		keys[i].row.durations = durations_of(p, function);
		keys[i].name = rt_sink_function(sink, function);
	}
	for (node = p->roots; node; node = rt_node_next(node)) {
		struct rt_profile_row *row = &keys[rt_profile_place(p, node->function)].row;

		if (!node->parent)
			continue;
		row->calls += node->calls;
		row->failed += node->failed;
		row->unfinished += node->unfinished;
		row->self += node->self;
		row->total += node->outer ? node->total : 0;
	}
	for (i = 0; i < places; i++) {
		keys[i].key = row_key(sort, &keys[i].row);
		keys[i].second = sort == RT_SORT_FUNCTION ? 0 : keys[i].row.calls;
	}
	qsort(keys, places, sizeof(*keys), compare_rows);
	for (i = 0; i < places; i++)
		if (keys[i].row.calls)
			(*rows)[n++] = keys[i].row;
	free(keys);
	return (ssize_t)n;
}

void rt_profile_free_nodes(struct rt_profile *p)
{
	struct rt_node *node, *next;

	/* A node's children before the node: each is unlinked from its parent when it goes. */
	for (node = p->roots; node; node = next) {
		if (node->first) {
			next = node->first;
			node->first = NULL;
			continue;
		}
		next = node->next ? node->next : node->parent;
		free((char *)node->thread);
		free(node);
	}
	p->roots = NULL;
	p->nodes = 0;
}

void rt_profile_free(struct rt_sink *sink)
{
	struct rt_profile *p = sink->state;
	size_t i;

	if (!p)
		return;
	while (p->threads)
		free_thread(p, p->threads);
	rt_profile_free_nodes(p);
	for (i = 0; p->durations && i <= p->functions; i++)
		free(p->durations[i].buckets);
	free(p->durations);
	free(p->first_sites);
	for (i = 0; i < p->nnamed; i++)
		free(p->named[i].buckets);
	free(p->named);
	rt_call_names_free(&p->names);
	sink->names = NULL;
	for (i = 0; i < p->nnotes; i++)
		free(p->notes[i]);
	free(p->notes);
	free(p);
	sink->state = NULL;
}

const char *rt_duration_text(uint64_t ns, char *buf)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t whole = ns, part = 0;
	unsigned unit = 0;

	while (whole >= 1000 && unit < RT_COUNT(units) - 1) {
		part = whole % 1000;
		whole /= 1000;
		unit++;
	}
	if (unit)
		snprintf(buf, 32, "%" PRIu64 ".%03u %s", whole, (unsigned)part, units[unit]);
	else
		snprintf(buf, 32, "%" PRIu64 " ns", ns);
	return buf;
}
