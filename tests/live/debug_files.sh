#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stripped programs: names from debug files, debuginfod, .gnu_debugdata and .eh_frame.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

if has objcopy && has strip; then
	"$CC" -O1 -Wl,--build-id=sha1 -o "$T/whole" "$SRCDIR/contrib/fib.c" >"$T/cc" 2>&1
	"$CC" -O2 -Wl,--build-id=sha1 -o "$T/other" "$SRCDIR/contrib/fib.c" >>"$T/cc" 2>&1
	"$CC" -O1 -Wl,--build-id=none -o "$T/plain" "$SRCDIR/contrib/fib.c" >>"$T/cc" 2>&1
	for name in whole other plain; do
		objcopy --only-keep-debug "$T/$name" "$T/$name.debug"
	done
	mkdir "$T/bin" "$T/bin/.debug" "$T/root"
	timeout 60 "$RAWTRACE" "$T/whole" fib >/dev/null 2>"$T/whole.trace"
	grep -q 'fib' "$T/whole.trace" || because "no trace to compare with"

	# stripped PROGRAM: $T/bin/fib without its symbols, and no debug file anywhere.
	stripped() {
		rm -rf "$T/bin" "$T/root"
		mkdir -p "$T/bin/.debug" "$T/root"
		cp "$T/$1" "$T/bin/fib"
		strip "$T/bin/fib"
	}

	# linked PROGRAM: the same, with .gnu_debuglink to fib.debug
	linked() {
		stripped "$1"
		cp "$T/$1.debug" "$T/fib.debug"
		objcopy --add-gnu-debuglink="$T/fib.debug" "$T/bin/fib"
		rm "$T/fib.debug"
	}

	# by_id PROGRAM: its build-id in $id, and where its debug file is looked for in $file
	by_id() {
		id=$(readelf -n "$T/$1" 2>/dev/null | sed -n 's/.*Build ID: \([0-9a-f]*\).*/\1/p')
		mkdir -p "$T/root/.build-id/$(echo "$id" | cut -c1-2)"
		file=$T/root/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
	}

	# finds CASE SOURCE: the trace of the stripped program is that of the whole one
	finds() {
		begin "$1"
		RAWTRACE_DEBUG_DIR="$T/none:$T/root" rt -v "$T/bin/fib" fib
		expect_status 0
		expect_line "fib: 1 name from $2" "$T/err"
		grep '^[<>]' "$T/err" >"$T/traced"
		expect_same "$T/whole.trace" "$T/traced"
		end_case
	}

	# misses CASE REMARK: no function is found, and why
	misses() {
		begin "$1"
		RAWTRACE_DEBUG_DIR="$T/root" rt "$T/bin/fib" fib
		expect_status 2
		expect_message \
			"fib: \(is stripped: no function names\|no function 'fib'\).*${2:-}" \
			"$T/err"
		end_case
	}

	stripped whole
	misses "stripped"
	linked whole
	cp "$T/whole.debug" "$T/bin/fib.debug"
	finds "a debug link, beside the program" "debug file $T/bin/fib.debug"
	mv "$T/bin/fib.debug" "$T/bin/.debug"
	finds "a debug link, in .debug" "debug file $T/bin/.debug/fib.debug"
	mkdir -p "$T/root$T/bin"
	mv "$T/bin/.debug/fib.debug" "$T/root$T/bin"
	finds "a debug link, in the folder for debug files" "debug file $T/root$T/bin/fib.debug"
	linked plain
	cp "$T/plain.debug" "$T/bin/fib.debug"
	finds "a debug link with a checksum alone" "debug file $T/bin/fib.debug"
	echo >>"$T/bin/fib.debug"
	misses "a debug file of another checksum" \
		"fib.debug: is of another build (its checksum is another): not used"
	stripped whole
	by_id whole
	cp "$T/whole.debug" "$file"
	finds "a build-id" "debug file $file"
	cp "$T/other.debug" "$file"
	misses "a debug file of another build-id" \
		"is of another build (its build-id is another): not used"
	echo "nothing" >"$file"
	misses "a debug file that is none" "is not an ELF file: not used"
	head -c 3000 "$T/whole.debug" >"$file"
	misses "a debug file that is cut off" ""

	# Nothing names its functions: by where .eh_frame says that they begin.
	for static in '' -static; do
		has_decoder || continue
		# shellcheck disable=SC2086 # an option, or none
		"$CC" -O1 $static -o "$T/named" "$SRCDIR/contrib/fib.c" 2>"$T/cc" || continue
		fn=fn_$(nm "$T/named" | sed -n 's/^0*\([0-9a-f]*\) [tT] fib$/\1/p')
		cp "$T/named" "$T/nameless"
		strip "$T/nameless"
		"$T/nameless" >"$T/untraced"
		begin "functions without names${static:+, static}"
		rt "$T/nameless" "$fn"
		expect_status 0
		sed "s/$fn/fib/" "$T/err" >"$T/traced"
		expect_same "$T/whole.trace" "$T/traced"
		rt -v "$T/nameless" 'fn_*'
		expect_status 0
		expect_line 'nameless: [0-9]* names from \.eh_frame$' "$T/err"
		expect_same "$T/untraced" "$T/out"
		grep -e "($fn 4)" "$T/err" >"$T/traced"
		[ -s "$T/traced" ] || because "fib is not among all functions"
		timeout 60 "$RAWTRACE" list "$T/nameless" "$fn" >"$T/listed" 2>&1
		expect_line " insn *\.eh_frame .*$fn" "$T/listed"
		end_case
	done

	# debuginfod-find as elfutils has it: an id, and a path as the answer.
	stripped whole
	cat >"$T/root/debuginfod-find" <<-EOT
		#!/bin/sh
		[ "\$1 \$2" = "debuginfo $id" ] && echo "$T/whole.debug"
	EOT
	chmod +x "$T/root/debuginfod-find"
	export DEBUGINFOD_CACHE_PATH="$T/cache"
	begin "no debuginfod without DEBUGINFOD_URLS"
	PATH="$T/root:$PATH" rt "$T/bin/fib" fib
	expect_status 2
	end_case
	begin "debuginfod"
	DEBUGINFOD_URLS=http://127.0.0.1:1 PATH="$T/root:$PATH" rt -v "$T/bin/fib" fib
	expect_status 0
	expect_line "fib: 1 name from debug file $T/whole.debug" "$T/err"
	end_case

	begin "a debuginfod that does not answer"
	cat >"$T/root/debuginfod-find" <<-EOT
		#!/bin/sh
		echo >>"$T/asked"
		sleep 61 &
		echo \$! >"$T/asked.child"
		exec sleep 60
	EOT
	# On a loaded machine it may not begin in time.
	for seconds in 2 8; do
		: >"$T/asked"
		: >"$T/asked.child"
		chmod 666 "$T/asked" "$T/asked.child"
		DEBUGINFOD_TIMEOUT=$seconds DEBUGINFOD_URLS=http://127.0.0.1:1 \
			RAWTRACE_DEBUG_DIR=/nonexistent PATH="$T/root:$PATH" \
			rt "$T/bin/fib" fib libc.so:nosuch
		[ ! -s "$T/asked.child" ] || break
	done
	expect_status 2
	expect_line "rawtrace: debuginfod: waiting for debug information of .*fib" "$T/err"
	expect_line "rawtrace: .*debuginfod-find did not answer in time, and is not asked again" \
		"$T/err"
	expect_number "times that it was asked" "$(wc -l <"$T/asked")" -eq 1
	[ -s "$T/asked.child" ] || because "it started nothing"
	child_ended() {
		! grep -q '^State:.[^ZX]' "/proc/$(cat "$T/asked.child")/status" 2>/dev/null
	}
	wait_for 20 child_ended || because "what it started goes on"
	end_case

	begin "debuginfod-find has no privilege"
	cat >"$T/root/debuginfod-find" <<-EOT
		#!/bin/sh
		{
			id -u; id -g; id -G
			grep -e '^Cap' -e '^NoNewPrivs' /proc/self/status
			pwd; ls -ld .; echo "\$HOME \$DEBUGINFOD_CACHE_PATH"
		} >"$T/asked" 2>&1
		: >"$T/root/mine"
		exit 1
	EOT
	DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$T/cache0 PATH="$T/root:$PATH" \
		rt "$T/bin/fib" fib
	expect_number "lines that are nobody's id" "$(grep -c '^65534$' "$T/asked")" -eq 3
	expect_no_line 'Cap[IPEA][a-z]*:.*[1-9a-f]' "$T/asked"
	expect_line 'CapEff:' "$T/asked"
	expect_line 'NoNewPrivs:.1' "$T/asked"
	expect_line "^$T/cache0/rawtrace/debuginfod$" "$T/asked"
	expect_line '^drwx------ ' "$T/asked"
	expect_line '^\. \.$' "$T/asked"
	[ ! -e "$T/root/mine" ] || because "it could write as root"
	[ "$(stat -c '%u %a' "$T/cache0/rawtrace")" = '0 700' ] ||
		because "others can pass to the cache"
	end_case

	begin "a cache that others can write to"
	mkdir -p "$T/cache4/rawtrace"
	chmod 777 "$T/cache4/rawtrace"
	: >"$T/asked"
	DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$T/cache4 PATH="$T/root:$PATH" \
		rt "$T/bin/fib" fib
	expect_line "debuginfod-find: not run: cache $T/cache4/rawtrace: " "$T/err"
	[ ! -s "$T/asked" ] || because "it was run"
	end_case

	# The program itself, and a server.
	if has debuginfod-find && has python3; then
		stripped whole
		served=$T/served/buildid/$id
		mkdir -p "$served"
		cp "$T/whole.debug" "$served/debuginfo"
		in_background python3 -u -m http.server --bind 127.0.0.1 --directory "$T/served" \
			0 >"$T/server" 2>&1
		server=$PID
		wait_for 10 has_line 'port [0-9]' "$T/server"
		url=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$T/server")
		begin "debuginfod's own client"
		DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$T/cache rt -v "$T/bin/fib" fib
		expect_status 0
		expect_line "fib: 1 name from debug file $T/cache" "$T/err"
		grep '^[<>]' "$T/err" >"$T/traced"
		expect_same "$T/whole.trace" "$T/traced"
		expect_line 'GET /buildid/'"$id"'/debuginfo' "$T/server"
		end_case
		begin "a server's debug file of another build"
		cp "$T/other.debug" "$served/debuginfo"
		DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$T/cache2 rt "$T/bin/fib" fib
		expect_status 2
		expect_message "is of another build (its build-id is another): not used" "$T/err"
		end_case
		begin "a server that does not have it"
		rm "$served/debuginfo"
		DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$T/cache3 rt "$T/bin/fib" fib
		expect_status 2
		expect_message "is stripped: no function names" "$T/err"
		end_case
		kill "$server"
		reap "$server"
	fi

	if ! has xz || ! "$RAWTRACE" --version | grep -q ', liblzma'; then
		skip ".gnu_debugdata" "no xz, or rawtrace was built without liblzma"
	else
		# As rpmbuild makes it: the debug file with nothing but functions' names.
		stripped whole
		echo fib >"$T/names"
		objcopy -S --remove-section .comment --keep-symbols="$T/names" "$T/whole.debug" \
			"$T/mini" 2>/dev/null
		xz "$T/mini"
		objcopy --add-section .gnu_debugdata="$T/mini.xz" "$T/bin/fib"
		finds ".gnu_debugdata" ".gnu_debugdata"
		stripped whole
		head -c 200 "$T/mini.xz" >"$T/cut.xz"
		objcopy --add-section .gnu_debugdata="$T/cut.xz" "$T/bin/fib"
		misses ".gnu_debugdata that is cut off" \
			"its .gnu_debugdata is not used: it is damaged"
	fi
else
	skip "debug files" "no objcopy"
fi
