#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording that lasts: its progress, and the newest calls alone (record --last).
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# A carriage return ends the line, so that the next one overwrites it.
if has python3; then
	begin "a line of progress, on a terminal alone"
	timeout 60 python3 "$LIVE/terminal.py" 1000 "$RAWTRACE" record -o "$T/data" \
		"$BIN/worker" work leaf -- 1 3000 10 >"$T/out" 2>"$T/err"
	tr '\r' '\n' <"$T/out" >"$T/lines"
	expect_line '^.\[Krawtrace: [1-9][0-9]* calls, [0-9.]* MB, 0 lost$' "$T/lines"
	expect_line '^rawtrace: [1-9][0-9]* calls, [0-9.]* MB, 0 lost$' "$T/lines"
	rt record -o "$T/data" "$FIB" fib -- 5
	expect_no_line 'calls' "$T/err"
	end_case
fi

begin "--last: no file without a reason"
rt record --last=1M -o "$T/flight" "$FIB" fib -- 3
expect_status 0
[ ! -e "$T/flight" ] || because "there is a file"
end_case

begin "--last: a call that fails, and a program that a signal ends"
rt record --last=10s --on-fail -o "$T/flight" cat 'libc.so:open' -- /nonexistent
expect_line '^rawtrace: open: a call failed: written to' "$T/err"
rt report "$T/flight"
expect_line '^<-1 ENOENT' "$T/out"
# shellcheck disable=SC2016 # the traced shell's
rt record --last=10s -o "$T/flight" sh libc.so:kill -- -c 'kill -TERM $$'
expect_line '^rawtrace: killed by SIGTERM: written to' "$T/err"
rt report "$T/flight"
expect_line '^>(kill [0-9]* ' "$T/out"
end_case

# The newest calls, each in one file.
begin "--last: SIGUSR1, and the end of the trace"
rm -f "$T"/flight*
start_worker 2 $LONG $PAUSE
in_background "$RAWTRACE" record --last=500ms -o "$T/flight" -p "$worker" work leaf 2>"$T/err"
tracer=$PID
wait_for 20 has_line '^rawtrace: kept in memory; kill -USR1' "$T/err" || because "no beginning"
is_saved() {
	kill -USR1 "$tracer"
	for file in "$T"/flight*; do
		timeout 20 "$RAWTRACE" report "$file" 2>/dev/null | grep -q '(leaf [0-9]*)$' &&
			return 0
	done
	return 1
}
wait_for 20 is_saved || because "no file has a call"
kill -INT "$tracer"
reap "$tracer"
expect_line '^rawtrace: the trace was ended by a signal: written to' "$T/err"
end_worker
end_case
