#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# C++ programs that throw through traced functions: they run as untraced, and what an exception leaves is shown as that.
. "$SRCDIR/tests/live/lib.sh"

functions='thrower inner middle outer again drop careful chosen'

# compiled NAME COMPILER LEVEL: throws-NAME, and throws_alone-NAME, which has everything in itself: without BPF libraries are not
# watched.
compiled() {
	target "throws-$1" "$2" "$3" -pthread -I "$TARGETS" "$TARGETS/throws.cc" || return
	target "throws_alone-$1" "$2" "$3" -pthread -static-libgcc -static-libstdc++ -I "$TARGETS" "$TARGETS/throws.cc" ||
		cp "$T/throws-$1" "$T/throws_alone-$1"
}

compiled g++-O2 "${CXX:-g++}" -O2 || skip_all "$(no_target throws.cc)"
targets_made
find_mechanisms
! "$RAWTRACE" --version | grep -q 'without capstone' || [ "$(uname -m)" = aarch64 ] || skip_all "this rawtrace has no disassembler"
# By itself rawtrace chooses the instructions that leave the functions.
returns=auto
BIN=$T

for mechanism in $MECHANISMS; do
	program=throws
	[ "$mechanism" != tracefs ] || program=throws_alone
	agrees "$mechanism: exceptions, g++ -O2" $program-g++-O2 "$functions" 2
done

begin "a catch block at the end: left by a jump to __cxa_end_catch"
"$RAWTRACE" list "$BIN/throws-g++-O2" swallow >"$T/listed" 2>&1
expect_line ' insn  .* swallow' "$T/listed"
# Through a slot of the table of addresses, as Rust does too.
if target throws_slots "${CXX:-g++}" -O2 -fno-plt -pthread -I "$TARGETS" "$TARGETS/throws.cc"; then
	"$RAWTRACE" list "$T/throws_slots" swallow >"$T/listed" 2>&1
	expect_line ' insn  .* swallow' "$T/listed"
fi
end_case

# What compilers make of exceptions is no kernel's concern.
! slow || exit 0
mechanism=uprobe-multi
case " $MECHANISMS " in *" $mechanism "*) ;; *) mechanism= ;; esac
for how in 'g++ -O0' 'clang++ -O0' 'clang++ -O2'; do
	compiler=${how% *}
	if ! has "$compiler"; then
		skip "$how" "no $compiler"
	elif ! compiled "$compiler${how#* }" "$compiler" "${how#* }"; then
		begin "$how"
		show "$T/build"
		end_case
	else
		agrees "${mechanism:-chosen}: exceptions, $how" "throws-$compiler${how#* }" "$functions" 2
	fi
done

# What GCC links with -static has no index of .eh_frame.
if target throws_static "${CXX:-g++}" -O2 -static -pthread -I "$TARGETS" "$TARGETS/throws.cc"; then
	agrees "${mechanism:-chosen}: exceptions, g++ -O2 -static" throws_static "$functions" 2
else
	skip "g++ -static" "$(no_target throws.cc)"
fi
