#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings: what they give is what a live trace prints, on another machine too.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

for mechanism in $MECHANISMS; do
	begin "$mechanism: a report is the live tree"
	rt --attach="$mechanism" -o "$T/live" "$FIB" fib -- 12
	rt record --attach="$mechanism" -o "$T/data" "$FIB" fib -- 12
	expect_status 0
	expect_text 'fib(12) = 144' "$T/out"
	rt report "$T/data"
	expect_status 0
	expect_same "$T/live" "$T/out"
	end_case
done

begin "without -o: rawtrace.data, and report finds it"
mkdir "$T/folder"
(cd "$T/folder" && timeout 60 "$RAWTRACE" record "$FIB" fib -- 2 && timeout 60 "$RAWTRACE" report) \
	>"$T/out" 2>"$T/err"
expect_text 'fib(2) = 1
>(fib 2)
> (fib 1)
< 1
> (fib 0)
< 0
<1' "$T/out"
expect_text 'rawtrace: trace written to rawtrace.data' "$T/err"
end_case

# Strings, flags and errno, whose meaning is not in the bytes that the probes read.
if has python3; then
	begin "a pager, at a terminal"
	rt record -o "$T/data" "$FIB" fib -- 1
	PAGER='sed s/^/paged:/' TERM=xterm NO_COLOR='' timeout 60 python3 "$LIVE/terminal.py" 1000 \
		"$RAWTRACE" report -F flow "$T/data" >"$T/paged"
	expect_line '^paged: .*fib(1) = 1' "$T/paged"
	PAGER=cat timeout 60 python3 "$LIVE/terminal.py" 1000 \
		"$RAWTRACE" report "$T/data" >"$T/paged"
	expect_text '>(fib 1)
<1' "$T/paged"
	end_case
fi

begin "values of every kind"
rt -o "$T/live" cat 'libc.so:open' 'libc.so:read' -- /nonexistent "$T/folder/none" /proc/version
rt record -o "$T/data" cat 'libc.so:open' 'libc.so:read' -- /nonexistent "$T/folder/none" \
	/proc/version
rt report "$T/data"
sed 's/0x[0-9a-f]*/0x/' "$T/live" >"$T/one"
sed 's/0x[0-9a-f]*/0x/' "$T/out" >"$T/two"
expect_line 'O_RDONLY' "$T/two"
expect_line '<-1 ENOENT' "$T/two"
expect_same "$T/one" "$T/two"
end_case

begin "a pipe: record -o - and report -"
rt record -o - cat libc.so:open -- /dev/null
cp "$T/out" "$T/piped"
rt report "$T/piped"
expect_line '^>(open "/dev/null" O_RDONLY)$' "$T/out"
rt record -o "$T/data" "$FIB" fib -- 3
timeout 60 "$RAWTRACE" report - <"$T/data" >"$T/one"
cat "$T/data" | timeout 60 "$RAWTRACE" report - >"$T/two"
expect_line '^>(fib 3)$' "$T/one"
expect_same "$T/one" "$T/two"
end_case

begin "report: the filters of a live trace, and tables"
rt record -o "$T/data" "$FIB" fib -- 6
rt report --depth=1 "$T/data"
expect_text '>(fib 6)
<8' "$T/out"
rt report --format=count "$T/data"
expect_line '^fib  *25$' "$T/out"
rt report --exclude='f*' "$T/data"
expect_text 'rawtrace: no call passes the filters' "$T/out"
rt report --to=60s --only='[ef]ib' --tid=1,2 "$T/data"
expect_text 'rawtrace: no call passes the filters' "$T/out"
rt report --format=graph --callers --sort=calls "$T/data"
expect_line '  25  fib$' "$T/out"
rt report --only=gcd "$T/data"
expect_status 2
rt report --format=html -o "$T/page" "$T/data"
expect_status 0
expect_line 'flame' "$T/page"
rt report --only-under=gcd "$T/data"
expect_status 2
expect_message '--only-under=gcd: the recording has no such function' "$T/err"
end_case

# The same calls as a live trace with the same condition, in a tree without the others.
begin "report: conditions"
rt record -o "$T/data" "$FIB" fib -- 6
for condition in 'fib(arg1 > 2)' 'fib(return == 3)' 'fib(arg1 == 1 || arg1 == 3, return < 2)' \
	'f*(time < 10s)'; do
	rt -o "$T/live" "$FIB" "$condition" -- 6
	expect_line '^>* *(fib\|>(fib' "$T/live"
	rt report "$T/data" "$condition"
	expect_same "$T/live" "$T/out"
