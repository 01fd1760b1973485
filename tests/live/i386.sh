#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 32-bit programs on an x86-64 kernel: another calling convention, and a uretprobe that some kernels
# get wrong.
. "$SRCDIR/tests/live/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "not an x86-64 kernel"

# If the compiler's 64-bit headers are in a folder of their own, asm/ is not found for -m32 without
# gcc-multilib.
mkdir -p "$T/bin"
headers=/usr/include/$($CC -print-multiarch 2>/dev/null)
# build NAME ARGUMENT...
build() {
	name=$1
	shift
	# shellcheck disable=SC2086 # a command with its options
	target "bin/$name" $CC -m32 -idirafter "$headers" -std=gnu11 -O2 -fno-omit-frame-pointer \
		"$@"
}

cet=
if [ ! -e "$MADE/bin/loop" ]; then
	echo 'int main(void) { return 0; }' >"$T/empty.c"
	build empty "$T/empty.c" || skip_all \
		"$CC -m32 makes no programs (contrib/bootstrap --tests installs what it needs)"
	build empty -fcf-protection=none "$T/empty.c" && cet=-fcf-protection=none
	rm -f "$T/bin/empty" "$T/empty.c"
fi
for target in loop recurse threads longjmp tailcall exits names forks pops worker; do
	# shellcheck disable=SC2086 # no flag or one
	build $target $cet -pthread "$TARGETS/$target.c" || {
		begin "build of $target"
		show "$T/build"
		end_case
	}
done
# shellcheck disable=SC2086 # no flag or one
build registers $cet -g -O1 "$TARGETS/registers.c" || show "$T/build"
# An instruction that means another thing in 64-bit code, in a program with debug information.
cat >"$T/absolute.c" <<EOF
#include <stdio.h>
int number;
__attribute__((noinline)) void first(void) { number = 5; }
int main(void) { first(); return printf("%d\\n", number) != 2; }
EOF
# shellcheck disable=SC2086 # no flag or one
build absolute -fomit-frame-pointer -no-pie -fno-pie $cet -g "$T/absolute.c" || show "$T/build"
# For kernels that corrupt what begins with a call, as code does that has to find out where it is.
for target in recurse longjmp tailcall forks; do
	# shellcheck disable=SC2086 # no flag or one
	build fixed_$target $cet -no-pie -fno-pie -pthread "$TARGETS/$target.c" || show "$T/build"
done
targets_made
cp "$BIN/fresh" "$T/bin/fresh"
BIN=$T/bin
find_mechanisms
best_when_quick
row=$(sed -n 's/^32-bit programs  *//p' "$T/doctor")

begin "doctor has a row"
expect_line '^32-bit programs  *\(ok\|insn\|entries\|no\) ' "$T/doctor"
end_case

for m in $MECHANISMS; do
	begin "$m: instructions are those of 32-bit code"
	rt --attach="$m" --return=none "$BIN/absolute" first
	expect_status 0
	expect_line '^5$' "$T/out"
	expect_line '^>(first)$' "$T/err"
	end_case
done

case $row in
no*) skip_all "$row" ;;
ok*) ;;
*)
	# The kernel takes the program for a 64-bit one if it emulates the push.  A function that
	# begins with a call (for its own address) gets no probe.
	begin "unharmed, or not traced"
	timeout 20 "$BIN/recurse" 11 >"$T/untraced"
	rt "$BIN/recurse" fib -- 11
	if [ "$ST" = 0 ]; then
		expect_same "$T/untraced" "$T/out"
	else
		expect_status 1
		expect_message 'fib: not traced: this kernel corrupts 32-bit programs that are probed at a call or a push' "$T/err"
		[ ! -s "$T/out" ] || because "the program ran"
	fi
	end_case
	for target in recurse longjmp tailcall forks; do
		mv "$BIN/fixed_$target" "$BIN/$target"
	done
	returns=insn
	case $row in *insn*) ;; *) MECHANISMS= ;; esac
	! registers_only || MECHANISMS=
	for mechanism in $MECHANISMS; do
		agrees "$mechanism: fib, at instructions" recurse fib 11
		agrees "$mechanism: longjmp, at instructions" longjmp 'attempt leap plain'
		agrees "$mechanism: tail calls, at instructions" tailcall \
			'around first last even odd'
		agrees "$mechanism: fork inside a call, at instructions" forks 'job split borrow' \
			fork
	done
	skip "returns" "$row"
	exit 0
	;;
