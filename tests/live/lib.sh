# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the live tests share: each of them sources this.  tests/run gives RAWTRACE, FIB,
# SRCDIR, BUILDDIR, CC, RT_TMP, and RT_DOCTOR, a file with the doctor's table.
# A case is: begin NAME, checks that say what is wrong, end_case.
set -u
LC_ALL=C
export LC_ALL

SCRIPT=$(basename "$0" .sh)
BIN=$BUILDDIR/tests/live
TARGETS=$SRCDIR/tests/live/targets
LIVE=$SRCDIR/tests/live
TRACING=/sys/kernel/tracing
[ -d "$TRACING/events" ] || TRACING=/sys/kernel/debug/tracing
# With RT_TARGETS=FOLDER a script only compiles what it traces, into FOLDER/SCRIPT: for machines
# that have no compilers.
if [ -n "${RT_TARGETS:-}" ]; then
	T=$RT_TARGETS/$SCRIPT
	mkdir -p "$T" || exit 1
else
	T=$(mktemp -d "$RT_TMP/$SCRIPT.XXXXXX") || exit 1
	chmod 755 "$T"
fi
MADE=$BIN/made/$SCRIPT
BACKGROUND=
SELECTED=yes

clean_up() {
	for pid in $BACKGROUND; do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	[ -n "${RT_TARGETS:-}" ] || rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# ---- cases ----

begin() {
	CASE="$SCRIPT: $*"
	: >"$T/why"
	SELECTED=yes
	[ -z "${RT_CASE:-}" ] || case $CASE in *"$RT_CASE"*) ;; *) SELECTED= ;; esac
}

# With one case asked for (tests/run live/NAME CASE), the other cases start no rawtrace and wait for
# nothing.
selected() {
	[ -n "$SELECTED" ]
}

because() {
	printf '%s\n' "$*" >>"$T/why"
}

# The beginning of a file, as a reason.
show() {
	printf '%s:\n' "${1##*/}" >>"$T/why"
	sed 's/^/| /; 25q' "$1" >>"$T/why"
}

end_case() {
	if ! selected; then
		:
	elif [ -s "$T/why" ]; then
		printf 'not ok %s\n' "$CASE"
		sed 's/^/    /' "$T/why"
		# A quote within the name ends the quotes, stands for itself, and begins them again.
		printf "    again: tests/run live/%s '%s'\n" "$SCRIPT" \
			"$(printf '%s\n' "${CASE#"$SCRIPT: "}" | sed "s/'/'\\\\''/g")"
		CASES_FAILED=1
	else
		printf 'ok %s\n' "$CASE"
	fi
}

skip() {
	[ -n "${RT_CASE:-}" ] || printf 'skip %s: %s\n' "$SCRIPT: $1" "$2"
}

# Nothing of this script can be tried.
skip_all() {
	printf 'skip %s: %s\n' "$SCRIPT" "$1"
	exit 0
}

has() {
	command -v "$1" >/dev/null 2>&1
}

[ "$(id -u)" = 0 ] || [ -n "${RT_TARGETS:-}" ] || skip_all "not root"

# ---- programs that a script compiles itself ----

# target NAME COMMAND...: $T/NAME, by COMMAND... -o $T/NAME; where it was made before, that one.
# The messages of the compiler are in $T/build.
target() {
	if [ -e "$MADE/$1" ]; then
		cp "$MADE/$1" "$T/$1"
		return
	fi
	target_name=$1
	shift
	has "$1" || { echo "no $1" >"$T/build"; return 1; }
	"$@" -o "$T/$target_name" >"$T/build" 2>&1
}

# All that is traced on other machines too has been made.
targets_made() {
	[ -n "${RT_TARGETS:-}" ] || return 0
	rm -f "$T/build" "$T/why"
	exit 0
}

# no_target NAME: why it could not be made, in one line.
no_target() {
	why_not=$(grep -e 'error' "$T/build" | sed 's/.*error: //; q')
	[ -n "$why_not" ] || why_not=$(sed -n '$p' "$T/build")
	echo "$1 cannot be made: $why_not"
}

# ---- running ----

# On an emulated machine everything takes some ten times longer, and more where others run beside
# it: RT_SLOW.
slow() {
	[ -n "${RT_SLOW:-}" ]
}

# A second of the limits below.  For how long, in ms, a worker works that will be told to end, and
# its pause in us: on a slow machine it would otherwise take most of the time that rawtrace needs.
SECOND=1 LONG=30000 PAUSE=300
! slow || SECOND=6 LONG=300000 PAUSE=2000

# A small kernel in a machine on a busy host may find no clock, and count in ticks.
clock_is_coarse() {
	case $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null) \
		in *jiffies) ;; *) return 1 ;; esac
}

