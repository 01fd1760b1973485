#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Conditions on the result and the time of calls, by every mechanism.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

for mechanism in $MECHANISMS; do
	begin "$mechanism: by the result"
	rt --attach="$mechanism" "$FIB" 'fib(return == 5)' -- 7
	expect_status 0
	expect_text ">(fib 5)
<5
>(fib 5)
<5" "$T/err"
	rt --attach="$mechanism" "$FIB" 'fib(arg1 < 3 && return >= 1, arg1 == 2)' -- 4
	expect_text ">(fib 2)
<1
>(fib 2)
<1" "$T/err"
	rt --attach="$mechanism" "$FIB" 'fib(return < 0)' -- 4
	expect_text 'rawtrace: no call of fib that meets the condition' "$T/err"
	end_case

	begin "$mechanism: calls are counted by their result"
	rt count --attach="$mechanism" -o "$T/table" "$FIB" 'fib(return == 1)' -- 9
	expect_status 0
	expect_line '^fib  *55$' "$T/table"
	rt hist --attach="$mechanism" -o "$T/table" "$FIB" 'fib(return == 5)' -- 9
	expect_line ' count: 5$' "$T/table"
	end_case

	# Without loops in BPF programs (before 5.3) all is sent.
	case $mechanism:$(uname -r) in
	tracefs:* | *:[34].* | *:5.[012].*) ;;
	*)
		begin "$mechanism: what fails is not sent"
		DEEP=18 RESULT=2584 TIMES=144
		! slow || DEEP=14 RESULT=377 TIMES=21
		rt --attach="$mechanism" --buffer=4K "$FIB" "fib(return == $RESULT)" -- $DEEP
		expect_text ">(fib $DEEP)
<$RESULT" "$T/err"
		rt --attach="$mechanism" --buffer=4K "$FIB" 'fib(arg1 > 1 && time > 100s)' -- $DEEP
		expect_text 'rawtrace: no call of fib that meets the condition' "$T/err"
		rt count --attach="$mechanism" -o "$T/table" "$FIB" \
			"fib(return == $TIMES)" -- $DEEP
		expect_line '^fib  *[1-9][0-9]*$' "$T/table"
		end_case
		;;
	esac

	begin "$mechanism: by the time"
	rt --attach="$mechanism" "$BIN/timed" 'nap(time >= 300us)' 'snore(time > 100s)' -- 2 3
	expect_status 0
	expect_number calls "$(grep -c '>(nap [12])$' "$T/err")" -ge 6
	expect_no_line snore "$T/err"
	rt --attach="$mechanism" "$BIN/timed" 'nap(time < 300us)' -- 2 3
	expect_no_line '(nap [12])' "$T/err"
	end_case
done

begin "calls of other functions, inside and around"
rm -f "$T/whole"
for mechanism in $MECHANISMS; do
	rt --attach="$mechanism" "$BIN/recurse" 'main(return != 0)' 'fib(return == 1)' -- 6
	[ -e "$T/whole" ] || cp "$T/err" "$T/whole"
	expect_same "$T/whole" "$T/err"
done
rt "$BIN/recurse" 'fib(return == 1)' main -- 3
sed -n '/fib/p' "$T/err" >"$T/fib"
expect_text "> (fib 2)
> >(fib 1)
> (fib 1)" "$T/fib"
rt "$BIN/recurse" 'main(return != 0)' 'fib(return == 1)' -- 3
sed -n '/fib/p' "$T/err" >"$T/fib"
expect_text ">(fib 2)
> (fib 1)
>(fib 1)" "$T/fib"
end_case

for mechanism in $MECHANISMS; do
	begin "$mechanism: --why: inside and around, and nothing else"
	rt --attach="$mechanism" --why "$BIN/recurse" 'fib(return == 2)' main -- 4
	expect_status 0
	sed 's/(main .*/(main)/' "$T/err" >"$T/trace"
	expect_text ">(main)
> (fib 4)
> >(fib 3)
> > (fib 2)
> > >(fib 1)
< < <1
> > >(fib 0)
< < <0
< < 1
> > (fib 1)
< < 1
< <2
< 3
<0" "$T/trace"
	end_case
