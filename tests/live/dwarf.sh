#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Types from debug information.  The programs say what they call and with what, as rawtrace shows
# it; gdb and perf are other readers.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"
"$RAWTRACE" --version | grep -q 'without libdw' && skip_all "built without libdw"

# agrees PROGRAM SPEC...: each call is the program's own line, or marked where it is not known; the
# marks are in $MARKS
agrees() {
	program=$1
	shift
	rt "$program" "$@"
	expect_status 0
	sed 's/list=0x[0-9a-f]*/list=ADDRESS/' "$T/out" >"$T/said"
	sed -n 's/list=0x[0-9a-f]*/list=ADDRESS/; s/^>[> ]*\(\[[0-9]*\] \)\{0,1\}\((.*)\)$/\2/p' \
		"$T/err" | grep -v '::main)' >"$T/traced"
	[ -s "$T/said" ] || because "the program called nothing"
	awk -f "$LIVE/marked.awk" "$T/said" "$T/traced" >"$T/differ"
	MARKS=$(sed -n 's/^marks: //p' "$T/differ")
	! grep -v '^marks: ' "$T/differ" >"$T/differences" || show "$T/differences"
}

# prototypes FILE ARGUMENT...: what the library says, in $T/prototypes
prototypes() {
	"$BIN/prototypes" "$@" >"$T/prototypes" 2>&1 || because "prototypes: status $?"
}

find_compilers() {
	COMPILERS=
	for compiler in gcc clang; do
		! has $compiler || COMPILERS="$COMPILERS $compiler"
	done
	[ -n "$COMPILERS" ] || COMPILERS=$CC
}
find_compilers

# ---- C ----

specs="integers many request values local* special*"
for compiler in $COMPILERS; do
	for how in "-O0 -gdwarf-2" "-O0 -gdwarf-5" "-O2 -gdwarf-3" "-O2 -gdwarf-4" \
		"-O2 -gdwarf-5"; do
		case $how in *-[34]) ! quick || continue ;; esac
		begin "C: $compiler $how"
		selected || continue
		# shellcheck disable=SC2086
		if ! $compiler -w -g $how -o "$T/types" "$TARGETS/types.c" >"$T/cc" 2>&1; then
			show "$T/cc"
		else
			# shellcheck disable=SC2086
			agrees "$T/types" $specs
			case $how in
			-O0*) expect_number "marks" "$MARKS" -eq 0 ;;
			*) expect_number "marks" "$MARKS" -le 8 ;;
			esac
		fi
		end_case
	done
done

# LLVM leaves out halves of structures too, which DWARF tells by pieces without a place; and it says
# from behind endbr64 on where they are.
case $(uname -m) in
x86_64) marked=-fcf-protection ;;
*) marked= ;;
esac
for compiler in $COMPILERS; do
	begin "halves of structures that are not read: $compiler"
	selected || continue
	if ! $compiler -w -g -O2 $marked -o "$T/halves" "$TARGETS/halves.c" >"$T/cc" 2>&1; then
		show "$T/cc"
	else
		agrees "$T/halves" length start either whole head middle last
		expect_number "marks" "$MARKS" -le 7
		expect_line '^>(whole {.s="text", .n=4})$' "$T/err"
		expect_line '^>(last {.a=.*, .b=8, .c=9})$' "$T/err"
	fi
	end_case
done

# LLVM makes all local then, and passes nothing that it knows: what is shown is what was said, or a
# mark.
if has clang && has ld.lld; then
	begin "C: clang, link-time optimization"
	if clang -w -g -O2 -flto -fuse-ld=lld -o "$T/types" "$TARGETS/types.c" >"$T/cc" 2>&1; then
		# shellcheck disable=SC2086
		agrees "$T/types" $specs
		# Nobody looks at what it returns, and so it returns nothing.
		expect_line '^<<not known>$' "$T/err"
	fi
	end_case
fi

# GCC says of a function without its result no more than a suffix (.isra), and clang nothing: how it
# is called tells.
if [ "$(uname -m)" = x86_64 ] && ! "$RAWTRACE" --version | grep -q 'without capstone'; then
	for compiler in $COMPILERS; do
		begin "results that nobody looks at: $compiler"
		$compiler -g -O2 -o "$T/ignored" "$TARGETS/ignored.c" >"$T/cc" 2>&1 || show "$T/cc"
		rt "$T/ignored" 'ignored*' 'sometimes*' 'passes*' 'wide*' 'branches*' 'twice*'
		expect_status 0
		sed -n 's/^>(\([a-z]*\).*/\1/p; s/^<<*\([^>]*\)>*$/\1/p' "$T/err" |
			paste -d' ' - - >"$T/traced"
		expect_same "$T/out" "$T/traced"
		end_case
	done
