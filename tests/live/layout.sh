#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs whose segments are laid out in unusual ways, and whose functions begin with endbr64 or
# not.
. "$SRCDIR/tests/live/lib.sh"
has "${CC%% *}" || skip_all "no compiler ($CC)"
find_mechanisms

# laid_out CASE COMPILER FLAGS...: built so, traced by the default mechanism and by tracefs.
laid_out() {
	name=$1
	shift
	# shellcheck disable=SC2068 # words
	if ! $@ -O2 -pthread -o "$T/recurse" "$TARGETS/recurse.c" 2>"$T/build" ||
		! timeout 10 "$T/recurse" >"$T/untraced" 2>/dev/null; then
		skip "$name" "cannot be built: $(sed -n '/error/{s/.*error: //p;q;}' "$T/build")"
		return
	fi
	for mechanism in $MECHANISMS; do
		case $mechanism in uprobe-multi | multi-event | tracefs) ;; *) continue ;; esac
		begin "$name: $mechanism"
		rm -f "$T/witness"
		WITNESS="$T/witness" rt --attach="$mechanism" "$T/recurse" fib -- 6
		timeout 10 "$T/recurse" 6 >"$T/untraced"
		expect_status 0
		expect_same "$T/untraced" "$T/out"
		expect_agreement "$T/err" "$T/witness"
		end_case
	done
}

laid_out "-fcf-protection=full" "$CC" -fcf-protection=full
laid_out "not PIE" "$CC" -no-pie -fno-pie
laid_out "static PIE" "$CC" -static-pie
laid_out "-z noseparate-code" "$CC" -Wl,-z,noseparate-code
if has ld.lld; then
	laid_out "lld, -z separate-loadable-segments" "$CC" -fuse-ld=lld \
		-Wl,-z,separate-loadable-segments
else
	skip "lld" "not installed"
fi
if has clang; then
	laid_out "clang" clang
else
	skip "clang" "not installed"
fi
if ! quick; then
	laid_out "-fcf-protection=none" "$CC" -fcf-protection=none
	laid_out "a frame pointer" "$CC" -fno-omit-frame-pointer
	laid_out "static" "$CC" -static
	laid_out "a base of 0x10000000" "$CC" -no-pie -fno-pie -Wl,-Ttext-segment=0x10000000
	laid_out "-z separate-code" "$CC" -Wl,-z,separate-code
	laid_out "-z noseparate-code, not PIE" "$CC" -no-pie -fno-pie -Wl,-z,noseparate-code
	laid_out "sections of their own" "$CC" -ffunction-sections -Wl,--gc-sections
	if has ld.lld; then
		laid_out "lld" "$CC" -fuse-ld=lld
		laid_out "lld, not PIE" "$CC" -fuse-ld=lld -no-pie -fno-pie
		laid_out "lld, a base of 0x10000000" "$CC" -fuse-ld=lld -no-pie -fno-pie \
			-Wl,--image-base=0x10000000
	fi
	! has ld.gold || laid_out "gold" "$CC" -fuse-ld=gold
fi

begin "symbols only in .dynsym"
if $CC -O2 -pthread -rdynamic -s -o "$T/recurse" "$TARGETS/recurse.c" 2>"$T/build"; then
	rm -f "$T/witness"
	WITNESS="$T/witness" rt "$T/recurse" fib -- 6
	expect_status 0
	expect_agreement "$T/err" "$T/witness"
else
	show "$T/build"
fi
end_case

begin "no symbols"
$CC -O2 -pthread -s -o "$T/recurse" "$TARGETS/recurse.c"
rt "$T/recurse" fib
expect_status 2
expect_message 'recurse: is stripped' "$T/err"
end_case
