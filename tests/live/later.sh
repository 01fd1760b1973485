#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of libraries by globs, and of libraries that are loaded later, by name.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

mkdir "$T/lib"
for name in one two; do
	cat >"$T/$name.c" <<E2
int ${name}_add(int n) { return n + 1; }
int ${name}_sub(int n) { return n - 1; }
E2
	"$CC" -O1 -shared -fPIC -Wl,-soname,"libtoy$name.so.1" -o "$T/lib/libtoy$name.so.1" \
		"$T/$name.c" || exit 1
done
cat >"$T/both.c" <<'E2'
int one_add(int), one_sub(int), two_add(int);

int main(void)
{
	return one_add(1) + one_sub(5) + two_add(3);
}
E2
# shellcheck disable=SC2016 # the loader's word
"$CC" -O1 -o "$T/both" "$T/both.c" "$T/lib/libtoyone.so.1" "$T/lib/libtoytwo.so.1" \
	-Wl,-rpath,'$ORIGIN/lib' || exit 1

begin "later: a glob over libraries"
rt "$T/both" 'libtoy*:*_add'
expect_status 10
expect_line '^>(one_add 1)$' "$T/err"
expect_line '^>(two_add 3)$' "$T/err"
expect_no_line 'one_sub' "$T/err"
end_case

begin "later: a glob over libraries, of which one has the function"
rt "$T/both" 'libtoy*.so.?:one_sub'
expect_status 10
expect_line '^>(one_sub 5)$' "$T/err"
end_case

begin "later: a glob over libraries that have no such function"
rt "$T/both" 'libtoy*:three'
expect_status 2
expect_message "no function of 'libtoy\\*' (libtoyone.so.1, ...) is 'three'" "$T/err"
end_case
