#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every mechanism times every kind of program: the trace is what the program says it called, byte
# for byte, and the program's own output and exit status are those of a run that nobody traces.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

for mechanism in $MECHANISMS; do
	agrees "$mechanism: loop" loop step
	agrees "$mechanism: fib" recurse fib 11
	agrees "$mechanism: threads moving between CPUs" threads work
	# deep calls itself, so its exits are probed: all returns are seen.
	! has_decoder || export WITNESS_INSN=1
	agrees "$mechanism: recursion of 1,000 levels" recurse deep 0 1000
	! has_decoder || export WITNESS_INSN=1
	agrees "$mechanism: recursion of 64 levels" recurse deep 0 64
	agrees "$mechanism: longjmp" longjmp 'attempt leap plain'
	agrees "$mechanism: tail calls" tailcall 'around first last even odd'
	agrees "$mechanism: exit inside a call" exits dive exit
	agrees "$mechanism: _exit inside a call" exits dive _exit
	agrees "$mechanism: killed inside a call" exits dive kill
	agrees "$mechanism: another thread exits" exits dive thread
	agrees "$mechanism: a thread that returns" exits dive return
	agrees "$mechanism: fork inside a call" forks 'job split borrow' fork
	agrees "$mechanism: vfork" forks 'job split borrow' vfork
	agrees "$mechanism: a child that runs the same program" forks 'job split borrow' exec
	# A uretprobe would harm these functions.
	! has_decoder || agrees "$mechanism: pthread_exit" pthread_exit inner

	# Which of the calls at one place the kernel's 64 returns are of, nobody can tell; the tree
	# is nested all the same.
	begin "$mechanism: 100 tail calls"
	rt --attach="$mechanism" "$BIN/tailcall" around even odd -- 100
	expect_nested "$T/err"
	expect_number calls "$(grep -c '> *\(\[[0-9]*\] \)\{0,1\}(\(even\|odd\) ' "$T/err")" -eq 242
	expect_line '^sum 45, by ' "$T/out"
	end_case
done

"$BIN/tailcall" >"$T/out"
has_line 'by jumps$' "$T/out" || skip "tail calls that are jumps" \
	"the compiler made calls of them (-O2?)"
