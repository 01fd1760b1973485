#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# errno of calls that fail: what the program itself finds there, and what strace sees of the same
# calls.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

OPEN='int open_it(const char *path) errno'
MAP='void *map_it(unsigned long n) errno'
LIBRARY="libc:open libc:mmap libc:close"

$CC -O1 -fno-optimize-sibling-calls -pthread -o "$T/fails" "$TARGETS/fails.c" || exit 1

# rt as always; without BPF and before 4.9 errno is not read, and -v says why.
is_read() {
	timeout 20 "$RAWTRACE" -v --attach="$mechanism" "$T/fails" "$OPEN" >/dev/null 2>"$T/v" \
		</dev/null
	! grep -q '^rawtrace: errno is not read: ' "$T/v"
}

# The program's own lines, "open_it -1 ENOENT ...", must be those of the trace without its columns.
agrees() {
	sed -n 's/^\(\[[0-9]*\] \)\{0,1\}<\(.*\)$/\2/p' "$T/err" |
		grep -v '^[0-9]*$\|^0x[0-9a-f]*000$' | sed 's/^0xffffffffffffffff/-1/' >"$T/seen"
	expect_same "$T/out" "$T/seen"
}

for mechanism in $MECHANISMS; do
	begin "$mechanism"
	rt --attach="$mechanism" "$T/fails" "$OPEN" "$MAP"
	expect_status 0
	if is_read; then
		agrees
	else
		expect_no_line ' E[A-Z]* (' "$T/err"
		expect_line '^<-1$' "$T/err"
	fi
	end_case

	begin "$mechanism: calls are chosen by errno"
	rt --attach="$mechanism" "$T/fails" 'open_it(errno == ENOENT)' \
		'map_it(return != NULL && errno != 0)'
	if is_read; then
		expect_status 0
		expect_number calls "$(grep -c '>(' "$T/err")" -eq 2
		expect_line '^<-1 ENOENT (' "$T/err"
		expect_line '^<.* EBADF (' "$T/err"
	else
		expect_message 'open_it(errno == ENOENT).: errno is not read: ' "$T/err"
	fi
	end_case

	begin "$mechanism: --failed"
	rt --attach="$mechanism" --failed "$T/fails" "$OPEN" "$MAP" main
	expect_status 0
	expect_number calls "$(grep -c '>(' "$T/err")" -eq 3
	expect_no_line '(main\|/dev/null' "$T/err"
	rt --attach="$mechanism" -Z --why "$T/fails" "$OPEN" "$MAP" main in_thread
	expect_line '>(main ' "$T/err"
	expect_line '>(in_thread ' "$T/err"
	expect_no_line '/dev/null' "$T/err"
	end_case
done
mechanism=uprobe-multi
for name in $MECHANISMS; do
	[ "$name" = tracefs ] || { mechanism=$name; break; }
done

if is_read; then
	begin "errno of a call inside that failed"
	rt "$T/fails" open_it map_it main libc:open libc:mmap
	sed -n 's/^\(\[[0-9]*\] \)\{0,1\}\(<[< ]*\)\(.* E.*\)$/\3/p' "$T/err" |
		sed 's/^0xf*/-1/' >"$T/seen"
	awk '{ print; sub(/ E[A-Z]*/, "&?"); print }' "$T/out" >"$T/said"
	expect_same "$T/said" "$T/seen"
	rt -F json -o "$T/json" "$T/fails" open_it libc:open
	expect_number calls "$(grep -c '"result":-1,"errno_inside":"E[A-Z]*"' "$T/json")" -eq 2
	rt record -o "$T/data" "$T/fails" open_it libc:open
	rt report "$T/data"
	expect_number calls "$(grep -c '<-1 E[A-Z]*? (' "$T/out")" -eq 2
	end_case

	begin "--failed: of so many functions that registers are read whole"
	rt -f --failed "$T/fails" @libc
	expect_line '^<-1 ENOENT (' "$T/err"
	expect_no_line '^<[0-9]' "$T/err"
	end_case

	begin "the C library's own functions"
	# shellcheck disable=SC2086 # several functions
	rt "$T/fails" $LIBRARY
	agrees
	end_case

	begin "where the function that tells is traced itself"
	rt --attach="$mechanism" "$T/fails" libc:open libc:__libc_early_init libc:__libc_start_main
	expect_number "calls that failed" "$(grep -c '< \{0,1\}-1 E' "$T/err")" -eq 2
	expect_line '(__libc_\(early_init\|start_main\) ' "$T/err"
	end_case

	begin "a process that runs, and what it becomes"
	in_background "$T/fails" wait again >"$T/out"
	fails=$PID
	wait_for 10 has_line ready "$T/out" || because "the program is not ready"
	in_background "$RAWTRACE" -v -p "$fails" -o "$T/err" "$OPEN" "$MAP" 2>"$T/v"
	wait_for 20 has_line '^rawtrace: attached to' "$T/v" || show "$T/v"
	kill -USR1 "$fails"
	reap "$fails"
	reap "$PID"
	expect_status 0
	expect_number "calls that failed" "$(grep -c '<-1 E' "$T/err")" -eq 4
	expect_number "threads' ENOTDIR" "$(grep -c '<-1 ENOTDIR (Not a directory)$' "$T/err")" \
		-eq 2
	expect_number "maps" \
		"$(grep -c '<0xffffffffffffffff EBADF (Bad file descriptor)$' "$T/err")" -eq 2
	end_case

	if has strace; then
		begin "as strace sees them"
		strace -f -e trace=open,openat,mmap -o "$T/strace" "$T/fails" >/dev/null 2>&1
		sed -n 's/^.* = \(-1 E[A-Z]* (.*)\)$/\1/p' "$T/strace" | grep -v 'ld.so' |
			tail -3 >"$T/want"
		# shellcheck disable=SC2086
		rt "$T/fails" $LIBRARY
		grep -o -e '-1 E.*' -e '0xffffffffffffffff E.*' "$T/err" |
			sed 's/^0xffffffffffffffff/-1/' >"$T/seen"
		expect_same "$T/want" "$T/seen"
		end_case
	else
		skip "as strace sees them" "no strace"
	fi
else
	skip "the C library's own functions, running processes" \
		"$(sed -n 's/^rawtrace: errno is not read: //p' "$T/v")"
fi

if has musl-gcc && [ "$(uname -m)" = x86_64 ]; then
	for static in "" -static; do
		begin "musl $static"
		musl-gcc -O1 -fno-optimize-sibling-calls $static -o "$T/musl" "$TARGETS/fails.c" ||
			because "musl-gcc fails"
		rt "$T/musl" "$OPEN" "$MAP"
		! is_read || agrees
		end_case
	done
else
	skip "musl" "no musl-gcc"
fi

begin "--failed: nothing says how a function fails"
rt --failed "$T/fails" main
expect_status 2
expect_message "--failed: nothing says how main fails; try: 'int main(...) errno'$" "$T/err"
end_case

begin "a function that is not of the C library, without errno"
rt "$T/fails" 'int open_it(const char *path)'
expect_line '^<-1$' "$T/err"
end_case

[ -z "${CASES_FAILED:-}" ]
