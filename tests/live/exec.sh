#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process that runs another program inside its calls: they are over, with those of its other
# threads.  And one whose first thread, by which the kernel's filters know it, ends before the
# others.
. "$SRCDIR/tests/live/lib.sh"

cat >"$T/again.c" <<'EOF2'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char __executable_start[];

static volatile int inside, called;
static const char *stop = "/";

__attribute__((noipa)) int late(int n)
{
	return n + 1;
}

/*
 * Until there has been a probe, which the file does not have, for 0.6 s; 20 seconds at most.  That
 * of the process before exec may still be there at first.  If each has an event, that of the return
 * comes first.
 */
static void wait_for_probe(void)
{
	int i, there = 0, fd = open("/proc/self/exe", O_RDONLY);
	char file[16];

	for (i = 0; i < 2000 && there < 60 &&
	     pread(fd, file, sizeof(file), (char *)late - __executable_start) == sizeof(file); i++) {
		there = memcmp(file, (char *)late, sizeof(file)) ? there + 1 : 0;
		usleep(10000);
	}
	close(fd);
}

/*
 * Before the first thread ends, some rounds of the reader; after that calls may be missed for one or
 * two.  Each probe of the PMU may take the kernel 0.1 s: 1.5 s of calls, then until the file `stop`
 * is there.  Says how many there were.  With "tracer" for the file the tracer is stopped meanwhile,
 * and sees nothing before the end.
 */
static void *goes_on(void *first)
{
	int i, alone = strcmp(stop, "tracer") == 0;

	if (alone)
		kill(getppid(), SIGSTOP);
	usleep(200000);
	late(1);
	called = 1;
	pthread_join(*(pthread_t *)first, NULL);
	for (i = 0; i < (alone ? 80 : 150) || (!alone && i < 2000 && access(stop, F_OK) != 0);
	     i++) {
		late(2);
		usleep(10000);
	}
	printf("%d\n", i);
	if (alone)
		kill(getppid(), SIGCONT);
	return NULL;
}

__attribute__((noipa)) int inner(int n, char **argv)
{
	char next[] = { (char)('0' + n - 1), '\0' };

	if (n > 0)
		execv(argv[0], (char *[]){ argv[0], next, NULL });
	return n;
}

__attribute__((noipa)) int outer(int n, char **argv)
{
	return inner(n, argv) + 7;
}

__attribute__((noipa)) void *waits(void *other)
{
	inside = 1;
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}

/* From a thread that is not the first, while that is inside a call. */
static void *call(void *argv)
{
	while (!inside)
		usleep(1000);
	usleep(100000);
	return (void *)(long)outer(1, argv);
}

int main(int argc, char **argv)
{
	static pthread_t thread, first;

	if (getenv("LATE")) {
		unsetenv("LATE");
		wait_for_probe();
		late(3);
	}
	if (argc > 1 && argv[1][0] == 'f') {
		stop = argc > 2 ? argv[2] : stop;
		first = pthread_self();
		pthread_create(&thread, NULL, goes_on, &first);
		while (!called)
			usleep(1000);
		usleep(100000);
		pthread_exit(NULL);
	}
	if (argc > 1 && argv[1][0] != 't')
		return outer(atoi(argv[1]), argv);
	if (argc < 2)
		return 1;
	setenv("LATE", "", 1);
	pthread_create(&thread, NULL, call, argv);
	waits(&thread);
	return 2;
}
EOF2
# shellcheck disable=SC2086 # a compiler and its flags
target again $CC -O1 -pthread "$T/again.c" || skip_all "$(no_target again.c)"
cat >"$T/text.c" <<'EOF2'
#include <stdlib.h>
#include <unistd.h>

/* On a page of its own, which the program itself never reads. */
static const char text[1 << 14] __attribute__((aligned(4096))) = "nobody reads this";

__attribute__((noipa)) void show(const char *of)
{
	(void)of;
}

int main(int argc, char **argv)
{
	char next[] = { argv[1][0] - 1, '\0' };

	show(text);
	return argc > 1 && next[0] >= '0' ? execv(argv[0], (char *[]){ argv[0], next, NULL }) : 0;
}
EOF2
# shellcheck disable=SC2086 # a compiler and its flags
target text $CC -O1 -g "$T/text.c" || skip_all "$(no_target text.c)"
targets_made

# The same whether the next stack lies above the last one or below: that is by chance, so a few
# times.
one() {
	cat >"$T/wanted" <<'EOF2'
>(outer 2)
> (inner 2)
< *** exec ***
<*** exec ***
>(outer 1)
> (inner 1)
< *** exec ***
<*** exec ***
>(outer 0)
> (inner 0)
< 0
<7
EOF2
	rt "$@" "$T/again" outer:1 inner:1 -- 2
	expect_status 7
	expect_same "$T/wanted" "$T/err"
}

# seen_or_told: the trace has all calls after the first thread's end, or says that it has not.
seen_or_told() {
	sed 's/^\[[0-9]*\] //' "$T/err" >"$T/calls"
	expect_line '^>(late 1)$' "$T/calls"
	! selected || [ "$(grep -c '^>(late 2)$' "$T/calls")" = "$(cat "$T/out")" ] ||
		expect_line '^rawtrace: process [0-9]*: its filter thread has ended: no calls seen for ' "$T/err"
}

