#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tail calls out of functions with exit probes: which call they become, and which are marked.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms
"$RAWTRACE" --version | grep -q 'capstone' && ! "$RAWTRACE" --version |
	grep -q 'without capstone' ||
	[ "$(uname -m)" = aarch64 ] || skip_all "this rawtrace has no disassembler"

if target dropped "${CC:-gcc}" -O2 -I "$TARGETS" "$TARGETS/dropped.c"; then
	for mechanism in $MECHANISMS; do
		begin "$mechanism: with '*' a call that jumps to a stub is over: _init does not cover .plt"
		rt --attach="$mechanism" --return=insn "$T/dropped" '*'
		expect_status 0
		sed -n -e 's/^\(> (\(drop\|cmp\)\).*/\1)/p' -e '/^>(main)/p' -e '/tail call/p' \
			-e '/#<void>/p' "$T/err" >"$T/tree"
		expect_text '>(main)
> (drop)
< #<void>
> (cmp)
> (cmp)
> (cmp)' "$T/tree"
		rt --attach="$mechanism" --return=insn -F flow "$T/dropped" '*'
		expect_line ' drop(.*)$' "$T/err"
		expect_no_line '\*\*\*' "$T/err"
		end_case
	done
else
	skip "a call that jumps to a stub" "$(no_target dropped.c)"
fi

expected='>(main)
> (by_name 1)
> (give 1)
< 11
> (by_ifunc 2)
> (pick 2)
< 32
> (by_pointer POINTER 3)
> (twice 3)
< 6
> (by_table POINTER 4)
> (twice 4)
< 8
> (by_hook 5)
> (twice 5)
< 10
> (by_pointer POINTER 6)
< *** tail call ***
> (twice 7)
< 14
> (elsewhere 8)
< *** tail call to plain ***
> (twice 9)
< 18
<153'
if target libreached.so "${CC:-gcc}" -O2 -fPIC -shared "$TARGETS/reachedlib.c" &&
	target reached "${CC:-gcc}" -O2 -I "$TARGETS" "$TARGETS/reached.c" "$T/libreached.so" \
		-Wl,-rpath,'$ORIGIN'; then
	for mechanism in $MECHANISMS; do
		begin "$mechanism: tail calls by the PLT, an IFUNC, a register, memory"
		rt --attach="$mechanism" --return=insn "$T/reached" 'int main(void)' \
			'int by_name(int n)' 'int by_ifunc(int n)' \
			'int by_pointer(void *f, int n)' 'int by_table(void *t, int n)' \
			'int by_hook(int n)' 'int elsewhere(int n)' \
			'int twice(int n)' libreached.so:give:1 libreached.so:pick:1
		expect_status 153
		sed 's/0x[0-9a-f]*/POINTER/; /^rawtrace: /d' "$T/err" >"$T/tree"
		expect_text "$expected" "$T/tree"
		end_case
	done
	begin "the same as JSON: a call that jumped is over then"
	rt --return=insn --format=chrome -o "$T/json" "$T/reached" elsewhere by_name \
		libreached.so:give
	expect_line '"name":"elsewhere",.*"unfinished":"tail call"' "$T/json"
	expect_line '"name":"give",' "$T/json"
	end_case
else
	skip "tail calls to other files" "$(no_target reached.c)"
fi

if target libtailed.so "${CC:-gcc}" -O2 -fPIC -DLIBRARY -shared "$TARGETS/tailed.c" &&
	target tailed "${CC:-gcc}" -O2 "$TARGETS/tailed.c" "$T/libtailed.so" \
		-Wl,-rpath,'$ORIGIN'; then
	for mechanism in $MECHANISMS; do
		begin "$mechanism: results of tail calls to functions that are not traced"
		rt --attach="$mechanism" --return=insn "$T/tailed" 'int direct(int n)' \
			'int chain(int n)' 'char *by_text(int n)' 'int even(int n)' \
			'int by_around(int n)' 'int choose(int which, int n)' \
			'libtailed.so:int outer(int n)'
		sed '/^rawtrace: /d' "$T/err" >"$T/tree"
		expect_text '>(direct 1)
