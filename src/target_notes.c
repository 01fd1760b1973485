/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/dwarf.h"
#include "target.h"
#include "util/array.h"

/* What the user is told of a target before it is traced. */

static const char *in_part(const struct rt_target *t)
{
	return t->purpose == RT_PURPOSE_TIME ? "not timed" : "only entries are traced";
}

/* Why the end of a function's calls is not seen. */
static void reason_text(const struct rt_target *t, const struct rt_function *f, char *buf, size_t size)
{
	bool both = f->why_not && strcmp(f->why_not, f->how_why) != 0;
	int n = snprintf(buf, size, "%s: ", in_part(t));

	buf += n;
	size -= (size_t)n;
	if (f->go && t->goroutines_mixed) {
		snprintf(buf, size, "%s", f->why_not);
		return;
	}
	snprintf(buf, size, "%s%s%s%s", t->entry_only[0] && t->want == RT_WANT_AUTO ? "a uretprobe could harm the program: " : "", f->how_why,
		 both ? "; and the instructions that leave it are not known: " : "", both ? f->why_not : "");
}

enum {
	NAMED = 3,
	REASONS = 4,	/* lines about them, at most */
};

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
		reason->at += (size_t)snprintf(reason->names + reason->at, sizeof(reason->names) - reason->at, "%s%.200s",
					       reason->at ? ", " : "", name);
	}
	reason->n++;
}

static struct reason *reason_of(struct reason **v, size_t *n, size_t *cap, const char *text)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (strcmp((*v)[i].text, text) == 0)
			return &(*v)[i];
	if (RT_ROOM(v, *n, cap) < 0)
		return NULL;
	memset(&(*v)[*n], 0, sizeof(**v));
	snprintf((*v)[*n].text, sizeof((*v)[*n].text), "%.1023s", text);
	return &(*v)[(*n)++];
}

static int note_shared(const struct reason *reason, int (*note)(void *ctx, const char *text), void *ctx)
{
	char text[2048], more[32] = "";

	if (reason->n > NAMED)
		snprintf(more, sizeof(more), " and %zu more", reason->n - NAMED);
	snprintf(text, sizeof(text), "%s%s: %s", reason->names, more, reason->text);
	return note(ctx, text);
}

/* Nobody asks for the types of what is only counted; that of its own functions the program inlines may be why there are no calls. */
static bool is_inlined(struct rt_target *t, size_t i)
{
	const struct rt_function *f = &t->functions.v[i];
	struct rt_prototype prototype;

	if (!f->named || f->hidden)
		return false;
	if (i < t->nprototypes)
		return t->prototypes[i].inlined;
	/* The image keeps the types. */
	if (!t->prototype_types)
		t->prototype_types = rt_types_new();
	return t->purpose != RT_PURPOSE_RECORD && t->prototype_types && f->image == t->images.v[0] &&
	       rt_dwarf_prototype(f->image, f->addr, t->prototype_types, &prototype, NULL) == 0 && prototype.inlined;
}

/* Functions that the user has named, of which there may be calls that no probe sees. */
static int note_inlined(struct rt_target *t, int (*note)(void *ctx, const char *text), void *ctx)
{
	struct reason reason = { .text = "where the compiler has inlined it, as debug information says, its calls are not seen" };
	size_t i;

	for (i = 0; i < t->functions.n; i++)
		if (is_inlined(t, i))
			note_name(&reason, t->functions.v[i].name);
	return reason.n ? note_shared(&reason, note, ctx) : 0;
}

