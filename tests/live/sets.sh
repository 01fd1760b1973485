#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sets of probes: those that are built in, with the programs that they are for, and a user's own.
. "$SRCDIR/tests/live/lib.sh"
target versions "${CC:-cc}" -O1 "$TARGETS/versions.c" || skip_all "$(no_target versions)"
target paired "${CC:-cc}" -O1 "$TARGETS/paired.c" || skip_all "$(no_target paired)"
targets_made
find_mechanisms

cat >"$T/own" <<'END'
struct text { const char at[length]; long length; }
struct buffer { const char at[end]; const char *end; }
requires new_call !later_call
int new_call(struct text *text)
requires later_call
int new_call(int no_text)
requires !main
int old_call(int no_buffer)
requires any
int old_call(struct buffer *buffer)
END

begin "a set that tells versions of a program apart, and text with its length or end"
rt "$T/versions" @"$T/own"
expect_status 0
expect_text '>(new_call "one")
<1
>(old_call "two")
<2' "$T/err"
end_case

begin "list: the functions of a set, with its declarations"
rt list "$T/versions" @"$T/own"
expect_status 0
expect_line ' int new_call(struct text \*text)$' "$T/out"
expect_line ' int old_call(struct buffer \*buffer)$' "$T/out"
expect_number functions "$(grep -c _call "$T/out")" -eq 2
rt list --format=json "$T/versions" @"$T/own"
expect_line '"prototype":"int new_call(struct text \*text)"' "$T/out"
rt list "$T/versions" @nginx
expect_status 2
expect_message '@nginx: none of its functions is in ' "$T/err"
end_case

begin "a set's mistake has its file, line and caret"
printf '%s\n' 'struct text { const char at[size]; long length; }' \
	'int new_call(struct text *text)' >"$T/wrong"
rt "$T/versions" @"$T/wrong"
expect_status 2
expect_line "^rawtrace: $T/wrong:1: .*column 29: expected the other of two members" "$T/err"
expect_line '^ *^$' "$T/err"
end_case

cat >"$T/pairs" <<'END'
usdt:toy:work__start(int n, int level)
usdt:toy:work__done(int n, int result)
usdt:toy:alone(int n)
pair toy:*__start toy:*__done 1
END
for mechanism in $MECHANISMS; do
	begin "$mechanism: two USDT probes are a call; jumps that skip the second"
	rt --attach="$mechanism" "$T/paired" @"$T/pairs"
	expect_status 0
	expect_text '>(toy:work 1 0)
> (toy:work 2 1)
> >(toy:work 4 2)
< <#<void>
> >(toy:work 5 2)
< <*** unwound ***
< *** unwound ***
<*** unwound ***
>(toy:work 2 0)
> (toy:work 4 1)
> >(toy:work 8 2)
< <#<void>
> >(toy:work 9 2)
< <#<void>
< #<void>
> (toy:work 5 1)
> >(toy:work 10 2)
< <#<void>
> >(toy:work 11 2)
< <#<void>
< #<void>
<#<void>
>(toy:alone 3)' "$T/err"
	end_case
done

for mechanism in $MECHANISMS; do
	begin "$mechanism: calls of two USDT probes are timed and counted"
	rt hist --attach="$mechanism" -o "$T/table" "$T/paired" @"$T/pairs"
	expect_status 0
	sed -n 's/^avg.*count: //p; /^Function/p; /^\*\*\*/p' "$T/table" >"$T/rows"
	expect_text 'Function = toy:work
8
*** 3 calls not timed: no return seen ***
Function = toy:alone
*** 1 call not timed: no return seen ***' "$T/rows"
	rt count --attach="$mechanism" -o "$T/table" "$T/paired" @"$T/pairs"
	tr -s ' ' <"$T/table" >"$T/rows"
	expect_text 'FUNC COUNT
toy:work 11
toy:alone 1' "$T/rows"
	end_case
done

cat >"$T/words.c" <<'END'
#include "sdt.h"

int main(int argc, char **argv)
{
	SITE("toy", "request__startup", "0", "-4@%0", "r"(argc));
	SITE("toy", "request__shutdown", "0", "-4@%0", "r"(argc));
	return !argv[0];
}
END
if target words "$CC" -O1 -I "$TARGETS" "$T/words.c"; then
	begin "a call of two USDT probes is named by their first words in common"
	printf '%s\n' 'usdt:toy:request__*' 'pair toy:request__startup toy:request__shutdown' \
		>"$T/words.set"
	rt "$T/words" @"$T/words.set"
	expect_status 0
	expect_line '^>(toy:request' "$T/err"
	expect_no_line 'request__s' "$T/err"
	end_case
fi

