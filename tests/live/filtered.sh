#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A filtered trace equals the program's own log, filtered by a script: recursion, threads,
# exceptions, longjmp.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# filtered CASE OPTION SETTINGS TARGET FUNCTIONS [ARGUMENT...]: rawtrace with OPTION ("" for none),
# by $mechanism; SETTINGS are filtered.awk's.
filtered() {
	begin "$mechanism: $1"
	option=$2
	settings=$3
	target=$4
	functions=$5
	shift 5
	rm -f "$T/witness"
	export WITNESS="$T/witness" ${returns:+WITNESS_INSN=1}
	# shellcheck disable=SC2086 # several options, several functions
	rt --attach="$mechanism" $option "$target" $functions -- "$@"
	unset WITNESS WITNESS_INSN
	expect_status 0
	# If longjmp is hooked, each call that it unwinds is marked so.
	if [ -z "$returns" ] && grep -q '\*\*\* unwound \*\*\*$' "$T/err"; then
		sed -i 's/\*\*\* return not seen \*\*\*$/*** unwound ***/' "$T/witness"
	fi
	# shellcheck disable=SC2086 # several settings
	awk $settings -f "$LIVE/filtered.awk" "$T/witness" >"$T/wanted"
	# Nor is it hooked without BPF, which a remark says.
	grep -v '^rawtrace: longjmp: not hooked: ' "$T/err" >"$T/trace"
	expect_agreement "$T/trace" "$T/wanted"
	end_case
}

# of_whole CASE OPTION SETTINGS TARGET FUNCTIONS [ARGUMENT...]: the same beside a trace without the
# option, of a program that says nothing.
of_whole() {
	begin "$mechanism: $1"
	option=$2
	settings=$3
	target=$4
	functions=$5
	shift 5
	# shellcheck disable=SC2086 # several functions
	rt --attach="$mechanism" "$target" $functions -- "$@"
	# shellcheck disable=SC2086 # several settings
	sed 's/^\[[0-9]*\] //' "$T/err" | awk $settings -f "$LIVE/filtered.awk" >"$T/wanted"
	# shellcheck disable=SC2086 # several options, several functions
	rt --attach="$mechanism" $option "$target" $functions -- "$@"
	sed 's/^\[[0-9]*\] //' "$T/err" | grep '^[<>]' >"$T/trace"
	[ -s "$T/trace" ] || because "nothing is shown"
	expect_same "$T/wanted" "$T/trace"
	end_case
}

cxx=
if "$RAWTRACE" --version | grep -q 'without capstone'; then
	skip "exceptions" "this rawtrace has no disassembler"
elif ! has g++; then
	skip "exceptions" "no g++"
else
	for target in throws naps; do
		g++ -O2 -pthread -static-libgcc -static-libstdc++ -I "$TARGETS" -o "$T/$target" \
			"$TARGETS/$target.cc" 2>"$T/compiler" || break
		cxx=$T/$target
	done
	[ "$cxx" = "$T/naps" ] || {
		cxx=
		begin "g++"
		show "$T/compiler"
		end_case
	}
fi
# By name: those that take 0.15 s, and those that take next to nothing.
naps='slow quick'
all='thrower inner middle outer again drop careful chosen'

for mechanism in $MECHANISMS; do
	returns=
	filtered "recursion, --depth" --depth=4 "-v depth=4" "$BIN/recurse" fib 9
	filtered "recursion, a condition" "" "-v tests=fib,>,4;fib,==,1" "$BIN/recurse" \
		"fib(n>4||n==1)" 9
	filtered "--only-under a function with a condition" --only-under=fib \
		"-v under=fib -v tests=fib,>,4;fib,==,1" "$BIN/recurse" "fib(n>4||n==1)" 9
	of_whole "killed inside calls, --depth" --depth=2 "-v depth=2" "$BIN/exits" dive kill
	begin "$mechanism: events are lost, and the tree is right"
	rt --attach="$mechanism" --buffer=4K --depth=9 "$FIB" 'fib(int n!=7)' -- 19
	expect_nested "$T/err"
	end_case
	! repeats_programs || continue
	if [ -z "$(remark_on longjmp)" ]; then
		for settings in "1 attempt leap plain" "2 attempt plain" "1 leap plain"; do
			# shellcheck disable=SC2086 # a depth, functions
			set -- $settings
			depth=$1
			shift
			filtered "longjmp, --depth=$depth of $*" "--depth=$depth" \
				"-v depth=$depth -v traced=$(echo "$*" | tr " " ,)" "$BIN/longjmp" \
				"$*"
		done
		filtered "longjmp, a condition" "" "-v tests=leap,>,1;attempt,>,2;plain,>,-1" \
			"$BIN/longjmp" "attempt(n>2) plain(n>-1) leap(n>1)"
		# Without BPF nothing tells that the calls are over (returns.sh).
		[ "$mechanism" = tracefs ] || filtered "longjmp, and deeper, --depth" --depth=2 \
			"-v depth=2" "$BIN/longjmp" "attempt plain leap" deeper
		filtered "longjmp, --only-under" --only-under=leap "-v under=leap" "$BIN/longjmp" \
			"attempt plain leap"
	fi
	[ -n "$cxx" ] || continue
	# The cases above have filters in BPF and in rawtrace itself.
	! quick || [ "$mechanism" = "${MECHANISMS%% *}" ] || continue
	returns=1
	filtered "exceptions, --depth=2" --depth=2 "-v depth=2" "$T/throws" "$all" 2
	filtered "exceptions, --depth=4" --depth=4 "-v depth=4" "$T/throws" "$all" 2
	filtered "exceptions, --only-under" --only-under=again "-v under=again" "$T/throws" "$all" 2
	filtered "exceptions, --min-time of next to nothing" --min-time=1ns "-v depth=99" \
		"$T/throws" "$all" 2
	filtered "exceptions, --min-time" --min-time=100ms "-v traced=slow" "$T/naps" "$naps" 2
	filtered "exceptions, --min-time and --depth" "--min-time=100ms --depth=2" \
		"-v traced=slow,quick -v hidden=quick -v depth=2" "$T/naps" "$naps" 2
done
