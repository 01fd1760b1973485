#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace in a container with process ids of its own, and on the host for processes of containers.
. "$SRCDIR/tests/live/lib.sh"
has unshare || skip_all "no unshare"
# shellcheck disable=SC2086 # a command with its options
has "${CC%% *}" && target static $CC -O1 -w -static "$TARGETS/worker.c" -lpthread
targets_made
find_mechanisms
with_bpf || skip_all "no BPF for uprobes"
unshare -pf --mount-proc true 2>/dev/null || skip_all "no PID namespaces, or it may not make one"

# ---- in a PID namespace ----

# in_container COMMAND...: a shell command in a new PID namespace, with its own /proc; as rt has it.
in_container() {
	ST=0
	selected || { : >"$T/out" >"$T/err"; return; }
	timeout $((60 * SECOND)) unshare -pf --mount-proc sh -c "$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	leave_out_stepped "$T/err"
}

in_container '"$0" "$1" fib -- 1' "$RAWTRACE" "$FIB"
! has_line 'BPF has the process ids of containers from Linux 5.7 on' "$T/err" ||
	skip_all "no bpf_get_ns_current_pid_tgid (5.7)"

for mechanism in $MECHANISMS; do
	[ $mechanism != tracefs ] || continue

	begin "$mechanism: a command"
	in_container '"$0" --attach=$1 "$2" fib -- 2' "$RAWTRACE" $mechanism "$FIB"
	expect_status 0
	expect_text '>(fib 2)
> (fib 1)
< 1
> (fib 0)
< 0
<1' "$T/err"
	end_case

	begin "$mechanism: -p, several threads, with the container's own ids"
	in_container '
		# Those of the mechanism before.
		: >"$3/worker" >"$3/trace"
		"$2" 3 $4 $5 >"$3/worker" &
		worker=$!
		tries=0
		until grep -q ready "$3/worker" || [ $((tries += 1)) = 400 ]; do sleep 0.05; done
		"$0" --attach=$1 -p $worker work leaf 2>"$3/trace" &
		tracer=$!
		until [ "$(grep -c "" "$3/trace")" -gt 500 -a \
			"$(sed "s/ .*//" "$3/trace" | sort -u | grep -c "")" -ge 3 ] ||
			[ $((tries += 1)) = 800 ]; do sleep 0.05; done
		echo $worker $(ls /proc/$worker/task) >"$3/ids"
		kill -INT $tracer
		wait $tracer || echo "status $?"
		# On a loaded machine it may have ended by now.
		kill -USR1 $worker 2>/dev/null
		wait $worker || echo "status $?"
		' "$RAWTRACE" $mechanism "$BIN/worker" "$T" $LONG $PAUSE
	[ ! -s "$T/out" ] || show "$T/out"
	[ ! -s "$T/err" ] || show "$T/err"
	expect_line '^right$' "$T/worker"
	expect_nested "$T/trace"
	expect_results "$T/trace"
	read -r ids <"$T/ids"
	for column in $(sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/trace" | sort -u); do
		case " $ids " in *" $column "*) ;; *) because \
			"thread $column is none of: $ids" ;; esac
	done
	expect_number threads \
		"$(sed -n 's/^\[\([0-9]*\)\] .*/\1/p' "$T/trace" | sort -u | grep -c '')" -eq 3
	end_case
done

begin "count and hist"
in_container '"$0" count "$1" fib -- 10 && "$0" hist "$1" fib -- 10' "$RAWTRACE" "$FIB"
expect_status 0
expect_line '^fib  *177$' "$T/err"
expect_line 'count: 177$' "$T/err"
end_case

begin "children, -f"
in_container '"$0" -f -o "$2/trace" "$1" job -- exec' "$RAWTRACE" "$BIN/forks" "$T"
expect_status 0
expect_number calls "$(grep -c '>(job [0-9]*)$' "$T/trace")" -eq 60
end_case

