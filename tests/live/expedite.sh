#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --expedite: /sys/kernel/rcu_expedited is 1 while probes are taken out, and 0 again however rawtrace ends.
. "$SRCDIR/tests/live/lib.sh"

VALUE=/sys/kernel/rcu_expedited
[ -w "$VALUE" ] || skip_all "no $VALUE that can be written"
[ "$(cat "$VALUE")" = 0 ] || skip_all "$VALUE is set already"
# From 4.5 on.
[ ! -e /sys/kernel/rcu_normal ] || [ "$(cat /sys/kernel/rcu_normal)" = 0 ] || skip_all "/sys/kernel/rcu_normal is set"
find_mechanisms

# Without a process of its own, as what is looked for may be short.
is_set() {
	read -r value <"$VALUE" && [ "$value" = 1 ]
}

is_clear() {
	[ "$(cat "$VALUE")" = 0 ]
}

# expect_clear RAWTRACE: at once, or when the kernel has closed what was killed.
expect_clear() {
	wait_for 60 is_clear || because "$VALUE is still $(cat "$VALUE")"
	wait_for 60 nothing_left_by "$1" || because "left: $(left_by "$1" | sed 5q)"
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: put back at the end"
	rt --expedite --attach="$mechanism" "$FIB" fib
	is_clear || because "$VALUE is $(cat "$VALUE")"
	expect_status 0
	expect_line '^>(fib 4)$' "$T/err"
	end_case
done

begin "a program that goes on"
in_background "$BIN/worker" 2 3000 50 >"$T/worker"
worker=$PID
wait_for 5 has_line ready "$T/worker"
in_background "$RAWTRACE" --expedite -o "$T/trace" -p "$worker" work leaf 2>"$T/err"
tracer=$PID
sleep 0.5
kill -INT "$tracer"
reap "$tracer"
is_clear || because "$VALUE is $(cat "$VALUE")"
expect_clear "$tracer"
reap "$worker"
expect_status 0
expect_line '^right$' "$T/worker"
end_case

# The calls that write the file, from all of its processes in order.
if has strace; then
	begin "written when the probes go, and not before"
	timeout 30 strace -f -qq -o "$T/calls" -e trace=pwrite64,execve "$RAWTRACE" --expedite "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_number "writes of 1" "$(grep -c 'pwrite64(.*"1\\n", 2, 0) *= 2' "$T/calls")" -eq 1
	expect_number "writes of 0" "$(grep -c 'pwrite64(.*"0\\n", 2, 0) *= 2' "$T/calls")" -eq 1
	grep -n -e 'execve(.*fib' -e 'pwrite64(.*"[01]\\n", 2, 0)' "$T/calls" | sed 's/.*\(execve\)(.*/\1/; s/.*"\([01]\)\\n".*/\1/' | uniq | tr '\n' ' ' >"$T/order"
	[ "$(cat "$T/order")" = 'execve 1 0 ' ] || because "the order was $(cat "$T/order")"
	is_clear || because "$VALUE is $(cat "$VALUE")"
	end_case

	begin "without the option nothing is written"
	timeout 30 strace -f -qq -o "$T/calls" -e trace=pwrite64,openat "$RAWTRACE" "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_number "openings" "$(grep -c rcu_ "$T/calls")" -eq 0
	end_case
fi

# Without multi-probe events, as before 5.4, so that there are some to be taken out.
case " $MECHANISMS " in
*" tracefs "*)
	begin "tracefs: while a process in the background takes the probes out"
	in_background env LD_PRELOAD="$BUILDDIR/tests/live/oldkernel.so" OLD_KERNEL=multi-probe=replace \
		"$RAWTRACE" --expedite --no-bpf -o "$T/trace" "$BIN/many" 'many_0[0-5]?' >"$T/out" 2>"$T/err"
	tracer=$PID
	seen=
	while [ -z "$seen" ] && { kill -0 "$tracer" || left_by "$tracer" | grep -q .; } 2>"$T/null"; do
		! is_set || seen=yes
	done
	[ -n "$seen" ] || because "$VALUE was not 1"
	reap "$tracer"
	expect_status 0
	expect_clear "$tracer"
	end_case
	;;
esac

# By a mechanism that takes a moment to end.
slowest=
for mechanism in $MECHANISMS; do
	case $mechanism in
	pmu | event) slowest=$mechanism ;;
	esac
done
[ -n "$slowest" ] || exit 0

begin "two at once"
in_background "$RAWTRACE" --expedite --attach="$slowest" -o "$T/one" "$BIN/many" 'many_00[0-4]' >"$T/out" 2>"$T/err"
one=$PID
in_background "$RAWTRACE" --expedite --attach="$slowest" -o "$T/two" "$BIN/many" 'many_00[5-9]' >"$T/out2" 2>"$T/err2"
two=$PID
reap "$one"
expect_status 0
reap "$two"
expect_status 0
expect_clear "$one"
expect_clear "$two"
expect_number "calls of both" "$(cat "$T/one" "$T/two" | grep -c '^>(many_00[0-9]')" -eq 10
end_case

begin "SIGKILL while the probes are taken out"
in_background "$RAWTRACE" --expedite --attach="$slowest" -o "$T/trace" "$BIN/many" 'many_00?' >"$T/out" 2>"$T/err"
tracer=$PID
# Where it is over before it is seen, what is looked at is its end.
while ! is_set && kill -0 "$tracer" 2>"$T/null"; do
	:
done
kill -KILL "$tracer" 2>"$T/null"
reap "$tracer"
expect_clear "$tracer"
end_case

begin "SIGKILL while it traces"
in_background "$BIN/worker" 2 3000 50 >"$T/worker"
worker=$PID
wait_for 5 has_line ready "$T/worker"
in_background "$RAWTRACE" --expedite --attach="$slowest" -o "$T/trace" -p "$worker" work leaf 2>"$T/err"
tracer=$PID
sleep 0.5
kill -KILL "$tracer"
reap "$tracer"
expect_clear "$tracer"
reap "$worker"
expect_status 0
end_case
