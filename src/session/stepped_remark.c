/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/stepped_remark.h"

#include <inttypes.h>
#include <stdio.h>

#include "attach/calibrate.h"

/* Fewer hits are not worth the milliseconds of measuring. */
enum { HITS_MIN = 1000 };

/*
 * The cost of single-stepping a hit, if it cannot be measured: 2 us on fast machines, 9 us on
 * virtual ones.  The uprobe PMU, which measures before 6.6, mostly takes CAP_SYS_ADMIN, which is
 * dropped by then; without BPF no perf event may be used.
 */
enum { STEP_NS = 8000 };

/* More than it adds to a hit on any machine that was measured, emulated ones too. */
enum { STEP_MOST_NS = 50000 };

static uint64_t sum_stepped(const uint64_t *hits, uint32_t emulated)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < RT_FORMS; i++)
		n += emulated & RT_FORM_BIT(i) ? 0 : hits[i];
	return n;
}

/* Are they a tenth of the probes?  A uretprobe is where its function's entry probe is. */
static bool are_many(const struct rt_sites *sites, uint32_t emulated)
{
	unsigned i, n = 0, stepped = 0;

	for (i = 0; i < sites->n; i++) {
		const struct rt_function *f = &sites->functions.v[sites->v[i].function];
		const struct rt_exit *exit = rt_sites_exit(sites, &sites->v[i]);

		if (f->role || (!exit && sites->plans[sites->v[i].plan].kind == RT_KIND_RETURN))
			continue;
		n++;
		stepped += !(emulated & RT_FORM_BIT(exit ? exit->place.form : f->form));
	}
	return stepped && stepped * 10 >= n;
}

/* The remedy. */
static const char *way_out(const struct rt_wanted *wanted, bool entries, bool exits, bool exact)
{
	if (exits && wanted->want == RT_WANT_INSN)
		return "--return=auto may help";
	if (exits && wanted->purpose == RT_PURPOSE_TIME)
		return entries ? "rawtrace count avoids some" : "rawtrace count avoids it";
	if (exits)
		return entries ? "--return=none avoids some" : "--return=none avoids it";
	return exact ? "--entry=auto may avoid it" : "trace fewer functions";
}

bool rt_stepped_remark(const struct rt_wanted *wanted, const struct rt_traced *traced,
		       const struct rt_sites *sites, const struct rt_form_hits *hits, uint64_t ns,
		       bool no_bpf, bool exact, char *buf, size_t size)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&traced->program));
	struct rt_calibration c = { 0 };
	uint32_t emulated = RT_FORMS_ASSUMED;
	uint64_t entries = sum_stepped(hits->entries, emulated);
	uint64_t exits = sum_stepped(hits->exits, emulated), n, each = STEP_NS;
	bool at_entries, at_exits;
	char cost[48] = "";

	if (!arch->form || entries + exits < HITS_MIN || !are_many(sites, emulated))
		return false;
	if ((entries + exits) * STEP_MOST_NS < ns / 10)
		return false;
	if (!no_bpf && arch->machine == rt_arch_native())
		emulated = rt_calibrate(traced->program.nops, true, &c);
	rt_calibration_end(&c);
	emulated = c.measured ? emulated | RT_FORM_BIT(RT_FORM_EMULATED) : RT_FORMS_ASSUMED;
	if (c.costs.return_ns && !c.costs.return_stepped)
		emulated |= RT_FORM_BIT(RT_FORM_RET);
	if (c.costs.return_ns && c.costs.return_stepped) {
		each = c.costs.return_ns > c.costs.push_ns ? c.costs.return_ns - c.costs.push_ns
							   : 0;
		snprintf(cost, sizeof(cost), ", %.1f us each", c.costs.return_ns / 1e3);
	}
	entries = sum_stepped(hits->entries, emulated);
	exits = sum_stepped(hits->exits, emulated);
	n = entries + exits;
	if (n < HITS_MIN || n * each < ns / 10 || !are_many(sites, emulated))
		return false;
	at_entries = entries >= n / 10;
	at_exits = exits >= n / 10;
	snprintf(buf, size, "%" PRIu64 " hits%s were single-stepped%s: %s", n,
		 at_entries && at_exits ? ""
		 : at_exits		? " at exits"
					: " at entries",
		 cost, way_out(wanted, at_entries, at_exits, exact));
	return true;
}
