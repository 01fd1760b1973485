#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes by name, programs of other users, and the capabilities that rawtrace has while it
# traces.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# ---- processes by name ----

# A name that nobody else has, of at most 15 characters, which is all that the kernel has of it.
NAME=n$$named
mkdir "$T/other"
cp "$BIN/worker" "$T/$NAME"
cp "$BIN/worker" "$T/other/$NAME"

# start_named FILE OUTPUT: a worker, its id in $PID.
start_named() {
	in_background "$1" 1 $LONG $PAUSE >"$2"
	wait_for 10 has_line ready "$2" || because "the worker is not ready"
}

# end_named PID...
end_named() {
	for pid; do
		kill -USR1 "$pid"
		reap "$pid"
		expect_status 0
	done
}

# Each worker has a thread that calls; the column has the process and the thread.
two_are_traced() {
	[ "$(sed -n 's/^\[\([0-9]* [0-9]*\)\] >(work.*/\1/p' "$T/err" | sort -u | grep -c '')" = 2 ]
}

for kind in NAME PATH; do
	begin "-p $kind: all processes of that name"
	[ $kind = NAME ] && name=$NAME || name=$T/$NAME
	start_named "$T/$NAME" "$T/one"
	one=$PID
	start_named "$T/$NAME" "$T/two"
	two=$PID
	in_background "$RAWTRACE" -p "$name" work 2>"$T/err"
	tracer=$PID
	wait_for 20 two_are_traced || show "$T/err"
	end_named "$one" "$two"
	reap "$tracer"
	expect_status 0
	end_case
done

begin "-p NAME: the name of a symbolic link that was executed"
ln -s "$NAME" "$T/l$NAME"
start_named "$T/l$NAME" "$T/one"
rt -p "l$NAME" nothing_of_that_name
expect_message "no function 'nothing_of_that_name'" "$T/err"
end_named "$PID"
end_case

begin "-p NAME: processes of several programs are listed with their ids"
start_named "$T/$NAME" "$T/one"
one=$PID
start_named "$T/other/$NAME" "$T/two"
two=$PID
rt -p "$NAME" work
expect_status 2
expect_message "$NAME: processes of several programs; give pids: " "$T/err"
expect_line "[ ]$T/$NAME $one\(,\|\$\)" "$T/err"
expect_line "[ ]$T/other/$NAME $two\(,\|\$\)" "$T/err"
end_named "$one" "$two"
end_case

begin "-p NAME: no process of that name"
rt -p "x$NAME" work
expect_status 1
expect_message "x$NAME: no process of that name; try: pidof x$NAME\$" "$T/err"
rt -p "$T/none" work
expect_status 1
expect_message "none: No such file or directory\$" "$T/err"
end_case

# ---- programs of other users ----

# as_user COMMAND...: rawtrace with the users and groups of the test; $ST, $T/out and $T/err as rt
# has them.
as_user() {
	ST=0
	selected || return
	# shellcheck disable=SC2016 # the arguments are those of the inner shell
	timeout $((60 * SECOND)) unshare -m sh -c '
		mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group && exec "$@"' \
		"$T" env SUDO_UID=7 SUDO_GID=7 SUDO_USER=someone HOME=/before USER=before \
		LOGNAME=before \
		"$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
}

echo "someone:x:4321:4322::$T/home:/bin/sh" >"$T/passwd"
printf '%s\n' 'first:x:4323:root,someone' 'own:x:4322:' 'other:x:4324:root' 'last:x:4325:someone' \
	>"$T/group"
WHO="id -ru; id -u; id -rg; id -g; id -G; echo \$HOME \$USER \$LOGNAME; sed -n 's/^Cap\(Prm\|Eff\|Amb\):.//p' /proc/self/status"
if has unshare && as_user true && [ "$ST" = 0 ]; then
	for name in someone 4321; do
		begin "-u $name: user, groups and environment"
		as_user "$RAWTRACE" -u $name sh libc.so:write -- -c "$WHO"
		expect_status 0
		printf '%s\n' 4321 4321 4322 4322 '4322 4323 4325' "$T/home someone someone" \
			0000000000000000 0000000000000000 0000000000000000 >"$T/should"
		expect_same "$T/should" "$T/out"
		expect_line '^>(write 1 ' "$T/err"
		end_case
	done

	begin "no -u: the program has the user of rawtrace, also under sudo"
	as_user "$RAWTRACE" sh libc.so:write -- -c "$WHO"
	expect_status 0
	expect_line '^0$' "$T/out"
	expect_line '^/before before before$' "$T/out"
	end_case

	begin "-u: a program that the user may not execute"
	mkdir -p "$T/closed"
	cp "$FIB" "$T/closed/fib"
	chmod 700 "$T/closed"
	as_user "$RAWTRACE" -u someone "$T/closed/fib" fib
	expect_status 1
	expect_message 'closed/fib: cannot be started: Permission denied$' "$T/err"
	end_case

	begin "-u: no such user"
	as_user "$RAWTRACE" -u nobody "$FIB" fib
	expect_status 1
	expect_message '-u nobody: no such user in /etc/passwd$' "$T/err"
	end_case
