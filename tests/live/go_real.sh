#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Go programs that need the toolchain here: net/http, generic functions, C that calls back,
# libraries and plugins in Go.
. "$SRCDIR/tests/live/lib.sh"
. "$LIVE/golang.sh"
has "$GO" || skip_all "no Go toolchain"
find_mechanisms
first=${MECHANISMS# }
first=${first%% *}
mechanism=
go_version

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
