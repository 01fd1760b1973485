#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs write the same and end the same, traced and untraced, each time: RT_SAME runs (2); make
# check-torture makes a hundred.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
runs=${RT_SAME:-2}

# same TARGET FUNCTIONS [ARGUMENT...]
same() {
	begin "$1${3:+ $3}${how:+, $how}, $runs times"
	target=$1
	functions=$2
	shift 2
	timeout 60 "$BIN/$target" "$@" >"$T/untraced" 2>/dev/null </dev/null
	untraced=$?
	i=0
	while [ $i -lt "$runs" ] && [ ! -s "$T/why" ]; do
		# shellcheck disable=SC2086 # several functions
		rt $how "$BIN/$target" $functions -- "$@"
		expect_status "$untraced"
		expect_same "$T/untraced" "$T/out"
		i=$((i + 1))
	done
	end_case
}

for how in --return=auto --return=insn; do
	same recurse 'fib deep' 8
	same longjmp 'attempt leap plain'
	same tailcall 'around first last even odd'
	same threads work
	same pthread_exit inner
	same cancel 'handler sleeper guarded'
	same stacks 'step produce next handled send'
	same forks 'job split borrow' fork
	same exits dive kill
done

# Exceptions pass through the traced functions; C++20's coroutines are left by them too.
BIN=$T
how=
if has g++; then
	g++ -O2 -pthread -I "$TARGETS" -o "$T/throws" "$TARGETS/throws.cc" >"$T/build" 2>&1 ||
		cat "$T/build"
	same throws 'thrower inner middle outer again drop careful chosen' 3
	g++ -std=c++20 -fcoroutines -O2 -I "$TARGETS" -o "$T/generator" "$TARGETS/generator.cc" \
		>"$T/build" 2>&1 &&
		same generator 'step next drain' throw
else
	skip "C++" "no g++"
fi
if has rustc; then
	rustc -C opt-level=2 --crate-name types -o "$T/types" "$TARGETS/types.rs" >"$T/build" \
		2>&1 || cat "$T/build"
	same types 'types::text types::lists types::shape types::moved types::results types::option'
else
	skip Rust "no rustc"
fi

# Go's stacks move, and are left by panics and Goexit.
GO=${GO:-go}
if has "$GO"; then
	CGO_ENABLED=0 GOCACHE=${GOCACHE:-$T/cache} GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local \
		GO111MODULE=off HOME=$T \
		timeout 300 "$GO" build -o "$T/calls" "$TARGETS/go/calls.go" \
		"$TARGETS/go/witness.go" >"$T/build" 2>&1 || cat "$T/build"
	BIN=$T
	how=
	same calls 'main.fib main.deep' deep 300
	same calls 'main.guard main.risky main.fib' panic 12
	same calls 'main.fib main.quit' exit 9
	same calls 'main.fib main.deep main.(*counter).add' load 50
	same calls 'main.fib main.risky' crash 3
else
	skip Go "no Go toolchain"
fi
