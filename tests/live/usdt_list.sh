#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace list of USDT probes: every form of operand, read back from notes that the assembler made.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

# Each line: size, operand.  Each is also assembled into an instruction, so that no form is
# invented.
for machine in x86_64 i386 aarch64; do
	sed -n "s/^$machine //p" "$TARGETS/usdt.forms" >"$T/$machine.forms"
done
# Forms that cannot be read, and why.
cat >"$T/x86_64.unreadable" <<'END'
8f %xmm0 f64 the kernel does not pass on that register
16 (%rax) ? its size is not that of a number
8 $table u64 it is the address of a symbol
4 %fs:8 u32 it is in thread-local memory
4 nowhere(%rip) u32 the file does not have that symbol
4 nonsense( u32 it is not understood
END

# assembly MACHINE: a program whose probes have these arguments
assembly() {
	word=8
	[ "$1" != i386 ] || word=4
	printf '\t.set WORD, %s\n\t.include "usdt.inc"\n' $word
	printf '\t.text\n\t.globl main\n\t.type main, %%function\nmain:\n'
	[ "$1" = aarch64 ] || printf '\txor %%eax, %%eax\n'
	awk '{
		size = $1
		sub(/^[^ ]* /, "")
		printf "\tprobe forms, f%02d, \"%s@%s\"\n", NR, size, $0
	}' "$T/$1.forms"
	[ ! -e "$T/$1.unreadable" ] ||
		awk '{ printf "\tprobe unreadable, u%02d, \"%s@%s\"\n", NR, $1, $2 }' \
			"$T/$1.unreadable"
	cat <<-'END'
		probe several, differs, "4@$1 -4@$2", one
		probe several, differs, "4@$1 -4@$3", two
		probe several, same, "", one
		probe several, same, "", one
		probe several, some, "", SHIFT
		probe several, some, "", one
		ret
		.size main, . - main
	END
	# Instructions that have the operands.
	case $1 in
	aarch64) awk '{ size = $1 < 0 ? -$1 : $1; sub(/^[^ ]* /, "")
		w = size == 8 ? "x9" : "w9"
		load = "ldr" (size == 1 ? "b" : size == 2 ? "h" : "")
		print "\t" (/^\[/ ? load : "mov") " " w ", " $0 }' "$T/$1.forms" ;;
	*) awk '{ size = $1 < 0 ? -$1 : $1; sub(/^[^ ]* /, "")
		r = size == 8 ? "%rcx" : size == 4 ? "%ecx" : size == 2 ? "%cx" : "%cl"
		print "\tmov " $0 ", " r }' "$T/$1.forms" ;;
	esac
	cat <<-'END'
		.section .probes, "aw", %progbits
	one:	.2byte 0x1234
	two:	.2byte 0x5678
		.data
		.balign 8
	counter:	.8byte 0
	table:	.8byte 0, 0
		.section .note.GNU-stack, "", %progbits
	END
}

# make MACHINE NAME OPTION...
make_program() {
	machine=$1
	name=$2
	shift 2
	assembly "$machine" >"$T/$name.s"
	# shellcheck disable=SC2086 # a command with its options
	target "$name" $CC "$@" -Wa,-I"$TARGETS" "$T/$name.s"
}

# expected MACHINE: the lines of the probes above, with semaphores' marks
expected() {
	awk '{ s = $1 < 0 ? "s" : "u"; size = $1 < 0 ? -$1 : $1; sub(/^[^ ]* /, "")
		printf "    1 no        forms:f%02d  arg1 = %s%d %s\n", NR, s, size * 8, $0 }' \
		"$T/$1.forms"
	cat <<-'END'
		    2 several   several:differs  arg1 = u32 $1, arg2 = s32 $2  [1 site has other places]
		    2 yes       several:same
		    2 some      several:some
	END
}

# lists NAME MACHINE: what its list says
lists() {
	rt list "$T/$1" 'usdt:forms:*' 'usdt:s*:*'
	expect_status 0
	expected "$2" >"$T/expected"
	grep '^ *[0-9]' "$T/out" >"$T/lines"
	expect_same "$T/expected" "$T/lines"
}