<2
>(chain 1)
<3
>(by_text 1)
<"text 1"
>(even 2)
>(even 0)
<1
>(by_around 1)
> (direct 1)
< 2
> (direct 1)
< 2
<4
>(choose 1 2)
<4
>(outer 1)
<20
>(direct 2)
<3
>(chain 2)
<4
>(by_text 2)
<"text 2"
>(even 3)
>(even 1)
<0
>(by_around 2)
> (direct 2)
< 3
> (direct 2)
< 3
<6
>(choose 2 3)
>(even 2)
>(even 0)
<1
>(outer 2)
<30' "$T/tree"
		end_case
	done
else
	skip "results of tail calls" "$(no_target tailed.c)"
fi

expected='>(by_library 5)
<35
>(by_library 7)
<49
>(by_other_file "five.")
<5
>(inside 6)
<42
>(on_signal 10)
<*** tail call ***
>(by_struct POINTER 1)
<2
>(maybe POINTER 1)
<2
>(by_table 0 2)
<6
>(by_table 1 3)
>(traced 4)
<104
>(by_table 2 4)
> (traced 4)
< 104
<120
>(by_recursion POINTER 3)
> (by_recursion POINTER 2)
> >(by_recursion POINTER 1)
> > (by_recursion POINTER 0)
< < 0
< <1
< 2
<3'
case " $MECHANISMS " in
*' uprobe-multi '*) ;;
*) expected= ;;
esac
if [ -z "$expected" ]; then
	skip "tail calls that are learned" "no uprobe-multi (6.6)"
elif target liblearned.so "${CC:-gcc}" -O2 -fPIC -shared "$TARGETS/learnedlib.c" &&
	target learned "${CC:-gcc}" -O2 -pthread "$TARGETS/learned.c" "$T/liblearned.so" \
		-Wl,-rpath,'$ORIGIN'; then
	begin "results of tail calls to anywhere: at once if a function only jumps, else learned"
	rt --attach=uprobe-multi --return=insn "$T/learned" 'void begin()' \
		'int by_struct(void *, int)' 'int by_table(int, int)' 'int by_library(int)' \
		'size_t by_other_file(char *)' 'int by_recursion(void *, int)' \
		'int maybe(void *, int)' 'int traced(int)' 'void on_signal(int)' \
		'liblearned.so:int inside(int)'
	expect_status 0
	expect_line '^369 369$' "$T/out"
	expect_no_line changed "$T/out"
	grep -v '^rawtrace: ' "$T/err" | sed -n '1,2p;4q' >"$T/early"
	expect_text '>(by_library 5)
<35' "$T/early"
	expect_line '^<\*\*\* tail call to library_hook \*\*\*$' "$T/err"
	sed -e '1,/^>(begin)/d' -e '/^rawtrace: /d' -e '/#<void>/d' -e 's/0x[0-9a-f]*/POINTER/' \
		"$T/err" >"$T/tree"
	grep -v '^\[' "$T/tree" >"$T/first"
	expect_text ">(maybe POINTER 7)
<14
$expected" "$T/first"
	tids=$(sed -n 's/^\[\([0-9]*\)\].*/\1/p' "$T/tree" | sort -u)
	expect_number threads "$(echo "$tids" | wc -w)" -eq 2
	for tid in $tids; do
		sed -n "s/^\[$tid\] //p" "$T/tree" >"$T/thread"
		expect_text "$expected" "$T/thread"
	done
	end_case
	if ! quick && id nobody >/dev/null 2>&1; then
		begin "the same in a process of another user"
		chmod o+x "$RT_TMP" "$T"
		rt -u nobody --attach=uprobe-multi --return=insn "$T/learned" 'void begin()' \
			'int maybe(void *, int)'
		sed -e '1,/^>(begin)/d' -e '/^rawtrace: /d' "$T/err" >"$T/tree"
		expect_line '^<14$' "$T/tree"
		expect_no_line 'tail call' "$T/tree"
		end_case
	fi
	if ! quick; then
		begin "the same without names"
		strip -o "$T/learned-stripped" "$T/learned"
		rt --attach=uprobe-multi --return=insn "$T/learned-stripped" '*'
		expect_line '^369 369$' "$T/out"
		expect_line '^\[[0-9]*\] [< ]*<49$' "$T/err"
		grep '^\[' "$T/err" >"$T/tree"
		expect_no_line 'tail call' "$T/tree"
		end_case
		begin "the same in a recording"
		timeout 60 "$RAWTRACE" record -o "$T/data" --attach=uprobe-multi --return=insn \
			"$T/learned" 'void begin()' 'int by_struct(void *, int)' \
			'int by_recursion(void *, int)' >"$T/out" 2>&1
		timeout 60 "$RAWTRACE" report "$T/data" >"$T/err"
		sed '1,/^>(begin)/d' "$T/err" >"$T/tree"
		expect_no_line 'tail call' "$T/tree"
		expect_number returns "$(grep -c '^<2$' "$T/tree")" -eq 1
		end_case
	fi