find_mechanisms
for mechanism in $MECHANISMS; do
	begin "$mechanism: exec inside calls"
	one --attach="$mechanism"
	one --attach="$mechanism" --depth=9
	one --attach="$mechanism"
	end_case

	# The kernel knows a process by its first thread, which is gone: the probes go in once more.
	begin "$mechanism: exec by another thread"
	rt --attach="$mechanism" "$T/again" waits:0 outer:1 late:1 -- t
	expect_status 7
	expect_line '^\(\[[0-9]*\] \)\{0,1\}<\*\*\* thread exited \*\*\*$' "$T/err"
	expect_line '^\[[0-9]*\] <\*\*\* exec \*\*\*$' "$T/err"
	expect_no_line 'unfinished' "$T/err"
	expect_line '>(late 3)$' "$T/err"
	expect_line '>(outer 0)$' "$T/err"
	expect_line '<7$' "$T/err"
	# If the probes are attached a second time, earlier calls may be missed.
	case $mechanism in
	uprobe-multi|pmu) expect_line '^rawtrace: process [0-9]*: its filter thread was replaced by exec: no calls seen for ' "$T/err" ;;
	esac
	end_case

	begin "$mechanism: the first thread ends before another one"
	rm -f "$T/stop"
	in_background "$RAWTRACE" --attach="$mechanism" "$T/again" late:1 -- f "$T/stop" \
		>"$T/out" 2>"$T/err"
	wait_for 15 has_line '>(late 2)$' "$T/err" || because "not traced on"
	: >"$T/stop"
	reap "$PID"
	expect_status 0
	seen_or_told
	expect_line '^>(late 2)$' "$T/calls"
	end_case

	begin "$mechanism: the first thread ends, then the process, before rawtrace knows"
	rt --attach="$mechanism" "$T/again" late:1 -- f tracer
	expect_status 0
	seen_or_told
	end_case
done

cat >"$T/idles.c" <<'EOF2'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile int ready;

__attribute__((noipa)) int late(int n)
{
	return n + 1;
}

/* A SCHED_IDLE thread hardly runs beside a busy process, so it takes long to end. */
static void *idles(void *none)
{
	struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_IDLE, &param);
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		;
	return none;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, idles, NULL);
	while (ready < 4)
		sched_yield();
	exit(late(1) - 2);
}
EOF2
# shellcheck disable=SC2086 # a compiler and its flags
if ! slow && has taskset && target idles $CC -O1 -pthread "$T/idles.c"; then
	for mechanism in $MECHANISMS; do
		case $mechanism in pmu | event) ;; *) continue ;; esac
		begin "$mechanism: the threads of a process end one after another"
		in_background taskset -c 0 sh -c 'while :; do :; done'
		rt --attach="$mechanism" "$T/idles" late:1
		kill "$PID"
		reap "$PID"
		expect_text '>(late 1)
<2' "$T/err"
		end_case
	done
fi

begin "-p: the first thread has ended before"
rm -f "$T/stop"
in_background "$T/again" f "$T/stop" >"$T/out"
pid=$PID
wait_for 10 has_line '^State:.Z' "/proc/$pid/status" || because "its first thread goes on"
rt -p $pid late:1
: >"$T/stop"
expect_status 1
expect_line "^rawtrace: process $pid: its first thread has ended, and the kernel filters by that thread$" "$T/err"
reap $pid
end_case

cat >"$T/other.c" <<'EOF2'
#include <pthread.h>
#include <unistd.h>

__attribute__((noipa)) int late(int n)
{
	return n;
}

static void *run(void *argv)
{
	char **v = argv;

	usleep(50000);
	execv(v[0], (char *[]){ v[0], v[1], v[1], NULL });
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int n;

	if (argc == 2) {
		pthread_create(&thread, NULL, run, argv);
		pause();
	}
	for (n = 0; n < 4000 && access(argv[2], F_OK) != 0; n++) {
		late(n);
		usleep(5000);
	}
	return 5;
}
EOF2
# Before 5.8 the kernel forgets the process some 50 ms after the exec.  Later ones do not, so the
# script removes it from the filter.
last_late() {
	sed -n 's/^.*>(late \([0-9]*\))$/\1/p' "$T/trace" | tail -n 1
}
goes_on() {
	[ "$(last_late)" -gt "$seen" ]
}
# shellcheck disable=SC2086 # a compiler and its flags
if ! quick && [ "${MECHANISMS%tracefs*}" != "$MECHANISMS" ] &&
	[ -e "$TRACING/options/event-fork" ] && target other $CC -O1 -pthread "$T/other.c"; then
	begin "-f --no-bpf: exec by another thread in a child"
	rm -f "$T/stop"
	: >"$T/trace"
	in_background "$RAWTRACE" -f --no-bpf -o "$T/trace" sh "$T/other:late:1" -- -c \
		"'$T/other' '$T/stop'; exit 3" 2>"$T/err"
	tracer=$PID
	filter=$TRACING/instances/rawtrace-$tracer$SPACE/set_event_pid
	if wait_for 20 has_line '>(late ' "$T/trace"; then
		! selected || echo $$ >"$filter"
		! selected || sleep 0.2
		seen=$(last_late)
		wait_for 10 goes_on || because "no call after call $seen"
	else
		because "no call"
	fi
	: >"$T/stop"
	reap "$tracer"
	expect_status 3
	expect_line '^rawtrace: process [0-9]*: its filter thread was replaced by exec: no calls seen for ' \
		"$T/err"
	expect_line '^+++ [0-9]* exited with 5 +++$' "$T/trace"
	end_case
fi

# Text that could not be read is looked for in the file, by where the program is mapped now.  Each
# run has it elsewhere.
if [ "$MECHANISMS" != " tracefs" ]; then
	begin "constant text of the programs that come after"
	rt --ring=perf "$T/text" 'show(const char *of)' -- 6
	expect_status 0
	printf '>(show "nobody reads this")\n<#<void>\n%.0s' 1 2 3 4 5 6 7 >"$T/wanted"
	expect_same "$T/wanted" "$T/err"
	end_case
fi
