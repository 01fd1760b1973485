/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What turns out not to be probed as it was meant: the process has changed its code, the kernel refuses an instruction. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/memory.h"
#include "kernel/sys.h"
#include "plan/place.h"

/* ---- what the process itself has changed ---- */

/* The bytes of the instruction at a place, or more where that is not known. */
static size_t insn_size(enum rt_form form, uint8_t first)
{
	switch (form) {
	case RT_FORM_PUSH: case RT_FORM_NOP: case RT_FORM_RET:
		return 1;
	case RT_FORM_PUSH_REX: case RT_FORM_NOP16:
		return 2;
	case RT_FORM_ENDBR:
		return 4;
	case RT_FORM_NOP5: case RT_FORM_CALL:
		return 5;
	case RT_FORM_NOP10:
		return 10;
	case RT_FORM_JMP: case RT_FORM_JCC:
		return first == 0xe9 ? 5 : first == 0x0f ? 6 : 2;
	default:
		return 15;
	}
}

static bool is_same(const struct rt_memory *memory, const struct rt_function *f)
{
	uint8_t bytes[16];
	size_t n = rt_image_read(f->image, f->addr + f->skip, bytes, sizeof(bytes));
	size_t want = n ? insn_size(rt_image_arch(f->image)->form(bytes, n), bytes[0]) : 0;

	return rt_memory_same(memory, f->image, f->addr, f->skip + (want < n ? want : n));
}

/* Is all code of a function as in its file, in which its exits were found? */
static bool is_whole(const struct rt_memory *memory, const struct rt_function *f)
{
	enum { STEP = 128 };
	uint64_t at;
	size_t i;

	for (at = 0; at < f->size; at += STEP)
		if (!rt_memory_same(memory, f->image, f->addr + at, f->size - at < STEP ? (size_t)(f->size - at) : STEP))
			return false;
	for (i = 0; i < f->exits.n; i++)
		if (!rt_memory_same(memory, f->image, f->exits.v[i].place.addr, f->exits.v[i].place.size))
			return false;
	return true;
}

/* Without the probes on exits of functions that the process has changed. */
static void check_exits(struct rt_target *t, const struct rt_memory *memory)
{
	unsigned i, n = 0;
	size_t k;

	for (k = 0; k < t->functions.n; k++) {
		struct rt_function *f = &t->functions.v[k];

		if (f->how != RT_HOW_INSN || (memory && (is_whole(memory, f) || (t->images.uneven && !rt_memory_has(memory, f->image)))))
			continue;
		f->how = RT_HOW_NONE;
		f->why_not = memory ? "the process has its code changed in memory" : "the process's code in memory cannot be read";
		t->returns[k] = false;
	}
	for (i = 0; i < t->nprobes; i++)
		if (!rt_target_exit(t, &t->probes[i]) || t->functions.v[t->probes[i].function].how == RT_HOW_INSN)
			t->probes[n++] = t->probes[i];
	t->nprobes = n;
}

/* Without the functions of which `bad` says so. */
static void drop_probes(struct rt_target *t, const bool *bad)
{
	unsigned i, n = 0;
	size_t k;

	for (k = 0; k < t->functions.n; k++)
		t->functions.v[k].left_out |= bad[k];
	for (i = 0; i < t->nprobes; i++)
		if (!bad[t->probes[i].function])
			t->probes[n++] = t->probes[i];
	t->nprobes = n;
}

/* `why` no call of the bad ones is seen: a remark beside the others, or an error where nothing is left. */
static int say_dropped(struct rt_target *t, const bool *bad, const char *why, struct rt_error *err)
{
	size_t i, n = 0, first = 0;
	char *note, more[32] = "";

	for (i = t->functions.n; i-- > 0;)
		if (bad[i]) {
			first = i;
			n++;
		}
	if (!n)
		return 0;
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	if (asprintf(&note, "%s%s%s%s: not traced: %s", t->functions.note && n < t->functions.n ? t->functions.note : "",
		     t->functions.note && n < t->functions.n ? "; " : "", t->functions.v[first].name, more, why) < 0)
		return rt_nomem(err);
	if (n == t->functions.n) {
		rt_fail(err, -ENOTSUP, "%s", note);
		free(note);
		return -ENOTSUP;
	}
	free(t->functions.note);
	t->functions.note = note;
	return 0;
}

int rt_place_no_entries(struct rt_target *t, bool exact, struct rt_error *err)
{
	bool *bad = calloc(t->functions.n, sizeof(*bad));
	const char *why = NULL;
	size_t i;
	int r;

	if (!bad)
		return rt_nomem(err);
	for (i = t->functions.n; i-- > 0;) {
		const struct rt_function *f = &t->functions.v[i];

		bad[i] = f->refused && (f->go || !f->skip || (exact && !f->hidden));
		why = bad[i] ? f->refused : why;
	}
	drop_probes(t, bad);
	r = say_dropped(t, bad, why, err);
	free(bad);
	return r;
}

