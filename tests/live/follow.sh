#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children, with -f: each process says what it called (targets/family.c), and the trace has the
# same.
. "$SRCDIR/tests/live/lib.sh"

FAMILY=$T/family
export FAMILY
find_mechanisms

# calls_in TRACE: its calls of leaf as "PID N".  Lines without a column are of the first process, $1
# of the log.
calls_in() {
	sed \
		-n 's/^\[\([0-9]*\)\( [0-9]*\)*\] >[> ]*(leaf \([0-9]*\))$/\1 \3/p; s/^>[> ]*(leaf \([0-9]*\))$/'"$2"' \1/p' "$1" | sort
}

# follow MODE STATUS [N]: the calls are those that the processes say, in any order; all have ended.
follow() {
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" "$BIN/family" leaf -- "$1" ${3:+"$3"}
	selected || return
	expect_status "$2"
	first=$(sed -n '1s/ .*//p' "$FAMILY")
	sort "$FAMILY" >"$T/said"
	calls_in "$T/err" "$first" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	expect_nested "$T/err" whole
	# Each process has ended, with a line.
	cut -d' ' -f1 "$FAMILY" | sort -u >"$T/pids"
	sed -n 's/^+++ \([0-9]*\) .* +++$/\1/p' "$T/err" | sort -u >"$T/ended"
	expect_number "processes without an end" \
		"$(grep -v -x -F -f "$T/ended" "$T/pids" | grep -c '')" -eq 0
	expect_line "^+++ $first exited with $2 +++\$" "$T/err"
}

# expect_processes N: so many have calls in $T/err, with the first, which may have no column.
expect_processes() {
	expect_number "processes" \
		"$(sed -n 's/^\[\([0-9]*\)\( [0-9]*\)*\] [<>].*/\1/p' "$T/err" | sort -u |
		grep -c '')" -eq "$1"
}

for mechanism in $MECHANISMS; do
	rm -f "$FAMILY"
	if ! timeout 20 "$RAWTRACE" -f --attach="$mechanism" "$BIN/family" leaf >/dev/null \
		2>"$T/err" -- one &&
		grep -q 'does not follow children' "$T/err"; then
		skip "$mechanism: children" "$(cat "$T/err")"
		continue
	fi

	begin "$mechanism: a child, a chain of children, vfork and exec, posix_spawn"
	follow fork 3
	follow vfork 4
	# Emulated machines are asked for the kernel's part alone: fork, exec, exit.
	slow || follow deep 0 3
	slow || follow spawn 4
	end_case
	! slow || continue

	begin "$mechanism: a chain of exec, exec by another thread, a child of two threads"
	follow chain 11 3
	follow thread 4
	follow threads 22
	expect_line '^\[[0-9]* [0-9]*\] >(leaf 20)$' "$T/err"
	end_case

	begin "$mechanism: a daemon that forks twice is traced to its end"
	follow daemon 0
	expect_line '>(leaf 8)$' "$T/err"
	end_case

	begin "$mechanism: a signal ends a child"
	follow dies 0
	expect_number "lines of ends" "$(grep -c '^+++ ' "$T/err")" -eq 2
	[ ! -e /proc/net/connector ] || expect_line '^+++ [0-9]* killed by SIGSEGV' "$T/err"
	end_case

	begin "$mechanism: functions of programs that children run, PROGRAM:FUNCTION"
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" sh "$BIN/family:leaf" -- -c \
		'"$0" one 1; "$0" vfork; "$0" fork; exit 5' "$BIN/family"
	expect_status 5
	sort "$FAMILY" >"$T/said"
	calls_in "$T/err" "$(sed -n '1s/ .*//p' "$FAMILY")" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	expect_number "calls" "$(grep -c '' "$T/traced")" -eq 5
	sed -i '/^rawtrace: longjmp/d' "$T/err"
	expect_nested "$T/err" whole
	end_case

	begin "$mechanism: 2,000 children: each call is counted once"
	rm -f "$FAMILY"
	rt count -f --attach="$mechanism" "$BIN/family" leaf -- storm 2000
	expect_status 0
	expect_line '^leaf  *2001$' "$T/err"
	end_case

	begin "$mechanism: hist and chrome have all processes"
	rm -f "$FAMILY"
	rt hist -f --attach="$mechanism" "$BIN/family" leaf -- storm 40
	expect_line 'count: 41$' "$T/err"
	rm -f "$FAMILY"
	rt -f --attach="$mechanism" --format=chrome -o "$T/json" "$BIN/family" leaf -- spawn
	expect_number "processes" "$(grep -c '"name":"process_name"' "$T/json")" -eq 2
	expect_line '"name":"process_name","args":{"name":"family"}' "$T/json"
	end_case

	begin "$mechanism: without -f children are counted"
	rm -f "$FAMILY"
	rt --attach="$mechanism" "$BIN/family" leaf -- storm 20
	expect_number "calls" "$(grep -c '(leaf' "$T/err")" -eq 1
	expect_line '^rawtrace: 20 children were not traced; -f traces children$' "$T/err"
	end_case

	begin "$mechanism: children that outlive the trace"
	rm -f "$FAMILY" "$FAMILY.end"
	in_background "$RAWTRACE" -f --attach="$mechanism" "$BIN/family" leaf -- serve 2>"$T/err"
	tracer=$PID
	wait_for 20 lines_at_least 20 "$T/err" || because "no trace"
	kill -INT "$tracer"
	wait_for 20 nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	traced=$(grep -c 'leaf' "$T/err")
	wait_for 10 lines_at_least $((traced + 20)) "$FAMILY" ||
		because "the processes do not go on"
	: >"$FAMILY.end"
	reap "$tracer"
	! selected || expect_processes 2
	expect_no_line '^+++ ' "$T/err"
	end_case

	begin "$mechanism: running processes and children, -f -p"
	rm -f "$FAMILY" "$FAMILY.end"
	in_background "$BIN/family" server
	server=$PID
	wait_for 10 lines_at_least 1 "$FAMILY" || because "nobody serves"
	in_background "$RAWTRACE" -v -f --attach="$mechanism" -p "$server" leaf 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '(leaf 9)' "$T/err" || because "no trace"
	: >"$FAMILY.end"
	reap "$server"
	expect_status 0
	reap "$tracer"
	expect_status 0
	! selected || expect_processes 20
	expect_number "children's calls" "$(grep -c '(leaf 1[0-9])$' "$T/err")" -eq 10
	expect_number "ends" "$(grep -c '^+++ ' "$T/err")" -eq 21
	end_case
