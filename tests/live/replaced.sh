#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are replaced while rawtrace starts.  It looks for a debug file then: a debuginfod-find
# of the test's own, which runs as nobody, replaces what is in a folder of nobody.
. "$SRCDIR/tests/live/lib.sh"

has objcopy || skip_all "no objcopy"
mkdir -p "$T/bin" "$T/dir"
cat >"$T/prog.c" <<-EOT
	#include <unistd.h>
	int called(int n);
	__attribute__((noinline)) int own(int n) { return n + called(n); }
	int main(int argc, char **argv)
	{
		if (argc == 1)
			return own(1) != 3;
		for (;;) {
			usleep(10000);
			if (access(argv[1], F_OK) == 0)
				execl("/bin/sleep", "sleep", "30", (char *)0);
			own(1);
		}
	}
EOT
echo 'int called(int n) { return n + 1; }' >"$T/lib.c"
{
	"$CC" -O1 -g -Wl,--build-id -Wl,-soname,lib.so -shared -fPIC -o "$T/lib.so" "$T/lib.c" &&
		"$CC" -O1 -g -Wl,--build-id -o "$T/prog" "$T/prog.c" "$T/lib.so" \
			-Wl,-rpath,"$T/dir" &&
		objcopy -S "$T/prog" "$T/prog.bare" && objcopy -S "$T/lib.so" "$T/lib.bare"
} >"$T/cc" 2>&1 || skip_all "no build: $(tail -1 "$T/cc")"

# fresh_files: as they are when rawtrace starts
fresh_files() {
	rm -rf "$T/dir"
	mkdir "$T/dir"
	cp "$T/prog.bare" "$T/dir/prog"
	cp "$T/lib.bare" "$T/dir/lib.so"
	chown -R 65534 "$T/dir"
}

# meanwhile COMMAND: what happens while rawtrace starts
meanwhile() {
	cat >"$T/bin/debuginfod-find" <<-EOT
		#!/bin/sh
		cd "$T/dir"
		[ -e done ] || { $1; }
		: >done
		exit 1
	EOT
	chmod +x "$T/bin/debuginfod-find"
}

DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$T/cache RAWTRACE_DEBUG_DIR=/nonexistent
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH RAWTRACE_DEBUG_DIR
PATH=$T/bin:$PATH

# restarts CASE WHAT COMMAND
restarts() {
	begin "$1"
	fresh_files
	meanwhile "$3"
	rt "$T/dir/prog" 'fn_*'
	[ -e "$T/dir/done" ] || because "nothing was asked for a debug file"
	expect_status 1
	expect_line "^rawtrace: .*$2 while rawtrace started; start rawtrace again" "$T/err"
	end_case
}

restarts "a program replaced" "prog: was replaced" 'cp prog new; mv new prog'
restarts "a program written to" "prog: was written to" 'cat /bin/true >prog'
restarts "a library replaced" "lib.so: was replaced" 'cp lib.so new; mv new lib.so'
restarts "a library written to" "lib.so: was written to" 'cat prog >lib.so'
restarts "a library removed" "lib.so: was replaced" 'rm lib.so'

begin "nothing replaced"
fresh_files
meanwhile :
rt "$T/dir/prog" 'fn_*'
expect_status 0
expect_line '^[<>]' "$T/err"
end_case

# A running process keeps what it has mapped.
begin "-p: a file replaced"
fresh_files
meanwhile 'cp prog new; mv new prog; cp lib.so new; mv new lib.so'
in_background "$T/dir/prog" "$T/exec"
worker=$PID
wait_for 10 grep -q "$T/dir/lib.so" "/proc/$worker/maps"
in_background "$RAWTRACE" -p "$worker" 'fn_*' >"$T/out" 2>"$T/err"
wait_for 20 has_line '^[<>]' "$T/err" || show "$T/err"
kill -INT "$PID"
reap "$PID"
expect_status 0
end_case

begin "-p: a process that calls exec"
meanwhile ": >asked; until grep -q sleep /proc/$worker/comm; do sleep 0.05; done"
rm -f "$T/dir/done"
timeout 20 "$RAWTRACE" -p "$worker" 'fn_*' >"$T/out" 2>"$T/err" &
tracer=$!
wait_for 10 test -e "$T/dir/asked"
: >"$T/exec"
wait "$tracer"
ST=$?
expect_status 1
expect_line "^rawtrace: process $worker: called exec while rawtrace started; start rawtrace again" \
	"$T/err"
end_case
kill "$worker" 2>/dev/null
reap "$worker"
exit "${CASES_FAILED:-0}"