static int note_reasons(const struct rt_target *t, int (*note)(void *ctx, const char *text), void *ctx)
{
	struct reason *v = NULL, *reason;
	size_t i, n = 0, cap = 0, told, untold = 0;
	char text[1024];
	int r = 0;

	for (i = 0; i < t->functions.n && r == 0; i++) {
		const struct rt_function *f = &t->functions.v[i];

		/* Nobody expects the end of a place; but a time has none without it. */
		if (f->how != RT_HOW_NONE || f->hidden || (f->inside && t->purpose != RT_PURPOSE_TIME))
			continue;
		reason_text(t, f, text, sizeof(text));
		reason = reason_of(&v, &n, &cap, text);
		if (!reason)
			r = -ENOMEM;
		else
			note_name(reason, f->name);
	}
	told = n > REASONS ? REASONS - 1 : n;
	for (i = 0; i < told && r == 0; i++)
		r = note_shared(&v[i], note, ctx);
	for (; i < n; i++)
		untold += v[i].n;
	if (untold && r == 0) {
		snprintf(text, sizeof(text), "%zu more functions: %s, for %zu other reasons, which rawtrace list has", untold, in_part(t), n - told);
		r = note(ctx, text);
	}
	free(v);
	return r;
}

/* Debug information that is there and tells nothing. */
static int note_troubles(const struct rt_target *t, int (*note)(void *ctx, const char *text), void *ctx)
{
	struct rt_error err;
	size_t i;
	int r = 0;

	for (i = 0; i < t->images.n && r == 0; i++)
		if (rt_dwarf_trouble(t->images.v[i], &err))
			r = note(ctx, err.text);
	return r;
}

int rt_target_notes(struct rt_target *t, bool everywhere, int (*note)(void *ctx, const char *text), void *ctx)
{
	char text[768];
	bool some = false;
	size_t i;
	int r;

	for (i = 0; i < t->functions.n && everywhere; i++) {
		if (t->functions.v[i].role && t->functions.v[i].image != t->images.v[0])
			*(strstr(t->functions.v[i].name, "longjmp") ? &t->unwatched_leap : &t->unwatched) = true;
		if (t->functions.v[i].image == t->images.v[0] || t->functions.v[i].how != RT_HOW_URETPROBE)
			continue;
		some = true;
		t->returns[i] = false;
	}
	if (t->functions.note) {
		r = note(ctx, t->functions.note);
		if (r < 0)
			return r;
	}
	for (i = 0; i < t->images.n; i++) {
		if (!rt_image_is_late(t->images.v[i]))
			continue;
		snprintf(text, sizeof(text), "%.600s is not among the program's libraries: calls are seen once it has loaded it",
			 rt_image_name(t->images.v[i]));
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	if (t->images.uneven) {
		snprintf(text, sizeof(text), "process %d has other libraries than process %d: a name that stands in several is looked for as "
			 "process %d would", (int)t->images.uneven, (int)t->pids.v[0], (int)t->pids.v[0]);
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	r = note_inlined(t, note, ctx);
	if (t->purpose == RT_PURPOSE_COUNT || r < 0)
		return r;
	r = note_troubles(t, note, ctx);
	if (r < 0)
		return r;
	if (some) {
		snprintf(text, sizeof(text), "%s in libraries: without BPF their probes are in every process that uses them", in_part(t));
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	if (t->unwatched) {
		r = note(ctx, "without BPF libraries are not watched for exceptions and switches of stacks: calls that these have left may seem to "
			 "go on, or to end");
		if (r < 0)
			return r;
	}
	if (t->switches) {
		snprintf(text, sizeof(text), "%.100s switches stacks by itself%s%.100s: calls there may seem to be inside others, or not to return",
			 rt_image_name(t->images.v[0]), *t->switches ? ", in " : "", t->switches);
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	if (t->unwatched_leap) {
		snprintf(text, sizeof(text), "longjmp is not watched: %s: calls that it has left may seem to go on",
			 t->everywhere || everywhere ? "without BPF its probe would be in every process that uses its library" : "it cannot be told where it leaves");
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	if (t->want == RT_WANT_URETPROBE && t->entry_only[0] && rt_target_has_returns(t)) {
		snprintf(text, sizeof(text), "--return=uretprobe: it could harm the program: %s", t->entry_only);
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	return note_reasons(t, note, ctx);
}
