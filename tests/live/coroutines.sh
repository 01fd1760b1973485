#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Coroutines: C++20's, which have no stack of their own, and Boost's, which have; traced they do
# what they do untraced, and the trace is what they say.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'without capstone' && skip_all "this rawtrace has no disassembler"

BIN=$T
for level in -O0 -O2; do
	CASE_NAME="C++20, $level"
	if ! has g++ || ! echo '#include <coroutine>' | g++ -std=c++20 -fcoroutines -fsyntax-only \
		-xc++ - 2>/dev/null; then
		skip "$CASE_NAME" "no compiler for C++20 coroutines"
		continue
	fi
	# Without BPF libraries are not hooked; so everything is in the program.
	g++ -std=c++20 -fcoroutines $level -static-libgcc -static-libstdc++ -I "$TARGETS" \
		-o "$T/generator" "$TARGETS/generator.cc" 2>"$T/compiler" || {
		begin "$CASE_NAME"
		show "$T/compiler"
		end_case
		continue
	}
	for mechanism in $MECHANISMS; do
		case $mechanism in
		uprobe-multi | tracefs) ways='auto insn uretprobe' ;;
		*) ways=auto ;;
		esac
		[ "$level" = -O2 ] || [ "$mechanism" = uprobe-multi ] || continue
		for returns in $ways; do
			agrees "$mechanism: $CASE_NAME, --return=$returns" generator \
				'step next drain'
			# A uretprobe would end the program.
			[ $returns = uretprobe ] ||
				agrees \
					"$mechanism: $CASE_NAME, left by exceptions, --return=$returns" generator 'step next drain' throw
		done
	done
done

# In the program itself, so that it is hooked without BPF too.
if $CC -O1 -DBOOST -I "$TARGETS" -o "$T/fibers" "$TARGETS/stacks.c" -l:libboost_context.a \
	2>"$T/compiler"; then
	for mechanism in $MECHANISMS; do
		for returns in auto insn; do
			[ $returns = auto ] || [ "$mechanism" = uprobe-multi ] ||
				[ "$mechanism" = tracefs ] || continue
			begin "$mechanism: Boost's coroutines, --return=$returns"
			rm -f "$T/witness"
			WITNESS="$T/witness" timeout 60 "$T/fibers" >"$T/untraced"
			rt --attach="$mechanism" --return=$returns "$T/fibers" step produce next \
				send
			expect_status 0
			expect_same "$T/untraced" "$T/out"
			sed -e '/unfinished \*\*\*$/d' -e '/^rawtrace: /d' -e 's/^\[[0-9]*\] //' \
				"$T/err" >"$T/ended"
			expect_same "$T/witness" "$T/ended"
			end_case
		done
	done
else
	skip "Boost's coroutines" "no libboost_context.a"
fi

# Handlers of signals on a stack of their own that are left by longjmp to the thread's: their calls
# are over then.
cat >"$T/handlers.c" <<'EOF2'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf back;

__attribute__((noipa)) void handled(int n)
{
	if (n)
		siglongjmp(back, n);
}

__attribute__((noipa)) int risky(int n)
{
	raise(SIGUSR1);
	return n;
}

__attribute__((noipa)) int after(int n)
{
	return n;
}

static void handler(int sig)
{
	handled(sig);
}

int main(void)
{
	stack_t ss = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	int i;

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (i = 0; i < 2; i++)
		if (!sigsetjmp(back, 1))
			risky(i);
		else
			after(i);
	return 0;
}
EOF2
if $CC -O1 "$T/handlers.c" -o "$T/handlers"; then
	for mechanism in $MECHANISMS; do
		# It does not watch libraries.
		[ "$mechanism" != tracefs ] || continue
		begin "$mechanism: longjmp from a signal's stack"
		rt --attach="$mechanism" "$T/handlers" risky:1 handled:0 after:1
		expect_status 0
		sed 's/^\[[0-9]*\]/[T]/' "$T/err" >"$T/calls"
		cat >"$T/wanted" <<'EOF2'
>(risky 0)
[stack 1] >(handled)
[stack 1] <*** unwound ***
[T] <*** unwound ***
[T] >(after 0)
[T] <0
[T] >(risky 1)
[stack 1] >(handled)
[stack 1] <*** unwound ***
[T] <*** unwound ***
[T] >(after 1)
[T] <1
EOF2
		expect_same "$T/wanted" "$T/calls"
		end_case
	done
fi