fi

# LLVM sets no argument that it sees the function not to read, also of one that others may call.
if has clang; then
	begin "arguments that nobody reads: clang"
	cat >"$T/unread.c" <<'EOF'
#include <stdlib.h>
__attribute__((noinline)) int both(int used, const char *unused, int last) { return used * 3 + last + (getenv("XX") != 0); }
__attribute__((noinline)) int order(const void *a, const void *b) { (void)b; return *(const char *)a - 'a'; }
int main(int argc, char **argv) { char v[] = "ab"; (void)argv; qsort(v, 2, 1, order); return both(argc, "text", 4) - 7; }
EOF
	clang -g -O2 -o "$T/unread" "$T/unread.c" >"$T/cc" 2>&1 || show "$T/cc"
	rt "$T/unread" both order main
	expect_status 0
	expect_line '^> (both 1 <optimized out> 4)$' "$T/err"
	expect_line '^> (order 0x[0-9a-f]* 0x[0-9a-f]*)$' "$T/err"
	expect_line '^>(main 1 0x[0-9a-f]*)$' "$T/err"
	# A prototype that is given says no more of where it is.
	rt "$T/unread" 'int both(int used, hex long unused, int last)'
	expect_line '^>(both 1 <optimized out> 4)$' "$T/err"
	end_case
fi

for compiler in g++ clang++; do
	has $compiler || continue
	cat >"$T/bases.cc" <<'EOF'
struct Base { int b; __attribute__((noinline)) Base(int x) : b(x) {} virtual ~Base() {} };
struct Left : virtual Base { int l; __attribute__((noinline)) Left(int x, const char *s) : Base(x), l(s[0]) {} };
struct Both : Left { int d; __attribute__((noinline)) Both(int x, const char *s, char c) : Base(9), Left(x, s), d(c) {} };
Base *volatile keep;
int main() { Both d(1, "both", 'c'); keep = &d; Left l(2, "left"); keep = &l; return keep->b != 2; }
EOF
	for level in 0 1; do
		begin "constructors of classes with virtual bases: $compiler -O$level"
		$compiler -g -O$level -fno-inline -o "$T/bases" "$T/bases.cc" >"$T/cc" 2>&1 ||
			show "$T/cc"
		rt "$T/bases" Both::Both Left::Left
		expect_line '^>(Both::Both {.*} 1 "both" .c.)$' "$T/err"
		expect_line '^> (Left::Left {.*} .*1 "both")$' "$T/err"
		expect_line '^>(Left::Left {.*} 2 "left")$' "$T/err"
		end_case
	done
	cat >"$T/pack.cc" <<'EOF'
#include <cstdlib>
template<class... A> __attribute__((noinline)) long sum(const char *name, A... a) { long v[] = { (long)a... }; return *name + v[0] + atoi("7"); }
struct S { template<class... A> __attribute__((noinline)) long add(A &&... a) { return sum("b", a...); } };
int main(int argc, char **) { S s; char c = 'c'; return sum("a", argc, 7L, 'c') + s.add(c, 5) < 0; }
EOF
	for level in 0 1; do
		begin "parameters of a template that takes any number: $compiler -O$level"
		$compiler -g -O$level -o "$T/pack" "$T/pack.cc" >"$T/cc" 2>&1 || show "$T/cc"
		rt "$T/pack" sum
		expect_line '^>(sum<int, long, char> "a" 1 7 .c.)$' "$T/err"
		end_case
	done
done

# ---- other types of C ----

$CC -w -g -O1 -o "$T/types" "$TARGETS/types.c"
# GCC leaves stand-ins, clang refers to the units themselves.
for compiler in $COMPILERS; do
	for version in 4 5; do
		if $compiler -w -gdwarf-$version -fdebug-types-section -O0 -o "$T/units" \
			"$TARGETS/types.c" 2>/dev/null; then
			begin "types in units of their own: $compiler, DWARF $version"
			# shellcheck disable=SC2086
			agrees "$T/units" $specs
			end_case
		fi
	done
done
if "$RAWTRACE" list "$T/types" lanes >/dev/null 2>&1; then
	begin "vectors"
	rt "$T/types" lanes
	expect_line '^>(lanes <in [xmv]*0> 42 \[1, 2, 3, 4])$' "$T/err"
	expect_line '^<<in [xmv]*0>$' "$T/err"
	end_case
