#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory and CPU time for 100,000 functions.  The CPU time is compared with the compiler's for the
# same functions: a quadratic loop (1e10 steps) takes far more, however slow the machine is.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"
slow && skip_all "an emulated machine takes minutes to build the program"

# nop and ret are the same on all machines; one call, so that there is something to see.
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 100000; i++)
		printf ".globl fn%05d\n.type fn%05d, %%function\nfn%05d: nop\nret\n.size fn%05d, . - fn%05d\n", i, i, i, i, i
	print ".section .note.GNU-stack, \"\", %progbits"
}' >"$T/functions.s"
echo 'void fn77777(void); int main(void) { fn77777(); return 0; }' >"$T/main.c"

# CPU time of what was run so far, in $CPU, in ms.  Not in a subshell, which has run nothing.
measure_cpu() {
	times >"$T/times"
	CPU=$(awk 'NR == 2 {
			for (i = 1; i <= 2; i++) {
				split($i, t, /[ms]/)
				sum += t[1] * 60000 + t[2] * 1000
			}
			printf "%d", sum
		}' "$T/times")
}

measure_cpu
before=$CPU
"$CC" -o "$T/big" "$T/main.c" "$T/functions.s" >"$T/cc" 2>&1 ||
	skip_all "$CC does not build the program"
measure_cpu
BUILT=$((CPU - before))

# expect_cpu PERCENT: since $before.
expect_cpu() {
	measure_cpu
	expect_number "ms of CPU time, $1 % of the compiler's" $((CPU - before)) -le \
		$((BUILT * $1 / 100))
}

begin "one of 100,000 functions is resolved"
measure_cpu
before=$CPU
(
	ulimit -v 131072
	rt --dump=tracefs "$T/big" fn77777
	echo "$ST" >"$T/status"
)
ST=$(cat "$T/status")
expect_status 0
expect_number "lines of definitions" "$(grep -c '^[pr]:' "$T/out")" -eq 2
expect_cpu 100
end_case

# The same with C++'s names, which have to be demangled to be compared.
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 100000; i++) {
		n = sprintf("_ZN7company7product6Engine7fn%05dERKSsi", i)
		printf ".globl %s\n.type %s, %%function\n%s: nop\nret\n.size %s, . - %s\n", n, n, n, n, n
	}
	print ".section .note.GNU-stack, \"\", %progbits"
}' >"$T/mangled.s"
echo 'int main(void) { return 0; }' >"$T/main2.c"
"$CC" -o "$T/mangled" "$T/main2.c" "$T/mangled.s" >"$T/cc" 2>&1 ||
	skip_all "$CC does not build the program"

# resolve NAME GLOB COUNT PERCENT [trace]: as many probes are made, in so much CPU time and 96 MB of
# addresses, besides the 760 kB of libzstd.
resolve() {
	what=count
	[ $# -lt 5 ] || what=""

	begin "$1"
	measure_cpu
	before=$CPU
	(
		ulimit -v $((98304 + 1024))
		# shellcheck disable=SC2086 # maybe nothing
		rt $what --dump=tracefs "$T/mangled" "$2"
		echo "$ST" >"$T/status"
	)
	ST=$(cat "$T/status")
	expect_status 0
	expect_number "lines of definitions" "$(grep -c '^[pr]:' "$T/out")" -eq "$3"
	expect_cpu "$4"
	end_case
}

if "$RAWTRACE" --version | grep -q ', libiberty'; then
	resolve "one of 100,000 functions of C++" company::product::Engine::fn77777 1 100
	resolve "a few of 100,000 functions of C++" 'company::product::Engine::fn7777*' 10 100
	resolve "100,000 functions of C++" 'company::*' 100000 300
	resolve "calls and returns of 100,000 functions of C++" 'company::*' 200000 500 trace
fi

# Two processes look for the exits, where there are two processors.
begin "100,000 functions are listed as a few are"
rt list --return=insn "$T/big" 'fn0777*'
expect_status 0
grep ' fn0777' "$T/out" >"$T/few"
rt list --return=insn "$T/big"
expect_status 0
grep ' fn0777' "$T/out" >"$T/many"
expect_same "$T/many" "$T/few"
expect_number "functions with exits" "$(grep -c ' insn .* fn' "$T/out")" -eq 100000
end_case

find_mechanisms
case " $MECHANISMS " in
*" uprobe-multi "*) ;;
*) exit 0 ;;
esac

begin "100,000 functions are traced"
measure_cpu
before=$CPU
rt --attach=uprobe-multi "$T/big" 'fn*'
expect_status 0
expect_line '^>(fn77777[ )]' "$T/err"
expect_number "lines of trace" "$(grep -c '' "$T/err")" -eq 2
expect_cpu 600
end_case