# Remove the remark on the time of single-stepping, which only stepped.sh tests.
leave_out_stepped() {
	! grep -q '^rawtrace: [0-9]* hits [a-z ]*were single-stepped' "$1" ||
		sed -i '/^rawtrace: [0-9]* hits [a-z ]*were single-stepped/d' "$1"
}

# `make check` has no time for everything: what a script leaves out then, `make check-all` has.
quick() {
	[ -n "${RT_QUICK:-}" ]
}

# rt ARGUMENT...: rawtrace, with its output in $T/out and $T/err and its exit status in $ST.
rt() {
	ST=0
	selected || { : >"$T/out" >"$T/err"; return; }
	timeout $((60 * SECOND)) "$RAWTRACE" "$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	[ "$SCRIPT" = stepped ] || leave_out_stepped "$T/err"
}

# in_background COMMAND...: as an interactive shell would run it; its id in $PID.  It is ended after
# 40 s (fresh.c).
in_background() {
	selected || set -- true
	"$BIN/fresh" "$@" &
	PID=$!
	BACKGROUND="$BACKGROUND $PID"
}

# reap PID: its exit status in $ST.
reap() {
	wait "$1" 2>/dev/null
	ST=$?
	forget "$1"
}

forget() {
	kept=
	for pid in $BACKGROUND; do
		[ "$pid" = "$1" ] || kept="$kept $pid"
	done
	BACKGROUND=$kept
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	selected || return 0
	tries=$(($1 * SECOND * 20))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

has_line() {
	grep -q -e "$1" "$2" 2>/dev/null
}

lines_at_least() {
	[ "$(grep -c '' "$2" 2>/dev/null)" -ge "$1" ] 2>/dev/null
}

# ---- checks ----

expect_status() {
	[ "$ST" = "$1" ] || because "exit status $ST, not $1"
}

expect_line() {
	grep -q -e "$1" "$2" && return
	because "no line matches: $1"
	show "$2"
}

expect_no_line() {
	grep -q -e "$1" "$2" || return
	because "a line matches: $1"
	show "$2"
}

expect_same() {
	cmp -s "$1" "$2" && return
	because "${1##*/} (-) and ${2##*/} (+) differ:"
	diff "$1" "$2" 2>&1 | sed 's/^/| /; 25q' >>"$T/why"
}

# expect_text TEXT FILE: the whole file.
expect_text() {
	printf '%s\n' "$1" >"$T/expected"
	expect_same "$T/expected" "$2"
}

# expect_number WHAT IS RELATION SHOULD: -eq, -le and so on
expect_number() {
	test "$2" "$3" "$4" 2>/dev/null || because "$1: $2, should be $3 $4"
}

# One line that begins with rawtrace's name: what an error looks like.  Below it may stand the text
# that is wrong, indented.
expect_message() {
	[ "$(grep -vc '^    ' "$2")" = 1 ] || because "not one line of message"
	expect_line "^rawtrace: .*$1" "$2"
}

# expect_agreement TRACE WITNESS: line for line, thread by thread.  Lines without a column are of
# the thread that called first.
expect_agreement() {
	awk '{ t = substr($1, 2) + 0; sub(/^\[[0-9]+\] /, ""); print t, $0 }' "$2" |
		sort -s -k1,1n >"$T/said"
	first=$(sed -n '1s/^\[\([0-9]*\)\].*/\1/p' "$2")
	awk -v first="$first" '{
		t = first
		if (match($0, /^\[[0-9]+\] /)) {
			t = substr($1, 2) + 0
			$0 = substr($0, RLENGTH + 1)
		}
		print t, $0
	}' "$1" | sort -s -k1,1n >"$T/traced"
	[ -s "$T/said" ] || because "the target called nothing"
	expect_same "$T/said" "$T/traced"
}

# expect_nested TRACE: levels and marks fit; says so of each thread.  $2 "whole": nothing may be
# marked.
expect_nested() {
	awk -v whole="${2:-}" -f "$LIVE/nested.awk" "$1" >"$T/nested" 2>&1 || {
		because "the tree is not nested as it should be:"
		sed 's/^/| /; 10q' "$T/nested" >>"$T/why"
	}
}

