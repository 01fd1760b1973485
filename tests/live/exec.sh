#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process that runs another program inside its calls: they are over, with those of its other threads.
. "$SRCDIR/tests/live/lib.sh"

cat >"$T/again.c" <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noipa)) int inner(int n, char **argv)
{
	char next[] = { (char)('0' + n - 1), '\0' };

	if (n > 0)
		execv(argv[0], (char *[]){ argv[0], next, NULL });
	return n;
}

__attribute__((noipa)) int outer(int n, char **argv)
{
	return inner(n, argv) + 7;
}

__attribute__((noipa)) void *waits(void *other)
{
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}

/* From a thread that is not the first, while that is inside a call. */
static void *call(void *argv)
{
	usleep(100000);
	return (void *)(long)outer(1, argv);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && argv[1][0] != 't')
		return outer(atoi(argv[1]), argv);
	if (argc < 2)
		return 1;
	pthread_create(&thread, NULL, call, argv);
	waits(&thread);
	return 2;
}
EOF2
# shellcheck disable=SC2086 # a compiler and its flags
target again $CC -O1 -pthread "$T/again.c" || skip_all "$(no_target again.c)"
cat >"$T/text.c" <<'EOF2'
#include <stdlib.h>
#include <unistd.h>

/* On a page of its own, which the program itself never reads. */
static const char text[1 << 14] __attribute__((aligned(4096))) = "nobody reads this";

__attribute__((noipa)) void show(const char *of)
{
	(void)of;
}

int main(int argc, char **argv)
{
	char next[] = { argv[1][0] - 1, '\0' };

	show(text);
	return argc > 1 && next[0] >= '0' ? execv(argv[0], (char *[]){ argv[0], next, NULL }) : 0;
}
EOF2
# shellcheck disable=SC2086 # a compiler and its flags
target text $CC -O1 -g "$T/text.c" || skip_all "$(no_target text.c)"
targets_made

# The same whether the next stack lies above the last one or below: that is by chance, so a few times.
one() {
	cat >"$T/wanted" <<'EOF2'
>(outer 2)
> (inner 2)
< *** exec ***
<*** exec ***
>(outer 1)
> (inner 1)
< *** exec ***
<*** exec ***
>(outer 0)
> (inner 0)
< 0
<7
EOF2
	rt "$@" "$T/again" outer:1 inner:1 -- 2
	expect_status 7
	expect_same "$T/wanted" "$T/err"
}

find_mechanisms
for mechanism in $MECHANISMS; do
	begin "$mechanism: exec inside calls"
	one --attach="$mechanism"
	one --attach="$mechanism" --depth=9
	one --attach="$mechanism"
	end_case

	# The kernel's filters are for the first thread, which is gone: what comes then is not traced.
	begin "$mechanism: exec by another thread"
	rt --attach="$mechanism" "$T/again" waits:0 outer:1 -- t
	expect_status 7
	expect_line '^\(\[[0-9]*\] \)\{0,1\}<\*\*\* thread exited \*\*\*$' "$T/err"
	expect_line '^\[[0-9]*\] <\*\*\* \(exec\|unfinished\) \*\*\*$' "$T/err"
	# tracefs's filter is the process's id.
	[ "$mechanism" = tracefs ] || expect_line '^rawtrace: a thread that was not the first one ran another program (exec)' "$T/err"
	end_case
done

# Text that could not be read is looked for in the file, by where the program is mapped now.  Each run has it elsewhere.
if [ "$MECHANISMS" != " tracefs" ]; then
	begin "constant text of the programs that come after"
	rt --ring=perf "$T/text" 'show(const char *of)' -- 6
	expect_status 0
	printf '>(show "nobody reads this")\n<#<void>\n%.0s' 1 2 3 4 5 6 7 >"$T/wanted"
	expect_same "$T/wanted" "$T/err"
	end_case
fi
