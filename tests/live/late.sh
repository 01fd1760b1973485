#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries that a program loads by itself (dlopen), and that it finds beside itself, behind a
# symbolic link.  It says what it calls.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

mkdir "$T/bin" "$T/lib" "$T/links"
cat >"$T/plugin.c" <<'EOF2'
int twice(int n) { return 2 * n; }
EOF2
cat >"$T/beside.c" <<'EOF2'
int thrice(int n) { return 3 * n; }
EOF2
cat >"$T/host.c" <<'EOF2'
#include <dlfcn.h>
#include <stdio.h>

int thrice(int n);

int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
	int (*twice)(int) = plugin ? (int (*)(int))dlsym(plugin, "twice") : NULL;
	int n, sum = thrice(4);

	for (n = 1; n <= 3 && twice; n++)
		sum += twice(n);
	printf("%d\n", sum);
	return plugin && dlclose(plugin) == 0 ? 5 : 6;
}
EOF2
# shellcheck disable=SC2016 # the loader's word
"$CC" -O1 -shared -fPIC -o "$T/plugin.so" "$T/plugin.c" &&
	"$CC" -O1 -shared -fPIC -o "$T/lib/libbeside.so" "$T/beside.c" &&
	"$CC" -O1 -o "$T/bin/host" "$T/host.c" -L"$T/lib" -lbeside \
		-Wl,-rpath,'$ORIGIN/../lib' -ldl ||
	exit 1
ln -s ../bin/host "$T/links/host"

begin "late: a library beside the program, through a symbolic link"
rt "$T/links/host" libbeside.so:thrice -- "$T/plugin.so"
expect_status 5
expect_text 24 "$T/out"
expect_line '^>(thrice 4)$' "$T/err"
expect_line '^<12$' "$T/err"
end_case

find_mechanisms
for mechanism in $MECHANISMS; do
	begin "late: $mechanism: a library that is loaded later"
	rt --attach="$mechanism" "$T/bin/host" "$T/plugin.so:twice" -- "$T/plugin.so"
	expect_status 5
	expect_text 24 "$T/out"
	expect_line \
		'^rawtrace: plugin.so: not loaded yet; calls are traced once the program loads it$' \
		"$T/err"
	for n in 1 2 3; do
		expect_line "^>(twice $n)$" "$T/err"
	done
	end_case
done

begin "late: list"
"$RAWTRACE" list "$T/bin/host" "$T/plugin.so:*" >"$T/out" 2>"$T/err" || because "status $?"
expect_line ' twice' "$T/out"
end_case

begin "late: what is no library"
rt "$T/bin/host" "$T/host.c:twice" -- "$T/plugin.so"
expect_status 1
expect_line 'host.c: ' "$T/err"
end_case