begin "list and doctor"
in_container '"$0" list -p $$ "write*"; "$0" doctor' "$RAWTRACE"
expect_status 0
expect_line "^process ids  *ok  *this container's\$" "$T/out"
expect_line '^uprobe-multi  *ok\|^multi-event  *ok\|^pmu  *ok\|^event  *ok' "$T/out"
expect_line '^tracefs  *no  *.*process ids of the machine' "$T/out"
end_case

begin "chrome has the container's own ids"
in_container '"$0" --format=chrome -o "$2/json" "$1" fib -- 3; ls -d /proc/[0-9]*' "$RAWTRACE" \
	"$FIB" "$T"
expect_status 0
expect_line '"pid":[1-9],' "$T/json"
end_case

begin "--no-bpf: the message says why it does not work"
in_container '"$0" --no-bpf "$1" fib' "$RAWTRACE" "$FIB"
expect_status 1
expect_message \
	'tracefs has the process ids of the machine, not of this container; run it on the host' \
	"$T/err"
end_case

begin "cap_bpf and cap_perfmon alone"
if has setpriv && [ "${MECHANISMS#*uprobe-multi}" != "$MECHANISMS" ]; then
	in_container 'caps=-all,+bpf,+perfmon
		exec setpriv --inh-caps=$caps --bounding-set=$caps "$0" "$1" fib -- 1' "$RAWTRACE" \
		"$FIB"
	expect_status 0
	expect_text '>(fib 1)
<1' "$T/err"
	end_case
	begin "children without tracefs, and no stranger's call"
	in_container 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
		(while :; do "$1" exec >/dev/null; done) &
		caps=-all,+bpf,+perfmon
		exec setpriv --inh-caps=$caps --bounding-set=$caps "$0" -f -o "$2/trace" "$1" \
			job -- exec' "$RAWTRACE" "$BIN/forks" "$T"
	expect_status 0
	expect_number calls "$(grep -c '>(job [0-9]*)$' "$T/trace")" -eq 60
	sed -n 's/^\[\([0-9]*\)\] >(job .*/\1/p' "$T/trace" | sort -u >"$T/ids"
	expect_number processes "$(grep -c '' "$T/ids")" -eq 2
	end_case
	begin "2,000 children without tracefs: each call is counted once"
	in_container 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
		caps=-all,+bpf,+perfmon
		export FAMILY="$2/family"
		exec setpriv --inh-caps=$caps --bounding-set=$caps "$0" count -f "$1" leaf -- \
			storm 2000' "$RAWTRACE" "$BIN/family" "$T"
	expect_status 0
	expect_line '^leaf  *2001$' "$T/err"
	end_case
	begin "without cap_perfmon: the message names it"
	in_container 'caps=-all,+bpf
		exec setpriv --inh-caps=$caps --bounding-set=$caps "$0" "$1" fib -- 1' "$RAWTRACE" \
		"$FIB"
	expect_status 1
	expect_message 'cap_perfmon' "$T/err"
	end_case
else
	skip "cap_bpf and cap_perfmon alone" "no setpriv, or no uprobe-multi (6.6)"
fi

# A static rawtrace preloads nothing.
env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=memlock OLD_KERNEL_SAYS="$T/says" "$RAWTRACE" \
	--version >"$T/out" 2>&1
if [ -s "$T/says" ]; then
	begin "a kernel before 5.7: the message names it"
	in_container 'LD_PRELOAD=$2/oldkernel.so OLD_KERNEL=helper=120 exec "$0" "$1" fib' \
		"$RAWTRACE" "$FIB" "$BIN"
	expect_status 1
	expect_message 'BPF has the process ids of containers from Linux 5.7 on' "$T/err"
	end_case
else
	skip "a kernel before 5.7" "oldkernel.so cannot be preloaded"
fi

begin "a seccomp filter: the message names it"
in_container '"$2" bpf=EPERM -- "$0" "$1" fib' "$RAWTRACE" "$FIB" "$BIN/without"
expect_status 1
expect_message 'bpf(2) is not permitted by a seccomp filter' "$T/err"
end_case

