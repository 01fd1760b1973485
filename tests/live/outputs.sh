#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -o FILE, and Chrome's JSON.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

begin "-o FILE"
rt -o "$T/trace" "$FIB" fib
expect_status 0
expect_text 'fib(4) = 3' "$T/out"
[ ! -s "$T/err" ] || because "something on standard error"
rt "$FIB" fib
expect_same "$T/err" "$T/trace"
end_case

begin "-o FILE replaces what was there"
head -c 100000 /dev/zero >"$T/trace"
rt -o "$T/trace" "$FIB" fib -- 1
expect_text '>(fib 1)
<1' "$T/trace"
end_case

begin "-o FILE: remarks in both places"
rt --return=none -o "$T/trace" "$BIN/pthread_exit" inner
expect_line '^rawtrace: inner: only entries are traced' "$T/trace"
expect_message 'only entries are traced' "$T/err"
end_case

begin "-o -"
rt -o - "$FIB" fib -- 1
# The reader may be quicker than the program.
sort "$T/out" >"$T/sorted"
expect_text '<1
>(fib 1)
fib(1) = 1' "$T/sorted"
[ ! -s "$T/err" ] || show "$T/err"
rt --return=none -o - "$BIN/pthread_exit" inner
expect_line '^rawtrace: .*only entries are traced' "$T/out"
expect_message 'only entries are traced' "$T/err"
end_case

begin "-o |COMMAND, and what it ended with"
rt -o "|cat >'$T/piped'" "$FIB" fib -- 1
expect_text '>(fib 1)
<1' "$T/piped"
[ ! -s "$T/err" ] || show "$T/err"
rt -o "!cat >'$T/piped'; exit 3" "$FIB" fib -- 0
expect_status 0
expect_text '>(fib 0)
<0' "$T/piped"
expect_message 'exited with status 3' "$T/err"
end_case

begin "-A: behind what the file has"
rt -o "$T/appended" "$FIB" fib -- 1
rt -A -o "$T/appended" "$FIB" fib -- 0
expect_text '>(fib 1)
<1
>(fib 0)
<0' "$T/appended"
end_case

begin "-e FUNCTION, -e !FUNCTION"
rt -e trace=fib "$FIB" -- 1
expect_text '>(fib 1)
<1' "$T/err"
rt -e fib,main -e '!main' "$FIB" -- 1
expect_text '>(fib 1)
<1' "$T/err"
end_case

begin "-q, -qq: how processes end"
rt -q -f "$FIB" fib -- 0
expect_line '^+++ [0-9]* exited with 0 +++' "$T/err"
rt -qq -f "$FIB" fib -- 0
expect_text '>(fib 0)
<0' "$T/err"
end_case

begin "chrome without -o: rawtrace.json"
mkdir "$T/folder"
(cd "$T/folder" && timeout 60 "$RAWTRACE" --format=chrome "$FIB" fib -- 1) >"$T/out" 2>"$T/err"
expect_text 'fib(1) = 1' "$T/out"
expect_text 'rawtrace: trace written to rawtrace.json' "$T/err"
expect_line '"name":"fib","args":{"n":1,"result":1}' "$T/folder/rawtrace.json"
rt --format=chrome -o - "$FIB" fib -- 1
expect_line '"name":"fib","args":{"n":1,"result":1}' "$T/out"
[ ! -s "$T/err" ] || show "$T/err"
# Its path, a symbolic link and a hard link; while it runs; by each kind of output.  And a library
# and a debug file that are read.
cp "$BIN/worker" "$T/own"
ln -s own "$T/own.symbolic"
ln "$T/own" "$T/own.hard"
for name in own own.symbolic own.hard; do
	for command in "" count hist --format=chrome; do
		begin "-o FILE: never a file of the traced program: $name${command:+, $command}"
		# shellcheck disable=SC2086 # may be empty
		rt $command -o "$T/$name" "$T/own" work
		expect_status 1
		expect_message "-o .*/$name: this is a file of the traced program" "$T/err"
		expect_same "$BIN/worker" "$T/own"
		end_case
	done
