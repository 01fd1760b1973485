#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Go programs, built by the toolchain that is installed, or that GO names.
. "$SRCDIR/tests/live/lib.sh"
. "$LIVE/golang.sh"

has "$GO" || [ -e "$MADE/fib" ] || skip_all "no Go toolchain"
begin "the programs are built"
build fib fib.go
build stripped fib.go -ldflags '-s -w'
build calls 'calls.go witness.go'
build kinds kinds.go
build kinds-stripped kinds.go -ldflags '-s -w'
build callers callers.go -gcflags=-l -ldflags '-s -w'
build asm asm
build asm-stripped asm -ldflags '-s -w'
go_version
[ -z "${RT_TARGETS:-}" ] || {
	rm -rf "$T/cache"
	echo "$minor" >"$T/minor"
}
targets_made
# The standard library is compiled anew for it.
! has "$GO" || quick || {
	build pie fib.go -buildmode=pie
	build kinds-pie kinds.go -buildmode=pie
}
end_case
[ -x "$T/calls" ] || exit 0
find_mechanisms

if registers_only; then
	begin "entries, where the kernel cannot read which goroutine calls"
	rt "$T/fib" main.fib
	expect_status 0
	expect_line '^fib(4) = 3$' "$T/out"
	expect_line '^rawtrace: main.fib: only entries are traced: this kernel cannot read which goroutine calls$' "$T/err"
	expect_number calls "$(grep -c '^>(main.fib [0-4])$' "$T/err")" -eq 9
	expect_no_line '^<' "$T/err"
	end_case
	skip_all "this kernel reads no memory (3.10)"
fi

# agrees_go CASE FUNCTIONS MODE N: like agrees, goroutine by goroutine.
agrees_go() {
	begin "$1"
	functions=$2
	shift 2
	timeout 60 "$T/calls" "$@" >"$T/untraced" 2>/dev/null </dev/null
	untraced=$?
	rm -f "$T/witness"
	export WITNESS="$T/witness"
	# shellcheck disable=SC2086
	rt ${mechanism:+"--attach=$mechanism"} "$T/calls" $functions -- "$@"
	unset WITNESS
	expect_status "$untraced"
	expect_same "$T/untraced" "$T/out"
	as_threads "$T/err" >"$T/trace"
	expect_agreement "$T/trace" "$T/witness"
	end_case
}

# The instructions that leave a function are probed only where their goroutine is known, on aarch64
# always.
has_returns() {
	[ -z "$stack" ] || [ "$1" != tracefs ] || [ -n "$aarch64" ]
}

cat >"$T/tree" <<END
>(main.fib 4)
> (main.fib 3)
> >(main.fib 2)
> > (main.fib 1)
< < 1
> > (main.fib 0)
< < 0
< <1
> >(main.fib 1)
< <1
< 2
> (main.fib 2)
> >(main.fib 1)
< <1
> >(main.fib 0)
< <0
< 1
<3
END

grep '^>' "$T/tree" | sed 's/^.*(/>(/' >"$T/entries"

