#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Arguments and results by their types: what typed.c passes, at each optimization and by each
# mechanism; and what gdb sees of the same calls.
. "$SRCDIR/tests/live/lib.sh"
FUNCTIONS='parse_request scalars pick by_value in_memory real wide nothing callback twice many'

# shellcheck disable=SC2086 # a command with its options
for o in 0 2; do
	target typed$o $CC -g -O$o -fno-optimize-sibling-calls "$TARGETS/typed.c" ||
		skip_all "$(no_target typed.c)"
done
# shellcheck disable=SC2086
target stripped $CC -O2 -fno-optimize-sibling-calls -Wl,--strip-debug "$TARGETS/typed.c"
# shellcheck disable=SC2086
[ "$(uname -m)" = x86_64 ] && target typed32 $CC -m32 -g -O2 "$TARGETS/typed.c" && typed32=yes ||
	typed32=
targets_made
find_mechanisms
! registers_only || skip_all "this kernel reads no memory (3.10)"
"$RAWTRACE" --version | grep -q ', libdw' || skip_all "built without libdw"

# On aarch64 a structure of 16 bytes is in two general registers whatever its members are, one of
# floats and a long double are in vector registers, and at a return nothing tells where a large
# result lies.
want=$LIVE/typed.expected
large='{\.v=\[3, 4, -1\]}' large_cut='{\.v=\[3, 4, \.\.\.\]}'
if [ "$(uname -m)" = aarch64 ]; then
	large='<in memory>' large_cut=$large want=$T/expected
	sed -e 's/(by_value {\.a=7, \.b=<in xmm0>}/(by_value {.a=7, .b=2.5}/' \
		-e "s/^<{\\.v=\\[3, 4, -1\\]}\$/<$large/" \
		-e 's/(real 1 .*/(real 1 <in v0> <in v1> {.x=<in v2>, .y=<in v3>} 4)/' \
		-e 's/^<<in xmm0>$/<<in v0>/' \
		-e 's/(wide \(.*\) [^ ]*)$/(wide \1 <in v0>)/' "$LIVE/typed.expected" >"$want"
fi

# typed WANT TRACE: without what depends on where memory is.  Without BPF, and by the BPF of kernels
# before 5.5, nothing of a string is read whose end is not there; without BPF the name of a function
# is known while the process runs.
typed() {
	sed -e 's/ 0x[0-9a-f]*)$/ STACK)/' "$2" >"$T/seen"
	# Up to 4.14 an empty string is to uprobe_events like one that cannot be read.
	[ $mechanism != tracefs ] || sed -i -e 's/(callback 0x[0-9a-f]*/(callback twice/' \
		-e 's/ 0x[0-9a-f]*<unreadable> "caf/ "" "caf/' "$T/seen"
	if [ $mechanism = tracefs ] || grep -q '^probe_read_user  *no ' "$T/doctor"; then
		sed -i -e 's/<unreadable> 0x[0-9a-f]*<unreadable> NULL)/<unreadable> "edge"... NULL)/' "$T/seen"
	fi
	expect_same "$1" "$T/seen"
}

levels="0 2"
for mechanism in $MECHANISMS; do
	for o in $levels; do
		begin "$mechanism: -O$o"
		# shellcheck disable=SC2086 # several functions
		rt --attach="$mechanism" "$T/typed$o" $FUNCTIONS
		expect_status 0
		typed "$want" "$T/err"
		end_case
	done
	! slow || levels=2
done

begin "what a copy of a function is not given is not shown"
rt "$T/typed2" copied
expect_status 0
unknown='<not known>\|<optimized out>'
expect_line "^>(copied[^ ]* \(1\|$unknown\) \(2\|$unknown\) \(\"also\"\|$unknown\))\$" "$T/err"
expect_line "^>(copied[^ ]* \(3\|$unknown\) \(3\|$unknown\) \(NULL\|$unknown\))\$" "$T/err"
end_case

if [ "$(uname -m)" = x86_64 ]; then
	# clang before 18 does not align __int128.
	for compiler in "$CC" clang; do
		has "${compiler%% *}" && $compiler -w -g -O1 "$TARGETS/typed.c" -o "$T/aligned" ||
			continue
		begin "what is aligned on the stack: $compiler"
		rt "$T/aligned" aligned
		expect_status 0
		expect_line '^>(aligned 1 2 3 4 5 6 7 -8 9 {\.a=10, \.b=11} {\.v=\[1\.5, -0\.1\], \.q=-2\.25})$' "$T/err"
		end_case
		[ "$CC" != clang ] || break
	done