MACHINE=$(uname -m)
make_program "$MACHINE" native -no-pie || skip_all "$(no_target native.s)"
targets_made

begin "operands of $MACHINE"
lists native "$MACHINE"
if [ -e "$T/$MACHINE.unreadable" ]; then
	rt list "$T/native" 'usdt:unreadable:*'
	awk '{ printf "    1 no        unreadable:u%02d  arg1 = %s %s (unreadable: ", NR, $3, $2
		sub(/^[^ ]* [^ ]* [^ ]* /, ""); print $0 ")" }' "$T/$MACHINE.unreadable" \
		>"$T/expected"
	grep '^ *[0-9]' "$T/out" >"$T/lines"
	expect_same "$T/expected" "$T/lines"
fi
end_case

if [ "$MACHINE" = x86_64 ] && make_program i386 i386 -m32 -no-pie; then
	begin "operands of i386"
	lists i386 i386
	end_case
else
	skip "operands of i386" "no 32-bit programs here"
fi

if has clang && [ "$MACHINE" != aarch64 ]; then
	begin "aarch64's assembler takes the operands"
	assembly aarch64 >"$T/aarch64.s"
	clang --target=aarch64-linux-gnu -c -I"$TARGETS" -o "$T/aarch64.o" "$T/aarch64.s" >"$T/cc" \
		2>&1 || show "$T/cc"
	end_case
fi

begin "offsets of sites and semaphores, in a file that was moved and stripped too"
# No address is in an instruction there.
mv "$T/$MACHINE.forms" "$T/all.forms"
grep -v '[a-z0-9](,' "$T/all.forms" >"$T/$MACHINE.forms"
make_program "$MACHINE" pie -fPIE -pie || because "$(no_target pie.s)"
make_program "$MACHINE" moved -no-pie -Wa,--defsym,SHIFT=0x2000 || because "$(no_target moved.s)"
mv "$T/all.forms" "$T/$MACHINE.forms"
strip -o "$T/stripped" "$T/native"
if has python3; then
	for name in native pie moved stripped; do
		rt list --format=json "$T/$name" 'usdt:several:*'
		expect_status 0
		python3 - "$T/out" "$T/$name" "$MACHINE" <<-'EOT' >"$T/why.json" 2>&1
			import json, sys
			probes = json.load(open(sys.argv[1]))
			data = open(sys.argv[2], 'rb').read()
			nop = b'\x90' if sys.argv[3] == 'x86_64' else b'\x1f\x20\x03\xd5'
			assert [p['name'] for p in probes] == ['differs', 'same', 'some'], probes
			counters = []
			for p in probes:
			    assert p['provider'] == 'several' and p['file'] == sys.argv[2], p
			    for s in p['sites']:
			        at = int(s['offset'], 16)
			        assert data[at:at + len(nop)] == nop, s
			        at = int(s.get('semaphore', '0'), 16)
			        counters.append(data[at:at + 2].hex() if at else '')
			assert counters == ['3412', '7856', '3412', '3412', '', '3412'], counters
		EOT
		[ ! -s "$T/why.json" ] || show "$T/why.json"
	done
fi
end_case

begin "no probe, no library"
rt list "$T/native" 'usdt:several:sams'
expect_status 2
expect_message "$T/native: no USDT probe 'several:sams'; did you mean 'usdt:several:same'" "$T/err"
rt list "$T/native" 'libnone.so:usdt:*:*'
expect_status 2
expect_message "libnone.so" "$T/err"
"$CC" -o "$T/plain" "$SRCDIR/contrib/fib.c" >"$T/cc" 2>&1
rt list "$T/plain" 'usdt:*'
expect_status 2
expect_message "$T/plain: no USDT probes" "$T/err"
end_case

begin "functions and probes in one list"
rt list "$T/native" main several:same
expect_status 0
expect_line ' main' "$T/out"
expect_line ' several:same$' "$T/out"
rt list --format=json "$T/native" main 'usdt:several:same'
! has python3 || python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))) == 2' \
	"$T/out" 2>"$T/why.json" || show "$T/why.json"
end_case

begin "a set's declaration beside the places"
echo 'usdt:several:differs(unsigned kind, int level)' >"$T/set"
rt list "$T/native" "@$T/set"
expect_status 0
expect_line ' several:differs(unsigned kind, int level)  arg1 = u32 ' "$T/out"
end_case

