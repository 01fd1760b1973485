#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe language in traces: prototypes, expressions, conditions, the kernel's words, places,
# files of probes.
. "$SRCDIR/tests/live/lib.sh"
# shellcheck disable=SC2086 # a command with its options
target nodes $CC -O2 -w -Wl,--strip-debug "$TARGETS/nodes.c" || skip_all "$(no_target nodes.c)"
# shellcheck disable=SC2086
target fib $CC -O1 -fno-omit-frame-pointer -w -Wl,--strip-debug "$SRCDIR/contrib/fib.c" ||
	skip_all "$(no_target fib.c)"
targets_made
find_mechanisms
DECLARED='struct node {int id; struct node *next; const char *name; struct {short low, high; struct {int deep;}; unsigned bits:3, more:5;} inner; int values[4]; enum {RED, GREEN=5} color; unsigned flags;} *p, int n, const char *path'

# calls SPECIFICATION: what the lines of the trace's calls say, in $T/calls; the returns too in
# $T/err.
calls() {
	rt "$@"
	grep '^\(\[[0-9]*\] \)\{0,1\}[> ]*(' "$T/err" | sed 's/^\[[0-9]*\] //; s/^[> ]*//' \
		>"$T/calls"
}

expect_calls() {
	printf '%s\n' "$@" >"$T/wanted"
	expect_same "$T/wanted" "$T/calls"
}

# shellcheck disable=SC2086 # several words
set -- $MECHANISMS
first=${1:-}
for mechanism in $MECHANISMS; do
	begin "$mechanism: a prototype"
	calls --attach="$mechanism" "$T/nodes" 'int visit(void *p, int n, const char *path)'
	expect_status 0
	sed -i 's/0x[0-9a-f]*/P/g' "$T/calls"
	if registers_only; then
		expect_calls '(visit P 3 P)' '(visit P 4 P)'
		expect_line '^rawtrace: memory behind pointers is not shown, this kernel cannot read it$' "$T/err"
	else
		expect_calls '(visit P 3 "/etc/passwd")' '(visit P 4 "/etc/group")'
	fi
	end_case

	begin "$mechanism: conditions"
	calls --attach="$mechanism" "$FIB" 'fib(int n > 2)'
	expect_calls '(fib 4)' '(fib 3)'
	expect_line '^<3$' "$T/err"
	expect_no_line '1$' "$T/err"
	calls --attach="$mechanism" "$T/nodes" 'visit(void *p, n >= 0, string path == "/etc/group")'
	[ "$ST" = 2 ] || because "names and types together: status $ST"
	calls --attach="$mechanism" "$T/nodes" 'visit(void *p, int n, string path == "/etc/group")'
	if registers_only; then
		expect_status 1
		expect_message "read registers alone, no memory: no strings" "$T/err"
	else
		sed -i 's/0x[0-9a-f]*/P/' "$T/calls"
		expect_calls '(visit P 4 "/etc/group")'
	fi
	end_case

	begin "$mechanism: conditions: alternatives"
	calls --attach="$mechanism" "$FIB" 'fib(int n > 3 || n == 1, n != 7)'
	expect_calls '(fib 4)' '(fib 1)' '(fib 1)' '(fib 1)'
	end_case
	visit='visit(void *p, int n, string path'
	if ! registers_only; then
		for condition in '== "/etc/group"' '!= "/etc/passwd"' \
			'^= "/etc/g" && n == 4 || n > 4' \
			'!= "/etc/group" && n > 3 || path ^= "/etc/group"'; do
			begin "$mechanism: conditions: a string: $condition"
			calls --attach="$mechanism" "$T/nodes" "$visit $condition)"
			sed -i 's/0x[0-9a-f]*/P/' "$T/calls"
			[ "$(cat "$T/calls")" = '(visit P 4 "/etc/group")' ] ||
				because "$condition: $(cat "$T/calls")"
			rt count --attach="$mechanism" -o "$T/count" "$T/nodes" "$visit $condition)"
			grep -q '^visit  *1$' "$T/count" ||
				because "count: $condition: $(cat "$T/count" "$T/err")"
			end_case
			# The programs are the same for each.
			[ "$first" = "$mechanism" ] || ! slow || break
		done
		begin "$mechanism: conditions: the beginning of a string, and the whole"
		calls --attach="$mechanism" "$T/nodes" "$visit ^= \"/etc/\")"
		expect_number "calls that begin so" "$(grep -c '' "$T/calls")" -eq 2
		calls --attach="$mechanism" "$T/nodes" "$visit == \"/etc/\")"
		expect_number "calls that are the same" "$(grep -c '' "$T/calls")" -eq 0
		end_case
	fi

	begin "$mechanism: the kernel's words for a name, a number, an address, an argument"
	calls --attach="$mechanism" "$FIB" \
		'fib c=$comm n=\7:s32 x=@0x10:u32 $arg1:s32 low=%di:b4@0/8'
	if [ "$(uname -m)" != x86_64 ]; then
		expect_message "expected a register of" "$T/err"
	elif [ "$mechanism" = tracefs ] && [ "$ST" != 0 ]; then
		# \N is only from 5.1 on, $comm from 4.9.
		expect_message "." "$T/err"
	else
		# Memory at a constant address, without BPF: shown as 0 or as unreadable.
		[ "$(sed 's/ 0 4 4)$/ <unreadable> 4 4)/; q' "$T/calls")" \
			= '(fib "fib" 7 <unreadable> 4 4)' ] || show "$T/err"
	fi
	end_case

	begin "$mechanism: the kernel's words"
	calls --attach="$mechanism" "$FIB" 'fib n=%di:s32 x=%di:x8 r=$retval:u8'
	if [ "$(uname -m)" = x86_64 ]; then
		[ "$(head -n1 "$T/calls")" = '(fib 4 0x4)' ] || show "$T/err"
		expect_line '^<3$' "$T/err"
	else
		expect_message "expected a register of" "$T/err"
	fi
	end_case

	begin "$mechanism: types by a format"
	calls --attach="$mechanism" "$FIB" 'fib "%d is %x" arg1, arg1'
	[ "$(head -n1 "$T/calls")" = '(fib 4 0x4)' ] || show "$T/err"
	end_case