fi
begin "arrays without a number of elements; a program's own clone()"
cat >"$T/flexible.c" <<'EOF'
#include <stdlib.h>
#include <string.h>
struct flexible { int n; int v[]; };
struct text { int n; int none[0]; char s[]; };
__attribute__((noinline)) int clone(struct flexible *f, struct text *t) { return f->v[1] + t->s[0] - 't'; }
int main(void)
{
	struct flexible *f = calloc(1, 64);
	struct text *t = calloc(1, 64);

	f->v[1] = 4;
	strcpy(t->s, "text");
	return clone(f, t) - 4;
}
EOF
$CC -w -g -O1 -fno-builtin -o "$T/flexible" "$T/flexible.c"
rt "$T/flexible" clone
expect_status 0
expect_line '^>(clone {.n=0, .v=\[...]} {.n=0, .none=\[.*], .s=""...})$' "$T/err"
[ "$(uname -m)" != x86_64 ] || expect_line '^<4$' "$T/err"
end_case

begin "types by name"
prototypes "$T/types" '+struct request' +point '+enum color' '+struct none' -tiny -request
expect_line '^	+4\.3:5 intu32(unsigned int) mode$' "$T/prototypes"
expect_line '^	BLUE = 7$' "$T/prototypes"
expect_line '^struct none: no such type$' "$T/prototypes"
expect_line '^tiny: inlined$' "$T/prototypes"
expect_line '^request: not inlined$' "$T/prototypes"
end_case

begin "prototypes as they are listed can be given"
$CC -w -g -O0 -o "$T/types" "$TARGETS/types.c"
timeout 60 "$RAWTRACE" list "$T/types" integers many request values local special \
	each >"$T/listed" 2>&1
expect_line ' int request(const char \*text, struct request \*r)$' "$T/listed"
expect_line ' point values(point a, mixed m, triple t, enum color c, enum rights w)$' "$T/listed"
expect_line ' FILE \*(\*each(const char \*const \*v, int (\*f)(const char \*, \.\.\.), const int (\*m)\[2\]))(int)$' "$T/listed"
set --
while read -r line; do
	case $line in
	*'each('*) ;;
	*) set -- "$@" "$line" ;;
	esac
done <<EOF
$(sed -n 's/^0x.* \.symtab  *//p' "$T/listed")
EOF
agrees "$T/types" "$@"
expect_number "marks" "$MARKS" -eq 0
timeout 60 "$RAWTRACE" --dump=ir "$T/types" \
	"$(sed -n 's/^0x.* \.symtab  *\(.*each(.*\)/\1/p' "$T/listed")" >"$T/ir" 2>&1
expect_line 'each(const char \*const \*v, int (\*f)(const char \*, \.\.\.), const int (\*m)\[2\]))(int)' "$T/ir"
end_case

# ---- other readers ----

if has gdb; then
	begin "gdb has the same members at the same places"
	gdb -batch -nx -ex 'ptype /o struct request' "$T/types" 2>/dev/null |
		sed -n 's#^/\* *\([0-9]*\) *|.*\*/    \([a-z].*\);$#\1 \2#p' |
		sed 's/^\([0-9]*\) .*[ *]\([a-z]*\)\(\[[0-9]*\]\)*$/\1 \2/' >"$T/gdb"
	[ -s "$T/gdb" ] || because "gdb said nothing"
	prototypes "$T/types" '+struct request'
	while read -r offset name; do
		expect_line "^	+$offset .* $name\$" "$T/prototypes"
	done <"$T/gdb"
	end_case

	begin "gdb sees the same arguments"
	gdb -batch -nx -ex 'break many' -ex run -ex 'info args' "$T/types" 2>/dev/null |
		sed -n 's/^[a-i] = //p' | tr '\n' ' ' >"$T/gdb"
	rt "$T/types" many
	sed -n 's/^>(many \(.*\))$/\1 /p' "$T/err" | tr -d '\n' >"$T/traced"
	if [ -s "$T/gdb" ]; then
		expect_same "$T/gdb" "$T/traced"
	fi
	end_case
fi
if has perf && perf probe -x "$T/types" -V request >"$T/perf" 2>/dev/null &&
	grep -q '@<request' "$T/perf"; then
	begin "perf probe -V names the same variables"
	expect_line 'char\*[[:space:]]*text$' "$T/perf"
	expect_line 'struct request\*[[:space:]]*r$' "$T/perf"
	end_case
fi

# ---- C++ ----

# libc++ keeps short strings in the object, in two ways.  Of the second its own library has no code.
libcxx='clang++ -stdlib=libc++'
alternate="$libcxx -D_LIBCPP_ABI_ALTERNATE_STRING_LAYOUT -D_LIBCPP_DISABLE_EXTERN_TEMPLATE"
if has clang++ && ! echo '#include <string>' | $libcxx -x c++ -fsyntax-only - 2>/dev/null; then
	skip "C++: libc++" "no libc++"
	libcxx='' alternate=''
