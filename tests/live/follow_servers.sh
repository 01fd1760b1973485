#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children of servers, with -f: the server's own log has the same calls.
. "$SRCDIR/tests/live/lib.sh"
# postgres begins only where lib is beside its bin.
mkdir "$T/bin" "$T/lib"

# Until a query is answered.
answers() {
	"$psql" -q -h "$T/data" -d postgres -U postgres -c 'select 1' >/dev/null 2>&1
}

# The server has parsed each statement that it logs, and its probe has the text.
postgres() {
	cp "$bin/postgres" "$T/bin/postgres"
	mkdir "$T/data"
	chown postgres "$T" "$T/data"
	su postgres -s /bin/sh -c "'$bin/initdb' -N -A trust -D '$T/data'" >"$T/initdb" 2>&1 ||
		because "initdb fails"
	in_background "$RAWTRACE" -f -u postgres -o "$T/trace" "$T/bin/postgres" \
		'pg_parse_query(const char *query_string)' \
		'usdt:postgresql:query__start(const char *query)' usdt:postgresql:query__done -- \
		-D "$T/data" -c listen_addresses= -c unix_socket_directories="$T/data" -c \
		log_statement=all \
		2>"$T/log"
	tracer=$PID
	wait_for 20 answers || because "no answer"
	for i in 1 2 3 4 5 6; do
		printf 'select %d;\nselect %d + 1;\n' "$i" "$i" | "$psql" -q -h "$T/data" -d \
			postgres -U postgres >/dev/null 2>&1 &
		clients="${clients:-} $!"
	done
	# shellcheck disable=SC2086 # several processes
	wait $clients
	printf 'begin;\nselect 7;\nend;\n' >"$T/script"
	timeout $((30 * SECOND)) "$bin/pgbench" -n -t 20 -c 2 -f "$T/script" -h "$T/data" \
		-U postgres postgres >"$T/pgbench" 2>&1
	kill -INT "$(sed -n 1p "$T/data/postmaster.pid")"
	reap "$tracer"
	expect_status 0
	logged=$(grep -c ' LOG:  statement: ' "$T/log")
	traced=$(grep -c '(pg_parse_query "' "$T/trace")
	expect_number "statements" "$traced" -eq "$logged"
	expect_number "statements" "$traced" -ge 12
	expect_line "^number of transactions actually processed: $(grep -c \
		'(postgresql:query "end;")$' "$T/trace")/40\$" "$T/pgbench"
	simple='^begin;$\|^end;$\|^select [0-9+ ]*;$'
	sed -n 's/.* LOG:  statement: //p' "$T/log" | grep "$simple" | sort >"$T/said"
	sed -n 's/.*(postgresql:query "\(.*\)")$/\1/p' "$T/trace" | grep "$simple" |
		sort >"$T/queries"
	expect_same "$T/said" "$T/queries"
	expect_number "backends" \
		"$(sed -n 's/^\[\([0-9]*\)\] >.*/\1/p' "$T/trace" | sort -u | grep -c '')" -ge 6
}

# nginx's log names the process that answers each request.
serve_pages() {
	cp "$(command -v nginx)" "$T/bin/nginx"
	nginx_config 'user root; worker_processes 3;' \
		"log_format who '\$pid \$status'; access_log $T/access who;"
	in_background "$RAWTRACE" -f --format=json -o "$T/trace" "$T/bin/nginx" \
		ngx_http_free_request:0 -- -c "$T/conf" 2>"$T/err"
	tracer=$PID
	wait_for 20 test -S "$T/web" || because "nginx does not begin"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		timeout 20 curl -s --unix-socket "$T/web" http://local/ http://local/none \
			>/dev/null 2>&1
	done
	wait_for 10 lines_at_least 20 "$T/access" || because "not 20 requests are in nginx's log"
	kill -QUIT "$(cat "$T/nginx.pid")"
	reap "$tracer"
	expect_status 0
	sed 's/ .*//' "$T/access" | sort >"$T/said"
	sed -n 's/.*"pid":\([0-9]*\),.*"name":"ngx_http_free_request".*/\1/p' "$T/trace" | sort \
		>"$T/traced"
	expect_same "$T/said" "$T/traced"
}

if has nginx && has curl; then
	begin "nginx: the requests of each process of a server that forks beforehand"
	! selected || serve_pages
	end_case
else
	skip "nginx" "it is not installed"
fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sed -n '$p')
psql=$bin/psql
if [ -x "$bin/postgres" ] && [ -x "$psql" ] && grep -q '^postgres:' /etc/passwd; then
	begin "postgres: the statements of each backend, and pgbench's transactions"
	! selected || postgres
	end_case
else
	skip "postgres" "it is not installed"
fi

redis() {
	cp "$(command -v redis-server)" "$T/bin/redis-server"
	in_background "$RAWTRACE" -f -o "$T/trace" "$T/bin/redis-server" rdbSaveRio:0 -- --port 0 \
		--unixsocket "$T/socket" \
		--save "" --appendonly no --dir "$T" >"$T/redis.log" 2>"$T/err"
	tracer=$PID
	wait_for 20 test -S "$T/socket" || because "redis-server does not begin"
	for i in 1 2 3; do
		redis-cli -s "$T/socket" set "key$i" value >/dev/null 2>&1
		redis-cli -s "$T/socket" bgsave >/dev/null 2>&1
		wait_for 10 saved $i || because "no save $i"
	done
	redis-cli -s "$T/socket" shutdown nosave >/dev/null 2>&1
	reap "$tracer"
	expect_status 0
	sed -n 's/.*Background saving started by pid \([0-9]*\).*/\1/p' "$T/redis.log" >"$T/savers"
	expect_number "children that save" "$(grep -c '' "$T/savers")" -eq 3
	while read -r pid; do
		expect_line "^+++ $pid exited" "$T/trace"
	done <"$T/savers"
	expect_number "calls" "$(grep -c '(rdbSaveRio' "$T/trace")" -eq 3
}

# saved N: so many saves are done.
saved() {
	[ "$(grep -c 'Background saving terminated with success' "$T/redis.log")" -ge "$1" ]
}

if has redis-server && has redis-cli; then
	begin "redis: BGSAVE in children"
	! selected || redis
	end_case
else
	skip "redis" "it is not installed"
fi
