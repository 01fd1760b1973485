# SPDX-License-Identifier: GPL-2.0-or-later
# Go programs for tests, built by the toolchain that is installed, or that GO names.  Sourced after
# lib.sh.
GO=${GO:-go}
GOCACHE=${GOCACHE:-$T/cache} GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off HOME=$T
export GOCACHE GOFLAGS GOPROXY GOTOOLCHAIN GO111MODULE HOME

# build NAME 'SOURCES' [FLAG...]
build() {
	name=$1
	sources=
	for s in $2; do
		sources="$sources $TARGETS/go/$s"
	done
	shift 2
	# shellcheck disable=SC2086
	target "$name" go_build "$sources" "$@" || {
		because "not built: $name"
		show "$T/build"
	}
}

# The sources come last; a folder's are a package.
go_build() {
	built=${1# }
	shift
	if [ -d "$built" ]; then
		(cd "$built" && timeout 300 "$GO" build "$@" .)
	else
		# shellcheck disable=SC2086
		timeout 300 "$GO" build "$@" $built
	fi
}

# go_version: its number in $minor, which says which features Go has; $stack is set where arguments
# are on the stack, $aarch64 on such a machine.
go_version() {
	[ -e "$MADE/minor" ] && read -r minor <"$MADE/minor" ||
		minor=$("$GO" version | sed -n 's/.*go1\.\([0-9]*\).*/\1/p')
	[ "$(uname -m)" = aarch64 ] && aarch64=1 || aarch64=
	[ "${minor:-99}" -ge $((17 + ${aarch64:-0})) ] && stack= || stack=1
}

# Goroutines as if they were threads.
as_threads() {
	sed 's/^\[g \([0-9]*\)\]/[\1]/' "$1"
}
