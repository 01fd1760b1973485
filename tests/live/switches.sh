#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that switch stacks by code of their own, or put back a copy of their stack: they must end
# as they do untraced.  `make check` has one or two compilations of each kind.
. "$SRCDIR/tests/live/lib.sh"
has "${CC%% *}" || skip_all "no compiler ($CC)"

# unharmed CASE REASON: "$T/switches" prints the same traced, and its returns are not probed by
# uretprobes.
unharmed() {
	begin "$1"
	"$T/switches" >"$T/plain"
	rt -v "$T/switches" produce consume
	expect_status 0
	expect_same "$T/plain" "$T/out"
	expect_line "^rawtrace: produce: returns: [in].*: uretprobe unsafe: .*$2" "$T/err"
	# Calls on another stack have not been left.
	expect_no_line 'unwound \*\*\*' "$T/err"
	[ "$2" = backtrace ] || expect_line '^rawtrace: .*: switches stacks' "$T/err"
	end_case
}

if [ "$(uname -m)" = x86_64 ] && $CC -O1 -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc"; then
	unharmed "a coroutine written by hand" 'switches stacks'
	# Sources of the new stack pointer: memory, a local variable, an operand in memory, a call,
	# an exchange, an address.
	quick && set -- "$CC -O1 1" "clang -O0 4" || set -- "$CC -O1 1" "clang -O1 1" "$CC -O0 2" \
		"$CC -O0 3" "$CC -O2 3" "$CC -O0 4" "$CC -O2 4" "clang -O0 4" "$CC -O0 5" \
		"$CC -O0 6"
	for how; do
		# shellcheck disable=SC2086 # words
		has ${how%% *} && ${how% *} -DSPLIT="${how##* }" -fno-stack-protector \
			-mno-red-zone -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc" &&
			unharmed "a coroutine in pieces of C: $how" 'switches stacks'
	done
	# By a sum, the frame pointer, what was pushed: in a function, where none is known, and
	# stripped.
	cat >"$T/ways" <<-'END'
		sub %rsp,%rsi\nadd %rsi,%rsp
		mov %rsp,%rax\nsub %rsi,%rax\nsub %rax,%rsp
		xor %esp,%esp\nor %rsi,%rsp
		lea -8(%rsi),%rbp\nleave
		push %rsi\npop %rsp
		mov %rsp,%rax\nmov %rax,(%rdi)\nmov %rsi,%rax\nmov %rax,%rsp
	END
	! quick || sed -i '2,$d' "$T/ways"
	while read -r how; do
		for kind in -DFUNCTION -DLABEL -s; do
			$CC -O1 $kind "-DWAY=\"$how\"" -o "$T/switches" "$TARGETS/switches.c" \
				2>"$T/cc" || show "$T/cc"
			[ $kind != -s ] && unharmed "a coroutine written by hand: $kind $how" \
				'switches stacks' && continue
			begin "a coroutine written by hand, stripped: $how"
			rt "$T/switches" 'fn_*'
			expect_line '^rawtrace: switches: switches stacks; ' "$T/err"
			end_case
		done
	done <"$T/ways"
	quick && set -- "$CC -O2" || set -- "$CC -O0" "$CC -O2" "clang -O2"
	for how; do
		for way in 'sub %%rsp,%0\nadd %0,%%rsp' 'push %0\npop %%rsp'; do
			# shellcheck disable=SC2086 # words
			has ${how% *} && $how -DSPLIT=7 "-DWAY=\"$way\"" -fno-stack-protector \
				-mno-red-zone -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc" &&
				unharmed "a coroutine in pieces of C: $how: $way" 'switches stacks'
		done
	done
	headers=/usr/include/$($CC -print-multiarch 2>/dev/null)
	quick && set -- 'mov %edx,%esp' || set -- 'mov %edx,%esp' 'mov 24(%esp),%esp' \
		'sub %esp,%edx\nadd %edx,%esp' 'push %edx\npop %esp' \
		'mov %edx,%ecx\nlea (%ecx),%esp'
	for how; do
		$CC -m32 -idirafter "$headers" -O1 "-DWAY=\"$how\"" -o "$T/switches" \
			"$TARGETS/switches.c" 2>"$T/cc" || break
		unharmed "a coroutine written by hand, in 32 bits: $how" 'switches stacks'
	done
	$CC -O1 -DDATA -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc" || show "$T/cc"
	unharmed "a coroutine in data that is made code" 'switches stacks'
	$CC -O1 -o "$T/switches" "$TARGETS/switches.c"
	begin "a coroutine written by hand, stripped"
	strip "$T/switches"
	rt "$T/switches" 'fn_*'
	expect_line '^rawtrace: switches: switches stacks; ' "$T/err"
	end_case
	# The C library's longjmp, which has no name there, loads the stack pointer too.
	begin "a coroutine written by hand, static and stripped; and longjmp"
	$CC -O1 -static -s -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc" || show "$T/cc"
	rt "$T/switches" 'fn_40[12]*'
	expect_line '^rawtrace: switches: switches stacks; ' "$T/err"
	$CC -O1 -w -static -s -o "$T/leaves" "$TARGETS/longjmp.c" 2>"$T/cc" || show "$T/cc"
	rt "$T/leaves" 'fn_40[12]*'
	expect_no_line ': switches stacks' "$T/err"
	end_case
	$CC -O1 -DWALKS -o "$T/switches" "$TARGETS/switches.c" 2>"$T/cc" &&
		unharmed "a walk over return addresses" 'backtrace'
