#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tracefs alone, the doctor, and clearing what was left.
# Runs alone: any other rawtrace would clear what the tests leave for `doctor --clean`.
. "$SRCDIR/tests/live/lib.sh"
[ -e "$TRACING/uprobe_events" ] || skip_all "tracefs is not mounted"
find_mechanisms

begin "doctor: each mechanism has a row"
rt doctor
expect_status 0
for name in uprobe-multi multi-event pmu event tracefs; do
	expect_number "rows of $name" "$(grep -c "^$name  *[a-zA-Z]* " "$T/out")" -ge 1
done
for name in capabilities seccomp lockdown uprobe_events; do
	expect_line "^$name " "$T/out"
done
expect_line "^tracefs  *ok  *$TRACING" "$T/out"
expect_line '^used: [a-z]' "$T/out"
expect_no_line HARM "$T/out"
[ ! -s "$T/err" ] || show "$T/err"
end_case

if has strace; then
	# Calls of the doctor and of a BPF run show that the words below would be found.
	begin "--no-bpf calls neither bpf nor perf_event_open"
	timeout 60 strace -f -o "$T/strace" "$RAWTRACE" --no-bpf "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_text 'fib(4) = 3' "$T/out"
	expect_line '^>(fib 4)$' "$T/err"
	expect_line 'uprobe_events' "$T/strace"
	expect_no_line '[^a-z_]\(bpf\|perf_event_open\)(' "$T/strace"
	timeout 60 strace -f -o "$T/strace" "$RAWTRACE" --attach=pmu "$FIB" fib >"$T/out" 2>"$T/err"
	expect_line '[^a-z_]bpf(' "$T/strace"
	expect_line '[^a-z_]perf_event_open(' "$T/strace"
	end_case
else
	skip "--no-bpf calls neither bpf nor perf_event_open" "no strace"
fi

begin "--no-bpf is --attach=tracefs"
rt -v --no-bpf "$FIB" fib
expect_line '^rawtrace: attach tracefs: functions: 1, probes: [1-9][0-9]*, ring: tracefs, ' "$T/err"
end_case

# A process id that nobody has: of a process that has just ended, and so not soon anybody's again.
dead_pid() {
	sh -c 'echo $$'
}

begin "doctor --clean takes what dead rawtraces left, and nothing else"
cp "$FIB" "$T/private"
chmod +x "$T/private"
line=$(timeout 20 "$RAWTRACE" --dump=tracefs "$T/private" fib |
	sed -n 's/^p[^ ]* \([^ ]*:0x[0-9a-f]*\).*/\1/p' | sed 1q)
