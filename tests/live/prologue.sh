#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Probes behind their functions' entries: the trace is the one with the probes at the entries, and
# the program is as it was.
# RT_PROLOGUE_FULL=1: with every combination of compiler options, which takes minutes.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target prologue $CC -O2 -pthread "$TARGETS/prologue.c" || skip_all "$(no_target prologue.c)"
targets_made
find_mechanisms
best_when_quick

# Probes behind more than endbr64 need the kernel's list of emulated instructions, which the uprobe
# PMU (4.17) or uprobe-multi measures, and a disassembler.
measured=
if "$RAWTRACE" --version | grep -q ', capstone'; then
	if [ -e /sys/bus/event_source/devices/uprobe ] || grep -q '^uprobe-multi *ok' \
		"$T/doctor"; then
		measured=yes
	fi
fi

# hand CASE FUNCTIONS PLACE: the program's own word, its untraced result, and the place of the first
# function ("" for any).
hand() {
	begin "${mechanism:+$mechanism: }$1"
	rm -f "$T/witness"
	"$T/prologue" "$1" >"$T/untraced"
	export WITNESS="$T/witness"
	# shellcheck disable=SC2086 # several functions
	rt -v ${mechanism:+"--attach=$mechanism"} "$T/prologue" $2 -- "$1"
	unset WITNESS
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	sed '/^rawtrace: /d' "$T/err" >"$T/trace"
	expect_agreement "$T/trace" "$T/witness"
	[ -z "$measured" ] || [ -z "$3" ] || [ -n "$mechanism" ] ||
		expect_line "^rawtrace: ${2%%[ :]*}: probed at $3" "$T/err"
	end_case
}

mechanism=
hand plain plain:1 '+4, on push: '
hand quiet quiet:1 '+2, on a conditional jump: '
hand again again:1 '+6, on a conditional jump: '
hand loop loop:1 'its entry, on endbr: something jumps to '
hand entered entered:1 'its entry, on endbr: something in the file refers to '
hand pointed pointed:1 'its entry, on endbr: something in the file refers to '
hand zone zone:1 'its entry, on endbr: what comes first reads or writes memory'
hand guarded guarded:1 '+6, on a conditional jump: '
if registers_only; then
	skip "arguments on the stack" "this kernel reads no memory (3.10)"
else
	hand eight eight:8 '+4, on push: '
	hand eight_down eight_down:8 'its entry, on sub .* from the return address'
fi
hand brief 'brief:1 next:1' 'its entry, on endbr: it ends before '
hand mixed mixed:1 'its entry, on endbr: something jumps to '
hand twice 'twice:1 second:1' 'its entry, on endbr: another function begins '
hand spoiled spoiled:1 'its entry, on endbr: what comes first overwrites an argument'
hand early early:1 '+4, on call: '
hand nopped nopped:1 ''
hand table table:1 'its entry, on endbr: it has an indirect jump'
hand saved saved:1 '+11, on a conditional jump: '
hand over over:1 '+4, on nop: '
hand known known:1 '+17, on a conditional jump: '
hand counted counted:1 '+9, on a conditional jump: '
hand whole.part.0 whole.part.0:1 '+6, on a conditional jump: '

for mechanism in $MECHANISMS; do
	hand plain plain:1 ''
	hand again again:1 ''
	hand whole.part.0 whole.part.0:1 ''
done
mechanism=

begin "a fault in the first instructions"
"$T/prologue" reads >"$T/untraced" 2>/dev/null
untraced=$?
rt "$T/prologue" reads:1 -- reads
expect_status "$untraced"
expect_same "$T/untraced" "$T/out"
expect_number "calls shown" "$(grep -c '^>(reads ' "$T/err")" -eq 6
expect_line '^>(reads 8)$' "$T/err"
end_case

begin "--entry=exact"
rt -v --entry=exact "$T/prologue" plain -- plain
expect_no_line '^rawtrace: plain: probed' "$T/err"
"$RAWTRACE" --dump=tracefs --entry=exact "$T/prologue" plain >"$T/exact"
"$RAWTRACE" --dump=tracefs "$T/prologue" plain >"$T/auto"
expect_number "the probe's distance" \
	$(($(sed -n 's/^p:[^ ]* [^ ]*:\(0x[0-9a-f]*\) .*/\1/p' "$T/auto") - \
	$(sed -n 's/^p:[^ ]* [^ ]*:\(0x[0-9a-f]*\) .*/\1/p' "$T/exact"))) -eq 4
rt --entry=near "$T/prologue" plain
expect_status 2
expect_message '--entry=near: ' "$T/err"
end_case

