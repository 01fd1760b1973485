#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names: what was written in C++ and Rust, versions, and what stands elsewhere than in the program.  The programs say what they call.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

# calls FILE: the calls of a trace, one a line, without marks and levels
calls() {
	sed -n 's/^>[> ]*\(\[[0-9]*\] \)\{0,1\}\((.*)\)$/\2/p' "$1"
}

# shows CASE PROGRAM PATTERN SPEC...: the calls traced are those lines of the program's own that match
shows() {
	begin "$1"
	program=$2
	pattern=$3
	shift 3
	rt "$program" "$@"
	expect_status 0
	grep -E -e "$pattern" "$T/out" >"$T/said"
	[ -s "$T/said" ] || because "the program has called nothing like that"
	calls "$T/err" >"$T/traced"
	expect_same "$T/said" "$T/traced"
	end_case
}

# ---- C++ ----

if ! "$RAWTRACE" --version | grep -q 'libiberty$\|libiberty,'; then
	skip "C++ and Rust" "$("$RAWTRACE" --version | sed -n 's/.*\(without libiberty[^)]*\).*/\1/p')"
elif ! c++ -O1 -o "$T/cxx" "$TARGETS/cxxnames.cc" >"$T/cc" 2>&1; then
	skip "C++" "no C++ compiler"
else
	shows "a C++ function by its name" "$T/cxx" 'ns::one' ns::one:0
	shows "all overloads" "$T/cxx" 'Foo::bar' ns::Foo::bar:0
	shows "operators" "$T/cxx" 'operator' 'ns::Foo::operator():0' 'ns::Foo::operator<:0'
	shows "a template's arguments" "$T/cxx" 'Box<int>' 'ns::Box<int>::get:0'
	shows "a template with any arguments" "$T/cxx" 'Box' 'ns::Box::get:0'
	shows "no namespace" "$T/cxx" 'anonymous' '(anonymous namespace)::hidden:0'
	shows "a glob over a namespace" "$T/cxx" 'ns::' 'ns::*:0'
	for parameters in int 'const char *' 'char const*' 'const std::string &' 'std::string const&'; do
		begin "one overload: ($parameters)"
		rt "$T/cxx" "ns::Foo::bar($parameters):0"
		expect_status 0
		calls "$T/err" >"$T/traced"
		expect_text "(ns::Foo::bar)" "$T/traced"
		end_case
	done
	begin "--demangle=no"
	rt --demangle=no "$T/cxx" ns::one:0
	calls "$T/err" >"$T/traced"
	expect_text "(_ZN2ns3oneEi)" "$T/traced"
	end_case
	begin "nearest names"
	rt "$T/cxx" one
	expect_status 2
	expect_message "no function 'one'; did you mean 'ns::one'?" "$T/err"
	rt "$T/cxx" 'Foo::operator<'
	expect_message "did you mean 'ns::Foo::operator<'?" "$T/err"
	end_case
fi

# ---- Rust, where there is a compiler ----

if has rustc; then
	cat >"$T/words.rs" <<'EOT'
mod m {
    pub struct P(pub i32);
    impl P {
        #[inline(never)]
        pub fn get(&self, k: i32) -> i32 { println!("(words::m::P::get)"); self.0 + k }
    }
    #[inline(never)]
    pub fn sum<T: Into<i64>>(t: T) -> i64 { println!("(words::m::sum)"); t.into() + 1 }
}
fn main() { println!("{}", m::P(3).get(4) as i64 + m::sum(5i32)); }
EOT
	for mangling in v0 legacy; do
		rustc -O ${mangling:+-C symbol-mangling-version=$mangling} -o "$T/words" "$T/words.rs" 2>"$T/cc" ||
			rustc -O -o "$T/words" "$T/words.rs" 2>"$T/cc" || break
		begin "Rust, $mangling"
		rt "$T/words" words::m::P::get:0 words::m::sum:0
		expect_status 0
		# v0 has brackets around types and types behind names.
		calls "$T/err" | sed 's/(<\(.*\)>::/(\1::/; s/::<i32>//' >"$T/traced"
		grep '^(' "$T/out" >"$T/said"
		expect_same "$T/said" "$T/traced"
		end_case
	done
fi

# ---- versions ----

cat >"$T/versions.c" <<'EOT'
#include <stdio.h>
__attribute__((noinline)) int f_old(int a) { printf("(answer@V1 %d)\n", a); return a; }
__attribute__((noinline)) int f_new(int a) { printf("(answer@@V2 %d)\n", a); return a + 1; }
__asm__(".symver f_old, answer@V1\n.symver f_new, answer@@V2");
EOT
printf 'V1 { };\nV2 { global: answer; local: *; } V1;\n' >"$T/versions.map"
cat >"$T/versioned.c" <<'EOT'
int answer_1(int), answer_2(int);
__asm__(".symver answer_1, answer@V1\n.symver answer_2, answer@V2");
int main(void) { return answer_1(41) + answer_2(42) == 84 ? 0 : 1; }
EOT
if "$CC" -O1 -shared -fPIC -Wl,--version-script="$T/versions.map" -o "$T/libversions.so" "$T/versions.c" >"$T/cc" 2>&1 &&
   "$CC" -O1 -o "$T/versioned" "$T/versioned.c" "$T/libversions.so" -Wl,-rpath,"$T" >>"$T/cc" 2>&1; then
	for strip in '' strip; do
		[ -z "$strip" ] || "$strip" "$T/libversions.so"
		shows "a name with several versions${strip:+, stripped}" "$T/versioned" '^\(answer' libversions.so:answer
		shows "the default version${strip:+, stripped}" "$T/versioned" '@@V2' libversions.so:answer@@V2
		shows "an older version${strip:+, stripped}" "$T/versioned" '@V1' libversions.so:answer@V1
	done
	begin "no such version"
	rt "$T/versioned" libversions.so:answer@@V1
	expect_status 2
	expect_message "no function 'answer@@V1'" "$T/err"
	end_case
else
	skip "versions" "$CC does not build the library: $(head -1 "$T/cc")"
fi