else
	skip "-u" "no mount namespace"
fi

# ---- capabilities while a trace runs ----

# caps_of PID SET: one of its sets, as a number.
caps_of() {
	echo $((0x$(sed -n "s/^Cap$2:.//p" "/proc/$1/status")))
}

BPF=$((1 << 39)) PERFMON=$((1 << 38)) ADMIN=$((1 << 21)) PTRACE=$((1 << 19)) KILL=$((1 << 5))

# expect_caps PID CAPABILITIES [MORE]: it has none but those, and those as far as the test has them;
# maybe MORE.
expect_caps() {
	may=$(caps_of $$ Prm)
	for set in Prm Eff; do
		expect_number "Cap$set" $(($(caps_of "$1" "$set") & ~${3:-0})) \
			-eq $(($2 & may & ~${3:-0}))
	done
	for set in Inh Amb; do
		[ -z "$(sed -n "/^Cap$set:/p" "/proc/$1/status")" ] ||
			expect_number "Cap$set" "$(caps_of "$1" "$set")" -eq 0
	done
}

# Before 5.8 cap_sys_admin is what tracing takes.
NEEDED=$((BPF | PERFMON | PTRACE))
[ $(($(caps_of $$ Prm) & BPF)) != 0 ] || NEEDED=$((ADMIN | PTRACE))

# Debian's patch refuses perf events to CAP_PERFMON where this is 3, and newer kernels their uprobe
# PMU.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)

for mechanism in $MECHANISMS; do
	more=0
	case $mechanism in multi-event | event) [ "$paranoid" -le 2 ] ||
		more=$ADMIN ;; pmu) more=$ADMIN ;; esac

	begin "$mechanism: -p: capabilities while the trace runs"
	start_worker 2 $LONG $PAUSE
	in_background "$RAWTRACE" --attach="$mechanism" -v -p "$worker" work leaf 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" || because "not attached"
	expect_caps "$tracer" $NEEDED $more
	# Its guard, where there is one, has no more.
	for guard in $(grep -l -x "rt-guard$tracer" /proc/[0-9]*/comm 2>/dev/null |
		sed 's/[^0-9]//g'); do
		expect_caps "$guard" "$NEEDED"
	done
	wait_for 10 lines_at_least 200 "$T/err" || because "no trace"
	kill -INT "$tracer"
	reap "$tracer"
	sed '/^rawtrace: /d' "$T/err" >"$T/trace"
	expect_results "$T/trace"
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	end_worker
	end_case

	begin "$mechanism: a command: capabilities while the trace runs"
	in_background "$RAWTRACE" --attach="$mechanism" -u 65534 "$BIN/worker" work leaf -- 1 \
		$LONG $PAUSE >"$T/worker" 2>"$T/err"
	tracer=$PID
	wait_for 10 lines_at_least 100 "$T/err" || because "no trace"
	expect_caps "$tracer" $((NEEDED | KILL)) $more
	# The signal is passed on to a process of another user.
	kill -TERM "$tracer"
	reap "$tracer"
	expect_status 143
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
	end_case
done

# With files that come later: what opening them, and their probes, take.
LATER=$((1 << 2 | 1 << 6 | 1 << 7 | 1 << 14 | 1 << 24 | 1 << 40))
[ $(($(caps_of $$ Prm) & 1 << 40)) != 0 ] || LATER=$((LATER | ADMIN))
begin "capabilities while libraries are awaited"
in_background "$RAWTRACE" -f -u 65534 "$BIN/worker" work libnone:none -- 1 $LONG $PAUSE \
	>"$T/worker" 2>"$T/err"
tracer=$PID
wait_for 10 lines_at_least 100 "$T/err" || because "no trace"
[ "$paranoid" -le 2 ] && more=0 || more=$ADMIN
expect_caps "$tracer" $((NEEDED | KILL | LATER)) $more
kill -TERM "$tracer"
reap "$tracer"
expect_status 143
nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
end_case