begin "many functions are counted"
rt -v "$T/prologue" '*' -- plain
expect_status 0
expect_line '^rawtrace: functions probed behind their entry: [0-9]*: ' "$T/err"
expect_no_line '^rawtrace: plain: ' "$T/err"
end_case

begin "code that is patched in memory"
in_background "$T/prologue" wait >"$T/waits"
patched=$PID
wait_for 10 has_line patched "$T/waits" || because "the program is not ready"
in_background "$RAWTRACE" -v -p "$patched" plain quiet >"$T/out" 2>"$T/err"
tracer=$PID
wait_for 20 has_line '^rawtrace: attached to' "$T/err" ||
	because "the probes did not go in"
kill -USR1 "$patched"
reap "$tracer"
expect_status 0
reap "$patched"
expect_status 0
expect_line '^right$' "$T/waits"
expect_line '^rawtrace: plain: not traced: the process has other code there' "$T/err"
expect_number "calls of quiet" "$(grep -c '^>(quiet ' "$T/err")" -eq 100
[ -z "$measured" ] || expect_line '^rawtrace: quiet: probed at +2' "$T/err"
end_case

# ---- compilers ----

has "${CC%% *}" || {
	skip "what compilers make" "no compiler ($CC)"
	exit 0
}

# built COMPILER FLAGS...
built() {
	begin "$*"
	# shellcheck disable=SC2068 # words
	if ! $@ -w -o "$T/compiled" "$TARGETS/compiled.c" 2>"$T/build"; then
		skip "$*" "cannot be built: $(sed -n '/error/{s/.*error: //p;q;}' "$T/build")"
		return
	fi
	(cd "$T" && ./compiled >untraced)
	(cd "$T" && rt --entry=exact ./compiled 't_*:1' t_many:8)
	mv "$T/err" "$T/exact"
	(cd "$T" && rt ./compiled 't_*:1' t_many:8)
	expect_same "$T/untraced" "$T/out"
	expect_same "$T/exact" "$T/err"
	expect_line '^>(t_frame 7)$' "$T/err"
	expect_no_line 'not seen' "$T/err"
	end_case
}

for compiler in "$CC" clang; do
	has "${compiler%% *}" || { skip "$compiler" "not installed"; continue; }
	for level in -O0 -O1 -O2 -O3 -Os; do
		case $level in -O[13]) ! quick || continue ;; esac
		for mark in none full; do
			built "$compiler" $level -fcf-protection=$mark
			[ "$level" = -O2 ] || [ -n "${RT_PROLOGUE_FULL:-}" ] || continue
			for more in -fpatchable-function-entry=2 -fpatchable-function-entry=5,2 \
				-pg; do
				built "$compiler" $level -fcf-protection=$mark $more
			done
		done
	done
done

# The probe is behind the frame and the stack protector's word, but for a uretprobe.
for returns in insn none; do
	what="the stack protector, --return=$returns"
	# shellcheck disable=SC2086 # a command with its options
	if ! $CC -O2 -fstack-protector-all -fcf-protection=none -w -o "$T/compiled" \
		"$TARGETS/compiled.c" 2>/dev/null; then
		skip "$what" "cannot be built"
		continue
	fi
	begin "$what"
	(cd "$T" && ./compiled >untraced)
	(cd "$T" && rt --return=$returns --entry=exact ./compiled 't_*:1' t_many:8)
	mv "$T/err" "$T/exact"
	(cd "$T" && rt --return=$returns ./compiled 't_*:1' t_many:8)
	expect_same "$T/untraced" "$T/out"
	expect_same "$T/exact" "$T/err"
	(cd "$T" && rt -v --return=$returns ./compiled t_loop:1)
	[ -z "$measured" ] || expect_line '^rawtrace: t_loop: probed at +[0-9]*, ' "$T/err"
	end_case
done

# The nops are where the probe is cheap, and the file's list of them is no jump to them.
for place in -pie -no-pie; do
	what="the nops of -fpatchable-function-entry, behind endbr64, $place"
	# shellcheck disable=SC2086 # a command with its options
	if ! $CC -O2 $place -fcf-protection=full -fpatchable-function-entry=5 -w -o "$T/compiled" \
		"$TARGETS/compiled.c" 2>/dev/null; then
		skip "$what" "cannot be built"
		continue
	fi
	begin "$what"
	rt -v "$T/compiled" t_frame:1
	expect_status 0
	[ -z "$measured" ] || expect_line '^rawtrace: t_frame: probed at +4, on .*nop: ' "$T/err"
	expect_line '^>(t_frame 7)$' "$T/err"
	end_case
done