done

begin "-o FILE: never a file of the traced process"
start_worker 2 $LONG $PAUSE
rt -p "$worker" -o "$BIN/worker" work
expect_message "this is a file of the traced program" "$T/err"
libc=$(sed -n 's/.* r-xp .* \(\/.*libc[.-].*\)/\1/p' /proc/"$worker"/maps | head -n 1)
if [ -n "$libc" ]; then
	rt -p "$worker" -o "$libc" work
	expect_message "this is a file of the traced program" "$T/err"
fi
end_worker
end_case

if target split cc -g -O1 "$TARGETS/ignored.c" && has objcopy; then
	begin "-o FILE: never a debug file that is read"
	objcopy --only-keep-debug "$T/split" "$T/split.debug"
	objcopy --strip-debug --add-gnu-debuglink="$T/split.debug" "$T/split"
	cp "$T/split.debug" "$T/whole.debug"
	rt -o "$T/split.debug" "$T/split" main
	expect_message "split.debug: this is a file of the traced program" "$T/err"
	expect_same "$T/whole.debug" "$T/split.debug"
	end_case
fi

begin "-o FILE: a signal at the start leaves the file as it was, or a whole trace"
read -r shell <"/proc/$$/comm"
for delay in 0 0.02 0.04 0.06; do
	echo before >"$T/trace"
	in_background "$RAWTRACE" --format=chrome -o "$T/trace" "$BIN/worker" work -- 1 $LONG \
		$PAUSE >"$T/out" 2>"$T/err"
	# A forked shell notes a signal for its trap, and forgets it at exec.
	while read -r comm <"/proc/$PID/comm" && [ "$comm" = "$shell" ]; do
		:
	done 2>/dev/null
	sleep $delay
	kill -TERM "$PID"
	reap "$PID"
	expect_status 143
	[ "$(cat "$T/trace")" = before ] || expect_line '"producer":"rawtrace"' "$T/trace"
done
end_case

