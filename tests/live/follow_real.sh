#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children of programs that everybody has, with -f: strace or a program's own log counts the same
# calls.
. "$SRCDIR/tests/live/lib.sh"

# Copies, so that no other process has the probes.
mkdir "$T/lib" "$T/bin"
libc=$(ldd "$(command -v make || command -v sh)" 2>/dev/null |
	sed -n 's/.*=> \(.*\/libc\.so\.6\) .*/\1/p')
[ -n "$libc" ] || skip_all "no libc.so.6"
cp "$libc" "$T/lib/libc.so.6"

# same_counts FUNCTION... -- COMMAND...: the calls of libc's functions are the system calls that
# strace counts; the command's output and status are as without rawtrace.
same_counts() {
	functions=
	while [ "$1" != -- ]; do
		functions="$functions $1"
		shift
	done
	shift
	"$@" >"$T/untraced" 2>/dev/null </dev/null
	untraced=$?
	strace -f -c -o "$T/strace" -e trace="$(echo $functions | tr ' ' ,)" "$@" >/dev/null 2>&1 \
		</dev/null
	program=$1
	shift
	# shellcheck disable=SC2086 # several functions
	LD_LIBRARY_PATH=$T/lib rt count -f "$program" $(printf ' libc.so.6:%s' $functions) -- "$@"
	selected || return
	expect_status $untraced
	expect_same "$T/untraced" "$T/out"
	for function in $functions; do
		calls=$(awk -v f="$function" '$NF == f { print $4 }' "$T/strace")
		# The first execve is strace's own, or rawtrace's.
		[ "$function" != execve ] || calls=$((calls - 1))
		counted=$(awk -v f="$function" '$1 == f { print $2 }' "$T/err")
		expect_number "$function" "${counted:-0}" -eq "${calls:-0}"
		expect_number "$function" "${counted:-0}" -gt 0
	done
	expect_no_line 'lost' "$T/err"
}

# The loader and libc's own opens have O_CLOEXEC, and are not by open(); gcc names its temporary
# files anew each time.
same_opens() {
	grep -v -e O_CLOEXEC "$1" | sed -n "$2" | sed 's/cc[A-Za-z0-9]\{6\}\./cc./' | sort >"$3"
}

# A build of 12 files: strace sees the same files opened; the objects are as without rawtrace.
builds() {
	mkdir "$T/build.d"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf '#include <stddef.h>\nsize_t f%d(size_t n) { return n + %d; }\n' $i $i \
			>"$T/build.d/f$i.c"
	done
	printf '%s\n' 'all: $(patsubst %.c,%.o,$(wildcard *.c))' '%.o: %.c' \
		'	@gcc -c -O1 -o $@ $<; echo $@' >"$T/build.d/Makefile"
	strace -f -qq -s 300 -o "$T/strace" -e trace=open,openat make -s -B -j2 -C "$T/build.d" \
		2>/dev/null </dev/null | sort >"$T/untraced"
	cksum "$T/build.d/"*.o >"$T/objects"
	LD_LIBRARY_PATH=$T/lib rt -f -s 300 -o "$T/trace" make cc1:main 'libc.so.6:open*' -- \
		-s -B -j2 -C "$T/build.d"
	expect_status 0
	sort "$T/out" >"$T/printed"
	expect_same "$T/untraced" "$T/printed"
	cksum "$T/build.d/"*.o >"$T/objects.traced"
	expect_same "$T/objects" "$T/objects.traced"
	expect_number "compilers" "$(grep -c '>(main ' "$T/trace")" -eq 12
	same_opens "$T/strace" 's/.* open[at]*([^"]*"\([^"]*\)".*/\1/p' "$T/said"
	same_opens "$T/trace" 's/.*>[> ]*(open[at]* [^"]*"\([^"]*\)".*/\1/p' "$T/opened"
	expect_same "$T/said" "$T/opened"
	expect_number "files opened" "$(grep -c '' "$T/opened")" -gt 100
	expect_no_line 'lost' "$T/err"
}

if ! has strace || ! strace -f -c -o "$T/strace" -e trace=execve true 2>/dev/null; then
	skip "commands" "no strace"
else
	begin "a shell script of 200 commands"
	i=0
	while [ $i -lt 100 ]; do
		echo "cat '$T/text'; /bin/echo $i"
		i=$((i + 1))
	done >"$T/script"
	echo exit 7 >>"$T/script"
	echo text >"$T/text"
	same_counts execve -- "$(command -v sh)" "$T/script"
	end_case

	# If probes are known by address, each program has them at other addresses.
	begin "count: functions of a library in programs that come and go"
	for way in '' --no-bpf; do
		# shellcheck disable=SC2086 # an option or none
		LD_LIBRARY_PATH=$T/lib rt count -f $way "$(command -v sh)" 'libc.so.6:*open*' \
			'libc.so.6:strc*' -- \
			-c "cat '$T/text'; ls '$T/lib'; sed -n 1p '$T/text'"
		expect_no_line '^?' "$T/err"
		sed -n '/^FUNC/,$p' "$T/err" >"$T/table$way"
	done
	! selected || expect_same "$T/table--no-bpf" "$T/table"
	end_case

	begin "find -exec"
	mkdir "$T/files"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo $i >"$T/files/$i"
	done
	same_counts execve -- "$(command -v find)" "$T/files" -type f -exec cat {} ';'
	end_case

	if has make && has gcc; then
		begin "make -j2: four files are compiled"
		mkdir "$T/make"
		for i in 1 2 3 4; do
			echo "int f$i(int n) { return n + $i; }" >"$T/make/f$i.c"
		done
		printf '%s\n' 'all: f1.o f2.o f3.o f4.o' '%.o: %.c' '	@gcc -c -O1 -o $@ $<' \
			'clean:' '	@rm -f *.o' >"$T/make/Makefile"
		same_counts execve unlink -- "$(command -v make)" -s -B -j2 -C "$T/make"
		end_case

		# Elsewhere all processes would have the probes in the system's compiler.
		if grep -q '^children.*inherited probes' "$RT_DOCTOR"; then
			begin "make -j2: each file that a process of a build opens, each compiler"
			! selected || builds
			end_case
		fi
	else
		skip "make -j2" "no make or no gcc"
	fi
fi

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
