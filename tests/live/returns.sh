#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Returns that are seen at the instructions that leave a function: by every mechanism the trace is
# what the program says that it called.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'capstone' && ! "$RAWTRACE" --version |
	grep -q 'without capstone' ||
	[ "$(uname -m)" = aarch64 ] || skip_all "this rawtrace has no disassembler"
returns=insn

# agrees_by_all CASE TARGET FUNCTIONS [ARGUMENT...]
agrees_by_all() {
	what=$1
	shift
	for mechanism in $MECHANISMS; do
		agrees "$mechanism: $what" "$@"
	done
	mechanism=
}

agrees_by_all "fib" recurse fib 8
agrees_by_all "longjmp" longjmp 'attempt leap plain'
for mechanism in $MECHANISMS; do
	# Without BPF the C library is not hooked.
	[ "$mechanism" != tracefs ] || continue
	for returns in insn uretprobe ''; do
		agrees "$mechanism: --return=${returns:-auto}: deeper calls after longjmp, to a setjmp that returns several times" \
			longjmp 'attempt leap plain' deeper
	done
done
returns=insn
mechanism=
agrees_by_all "tail calls" tailcall 'around first last even odd'
# With -mfunction-return=thunk a return is a jump to one, and with -mindirect-branch=thunk so is a
# computed one.  GCC has that for x86 alone.
thunks="-fcf-protection=none -mfunction-return=thunk -mindirect-branch=thunk"
# The thunk stands behind the first file, whose last function jumps to it by 5 bytes that do nothing
# (process/nops.h).
echo 'int thunked(int n) { return n + 1; }' >"$T/thunked.c"
# shellcheck disable=SC2086 # several options
if target tail_thunks "${CC:-gcc}" -O2 $thunks -I "$TARGETS" "$T/thunked.c" \
	"$TARGETS/tailcall.c"; then
	thunks_bin=$BIN
	BIN=$T
	agrees "returns through thunks" tail_thunks 'around first last even odd'
	BIN=$thunks_bin
elif [ "$(uname -m)" = x86_64 ] && { ! has "${CC:-gcc}" || ! "${CC:-gcc}" --version |
	grep -q clang; }; then
	skip "returns through thunks" "$(no_target tailcall.c)"
fi
# If there are no names, a jump may lead to a part of the function, or to another function.
begin "tail calls of a stripped program"
if has strip && has nm && strip -s -o "$T/stripped" "$BIN/tailcall" 2>"$T/strip"; then
	rt --return=insn "$BIN/tailcall" around first last even odd
	sed -n 's/^\([> ]*([a-z]*\) .*/\1/p' "$T/err" >"$T/named"
	nm "$BIN/tailcall" | sed -n \
		's/^0*\([0-9a-f]*\) T \(around\|first\|last\|even\|odd\)$/s,fn_\1,\2,/p' >"$T/names"
	# shellcheck disable=SC2046 # several functions
	rt --return=insn "$T/stripped" $(sed 's/^s,//; s/,.*//' "$T/names")
	sed -n -f "$T/names" -e 's/^\([> ]*([a-z]*\)[ )].*/\1/p' "$T/err" >"$T/nameless"
	expect_same "$T/named" "$T/nameless"
	expect_no_line unwound "$T/err"
fi
end_case
agrees_by_all "tables of jumps that nothing compares" states step 48
agrees_by_all "exit of another thread" exits dive thread
agrees "threads" threads work
agrees "recursion of 1,000 levels" recurse deep 0 1000
LEVELS=100000
! slow || LEVELS=3000
agrees "recursion of $LEVELS levels" recurse deep 0 $LEVELS
agrees "a child that runs the same program" forks 'job split borrow' exec
agrees_by_all "a child that borrows the memory" forks 'job split borrow' vfork
agrees "fork inside a call" forks 'job split borrow' fork
agrees "killed inside a call" exits dive kill
agrees "pthread_exit" pthread_exit inner
"$RAWTRACE" -v "$BIN/cancel" sleeper >"$T/out" 2>"$T/err"
if grep -q '^rawtrace: hooks: ' "$T/err" && ! grep -q 'no BPF: exceptions and stack' \
	"$T/err"; then
	export WITNESS_WATCHED=1
fi
if [ -n "${WITNESS_WATCHED:-}" ]; then
	agrees "pthread_cancel with handlers" cancel 'handler sleeper guarded'
	unset WITNESS_WATCHED
else
	skip "pthread_cancel with handlers" "the C library's own longjmp is not hooked here"
fi

