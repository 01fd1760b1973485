#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --libcalls: the program says what it calls in its libraries, in its own order.
. "$SRCDIR/tests/live/lib.sh"

# As programs are built: lazily bound, bound at once without PLT, not position-independent; and one
# without libraries.
# shellcheck disable=SC2086 # a compiler and its flags
{
	target lazy $CC -O2 -fno-builtin "$TARGETS/libcalls.c" || skip_all "$(no_target libcalls.c)"
	target noplt $CC -O2 -fno-builtin -fno-plt -Wl,-z,now "$TARGETS/libcalls.c"
	target fixed $CC -O2 -fno-builtin -no-pie "$TARGETS/libcalls.c"
	target vectors $CC -O1 -fno-builtin "$TARGETS/vectors.c"
	target static $CC -static "$TARGETS/libcalls.c"
}
targets_made

# calls FILE: the calls of a trace, one a line, without marks and levels, and without those by which
# the program says what it calls
calls() {
	sed -n 's/^>[> ]*\(\[[0-9]*\] \)\{0,1\}\((.*)\)$/\2/p' "$1" | grep -v '^(\(write\|read\))$'
}

# expect_libcalls SAID: the calls of the trace in $T/err.  A strcmp that begins with an AVX
# instruction cannot be probed, which is said:
# where the processor has the program use that one, it is left out of both.
expect_libcalls() {
	calls "$T/err" >"$T/traced"
	if grep -q '^rawtrace: strcmp: .* where the processor makes the program use such a one, no call is seen$' "$T/err" &&
		! grep -q '^(strcmp)$' "$T/traced"; then
		sed -i '/^(strcmp)$/d' "$1"
	else
		grep -q '^(strcmp)$' "$T/traced" || because "no strcmp"
	fi
	expect_same "$1" "$T/traced"
}

find_mechanisms
LIBCALLS='*:0'

