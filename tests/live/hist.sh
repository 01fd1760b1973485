#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace hist, by every mechanism: times that the programs know themselves.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# field FUNCTION FIELD FILE: average, total, timed, untimed or buckets (the sum of all), of a
# function's histogram
field() {
	awk -v name="$1" -v field="$2" '
		$1 == "Function" { in_it = $3 == name }
		!in_it { next }
		$2 == "->" { buckets += $5 }
		$1 == "avg" { average = $3; total = $6; timed = $9 }
		$1 == "***" { untimed = $2 }
		# Not print, which makes 2e+09 of what is past an int.
		END {
			printf "%.0f\n", field == "total" ? total : field == "average" ? average : \
				field == "timed" ? timed : field == "untimed" ? untimed : buckets
		}' "$3"
}

# expect_times FUNCTION TIMED UNTIMED FILE
expect_times() {
	for what in "timed $2" "buckets $2" "untimed $3"; do
		got=$(field "$1" "${what% *}" "$4")
		[ "$got" = "${what#* }" ] && continue
		because "$1: ${what% *} $got, not ${what#* }"
		show "$4"
	done
}

# Before 3.17 the main buffer's clock is `global`.  Where the processor's clock is unstable, as in a
# machine, sched_clock_local() of the kernel stops that clock if a tick is late: in percent.
clock_error() {
	if [ "$mechanism" = tracefs ] && ! grep -q -w mono "$TRACING/trace_clock"; then
		echo 5
	else
		echo 0
	fi
}

# expect_bounds FUNCTION FILE: its histogram against what the program says, in $T/out.
expect_bounds() {
	# shellcheck disable=SC2046 # numbers
	set -- "$1" "$2" $(sed -n "s/^$1 //p" "$T/out")
	[ $# = 7 ] || { because "the program did not say its times"; return; }
	expect_times "$1" "$3" 0 "$2"
	least=$((100 - $(clock_error))) most=$((100 + $(clock_error)))
	# The average is rounded down.
	expect_number "$1: least ns of an average call" "$(field "$1" average "$2")" \
		-ge $(($4 / $3 * least / 100))
	expect_number "$1: most ns of an average call" "$(field "$1" average "$2")" \
		-le $(($5 / $3 * most / 100))
	expect_number "$1: least ns in all" "$(field "$1" total "$2")" -ge $(($6 * least / 100))
	expect_number "$1: most ns in all" "$(field "$1" total "$2")" -le $(($7 * most / 100))
}

CALLS=3000
slow && CALLS=150

for mechanism in $MECHANISMS; do
	begin "$mechanism: hist: recursion"
	rt hist --attach="$mechanism" "$FIB" fib -- 10
	expect_status 0
	expect_times fib 177 0 "$T/err"
	end_case

	begin "$mechanism: hist: the program's own times, threads and recursion"
	rt hist --attach="$mechanism" "$BIN/timed" nap snore doze -- 6 20
	expect_status 0
	expect_bounds nap "$T/err"
	expect_bounds snore "$T/err"
	end_case

	! repeats_programs || continue
	begin "$mechanism: hist: a running process"
	in_background "$BIN/timed" 3 20 wait >"$T/out"
	timed=$PID
	wait_for 10 has_line ready "$T/out" || because "the program is not ready"
	in_background "$RAWTRACE" hist -v --attach="$mechanism" -p "$timed" nap snore >"$T/table" \
		2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || show "$T/err"
	kill -USR1 "$timed"
	reap "$timed"
	reap "$tracer"
	expect_status 0
	expect_bounds nap "$T/table"
	expect_bounds snore "$T/table"
	end_case

	begin "$mechanism: hist: more threads than CPUs"
	rt hist --attach="$mechanism" "$BIN/crowd" outer inner -- 16 "$CALLS" one
	expect_times outer $((16 * CALLS)) 0 "$T/err"
	expect_times inner $((16 * CALLS)) 0 "$T/err"
	end_case

	begin "$mechanism: hist: 1,000 levels, of which the kernel shows 64 returns"
	rt hist --attach="$mechanism" "$BIN/recurse" deep -- 0 1000
	expect_times deep 64 948 "$T/err"
	end_case

	if [ -z "$(remark_on longjmp)" ]; then
		begin "$mechanism: hist: calls that longjmp leaves have no time, all others have"
		rt hist --attach="$mechanism" "$BIN/longjmp" attempt leap plain
		expect_times attempt 5 0 "$T/err"
		expect_times plain 10 0 "$T/err"
		expect_times leap 0 15 "$T/err"
		end_case
	fi

	begin "$mechanism: hist: tail calls"
	rt hist --attach="$mechanism" "$BIN/tailcall" around first last even odd
	expect_times first 5 0 "$T/err"
	expect_times around 6 0 "$T/err"
	expect_times last 5 0 "$T/err"
	expect_number "all of the chains" \
		$(($(field even timed "$T/err") + $(field odd timed "$T/err"))) -eq 82
	end_case
done

if has_decoder; then
	begin "hist: the program's own times, by exit probes"
	rt hist --return=insn "$BIN/timed" nap snore doze -- 6 20
	expect_status 0
	expect_bounds nap "$T/err"
	expect_bounds snore "$T/err"
	end_case
fi

begin "hist: a program whose returns cannot be probed"
rt hist --return=none "$BIN/pthread_exit" inner
expect_status 1
expect_message 'inner: cannot be timed: .*--return=none; try: rawtrace count$' "$T/err"
rt count "$BIN/pthread_exit" inner
expect_status 0
expect_line '^inner  *[1-9]' "$T/err"
expect_no_line 'only entries' "$T/err"
end_case
