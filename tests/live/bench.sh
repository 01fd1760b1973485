#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench, small: it gives its figures, and in what it measures nothing is lost.
. "$SRCDIR/tests/live/lib.sh"

[ -x "$BUILDDIR/tests/bench/bench" ] || skip_all "tests/bench is not built"
slow && skip_all "an emulated machine has nothing to measure"

begin "figures, and nothing lost"
timeout 200 sh "$SRCDIR/tests/bench/run" --smoke >"$T/out" 2>"$T/err"
ST=$?
if [ $ST = 77 ]; then
	skip "figures" "$(sed -n 1p "$T/err")"
	exit 0
fi
expect_status 0
# Remarks on single-stepped instructions, and on filters that leave all calls out, are right here.
grep -v -e '^rawtrace: no call of ' -e '^rawtrace: [0-9]* hits .* single-stepped' "$T/err" \
	>"$T/other"
[ ! -s "$T/other" ] || show "$T/other"
for table in 'A call, entry and return' 'From exec to'; do
	expect_line "^$table" "$T/out"
done
# The traced loop's row: ns a call, its ratio to the floor, to its own, nothing lost, nothing
# missing.
expect_line '^  [a-z-]*, [a-z]*  *[0-9][0-9]*  *[0-9.]*  *[0-9.]*  *0  *0  *[0-9]' "$T/out"
expect_line '^64 threads at full speed: [0-9]* calls, 0 lost$' "$T/out"
expect_line '^  chrome  *[0-9][0-9]*  *0$' "$T/out"
expect_line '^  tracefs  *[0-9][0-9]*  *[0-9.]*  *[0-9.]*  *0  *0  ' "$T/out"
end_case
