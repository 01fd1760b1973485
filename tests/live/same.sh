#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs write the same and end the same, traced and untraced, each time: RT_SAME runs (2); make check-torture makes a hundred.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
runs=${RT_SAME:-2}

# same TARGET FUNCTIONS [ARGUMENT...]
same() {
	begin "$1, $runs times"
	target=$1
	functions=$2
	shift 2
	timeout 60 "$BIN/$target" "$@" >"$T/untraced" 2>/dev/null </dev/null
	untraced=$?
	i=0
	while [ $i -lt "$runs" ] && [ ! -s "$T/why" ]; do
		# shellcheck disable=SC2086 # several functions
		rt $how "$BIN/$target" $functions -- "$@"
		expect_status "$untraced"
		expect_same "$T/untraced" "$T/out"
		i=$((i + 1))
	done
	end_case
}

for how in --return=auto --return=insn; do
	same recurse 'fib deep' 8
	same longjmp 'attempt leap plain'
	same tailcall 'around first last even odd'
	same threads work
	same pthread_exit inner
	same cancel 'handler sleeper guarded'
	same stacks 'step produce next handled send'
	same forks 'job split borrow' fork
	same exits dive kill
done
