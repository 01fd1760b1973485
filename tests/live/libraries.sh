#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The libraries of a program, found by reading files.  The program's own loader is the witness.
. "$SRCDIR/tests/live/lib.sh"

has readelf || skip_all "no readelf"

# said_by_loader PROGRAM: the line that `libraries` should print.
said_by_loader() {
	interp=$(readelf -lW "$1" 2>/dev/null | sed -n 's/.*program interpreter: \(.*\)\]$/\1/p')
	case $interp in
	'' | *x32*) return 1 ;;
	*musl*) "$interp" --list "$1" >"$T/list" 2>&1 ;;
	*) LD_TRACE_LOADED_OBJECTS=1 "$interp" "$1" >"$T/list" 2>/dev/null ;;
	esac
	printf '%s:' "$1"
	list_to_line "$T/list"
}

# Lines are "NAME => PATH (0xADDRESS)" or "PATH (0xADDRESS)".
# musl's loader lists itself first, and is left out.
list_to_line() {
	sed -n 's/.*not found/!/p; s/^Error loading .*/!/p; s/^\t.* => \(\/.*\) (0x.*/\1/p; t
		s/^\t\(\/.*\) (0x.*/\1/p' "$1" |
		awk '$0 == "!" { lacks = " !"; next } !/ld-musl/ { printf " %s", $0 } END { print lacks }'
}

# expect_libraries PROGRAM...: with the environment of the moment
expect_libraries() {
	"$BIN/libraries" "$@" 2>"$T/err" | sed 's/ [^ ]*ld-musl[^ ]*//' >"$T/ours"
	for program in "$@"; do
		said_by_loader "$program"
	done >"$T/loaders"
	[ -s "$T/loaders" ] || because "the loader says nothing"
	expect_same "$T/loaders" "$T/ours"
}

# library NAME [OPTION...]; program NAME [OPTION...]: $bits and $cc say of which kind
library() {
	library_name=$1
	shift
	mkdir -p "$(dirname "$T/$library_name")"
	# shellcheck disable=SC2086 # a command with its options
	$cc -shared -fPIC -o "$T/$library_name" -x c /dev/null -x none "$@" >>"$T/cc" 2>&1 ||
		because "$library_name: $(tail -1 "$T/cc")"
}

echo 'int main(void) { return 0; }' >"$T/main.c"
program() {
	program_name=$1
	shift
	# shellcheck disable=SC2086 # a command with its options
	$cc -o "$T/$program_name" "$T/main.c" -Wl,--no-as-needed "$@" >>"$T/cc" 2>&1 ||
		because "$program_name: $(tail -1 "$T/cc")"
}

# ---- all sorts of search paths, beside the loader ----

search_paths() {
	begin "$kind: DT_RPATH and DT_RUNPATH"
	old=-Wl,--disable-new-dtags new=-Wl,--enable-new-dtags
	library a/libdeep.so
	library b/libdeep.so
	library a/libmid.so -Wl,--no-as-needed -L"$T/a" -ldeep
	library b/libmid.so -Wl,--no-as-needed -L"$T/a" -ldeep "$new" -Wl,-rpath,"$T/b"
	program rpath "$old" -Wl,-rpath,"$T/a" -L"$T/a" -lmid
	program runpath "$new" -Wl,-rpath,"$T/a" -L"$T/a" -lmid
	program other "$old" -Wl,-rpath,"$T/b" -L"$T/a" -lmid
	program both "$old" -Wl,-rpath,"$T/none:$T/b:" -L"$T/a" -lmid -ldeep
	program lost -L"$T/a" -lmid
	expect_libraries "$T/rpath" "$T/runpath" "$T/other" "$T/both" "$T/lost"
	end_case

	begin "$kind: LD_LIBRARY_PATH"
	export LD_LIBRARY_PATH="$T/none;$T/b:$T/a/"
	[ "$kind" != musl ] || LD_LIBRARY_PATH="$T/none:$T/b:$T/a/"
	expect_libraries "$T/rpath" "$T/runpath" "$T/other" "$T/both" "$T/lost"
	LD_LIBRARY_PATH=a
	cd "$T" || exit 1
	"$BIN/libraries" ./lost >"$T/ours" 2>&1
	expect_line 'lost: a/libmid.so .*a/libdeep.so' "$T/ours"
	cd / || exit 1
	unset LD_LIBRARY_PATH
	# The loader ignores it for a setuid program.
	cp "$T/lost" "$T/gives"
	chown 65534 "$T/gives" && chmod u+s "$T/gives"
	"$BIN/libraries" LD_LIBRARY_PATH="$T/a" LD_PRELOAD="$T/a/libdeep.so" "$T/gives" >"$T/ours" \
		2>&1
	expect_line 'gives: libmid.so is not found' "$T/ours"
	expect_no_line 'libdeep.so' "$T/ours"
	end_case

	# shellcheck disable=SC2016 # the loader's words
	if [ "$kind" != musl ]; then
		begin "$kind: \$ORIGIN, \$LIB and \$PLATFORM"
		lib=$(cd / && "$interp_of" --list-diagnostics 2>/dev/null |
			sed -n 's/^dl_dst_lib="\(.*\)"$/\1/p')
		for sub in bin/../a "${lib:-lib}" x86_64 haswell i686; do
			library "$sub/libword-$(basename "$sub").so"
		done
		for sub in x86_64 haswell i686; do
			library "$sub/libplatform.so"
		done
		library "${lib:-lib}/liblib.so"
		mkdir -p "$T/bin"
		program bin/origin "$new" -Wl,-rpath,'$ORIGIN/../a:${ORIGIN}/../$ORIGINAL' \
			-L"$T/a" -lmid -ldeep
		program bin/lib "$new" -Wl,-rpath,'$ORIGIN/../$LIB' -L"$T/${lib:-lib}" -llib
		program bin/platform "$new" -Wl,-rpath,'$ORIGIN/../${PLATFORM}' -L"$T/i686" \
			-lplatform
		expect_libraries "$T/bin/origin" "$T/bin/lib" "$T/bin/platform"
		ln -sf "$T/bin/origin" "$T/linked"
		"$BIN/libraries" "$T/linked" >"$T/ours" 2>&1
		expect_line "linked: $T/bin/\.\./a/libmid.so " "$T/ours"
		end_case

		begin "$kind: glibc-hwcaps"
		for sub in x86-64-v4 x86-64-v3 x86-64-v2; do
			library "caps/glibc-hwcaps/$sub/lib$sub.so"
			cp "$T/caps/glibc-hwcaps/$sub/lib$sub.so" "$T/caps/lib$sub.so"
			library "caps/glibc-hwcaps/$sub/libany.so"
		done
		library caps/libany.so
		program hwcaps "$new" -Wl,-rpath,"$T/caps" -L"$T/caps" -lany -lx86-64-v2 \
			-lx86-64-v3 -lx86-64-v4
		expect_libraries "$T/hwcaps"
		end_case

		begin "$kind: -z nodefaultlib, DT_FILTER and DT_AUXILIARY"
		library a/libfilter.so -Wl,-F,libdeep.so
		library a/libauxiliary.so -Wl,-f,libdeep.so
		program nodefault "$new" -Wl,-z,nodefaultlib -Wl,-rpath,"$T/a" -L"$T/a" -lmid
		program filter "$old" -Wl,-rpath,"$T/a" -L"$T/a" -lfilter
		program auxiliary "$old" -Wl,-rpath,"$T/a" -L"$T/a" -lauxiliary
		"$BIN/libraries" "$T/nodefault" "$T/filter" "$T/auxiliary" >"$T/ours" 2>/dev/null
		expect_line "nodefault: $T/a/libmid.so .*!" "$T/ours"
		expect_no_line "nodefault:.*libc.so" "$T/ours"
		expect_line "filter: $T/a/libfilter.so .*$T/a/libdeep.so" "$T/ours"
		expect_line "auxiliary: $T/a/libauxiliary.so .*$T/a/libdeep.so" "$T/ours"
		end_case
	fi

	begin "$kind: LD_PRELOAD"
	library preload/libpre.so -Wl,--no-as-needed "$old" -Wl,-rpath,"$T/b" -L"$T/b" -ldeep
	LD_PRELOAD="$T/preload/libpre.so" "$interp_of" --list "$T/rpath" >"$T/list" 2>/dev/null
	{ printf '%s:' "$T/rpath"; list_to_line "$T/list"; } >"$T/loaders"
	"$BIN/libraries" LD_PRELOAD="$T/preload/libpre.so" "$T/rpath" 2>/dev/null |
		sed 's/ [^ ]*ld-musl[^ ]*//' >"$T/ours"
	expect_same "$T/loaders" "$T/ours"
	# The loader goes on without a library that is not there.
	"$BIN/libraries" LD_PRELOAD="$T/preload/none.so:$T/preload/libpre.so" "$T/rpath" \
		2>/dev/null |
		sed 's/ [^ ]*ld-musl[^ ]*//' >"$T/ours"
	expect_same "$T/loaders" "$T/ours"
	end_case

	begin "$kind: a library of another architecture is passed over"
	mkdir -p "$T/wrong"
	cp "$T/foreign.so" "$T/wrong/libmid.so" 2>/dev/null
	program passes "$new" -Wl,-rpath,"$T/wrong:$T/a" -L"$T/a" -lmid
	expect_libraries "$T/passes"
	end_case
	rm -rf "${T:?}/a" "$T/b" "$T/caps" "$T/preload" "$T/bin"
}

# For the other word size, where the compiler makes such.
headers=/usr/include/$($CC -print-multiarch 2>/dev/null)
native_interp=
for kind in native 32-bit musl; do
	case $kind in
	native) cc=$CC ;;
	32-bit) cc="$CC -m32 -idirafter $headers" ;;
	musl) cc=musl-gcc ;;
	esac
	has "${cc%% *}" || { skip "$kind" "no ${cc%% *}"; continue; }
	# shellcheck disable=SC2086 # a command with its options
	$cc -o "$T/probe" "$T/main.c" >"$T/cc" 2>&1 || { skip "$kind" "$cc makes no programs"; \
		continue; }
	interp_of=$(readelf -lW "$T/probe" | sed -n 's/.*program interpreter: \(.*\)\]$/\1/p')
	[ "$kind" != native ] || native_interp=$interp_of
	# shellcheck disable=SC2086 # a command with its options
	case $kind in
	native) $CC -m32 -shared -nostdlib -o "$T/foreign.so" -x c /dev/null 2>/dev/null ;;
	*) $CC -shared -nostdlib -o "$T/foreign.so" -x c /dev/null 2>/dev/null ;;
	esac
	search_paths