returns=
for mechanism in $MECHANISMS; do
	# Without BPF the C library is not hooked.
	[ "$mechanism" != tracefs ] || continue
	begin "$mechanism: a coroutine, and signals on a stack of their own"
	rm -f "$T/witness"
	WITNESS="$T/witness" "$BIN/stacks" >"$T/untraced"
	mv "$T/witness" "$T/said"
	rt --attach="$mechanism" "$BIN/stacks" step produce next handled send
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	sed 's/^\[[0-9]*\] //' "$T/err" >"$T/traced"
	grep -v 'unfinished \*\*\*$' "$T/traced" >"$T/ended"
	expect_same "$T/said" "$T/ended"
	end_case
done

# There those who left a stack may come back to it: what is not known is no end.
case $MECHANISMS in
*tracefs*)
	begin "tracefs: a coroutine's calls are not taken for unwound"
	rt --attach=tracefs "$BIN/stacks" step produce next
	expect_status 0
	expect_line '^\(\[[0-9]*\] \)\{0,1\}<.*\*\*\* return not seen \*\*\*$' "$T/err"
	expect_no_line '\*\*\* unwound \*\*\*' "$T/err"
	end_case
	;;
esac

begin "--return=none: entries only"
rt --return=none "$FIB" fib
expect_line '^rawtrace: fib: only entries are traced: --return=none$' "$T/err"
expect_number returns "$(grep -c '^<' "$T/err")" -eq 0
end_case

begin "--return: what it may be"
rt --return=most "$FIB" fib
expect_status 2
expect_message '--return=most: expected auto, uretprobe, insn or none$' "$T/err"
end_case

begin "a tail call to what is not traced: its result, or its name"
rt -v --return=insn "$BIN/tailcall" first outward
# outward comes before all others, and is left by then.
expect_line '^>(first 1)$' "$T/err"
if has_line 'by jumps$' "$T/out"; then
	expect_line '^rawtrace: tail calls: hidden probes at [0-9]* exits* of [0-9]* other ' \
		"$T/err"
	expect_line '^<4$' "$T/err"
	for m in $MECHANISMS; do
		rt -v --return=insn --attach="$m" "$BIN/tailcall" first outward
		if [ "$m" = uprobe-multi ]; then
			expect_line '^rawtrace: tail calls: hidden probes behind 1 call: ' "$T/err"
			expect_line '^<-1$' "$T/err"
			continue
		fi
		expect_line '^<\*\*\* tail call.* \*\*\*$' "$T/err"
		[ "$(uname -m)" != x86_64 ] ||
			expect_line '^<\*\*\* tail call to [_a-z]*close \*\*\*$' "$T/err"
	done
fi
end_case

begin "-v: what a return costs here"
rt -v --return=insn --attach="${MECHANISMS##* }" "$BIN/recurse" fib -- 3
if [ "$(uname -m)" = x86_64 ]; then
	expect_line \
		'^rawtrace: [0-9]* of [0-9]* exit probes are on a return, which ' \
		"$T/err"
	for m in $MECHANISMS; do
		[ "$m" = uprobe-multi ] || continue
		rt -v --return=insn --attach=$m "$BIN/recurse" fib -- 3
		if grep -q '^instructions  *ok' "$T/doctor"; then
			expect_line '^rawtrace: BPF programs emulate the returns of [1-9][0-9]* of [0-9]* exit probes$' \
				"$T/err"
			continue
		fi
		expect_line 'a return, which this kernel [a-z-]*: [0-9]*\.[0-9] us each here, on push [0-9]*\.[0-9] us$' "$T/err"
	done
fi
end_case

begin "-v: what is hooked"
# Only BPF programs can watch what other processes use too.
case " $MECHANISMS " in
*" pmu "* | *" event "*)
	rt -v "$BIN/longjmp" leap
	expect_line '^rawtrace: hooks: _*longjmp: ' "$T/err"
	expect_line 'unwound \*\*\*$' "$T/err"
	expect_no_line 'not seen' "$T/err"
	;;
esac
rt --attach=tracefs "$BIN/longjmp" leap
expect_line '^rawtrace: longjmp: not hooked: it would be in every process; ' "$T/err"
end_case

begin "-v: how, and why"
rt -v "$FIB" fib
expect_line '^rawtrace: fib: returns: insn ([0-9]* places*): it calls itself' "$T/err"
rt -v "$BIN/loop" step
expect_line '^rawtrace: step: returns: uretprobe: nothing unwinds' "$T/err"
rt -v "$BIN/cancel" sleeper
expect_line '^rawtrace: sleeper: returns: insn ([0-9]* places*.*): uretprobe unsafe: .*cancel imports pthread_cancel$' "$T/err"
end_case