done
rt -o "$T/live" --why "$FIB" 'fib(return == 3)' -- 6
rt report "$T/data" --why 'fib(return == 3)'
expect_line '(fib 6)' "$T/out"
expect_same "$T/live" "$T/out"
rt record -o "$T/data" cat libc.so:open -- /nonexistent "$T/folder/none" /proc/version
for condition in 'open(errno == ENOENT)' 'open(return >= 0)' 'open(arg1 == "/proc/version")' -Z; do
	set -- "libc.so:$condition"
	[ "$condition" != -Z ] || set -- -Z libc.so:open
	rt -o "$T/live" cat "$@" -- /nonexistent "$T/folder/none" /proc/version
	expect_line '^>(open' "$T/live"
	rt report "$T/data" "$condition"
	expect_same "$T/live" "$T/out"
done
rt report "$T/data" 'open(flags == O_RDONLY)'
expect_line '(open "/nonexistent" O_RDONLY' "$T/out"
rt report "$T/data" 'open(flags & O_RDWR)'
expect_text 'rawtrace: no call meets the condition' "$T/out"
rt report "$T/data" 'open(time < 1ns)' 'open(none == 3)'
expect_text 'rawtrace: no call meets the condition' "$T/out"
rt report "$T/data" 'open(none == 3)'
expect_line '^rawtrace: 3 calls left out: the recording has no such value to compare' "$T/out"
rt report "$T/data" --why 'open(arg1 == 3)'
expect_status 2
rt report "$T/data" 'open(p->x == 3)'
expect_status 2
expect_message 'expected an argument itself: a recording has no memory' "$T/err"
rt report "$T/data" 'close(return < 0)'
expect_status 2
expect_message 'close: the recording has no such function' "$T/err"
end_case

# cat waits for a writer of the FIFO, while fib is recorded.
begin "report: several recordings, in order of time"
echo hello >"$T/hello"
mkfifo "$T/fifo"
in_background "$RAWTRACE" record -o "$T/cat" cat libc.so:open -- "$T/hello" "$T/fifo" \
	>"$T/said" 2>"$T/err"
tracer=$PID
wait_for 20 has_line hello "$T/said" || because "cat does not run"
rt record -o "$T/fib" "$FIB" fib -- 1
! selected || timeout 60 sh -c ': >"$0"' "$T/fifo"
reap "$tracer"
rt report "$T/fib" "$T/cat"
expect_status 0
sed 's/ [0-9]*\] /] /; s|"/.*/|"|; /cat/s/<[0-9]*$/<3/' "$T/out" >"$T/tree"
expect_text '[cat] >(open "hello" O_RDONLY)
[cat] <3
[cat] >(open "fifo" O_RDONLY)
[fib] >(fib 1)
[fib] <1
[cat] <3' "$T/tree"
rt report "$T/fib" "$T/cat" 'open(return > 0)' --only-under=open
expect_line '^\[cat [0-9]*\] >(open ".*/fifo" O_RDONLY)$' "$T/out"
expect_no_line 'fib' "$T/out"
rt report -F json -o - "$T/cat" "$T/fib"
sed 's/.*"ts":\([0-9]*\),"dur":\([0-9]*\),"name":"\([a-z]*\).*/\1 \2 \3/' "$T/out" |
	awk '$3 == "fib" { at = $1; end = $1 + $2 } $3 == "open" { from = $1; to = $1 + $2 }
		END { print(from < at && end < to ? "inside" : "outside") }' >"$T/times"
expect_text inside "$T/times"
rt report -F chrome -o "$T/json" "$T/cat" "$T/fib"
for name in cat fib; do
	expect_line '"name":"process_name","args":{"name":"'$name'"}' "$T/json"
done
rt record -o "$T/more" "$FIB" fib -- 5
rt report -F summary "$T/cat" "$T/fib" "$T/more"
expect_line '^ *16 .* fib$' "$T/out"
expect_line '^ *2 .* open$' "$T/out"
expect_number "rows" "$(wc -l <"$T/out")" -eq 3
rt report --net -F count "$T/cat" "$T/fib"
expect_line '^rawtrace: --net: .* taken off 3 calls$' "$T/err"
rt report -F count "$T/fib" "$T/fib"
expect_line '^rawtrace: thread [0-9]* is in fib and in fib: shown as one$' "$T/err"
end_case

