#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of fetched value by every mechanism; the program says the results itself.
. "$SRCDIR/tests/live/lib.sh"

timeout 60 "$BIN/fetch"
exit 0
