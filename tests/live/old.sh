#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# This kernel made an old one, so that each mechanism is reached by rawtrace's own choice: a
# preloaded library refuses what an old kernel refuses (oldkernel.c), a seccomp filter what a
# container refuses (without.c), a mount namespace hides files.
. "$SRCDIR/tests/live/lib.sh"
. "$LIVE/wrappers.sh"
find_mechanisms
mechanism=

# ---- what is expected ----

# expect_choice MECHANISM PASSED...: what -v says of the mechanisms; a passed one is "NAME: WHY".
expect_choice() {
	name=$1
	shift
	{
		[ $# = 0 ] || printf 'rawtrace: attach %s\n' "$@"
		echo "rawtrace: attach $name: functions"
	} >"$T/choice"
	sed -n 's/^\(rawtrace: attach [^:]*: functions\):.*/\1/p; t
		/^rawtrace: attach /p' "$T/err" >"$T/chosen"
	expect_same "$T/choice" "$T/chosen"
}

"$BIN/recurse" 9 >"$T/fib9"

# chooses CASE MECHANISM PASSED...: and the whole tree is right.
chooses() {
	begin "$1: $2"
	shift
	rm -f "$T/witness"
	export WITNESS="$T/witness"
	rt -v -o "$T/trace" "$BIN/recurse" fib deep -- 9
	unset WITNESS
	expect_status 0
	expect_same "$T/fib9" "$T/out"
	expect_choice "$@"
	expect_agreement "$T/trace" "$T/witness"
	expect_nested "$T/trace" whole
	nothing_left
	end_case
}

# doctor_says CASE USED ROW...: a row is "NAME STATE WHY", WHY a part of the reason.
doctor_says() {
	begin "$1: doctor"
	used=$2
	shift 2
	rt doctor
	expect_status 0
	for row; do
		name=${row%% *}
		row=${row#* }
		expect_line "^$name  *${row%% *}  *.*${row#* }" "$T/out"
	done
	expect_line "^used: $used; with --no-bpf: tracefs\$" "$T/out"
	nothing_left
	end_case
}

# The kinds of program that mechanisms treat in ways of their own.
agree() {
	agrees "$1: threads" threads work
	agrees "$1: longjmp" longjmp 'attempt leap plain'
	agrees "$1: tail calls" tailcall 'around first last even odd'
	agrees "$1: fork inside a call" forks 'job split borrow' fork
}

no_bpf='the kernel has no bpf(2) (ENOSYS)'
no_perf='the kernel has no perf_event_open(2) (ENOSYS)'
no_link='the kernel has no uprobe_multi links (before 6.6)'
no_cookie='the kernel has no BPF cookies (before 5.15)'
no_pmu='the kernel has no uprobe PMU (/sys/bus/event_source/devices/uprobe; before 4.17)'
no_second='an event cannot have several probes here'

# ---- an old kernel, by the library ----

old_kernels() {
	old bpf
	chooses "no bpf" tracefs "uprobe-multi: $no_bpf" "multi-event: $no_bpf" "pmu: $no_bpf" \
		"event: $no_bpf"
	agree "no bpf"
	doctor_says "no bpf" tracefs 'bpf(2) no without it' \
		"uprobe-multi no $no_bpf; tracefs is used instead" \
		"multi-event no $no_bpf" "pmu no $no_bpf" "event no $no_bpf" "tracefs ok "

	begin "no bpf: children are followed by tracefs, and -a says what to do"
	export FAMILY="$T/family"
	rm -f "$FAMILY"
	rt -f "$BIN/family" leaf -- fork
	expect_status 3
	expect_number calls "$(grep -c '>(leaf [02])$' "$T/err")" -eq 2
	rt -a "$FIB:fib"
	expect_status 1
	expect_message 'every process: only BPF for uprobes names processes, .*; try: -p PID$' \
		"$T/err"
	unset FAMILY
	nothing_left
	end_case

	old perf_event_open
	chooses "no perf_event_open" tracefs "uprobe-multi: $no_perf" "multi-event: $no_perf" \
		"pmu: $no_perf" "event: $no_perf"
	doctor_says "no perf_event_open" tracefs \
		"uprobe-multi no $no_perf; tracefs is used instead" "multi-event no $no_perf" \
		"pmu no $no_perf" "event no $no_perf" "tracefs ok "

	old bpf,multi-probe=replace
	chooses "no bpf, one probe an event" tracefs "uprobe-multi: $no_bpf" \
		"multi-event: $no_bpf" "pmu: $no_bpf" "event: $no_bpf"
	begin "no bpf, one probe an event: the former was replaced"
	expect_line 'replaced rawtrace_' "$T/says"
	end_case

	old bpf,registers
	begin "3.10: what is in memory is marked"
	rt "$BIN/names" 'int add_three(int a, int b, int c, int d, int e, int f, const char *g)'
	expect_status 0
	expect_line '^rawtrace: what is in memory is not shown, this kernel cannot read it$' \
		"$T/err"
	expect_line \
		'^>(add_three [-0-9]* [-0-9]* [-0-9]* [-0-9]* [-0-9]* [-0-9]* <on the stack>)$' \
		"$T/err"
	rt "$BIN/names" 'add_three(int a, int b, int c, int d, int e, int f, int g > 1)'
	expect_status 2
	expect_line "'g' is <on the stack>\$" "$T/err"
	expect_line '^memory refused' "$T/says"
	nothing_left
	end_case

	if has_mechanism multi-event; then
		old link-create
		chooses "no uprobe_multi" multi-event "uprobe-multi: $no_link"
		agree "no uprobe_multi"
		doctor_says "no uprobe_multi" multi-event \
			"uprobe-multi no $no_link; multi-event is used instead" \
			"multi-event ok " "pmu ok " "event ok " "tracefs ok "

		old helper=174,kern-version=0x41325
		chooses "4.19: no cookies, the vDSO's version" multi-event \
			"uprobe-multi: $no_cookie"
		doctor_says "4.19" multi-event "bpf cookies no  *before 5.15" \
			"probe_read_user ok " "uprobe-multi no $no_cookie" \
			"multi-event ok " "pmu ok "
	else
		skip "multi-event by choice" "not on this kernel"
	fi

	if has_mechanism pmu; then
		old link-create,multi-probe=EEXIST
		chooses "a second probe is refused" pmu "uprobe-multi: $no_link" \
			"multi-event: $no_second (EEXIST)"
		old link-create,multi-probe=replace
		chooses "a second probe replaces the first" pmu "uprobe-multi: $no_link" \
			"multi-event: $no_second: the kernel took 1 of 2 (before 5.4)"
		agree "one probe an event"
		doctor_says "one probe an event" pmu \
			"uprobe-multi no $no_link; pmu is used instead" \
			"multi-event no $no_second: the kernel took 1 of 2.*; pmu is used instead, but not for one function alone" "pmu ok " "event ok " "tracefs ok "
	else
		skip "pmu by choice" "not on this kernel"
	fi
}

# The kernel cannot follow children: rawtrace learns of them from fork events, and drops the calls
# of other processes that run the program.
old_forks() {
	old no-forks
	FAMILY=$T/family
	export FAMILY
	for mechanism in $MECHANISMS; do
		# Children inherit its probes, where the kernel lets them.
		[ "$mechanism" != multi-event ] || continue
		begin "before 4.7: children, by $mechanism"
		rm -f "$FAMILY" "$T/others" "$T/others.end"
		FAMILY=$T/others in_background "$BIN/family" serve
		others=$PID
		wait_for 10 lines_at_least 2 "$T/others" || because "nobody serves"
		for mode in fork vfork; do
			rm -f "$FAMILY"
			rt -f --attach="$mechanism" "$BIN/family" leaf -- $mode
			expect_line ' refused$' "$T/says"
			sed 's/.* //; s/.*/(leaf &)/' "$FAMILY" >"$T/said"
			sed -n 's/^[^<]*>\((leaf [0-9]*)\)$/\1/p' "$T/err" >"$T/traced"
			expect_same "$T/said" "$T/traced"
			expect_number "processes" \
				"$(grep -c '^+++ [0-9]* exited' "$T/err")" -eq 2
		done
		rt count -f --attach="$mechanism" "$BIN/family" leaf -- fork
		expect_line '^leaf  *2$' "$T/err"
		: >"$T/others.end"
		reap "$others"
		nothing_left
		end_case
	done
	mechanism=
}

# No PMU in sysfs either: with the other words Linux 4.14.
old_pmu() {
	helpers=helper=174,helper=112,helper=114
	in_mounts 'mount -t tmpfs none /sys/bus/event_source/devices' \
		old "link-create,multi-probe=replace,$helpers,kern-version=0x40e51"
	chooses "4.14" event "uprobe-multi: $no_cookie" \
		"multi-event: $no_second: the kernel took 1 of 2 (before 5.4)" \
		"pmu: $no_pmu"
	agree "4.14"
	begin "4.14: longjmp has made it read the stack by probe_read"
	expect_line '^helper 112 refused' "$T/says"
	end_case
	doctor_says "4.14" event 'probe_read_user no probe_read instead' \
		"uprobe-multi no $no_cookie; event is used instead" \
		"multi-event no $no_second" "pmu no $no_pmu" "event ok " "tracefs ok "
}

old_fetch() {
	begin "no probe_read_user: every kind of value"
	: >"$T/says"
	timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=helper=112,helper=114 \
		OLD_KERNEL_SAYS="$T/says" \
		"$BIN/fetch" >"$T/out" 2>&1
	expect_no_line '^not ok' "$T/out"
	expect_line '^ok ' "$T/out"
	expect_line '^helper 11[24] refused' "$T/says"
	end_case

	begin "no sleepable programs: text that nobody has read yet is known from the file"
	$CC -O2 -w -o "$T/nodes" "$TARGETS/nodes.c" 2>"$T/err" || show "$T/err"
	for mechanism in $MECHANISMS; do
		timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=helper=112,helper=114 \
			"$REAL" --attach="$mechanism" "$T/nodes" \
			'int visit(void *p, int n, const char *path)' >/dev/null 2>"$T/trace"
		expect_line '^>(visit 0x[0-9a-f]* 3 "/etc/passwd")$' "$T/trace"
		expect_line '^>(visit 0x[0-9a-f]* 4 "/etc/group")$' "$T/trace"
	done
	mechanism=
	end_case

	begin "no probe_read_str either: every kind of value"
	: >"$T/says"
	timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=helper=112,helper=114,helper=45 \
		OLD_KERNEL_SAYS="$T/says" \
		"$BIN/fetch" >"$T/out" 2>&1
	expect_no_line '^not ok' "$T/out"
	expect_line '^ok ' "$T/out"
	expect_line '^helper 45 refused' "$T/says"
	end_case
}

# ---- an instruction that the kernel refuses ----

refused_instruction() {
	offset=$("$REAL" --dump=tracefs "$BIN/many" many_055 |
		sed -n 's/^p:.*:\(0x[0-9a-f]*\) .*/\1/p')
	old "refuse=$offset"
	for mechanism in $MECHANISMS; do
		begin "$mechanism: what the kernel refuses is left out of a glob"
		: >"$T/says"
		rt --attach="$mechanism" -o "$T/trace" "$BIN/many" 'many_05[4-6]'
		expect_status 0
		expect_line '^probe refused: ' "$T/says"
		expect_number calls "$(grep -c '^>(many_05[46] ' "$T/trace")" -eq 2
		expect_no_line '^>(many_055 ' "$T/trace"
		expect_line '^rawtrace: many_055: not traced: ' "$T/trace"
		sed '/^rawtrace: /d' "$T/trace" >"$T/tree"
		expect_nested "$T/tree" whole
		expect_line '^rawtrace: many_055: not traced: this kernel cannot probe the instruction that it begins with$' "$T/err"
		nothing_left
		end_case

		begin "$mechanism: what the kernel refuses, named exactly, is an error"
		rt --attach="$mechanism" "$BIN/many" many_055 'many_05[4-6]'
		expect_status 1
		expect_message \
			'many_055: this kernel cannot probe the instruction that it begins with' \
			"$T/err"
		[ ! -s "$T/out" ] || because "the program ran"
		nothing_left
		end_case
	done
	mechanism=
}

# ---- tracefs below debugfs, as up to 4.0 ----

old_debugfs() {
	in_mounts "$debugfs" old bpf
	chooses "debugfs" tracefs "uprobe-multi: $no_bpf" "multi-event: $no_bpf" "pmu: $no_bpf" \
		"event: $no_bpf"
	doctor_says "debugfs" tracefs 'tracefs ok /sys/kernel/debug/tracing$'
	if has_mechanism multi-event; then
		in_mounts "$debugfs" old link-create
		chooses "debugfs" multi-event "uprobe-multi: $no_link"
	fi
}

# ---- a container, by a seccomp filter ----

# A launched program is under the filter too, and the uretprobe system call might kill it: its
# returns are seen where it leaves.
filtered_command() {
	begin "seccomp, $1: a command"
	rm -f "$T/witness"
	export WITNESS="$T/witness"
	rt -v -o "$T/trace" "$BIN/recurse" fib deep -- 9
	unset WITNESS
	expect_status 0
	expect_same "$T/fib9" "$T/out"
	shift
	expect_choice "$@"
	expect_line '^rawtrace: fib: returns: insn .*the process is under seccomp' "$T/err"
	expect_agreement "$T/trace" "$T/witness"
	nothing_left
	end_case
}

# A process that was started elsewhere is not: the whole tree.
filtered_process() {
	begin "seccomp, $1: a process that runs elsewhere"
	shift
	start_worker 2 $LONG $PAUSE
	rm -f "$T/trace"
	in_background "$RAWTRACE" -v -o "$T/trace" -p "$worker" work leaf 2>"$T/err"
	tracer=$PID
	wait_for 10 lines_at_least 200 "$T/trace" || because "no trace"
	kill -INT "$tracer"
	reap "$tracer"
	expect_choice "$@"
	expect_nested "$T/trace"
	expect_results "$T/trace"
	expect_no_line 'only entries' "$T/trace"
	nothing_left
	end_worker
	end_case
}

# filtered REFUSAL MECHANISM PASSED...
filtered() {
	under "$BIN/without" "$1" --
	filtered_command "$@"
	filtered_process "$@"
}

# refused REFUSAL WHY: a refusal is no lack.  It is said, and no other mechanism is tried by itself.
refused() {
	under "$BIN/without" "$1" --
	begin "seccomp, $1: refused"
	rt "$BIN/recurse" fib
	expect_status 1
	expect_message "$2.*--no-bpf\$" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	rt --no-bpf "$BIN/recurse" fib -- 9
	expect_status 0
	expect_same "$T/fib9" "$T/out"
	end_case
	doctor_says "seccomp, $1" none 'seccomp filter programs started here get no uretprobes' \
		"uprobe-multi no $2.*; --attach=tracefs works" \
		"event no $2.*--no-bpf\$" "tracefs ok "
}

containers() {
	filtered bpf tracefs "uprobe-multi: $no_bpf" "multi-event: $no_bpf" "pmu: $no_bpf" \
		"event: $no_bpf"
	filtered perf_event_open tracefs "uprobe-multi: $no_perf" "multi-event: $no_perf" \
		"pmu: $no_perf" "event: $no_perf"
	if has_mechanism multi-event; then
		filtered link-create multi-event "uprobe-multi: $no_link"
		doctor_says "seccomp, link-create" multi-event \
			'seccomp filter programs started here get no uretprobes' \
			"uprobe-multi no $no_link" \
			"multi-event ok "
	fi
	refused bpf=EPERM 'bpf(2) is not permitted by a seccomp filter'
	refused perf_event_open=EACCES 'perf_event_open(2): EACCES'
}

# ---- limits as they were: 1,024 files, 64 KiB of locked memory ----

# A thousand functions by the mechanism that is chosen.
thousand() {
	begin "1,024 files, 64 KiB locked: 1,000 functions, $1"
	rm -f "$T/witness"
	export WITNESS="$T/witness"
	rt -v -o "$T/trace" "$BIN/many" 'many_*'
	unset WITNESS
	expect_status 0
	expect_line "^rawtrace: attach $1: functions: 1000," "$T/err"
	expect_agreement "$T/trace" "$T/witness"
	nothing_left
	end_case
}

# few CASE MECHANISM GLOB NUMBER: they fit.
few() {
	begin "$1: $4 functions, $2"
	rt -v -o "$T/trace" "$BIN/many" "$3"
	expect_status 0
	expect_line "^rawtrace: attach $2: functions: $4," "$T/err"
	expect_number calls "$(grep -c '^>(many_' "$T/trace")" -eq "$4"
	expect_nested "$T/trace" whole
	nothing_left
	end_case
}

# too_many CASE WHY OPTION... : said before the program runs.
too_many() {
	begin "$1"
	why=$2
	shift 2
	rt "$@"
	expect_status 1
	expect_message "$why" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	nothing_left
	end_case
}

# No capability to raise them.  memlock: on kernels before 5.11, BPF counts.
low_limits() {
	limits "$low" old memlock "$@"
	has_mechanism uprobe-multi && thousand uprobe-multi
	limits "$low" old memlock,bpf "$@"
	thousand tracefs
	if has_mechanism multi-event; then
		limits "$low" old memlock,link-create "$@"
		thousand multi-event
	fi
	has_mechanism pmu || return
	limits "$low" old memlock,link-create,multi-probe=replace "$@"
	few "1,024 files, 64 KiB locked" pmu 'many_00[0-2]' 3
	too_many "64 KiB locked: 10 functions, pmu" 'a program may not be loaded.*--no-bpf$' \
		"$BIN/many" 'many_00?'
	too_many "1,024 files: 1,000 functions, pmu" \
		'2000 probes: one descriptor each, [0-9]* are free; .*ulimit -n 3024 (RLIMIT_NOFILE)$' "$BIN/many" 'many_*'
	too_many "1,024 files: 1,000 functions, event" '2000 probes: one descriptor each' \
		--attach=event "$BIN/many" 'many_*'
}

# Without cap_ipc_lock the rings count too, what is over kernel.perf_event_mlock_kb a CPU.
low_ring_limit() {
	read -r paranoid </proc/sys/kernel/perf_event_paranoid
	read -r free_kb </proc/sys/kernel/perf_event_mlock_kb
	if [ "$paranoid" -lt 0 ] || [ "$free_kb" -gt 4096 ]; then
		skip "rings that count" \
			"kernel.perf_event_paranoid is $paranoid, kernel.perf_event_mlock_kb is $free_kb"
		return
	fi
	limits 'ulimit -l 1024' under setpriv --bounding-set=-sys_resource,-ipc_lock
	too_many "1,024 KiB locked: rings that count" 'event ring of .*--buffer (RLIMIT_MEMLOCK)' \
		--ring=perf --buffer=8M "$BIN/many" 'many_00?'
	begin "1,024 KiB locked: smaller rings"
	rt --buffer=64k -o "$T/trace" "$BIN/many" 'many_00?'
	expect_status 0
	expect_number calls "$(grep -c '^>(many_' "$T/trace")" -eq 10
	expect_nested "$T/trace" whole
	nothing_left
	end_case
}

raised_limits() {
	has_mechanism pmu || return
	limits 'ulimit -S -n 24 && ulimit -S -l 64' old memlock,link-create,multi-probe=replace
	few "low limits, raised to the hard ones" pmu 'many_00?' 10
	limits 'ulimit -n 64 && ulimit -l 64' old memlock,link-create,multi-probe=replace
	if (ulimit -n 64 && ulimit -n 65) 2>/dev/null; then
		few "low hard limits, raised by cap_sys_resource" pmu 'many_0[0-4]?' 50
	else
		too_many "low hard limits, no cap_sys_resource" '100 probes: one descriptor each' \
			"$BIN/many" 'many_0[0-4]?'
	fi
}

# ---- all ----

# A static rawtrace preloads nothing.
old memlock
"$RAWTRACE" --version >"$T/out" 2>&1
if [ -s "$T/says" ]; then
	old_kernels
	old_fetch
	old_forks
	refused_instruction
	if has_namespaces && has_mechanism event; then
		old_pmu
	else
		skip "event by choice" "no unshare, or not on this kernel"
	fi
	in_mounts "$debugfs && ls /sys/kernel/debug/tracing/events" under
	if has_namespaces && "$RAWTRACE" --version >"$T/out" 2>&1; then
		old_debugfs
	else
		skip "tracefs below debugfs" "no unshare, or the kernel does not put it there"
	fi
	if has setpriv; then
		low_limits setpriv --bounding-set=-sys_resource
		low_ring_limit
	else
		skip "limits without cap_sys_resource" "no setpriv"
	fi
	raised_limits
else
	skip "old kernels" "rawtrace is linked statically: nothing can be preloaded"
fi

if "$BIN/without" bpf -- true 2>/dev/null; then
	containers
else
	skip "containers" "the kernel has no seccomp filters"
fi
