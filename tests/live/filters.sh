#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which calls are shown, by every mechanism: what is left of a whole trace.
. "$SRCDIR/tests/live/lib.sh"
cat >"$T/hit.c" <<'E2'
__attribute__((noipa)) int hit(int n, char **argv)
{
	if (argv)
		execl(argv[0], argv[0], "again", NULL);
	return n;
}

/* More calls than a ring of 4 KiB has room for. */
static void calls(void)
{
	int i;

	for (i = 0; i < 2000; i++)
		hit(0, NULL);
	hit(7, NULL);
}
E2
cat >"$T/execs.c" <<'E2'
#include <unistd.h>
#include "hit.c"

int main(int argc, char **argv)
{
	calls();
	if (argc == 1)
		hit(7, argv);
	return 0;
}
E2
cat >"$T/plug.c" <<'E2'
#include <unistd.h>
#include "hit.c"

void begin(void)
{
	calls();
}
E2
cat >"$T/loads.c" <<'E2'
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	void *plug = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!plug)
		return 1;
	((void (*)(void))dlsym(plug, "begin"))();
	return 0;
}
E2
# shellcheck disable=SC2086 # a compiler and its flags
if target execs $CC -O1 "$T/execs.c" && target loads $CC -O1 "$T/loads.c" -ldl &&
	target libplug.so $CC -O1 -shared -fPIC "$T/plug.c"; then
	made=1
else
	made=
	skip "a program that execs another, a library" "$(no_target execs)"
fi
targets_made
find_mechanisms

# Calls of each of sixteen threads; more calls of fib than a ring of 4 KiB has room for, and their
# result.
CALLS=200 DEEP=18 RESULT=2584
! slow || CALLS=40 DEEP=14 RESULT=377

for mechanism in $MECHANISMS; do
	begin "$mechanism: --depth"
	rt --attach="$mechanism" "$BIN/recurse" fib -- 9
	awk '{ match($0, /^[<>][<> ]*/) } RLENGTH <= 3' "$T/err" >"$T/whole"
	rt --attach="$mechanism" --depth=3 "$BIN/recurse" fib -- 9
	expect_status 0
	expect_line '^> >(fib ' "$T/err"
	expect_same "$T/whole" "$T/err"
	end_case

	begin "$mechanism: --depth: threads, more than CPUs"
	rt --attach="$mechanism" --depth=1 "$BIN/crowd" outer inner -- 16 $CALLS one
	expect_status 0
	expect_number outer "$(grep -c '>(outer ' "$T/err")" -eq $((16 * CALLS))
	expect_number results "$(grep -c '^\(\[[0-9]*\] \)\{0,1\}<[0-9]*$' "$T/err")" \
		-eq $((16 * CALLS))
	expect_no_line inner "$T/err"
	expect_no_line '\*\*\*' "$T/err"
	end_case

	! repeats_programs || continue
	if [ -z "$(remark_on longjmp)" ]; then
		begin "$mechanism: --only-under, and longjmp"
		rt --attach="$mechanism" "$BIN/longjmp" attempt leap plain
		awk '/^>\(plain / { getline; next } { print }' "$T/err" >"$T/whole"
		rt --attach="$mechanism" --only-under=attempt "$BIN/longjmp" leap plain
		expect_status 0
		expect_line '^> (plain -1)$' "$T/err"
		expect_same "$T/whole" "$T/err"
		end_case

		begin "$mechanism: --depth, and longjmp"
		rt --attach="$mechanism" "$BIN/longjmp" attempt leap plain
		awk '{ match($0, /^[<>][<> ]*/) } RLENGTH <= 2' "$T/err" >"$T/whole"
		rt --attach="$mechanism" --depth=2 "$BIN/longjmp" attempt leap plain
		expect_same "$T/whole" "$T/err"
		end_case
	fi

	begin "$mechanism: --only-under: a tail call is inside"
	rt --attach="$mechanism" --only-under=first "$BIN/tailcall" around last even
	printf '>(first %s)\n>(last %s)\n<%s\n' 1 2 4 2 3 6 3 4 8 4 5 10 5 6 12 >"$T/expected"
	expect_same "$T/expected" "$T/err"
	end_case

	begin "$mechanism: --min-time"
	rt --attach="$mechanism" --min-time=300us --format=chrome -o "$T/json" "$BIN/timed" nap -- \
		4 10
	expect_status 0
	sed -n 's/.*"dur":\([0-9.]*\),"name":"nap".*/\1/p' "$T/json" >"$T/durations"
	expect_number calls "$(grep -c '"args":{"[a-z0-9]*":[12],' "$T/json")" -eq 80
	expect_number "too short" "$(awk '$1 < 300' "$T/durations" | grep -c '')" -eq 0
	rt --attach="$mechanism" --min-time=100s "$BIN/timed" nap -- 1 1
	expect_status 0
	expect_text 'rawtrace: no call of nap that passes the filters' "$T/err"
	end_case

	# By a coarse clock most calls take no time.
	quick && set -- "exits dive -- kill" || set -- "recurse fib -- 9" \
		"tailcall around first last even odd" "exits dive -- kill"
	clock_is_coarse ||
	for run; do
		# shellcheck disable=SC2086 # a program, functions, arguments
		set -- $run
		program=$1
		shift
		begin "$mechanism: --min-time of next to nothing is the whole: $program"
		rt --attach="$mechanism" -o "$T/whole" "$BIN/$program" "$@"
		rt --attach="$mechanism" --min-time=1ns -o "$T/trace" "$BIN/$program" "$@"
		expect_same "$T/whole" "$T/trace"
		end_case
	done

	begin "$mechanism: --min-time: threads that end inside calls"
	rt --attach="$mechanism" --min-time=10ms "$BIN/exits" dive -- thread
	expect_status 9
	grep -v '^rawtrace: ' "$T/err" | sed 's/^\[[0-9]*\] //' >"$T/trace"
	printf '%s\n' '>(dive 3)' '> (dive 2)' '> >(dive 1)' '< <*** thread exited ***' \
		'< *** thread exited ***' \
		'<*** thread exited ***' >"$T/one"
	cat "$T/one" "$T/one" >"$T/expected"
	expect_same "$T/expected" "$T/trace"
	end_case

	case $mechanism in
	uprobe-multi | multi-event | pmu | event)
		begin "$mechanism: what is left out is not sent"
		rt --attach="$mechanism" --buffer=4K --depth=1 "$FIB" fib -- $DEEP
		expect_text ">(fib $DEEP)