done

# ---- no code of a file runs ----

# Does CODE in the file's loader, or in a library that audits, make $T/ran?
cat >"$T/touch.c" <<-EOT
	#include <fcntl.h>
	static void touch(void) { creat("$T/ran", 0600); }
	__attribute__((constructor)) static void begin(void) { touch(); }
	unsigned la_version(unsigned version) { touch(); return version; }
	int main(void) { touch(); return 0; }
EOT
# runs_nothing PROGRAM
runs_nothing() {
	for what in list --dump=ir --dump=bpf --dump=tracefs; do
		rm -f "$T/ran"
		if [ $what = list ]; then
			rt list "$1" main
		else
			rt $what "$1" main
		fi
		expect_status 0
		[ ! -e "$T/ran" ] || because "$what ran code of the file"
	done
}
if "$CC" -shared -fPIC -o "$T/audit.so" "$T/touch.c" >"$T/cc" 2>&1 &&
	"$CC" -o "$T/ld-evil.so.1" "$T/touch.c" >"$T/cc" 2>&1; then
	cc=$CC
	begin "DT_AUDIT"
	program audited -Wl,--audit="$T/audit.so"
	program depaudited -Wl,--depaudit="$T/audit.so"
	"$native_interp" --list "$T/audited" >/dev/null 2>&1
	[ -e "$T/ran" ] || because "the loader itself does not run it: this test shows nothing"
	runs_nothing "$T/audited"
	runs_nothing "$T/depaudited"
	"$BIN/libraries" "$T/audited" >"$T/ours"
	expect_line "audited: .* $T/audit.so" "$T/ours"
	end_case
	begin "a loader of the file's own"
	program evil -Wl,--dynamic-linker="$T/ld-evil.so.1"
	runs_nothing "$T/evil"
	rt list "$T/evil" 'libc.so:put*'
	expect_status 0
	end_case
