# SPDX-License-Identifier: GPL-2.0-or-later
# Packages of Debian's suites, downloaded into $CACHE with lists of their own: nothing is installed,
# and the machine's lists are not touched.  Sourced by run.  A function that fails has said why on
# standard error.

# cannot MESSAGE: something cannot be had; the caller returns 1.
cannot() {
	printf '%s\n' "$*" >&2
	return 1
}

# The mirror that this machine's own apt uses for Debian.
debian_mirror() {
	[ -z "${RT_DEBIAN_MIRROR:-}" ] || { printf '%s\n' "$RT_DEBIAN_MIRROR"; return; }
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null |
		sed -n 's/^Debian|Debian|//p' | sed 1q
}

# suite_apt SUITE ARCH COMMAND ARGUMENT...: apt-get or apt-cache with the lists of that suite alone.
suite_apt() {
	apt_dir=$CACHE/apt/$1-$2
	apt_arch=$2
	apt_command=$3
	shift 3
	"$apt_command" -q -o APT::Architecture="$apt_arch" -o APT::Architectures="$apt_arch" \
		-o Dir::Etc::sourcelist="$apt_dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::Lists="$apt_dir/lists" \
		-o Dir::State::status="$apt_dir/status" -o Dir::Cache="$apt_dir/cache" \
		-o Acquire::Languages=none \
		-o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=20 \
		-o Acquire::https::Timeout=20 "$@"
}

# suite_update SUITE ARCH PACKAGE: the package list that has it, once a day: older ones name
# packages that the mirror no longer has.
suite_update() {
	[ -z "$(find "$CACHE/apt/$1-$2/ready" -mtime -1 2>/dev/null)" ] || return 0
	command -v apt-get >/dev/null 2>&1 ||
		cannot "apt-get is missing: Debian's kernels are fetched with it" || return
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e "$keys" ] || cannot "$keys is missing: install debian-archive-keyring" || return
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || cannot \
		"this machine's apt has no Debian mirror: say one as RT_DEBIAN_MIRROR=URL" || return
	mkdir -p "$CACHE/apt/$1-$2/lists/partial" "$CACHE/apt/$1-$2/cache/archives/partial"
	echo "deb [signed-by=$keys] $mirror $1 main" >"$CACHE/apt/$1-$2/sources.list"
	: >"$CACHE/apt/$1-$2/status"
	suite_apt "$1" "$2" apt-get update >"$CACHE/apt/$1-$2/log" 2>&1 &&
		! grep -q '^[EW]:' "$CACHE/apt/$1-$2/log" || {
		cannot "$3 of $1 ($2): the package list cannot be had from $mirror: $(grep \
			'^[EW]:' "$CACHE/apt/$1-$2/log" | sed 1q)"
		return
	}
	: >"$CACHE/apt/$1-$2/ready"
}

# depends_on SUITE ARCH PACKAGE REGEX: the packages that it depends on and that match.
depends_on() {
	suite_apt "$1" "$2" apt-cache depends "$3" 2>/dev/null | sed -n 's/^ *Depends: //p' |
		grep -x -e "$4"
}

# unpack SUITE ARCH FOLDER PACKAGE...: downloaded and unpacked into FOLDER.
unpack() {
	unpack_suite=$1
	unpack_arch=$2
	unpack_into=$3
	shift 3
	mkdir -p "$unpack_into" "$CACHE/debs" || return
	for package; do
		(cd "$CACHE/debs" && suite_apt "$unpack_suite" "$unpack_arch" apt-get download \
			"$package") >"$CACHE/debs/log" 2>&1 ||
			cannot "$package of $unpack_suite cannot be downloaded: $(grep '^E:' \
				"$CACHE/debs/log" | sed 1q)" || return
		deb=$(find "$CACHE/debs" -name "${package}_*.deb" | sed 1q)
		dpkg -x "$deb" "$unpack_into" 2>"$CACHE/debs/log" ||
			cannot "$package of $unpack_suite cannot be unpacked: $(sed 1q \
				"$CACHE/debs/log")" || return
		rm -f "$deb"
	done
}

# packaged_kernel SUITE ARCH FOLDER: Debian's newest kernel there for clouds, as FOLDER/vmlinuz and
# FOLDER/modules/*.ko.
packaged_kernel() {
	suite_update "$1" "$2" "linux-image-cloud-$2" || return
	pk_image=$(depends_on "$1" "$2" "linux-image-cloud-$2" 'linux-image-[0-9].*')
	[ -n "$pk_image" ] || cannot "linux-image-cloud-$2 of $1 names no kernel" || return
	rm -rf "$3/root"
	# From 7.0 on the kernel and its modules are packages of their own.
	# shellcheck disable=SC2046
	unpack "$1" "$2" "$3/root" "$pk_image" \
		$(depends_on "$1" "$2" "$pk_image" 'linux-\(binary\|modules\)-.*') || return
	pk_file=$(find "$3/root" -name vmlinuz -o -name 'vmlinuz-*' | sed 1q)
	[ -n "$pk_file" ] || cannot "$pk_image of $1 holds no vmlinuz" || return
	console_modules "$3/root" "$3/modules" || return
	mv "$pk_file" "$3/vmlinuz"
	rm -rf "$3/root"
}

# Modules that a virtio port needs if it is not built in, in the order to load them.
MODULES="virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_console"

console_modules() {
	mkdir -p "$2" || return
	for module in $MODULES; do
		file=$(find "$1" -name "$module.ko*" | sed 1q)
		case $file in
		"") ;;
		*.xz) xz -dc "$file" >"$2/$module.ko" || return ;;
		*) cp "$file" "$2/$module.ko" || return ;;
		esac
	done
}
