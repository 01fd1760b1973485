#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Nops that some kernels make calls of when they are probed (process/nops.h): the program is as it
# was, its forked children too.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target nop5 $CC -O1 "$TARGETS/nop5.c" || skip_all "$(no_target nop5.c)"
# shellcheck disable=SC2086
target fixed $CC -O1 -fno-pie -no-pie "$TARGETS/nop5.c" || cp "$T/nop5" "$T/fixed"
targets_made
find_mechanisms
"$RAWTRACE" --version | grep -q ', capstone' || skip_all "without capstone no probe is moved"
FUNCTIONS="nop pushes word itself moved leaves leaf nop10 llvm10"
echo "wrong: 0, child: 0" >"$T/want"
kind=$(sed -n 's/^probed nops *//p' "$T/doctor")

begin "doctor tells what becomes of probed nops"
case $kind in
"ok       stay breakpoints" | "avoided  5-byte nops become calls"* | \
	"ok       10-byte nops become calls"*) ;;
*) because "the row is: $kind" ;;
esac
end_case

# all_traced: each of them, 20 calls in the parent; loop only where its nop may be probed.
all_traced() {
	for name in $FUNCTIONS; do
		expect_number "calls of $name" "$(grep -c "^>($name " "$T/err")" -ge 20
	done
	case $kind in
	avoided*) expect_line '^rawtrace: loop: not traced: begins with a 5-byte nop' "$T/err" ;;
	*) expect_number "calls of loop" "$(grep -c "^>(loop " "$T/err")" -ge 20 ;;
	esac
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: a program forks while it is traced"
	# shellcheck disable=SC2086 # several functions
	rt --attach="$mechanism" "$T/nop5" $FUNCTIONS 'l*p' -- forks
	expect_status 0
	expect_same "$T/want" "$T/out"
	all_traced
	end_case

	begin "$mechanism: the child calls what was traced when it was forked"
	in_background "$T/nop5" waits >"$T/waits"
	waits=$PID
	wait_for 10 has_line ready "$T/waits" || because "the program is not ready"
	# shellcheck disable=SC2086 # several functions
	in_background "$RAWTRACE" --attach="$mechanism" -p "$waits" $FUNCTIONS >"$T/out" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^>(llvm10 ' "$T/err" || because "nothing is traced"
	kill -USR1 "$waits"
	wait_for 10 has_line forked "$T/waits" || because "the program has not forked"
	kill -INT "$tracer"
	reap "$tracer"
	kill -USR2 "$(sed -n 's/^forked //p' "$T/waits")"
	reap "$waits"
	expect_status 0
	expect_line '^wrong: 0, child: 0$' "$T/waits"
	end_case
done

begin "exits behind a nop"
rt --return=insn "$T/nop5" leaves
expect_same "$T/want" "$T/out"
expect_line '^<20$' "$T/err"
end_case

begin "a place inside a leaf"
case $kind in
avoided*)
	rt "$T/nop5" leaf+8
	expect_status 1
	expect_message "nop5: 'leaf+0x8' cannot be probed: it begins with a 5-byte nop, .*; 5 bytes further is safe$" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	;;
*)
	rt "$T/nop5" leaf+8
	expect_same "$T/want" "$T/out"
	expect_line '^>(leaf+0x8)$' "$T/err"
	;;
esac
rt "$T/nop5" leaf+13
expect_status 0
expect_same "$T/want" "$T/out"
expect_number "hits" "$(grep -c '^>(leaf+0xd)$' "$T/err")" -eq 20
end_case

begin "--entry=exact"
rt --entry=exact "$T/nop5" nop moved
expect_same "$T/want" "$T/out"
expect_line '^>(moved 19)$' "$T/err"
case $kind in
avoided*) expect_line '^rawtrace: nop: not traced: begins with a 5-byte nop' "$T/err" ;;
*) expect_line '^>(nop 19)$' "$T/err" ;;
esac
end_case

for program in nop5 fixed; do
	begin "places by what this kernel makes of nops: $program"
	rt -v --return=none "$T/$program" nop pushes moved nop10 llvm10
	case $kind in
	avoided*)
		expect_line '^rawtrace: nop: probed at +5, on lea: past what must not be probed' \
			"$T/err"
		expect_line '^rawtrace: pushes: probed at +5, on push: ' "$T/err"
		expect_line '^rawtrace: moved: probed at its entry, on mov: ' "$T/err"
		;;
	*) expect_line '^rawtrace: nop: probed at its entry, on a 5-byte nop: ' "$T/err" ;;
	esac
	case $kind in
	*"10-byte nops"*) expect_line '^rawtrace: nop10: probed at its entry, on a 10-byte nop: ' \
		"$T/err" ;;
	*) expect_line '^rawtrace: nop10: probed at +10, on lea: ' "$T/err" ;;
	esac
	expect_line '^rawtrace: llvm10: probed at +10, on lea: ' "$T/err"
	end_case
done

# ---- what compilers make ----

# compiled MECHANISMS COMPILER FLAGS...
compiled() {
	by=$1
	shift
	cat >"$T/forked.c" <<-'EOF'
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) int alpha(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
		__attribute__((noinline)) int beta(int n) { __asm__ volatile("" : "+r"(n)); return alpha(n) * 2; }
		int main(void)
		{
			int i, status = 0, sum = 0;

			for (i = 0; i < 20; i++)
				sum += beta(i);
			if (!fork())
				_exit(beta(1) != 4);
			wait(&status);
			printf("%d %x\n", sum, (unsigned)status);
			return 0;
		}
	EOF
	# shellcheck disable=SC2068 # words
	if ! has "$1" || ! $@ -o "$T/forked" "$T/forked.c" 2>"$T/build"; then
		skip "$*" "cannot be built"
		return
	fi
	for mechanism in $by; do
		begin "$*: $mechanism"
		(cd "$T" && rt --attach="$mechanism" ./forked alpha beta)
		expect_text "420 0" "$T/out"
		expect_number "calls" "$(grep -c '^>.*(beta ' "$T/err")" -ge 20
		expect_line '^> *(alpha 19)$' "$T/err"
		end_case
	done
}

compiled "$MECHANISMS" "${CC%% *}" -O2 -pg -mfentry -mnop-mcount -fno-pie -no-pie \
	-fcf-protection=none
compiled "${MECHANISMS##* }" clang -O2 -fpatchable-function-entry=5
compiled "${MECHANISMS##* }" clang -O2 -fno-pie -no-pie -fpatchable-function-entry=10
compiled "${MECHANISMS##* }" clang -O2 -fpie -pie -fpatchable-function-entry=10
