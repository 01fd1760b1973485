/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/go.h"
#include "kernel/procfs.h"
#include "plans.h"
#include "tracee.h"
#include "util/array.h"

/* The specification is kept, as its functions are shown by it. */
static int keep_spec(struct rt_target *t, const char *text, struct rt_spec **spec, struct rt_error *err)
{
	int r;

	*spec = calloc(1, sizeof(**spec));
	if (!*spec || RT_ROOM(&t->specs, t->nspecs, &t->specs_cap) < 0) {
		free(*spec);
		return rt_nomem(err);
	}
	r = rt_spec_parse(text, rt_image_arch(t->images.v[0]), NULL, *spec, err);
	if (r < 0)
		free(*spec);
	else
		t->specs[t->nspecs++] = *spec;
	return r;
}

static int add_functions(struct rt_target *t, char *const *specs, int nspecs, struct rt_error *err)
{
	struct rt_spec *spec;
	int i, r = 0;

	for (i = 0; i < nspecs && r == 0; i++) {
		r = keep_spec(t, specs[i], &spec, err);
		if (r == 0 && (spec->nshown || spec->nconditions || spec->nwords))
			r = rt_spec_expected(spec, spec->column, err, "a function's name");
		if (r == 0)
			r = rt_functions_add(&t->functions, &t->images, spec, err);
	}
	return r;
}

/* Why uretprobes could harm the whole process.  The uretprobe system call of x86 (6.11) kills one under seccomp on some kernels. */
static void judge_process(struct rt_target *t, pid_t pid)
{
	long seccomp;

	rt_images_become(&t->images, t->library_entry_only, sizeof(t->library_entry_only));
	if (rt_images_unwind(&t->images, t->entry_only, sizeof(t->entry_only)))
		return;
	if (rt_proc_status(pid ? pid : getpid(), "Seccomp", &seccomp) == 0 && seccomp)
		snprintf(t->entry_only, sizeof(t->entry_only),
			 "the process is under seccomp, which may kill it for the kernel's uretprobe system call");
}

/* Nothing can be measured. */
static int no_times(const struct rt_target *t, struct rt_error *err)
{
	const struct rt_function *f = &t->functions.v[0];
	const char *why = t->entry_only[0] ? t->entry_only : f->entry_only ? f->entry_only : t->library_entry_only;

	return rt_fail(err, -ENOTSUP, "%s%s cannot be timed: only entries can be probed, a uretprobe could harm the program: %s; "
		       "rawtrace count counts the calls", f->name, t->functions.n > 1 ? " and the others" : "", why);
}

static int make_probes(struct rt_target *t, struct rt_error *err)
{
	size_t i, n = t->functions.n;
	bool any = false;
	int r;

	t->returns = calloc(n, sizeof(*t->returns));
	t->probes = calloc(n * 2, sizeof(*t->probes));
	if (!t->returns || !t->probes)
		return rt_nomem(err);
	for (i = 0; i < n; i++) {
		bool library = t->functions.v[i].image != t->images.v[0];

		t->returns[i] = t->purpose != RT_PURPOSE_COUNT && !t->entry_only[0] && !t->functions.v[i].entry_only &&
				!(library && t->library_entry_only[0]);
		any |= t->returns[i];
	}
	r = rt_plans_make(t, any, err);
	for (i = 0; i < n && r == 0; i++) {
		if (t->purpose == RT_PURPOSE_TIME && !t->returns[i])
			continue;
		t->probes[t->nprobes++] = (struct rt_probe){ .function = (uint32_t)i, .plan = t->entry_plan[i] };
		if (t->returns[i])
			t->probes[t->nprobes++] = (struct rt_probe){ .function = (uint32_t)i, .plan = t->exit_plan[i] };
	}
	return r < 0 || t->nprobes ? r : no_times(t, err);
}

/* Where a Go program's runtime has the goroutine's id; 0: that is not known, and calls are told apart by thread. */
static uint32_t goid_offset(const struct rt_target *t)
{
	const struct rt_go *go = rt_image_go(t->images.v[0]);

	return go && rt_image_arch(t->images.v[0])->goroutine.tracefs ? rt_go_goid_offset(go) : 0;
}

int rt_target_resolve(struct rt_target *t, const char *program, pid_t pid, char *const *specs, int nspecs, struct rt_error *err)
{
	int r;

	memset(t, 0, sizeof(*t));
	if (pid) {
		r = rt_images_of_pid(pid, &t->images, err);
	} else {
		r = rt_tracee_find(program, &t->path, err);
		if (r == 0)
			r = rt_images_of_command(t->path, &t->images, err);
	}
	if (r == 0)
		r = add_functions(t, specs, nspecs, err);
	if (r < 0)
		return r;
	judge_process(t, pid);
	t->goid_offset = goid_offset(t);
	return make_probes(t, err);
}

bool rt_target_has_returns(const struct rt_target *t)
{
	unsigned i;

	for (i = 0; i < t->nplans; i++)
		if (t->plans[i].kind == RT_KIND_RETURN)
			return true;
	return false;
}

static int make_probes_anew(struct rt_target *t, struct rt_error *err)
{
	free(t->returns);
	free(t->probes);
	t->nprobes = 0;
	return make_probes(t, err);
}

int rt_target_check_roots(const struct rt_target *t, struct rt_error *err)
{
	size_t i;

	for (i = 0; t->roots && i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (t->roots[i] && !t->returns[i])
			return rt_fail(err, -ENOTSUP, "--only-under: the return of %s cannot be probed, so what is inside it is not known: %s",
				       f->name, t->entry_only[0] ? t->entry_only : f->entry_only ? f->entry_only :
				       t->library_entry_only[0] ? t->library_entry_only : "without BPF it is in every process");
	}
	return 0;
}

