#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Go programs, built by the toolchain that is installed, or that GO names.
. "$SRCDIR/tests/live/lib.sh"
GO=${GO:-go}
GOCACHE=${GOCACHE:-$T/cache} GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off HOME=$T
export GOCACHE GOFLAGS GOPROXY GOTOOLCHAIN GO111MODULE HOME

# build NAME 'SOURCES' [FLAG...]
build() {
	name=$1
	sources=
	for s in $2; do
		sources="$sources $TARGETS/go/$s"
	done
	shift 2
	# shellcheck disable=SC2086
	target "$name" go_build "$sources" "$@" || {
		because "not built: $name"
		show "$T/build"
	}
}

# The sources come last; a folder's are a package.
go_build() {
	built=${1# }
	shift
	if [ -d "$built" ]; then
		(cd "$built" && timeout 300 "$GO" build "$@" .)
	else
		# shellcheck disable=SC2086
		timeout 300 "$GO" build "$@" $built
	fi
}

has "$GO" || [ -e "$MADE/fib" ] || skip_all "no Go toolchain"
begin "the programs are built"
build fib fib.go
build stripped fib.go -ldflags '-s -w'
build calls 'calls.go witness.go'
build kinds kinds.go
build kinds-stripped kinds.go -ldflags '-s -w'
build asm asm
build asm-stripped asm -ldflags '-s -w'
# The version's number says which features Go has.
[ -e "$MADE/minor" ] && read -r minor <"$MADE/minor" ||
	minor=$("$GO" version | sed -n 's/.*go1\.\([0-9]*\).*/\1/p')
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

[ "$(uname -m)" = aarch64 ] && aarch64=1 || aarch64=
[ "${minor:-99}" -ge $((17 + ${aarch64:-0})) ] && stack= || stack=1	# arguments are on the stack
# Goroutines as if they were threads.
as_threads() {
	sed 's/^\[g \([0-9]*\)\]/[\1]/' "$1"
}

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

begin "times, by goroutine"
rt hist "$T/calls" main.deep -- many 40
expect_line 'main.deep' "$T/err"
expect_no_line 'lost' "$T/err"
end_case

begin "not deeper than 2"
rt --depth=2 "$T/calls" main.deep -- deep 50
expect_text '>(main.deep 50)
> (main.deep 49)
< 49
<50' "$T/err"
end_case

begin "goroutines in Chrome's format"
rt --format=chrome -o "$T/json" "$T/calls" main.quit main.fib -- exit 4
expect_line '"thread_name","args":{"name":"g [0-9]*"}' "$T/json"
expect_line '"unfinished":"goroutine exited"' "$T/json"
end_case

has "$GO" || {
	skip "net/http, and C that calls back" "no Go toolchain"
	exit 0
}
# A uretprobe would end this program.
begin "net/http"
build http http.go
timeout 60 "$T/http" 25 >"$T/untraced" 2>/dev/null
rt "$T/http" net/http.Get -- 25
expect_status 0
expect_same "$T/untraced" "$T/out"
expect_number calls \
	"$(grep -c '>(net/http.Get "http://127.0.0.1:[0-9]*/[0-7]/[0-9]*")$' "$T/err")" -eq 200
expect_number results "$(grep -c '<{.*} nil$' "$T/err")" -eq 200
# shellcheck disable=SC2016
in_background sh -c 'while :; do :; done'
busy=$PID
rt hist "$T/http" net/http.Get 'net/http.(*Client).do' -- 25
expect_status 0
kill -KILL "$busy"
reap "$busy"
expect_same "$T/untraced" "$T/out"
expect_number 'times of both' \
	"$(grep -c '^avg = [0-9]* nsecs, total: [0-9]* nsecs, count: 200$' "$T/err")" -eq 2
end_case

begin "net/http, stripped: the set's types"
strip -o "$T/stripped" "$T/http"
rt "$T/stripped" @go -- 1 300
expect_status 0
expect_text "$("$T/http" 1 300)" "$T/out"
expect_number requests \
	"$(grep -c '>(net/http.(\*Client).do 0x[0-9a-f]* {.Method="GET", .URL=0x[0-9a-f]*} "http" "127.0.0.1:[0-9]*" "/[0-9]*/0")$' "$T/err")" -eq 300
expect_number answers "$(grep -c '<{.Status="200 OK", .StatusCode=200}$' "$T/err")" -eq 300
expect_number served "$(grep -c '>(net/http.serverHandler.ServeHTTP .* "/[0-9]*/0")$' "$T/err")" \
	-eq 300
end_case

if [ "${minor:-99}" -ge 18 ]; then
	begin "generic functions, by the name in the source"
	build generic generic.go
	cat >"$T/expected" <<'END'
>(main.sum[go.shape.int] [1, 2, 3] 2)
<12
>(main.sum[go.shape.float64] [1.5] <in xmm0>)
<<in xmm0>
>(main.(*stack[go.shape.string]).push {.items=[]} "one")
<1
END
	rt "$T/generic" main.sum 'main.(*stack[...]).push'
	sed 's/_[0-9]*\]/]/' "$T/err" | head -n 6 >"$T/trace"
	expect_same "$T/expected" "$T/trace"
	rt "$T/generic" 'main.sum[int]'
	expect_number calls "$(grep -c '^>' "$T/err")" -eq 1
	rt "$T/generic" 'main.sum[main.own]'
	expect_line "no function matches 'main.sum\[main.own\]'; did you mean 'main.sum\[go.shape.int.*\]' or 'main.sum\[go.shape.float64.*\]'?" "$T/err"
	rt "$T/generic" main.push
	expect_line "^rawtrace: .*: 'main.push' is inlined everywhere; .*; did you mean 'main.(\*stack\[go.shape.string.*\]).push'?\$" "$T/err"
	rt "$T/generic" fmt.Println
	expect_line "'fmt.Println' is inlined everywhere; try building with -gcflags=all=-l; did you mean .*'fmt.Fprintln'" "$T/err"
	end_case
fi

begin "C that calls back"
if has "$CC"; then
	build cgo cgo.go
	rt "$T/cgo" main.half main.back
	expect_status 0
	expect_text 'sum 15' "$T/out"
	expect_number halves "$(grep -c '(main.half [0-4])' "$T/err")" -eq 5
	expect_number backs "$(grep -c '(main.back [0-4])' "$T/err")" -eq 5
	as_threads "$T/err" >"$T/trace"
	expect_nested "$T/trace" whole
	rt "$T/cgo" inlined
	expect_line "'inlined' is inlined everywhere; try building with -fno-inline\$" "$T/err"
fi
end_case

# Its runtime is not the program's: without the goroutine the stacks that move would leave calls.
if ! quick; then
	begin "a library in Go, which a C program loads"
	if has "$CC" && build shared.so shared.go -buildmode=c-shared &&
		"$CC" "$TARGETS/go/shared.c" -o "$T/shared" -ldl -pthread; then
		rt "$T/shared" "$T/shared.so:main.deep" "$T/shared.so:main.odd" -- "$T/shared.so"
		expect_status 7
		expect_text 'bad 0' "$T/out"
		expect_number calls "$(grep -c '(main.deep [0-9]*)' "$T/err")" -eq 5490
		expect_no_line '\*\*\*' "$T/err"
		[ -n "$stack" ] || expect_number errors \
			"$(grep -c '<\*errors.errorString("even")' "$T/err")" -eq 90
	fi
	end_case
fi

# relay.so and its copy have a runtime each, in which goroutines have the same numbers.
if [ -z "$stack" ] && has "$CC" && [ -x "$T/shared" ]; then
	build relay.so relay.go -buildmode=c-shared && cp "$T/relay.so" "$T/relay2.so" &&
		"$CC" "$TARGETS/go/relay.c" -o "$T/relay" -ldl -pthread
	for mechanism in $MECHANISMS; do
		case $mechanism in
		"$first" | multi-event) ;;
		*) continue ;;
		esac
		begin "$mechanism: two libraries in Go that call each other"
		rt --attach="$mechanism" -o "$T/tree" "$T/relay" "$T/relay.so:main.relay" \
			"$T/relay2.so:main.relay" "$T/relay.so:main.alone" \
			"$T/relay.so:main.fall" "$T/relay2.so:main.alone" "$T/relay2.so:main.fall" \
			-- "$T/relay.so" "$T/relay2.so"
		expect_status 7
		expect_text 'bad 0' "$T/out"
		expect_line '^rawtrace: .*relay2.so: has its own Go runtime; its goroutines are shown as g2$' "$T/tree"
		sed '/^rawtrace:/d; s/^\[g2 \([0-9]*\)\]/[1000\1]/' "$T/tree" >"$T/labelled"
		as_threads "$T/labelled" >"$T/trace"
		awk '/^[ab] [0-9]+ [<>] / {
			t = ($1 == "a" ? "" : "1000") $2
			if ($3 == "<")
				level[t]--
			prefix = ""
			for (i = 0; i <= level[t]; i++)
				prefix = prefix (i % 2 ? " " : $3)
			if ($3 == ">")
				level[t]++
			sub(/^[ab] [0-9]+ [<>] /, "")
			print "[" t "] " prefix $0
		}' "$T/err" >"$T/witness"
		expect_agreement "$T/trace" "$T/witness"
		end_case
	done
	mechanism=
fi

# The running runtime reports calls that a recovered panic has unwound; it is not the one in the
# plugin's file.
if [ -z "$stack" ] && has "$CC" && ! quick; then
	begin "a plugin, whose runtime is the program's"
	build plugin.so plugin.go -buildmode=plugin && build host host.go -ldflags '-s -w'
	rt "$T/host" "$T/plugin.so:*.Deep" -- "$T/plugin.so"
	expect_status 0
	expect_number calls "$(grep -c '(plugin/.*.Deep [0-3])$' "$T/err")" -eq 15
	expect_number unwound "$(grep -c '\*\*\* unwound \*\*\*$' "$T/err")" -eq 15
	as_threads "$T/err" >"$T/trace"
	expect_nested "$T/trace"
	expect_no_line 'unfinished\|exited\|not seen' "$T/err"
	end_case
fi
