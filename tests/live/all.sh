#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -a: every process that runs a file.  Only files that this script has copied or built have probes.
. "$SRCDIR/tests/live/lib.sh"
target libshared.so $CC -O1 -shared -Wl,-soname,libshared.so -fPIC -DLIBRARY "$TARGETS/shared.c" ||
	skip_all "$(no_target libshared.so)"
target shared $CC -O1 "$TARGETS/shared.c" "$T/libshared.so" -Wl,-rpath,'$ORIGIN' ||
	skip_all "$(no_target shared)"
CACHED=
has ldconfig && target librtcached.so.1 $CC -O1 -shared -Wl,-soname,librtcached.so.1 -fPIC \
	-DLIBRARY "$TARGETS/shared.c" && target usescached $CC -O1 "$TARGETS/shared.c" \
	"$T/librtcached.so.1" -Wl,-rpath,'$ORIGIN' && CACHED=yes
targets_made
find_mechanisms
with_bpf || skip_all "no BPF for uprobes"
cp "$FIB" "$T/fib"
cp "$FIB" "$T/fob"
cp "$BIN/worker" "$T/copied"
cp "$T/shared" "$T/other"
LIB=$T/libshared.so

# start OPTION...: rawtrace in $tracer, with its probes in.
start() {
	: >"$T/err"
	in_background "$RAWTRACE" "$@" -v >"$T/out" 2>"$T/err"
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to every process' "$T/err" || show "$T/err"
}

# stop [STATUS]: end it; its calls are in $T/trace, without what -v says.
stop() {
	! selected || kill -INT "$tracer"
	reap "$tracer"
	expect_status "${1:-0}"
	sed '/^rawtrace: /d' "$T/err" >"$T/trace"
	nothing_left_by "$tracer" || because "left: $(left_by "$tracer")"
}

# run FILE ARGUMENT...: a program; its id in $ID.
run() {
	selected || { ID=1; printf '1 1\n1 1\n' >"$T/said"; return; }
	"$@" >"$T/said" &
	ID=$!
	wait "$ID"
}

# calls PATTERN: how many lines of the trace match.
calls() {
	grep -c -e "$1" "$T/trace"
}

# Is each line of the whole trace one of a process that is known, and is each whole?
expect_all_named() {
	expect_no_line '^\[[^ ]* [0-9 ]*\] .*\(lost\|not seen\|before\)' "$T/trace"
	grep -v "$1" "$T/trace" >"$T/odd"
	[ ! -s "$T/odd" ] || show "$T/odd"
}

tree() {
	sed -n "s/^\[$1 $2\] //p" "$T/trace" >"$T/tree"
	expect_text '>(fib 2)
> (fib 1)
< 1
> (fib 0)
< 0
<1' "$T/tree"
}