done

! registers_only || {
	skip "what is reached from arguments" "this kernel reads no memory (3.10)"
	exit 0
}
for without in "" --no-bpf; do
	begin "what is reached from arguments${without:+, $without}"
	# shellcheck disable=SC2086 # an option or none
	calls $without "$T/nodes" \
		"visit($DECLARED, p->inner.high, p->inner.deep, p->inner.bits, p->values[2], *p->values, p->next->name, p->next->values[0], p->color)"
	expect_line ' 3 "/etc/passwd" 300 77 5 3 1 "second" 5 GREEN)$' "$T/calls"
	expect_line ' 4 "/etc/group" 0 0 0 7 5 <unreadable> <unreadable> RED)$' "$T/calls"
	end_case
done
for condition in 'p->id == 2' 'p->color == RED' 'p->inner.low >= 0 && p->values[0] == 5' \
	'p->next == NULL' 'p->inner.bits != 5' 'p->inner.more == 0' \
	'p->inner.more > 17 || p->inner.bits == 0'; do
	begin "conditions on what is reached from arguments: $condition"
	calls "$T/nodes" "visit($DECLARED, $condition)"
	[ "$(grep -c '' "$T/calls")" = 1 ] && grep -q ' 4 "/etc/group")$' "$T/calls" || {
		because "$condition"
		show "$T/err"
	}
	end_case
done
begin "conditions on what is reached from arguments: bits, members by value"
calls "$T/nodes" "visit($DECLARED, p->flags & 4)"
expect_line ' 3 "/etc/passwd")$' "$T/calls"
expect_number "calls" "$(grep -c '' "$T/calls")" -eq 1
calls "$T/nodes" \
	'by_value(struct {long first; int second;} s, int *numbers, size_t count, s.second, numbers[1])'
expect_line '^(by_value {.first=8589934592, .second=9} 0x[0-9a-f]* 3 9 20)$' "$T/calls"
end_case

# The rest is decided before the kernel is asked.
! slow || exit 0

begin "lengths, styles and flags"
calls "$T/nodes" 'buffer(const char data[length], size_t length, oct unsigned mode) -> string'
expect_calls '(buffer "abc\000de" 6 0640)' '(buffer "ab" 2 0)'
expect_line '^<"abc"$' "$T/err"
calls "$T/nodes" \
	'hex unsigned long buffer(string data, size_t length, flags {R=0400, W=0200, X=040} mode)'
expect_calls '(buffer "abc" 6 R|W|X)' '(buffer "abc" 2 0)'
end_case

for spec in 'fib(n > 3)' 'fib(hex n > 3)' 'fib(n)' '/^fi.$/(n > 3)'; do
	begin "names that nothing tells are no arguments: $spec"
	rt "$T/fib" "$spec"
	expect_status 2
	expect_message "expected a known parameter: .*; write '.*(.*int n.*)' or '.*(.*arg1.*)'" \
		"$T/err"
	end_case
