#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children, with -f: the programs that they run, by PROGRAM:FUNCTION, recordings, and a file a
# process.
. "$SRCDIR/tests/live/lib.sh"

FAMILY=$T/family
export FAMILY

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

for mode in fork daemon; do
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