cat >"$T/ends.c" <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int __attribute__((noinline)) called(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int __attribute__((noinline)) alone(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
int main(int argc, char **argv)
{
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'f':
		if (fork() == 0) {
			called(1);
			_exit(0);
		}
		wait(NULL);
		break;
	case 'c':
		called(5);
		break;
	case 'k':
		called(2);
		abort();
	case 'a':
		alone(3);
	}
	return 0;
}
EOF
if target ends "$CC" -g -O1 "$T/ends.c"; then
	for mechanism in $MECHANISMS; do
		begin "$mechanism: a trace without a call"
		untraced='rawtrace: 1 child was not traced; -f traces children'
		rt --attach="$mechanism" "$T/ends" called alone
		expect_text 'rawtrace: not called: called, alone' "$T/err"
		rt -q --attach="$mechanism" "$T/ends" called -- fork
		[ ! -s "$T/err" ] || show "$T/err"
		rt --attach="$mechanism" "$T/ends" called -- fork
		expect_text "rawtrace: not called: called
$untraced" "$T/err"
		for command in count hist; do
			rt $command --attach="$mechanism" "$T/ends" called -- fork
			expect_line '^rawtrace: not called: called$' "$T/err"
			expect_line "^$untraced\$" "$T/err"
			expect_number "lines of it" "$(grep -c 'not called' "$T/err")" -eq 1
		done
		rt --attach="$mechanism" "$T/ends" 'called(n > 9)' -- call
		expect_text 'rawtrace: no call of called that meets the condition' "$T/err"
		rt --attach="$mechanism" -o "$T/trace" --format=chrome "$T/ends" called
		expect_text 'rawtrace: not called: called' "$T/err"
		expect_line '"notes":\["not called: called"\]' "$T/trace"
		rt --attach="$mechanism" "$T/ends" called alone -- alone
		expect_no_line 'not called' "$T/err"
		end_case
	done

	begin "a program that a signal ended"
	rt "$T/ends" called -- kill
	expect_status 134
	expect_line 'ends: killed by SIGABRT$' "$T/err"
	end_case
else
	skip "a trace without a call" "$(no_target ends)"
fi

TIMES=9
! clock_is_coarse || TIMES=1

for mechanism in $MECHANISMS; do
	begin "$mechanism: chrome's times count from the beginning of the trace"
	rt --attach="$mechanism" --format=chrome -o "$T/json" "$FIB" fib
	grep -o '"ts":[0-9]*\.[0-9]*' "$T/json" | sed 's/.*://' | sort -n -u >"$T/times"
	expect_number "different times" "$(grep -c '' "$T/times")" -ge $TIMES
	expect_number "the last, in us" "$(sed -n '$s/\..*//p' "$T/times")" -le 60000000
	end_case
done

if ! has python3; then
	skip "chrome" "no python3"
	exit 0
fi

for mechanism in $MECHANISMS; do
	begin "$mechanism: chrome"
	rm -f "$T/witness"
	WITNESS="$T/witness" rt --attach="$mechanism" --format=chrome -o "$T/json" "$BIN/threads" \
		work
	expect_status 0
	python3 "$LIVE/chrome.py" "$T/json" "$T/witness" threads >"$T/wrong" 2>&1 || show "$T/wrong"
	end_case
done

begin "chrome: the program ends inside calls"
rm -f "$T/witness"
WITNESS="$T/witness" rt --format=chrome -o "$T/json" "$BIN/exits" dive -- _exit
expect_status 8
python3 "$LIVE/chrome.py" "$T/json" "$T/witness" exits >"$T/wrong" 2>&1 || show "$T/wrong"
end_case

begin "chrome: a remark, entries only"
rt --return=none --format=chrome -o "$T/json" "$BIN/pthread_exit" inner
python3 -m json.tool "$T/json" >/dev/null 2>"$T/wrong" || show "$T/wrong"
expect_line 'only entries are traced' "$T/json"
end_case

begin "chrome: no call at all"
rt --format=chrome -o "$T/json" "$BIN/names" passed_over_impl
expect_status 0
python3 -m json.tool "$T/json" >/dev/null 2>"$T/wrong" || show "$T/wrong"
end_case

begin "chrome: ^C in the middle"
rm -f "$T/json"
in_background "$RAWTRACE" --format=chrome -o "$T/json" "$BIN/worker" work leaf -- 2 $LONG $PAUSE \
	>"$T/worker" 2>"$T/err"
wait_for 10 lines_at_least 100 "$T/json" || because "no trace"
kill -INT "$PID"
reap "$PID"
expect_status 130
python3 "$LIVE/chrome.py" "$T/json" /dev/null worker >"$T/wrong" 2>&1 || show "$T/wrong"
end_case

begin "chrome: SIGKILL to the program"
start_worker 2 $LONG $PAUSE
rm -f "$T/json"
in_background "$RAWTRACE" --format=chrome -o "$T/json" -p "$worker" work leaf 2>"$T/err"
wait_for 10 lines_at_least 20 "$T/json" || because "no trace"
kill -KILL "$worker"
reap "$PID"
python3 -m json.tool "$T/json" >/dev/null 2>"$T/wrong" || show "$T/wrong"
expect_line '"producer":"rawtrace"' "$T/json"
reap "$worker"
end_case

begin "chrome: SIGKILL to rawtrace"
start_worker 2 $LONG $PAUSE
rm "$T/json"
in_background "$RAWTRACE" --format=chrome -o "$T/json" -p "$worker" work leaf 2>"$T/err"
wait_for 10 lines_at_least 20 "$T/json" || because "no trace"
kill -KILL "$PID"
reap "$PID"
python3 -m json.tool "$T/json" >/dev/null 2>"$T/wrong" || show "$T/wrong"
end_worker
end_case
