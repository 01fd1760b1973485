/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "plan/runtimes.h"
#include "plan/sites.h"
#include "base/say.h"

/*
 * Remarks to the user before the program is traced.  Each is a call of `note`; the first that fails
 * ends them.
 */
struct notes {
	int (*note)(void *ctx, const char *text);
	void *ctx;
	int r;
};

static void note_text(struct notes *notes, const char *fmt, ...) RT_PRINTF(2, 3);

static void note_text(struct notes *notes, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (notes->r < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	notes->r = notes->note(notes->ctx, text);
}

static const char *in_part(const struct rt_wanted *wanted)
{
	return wanted->purpose == RT_PURPOSE_TIME ? "not timed" : "only entries are traced";
}

/* Why the end of a function's calls is not seen. */
static void reason_text(const struct rt_wanted *wanted, const struct rt_traced *traced,
			const struct rt_function *f, char *buf, size_t size)
{
	bool both = f->why_not && strcmp(f->why_not, f->how_why) != 0;

	if (f->go && traced->goroutines_mixed) {
		snprintf(buf, size, "%s", f->why_not);
		return;
	}
	snprintf(buf, size, "%s%s%s%s",
		 traced->entry_only[0] && wanted->want == RT_WANT_AUTO ? "uretprobe unsafe: " : "",
		 f->how_why, both ? "; exits not known: " : "", both ? f->why_not : "");
}

enum { NAMED = 3 };

/* Functions that share a reason: how many, and the first few names. */
struct reason {
	char text[1024], names[640];
	const char *named[NAMED];
	size_t n, at;
};

/* The implementations of an IFUNC have one name. */
static void note_name(struct reason *reason, const char *name)
{
	size_t i;

	for (i = 0; i < reason->n && i < NAMED; i++)
		if (strcmp(reason->named[i], name) == 0)
			return;
	if (reason->n < NAMED) {
		reason->named[reason->n] = name;
		reason->at += (size_t)snprintf(reason->names + reason->at,
					       sizeof(reason->names) - reason->at, "%s%.200s",
					       reason->at ? ", " : "", name);
	}
	reason->n++;
}

static void note_shared(struct notes *notes, const struct reason *reason)
{
	char more[32] = "";

	if (reason->n > NAMED)
		snprintf(more, sizeof(more), " and %zu more", reason->n - NAMED);
	note_text(notes, "%s%s: %s", reason->names, more, reason->text);
}

/*
 * Nobody asks for the types of what is only counted; that of its own functions the program inlines
 * may be why there are no calls.
 */
static bool is_inlined(const struct rt_wanted *wanted, const struct rt_traced *traced,
		       struct rt_sites *sites, size_t i)
{
	const struct rt_function *f = &sites->functions.v[i];
	struct rt_prototype prototype;

	if (!f->named || f->hidden)
		return false;
	if (i < sites->nprototypes)
		return sites->prototypes[i].inlined;
	/* The image keeps the types. */
	if (!sites->prototype_types)
		sites->prototype_types = rt_types_new();
	return wanted->purpose != RT_PURPOSE_RECORD && sites->prototype_types &&
	       f->image == rt_program_executable(&traced->program) &&
	       rt_dwarf_prototype(f->image, f->addr, sites->prototype_types, &prototype, NULL) ==
		       0 &&
	       prototype.inlined;
}

/* Functions that the user has named, of which there may be calls that no probe sees. */
static void note_inlined(struct notes *notes, const struct rt_wanted *wanted,
			 const struct rt_traced *traced, struct rt_sites *sites)
{
	struct reason reason = { .text = "calls that the compiler has inlined are not seen" };
	size_t i;

	for (i = 0; i < sites->functions.n; i++)
		if (is_inlined(wanted, traced, sites, i) &&
		    (!strchr(sites->functions.v[i].name, '.') ||
		     rt_dwarf_copy_inlined(sites->functions.v[i].image,
					   sites->functions.v[i].addr)))
			note_name(&reason, sites->functions.v[i].name);
	if (reason.n)
		note_shared(notes, &reason);
}

/* Nobody expects the end of a place; but a time has none without it. */
static bool is_entry_only(const struct rt_wanted *wanted, const struct rt_function *f)
{
	return f->how == RT_HOW_NONE && !f->hidden &&
	       (!f->inside || wanted->purpose == RT_PURPOSE_TIME);
}

static const char in_libraries[] =
	"without BPF probes in libraries are in every process that uses them";

/*
 * One line, with the reason where all share it and there is room.  `left`: the returns of
 * libraries were given up.
 */
static void note_entry_only(struct notes *notes, const struct rt_wanted *wanted,
			    const struct rt_traced *traced, const struct rt_sites *sites, bool left)
{
	enum { PREFIX = sizeof("rawtrace: ") - 1 };
	char why[1024], reason[1024] = "", who[640];
	const char *name = NULL;
	size_t i, n = 0;
	bool same = true;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (is_entry_only(wanted, f))
			reason_text(wanted, traced, f, why, sizeof(why));
		else if (left && !f->hidden && f->how == RT_HOW_URETPROBE &&
			 f->image != rt_program_executable(&traced->program))
			snprintf(why, sizeof(why), "%s", in_libraries);
		else
			continue;
		same &= !n || strcmp(why, reason) == 0;
		snprintf(reason, sizeof(reason), "%s", why);
		name = f->name;
		n++;
	}
	if (!n)
		return;
	snprintf(who, sizeof(who), "%zu of %zu functions", n,
		 rt_functions_shown(&sites->functions));
	if (n == 1 && strlen(name) < RT_REMARK_MAX / 2)
		snprintf(who, sizeof(who), "%s", name);
	if (!same ||
	    PREFIX + strlen(who) + strlen(in_part(wanted)) + strlen(reason) + 4 > RT_REMARK_MAX)
		note_text(notes, "%s: %s; -v says why", who, in_part(wanted));
	else
		note_text(notes, "%s: %s: %s", who, in_part(wanted), reason);
}

