#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ./configure --enable-static: one file that needs no other and traces as the dynamic one does.
. "$SRCDIR/tests/live/lib.sh"
has "${CC%% *}" || skip_all "no compiler ($CC)"
has readelf || skip_all "no readelf"

# A copy of the sources: a folder that is configured cannot be built from elsewhere.  It inherits
# nothing of the make that runs this.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS LIBS
mkdir "$T/build"
(cd "$SRCDIR" && tar cf - --exclude=.git --exclude=autom4te.cache --exclude='*.o' --exclude='*.a' \
	.) |
	(cd "$T/build" && tar xf - --mode=u+w) || exit 1
cd "$T/build" || exit 1

# configured NAME COMPILER: into $ST, its output in $T/NAME
configured() {
	timeout 200 ./configure -q --enable-static CC="$2" >"$T/$1" 2>&1 </dev/null
	ST=$?
}

begin "what is missing is named"
cat >"$T/cc" <<EOF
#!/bin/sh
for a; do
	case \$a in
	-print-file-name=libelf.a) echo libelf.a; exit ;;
	-lelf) exit 1 ;;
	esac
done
exec $CC "\$@"
EOF
chmod +x "$T/cc"
configured missing "$T/cc"
expect_status 1
expect_line 'error: --enable-static: .*install' "$T/missing"
end_case

# Another C library, which this machine has no libelf for.
if has musl-gcc && [ ! -e "$(musl-gcc -print-file-name=libelf.a)" ]; then
	begin "a C library that libelf is not there for is named"
	configured musl musl-gcc
	expect_status 1
	expect_line 'error: gelf.h is missing for the C library of musl-gcc' "$T/musl"
	end_case
fi

configured configure "$CC"
if [ $ST != 0 ] && grep -q 'error: --enable-static: ' "$T/configure"; then
	skip "--enable-static" "$(sed -n 's/.*error: --enable-static: //p' "$T/configure")"
	exit 0
fi

begin "it is built"
expect_status 0
[ $ST = 0 ] || show "$T/configure"
timeout 250 make -s rawtrace >"$T/make" 2>&1 </dev/null
ST=$?
expect_status 0
[ $ST = 0 ] || show "$T/make"
end_case
[ -x rawtrace ] || exit 0

# lacks OBJECT...: as configured without a library: its files taken out and the *_none ones put in
# their place
lacks() {
	cp librawtrace.a lacking.a
	for object; do
		case $object in
		*_none) ar rc lacking.a "$object.o" ;;
		*) ar d lacking.a "$object.o" ;;
		esac
	done
	# shellcheck disable=SC2046 # words
	$CC -o lacking src/main.o lacking.a $(sed -n 's/^LIBS = //p' Makefile) >"$T/lacking" 2>&1 &&
		timeout 20 ./lacking --version >"$T/lacking" 2>&1
	ST=$?
	expect_status 0
	[ $ST = 0 ] || show "$T/lacking"
}

begin "it is whole without each optional library"
for file in $(find src -name "*_none.c"); do
	$CC -std=gnu11 -I. -Isrc -c "$file" >>"$T/none" 2>&1
done
expect_same /dev/null "$T/none"
lacks $(ar t librawtrace.a | sed -n '/^dwarf_index/d; s/^\(dwarf.*\)\.o$/\1/p') dwarf_none
lacks $(ar t librawtrace.a | sed -n 's/^\(dwarf_split\)\.o$/\1 dwarf_unpack dwarf_split_none/p')
lacks $(ar t librawtrace.a | sed -n 's/\.o$//; /_capstone$/p') decode_none
lacks unxz_lzma unxz_none
lacks demangle_libiberty demangle_none
end_case

begin "it needs no other file"
readelf -lW rawtrace >"$T/segments"
readelf -SW rawtrace >"$T/sections"
readelf -dW rawtrace >"$T/dynamic"
expect_line ' LOAD ' "$T/segments"
expect_no_line ' INTERP ' "$T/segments"
expect_no_line '(NEEDED)' "$T/dynamic"
expect_no_line ' \.symtab \| \.debug_' "$T/sections"
expect_number "its size" "$(wc -c <rawtrace)" -lt 4000000
end_case

# both WORD ARGUMENT...: the same by the dynamic and by the static one, the trace in $T/WORD and
# $T/WORD-static
both() {
	name=$1
	shift
	rt "$@"
	expect_status 0
	cp "$T/err" "$T/$name"
	dynamic=$RAWTRACE
	RAWTRACE=$T/build/rawtrace
	rt "$@"
	RAWTRACE=$dynamic
	expect_status 0
	cp "$T/err" "$T/$name-static"
}

for how in "" --no-bpf; do
	begin "it traces${how:+ with $how}"
	# shellcheck disable=SC2086 # a word or none
	both trace $how "$FIB" fib -- 6
	expect_line '^>(fib 6)$' "$T/trace"
	expect_same "$T/trace" "$T/trace-static"
	end_case
done

if "$RAWTRACE" --version | grep -q ', capstone' && [ "$(uname -m)" = x86_64 ]; then
	begin "it decodes as the dynamic one does"
	$CC -O2 -pthread -o "$T/prologue" "$TARGETS/prologue.c" 2>"$T/cc.log"
	both places -v "$T/prologue" plain quiet again eight_down:8 -- plain
	sed -n 's/^rawtrace: \([^ ]*: probed at .*\)/\1/p' "$T/places" >"$T/places.where"
	sed -n 's/^rawtrace: \([^ ]*: probed at .*\)/\1/p' "$T/places-static" \
		>"$T/places-static.where"
	expect_line '^plain: probed at +4, on push' "$T/places.where"
	expect_line '^quiet: probed at +2, on a conditional jump' "$T/places.where"
	expect_same "$T/places.where" "$T/places-static.where"
	end_case
fi

begin "doctor says the same"
"$RAWTRACE" doctor 2>&1 | awk 'NF { print $1, $2, $3 }' | sed 's/ [0-9].*//' >"$T/doctor"
./rawtrace doctor 2>&1 | awk 'NF { print $1, $2, $3 }' | sed 's/ [0-9].*//' >"$T/doctor-static"
expect_line '^used: ' "$T/doctor"
expect_same "$T/doctor" "$T/doctor-static"
end_case