# ---- servers ----

# nginx_config MAIN HTTP: $T/conf, for a page at the socket $T/web: with these lines of its own, and
# these in "http".
nginx_config() {
	mkdir "$T/html" "$T/tmp" && echo hello >"$T/html/index.html"
	cat >"$T/conf" <<END
daemon off;
$1
pid $T/nginx.pid;
error_log $T/nginx.log;
events {}
http {
	$2
	client_body_temp_path $T/tmp;
	proxy_temp_path $T/tmp;
	fastcgi_temp_path $T/tmp;
	uwsgi_temp_path $T/tmp;
	scgi_temp_path $T/tmp;
	server {
		listen unix:$T/web;
		root $T/html;
	}
}
END
}

# ---- mechanisms ----

# The mechanisms that this kernel has, in $MECHANISMS; the others are skipped, each with the
# doctor's reason.  With RT_QUICK the best one and tracefs: the one with BPF programs and links, and
# the one without.
find_mechanisms() {
	MECHANISMS=
	ring=
	returns=
	cp "$RT_DOCTOR" "$T/doctor"
	for name in uprobe-multi multi-event pmu event tracefs; do
		set -- $(grep "^$name " "$T/doctor")
		if [ "${2:-}" = ok ]; then
			MECHANISMS="$MECHANISMS $name"
		else
			skip "$name" "${*:-no such row in rawtrace doctor}"
		fi
	done
	! quick || MECHANISMS=$(echo $MECHANISMS | sed 's/ .* / /')
}

# In `make check` the best one alone: for scripts whose cases all depend on the code that is probed.
best_when_quick() {
	! quick || MECHANISMS=${MECHANISMS%% *}
}

# with_bpf: is one of them more than tracefs, which rawtrace chooses only where there is no other?
with_bpf() {
	[ "${MECHANISMS# }" != tracefs ] && [ -n "$MECHANISMS" ]
}

# Does $mechanism run the BPF programs of one before it, and take 0.1 s to take out each probe?
# Cases that test these programs leave it out.
repeats_programs() {
	case $mechanism in
	pmu | event) [ "$(echo $MECHANISMS | sed 's/ .*//')" != "$mechanism" ] ;;
	*) return 1 ;;
	esac
}

# Linux 3.10's uprobe_events, beside which it has nothing: by the doctor's row on 32-bit programs.
registers_only() {
	grep -q 'read registers alone' "$T/doctor"
}

# The suffix of a name in tracefs, behind the process id: for a PID namespace other than the initial
# one.
SPACE=$(readlink /proc/self/ns/pid 2>/dev/null |
	sed -n '/\[4026531836\]/!s/^pid:\[\([0-9]*\)\]$/n\1/p')

# left_by PID: everything that this rawtrace process has in tracefs.
left_by() {
	grep -e "[:/]rawtrace_$1$SPACE/" "$TRACING/uprobe_events" 2>/dev/null
	[ ! -d "$TRACING/instances/rawtrace-$1$SPACE" ] || echo "instances/rawtrace-$1$SPACE"
}

nothing_left_by() {
	[ -z "$(left_by "$1")" ]
}

# Can this rawtrace see returns at instructions?  For aarch64 it needs no disassembler.
has_decoder() {
	! "$RAWTRACE" --version | grep -q 'without capstone' || [ "$(uname -m)" = aarch64 ]
}

# harms WHAT: do uretprobes harm programs that longjmp, or fork, on this kernel?  By the doctor's
# row.  Their returns are then seen at instructions, where this rawtrace has a disassembler; else
# there are none.
harms() {
	case $1 in
	longjmp) ;;
	forks) set -- fork ;;
	*) return 1 ;;
	esac
	harm=$(sed -n "s/^$1  *\(insn\|entries\) .*/\1/p" "$T/doctor")
	[ -n "$harm" ]
}

# remark_on TARGET: the remark, as a pattern, that a trace of it begins with where only entries are
# traced; else nothing.
remark_on() {
	harms "$1" && [ "$harm" = entries ] || return
	case $1 in
	longjmp) echo \
		'longjmp has [_a-z]*longjmp[_a-z]*, this kernel harms programs that longjmp ' ;;
	forks) echo 'forks has v*fork, this kernel harms programs that fork ' ;;
	esac
}

