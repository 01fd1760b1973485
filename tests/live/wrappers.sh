# SPDX-License-Identifier: GPL-2.0-or-later
# This kernel made an old one: a preloaded library refuses what an old kernel refuses (oldkernel.c),
# a seccomp filter what a container refuses (without.c), a mount namespace hides files.  Sourced
# after lib.sh; from then on $RAWTRACE is a script that runs rawtrace under a COMMAND, $REAL is
# itself.
REAL=$RAWTRACE

under() {
	{
		echo '#!/bin/sh'
		echo "echo \$\$ >'$T/pid'"
		printf 'exec'
		printf " '%s'" "$@" "$REAL"
		echo ' "$@"'
	} >"$T/wrapped"
	chmod +x "$T/wrapped"
	RAWTRACE=$T/wrapped
}

# old WORDS [COMMAND...]: see oldkernel.c
old() {
	words=$1
	shift
	: >"$T/says"
	under "$@" env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL="$words" OLD_KERNEL_SAYS="$T/says"
}

# In a mount namespace of its own, where COMMANDS have been run.
# shellcheck disable=SC2016 # it is sh -c that expands
in_mounts() {
	commands=$1
	shift
	"$@" unshare -m sh -c 'mount --make-rprivate / && { '"$commands"'; } && exec "$@"' sh
}

has_mechanism() {
	case " $MECHANISMS " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

nothing_left() {
	nothing_left_by "$(cat "$T/pid")" || because "left: $(left_by "$(cat "$T/pid")")"
}

# Every tracefs and debugfs is unmounted there, and debugfs mounted again.
debugfs='while dir=$(sed -n "s/^[^ ]* \([^ ]*\) \(tracefs\|debugfs\) .*/\1/p" /proc/mounts | tail -n 1) && [ -n "$dir" ]; do
	umount "$dir" || exit 99; done; mount -t debugfs none /sys/kernel/debug'

# limits 'ulimit ARGUMENTS && ...' COMMAND...
limits() {
	ulimits=$1
	shift
	# shellcheck disable=SC2016 # it is sh -c that expands
	"$@" sh -c "$ulimits"' && exec "$@"' sh
}

# As they were by default.
low='ulimit -n 1024 && ulimit -l 64'

has_namespaces() {
	has unshare && unshare -m true 2>/dev/null
}