# shellcheck disable=SC2086 # several words
set -- $MECHANISMS
first=${1:-}
for mechanism in $MECHANISMS; do
	if ! has_returns "$mechanism"; then
		begin "$mechanism: entries alone"
		rt --attach="$mechanism" "$T/fib" main.fib
		expect_line 'only entries are traced' "$T/err"
		grep -v '^rawtrace:' "$T/err" >"$T/trace"
		expect_same "$T/entries" "$T/trace"
		end_case
		continue
	fi
	for name in fib pie; do
		[ -x "$T/$name" ] || continue
		begin "$mechanism: $name"
		rt --attach="$mechanism" "$T/$name" main.fib
		expect_status 0
		expect_text 'fib(4) = 3' "$T/out"
		expect_same "$T/tree" "$T/err"
		end_case
	done

	agrees_go "$mechanism: panics that are recovered" 'main.guard main.risky main.fib' panic 12
	# Each mechanism puts probes where returns are; what is in the file is for all of them.
	if slow && [ "$mechanism" != "$first" ] && [ "$mechanism" != tracefs ]; then
		continue
	fi

	begin "$mechanism: stripped"
	rt --attach="$mechanism" "$T/stripped" main.fib
	# Go's table has the number of words of the arguments; before 1.17 together with the
	# results' words.
	sed "/^</s/[0-9]\$/<not known>/${stack:+; s/ [0-9])/)/}" "$T/tree" >"$T/expected"
	expect_same "$T/expected" "$T/err"
	[ "$mechanism" != "$first" ] || {
		rt --attach="$mechanism" "$T/stripped" 'long main.fib(long n)'
		expect_same "$T/tree" "$T/err"
		sed '/^</s/[0-9]$/<not known>/' "$T/tree" >"$T/unknown"
		rt --attach="$mechanism" "$T/stripped" 'main.fib(long n)'
		expect_same "$T/unknown" "$T/err"
		# Without sections, as plugins are without those of Go, only the note tells that it
		# is Go's.
		cp "$T/stripped" "$T/nosections"
		dd if=/dev/zero of="$T/nosections" bs=1 seek=40 count=8 conv=notrunc 2>/dev/null
		dd if=/dev/zero of="$T/nosections" bs=1 seek=60 count=4 conv=notrunc 2>/dev/null
		rt --attach="$mechanism" "$T/nosections" main.fib
		expect_same "$T/expected" "$T/err"
		rt -v "$T/stripped" main.fib
		expect_line \
			'^rawtrace: shown as main.fib(.*) -> ?, by a guess from the room that ' \
			"$T/err"
		expect_no_line 'shown as runtime' "$T/err"
	}
	end_case

	agrees_go "$mechanism: goroutines" 'main.fib main.deep' many 60
	case $mechanism in
	uprobe-multi | tracefs)
		agrees_go "$mechanism: stacks that grow" 'main.fib main.deep' deep 400
		agrees_go "$mechanism: panics that somebody recovers from who is not traced" \
			'main.fib main.risky main.deep' shelter 12
		agrees_go "$mechanism: runtime.Goexit" 'main.fib main.quit' exit 9
		;;
	esac
done
mechanism=

cat >"$T/expected" <<'END'
>(main.(*T).Method {.n=5, .s="t"} 3 "three")
<8 nil
>(main.(*T).Method {.n=5, .s="t"} -1 "one")
<0 *errors.errorString("negative one")
>(main.point.add {.x=1, .y=2} {.x=3, .y=4})
<{.x=4, .y=6}
>(main.text "ab" [99, 100] -3 65535 true)
<"abcd" false
>(main.floats <in xmm0> 2 <in xmm1>)
<<in xmm0>
>(main.many 1 2 3 4 5 6 7 8 9 10 11)
<66
>(main.big {.id=7, .name="seven", .tags=["a", "b"]} 3)
<17
>(main.arr [1] [1, 2, 3] 9)
<12
>(main.iface main.point(0x) *errors.errorString("bad") int(5))
<6
>(main.iface nil nil nil)
<-1
>(main.blank "bb")
<2
>(main.multi 4)
<4 "x" NULL nil
>(main.nothing)
<#<void>
>(main.names ["x", "y", "", "zz", ...])
<["x", "y"]
>(main.failed [{.Op="stat", .Err=syscall.Errno(2)}, {.Op="", .Err=nil}])
<syscall.Errno(2)
>(main.anything [int8(-1), bool(true), float64(2.5), main.word("w"), ...])
<5 string("s")
>(main.changed {.a=1, .b=2, .c=3, .d=4, .e=5, .f=6, .g=7, .h=-8} 9)
<{.a=2, .b=2, .c=3, .d=4, .e=5, .f=6, .g=7, .h=-8}
END
# On the stack floats are seen, and what comes after a parameter without a name is not.
[ -z "$stack" ] ||
	sed \
		-i 's/(main.floats .*/(main.floats 1.5 2 0.5)/; s/^<<in xmm0>/<3.5/; /^>(main.blank/{s/ "bb"//; n; s/.*/<<not known>/}' "$T/expected"
