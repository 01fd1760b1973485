#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The values of USDT probes' arguments: behind each probe the program reads the same operand by an
# instruction, and prints it.
. "$SRCDIR/tests/live/lib.sh"

# assembly MACHINE: of the forms in usdt.forms.  Registers have numbers where they are the argument,
# and addresses for memory.
assembly() {
	word=8
	[ "$1" != i386 ] || word=4
	printf '\t.set WORD, %s\n\t.include "usdt.inc"\n\t.include "usdt_%s.inc"\n' $word "$1"
	printf '\t.text\n\t.globl main\n\t.type main, %%function\nmain:\n\tenter\n'
	sed -n "s/^$1 //p" "$TARGETS/usdt.forms" | awk '
		{
			size = $1
			sub(/^[^ ]* /, "")
			kind = "register"
			if (/^[$#]|^-?[0-9]+$/)
				kind = "constant"
			else if (/,[%xw]|, [xw]/)
				kind = "indexed"
			else if (/[(\[]|^[a-z]+$|^[a-z]*\+/)
				kind = "memory"
			printf "\t%s\n", kind == "register" ? "numbers" : "addresses"
			printf "\tprobe %s, f%02d, \"%s@%s\"\n", kind, NR, size, $0
			# A macro takes an operand with commas in quotes.
			printf "\ttake %s, \"%s\", %s\n", size, $0, kind == "constant" ? 1 : 0
			printf "\tshow \"%s:f%02d\", %d\n", kind, NR, size < 0
		}'
	cat <<-'END'
		leave_
		.size main, . - main
		.data
		.balign 8
		.8byte 0x8182838485868788
	table:	.4byte 0x81112131, 0x42434445, 0x93949596, 0x27282930, 0xa1a2a3a4, 0x31323334
	counter:	.8byte 0x8877665544332211
		.fill 8, 8, 0x9192939495969798
		.4byte 0xf1f2f3f4, 0x11121314, 0x81828384, 0x21222324
	memory:	.8byte 0x8a8b8c8d8e8f9091, 0x92a39495a6979899, 0x9a9b8c9d9e9fa0a1, 0xa2f3a4a5a6a7a8a9
		.8byte 0x8a8b8c8d8e8f9091, 0x92a39495a6979899, 0x9a9b8c9d9e9fa0a1, 0xa2f3a4a5a6a7a8a9
		.globl value
	value:	.8byte 0
		.section .note.GNU-stack, "", %progbits
	END
}

cat >"$T/show.c" <<'END'
#include <stdint.h>
#include <stdio.h>

extern intptr_t value;

void show(const char *name, int is_signed)
{
	if (is_signed)
		printf(">(%s %jd)\n", name, (intmax_t)value);
	else
		printf(">(%s %ju)\n", name, (uintmax_t)(uintptr_t)value);
}
END

# build MACHINE OPTION...
build() {
	machine=$1
	shift
	[ -e "$MADE/$machine" ] || assembly "$machine" >"$T/$machine.s"
	# shellcheck disable=SC2086 # a command with its options
	target "$machine" $CC "$@" -O1 -Wa,-I"$TARGETS" "$T/show.c" "$T/$machine.s"
}

# The compiler may be one for another machine; there is none in a virtual machine.
MACHINE=$(uname -m)
[ -z "${RT_TARGETS:-}" ] || MACHINE=$($CC -dumpmachine | sed 's/-.*//')
build "$MACHINE" -no-pie || skip_all "$(no_target "$MACHINE")"
i386=
[ "$MACHINE" != x86_64 ] || ! build i386 -m32 -no-pie || i386=i386
targets_made
find_mechanisms

# values MACHINE: by mechanism $m
values() {
	begin "$m: operands of $1"
	rt --attach="$m" "$T/$1" 'usdt:*:f*'
	expect_status 0
	# tracefs adds no registers.
	memory=none
	[ "$m" != tracefs ] || memory='indexed'
	[ "$m" != tracefs ] || ! registers_only || memory='indexed\|memory'
	sed "s/^>(\($memory\):\([^ ]*\) .*/>(\1:\2 <in memory>)/" "$T/out" >"$T/said"
	sed -n '/^>(/p' "$T/err" >"$T/got"
	expect_number values "$(grep -c '^>(' "$T/said")" -ge 17
	expect_same "$T/said" "$T/got"
	end_case
}

for m in $MECHANISMS; do
	values "$MACHINE"
	[ -z "$i386" ] || values i386
done

if [ "$MACHINE" = x86_64 ]; then
	begin "a condition on the second byte of a register"
	rt "$T/$MACHINE" 'usdt:register:f08'
	high=$(sed -n 's/^>(register:f08 \(.*\))$/\1/p' "$T/err")
	for operator in '==' '!='; do
		rt "$T/$MACHINE" "usdt:register:f08(arg1, arg1 $operator ${high:-none})"
		expect_status 0
		sed -n '/^>(/p' "$T/err"
	done >"$T/hits"
	expect_text ">(register:f08 $high)" "$T/hits"
	end_case
fi
exit "${CASES_FAILED:-0}"