fi
! quick || libcxx='' alternate=''
for compiler in g++ clang++ "$libcxx" "$alternate"; do
	has "${compiler%% *}" || continue
	for how in -O0 -O2; do
		[ $how = -O2 ] || ! quick || [ "$compiler" = g++ ] || continue
		begin "C++: $compiler $how"
		selected || continue
		# shellcheck disable=SC2086 # a command with its options
		if ! $compiler -w -std=c++17 -g $how -o "$T/cxx" "$TARGETS/types.cc" >"$T/cc" \
			2>&1; then
			show "$T/cc"
		else
			agrees "$T/cxx" 'ns::*' shape::area shape::scale kinds
			expect_number "marks" "$MARKS" -eq 0
		fi
		end_case
	done
done

if has g++; then
	begin "C++: what a reference refers to is compared by its name"
	g++ -w -std=c++17 -g -o "$T/cxx" "$TARGETS/types.cc"
	rt "$T/cxx" 'ns::text(s == "twenty-three characters")' 'kinds(l == high)'
	expect_status 0
	grep '^>' "$T/err" >"$T/traced"
	printf '>(ns::text "twenty-three characters" "a\\000b" "")\n' >"$T/expected"
	expect_same "$T/expected" "$T/traced"
	end_case

	begin "C++, without BPF: lists that are too long take no text away"
	rt --no-bpf "$T/cxx" ns::text ns::lists
	expect_status 0
	expect_line '^>(ns::text "one that is l.* "short" "view")$' "$T/err"
	expect_line '^>(ns::lists \[1, 2, 3\] \[{\.x=4, \.y=5}\] NULL)$' "$T/err"
	end_case
fi

# ---- Rust ----

if has rustc; then
	begin "Rust: a result that nobody looks at"
	cat >"$T/ignored.rs" <<'EOF'
use std::cell::Cell;
thread_local! { static SUM: Cell<u32> = Cell::new(0); }
#[inline(never)] fn ignored(n: u32) -> u32 { SUM.with(|s| { s.set(s.get() + n); println!("{}", s.get()); n * 2 }) }
fn main() { ignored(4); ignored(5); std::process::exit(0) }
EOF
	rustc -C opt-level=2 -g -o "$T/ignored" "$T/ignored.rs" >"$T/cc" 2>&1 || show "$T/cc"
	rt "$T/ignored" ignored::ignored
	expect_text '>(ignored::ignored 4)
<<not known>
>(ignored::ignored 5)
<<not known>' "$T/err"
	end_case

	for how in 0 2; do
		[ $how = 0 ] || ! quick || continue
		begin "Rust: opt-level=$how"
		selected || continue
		if ! rustc -g -C opt-level=$how -o "$T/rust" --crate-name types \
			"$TARGETS/types.rs" >"$T/cc" 2>&1; then
			show "$T/cc"
		else
			agrees "$T/rust" types::text types::lists types::shape types::large \
				types::moved types::results types::option types::pairs \
				types::arrays types::said
			[ $how != 0 ] || expect_number "marks" "$MARKS" -eq 0
			expect_line '"owned" "reference"' "$T/traced"
			if [ $how = 0 ] && ! grep -q 'only entries' "$T/err"; then
				sed -n '/^>(types::\(results\|option\|pairs\|said\)/{n;p}' \
					"$T/err" | tr '\n' ' ' >"$T/results"
				printf '<Ok(5) <Err(Invalid) <None <Some(4) <{.x=5, .y=240} <Ok("good") <Err("bad") ' >"$T/expected"
				expect_same "$T/expected" "$T/results"
			fi
			rt "$T/rust" types::known
			expect_number "calls, or another result than there is" \
				"$(grep -c -e '^>(types::known .* .*)$' -e '^<\[1, 2, 3, 4\]$' \
				-e '^<<not known>$' "$T/err")" -eq 2
			[ $how != 0 ] || expect_text '>(types::known [1, 2, 3, 4] 5)
<[1, 2, 3, 4]' "$T/err"
			rt "$T/rust" types::dynamic
			[ $how != 0 ] ||
				expect_line \
					'^>(types::dynamic {\.pointer=0x[0-9a-f]*, \.vtable=.*} 13)' "$T/err"
			# Optimized code returns no address of them.
			rt "$T/rust" types::array types::written types::maybe
			if ! grep -q 'only entries' "$T/err"; then
				grep '^<' "$T/err" | tr '\n' ' ' >"$T/results"
				printf '<[1, 2, 3, 4] <"abab" <Some("abab") <None ' >"$T/expected"
				expect_same "$T/expected" "$T/results"
			fi
		fi
		end_case
	done
fi
exit 0