sed 's/__done 1$/& name toy.$level.$n.$none/' "$T/pairs" >"$T/named"
begin "calls of two USDT probes have names by their arguments, live and recorded"
rt --format=folded -o "$T/folded" "$T/paired" @"$T/named"
expect_status 0
expect_line ';toy\.0\.2\.?;toy\.1\.4\.?;toy\.2\.8\.? [0-9]*$' "$T/folded"
rt record -o "$T/named.rt" "$T/paired" @"$T/named"
expect_status 0
rt report --format=folded -o "$T/folded" "$T/named.rt"
expect_status 0
expect_line ';toy\.0\.2\.?;toy\.1\.4\.?;toy\.2\.8\.? [0-9]*$' "$T/folded"
rt report --format=html -o "$T/names.html" "$T/named.rt"
expect_line '^"toy\.1\.4\.?",*$' "$T/names.html"
# A span of the time line is [thread, name, level, start, duration].
awk -F '[],[]' '/"names":\[/ { i = -1 } /^"/ { i++ } /^"toy\./ && !first { first = i }
	/"spans":\[/ { spans = 1 } spans && /^\[/ && $3 >= first { n++ }
	END { print (first > 0), n }' "$T/names.html" >"$T/spans"
rt report --format=summary -o "$T/table" "$T/named.rt"
expect_line ' toy\.2\.8\.?$' "$T/table"
expect_text "1 $(awk '/ toy\./ { n += $1 } END { print n }' "$T/table")" "$T/spans"
rt hist -o "$T/table" "$T/paired" @"$T/named"
expect_status 0
sed -n 's/^Function = //p' "$T/table" | sort >"$T/live"
expect_number "names" "$(grep -c '^toy\.[0-2]\.[0-9]*\.?$' "$T/live")" -eq 11
expect_no_line '^Function = toy:work\|not called' "$T/table"
rt report --format=hist -o "$T/table" "$T/named.rt"
sed -n 's/^Function = //p' "$T/table" | sort >"$T/recorded"
expect_same "$T/live" "$T/recorded"
expect_no_line 'not called' "$T/table"
rt top --batch=1 -o "$T/round" "$T/paired" @"$T/named"
expect_line ' [0-9.]* [num]*s  toy\.2\.8\.?$' "$T/round"
expect_no_line ' toy:work$' "$T/round"
rt report --format=chrome -o "$T/chrome" "$T/named.rt"
expect_line '"name":"toy\.1\.4\.?","args":{"n":4,"level":1}' "$T/chrome"
expect_no_line '"name":"toy:work"' "$T/chrome"
rt report --format=speedscope -o "$T/speedscope" "$T/named.rt"
# Frame 0 is on the line that begins the frames.
frame=$(awk '/"frames":/ { first = NR } /"toy\.1\.4\.\?"/ { print NR - first }' "$T/speedscope")
expect_number "opened and closed" "$(grep -c "\"frame\":$frame}" "$T/speedscope")" -eq 2
rt report --format=perfetto -o "$T/perfetto" "$T/named.rt"
expect_number "interned once" "$(grep -aco 'toy\.1\.4\.?' "$T/perfetto")" -eq 1
expect_number "no name of a probe" "$(grep -aco 'toy:work' "$T/perfetto")" -eq 0
end_case

begin "a wrong pair of USDT probes has its line"
printf 'usdt:toy:alone\npair toy:*__start toy:done\n' >"$T/wrong"
rt "$T/paired" @"$T/wrong"
expect_status 2
expect_message "$T/wrong:2: .*expected pair PROVIDER:NAME PROVIDER:NAME" "$T/err"
end_case

cat >"$T/root.c" <<'END'
#include <math.h>

int main(int argc, char **argv)
{
	return !argv[0] || pow(argc, 0.5) != 1;
}
END
if target root "${CC:-cc}" -O1 -fno-builtin "$T/root.c" -lm; then
	# Some implementations of libm's functions begin with AVX, which kernels refuse to probe.
	begin "a set does without a function that the kernel cannot probe"
	rt "$T/root" @libm
	expect_status 0
	expect_line '^>(pow' "$T/err"
	end_case

	begin "remarks are lines of at most 100 characters"
	for options in -Z -f '-k -x libc.so.6:mem*' -c; do
		# shellcheck disable=SC2086 # options
		rt $options "$T/root" '*' @libc @libm 'libm.so.6:*'
		grep '^rawtrace: ' "$T/err" | awk 'length > 100' >"$T/long"
		[ ! -s "$T/long" ] || show "$T/long"
	done
	expect_line '^rawtrace: .* calls that run the kernel.s code (vDSO) are not seen$' "$T/err"
	end_case
fi

if has redis-server && has redis-cli; then
	begin "redis: each argument of a command, in a stripped server"
	serve_keys() {
		cp "$(command -v redis-server)" "$T/redis-server"
		in_background "$T/redis-server" --port 0 --unixsocket "$T/socket" --save "" \
			--appendonly no --dir "$T" >"$T/log" 2>&1
		server=$PID
		wait_for 20 test -S "$T/socket" || because "redis-server does not begin"
		in_background "$RAWTRACE" -v -p "$server" -o "$T/trace" @redis 2>"$T/err"
		wait_for 20 has_line ' function.* in ' "$T/err"
		# The first that is traced tells that the probes are in.
		wait_for 20 traced_ping || because "nothing is traced"
		redis-cli -s "$T/socket" set foo bar >/dev/null 2>&1
		redis-cli -s "$T/socket" get foo >/dev/null 2>&1
		redis-cli -s "$T/socket" shutdown nosave >/dev/null 2>&1
		reap "$PID"
		expect_status 0
		expect_line '^>(createStringObject "set" 3)$' "$T/trace"
		expect_line '^>(createStringObject "bar" 3)$' "$T/trace"
		expect_number keys "$(grep -c '>(createStringObject "foo" 3)$' "$T/trace")" -eq 2
		expect_line '> (slowlogPushEntryIfNeeded 0x[0-9a-f]* 0x[0-9a-f]* 3 [0-9]* "set")$' \
			"$T/trace"
		reap "$server"
	}
	traced_ping() {
		redis-cli -s "$T/socket" ping >/dev/null 2>&1
		grep -q '(createStringObject "ping" 4)' "$T/trace"
	}
	! selected || serve_keys
	end_case
else
	skip "redis" "it is not installed"
fi

if has sqlite3 && ldd "$(command -v sqlite3)" | grep -q 'libsqlite3\.so'; then
	begin "sqlite: statements"
	cp "$(command -v sqlite3)" "$T/sqlite3"
	rt "$T/sqlite3" @sqlite -- :memory: 'create table t(a)' 'insert into t values(7)' \
		'select a from t'
	expect_status 0
	expect_text 7 "$T/out"
	expect_line '^>(sqlite3_prepare_v2 0x[0-9a-f]* "insert into t values(7)" -1 .*)$' "$T/err"
	expect_line '^<SQLITE_ROW$' "$T/err"
	expect_nested "$T/err" whole
	end_case

	begin "-f: sqlite: statements of a child, whose program the set does not name"
	cp "$(command -v sqlite3)" "$T/other"
	rt -f sh @sqlite -- -c "cd /; '$T/other' :memory: 'select 9'"
	expect_status 0
	expect_text 9 "$T/out"
	expect_line '>(sqlite3_prepare_v2 0x[0-9a-f]* "select 9" -1 .*)$' "$T/err"
	end_case

	begin "malloc: allocations by size"
	rt "$T/sqlite3" @malloc -- :memory: 'select 8'
	expect_status 0
	expect_text 8 "$T/out"
	expect_line '^>(malloc [0-9]*)$' "$T/err"
	expect_line '^>(free 0x[0-9a-f]*)$' "$T/err"
	end_case
else
	skip "sqlite" "it is not installed"
fi

if has openssl; then
	begin "openssl: the text that a client writes"
	send_by_tls() {
		mkfifo "$T/nothing"
		# It has no room for a long path.
		in_background sh -c 'cd "$0" && exec openssl s_server -unix tls -nocert \
			-psk 1a2b -quiet <>nothing' "$T" >"$T/received" 2>&1
		server=$PID
		wait_for 20 test -S "$T/tls" || because "s_server does not begin"
		{
			echo hello
			wait_for 20 has_line hello "$T/received"
		} | (cd "$T" && timeout 60 "$RAWTRACE" -o trace openssl @openssl -- s_client \
			-unix tls -psk 1a2b -quiet -no_ign_eof) >"$T/out" 2>"$T/err"
		kill "$server" 2>/dev/null
		reap "$server"
		expect_line '>(SSL_write 0x[0-9a-f]* "hello.n" 6)$' "$T/trace"
		expect_text hello "$T/received"
	}
	! selected || send_by_tls
	end_case
fi

begin "pthread: threads are created with their function"
rt "$BIN/threads" @pthread
expect_number "threads" "$(grep -c '>(pthread_create 0x[0-9a-f]* NULL thread_main 0x[0-9]*)$' \
	"$T/err")" -eq 4
end_case

if "$RAWTRACE" list /usr/bin/python3 usdt:python:gc__start >/dev/null 2>&1; then
	begin "python: collections of each generation"
	rt /usr/bin/python3 @python -- -c 'import gc; gc.collect(1)'
	expect_status 0
	expect_line '>(python:gc 1)$' "$T/err"
	expect_no_line 'python:gc__' "$T/err"
	end_case
fi

if has nginx && has curl; then
	begin "nginx: requests"
	serve_pages() {
		cp "$(command -v nginx)" "$T/nginx"
		nginx_config 'master_process off;' 'access_log off; open_file_cache max=10;'
		in_background "$RAWTRACE" -o "$T/trace" "$T/nginx" @nginx -- -c "$T/conf" 2>"$T/err"
		wait_for 20 test -S "$T/web" || because "nginx does not begin"
		curl -s --unix-socket "$T/web" http://local/ >"$T/page" 2>&1
		expect_text hello "$T/page"
		curl -s --unix-socket "$T/web" http://local/none >/dev/null 2>&1
		kill -INT "$PID"
		reap "$PID"
		expect_line '>(ngx_http_parse_request_line 0x[0-9a-f]* "GET /none HTTP/1.1.*)$' \
			"$T/trace"
		expect_line '(ngx_http_special_response_handler 0x[0-9a-f]* 404)$' "$T/trace"
		expect_line "(ngx_open_cached_file 0x[0-9a-f]* \"$T/html/.*)\$" "$T/trace"
	}
	! selected || serve_pages
	end_case
else
	skip "nginx" "it is not installed"
fi
exit 0