fi

begin "more folders than anybody has"
cc=$CC
for name in 1 2 3 4 5 6; do
	library "many/lib$name.so"
done
# Folders that are not there, for each of six libraries.
folders=60000
! quick || folders=6000
many=$(awk -v n=$folders 'BEGIN { for (i = 0; i < n; i++) printf "x:" }')
program many-folders -Wl,-rpath,"$many" -L"$T/many" -l1 -l2 -l3 -l4 -l5 -l6
timeout 20 "$BIN/libraries" "$T/many-folders" >"$T/ours" 2>"$T/err" || because "exit status $?"
expect_line 'lib1.so is not found' "$T/err"
expect_line 'many-folders: .*!' "$T/ours"
end_case

# ---- programs of this system ----

begin "programs of this system"
step=$(($(find /usr/bin /usr/sbin -type f -perm -100 2>/dev/null | wc -l) / 100 + 1))
find /usr/bin /usr/sbin -type f -perm -100 2>/dev/null | sort |
	awk -v step="$step" 'NR % step == 0' | xargs "$BIN/libraries" >"$T/all" 2>/dev/null
grep ': /' "$T/all" | grep -v ld-musl >"$T/ours"
sed 's/: .*//' "$T/ours" | while read -r program; do
	said_by_loader "$program"
done >"$T/loaders"
expect_number "programs" "$(wc -l <"$T/ours")" -ge 1
expect_same "$T/loaders" "$T/ours"
end_case
exit "${CASES_FAILED:-0}"
