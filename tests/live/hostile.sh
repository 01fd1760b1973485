#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in which every name and string has an escape character, a newline, U+009B, U+202E and a
# byte that is no UTF-8: nothing of that is in anything that rawtrace prints.
. "$SRCDIR/tests/live/lib.sh"

has python3 || skip_all "no python3"
has gcc && has g++ && has objcopy || skip_all "no gcc, g++ or objcopy"

# As many bytes as "Hostile_Name_X".
BYTES='\x1b\nFORGED\xc2\x9b\xe2\x80\xae\xff'
HOSTILE=$(printf '\033\nFORGED\302\233\342\200\256\377')

# spoil FILE: writes the bytes over the name, in all of the file.
spoil() {
	sed -i "s/Hostile_Name_X/$BYTES/g" "$1"
}

# Nothing that the last run of rt, or a file, has is harmful; and it was printed.
expect_printable() {
	python3 "$LIVE/printable.py" "$T/out" "$T/err" "$@" >"$T/harmful"
	[ ! -s "$T/harmful" ] || show "$T/harmful"
}

# prints CASE FILE TEXT ARGUMENT...: rawtrace with these prints the text, in the file, and nothing
# that is harmful.
prints() {
	begin "$1"
	file=$2
	text=$3
	shift 3
	rm -f "$T/json"
	rt "$@"
	grep -q -e "$text" "$file" || {
		because "not printed: $text"
		show "$T/out"
		show "$T/err"
	}
	if [ -e "$T/json" ]; then
		expect_printable "$T/json"
		python3 -m json.tool "$T/json" >/dev/null 2>&1 || because "no JSON"
	else
		expect_printable
	fi
	end_case
}

begin "the programs are made"
mkdir "$T/lib"
gcc -g -O2 -shared -fPIC -DLIBRARY -Wl,-soname,libHostile_Name_X.so \
	-o "$T/lib/libHostile_Name_X.so" "$TARGETS/hostile.c" &&
	gcc -g -O1 -o "$T/c" "$TARGETS/hostile.c" "$T/lib/libHostile_Name_X.so" \
		-Wl,-rpath,"$T/lib" &&
	g++ -g -O1 -o "$T/cc" "$TARGETS/hostile.cc" || because "not compiled"
mv "$T/lib/libHostile_Name_X.so" "$T/lib/lib$HOSTILE.so"
spoil "$T/lib/lib$HOSTILE.so"
spoil "$T/c"
spoil "$T/cc"
"$T/c" || because "the program does not run"
PROGRAM="$T/$HOSTILE"
cp "$T/c" "$PROGRAM"
LIBRARY="$T/lib/lib$HOSTILE.so"
end_case

ERR=$T/err OUT=$T/out

prints "the tree" "$ERR" '(f_??FORGED.*member_??FORGED.*text \\033\\nFORGED' "$PROGRAM" 'f_*' \
	'called_*' -- "$HOSTILE"
prints "the tree, with names as they are" "$ERR" '(f_??FORGED' --demangle=no "$PROGRAM" 'f_*'
prints "without BPF" "$ERR" '(f_??FORGED' --no-bpf "$PROGRAM" 'f_*'
prints "a function of a library" "$ERR" '(local_??FORGED' "$PROGRAM" "$LIBRARY:local_*"
prints "libraries of the process" "$ERR" '(' --libcalls "$PROGRAM"
prints "-v" "$ERR" 'shown as struct struct_??FORGED' -v "$PROGRAM" 'f_*' 'called_*' "$LIBRARY:*"
prints "chrome" "$T/json" 'u001b' --format=chrome -o "$T/json" "$PROGRAM" 'f_*' 'called_*' -- \
	"$HOSTILE"
prints "chrome, with a terminal's remarks" "$ERR" . -v --format=chrome -o "$T/json" "$PROGRAM" \
	'f_*' "$LIBRARY:*"
