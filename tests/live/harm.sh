#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that a uretprobe would abort: C++ exceptions through library functions, in the program
# itself or in code that comes later.  They must end as they do untraced.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo &&
	$CC -O1 -o "$T/avx" "$TARGETS/avx.c" 2>"$T/cc"; then
	"$T/avx" >"$T/plain"
	for mechanism in $MECHANISMS; do
		begin "$mechanism: AVX instructions at the beginning"
		rt --attach="$mechanism" --return=none "$T/avx" 'avx_*' main
		expect_status 0
		expect_same "$T/plain" "$T/out"
		expect_line '^>(main' "$T/err"
		end_case
	done
	begin "an AVX instruction that would be taken for another one"
	rt --entry=exact "$T/avx" avx_or
	expect_status 1
	expect_message "avx_or.* begins with" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case
fi

# From 6.11 to 6.13 a filter that the program gets later may kill it for a uretprobe.
if [ "$(uname -m)" = x86_64 ] && with_bpf && [ -e "$BIN/oldkernel.so" ]; then
	begin "a program that may put itself under seccomp, on a kernel where that harms"
	printf '#include <sys/prctl.h>\n__attribute__((noinline)) int f(int n) { return prctl(PR_GET_DUMPABLE) + n; }\nint main(void) { return f(4) + 1; }\n' \
		>"$T/filters.c"
	$CC -O1 -o "$T/filters" "$T/filters.c" 2>"$T/cc" || because "it cannot be made"
	timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=kern-version=0x60c00 "$RAWTRACE" \
		list "$T/filters" f >"$T/list" 2>&1
	expect_line 'insn, 1 function: .*filters has prctl, and seccomp may kill it' "$T/list"
	timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=kern-version=0x60e00 "$RAWTRACE" \
		list "$T/filters" f >"$T/list" 2>&1
	expect_line '^uretprobe, 1 function: ' "$T/list"
	end_case

	# Up to 6.10 a uretprobe leaves the return address on a shadow stack as it was, which kills
	# the program.
	for version in 0x60800 0x60b00 0x60100; do
		begin "a program that is to have a shadow stack, on kernel $version"
		timeout 60 env GLIBC_TUNABLES=glibc.cpu.x86_shstk=on \
			LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=kern-version=$version \
			"$RAWTRACE" list "$BIN/recurse" fib >"$T/list" 2>&1
		case $version in
		0x60800) expect_line 'insn, 1 function: .*the process has a shadow stack' \
			"$T/list" ;;
		*) expect_no_line 'shadow stack' "$T/list" ;;
		esac
		end_case
	done
fi

# A uretprobe's trampoline would be the caller.
if [ "$(uname -m)" = x86_64 ] && "$RAWTRACE" --version | grep -q ', capstone'; then
	for options in -O0 -O2 "-O2 -fno-omit-frame-pointer"; do
		begin "a function that looks at its return address: $options"
		# shellcheck disable=SC2086 # words
		$CC $options -o "$T/looks" "$TARGETS/looks.c"
		rt -v "$T/looks" looks tails writes
		printf '%d %d %d\n' 100 100 49 101 101 50 102 102 51 >"$T/want"
		expect_same "$T/want" "$T/out"
		expect_line '^rawtrace: looks: returns: insn .*: it looks at its own return address, or jumps to what does$' "$T/err"
		expect_line '^rawtrace: writes: returns: uretprobe: ' "$T/err"
		expect_line '^<102$' "$T/err"
		end_case

		begin "functions that find by their return address what stands behind the call: $options"
		# shellcheck disable=SC2086 # words
		$CC $options -DBEHIND -o "$T/behind" "$TARGETS/looks.c"
		"$T/behind" >"$T/want"
		rt "$T/behind" '*'
		expect_same "$T/want" "$T/out"
		rt "$T/behind" skips takes
		expect_same "$T/want" "$T/out"
		expect_line '^>(takes)$' "$T/err"
		end_case

		begin "functions whose callees look for the caller: $options"
		# shellcheck disable=SC2086 # words
		$CC $options -DCLIMBS -o "$T/climbs" "$TARGETS/looks.c"
		"$T/climbs" >"$T/want"
		expect_line '^201 302$' "$T/want"
		rt -v "$T/climbs" climbs given
		expect_same "$T/want" "$T/out"
		expect_line '^rawtrace: climbs: returns: insn .*: .*climbs follows frame pointers in [a-z]*$' "$T/err"
		expect_line '^<302$' "$T/err"
		end_case
	done
fi

has g++ || skip_all "no g++"
g++ -O1 -o "$T/thrower" "$TARGETS/thrower.cc" || exit 1
g++ -O1 -shared -fPIC -o "$T/plugin.so" "$TARGETS/thrower.cc" || exit 1
$CC -O1 -o "$T/becomes" "$TARGETS/becomes.c" || exit 1
$CC -O1 -DPLUGIN -o "$T/loads" "$TARGETS/becomes.c" -ldl || exit 1
echo "caught 7" >"$T/want"

for mechanism in $MECHANISMS; do
	# Without BPF the probes would be in every process that uses the C library.
	[ "$mechanism" != tracefs ] || continue
	begin "$mechanism: a C++ program throws through qsort"
	rt --attach="$mechanism" "$T/thrower" libc.so:qsort
	expect_status 0
	expect_same "$T/want" "$T/out"
	expect_line '^>(qsort ' "$T/err"
	expect_no_line "only entries" "$T/err"
	end_case

	begin "$mechanism: a C program becomes a C++ one"
	rt --attach="$mechanism" "$T/becomes" libc.so:qsort -- exec "$T/thrower"
	expect_status 0
	expect_same "$T/want" "$T/out"
	expect_line '^>(qsort ' "$T/err"
	expect_no_line "only entries" "$T/err"
	end_case

	begin "$mechanism: a C program loads a C++ plugin"
	rt --attach="$mechanism" "$T/loads" libc.so:qsort -- load "$T/plugin.so"
	expect_status 0
	expect_same "$T/want" "$T/out"
	expect_line '^>(qsort ' "$T/err"
	expect_no_line "only entries" "$T/err"
	end_case
done