begin "report: a damaged recording beside a good one"
rt record -o "$T/good" "$FIB" fib -- 12
rt report "$T/good"
sed 's/^/[fib] /' "$T/out" >"$T/whole"
rt record -o "$T/data" "$BIN/loop" step -- 30000
printf 'XXXX' | dd of="$T/data" bs=1 seek=$(($(wc -c <"$T/data") * 3 / 4)) conv=notrunc 2>/dev/null
rt report "$T/data" "$T/good"
expect_status 1
expect_message 'data: damaged at byte [0-9]*: its checksum is wrong' "$T/err"
expect_line '^\[loop [0-9]*\] >(step ' "$T/out"
sed -n 's/^\[fib [0-9]*\]/[fib]/p' "$T/out" >"$T/tree"
expect_same "$T/whole" "$T/tree"
cp "$T/data" "$T/data2"
rt report "$T/data" "$T/data2"
expect_status 1
expect_line '^rawtrace: .*data: damaged at byte' "$T/err"
expect_line '^rawtrace: .*data2: damaged at byte' "$T/err"
head -c $(($(wc -c <"$T/good") - 20)) "$T/good" >"$T/cut"
rt report "$T/good" "$T/cut"
expect_status 0
expect_line '^rawtrace: [^ ]*/cut: the recording has no end: its recorder was killed$' "$T/out"
(cd "$T" && timeout 60 "$RAWTRACE" report good nosuch) >"$T/out" 2>"$T/err"
expect_message 'nosuch: No such file or directory; for calls of a function: --only=nosuch' "$T/err"
end_case

begin "diff: two runs, and the first call that is another one"
rt record -o "$T/one" "$FIB" fib -- 5
rt record -o "$T/two" "$FIB" fib -- 6
rt diff "$T/one" "$T/two"
expect_status 0
expect_line '^        25         +10 .* fib$' "$T/out"
rt diff --only=fib --depth=1 --sort=calls "$T/one" "$T/two"
expect_line '^         1   .* fib$' "$T/out"
rt diff --first "$T/one" "$T/two"
expect_line '^thread 1, event 1:$' "$T/out"
expect_line '^>(fib 5)$' "$T/out"
expect_line '^>(fib 6)$' "$T/out"
rt record -o "$T/two" "$FIB" fib -- 5
rt diff --first "$T/one" "$T/two"
expect_text 'no difference' "$T/out"
rt diff "$T/one"
expect_status 2
end_case

# Their addresses and process ids differ.
begin "diff: the same work in two processes"
rt record -o "$T/one" cat 'libc.so:open' 'libc.so:read' 'libc.so:malloc' 'libc.so:getpid' -- \
	/etc/passwd
rt record -o "$T/two" cat 'libc.so:open' 'libc.so:read' 'libc.so:malloc' 'libc.so:getpid' -- \
	/etc/passwd
rt diff --first "$T/one" "$T/two"
expect_text 'no difference' "$T/out"
end_case

# Without the program, and as a user who may trace nothing.
begin "report needs neither the program nor root"
cp "$FIB" "$T/own"
rt record -o "$T/data" "$T/own" fib -- 2
rm "$T/own"
chmod 644 "$T/data"
setpriv --reuid=65534 --clear-groups "$RAWTRACE" report "$T/data" >"$T/out" 2>"$T/err" ||
	show "$T/err"
expect_line '^>(fib 2)$' "$T/out"
end_case

# More events than memory takes are in a temporary file.
begin "calls that are decoded when the program has ended"
many=500000
! slow || many=20000
rt record -o "$T/data" "$BIN/loop" step -- $many
expect_status 5
rt report "$T/data"
expect_nested "$T/out"
lost=$(awk '/ lost \*\*\*$/ { n += $2 } END { print n + 0 }' "$T/out")
seen=$(grep -v -e ' lost \*\*\*$' -e '<\*\*\* ' "$T/out" | grep -c '')
expect_number "events seen and lost" $((seen + lost)) -eq $((2 * many))
expect_no_line 'has no end' "$T/out"
find "$T" -name '.rawtrace*' >"$T/files"
[ ! -s "$T/files" ] || show "$T/files"
end_case

# With -y all calls are decoded while the program runs.
begin "calls that are decoded later have the same values, times and ends"
for words in "$FIB fib -- 15" "$BIN/longjmp !w_*" "cat libc.so:open -- /dev/null"; do
	for data in one two; do
		set -f
		# shellcheck disable=SC2086 # words
		rt record $([ $data = one ] || echo -y) -o "$T/$data" $words
		set +f
		rt report --format=json -o "$T/json" "$T/$data"
		sed -e '/"note"/d; s/"pid":[0-9]*,"tid":[0-9]*,"ts":[0-9]*,"dur":[0-9]*,//; s/0x[0-9a-f]*//g' \
			-e 's/"\([0-9]*\)<[^>]*>"/\1/' "$T/json" >"$T/calls.$data"
	done
	expect_line '"name"' "$T/calls.one"
	expect_same "$T/calls.one" "$T/calls.two"
	! slow || break
done
end_case

