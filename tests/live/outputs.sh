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
expect_text 'fib(1) = 1
>(fib 1)
<1' "$T/out"
[ ! -s "$T/err" ] || show "$T/err"
rt --return=none -o - "$BIN/pthread_exit" inner
expect_line '^rawtrace: .*only entries are traced' "$T/out"
expect_message 'only entries are traced' "$T/err"
end_case

begin "chrome without -o: rawtrace.json"
mkdir "$T/folder"
(cd "$T/folder" && timeout 60 "$RAWTRACE" --format=chrome "$FIB" fib -- 1) >"$T/out" 2>"$T/err"
expect_text 'fib(1) = 1' "$T/out"
expect_text 'rawtrace: the trace goes to rawtrace.json' "$T/err"
expect_line '"name":"fib","args":{"n":1,"result":1}' "$T/folder/rawtrace.json"
rt --format=chrome -o - "$FIB" fib -- 1
expect_line '"name":"fib","args":{"n":1,"result":1}' "$T/out"
[ ! -s "$T/err" ] || show "$T/err"
end_case

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
	WITNESS="$T/witness" rt --attach="$mechanism" --format=chrome -o "$T/json" "$BIN/threads" work
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
in_background "$RAWTRACE" --format=chrome -o "$T/json" "$BIN/worker" work leaf -- 2 $LONG $PAUSE >"$T/worker" 2>"$T/err"
wait_for 10 lines_at_least 100 "$T/json" || because "no trace"
kill -INT "$PID"
reap "$PID"
expect_status 130
python3 "$LIVE/chrome.py" "$T/json" /dev/null worker >"$T/wrong" 2>&1 || show "$T/wrong"
end_case
