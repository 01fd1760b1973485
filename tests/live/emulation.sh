#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# BPF programs emulate probed instructions (Linux 6.19): registers, flags and memory must become
# what the processor makes of them.  Older kernels single-step the same instructions.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target emulation $CC -O1 "$TARGETS/emulation.c" || skip_all "$(no_target emulation.c)"
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

for mechanism in $MECHANISMS; do
	# Each probe of these takes 0.1 s to remove.
	case $mechanism in
	pmu | event) FUNCTIONS='probed_[lr]e*' ;;
	*) FUNCTIONS='probed_*' ;;
	esac
	same -o "$T/trace" --attach="$mechanism" --return=insn
done
FUNCTIONS='probed_*'
same -o "$T/trace" --return=insn --entry=exact
same -o "$T/trace" --return=insn --depth=1
same -v -o "$T/trace" --return=insn --min-time=1s
same count
same hist --return=insn

# traces N: the trace number N of the process $TARGET.
traces() {
	in_background "$RAWTRACE" -v -o "$T/trace$1" --return=insn -p "$TARGET" 'probed_*' \
		2>"$T/err$1"
	wait_for 20 has_line '^rawtrace: attach uprobe-multi' "$T/err$1" ||
		because "trace $1 did not begin"
}

# Both have their programs at the same instructions: one emulates them, the other one must not.
case " $MECHANISMS " in
*" uprobe-multi "*)
	begin "the same as the processor: two traces at once"
	in_background "$T/emulation" $ROUNDS "$T/go" >"$T/out"
	TARGET=$PID
	wait_for 20 test "/proc/$TARGET/exe" -ef "$T/emulation" || because "it does not run"
	traces 1
	first=$PID
	traces 2
	second=$PID
	: >"$T/go"
	reap "$TARGET"
	! selected || expect_status 0
	! selected || expect_line '^[0-9]* rounds of [0-9]* forms: all the same$' "$T/out"
	reap "$first"
	reap "$second"
	end_case
	;;
esac