place=$T/private:${line##*:}
dead=$(dead_pid)
other=rawtracetest_$$
echo "p:rawtrace_$dead$SPACE/left $place" >>"$TRACING/uprobe_events" || because "cannot define"
echo "p:rawtrace_$dead$SPACE/left2 $place" >>"$TRACING/uprobe_events" || because "cannot define"
echo "p:$other/kept $place" >>"$TRACING/uprobe_events" || because "cannot define"
echo "p:rawtrace_x$dead/kept $place" >>"$TRACING/uprobe_events" || because "cannot define"
echo "p:rawtrace_$$$SPACE/kept $place" >>"$TRACING/uprobe_events" || because "cannot define"
mkdir "$TRACING/instances/rawtrace-$dead$SPACE" "$TRACING/instances/rawtrace-$$$SPACE" \
	"$TRACING/instances/$other"
# Up to 3.14 uprobes are not for instances: 3.10 hangs here.
if grep -q mono "$TRACING/instances/$other/trace_clock" 2>/dev/null; then
	# Left as a killed rawtrace leaves it: enabled.
	echo 1 >"$TRACING/instances/rawtrace-$dead$SPACE/events/rawtrace_$dead$SPACE/enable"
	# And in somebody else's.
	echo 1 >"$TRACING/instances/$other/events/rawtrace_$dead$SPACE/left2/enable"
fi
rt doctor --clean
expect_status 0
expect_line '^[0-9]* definitions\{0,1\} and instances of dead rawtrace processes removed$' "$T/out"
nothing_left_by "$dead" || because "left: $(left_by "$dead")"
for group in $other rawtrace_x$dead rawtrace_$$$SPACE; do
	grep -q ":$group/kept " "$TRACING/uprobe_events" || because "$group is gone"
	echo "-:$group/kept" >>"$TRACING/uprobe_events"
done
for instance in rawtrace-$$$SPACE $other; do
	[ -d "$TRACING/instances/$instance" ] || because "instance $instance is gone"
	rmdir "$TRACING/instances/$instance"
done
end_case

# There the same id is another process, or nobody's.
in_a_namespace() {
	timeout 60 unshare --pid --fork --mount-proc "$@"
}
if has unshare && in_a_namespace true 2>/dev/null; then
	begin "doctor --clean in another PID namespace takes nothing of the others'"
	sleep 60 &
	live=$!
	echo "p:rawtrace_$live$SPACE/kept $place" >>"$TRACING/uprobe_events" ||
		because "cannot define"
	in_a_namespace "$RAWTRACE" doctor --clean >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	expect_status 0
	[ -n "$(left_by "$live")" ] || because "its definition is gone"
	kill -KILL "$live"
	wait "$live" 2>/dev/null
	rt doctor --clean
	expect_status 0
	nothing_left_by "$live" || because "left: $(left_by "$live")"
	end_case
else
	skip "doctor --clean in another PID namespace" "no unshare, or it may not"
fi

# Process ids come again.  What the other's guard may still hold open must stay.
begin "what a process with the same id has left is cleared when its guard has ended"
# shellcheck disable=SC2016
timeout 30 sh -c 'printf "#!/bin/sh\nwhile :; do sleep 0.1; done\n" >"$4/rt-guard$$"
	chmod +x "$4/rt-guard$$"
	"$4/rt-guard$$" 2>/dev/null &
	guard=$!
	sleep 0.1
	echo "p:rawtrace_$$$1/left $2" >>"$3/uprobe_events"
	(
		sleep 1.2
		grep -q "rawtrace_$$$1/left" "$3/uprobe_events" && : >"$4/stayed"
		kill "$guard"
	) 2>/dev/null &
	shift 4
	exec "$@"' sh "$SPACE" "$place" "$TRACING" "$T" "$RAWTRACE" --no-bpf "$FIB" fib \
	>"$T/out" 2>"$T/err" </dev/null
ST=$?
expect_status 0
[ -e "$T/stayed" ] || because "it was cleared while the guard was there"
expect_number calls "$(grep -c '^[ >]*(fib [0-4])$' "$T/err")" -eq 9
end_case

# Another rawtrace that ends looks into each instance, which cannot be removed meanwhile.
begin "an instance in which a file is open for a while"
start_worker 1 $LONG $PAUSE
in_background "$RAWTRACE" --no-bpf -p "$worker" leaf 2>"$T/err"
tracer=$PID
wait_for 10 lines_at_least 10 "$T/err" || because "no trace"
{ sleep 0.2 <"$TRACING/instances/rawtrace-$tracer$SPACE/events/enable"; } 2>/dev/null &
sleeper=$!
kill -INT "$tracer"
reap "$tracer"
nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
wait "$sleeper"
end_worker
end_case

begin "doctor --clean with nothing to do"
rt doctor --clean
expect_status 0
expect_line '^[0-9]* definition' "$T/out"
end_case

# In a mount namespace where tracefs is not mounted.
unmounted() {
	timeout 60 unshare -m sh -c '
		mount --make-rprivate / &&
		while dir=$(sed -n "s/^[^ ]* \([^ ]*\) \(tracefs\|debugfs\) .*/\1/p" /proc/mounts | tail -n 1) && [ -n "$dir" ]; do
			umount "$dir" || exit 99
		done
		"$@"
		status=$?
		# rawtrace mounted tracefs for itself alone.
		sed -n "s/^[^ ]* \([^ ]*\) \(tracefs\|debugfs\) .*/mounted here: \1/p" /proc/mounts
		exit $status' sh "$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
}

if has unshare && unshare -m true 2>/dev/null; then
	cp /proc/mounts "$T/before"
	begin "tracefs is not mounted: --no-bpf mounts it for itself"
	unmounted "$RAWTRACE" --no-bpf "$FIB" fib
	expect_status 0
	expect_text 'fib(4) = 3' "$T/out"
	expect_line '^>(fib 4)$' "$T/err"
	expect_nested "$T/err" whole
	end_case

	case " $MECHANISMS " in
	*" multi-event "*)
		begin "tracefs is not mounted: a multi-probe event"
		unmounted "$RAWTRACE" --attach=multi-event "$FIB" fib
		expect_status 0
		expect_text 'fib(4) = 3' "$T/out"
		expect_line '^>(fib 4)$' "$T/err"
		end_case
		;;
	esac

	begin "tracefs is not mounted: the program sees the mounts as they are"
	unmounted "$RAWTRACE" --no-bpf "$BIN/mounts" main
	expect_status 0
	expect_text 'none' "$T/out"
	end_case

	begin "tracefs is not mounted: doctor says so"
	unmounted "$RAWTRACE" doctor
	expect_status 0
	expect_line 'not mounted' "$T/out"
	end_case

	begin "tracefs is not mounted: nothing is, outside"
	cp /proc/mounts "$T/after"
	expect_same "$T/before" "$T/after"
	end_case
else
	skip "tracefs is not mounted" "no unshare"
fi
