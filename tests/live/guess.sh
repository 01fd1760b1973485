#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Arguments and results that are guessed from machine code: beside debug information over whole
# files, and in a trace.
. "$SRCDIR/tests/live/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the rates are those of x86-64"
"$BIN/guess" "$RAWTRACE" | grep -q 'no decoder' && skip_all "built without capstone"

# rate FILE: of a hundred functions so many have the right number of arguments; `more` those with
# too many.  Of void functions `none` are shown without a result, `shown` with one, `marked` with
# one that is marked; of the others `hidden` without one and `sure` without a mark.
rate() {
	"$BIN/guess" "$1" >"$T/rate"
	sed 's/^/guess: /' "$T/rate" >&2
	n=$(sed -n 's/.*: \([0-9]*\) functions.*/\1/p' "$T/rate")
	right=$(sed -n 's/.* right \([0-9]*\), fewer.*/\1/p' "$T/rate")
	more=$(sed -n 's/.* more \([0-9]*\),.*/\1/p' "$T/rate")
	width=$(sed -n 's/.* width right \([0-9]*\) of.*/\1/p' "$T/rate")
	arguments=$(sed -n 's/.* width right [0-9]* of \([0-9]*\);.*/\1/p' "$T/rate")
	wrong=$(sed -n 's/.* wrong \([0-9]*\)$/\1/p' "$T/rate")
	results='\([0-9]*\), number \([0-9]*\), guess \([0-9]*\), unknown [0-9]*'
	read -r none shown marked hidden sure guessed <<-EOF
		$(sed -n "s/.*void functions void $results; of others void $results\$/\1 \2 \3 \4 \5 \6/p" "$T/rate")
	EOF
	[ "${n:-0}" -gt 0 ] || n=1 right=0 none=0 shown=0 marked=0 hidden=0 sure=0 guessed=0
}

# The code is a part of rawtrace: some hundred functions, as people write them.
levels='0 2 s'
! quick || levels=2
for compiler in "$CC" clang; do
	has "${compiler%% *}" || continue
	! quick || [ "$compiler" = "$CC" ] || continue
	for level in $levels; do
		begin "$compiler -O$level: numbers and widths of arguments"
		selected || continue
		# shellcheck disable=SC2086 # a command with its options
		$compiler -O$level -g -w -shared -fPIC -std=gnu11 -D_GNU_SOURCE \
			-DRT_PROBES_DIR='""' -I"$BUILDDIR" -I"$SRCDIR/src" \
			-o "$T/code.so" "$SRCDIR"/src/lang/*.c "$SRCDIR"/src/calls/*.c 2>"$T/err" ||
			show "$T/err"
		rate "$T/code.so" 2>"$T/said"
		expect_number "functions" "$n" -ge 100
		expect_number "right numbers of arguments, of a hundred" $((right * 100 / n)) -ge 93
		expect_number "too many arguments, of a hundred" $((more * 100 / n)) -le 2
		expect_number "right widths, of a hundred" $((width * 100 / (arguments + 1))) -ge 97
		expect_number "results that are there and were not seen" "$wrong" -eq 0
		expect_number "void functions that are shown as such" "$none" -ge 3
		expect_number "void functions with a result that is not marked, of a hundred" \
			$((shown * 100 / (none + shown + marked + 1))) -le 8
		expect_number "results that are not shown, of a hundred" \
			$((hidden * 100 / (hidden + sure + guessed + 1))) -le 1
		expect_number "results without a mark, of a hundred" \
			$((sure * 100 / (hidden + sure + guessed + 1))) -ge 50
		end_case
	done
done

# The types in names of C++ tell neither members from static functions nor what is given in memory.
if has g++ && "$RAWTRACE" --version | grep -q ', libiberty'; then
	cat >"$T/named.cc" <<'EOF'
#include <deque>
#include <map>
#include <sstream>
#include <string>
struct Shape { virtual ~Shape() {} virtual double area(double scale) const = 0; virtual std::string name(const char *prefix, int n) const = 0; };
struct Square : Shape {
	double s;
	explicit Square(double v) : s(v) {}
	double area(double k) const override { return s * s * k; }
	std::string name(const char *p, int n) const override { return std::string(p) + std::to_string(n); }
	static Square *of(const char *text, long n) { return new Square(text[0] + n); }
};
int main(int argc, char **argv)
{
	std::map<std::string, std::deque<long>> m;
	Shape *shape = Square::of(argv[0], argc);
	m[shape->name("x", argc)].push_back(argc);
	m.emplace("y", std::deque<long>(3));
	std::istringstream in("1 2");
	in >> argc;
	return shape->area(m.size()) < argc;
}
EOF
	for level in 0 '2 -fno-inline'; do
		begin "g++ -O$level: types in names"
		selected || continue
		# shellcheck disable=SC2086 # options
		g++ -O$level -g -o "$T/named" "$T/named.cc" 2>"$T/err" || show "$T/err"
		"$BIN/guess" "$T/named" >"$T/rate"
		n=$(sed -n 's/.*: \([0-9]*\) functions of C++.*/\1/p' "$T/rate")
		named=$(sed -n 's/.*by their names \([0-9]*\),.*/\1/p' "$T/rate")
		wrong=$(sed -n 's/.*by their names.* wrong \([0-9]*\)$/\1/p' "$T/rate")
		expect_number "functions of C++" "$n" -ge 40
		expect_number "by their names, of a hundred" $((named * 100 / n)) -ge 25
		expect_number "types in wrong places" "$wrong" -eq 0
		end_case
	done
