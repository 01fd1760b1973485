#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names: what was written in C++ and Rust, versions, and rawtrace list.  The programs say what they
# call.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

# calls FILE: the calls of a trace, one a line, without marks and levels
calls() {
	sed -n 's/^>[> ]*\(\[[0-9]*\] \)\{0,1\}\((.*)\)$/\2/p' "$1"
}

# shows CASE PROGRAM PATTERN SPEC...: the calls traced are those lines of the program's own that
# match
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

demangles() {
	"$RAWTRACE" --version | grep -q ', libiberty'
}

if ! demangles; then
	skip "C++ and Rust" \
		"$("$RAWTRACE" --version | sed -n 's/.*\(without libiberty[^)]*\).*/\1/p')"
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
	for parameters in int 'const char *' 'char const*' 'const std::string &' \
		'std::string const&'; do
		begin "one overload: ($parameters)"
		rt "$T/cxx" "ns::Foo::bar($parameters):0"
		expect_status 0
		calls "$T/err" >"$T/traced"
		expect_text "(ns::Foo::bar)" "$T/traced"
		end_case
	done
	if c++ -std=c++17 -g -O1 -o "$T/overloads" "$TARGETS/overloads.cc" >"$T/cc" 2>&1; then
		for debug in '' strip; do
			[ -z "$debug" ] || strip -g "$T/overloads"
			"$T/overloads" >"$T/all"
			# A line is a specification that means one function, and what its call shows
			# with debug information, and without.
			while IFS='|' read -r spec text plain; do
				begin "one of several functions${debug:+, stripped}: $spec"
				rt "$T/overloads" "$spec"
				expect_status 0
				sed -n '/^>/p' "$T/err" | sed 's/ 0x[0-9a-f]*/ ADDRESS/' \
					>"$T/traced"
				[ -n "$debug" ] && text=$plain
				expect_text ">(over$text)" "$T/traced"
				end_case
			done <"$T/all"
		done
		c++ -std=c++17 -g -O1 -o "$T/own" "$TARGETS/overloads.cc"
		# A method's declaration has no `this`, and the program's own typedefs no part in
		# symbols' names.
		while IFS='|' read -r spec text plain; do
			begin "types of the program's own: $spec"
			cp "$T/own" "$T/plain" && strip -g "$T/plain"
			rt "$T/own" "$spec"
			expect_status 0
			sed -n '/^>/p' "$T/err" >"$T/traced"
			expect_text ">(own::$text)" "$T/traced"
			rt "$T/plain" "$spec"
			if [ "$plain" ]; then
				sed -n '/^>/s/ 0x[0-9a-f]*/ ADDRESS/gp' "$T/err" >"$T/traced"
				expect_text ">(own::$plain)" "$T/traced"
			else
				expect_message "there are several functions" "$T/err"
			fi
			end_case
		done <<-'END'
			own::take(Ints const&)|take [8, 9]|
			int own::take(const own::Ints &v)|take [8, 9]|
			own::Shop::sell(Count)|Shop::sell {.kept=3} 6|
			int own::Shop::sell(Count n)|Shop::sell {.kept=3} 6|
			std::string own::Shop::label(int n)|Shop::label[abi:cxx11] {.kept=3} 2|Shop::label[abi:cxx11] ADDRESS ADDRESS 2
			int own::Shop::sell(int n)|Shop::sell {.kept=3} 6|Shop::sell ADDRESS 6
		END
		begin "of other parameters than were asked for"
		rt "$T/own" 'lib::within(int)'
		expect_status 2
		expect_message "there is a function 'lib::within', but no 'lib::within(int)'" \
			"$T/err"
		end_case
		for spec in lib::within 'lib::within(std::list<int> const&)' 'lib::v1::wi*'; do
			begin "inline namespaces: $spec"
			rt "$T/overloads" "$spec"
			expect_status 0
			calls "$T/err" | sed 's/ 0x.*)/)/' >"$T/traced"
			expect_text "(lib::v1::within)" "$T/traced"
			end_case
		done
		begin "none of several functions"
		rt "$T/overloads" 'over(float)'
		expect_status 2
		expect_message "there are several functions 'over', but no 'over(float)'" "$T/err"
		end_case
	else
		skip "overloads" "c++: $(head -1 "$T/cc")"
	fi
	begin "--demangle=no"
	rt --demangle=no "$T/cxx" ns::one:0
	calls "$T/err" >"$T/traced"
	expect_text "(_ZN2ns3oneEi)" "$T/traced"
	end_case
	begin "a table tells overloads apart"
	rt count "$T/cxx" 'ns::Foo::bar'
	expect_status 0
	expect_line '^ns::Foo::bar(int)  *1$' "$T/err"
	expect_line '^ns::Foo::bar(char const\*)  *1$' "$T/err"
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

