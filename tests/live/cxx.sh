#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# C++ programs that throw through traced functions: they run as untraced, and what an exception
# leaves is shown as that.
. "$SRCDIR/tests/live/lib.sh"

functions='thrower inner middle outer again drop careful chosen'

# compiled NAME COMPILER LEVEL: throws-NAME, and throws_alone-NAME, which has everything in itself:
# without BPF libraries are not hooked.
compiled() {
	target "throws-$1" "$2" "$3" -pthread -I "$TARGETS" "$TARGETS/throws.cc" || return
	target "throws_alone-$1" "$2" "$3" -pthread -static-libgcc -static-libstdc++ -I "$TARGETS" \
		"$TARGETS/throws.cc" ||
		cp "$T/throws-$1" "$T/throws_alone-$1"
}

compiled g++-O2 "${CXX:-g++}" -O2 || skip_all "$(no_target throws.cc)"
targets_made
find_mechanisms
! "$RAWTRACE" --version | grep -q 'without capstone' || [ "$(uname -m)" = aarch64 ] ||
	skip_all "this rawtrace has no disassembler"
# By itself rawtrace chooses the instructions that leave the functions.
returns=auto
BIN=$T

for mechanism in $MECHANISMS; do
	program=throws
	[ "$mechanism" != tracefs ] || program=throws_alone
	agrees "$mechanism: exceptions, g++ -O2" $program-g++-O2 "$functions" 2
done

if with_bpf; then
	begin "@libstdc++: the types that are thrown"
	rt "$BIN/throws-g++-O2" @libstdc++ -- 2
	expect_status 0
	expect_line '>(__cxa_throw {.*} {.*.name="i"} NULL)$' "$T/err"
	expect_line '>(__cxa_throw {.*, \.what="one"} {.*.name="St13runtime_error"} 0x[0-9a-f]*)$' \
		"$T/err"
	expect_number unwound "$(grep -c '<\*\*\* unwound' "$T/err")" \
		-eq "$(grep -c '>(__cxa_\(re\)*throw' "$T/err")"
	end_case
fi

begin "a catch block at the end: left by a jump to __cxa_end_catch"
"$RAWTRACE" list "$BIN/throws-g++-O2" swallow >"$T/listed" 2>&1
expect_line ' insn  .* swallow' "$T/listed"
# Through a slot of the table of addresses, as Rust does too.
if target throws_slots "${CXX:-g++}" -O2 -fno-plt -pthread -I "$TARGETS" "$TARGETS/throws.cc"; then
	"$RAWTRACE" list "$T/throws_slots" swallow >"$T/listed" 2>&1
	expect_line ' insn  .* swallow' "$T/listed"
fi
end_case

# Without BPF the unwinder's library is not hooked, but where exceptions land in the program is.
# Destructors that exceptions come to call from deeper in the stack than what has been left.
cat >"$T/deeper.cc" <<'EOF2'
extern "C" __attribute__((noipa)) int worked(int n)
{
	return n;
}

extern "C" __attribute__((noipa)) int cleaned(int n)
{
	volatile char room[4000];

	room[n] = 1;
	return worked(n) + room[n];
}

struct guard {
	~guard()
	{
		cleaned(3);
	}
};

extern "C" __attribute__((noipa)) int throws(int n)
{
	if (n)
		throw n;
	return n;
}

static __attribute__((noipa)) int between(int n)
{
	guard one;

	return throws(n) + 1;
}

extern "C" __attribute__((noipa)) int catches(int n)
{
	try {
		return between(n);
	} catch (int value) {
		return cleaned(value);
	}
}

int main()
{
	return catches(0) + catches(7) - 9;
}
EOF2
if target deeper "${CXX:-g++}" -O1 "$T/deeper.cc"; then
	cat >"$T/wanted" <<'EOF2'
>(catches 0)
> (throws 0)
< 0
> (worked 3)
< 3
<1
>(catches 7)
> (throws 7)
< *** unwound ***
> (worked 3)
< 3
> (worked 7)
< 7
<8
EOF2
	for mechanism in $MECHANISMS; do
		begin "$mechanism: what destructors call"
		rt --attach="$mechanism" --return=insn "$T/deeper" catches:1 throws:1 worked:1
		expect_status 0
		grep -v '^rawtrace: no BPF: ' "$T/err" >"$T/calls"
		expect_same "$T/wanted" "$T/calls"
		end_case
	done
fi

# Compilers' forms of exceptions do not depend on the kernel.
! slow || exit 0
mechanism=uprobe-multi
case " $MECHANISMS " in *" $mechanism "*) ;; *) mechanism= ;; esac
for how in 'g++ -O0' 'clang++ -O0' 'clang++ -O2'; do
	compiler=${how% *}
	if ! has "$compiler"; then
		skip "$how" "no $compiler"
	elif ! compiled "$compiler${how#* }" "$compiler" "${how#* }"; then
		begin "$how"
		show "$T/build"
		end_case
	else
		agrees "${mechanism:-chosen}: exceptions, $how" "throws-$compiler${how#* }" \
			"$functions" 2
	fi
done

# GCC's -static writes no index of .eh_frame.
if target throws_static "${CXX:-g++}" -O2 -static -pthread -I "$TARGETS" "$TARGETS/throws.cc"; then
	agrees "${mechanism:-chosen}: exceptions, g++ -O2 -static" throws_static "$functions" 2
else
	skip "g++ -static" "$(no_target throws.cc)"
fi