<$RESULT" "$T/err"
		rt --attach="$mechanism" --buffer=4K "$FIB" "fib(int n == $DEEP)" -- $DEEP
		expect_text ">(fib $DEEP)
<$RESULT" "$T/err"
		end_case

		if [ -n "$made" ]; then
			begin "$mechanism: what is left out is not sent: a program that execs"
			rt --attach="$mechanism" --buffer=4K "$T/execs" 'hit(int n == 7)'
			expect_status 0
			expect_text '>(hit 7)
<7
>(hit 7)
<*** exec ***
>(hit 7)
<7' "$T/err"
			end_case

			begin "$mechanism: what is left out is not sent: a library that is loaded later"
			rt --attach="$mechanism" --buffer=4K "$T/loads" \
				'libplug.so:hit(int n == 7)' -- "$T/libplug.so"
			expect_status 0
			sed 1d "$T/err" >"$T/trace"
			expect_text '>(hit 7)
<7' "$T/trace"
			end_case
		fi

		begin "$mechanism: what is too short is not sent"
		rt --attach="$mechanism" --buffer=4K --min-time=100s "$FIB" fib -- $DEEP
		expect_status 0
		# Without loops in BPF programs (before 5.3) all is sent.
		case $(uname -r) in
		[34].* | 5.[012].*) ;;
		*)
			none='rawtrace: no call of fib that passes the filters'
			expect_text "$none" "$T/err"
			if ! "$RAWTRACE" --version | grep -q 'without capstone'; then
				rt --attach="$mechanism" --return=insn --buffer=4K --min-time=100s \
					--depth=30 "$FIB" fib -- $DEEP
				expect_text "$none" "$T/err"
			fi
			;;
		esac
		end_case
		;;
	esac
done

begin "--only-under of a function whose return cannot be probed"
rt --return=none --only-under=inner "$BIN/pthread_exit" inner
expect_status 1
expect_message 'only-under: inner: its return cannot be probed: .*--return=none$' "$T/err"
end_case

# longjmp is hooked as the twenty-fifth function; which of them are meant is known for as many
# bytes as an allocation has.
if readelf -d "$BIN/longjmp" 2>/dev/null | grep -q NEEDED && [ "${MECHANISMS%% *}" != tracefs \
	]; then
	begin "--only-under: functions that are hooked besides"
	names=
	for name in puts getenv atoi atol bsearch abs labs rand srand close open read write dup \
		dup2 pipe kill getpid getppid getuid geteuid; do
		names="$names libc:$name"
	done
	# shellcheck disable=SC2086 # names
	rt --only-under=attempt "$BIN/longjmp" leap plain $names
	expect_status 0
	expect_line '^> (leap 0)$' "$T/err"
	end_case
fi
