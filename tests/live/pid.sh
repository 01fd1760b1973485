#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Running processes, and signals that end a trace: in order, the complete part printed, the program
# unharmed.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# threads_call N: so many have calls in $T/err.
threads_call() {
	[ "$(sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/err" | sort -u | grep -c '')" = "$1" ]
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: -p, several threads, ^C"
	start_worker 3 $LONG $PAUSE
	in_background "$RAWTRACE" --attach="$mechanism" -p "$worker" work leaf 2>"$T/err"
	tracer=$PID
	wait_for 10 lines_at_least 500 "$T/err" || because "no trace"
	wait_for 10 threads_call 3 || because "not all threads are in the trace"
	kill -INT "$tracer"
	reap "$tracer"
	[ "$ST" = 0 ] || [ "$ST" = 130 ] || because "exit status $ST"
	expect_nested "$T/err"
	expect_results "$T/err"
	# Calls that are open while the probes are attached or detached one by one are no whole
	# trace: at most those may be marked.
	expect_number "marks that a part was not seen" \
		"$(grep -c 'not seen\|before the trace' "$T/err")" -le 12
	# Three threads call, and the column tells them apart.
	expect_number threads \
		"$(sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/err" | sort -u | grep -c '')" -eq 3
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	end_worker
	end_case
done

begin "--tid: calls of one thread"
start_worker 3 $LONG $PAUSE
for task in /proc/"$worker"/task/*; do :; done
task=${task##*/}
in_background "$RAWTRACE" --tid="$task" -F flow -p "$worker" work leaf 2>"$T/err"
tracer=$PID
wait_for 10 lines_at_least 100 "$T/err" || because "no trace"
kill -INT "$tracer"
reap "$tracer"
expect_number "lines of others" \
	"$(grep -v "^#\|^rawtrace: " "$T/err" | grep -c -v " $task  ")" -eq 0
end_worker
end_case

for mechanism in $MECHANISMS; do
	begin "$mechanism: a call that was open when the trace began"
	start_worker 1 $LONG $PAUSE
	in_background "$RAWTRACE" --attach="$mechanism" --return=insn -p "$worker" main \
		work 2>"$T/err"
	tracer=$PID
	wait_for 10 lines_at_least 10 "$T/err" || because "no trace"
	kill -USR1 "$worker"
	reap "$worker"
	reap "$tracer"
	expect_line '<0  \*\*\* call of main began before the trace \*\*\*$' "$T/err"
	expect_nested "$T/err"
	end_case
done

for signal in INT:2 TERM:15 HUP:1 QUIT:3; do
	number=${signal#*:}
	signal=${signal%:*}
	for mechanism in $MECHANISMS; do
		case $mechanism in uprobe-multi | tracefs) ;; *) continue ;; esac

		begin "$mechanism: SIG$signal, a running process"
		start_worker 1 $LONG $PAUSE
		in_background "$RAWTRACE" --attach="$mechanism" -p "$worker" work leaf 2>"$T/err"
		tracer=$PID
		wait_for 10 lines_at_least 100 "$T/err" || because "no trace"
		kill "-$signal" "$tracer"
		reap "$tracer"
		[ "$ST" = 0 ] || [ "$ST" = $((128 + number)) ] || because "exit status $ST"
		expect_nested "$T/err"
		expect_results "$T/err"
		end_worker
		end_case

		begin "$mechanism: SIG$signal, a command"
		in_background "$RAWTRACE" --attach="$mechanism" "$BIN/worker" work leaf -- 1 $LONG \
			$PAUSE >"$T/worker" 2>"$T/err"
		tracer=$PID
		wait_for 10 lines_at_least 100 "$T/err" || because "no trace"
		kill "-$signal" "$tracer"
		reap "$tracer"
		# The command got it too, and did not handle it.
		expect_status $((128 + number))
		expect_nested "$T/err"
		expect_results "$T/err"
		nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
		end_case
	done
done

if has python3; then
	# There the command gets its own ^C.
	begin "^C at a terminal"
	timeout 40 python3 "$LIVE/terminal.py" 100 "$RAWTRACE" "$BIN/worker" work leaf -- 1 30000 \
		300 >"$T/all" 2>&1
	ST=$?
	expect_status 130
	sed '/^ready$/d' "$T/all" >"$T/err"
	expect_nested "$T/err"
	expect_results "$T/err"
	end_case

	begin "^C at a terminal, a process that runs elsewhere"
	start_worker 1 $LONG $PAUSE
	timeout 40 python3 "$LIVE/terminal.py" 100 "$RAWTRACE" -p "$worker" work leaf >"$T/all" 2>&1
	ST=$?
	[ "$ST" = 0 ] || [ "$ST" = 130 ] || because "exit status $ST"
	mv "$T/all" "$T/err"
	expect_line "^rawtrace: attached to $worker (worker), 2 functions$" "$T/err"
	expect_nested "$T/err"
	end_worker
	end_case
else
	skip "^C at a terminal" "no python3"
fi

begin "a signal that was ignored stays so (nohup)"
start_worker 1 $LONG $PAUSE
in_background sh -c 'trap "" HUP; exec "$@"' sh "$RAWTRACE" -p "$worker" work 2>"$T/err"
tracer=$PID
wait_for 10 lines_at_least 50 "$T/err" || because "no trace"
kill -HUP "$tracer"
lines=$(grep -c '' "$T/err")
wait_for 20 lines_at_least $((lines + 50)) "$T/err" || because "SIGHUP ended it"
kill -TERM "$tracer"
reap "$tracer"
end_worker
end_case

