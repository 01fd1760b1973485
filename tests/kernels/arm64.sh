# SPDX-License-Identifier: GPL-2.0-or-later
# arm64: rawtrace, its unit tests and what the live suite traces, built here with a cross compiler
# and Debian's arm64 libraries.
# Sourced by run, after packages.sh and initramfs.sh.

CROSS=aarch64-linux-gnu
# All that rawtrace can be built with, and what the archives of elfutils need.
ARM64_PACKAGES="busybox-static libelf-dev libcap-dev libcapstone-dev libdw-dev libiberty-dev \
liblzma-dev zlib1g-dev libbz2-dev libzstd-dev \
	libcunit1-dev"

# The packages, once, in $CACHE/arm64-root; no architecture is added to this machine.
arm64_root() {
	[ "$(cat "$CACHE/arm64-root/.unpacked" 2>/dev/null)" != "$ARM64_PACKAGES" ] || return 0
	# shellcheck disable=SC2086
	suite_update bookworm arm64 libelf-dev && unpack bookworm arm64 "$CACHE/arm64-root" \
		$ARM64_PACKAGES || return
	printf '%s\n' "$ARM64_PACKAGES" >"$CACHE/arm64-root/.unpacked"
}

# arm64_configure FOLDER: FOLDER/source is a copy, as a source folder that was configured itself
# cannot be configured from another.
arm64_configure() {
	lib=$CACHE/arm64-root/usr/lib/$CROSS
	include=$CACHE/arm64-root/usr/include
	# Anew: a copy keeps the files' times, by which an object from before may look newer than
	# its source.
	rm -rf "$1" && mkdir -p "$1" || return
	make -s -C "$BUILDDIR" distdir distdir="$1/source" >"$1/log" 2>&1 ||
		cannot "make distdir failed: see $1/log" || return
	(cd "$1" && source/configure -q --host="$CROSS" --enable-static CC="$CROSS-gcc" \
		LDFLAGS="-L$lib" \
		CPPFLAGS="-isystem $include -isystem $include/$CROSS") >"$1/log" 2>&1 ||
		cannot "configure for arm64 failed: see $1/config.log"
}

# arm64_build FOLDER: all that is built; the unit tests know where their files are in the machine.
# The targets are built as distributions build: with the shared C library, return addresses signed.
arm64_build() {
	for compiler in "$CROSS-gcc" "$CROSS-g++"; do
		command -v "$compiler" >/dev/null 2>&1 ||
			cannot "$compiler is missing: run contrib/bootstrap --kernels" || return
	done
	arm64_root && arm64_configure "$1" || return
	{
		make -C "$1" rawtrace live-tools \
			LDFLAGS="-static -L$CACHE/arm64-root/usr/lib/$CROSS" &&
			make -C "$1" tests/unit/unit \
				LDFLAGS="-static -L$CACHE/arm64-root/usr/lib/$CROSS" \
				abs_srcdir=/rawtrace abs_builddir=/rawtrace/build &&
			make -C "$1" fib live-targets LIBS= \
				CFLAGS="-g -O2 -mbranch-protection=standard" &&
			"$CROSS-gcc" -nostdlib -static -o "$1/tests/live/guarded" \
				"$SRCDIR/tests/live/targets/guarded.S"
	} >"$1/log" 2>&1 </dev/null ||
		cannot "building for arm64 failed: $(grep 'error: \|undefined reference\|\*\*\*' \
			"$1/log" | sed 1q) ($1/log)"
}

# As libraries; the cross compiler knows them, and its C library's loader looks in /lib.
arm64_libraries() {
	for file; do
		readelf -ldW "$file" 2>/dev/null
	done | sed \
		-n 's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*interpreter: .*\/\(.*\)\]/\1/p; $a libgcc_s.so.1' | sort -u |
		while read -r library; do
			echo "$("$CROSS-gcc" -print-file-name="$library") /lib"
		done
}

# arm64_initramfs FOLDER: as base_initramfs, and the unit tests, which have run nowhere else.  The
# scripts that its kernels lack are of x86.
arm64_initramfs() {
	arm64=$BUILDDIR/tests/kernels/arm64
	# The compiler options of make check-kernels are not for this compiler.
	(unset MAKEFLAGS MFLAGS CC CFLAGS CPPFLAGS LDFLAGS && arm64_build "$arm64") || return
	(
		RAWTRACE=$arm64/rawtrace FIB=$arm64/fib BUILDDIR=$arm64 LIBRARIES=arm64_libraries \
			BUSYBOX=$CACHE/arm64-root/bin/busybox \
		UNITS="unit fuzz" CC="$CROSS-gcc -mbranch-protection=standard" CXX=$CROSS-g++ \
		LACKS=i386,prologue GOARCH=arm64
		export RAWTRACE FIB BUILDDIR CC CXX GOARCH
		base_initramfs "$1"
	) || return
	mkdir -p "$1.unit/rawtrace/build/tests/unit" "$1.unit/rawtrace/tests/unit" \
		"$1.unit/rawtrace/tests/fuzz/corpus" &&
		find "$arm64/tests/unit" -maxdepth 1 -type f -perm -100 -exec cp {} \
			"$1.unit/rawtrace/build/tests/unit/" \; &&
		cp -R "$arm64/tests/unit/code" "$1.unit/rawtrace/build/tests/unit/" &&
		cp -R "$SRCDIR/tests/unit/expected" "$1.unit/rawtrace/tests/unit/" &&
		cp -R "$SRCDIR/probes" "$1.unit/rawtrace/" &&
		cp -R "$SRCDIR/tests/fuzz/corpus/elf" "$1.unit/rawtrace/tests/fuzz/corpus/" ||
		return
	(cd "$1.unit" && find rawtrace | cpio -o -H newc --quiet) >>"$1.cpio"
}