for mechanism in $MECHANISMS; do
	[ $mechanism != tracefs ] || continue

	begin "$mechanism: programs that start later"
	start --attach=$mechanism -a "$T/fib:fib"
	run "$T/fib" 2
	one=$ID
	run "$T/fob" 2
	run "$T/fib" 2
	two=$ID
	wait_for 10 has_line "^\[fib $two\] <1\$" "$T/err" ||
		because "no calls of the second process"
	stop
	tree fib "$one"
	tree fib "$two"
	expect_number "lines" "$(calls '')" -eq 12
	end_case

	begin "$mechanism: processes that ran before, with threads"
	# threads_call NUMBER FILE: so many threads of the worker are in the trace.
	threads_call() {
		[ "$(sed -n "s/^\[copied $worker \([0-9]*\)\].*/\1/p" "$2" | sort -u |
			grep -c '')" = "$1" ]
	}
	in_background "$T/copied" 2 $LONG $PAUSE >"$T/worker.said"
	worker=$PID
	wait_for 10 has_line ready "$T/worker.said" || because "the worker is not ready"
	start --attach=$mechanism -a "$T/copied:work" "$T/copied:leaf"
	wait_for 20 lines_at_least 200 "$T/err" || because "no trace"
	wait_for 20 threads_call 2 "$T/err" || because "not both threads are in the trace"
	stop
	! selected || kill -USR1 "$worker"
	reap "$worker"
	expect_status 0
	expect_line '^right$' "$T/worker.said"
	expect_number "lines of others" "$(grep -c -v "^\[copied $worker [0-9]*\] " "$T/trace")" \
		-eq 0
	threads_call 2 "$T/trace" || because "not two threads are in the trace"
	end_case

	begin "$mechanism: a library, in programs of two names, their children and what they execute"
	start --attach=$mechanism -a "$LIB:shared_sum:2" "$T/shared:own_double:1"
	run "$T/shared" 5 "$T/other" 3
	read -r first child <"$T/said"
	sed -n 2p "$T/said" >"$T/said.other"
	read -r second last <"$T/said.other"
	wait_for 10 has_line "^\[other $last\] <3\$" "$T/err" ||
		because "no calls of the last process"
	stop
	[ "$first" = "$second" ] || because "exec has changed the id"
	for who in "shared $first:5:5" "shared $child:5:5" "other $first:3:0" "other $last:3:0"; do
		name=${who%%:*}
		numbers=${who#*:}
		expect_number "shared_sum of $name" "$(calls "^\[$name\] >(shared_sum ")" \
			-eq "${numbers%:*}"
		expect_number "results of $name" "$(calls "^\[$name\] <[0-9]")" \
			-eq $((${numbers%:*} + ${numbers#*:}))
		expect_number "own_double of $name" "$(calls "^\[$name\] >(own_double ")" \
			-eq "${numbers#*:}"
	done
	expect_number "lines" "$(calls '')" -eq 52
	end_case
done

printf '%s\n' 'library libshared.so' 'int shared_sum(int n, int more)' >"$T/set"
for what in shared_sum 'shared_*' @; do
	begin "a glob of functions, and a set of probes: $what"
	# shellcheck disable=SC2046 # one argument or two
	[ "$what" = @ ] && start -a "$LIB:shared_sum" @"$T/set" || start -a "$LIB:$what"
	run "$T/shared" 5
	read -r first _ <"$T/said"
	wait_for 10 has_line "^\[shared $first\] <5\$" "$T/err" || because "no calls"
	stop
	expect_number "shared_sum" "$(calls "^\[shared $first\] >(shared_sum [0-4] 1)\$")" -eq 5
	end_case
done

printf '%s\n' 'int fib(int n)' >"$T/program"
begin "a set of a program: FILE @SET"
start -a "$T/fib" @"$T/program"
run "$T/fib" 2
wait_for 10 has_line "^\[fib $ID\] <1\$" "$T/err" || because "no calls"
stop
expect_number fib "$(calls "^\[fib $ID\] [> ]*(fib [0-2])\$")" -eq 3
end_case

begin "a set of a library: FILE @SET"
start -a "$LIB" @"$T/set"
run "$T/shared" 5
read -r first _ <"$T/said"
wait_for 10 has_line "^\[shared $first\] <5\$" "$T/err" || because "no calls"
stop
expect_number shared_sum "$(calls "^\[shared $first\] >(shared_sum [0-4] 1)\$")" -eq 5
end_case

# A loader's cache of this test's own, that rawtrace alone sees: @SET finds no library of others.
if has ldconfig && has unshare && unshare -m true 2>/dev/null && [ -n "$CACHED" ]; then
	begin "a set of a library alone: @SET"
	mkdir -p "$T/root/etc" "$T/root$T"
	cp "$T/librtcached.so.1" "$T/root$T"
	echo "$T" >"$T/root/etc/ld.so.conf"
	ldconfig -r "$T/root"
	printf '%s\n' 'library librtcached.so.*' 'int shared_sum(int n, int more)' >"$T/cached"
	cat >"$T/with_cache" <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind "$T/root/etc/ld.so.cache" /etc/ld.so.cache && exec "\$@"' \
	sh "$RAWTRACE" "\$@"
END
	chmod +x "$T/with_cache"
	mine=$RAWTRACE
	RAWTRACE=$T/with_cache
	start -a @"$T/cached"
	RAWTRACE=$mine
	run "$T/usescached" 5
	read -r first _ <"$T/said"
	wait_for 10 has_line "^\[usescached $first\] <5\$" "$T/err" || because "no calls"
	stop
	expect_number shared_sum "$(calls "^\[usescached $first\] >(shared_sum [0-4] 1)\$")" -eq 5
	end_case
else
	skip "a set of a library alone: @SET" "no ldconfig or no mount namespaces"
fi

begin "no uretprobe, and no probe in another file"
start -a "$T/fib:fib"
expect_line 'exit probes are on a return\|return' "$T/err"
expect_no_line 'uretprobe' "$T/err"
stop
end_case

begin "count: all processes together"
start count -a "$T/fib:fib"
run "$T/fib" 10
run "$T/fib" 10
stop
expect_line '^fib  *354$' "$T/out"
expect_line \
	'^rawtrace: the programs paid [0-9]*\.[0-9]* % of a CPU, .*: 354 hits, [0-9.]* us each$' \
	"$T/err"
end_case

begin "the share of a CPU is told"
start -a "$T/fib:fib"
run "$T/fib" 10
wait_for 10 has_line '\] <55$' "$T/err"
stop
expect_line \
	'^rawtrace: the programs paid [0-9]*\.[0-9]* % of a CPU, .*: 354 hits, [0-9.]* us each$' \
	"$T/err"
end_case

begin "--budget: the trace ends, with status 1"
in_background "$T/copied" 1 $LONG 10 >"$T/worker.said"
worker=$PID
wait_for 10 has_line ready "$T/worker.said" || because "the worker is not ready"
start -a --budget=0.01% "$T/copied:work"
reap "$tracer"
expect_status 1
expect_line '^rawtrace: --budget=0.01% exceeded in the last second: the trace ends here$' "$T/err"
! selected || kill -USR1 "$worker"
reap "$worker"
expect_status 0
end_case

begin "--budget: a trace within it goes on"
start -a --budget=90% "$T/fib:fib"
run "$T/fib" 2
wait_for 10 has_line "^\[fib $ID\] <1\$" "$T/err" || because "no calls"
! selected || sleep 1.2
run "$T/fib" 2
wait_for 10 has_line "^\[fib $ID\] <1\$" "$T/err" || because "no calls after a second"
stop
end_case

# refused MESSAGE ARGUMENT...
refused() {
	message=$1
	shift
	rt "$@"
	expect_status 2
	expect_message "$message" "$T/err"
}

begin "what -a does not take"
refused '-a takes FILE:FUNCTION' -a fib
refused 'usdt:toy:hit: -a takes the probe.s file, too: FILE:usdt:toy:hit' -a usdt:toy:hit
refused '-p: not allowed with -a' -a -p 1 "$T/fib:fib"
refused '-u: not allowed with -a' -a -u nobody "$T/fib:fib"
refused '-f: not allowed with -a' -a -f "$T/fib:fib"
refused '--no-bpf: not allowed with -a' -a --no-bpf "$T/fib:fib"
refused '--return=uretprobe: not allowed with -a' -a --return=uretprobe "$T/fib:fib"
refused '--budget: goes with -a' --budget=5 "$T/fib" fib
refused '--budget=x: a share of a CPU is expected' -a --budget=x "$T/fib:fib"
refused "no function 'nothing'" -a "$T/fib:nothing"
refused 'nosuch\*: matches no library of ld.so.cache; give its path$' -a 'nosuch*:f'
printf '%s\n' 'library libnosuch.so.*' 'int f(int n)' >"$T/none"
refused '@.*none: no library of it is in ld.so.cache; try: -a FILE @.*/none$' -a @"$T/none"
refused '@redis: no library of it is in ld.so.cache; try: -a FILE @redis$' -a @redis
refused '@jvm: none of its functions is in .*/fib; try: rawtrace -a FOLDER/libjvm.so\* @jvm$' \
	-a "$T/fib" @jvm
rt -a nosuchlibrary.so.9:f
expect_status 1
expect_message \
	'nosuchlibrary.so.9: no library of ld.so.cache and no program in PATH; give its path$' \
	"$T/err"
end_case

# ---- control groups ----

# The group $T/groups/NAME/inner of this test, with two members in the hierarchy of version 2, which
# has no controllers here.
NAME=rawtrace$$
mkdir "$T/groups"
if mount -t cgroup2 none "$T/groups" 2>/dev/null && mkdir -p "$T/groups/$NAME.service/inner" \
	2>/dev/null; then
	GROUP=$T/groups/$NAME.service
	# Empty by the end; the trap of lib.sh removes $T, in which nothing may be mounted then.
	leave_group() {
		rmdir "$GROUP/inner" "$GROUP" 2>/dev/null
		umount "$T/groups"
		clean_up
	}
	trap leave_group EXIT

	# run_in FOLDER COMMAND...: a member of that group.
	run_in() {
		selected || return
		folder=$1
		shift
		run sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$folder" "$@"
	}

	for option in "--cgroup=$GROUP" "--cgroup=/$NAME.service" "--unit=$NAME.service" \
		"--unit=$NAME"; do
		for mechanism in $MECHANISMS; do
			case $mechanism,$option in
			tracefs,*) continue ;;
			uprobe-multi,*) ;;
			*,--cgroup=$GROUP) ;;
			*) continue ;;
			esac
			case $option in
			--cgroup=$GROUP) kind="--cgroup, a folder" ;;
			--cgroup=*) kind="--cgroup, a path" ;;
			*.service) kind=--unit ;;
			*) kind="--unit without a suffix" ;;
			esac
			begin "$mechanism: $kind: its processes and those of groups below, and no others"
			start --attach=$mechanism "$option" "$T/fib:fib"
			run "$T/fib" 2
			run_in "$GROUP" "$T/fib" 2
			one=$ID
			run "$T/fib" 3
			run_in "$GROUP/inner" "$T/fib" 2
			two=$ID
			wait_for 10 has_line "^\[fib $two\] <1\$" "$T/err" ||
				because "no calls of the second process"
			stop
			tree fib "$one"
			tree fib "$two"
			expect_number lines "$(calls '')" -eq 12
			# 3 calls and 5 calls of the others.
			expect_line ': 28 hits, 16 of other groups, ' "$T/err"
			end_case
		done
	done

	begin "count --cgroup"
	start count "--cgroup=$GROUP" "$T/fib:fib"
	run "$T/fib" 10
	run_in "$GROUP" "$T/fib" 10
	stop
	expect_line '^fib  *177$' "$T/out"
	end_case

	# Containers have units of the same names; a name may have a dot and no suffix.
	begin "--unit: the group nearest to the root"
	for decoy in 1 2 3 4 5 6; do
		mkdir -p "$T/groups/$NAME.$decoy/$NAME-9.6.service"
	done
	mkdir -p "$T/groups/$NAME-9.6.service"
	start --unit="$NAME-9.6" "$T/fib:fib"
	run_in "$T/groups/$NAME-9.6.service" "$T/fib" 2
	wait_for 10 has_line "^\[fib $ID\] <1\$" "$T/err" || because "no calls"
	run_in "$T/groups/$NAME.1/$NAME-9.6.service" "$T/fib" 2
	stop
	expect_number lines "$(calls '')" -eq 6
	rmdir "$T/groups/$NAME-9.6.service" "$T/groups/$NAME".?/*.service "$T/groups/$NAME".?
	end_case

	mkdir "$T/v1"
	if mount -t cgroup -o none,name=systemd none "$T/v1" 2>/dev/null; then
		begin "--unit: a group of version 1: the message has its processes"
		mkdir -p "$T/v1/$NAME.v1/$NAME-1.service"
		rt --unit="$NAME-1" "$T/fib:fib"
		expect_status 1
		expect_message \
			"$NAME-1.service: is a control group of version 1; try: -p .*/cgroup.procs)\"\$" \
			"$T/err"
		rmdir "$T/v1/$NAME.v1/$NAME-1.service" "$T/v1/$NAME.v1"
		umount "$T/v1"
		end_case
	fi

	begin "no such group or unit"
	rt --cgroup=/none "$T/fib:fib"
	expect_status 1
	expect_message '/none: no control group of version 2; try one of /proc/PID/cgroup$' "$T/err"
	rt --unit=none "$T/fib:fib"
	expect_status 1
	expect_message 'none.service: no such unit runs; try: systemctl status none.service$' \
		"$T/err"
	refused '--cgroup and --unit exclude each other' --cgroup=/ --unit=x "$T/fib:fib"
	end_case
else
	umount "$T/groups" 2>/dev/null
	skip "control groups" "version 2 cannot be mounted"
fi