first=${MECHANISMS# }
first=${first%% *}
for program in lazy noplt fixed; do
	[ -x "$T/$program" ] || continue
	for mechanism in $MECHANISMS; do
		[ "$mechanism" = tracefs ] && continue
		# The way that a program is bound depends on its file: test it once, with the first
		# mechanism.
		[ "$program" = lazy ] || [ "$mechanism" = "$first" ] || continue
		begin "$mechanism: --libcalls, $program"
		rt --attach="$mechanism" --libcalls="$LIBCALLS" "$T/$program"
		expect_status 0
		expect_libcalls "$T/out"
		# The library's own calls, of memcpy or malloc, would stand inside.
		expect_no_line '(malloc\|(memcpy' "$T/err"
		expect_line '^> (\(strcmp\|write\))' "$T/err"
		end_case
	done
done

# Functions with a variant for each processor; on newer ones they begin with vector instructions.
if with_bpf && [ "$(uname -m)" = x86_64 ] && "$RAWTRACE" --version | grep -q ', capstone' &&
	[ -x "$T/vectors" ]; then
	begin "--libcalls: what the processor chooses"
	rt --libcalls "$T/vectors"
	expect_status 0
	calls "$T/err" | sed 's/^(\([a-z]*\).*/\1/; /^printf/d' | sort | uniq -c |
		awk '{ print $2, $1 }' >"$T/traced"
	expect_same "$T/out" "$T/traced"
	expect_line '^>(strchr "aaaz" 122)$' "$T/err"
	expect_line '^<"z"$' "$T/err"
	expect_no_line 'cannot be probed\|not traced' "$T/err"
	end_case
fi

if with_bpf; then
	begin "--libcalls=GLOB, with a function of the program"
	rt --libcalls='str*:0' "$T/lazy" calls:0
	expect_status 0
	{ echo "(calls)"; grep '^(str' "$T/out"; } >"$T/said"
	grep -q '(calls)' "$T/err" || sed -i 1d "$T/said"	# it may have been inlined
	expect_libcalls "$T/said"
	end_case

	begin "--libcalls of a running process"
	mkfifo "$T/go"
	exec 9<>"$T/go"
	in_background "$T/lazy" "$T/go" >"$T/witness" 9>&-
	program=$PID
	wait_for 10 has_line ready "$T/witness" || because "not ready"
	in_background "$RAWTRACE" -v --libcalls="$LIBCALLS" -p "$program" 2>"$T/err" 9>&-
	tracer=$PID
	wait_for 20 has_line '^rawtrace: attached to' "$T/err" ||
		because "not attached"
	echo >&9
	wait_for 10 lines_at_least 10 "$T/witness" || because "it called nothing"
	wait_for 10 has_line '(strtol' "$T/err"
	exec 9>&-
	reap "$program"
	reap "$tracer"
	sed 1d "$T/witness" >"$T/said"
	expect_libcalls "$T/said"
	end_case
fi

if with_bpf && has "$CC"; then
	begin "--libcalls: what is in the kernel's own code for processes is said"
	printf '#include <time.h>\n#include <unistd.h>\nint main(int n, char **v) { return n > 3 ? execv(v[1], v) : time(0) == 0; }\n' >"$T/now.c"
	$CC -O1 -o "$T/now" "$T/now.c" 2>"$T/err" || show "$T/err"
	rt --libcalls "$T/now"
	expect_status 0
	expect_no_line '(execve*' "$T/err"	# by which rawtrace's own child has become it
	grep -q '^>(time' "$T/err" || expect_line \
		"^rawtrace: time: calls that run the kernel's code" "$T/err"
	end_case
fi

begin "--libcalls: refused"
rt --libcalls --no-bpf "$T/lazy"
expect_status 2
expect_message "libcalls: --no-bpf would probe every process" "$T/err"
rt --libcalls --attach=tracefs "$T/lazy"
expect_message "libcalls: tracefs would probe every process" "$T/err"
if with_bpf; then
	rt --libcalls=nothing_like_it "$T/lazy"
	expect_status 2
	expect_message "no import 'nothing_like_it'" "$T/err"
else
	rt --libcalls "$T/lazy"
	expect_status 1
	expect_message "no attach mechanism works here" "$T/err"
fi
rt count --libcalls "$T/lazy"
expect_message "libcalls: not allowed with count" "$T/err"
if [ -x "$T/static" ]; then
	rt --libcalls "$T/static"
	expect_message "is linked statically; it imports nothing" "$T/err"
fi
end_case

# own PROGRAM GLOB: a function of the program's own, beside --libcalls where it imports nothing.
own() {
	begin "--libcalls: $2, and a function of the program's own: $1 imports nothing"
	rt --libcalls="$2" "$T/$1" own
	expect_status 0
	printf '%s\n' \
		"rawtrace: --libcalls: $T/$1 imports nothing; only its own functions are traced" \
		'>(own 1)' '<2' >"$T/expected"
	expect_same "$T/expected" "$T/err"
	end_case
}

if with_bpf && has "$CC"; then
	printf 'int own(int n);\nint own(int n) { return n + 1; }\nint main(int n, char **v) { return v ? own(n) - 2 : 0; }\n' >"$T/own.c"
	$CC -g -O0 -static -o "$T/own-static" "$T/own.c" 2>/dev/null && own own-static '*' &&
		own own-static malloc
	$CC -g -O0 -o "$T/own-dynamic" "$T/own.c" && own own-dynamic '*'
	begin "--libcalls: a name that is wrong, and a function of the program's own"
	rt --libcalls=nothing_like_it "$T/lazy" main
	expect_status 2
	expect_message "no import 'nothing_like_it'" "$T/err"
	end_case
fi

# Distributions strip the C library of the names of what its IFUNCs choose from: .eh_frame tells how
# large these are.  The processor's own may have instructions that the disassembler does not know:
# the oldest are asked for.
if with_bpf && "$RAWTRACE" --version | grep -q ", capstone" && has "$CC"; then
	begin "--libcalls: what an IFUNC chooses, where returns are seen at instructions"
	cat >"$T/lengths.c" <<'EOF2'
#include <string.h>
#include <unistd.h>

size_t (*volatile length)(const char *) = strlen;

int main(int argc, char **argv)
{
	if (argc > 9)
		execv(argv[0], argv);
	return (int)length(argv[0] + 1) - (int)length(argv[0]) + (int)length("seven..");
}
EOF2
	"$CC" -O1 -fno-builtin -o "$T/lengths" "$T/lengths.c" || because "not compiled"
	lacks=-AVX2,-AVX2_Usable,-AVX512VL,-AVX512BW,-AVX512F,-EVEX
	RAWTRACE_DEBUG_DIR=$T/none GLIBC_TUNABLES=glibc.cpu.hwcaps=$lacks \
		timeout 60 "$RAWTRACE" -v --libcalls=strlen "$T/lengths" >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 6
	grep -A1 '^>(strlen "seven\.\.")$' "$T/err" >"$T/last"
	expect_line '^<7$' "$T/last"
	end_case
else
	skip "--libcalls: what an IFUNC chooses" "no disassembler, or no compiler"
fi
