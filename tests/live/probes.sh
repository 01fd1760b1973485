#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names on the command line: several functions, globs, numbers of arguments, libraries, aliases,
# IFUNCs; and names that are errors.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

expect_calls() {
	n=$(grep -c -e "^\(\[[0-9]*\] \)\{0,1\}[> ]*($1[ )]" "$T/err")
	[ "$n" = "$2" ] || {
		because "$n calls of $1, not $2"
		show "$T/err"
	}
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: several functions, numbers of arguments"
	WITNESS="$T/witness" rt --attach="$mechanism" "$BIN/names" add_three:3 add_two:2
	expect_agreement "$T/err" "$T/witness"
	rm -f "$T/witness"
	end_case
done

# Up to 4.19 a kernel refuses a nop with a prefix, but not before a process maps the file: else no
# call would be seen, without a word.
"$BIN/nops" >"$T/untraced"
for mechanism in $MECHANISMS; do
	begin "$mechanism: a first instruction that not every kernel probes"
	rt --attach="$mechanism" "$BIN/nops" plain
	expect_calls plain 5
	rt --attach="$mechanism" "$BIN/nops" plain prefixed
	if [ "$ST" = 0 ] &&
		grep -q \
			'^rawtrace: prefixed: not traced: this kernel cannot probe the instruction' "$T/err"; then
		expect_same "$T/untraced" "$T/out"
		expect_calls plain 5
		expect_calls prefixed 0
	elif [ "$ST" = 0 ]; then
		expect_same "$T/untraced" "$T/out"
		expect_calls plain 5
		expect_calls prefixed 5
		expect_nested "$T/err" whole
	else
		expect_status 1
		expect_message "prefixed: .*this kernel cannot probe the instruction" "$T/err"
		[ ! -s "$T/out" ] || because "the program ran"
	fi
	end_case
done

mkdir "$T/a : b" && cp "$FIB" "$T/a : b/f:0x10 ib"
for mechanism in $MECHANISMS; do
	begin "$mechanism: a file's name with a colon and blanks"
	rt --attach="$mechanism" "$T/a : b/f:0x10 ib" fib
	expect_status 0
	expect_line '^>(fib 4)$' "$T/err"
	expect_nested "$T/err" whole
	end_case
done

begin "the first argument at least when nothing is said, none when 0 is"
rt "$BIN/names" add_three add_two:0
# Guesses at its other arguments may follow.
expect_line '^>(add_three 1\( -1 100\)\{0,1\})$' "$T/err"
expect_line '^> (add_two)$' "$T/err"
expect_line '^< 0$' "$T/err"
expect_line '^<100$' "$T/err"
end_case

begin "a glob"
rt "$BIN/names" 'add_*'
expect_calls add_three 3
expect_calls add_two 6
expect_nested "$T/err" whole
end_case

begin "a glob takes no fragments and no labels"
rt "$BIN/names" '*_path*' 'local_*' 'other_*'
expect_calls rare_path 3
expect_calls local_one 3
expect_no_line 'cold' "$T/err"
expect_nested "$T/err" whole
end_case

begin "an alias is shown by the name that was given"
rt "$BIN/names" other_name
expect_calls other_name 6
expect_calls shared_place 0
rt "$BIN/names" shared_place
expect_calls shared_place 6
expect_calls other_name 0
end_case

begin "two names of one place, each call once"
rt "$BIN/names" shared_place other_name
expect_number calls "$(grep -c '^>' "$T/err")" -eq 6
expect_nested "$T/err" whole
end_case

begin "an IFUNC: its implementation"
rt "$BIN/names" chosen
expect_status 0
expect_calls chosen 3
expect_line '^<30$' "$T/err"
end_case

begin "a .cold fragment: entries only, and unharmed"
timeout 10 "$BIN/names" >"$T/untraced"
if timeout 20 "$RAWTRACE" --dump=tracefs "$BIN/names" rare_path.cold >/dev/null 2>&1; then
	rt "$BIN/names" rare_path.cold
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	expect_line 'rare_path.cold: only entries are traced' "$T/err"
	expect_calls rare_path.cold 1
	expect_no_line '^<' "$T/err"
	end_case
else
	skip "a .cold fragment" "this compiler made none"
fi

# ---- starting ----

begin "arguments after --"
rt "$FIB" fib -- 10
expect_status 0
expect_text 'fib(10) = 55' "$T/out"
expect_line '^>(fib 10)$' "$T/err"
expect_number calls "$(grep -c '(fib' "$T/err")" -eq 177
end_case

begin "the demo, as the README has it"
rt "$FIB" fib
cat >"$T/expected" <<'END'
>(fib 4)
> (fib 3)
> >(fib 2)
> > (fib 1)
< < 1
> > (fib 0)
< < 0
< <1
> >(fib 1)
< <1
< 2
> (fib 2)
> >(fib 1)
< <1
> >(fib 0)
< <0
< 1
<3
END
expect_same "$T/expected" "$T/err"
expect_text 'fib(4) = 3' "$T/out"
end_case

begin "PATH"
(
	PATH=$(dirname "$FIB"):$PATH
	export PATH
	rt fib fib -- 3
	echo "$ST" >"$T/status"
)
read -r ST <"$T/status"
expect_status 0
expect_text 'fib(3) = 2' "$T/out"
expect_line '^>(fib 3)$' "$T/err"
end_case

begin "a file here that is not in PATH"
(
	cd "$(dirname "$FIB")" || exit
	rt fib fib
	echo "$ST" >"$T/status"
)
read -r ST <"$T/status"
expect_status 1
expect_message 'type ./fib' "$T/err"
end_case

# ---- libraries ----

if has "${CC%% *}" && $CC -O2 -fPIC -shared -pthread -Wl,-soname,libprivate.so.1 \
	-o "$T/libprivate.so.1" "$TARGETS/library.c" \
	2>"$T/build" && $CC -O2 -o "$T/caller" "$TARGETS/caller.c" "$T/libprivate.so.1" \
	"-Wl,-rpath,$T" 2>"$T/build"; then
	timeout 10 "$T/caller" >"$T/untraced"
	for mechanism in $MECHANISMS; do
		begin "$mechanism: a function of a library"
		rm -f "$T/witness"
		WITNESS="$T/witness" rt --attach="$mechanism" "$T/caller" \
			"libprivate.so:int library_square(int n)"
		expect_status 0
		expect_same "$T/untraced" "$T/out"
		# Without BPF the probes are in every process, and so the returns are seen where the
		# function leaves.
		expect_agreement "$T/err" "$T/witness"
		end_case
	done

	for lib in libprivate.so libprivate.so.1 libprivate "$T/libprivate.so.1"; do
		begin "a library named by soname, file name, path: ${lib#"$T"}"
		rt "$T/caller" "$lib:library_square"
		expect_status 0
		expect_calls library_square 10
		end_case
	done

	begin "a library's function named without its library"
	rt "$T/caller" library_square
	expect_status 2
	expect_message "libprivate.so.1 has it: use 'libprivate.so.1:library_square'" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case

	begin "probes of another process's library are not ours"
	in_background "$T/caller" >"$T/other"
	rt "$T/caller" libprivate.so:library_square
	expect_calls library_square 10
	reap "$PID"
	expect_status 0
	end_case
else
	skip "libraries" "no compiler ($CC)"
fi

# Single-stepped and simulated instructions in guarded pages, on an aarch64 machine.
if [ -x "$BIN/guarded" ]; then
	for n in 1 2 3; do
		printf '%s\n' ">(by_bti $n)" "<$((n + 1))" ">(by_signature $n)" "> (by_bti $n)" \
			"< $((n + 1))" "<$((n + 2))" \
			">(by_page $n)" "<$((n + 3))" ">(by_branch $n)" ">(four_more $n)" \
			"<$((n + 4))" \
			">(by_zero $n)" "<$((n + 5))" ">(by_bit $n)" "<$((n + 6))" \
			">(four_more $n)" "<$((n + 4))"
	done >"$T/guarded"
	for mechanism in $MECHANISMS; do
		begin "$mechanism: aarch64: every kind of first instruction"
		rt --attach="$mechanism" "$BIN/guarded" by_bti by_signature by_page by_branch \
			four_more by_zero by_bit
		expect_status 0
		expect_same "$T/guarded" "$T/err"
		end_case
	done

	begin "aarch64: a return address that is kept in a register"
	rt "$BIN/guarded" by_register four_more
	expect_status 0
	expect_line 'by_register: only entries are traced: keeps its return address in a register' \
		"$T/err"
	expect_calls by_register 3
	expect_calls four_more 6
	end_case

	begin "aarch64: instructions that cannot be probed"
	rt "$BIN/guarded" by_literal
	expect_status 1
	expect_message "a load from beside the code" "$T/err"
	rt "$BIN/guarded" by_exclusive
	expect_status 1
	expect_message "an exclusive load or store" "$T/err"
	rt "$BIN/guarded" '*'
	expect_status 0
	expect_calls by_bit 3
	end_case
fi

case " $MECHANISMS " in
*" uprobe-multi "*)
	begin "uprobe-multi: libc's strlen, an IFUNC"
	timeout 10 "$BIN/libc" >"$T/untraced"
	rt --attach=uprobe-multi "$BIN/libc" libc.so.6:strlen
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	i=101
	while [ $i -le 140 ]; do
		echo "<$i"
		i=$((i + 1))
	done >"$T/expected"
	grep '^<1[0-4][0-9]$' "$T/err" >"$T/lengths"
	expect_same "$T/expected" "$T/lengths"
	expect_calls strlen "$(grep -c '^<' "$T/err")"
	end_case

	begin "uprobe-multi: libm's cos"
	rt --attach=uprobe-multi "$BIN/libc" libm.so:cos
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	expect_calls cos 40
	end_case
	;;
esac
