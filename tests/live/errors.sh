#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each obstacle is reported in one line, with exit status 1 (2: the command line), and the program
# is never left half-traced.
. "$SRCDIR/tests/live/lib.sh"

# refuses CASE STATUS MESSAGE ARGUMENT...: and the program, whose output would be there, has not
# run.
refuses() {
	begin "$1"
	status=$2
	message=$3
	shift 3
	rt "$@"
	expect_status "$status"
	expect_message "$message" "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case
}

# ---- the command line ----

refuses "no arguments" 2 'no program given'
refuses "no function" 2 'no function given' -a
refuses "unknown option" 2 '--nonsense' --nonsense "$FIB" fib
refuses "unknown mechanism" 2 '--attach=magic' --attach=magic "$FIB" fib
refuses "unknown format" 2 '--format=poem' --format=poem "$FIB" fib
refuses "bad size" 2 '--buffer=big' --buffer=big "$FIB" fib
refuses "--no-bpf and a BPF mechanism" 2 '--no-bpf: not allowed with --attach=pmu' --no-bpf \
	--attach=pmu "$FIB" fib
refuses "arguments for a running process" 2 "'-- 1'" -p $$ fib -- 1
refuses "a name after -p that no process has" 1 'x1: no process of that name' -p x1 fib
refuses "an empty pattern of a function" 2 '' "$FIB" ''
refuses "an output folder that is not there" 1 'No such file' -o "$T/none/out" "$FIB" fib

# ---- names ----

refuses "unknown function: nearest names" 2 "no function 'fibb'; did you mean 'fib'" "$FIB" fibb
refuses "the program's argument in the place of a function" 2 \
	"no function '10'; arguments go behind --: rawtrace $FIB -- 10$" "$FIB" fib 10
refuses "options of the program before --" 2 \
	"no function 'abc'.*; arguments go behind --: rawtrace $FIB -- -c abc -x 'a b'$" \
	"$FIB" -c abc -x 'a b'
refuses "a command of the program before --" 2 \
	"expected a parameter.*; arguments go behind --: rawtrace $FIB -- -e 'print(1)'$" \
	"$FIB" -e 'print(1)'
refuses "the same in count" 2 "behind --: rawtrace count $FIB -- 10$" count "$FIB" fib 10
refuses "a function before the program" 1 \
	"fib: no such program in PATH.*; the program comes first: rawtrace $FIB fib$" fib "$FIB"
refuses "a trace by caller" 2 "no function 'by'.*by caller, by path: go with rawtrace count" \
	"$FIB" fib by caller
refuses "no function, and arguments behind --" 2 "no function 'zz'$" "$FIB" zz -- 10
refuses "unknown function beside a known one" 2 "no function 'nothing_like_it'" "$FIB" fib \
	nothing_like_it
refuses "a glob without a match" 2 "no function matches 'zz\*'" "$FIB" 'zz*'
refuses "unknown library: those that it has" 2 "no library 'libzz.so'; it has .*libc" "$FIB" \
	libzz.so:cos
case $(readlink -f /bin/sh) in
*busybox) ;;
*)
	refuses "a function that a shell has not: its children may" 2 \
		"no function.*; in a child: -f PROGRAM:nope" sh nope
	;;
esac
refuses "function of a library" 2 "no function 'printf', but .*libc.*:printf" "$FIB" printf
refuses "a format that is none" 2 '--format=x: no such format; there are: tree, flow, chrome' \
	--format=x \
	"$FIB" fib
refuses "a mechanism that is none" 2 \
	'--attach=x: no such mechanism; there are: uprobe-multi, .*, tracefs$' --attach=x "$FIB" fib
for letter in C P U b d g i l n O w z; do
	refuses "-$letter" 2 "-$letter: .* " "-$letter" "$FIB" fib
	! grep -q 'no such option' "$T/err" || echo "not ok $SCRIPT: -$letter has no answer"