fi

# sources PACKAGE: the distribution's source of it in $T/src, by apt with lists of its own and the
# mirror of this machine.
sources() {
	mkdir -p "$T/src/lists/partial" "$T/src/cache/archives/partial"
	if [ ! -s "$T/src/list" ]; then
		cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
			sed -n \
				's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)*\([^ ]*\) .*/\2/p' | grep -v security | head -1 >"$T/mirror"
		echo "deb-src $(cat "$T/mirror") $(sed -n 's/^VERSION_CODENAME=//p' \
			/etc/os-release) main" >"$T/src/list"
		ask_apt update
	fi
	(cd "$T/src" && ask_apt source --download-only "$1" &&
		tar xf "$(find . -maxdepth 1 -name "$1_*.orig.tar.*" | head -1)")
}

ask_apt() {
	apt-get -o Dir::Etc::sourcelist="$T/src/list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$T/src/lists" \
		-o Dir::Cache="$T/src/cache" -o APT::Sandbox::User=root "$@" >>"$T/apt" 2>&1
}

# RT_RATES=1 (make check-torture): lua, redis and sqlite are built from Debian's sources, some
# minutes; guess.rates has all figures then.
redis= sqlite= lua=
if [ -n "${RT_RATES:-}" ] && has apt-get && has make; then
	redis=$T/src/redis-server sqlite=$T/src/libsqlite3.so lua=$T/src/lua
	(sources lua5.4 && cd "$T/src"/lua-*/ && make -C src linux MYCFLAGS=-g &&
		cp src/lua "$lua") >"$T/built" 2>&1 ||
		skip "lua" "it was not built: $(tail -1 "$T/built")"
	(sources redis && cd "$T/src"/redis-*/ && make -C deps hiredis linenoise lua \
		hdr_histogram &&
		make -C src MALLOC=libc OPTIMIZATION=-O2 CFLAGS=-g redis-server &&
		cp src/redis-server "$redis") >"$T/built" 2>&1 ||
		skip "redis" "it was not built: $(tail -1 "$T/built")"
	(has tclsh && sources sqlite3 && cd "$T/src"/sqlite3-*/ && ./configure -q --disable-tcl \
		--disable-readline && make sqlite3.c &&
		$CC -O2 -g -shared -fPIC -o "$sqlite" sqlite3.c -lm) >"$T/built" 2>&1 ||
		skip "sqlite" "it was not built: $(tail -1 "$T/built")"