prints "count" "$ERR" 'f_??FORGED' count "$PROGRAM" '*'
prints "hist" "$ERR" 'f_??FORGED' hist "$PROGRAM" '*'
prints "list" "$OUT" 'struct struct_??FORGED' list "$PROGRAM"
prints "list of what is inlined" "$OUT" 'inlined_??FORGED' list "$PROGRAM" 'inlined_*'
prints "list of a library" "$OUT" 'local_??FORGED' list "$PROGRAM" "$LIBRARY:*"
prints "list as JSON" "$OUT" 'struct struct_??FORGED' list --format=json "$PROGRAM" '*' "$LIBRARY:*"
prints "the plan" "$OUT" 'f_??FORGED' --dump=ir "$PROGRAM" 'f_*'
prints "the program's code" "$OUT" 'f_??FORGED' --dump=bpf "$PROGRAM" 'f_*'
prints "the definitions" "$OUT" '??FORGED' --dump=tracefs "$PROGRAM" 'f_*'
prints "a name that is not there" "$ERR" 'FORGED' "$PROGRAM" "$HOSTILE"
prints "a name that is much like another" "$ERR" 'FORGED' "$PROGRAM" "f_${HOSTILE}x"
prints "a glob that means nothing" "$ERR" 'FORGED' "$PROGRAM" 'nothing*' "$LIBRARY:nothing*"
prints "a name that is imported, and not there" "$ERR" 'FORGED' "$PROGRAM" "missing_$HOSTILE"
prints "a prototype that is wrong" "$ERR" 'FORGED' "$PROGRAM" "f_*($HOSTILE)"
prints "a library that is not there" "$ERR" 'FORGED' "$PROGRAM" "$HOSTILE:f"
prints "a program that is not there" "$ERR" 'FORGED' "./$HOSTILE-$HOSTILE" f
prints "an option that is not there" "$ERR" 'FORGED' "--$HOSTILE" f
prints "values of options" "$ERR" 'FORGED' "--format=$HOSTILE" "$PROGRAM" f
prints "a file that cannot be written" "$ERR" 'FORGED' -o "/nowhere/$HOSTILE" "$PROGRAM" 'f_*'
prints "chrome on standard output" "$OUT" 'u001b' --format=chrome -o - "$PROGRAM" 'f_*'
quick || prints "doctor" "$OUT" 'used:' doctor

prints "C++: the tree" "$ERR" 'space_??FORGED.*::Type_.*::method_' "$T/cc" 'space_*'
prints "C++: list" "$OUT" 'space_??FORGED.*::Type_.*::method_' list "$T/cc" 'space_*'
prints "C++: -v" "$ERR" 'Type_??FORGED' -v "$T/cc" 'space_*'
prints "C++: chrome" "$T/json" 'method_' --format=chrome -o "$T/json" "$T/cc" 'space_*'

GO=${GO:-go}
if has "$GO"; then
	begin "the Go program is made"
	GOCACHE=$T/cache GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off HOME=$T \
		timeout 300 \
		"$GO" build -o "$T/go" "$TARGETS/go/hostile.go" 2>"$T/build" || show "$T/build"
	objcopy --decompress-debug-sections "$T/go" "$T/go-plain" 2>/dev/null &&
		mv "$T/go-plain" "$T/go"
	spoil "$T/go"
	"$T/go" || because "the program does not run"
	end_case
	prints "Go: the tree" "$ERR" 'main.T_??FORGED.*text \\033' "$T/go" 'main.f_*'
	prints "Go: -v" "$ERR" 'main.T_??FORGED' -v "$T/go" 'main.f_*'
	prints "Go: chrome" "$T/json" 'main.T_??FORGED' --format=chrome -o "$T/json" "$T/go" \
		'main.f_*'
	prints "Go: list" "$OUT" 'main.f_??FORGED' list "$T/go" 'main.*'
	prints "Go: count" "$ERR" 'main.f_??FORGED' count "$T/go" 'main.f_*'
else
	skip "Go" "no Go toolchain"
fi