done
ln -s "$FIB" "$T/typed"
refuses "a program for a library" 2 \
	"is a program, not a library of .*sh; try: rawtrace $FIB FUNCTION" sh "$FIB:fib" -- -c \
	"$FIB; true"
refuses "a symbolic link: by the name that was typed" 2 "/typed: no function .nope." "$T/typed" nope
refuses "program not in PATH" 1 'no-such-program: no such program in PATH' no-such-program f
refuses "program not there" 1 './no-such-program: .*No such file' ./no-such-program f
if [ "$(grep -c '' "$T/err")" = 1 ]; then
	for name in many_00 many_0000 mny_001; do
		begin "nearest names of $name"
		rt "$BIN/many" "$name"
		expect_status 2
		expect_message "did you mean 'many_" "$T/err"
		end_case
	done
fi

# ---- files of probes ----

long=$(head -c 10000 /dev/zero | tr '\0' a)
mkfifo "$T/fifo"
refuses "a FIFO for a file of probes" 1 'fifo: is not a regular file' "$FIB" "@$T/fifo"
refuses "a device for a file of probes" 1 '/dev/zero: is not a regular file' "$FIB" @/dev/zero
refuses "a folder for a file of probes" 1 ': is a directory' "$FIB" "@$T"
RAWTRACE_PROBES=$T
export RAWTRACE_PROBES
refuses "a FIFO in RAWTRACE_PROBES" 1 'fifo: is not a regular file' "$FIB" @fifo
unset RAWTRACE_PROBES
refuses "10,000 characters: a file of probes" 2 'no such file of probes; there are: .*libc' "$FIB" \
	"@$long"
refuses "10,000 characters: the path of one" 1 'File name too long$' "$FIB" "@./$long"
refuses "10,000 characters: a function" 2 'name of 10000 characters; at most 8192' "$FIB" "$long"
refuses "10,000 characters: a glob" 2 'name of 10001 characters' "$FIB" "$long*"
refuses "10,000 characters: the program" 1 'File name too long$' "./$long" fib
refuses "10,000 characters: the output" 1 'File name too long$' -o "$long" "$FIB" fib

# ---- files ----

cp "$FIB" "$T/fib"
printf 'just text\n' >"$T/text"
printf '#!/bin/sh\nexec %s\n' "$FIB" >"$T/script"
printf '#! /usr/bin/env -S python3 -u\n' >"$T/env-script"
: >"$T/empty"
chmod +x "$T/text" "$T/script" "$T/env-script" "$T/empty"
refuses "not an ELF file" 1 'text: is not an ELF file' "$T/text" fib
refuses "an empty file" 1 'empty: is an empty file' "$T/empty" fib
refuses "a script" 1 'script: is a script for /bin/sh; trace its interpreter: rawtrace /bin/sh' \
	"$T/script" fib
refuses "a script by env" 1 'env-script: is a script for python3;' "$T/env-script" fib
refuses "a folder" 1 "$T" "$T" fib

# patch FILE OFFSET BYTES (as printf has them)
patch() {
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# copied NAME: a copy of the demo to damage.
copied() {
	cp "$FIB" "$T/$1"
	printf '%s/%s' "$T" "$1"
}

file=$(copied riscv)
patch "$file" 18 '\363\000'
refuses "another machine" 1 'riscv: is an ELF file for riscv, this kernel runs ' "$file" fib
file=$(copied big-endian)
patch "$file" 5 '\002'
refuses "the other byte order" 1 'big-endian: is a big-endian ELF file' "$file" fib
file=$(copied class32)
patch "$file" 4 '\001'
refuses "the other class" 1 'class32: ' "$file" fib
file=$(copied object)
patch "$file" 16 '\001\000'
refuses "an object file" 1 'object: is an object file, not a program' "$file" fib
file=$(copied core)
patch "$file" 16 '\004\000'
refuses "a core dump" 1 'core: is a core dump' "$file" fib

begin "truncated ELF files"
size=$(wc -c <"$FIB")
for n in 1 4 15 16 40 52 63 64 65 100 300 700 1000 2000 4096 5000 9000 $((size / 2)) \
	$((size - 2000)) $((size - 1000)) $((size - 1)); do
	head -c $n "$FIB" >"$T/cut"
	chmod +x "$T/cut"
	# Nothing need be started to read it; what is cut may still be enough for that.
	for how in "--dump=tracefs" "-v"; do
		[ "$how" = -v ] && [ $n -gt 4096 ] && continue
		rt "$how" "$T/cut" fib
		case $ST in
		0) [ "$how" != -v ] || because "$n bytes: traced" ;;
		1 | 2) expect_message 'cut: ' "$T/err" ;;
		*) because "$n bytes $how: status $ST" && show "$T/err" ;;
		esac
	done
