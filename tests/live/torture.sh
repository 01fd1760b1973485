#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that leave calls in every way without pause, on processors that are busy: every call is in
# the trace, ended once and as it ended, and the program comes to its end.  RT_TORTURE: seconds for
# each language (2); make check-torture gives a minute.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'without capstone' && skip_all "this rawtrace has no disassembler"
seconds=${RT_TORTURE:-2}

# torture CASE MECHANISM MILLISECONDS [OPTION...]: of the program $T/torture, which says what it
# called.
torture() {
	begin "$1"
	mechanism=$2
	milliseconds=$3
	shift 3
	functions=$(timeout 20 "$T/torture" 1 </dev/null | sed -n 's/^\([^* ][^ ]*\) .*/\1/p')
	# shellcheck disable=SC2016
	in_background sh -c 'while :; do :; done'
	busy=$PID
	# shellcheck disable=SC2086 # several functions
	timeout $((milliseconds / 1000 + 120)) "$RAWTRACE" "$@" --attach="$mechanism" --buffer=64M \
		-o "$T/trace" "$T/torture" $functions -- \
		"$milliseconds" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	expect_status 0
	# By then it may have come to its own end.
	kill -KILL "$busy" 2>/dev/null
	reap "$busy"
	[ -s "$T/out" ] || because "the program did not come to its end"
	leave_out_stepped "$T/trace"
	awk -f "$LIVE/torture.awk" "$T/out" "$T/trace" >"$T/traced" 2>"$T/marked"
	expect_same "$T/out" "$T/traced"
	[ ! -s "$T/marked" ] || show "$T/marked"
	# Goroutines as if they were threads.
	sed 's/^\[g \([0-9]*\)\]/[\1]/' "$T/trace" >"$T/threads"
	expect_nested "$T/threads"
	end_case
}

# RT_TORTURE_ALL=1: by every mechanism that needs no more than this, else by the one that rawtrace
# chooses.
mechanisms=${MECHANISMS# }
[ -n "${RT_TORTURE_ALL:-}" ] || mechanisms=${mechanisms%% *}

# tortures CASE SHARE [OPTION...]: each for so many thousandths of the time.
tortures() {
	what=$1
	share=$2
	shift 2
	for m in $mechanisms; do
		# Without BPF what is in libraries is not hooked.
		[ "$m" = tracefs ] || torture "$m: $what" "$m" $((seconds * share)) "$@"
	done
}

# compiled CASE COMMAND...: the program that the command makes; its failure is a failed case.
compiled() {
	"$@" -o "$T/torture" >"$T/compiler" 2>&1 && return
	begin "$CASE_NAME"
	show "$T/compiler"
	end_case
	return 1
}

for level in -O0 -O2; do
	for compiler in gcc clang; do
		CASE_NAME="C, $compiler $level"
		if ! has $compiler; then
			skip "$CASE_NAME" "no $compiler"
		elif compiled $compiler $level -fno-omit-frame-pointer -pthread \
			"$TARGETS/torture.c"; then
			tortures "$CASE_NAME" 250
		fi
	done
	for compiler in g++ clang++; do
		CASE_NAME="C++, $compiler $level"
		if ! has $compiler; then
			skip "$CASE_NAME" "no $compiler"
		elif compiled $compiler -std=c++17 $level -pthread "$TARGETS/torture.cc"; then
			tortures "$CASE_NAME" 250
		fi
	done
done
for level in 0 3; do
	CASE_NAME="Rust, opt-level $level"
	if ! has rustc; then
		skip "$CASE_NAME" "no rustc"
	elif compiled rustc -C opt-level=$level "$TARGETS/torture.rs"; then
		tortures "$CASE_NAME" 500
	fi
done

CASE_NAME=Go
GO=${GO:-go}
GOCACHE=${GOCACHE:-$T/cache} GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off HOME=$T
export GOCACHE GOFLAGS GOPROXY GOTOOLCHAIN GO111MODULE HOME
if ! has "$GO"; then
	skip "$CASE_NAME" "no Go toolchain"
elif CGO_ENABLED=0 timeout 300 "$GO" build -o "$T/torture" "$TARGETS/go/torture.go" >"$T/compiler" \
	2>&1; then
	tortures "$CASE_NAME" 1000
else
	begin "$CASE_NAME"
	because "not built"
	show "$T/compiler"
	end_case
fi