# has_ended PID: it waits for nothing but us, or the shell has taken its status.
has_ended() {
	! kill -0 "$1" 2>/dev/null || has_line '^State:.*Z' "/proc/$1/status"
}

begin "a shell's & leaves SIGINT ignored: it ends -p all the same"
start_worker 1 $LONG $PAUSE
in_background sh -c 'trap "" INT; exec "$@"' sh "$RAWTRACE" -p "$worker" work 2>"$T/err"
tracer=$PID
wait_for 10 lines_at_least 50 "$T/err" || because "no trace"
kill -INT "$tracer"
wait_for 10 has_ended "$tracer" || kill -TERM "$tracer"
reap "$tracer"
expect_status 0
expect_nested "$T/err"
end_worker
end_case

# trace_to_its_end ID: the worker of two threads exits, and with it rawtrace -p ID.
trace_to_its_end() {
	in_background "$RAWTRACE" -p "$1" work 2>"$T/err"
	tracer=$PID
	wait_for 20 lines_at_least 100 "$T/err" || because "no trace"
	wait_for 20 threads_call 2 || because "not both threads are in the trace"
	end_worker
	reap "$tracer"
	expect_status 0
	expect_nested "$T/err"
}

begin "the process ends by itself"
start_worker 2 $LONG $PAUSE
trace_to_its_end "$worker"
expect_no_line unfinished "$T/err"
end_case

begin "-p with the id of a thread"
start_worker 2 $LONG $PAUSE
for task in /proc/"$worker"/task/*; do
	tid=${task##*/}
done
trace_to_its_end "$tid"
expect_number threads "$(sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/err" | sort -u | grep -c '')" -eq 2
end_case

for how in exit:7 _exit:8 thread:9 kill:137; do
	begin "the exit status is the command's: ${how%:*}"
	rt "$BIN/exits" dive -- "${how%:*}"
	expect_status "${how#*:}"
	end_case
done
begin "the exit status is the command's: from main"
rt "$BIN/loop" step -- 3
expect_status 5
end_case

# If the trace clocks have no `mono`, uprobes write to the main buffer only.
one_buffer=
grep -q -w mono "$TRACING/trace_clock" || one_buffer=yes

# Before 4.7 tracefs records every process, and a program on a perf event runs for every one that
# has the breakpoint.
for mechanism in $MECHANISMS; do
	[ -z "$one_buffer" ] || [ "$mechanism" != tracefs ] || continue
	begin "$mechanism: two processes of one program, each with a rawtrace of its own"
	for i in 1 2; do
		start_worker 2 $LONG $PAUSE
		eval "worker$i=\$worker"
		in_background "$RAWTRACE" --attach="$mechanism" -p "$worker" work leaf 2>"$T/err$i"
		eval "tracer$i=\$PID"
	done
	for i in 1 2; do
		wait_for 10 lines_at_least 200 "$T/err$i" || because "no trace $i"
	done
	for i in 1 2; do
		eval "worker=\$worker$i tracer=\$tracer$i"
		for task in "/proc/$worker/task"/*; do
			echo "${task##*/}"
		done >"$T/threads$i"
		kill -INT "$tracer"
		reap "$tracer"
		sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/err$i" | sort -u |
			grep -v -x -F -f "$T/threads$i" >"$T/others$i"
		[ ! -s "$T/others$i" ] || show "$T/others$i"
		expect_nested "$T/err$i"
		expect_results "$T/err$i"
		end_worker
	done
	end_case
done
# Before 3.15 there is one trace buffer for the uprobes of all: one of them is told so, and the
# other goes on.
refused() {
	has_line 'uses the only trace buffer' "$T/err$1"
}

began() {
	lines_at_least 200 "$T/err$1" || refused "$1"
}

begin "two at once"
start_worker 2 $LONG $PAUSE
for i in 1 2; do
	in_background "$RAWTRACE" -p "$worker" work leaf 2>"$T/err$i"
	eval "tracer$i=\$PID"
done
ending=1 going=2 one=
for i in 1 2; do
	wait_for 10 began $i || because "no trace $i"
	refused $i || continue
	[ -z "$one" ] || because "both were refused"
	one=yes ending=$i going=$((3 - i))
	expect_message 'end it first' "$T/err$i"
done
[ -n "$one" ] || eval "kill -INT \$tracer$ending"
eval "reap \$tracer$ending"
lines=$(grep -c '' "$T/err$going")
wait_for 10 lines_at_least $((lines + 200)) "$T/err$going" ||
	because "the end of one ended the other"
eval "kill -INT \$tracer$going; reap \$tracer$going"
for i in 1 2; do
	[ -z "$one" ] || [ $i = $going ] || continue
	expect_nested "$T/err$i"
	expect_results "$T/err$i"
	expect_no_line ' lost ' "$T/err$i"
done
end_worker
if [ -n "$one" ] && [ ! -s "$T/why" ]; then
	skip "two at once" \
		"this kernel has one trace buffer for all uprobes; one of the two is refused, and the other goes on"
else
	end_case
fi