done
end_case

begin "damaged ELF files"
# Every word of the header and of the first program headers, and places all over the file,
# overwritten.
for at in 24 32 36 40 44 48 52 54 56 58 60 62 64 68 72 80 88 96 104 112 120 128 136 176 232 288 \
	344 400 456 \
	$((size - 64)) $((size - 128)) $((size - 192)) $((size - 1500)) $((size - 2000)) \
	$((size - 3000)) $((size / 2)); do
	for bytes in '\377\377\377\377\377\377\377\377' '\000\000\000\000\000\000\000\000' \
		'\377\377\377\177'; do
		file=$(copied damaged)
		patch "$file" "$at" "$bytes"
		rt --dump=tracefs "$file" fib
		case $ST in
		0) ;;
		1 | 2) expect_message '' "$T/err" ;;
		*) because "$bytes at $at: status $ST" && show "$T/err" ;;
		esac
	done
done
end_case

refuses "a pipe" 1 'fifo: ' "$T/fifo" fib

# A file that may be run but not be read, by a user whom that stops.
cp "$RAWTRACE" "$T/rawtrace"
chmod 755 "$T/rawtrace"
file=$(copied unreadable)
chmod 0111 "$file"
if has setpriv; then
	begin "an unreadable file"
	timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" "$file" fib \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message 'unreadable: .*Permission denied' "$T/err"
	end_case

	begin "a file that may not be run"
	file=$(copied not-executable)
	chmod 0644 "$file"
	rt "$file" fib
	expect_status 1
	expect_message 'not-executable: .*Permission denied' "$T/err"
	end_case

	# ---- rights ----

	begin "not root"
	timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" "$T/fib" fib \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message 'user 65534: tracing needs root' "$T/err"
	timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" -p $$ fib \
		>"$T/out" 2>"$T/err" && because "-p: status 0"
	expect_message 'no permission; try: sudo rawtrace' "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case

	begin "not root: doctor says what works"
	timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" doctor \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_line '^capabilities  *no ' "$T/out"
	expect_line '^uprobe-multi  *no ' "$T/out"
	expect_line '^tracefs  *no ' "$T/out"
	expect_message '' "$T/err"
	end_case

	begin "root without cap_sys_admin, cap_bpf, cap_perfmon"
	timeout 20 setpriv --bounding-set=-sys_admin,-bpf,-perfmon "$RAWTRACE" "$FIB" fib \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message 'cap_sys_admin' "$T/err"
	expect_line 'cap_bpf' "$T/err"
	expect_line 'cap_perfmon' "$T/err"
	[ ! -s "$T/out" ] || because "the program ran"
	end_case

	# tracefs asks for the files' owner, not for a capability.
	begin "--no-bpf: root without any capability to trace"
	# Without sys_admin rawtrace cannot mount it, and the machine may not have it mounted.
	mount=true private=
	grep -Eq ' (tracefs|debugfs) ' /proc/mounts ||
		mount='mount -t tracefs none /sys/kernel/tracing' private='unshare -m'
	timeout 20 $private sh -c "$mount"' && exec "$0" "$@"' \
		setpriv --bounding-set=-sys_admin,-bpf,-perfmon "$RAWTRACE" --no-bpf "$FIB" fib \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_text 'fib(4) = 3' "$T/out"
	expect_nested "$T/err" whole
	expect_line '^>(fib 4)$' "$T/err"
	end_case

	begin "cap_bpf and cap_perfmon instead of cap_sys_admin"
	timeout 20 setpriv --bounding-set=-sys_admin "$RAWTRACE" "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_text 'fib(4) = 3' "$T/out"
	expect_nested "$T/err" whole
	expect_line '^>(fib 4)$' "$T/err"
	end_case
