#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sixty functions, no two of which have the same types: shown whole where so many programs go in and
# out at one time, and elsewhere with less, of all alike.
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

# By pmu and event, which have a program for each probe anyway, it would take half a minute to take
# them out.
for mechanism in $MECHANISMS; do
	case $mechanism in
	uprobe-multi) last=$whole ;;
	multi-event) last='0x[0-9a-f]*' ;;
	*) continue ;;
	esac
	begin "$mechanism: sixty functions of different types"
	rt --attach="$mechanism" "$T/plans" 'g*'
	expect_calls "$last"
	expect_number "remarks on what is left out" \
		"$(grep -c '^rawtrace: structures behind pointers are not shown' "$T/err")" -eq \
		"$([ "$mechanism" = uprobe-multi ]; echo $?)"
	end_case
done

case " $MECHANISMS " in
*" multi-event "*)
	begin "what was made for the first mechanism is made anew for the next"
	timeout 60 env LD_PRELOAD="$BUILDDIR/tests/live/oldkernel.so" OLD_KERNEL=link-create \
		"$RAWTRACE" "$T/plans" 'g*' \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_calls '0x[0-9a-f]*'
	end_case
	;;
esac

# Arguments of every kind in registers and on the stack: read by whole words, so that many functions
# share an event.
awk -v expected="$T/expected" '
function next_of(n) { seed = (seed * 1103 + 12345) % 65536; return int(seed / 7) % n }
BEGIN {
	seed = 7
	n = split("int|short|unsigned char|long|struct three|struct big|long double|__int128", type, "|")
	print "struct three { short x, y, z; }; struct big { long a; int b; short c; };"
	for (i = 0; i < 40; i++) {
		list = values = shown = ""
		m = 5 + next_of(8)
		for (k = 0; k < m; k++) {
			v = next_of(250)
			t = type[next_of(n) + 1]
			c = s = "-" (v + 1)
			if (t == "struct three") {
				c = "(struct three){ " v ", -" v ", 3 }"
				s = "{.x=" v ", .y=-" v ", .z=3}"
			}
			if (t == "struct big") {
				c = "(struct big){ -" v ", " v ", -5 }"
				s = "{.a=-" v ", .b=" v ", .c=-5}"
			}
			if (t == "long double") { c = v ".5L"; s = v ".5" }
			if (t == "unsigned char") c = s = v
			list = list (k ? ", " : "") t " a" k
			values = values (k ? ", " : "") c
			shown = shown " " s
		}
		printf "int h%d(%s);\n__attribute__((noinline)) int h%d(%s)\n", i, list, i, list
		printf "{ __asm__ volatile(\"\" : : \"i\"(%d) : \"memory\"); return %d; }\n", i, i
		calls = calls sprintf("sum += h%d(%s);\n", i, values)
		printf ">(h%d%s)\n<%d\n", i, shown, i >expected
	}
	printf "int main(void) { int sum = 0;\n%sreturn sum != 780; }\n", calls
}' >"$T/stack.c"
case " $MECHANISMS " in
*" multi-event "*)
	begin "multi-event: arguments of forty functions share words"
	if "$CC" -g -O1 -o "$T/stack" "$T/stack.c" >"$T/cc" 2>&1; then
		rt --attach=multi-event -o "$T/trace" "$T/stack" 'h*'
		expect_status 0
		expect_line '^rawtrace: strings and structures are not shown' "$T/trace"
		sed -i '/^rawtrace:/d' "$T/trace"
		expect_same "$T/expected" "$T/trace"
		"$RAWTRACE" --attach=multi-event --dump=ir "$T/stack" 'h*' >"$T/ir"
		expect_number "events" "$(grep -c '^  [a-z]*, plan' "$T/ir")" -eq 80
		expect_number "different events" \
			"$(sed -n 's/^  [a-z]*, plan //p' "$T/ir" | sort -u | wc -l)" -lt 20
	else
		because "$(head -1 "$T/cc")"
	fi
	end_case
	;;
esac