fi

# Files that everybody has, if their debug information is installed (libc6-dbg).  The libc of Debian
# 12, redis 7.0.15 and sqlite 3.40.1, the last two built with -O2 -g: of a hundred functions 91, 96
# and 94 had the right number of arguments, and at most 1 too many (1.4, 0 and 0 of a hundred).  33,
# 57 and 50 of a hundred void functions were shown as such, 17, 1 and 0 by a number without a mark:
# many of libc's do not return.
libc=$(ldd "$BIN/guess" | sed -n 's/.*\(\/[^ ]*libc\.so[^ ]*\).*/\1/p')
for file in "$libc" "${redis:-$(command -v redis-server)}" "${sqlite:-$(command -v sqlite3)}" \
	"$lua" "$(command -v python3)"; do
	[ -f "$file" ] || continue
	begin "$file: numbers and widths of arguments"
	selected || continue
	rate "$file" 2>"$T/said"
	[ -z "${RT_RATES:-}" ] || cat "$T/said" >>"$BUILDDIR/guess.rates"
	[ "$n" -gt 100 ] || continue
	expect_number "right numbers of arguments, of a hundred" $((right * 100 / n)) -ge 85
	expect_number "too many arguments, of a hundred" $((more * 100 / n)) -le 2
	expect_number "right widths, of a hundred" $((width * 100 / (arguments + 1))) -ge 95
	expect_number "results that are there and were not seen, by the code alone" "$wrong" -le 1
	expect_number "void functions with a result that is not marked, of a hundred" \
		$((shown * 100 / (none + shown + marked))) -le 20
	expect_number "results that are not shown, of a hundred" \
		$((hidden * 100 / (hidden + sure + guessed))) -le 1
	end_case
done

begin "a program without debug information"
# shellcheck disable=SC2086
$CC -O2 -fno-pie -no-pie -o "$T/untyped" "$TARGETS/untyped.c" 2>"$T/err" || show "$T/err"
strip -g "$T/untyped"
rt -v "$T/untyped" none small wide pointed passes nothing _start _init
expect_status 0
text=$(cut -d' ' -f1 "$T/out")
expect_line '^>(none)$' "$T/err"
expect_line '^>(small -1 2 3)$' "$T/err"
expect_line '^>(wide 0x12a05f200 2)$' "$T/err"
expect_line "^>(pointed $text \"text\" 3)\$" "$T/err"
expect_line '^>(passes -3 4)$' "$T/err"
expect_line '^> (wide -3 4)$' "$T/err"
expect_line '^>(nothing)$' "$T/err"
# The compiler's own files: what is in registers then is nobody's argument.
expect_line '^>(_start)$' "$T/err"
expect_line '^>(_init)$' "$T/err"
expect_line '^rawtrace: shown as .*small(int32_t, int32_t, int32_t), by a guess from its code' \
	"$T/err"
end_case

find_mechanisms
for mechanism in $MECHANISMS; do
	begin "$mechanism: text behind a pointer, by a guess"
	rt --attach="$mechanism" "$T/untyped" begins
	expect_status 0
	text=$(cut -d' ' -f1 "$T/out")
	printf '>(begins %s "text")\n<1\n>(begins 0xADDRESS)\n<0\n>(begins 0xADDRESS)\n<0\n' \
		"0x$(printf %x "$text")" >"$T/said"
	sed -n '/^[<>]/p' "$T/err" | sed '2,$s/0x[0-9a-f]*/0xADDRESS/' >"$T/traced"
	expect_same "$T/said" "$T/traced"
	end_case
done

begin "text behind a pointer, with a length beside it"
rt "$T/untyped" holds
sed -n 's/^>(holds 0x[0-9a-f]* */(/p' "$T/err" >"$T/traced"
printf '("GET" 3)\n(4)\n("whole" 2)\n' >"$T/said"
expect_same "$T/said" "$T/traced"
end_case