else
	skip "rights" "no setpriv"
fi

begin "few file descriptors"
(
	ulimit -n 40
	rt --attach=pmu "$BIN/many" 'many_*'
	echo "$ST" >"$T/status"
)
read -r ST <"$T/status"
# Raised where the user may; else said in a line.
case $ST in
0) expect_line '^>(many_999 ' "$T/err" ;;
1) expect_message '' "$T/err" ;;
*) because "status $ST" && show "$T/err" ;;
esac
end_case

# ---- processes ----

# The kernel filters by the first thread; its number and any other's are told the same.
begin "-p PID and -p TID of a process whose first thread has ended"
if target headless cc -O1 -pthread "$TARGETS/headless.c"; then
	in_background "$T/headless" >"$T/tid"
	wait_for 10 has_line . "$T/tid"
	for id in "$PID" "$(cat "$T/tid")"; do
		rt -p "$id" work
		expect_status 1
		expect_message "process $PID: its first thread has ended" "$T/err"
	done
	kill -KILL "$PID"
	reap "$PID"
fi
end_case

if has unshare; then
	begin "/proc is not mounted"
	timeout 20 unshare -m sh -c 'umount -l /proc && exec "$0" "$@"' "$RAWTRACE" "$FIB" fib \
		>"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message '/proc is not mounted; try: mount -t proc proc /proc' "$T/err"
	end_case
fi

begin "a process that does not exist"
sh -c 'exit 0' &
gone=$!
wait $gone
rt -p $gone fib
expect_status 1
expect_message "process $gone: no such process" "$T/err"
end_case

begin "control characters in what is wrong"
rt "$FIB" "$(printf 'fib(\033[31m')"
expect_status 2
! grep -q "$(printf '\033')" "$T/err" || show "$T/err"
end_case

begin "a kernel thread"
rt -p 2 fib
expect_status 1
expect_message '' "$T/err"
end_case

begin "rawtrace itself"
# shellcheck disable=SC2016 # the inner shell's own id, which exec keeps
timeout 20 sh -c 'exec "$RAWTRACE" -p $$ main' >"$T/out" 2>"$T/err"
ST=$?
expect_status 2
expect_message ': is rawtrace itself' "$T/err"
end_case

begin "a process that exits meanwhile"
for ms in 1 5 10 15 20 30 40 50 60 80 100 150; do
	in_background "$BIN/worker" 1 $ms 100 >"$T/worker"
	worker=$PID
	wait_for 20 has_line ready "$T/worker"
	rt -p "$worker" work
	case $ST in
	0) expect_nested "$T/err" ;;
	1) expect_message "process $worker: \(has \)*ended\|process $worker: no such process" \
		"$T/err" ;;
	*) because "$ms ms: status $ST" && show "$T/err" ;;
	esac
	reap "$worker"
	expect_status 0
	expect_line '^right$' "$T/worker"
done
end_case