begin "damaged notes: the others are listed"
make_program "$MACHINE" damaged -no-pie || because "$(no_target damaged.s)"
# The first byte of each note's name length; the second note's is made too long.
if has python3; then
	python3 - "$T/damaged" <<-'EOT'
		import sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		at = data.index(b'stapsdt\0', data.index(b'stapsdt\0') + 1)
		data[at + 8:at + 12] = b'\xff' * 4
		open(sys.argv[1], 'wb').write(data)
	EOT
	rt list "$T/damaged" 'usdt:forms:*'
	expect_status 0
	expect_number probes "$(grep -c 'forms:f' "$T/out")" \
		-eq $(($(grep -c '' "$T/$MACHINE.forms") - 1))
	why="the site is not in an executable segment"
	expect_line "damaged: 1 damaged note of USDT probes skipped: $why" "$T/err"
	rt count -o "$T/counts" "$T/damaged" 'usdt:forms:*'
	expect_status 0
	expect_number "counted probes" "$(grep -c '^forms:f[0-9]*  *1$' "$T/counts")" \
		-eq $(($(grep -c '' "$T/$MACHINE.forms") - 1))
	expect_line "damaged: 1 damaged note of USDT probes skipped: $why" "$T/err"
fi
end_case

# A library that exists in memory alone, as libstapsdt makes it, and one whose file is gone.
cat >"$T/loads.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char buf[4096], path[64];
	int fd = (int)syscall(SYS_memfd_create, "made", 1);
	FILE *f = fopen(argv[1], "rb");
	size_t n;

	while (argc == 3 && f && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		if (write(fd, buf, n) != (ssize_t)n)
			return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!dlopen(path, RTLD_NOW) || !dlopen(argv[2], RTLD_NOW))
		return puts(dlerror()), 1;
	unlink(argv[2]);
	puts("loaded");
	fflush(stdout);
	return pause();
}
END
for library in memory gone; do
	cat >"$T/$library.s" <<-END
		.set WORD, 8
		.include "usdt.inc"
		.text
		.globl passes_$library
		passes_$library:
		probe $library, probe, "4@\$1"
		ret
		.section .note.GNU-stack, "", %progbits
	END
	target $library.so "$CC" -shared -fPIC -Wa,-I"$TARGETS" "$T/$library.s" ||
		because "$(no_target $library.s)"
done
begin "of a process: libraries of memfd, and of deleted files"
if target loads "$CC" "$T/loads.c" -ldl; then
	in_background "$T/loads" "$T/memory.so" "$T/gone.so" >"$T/said"
	wait_for 10 has_line loaded "$T/said"
	rt list -p "$PID" 'usdt:*'
	expect_status 0
	# shellcheck disable=SC2016 # the assembler's constant
	expect_line '^    1 no        memory:probe  arg1 = u32 \$1$' "$T/out"
	# shellcheck disable=SC2016
	expect_line '^    1 no        gone:probe  arg1 = u32 \$1$' "$T/out"
	expect_line '^memfd:made$' "$T/out"
	rt list -p "$PID" 'made:usdt:*'
	expect_status 0
	expect_line 'memory:probe' "$T/out"
	expect_no_line 'gone:probe' "$T/out"
	kill "$PID" 2>/dev/null
	reap "$PID"
else
	because "$(no_target loads.c)"
fi
end_case

if has bash && has python3; then
	begin "completion: providers, and their probes"
	cat >"$T/typed" <<-END
		rawtrace list $T/native usdt:sev
		rawtrace list $T/native 'usdt:several:diff
		rawtrace $T/native usdt:several:diff
	END
	sed "s/'//; s/sev\$/several:/; s/diff\$/differs/" "$T/typed" >"$T/wanted"
	timeout 60 python3 "$LIVE/complete.py" "$RAWTRACE" "$SRCDIR/contrib/completion/rawtrace" : \
		<"$T/typed" >"$T/completed" 2>"$T/err" || because "$(tail -1 "$T/err")"
	expect_same "$T/wanted" "$T/completed"
	end_case
fi

exit "${CASES_FAILED:-0}"