done

# --why in the kernel needs rings that rawtrace maps (5.12); with others all calls are sent.
if "$RAWTRACE" -v -o "$T/null" "$FIB" fib -- 1 2>&1 </dev/null | grep -q 'ring: array'; then
	# same_with_perf CASE PROGRAM ARGUMENT...: the kernel and the reader keep the same calls.
	same_with_perf() {
		begin "--why in the kernel: $1"
		shift
		rt --why --ring=perf -o "$T/sent" "$@"
		rt --why -o "$T/kept" "$@"
		leave_out_stepped "$T/sent"
		leave_out_stepped "$T/kept"
		sed -i 's/(main [^)]*/(main/' "$T/sent" "$T/kept"
		expect_same "$T/sent" "$T/kept"
		expect_number lines "$(grep -c '' "$T/kept")" -ge "$LINES_LEAST"
		end_case
	}
	LINES_LEAST=1000
	same_with_perf "more calls inside than it keeps" "$BIN/recurse" 'fib(return == 89)' '*' \
		-- 12
	same_with_perf "several that pass" "$BIN/recurse" 'fib(return == 5)' '*' -- 12
	LINES_LEAST=50
	same_with_perf "calls that longjmp leaves" "$BIN/longjmp" 'attempt(time > 0ns)' leap plain \
		main fly down
	LINES_LEAST=20
	same_with_perf "tail calls" "$BIN/tailcall" 'around(time > 0ns)' first last main odd even
	same_with_perf "calls that failed inside" "$BIN/recurse" 'main(return == 0)' \
		'fib(arg1 > 2)' -- 7

	begin "--why in the kernel: threads, one call in a thousand"
	rt --why -o "$T/kept" "$BIN/crowd" 'outer(return == 1600)' inner -- 150 1000
	leave_out_stepped "$T/kept"
	sed 's/^\[[0-9]*\] //' "$T/kept" | sort | uniq -c | sed 's/^ *//' >"$T/lines"
	expect_text "150 < 800
150 <1600
150 > (inner 799)
150 >(outer 799)" "$T/lines"
	end_case

	# 8,000 calls in each thread are 64,000 records of 40 bytes; the rings have 1 MB.
	begin "--why in the kernel: what fails is not sent"
	in_background "$BIN/crowd" 4 8000 wait >"$T/crowd"
	crowd=$PID
	wait_for 10 has_line ready "$T/crowd" || because "the program is not ready"
	in_background "$RAWTRACE" --why -v --buffer=1M -o "$T/kept" -p "$crowd" \
		'outer(return == 1600)' inner 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || because "it is not attached"
	kill -STOP "$tracer"
	kill -USR1 "$crowd"
	wait_for 60 has_line sum "$T/crowd" || because "the program does not end"
	kill -CONT "$tracer"
	reap "$crowd"
	reap "$tracer"
	leave_out_stepped "$T/kept"
	sed 's/^\[[0-9]*\] //' "$T/kept" | grep -v "^rawtrace: process" | sort | uniq -c |
		sed 's/^ *//' >"$T/lines"
	expect_text "4 < 800
4 <1600
4 > (inner 799)
4 >(outer 799)" "$T/lines"
	end_case
fi

begin "--why without a condition on an end"
rt --why "$FIB" 'fib(arg1 > 3)'
expect_status 2
expect_message "--why: no condition on an end; try: 'FUNC(time > 5ms)', --failed" "$T/err"
end_case

begin "a call whose result is not seen"
rt "$BIN/tailcall" 'first(return == 4)' last
expect_status 0
expect_line '^rawtrace: 5 calls left out: the result was not seen$' "$T/err"
expect_no_line first "$T/err"
end_case

begin "a function whose return is not probed"
rt --return=none "$FIB" 'fib(return == 5)' -- 3
expect_status 1
expect_message 'fib: its return cannot be probed: .*--return=none$' "$T/err"
end_case

[ -z "${CASES_FAILED:-}" ]