if ! quick && has strace; then
	begin "a process that exits while its program is opened"
	in_background "$BIN/worker" 1 500 100 >"$T/worker"
	worker=$PID
	wait_for 10 has_line ready "$T/worker"
	timeout 60 strace -qq -o "$T/null" -P "/proc/$worker/exe" -e trace=openat \
		-e inject=openat:delay_enter=1000000 "$RAWTRACE" -p "$worker" work >"$T/out" \
		2>"$T/err"
	status=$?
	sed -i '/^strace: /d' "$T/err"
	reap "$worker"
	expect_number "status" $status -eq 1
	expect_message \
		"process $worker: \(has \)*ended\|process $worker: no such process" "$T/err"
	end_case
fi

# ---- outputs that end ----

for mechanism in uprobe-multi tracefs; do
	begin "$mechanism: a full disk"
	timeout 20 "$RAWTRACE" --attach=$mechanism -o /dev/full "$FIB" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message '/dev/full: No space left on device' "$T/err"
	expect_text 'fib(4) = 3' "$T/out"
	end_case

	begin "$mechanism: a full disk while the program runs on"
	timeout 20 "$RAWTRACE" --attach=$mechanism -o /dev/full "$BIN/worker" work -- 2 500 \
		100 >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message '/dev/full: No space left on device' "$T/err"
	expect_line '^right$' "$T/out"
	end_case

	begin "$mechanism: a full disk, a process that was running"
	in_background "$BIN/worker" 2 20000 100 >"$T/worker"
	worker=$PID
	wait_for 20 has_line ready "$T/worker"
	rt --attach=$mechanism -o /dev/full -p "$worker" work
	expect_status 1
	expect_message '/dev/full: No space left on device' "$T/err"
	kill -USR1 "$worker"
	reap "$worker"
	expect_status 0
	expect_line '^right$' "$T/worker"
	end_case

	begin "$mechanism: closed pipe on standard error"
	{ timeout 20 "$RAWTRACE" --attach=$mechanism "$BIN/worker" work -- 2 500 100 2>&1 \
		>"$T/out" 3>&-; echo $? >"$T/status"; } |
		sed -n '1{p;q;}' >"$T/err"
	read -r ST <"$T/status"
	expect_status 1
	expect_line '^ready$' "$T/out"
	expect_line '^right$' "$T/out"
	end_case
done

begin "a file that may not grow"
(ulimit -f 8 && exec timeout 20 "$RAWTRACE" -o "$T/short" "$FIB" fib -- 16) 2>"$T/err" |
	cat >"$T/out"
expect_message "$T/short: File too large" "$T/err"
expect_text 'fib(16) = 987' "$T/out"
end_case

begin "no descriptors for probes: no file is made"
rm -f "$T/json"
(ulimit -n 30 && exec timeout 20 "$RAWTRACE" --attach=event --format=chrome -o "$T/json" \
	"$BIN/many" 'many_0[0-4]?') >"$T/out" 2>"$T/err"
ST=$?
expect_status 1
expect_message 'descriptor each.*ulimit -n' "$T/err"
[ ! -e "$T/json" ] || because "a file was made"
end_case

for n in 8 12 16; do
	begin "no descriptors for maps and programs: $n"
	(ulimit -n $n && exec timeout 20 "$RAWTRACE" "$FIB" fib) >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message 'Too many open files (RLIMIT_NOFILE; see: ulimit -n)$' "$T/err"
	end_case
done

for what in --help --version "list $RAWTRACE" "--dump=ir $FIB fib"; do
	begin "standard output on a full disk: ${what%% *}"
	# shellcheck disable=SC2086 # words
	timeout 20 "$RAWTRACE" $what >/dev/full 2>"$T/err"
	ST=$?
	expect_status 1
	expect_message 'standard output: No space left on device' "$T/err"
	end_case
done

begin "standard error is closed"
timeout 20 "$RAWTRACE" "$FIB" fib >"$T/out" 2>&-
ST=$?
[ $ST = 0 ] || [ $ST = 1 ] || because "status $ST"
# Nobody has got the trace; the program must not have got it for its output.
[ ! -s "$T/out" ] || expect_text 'fib(4) = 3' "$T/out"
end_case
