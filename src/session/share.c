/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -a puts probes into programs of others, which pay for each hit.  The programs count all hits,
 * those without a record too.  The cost of one hit is measured on a child of rawtrace
 * (attach/calibrate.h): a probe on an instruction that the kernel emulates, and one on a return.
 *
 * Example: 20,000 hits in a second, half of them at returns of 9.3 us, half at entries of 0.7 us:
 * 100 ms, so the programs pay 10 % of a CPU.
 *
 * Limit: cold caches and our own programs' values are not in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sys.h"
#include "session/session_private.h"
#include "stream/record.h"

enum { SECOND = 1000000000, HUNDREDTHS = 10000 };

/* defaults from a fast machine, if nothing could be measured */
enum { PUSH_NS = 700, STEP_NS = 2000 };

/* The hits of processes of other control groups. */
static uint64_t read_strangers(const struct session *s)
{
	const int *map = s->attach->strangers;
	uint32_t key = 0;
	uint64_t n = 0;

	return map && *map >= 0 && rt_bpf_map_lookup(*map, &key, &n) == 0 ? n : 0;
}

static int read_hits(const struct session *s, uint64_t *hits, struct rt_error *err)
{
	struct rt_count_list list = { 0 };
	size_t i;
	int r;

	*hits = s->attach->source->gaps ? rt_gaps_hits(s->attach->source->gaps) : 0;
	*hits += read_strangers(s);
	if (!s->attach->counts)
		return 0;
	r = rt_counts_read(s->attach->counts, &list);
	if (r < 0)
		return rt_fail(err, r, "reading a BPF map: %s", strerror(-r));
	for (i = 0; i < list.n; i++)
		if (list.v[i].cell == RT_CELL_CALLS || list.v[i].cell >= RT_CELL_BUCKET)
			*hits += list.v[i].value;
	free(list.v);
	return 0;
}

static uint64_t sum_forms(const uint64_t *hits, uint32_t forms)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < RT_FORMS; i++)
		sum += forms & RT_FORM_BIT(i) ? hits[i] : 0;
	return sum;
}

/* The average cost of a hit, in ns, by the instructions that were hit so far. */
static uint64_t cost_of_hit(struct session *s)
{
	const struct rt_trap_costs *c = &s->calibration.costs;
	const struct rt_form_hits *forms = rt_feed_hits(s->feed);
	uint64_t push = c->push_ns ? c->push_ns : PUSH_NS;
	uint64_t step = c->return_ns ? c->return_ns : STEP_NS;
	uint32_t cheap = RT_FORMS_ASSUMED;
	uint64_t emulated = sum_forms(forms->entries, cheap) + sum_forms(forms->exits, cheap);
	uint64_t stepped = sum_forms(forms->entries, ~cheap) + sum_forms(forms->exits, ~cheap);

	if (!emulated && !stepped)
		return step;
	return (emulated * push + stepped * step) / (emulated + stepped);
}

/* In 1/100 % of a CPU. */
static uint64_t share_of(struct session *s, uint64_t hits, uint64_t ns)
{
	return (uint64_t)((double)hits * (double)cost_of_hit(s) * HUNDREDTHS / (double)ns);
}

int rt_session_begin_share(struct session *s, struct rt_error *err)
{
	struct rt_share *share = &s->share;
	int r;

	if (!s->options->all)
		return 0;
	share->began = share->last = rt_now();
	r = read_hits(s, &share->hits, err);
	share->last_hits = share->hits;
	return r;
}

int rt_session_check_budget(struct session *s, struct rt_error *err)
{
	struct rt_share *share = &s->share;
	uint64_t now = rt_now(), hits, part;
	int r;

	if (!s->options->all || now - share->last < SECOND)
		return 0;
	r = read_hits(s, &hits, err);
	if (r < 0)
		return r;
	part = share_of(s, hits - share->last_hits, now - share->last);
	share->last = now;
	share->last_hits = hits;
	if (part > share->peak)
		share->peak = part;
	share->exceeded = s->options->budget && part > s->options->budget;
	return 0;
}

int rt_session_report_share(struct session *s, struct rt_error *err)
{
	const struct rt_share *share = &s->share;
	uint64_t ns = rt_now() - share->began, hits, part, peak;
	char text[200], others[64] = "";
	int r;

	if (!s->options->all)
		return 0;
	r = read_hits(s, &hits, err);
	if (r < 0)
		return r;
	hits -= share->hits;
	if (s->group)
		snprintf(others, sizeof(others), ", %" PRIu64 " of other groups",
			 read_strangers(s));
	part = share_of(s, hits, ns ? ns : 1);
	peak = share->peak > part ? share->peak : part;
	snprintf(text, sizeof(text),
		 "the programs paid %" PRIu64 ".%02" PRIu64 " %% of a CPU, at most %" PRIu64
		 ".%02" PRIu64 " %%: %" PRIu64 " hits%s, %.1f us each",
		 part / 100, part % 100, peak / 100, peak % 100, hits, others,
		 cost_of_hit(s) / 1e3);
	r = rt_session_note(s, text);
	if (r < 0 || !share->exceeded)
		return r;
	snprintf(text, sizeof(text),
		 "--budget=%u.%02u%% exceeded in the last second: the trace ends here",
		 s->options->budget / 100, s->options->budget % 100);
	return rt_session_note(s, text);
}