fi

if has gdb; then
	begin "as gdb sees them"
	gdb -nx -batch -x "$TARGETS/typed.gdb" "$T/typed0" >"$T/gdb" 2>"$T/gdb.err" </dev/null
	sed -n -e "/^(/{
		s/\([ {]\)-\{0,1\}[0-9][0-9]* '/\1'/g
		s/0x[0-9a-f]* \"/\"/g
		s/ = 0x0/ = NULL/g
		s/unknown: //g
		s/(\([A-Z_]* |[^)]*\))/\1/g
		s/ | /|/g
		s/, {words = {\([^}]*\)}, \([^}]*\)}/, words = [\1], \2/g
		s/v = {\([^}]*\)}/v = [\1]/g
		s/\([a-z]*\) = /.\1=/g
		s/0.10000000000000001/0.1/g
		p
	}" "$T/gdb" >"$T/gdb.calls"
	grep -E '^>[<> ]*\((parse_request|scalars|by_value|many) ' "$LIVE/typed.expected" |
		sed 's/^>[<> ]*//' >"$T/want.calls"
	[ -s "$T/gdb.calls" ] || show "$T/gdb"
	expect_same "$T/gdb.calls" "$T/want.calls"
	end_case
else
	skip "as gdb sees them" "no gdb"
fi

begin "limits, and marks where something was cut"
rt -s 300 "$T/typed2" parse_request
expect_line "^>(parse_request \"x\{299\}\" -1 {" "$T/err"
rt -s 4 "$T/typed2" parse_request
expect_line '^>(parse_request "GET "... 5 {\.fd=9, .*\.path="seco"\.\.\., ' "$T/err"
rt --members=2 "$T/typed2" parse_request in_memory
expect_line '^>(parse_request "GET /" 5 {\.fd=9, \.flags=O_RDWR_|0x8, \.\.\.})$' "$T/err"
expect_line "^<$large_cut\$" "$T/err"
rt --deref=0 "$T/typed2" parse_request
expect_line '^>(parse_request "GET /" 5 0x[0-9a-f]*)$' "$T/err"
end_case

if with_bpf; then
	begin "without the kernel's faster rings, more than a program's stack has room for"
	rt --ring=perf -s 3000 "$T/typed2" parse_request
	expect_status 0
	expect_line '^rawtrace: strings and structures are cut to what the kernel' "$T/err"
	expect_line '^>(parse_request "x*"\.\.\. -1 ' "$T/err"
	end_case
fi

# The user's prototype instead; types of the program's own are looked up where there is debug
# information.
begin "constants of libc"
cat >"$T/constants.c" <<'EOF'
#include <locale.h>
#include <unistd.h>

int main(void)
{
	setlocale(LC_ALL, "C");
	return sysconf(_SC_PAGESIZE) < 0;
}
EOF
if target constants "$CC" "$T/constants.c"; then
	rt "$T/constants" libc:setlocale libc:sysconf
	expect_line '^>(setlocale LC_ALL "C")$' "$T/err"
	expect_line '^>(sysconf _SC_PAGESIZE)$' "$T/err"
fi
end_case

begin "prototypes given"
rt "$T/stripped" 'int parse_request(const char *line, int n, struct request *r)'
expect_line '^>(parse_request "GET /" 5 0x[0-9a-f]*)$' "$T/err"
rt "$T/stripped" 'const char *pick(int f, char *a, const char b[])'
expect_line '^>(pick 64 "a \\"quoted\\" \\\\ text" "b")$' "$T/err"
expect_line '^<"a \\"quoted\\" \\\\ text"$' "$T/err"
rt "$T/stripped" 'struct { long v[3]; } in_memory(int n, char p[len], size_t len)'
expect_line '^>(in_memory 3 "text" 4)$' "$T/err"
expect_line "^<$large\$" "$T/err"
rt "$T/typed2" 'int parse_request(const char *line, int n, struct request *r)'
expect_line '^>(parse_request "GET /" 5 {\.fd=9, ' "$T/err"
rt "$T/stripped" 'void nothing(const char *null)'
expect_line '^<#<void>$' "$T/err"
end_case

if has python3; then
	begin "JSON"
	rt --format=chrome -o "$T/json" "$T/typed2" parse_request scalars pick
	python3 - "$T/json" >>"$T/why" 2>&1 <<'EOF'
