#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that everybody has, stripped as they are shipped, with prototypes as one pastes them from
# a header.
. "$SRCDIR/tests/live/lib.sh"

# A copy, so that nobody else's server is touched.
redis() {
	cp "$(command -v redis-server)" "$T/redis-server"
	in_background "$T/redis-server" --port 0 --unixsocket "$T/socket" --save "" --appendonly \
		no --dir "$T" >"$T/redis.log" 2>&1
	server=$PID
	wait_for 10 test -S "$T/socket" || because "redis-server does not begin"
	in_background "$RAWTRACE" -o "$T/trace" -p "$server" \
		'robj *createStringObject(const char ptr[len], size_t len)' \
		'robj *createEmbeddedStringObject(const char ptr[len], size_t len)' 2>"$T/err"
	tracer=$PID
	wait_for 10 probed "$server" || because "no probe"
	timeout 5 redis-cli -s "$T/socket" set octi fest >"$T/reply" 2>&1
	expect_text OK "$T/reply"
	wait_for 10 has_line '"fest"' "$T/trace"
	kill -INT "$tracer"
	reap "$tracer"
	kill "$server"
	reap "$server"
	expect_line '(createStringObject "set" 3)$' "$T/trace"
	expect_line '(createStringObject "octi" 4)$' "$T/trace"
	expect_line '(createStringObject "fest" 4)$' "$T/trace"
	expect_line '(createEmbeddedStringObject "fest" 4)$' "$T/trace"
	expect_line '^\(\[[0-9]*\] \)\{0,1\}<[< ]*0x[0-9a-f]*$' "$T/trace"
}

# Commands are sent until the tracer tells of one.
probed() {
	timeout 5 redis-cli -s "$T/socket" echo probed >/dev/null 2>&1
	has_line probed "$T/trace"
}

if has redis-server && has redis-cli; then
	begin "redis-server: createStringObject"
	redis
	end_case
else
	skip "redis-server" "it is not installed"
fi

if has sqlite3; then
	begin "sqlite3: sqlite3_prepare_v2"
	rt "$(command -v sqlite3)" \
		'libsqlite3.so.0:int sqlite3_prepare_v2(void *db, const char *sql, int n, void **statement, const char **tail)' -- \
		:memory: 'create table t(a, b); insert into t values(1, 2); select a + b from t;'
	expect_text 3 "$T/out"
	expect_line '(sqlite3_prepare_v2 0x[0-9a-f]* "insert into t values(1, 2); select a + b from t;" -1 ' "$T/err"
	expect_line '(sqlite3_prepare_v2 0x[0-9a-f]* "select a + b from t;" ' "$T/err"
	end_case
else
	skip "sqlite3" "it is not installed"
fi

# A program with debug information of its own tells what libz's stream is.
cat >"$T/unzip.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include <zlib.h>

int main(void)
{
	unsigned char packed[100], text[100];
	uLongf n = sizeof(packed);
	z_stream s = { 0 };

	compress(packed, &n, (const Bytef *)"some text, some text, some text", 32);
	s.next_in = packed;
	s.avail_in = (uInt)n;
	s.next_out = text;
	s.avail_out = sizeof(text);
	if (inflateInit(&s) != Z_OK || inflate(&s, Z_FINISH) != Z_STREAM_END)
		return 1;
	printf("%s %lu\n", text, s.total_out);
	inflateEnd(&s);
	return 0;
}
EOF
if ! "$RAWTRACE" --version | grep -q libdw; then
	skip "libz" "built without libdw"
	exit 0
fi
begin "libz: inflate's stream"
if $CC -g -O1 -o "$T/unzip" "$T/unzip.c" -lz 2>"$T/cc"; then
	rt "$T/unzip" 'libz.so.1:int inflate(struct z_stream_s *strm, int flush)'
	expect_text 'some text, some text, some text 32' "$T/out"
	expect_line '(inflate {\.next_in=[^,]*, \.avail_in=[0-9]*, \.total_in=0, \.next_out=[^,]*, \.avail_out=100, \.total_out=0, \.msg=NULL, .*} 4)$' "$T/err"
	expect_line '^<1$' "$T/err"
else
	show "$T/cc"
fi
end_case