done

! slow || exit 0

begin "PROGRAM:FUNCTION looks PROGRAM up in PATH"
rm -f "$FAMILY"
PATH="$BIN:$PATH" rt -f sh family:leaf -- -c 'family one 1; family fork'
selected && expect_number "calls" "$(grep -c '>(leaf' "$T/err")" -eq 3
rt -f sh nothing:leaf -- -c :
expect_status 0
expect_line '^rawtrace: nothing: no call was seen; it was not loaded, or' "$T/err"
end_case

begin "a call of a child has its process, though no other process has a call; also recorded"
rm -f "$FAMILY"
rt -f sh "$BIN/family:leaf" -- -c '"$0" one 1; :' "$BIN/family"
! selected || expect_line "^\\[$(sed 's/ .*//' "$FAMILY")\\] >(leaf 1)\$" "$T/err"
rm -f "$FAMILY"
rt record -f -o "$T/recording" sh "$BIN/family:leaf" -- -c '"$0" one 1; :' "$BIN/family"
rt report "$T/recording"
! selected || expect_line "^\\[$(sed 's/ .*//' "$FAMILY")\\] >(leaf 1)\$" "$T/out"
end_case

begin "PROGRAM:FUNCTION, -f -p: a program that a child will run"
rm -f "$FAMILY"
if selected; then
	# shellcheck disable=SC2016 # the arguments are those of the inner shell
	in_background sh -c 'while [ ! -e "$1" ]; do sleep 0.1; done; "$0" one 1; "$0" one 2' \
		"$BIN/family" "$T/go"
	shell=$PID
	in_background "$RAWTRACE" -v -f -p "$shell" "$BIN/family:leaf" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || because "not attached"
	: >"$T/go"
	reap "$shell"
	reap "$tracer"
	expect_status 0
	expect_number "calls" "$(grep -c '>(leaf [12])$' "$T/err")" -eq 2