fi

quick && set -- "-O2 -DAPART" "-O0 -DBY_HAND" || set -- -O0 "-O2 -DAPART" "-O2 -fno-plt" \
	"-O2 -static" "-O0 -DBY_HAND" "-O2 -DBY_HAND"
for options; do
	[ "$(uname -m)" = x86_64 ] && "$RAWTRACE" --version | grep -q ', capstone' || break
	begin "a program that copies its stack away and back: $options"
	# shellcheck disable=SC2086 # words
	$CC $options -fno-stack-protector -o "$T/copies" "$TARGETS/copies.c" 2>"$T/cc" ||
		show "$T/cc"
	rt -v "$T/copies" work leaf
	expect_status 0
	printf '%d\n' 6 11 21 31 41 >"$T/want"
	expect_same "$T/want" "$T/out"
	expect_line '^rawtrace: work: returns: insn .*may put back a copy of its stack in resume' \
		"$T/err"
	# longjmp alone is none.
	# shellcheck disable=SC2086 # words
	$CC $options -w -o "$T/leaves" "$TARGETS/longjmp.c" 2>"$T/cc" || show "$T/cc"
	"$RAWTRACE" list "$T/leaves" main >"$T/list" 2>&1
	expect_no_line 'may put back' "$T/list"
	end_case
done

quick && set -- -O2 || set -- -O0 -O2 "-O2 -fno-plt" "-O2 -static"
for options; do
	[ "$(uname -m)" = x86_64 ] && "$RAWTRACE" --version | grep -q ', capstone' || break
	# shellcheck disable=SC2086 # words
	$CC $options -o "$T/turns" "$TARGETS/turns.c" 2>"$T/cc" || show "$T/cc"
	printf '%d\n' 1 4 7 10 13 >"$T/want"
	for names in '*' 'produce consume'; do
		begin "coroutines of setjmp and longjmp on one stack: $options: $names"
		set -f
		# shellcheck disable=SC2086 # words
		rt -v "$T/turns" $names
		set +f
		expect_status 0
		expect_same "$T/want" "$T/out"
		# If there are many functions, the message has only their number.
		expect_line '^rawtrace: .*: insn.* has coroutines of setjmp and longjmp in ' \
			"$T/err"
		[ "$names" = '*' ] ||
			expect_line '^rawtrace: produce: returns: insn .*has coroutines of ' \
				"$T/err"
		end_case
	done
	begin "a longjmp out of a function is no coroutine: $options"
	"$RAWTRACE" list "$T/leaves" main >"$T/list" 2>&1
	expect_no_line 'coroutines' "$T/list"
	end_case
done

# A library calls functions of its own through stubs, beside which stands that of memcpy.
if [ "$(uname -m)" = x86_64 ] && "$RAWTRACE" --version | grep -q ', capstone'; then
	cat >"$T/leave.c" <<-'EOF'
		#include <setjmp.h>
		#include <string.h>
		int told;
		void tell(int n) { told = n; }
		void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }
		void leave(jmp_buf *b, char *to, const char *from, size_t n) { HERE; longjmp(*b, 1); }
	EOF
	echo 'int tell(int n); int main(void) { tell(1); return 0; }' >"$T/leaver.c"
	for how in '-fplt copy(to,from,n)' '-fno-plt copy(to,from,n)' '-fplt tell(n)'; do
		begin "a library that calls longjmp: ${how% *}, behind ${how#* }"
		$CC -O1 -fPIC "${how% *}" -shared "-DHERE=${how#* }" -o "$T/libleave.so" \
			"$T/leave.c" 2>"$T/cc" &&
			$CC -o "$T/leaver" "$T/leaver.c" -L"$T" -lleave -Wl,-rpath,"$T" 2>"$T/cc" ||
			show "$T/cc"
		"$RAWTRACE" list "$T/leaver" main >"$T/list" 2>&1
		case $how in
		*copy*) expect_line 'libleave.so may put back a copy of its stack in leave' \
			"$T/list" ;;
		*) expect_line '^uretprobe, 1 function' "$T/list" ;;
		esac
		end_case
	done
fi
