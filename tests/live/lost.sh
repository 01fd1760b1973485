#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Full rings: what was lost is said where it was lost, and the tree after it is right.  With the
# default buffers, nothing is.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

CALLS=100000 MANY=1000000
! slow || CALLS=20000 MANY=50000

for mechanism in $MECHANISMS; do
	begin "$mechanism: a ring that is too small"
	rm -f "$T/trace"
	in_background "$RAWTRACE" --attach="$mechanism" --buffer=4K -o "$T/trace" "$BIN/loop" step \
		-- $CALLS >"$T/out" 2>"$T/err"
	tracer=$PID
	# All calls take less than half a second: without a sleep, and without a process.
	until [ -s "$T/trace" ] || ! kill -0 "$tracer" 2>"$T/null"; do
		:
	done
	kill -STOP "$tracer"
	sleep 0.2
	kill -CONT "$tracer"
	reap "$tracer"
	expect_status 5
	[ ! -s "$T/err" ] || show "$T/err"
	expect_line '^\*\*\* [0-9]* events\{0,1\} lost \*\*\*$' "$T/trace"
	expect_nested "$T/trace"
	# An event is a call that was printed, a return that was seen, or lost.
	lost=$(awk '/ lost \*\*\*$/ { n += $2 } END { print n + 0 }' "$T/trace")
	seen=$(grep -v -e ' lost \*\*\*$' -e '<\*\*\* ' "$T/trace" | grep -c '')
	expect_number "events seen" "$seen" -gt 0
	expect_number "events lost" "$lost" -gt 0
	# The programs' own count is exact.  The ring of tracefs counts records of threads too, and
	# on a slow machine Linux can forget a page, of some 110 records here.
	less=0 more=0
	if [ "$mechanism" = tracefs ]; then
		less=10 more=100
		! slow || less=130
	fi
	expect_number "events seen and lost" $((seen + lost)) -ge $((2 * CALLS - less))
	expect_number "events seen and lost" $((seen + lost)) -le $((2 * CALLS + more))
	# A result is that of its call, or it is marked.  Here it is three times the argument, less
	# 7.
	awk '/^>/ { split($0, word, /[ )]/); n = word[2]; open = 1 }
		/^</ {
			if (open && /^<-?[0-9]+$/ && substr($0, 2) + 0 != 3 * n - 7)
				print NR ": " $0 " is not of " n
			open = 0
		}' \
		"$T/trace" >"$T/wrong"
	[ ! -s "$T/wrong" ] || show "$T/wrong"
	# Nothing is ever inside a call of this loop, whatever was lost.
	expect_no_line '^[<>] ' "$T/trace"
	end_case
done

case " $MECHANISMS " in
*" uprobe-multi "*)
	begin "uprobe-multi: $MANY calls at full speed, none lost"
	timeout 100 "$RAWTRACE" --attach=uprobe-multi -o "$T/trace" "$BIN/loop" step -- \
		$MANY >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 5
	expect_number lines "$(grep -c '' "$T/trace")" -eq $((2 * MANY))
	expect_number calls "$(grep -c '^>(step ' "$T/trace")" -eq $MANY
	expect_number returns "$(grep -c '^<-\{0,1\}[0-9][0-9]*$' "$T/trace")" -eq $MANY
	end_case

	# 18 % of the events were lost while rawtrace waited in write(2).
	begin "uprobe-multi: a pipe whose reader sleeps for a second: none lost"
	timeout 100 "$RAWTRACE" --attach=uprobe-multi -o "|sleep 1; cat >'$T/trace'" \
		"$BIN/loop" step -- $((3 * CALLS)) >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 5
	expect_no_line ' lost ' "$T/trace"
	expect_number calls "$(grep -c '^>(step ' "$T/trace")" -eq $((3 * CALLS))
	end_case

	# Without the thread of session/relief.c 30 % of the events are lost.
	if has python3; then
		begin "uprobe-multi: a terminal that is not read for a second: none lost"
		timeout 100 python3 -c '
import os, pty, sys, time