fi
end_case

begin "PROGRAM:FUNCTION: a program in a folder below the current one"
rm -f "$FAMILY"
mkdir -p "$T/here/tools"
cp "$BIN/family" "$T/here/tools/tooled"
cd "$T/here" || exit 1
rt -f sh tooled:main tooled:leaf -- -c './tools/tooled one 1; ./tools/tooled fork'
cd "$BUILDDIR" || exit 1
selected && expect_number "main" "$(grep -c '>(main' "$T/err")" -eq 2
selected && expect_number "leaf" "$(grep -c '(leaf' "$T/err")" -eq 3
expect_no_line 'before its probes were in' "$T/err"
end_case

# unseen COMMAND...: rawtrace where /usr/libexec has the folders one and two with a program
# `unseen`.
unseen() {
	ST=0
	selected || return
	# shellcheck disable=SC2016 # the arguments are those of the inner shell
	timeout $((60 * SECOND)) unshare -m sh -c 'mount --bind "$0" /usr/libexec && exec "$@"' \
		"$T/libexec" "$RAWTRACE" "$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
}

mkdir -p "$T/libexec/one" "$T/libexec/two/deep/er"
cp "$BIN/family" "$T/libexec/one/unseen"
cp "$BIN/family" "$T/libexec/two/deep/er/unseen"
if has unshare && [ -d /usr/libexec ] && unshare -m true 2>/dev/null; then
	begin "PROGRAM:FUNCTION: programs that are not in PATH have probes from their first call on"
	rm -f "$FAMILY"
	unseen -f sh unseen:leaf -- -c \
		'cd /usr/libexec; one/unseen one 1; two/deep/er/unseen fork; one/unseen one 2; exit 3'
	expect_status 3
	selected && {
		sort "$FAMILY" >"$T/said"
		calls_in "$T/err" "$(sed -n '1s/ .*//p' "$FAMILY")" >"$T/traced"
		expect_same "$T/said" "$T/traced"
		expect_number "calls" "$(grep -c '' "$T/traced")" -eq 4
	}
	expect_no_line 'before its probes were in' "$T/err"
	end_case

	begin "PROGRAM:FUNCTION: a slip in the name of a program, or of its function"
	unseen -f sh unsene:leaf -- -c :
	expect_status 0
	expect_line "^rawtrace: unsene: no such program or library: first calls may be missed; did you mean 'unseen' or FILE:usdt:unsene:leaf?" "$T/err"
	expect_no_line 'not called' "$T/err"
	unseen -f sh unseen:laef -- -c :
	expect_status 2
	expect_message "unseen: no function 'laef'; did you mean 'leaf'" "$T/err"
	end_case
else
	skip "PROGRAM:FUNCTION, not in PATH" "no mount namespace"
fi

modes='fork daemon'
! slow || modes=fork
for mode in $modes; do
	begin "a recording has the calls and the ends of all processes: $mode"
	rm -f "$FAMILY"
	rt record -f -o "$T/data" "$BIN/family" leaf -- $mode
	first=$(sed -n '1s/ .*//p' "$FAMILY" 2>"$T/null")
	sort "$FAMILY" >"$T/said" 2>"$T/null"
	rt report "$T/data"
	calls_in "$T/out" "$first" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	expect_nested "$T/out" whole
	! selected || for pid in $(cut -d' ' -f1 "$FAMILY" | sort -u); do
		expect_line "^+++ $pid exited with [0-9]* +++\$" "$T/out"
	done
	end_case
done

begin "-ff: a file a process"
rm -f "$FAMILY" "$T"/out.*
rt -ff -o "$T/out" "$BIN/family" leaf -- deep 3
selected && {
	expect_number "files" "$(ls "$T"/out.* | grep -c '')" -eq 4
	cut -d' ' -f1 "$FAMILY" | sort -u >"$T/pids"
	while read -r pid; do
		n=$(sed -n "s/^$pid //p" "$FAMILY" | tail -n 1)
		expect_line "^>(leaf $n)\$" "$T/out.$pid"
		expect_line "^+++ $pid exited" "$T/out.$pid"
		expect_no_line '^\[' "$T/out.$pid"
	done <"$T/pids"
}
end_case