int rt_target_give_up_returns(struct rt_target *t, const char *why, struct rt_error *err)
{
	int r;

	snprintf(t->entry_only, sizeof(t->entry_only), "%s", why);
	r = make_probes_anew(t, err);
	return r < 0 ? r : rt_target_check_roots(t, err);
}

int rt_target_set_purpose(struct rt_target *t, enum rt_purpose purpose, struct rt_error *err)
{
	t->purpose = purpose;
	return make_probes_anew(t, err);
}

int rt_target_set_types(struct rt_target *t, const struct rt_limits *limits, struct rt_error *err)
{
	t->typed = true;
	t->limits = *limits;
	return make_probes_anew(t, err);
}

int rt_target_simplify(struct rt_target *t, const char **why, struct rt_error *err)
{
	int r = rt_plans_simplify(t, why);

	return r < 0 ? r : make_probes_anew(t, err);
}

void rt_target_free(struct rt_target *t)
{
	rt_functions_free(&t->functions);
	rt_images_close(&t->images);
	while (t->nspecs > 0) {
		rt_spec_free(t->specs[--t->nspecs]);
		free(t->specs[t->nspecs]);
	}
	free(t->specs);
	free(t->returns);
	rt_plans_free(t);
	free(t->probes);
	free(t->roots);
	free(t->path);
	memset(t, 0, sizeof(*t));
}

static bool same_function(const struct rt_function *a, const struct rt_function *b)
{
	return a->image == b->image && a->addr == b->addr;
}

static int set_roots(struct rt_target *t, const char *under, struct rt_error *err)
{
	struct rt_functions roots = { 0 };
	char *spec = (char *)under;
	struct rt_spec parsed;
	size_t i, k;
	int r;

	r = rt_spec_parse(under, rt_image_arch(t->images.v[0]), NULL, &parsed, err);
	if (r == 0) {
		r = rt_functions_add(&roots, &t->images, &parsed, err);
		rt_spec_free(&parsed);
	}
	if (r == 0)
		r = add_functions(t, &spec, 1, err);
	if (r == 0)
		t->roots = calloc(t->functions.n, sizeof(*t->roots));
	if (r == 0 && !t->roots)
		r = rt_nomem(err);
	for (i = 0; i < t->functions.n && r == 0; i++)
		for (k = 0; k < roots.n; k++)
			t->roots[i] |= same_function(&t->functions.v[i], &roots.v[k]);
	rt_functions_free(&roots);
	return r;
}

int rt_target_set_limit(struct rt_target *t, unsigned depth, const char *under, struct rt_error *err)
{
	int r = under ? set_roots(t, under, err) : 0;

	t->limit.depth = depth;
	t->limit.under = under;
	if (r == 0)
		r = make_probes_anew(t, err);
	return r < 0 ? r : rt_target_check_roots(t, err);
}

static const char *in_part(const struct rt_target *t)
{
	return t->purpose == RT_PURPOSE_TIME ? "not timed" : "only entries are traced";
}

/* Functions that share a reason: how many, and the first few names. */
struct reason {
	const char *text;
	size_t n, at;
	char names[640];
};

static struct reason *reason_of(struct reason **v, size_t *n, size_t *cap, const char *text)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (strcmp((*v)[i].text, text) == 0)
			return &(*v)[i];
	if (RT_ROOM(v, *n, cap) < 0)
		return NULL;
	(*v)[*n] = (struct reason){ .text = text };
	return &(*v)[(*n)++];
}

static int note_reasons(const struct rt_target *t, int (*note)(void *ctx, const char *text), void *ctx)
{
	enum { NAMED = 3 };
	struct reason *v = NULL, *reason;
	size_t i, n = 0, cap = 0;
	char text[1024], more[32];
	int r = 0;

	for (i = 0; i < t->functions.n && r == 0; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (!f->entry_only)
			continue;
		reason = reason_of(&v, &n, &cap, f->entry_only);
		if (!reason)
			r = -ENOMEM;
		else if (reason->n++ < NAMED)
			reason->at += (size_t)snprintf(reason->names + reason->at, sizeof(reason->names) - reason->at, "%s%.200s",
						       reason->at ? ", " : "", f->name);
	}
	for (i = 0; i < n && r == 0; i++) {
		more[0] = '\0';
		if (v[i].n > NAMED)
			snprintf(more, sizeof(more), " and %zu more", v[i].n - NAMED);
		snprintf(text, sizeof(text), "%s%s: %s: %s", v[i].names, more, in_part(t), v[i].text);
		r = note(ctx, text);
	}
	free(v);
	return r;
}

int rt_target_notes(struct rt_target *t, bool everywhere, int (*note)(void *ctx, const char *text), void *ctx)
{
	char text[768];
	bool library = false;
	size_t i;
	int r;

	for (i = 0; i < t->functions.n; i++) {
		if (t->functions.v[i].image == t->images.v[0])
			continue;
		library = true;
		t->returns[i] &= !everywhere;
	}
	if (t->functions.note) {
		r = note(ctx, t->functions.note);
		if (r < 0)
			return r;
	}
	if (t->purpose == RT_PURPOSE_COUNT)
		return 0;
	if (t->entry_only[0]) {
		snprintf(text, sizeof(text), "only entries are traced: a uretprobe could harm the program: %s", t->entry_only);
		return note(ctx, text);
	}
	if (library && (everywhere || t->library_entry_only[0])) {
		snprintf(text, sizeof(text), "%s in libraries: %s%s", in_part(t), everywhere ?
			 "without BPF their probes are in every process that uses them" : "a uretprobe could harm code that comes later: ",
			 everywhere ? "" : t->library_entry_only);
		r = note(ctx, text);
		if (r < 0)
			return r;
	}
	return note_reasons(t, note, ctx);
}