import json, sys
calls = [e["args"] for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
want = {"fd": 9, "flags": "O_RDWR_|0x8", "path": "second", "next": None, "name": "zz",
	"weight": 0.1, "low": 1, "high": 2,
	"small": 0, "words": [0, 0], "whole": 0}
if calls[0] != {"line": "GET /", "n": 5, "r": want, "result": 14}:
	print(calls[0])
if (calls[2]["b"] is not True or calls[2]["ul"] != "18446744073709551615"
		or calls[2]["result"] is not False):
	print(calls[2])
if calls[5]["b"] != "caf\u00e9 \ufffd":
	print(calls[5])
EOF
	end_case
else
	skip "JSON" "no python3"
fi

# tracefs does not follow pointers of four bytes.
if [ -n "$typed32" ] && ! with_bpf; then
	begin "32-bit, without BPF"
	rt "$T/typed32" scalars by_value in_memory
	expect_status 0
	expect_line '^rawtrace: strings and structures are not shown: ' "$T/err"
	expect_line "^>(scalars true '..' -100 200 -30000 60000 -5000000000 18446744073709551615 BLUE)$" "$T/err"
	expect_line "^>(by_value {\.a=7, \.b=2\.5} {\.a=1, \.b='b'} {\.v=\[1, 2, 3\]} {\.fd=9, .*} 40)$" "$T/err"
	expect_line '^<{\.v=\[3, 4, -1\]}$' "$T/err"
	end_case
elif [ -n "$typed32" ]; then
	begin "32-bit"
	rt "$T/typed32" parse_request scalars pick by_value in_memory many
	expect_status 0
	expect_line '^>(parse_request "GET /" 5 {\.fd=9, \.flags=O_RDWR_|0x8, \.path="second", \.next=NULL, \.name="zz", \.weight=0\.1, ' "$T/err"
	expect_line "^>(scalars true '..' -100 200 -30000 60000 -5000000000 18446744073709551615 BLUE)$" "$T/err"
	expect_line "^>(by_value {\.a=7, \.b=2\.5} {\.a=1, \.b='b'} {\.v=\[1, 2, 3\]} {\.fd=9, .*} 40)$" "$T/err"
	expect_line "^>(many 1 2 3 4 5 6 7 \"eighth\" 'i' 10)$" "$T/err"
	end_case
else
	skip "32-bit" "no compiler for it"
fi

if ! slow; then
	begin "-y: files by the calls that opened them, when the program has ended"
	cat >"$T/reopens.c" <<-'EOF'
		#include <fcntl.h>
		#include <unistd.h>
		static int use(const char *path)
		{
			int fd = open(path, O_RDONLY);
			char c;

			return read(fd, &c, 1) < 0 || close(fd);
		}
		int main(void)
		{
			return chdir("/dev") || use("zero") || use("/proc/self/stat") || use("null");
		}
	EOF
	$CC -O1 -o "$T/reopens" "$T/reopens.c"
	rt -y "$T/reopens" libc:open libc:read libc:close
	expect_status 0
	for path in zero /proc/self/stat null; do
		expect_number "$path" "$(grep -c "[(< ][0-9]*<.*$path>" "$T/err")" -eq 3
	done
	rt -y "$T/reopens" libc:open libc:read
	for path in zero /proc/self/stat null; do
		expect_line "^<[0-9]*<.*$path>\$" "$T/err"
	done
	end_case
fi

if ! slow && has mkfifo; then
	begin "-y: what an int named fd is"
	cat >"$T/fds.c" <<-'EOF'
		#include <fcntl.h>
		#include <unistd.h>
		__attribute__((noinline)) int use(int log_fd, int offd) { __asm__ volatile("" ::: "memory"); return log_fd + offd; }
		__attribute__((noinline)) int shut(int log_fd) { return close(log_fd); }
		int main(void)
		{
			int fd = open("/dev/null", O_RDONLY);
			char c;

			return use(fd, 0) < 0 || read(0, &c, 1) || shut(fd);
		}
	EOF
	$CC -g -O1 -o "$T/fds" "$T/fds.c"
	mkfifo "$T/wait"
	# Opened late, behind the FIFO: it has lines of the case before.
	: >"$T/err"
	# The path is looked up at the time of printing: the program waits for it.
	timeout 60 "$RAWTRACE" -y "$T/fds" use shut <"$T/wait" 2>"$T/err" &
	exec 5>"$T/wait"
	wait_for 20 grep -q '^<' "$T/err"
	exec 5>&-
	wait $!
	expect_line '^>(use [0-9]*</dev/null> 0)$' "$T/err"
	# It is closed by the time of printing.
	expect_line '^>(shut [0-9]*</dev/null>)$' "$T/err"
	end_case
fi