done
begin "words of the language are no arguments"
rt "$T/fib" 'fib(retval == 3)'
expect_status 2
expect_message "column 5: expected a parameter, or 'return', the result, in a comparison" "$T/err"
rt "$T/fib" 'fib(string)'
expect_message "column 5: expected a name behind 'string'" "$T/err"
rt "$T/fib" 'fib(itn n)'
expect_message "column 5: expected a type, not 'itn': did you mean 'int'?" "$T/err"
rt "$T/fib" 'fib(sizet n)'
expect_message "column 5: expected a type that is known, not 'sizet': did you mean 'size_t'?" \
	"$T/err"
calls "$T/fib" 'MACRO int fib(own *n)'
expect_status 0
end_case

begin "argN is the Nth argument"
calls "$T/fib" 'fib(arg1 > 3)'
expect_calls '(fib 4)'
calls "$T/nodes" 'visit(hex arg2)'
expect_calls '(visit 0x3)' '(visit 0x4)'
calls "$T/nodes" 'buffer(arg1, arg1 == "abc", arg2 == 6)'
sed -i 's/0x[0-9a-f]*/P/' "$T/calls"
expect_calls '(buffer P)'
calls "$T/nodes" 'buffer(const char *data, size_t length, arg2 < 6)'
expect_calls '(buffer "abc" 2)'
rt "$T/nodes" 'buffer(arg4)'
expect_message "column 8: expected a parameter that the code shows: arg1 to arg3; declare others" \
	"$T/err"
end_case

begin "calls that are counted under a condition"
rt count "$FIB" 'fib(int n < 2)'
expect_line '^fib  *5$' "$T/err"
rt hist "$T/nodes" 'visit(void *p, int n, string path ^= "/etc/p")'
expect_status 0
expect_line 'count: 1$' "$T/err"
end_case

begin "places inside a function, addresses, source files, regular expressions"
calls "$FIB" '/^fi.$/(int n > 3)'
expect_calls '(fib 4)'
for place in 1 2 4; do
	rt "$FIB" "fib+$place"
	[ "$ST" = 1 ] && continue	# it is in the midst of an instruction
	expect_no_line 'only entries' "$T/err"
	expect_line "^>(fib+0x$place)\$" "$T/err"
done
rt "$FIB" 'fib+999999'
expect_status 1
expect_message "'fib+0xf423f' cannot be probed: it is behind the function's end" "$T/err"
rt "$FIB" fib@nothing.c
expect_status 2
end_case

begin "files of probes"
cat >"$T/set" <<'END'
# what the test wants
typedef struct { int id; } node
visit(node *p, int n > 3,	# the second
	const char *path)
nowhere(int n)
END
calls "$T/nodes" "@$T/set"
expect_calls '(visit {.id=2} 4 "/etc/group")'
printf 'nowhere(int n)\n' >"$T/set"
rt "$T/nodes" "@$T/set"
expect_status 2
expect_message "none of its functions is in" "$T/err"
printf '\nint f(\n' >"$T/set"
rt "$T/nodes" "@$T/set"
expect_message "$T/set:2: 'int f(': column 7: expected a parameter" "$T/err"
rt "$T/nodes" @nothing
expect_message '@nothing: no such file of probes; there are: .*libc, ' "$T/err"
end_case

begin "prototypes of libraries"
calls "$BIN/libc" libc.so.6:getenv libc.so.6:puts libc.so.6:strlen
expect_no_line '(getenv [0-9]' "$T/calls"
end_case

begin "a mistake is shown where it is"
rt "$FIB" 'fib(int n'
expect_status 2
printf '%s\n' "rawtrace: 'fib(int n': column 10: expected ',' or ')'" '    fib(int n' \
	'             ^' >"$T/wanted"
expect_same "$T/wanted" "$T/err"
end_case

begin "--dump=ir needs no privilege and starts nothing"
rt --dump=ir "$T/nodes" "visit($DECLARED, p->next->name, p->id == 2)"
expect_status 0
expect_line 'visit of .*int32_t\|? visit(struct node \*p, int n, char \*path), by what was given' \
	"$T/out"
if [ "$(uname -m)" = x86_64 ]; then
	expect_line '^    value [0-9]*: +16(+8(%di)):string\|: +8(%di)' "$T/out"
	expect_line '^    only if value [0-9]* == 2$' "$T/out"
fi
end_case
