#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace is killed at any moment: the program goes on and gets its results right, and no probe
# stays.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# moment MILLISECONDS: a random time below that, in seconds.
moment() {
	od -An -N2 -tu2 /dev/urandom | awk -v below="$1" '{ printf "%.3f", $1 % below / 1000 }'
}

# TIMES: kills.  WORK: ms that the worker runs, longer than the latest kill.  ROUNDS and REST: calls
# of the thousand functions and the pause between, in us.  SHORT: the worker's pause.
TIMES=5 WORK=450 ROUNDS=20000 REST=0 SHORT=50
! slow || TIMES=2 WORK=1500 ROUNDS=800 REST=10000 SHORT=2000

for mechanism in $MECHANISMS; do
	begin "$mechanism: SIGKILL while it traces a process"
	i=0
	late=0
	tracers=
	while [ $i -lt $TIMES ]; do
		i=$((i + 1))
		in_background "$BIN/worker" 2 $WORK $SHORT >"$T/worker"
		worker=$PID
		wait_for 20 has_line ready "$T/worker"
		in_background "$RAWTRACE" --attach="$mechanism" -o "$T/trace" -p "$worker" work \
			leaf 2>"$T/err"
		tracer=$PID
		delay=$(moment 350)
		sleep "$delay"
		kill -KILL "$tracer" 2>/dev/null
		reap "$tracer"
		# On a machine under load the worker may have ended before: once more.
		if [ $late -lt 20 ] && { [ "$ST" -eq 0 ] ||
			has_line ' ended before its probes were attached$' "$T/err"; }; then
			late=$((late + 1)) i=$((i - 1))
		else
			expect_number "after $delay s: status" "$ST" -eq 137
			[ "$ST" -eq 137 ] || show "$T/err"
		fi
		tracers="$tracers $tracer"
		reap "$worker"
		expect_number "after $delay s: the program's status" "$ST" -eq 0
		expect_line '^right$' "$T/worker"
	done
	for tracer in $tracers; do
		wait_for 15 nothing_left_by "$tracer" ||
			because "left by $tracer: $(left_by "$tracer")"
	done
	end_case

	begin "$mechanism: SIGKILL while it starts or traces a command"
	i=0
	tracers=
	while [ $i -lt $TIMES ]; do
		i=$((i + 1))
		rm -f "$T/worker"
		in_background "$RAWTRACE" --attach="$mechanism" -o "$T/trace" "$BIN/worker" work \
			leaf -- 2 300 $SHORT \
			>"$T/worker" 2>"$T/err"
		tracer=$PID
		delay=$(moment 250)
		sleep "$delay"
		kill -KILL "$tracer"
		reap "$tracer"
		tracers="$tracers $tracer"
		# Either the program has never begun, or it comes to its right end.
		if wait_for 1 has_line ready "$T/worker"; then
			wait_for 10 has_line '^right$' "$T/worker" || {
				because "after $delay s: the program did not end right"
				show "$T/worker"
			}
		else
			[ ! -s "$T/worker" ] || show "$T/worker"
		fi
	done
	for tracer in $tracers; do
		wait_for 15 nothing_left_by "$tracer" ||
			because "left by $tracer: $(left_by "$tracer")"
	done
	end_case
done

# From 5.4 on the kernel comes to grief when an event of several probes is deleted while perf still
# has it: tests/run reads its log.
case " $MECHANISMS " in
*" multi-event "*)
	begin "SIGKILL with ten events of ten probes each"
	timeout $((20 * SECOND)) "$BIN/many" $ROUNDS $REST >"$T/untraced"
	functions=
	for k in 0 1 2 3 4 5 6 7 8 9; do
		functions="$functions many_0?$k:$k"
	done
	tracers=
	for k in 1 2 3; do
		# shellcheck disable=SC2086 # several functions
		in_background "$RAWTRACE" -v --attach=multi-event -o "$T/trace$k" "$BIN/many" \
			$functions -- $ROUNDS $REST >"$T/many$k" 2>"$T/err$k"
		tracers="$tracers $PID"
	done
	for k in 1 2 3; do
		wait_for 20 test -s "$T/trace$k" || because "rawtrace $k has not begun"
	done
	for tracer in $tracers; do
		kill -KILL "$tracer"
		reap "$tracer"
		expect_number "status" "$ST" -eq 137
	done
	for tracer in $tracers; do
		wait_for 15 nothing_left_by "$tracer" ||
			because "left by $tracer: $(left_by "$tracer")"
	done
	for k in 1 2 3; do
		wait_for 20 has_line . "$T/many$k"
		expect_same "$T/untraced" "$T/many$k"
	done
	end_case
	;;
esac

begin "SIGKILL to rawtrace and its guard: the next start clears what they left"
case " $MECHANISMS " in
*" tracefs "*)
	in_background "$BIN/worker" 1 $LONG 200 >"$T/worker"
	worker=$PID
	wait_for 20 has_line ready "$T/worker"
	# Any rawtrace that starts clears what dead ones left, other scripts' too: then once more.
	for _ in 1 2 3 4 5; do
		in_background "$RAWTRACE" --attach=tracefs -p "$worker" work 2>"$T/err"
		tracer=$PID
		wait_for 10 lines_at_least 50 "$T/err" || because "no trace"
		guard=$(cat "/proc/$tracer/task/$tracer/children" 2>/dev/null)
		# shellcheck disable=SC2086 # the guard alone
		[ -n "$guard" ] && kill -KILL $guard
		kill -KILL "$tracer"
		reap "$tracer"
		left=$(left_by "$tracer")
		[ -n "$guard" ] && [ -z "$left" ] || break
	done
	[ -z "$guard" ] || [ -n "$left" ] || because "nothing was left, so nothing was shown"
	rt "$FIB" fib
	expect_status 0
	[ "$ST" = 0 ] || show "$T/err"
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	kill -USR1 "$worker"
	reap "$worker"
	expect_line '^right$' "$T/worker"
	end_case
	;;
*) skip "SIGKILL to the guard" "no tracefs" ;;
esac