pid, master = pty.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
time.sleep(1)
while True:
    try:
        os.write(1, os.read(master, 65536))
    except OSError:
        sys.exit(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
' "$RAWTRACE" --attach=uprobe-multi "$BIN/loop" step -- $((3 * CALLS)) >"$T/trace" 2>"$T/err"
		ST=$?
		expect_status 5
		expect_no_line ' lost ' "$T/trace"
		expect_number calls "$(grep -c '^>(step ' "$T/trace")" -eq $((3 * CALLS))
		end_case
	fi

	begin "uprobe-multi: a pipe whose reader ends"
	timeout 100 "$RAWTRACE" --attach=uprobe-multi -o "|head -c 200000 >'$T/trace'" \
		"$BIN/loop" step -- $CALLS >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message '|head .*: Broken pipe' "$T/err"
	expect_number bytes "$(wc -c <"$T/trace")" -eq 200000
	end_case

	# 640 MB of events, at a rate that the reading keeps up with.  All were kept in memory.
	if ! quick && ! slow; then
		begin "uprobe-multi: a pipe that nobody reads: memory is bounded, the rest is lost"
		cat >"$T/paced.c" <<'EOF2'
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char text[1000];

__attribute__((noipa)) void show(const char *a, const char *b)
{
	(void)a, (void)b;
}

int main(void)
{
	int i, k;

	memset(text, 'a', sizeof(text) - 1);
	for (i = 0; i < 5000; i++) {
		for (k = 0; k < 64; k++)
			show(text, text);
		usleep(1000);
	}
	puts("right");
	fflush(stdout);
	return 0;
}
EOF2
		$CC -O0 -w -o "$T/paced" "$T/paced.c"
		rm -f "$T/read"
		in_background "$RAWTRACE" --attach=uprobe-multi --return=none --string-limit=1000 \
			-o "|until [ -e '$T/read' ]; do sleep 0.1; done; grep ' lost ' >'$T/lost'" \
			"$T/paced" 'show(const char *a, const char *b)' >"$T/out" 2>"$T/err"
		wait_for 60 has_line '^right$' "$T/out" || because "the program has not ended"
		: >"$T/read"
		reap "$PID"
		expect_status 0
		expect_line '^\*\*\* [0-9]* events lost \*\*\*$' "$T/lost"
		end_case
	fi
	;;
*) skip "a million calls" "no uprobe-multi" ;;
esac

# nice_of PID: nice value and scheduling policy of its first thread.
nice_of() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f17,39
}

# child_of PID NAME
child_of() {
	cat /proc/[0-9]*/stat 2>"$T/null" | sed -n "s/^\([0-9]*\) ($2) . $1 .*/\1/p" | sed 1q
}

# Debian's busybox has no nice.  The tests may run at a nice value of their own.
own=$(nice_of $$ | sed 's/ .*//')
for more in 0 $(has nice && [ "$own" -le 16 ] && echo 3); do
	mine=$((own + more))
	as_nice=
	[ "$more" = 0 ] || as_nice="nice -n $more"
	for mechanism in $MECHANISMS; do
		begin "$mechanism: rawtrace at nice value $mine: the reader's is lower by 20, the program's the same"
		rm -f "$T/trace"
		# shellcheck disable=SC2086 # several words, or none
		in_background $as_nice "$RAWTRACE" --attach="$mechanism" -o "$T/trace" \
			"$BIN/worker" work -- 1 $LONG $PAUSE >"$T/out" 2>"$T/err"
		tracer=$PID
		wait_for 20 lines_at_least 10 "$T/trace" || because "no trace"
		nice_of "$tracer" | sed 's/ .*//' >"$T/nice"
		expect_text $((mine > 0 ? mine - 20 : -20)) "$T/nice"
		nice_of "$(child_of "$tracer" worker)" >"$T/nice"
		expect_text "$mine 0" "$T/nice"
		case $mechanism in
		multi-event | event | tracefs)
			nice_of "$(child_of "$tracer" "rt-guard$tracer")" >"$T/nice"
			expect_text "$mine 0" "$T/nice"
			;;
		esac
		kill -TERM "$tracer"
		reap "$tracer"
		end_case
	done
done

# With a ring of 1 MB 14 to 24 % were lost at the program's own nice value.
begin "64 threads at full speed on all CPUs: next to none lost"
calls=4000
! slow || calls=200
timeout $((60 * SECOND)) "$RAWTRACE" --buffer=1M -o "$T/trace" "$BIN/crowd" inner -- 64 $calls \
	>"$T/out" 2>"$T/err"
ST=$?
expect_status 0
calls_seen=$(grep -c '(inner ' "$T/trace")
expect_number calls "$calls_seen" -ge $((64 * calls - 64 * calls / 33))
end_case

# The beginnings of threads are among what is lost, and without them nobody knows whose their calls
# are.
case " $MECHANISMS " in
*" tracefs "*)
	begin "tracefs: many threads, and a ring that is too small"
	each=$((CALLS / 200))
	timeout 100 "$RAWTRACE" --attach=tracefs --buffer=64K -o "$T/trace" "$BIN/crowd" inner \
		outer -- 128 $each >"$T/out" 2>"$T/err"
	ST=$?
	leave_out_stepped "$T/err"
	expect_status 0
	[ ! -s "$T/err" ] || show "$T/err"
	expect_no_line '^\*\*\* 0 events' "$T/trace"
	lost=$(awk '/ lost \*\*\*$/ { n += $2 } END { print n + 0 }' "$T/trace")
	seen=$(grep -v -e ' lost \*\*\*$' -e '<\*\*\* ' "$T/trace" | grep -c '')
	all=$((4 * 128 * each))
	expect_number "events seen and lost" $((seen + lost)) -ge $((all - all / 100))
	# Beginnings and ends of threads are lost too.
	expect_number "events seen and lost" $((seen + lost)) -le $((all + 2 * 128 + all / 100))
	end_case
	;;
*) skip "many threads" "no tracefs" ;;
esac
