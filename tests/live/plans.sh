#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sixty functions, no two of which have the same types: shown whole where so many programs go in and out at one time, and elsewhere with
# less, of all alike.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"
find_mechanisms

awk 'BEGIN {
	split("int char short long", type, " ")
	print "struct point { int x, y; };"
	for (i = 0; i < 60; i++) {
		list = ""
		for (k = i; length(list) < 1 || n < 3; n++) {
			list = list type[k % 4 + 1] " a" n ", "
			k = int(k / 4)
		}
		n = 0
		printf "int g%d(%sstruct point *p);\n__attribute__((noinline)) int g%d(%sstruct point *p)\n", i, list, i, list
		printf "{ __asm__ volatile(\"\" : : \"i\"(%d), \"r\"(p) : \"memory\"); return p->x; }\n", i
		calls = calls sprintf("sum += g%d(1, 2, 3, &p);\n", i)
	}
	printf "int main(void) { int sum = 0; struct point p = { 7, 9 };\n%sreturn sum != 420; }\n", calls
}' >"$T/plans.c"
"$CC" -g -O1 -o "$T/plans" "$T/plans.c" >"$T/cc" 2>&1 || skip_all "$CC does not build the program"

# expect_calls PATTERN: all sixty, each with its last argument like that.
expect_calls() {
	expect_status 0
	expect_number "calls" "$(grep -c '^>(g[0-9]*[ )]' "$T/err")" -eq 60
	expect_number "calls with $1" "$(grep -c "^>(g[0-9]* .* $1)\$" "$T/err")" -eq 60
	expect_number "results" "$(grep -c '^<7$' "$T/err")" -eq 60
}

# Without debug information there are no types, and nothing to leave out.
whole='{\.x=7, \.y=9}'
"$RAWTRACE" --version | grep -q ', libdw' || skip_all "this rawtrace reads no debug information"

# By pmu and event, which have a program for each probe anyway, it would take half a minute to take them out.
for mechanism in $MECHANISMS; do
	case $mechanism in
	uprobe-multi) last=$whole ;;
	multi-event) last='0x[0-9a-f]*' ;;
	*) continue ;;
	esac
	begin "$mechanism: sixty functions of different types"
	rt --attach="$mechanism" "$T/plans" 'g*'
	expect_calls "$last"
	end_case
done

case " $MECHANISMS " in
*" multi-event "*)
	begin "what was made for the first mechanism is made anew for the next"
	timeout 60 env LD_PRELOAD="$BUILDDIR/tests/live/oldkernel.so" OLD_KERNEL=link-create "$RAWTRACE" "$T/plans" 'g*' \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_calls '0x[0-9a-f]*'
	end_case
	;;
esac
