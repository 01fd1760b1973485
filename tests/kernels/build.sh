# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels that Debian does not ship, from its linux-source-5.10 with a configuration of ours.
# Sourced by run, after packages.sh.

# The source, once, in $CACHE/linux-source-5.10.
kernel_source() {
	[ ! -e "$CACHE/linux-source-5.10/.unpacked" ] || return 0
	suite_update bullseye amd64 linux-source-5.10 || return
	unpack bullseye amd64 "$CACHE/source" linux-source-5.10 || return
	tar -C "$CACHE" -xJf "$CACHE/source/usr/src/linux-source-5.10.tar.xz" ||
		cannot "linux-source-5.10 cannot be unpacked" || return
	rm -rf "$CACHE/source"
	: >"$CACHE/linux-source-5.10/.unpacked"
}

# source_of NAME FOLDER: the source of that kernel.  On x86 perf events cannot be configured out:
# for no-perf the system call is.
source_of() {
	[ "$1" = no-perf ] || { echo "$CACHE/linux-source-5.10"; return; }
	cp -al "$CACHE/linux-source-5.10" "$2/source" &&
		sed -i 's/sys_perf_event_open$/sys_ni_syscall/' \
			"$2"/source/arch/x86/entry/syscalls/syscall_*.tbl && echo "$2/source"
}

# built_kernel NAME FOLDER: from 5.10.config and NAME.config, as FOLDER/vmlinuz.
built_kernel() {
	for tool in flex bison bc gcc make; do
		command -v $tool >/dev/null 2>&1 ||
			cannot "$tool is missing, with which the kernel is built" || return
	done
	kernel_source || return
	rm -rf "$2/build" "$2/source"
	mkdir -p "$2/build" "$2/modules" && source=$(source_of "$1" "$2") || return
	cat "$KERNELS/5.10.config" "$KERNELS/$1.config" >"$2/build/wanted" || return
	echo "building Linux 5.10 ($1): some minutes"
	for target in allnoconfig bzImage; do
		make -s -C "$source" O="$2/build" KCONFIG_ALLCONFIG="$2/build/wanted" -j"$(nproc)" \
			$target \
			>"$2/build/log" 2>&1 </dev/null ||
			cannot "building Linux 5.10 ($1) failed at $target: $(grep -i error \
				"$2/build/log" | sed 1q) ($2/build/log)" || return
		# An option whose dependencies are not met is dropped without a word.
		grep -o '^CONFIG_[A-Z0-9_]*=y' "$2/build/wanted" |
			grep -v -x -F -f "$2/build/.config" >"$2/build/dropped" &&
			{ cannot "the configuration of $1 drops $(tr '\n' \
				' ' <"$2/build/dropped")" || return; }
	done
	mv "$2/build/arch/x86/boot/bzImage" "$2/vmlinuz" && rm -rf "$2/build" "$2/source"
}