esac

# Cases of every mechanism, of this kernel, and of the programs alone.  On a slow machine the trial
# of uretprobes takes longer than the rest.
first=yes
for mechanism in $MECHANISMS; do
	few=
	{ [ -n "$first" ] || ! slow; } && ! repeats_programs || few=yes
	agrees "$mechanism: fib" recurse fib 11
	# outer calls itself at one place alone: all its returns are seen.
	! has_decoder || export WITNESS_INSN=1
	agrees "$mechanism: functions that take their arguments off the stack" pops 'outer add:2'
	if [ -z "$few" ]; then
		agrees "$mechanism: longjmp" longjmp 'attempt leap plain'
		agrees "$mechanism: tail calls" tailcall 'around first last even odd'
		agrees "$mechanism: killed inside a call" exits dive kill
		agrees "$mechanism: threads moving between CPUs" threads work
		! has_decoder || export WITNESS_INSN=1
		agrees "$mechanism: recursion of 1,000 levels" recurse deep 0 1000
		agrees "$mechanism: fork inside a call" forks 'job split borrow' fork
	fi
	if [ -z "$few" ] && ! slow; then
		agrees "$mechanism: loop" loop step
		agrees "$mechanism: exit inside a call" exits dive exit
		agrees "$mechanism: _exit inside a call" exits dive _exit
		agrees "$mechanism: another thread exits" exits dive thread
		agrees "$mechanism: numbers of arguments" names 'add_three:3 add_two:2'
		agrees "$mechanism: vfork" forks 'job split borrow' vfork
		agrees "$mechanism: a child that runs the same program" forks 'job split borrow' \
			exec
	fi

	[ -z "$few" ] || continue
	if ! registers_only && "$RAWTRACE" --version | grep -q ', libdw'; then
		begin "$mechanism: arguments in registers, as DWARF has it"
		rt --attach="$mechanism" "$BIN/registers" three two none chosen
		expect_same "$T/out" "$T/err"
		end_case
	fi

	begin "$mechanism: results in memory"
	rt --attach="$mechanism" "$BIN/pops" make outer
	expect_nested "$T/err" whole
	expect_number calls "$(grep -c '^[> ]*(make ' "$T/err")" -eq 15
	expect_number returns "$(grep -c '^<' "$T/err")" -eq 20
	end_case

	first=
	begin "$mechanism: -p"
	in_background "$BIN/worker" 1 $LONG $PAUSE >"$T/worker"
	worker=$PID
	wait_for 10 has_line ready "$T/worker" || because "the worker is not ready"
	in_background "$RAWTRACE" --attach="$mechanism" -p "$worker" work leaf 2>"$T/err"
	tracer=$PID
	wait_for 10 lines_at_least 200 "$T/err" || because "no trace"
	kill -INT "$tracer"
	reap "$tracer"
	expect_nested "$T/err"
	expect_line '^<' "$T/err"
	kill -USR1 "$worker"
	reap "$worker"
	expect_status 0
	expect_line '^right$' "$T/worker"
	end_case
done

case " $MECHANISMS " in
*" uprobe-multi "*)
	begin "uprobe-multi: libc's printf"
	rt --attach=uprobe-multi "$BIN/tailcall" libc.so.6:printf
	expect_status 0
	expect_line '^>(printf "sum %d, %s\\n" -*[0-9]* "by [a-z]*")$' "$T/err"
	expect_line '^<[0-9]*$' "$T/err"
	end_case
	;;
esac

begin "-v says that uretprobes were tried"
rt -v --return=uretprobe "$BIN/recurse" fib -- 3
expect_line '^rawtrace: uretprobes do not harm i386 programs here' "$T/err"
# Stack slots are not guessed.
expect_line '^rawtrace: [a-z]*: shown by 1 int and an int as result, as its types are not known$' \
	"$T/err"
end_case

begin "nothing is left where the trial was"
mkdir "$T/tmp"
TMPDIR=$T/tmp rt --return=uretprobe "$BIN/recurse" fib -- 3
[ -z "$(ls -A "$T/tmp")" ] || because "files in TMPDIR: $(ls -A "$T/tmp")"
rmdir "$T/tmp"
end_case
