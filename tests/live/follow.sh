#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children, with -f: each process says what it called (targets/family.c), and the trace has the
# same.
. "$SRCDIR/tests/live/lib.sh"

FAMILY=$T/family
export FAMILY
find_mechanisms

# follow MODE STATUS [N]: the calls are those that the processes say, in any order; all have ended.
follow() {
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" "$BIN/family" leaf -- "$1" ${3:+"$3"}
	selected || return
	expect_status "$2"
	first=$(sed -n '1s/ .*//p' "$FAMILY")
	sort "$FAMILY" >"$T/said"
	calls_in "$T/err" "$first" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	expect_nested "$T/err" whole
	# Each process has ended, with a line.
	cut -d' ' -f1 "$FAMILY" | sort -u >"$T/pids"
	sed -n 's/^+++ \([0-9]*\) .* +++$/\1/p' "$T/err" | sort -u >"$T/ended"
	expect_number "processes without an end" \
		"$(grep -v -x -F -f "$T/ended" "$T/pids" | grep -c '')" -eq 0
	expect_line "^+++ $first exited with $2 +++\$" "$T/err"
}

# expect_processes N: so many have calls in $T/err, with the first, which may have no column.
expect_processes() {
	expect_number "processes" \
		"$(sed -n 's/^\[\([0-9]*\)\( [0-9]*\)*\] [<>].*/\1/p' "$T/err" | sort -u |
		grep -c '')" -eq "$1"
}

two_call() {
	[ "$(sed -n 's/^\[\([0-9]*\)\] >.*/\1/p' "$T/err" | sort -u | grep -c '')" = 2 ]
}

for mechanism in $MECHANISMS; do
	rm -f "$FAMILY"
	if ! timeout 20 "$RAWTRACE" -f --attach="$mechanism" "$BIN/family" leaf >/dev/null \
		2>"$T/err" -- one &&
		grep -q 'does not follow children' "$T/err"; then
		skip "$mechanism: children" "$(cat "$T/err")"
		continue
	fi

	begin "$mechanism: a child, a chain of children, vfork and exec, posix_spawn"
	follow fork 3
	follow vfork 4
	# Emulated machines are asked for the kernel's part alone: fork, exec, exit.
	slow || follow deep 0 3
	slow || follow spawn 4
	end_case
	! slow || continue

	begin "$mechanism: a chain of exec, exec by another thread, a child of two threads"
	follow chain 11 3
	follow thread 4
	follow threads 22
	expect_line '^\[[0-9]* [0-9]*\] >(leaf 20)$' "$T/err"
	end_case

	begin "$mechanism: a daemon that forks twice is traced to its end"
	follow daemon 0
	expect_line '>(leaf 8)$' "$T/err"
	end_case

	begin "$mechanism: a signal ends a child"
	follow dies 0
	expect_number "lines of ends" "$(grep -c '^+++ ' "$T/err")" -eq 2
	[ ! -e /proc/net/connector ] || expect_line '^+++ [0-9]* killed by SIGSEGV' "$T/err"
	end_case

	begin "$mechanism: functions of programs that children run, PROGRAM:FUNCTION"
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" sh "$BIN/family:leaf" -- -c \
		'"$0" one 1; "$0" vfork; "$0" fork; exit 5' "$BIN/family"
	expect_status 5
	sort "$FAMILY" >"$T/said"
	calls_in "$T/err" "$(sed -n '1s/ .*//p' "$FAMILY")" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	expect_number "calls" "$(grep -c '' "$T/traced")" -eq 5
	sed -i '/^rawtrace: longjmp/d' "$T/err"
	expect_nested "$T/err" whole
	end_case

	begin "$mechanism: 2,000 children: each call is counted once"
	rm -f "$FAMILY"
	rt count -f --attach="$mechanism" "$BIN/family" leaf -- storm 2000
	expect_status 0
	expect_line '^leaf  *2001$' "$T/err"
	end_case

	begin "$mechanism: hist and chrome have all processes"
	rm -f "$FAMILY"
	rt hist -f --attach="$mechanism" "$BIN/family" leaf -- storm 40
	expect_line 'count: 41$' "$T/err"
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" --format=chrome -o "$T/json" "$BIN/family" leaf -- spawn
	expect_number "processes" "$(grep -c '"name":"process_name"' "$T/json")" -eq 2
	expect_line '"name":"process_name","args":{"name":"family"}' "$T/json"
	end_case

	begin "$mechanism: without -f children are counted"
	rm -f "$FAMILY"
	rt --attach="$mechanism" "$BIN/family" leaf -- storm 20
	expect_number "calls" "$(grep -c '(leaf' "$T/err")" -eq 1
	expect_line '^rawtrace: 20 children were not traced; -f traces children$' "$T/err"
	end_case

	begin "$mechanism: children that outlive the trace"
	rm -f "$FAMILY" "$FAMILY.end"
	in_background "$RAWTRACE" -f --attach="$mechanism" "$BIN/family" leaf -- serve 2>"$T/err"
	tracer=$PID
	wait_for 20 two_call || because "no trace of two processes"
	kill -INT "$tracer"
	wait_for 20 nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	traced=$(grep -c 'leaf' "$T/err")
	wait_for 10 lines_at_least $((traced + 20)) "$FAMILY" ||
		because "the processes do not go on"
	: >"$FAMILY.end"
	reap "$tracer"
	! selected || expect_processes 2
	expect_no_line '^+++ ' "$T/err"
	end_case

	begin "$mechanism: running processes and children, -f -p"
	rm -f "$FAMILY" "$FAMILY.end"
	in_background "$BIN/family" server
	server=$PID
	wait_for 10 lines_at_least 1 "$FAMILY" || because "nobody serves"
	in_background "$RAWTRACE" -v -f --attach="$mechanism" -p "$server" leaf 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '(leaf 9)' "$T/err" || because "no trace"
	: >"$FAMILY.end"
	reap "$server"
	expect_status 0
	reap "$tracer"
	expect_status 0
	! selected || expect_processes 20
	expect_number "children's calls" "$(grep -c '(leaf 1[0-9])$' "$T/err")" -eq 10
	expect_number "ends" "$(grep -c '^+++ ' "$T/err")" -eq 21
	end_case
done
