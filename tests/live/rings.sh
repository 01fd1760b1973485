#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every ring that the kernel has: the same trees, more threads than CPUs, so that programs are
# interrupted in the middle of a record, full rings, and a reader that is stopped for seconds.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

mechanism=
for name in $MECHANISMS; do
	[ "$name" = tracefs ] || mechanism=${mechanism:-$name}
done
[ -n "$mechanism" ] || skip_all "no mechanism with BPF"

# crowd_agrees THREADS CALLS [lossy]: $T/trace is a tree of it.
crowd_agrees() {
	awk -v threads="$1" -v calls="$2" -v lossy="${3:-}" -f "$LIVE/crowd.awk" "$T/trace" \
		>"$T/crowd" 2>&1 || show "$T/crowd"
}

CALLS=20000 FULL=300000 BUSY="1 2 3 4"
STOPPED=5
! slow || CALLS=1200 FULL=8000 BUSY=1 STOPPED=2

for ring in array ringbuf perf; do
	rt --ring=$ring --attach="$mechanism" "$FIB" fib
	if [ "$ST" = 2 ] && grep -q "^rawtrace: --ring=$ring does not work here: " "$T/err"; then
		skip "$ring" "$(sed -n 's/.*does not work here: //p' "$T/err")"
		continue
	fi
	agrees "$ring: fib" recurse fib 11
	agrees "$ring: threads moving between CPUs" threads work
	agrees "$ring: longjmp" longjmp 'attempt leap plain'
	agrees "$ring: tail calls" tailcall 'around first last even odd'

	begin "$ring: is what -v says"
	rt -v --ring=$ring --attach="$mechanism" "$FIB" fib
	expect_line "^rawtrace: attach $mechanism: .* ring: $ring," "$T/err"
	end_case

	begin "$ring: sixteen threads on one CPU"
	timeout 100 "$RAWTRACE" --ring=$ring --attach="$mechanism" -o "$T/trace" "$BIN/crowd" \
		outer inner -- 16 $((CALLS / 4)) one >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	crowd_agrees 16 $((CALLS / 4))
	end_case

	# Large frames could be the CPU's and not the thread's, from Linux 6.13 on.
	begin "$ring: sixteen threads on one CPU, held back until they have lasted"
	timeout 100 "$RAWTRACE" --ring=$ring --attach="$mechanism" --min-time=1ns -o "$T/trace" \
		"$BIN/crowd" outer inner -- 16 $((CALLS / 10)) one >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	crowd_agrees 16 $((CALLS / 10))
	end_case

	begin "$ring: eight threads on all CPUs"
	timeout 100 "$RAWTRACE" --ring=$ring --attach="$mechanism" -o "$T/trace" "$BIN/crowd" \
		outer inner -- 8 $((CALLS / 2)) >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	crowd_agrees 8 $((CALLS / 2))
	end_case

	begin "$ring: full speed beside busy processes, none lost"
	busy=
	for k in $BUSY; do
		in_background sh -c 'while :; do :; done'
		busy="$busy $PID"
	done
	timeout 100 "$RAWTRACE" --ring=$ring --attach="$mechanism" -o "$T/trace" "$BIN/loop" step \
		-- $FULL >"$T/out" 2>"$T/err"
	status=$?
	for k in $busy; do
		kill -KILL "$k"
		reap "$k"
	done
	ST=$status
	expect_status 5
	expect_number lines "$(grep -c '' "$T/trace")" -eq $((2 * FULL))
	expect_no_line ' lost ' "$T/trace"
	end_case

	begin "$ring: a small ring under eight threads"
	timeout 100 "$RAWTRACE" --ring=$ring --attach="$mechanism" --buffer=4K -o "$T/trace" \
		"$BIN/crowd" outer inner -- 8 "$CALLS" >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	crowd_agrees 8 "$CALLS" lossy
	expect_line '^\(\[[0-9]*\] \)\{0,1\}\*\*\* [0-9]* events\{0,1\} lost \*\*\*$' "$T/trace"
	end_case

	begin "$ring: a reader that is stopped for $STOPPED s under full load"
	in_background "$RAWTRACE" --ring=$ring --attach="$mechanism" --buffer=256K -o "$T/trace" \
		"$BIN/crowd" outer inner -- 2 $((CALLS * 4)) wait \
		>"$T/out" 2>"$T/err"
	tracer=$PID
	wait_for 10 has_line '^ready ' "$T/out" || because "the program does not begin"
	kill -STOP "$tracer"
	kill -USR1 "$(sed -n 's/^ready //p' "$T/out")"
	sleep $STOPPED
	kill -CONT "$tracer"
	reap "$tracer"
	expect_status 0
	crowd_agrees 2 $((CALLS * 4)) lossy
	expect_line '^\(\[[0-9]*\] \)\{0,1\}\*\*\* [0-9]* events\{0,1\} lost \*\*\*$' "$T/trace"
	end_case
done

# Rings of a gigabyte are only for machines that have it.
if [ "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -gt 8000000 ] &&
	[ "$(nproc)" -le 4 ]; then
	begin "a larger ring than there is"
	rt --buffer=4G "$FIB" fib
	expect_status 0
	expect_line "^<3\$" "$T/err"
	end_case
fi

begin "a ring that is not there"
rt --ring=square "$FIB" fib
expect_status 2
expect_line "^rawtrace: --ring=square: no such ring; there are: array, " "$T/err"
rt --ring=perf --no-bpf "$FIB" fib
expect_status 2
expect_line "^rawtrace: --ring=perf: not allowed without BPF$" "$T/err"
end_case