/* Debug information that is there and tells nothing. */
static void note_troubles(struct notes *notes, const struct rt_traced *traced)
{
	struct rt_error err;
	size_t i;

	for (i = 0; i < traced->program.n; i++)
		if (rt_dwarf_trouble(traced->program.v[i], &err))
			note_text(notes, "%s", err.text);
}

static void note_images(struct notes *notes, const struct rt_traced *traced)
{
	size_t i;

	for (i = 0; i < traced->program.n; i++)
		if (rt_image_is_late(traced->program.v[i]))
			note_text(notes,
				  "%.600s: not loaded yet; calls are traced once the program loads "
				  "it",
				  rt_image_name(traced->program.v[i]));
	if (traced->program.uneven)
		note_text(notes,
			  "process %d: its libraries differ from those of process %d; names are "
			  "those of process %d",
			  (int)traced->program.uneven, (int)rt_pids_first(&traced->pids),
			  (int)rt_pids_first(&traced->pids));
}

/* Their goroutines have numbers that those of the first have too. */
static void note_runtimes(struct notes *notes, const struct rt_traced *traced)
{
	const struct rt_runtime *r;

	for (r = traced->runtimes; r < traced->runtimes + traced->nruntimes; r++)
		if (r->number && r->image == r->owner && traced->goroutines)
			note_text(notes,
				  "%.600s: has its own Go runtime; its goroutines are shown as g%u",
				  rt_image_name(r->image), r->number + 1);
}

static void note_lacking_hooks(struct notes *notes, const struct rt_wanted *wanted,
			       const struct rt_traced *traced, bool everywhere)
{
	const char *name = rt_image_name(rt_program_executable(&traced->program)),
		   *file = strrchr(name, '/');

	if (traced->lacks_hooks)
		note_text(notes, "no BPF: exceptions and stack switches in libraries are not "
				 "traced; calls may lack an exit");
	if (traced->switches)
		note_text(notes, "%.40s: switches stacks%s%.40s; calls may nest wrongly there",
			  file ? file + 1 : name, *traced->switches ? " in " : "",
			  traced->switches);
	if (traced->lacks_longjmp_hooks)
		note_text(notes, "longjmp: not hooked: %s; calls that it unwinds may lack an exit",
			  wanted->everywhere || everywhere
				  ? "it would be in every process"
				  : "its exits are not known");
}

/*
 * The probes are in every process that maps their files, so libraries have no uretprobes and no
 * hooks. True: a uretprobe was given up.
 */
static bool leave_libraries(struct rt_traced *traced, const struct rt_sites *sites)
{
	bool some = false;
	size_t i;

	for (i = 0; i < sites->functions.n; i++) {
		const struct rt_function *f = &sites->functions.v[i];

		if (f->image == rt_program_executable(&traced->program))
			continue;
		if (f->role)
			*(strstr(f->name, "longjmp") ? &traced->lacks_longjmp_hooks
						     : &traced->lacks_hooks) = true;
		if (f->how != RT_HOW_URETPROBE)
			continue;
		some = true;
		sites->returns[i] = false;
	}
	return some;
}

int rt_sites_notes(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		   bool everywhere, bool verbose, int (*note)(void *ctx, const char *text),
		   void *ctx)
{
	struct notes notes = { .note = note, .ctx = ctx };
	bool left = everywhere && leave_libraries(traced, sites);

	if (sites->functions.note)
		note_text(&notes, "%s", sites->functions.note);
	if (sites->dropped)
		note_text(&notes, "%s", sites->dropped);
	if (sites->functions.reason && verbose)
		rt_say("%s: each of these %s", sites->functions.note, sites->functions.reason);
	if (sites->imports_nothing)
		note_text(&notes,
			  "--libcalls: %s imports nothing; only its own functions are traced",
			  rt_image_name(rt_program_executable(&traced->program)));
	note_images(&notes, traced);
	note_inlined(&notes, wanted, traced, sites);
	if (wanted->purpose == RT_PURPOSE_COUNT || wanted->counts)
		return notes.r;
	note_troubles(&notes, traced);
	note_runtimes(&notes, traced);
	note_lacking_hooks(&notes, wanted, traced, everywhere);
	if (wanted->want == RT_WANT_URETPROBE && traced->entry_only[0] &&
	    rt_sites_has_returns(sites))
		note_text(&notes, "--return=uretprobe: can harm the program: %s",
			  traced->entry_only);
	note_entry_only(&notes, wanted, traced, sites, left);
	if (left && verbose)
		rt_say("functions of libraries: %s: %s", in_part(wanted), in_libraries);
	return notes.r;
}
