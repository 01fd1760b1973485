# SPDX-License-Identifier: GPL-2.0-or-later
# The file system of a test machine: busybox, rawtrace and fib (static), the live suite, its
# targets, those too that scripts compile themselves.  Sourced by run.

# libraries FILE...: the loader and the shared libraries that the files ask for, and what the C
# library loads by itself when a thread is cancelled or exits: where they are, and the folder where
# they are looked for.
libraries() {
	# shellcheck disable=SC2086 # a compiler and its flags
	unwinder=$(${CC:-cc} -print-file-name=libgcc_s.so.1)
	for file; do
		ldd "$file" 2>/dev/null | grep -o '/[^ ]*'
	done | sort -u |
		sed 's/\(.*\)\/[^/]*$/& \1/; /\/libc\.so[^/]* /{ p; s/.* //; s|^|'"$unwinder"' |; }'
}

# with_libraries FOLDER FILE...
with_libraries() {
	into=$1
	shift
	${LIBRARIES:-libraries} "$@" | while read -r from to; do
		mkdir -p "$into$to" && cp -L "$from" "$into$to/" || exit
	done
}

# is_static FILE: does it run without a loader?
is_static() {
	! readelf -lW "$1" 2>/dev/null | grep -q 'INTERP'
}

# made_targets FOLDER: what the scripts compile themselves, as FOLDER/SCRIPT/NAME; by CC and CXX.
# LACKS: scripts with commas that are not for this architecture.
made_targets() {
	for script in $SCRIPTS; do
		grep -q '^targets_made$' "$SRCDIR/tests/live/$script.sh" || continue
		case ,${LACKS:-}, in *",$script,"*) continue ;; esac
		mkdir -p "$1" && RT_TARGETS=$1 RT_TMP=$1 sh "$SRCDIR/tests/live/$script.sh" \
			>"$1.log" 2>&1 </dev/null && [ ! -s "$1.log" ] ||
			cannot "what $script.sh traces: $(tr '\n' ' ' <"$1.log")(contrib/bootstrap \
--kernels installs what it needs)" || return
	done
	rm -f "$1.log"
}

# A busybox that needs no libraries, under one of the names that distributions give it.
static_busybox() {
	for name in busybox busybox.static busybox-static; do
		file=$(command -v $name) && is_static "$file" && printf '%s\n' "$file" && return
	done
	cannot "a static busybox is missing (package busybox-static)"
}

# base_initramfs FOLDER: everything but the kernel's modules, as FOLDER.cpio.
base_initramfs() {
	busybox=${BUSYBOX:-$(static_busybox)} || return
	command -v cpio >/dev/null 2>&1 || cannot "cpio is missing" || return
	is_static "$RAWTRACE" || cannot "$RAWTRACE is not static: configure with --enable-static" ||
		return
	mkdir -p "$1/bin" "$1/dev" "$1/proc" "$1/sys" "$1/tmp" "$1/modules" "$1/rawtrace/tests" \
		"$1/rawtrace/build/tests" || return
	cp "$busybox" "$1/bin/busybox" && ln -s busybox "$1/bin/sh" &&
		cp "$KERNELS/init" "$1/init" && chmod 755 "$1/init" &&
		cp "$KERNELS/suite" "$1/suite" &&
		cp -R "$SRCDIR/tests/live" "$1/rawtrace/tests/" &&
		cp "$SRCDIR/tests/run" "$1/rawtrace/tests/run" &&
		cp "$RAWTRACE" "$1/rawtrace/rawtrace" && cp "$FIB" "$1/rawtrace/fib" || return
	mkdir "$1/rawtrace/build/tests/live" &&
		find "$BUILDDIR/tests/live" -maxdepth 1 -type f -perm -100 -exec cp {} \
			"$1/rawtrace/build/tests/live/" \; &&
		made_targets "$1/rawtrace/build/tests/live/made" || return
	find "$1/rawtrace/build/tests/live" -type f >"$1.targets"
	# shellcheck disable=SC2046 # names without blanks
	with_libraries "$1" $(cat "$1.targets") || return
	cat >"$1/rawtrace/environment" <<END
export RAWTRACE=/rawtrace/rawtrace FIB=/rawtrace/fib SRCDIR=/rawtrace BUILDDIR=/rawtrace/build CC=none RT_SLOW=1 RT_TIMES=1 RT_SCRIPT_SECONDS=900
UNITS="${UNITS-}"
SCRIPTS="$SCRIPTS"
END
	(cd "$1" && find . | cpio -o -H newc --quiet) >"$1.cpio"
}

# machine_initramfs FILE BASE MODULES: the base and the folder of modules after it; archives may
# follow one another.
machine_initramfs() {
	cp "$2" "$1" || return
	[ -n "$3" ] && [ -n "$(ls -A "$3" 2>/dev/null)" ] || return 0
	mkdir -p "$1.d/modules" && cp "$3"/*.ko "$1.d/modules/" &&
		(cd "$1.d" && find modules | cpio -o -H newc --quiet) >>"$1"
}

# machine_disk FILE BASE: the base as the image of a disk.
machine_disk() {
	PATH=$PATH:/usr/sbin:/sbin
	command -v mke2fs >/dev/null 2>&1 || cannot "mke2fs is missing (package e2fsprogs)" ||
		return
	mke2fs -q -F -t ext2 -d "$2" "$1" 256M >"$1.log" 2>&1 || cannot "mke2fs: $(cat "$1.log")"
}
