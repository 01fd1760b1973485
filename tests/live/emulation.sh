#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# BPF programs emulate probed instructions (Linux 6.19): registers, flags and memory must become
# what the processor makes of them.  Older kernels single-step the same instructions.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target emulation $CC -O1 "$TARGETS/emulation.c" || skip_all "$(no_target emulation.c)"
# shellcheck disable=SC2086 # a command with its options
target returning $CC -O1 "$TARGETS/returning.c" || skip_all "$(no_target returning.c)"
targets_made
"$RAWTRACE" --version | grep -q ', capstone' || skip_all "without capstone exits are not known"
find_mechanisms
ROUNDS=20 EMULATES=
! grep -q '^instructions  *ok' "$T/doctor" || ROUNDS=100 EMULATES=yes

# same ARGUMENT...: the program compares the functions under probes with their twins.
same() {
	begin "the same as the processor: $*"
	rt "$@" "$T/emulation" "$FUNCTIONS" -- $ROUNDS
	expect_status 0
	expect_line '^[0-9]* rounds of [0-9]* forms: all the same$' "$T/out"
	[ -z "$EMULATES" ] || [ "$1" != -v ] ||
		expect_line '^rawtrace: BPF programs emulate the returns of [0-9]* of ' "$T/err"
	leave_out_stepped "$T/err"
	end_case
}

# functions MECHANISM: those to probe.  Each probe of pmu and event takes 0.1 s to remove.
functions() {
	case $1 in
	pmu | event) FUNCTIONS='probed_[lr]e*' ;;
	*) FUNCTIONS='probed_*' ;;
	esac
}

for mechanism in $MECHANISMS; do
	functions "$mechanism"
	same -o "$T/trace" --attach="$mechanism" --return=insn
done
# Its own choice is one of the slow ones from 4.4 to 5.3.
# shellcheck disable=SC2086 # several
set -- $MECHANISMS
functions "${1:-}"
same -o "$T/trace" --return=insn --entry=exact
same -o "$T/trace" --return=insn --depth=1
same -v -o "$T/trace" --return=insn --min-time=1s
[ -z "$EMULATES" ] || same -v -f -o "$T/trace" --return=insn
same count
same hist --return=insn

# emulates FILE: its programs emulate the instruction of the one entry; `no`: they do not.
ONE='^rawtrace: BPF programs emulate the instructions of 1 of 1 entry probes$'
emulates() {
	[ -n "$EMULATES" ] || return 0
	[ "${2:-}" != no ] || { expect_no_line "$ONE" "$1"; return; }
	expect_line "$ONE" "$1"
}

begin "an entry that writes an argument's register"
rt -v -o "$T/trace" --return=none "$T/emulation" 'probed_argument(int, int)' -- $ROUNDS
expect_status 0
emulates "$T/err"
end_case

begin "an entry that moves the stack pointer"
rt -v --return=insn "$T/emulation" probed_sub_sp -- $ROUNDS
expect_status 0
emulates "$T/err"
[ -z "$EMULATES" ] ||
	expect_line '^rawtrace: probed_sub_sp: probed at +4, on lea: past what ' "$T/err"
expect_number calls "$(grep -c '^>(probed_sub_sp' "$T/err")" -eq $ROUNDS
expect_number returns "$(grep -c '^<' "$T/err")" -eq $ROUNDS
end_case

begin "a tail call through memory"
rt -v --return=insn "$T/emulation" probed_jump -- $ROUNDS
expect_status 0
[ -z "$EMULATES" ] ||
	expect_line '^rawtrace: BPF programs emulate the returns of 1 of 1 exit probes' "$T/err"
expect_number calls "$(grep -c '^>(probed_jump' "$T/err")" -eq $ROUNDS
expect_number returns "$(grep -c '^<' "$T/err")" -eq $ROUNDS
end_case

