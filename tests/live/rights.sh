#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A user who is not root traces by the capabilities of rawtrace's file, and sees no more than
# without them.
. "$SRCDIR/tests/live/lib.sh"

for tool in setpriv setcap cc; do
	has $tool || skip_all "no $tool"
done

# user COMMAND...: as nobody, with its output in $T/out and $T/err.
user() {
	(cd "$T" && exec timeout $((60 * SECOND)) setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$@") >"$T/out" 2>"$T/err" </dev/null
	ST=$?
}

give() {
	setcap "$1+ep" "$T/rawtrace" >"$T/build" 2>&1
}

cp "$RAWTRACE" "$T/rawtrace"
cp "$FIB" "$T/fib"
target runs cc -O1 "$TARGETS/runs.c" || skip_all "$(no_target runs)"
for name in setuid setgid capable hidden; do
	cp "$T/runs" "$T/$name"
done
chmod 4755 "$T/setuid"
chmod 2755 "$T/setgid"
setcap cap_net_raw+ep "$T/capable" 2>/dev/null || skip_all "no file capabilities in $T"
chmod 711 "$T/hidden"
give cap_bpf,cap_perfmon || skip_all "no cap_bpf, cap_perfmon (5.8)"
user "$T/setuid"
has_line '^after 0 ' "$T/out" || skip_all "no setuid programs in $T"
user ./rawtrace ./fib fib -- 1
! has_line 'takes cap_sys_admin here' "$T/err" ||
	skip_all "neither uprobe-multi (6.6) nor a uprobe PMU for cap_perfmon"

begin "cap_bpf and cap_perfmon: a trace"
user ./rawtrace ./fib fib -- 1
expect_status 0
expect_text '>(fib 1)
<1' "$T/err"
end_case

for name in setuid setgid capable; do
	begin "a $name program is refused"
	user ./rawtrace "./$name" libc.so.6:getenv
	expect_status 1
	expect_message "$name: is setuid, setgid or has capabilities; user 65534" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case
done

# Its calls before the exec are seen, and none after; the program itself is what it would be.
for name in setuid setgid capable hidden; do
	begin "exec of a $name program ends the trace"
	user ./rawtrace ./runs libc.so.6:getenv -- 20 "./$name"
	expect_status 0
	expect_number "calls" "$(grep -c '^>(getenv "HOME")' "$T/err")" -eq 2
	expect_line \
		'process [0-9]*: runs a program that user 65534 may not trace .*; the trace ends' \
		"$T/err"
	expect_no_line 'lost' "$T/err"
	expect_line '^after ' "$T/out"
	[ $name != setuid ] || expect_line '^after 0 ' "$T/out"
	user ./rawtrace count ./runs libc.so.6:getenv -- 20 "./$name"
	expect_line '^getenv  *2$' "$T/err"
	end_case
done

begin "exec of a plain program does not"
user ./rawtrace ./runs libc.so.6:getenv -- 20 ./runs
expect_number "calls" "$(grep -c '^>(getenv "HOME")' "$T/err")" -eq 4
expect_no_line 'ends here' "$T/err"
end_case

begin "-f is for root: tracefs is"
user ./rawtrace -f ./runs libc.so.6:getenv -- 20 ./setuid
expect_message '-f: user 65534 may not use tracefs, which it needs; try: sudo rawtrace ' "$T/err"
end_case

# runs_then PROGRAM ARGUMENT...: a process of nobody, in $runs, executes it when $T/go is there.
runs_then() {
	rm -f "$T/go"
	in_background setpriv --reuid=65534 --regid=65534 --clear-groups "$T/runs" "$T/go" "$@" \
		>"$T/witness"
	runs=$PID
	wait_for 10 has_line '^before' "$T/witness" || because "the program does not run"
}

# trace_runs RAWTRACE...: trace it from then on, to its end.
trace_runs() {
	in_background "$@" -v -p "$runs" libc.so.6:getenv 2>"$T/err"
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || because "not attached"
	: >"$T/go"
	reap "$runs"
	reap "$PID"
}

begin "-p: a setuid exec ends the trace, and so it is said"
runs_then "$T/setuid" 5
trace_runs setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace"
expect_no_line '^>(getenv' "$T/err"
expect_line "process $runs: runs a program that user 65534 may not trace" "$T/err"
end_case

begin "root sees the calls of a setuid program, and nothing is lost"
runs_then "$T/setuid" 10 "$T/runs"
trace_runs "$RAWTRACE"
expect_number "calls" "$(grep -c '^>(getenv "HOME")' "$T/err")" -eq 4
expect_no_line 'lost' "$T/err"
end_case

begin "-p: no process that the user could not ptrace"
in_background "$T/setuid" 20000 >"$T/witness"
user ./rawtrace -p "$PID" libc.so.6:getenv
expect_status 1
expect_message "process $PID: " "$T/err"
end_case

begin "cap_dac_override, cap_sys_ptrace, cap_sys_admin: files and processes only by the user's own rights"
files=cap_dac_override,cap_dac_read_search,cap_fowner
give "cap_bpf,cap_perfmon,$files,cap_sys_ptrace,cap_sys_admin"
echo secret-of-root >"$T/secret"
chmod 600 "$T/secret"
cp "$T/secret" "$T/secret.before"
user ./rawtrace -o secret ./fib fib
expect_status 1
expect_message 'secret: Permission denied' "$T/err"
expect_same "$T/secret.before" "$T/secret"
user ./rawtrace ./fib @./secret
expect_message 'secret: Permission denied' "$T/err"
user env RAWTRACE_PROBES="$T" ./rawtrace ./fib @secret
expect_no_line 'secret-of' "$T/err"
user ./rawtrace -p "$PID" libc.so.6:getenv
expect_status 1
user ./rawtrace --no-bpf ./fib fib
expect_status 1
expect_message 'needs root' "$T/err"
kill -KILL "$PID"
reap "$PID"
end_case

# The client for debug files would write as root into the folder of root.
begin "a program and folders that the environment names are run and read with the user's own rights"
mkdir -p "$T/bin" "$T/debug" "$T/said"
chmod 777 "$T/said"
chmod 700 "$T/debug"
cat >"$T/bin/debuginfod-find" <<EOT
#!/bin/sh
sed -n 's/^Cap[^B].*:.//p' /proc/self/status >$T/said/caps
id -u >$T/said/user
exit 1
EOT
chmod 755 "$T/bin" "$T/bin/debuginfod-find"
strip -o "$T/stripped" "$T/runs" 2>/dev/null || cp "$T/runs" "$T/stripped"
chmod 755 "$T/stripped"
user env PATH="$T/bin:$PATH" DEBUGINFOD_URLS=http://127.0.0.1:1/ RAWTRACE_DEBUG_DIR="$T/debug" \
	./rawtrace -v ./stripped libc.so.6:getenv
expect_status 0
expect_line '^>(getenv' "$T/err"
if [ -e "$T/said/caps" ]; then
	expect_text 65534 "$T/said/user"
	sort -u "$T/said/caps" >"$T/caps"
	expect_text 0000000000000000 "$T/caps"
else
	because "the client was not run"
	show "$T/err"
fi
end_case

begin "capabilities while the trace runs"
in_background setpriv --reuid=65534 --regid=65534 --clear-groups "$BIN/worker" 1 $LONG $PAUSE \
	>"$T/worker"
worker=$PID
wait_for 10 has_line ready "$T/worker" || because "the worker is not ready"
in_background setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" -p "$worker" work \
	leaf 2>"$T/err"
tracer=$PID
wait_for 20 lines_at_least 10 "$T/err" || show "$T/err"
for set in Inh Prm Eff Amb; do
	has=$(sed -n "s/^Cap$set:.//p" "/proc/$tracer/status")
	# cap_bpf and cap_perfmon, of the seven that the file has.
	case $set in Prm | Eff) wanted=000000c000000000 ;; *) wanted=0000000000000000 ;; esac
	[ "$has" = "$wanted" ] || because "Cap$set $has, not $wanted"