[ -z "$aarch64" ] || sed -i 's/<in xmm/<in v/g' "$T/expected"
for name in kinds kinds-pie; do
	# Without BPF what is behind a pointer is not read for every type.
	[ -x "$T/$name" ] && with_bpf || continue
	begin "arguments and results, $name"
	functions='main.(*T).Method main.point.add main.text main.floats main.many main.big main.arr main.iface main.blank main.multi main.nothing main.names main.anything main.changed'
	# shellcheck disable=SC2086 # several functions
	rt "$T/$name" $functions main.failed
	if grep -q '^>(main.failed \[{.Op=0x' "$T/err"; then
		# Too much for the verifiers of 4.14 and 4.19, for which no list's elements are
		# read.
		# shellcheck disable=SC2086 # several functions
		rt "$T/$name" $functions
		sed -i '/^>(main.failed/{ N; d; }' "$T/expected"
	fi
	# Some versions tell of parameters without a name.
	sed 's/0x[0-9a-f]*/0x/g; s/(main.blank 1 "bb" true)/(main.blank "bb")/' "$T/err" >"$T/trace"
	expect_same "$T/expected" "$T/trace"
	rt "$T/$name" 'main.text(s == "ab", n)' 'main.(*T).Method(b ^= "th")'
	sed 's/0x[0-9a-f]*/0x/g' "$T/err" >"$T/trace"
	printf '%s\n' '>(main.(*T).Method {.n=5, .s="t"} 3 "three")' '<8 nil' '>(main.text -3)' \
		'<"abcd" false' >"$T/filtered"
	expect_same "$T/filtered" "$T/trace"
	end_case
done

# Go's own tables have arguments of stripped programs, from 1.18 on: numbers, their sizes and which
# belong together.  A check of the stack has code that says in which registers they are; in
# functions without one floats cannot be ruled out, nor that some are on the stack.
if [ "${minor:-99}" -ge 18 ] && with_bpf; then
	begin "arguments of a stripped program"
	cat >"$T/expected" <<'END'
>(main.(*T).Method N 3 {N, 5})
>(main.(*T).Method N -1 {N, 3})
>(main.point.add {1, 2} {3, 4})
>(main.text {N, 2} {N, 2, 2} 253 65535 1)
>(main.floats <not known>)
>(main.many <not known>)
>(main.big {7, {N, 5}, {N, 2, 2}} 3)
>(main.arr <not known>)
>(main.iface {N, N} {N, N} {N, N})
>(main.iface {0, 0} {0, 0} {0, 0})
>(main.blank 1 {N, 2} 1)
>(main.multi 4)
>(main.nothing)
>(main.changed {1, 2, 3, 4, 5, 6, 7, 248} 9)
END
	# A method that the compiler made around point.area, of which some versions' debug
	# information has no receiver.
	rt "$T/kinds" 'main.(*point).area'
	expect_line '^>(main.(\*point).area [0{]' "$T/err"
	# shellcheck disable=SC2086 # several functions
	rt "$T/kinds-stripped" ${functions% main.names*} main.changed
	sed -n '/^>/{ s/0x[0-9a-f]*/N/g; s/[0-9]\{6,\}/N/g; p; }' "$T/err" >"$T/trace"
	expect_same "$T/expected" "$T/trace"
	rt -v "$T/kinds-stripped" main.text main.blank
	expect_line \
		'^rawtrace: shown as main.text(.*) -> ?, by what Go keeps for its own tracebacks$' \
		"$T/err"
	expect_line '^rawtrace: shown as main.blank(.*) -> ?, by a guess from the room that ' \
		"$T/err"
	end_case
fi

name=main.sum.abi0
arguments=" 1 2 3"
[ -z "$stack" ] || name=main.sum
[ "${minor:-99}" -ge 18 ] || arguments=
cat >"$T/expected" <<END
>(main.add 1 2)
> ($name$arguments)
< <not known>
<6
>(main.add -5 1)
> ($name${arguments:+ -5 1 3})
< <not known>
<-1
END
begin "no function: those of package main"
rt count "$T/fib"
expect_line '^main\.fib  *9$' "$T/err"
expect_line '^main\.main  *1$' "$T/err"
expect_no_line '^runtime\.' "$T/err"
end_case

begin "assembly, which has the goroutine in no register"
rt "$T/asm" main.add "$name"
# Nor anywhere, where the thread pointer cannot be read: so its end is not seen.
if grep -q "^rawtrace: $name: only entries are traced" "$T/err"; then
	sed -i '/^rawtrace: /d' "$T/err"
	sed -i '/^< <not known>/d' "$T/expected"