has objdump && has python3 || {
	skip "every return of a whole program" "no objdump, or no python3"
	exit 0
}
begin "every return of a whole program"
# rawtrace itself, or the unit tests, which have all of it: a static rawtrace is stripped.
whole=$RAWTRACE
nm "$whole" 2>/dev/null | grep -q . || whole=$BUILDDIR/tests/unit/unit
"$RAWTRACE" --dump=bpf --attach=pmu --return=insn "$whole" '*' 2>/dev/null |
	grep '^# probe' >"$T/probes"
objdump -d --no-show-raw-insn -w "$whole" >"$T/code"
python3 "$LIVE/exits.py" "$T/probes" "$T/code" >"$T/wrong" || show "$T/wrong"
end_case

# Without symbols what a function jumps to counts as its own: here twenty others, one behind the
# other.
begin "a chain of functions without names"
{
	echo '#include <stdio.h>'
	echo '#define S(i, j) static __attribute__((noipa)) int s##i(int n) { return n == i ? 100 + i : s##j(n); }'
	echo 'static __attribute__((noipa)) int s20(int n) { return n; }'
	for i in 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0; do
		echo "S($i, $((i + 1)))"
	done
	echo '__attribute__((noipa)) int f(int n) { return s0(n); }'
	echo 'int main(void) { return f(0) + f(7) + f(19) + f(55) != 381; }'
} >"$T/chain.c"
"$CC" -O2 -Wl,-E -o "$T/chain" "$T/chain.c" && strip -s "$T/chain" || because "not built"
rt --return=insn "$T/chain" f
expect_status 0
grep -v '^rawtrace: ' "$T/err" >"$T/tree"
expect_text '>(f 0)
<100
>(f 7)
<107
>(f 19)
<119
>(f 55)
<55' "$T/tree"
end_case

# The kernel keeps 64 uretprobes of a thread; of calls that it cannot count, the trace does.
target deep "$CC" -O1 "$TARGETS/deep.c" || skip_all "no compiler"
"$T/deep" 3000 >"$T/plain"
for mechanism in $MECHANISMS; do
	begin "$mechanism: functions that call themselves"
	rt --attach="$mechanism" -o "$T/trace" "$T/deep" down even odd -- 3000
	expect_same "$T/plain" "$T/out"
	expect_number "returns" "$(grep -c '< *\(\[[0-9]*\] \)\{0,1\}[0-9]*$' "$T/trace")" -eq 6002
	expect_nested "$T/trace" whole
	end_case
done
cat >"$T/walk.c" <<'END'
#include <stdlib.h>
struct node { struct node *left, *right; };
__attribute__((noinline)) int walk(const struct node *node)
{
	int left, right;

	if (!node)
		return 0;
	left = walk(node->left);
	__asm__ volatile("" ::: "memory");
	right = walk(node->right);
	__asm__ volatile("" ::: "memory");
	return left + right + 1;
}
int main(void)
{
	static struct node v[1000];
	int i;

	for (i = 0; i < 999; i++)
		*(i % 3 ? &v[i].right : &v[i].left) = &v[i + 1];
	return walk(v) != 1000;
}
END
begin "a tree walk 1,000 deep"
"$CC" -O1 -fno-optimize-sibling-calls -o "$T/walk" "$T/walk.c" || because "not built"
rt "$T/walk" walk
expect_status 0
expect_number calls "$(grep -c '^>.*(walk ' "$T/err")" -eq 2001
expect_nested "$T/err" whole
end_case
begin "a function that calls itself through a pointer"
rt "$T/deep" pointed -- 70
expect_line '^rawtrace: 7 returns were not seen: the kernel has 64 uretprobes' "$T/err"
expect_number "returns that were not seen" "$(grep -c '\*\*\* return not seen \*\*\*$' "$T/err")" \
	-eq 7
rt --return=insn "$T/deep" pointed -- 70
expect_no_line 'not seen' "$T/err"
end_case
echo 'int down(int n) { int below = n ? down(n - 1) : 0; __asm__ volatile(""); return below + 1; }' >"$T/down.c"
echo 'int down(int); int main(void) { return down(300) != 301; }' >"$T/calls.c"
for options in -fplt -fno-plt; do
	[ "$(uname -m)" = x86_64 ] && has "$CC" || break
	begin "a library's function that calls itself by its name: $options"
	# shellcheck disable=SC2086 # may be several
	"$CC" -O1 -fPIC -shared $options -o "$T/libdown.so" "$T/down.c" >"$T/build" 2>&1 &&
		"$CC" -o "$T/calls" "$T/calls.c" "$T/libdown.so" -Wl,-rpath,"$T" >>"$T/build" \
			2>&1 || because "not built"
	rt "$T/calls" libdown.so:down
	expect_status 0
	expect_nested "$T/err" whole
	end_case
done