begin "text behind a pointer: cut, in a recording and in JSON"
rt -s 2 "$T/untyped" begins
expect_line '^>(begins 0x[0-9a-f]* "te"\.\.\.)$' "$T/err"
rt record -o "$T/data" "$T/untyped" begins
rt report "$T/data"
expect_line '^>(begins 0x[0-9a-f]* "text")$' "$T/out"
rt report -F json -o "$T/json" "$T/data"
expect_line '"arg0":"0x[0-9a-f]*"' "$T/json"
expect_no_line 'text' "$T/json"
end_case

begin "results, and what only functions without a name use"
# shellcheck disable=SC2086
$CC -O2 -fpie -pie -rdynamic -o "$T/unnamed" "$TARGETS/untyped.c" 2>"$T/err" || show "$T/err"
strip "$T/unnamed"
rt "$T/unnamed" positive looks minus
expect_status 0
text=$(cut -d' ' -f1 "$T/out")
sed -n '/^[<>]/p' "$T/err" >"$T/traced"
printf '%s\n' '>(positive 2)' '<1' '>(positive -2)' '<0' ">(looks $text \"text\" 101)" \
	"<0x$(printf %x $((text + 1)))" \
	">(looks $text \"text\" 117)" '<0' '>(minus 3)' '<-3' >"$T/said"
expect_same "$T/said" "$T/traced"
end_case

cat >"$T/results.c" <<'EOF'
#include <stdio.h>
#define CALLED __attribute__((noinline, noclone))
static volatile double number = 1.5;
static long box;
long *volatile at = &box;
/* The result's register holds an address when they return. */
CALLED void put(long v) { *at = v; }
CALLED void handler(long v) { *at = v; }
CALLED long *given(void) { return at; }
CALLED long ignored(long v) { *at = v; return v * 2; }
CALLED double real(long v) { *at = v; return number + (double)v; }
void (*volatile handlers[])(long) = { handler };
int main(void)
{
	put(1);
	put(2);
	handlers[0](3);
	ignored(4);
	number = real(2);
	printf("%d\n", given() == at);
	return 0;
}
EOF
# shellcheck disable=SC2086
$CC -O2 -o "$T/results" "$T/results.c" 2>"$T/err" || show "$T/err"

# A value that the code itself computes for the result is one, even if no caller reads it.
begin "results: what callers overwrite is none, what one reads is one, and what nothing tells is marked"
rt "$T/results" put handler given ignored real
expect_status 0
printf '%s\n' '>(put 1)' '<#<void>' '>(put 2)' '<#<void>' '>(handler 3)' '<0xADDRESS?' \
	'>(ignored 4)' '<8' '>(real 2)' '<<not known>' \
	'>(given)' '<0xADDRESS' >"$T/said"
sed -n '/^[<>]/p' "$T/err" | sed 's/0x[0-9a-f]*/0xADDRESS/' >"$T/traced"
expect_same "$T/said" "$T/traced"
end_case

begin "a result whose type was given is no guess"
rt "$T/results" 'long handler(long)'
expect_line '^<[0-9]*$' "$T/err"
end_case

begin "a guessed result in JSON"
rt --format=chrome -o "$T/json" "$T/results" put handler given
sed -n 's/.*"args":{\(.*\)}}.*/\1/p' "$T/json" | grep '"result"' | sed 's/0x[0-9a-f]*/0xADDRESS/' \
	>"$T/traced"
printf '%s\n' '"arg0":3,"result":"0xADDRESS","guessed":true' '"result":"0xADDRESS"' >"$T/said"
expect_same "$T/said" "$T/traced"
end_case

begin "a number of arguments that was given counts more"
rt "$T/untyped" small:1 wide:0
expect_line '^>(small -1)$' "$T/err"
expect_line '^>(wide)$' "$T/err"
end_case