else
	skip "tail calls that are learned" "$(no_target learned.c)"
fi

if [ -n "$expected" ] && ! quick && target leapt "${CC:-gcc}" -O2 "$TARGETS/leapt.c"; then
	begin "a result that is learned is never another call's, also where longjmp leaves some"
	rt --attach=uprobe-multi --return=insn "$T/leapt" 'int f(int n)' 'int h(int n)' \
		'int once(int n)'
	expect_status 0
	sed '/^rawtrace: /d' "$T/err" >"$T/tree"
	expect_number lines "$(wc -l <"$T/tree")" -eq "$(wc -l <"$T/out")"
	paste -d'|' "$T/out" "$T/tree" | awk -F'|' '$1 != $2' >"$T/other"
	grep -v '|< \*\*\* tail call \*\*\*$' "$T/other" >"$T/wrong" || :
	expect_number 'other lines' "$(wc -l <"$T/wrong")" -eq 0
	expect_number marks "$(wc -l <"$T/other")" -lt 1000
	end_case
fi

if [ -n "$expected" ] && [ "$(uname -m)" = x86_64 ] &&
	target overwritten "${CC:-gcc}" -O2 "$TARGETS/overwritten.c"; then
	begin "no probe where the process has changed the code behind the call"
	for writable in '' writable; do
		# shellcheck disable=SC2086 # no argument, or one
		rt --attach=uprobe-multi --return=insn "$T/overwritten" 'long jumps()' -- $writable
		expect_status 0
		expect_line '^0 wrong$' "$T/out"
		expect_number calls "$(grep -c '^>(jumps)' "$T/err")" -eq 300
		expect_number ends "$(grep -c '^<' "$T/err")" -eq 300
	done
	end_case
fi

awk 'BEGIN {
	print "volatile int sum;"
	for (i = 0; i < 400; i++) {
		print "__attribute__((noinline)) int target" i "(int n) { sum += n; return n + " i "; }"
		print "__attribute__((noinline)) int f" i "(int n) { return target" i "(n * sum); }"
	}
	print "int main(void) {"
	for (i = 0; i < 400; i++)
		print "sum += f" i "(" i ");"
	print "return 0; }"
}' >"$T/wide.c"
if target wide "${CC:-gcc}" -O2 "$T/wide.c"; then
	begin "as many targets of tail calls as functions"
	rt --return=insn "$T/wide" 'f[0-9]*'
	expect_status 0
	expect_number calls "$(grep -c '^>(f' "$T/err")" -eq 400
	expect_no_line 'tail call' "$T/err"
	end_case
else
	skip "as many targets of tail calls as functions" "$(no_target wide)"
fi

if has g++ && printf '#include <iostream>\nint main() { std::cout << 1 << std::endl; }\n' \
	>"$T/stream.cc" &&
	target stream g++ -O2 "$T/stream.cc"; then
	begin "a program with iostream: main is not inside what runs before it"
	rt "$T/stream" '*'
	expect_status 0
	expect_line '^>(main' "$T/err"
	expect_line '^<\*\*\* tail call to __cxa_atexit \*\*\*$' "$T/err"
	end_case
fi