/* Those of which `bad` says so already are left alone. */
static void check_process(struct rt_target *t, pid_t pid, bool *bad)
{
	struct rt_memory *memory = rt_memory_open(pid);
	size_t i;

	for (i = 0; i < t->functions.n; i++) {
		struct rt_function *f = &t->functions.v[i];

		/* Of several processes one may not have the library. */
		if (bad[i] || (memory && t->images.uneven && !rt_memory_has(memory, f->image)))
			continue;
		if (f->skip && !(memory && is_same(memory, f)))
			rt_place_at_entry(f, memory ? "the process has its beginning changed in memory" :
				      "the process's code in memory cannot be read");
		bad[i] = memory && !is_same(memory, f);
	}
	check_exits(t, memory);
	rt_memory_close(memory);
}

int rt_place_check(struct rt_target *t, struct rt_error *err)
{
	bool *bad;
	unsigned i;
	int r;

	if (!rt_image_arch(t->images.v[0])->form)
		return 0;
	bad = calloc(t->functions.n, sizeof(*bad));
	if (!bad)
		return rt_nomem(err);
	for (i = 0; i < t->pids.n; i++)
		check_process(t, t->pids.v[i], bad);
	drop_probes(t, bad);
	r = say_dropped(t, bad, "the process has other code there than its file, which a probe would break", err);
	free(bad);
	return r;
}

int rt_place_leave_out(struct rt_target *t, const bool *bad, struct rt_error *err)
{
	const char *why = "this kernel cannot probe the instruction that it begins with";
	size_t i;

	for (i = 0; i < t->functions.n; i++)
		if (bad[i] && t->functions.v[i].how == RT_HOW_INSN)
			why = "this kernel cannot probe the instruction that it begins with, or one that leaves it";
	drop_probes(t, bad);
	return say_dropped(t, bad, why, err);
}

/* Does the kernel carry out a push of its own at the address?  Calls always, a push of a register from 4.16 on. */
static bool is_wrong_push(const struct rt_function *f, uint64_t addr)
{
	const struct rt_arch *arch = rt_image_arch(f->image);
	uint8_t bytes[16];
	size_t n = rt_image_read(f->image, addr, bytes, sizeof(bytes));

	return arch->pushes && arch->pushes(bytes, n) && (arch->form(bytes, n) != RT_FORM_PUSH || rt_kernel_version() >= RT_KERNEL(4, 15));
}

int rt_place_leave_out_pushes(struct rt_target *t, struct rt_error *err)
{
	static const char why[] = "this kernel corrupts 32-bit programs that are probed at a call or a push, with which it begins";
	bool *bad = calloc(t->functions.n, sizeof(*bad)), some = false;
	const struct rt_function *named = NULL;
	size_t i, k;
	int r;

	for (i = 0; bad && i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		bad[i] = is_wrong_push(f, f->addr + f->skip);
		for (k = 0; k < f->exits.n && f->how == RT_HOW_INSN; k++)
			bad[i] |= is_wrong_push(f, f->exits.v[k].place.addr);
		some |= !bad[i] && !f->hidden;
		if (bad[i] && f->named)
			named = f;
	}
	if (!bad)
		return rt_nomem(err);
	drop_probes(t, bad);
	/* Of what is watched besides nobody needs to know. */
	for (i = 0; i < t->functions.n; i++)
		if (t->functions.v[i].hidden)
			bad[i] = !some;
	r = named ? rt_fail(err, -ENOTSUP, "%s: not traced: %s", named->name, why) : say_dropped(t, bad, why, err);
	free(bad);
	return r;
}

static void lost_exit(struct rt_target *t, uint32_t function)
{
	struct rt_function *f = &t->functions.v[function];

	f->how = RT_HOW_NONE;
	f->why_not = "this kernel put no probe on one of its exits, and did not say so";
	t->returns[function] = false;
}

/* Of which functions of a process is there no probe?  The one of them that the user has named. */
static const struct rt_function *verify_process(struct rt_target *t, pid_t pid, bool *bad)
{
	struct rt_memory *memory = rt_memory_open(pid);
	const struct rt_function *named = NULL;
	const struct rt_exit *exit;
	unsigned i;

	for (i = 0; memory && i < t->nprobes; i++) {
		const struct rt_function *f = &t->functions.v[t->probes[i].function];

		if (f->role)
			continue;
		/* A call whose end may be missed is not known to be over. */
		exit = rt_target_exit(t, &t->probes[i]);
		if (exit && rt_memory_probed(memory, f->image, exit->place.addr) == 0)
			lost_exit(t, t->probes[i].function);
		/* Its return's stands at the same place. */
		if (i && t->probes[i - 1].function == t->probes[i].function)
			continue;
		if (rt_memory_probed(memory, f->image, f->addr + f->skip) != 0)
			continue;
		bad[t->probes[i].function] = true;
		if (f->named)
			named = f;
	}
	rt_memory_close(memory);
	return named;
}

int rt_place_verify(struct rt_target *t, const struct rt_pids *pids, struct rt_error *err)
{
	static const char why[] = "this kernel cannot probe the instruction that it begins with, and did not say so";
	bool *bad = calloc(t->functions.n, sizeof(*bad));
	const struct rt_function *named = NULL;
	unsigned i;
	int r;

	for (i = 0; bad && i < pids->n && !named; i++)
		named = verify_process(t, pids->v[i], bad);
	if (named)
		r = rt_fail(err, -ENOTSUP, "%s: not traced: %s", named->name, why);
	else
		r = bad ? say_dropped(t, bad, why, err) : rt_nomem(err);
	free(bad);
	return r;
}