begin "/proc of the host: the message names the mount"
timeout 20 unshare -pf "$RAWTRACE" "$FIB" fib >"$T/out" 2>"$T/err"
ST=$?
expect_status 1
expect_message '/proc: has other process ids than this container; try: mount -t proc proc /proc$' \
	"$T/err"
end_case

if unshare -Ur true 2>/dev/null; then
	begin "a user namespace: the message names it"
	timeout 20 unshare -Urpf --mount-proc "$RAWTRACE" "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message \
		'capabilities of a user namespace do not allow tracing; run rawtrace on the host$' \
		"$T/err"
	end_case
else
	skip "a user namespace" "it may not make one"
fi

begin "a process of a container within the container"
in_container 'unshare -pf --mount-proc sleep 30 & tries=0
	until inner=$(pgrep -x sleep) || [ $((tries += 1)) = 400 ]; do sleep 0.05; done
	"$0" -p $inner libc.so:nanosleep
	status=$?
	kill $inner; exit $status' "$RAWTRACE"
expect_status 1
expect_message 'process [0-9]*: is in a container of its own; run rawtrace there, or on the host$' \
	"$T/err"
end_case

# ---- from the host ----

# trace_inside: the worker $worker of a container has calls in a trace from the host.
trace_inside() {
	wait_for 10 has_line ready "$T/worker" || because "the worker is not ready"
	# unshare and chroot run the program as themselves, or as their child.
	inside=$PID
	! selected || inside=$(pgrep -P "$PID" | head -1)
	[ -n "$inside" ] || inside=$PID
	in_background "$RAWTRACE" -p "$inside" work leaf 2>"$T/err"
	tracer=$PID
	wait_for 20 lines_at_least 100 "$T/err" || show "$T/err"
	kill -INT "$tracer"
	reap "$tracer"
	expect_results "$T/err"
	kill -USR1 "$inside"
	reap "$container"
	expect_status 0
	expect_line '^right$' "$T/worker"
}

if [ -e "$T/static" ] && has pgrep; then
	begin "from the host: a PID namespace and a program that only its mount namespace has"
	mkdir -p "$T/mount"
	in_background unshare -mpf sh -c \
		'mount -t tmpfs none "$1" && cp "$0" "$1/hidden" && exec "$1/hidden" 2 $2 $3' \
		"$T/static" "$T/mount" $LONG $PAUSE >"$T/worker"
	container=$PID
	trace_inside
	end_case

	begin "from the host: chroot"
	mkdir -p "$T/root/bin"
	cp "$T/static" "$T/root/bin/worker"
	in_background chroot "$T/root" /bin/worker 2 $LONG $PAUSE >"$T/worker"
	container=$PID
	trace_inside
	end_case

	begin "from the host: overlayfs"
	cat >"$T/overlay" <<'END'
mount -t tmpfs none "$1" && mkdir "$1/lower" "$1/upper" "$1/work" "$1/all" &&
	cp "$0" "$1/lower/worker" &&
	mount -t overlay none -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" "$1/all" ||
	exit 77
exec chroot "$1/all" /worker 2 $2 $3
END
	if unshare -m sh -c \
		'mount -t tmpfs none "$0" && mkdir "$0/l" "$0/u" "$0/w" && mount -t overlay none \
		-o "lowerdir=$0/l,upperdir=$0/u,workdir=$0/w" "$0/l"' "$T/mount" 2>/dev/null; then
		in_background unshare -m sh -c "$(cat "$T/overlay")" "$T/static" "$T/mount" $LONG \
			$PAUSE >"$T/worker"
		container=$PID
		trace_inside
		end_case
	else
		skip "from the host: overlayfs" "the kernel has none"
	fi
else
	skip "from the host" "no static program: $(no_target static), or no pgrep"
fi