if demangles && has rustc; then
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
		rustc -O ${mangling:+-C symbol-mangling-version=$mangling} -o "$T/words" \
			"$T/words.rs" 2>"$T/cc" ||
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
if "$CC" -O1 -shared -fPIC -Wl,--version-script="$T/versions.map" -o "$T/libversions.so" \
	"$T/versions.c" >"$T/cc" 2>&1 &&
   "$CC" -O1 -o "$T/versioned" "$T/versioned.c" "$T/libversions.so" -Wl,-rpath,"$T" >>"$T/cc" \
   	2>&1; then
	for strip in '' strip; do
		[ -z "$strip" ] || "$strip" "$T/libversions.so"
		shows "a name with several versions${strip:+, stripped}" "$T/versioned" \
			'^\(answer' libversions.so:answer
		shows "the default version${strip:+, stripped}" "$T/versioned" '@@V2' \
			libversions.so:answer@@V2
		shows "an older version${strip:+, stripped}" "$T/versioned" '@V1' \
			libversions.so:answer@V1
	done
	begin "no such version"
	rt "$T/versioned" libversions.so:answer@@V1
	expect_status 2
	expect_message "no function 'answer@@V1'" "$T/err"
	end_case
else
	skip "versions" "$CC does not build the library: $(head -1 "$T/cc")"
fi

# ---- the assembler's debug information has names, and no parameters ----

# x86-64's is one that reads its argument, for what the code tells; elsewhere the first argument is
# shown.
case $(uname -m) in
x86_64) reads='test %edi, %edi' ;;
*) reads=nop ;;
esac
printf '.text\n.globl noop\n.type noop, %%function\nnoop: %s\nret\n.size noop, . - noop\n.section .note.GNU-stack, "", %%progbits\n' "$reads" >"$T/noop.s"
echo 'void noop(int); int main(void) { noop(5); return 0; }' >"$T/noop.c"
if "$CC" -g -o "$T/noop" "$T/noop.c" "$T/noop.s" >"$T/cc" 2>&1; then
	begin "a function in assembly, with debug information"
	rt "$T/noop" noop
	expect_status 0
	expect_line '^>(noop 5)' "$T/err"
	end_case
fi

# ---- rawtrace list ----

"$CC" -g -O1 -o "$T/listed" "$SRCDIR/contrib/fib.c" >"$T/cc" 2>&1

begin "list, against nm"
rt list "$T/listed"
expect_status 0
nm "$T/listed" | awk '$2 ~ /[tTwWi]/ { print $1, $3 }' | sort >"$T/nm"
awk '/^0x/ {
	name = $6
	if (match($0, /[a-zA-Z_0-9.]+\(/))
		name = substr($0, RSTART, RLENGTH - 1)
	sub(/ .*/, "", name)
	print substr($1, 3), name }' "$T/out" | sort >"$T/listed.names"
# Aliases and labels that are no functions' are the difference: all that is listed is nm's.
comm -13 "$T/nm" "$T/listed.names" >"$T/more"
[ ! -s "$T/more" ] || show "$T/more"
expect_line '^0x[0-9a-f]* 0x[0-9a-f]* .* \(uretprobe\|insn\|entry\) *\.symtab        .*fib' "$T/out"
expect_line ' \(entry\|insn\)  *\.symtab .* _start' "$T/out"
end_case

begin "list: the offset is the function's bytes"
rt list --format=json "$T/listed" fib
expect_status 0
if has python3; then
	python3 - "$T/out" "$T/listed" <<-'EOT' >"$T/why.json" 2>&1
		import json, subprocess, sys
		rows = json.load(open(sys.argv[1]))
		assert len(rows) == 1 and rows[0]['symbol'] == 'fib', rows
		assert rows[0]['trace'] in ('uretprobe', 'insn', 'entry'), rows
		data = open(sys.argv[2], 'rb').read()
		lines = subprocess.check_output(['readelf', '-SW', sys.argv[2]], text=True).replace('[ ', '[')
		text = [l.split() for l in lines.splitlines() if ' .text ' in l][0]
		address, offset = int(text[3], 16), int(text[4], 16)
		wanted = int(rows[0]['address'], 16) - address + offset
		assert int(rows[0]['offset'], 16) == wanted, (rows, text)
	EOT
	[ ! -s "$T/why.json" ] || show "$T/why.json"
fi
end_case

