#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A thousand functions at once, each called once.  Where the kernel takes a minute for them, what
# runs in the background is ended first (fresh.c).
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

timeout 10 "$BIN/many" >"$T/untraced"

# Before 5.4 a thousand functions are a minute's work to take out, and so are a hundred descriptors
# anywhere.
in_background_still() {
	grep -q -x -e "rt-guard$1" /proc/[0-9]*/comm 2>/dev/null
}

all_out() {
	! in_background_still "$1"
}

# expect_all_out RAWTRACE: nothing of it stays; meanwhile others trace as ever.
expect_all_out() {
	if in_background_still "$1"; then
		rt "$FIB" fib
		expect_status 0
		expect_text 'fib(4) = 3' "$T/out"
		expect_line '^>(fib 4)$' "$T/err"
		wait_for 200 all_out "$1" ||
			because "after 200 s there is still a process rt-guard$1"
	fi
	nothing_left_by "$1" || because "left: $(left_by "$1" | sed 5q)"
}

for mechanism in $MECHANISMS; do
	# Each of the others' probes takes up to a tenth of a second.
	case $mechanism in
	uprobe-multi | multi-event | tracefs) glob='many_*' number=1000 ;;
	*) glob='many_0[01]?' number=20 ;;
	esac
	begin "$mechanism: $number functions"
	rm -f "$T/witness"
	in_background env WITNESS="$T/witness" "$RAWTRACE" --attach="$mechanism" "$BIN/many" \
		"$glob" >"$T/out" 2>"$T/err"
	tracer=$PID
	reap "$tracer"
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	if [ $number = 1000 ]; then
		grep -v '^rawtrace: [0-9]* probes are removed in the background' "$T/err" \
			>"$T/trace"
		expect_agreement "$T/trace" "$T/witness"
	else
		expect_number calls "$(grep -c '^>(many_0[01]' "$T/err")" -eq $number
		expect_nested "$T/err" whole
	fi
	expect_all_out "$tracer"
	end_case
done

# Who closes a descriptor last is kept waiting: the process in the background must not be done with
# them before rawtrace is.
background_last="pmu: the process in the background has the last descriptors"
if ! has strace; then
	skip "$background_last" "no strace"
elif expr " $MECHANISMS " : '.* pmu ' >/dev/null; then
	begin "$background_last"
	in_background strace -D -qq -o /dev/null -e trace=exit_group \
		-e inject=exit_group:delay_enter=2000000 \
		"$RAWTRACE" --attach=pmu -o "$T/trace" "$BIN/many" 'many_0[0-4]?' >"$T/out"
	wait_for 20 in_background_still "$PID" || because "no process in the background"
	sleep 0.5
	ls -l "$(grep -l -x -e "rt-guard$PID" /proc/[0-9]*/comm 2>/dev/null | sed 's/comm$/fd/')" \
		>"$T/fds"
	expect_number "probes that it has" "$(grep -c perf_event "$T/fds")" -gt 80
	reap "$PID"
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	end_case
fi

# ^C while they go in, each of which is made to take a while, 5 s together: no more follow, the
# program does not begin, and the trace is whole though empty.
for mechanism in $MECHANISMS; do
	case $mechanism in
	pmu) slowed=perf_event_open probe=', -1, -1, PERF_FLAG' ;;
	event) slowed=perf_event_open probe='"[pr]:rawtrace_' ;;
	multi-event | tracefs) slowed=write probe='"[pr]:rawtrace_' ;;
	*) continue ;;
	esac
	if ! has strace; then
		skip "$mechanism: interrupted while probes go in" "no strace"
		continue
	fi
	begin "$mechanism: interrupted while probes go in"
	rm -f "$T/calls" "$T/chrome"
	in_background strace -D -f -qq -o "$T/calls" -e trace=write,perf_event_open \
		-e inject=$slowed:delay_enter=50000 \
		"$RAWTRACE" --attach="$mechanism" --format=chrome -o "$T/chrome" "$BIN/many" \
		'many_0[0-4]?' >"$T/out" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line "$probe" "$T/calls"
	kill -INT "$tracer"
	reap "$tracer"
	expect_status 130
	[ ! -s "$T/err" ] || show "$T/err"
	[ ! -s "$T/out" ] || because "the program ran: $(sed q "$T/out")"
	expect_number "probes of 100 that went in" "$(grep -c -e "$probe" "$T/calls")" -le 90
	[ ! -e "$T/chrome" ] || because "there is a trace of nothing"
	expect_all_out "$tracer"
	end_case
done

# A plan for each number of arguments, and so a link or an event each.
for mechanism in $MECHANISMS; do
	case $mechanism in
	uprobe-multi) number=30 ;;
	*) number=6 ;;
	esac
	begin "$mechanism: $number plans"
	functions=$(awk -v n=$number \
		'BEGIN { for (i = 0; i < n; i++) printf "many_%03d:%d ", i, i }')
	# shellcheck disable=SC2086 # several functions
	rt -v --attach="$mechanism" -o "$T/trace" "$BIN/many" $functions
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	expect_line "functions: $number, probes: $((2 * number)), " "$T/err"
	awk -v n=$number '
		/^>\(many_/ { if (NF != (NR - 1) / 2 + 1) print; next }
		!/^<[0-9]+$/ { print }
		END { if (NR != 2 * n) print NR " lines" }' "$T/trace" >"$T/wrong"
	[ ! -s "$T/wrong" ] || show "$T/wrong"
	end_case
done

# If only the instruction pointer is known, some of a thousand share a place of the table.
for mechanism in $MECHANISMS; do
	case $mechanism in
	uprobe-multi | multi-event) ;;
	*) continue ;;
	esac
	begin "$mechanism: a thousand functions counted"
	rt count --attach="$mechanism" -o "$T/counts" "$BIN/many" 'many_*' -- 3
	expect_status 0
	expect_number "functions with 3 calls" "$(grep -c '^many_[0-9]* *3$' "$T/counts")" -eq 1000
	end_case
done