done
kill -INT "$tracer"
reap "$tracer"
expect_results "$T/err"
end_worker
end_case

begin "a user without rights: the message has sudo and setcap"
setcap -r "$T/rawtrace"
user ./rawtrace ./fib fib
expect_status 1
expect_message 'user 65534: tracing needs root; try sudo, or .* setcap cap_bpf,cap_perfmon+ep$' \
	"$T/err"
expect_line 'setcap cap_bpf,cap_perfmon+ep' "$SRCDIR/README"
user ./rawtrace --no-bpf ./fib fib
expect_status 1
expect_message 'user 65534: tracefs needs root; try: sudo rawtrace ...$' "$T/err"
end_case

begin "the traced program gets no capability"
caps=-all,+bpf,+perfmon,+net_raw
(cd "$T" && exec timeout $((60 * SECOND)) setpriv --reuid=65534 --regid=65534 --clear-groups \
	--inh-caps=$caps --ambient-caps=$caps \
	./rawtrace ./runs libc.so.6:getenv) >"$T/out" 2>"$T/err" </dev/null
expect_line '^>(getenv' "$T/err"
for set in Inh Prm Amb; do
	expect_line "^Cap$set:	0000000000000000\$" "$T/out"
done
end_case

begin "a setuid rawtrace is refused"
chmod 4755 "$T/rawtrace"
user ./rawtrace ./fib fib
expect_status 1
expect_message 'rawtrace: is setuid or setgid' "$T/err"
end_case