# All but the last second is there.
begin "a recorder that is killed and has no heir"
: >"$T/data"
start_worker 2 $LONG $PAUSE
in_background "$RAWTRACE" record -y -o "$T/data" -p "$worker" work leaf 2>"$T/err"
tracer=$PID
is_long() { [ "$(wc -c 2>/dev/null <"$T/data" || echo 0)" -gt 4000 ]; }
wait_for 20 is_long || because "nothing was written"
kill -KILL "$tracer"
reap "$tracer"
rt report "$T/data"
expect_line '(leaf [0-9]*)$' "$T/out"
expect_line '^rawtrace: the recording has no end: its recorder was killed' "$T/out"
expect_nested "$T/out"
end_worker
timeout 60 "$RAWTRACE" doctor --clean >"$T/cleaned" 2>&1
end_case

is_finished() {
	timeout 60 "$RAWTRACE" report "$T/data" >"$T/out" 2>"$T/err"
	has_line '^rawtrace: the recorder was killed after' "$T/out"
}

has_heir() {
	cat /proc/[0-9]*/stat 2>"$T/null" | grep -q "(rt-heir) . $tracer "
}

# The program has said how many calls it had made: each of them is there.
# With tracefs alone all calls are decoded while the program runs.
for mechanism in $(echo " $MECHANISMS " | sed 's/ tracefs / /'); do
	begin "$mechanism: a recorder that is killed loses no call that waited"
	in_background "$RAWTRACE" record --attach="$mechanism" -o "$T/data" "$BIN/counted" tick \
		>"$T/counted" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^calls [1-9]' "$T/counted" || because "the program does not run"
	wait_for 10 has_heir || because "no heir"
	sleep 0.2
	kill -KILL "$tracer"
	calls=$(awk '/^calls/ { n = $2 } END { print n }' "$T/counted")
	reap "$tracer"
	wait_for 40 is_finished || because "not finished: $(tail -n 1 "$T/out")"
	expect_line '^rawtrace: the recorder was killed after [0-9.]* s: later calls, ' "$T/out"
	expect_nested "$T/out"
	expect_no_line ' lost ' "$T/out"
	seen=$(grep -c '^>(tick' "$T/out")
	expect_number "calls of 500 ms before" "$calls" -le "$seen"
	wait_for 20 has_line '^right$' "$T/counted" || because "the program was harmed"
	find "$T" -name '.rawtrace*' >"$T/files"
	[ ! -s "$T/files" ] || show "$T/files"
	end_case
done

# Meanwhile thousands of processes begin and end, whose events come first.
case " $MECHANISMS " in
*" event "*)
	if ! quick && ! slow && has strace; then
		begin "event: a killed recorder whose probes took seconds on a busy machine"
		FAMILY=$T/family in_background "$BIN/family" storm 100000
		storm=$PID
		in_background strace -D -qq -o "$T/null" -e trace=perf_event_open \
			-e inject=perf_event_open:delay_enter=300000 \
			"$RAWTRACE" record --attach=event -o "$T/data" "$BIN/counted" tick \
			>"$T/counted" 2>"$T/err"
		tracer=$PID
		wait_for 20 has_line '^calls [1-9]' "$T/counted" ||
			because "the program does not run"
		wait_for 20 has_heir || because "no heir"
		kill -KILL "$storm" "$tracer"
		reap "$storm"
		reap "$tracer"
		wait_for 40 is_finished || because "not finished: $(tail -n 1 "$T/out")"
		wait_for 20 has_line '^right$' "$T/counted" || because "the program was harmed"
		end_case
	fi
	;;
esac

begin "a recording that is still written"
start_worker 1 $LONG $PAUSE
in_background "$RAWTRACE" record -o "$T/busy" -p "$worker" leaf 2>"$T/err"
tracer=$PID
wait_for 20 test -s "$T/busy"
rt record -o "$T/busy" "$FIB" fib -- 1
expect_status 1
expect_message 'busy: rawtrace still writes it; wait, or name another file by -o' "$T/err"
rt report "$T/busy"
# Behind the calls that are in the file by now.
expect_line '^rawtrace: the recording has no end: rawtrace still writes it$' "$T/out"
kill "$tracer"
reap "$tracer"
end_worker
rt report "$T/busy"
expect_line '^>(leaf ' "$T/out"
expect_no_line 'has no end' "$T/out"
end_case

begin "what is no recording, or a damaged one"
rt report "$FIB"
expect_status 1
expect_message ": not a recording of rawtrace record" "$T/err"
rt report "$T/nonexistent"
expect_status 1
expect_message 'nonexistent: No such file' "$T/err"
rt record -o "$T/data" "$FIB" fib -- 12
printf 'XXXX' | dd of="$T/data" bs=1 seek=$(($(wc -c <"$T/data") / 2)) conv=notrunc 2>/dev/null
rt report "$T/data"
expect_status 1
expect_message 'data: damaged at byte [0-9]*: its checksum is wrong' "$T/err"
end_case