fi
expect_same "$T/expected" "$T/err"
[ -z "$arguments" ] || {
	rt "$T/asm-stripped" main.sum
	expect_line '^>(main.sum 1 2 3)$' "$T/err"
	expect_line '^>(main.sum -5 1 3)$' "$T/err"
}
rt "$T/asm" main.add "bool $name(long a, long b, unsigned char c)"
expect_line "^> ($name -5 1 3)" "$T/err"
end_case

# Stacks that shrink at every collection, threads that change, and nothing lost: the sums are those
# of a run that nobody traces.
ROUNDS=300
! slow || ROUNDS=30
# The program leaves out functions of the runtime that a panic's way back leads through.
begin "-k: the callers, as the runtime finds them"
rt -k "$T/callers" main.reached
if ! grep -q 'stacks need BPF and a ring of Linux 5.8' "$T/err"; then
	sed -n -e 's/^ > [^(]*(\(.*\)+0x.*/\1/p' -e 's/^ > \.\.\./cut/p' \
		-e 's/^\(\[g [0-9]*\] \)*>.*//p' "$T/err" | sed '1d' >"$T/frames"
	echo >>"$T/frames"
	grep -v '^runtime\..*[pP]anic\|^runtime\..*[dD]efer' "$T/out" >"$T/known"
	grep -v '^runtime\..*[pP]anic\|^runtime\..*[dD]efer' "$T/frames" >"$T/shown"
	expect_number callers "$(grep -c '^main\.' "$T/known")" -ge 10
	expect_same "$T/known" "$T/shown"
fi
end_case

begin "under load"
timeout 60 "$T/calls" load $ROUNDS >"$T/untraced" 2>/dev/null
rt --buffer=8M "$T/calls" main.fib main.deep 'main.(*counter).add' -- load $ROUNDS
ST=$((ST - ROUNDS % 7))
expect_status 0
expect_same "$T/untraced" "$T/out"
as_threads "$T/err" >"$T/trace"
expect_nested "$T/trace" whole
expect_number 'calls of add' "$(grep -c '(main.(\*counter).add ' "$T/err")" -eq $((ROUNDS * 8))
end_case

# Who recovers is not traced, and calls again from the same place.
begin "calls that a panic leaves, and nothing but those"
rt "$T/calls" main.risky -- panic 12
expect_number unwound "$(grep -c '\*\*\* unwound \*\*\*$' "$T/err")" \
	-eq "$(grep -c '(main.risky' "$T/err")"
as_threads "$T/err" >"$T/trace"
expect_nested "$T/trace"
end_case

begin "a panic that ends the program"
rt -o "$T/trace" "$T/calls" main.fib main.risky -- crash 3
expect_status 2
expect_line '^> > (main.risky 0)$' "$T/trace"
expect_line '^panic: as wanted' "$T/err"
end_case

# behind_frame FUNCTION: BPF programs emulate no sub of the stack pointer, so from Linux 6.19 on the
# probe is behind those of Go 1.17 to 1.20.
behind_frame() {
	[ "$(uname -m)" = x86_64 ] && grep -q '^instructions  *ok' "$T/doctor" &&
		[ "${minor:-99}" -ge 17 ] && [ "$minor" -lt 21 ] || return 0
	expect_line "^rawtrace: $1: probed at +[0-9]*, on lea: past what Go can begin anew, and " \
		"$T/err"
}

begin "times, by goroutine"
rt -v hist "$T/calls" main.deep -- many 40
expect_line 'main.deep' "$T/err"
expect_no_line 'lost' "$T/err"
behind_frame main.deep
end_case

begin "not deeper than 2"
rt -v -o "$T/trace" --depth=2 "$T/calls" main.deep -- deep 50
expect_text '>(main.deep 50)
> (main.deep 49)
< 49
<50' "$T/trace"
behind_frame main.deep
end_case

begin "goroutines in Chrome's format"
rt --format=chrome -o "$T/json" "$T/calls" main.quit main.fib -- exit 4
expect_line '"thread_name","args":{"name":"g [0-9]*"}' "$T/json"
expect_line '"unfinished":"goroutine exited"' "$T/json"
end_case
