#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's answers to the question which nops it makes calls of: faked by oldkernel.so.
. "$SRCDIR/tests/live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "x86-64 only"
# shellcheck disable=SC2086 # a command with its options
target nop5 $CC -O1 "$TARGETS/nop5.c" || skip_all "$(no_target nop5.c)"
targets_made
"$RAWTRACE" --version | grep -q ', capstone' || skip_all "without capstone no probe is moved"
kind=$(sed -n 's/^probed nops *//p' "$RT_DOCTOR")
echo "wrong: 0, child: 0" >"$T/want"

# A static rawtrace takes no preloaded library.
env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=uprobe OLD_KERNEL_SAYS="$T/says" "$RAWTRACE" \
	--version >/dev/null 2>&1
[ -s "$T/says" ] || { skip "how the kernel is asked" "oldkernel.so cannot be preloaded"; exit 0; }
# answers ERRNO STATE: doctor's row for this answer.
answers() {
	begin "the kernel answers $1"
	timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL="uprobe=$1" "$RAWTRACE" doctor \
		>"$T/answer" 2>&1
	expect_line "^probed nops *$2" "$T/answer"
	end_case
}
answers ENOSYS "ok *stay breakpoints"
answers ENXIO "avoided *5-byte nops"
answers EPROTO "ok *10-byte nops"
answers EPERM "avoided *5-byte nops"
for refusal in uprobe uprobe=EPERM uprobe=KILL; do
	begin "where seccomp refuses the question: $refusal"
	timeout 60 "$BIN/without" "$refusal" -- "$RAWTRACE" doctor >"$T/answer" 2>&1
	expect_line "^probed nops *avoided *5-byte nops" "$T/answer"
	end_case
done

case $kind in
*"10-byte nops"*) exit 0 ;;
esac
begin "a kernel that says that it probes a nop, and does not"
timeout 60 env LD_PRELOAD="$BIN/oldkernel.so" OLD_KERNEL=uprobe=EPROTO "$RAWTRACE" "$T/nop5" \
	'*nop10' pushes >"$T/out" 2>"$T/err"
expect_same "$T/want" "$T/out"
expect_line '^rawtrace: nop10: not traced: this kernel cannot probe the instruction that it begins with$' "$T/err"
end_case
