#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -p with several processes of one program.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# start_prefork: 3 processes, their ids in $first, $second and $third, and all in $prefork.
start_prefork() {
	in_background "$BIN/prefork" 3 >"$T/prefork"
	server=$PID
	wait_for 10 lines_at_least 3 "$T/prefork" || because "the processes are not there"
	prefork=$(sed -n 's/^process //p' "$T/prefork" | tr '\n' ' ')
	selected || prefork="$PID $PID $PID"
	# shellcheck disable=SC2086 # three numbers
	set -- $prefork
	first=$1 second=$2 third=$3
}

# serve_under MECHANISM OPTION...: rawtrace traces what they say, while the processes serve.
serve_under() {
	in_background "$RAWTRACE" -v --attach="$@" 2>"$T/all"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/all" || show "$T/all"
	# shellcheck disable=SC2086 # three numbers
	kill -USR1 $prefork
	reap "$server"
	expect_status 0
	reap "$tracer"
	expect_status 0
	# The remarks of -v are no trace.
	sed -n '/^\(\[[0-9 ]*\] \)*[<>]/p' "$T/all" >"$T/err"
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: two processes of three, each of two threads"
	start_prefork
	serve_under "$mechanism" -p "$first, $third" serve:2 part
	expect_nested "$T/err" whole
	for i in 1 2 3; do
		said=$(sed -n "s/^$(echo "$prefork" | cut -d' ' -f$i) \([0-9]*\)$/\1/p" \
			"$T/prefork")
		[ $i != 2 ] || said=0
		for n in 0 1 2; do
			expect_number "calls (serve $i $n)" "$(grep -c "(serve $i $n)" "$T/err")" \
				-eq "$said"
		done
		expect_number "calls (part $i)" "$(grep -c "(part $i)" "$T/err")" -eq $((2 * said))
	done
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	end_case

	begin "$mechanism: count, two processes of three"
	start_prefork
	in_background "$RAWTRACE" count -v --attach="$mechanism" -p "$second" -p "$third" serve \
		part >"$T/table" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || show "$T/err"
	# shellcheck disable=SC2086 # three numbers
	kill -USR1 $prefork
	reap "$server"
	reap "$tracer"
	expect_status 0
	expect_line '^serve  *300$' "$T/table"
	expect_line '^part  *200$' "$T/table"
	end_case
done

begin "several processes: one that is none, one of another program, one that ends"
start_prefork
rt -p "$first,2000000000" serve
expect_status 1
expect_message "process 2000000000: no such process$" "$T/err"
rt -p "$first" -p $$ serve
expect_status 2
expect_message "process .*: runs .*/prefork, process .* runs .*; trace them one by one" "$T/err"
in_background "$RAWTRACE" -v -p "$prefork" serve 2>"$T/all"
tracer=$PID
wait_for 20 has_line '^rawtrace: attached to' "$T/all" || show "$T/all"
kill -USR1 "$first"
wait_for 10 lines_at_least 30 "$T/all" || because "no calls of the first process"
sleep 0.3
kill -0 "$tracer" || because "the end of one process ended the trace"
kill -USR1 "$second" "$third"
reap "$tracer"
expect_status 0
reap "$server"
expect_status 0
expect_number calls "$(grep -c "^[^a-z]*(serve " "$T/all")" -eq 360
end_case
