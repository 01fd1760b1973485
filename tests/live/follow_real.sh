#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Children of commands that everybody has, with -f: strace counts the same calls.
. "$SRCDIR/tests/live/lib.sh"

# Copies, so that no other process has the probes.
mkdir "$T/lib"
libc=$(ldd "$(command -v make || command -v sh)" 2>/dev/null |
	sed -n 's/.*=> \(.*\/libc\.so\.6\) .*/\1/p')
[ -n "$libc" ] || skip_all "no libc.so.6"
cp "$libc" "$T/lib/libc.so.6"

# The lines of a script, of two commands each, and the files of a build.
LINES=100 FILES="1 2 3 4 5 6 7 8 9 10 11 12"
! quick || LINES=20 FILES="1 2 3 4"

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

# A build: strace sees the same files opened; the objects are as without rawtrace.
builds() {
	mkdir "$T/build.d"
	for i in $FILES; do
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
	expect_number "compilers" "$(grep -c '>(main ' "$T/trace")" -eq ${FILES##* }
	same_opens "$T/strace" 's/.* open[at]*([^"]*"\([^"]*\)".*/\1/p' "$T/said"
	same_opens "$T/trace" 's/.*>[> ]*(open[at]* [^"]*"\([^"]*\)".*/\1/p' "$T/opened"
	expect_same "$T/said" "$T/opened"
	expect_number "files opened" "$(grep -c '' "$T/opened")" -gt $((8 * ${FILES##* }))
	expect_no_line 'lost' "$T/err"
}

if ! has strace || ! strace -f -c -o "$T/strace" -e trace=execve true 2>/dev/null; then
	skip "commands" "no strace"
else
	begin "a shell script of many commands"
	i=0
	while [ $i -lt $LINES ]; do
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
