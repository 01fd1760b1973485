#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Arguments that functions fill in are shown at the return: the program itself prints them.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

PROTOTYPES='int fill(out char buf[return], unsigned size, int k)
int deep(int n, out int *x, out struct { int a; const char *name; } *p)
int seventh(int a, int b, int c, int d, int e, int f, out int *sum)
errno int fails(out int *x, int how)
void nothing(out int *x)
void leaves(out int *x)
int in_out(inout int *x)'

for o in 0 2; do
	$CC -O$o -fno-optimize-sibling-calls -pthread -o "$T/filled$o" "$TARGETS/filled.c" || exit 1
done
$CC -O1 -U_FORTIFY_SOURCE -o "$T/filler" "$TARGETS/filler.c" || exit 1

# filled PROGRAM ARGUMENT...: with what rawtrace is given in $OPTIONS.
filled() {
	program=$1
	shift
	IFS='
'
	# shellcheck disable=SC2086 # a line a prototype
	rt $OPTIONS "$program" $PROTOTYPES -- "$@"
	unset IFS
	expect_status 0
	sed -n 's/^\(\[[0-9]*\] \)\{0,1\}[< ]*<\(\[[0-9]*\]\)\{0,1\} \{0,1\}\([^<]\)/\3/p' \
		"$T/err" | grep -v '^\*\*\*' >"$T/seen"
}

first=yes
for mechanism in $MECHANISMS; do
	[ "$mechanism" != tracefs ] || continue
	for o in 2 ${first:+0}; do
		begin "$mechanism: -O$o"
		OPTIONS="--attach=$mechanism"
		filled "$T/filled$o"
		expect_same "$T/out" "$T/seen"
		expect_line '(in_out 21)$' "$T/err"
		expect_line '(leaves 0x[0-9a-f]*)$' "$T/err"
		end_case
	done
	first=
done

begin "returns at instructions"
OPTIONS=--return=insn
filled "$T/filled2"
if grep -q 'only entries are traced' "$T/err"; then
	skip "returns at instructions" "no capstone"
else
	expect_same "$T/out" "$T/seen"
	end_case
fi

begin "four threads"
OPTIONS=--buffer=32M
filled "$T/filled2" threads
sort "$T/out" >"$T/want"
sort "$T/seen" >"$T/sorted"
expect_same "$T/want" "$T/sorted"
end_case

for ring in $(sed -n 's/^ring \([a-z]*\) *ok .*/\1/p' "$RT_DOCTOR"); do
	begin "ring $ring"
	OPTIONS=--ring=$ring
	filled "$T/filled2"
	expect_same "$T/out" "$T/seen"
	end_case
done

begin "without BPF they are left out, and said to be"
rt --no-bpf "$T/filled0" 'int fill(out char buf[return], unsigned size, int k)'
expect_status 0
expect_line 'what functions fill in, and errno, are not shown' "$T/err"
expect_line '^<6$' "$T/err"
end_case

begin "without BPF a string that the kernel has cut for want of room is marked"
cat >"$T/long.c" <<'EOF'
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int two(const char *a, const char *b) { __asm__ volatile(""); return *a + *b; }
int main(void)
{
	char *s = calloc(1, 5001), t[8];
	memset(s, 'L', 5000);
	return two(s, strcpy(t, "short")) == two(t, t);
}
EOF
$CC -O1 -o "$T/long" "$T/long.c" 2>"$T/cc" || show "$T/cc"
rt --no-bpf "$T/long" 'int two(const char *a, const char *b)'
expect_line '^>(two "L*"\.\.\. 0x[0-9a-f]*<unreadable>)$' "$T/err"
end_case

