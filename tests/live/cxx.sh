#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# C++ programs that throw through traced functions: they run as untraced, and what an exception leaves is shown as that.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'without capstone' && skip_all "this rawtrace has no disassembler"

# By itself rawtrace chooses the instructions that leave the functions.
returns=auto
BIN=$T
functions='thrower inner middle outer again drop careful chosen'

for compiler in g++ clang++; do
	has $compiler || {
		skip "$compiler" "no $compiler"
		continue
	}
	for level in -O0 -O2; do
		$compiler $level -pthread -I "$TARGETS" -o "$T/throws" "$TARGETS/throws.cc" 2>"$T/compiler" || {
			begin "$compiler $level"
			show "$T/compiler"
			end_case
			continue
		}
		# Without BPF libraries are not watched; so everything is in the program.
		$compiler $level -pthread -static-libgcc -static-libstdc++ -I "$TARGETS" -o "$T/throws_alone" "$TARGETS/throws.cc" 2>"$T/compiler" ||
			cp "$T/throws" "$T/throws_alone"
		for mechanism in $MECHANISMS; do
			[ "$mechanism" = uprobe-multi ] || [ "$compiler$level" = g++-O2 ] || continue
			if [ "$mechanism" = tracefs ]; then
				agrees "$mechanism: exceptions, $compiler $level" throws_alone "$functions" 2
			else
				agrees "$mechanism: exceptions, $compiler $level" throws "$functions" 2
			fi
		done
	done
done
