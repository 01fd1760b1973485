/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guesses of libLLVM's 24,000 functions take 0.7 s, and to find their exits 0.5 s.  Neither
 * needs the other.  A forked child has all that it needs in its memory: no thread shares the state
 * of decoders and files.
 */
#include "plan/guessing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "kernel/sys.h"

static bool has_cpus(void)
{
	int *cpus = NULL, n = rt_cpus_online(&cpus);

	free(cpus);
	return n > 1;
}

/* From FROM functions on a child is worth its start. */
enum { FROM = 2000, SAMPLES = 8 };

/* Is debug information missing for most of them, as far as a few tell? */
static bool needs_guesses(const struct rt_functions *functions)
{
	unsigned i, missing = 0;

	for (i = 0; i < SAMPLES && functions->n >= FROM; i++) {
		const struct rt_function *f = &functions->v[functions->n / SAMPLES * i];

		missing += !f->go && !rt_dwarf_file(f->image, f->addr);
	}
	return missing > SAMPLES / 2;
}

static void __attribute__((noreturn)) child_main(int to,
						 void (*ask)(void *ctx,
							     struct rt_signatures *signatures),
						 void *ctx)
{
	struct rt_signatures *signatures = rt_signatures_new();
	FILE *file = fdopen(to, "w");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!signatures || !file)
		_exit(1);
	rt_signatures_only_guess(signatures);
	ask(ctx, signatures);
	rt_signatures_write(signatures, file);
	fclose(file);
	_exit(0);
}

void rt_guessing_begin(struct rt_guessing *g, const struct rt_functions *functions,
		       void (*ask)(void *ctx, struct rt_signatures *signatures), void *ctx)
{
	int p[2];

	if (g->pid || !needs_guesses(functions) || !has_cpus() || pipe2(p, O_CLOEXEC) != 0)
		return;
	g->pid = fork();
	if (g->pid == 0)
		child_main(p[1], ask, ctx);
	close(p[1]);
	g->from = p[0];
	if (g->pid > 0)
		return;
	g->pid = 0;
	close(p[0]);
}

static void wait_for(struct rt_guessing *g)
{
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	g->pid = 0;
}

void rt_guessing_take(struct rt_guessing *g, struct rt_signatures *signatures)
{
	FILE *file;

	if (!g->pid)
		return;
	file = fdopen(g->from, "r");
	if (!file) {
		rt_guessing_drop(g);
		return;
	}
	rt_signatures_read(signatures, file);
	fclose(file);
	wait_for(g);
}

void rt_guessing_drop(struct rt_guessing *g)
{
	if (!g->pid)
		return;
	kill(g->pid, SIGKILL);
	close(g->from);
	wait_for(g);
}