cat >"$T/chain.c" <<'EOF'
struct node { int id; struct node *next; const char *text; };
__attribute__((noinline)) int walk(struct node *p) { __asm__ volatile("" : : "r"(p) : "memory"); return p->id; }
int main(void)
{
	struct node d = { 4, 0, "4" }, c = { 3, &d, "3" }, b = { 2, &c, "2" }, a = { 1, &b, "1" }, bad = { 5, (void *)0x123456, "5" };
	return walk(&a) + walk(&d) + walk(&a) + walk(&bad) != 11;
}
EOF
$CC -O1 -o "$T/chain" "$T/chain.c" 2>"$T/cc" || show "$T/cc"
for without in "" --no-bpf; do
	begin "NULL in the middle: nothing of the call before is shown${without:+, $without}"
	# shellcheck disable=SC2086 # an option or none
	rt $without "$T/chain" \
		'walk(struct node { int id; struct node *next; const char *text; } *p, p->next->next->next->id, p->next->next->id, p->next->next->text, p->text)'
	expect_number "whole chains" "$(grep -c ' 4 3 "3" "1")$' "$T/err")" -eq 2
	expect_line ' <unreadable> <unreadable> <unreadable> "4")$' "$T/err"
	expect_line ' <unreadable> <unreadable> <unreadable> "5")$' "$T/err"
	end_case
done

begin "conditions on what is not in memory are told of"
cat >"$T/cold.c" <<'EOF'
#include <stddef.h>
#include <sys/mman.h>
__attribute__((noinline)) int look(const char *p) { __asm__ volatile("" : : "r"(p) : "memory"); return p != NULL; }
int main(void)
{
	char *none = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), here[] = "here";
	return look(none) + look(NULL) + look(here) != 2;
}
EOF
$CC -O1 -o "$T/cold" "$T/cold.c" 2>"$T/cc" || show "$T/cc"
rt --attach=uprobe-multi --ring=perf "$T/cold" 'look(const char *p == "here")'
if [ "$ST" = 0 ]; then
	expect_line '^rawtrace: 1 call skipped: the value to compare was not in memory$' "$T/err"
	expect_line '^>(look "here")$' "$T/err"
	expect_number "calls" "$(grep -c '^>' "$T/err")" -eq 1
fi
end_case

begin "printf's arguments"
rt "$FIB" libc:printf -- 7
expect_line '^>(printf "fib(%d) = %d\\n" 7 13)$' "$T/err"
# A name that the user gives to a function of one's own has the same meaning.
rt "$FIB" 'libc:printf(const char *format, ...)'
expect_line '^>(printf "fib(%d) = %d\\n" 4 3)$' "$T/err"
rt "$FIB" 'libc:printf(const char *text, ...)'
expect_line '^>(printf "fib(%d) = %d\\n")$' "$T/err"
end_case

begin "the C library's"
ln -s away "$T/link"
rt "$T/filler" libc:pipe libc:read libc:readlink libc:strtol libc:getline libc:stat libc:wait \
	libc:recv libc:snprintf libc:waitpid -- "$T/link"
expect_status 0
while read -r name rest; do
	case $name in
	pipe | strtol | readlink | recv | snprintf | waitpid)
		grep -qxF "<$rest" "$T/err" || because "$name: no line '<$rest'" ;;
	read)
		grep -qxF "<$rest" "$T/err" || because "$name: no line '<$rest'" ;;
	getline)
		expect_line '^<[0-9]* line="\\177ELF.* n=[0-9]*$' "$T/err" ;;
	stat)
		size=${rest#* }
		[ "$(uname -m)" = i686 ] || expect_line "^<0 st={.*st_size=$size," "$T/err" ;;
	wait)
		expect_line "^<[0-9]* ${rest#* }$" "$T/err" ;;
	esac
done <"$T/out"
[ ! -s "$T/why" ] || show "$T/err"
end_case

begin "in JSON"
rt --format=chrome -o "$T/json" "$T/filled0" 'int fill(out char buf[return], unsigned size, int k)'
expect_line '"result":6,"out":{"buf":"text 1"}' "$T/json"
end_case

begin "wrong words"
rt "$T/filled0" 'int fill(char buf[return])'
expect_status 2
expect_line "column 19: expected 'out' before a parameter with the result as its length" "$T/err"
end_case

[ -z "${CASES_FAILED:-}" ]
