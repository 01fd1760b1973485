#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The remark that the kernel single-steps probes: one line, what a hit takes, and what avoids it;
# only where it matters.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target hot $CC -O1 "$TARGETS/hot.c" || skip_all "$(no_target hot.c)"
targets_made
"$RAWTRACE" --version | grep -q ', capstone' || skip_all "without capstone exits are not known"
find_mechanisms
each=', [0-9]*\.[0-9] us each'
# The uprobe PMU takes CAP_SYS_ADMIN on many kernels, and rawtrace has dropped that when it
# measures.  Then a remark comes only where a hit takes as long as is assumed.
at_least=1
case " $MECHANISMS " in *" uprobe-multi "*) ;; *) each="\\($each\\)*" at_least=0 ;; esac
# The clock of an emulated processor says little: a loaded one has hits that seem to cost nothing.
emulated=0
! grep -q 'QEMU TCG' /proc/cpuinfo || emulated=1 at_least=0
[ -e /sys/bus/event_source/devices/uprobe ] ||
	skip_all "no uprobe PMU, by which single-stepping is measured"

# From 6.19 on programs emulate both, but not with --entry=exact.
exact=
! grep -q '^instructions  *ok' "$T/doctor" || exact=--entry=exact

# rt_remarked ARGUMENT...: once more where other processes have made the trace so long that
# single-stepping is not a tenth of its time.
rt_remarked() {
	for _ in 1 2 3 4 5; do
		rt "$@"
		[ $emulated = 0 ] && ! has_line 'single-stepped' "$T/err" || break
	done
}

# remarks WHERE AVOIDS ARGUMENT...: the remark says so, once, on a line of at most 100 characters.
# WHERE is empty: at entries and exits.
remarks() {
	where=$1
	avoids=$2
	shift 2
	begin "$*"
	rt_remarked "$@"
	expect_status 0
	expect_text 0 "$T/out"
	grep 'single-stepped' "$T/err" >"$T/remark"
	expect_number "remarks" "$(grep -c '' "$T/remark")" -ge $at_least
	[ -s "$T/remark" ] || [ $at_least = 1 ] || { end_case; return; }
	expect_number "remarks" "$(grep -c '' "$T/remark")" -eq 1
	expect_line "^rawtrace: [1-9][0-9]* hits${where:+ at $where} were single-stepped$each: $avoids\$" \
		"$T/remark"
	expect_number "its characters" "$(head -n 1 "$T/remark" | wc -c)" -le 101
	end_case
}

# silent ARGUMENT...
silent() {
	begin "no remark: $*"
	rt "$@"
	expect_status 0
	expect_no_line 'single-stepped' "$T/err"
	end_case
}

[ -n "$exact" ] || remarks exits '--return=auto may help' --return=insn "$T/hot" pushes
remarks '' '--return=auto may help' $exact --return=insn "$T/hot" pushes loads
[ -n "$exact" ] || remarks entries 'trace fewer functions' --return=none "$T/hot" loads
remarks entries '--entry=auto may avoid it' --return=none --entry=exact "$T/hot" loads
[ -n "$exact" ] || remarks exits '--return=auto may help' hist --return=insn "$T/hot" pushes
[ -n "$exact" ] || remarks entries 'trace fewer functions' count "$T/hot" loads
# Without BPF it is not measured.
each='' at_least=0
remarks exits '--return=auto may help' --no-bpf --return=insn "$T/hot" pushes
# Emulated; too few to matter.
silent "$T/hot" pushes
[ -z "$exact" ] || silent --return=insn "$T/hot" pushes loads
silent --return=insn "$T/hot" pushes loads -- 100

# If a uretprobe could harm, rawtrace itself chooses exit probes.
has g++ || skip_all "no g++"
begin "a program that throws"
printf '%s\n' '#include <cstdio>' \
	'extern "C" __attribute__((noinline)) int f(int n) { if (n < 0) throw n; return n + 1; }' \
	'int main() { int s = 0; for (int i = 0; i < 20000; i++) s += f(i) - i; try { f(-1); } catch (int) { } printf("%d\n", s); }' >"$T/thrown.cc"
g++ -O1 -fcf-protection=none -o "$T/thrown" "$T/thrown.cc" 2>"$T/cc" || show "$T/cc"
# avoided_by WORDS: the remark names them, where there has to be one.
avoided_by() {
	[ $emulated = 0 ] || grep -q 'single-stepped' "$T/err" || return 0
	expect_line \
		"^rawtrace: [0-9]* hits .*were single-stepped.*: $1 avoids [a-z]*\$" \
		"$T/err"
}
rt_remarked "$T/thrown" f
avoided_by '--return=none'
rt_remarked hist "$T/thrown" f
avoided_by 'rawtrace count'
end_case
