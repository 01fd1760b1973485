# SPDX-License-Identifier: GPL-2.0-or-later
# uprobe_multi links: when the command has ended the kernel removes them in the background, but not
# if a process still has the probes, or somebody may unmount the file (kernel/pins.c).
. "$(dirname "$0")/lib.sh"

if [ -z "${RT_TARGETS:-}" ]; then
	grep -q '^uprobe-multi  *ok' "$RT_DOCTOR" || skip_all "no uprobe_multi links (before 6.6)"
	has strace || skip_all "no strace"
fi
targets_made

# Folders for temporary files are often mounts of their own.
dir=$T
if [ "$(stat -c %m "$T")" != / ]; then
	dir=$(mktemp -d /var/tmp/rawtrace-removal.XXXXXX) || exit 1
	trap 'rm -rf "$dir"; clean_up' EXIT
fi
cp "$RAWTRACE" "$dir/rawtrace" && cp "$BIN/loop" "$dir/loop" || exit 1

# calls COMMAND...: like rt, with the system calls of each process in $T/calls.PID; counts $links
# that were made and $pins.
calls() {
	selected || return
	rm -f "$T"/calls.*
	timeout $((60 * SECOND)) strace -ff -qq -o "$T/calls" \
		-e trace=bpf,fsmount,process "$@" >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	links=$(cat "$T"/calls.* | grep -c -e 'BPF_LINK_CREATE.*)  *= [0-9]')
	pins=$(cat "$T"/calls.* | grep -c -e 'BPF_OBJ_PIN.*)  *= 0')
}

no_links() {
	"$BIN/links" "$1" >"$T/links" && [ "$(cat "$T/links")" = 0 ]
}

begin "a command has ended"
calls "$dir/rawtrace" "$dir/loop" step -- 3
expect_status 5
if selected && ! grep -q -e 'fsmount(.*)  *= [0-9]' "$T"/calls.*; then
	skip "all cases" "no right to a bpf file system, or $dir is not on the root's mount"
	exit 0
fi
expect_number "links that were made" "$links" -ge 3
expect_number "links that the kernel removes" "$pins" -eq "$links"
"$BIN/links" "$dir/loop" >/dev/null
# Before 6.8 the kernel does not name files.
[ $? = 2 ] || wait_for 20 no_links "$dir/loop" || because "the kernel has links after 20 s"
end_case

begin "rawtrace record: a command has ended"
calls "$dir/rawtrace" record -o "$T/recording" "$dir/loop" step -- 3
expect_status 5
expect_number "links that were made" "$links" -ge 6
expect_number "links that the kernel removes" "$pins" -eq "$links"
end_case

# The first link waits for the kernel, so the first child is the one that makes it.  To make the
# rings takes long, so another process does it.
begin "a link and the rings are made while the command is prepared"
calls "$dir/rawtrace" "$dir/loop" step -- 3
main=$(grep -l -e "execve(\"$dir/rawtrace\"" "$T"/calls.*)
child=$(sed -n 's/.*\(clone\|fork\)[0-9]*(.*)  *= \([0-9]*\)$/\2/p' "$main" | sed q)
expect_line 'BPF_LINK_CREATE.*)  *= [0-9]' "$T/calls.$child"
grep -h -e 'BPF_MAP_CREATE.*value_size=[0-9]\{6\}' "$T"/calls.* >"$T/rings"
expect_number "maps of rings" "$(grep -c '' "$T/rings")" -eq 1
expect_no_line 'BPF_MAP_CREATE.*value_size=[0-9]\{6\}' "$main"
end_case

# Only the link of the calibration, whose process is rawtrace's own.
begin "a process is traced on"
in_background "$BIN/worker" 1 "$LONG" $PAUSE >"$T/worker"
wait_for 10 grep -q worker "/proc/$PID/comm"
rm -f "$T/trace"
# shellcheck disable=SC2016 # the arguments are those of the inner shell
calls sh -c '"$@" &
	tries=0
	until [ -s "$0" ] || [ $((tries += 1)) = 400 ]; do sleep 0.05; done
	kill -INT $!; wait $!' "$T/trace" "$dir/rawtrace" -o "$T/trace" -p "$PID" work
expect_status 0
expect_number "links that were made" "$links" -ge 3
expect_number "links that the kernel removes" "$pins" -le 1
end_case

begin "children may run on: -f"
calls "$dir/rawtrace" -f "$dir/loop" step -- 3
expect_status 5
expect_number "links that the kernel removes" "$pins" -le 1
end_case

# One success of five: other programs of the machine look into new mounts too.
begin "the file system is unmounted after the trace"
mkdir "$T/mount"
busy=5
while selected && [ $busy -gt 0 ]; do
	mount -t tmpfs none "$T/mount" && cp "$BIN/loop" "$T/mount/loop" || break
	"$dir/rawtrace" -o "$T/trace" "$T/mount/loop" step -- 3 >"$T/out" 2>"$T/err"
	umount "$T/mount" 2>"$T/err" && break
	umount -l "$T/mount"
	busy=$((busy - 1))
done
[ $busy -gt 0 ] || show "$T/err"
end_case
