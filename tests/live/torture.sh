#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that throw without pause, on processors that are busy: every call is in the trace, ended once, and the program comes to its end.
# RT_TORTURE: seconds for all of them (2); make check-torture gives a minute.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'without capstone' && skip_all "this rawtrace has no disassembler"
seconds=${RT_TORTURE:-2}

for compiler in g++ clang++; do
	has $compiler || {
		skip "$compiler" "no $compiler"
		continue
	}
	for level in -O0 -O2; do
		begin "$compiler $level"
		$compiler -std=c++17 $level -pthread -o "$T/torture" "$TARGETS/torture.cc" 2>"$T/compiler" || show "$T/compiler"
		in_background sh -c 'while :; do :; done'
		busy=$PID
		timeout $((seconds + 60)) "$RAWTRACE" --buffer=64M -o "$T/trace" "$T/torture" leaf branch trunk root -- $((seconds * 250)) \
			>"$T/out" 2>"$T/err" </dev/null
		ST=$?
		kill -KILL "$busy"
		reap "$busy"
		[ -s "$T/out" ] || because "the program did not come to its end"
		# Calls by function, and how many of all have an end.
		awk '{ sub(/^\[[0-9]+\] /, "") }
		/^>/ { sub(/^[> ]*\(/, ""); n[$1]++; open++; next }
		/^</ { ends++; next }
		{ print "marked: " $0 >"/dev/stderr" }
		END {
			print "leaf", n["leaf"] + 0; print "branch", n["branch"] + 0; print "trunk", n["trunk"] + 0; print "root", n["root"] + 0
			if (open != ends)
				print open " calls, " ends " ends"
		}' "$T/trace" >"$T/traced" 2>"$T/marked"
		expect_same "$T/out" "$T/traced"
		[ ! -s "$T/marked" ] || show "$T/marked"
		expect_nested "$T/trace"
		end_case
	done
done