begin "an empty function"
rt -v --return=insn "$T/emulation" probed_only -- $ROUNDS
expect_status 0
emulates "$T/err"
[ -z "$EMULATES" ] ||
	expect_line '^rawtrace: BPF programs emulate the returns of 1 of 1 exit probes' "$T/err"
expect_number calls "$(grep -c '^>(probed_only' "$T/err")" -eq $ROUNDS
expect_number returns "$(grep -c '^<' "$T/err")" -eq $ROUNDS
end_case

# traces N ARGUMENT...: the trace number N, with its output in $T/traceN and $T/errN.
traces() {
	number=$1
	shift
	in_background "$RAWTRACE" -v -o "$T/trace$number" "$@" 2>"$T/err$number"
	wait_for 20 has_line '^rawtrace: attached to' "$T/err$number" ||
		because "trace $number did not begin"
}

# Both have their programs at the same instructions: one emulates them, the other one must not; and
# the first one, whose program comes last, must see the arguments.
agree() {
	for number in 1 2; do
		grep -o 'probed_argument [-0-9]* [-0-9]*' "$T/trace$number" >"$T/arguments$number"
	done
	expect_number arguments "$(grep -c '' "$T/arguments1")" -eq $ROUNDS
	cmp -s "$T/arguments1" "$T/arguments2" || because "their arguments differ"
	emulates "$T/err2" no
}

# beside ARGUMENT...: the first trace; the second one has a uretprobe at the function that only
# returns.
beside() {
	rm -f "$T/go"
	in_background "$T/returning" $ROUNDS "$T/go" >"$T/out"
	TARGET=$PID
	wait_for 20 test "/proc/$TARGET/exe" -ef "$T/returning" || because "it does not run"
	traces 1 -p "$TARGET" "$@"
	first=$PID
	traces 2 --return=uretprobe -p "$TARGET" only_returns
	second=$PID
	: >"$T/go"
	reap "$TARGET"
	! selected || expect_status 0
	! selected || expect_line "^$ROUNDS calls$" "$T/out"
	reap "$first"
	reap "$second"
	expect_number "returns of the second" "$(grep -c '^<' "$T/trace2")" -eq $ROUNDS
}

case " $MECHANISMS " in
*" uprobe-multi "*)
	begin "the same as the processor: two traces at once"
	in_background "$T/emulation" $ROUNDS "$T/go" >"$T/out"
	TARGET=$PID
	wait_for 20 test "/proc/$TARGET/exe" -ef "$T/emulation" || because "it does not run"
	traces 1 --return=insn -p "$TARGET" 'probed_*' 'probed_argument(int, int)'
	first=$PID
	traces 2 --return=none -p "$TARGET" 'probed_argument(int, int)'
	second=$PID
	: >"$T/go"
	reap "$TARGET"
	! selected || expect_status 0
	! selected || expect_line '^[0-9]* rounds of [0-9]* forms: all the same$' "$T/out"
	reap "$first"
	reap "$second"
	agree
	end_case

	# The uretprobe is prepared when all programs have run: it must find the return address.
	begin "another trace has a uretprobe where this one has an exit"
	beside --return=insn 'long jumps(long)'
	! selected || expect_line '^rawtrace: tail calls: hidden probes at 1 exit ' "$T/err1"
	expect_number returns "$(grep -c '^<' "$T/trace1")" -eq $ROUNDS
	expect_no_line 'tail call to' "$T/trace1"
	end_case

	begin "another trace has a uretprobe where this one has an empty function's entry"
	beside --return=none only_returns
	emulates "$T/err1"
	expect_number calls "$(grep -c '^>' "$T/trace1")" -eq $ROUNDS
	end_case

	begin "a trace of all processes, then one of a command"
	traces 1 -a "$T/emulation:probed_argument(int, int)"
	first=$PID
	rt -v -o "$T/trace2" --return=none "$T/emulation" 'probed_argument(int, int)' -- $ROUNDS
	expect_status 0
	cp "$T/err" "$T/err2"
	kill -TERM "$first"
	reap "$first"
	agree
	end_case
	;;
esac
