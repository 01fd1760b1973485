#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Types, exit probes, conditions, Go, counts, histograms and depth on every row of the attach table,
# also if an old kernel or a container leaves less of it.  Each case traces two functions at least:
# one alone needs less.
. "$SRCDIR/tests/live/lib.sh"
. "$LIVE/wrappers.sh"
# shellcheck disable=SC2086 # a command with its options
target typed $CC -g -O2 -fno-optimize-sibling-calls "$TARGETS/typed.c" ||
	skip_all "$(no_target typed.c)"
GOCACHE=${GOCACHE:-$T/cache} GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off
export GOCACHE GOFLAGS GOPROXY GOTOOLCHAIN GO111MODULE
go_program() {
	has "${GO:-go}" && HOME=$T timeout 300 "${GO:-go}" build -o "$T/go" "$TARGETS/go/fib.go" \
		>"$T/build" 2>&1
}
go_program && with_go=yes || with_go=
find_mechanisms
mechanism=
with_types=yes
"$REAL" --version | grep -q ', libdw' || with_types=
with_exits=yes
! "$REAL" --version | grep -q 'without capstone' || [ "$(uname -m)" = aarch64 ] || with_exits=
"$BIN/recurse" 9 >"$T/fib9"

typed_works() {
	begin "$1: arguments by their types"
	rt "$T/typed" parse_request pick
	expect_status 0
	expect_line '^>(parse_request "GET /" 5 {\.fd=9, \.flags=O_RDWR_|0x8, \.path="second", \.next=NULL, \.name="zz", \.weight=0\.1, ' "$T/err"
	expect_line '^>(pick O_CREAT_ "a \\"quoted\\" \\\\ text" "b")$' "$T/err"
	expect_line '^<"a \\"quoted\\" \\\\ text"$' "$T/err"
	nothing_left
	end_case
}

conditions_work() {
	begin "$1: conditions, depth"
	rt "$BIN/recurse" 'fib(int n > 2)' 'deep(int n > 0)' -- 4
	expect_status 0
	grep '^>' "$T/err" | sed 's/^>[> ]*//' >"$T/calls"
	printf '(fib 4)\n(fib 3)\n' >"$T/wanted"
	expect_same "$T/wanted" "$T/calls"
	rt --depth=1 "$BIN/recurse" 'fib(int n)' 'deep(int n)' -- 9
	sed -n '/^>(fib/{N;p}' "$T/err" >"$T/outer"
	expect_text '>(fib 9)
<34' "$T/outer"
	expect_no_line '^[<>] ' "$T/err"
	nothing_left
	end_case
}

counts_work() {
	begin "$1: count, hist"
	rt count "$BIN/recurse" fib deep -- 12
	expect_status 0
	expect_line '^fib  *465$' "$T/err"
	rt count "$BIN/recurse" 'fib(int n < 2)' 'deep(int n < 0)' -- 9
	expect_line '^fib  *55$' "$T/err"
	rt hist "$BIN/recurse" fib deep -- 9
	expect_status 0
	expect_line '^avg .* 109' "$T/err"
	nothing_left
	end_case
}

go_works() {
	begin "$1: Go"
	rt "$T/go" main.fib
	expect_status 0
	expect_text 'fib(4) = 3' "$T/out"
	expect_number calls "$(grep -c '^[> ]*(main.fib [0-4])$' "$T/err")" -eq 9
	expect_line '^<3$' "$T/err"
	expect_nested "$T/err" whole
	nothing_left
	end_case
}

# State between calls takes more memory than the limit.
memory_lacks() {
	begin "$1: conditions, count, hist: refused"
	for how in "" count hist; do
		# shellcheck disable=SC2086 # a word or none
		rt $how "$BIN/recurse" 'fib(int n > 2)' 'deep(int n > 2)'
		[ "$ST" = 0 ] && continue
		expect_status 1
		expect_message 'RLIMIT_MEMLOCK' "$T/err"
		[ ! -s "$T/out" ] || because "the program ran"
	done
	rt --no-bpf "$BIN/recurse" 'fib(int n > 2)' -- 4
	expect_status 0
	expect_number calls "$(grep -c '^>' "$T/err")" -eq 2
	nothing_left
	end_case
}

# features WRAPPED MECHANISM: by rawtrace's own choice, which is that one.
features() {
	begin "$1: $2"
	rt -v "$BIN/recurse" fib deep -- 9
	expect_status 0
	expect_same "$T/fib9" "$T/out"
	expect_line "^rawtrace: attach $2: functions: 2," "$T/err"
	end_case
	[ -z "$with_types" ] || typed_works "$1"
	if [ -n "${little:-}" ]; then
		memory_lacks "$1"
	else
		conditions_work "$1"
		counts_work "$1"
	fi
	[ -z "$with_go" ] || [ -z "$with_exits" ] || go_works "$1"
	[ -n "$with_exits" ] || return
	returns=insn
	agrees "$1: returns at instructions" recurse 'fib deep' 9
	returns=
}

# ---- an old kernel, by the library ----

old_kernels() {
	old bpf
	features "no bpf" tracefs
	old perf_event_open,multi-probe=replace
	features "no perf_event_open, one probe an event" tracefs
	if has_mechanism multi-event; then
		old helper=174,kern-version=0x41325,next-key
		features "no cookies" multi-event
	fi
	if has_mechanism pmu; then
		old link-create,multi-probe=EEXIST
		features "one probe an event" pmu
	fi
	has_namespaces || {
		skip "event, debugfs" "no unshare, or not here"
		return
	}
	if has_mechanism event; then
		helpers=helper=174,helper=112,helper=114
		in_mounts 'mount -t tmpfs none /sys/bus/event_source/devices' \
			old "link-create,multi-probe=replace,$helpers,kern-version=0x40e51"
		features "4.14" event
	fi
	in_mounts "$debugfs && ls /sys/kernel/debug/tracing/events" under
	if "$RAWTRACE" --version >"$T/out" 2>&1; then
		in_mounts "$debugfs" old bpf
		features "debugfs, no bpf" tracefs
	fi
}

low_limits() {
	little=yes
	limits "$low" old memlock setpriv --bounding-set=-sys_resource
	has_mechanism uprobe-multi && features "64 KiB locked, 1,024 files" uprobe-multi
	has_mechanism multi-event || { little=; return; }
	limits "$low" old memlock,link-create setpriv --bounding-set=-sys_resource
	features "64 KiB locked, 1,024 files, no links" multi-event
	little=
}

old memlock
"$RAWTRACE" --version >"$T/out" 2>&1
if [ -s "$T/says" ]; then
	old_kernels
	if has setpriv; then
		low_limits
	else
		skip "limits without cap_sys_resource" "no setpriv"
	fi
else
	skip "old kernels" "rawtrace is linked statically: nothing can be preloaded"
fi

# ---- a container, by a seccomp filter, which the programs inherit ----

if "$BIN/without" bpf -- true 2>/dev/null; then
	under "$BIN/without" bpf --
	features "seccomp, bpf" tracefs
	if has_mechanism multi-event; then
		under "$BIN/without" link-create --
		features "seccomp, link-create" multi-event
	fi
else
	skip "containers" "the kernel has no seccomp filters"
fi