begin "list: prototypes without debug information"
cp "$T/listed" "$T/guessed"
strip -g "$T/guessed"
rt list "$T/guessed" fib _start
expect_status 0
if "$RAWTRACE" -v "$T/guessed" fib 2>&1 >"$T/dump" | grep -q 'fib(.*by a guess'; then
	expect_line ' int32_t fib(int32_t)  (guessed)$' "$T/out"
	expect_line ' void _start()  (guessed)  \[' "$T/out"
	rt list --format=json "$T/guessed" fib
	expect_line '"prototype":"int32_t fib(int32_t)","prototype_from":"a guess from its code"' \
		"$T/out"
fi
timeout 60 env RAWTRACE_DEBUG_DIR=/nonexistent "$RAWTRACE" list "$T/guessed" libc.so:setenv \
	>"$T/out" 2>"$T/err"
expect_line ' int setenv.*(const char \*name, const char \*value, int \(overwrite\|replace\))' \
	"$T/out"
end_case

begin "list: a library, sorted"
rt list "$T/listed" 'libc.so:mem*'
expect_status 0
expect_line ' ifunc .* memcpy.*IFUNC' "$T/out"
grep '^0x' "$T/out" | cut -d' ' -f1 >"$T/addresses"
sort -u "$T/addresses" >"$T/sorted"
expect_same "$T/sorted" "$T/addresses"
end_case

begin "many reasons for entries alone: one line, with a number"
rt -o "$T/trace" "$T/listed" 'libc:*'
expect_number "remarks" "$(grep -c 'only entries are traced' "$T/err")" -eq 1
expect_line '^rawtrace: [0-9]* of [0-9]* functions: only entries are traced; -v says why$' "$T/err"
rt -v -o "$T/trace" "$T/listed" 'libc:*'
expect_line '^rawtrace: returns of [0-9]* functions*: none: ' "$T/err"
end_case
if has bash; then
	begin "completion offers the functions that list has"
	bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
		_rawtrace "$1" "${@:$#}"; echo "${COMPREPLY[*]}"' bash \
		"$SRCDIR/contrib/completion/rawtrace" "$RAWTRACE" "$T/listed" fi >"$T/out" \
		2>"$T/err"
	printf 'fib\n' >"$T/expected"
	expect_same "$T/expected" "$T/out"
	end_case
fi
begin "list: no such function"
rt list "$T/listed" fibb
expect_status 2
expect_message "no function 'fibb'; did you mean 'fib'" "$T/err"
rt list --depth=2 "$T/listed" fib
expect_message "depth: not allowed with list" "$T/err"
end_case

begin "list: of a process, without privilege"
in_background sleep 30
wait_for 10 has_line sleep "/proc/$PID/comm"
wait_for 10 has_line 'libc.*\.so' "/proc/$PID/maps"
rt list -p $PID 'libc.so:puts'
expect_status 0
expect_line 'puts' "$T/out"
if has setpriv; then
	cp "$RAWTRACE" "$T/rawtrace"
	timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rawtrace" list \
		"$T/listed" fib >"$T/out" 2>"$T/err"
	ST=$?
	expect_status 0
	expect_line 'fib' "$T/out"
fi
kill "$PID"
wait "$PID" 2>/dev/null
forget "$PID"
end_case

begin "--libcalls: the library with the version that was asked for"
if [ -x "$T/versioned" ]; then
	rt --libcalls=answer "$T/versioned"
	grep '^(answer' "$T/out" >"$T/said"
	calls "$T/err" >"$T/traced"
	expect_same "$T/said" "$T/traced"
fi
end_case

begin "no function: the program's own, without the C runtime's"
rt count "$FIB"
expect_line '^fib  *9$' "$T/err"
expect_line '^main  *1$' "$T/err"
expect_no_line '_start\|_init\|frame_dummy\|tm_clones' "$T/err"
if has strip; then
	strip -o "$T/bare" "$FIB"
	rt "$T/bare"
	expect_line 'bare: stripped: only its exports are traced; try --libcalls$' "$T/err"
fi
end_case

begin "functions that are left out"
rt count "$FIB" '!main'
expect_line '^fib  *9$' "$T/err"
expect_no_line main "$T/err"
rt count -x 'fi?' "$FIB" fib main
expect_line '^main  *1$' "$T/err"
expect_no_line fib "$T/err"
rt "$FIB" fib '!*'
expect_status 2
expect_message "'!\*': no function is left" "$T/err"
for spec in 'fib(n > 3)' fib+4 fib@fib.c 0x1000 @redis usdt:p:n; do
	rt "$FIB" "!$spec"
	expect_status 2
	expect_message "'!.*': expected a name or a glob, or LIBRARY:GLOB" "$T/err"
done
end_case
