/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Costs of other tools for the same work: each call's argument and result, of the same loop, into a
 * file.  perf and trace-cmd need definitions in uprobe_events.  These get rawtrace's own name, so
 * that a later rawtrace removes the rest of a killed run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "kernel/owner.h"
#include "kernel/tracefs.h"
#include "plan/sites.h"
#include "base/array.h"

static const struct peer peers[] = {
	{ "perf", "record -e of two uprobe_events",
	  "command -v perf >/dev/null || exit 127; exec perf record -q -o \"$DIR/trace\" -e "
	  "\"$GROUP:in\" -e \"$GROUP:out\" "
	  "\"$LOOP\" \"$CALLS\" 2>/dev/null",
	  "perf report --stats -i \"$DIR/trace\" 2>/dev/null | sed -n 's/.*SAMPLE events: "
	  "*\\([0-9]*\\).*/\\1/p' | sed -n 2p" },
	{ "trace-cmd", "record -e of two uprobe_events",
	  "command -v trace-cmd >/dev/null || exit 127; exec trace-cmd record -q -o \"$DIR/trace\" "
	  "-e \"$GROUP:in\" "
	  "-e \"$GROUP:out\" \"$LOOP\" \"$CALLS\" 2>/dev/null",
	  "trace-cmd report \"$DIR/trace\" 2>/dev/null | grep -c ' in: '" },
	{ "bpftrace", "printf of both",
	  "command -v bpftrace >/dev/null || exit 127; exec bpftrace -q -o \"$DIR/trace\" -c "
	  "\"$LOOP $CALLS\" -e \""
	  "uprobe:$LOOP:hit { printf(\\\"> %d\\n\\\", arg0) } "
	  "uretprobe:$LOOP:hit { printf(\\\"< %d\\n\\\", retval) }\" 2>/dev/null",
	  "grep -c '^> 1$' \"$DIR/trace\"" },
	{ "uftrace", "the program was built with -pg",
	  "command -v uftrace >/dev/null || exit 127; exec uftrace record --no-libcall -A hit@arg1 "
	  "-R hit@retval -F hit "
	  "-d \"$DIR/uftrace\" \"$INSTRUMENTED\" \"$CALLS\" 2>/dev/null",
	  "uftrace report -d \"$DIR/uftrace\" 2>/dev/null | sed -n 's/.* \\([0-9][0-9]*\\)  "
	  "*hit$/\\1/p'" },
};

const struct peer *peer_at(unsigned i)
{
	return i < RT_COUNT(peers) ? &peers[i] : NULL;
}

static void set_names(const struct bench *b, const char *dir, long calls)
{
	char text[RT_OWNER_NAME_MAX];

	setenv("DIR", dir, 1);
	setenv("LOOP", b->loop, 1);
	setenv("INSTRUMENTED", b->instrumented, 1);
	snprintf(text, sizeof(text), "%ld", calls);
	setenv("CALLS", text, 1);
	setenv("GROUP", rt_own_group(text), 1);
}

/* The two events, for the tools that need them; x86's registers. */
static int define(const struct bench *b, struct rt_tracefs *tracefs, struct rt_error *err)
{
	char *specs[] = { (char *)"hit" }, line[PATH_MAX + 128], group[RT_OWNER_NAME_MAX];
	struct rt_wanted wanted = { 0 };
	struct rt_traced traced;
	struct rt_sites sites;
	int r = rt_sites_resolve(&wanted, &traced, &sites, b->loop, NULL, specs, 1, err), k;

	if (r == 0)
		r = rt_tracefs_find(tracefs, err);
	for (k = 0; k < 2 && r == 0; k++) {
		snprintf(line, sizeof(line), "%s:%s/%s %s:0x%llx v=%s:s32", k ? "r" : "p",
			 rt_own_group(group), k ? "out" : "in", b->loop,
			 (unsigned long long)sites.functions.v[0].offset, k ? "%ax" : "%di");
		r = rt_tracefs_append(tracefs, "uprobe_events", line);
	}
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}

static long count_calls(const char *command)
{
	FILE *pipe = popen(command, "r");
	long n = 0;

	if (pipe && fscanf(pipe, "%ld", &n) != 1)
		n = 0;
	if (pipe)
		pclose(pipe);
	return n;
}

static int record(const struct bench *b, const struct peer *peer, long calls, double *ns,
		  long *missing)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)peer->record, NULL };
	struct child child;
	struct run run;
	int r = child_start(&child, argv);

	if (r == 0)
		r = child_run(&child, b->seconds, &run);
	if (r == 0) {
		*ns = run.numbers[1];
		*missing = calls - count_calls(peer->count);
	}
	return r;
}

int peer_run(const struct bench *b, const struct peer *peer, long calls, double *ns, long *missing)
{
	char dir[] = "/tmp/rawtrace-peer-XXXXXX", command[128];
	struct rt_tracefs tracefs = { .root = "" };
	bool defined = strstr(peer->record, "$GROUP");
	int r;

	snprintf(command, sizeof(command), "command -v %s >/dev/null", peer->name);
	if (system(command) != 0)
		return -ENOENT;
	if (!mkdtemp(dir))
		return -errno;
	set_names(b, dir, calls);
	r = defined ? define(b, &tracefs, NULL) : 0;
	if (r == 0)
		r = record(b, peer, calls, ns, missing);
	if (defined)
		rt_tracefs_clear(&tracefs, getpid());
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) == 0 ? r : -EIO;
}
