#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace count, by every mechanism: numbers that the programs know themselves.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# expect_count FUNCTION CALLS FILE
expect_count() {
	counted=$(awk -v name="$1" '$1 == name && NF == 2 { print $2 }' "$3")
	[ "$counted" = "$2" ] && return
	because "$1 was called $2 times, not ${counted:-0}"
	show "$3"
}

# Calls, and how many can be made while the probes of two functions go out one after another.
CALLS=3000 APART=4
slow && CALLS=150 APART=100

for mechanism in $MECHANISMS; do
	begin "$mechanism: count: recursion"
	rt count --attach="$mechanism" "$FIB" fib -- 15
	expect_status 0
	expect_line '^fib(15) = 610$' "$T/out"
	printf '%-36s %12s\n%-36s %12s\n' FUNC COUNT fib 1973 >"$T/expected"
	expect_same "$T/expected" "$T/err"
	end_case

	begin "$mechanism: count: sixteen threads on one CPU, into a file"
	rt count --attach="$mechanism" -o "$T/counts" "$BIN/crowd" inner 'oute*' -- 16 "$CALLS" one
	expect_status 0
	[ ! -s "$T/err" ] || show "$T/err"
	expect_count inner $((16 * CALLS)) "$T/counts"
	expect_count outer $((16 * CALLS)) "$T/counts"
	end_case

	begin "$mechanism: count: eight threads on all CPUs"
	rt count --attach="$mechanism" "$BIN/crowd" inner outer -- 8 "$CALLS"
	expect_count inner $((8 * CALLS)) "$T/err"
	expect_count outer $((8 * CALLS)) "$T/err"
	end_case

	begin "$mechanism: count: threads moving between CPUs, 1,000 levels, longjmp"
	rt count --attach="$mechanism" "$BIN/threads" work
	expect_count work 209 "$T/err"
	rt count --attach="$mechanism" "$BIN/recurse" deep -- 0 1000
	expect_count deep 1012 "$T/err"
	rt count --attach="$mechanism" "$BIN/longjmp" attempt leap plain
	expect_count leap 15 "$T/err"
	expect_count plain 10 "$T/err"
	expect_status 0
	end_case

	! repeats_programs || continue
	begin "$mechanism: count: sorted, and what was not called"
	rt count --attach="$mechanism" "$BIN/recurse" 'fi*' deep -- 5
	printf '%-36s %12s\n%-36s %12s\nrawtrace: not called: 1 of 2 functions\n' FUNC COUNT fib \
		15 >"$T/expected"
	expect_same "$T/expected" "$T/err"
	rt count --attach="$mechanism" "$BIN/tailcall" last around
	expect_count around 6 "$T/err"
	expect_line '^around .*6$' "$T/err"
	sed -n 2p "$T/err" >"$T/first"
	expect_line '^around ' "$T/first"
	end_case

	begin "$mechanism: count: a running process"
	in_background "$BIN/crowd" 4 "$CALLS" wait >"$T/crowd"
	crowd=$PID
	wait_for 10 has_line ready "$T/crowd" || because "the program is not ready"
	in_background "$RAWTRACE" count -v --attach="$mechanism" -p "$crowd" inner outer >"$T/out" \
		2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || show "$T/err"
	kill -USR1 "$crowd"
	reap "$crowd"
	reap "$tracer"
	expect_status 0
	expect_count inner $((4 * CALLS)) "$T/out"
	expect_count outer $((4 * CALLS)) "$T/out"
	end_case

	begin "$mechanism: count: until a signal, and the program goes on"
	start_worker 2 $LONG $PAUSE
	# On a machine under load a second may end before the probes are in.
	for seconds in 1 4 16; do
		in_background "$RAWTRACE" count --attach="$mechanism" -p "$worker" work leaf \
			>"$T/out" 2>"$T/err"
		tracer=$PID
		sleep $((seconds * SECOND))
		kill -INT "$tracer"
		reap "$tracer"
		! has_line '^work ' "$T/out" || break
	done
	expect_status 0
	expect_line '^work  *[1-9][0-9]*$' "$T/out"
	[ ! -s "$T/err" ] || show "$T/err"
	difference=$(awk \
		'$1 == "work" { w = $2 } $1 == "leaf" { l = $2 } END { d = w - l; print d < 0 ? -d : d }' "$T/out")
	expect_number "work less leaf" "$difference" -le $APART
	end_worker
	end_case
done

begin "count: what does not go together"
rt count --format=chrome "$FIB" fib
expect_status 2
expect_message '-F: not allowed with count' "$T/err"
end_case
