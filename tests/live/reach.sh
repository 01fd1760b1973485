#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which processes each mechanism records, and who has breakpoints; the program says the results
# itself.
. "$SRCDIR/tests/live/lib.sh"

# Each fork and exec takes long in an emulated machine.
timeout 200 "$BIN/reach"
exit 0