# returns: by --return=$returns, where that is set; the witness has to know how an end shows.
# agrees CASE TARGET FUNCTIONS [ARGUMENT...]: a traced run of the target is like an untraced one,
# and the trace is what it says that it called.  By $mechanism and $ring; empty: those that rawtrace
# chooses.
agrees() {
	begin "$1"
	target=$2
	functions=$3
	shift 3
	rm -f "$T/witness"
	timeout 60 "$BIN/$target" "$@" >"$T/untraced" 2>/dev/null </dev/null
	untraced=$?
	remark=$(remark_on "$target")
	insn=$returns
	[ -n "$insn" ] || ! harms "$target" || insn=$harm
	export WITNESS="$T/witness" ${remark:+WITNESS_FLAT=1} ${insn:+WITNESS_INSN=1}
	# shellcheck disable=SC2086 # several functions
	rt ${returns:+"--return=$returns"} ${mechanism:+"--attach=$mechanism"} \
		${ring:+"--ring=$ring"} "$BIN/$target" $functions -- "$@"
	unset WITNESS WITNESS_FLAT WITNESS_INSN
	expect_status "$untraced"
	expect_same "$T/untraced" "$T/out"
	if [ -n "$remark" ]; then
		sed -n 1p "$T/err" >"$T/remark"
		sed 1d "$T/err" >"$T/trace"
		expect_line "^rawtrace: .*only entries are traced" "$T/remark"
	else
		grep -v -e '^rawtrace: --return=uretprobe: can harm ' \
			-e '^rawtrace: longjmp: not hooked: ' \
			-e '^rawtrace: [0-9]* child[ren]* w[aser]* not traced; -f ' \
			-e '^rawtrace: [0-9]* returns* w[eras]* not seen: the kernel has 64 ' \
			-e '^rawtrace: .*: killed by SIG' "$T/err" >"$T/trace"
	fi
	# If longjmp is hooked, each call that it unwinds is marked so.
	if [ -z "${returns:-}" ] && grep -q '\*\*\* unwound \*\*\*$' "$T/trace"; then
		sed 's/\*\*\* return not seen \*\*\*$/*** unwound ***/' "$T/witness" >"$T/unwound"
		mv "$T/unwound" "$T/witness"
	fi
	expect_agreement "$T/trace" "$T/witness"
	end_case
}

# calls_in TRACE FIRST: its calls of leaf (targets/family.c) as "PID N".  Lines without a column are
# of the first process.
calls_in() {
	sed \
		-n 's/^\[\([0-9]*\)\( [0-9]*\)*\] >[> ]*(leaf \([0-9]*\))$/\1 \3/p; s/^>[> ]*(leaf \([0-9]*\))$/'"$2"' \1/p' "$1" | sort
}

# start_worker THREADS MILLISECONDS PAUSE: in the background, its id in $worker.
start_worker() {
	in_background "$BIN/worker" "$@" >"$T/worker"
	worker=$PID
	wait_for 10 has_line ready "$T/worker" || because "the worker is not ready"
}

end_worker() {
	kill -0 "$worker" 2>/dev/null || because "the program is gone"
	kill -USR1 "$worker"
	reap "$worker"
	expect_status 0
	expect_line '^right$' "$T/worker"
}

# Calls of work have an odd result, and leaf inside them: any call of either in the trace has its
# own result.
expect_results() {
	awk '{
		t = 0
		if (match($0, /^\[[0-9]+\] /)) {
			t = substr($1, 2) + 0
			$0 = substr($0, RLENGTH + 1)
		}
		match($0, /^[<>][<> ]*/)
		level = RLENGTH - 1
		rest = substr($0, RLENGTH + 1)
		if (substr($0, 1, 1) == ">") {
			split(rest, word, /[( )]/)
			name[t, level] = word[2]
			arg[t, level] = word[3]
		} else if (rest ~ /^-?[0-9]+$/ && (t, level) in arg) {
			wanted = (name[t, level] == "work" ? 2 : 1) * arg[t, level] + 1
			if (rest + 0 != wanted)
				print "line " NR ": " name[t, level] " " arg[t, level] " gave " rest
			n++
		}
	}
	END { if (!n) print "no result at all" }' "$1" >"$T/results"
	[ ! -s "$T/results" ] || show "$T/results"
}
